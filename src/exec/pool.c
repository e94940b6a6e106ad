// SPDX-License-Identifier: MIT
// One pool for the process. Between the loops of a step workers spin for some microseconds, then sleep: on an idle
// machine the next loop starts at once, on a busy one the core is left to threads that have work. (OpenMP runtimes
// choose one or the other by environment variables; spinning ones made a step 25 times slower beside a
// compiler run on 2 cores.) Nor does a loop wait for workers that have not begun when all is done, because something
// else has their core: it closes the latch, and threads that come late find it closed.
//
// Clients, threads that run loops, share the workers: while two of them are at it, each loop has half of the threads.
// On two cores each then runs by itself, and no loop waits for a worker whose core the other client has.
#include "exec/pool.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "exec/exec.h"

#if defined(__x86_64__)
#define PAUSE() __builtin_ia32_pause()
#else
#define PAUSE() atomic_signal_fence(memory_order_seq_cst)
#endif

enum { SPINS = 2000 }; // about 30 us

// A number that one side changes and the other waits for.
typedef struct event {
    _Alignas(64) atomic_uint number;
    atomic_bool     is_asleep;
    pthread_mutex_t mutex;
    pthread_cond_t  signalled;
} event;

#define EVENT_AT_REST                                                                                                  \
    { .mutex = PTHREAD_MUTEX_INITIALIZER, .signalled = PTHREAD_COND_INITIALIZER }

static void signal_event(event* b) {
    atomic_fetch_add(&b->number, 1);
    if (!atomic_load(&b->is_asleep)) return;
    pthread_mutex_lock(&b->mutex);
    pthread_cond_signal(&b->signalled);
    pthread_mutex_unlock(&b->mutex);
}

// Returns when the number differs from `seen`.
static void wait_for(event* b, unsigned seen) {
    for (int k = 0; k < SPINS; k++) {
        if (atomic_load(&b->number) != seen) return;
        PAUSE();
    }
    pthread_mutex_lock(&b->mutex);
    atomic_store(&b->is_asleep, true);
    while (atomic_load(&b->number) == seen) pthread_cond_wait(&b->signalled, &b->mutex);
    atomic_store(&b->is_asleep, false);
    pthread_mutex_unlock(&b->mutex);
}

static const unsigned OPEN = 1u << 31; // of the latch; the other bits count the workers inside

enum { SEATS = 16 }; // clients at a time; more run alone

// A client counts as one for so long after its last loop, ns: between two loops of a step it has something else to do.
static const int64_t timeout = 2000000;

// Where a client runs its loops. A seat is held by one thread; another may take the seat when its timeout is over.
typedef struct seat {
    _Alignas(64) atomic_bool is_busy; // a loop runs
    atomic_uintptr_t client;          // the client: the place of something of its own
    atomic_llong     until;           // its timeout, ns
    void (*work)(void* ctx, int worker);
    void*       ctx;
    atomic_uint latch; // the members above change only while it is closed and no worker is inside
    event       done;  // signalled by the last worker that leaves after it was closed
} seat;

static struct {
    pthread_mutex_t starting;
    atomic_int      started;                       // workers there are, numbered from 1
    atomic_int      called_to[SHOAL_THREADS_MOST]; // the seat that a worker is called to, from 1; 0: it is free
    int             number[SHOAL_THREADS_MOST];    // that it has in the loop there
    event           begin[SHOAL_THREADS_MOST];
    seat            seats[SEATS];
} pool = {.starting = PTHREAD_MUTEX_INITIALIZER};

static _Thread_local bool is_in_loop; // of the pool: a loop within runs on its own thread
static _Thread_local char myself;     // has a place of its own in each thread

static bool enter(seat* s) {
    unsigned latch = atomic_load(&s->latch);
    while (latch & OPEN)
        if (atomic_compare_exchange_weak(&s->latch, &latch, latch + 1)) return true;
    return false;
}

static void leave(seat* s) {
    if (atomic_fetch_sub(&s->latch, 1) == 1) signal_event(&s->done);
}

static void* worker_life(void* number) {
    int      worker = (int)(intptr_t)number;
    unsigned seen   = 0;
    is_in_loop      = true;
    for (;;) {
        wait_for(&pool.begin[worker], seen);
        seen   = atomic_load(&pool.begin[worker].number); // a loop that was missed is over
        int at = atomic_load(&pool.called_to[worker]);
        if (at == 0) continue;
        seat* s = &pool.seats[at - 1];
        if (!enter(s)) continue;
        // called to an earlier loop, it may find one that is not for it; workers are called before the latch
        // opens
        if (atomic_load(&pool.called_to[worker]) == at) s->work(s->ctx, pool.number[worker]);
        leave(s);
    }
    return NULL;
}

// A child process has none of the threads: it begins anew.
static void begin_anew(void) {
    pthread_mutex_init(&pool.starting, NULL);
    for (int w = 0; w < SHOAL_THREADS_MOST; w++) atomic_store(&pool.called_to[w], 0);
    atomic_store(&pool.started, 0);
    for (int k = 0; k < SEATS; k++) {
        atomic_store(&pool.seats[k].latch, 0);
        atomic_store(&pool.seats[k].is_busy, false);
        atomic_store(&pool.seats[k].client, 0);
        atomic_store(&pool.seats[k].until, 0);
    }
}

