// SPDX-License-Identifier: MIT
// Benches of the viewer while a scene runs, parts of `shoal bench`.
#ifndef SHOAL_BENCH_LIVE_H
#define SHOAL_BENCH_LIVE_H

#include "cli.h"

typedef struct bench_live {
    const char *name, *scene, *draw;
    double      spacing; // m; 0: the scene's
    double      fps;     // the same
    double      start_s; // measured from then on
    int         width, height;
} bench_live;

// Prints a row.
shoal_status cli_bench_live(const bench_live* bench, const cli_args* args, bool is_json);

#endif
