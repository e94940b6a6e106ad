// SPDX-License-Identifier: MIT
// The passes as loops, plain and wide.
#include "solvers/porous/porous_local.h"

#define X(name) SHOAL_LOOP(name##_loop, porous_view, porous_##name)
POROUS_PASSES(X)
#undef X

#define X(name) SHOAL_LOOP(pool_##name##_loop, porous_pool_view, porous_pool_##name)
POROUS_POOL_PASSES(X)
#undef X

#define X(name) name##_loop,
static const shoal_loop plain[POROUS_PASS_COUNT] = {POROUS_PASSES(X)};
#undef X
#define X(name) pool_##name##_loop,
static const shoal_loop pool_plain[POROUS_POOL_PASS_COUNT] = {POROUS_POOL_PASSES(X)};
#undef X

enum { BLOCK = 256 };
const shoal_passes porous_passes      = {.block = BLOCK,
                                         .loops = {{[SHOAL_ISA_PLAIN] = plain, SHOAL_WIDE_ROWS(porous_loops)}}};
const shoal_passes porous_pool_passes = {
    .block = BLOCK, .loops = {{[SHOAL_ISA_PLAIN] = pool_plain, SHOAL_WIDE_ROWS(porous_pool_loops)}}};
