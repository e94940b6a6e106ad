// SPDX-License-Identifier: MIT
// Splats of particles as kernels. The moments of a cell's items are summed by a block: what the cell sees is brought
// together in shared memory, in its order, and half a warp has the sixteen lanes of an item.
#include "exec/tables_cuda.h"

extern "C" {
#include "surface/surface_far_pass.h"
}

enum { GAUGE_THREADS = 256, GAUGE_TEAMS = GAUGE_THREADS / SHOAL_LANES, GAUGE_CAPACITY = 2048, GAUGE_ROWS = 64 };

struct gauge_memory {
    float x[GAUGE_CAPACITY + SHOAL_LANES], y[GAUGE_CAPACITY + SHOAL_LANES], z[GAUGE_CAPACITY + SHOAL_LANES];
    int   row[GAUGE_ROWS], end[GAUGE_ROWS]; // first item of a row; candidates up to its end
    int   warp[GAUGE_THREADS / 32];
};

// The candidates [from, ...) that lie within, behind the `held` that are there; as many rounds as there is room for. Returns the
// candidate to go on with.
static __device__ int gauge_fill(const surface_far_view* v, const surface_reach* r, shoal_v3 corner, float per, gauge_memory* m,
                                 int rows, int from, int* held) {
    int all = m->end[rows - 1], count = *held;
    for (; from < all && count + GAUGE_THREADS <= GAUGE_CAPACITY; from += GAUGE_THREADS) {
        int      t = from + (int)threadIdx.x, low = 0, high = rows - 1;
        bool     is_in = false;
        shoal_v4 p;
        if (t < all) {
            while (low < high) {
                int middle = (low + high) / 2;
                if (m->end[middle] > t)
                    high = middle;
                else
                    low = middle + 1;
            }
            p     = v->sorted[m->row[low] + t - (low > 0 ? m->end[low - 1] : 0)];
            is_in = surface_is_within(r, p);
        }
        unsigned mask = __ballot_sync(~0u, is_in);
        int      warp = threadIdx.x / 32, before = __popc(mask & ((1u << threadIdx.x % 32) - 1u)), ahead = 0, more = 0;
        if (threadIdx.x % 32 == 0) m->warp[warp] = __popc(mask);
        __syncthreads();
        for (int k = 0; k < GAUGE_THREADS / 32; k++) {
            ahead += k < warp ? m->warp[k] : 0;
            more += m->warp[k];
        }
        if (is_in) {
            int at   = count + ahead + before;
            m->x[at] = (p.x - corner.x) * per;
            m->y[at] = (p.y - corner.y) * per;
            m->z[at] = (p.z - corner.z) * per;
        }
        count += more;
        __syncthreads();
    }
    *held = count;
    return from;
}

static __device__ __forceinline__ float gauge_fold(float a) {
    for (int half = SHOAL_LANES / 2; half > 0; half /= 2) a += __shfl_xor_sync(~0u, a, half);
    return a;
}

static __global__ void __launch_bounds__(GAUGE_THREADS) gauge_kernel(const __grid_constant__ surface_far_view v) {
    __shared__ gauge_memory m;
    int                     cell = blockIdx.x, lane = threadIdx.x % SHOAL_LANES, team = threadIdx.x / SHOAL_LANES;
    surface_corners         c = v.corners[cell];
    float                   reach = v.shaping.support * SURFACE_SEARCH, per = 1.0f / reach;
    surface_reach           r = surface_reach_of(&v, c, reach);
    int                     deep = (int)(r.y1 - r.y0 + 1), rows = deep * (int)(r.z1 - r.z0 + 1);
    if (threadIdx.x < rows) {
        shoal_grid_run run   = surface_row_of(&v, &r, r.y0 + threadIdx.x % deep, r.z0 + threadIdx.x / deep);
        m.row[threadIdx.x] = run.begin;
        m.end[threadIdx.x] = run.end - run.begin;
    }
    __syncthreads();
    if (threadIdx.x == 0)
        for (int k = 1; k < rows; k++) m.end[k] += m.end[k - 1];
    __syncthreads();
    int  begin = v.cells.cell_start[cell], end = v.cells.cell_start[cell + 1], all = m.end[rows - 1];
    bool is_whole = false; // all that the cell sees is there since the first items
    int  held = 0;
    for (int first = begin; first < end; first += GAUGE_TEAMS) {
        int          i = first + team < end ? first + team : end - 1;
        shoal_v4     at = v.sorted[i];
        float        sx = (at.x - c.low.x) * per, sy = (at.y - c.low.y) * per, sz = (at.z - c.low.z) * per;
        surface_lane l = surface_no_lane();
        for (int from = 0, is_done = 0; !is_done;) {
            if (!is_whole) {
                bool is_first = from == 0;
                if (is_first) held = 0;
                from = gauge_fill(&v, &r, c.low, per, &m, rows, from, &held);
                is_whole = is_first && from >= all;
            } else {
                from = all;
            }
            is_done   = from >= all;
            int whole = is_done ? (held + SHOAL_LANES - 1) / SHOAL_LANES : held / SHOAL_LANES;
            for (int k = lane; k < whole * SHOAL_LANES; k += SHOAL_LANES)
                if (k < held) surface_lane_add(&l, m.x[k] - sx, m.y[k] - sy, m.z[k] - sz);
            if (is_done) break;
            // what is left of a group comes first in the next ones
            int   left = held - whole * SHOAL_LANES, k = whole * SHOAL_LANES + (int)threadIdx.x;
            float x = 0.0f, y = 0.0f, z = 0.0f;
            __syncthreads();
            if (threadIdx.x < left) x = m.x[k], y = m.y[k], z = m.z[k];
            __syncthreads();
            if (threadIdx.x < left) m.x[threadIdx.x] = x, m.y[threadIdx.x] = y, m.z[threadIdx.x] = z;
            held = left;
            __syncthreads();
        }
        __syncwarp();
        surface_moments out = {gauge_fold(l.w),  gauge_fold(l.x),  gauge_fold(l.y),  gauge_fold(l.z),  gauge_fold(l.xx),
                               gauge_fold(l.xy), gauge_fold(l.xz), gauge_fold(l.yy), gauge_fold(l.yz), gauge_fold(l.zz), 0};
        int count = l.count;
        for (int half = SHOAL_LANES / 2; half > 0; half /= 2) count += __shfl_xor_sync(~0u, count, half);
        out.count = count;
        if (lane == 0 && first + team < end) v.moments[i] = out;
        if (!is_whole) __syncthreads();
    }
}

static void surface_far_gauge(const void* view, int count, cudaStream_t queue) {
    const surface_far_view* v = (const surface_far_view*)view;
    (void)count;
    gauge_kernel<<<v->cell_count, GAUGE_THREADS, 0, queue>>>(*v);
}

#define TABLE surface_far
#define TABLE_VIEW surface_far_view
#define TABLE_ONE(name) surface_far_##name
#define TABLE_PASSES SURFACE_FAR_ITEMS
#define TABLE_ALL SURFACE_FAR_PASSES
#include "exec/table_cuda.h"
