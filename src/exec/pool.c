// SPDX-License-Identifier: MIT
// One pool for the process. Between the loops of a step workers spin for some microseconds, then sleep: on an idle
// machine the next loop starts at once, on a busy one the core is left to those who have work. (OpenMP runtimes
// choose one or the other by environment variables; spinning ones made a step 25 times slower beside a
// compiler run on 2 cores.) Nor does a loop wait for workers that have not begun when all is done, because something
// else has their core: it closes the gate, and those who come late find it closed.
#include "exec/pool.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#if defined(__x86_64__)
#define PAUSE() __builtin_ia32_pause()
#else
#define PAUSE() atomic_signal_fence(memory_order_seq_cst)
#endif

enum { SPINS = 2000 }; // about 30 us

// A number that one side changes and the other waits for.
typedef struct bell {
    _Alignas(64) atomic_uint number;
    atomic_bool     is_asleep;
    pthread_mutex_t mutex;
    pthread_cond_t  rung;
} bell;

#define BELL_AT_REST                                                                                                   \
    { .mutex = PTHREAD_MUTEX_INITIALIZER, .rung = PTHREAD_COND_INITIALIZER }

static void ring(bell* b) {
    atomic_fetch_add(&b->number, 1);
    if (!atomic_load(&b->is_asleep)) return;
    pthread_mutex_lock(&b->mutex);
    pthread_cond_signal(&b->rung);
    pthread_mutex_unlock(&b->mutex);
}

// Returns when the number differs from `seen`.
static void wait_for(bell* b, unsigned seen) {
    for (int k = 0; k < SPINS; k++) {
        if (atomic_load(&b->number) != seen) return;
        PAUSE();
    }
    pthread_mutex_lock(&b->mutex);
    atomic_store(&b->is_asleep, true);
    while (atomic_load(&b->number) == seen) pthread_cond_wait(&b->rung, &b->mutex);
    atomic_store(&b->is_asleep, false);
    pthread_mutex_unlock(&b->mutex);
}

static const unsigned OPEN = 1u << 31; // of the gate; the other bits count the workers inside

static struct {
    pthread_mutex_t in_use;  // one loop at a time
    int             started; // workers there are, numbered from 1
    int             others;  // of them, the first so many are meant
    void (*work)(void* ctx, int worker);
    void*       ctx;
    atomic_uint gate; // what is above changes only while it is closed and nobody is inside
    bell        done; // rung by the last who leaves after it was closed
    bell        begin[SHOAL_THREADS_MOST];
} pool = {.in_use = PTHREAD_MUTEX_INITIALIZER, .done = BELL_AT_REST};

static bool enter(void) {
    unsigned gate = atomic_load(&pool.gate);
    while (gate & OPEN)
        if (atomic_compare_exchange_weak(&pool.gate, &gate, gate + 1)) return true;
    return false;
}

static void leave(void) {
    if (atomic_fetch_sub(&pool.gate, 1) == 1) ring(&pool.done);
}

static void* worker_life(void* number) {
    int      worker = (int)(intptr_t)number;
    unsigned seen   = 0;
    for (;;) {
        wait_for(&pool.begin[worker], seen);
        seen = atomic_load(&pool.begin[worker].number); // a loop that was missed is over
        if (!enter()) continue;
        if (worker <= pool.others)
            pool.work(pool.ctx, worker); // called to an earlier loop, it may find one that is not for it
        leave();
    }
    return NULL;
}

// A child process has none of the threads: it begins anew.
static void begin_anew(void) {
    pthread_mutex_init(&pool.in_use, NULL);
    pool.started = 0;
    atomic_store(&pool.gate, 0);
}

static void start_workers(int wanted) {
    static bool is_prepared;
    if (!is_prepared) is_prepared = pthread_atfork(NULL, NULL, begin_anew) == 0;
    while (pool.started < wanted) {
        int  worker        = pool.started + 1;
        bell at_rest       = BELL_AT_REST;
        pool.begin[worker] = at_rest;
        pthread_t thread;
        if (pthread_create(&thread, NULL, worker_life, (void*)(intptr_t)worker) != 0) return;
        pthread_detach(thread);
        pool.started = worker;
    }
}

void shoal_pool_run(int threads, void (*work)(void* ctx, int worker), void* ctx) {
    if (threads <= 1 || pthread_mutex_trylock(&pool.in_use) != 0) {
        work(ctx, 0);
        return;
    }
    start_workers(threads - 1);
    pool.others   = threads - 1 < pool.started ? threads - 1 : pool.started;
    pool.work     = work;
    pool.ctx      = ctx;
    unsigned seen = atomic_load(&pool.done.number);
    atomic_store(&pool.gate, OPEN);
    for (int w = 1; w <= pool.others; w++) ring(&pool.begin[w]);
    work(ctx, 0);
    if (atomic_fetch_and(&pool.gate, ~OPEN) != OPEN) wait_for(&pool.done, seen);
    pthread_mutex_unlock(&pool.in_use);
}
