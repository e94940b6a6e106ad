// SPDX-License-Identifier: MIT
// Threads that wait for work; inside of exec/ only.
#ifndef SHOAL_POOL_H
#define SHOAL_POOL_H

// Calls work(ctx, worker) on `threads` threads at once, worker = 0 being the caller, and returns when all are
// done. Fewer threads take part when the system gives no more, or when another loop has the pool: work must
// be right for any number.
void shoal_pool_run(int threads, void (*work)(void* ctx, int worker), void* ctx);

enum { SHOAL_THREADS_MOST = 1024 };

#endif
