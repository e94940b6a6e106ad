// SPDX-License-Identifier: MIT
// The passes of grains as kernels. The contacts are those of grains_wide_pass.h, with a thread for each lane: half a warp is a
// team, and 128 threads a block of grains.
#include "exec/lane_cuda.h"
#include "exec/tables_cuda.h"

extern "C" {
#include "solvers/grains/grains_passes.h"
#include "solvers/grains/grains_wide_pass.h"
}

static int grain_blocks(int count) { return (count + GRAINS_BLOCK - 1) / GRAINS_BLOCK; }

// ---------------------------------------------------------------------------------- contacts

// The geometry of solids is asked by few and takes many registers: apart, the contacts between grains keep theirs.
static __device__ __noinline__ void touch_solids(const grains_view* v, int i, grains_load* load) { grains_touch_solids(v, i, load); }
static __device__ __noinline__ void stay_inside(const grains_view* v, int i) { grains_stay_inside(v, i); }
static __device__ __noinline__ float move_one(const grains_view* v, int i, grains_load load) { return grains_move(v, i, load); }

// A whole team moves as the wide loop does; the last one, where lanes are empty, grain by grain.
template <bool IS_WET> static __device__ __forceinline__ float advance_lane(const grains_view* v, int p) {
    int        team   = p / SHOAL_LANES;
    const int* member = v->lists.member + team * SHOAL_LANES;
    int        i      = member[wide_lane()];
    many       g;
    find_places(v, member, &g);
    find_speeds(v, member, &g);
    loads all = IS_WET ? loads_of(v, team, &g) : v->rolling > 0.0f ? dry_rolling(v, team, &g) : dry(v, team, &g);
    bool  has_solids = p < v->count && v->lists.solids[i] > 0;
    grains_load load = {{all.force.x, all.force.y, all.force.z}, {all.torque.x, all.torque.y, all.torque.z}};
    if ((team + 1) * SHOAL_LANES > v->count) return p < v->count ? move_one(v, i, load) : 0.0f;
    if (has_solids) {
        touch_solids(v, i, &load);
        all.force  = make3(load.force.x, load.force.y, load.force.z);
        all.torque = make3(load.torque.x, load.torque.y, load.torque.z);
    }
    if (v->outer) {
        wide3 water;
        wide  none;
        wide_gather4(v->outer, member, &water.x, &water.y, &water.z, &none);
        all.force = add3(all.force, water);
    }
    float speed2 = move(v, member, &g, &all);
    if (has_solids) stay_inside(v, i);
    return speed2;
}

// The fastest of a block; no number where one of them is none.
static __device__ __forceinline__ void note_fastest(const grains_view* v, float speed2) {
    __shared__ float of_warp[GRAINS_BLOCK / 32];
    int              is_odd = __syncthreads_or(!(speed2 - speed2 == 0.0f));
    for (int step = 16; step > 0; step /= 2) speed2 = fmaxf(speed2, __shfl_xor_sync(~0u, speed2, step));
    if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = speed2;
    __syncthreads();
    if (threadIdx.x > 0) return;
    for (int w = 1; w < GRAINS_BLOCK / 32; w++) speed2 = fmaxf(speed2, of_warp[w]);
    v->block_speed2[blockIdx.x] = is_odd ? NAN : (double)speed2;
}

template <bool IS_WET>
static __global__ void __launch_bounds__(GRAINS_BLOCK, IS_WET ? 5 : 6) advance_kernel(const __grid_constant__ grains_view v) {
    cuda_begin(false);
    int   p      = blockIdx.x * GRAINS_BLOCK + threadIdx.x;
    float speed2 = p / SHOAL_LANES * SHOAL_LANES < v.count ? advance_lane<IS_WET>(&v, p) : 0.0f;
    note_fastest(&v, speed2);
}

static void advance(const void* view, int count, cudaStream_t queue) {
    const grains_view* v = (const grains_view*)view;
    if (v->is_wet)
        cuda_start(advance_kernel<true>, grain_blocks(count), GRAINS_BLOCK, queue, *v);
    else
        cuda_start(advance_kernel<false>, grain_blocks(count), GRAINS_BLOCK, queue, *v);
}

// Few blocks touch an obstacle, and of these one thread adds.
static __global__ void __launch_bounds__(GRAINS_BLOCK) feel_kernel(const __grid_constant__ grains_view v) {
    cuda_begin(false);
    int  p        = blockIdx.x * GRAINS_BLOCK + threadIdx.x, i = p < v.count ? v.lists.member[p] : -1;
    bool is_beside = false;
    for (int k = 0; i >= 0 && k < v.lists.solids[i]; k++) is_beside |= grains_solid_of(&v, i, k) >= GRAINS_WALLS;
    if (__syncthreads_or(is_beside) && threadIdx.x == 0) grains_feel(&v, blockIdx.x);
}
static void feel(const void* view, int blocks, cudaStream_t queue) {
    cuda_start(feel_kernel, blocks, GRAINS_BLOCK, queue, *(const grains_view*)view);
}

CUDA_PASS(gauge, grains_view, grains_gauge)

#define X(name) name,
static const cuda_launch contact_passes[] = {GRAINS_PASSES(X)};
#undef X
extern const cuda_table cuda_grains = {"grains", sizeof(grains_view), contact_passes, NULL, 0, NULL};

// ---------------------------------------------------------------------------------- lists

