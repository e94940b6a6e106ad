// SPDX-License-Identifier: MIT
// Benches of sand and water as two continua, a part of `shoal bench`.
#ifndef SHOAL_BENCH_POROUS_H
#define SHOAL_BENCH_POROUS_H

#include "cli.h"

typedef struct bench_porous {
    const char* name;     // NULL: no bench of this kind
    const char* scene;    // scenes/NAME.yaml; NULL: water falls on moist sand, see bench/benches.h
    double      moving_s; // timed from here on
    int         frames;   // of 1/25 s
} bench_porous;

// Prints a row for one and one for two threads; particles are those of sand and of water. That for two tells a scene's
// mean over all its frames, too.
shoal_status cli_bench_porous(const bench_porous* bench, const cli_args* args, bool is_json);

#endif
