// SPDX-License-Identifier: MIT
// The passes as loops, plain and wide.
#include "fluid/water_local.h"

#define X(name) SHOAL_LOOP(name##_loop, shoal_water_view, shoal_water_##name)
SHOAL_WATER_PASSES(X)
#undef X

#define X(name) name##_loop,
static const shoal_loop plain[SHOAL_WATER_PASS_COUNT] = {SHOAL_WATER_PASSES(X)};
#undef X

#define LOOP_SUM(name) SHOAL_SUM_LOOP(all_##name, shoal_water_view, shoal_water_##name)
#define LOOP_MOST(name) SHOAL_MAX_LOOP(all_##name, shoal_water_view, shoal_water_##name)
#define X(name, how) LOOP_##how(name)
SHOAL_WATER_FOLDS(X)
#undef X

#define FOLD_SUM sum
#define FOLD_MOST most
#define X(name, how) {.FOLD_##how = all_##name},
static const shoal_fold folds[SHOAL_WATER_FOLD_COUNT] = {SHOAL_WATER_FOLDS(X)};
#undef X

const shoal_passes shoal_water_passes = {.block     = 512,
                                         .loops     = {{[SHOAL_ISA_PLAIN] = plain, SHOAL_WIDE_ROWS(shoal_water_loops)}},
                                         .folds     = folds,
                                         .name      = "water",
                                         .view_size = sizeof(shoal_water_view)};

void shoal_water_run(const shoal_water_view* view, const shoal_exec* exec, shoal_isa_kind isa, shoal_water_pass pass) {
    shoal_pass_run(exec, isa, &shoal_water_passes, (int)pass, view, view->count);
}
