// SPDX-License-Identifier: MIT
// Tables of passes as kernels: what a *_cuda.cu file gives to the plugin.
#ifndef SHOAL_TABLES_CUDA_H
#define SHOAL_TABLES_CUDA_H

#include <cuda_runtime.h>

extern "C" {
#include "exec/device.h"
}

enum { CUDA_SUM_BLOCK = 2048 }; // items of one part of a sum, as in exec.c

typedef void (*cuda_launch)(const void* view, int count, cudaStream_t queue);
typedef void (*cuda_parts)(const void* view, int count, double* parts, cudaStream_t queue);

enum cuda_join { CUDA_SUM, CUDA_MOST, CUDA_FIRST };
struct cuda_fold {
    cuda_parts parts; // one for each CUDA_SUM_BLOCK items
    cuda_join  join;
};

// All folds of a table in one kernel; those of fold f go to parts[f * stride].
typedef void (*cuda_survey)(const void* view, int count, unsigned wanted, double* parts, int stride,
                            cudaStream_t queue);

struct cuda_table {
    const char*        name;
    size_t             view_size;
    const cuda_launch* passes;
    const cuda_fold*   folds;
    int                fold_count;
    cuda_survey        survey; // NULL: one by one
};

// Names and words of a table (exec/table_cuda.h).
#define CUDA_NAME_(table, name) table##_##name
#define CUDA_NAME(table, name) CUDA_NAME_(table, name)
#define CUDA_TEXT_(name) #name
#define CUDA_TEXT(name) CUDA_TEXT_(name)

// What is in a table of folds.
#define CUDA_COUNT(list) (int)(sizeof(list) / sizeof *(list))

shoal_status cuda_device_open(const cuda_table* const* tables, int abi, int number, shoal_device** out, char* why,
                              size_t size);

// A kernel that is started by cuda_start may come to the processors while the one ahead of it in the queue is not
// through. It waits in cuda_begin, which all of its threads call ahead of anything they read or write; so its launch
// takes no time. One that `is_short` lets the next come as soon as all of its own blocks are there; beside a long one
// threads that wait would be in the way.
static __device__ __forceinline__ void cuda_begin(bool is_short) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    if (is_short) cudaTriggerProgrammaticLaunchCompletion();
    cudaGridDependencySynchronize();
#else
    (void)is_short;
#endif
}

// Whether all cards that are open run code that waits so: what is translated from that of older cards does not.
extern bool cuda_overlaps;

template <class... PARAMS, class... ARGS>
static void cuda_start(void (*kernel)(PARAMS...), int blocks, int threads, cudaStream_t queue, const ARGS&... args) {
    cudaLaunchAttribute early                        = {};
    cudaLaunchConfig_t  config                       = {};
    early.id                                         = cudaLaunchAttributeProgrammaticStreamSerialization;
    early.val.programmaticStreamSerializationAllowed = 1;
    config.gridDim                                   = dim3((unsigned)blocks);
    config.blockDim                                  = dim3((unsigned)threads);
    config.stream                                    = queue;
    config.attrs                                     = &early;
    config.numAttrs                                  = cuda_overlaps ? 1 : 0;
    cudaLaunchKernelEx(&config, kernel, (PARAMS)args...);
}

