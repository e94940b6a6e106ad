// SPDX-License-Identifier: MIT
// Pictures as kernels. What covers a box of pixels is drawn by eight threads; what covers many by all of a block, one
// after the other.
#include "exec/tables_cuda.h"

extern "C" {
#include "screen/screen_view_pass.h"
}

enum { DRAW_THREADS = 256, DRAW_TEAM = 8, DRAW_LARGE = 2048 }; // pixels

static __device__ __forceinline__ int pixels_of(screen_box b) {
    return b.right < b.left || b.bottom < b.top ? 0 : (b.right - b.left + 1) * (b.bottom - b.top + 1);
}

#define X(name, type, item_of, box)                                                                                    \
    static __device__ __forceinline__ void name##_fraction(const screen_view* v, const type* item, int first, int step) { \
        screen_box b    = item->box;                                                                                   \
        int        wide = b.right - b.left + 1, all = pixels_of(b);                                                    \
        for (int k = first; k < all; k += step) screen_##name##_at(v, item, b.left + k % wide, b.top + k / wide);      \
    }                                                                                                                  \
    static __global__ void __launch_bounds__(DRAW_THREADS)                                                             \
        name##_kernel(const __grid_constant__ screen_view v, int count) {                                              \
        __shared__ int large[DRAW_THREADS / DRAW_TEAM], large_count;                                                   \
        int            i = (blockIdx.x * DRAW_THREADS + threadIdx.x) / DRAW_TEAM, own = threadIdx.x % DRAW_TEAM;       \
        if (threadIdx.x == 0) large_count = 0;                                                                         \
        __syncthreads();                                                                                               \
        if (i < count) {                                                                                               \
            type item = item_of(&v, i);                                                                                \
            if (pixels_of(item.box) <= DRAW_LARGE)                                                                     \
                name##_fraction(&v, &item, own, DRAW_TEAM);                                                               \
            else if (own == 0)                                                                                         \
                large[atomicAdd(&large_count, 1)] = i;                                                                 \
        }                                                                                                              \
        __syncthreads();                                                                                               \
        for (int k = 0; k < large_count; k++) {                                                                        \
            type item = item_of(&v, large[k]);                                                                         \
            name##_fraction(&v, &item, threadIdx.x, DRAW_THREADS);                                                        \
        }                                                                                                              \
    }                                                                                                                  \
    static void screen_##name(const void* view, int count, cudaStream_t queue) {                                       \
        name##_kernel<<<(count + DRAW_THREADS / DRAW_TEAM - 1) / (DRAW_THREADS / DRAW_TEAM), DRAW_THREADS, 0, queue>>>( \
            *(const screen_view*)view, count);                                                                         \
    }
SCREEN_DRAWINGS(X)
#undef X

#define TABLE screen
#define TABLE_VIEW screen_view
#define TABLE_ONE(name) screen_##name
#define TABLE_PASSES SCREEN_ITEM_PASSES
#define TABLE_ALL SCREEN_PASSES
#define TABLE_FOLDS SCREEN_FOLDS
#include "exec/table_cuda.h"
