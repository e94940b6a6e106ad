// SPDX-License-Identifier: MIT
// The plain passes as loops, and the choice between plain and wide.
#include "solvers/porous/porous_local.h"

#define X(name)                                                                                                        \
    static void name##_loop(const porous_view* view, int begin, int end) {                                             \
        for (int i = begin; i < end; i++) porous_##name(view, i);                                                      \
    }
POROUS_PASSES(X)
#undef X

#define X(name)                                                                                                        \
    static void pool_##name##_loop(const porous_pool_view* view, int begin, int end) {                                 \
        for (int i = begin; i < end; i++) porous_pool_##name(view, i);                                                 \
    }
POROUS_POOL_PASSES(X)
#undef X

#define X(name) name##_loop,
const porous_loop porous_loops_plain[POROUS_PASS_COUNT] = {POROUS_PASSES(X)};
#undef X
#define X(name) pool_##name##_loop,
const porous_pool_loop porous_pool_loops_plain[POROUS_POOL_PASS_COUNT] = {POROUS_POOL_PASSES(X)};
#undef X

porous_loop porous_loop_for(shoal_isa_kind isa, porous_pass pass) {
    const porous_loop* wide = NULL;
    switch (isa) {
#define X(kind, suffix)                                                                                                \
    case SHOAL_ISA_##kind:                                                                                             \
        wide = porous_loops_##suffix;                                                                                  \
        break;
        SHOAL_ISA_SETS(X)
#undef X
    default:
        break;
    }
    return wide && wide[pass] ? wide[pass] : porous_loops_plain[pass];
}

porous_pool_loop porous_pool_loop_for(shoal_isa_kind isa, porous_pool_pass pass) {
    const porous_pool_loop* wide = NULL;
    switch (isa) {
#define X(kind, suffix)                                                                                                \
    case SHOAL_ISA_##kind:                                                                                             \
        wide = porous_pool_loops_##suffix;                                                                             \
        break;
        SHOAL_ISA_SETS(X)
#undef X
    default:
        break;
    }
    return wide && wide[pass] ? wide[pass] : porous_pool_loops_plain[pass];
}
