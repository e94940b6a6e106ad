// SPDX-License-Identifier: MIT
// The plain passes as loops.
#include "solvers/porous/porous_local.h"

#define X(name)                                                                                                        \
    static void name##_loop(const porous_view* view, int begin, int end) {                                             \
        for (int i = begin; i < end; i++) porous_##name(view, i);                                                      \
    }
POROUS_PASSES(X)
#undef X

#define X(name) name##_loop,
const porous_loop porous_loops_plain[POROUS_PASS_COUNT] = {POROUS_PASSES(X)};
#undef X
