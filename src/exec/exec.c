// SPDX-License-Identifier: MIT
// Fixed blocks on OpenMP threads. Which thread takes which block is left to chance; what a block writes is not.
#include "exec/exec.h"

#include <math.h>
#include <omp.h>

int shoal_exec_cores(void) { return omp_get_num_procs(); }

shoal_exec shoal_exec_make(int threads) {
    shoal_exec exec = {threads > 0 ? threads : shoal_exec_cores()};
    return exec;
}

void shoal_blocks(const shoal_exec* exec, int count, int block, shoal_block_fn fn, void* ctx) {
    SHOAL_ASSERT(block > 0);
    int blocks = count / block + (count % block != 0);
    if (exec->threads == 1 || blocks <= 1) {
        for (int b = 0; b < blocks; b++)
            fn(ctx, b * block, b + 1 < blocks ? (b + 1) * block : count, 0);
        return;
    }
#pragma omp parallel for schedule(dynamic) num_threads(exec->threads)
    for (int b = 0; b < blocks; b++)
        fn(ctx, b * block, b + 1 < blocks ? (b + 1) * block : count, omp_get_thread_num());
}

// Sums and maxima: a window of blocks at a time, so that the partial results fit on the stack.
enum { SUM_BLOCK = 2048, SUM_WINDOW = 512 };

typedef struct window {
    shoal_sum_fn fn;
    void*        ctx;
    int          first; // item the window starts at
    double       part[SUM_WINDOW];
} window;

static void sum_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    window* w                   = ctx;
    w->part[begin / SUM_BLOCK] = w->fn(w->ctx, w->first + begin, w->first + end);
}

static double fold(const shoal_exec* exec, int count, shoal_sum_fn fn, void* ctx, double start,
                   double (*join)(double, double)) {
    double total = start;
    window w     = {.fn = fn, .ctx = ctx};
    for (int first = 0; first < count; first += SUM_BLOCK * SUM_WINDOW) {
        int here = count - first < SUM_BLOCK * SUM_WINDOW ? count - first : SUM_BLOCK * SUM_WINDOW;
        w.first  = first;
        shoal_blocks(exec, here, SUM_BLOCK, sum_block, &w);
        for (int b = 0; b * SUM_BLOCK < here; b++) total = join(total, w.part[b]);
    }
    return total;
}

static double plus(double a, double b) { return a + b; }

double shoal_sum(const shoal_exec* exec, int count, shoal_sum_fn fn, void* ctx) {
    return fold(exec, count, fn, ctx, 0.0, plus);
}

double shoal_max(const shoal_exec* exec, int count, shoal_sum_fn fn, void* ctx) {
    return fold(exec, count, fn, ctx, (double)-INFINITY, fmax);
}
