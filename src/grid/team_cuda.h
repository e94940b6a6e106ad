// SPDX-License-Identifier: MIT
// Passes that walk over neighbours, with the bits of the sixteen lanes of math/wide.h: four threads are a team, thread
// q has the lanes q, q + 4, q + 8, q + 12 (math/fold.h). A
// team takes four particles in turn, and then each thread finishes one, so that what comes after the sums uses all of
// them.
#ifndef SHOAL_TEAM_CUDA_H
#define SHOAL_TEAM_CUDA_H

#include "exec/tables_cuda.h"
#include "math/num.h"

extern "C" {
#include "grid/near.h"
#include "math/fold.h"
}

// Threads of a team, and the lanes that each of them has.
enum { TEAM = 4, TEAM_LANES = SHOAL_LANES / TEAM, TEAM_THREADS = 128 };
static_assert(TEAM == 4 && TEAM_LANES == 4, "lists are woven four by four");

// Three whole numbers that are kept of a pair.
struct team_slope {
    int16_t axis[3];
};

// PASS has COUNT, the number of its sums; lists(v), the lists it walks over; load(v, i), what it needs of the particle;
// fetch(v, j), what it needs of a neighbour, `seen`, on its way for all lanes of a thread before the first is added;
// add(v, j, seen, slope, sums), which returns whether j is in the same spot; finish(v, i, sums), and plain(v, i) for
// particles of which one is. Slopes are those that were KEPT for it, or those that it leaves, at slopes(v). With MORE
// lists, more(v) are walked over after those, by add_more(v, j, sums).
enum { TEAM_NO_SLOPES, TEAM_STORED, TEAM_LEFT };
struct team_pass {
    enum { MORE = 0, SLOPES = TEAM_NO_SLOPES };
    typedef num4 seen;
};

// Lists are woven (grid/near.h): the lanes of a thread lie side by side.
template <class PASS, class VIEW>
static __device__ __forceinline__ int team_add(const VIEW& v, const PASS& pass, const shoal_near& near, int i, int q,
                                               float sums[TEAM_LANES][PASS::COUNT]) {
    int         n = near.count[i], is_met = 0;
    size_t      first = SHOAL_LANES * (size_t)near.start[i];
    const int4* list  = (const int4*)(near.index + first) + q;
    for (int k = 0; k < n; k += SHOAL_LANES) {
        int4                four            = list[k / TEAM_LANES];
        int                 j[TEAM_LANES]   = {four.x, four.y, four.z, four.w};
        team_slope          own[TEAM_LANES] = {};
        typename PASS::seen seen[TEAM_LANES];
#pragma unroll
        for (int m = 0; m < TEAM_LANES; m++) seen[m] = PASS::fetch(v, j[m]);
        short4* stored = NULL;
        if constexpr (PASS::SLOPES != TEAM_NO_SLOPES) stored = (short4*)(PASS::slopes(v) + 3 * (first + k)) + q;
        if constexpr (PASS::SLOPES == TEAM_STORED) {
            short4 x = stored[0], y = stored[TEAM], z = stored[2 * TEAM];
            own[0] = {x.x, y.x, z.x}, own[1] = {x.y, y.y, z.y}, own[2] = {x.z, y.z, z.z}, own[3] = {x.w, y.w, z.w};
        }
#pragma unroll
        for (int m = 0; m < TEAM_LANES; m++) is_met |= pass.add(v, j[m], seen[m], own[m], sums[m]);
        if constexpr (PASS::SLOPES == TEAM_LEFT) {
#pragma unroll
            for (int c = 0; c < 3; c++)
                stored[c * TEAM] = make_short4(own[0].axis[c], own[1].axis[c], own[2].axis[c], own[3].axis[c]);
        }
    }
    return is_met;
}

template <class PASS, class VIEW>
static __device__ __forceinline__ void team_add_more(const VIEW& v, const PASS& pass, const shoal_near& near, int i,
                                                     int q, float sums[TEAM_LANES][PASS::COUNT]) {
    int         n    = near.count[i];
    const int4* list = (const int4*)(near.index + SHOAL_LANES * (size_t)near.start[i]) + q;
    for (int k = 0; k < n; k += SHOAL_LANES) {
        int4 four          = list[k / TEAM_LANES];
        int  j[TEAM_LANES] = {four.x, four.y, four.z, four.w};
#pragma unroll
        for (int m = 0; m < TEAM_LANES; m++) pass.add_more(v, j[m], sums[m]);
    }
}

template <class PASS, class VIEW> static __device__ __forceinline__ void team_walk(const VIEW& v, int count) {
    int thread = blockIdx.x * TEAM_THREADS + threadIdx.x, q = thread % TEAM, first = thread - q;
    cuda_begin(false);
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
