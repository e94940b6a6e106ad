// SPDX-License-Identifier: MIT
// Passes that walk over neighbours, with the bits of the sixteen lanes of math/wide.h: four threads are a team, thread
// q has the lanes q, q + 4, q + 8, q + 12 (math/fold.h). A
// team takes four particles in turn, and then each thread finishes one, so that what comes after the sums uses all of
// them.
#ifndef SHOAL_TEAM_CUDA_H
#define SHOAL_TEAM_CUDA_H

#include "exec/tables_cuda.h"

extern "C" {
#include "grid/near.h"
#include "math/fold.h"
}

// Threads of a team, and the lanes that each of them has.
enum { TEAM = 4, TEAM_LANES = SHOAL_LANES / TEAM, TEAM_THREADS = 128 };

// As wide_rsqrt.
static __device__ __forceinline__ float team_rsqrt(float a) {
    float y = __uint_as_float(0x5f1ffff9u - (__float_as_uint(a) >> 1));
    y       = (y * 0.703952253f) * (2.38924456f - (a * y) * y);
    float e = ((a * 0.5f) * y) * y;
    return y * (1.5f - e);
}

static __device__ __forceinline__ float team_max(float a, float b) { return a > b ? a : b; }

// Displacement and distance of a neighbour, as `look` of the wide passes.
struct team_pair {
    float                      dx, dy, dz, companion, r2, inverse;
    __device__ __forceinline__ team_pair(const shoal_v4* place, float4 own, int j) {
        float4 q = *((const float4*)place + j);
        dx = own.x - q.x, dy = own.y - q.y, dz = own.z - q.z, companion = q.w;
        r2      = (dx * dx + dy * dy) + dz * dz;
        inverse = team_rsqrt(r2);
    }
};

// PASS has COUNT, the number of its sums; lists(v), whom it walks over; load(v, i), what it needs of the particle;
// add(v, j, pair, sums), which returns whether j is in the same spot; finish(v, i, sums), and plain(v, i) for particles
// of which one is. `pair` is where the first of three numbers is kept of this one, the others 16 and 32 on. With
// MORE lists, more(v) are walked over after those, by add_more(v, j, sums).
struct team_pass {
    enum { MORE = 0 };
};

template <class PASS, class VIEW>
static __device__ __forceinline__ int team_add(const VIEW& v, const PASS& pass, const shoal_near& near, int i, int q,
                                               float sums[TEAM_LANES][PASS::COUNT]) {
    int        n = near.count[i], is_met = 0;
    size_t     first = SHOAL_LANES * (size_t)near.start[i];
    const int* list  = near.index + first + q;
    for (int k = 0; k < n; k += SHOAL_LANES) {
#pragma unroll
        for (int m = 0; m < TEAM_LANES; m++)
            is_met |= pass.add(v, list[k + TEAM * m], 3 * (first + k) + (q + TEAM * m), sums[m]);
    }
    return is_met;
}

template <class PASS, class VIEW>
static __device__ __forceinline__ void team_add_more(const VIEW& v, const PASS& pass, const shoal_near& near, int i,
                                                     int q, float sums[TEAM_LANES][PASS::COUNT]) {
    int        n    = near.count[i];
    const int* list = near.index + SHOAL_LANES * (size_t)near.start[i] + q;
    for (int k = 0; k < n; k += SHOAL_LANES) {
#pragma unroll
        for (int m = 0; m < TEAM_LANES; m++) pass.add_more(v, list[k + TEAM * m], sums[m]);
    }
}

template <class PASS, class VIEW> static __device__ __forceinline__ void team_walk(const VIEW& v, int count) {
    int thread = blockIdx.x * TEAM_THREADS + threadIdx.x, q = thread % TEAM, first = thread - q;
    if (first >= count) return;
    unsigned mates = 0xfu << (threadIdx.x % 32 - q);
    float    mine[PASS::COUNT];
    bool     meets = false;
#pragma unroll 1
    for (int p = 0; p < TEAM && first + p < count; p++) {
        int   i = first + p;
        PASS  pass;
        float sums[TEAM_LANES][PASS::COUNT];
        pass.load(v, i);
#pragma unroll
        for (int m = 0; m < TEAM_LANES; m++)
#pragma unroll
            for (int s = 0; s < PASS::COUNT; s++) sums[m][s] = 0.0f;
        int is_met = __any_sync(mates, team_add(v, pass, PASS::lists(v), i, q, sums));
        if constexpr (PASS::MORE) team_add_more(v, pass, PASS::more(v), i, q, sums);
#pragma unroll
        for (int s = 0; s < PASS::COUNT; s++) {
            float own[TEAM_LANES];
#pragma unroll
            for (int m = 0; m < TEAM_LANES; m++) own[m] = sums[m][s];
            float sum = shoal_fold_lanes(own, TEAM_LANES);
#pragma unroll
            for (int step = TEAM / 2; step > 0; step /= 2) sum += __shfl_xor_sync(mates, sum, step);
            if (q == p) mine[s] = sum;
        }
        if (q == p) meets = is_met;
    }
    if (thread >= count) return;
    if (meets)
        PASS::plain(v, thread);
    else
        PASS::finish(v, thread, mine);
}

static inline int team_blocks(int count) { return (count + TEAM_THREADS - 1) / TEAM_THREADS; }

#endif
