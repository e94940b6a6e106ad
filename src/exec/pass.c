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

void shoal_pass_ask(const shoal_exec* exec, const shoal_passes* passes, int fold, const void* view, int count,
                    double* out) {
    if (exec->device)
        exec->device->ask_fold(exec->device, passes, 1u << fold, view, count, out);
    else
        out[fold] = shoal_pass_fold(exec, passes, fold, view, count);
}

// --- sums up to each

static size_t total_of(void* ctx, int begin, int end) {
    const int* values = ctx;
    size_t     sum    = 0;
    for (int k = begin; k < end; k++) sum += (size_t)values[k];
    return sum;
}

static void put_sums(void* ctx, int begin, int end, size_t at) {
    int* values = ctx;
    for (int k = begin; k < end; k++) values[k] = (int)(at += (size_t)values[k]);
}

size_t shoal_pass_scan(const shoal_exec* exec, int* values, int count) {
    int last = 0;
    if (count == 0) return 0;
    if (!exec->device) return shoal_lay_out(exec, count, (shoal_layout){total_of, put_sums, NULL}, values, 0);
    exec->device->scan(exec->device, values, count);
    exec->device->fetch(exec->device, &last, values + count - 1, sizeof last);
    return shoal_device_check(exec->device) == SHOAL_OK ? (size_t)last : 0;
}