// One thread for each item.
#define CUDA_PASS(name, view_type, one) CUDA_PASS_(name, view_type, one)
#define CUDA_PASS_(name, view_type, one)                                                                               \
    static __global__ void __launch_bounds__(256) name##_kernel(const __grid_constant__ view_type v, int count) {      \
        int i = blockIdx.x * blockDim.x + threadIdx.x;                                                                 \
        cuda_begin(true);                                                                                              \
        if (i < count) one(&v, i);                                                                                     \
    }                                                                                                                  \
    static void name(const void* view, int count, cudaStream_t queue) {                                                \
        cuda_start(name##_kernel, (count + 255) / 256, 256, queue, *(const view_type*)view, count);                    \
    }

// Sums are added one after the other within a part, so that they have the bits of the CPU: a warp asks CUDA_BATCH items
// at once, and its first thread adds them. They are launched when all is through: started early they took 40 us more.
enum { CUDA_BATCH = 256 };
#define CUDA_SUM(name, view_type, one) CUDA_SUM_(name, view_type, one)
#define CUDA_SUM_(name, view_type, one)                                                                                \
    static __global__ void __launch_bounds__(64)                                                                       \
        name##_kernel(const __grid_constant__ view_type v, int count, double* parts) {                                 \
        __shared__ double values[2][CUDA_BATCH];                                                                       \
        int               warp = threadIdx.x / 32, lane = threadIdx.x % 32, part = blockIdx.x * 2 + warp;              \
        int begin = part * CUDA_SUM_BLOCK, end = count - begin < CUDA_SUM_BLOCK ? count : begin + CUDA_SUM_BLOCK;      \
        if (begin >= count) return;                                                                                    \
        double sum = 0.0;                                                                                              \
        for (int from = begin; from < end; from += CUDA_BATCH) {                                                       \
            for (int k = lane; k < CUDA_BATCH; k += 32)                                                                \
                if (from + k < end) values[warp][k] = one(&v, from + k);                                               \
            __syncwarp();                                                                                              \
            if (lane == 0) sum = cuda_add_up(sum, values[warp], end - from);                                           \
            __syncwarp();                                                                                              \
        }                                                                                                              \
        if (lane == 0) parts[part] = sum;                                                                              \
    }                                                                                                                  \
    static void name(const void* view, int count, double* parts, cudaStream_t queue) {                                 \
        int blocks = (count + 2 * CUDA_SUM_BLOCK - 1) / (2 * CUDA_SUM_BLOCK);                                          \
        name##_kernel<<<blocks, 64, 0, queue>>>(*(const view_type*)view, count, parts);                                \
    }

// The values of a batch, of which `left` are there, one after the other.
static __device__ __forceinline__ double cuda_add_up(double sum, const double* values, int left) {
    if (left >= CUDA_BATCH) {
#pragma unroll 32
        for (int k = 0; k < CUDA_BATCH; k++) sum += values[k];
    } else {
        for (int k = 0; k < left; k++) sum += values[k];
    }
    return sum;
}

// Maxima, and the first item of which something holds (as a number, or one above all), do not depend on the order.
#define CUDA_EXTREME(name, view_type, start, value, better)                                                            \
    static __global__ void __launch_bounds__(256)                                                                      \
        name##_kernel(const __grid_constant__ view_type v, int count, double* parts) {                                 \
        __shared__ double best_of[256];                                                                                \
        int               begin = blockIdx.x * CUDA_SUM_BLOCK;                                                         \
        double            best  = start;                                                                               \
        cuda_begin(false);                                                                                             \
        for (int i = begin + threadIdx.x; i < begin + CUDA_SUM_BLOCK && i < count; i += 256) {                         \
            double now = value;                                                                                        \
            best       = better(best, now);                                                                            \
        }                                                                                                              \
        best_of[threadIdx.x] = best;                                                                                   \
        __syncthreads();                                                                                               \
        for (int half = 128; half > 0; half /= 2) {                                                                    \
            if (threadIdx.x < half) best_of[threadIdx.x] = better(best_of[threadIdx.x], best_of[threadIdx.x + half]);  \
            __syncthreads();                                                                                           \
        }                                                                                                              \
        if (threadIdx.x == 0) parts[blockIdx.x] = best_of[0];                                                          \
    }                                                                                                                  \
    static void name(const void* view, int count, double* parts, cudaStream_t queue) {                                 \
        cuda_start(name##_kernel, (count + CUDA_SUM_BLOCK - 1) / CUDA_SUM_BLOCK, 256, queue, *(const view_type*)view,  \
                   count, parts);                                                                                      \
    }
static __device__ __forceinline__ double cuda_plus(double a, double b) { return a + b; }
// A sum of whole numbers, which is exact in any order.
#define CUDA_WHOLE_SUM(name, view_type, one) CUDA_EXTREME(name, view_type, 0.0, one(&v, i), cuda_plus)
#define CUDA_MOST(name, view_type, one) CUDA_EXTREME(name, view_type, -INFINITY, one(&v, i), fmax)
#define CUDA_FIRST(name, view_type, one) CUDA_EXTREME(name, view_type, 1e300, (one(&v, i) ? (double)i : 1e300), fmin)

// As lists of folds name them.
#define CUDA_FOLD_FIRST CUDA_FIRST
#define CUDA_FOLD_MOST CUDA_MOST
#define CUDA_FOLD_SUM CUDA_WHOLE_SUM

#endif
