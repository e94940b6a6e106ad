// SPDX-License-Identifier: MIT
// Benches of surfaces and pictures, parts of `shoal bench`.
#ifndef SHOAL_BENCH_SURFACE_H
#define SHOAL_BENCH_SURFACE_H

#include "cli.h"

enum { BENCH_VIEWED = -1 };

typedef struct bench_surface {
    const char* name;
    const char* method;         // of the surface, or how the viewer draws; NULL: no bench of surfaces
    int         side;           // particles along the edge of the column of 1 m
    int         cells_as;       // the side that 250 samples along the tank go with; others keep the ratio to the
                                // spacing
    int width, height, samples; // of a picture; width 0: the mesh alone, samples 0: a preview,
                                // BENCH_VIEWED: as the viewer draws it
} bench_surface;

// Prints a row for one and one for two threads; on a device, which BENCH_VIEWED alone takes, for two. NULL: the CPU.
shoal_status cli_bench_surface(const bench_surface* bench, const cli_args* args, bool is_json);

#endif
