// SPDX-License-Identifier: MIT
// The passes as loops, plain and wide.
#include "solvers/pbf/pbf_local.h"

#define X(name) SHOAL_LOOP(name##_loop, pbf_view, pbf_##name)
PBF_PASSES(X)
#undef X

#define X(name) name##_loop,
static const shoal_loop plain[PBF_PASS_COUNT] = {PBF_PASSES(X)};
#undef X

#define X(name) SHOAL_SUM_LOOP(all_##name, pbf_view, pbf_##name)
PBF_SUMS(X)
#undef X

#define X(name) {.sum = all_##name},
static const shoal_fold sums[PBF_SUM_COUNT] = {PBF_SUMS(X)};
#undef X

const shoal_passes pbf_passes = {.block     = 512,
                                 .loops     = {{[SHOAL_ISA_PLAIN] = plain, SHOAL_WIDE_ROWS(pbf_loops)}},
                                 .folds     = sums,
                                 .name      = "pbf",
                                 .view_size = sizeof(pbf_view)};