// Teams of a block: in the order of keys, and of numbers where these are the same.
static __global__ void __launch_bounds__(GRAINS_BLOCK) thin_kernel(const __grid_constant__ grains_state s) {
    __shared__ int keys[GRAINS_BLOCK];
    int            begin = blockIdx.x * GRAINS_BLOCK, i = begin + threadIdx.x, count = s.view.count, rank = 0;
    int            left = count - begin < GRAINS_BLOCK ? count - begin : GRAINS_BLOCK;
    cuda_begin(false);
    if (i < count) {
        grains_thin(&s, i);
        keys[threadIdx.x] = grains_key_of(&s.view.lists, i);
    }
    __syncthreads();
    if (i < count) {
        int own = keys[threadIdx.x];
        for (int k = 0; k < left; k++) rank += keys[k] < own || (keys[k] == own && k < (int)threadIdx.x);
        s.view.lists.member[begin + rank] = i;
    } else if (i < (count + SHOAL_LANES - 1) / SHOAL_LANES * SHOAL_LANES) {
        s.view.lists.member[i] = s.view.nobody;
    }
}
static void grains_state_thin(const void* view, int count, cudaStream_t queue) {
    cuda_start(thin_kernel, grain_blocks(count), GRAINS_BLOCK, queue, *(const grains_state*)view);
}

static __device__ __noinline__ void fill_solids(const grains_state* s, int i) { grains_fill_solids(s, i); }

// Row by row, so that a team wakes one together.
static __global__ void __launch_bounds__(GRAINS_BLOCK) fill_kernel(const __grid_constant__ grains_state s) {
    int                 p = blockIdx.x * GRAINS_BLOCK + threadIdx.x, team = p / SHOAL_LANES;
    const grains_lists* l = &s.view.lists;
    cuda_begin(false);
    if (team * SHOAL_LANES >= s.view.count) return;
    int        i = l->member[p], n = i < s.view.count ? l->count[i] : 0, left = 0;
    const int* near = NULL;
    grains_run history = {0, 0};
    if (i < s.view.count) {
        near = s.near.index + (size_t)SHOAL_LANES * s.near.start[i];
        history = grains_history_of(&s, i);
        left = grains_history_grains(&s, history);
    }
    int rows = (int)(l->row[team + 1] - l->row[team]);
    for (int k = 0; k < rows; k++) {
        size_t row = l->row[team] + (size_t)k, slot = row * SHOAL_LANES + wide_lane();
        int    j = k < n ? near[SHOAL_NEAR_PLACE(k)] : s.view.nobody;
        int    found = k < n && left > 0 ? grains_history_with(&s, history, s.work.id[j]) : -1;
        left -= found >= 0;
        l->index[slot]  = j;
        bool is_awake   = __any_sync(wide_mates(), found >= 0);
        l->wake[row]    = is_awake ? -1.0f : 0.0f;
        if (is_awake) grains_recall(&s, slot, found);
    }
    if (i < s.view.count && l->solids[i] > 0) fill_solids(&s, i);
}

// The blocks in which a block's partners are, each once, in any order.
static __global__ void __launch_bounds__(GRAINS_BLOCK) around_kernel(const __grid_constant__ grains_state s) {
    enum { SEATS = 256 }; // more than may be found before all threads see that there are too many
    __shared__ int      seats[SEATS], found;
    const grains_lists* l      = &s.view.lists;
    int                 teams  = (s.view.count + SHOAL_LANES - 1) / SHOAL_LANES, first = blockIdx.x * (GRAINS_BLOCK / SHOAL_LANES);
    int                 last   = first + GRAINS_BLOCK / SHOAL_LANES < teams ? first + GRAINS_BLOCK / SHOAL_LANES : teams;
    int*                around = l->around + (size_t)blockIdx.x * (GRAINS_AROUND + 1);
    cuda_begin(false);
    for (int k = threadIdx.x; k < SEATS; k += GRAINS_BLOCK) seats[k] = k == (int)(blockIdx.x % SEATS) ? (int)blockIdx.x : -1;
    if (threadIdx.x == 0) found = 1, around[1] = blockIdx.x;
    __syncthreads();
    for (size_t slot = (size_t)l->row[first] * SHOAL_LANES + threadIdx.x; slot < (size_t)l->row[last] * SHOAL_LANES;
         slot += GRAINS_BLOCK) {
        int j = l->index[slot];
        if (j == s.view.nobody || *(volatile int*)&found > GRAINS_AROUND) continue;
        int other = grains_block_of(&s, j), seat = other % SEATS;
        while (true) {
            int sits = atomicCAS(&seats[seat], -1, other);
            if (sits == other) break;
            if (sits == -1) {
                int at = atomicAdd(&found, 1) + 1;
                if (at <= GRAINS_AROUND) around[at] = other;
                break;
            }
            seat = (seat + 1) % SEATS;
        }
    }
    __syncthreads();
    if (threadIdx.x > 0) return;
    around[0]            = found <= GRAINS_AROUND ? found : GRAINS_AROUND + 1;
    l->path[blockIdx.x] = 0.0f;
}
static void grains_state_fill(const void* view, int count, cudaStream_t queue) {
    cuda_start(fill_kernel, grain_blocks(count), GRAINS_BLOCK, queue, *(const grains_state*)view);
    cuda_start(around_kernel, grain_blocks(count), GRAINS_BLOCK, queue, *(const grains_state*)view);
}

// ---------------------------------------------------------------------------------- all else

#define TABLE grains_state
#define TABLE_VIEW grains_state
#define TABLE_ONE(name) grains_##name
#define TABLE_PASSES GRAINS_ITEM_PASSES
#define TABLE_ALL GRAINS_STATE_PASSES
#define TABLE_FOLDS GRAINS_FOLDS
#include "exec/table_cuda.h"

// ---------------------------------------------------------------------------------- free water

#define TABLE grains_among
#define TABLE_VIEW grains_among
#define TABLE_ONE(name) grains_##name
#define TABLE_PASSES GRAINS_AMONG_PASSES
#define TABLE_FOLDS GRAINS_AMONG_FOLDS
#include "exec/table_cuda.h"
