// SPDX-License-Identifier: MIT
// The plain passes as loops, and the choice between plain and wide.
#include "fluid/water_local.h"

#define X(name)                                                                                                        \
    static void name##_loop(const shoal_water_view* view, int begin, int end) {                                        \
        for (int i = begin; i < end; i++) shoal_water_##name(view, i);                                                 \
    }
SHOAL_WATER_PASSES(X)
#undef X

#define X(name) name##_loop,
const shoal_water_loop shoal_water_loops_plain[SHOAL_WATER_PASS_COUNT] = {SHOAL_WATER_PASSES(X)};
#undef X

shoal_water_loop shoal_water_loop_for(shoal_isa_kind isa, shoal_water_pass pass) {
    const shoal_water_loop* wide = NULL;
    switch (isa) {
#define X(kind, suffix)                                                                                                \
    case SHOAL_ISA_##kind:                                                                                             \
        wide = shoal_water_loops_##suffix;                                                                             \
        break;
        SHOAL_ISA_SETS(X)
#undef X
    default:
        break;
    }
    return wide && wide[pass] ? wide[pass] : shoal_water_loops_plain[pass];
}

typedef struct pass_run {
    const shoal_water_view* view;
    shoal_water_loop        loop;
} pass_run;

static void run_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    pass_run* r = ctx;
    r->loop(r->view, begin, end);
}

void shoal_water_run(const shoal_water_view* view, const shoal_exec* exec, shoal_isa_kind isa, shoal_water_pass pass) {
    enum { PASS_BLOCK = 512 };
    pass_run r = {view, shoal_water_loop_for(isa, pass)};
    shoal_blocks(exec, view->count, PASS_BLOCK, run_block, &r);
}
