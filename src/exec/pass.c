// SPDX-License-Identifier: MIT
// The choice of a loop, and its blocks.
#include "exec/pass.h"

#include "exec/device.h"

const void* shoal_isa_choose(const shoal_by_isa* rows, shoal_isa_kind isa) {
    if (rows->of[isa]) return rows->of[isa];
    return rows->of[SHOAL_ISA_PLAIN] ? rows->of[SHOAL_ISA_PLAIN] : rows->of[shoal_isa_best()];
}

shoal_loop shoal_pass_loop(const shoal_passes* passes, shoal_isa_kind isa, int pass) {
    const shoal_loop *plain = passes->loops.of[SHOAL_ISA_PLAIN], *chosen = shoal_isa_choose(&passes->loops, isa);
    return chosen[pass] ? chosen[pass] : plain[pass];
}

typedef struct pass_job {
    shoal_loop  loop;
    const void* view;
} pass_job;

static void pass_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    const pass_job* job = ctx;
    job->loop(job->view, begin, end);
}

void shoal_pass_run(const shoal_exec* exec, shoal_isa_kind isa, const shoal_passes* passes, int pass, const void* view,
                    int count) {
    if (exec->device) {
        exec->device->run(exec->device, passes, isa, pass, view, count);
        return;
    }
    pass_job job = {shoal_pass_loop(passes, isa, pass), view};
    shoal_blocks(exec, count, passes->block, pass_block, &job);
}

double shoal_pass_fold(const shoal_exec* exec, const shoal_passes* passes, int fold, const void* view, int count) {
    double out[32] = {0};
    if (exec->device) {
        exec->device->fold(exec->device, passes, 1u << fold, view, count, out);
        return out[fold];
    }
    const shoal_fold* f = &passes->folds[fold];
    if (f->sum) return shoal_sum(exec, count, f->sum, (void*)view);
    return f->most ? shoal_max(exec, count, f->most, (void*)view) : shoal_first(exec, count, f->first, (void*)view);
}
