// SPDX-License-Identifier: MIT
// Threads that wait for work; inside of exec/ only.
#ifndef SHOAL_POOL_H
#define SHOAL_POOL_H

// Calls work(ctx, worker) on at most `threads` threads at once, worker = 0 being the caller, and returns when the
// caller and all that have begun are done. Fewer take part when the system gives no more, when other clients have
// theirs, in a loop within a loop, or when the caller is done before they begin: `work` must be correct for any number
// of threads; when the caller's own call returns, all work must be done or taken by another thread.
void shoal_pool_run(int threads, void (*work)(void* ctx, int worker), void* ctx);

// The threads that a loop of the calling thread has now, of those it asks for.
int shoal_pool_seats(int threads);

enum { SHOAL_THREADS_MOST = 1024 };

#endif
