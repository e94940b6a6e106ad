// SPDX-License-Identifier: MIT
// Cells and lists as kernels. The search writes each list once: finds go to a row of shared memory, a warp takes room for all
// of its lists at once, and writes them one after the other, 32 places at a time.
#include "exec/tables_cuda.h"

extern "C" {
#include "grid/grid_pass.h"
}

// Boxes by a block of threads each: the box of all threads of it, to `out` by the first.
static __device__ __forceinline__ void box_of_block(shoal_grid_box box, shoal_grid_box* out) {
    __shared__ shoal_grid_box of_warp[SHOAL_BOUND_BLOCK / 32];
    for (int step = 16; step > 0; step /= 2)
        for (int axis = 0; axis < 3; axis++) {
            float low = __shfl_xor_sync(~0u, box.low[axis], step), high = __shfl_xor_sync(~0u, box.high[axis], step);
            box.low[axis]  = low < box.low[axis] ? low : box.low[axis];
            box.high[axis] = high > box.high[axis] ? high : box.high[axis];
        }
    if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = box;
    __syncthreads();
    if (threadIdx.x > 0) return;
    for (int w = 1; w < SHOAL_BOUND_BLOCK / 32; w++) shoal_grid_widen(&box, of_warp[w].low, of_warp[w].high);
    *out = box;
}

static __global__ void __launch_bounds__(SHOAL_BOUND_BLOCK) bound_kernel(const __grid_constant__ shoal_grid_view v) {
    int            i   = blockIdx.x * SHOAL_BOUND_BLOCK + threadIdx.x;
    shoal_grid_box box = shoal_grid_no_box();
    cuda_begin(true);
    if (i < v.count) {
        float4 p    = ((const float4*)v.place)[i];
        float  x[3] = {p.x, p.y, p.z};
        shoal_grid_widen(&box, x, x);
    }
    box_of_block(box, &v.boxes[SHOAL_BOUND_PARTS + blockIdx.x]);
}
static void bound(const void* view, int blocks, cudaStream_t queue) {
    cuda_start(bound_kernel, blocks, SHOAL_BOUND_BLOCK, queue, *(const shoal_grid_view*)view);
}

static __global__ void __launch_bounds__(SHOAL_BOUND_BLOCK) join_kernel(const __grid_constant__ shoal_grid_view v) {
    shoal_grid_box box = shoal_grid_no_box();
    cuda_begin(true);
    for (int b = blockIdx.x + SHOAL_BOUND_PARTS * threadIdx.x; b < shoal_grid_blocks(&v); b += SHOAL_BOUND_PARTS * SHOAL_BOUND_BLOCK)
        shoal_grid_widen(&box, v.boxes[SHOAL_BOUND_PARTS + b].low, v.boxes[SHOAL_BOUND_PARTS + b].high);
    box_of_block(box, &v.boxes[blockIdx.x]);
}
static void join(const void* view, int parts, cudaStream_t queue) {
    cuda_start(join_kernel, parts, SHOAL_BOUND_BLOCK, queue, *(const shoal_grid_view*)view);
}

CUDA_PASS(key, shoal_grid_view, shoal_grid_key)
CUDA_PASS(mark, shoal_grid_view, shoal_grid_mark)
CUDA_PASS(cell, shoal_grid_view, shoal_grid_cell)
CUDA_PASS(runs, shoal_grid_view, shoal_grid_runs)
CUDA_WHOLE_SUM(neighbours, shoal_grid_view, shoal_grid_neighbours)

// Longer lists are walked again; rows of 49, so that banks do not meet, and finds beyond have a place to go to. Several
// candidates are fetched at a time, and there is no branch at a find: either would wait for each of them.
enum { THREADS = 128, FOUND_MOST = 48, BATCH = 4 };

