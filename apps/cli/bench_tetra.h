// SPDX-License-Identifier: MIT
// Benches of liquids on tetrahedral meshes, a part of `shoal bench`.
#ifndef SHOAL_BENCH_TETRA_H
#define SHOAL_BENCH_TETRA_H

#include "cli.h"

typedef struct bench_tetra {
    const char* name;    // NULL: no bench of these
    double      spacing; // m
    int         steps;
} bench_tetra;

// Prints a row for one and one for two threads: some steps of balls that fall into a pool.
shoal_status cli_bench_tetra(const bench_tetra* bench, const cli_args* args, bool is_json);

#endif
