// SPDX-License-Identifier: MIT
// The plain passes as loops, and the choice between plain and wide.
#include "solvers/pbf/pbf_local.h"

#define X(name)                                                                                                        \
    static void name##_loop(const pbf_view* view, int begin, int end) {                                                \
        for (int i = begin; i < end; i++) pbf_##name(view, i);                                                         \
    }
PBF_PASSES(X)
#undef X

#define X(name) name##_loop,
const pbf_loop pbf_loops_plain[PBF_PASS_COUNT] = {PBF_PASSES(X)};
#undef X

pbf_loop pbf_loop_for(shoal_isa_kind isa, pbf_pass pass) {
    const pbf_loop* wide = NULL;
    switch (isa) {
#define X(kind, suffix)                                                                                                \
    case SHOAL_ISA_##kind:                                                                                             \
        wide = pbf_loops_##suffix;                                                                                     \
        break;
        SHOAL_ISA_SETS(X)
#undef X
    default:
        break;
    }
    return wide && wide[pass] ? wide[pass] : pbf_loops_plain[pass];
}
