// SPDX-License-Identifier: MIT
// Threads. A loop is cut into fixed blocks, whatever the number of threads, so sums over blocks in block
// order give the same bits for any number of them. Only this folder knows of threads.
#ifndef SHOAL_EXEC_H
#define SHOAL_EXEC_H

#include "base/memory.h"

typedef struct shoal_exec {
    int                  threads;
    struct shoal_device* device; // where passes run (exec/device.h); NULL: here
} shoal_exec;

shoal_exec shoal_exec_make(int threads); // 0: all cores
int        shoal_exec_cores(void);

// Calls fn(ctx, begin, end, worker) for each block [begin, end) of [0, count); worker in [0, threads) names
// the thread, for scratch memory. fn must not fail and must write only what belongs to its block.
typedef void (*shoal_block_fn)(void* ctx, int begin, int end, int worker);
void shoal_blocks(const shoal_exec* exec, int count, int block, shoal_block_fn fn, void* ctx);

// Sum over fn's block results, in block order, in double.
typedef double (*shoal_sum_fn)(void* ctx, int begin, int end);
double shoal_sum(const shoal_exec* exec, int count, shoal_sum_fn fn, void* ctx);
double shoal_max(const shoal_exec* exec, int count, shoal_sum_fn fn, void* ctx); // -INFINITY when count is 0

// Several sums in one walk, each with the bits that shoal_sum gives it by itself: fn adds to sums[0..width).
enum { SHOAL_SUMS_MOST = 8 };
typedef void (*shoal_sums_fn)(void* ctx, int begin, int end, double* sums);
void shoal_sums(const shoal_exec* exec, int count, int width, shoal_sums_fn fn, void* ctx, double* totals);

// The first item that fn finds in any block, -1: none. Blocks after the first hit may or may not be searched.
typedef int (*shoal_first_fn)(void* ctx, int begin, int end); // -1: none here
int shoal_first(const shoal_exec* exec, int count, shoal_first_fn fn, void* ctx);

// Lays items out one after the other: total(ctx, begin, end) places are wanted by a block, and put(ctx, begin, end, at)
// hands them out from `at` on. Returns where the last ends; the first begins at `from`. Before any is handed
// out, `reserve(ctx, end)` makes space up to `end`, on the caller's thread; if it returns false nothing more is put.
typedef struct shoal_layout {
    size_t (*total)(void* ctx, int begin, int end);
    void (*put)(void* ctx, int begin, int end, size_t at);
    bool (*reserve)(void* ctx, size_t end); // NULL: there is enough
} shoal_layout;
size_t shoal_lay_out(const shoal_exec* exec, int count, shoal_layout layout, void* ctx, size_t from);

// Sorts by key, stable: order[k] is the index of the k-th smallest of keys[0..count). `bits`: keys are
// below 2^bits. `keys_sorted` receives the keys in order. `scratch`: shoal_sort_scratch(count) bytes.
size_t shoal_sort_scratch(int count);
void   shoal_sort_keys(const shoal_exec* exec, const uint64_t* keys, int count, int bits, int* order,
                       uint64_t* keys_sorted, void* scratch);

// The instruction sets the hot loops are compiled for. PLAIN is the readable version, the oracle of the others.
typedef enum shoal_isa_kind {
    SHOAL_ISA_PLAIN,
    SHOAL_ISA_GENERIC,
    SHOAL_ISA_SSE2,
    SHOAL_ISA_AVX2,
    SHOAL_ISA_AVX512,
    SHOAL_ISA_COUNT
} shoal_isa_kind;

// The wide sets of this build: kind, and what shoal_wide in CMake makes of a stem for it.
#if defined(__x86_64__)
#define SHOAL_ISA_SETS(X, stem)                                                                                        \
    X(SSE2, stem##_sse2)                                                                                               \
    X(AVX2, stem##_avx2)                                                                                               \
    X(AVX512, stem##_avx512)
#else
#define SHOAL_ISA_SETS(X, stem) X(GENERIC, stem##_generic)
#endif

shoal_isa_kind shoal_isa_best(void); // of this build on this machine; never PLAIN
const char*    shoal_isa_name(shoal_isa_kind kind);
// By name; fails with SHOAL_ERR_PARAM when unknown or not available here.
shoal_status shoal_isa_by_name(const char* name, shoal_isa_kind* out);

#endif
