// SPDX-License-Identifier: MIT
// Fixed blocks on the threads of the pool. Which thread takes which block is left to chance; what a block writes is
// not.
#include "exec/exec.h"

#include <math.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include "exec/pool.h"

// Cores this process may use.
int shoal_exec_cores(void) {
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
#if defined(__linux__)
    cpu_set_t allowed;
    if (sched_getaffinity(0, sizeof allowed, &allowed) == 0) cores = CPU_COUNT(&allowed);
#endif
    return cores < 1 ? 1 : cores > SHOAL_THREADS_MOST ? SHOAL_THREADS_MOST : (int)cores;
}

shoal_exec shoal_exec_make(int threads) {
    shoal_exec exec = {.threads = threads > SHOAL_THREADS_MOST ? SHOAL_THREADS_MOST
                                  : threads > 0                ? threads
                                                               : shoal_exec_cores()};
    return exec;
}

typedef struct loop {
    shoal_block_fn fn;
    void*          ctx;
    int            count, block, blocks;
    atomic_int     next; // block to be taken
} loop;

static void take_blocks(void* ctx, int worker) {
    loop* l = ctx;
    for (;;) {
        int b = atomic_fetch_add(&l->next, 1);
        if (b >= l->blocks) return;
        l->fn(l->ctx, b * l->block, b + 1 < l->blocks ? (b + 1) * l->block : l->count, worker);
    }
}

void shoal_blocks(const shoal_exec* exec, int count, int block, shoal_block_fn fn, void* ctx) {
    SHOAL_ASSERT(block > 0);
    loop l   = {.fn = fn, .ctx = ctx, .count = count, .block = block};
    l.blocks = count / block + (count % block != 0);
    shoal_pool_run(exec->threads < l.blocks ? exec->threads : l.blocks, take_blocks, &l);
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
    window* w                  = ctx;
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

typedef struct sums_window {
    shoal_sums_fn fn;
    void*         ctx;
    int           first; // item the window starts at
    double        part[SUM_WINDOW / SHOAL_SUMS_MOST][SHOAL_SUMS_MOST];
} sums_window;

static void sums_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    sums_window* w = ctx;
    w->fn(w->ctx, w->first + begin, w->first + end, w->part[begin / SUM_BLOCK]);
}

void shoal_sums(const shoal_exec* exec, int count, int width, shoal_sums_fn fn, void* ctx, double* totals) {
    enum { ITEMS = SUM_BLOCK * (SUM_WINDOW / SHOAL_SUMS_MOST) };
    sums_window w = {.fn = fn, .ctx = ctx};
    SHOAL_ASSERT(width <= SHOAL_SUMS_MOST);
    for (int k = 0; k < width; k++) totals[k] = 0.0;
    for (int first = 0; first < count; first += ITEMS) {
        int here = count - first < ITEMS ? count - first : ITEMS;
        w.first  = first;
        memset(w.part, 0, sizeof w.part);
        shoal_blocks(exec, here, SUM_BLOCK, sums_block, &w);
        for (int b = 0; b * SUM_BLOCK < here; b++)
            for (int k = 0; k < width; k++) totals[k] += w.part[b][k];
    }
}

// --- the first of all

typedef struct search_job {
    shoal_first_fn fn;
    void*          ctx;
    atomic_int     first; // found so far
} search_job;

static void search_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    search_job* s = ctx;
    if (atomic_load(&s->first) < begin) return;
    int found = s->fn(s->ctx, begin, end), first = atomic_load(&s->first);
    while (found >= 0 && found < first && !atomic_compare_exchange_weak(&s->first, &first, found)) {
    }
}

int shoal_first(const shoal_exec* exec, int count, shoal_first_fn fn, void* ctx) {
    search_job s = {.fn = fn, .ctx = ctx, .first = count};
    shoal_blocks(exec, count, SUM_BLOCK, search_block, &s);
    int first = atomic_load(&s.first);
    return first < count ? first : -1;
}

// --- one after the other

typedef struct layout_job {
    shoal_layout layout;
    void*        ctx;
    int          first; // item the window starts at
    size_t       at[SUM_WINDOW];
} layout_job;

static void total_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    layout_job* l            = ctx;
    l->at[begin / SUM_BLOCK] = l->layout.total(l->ctx, l->first + begin, l->first + end);
}

static void put_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    layout_job* l = ctx;
    l->layout.put(l->ctx, l->first + begin, l->first + end, l->at[begin / SUM_BLOCK]);
}

size_t shoal_lay_out(const shoal_exec* exec, int count, shoal_layout layout, void* ctx, size_t from) {
    layout_job l = {.layout = layout, .ctx = ctx};
    for (int first = 0; first < count; first += SUM_BLOCK * SUM_WINDOW) {
        int here = count - first < SUM_BLOCK * SUM_WINDOW ? count - first : SUM_BLOCK * SUM_WINDOW;
        l.first  = first;
        shoal_blocks(exec, here, SUM_BLOCK, total_block, &l);
        for (int b = 0; b * SUM_BLOCK < here; b++) {
            size_t wanted = l.at[b];
            l.at[b]       = from;
            from += wanted;
        }
        if (layout.reserve && !layout.reserve(ctx, from)) return from;
        shoal_blocks(exec, here, SUM_BLOCK, put_block, &l);
    }
    return from;
}
