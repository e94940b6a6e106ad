// SPDX-License-Identifier: MIT
// The passes as loops, plain and wide.
#include "solvers/pbf/pbf_local.h"

#define X(name) SHOAL_LOOP(name##_loop, pbf_view, pbf_##name)
PBF_PASSES(X)
#undef X

#define X(name) name##_loop,
static const shoal_loop plain[PBF_PASS_COUNT] = {PBF_PASSES(X)};
#undef X

const shoal_passes pbf_passes = {512, {{[SHOAL_ISA_PLAIN] = plain, SHOAL_WIDE_ROWS(pbf_loops)}}};
