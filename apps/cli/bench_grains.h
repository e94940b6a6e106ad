// SPDX-License-Identifier: MIT
// Benches of settled sand, a part of `shoal bench`.
#ifndef SHOAL_BENCH_GRAINS_H
#define SHOAL_BENCH_GRAINS_H

#include "cli.h"

typedef struct bench_grains {
    const char* name;
    int         side;  // grains along the edges of the bed; 0: no bench of sand
    int         depth; // layers
    const char* scene; // or a scene of sand and water; NULL: none
    double      moving_s;
    int         frames; // timed
} bench_grains;

// Prints a row for one and one for two threads; a step is one substep of the contacts.
shoal_status cli_bench_grains(const bench_grains* bench, const cli_args* args, bool is_json);
// One row with two threads; the time is that of a frame.
shoal_status cli_bench_soaking(const bench_grains* bench, const cli_args* args, bool is_json);

#endif