// How many there are; as many as wanted, if the system gives them.
static int start_workers(int wanted) {
    static bool is_prepared;
    if (atomic_load(&pool.started) >= wanted) return atomic_load(&pool.started);
    pthread_mutex_lock(&pool.starting);
    if (!is_prepared) is_prepared = pthread_atfork(NULL, NULL, begin_anew) == 0;
    while (atomic_load(&pool.started) < wanted) {
        int   worker       = atomic_load(&pool.started) + 1;
        event at_rest      = EVENT_AT_REST;
        pool.begin[worker] = at_rest;
        pthread_t thread;
        if (pthread_create(&thread, NULL, worker_life, (void*)(intptr_t)worker) != 0) break;
        pthread_detach(thread);
        atomic_store(&pool.started, worker);
    }
    int started = atomic_load(&pool.started);
    pthread_mutex_unlock(&pool.starting);
    return started;
}

static int64_t now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

// The seat of the caller, or one that is free, taken: is_busy. NULL: all are taken.
static seat* take_seat(int64_t time) {
    uintptr_t me = (uintptr_t)&myself;
    for (int pass = 0; pass < 2; pass++) // its own first
        for (int k = 0; k < SEATS; k++) {
            seat*     s       = &pool.seats[k];
            uintptr_t client  = atomic_load(&s->client);
            bool      is_mine = client == me, is_free = client == 0 || atomic_load(&s->until) < time, is_busy = false;
            if (pass == 0 ? !is_mine : !is_free) continue;
            if (!atomic_compare_exchange_strong(&s->is_busy, &is_busy, true)) continue;
            if (atomic_load(&s->client) != client) { // another has come between
                atomic_store(&s->is_busy, false);
                continue;
            }
            if (client == 0) {
                event at_rest = EVENT_AT_REST;
                s->done       = at_rest;
            }
            atomic_store(&s->client, me);
            return s;
        }
    return NULL;
}

// Of the threads that there are cores for, or that are asked for, with the other clients there are; what is left over
// goes to the first of them.
static int threads_for(const seat* own, int threads, int64_t time) {
    static atomic_int cores;
    int               clients = 1, before = 0;
    if (atomic_load(&cores) == 0) atomic_store(&cores, shoal_exec_cores());
    for (int k = 0; k < SEATS; k++) {
        const seat* s = &pool.seats[k];
        if (s == own || (!atomic_load(&s->is_busy) && atomic_load(&s->until) < time)) continue;
        clients++;
        before += !own || s < own;
    }
    int all = threads > atomic_load(&cores) ? threads : atomic_load(&cores), share = all / clients;
    share += before < all % clients;
    return share < 1 ? 1 : share < threads ? share : threads;
}

// Calls up to `wanted` free workers to a seat, and gives their number.
static int call_workers(int at, int wanted, int started, int* called) {
    int count = 0;
    for (int w = 1; w <= started && count < wanted; w++) {
        int is_free = 0;
        if (!atomic_compare_exchange_strong(&pool.called_to[w], &is_free, at)) continue;
        called[count++] = w;
        pool.number[w]  = count;
    }
    return count;
}

static void run_with(seat* s, int helpers, void (*work)(void* ctx, int worker), void* ctx) {
    int called[SHOAL_THREADS_MOST];
    int count     = call_workers((int)(s - pool.seats) + 1, helpers, start_workers(helpers), called);
    s->work       = work;
    s->ctx        = ctx;
    unsigned seen = atomic_load(&s->done.number);
    atomic_store(&s->latch, OPEN);
    for (int k = 0; k < count; k++) signal_event(&pool.begin[called[k]]);
    work(ctx, 0);
    if (atomic_fetch_and(&s->latch, ~OPEN) != OPEN) wait_for(&s->done, seen);
    for (int k = 0; k < count; k++) atomic_store(&pool.called_to[called[k]], 0);
}

int shoal_pool_seats(int threads) {
    const seat* own = NULL;
    for (int k = 0; k < SEATS; k++)
        if (atomic_load(&pool.seats[k].client) == (uintptr_t)&myself) own = &pool.seats[k];
    return threads_for(own, threads, now());
}

void shoal_pool_run(int threads, void (*work)(void* ctx, int worker), void* ctx) {
    int64_t time = threads > 1 && !is_in_loop ? now() : 0;
    seat*   s    = time != 0 ? take_seat(time) : NULL;
    if (!s) {
        work(ctx, 0);
        return;
    }
    int share  = threads_for(s, threads, time);
    is_in_loop = true;
    if (share > 1)
        run_with(s, share - 1, work, ctx);
    else
        work(ctx, 0);
    is_in_loop = false;
    atomic_store(&s->until, now() + timeout);
    atomic_store(&s->is_busy, false);
}