template <bool MEETS_SELF>
static __device__ __forceinline__ int search_run(const shoal_grid_view& v, float4 p, const shoal_v4* seen, shoal_grid_run run, int self,
                                           int first, int found, int* row) {
    const float4* place = (const float4*)seen;
    for (int k = run.begin; k < run.end; k += BATCH) {
        float4 q[BATCH];
#pragma unroll
        for (int m = 0; m < BATCH; m++) q[m] = place[k + m < run.end ? k + m : run.end - 1];
#pragma unroll
        for (int m = 0; m < BATCH; m++) {
            float dx = p.x - q[m].x, dy = p.y - q[m].y, dz = p.z - q[m].z;
            bool  is_near = dx * dx + dy * dy + dz * dz < v.h2 && k + m < run.end && !(MEETS_SELF && k + m == self);
            if (is_near) row[found < FOUND_MOST ? found : FOUND_MOST] = first + k + m;
            found += is_near;
        }
    }
    return found;
}

static __global__ void __launch_bounds__(THREADS) search_kernel(const __grid_constant__ shoal_grid_view v, int count) {
    __shared__ int rows[THREADS][FOUND_MOST + 1];
    int            i = blockIdx.x * THREADS + threadIdx.x, lane = threadIdx.x % 32, found = 0;
    cuda_begin(false);
    if (i < count && v.own.cell_of[i] <= v.run_capacity) {
        size_t first = SHOAL_GRID_ROWS * (size_t)(v.own.cell_of[i] - 1);
        float4 p     = ((const float4*)v.place)[i];
        int*   row   = rows[threadIdx.x];
#pragma unroll 1
        for (int k = 0; k < SHOAL_GRID_ROWS && !v.is_apart; k++) // its own cell is in the middle row
            found = k == SHOAL_GRID_ROWS / 2 ? search_run<true>(v, p, v.place, v.runs[first + k], i, 0, found, row)
                                             : search_run<false>(v, p, v.place, v.runs[first + k], i, 0, found, row);
        if (v.ghosts.item_count > 0)
            for (int k = 0; k < SHOAL_GRID_ROWS; k++)
                found = search_run<false>(v, p, v.seen, v.ghost_runs[first + k], -1, v.first_ghost, found, row);
    }
    unsigned           groups = (unsigned)(found + SHOAL_LANES - 1) / SHOAL_LANES, upto = groups;
    unsigned long long base   = 0;
    for (int step = 1; step < 32; step *= 2) {
        unsigned before = __shfl_up_sync(~0u, upto, step);
        if (lane >= step) upto += before;
    }
    if (lane == 31) base = atomicAdd((unsigned long long*)v.near.next, (unsigned long long)upto);
    base           = __shfl_sync(~0u, base, 31) + (upto - groups);
    bool     fits  = base + groups <= v.near.group_capacity;
    unsigned start = (unsigned)base;
    if (i < count) {
        v.near.start[i] = fits ? start : 0;
        v.near.count[i] = fits ? found : 0;
    }
    if (found > FOUND_MOST && fits) {
        int* list = v.near.index + SHOAL_LANES * (size_t)start;
        shoal_grid_list(&v, i, list);
        for (int k = found; k % SHOAL_LANES != 0; k++) list[shoal_near_woven(k)] = v.nobody;
    }
    __syncwarp();
    int stored = fits && found <= FOUND_MOST ? found : 0;
    for (int other = 0; other < 32; other++) {
        int      n     = __shfl_sync(~0u, stored, other);
        unsigned first = __shfl_sync(~0u, start, other);
        int      capacity  = (n + SHOAL_LANES - 1) / SHOAL_LANES * SHOAL_LANES;
        int*     list  = v.near.index + SHOAL_LANES * (size_t)first;
        for (int k = lane; k < capacity; k += 32) {
            int at  = shoal_near_woven(k);
            list[k] = at < n ? rows[threadIdx.x - lane + other][at] : v.nobody;
        }
    }
}

static void search(const void* view, int count, cudaStream_t queue) {
    cuda_start(search_kernel, (count + THREADS - 1) / THREADS, THREADS, queue, *(const shoal_grid_view*)view, count);
}

#define X(name) name,
static const cuda_launch passes[] = {SHOAL_GRID_PASSES(X)};
#undef X
static const cuda_fold  folds[]   = {{neighbours, CUDA_SUM}};
extern const cuda_table cuda_grid = {"grid", sizeof(shoal_grid_view), passes, folds, CUDA_COUNT(folds), NULL};
