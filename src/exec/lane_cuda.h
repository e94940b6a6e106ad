// SPDX-License-Identifier: MIT
// The sixteen lanes of math/wide.h as threads of a card: a `wide` is the float of one of them, half a warp is all of
// them, and what is written on `wide` runs there with the same operations in the same order. Loads and stores take the
// thread's own of sixteen in a row; all sixteen must come along to wide_less.
#ifndef SHOAL_LANE_CUDA_H
#define SHOAL_LANE_CUDA_H

#include <cuda_runtime.h>

extern "C" {
#include "math/lanes.h"
#include "math/vec.h"
}
#include "math/num.h"

typedef float wide;
#define WIDE_FN static __device__ __forceinline__

static_assert(SHOAL_LANES == 16, "half a warp");
WIDE_FN int      wide_lane() { return threadIdx.x % SHOAL_LANES; }
WIDE_FN unsigned wide_mates() { return 0xffffu << (threadIdx.x & 16u); }

WIDE_FN wide     wide_set(float a) { return a; }
WIDE_FN wide     wide_load(const float* from) { return from[wide_lane()]; }
WIDE_FN void     wide_store(float* to, wide a) { to[wide_lane()] = a; }
WIDE_FN wide     wide_add(wide a, wide b) { return a + b; }
WIDE_FN wide     wide_sub(wide a, wide b) { return a - b; }
WIDE_FN wide     wide_mul(wide a, wide b) { return a * b; }
WIDE_FN wide     wide_max(wide a, wide b) { return a > b ? a : b; }
WIDE_FN unsigned wide_less(wide a, wide b) {
    return __ballot_sync(wide_mates(), a < b) >> (threadIdx.x & 16u) & 0xffffu;
}
WIDE_FN void wide_gather4(const shoal_v4* from, const int* index, wide* x, wide* y, wide* z, wide* w) {
    float4 own = ((const float4*)from)[index[wide_lane()]];
    *x = own.x, *y = own.y, *z = own.z, *w = own.w;
}
WIDE_FN void wide_scatter4(shoal_v4* to, const int* index, wide x, wide y, wide z, wide w) {
    ((float4*)to)[index[wide_lane()]] = make_float4(x, y, z, w);
}
WIDE_FN wide wide_rsqrt(wide a) { return num_rsqrt(a); }

#endif
