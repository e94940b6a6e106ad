// SPDX-License-Identifier: MIT
// Benches of columns on the staggered grid, a part of `shoal bench`.
#ifndef SHOAL_BENCH_FLIP_H
#define SHOAL_BENCH_FLIP_H

#include "cli.h"

typedef struct bench_flip {
    const char* name;
    const char* material;  // NULL: no bench of these
    double      column[3]; // m
    double      domain[3]; // m
} bench_flip;

// Prints a row for one and one for two threads: 12 frames of 1/30 s, from the release to the impact on the wall.
shoal_status cli_bench_flip(const bench_flip* bench, const cli_args* args, bool is_json);

#endif
