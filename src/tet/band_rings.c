// SPDX-License-Identifier: MIT
// Distances to the triangles of a band: those of nodes at the surface, and of the rings around these. The nearest
// triangle of a node is one of those that are nearest to the nodes beside it, so nothing is searched: ring by ring from
// within, and then once more for all, since a ring may be one node further out on one side of a node than on the other,
// and what is nearest to a node at the surface need not be in one of the eight cells at it (it had distances up to 0.27
// cells too large). A triangle that is nearest to no node is handed on by none.
#include "tet/band_local.h"

#include "exec/pass.h"
#include "geom/bvh.h"

#include <limits.h>
#include <math.h>
#include <string.h>

enum { BLOCK = 4, TRIANGLES = 1024, WORDS = BAND_EDGE, WINDOW = BAND_EDGE + 2, LAST = SHOAL_BAND_RINGS + 1 };

typedef struct rings_job {
    shoal_band* band;
    // [nodes] 4 (1 + the nearest triangle) + its ring, 0: not known yet; in the first round, which finds the nearest of
    // the nodes at the surface, `found` is 1 + the first triangle of a cell, then what a round has found
    uint32_t *      nearest, *found;
    const uint64_t* nodes; // of this round
    int             round; // 0: those at the surface; then rings; LAST: all rings once more
} rings_job;

// --- a block

// The nodes of a block, what is around them, and what was found for them so far.
typedef struct rings_block {
    uint32_t around[WINDOW][WINDOW][WINDOW]; // [z + 1][y + 1][x + 1] of the array that a round looks at
    shoal_d3 corner;
    float    distance2[BAND_NODES];
    int      triangle[BAND_NODES]; // the nearest, of equals the first
    uint64_t seen[64];             // node and triangle of late, so that few come twice
} rings_block;

static void search_around(const shoal_sparse* grid, const uint32_t* of, int block, rings_block* out) {
    const int* near = grid->near + (size_t)BAND_NEAR * (size_t)block;
    for (int z = -1; z <= BAND_EDGE; z++)
        for (int y = -1; y <= BAND_EDGE; y++) {
            const int* b   = near + ((z >> 3) + 1) * 9 + ((y >> 3) + 1) * 3;
            uint32_t*  row = out->around[z + 1][y + 1];
            int        at  = 64 * (z & 7) + 8 * (y & 7);
            memset(row, 0, WINDOW * sizeof *row);
            if (b[0] >= 0) row[0] = of[BAND_NODES * b[0] + at + 7];
            if (b[1] >= 0) memcpy(row + 1, of + BAND_NODES * b[1] + at, BAND_EDGE * sizeof *row);
            if (b[2] >= 0) row[WINDOW - 1] = of[BAND_NODES * b[2] + at];
        }
}

// Seen from the node, so that no distance is lost in how far both are from the origin.
static void try_triangle(const rings_job* job, rings_block* r, int node, shoal_d3 at, int triangle) {
    const shoal_contour* s = &job->band->surface;
    const int*           c = s->triangles + (size_t)3 * (size_t)triangle;
    shoal_v3             a = s->vertices[c[0]];
    shoal_bvh_triangle   t = {
          .a  = shoal_v3_from(shoal_d3_sub(shoal_d3_from(a), at)),
          .ab = shoal_v3_sub(s->vertices[c[1]], a),
          .ac = shoal_v3_sub(s->vertices[c[2]], a),
    };
    float d = shoal_bvh_triangle_distance2(&t, shoal_v3_make(0.0f, 0.0f, 0.0f));
    if (d < r->distance2[node] || (d == r->distance2[node] && triangle < r->triangle[node]))
        r->distance2[node] = d, r->triangle[node] = triangle;
}

// The triangles of the eight cells at a node.
static void try_cells(const rings_job* job, rings_block* r, int n, shoal_d3 at) {
    const shoal_contour* s = &job->band->surface;
    for (int k = 0; k < 8; k++) {
        uint32_t first = r->around[n / 64 + 1 - (k >> 2)][n / 8 % 8 + 1 - (k >> 1 & 1)][n % 8 + 1 - (k & 1)];
        if (!first) continue;
        for (int t = (int)first - 1, cell = s->cubes[t]; t < s->triangle_count && s->cubes[t] == cell; t++)
            try_triangle(job, r, n, at, t);
    }
}

// The nearest triangles of the nodes around one. In the last round, when all have one, its own counts only if there are
// others, and those of rings further in have been asked before.
static void try_around(const rings_job* job, rings_block* r, int n, shoal_d3 at) {
    int      x = n % 8, y = n / 8 % 8, z = n / 64;
    uint32_t own = r->around[z + 1][y + 1][x + 1], least = job->round == LAST ? own & 3 : 0;
    bool     is_any = false;
    for (int k = 0; k < 9; k++) {
        const uint32_t* row = r->around[z + k / 3][y + k % 3] + x;
        for (int i = 0; i < 3; i++) {
            uint32_t triangle = row[i] >> 2;
            if (!triangle || triangle == own >> 2 || (row[i] & 3) < least) continue;
            uint64_t key = (uint64_t)n << 32 | triangle;
            if (r->seen[triangle & 63] == key) continue;
            r->seen[triangle & 63] = key;
            try_triangle(job, r, n, at, (int)triangle - 1);
            is_any = true;
        }
    }
    if (is_any && own) try_triangle(job, r, n, at, (int)(own >> 2) - 1);
}

// What was found for a node: for the next round, so that no node sees half of it; and its distance, on the side that
// it was.
static void take_found(const rings_job* job, const rings_block* r, int b, int n) {
    shoal_band* band = job->band;
    int         node = BAND_NODES * b + n, t = r->triangle[n];
    uint32_t    ring = job->round == LAST ? job->nearest[node] & 3 : (uint32_t)job->round;
    if (job->round > 0) job->found[node] = job->nearest[node];
    if (t == INT_MAX) return;
    (job->round > 0 ? job->found : job->nearest)[node] = (1 + (uint32_t)t) << 2 | ring;
    float distance          = fmaxf(sqrtf(r->distance2[n]), (float)(BAND_TOUCH * band->grid.cell));
    band->grid.values[node] = band->inside[node >> 6] >> (node & 63) & 1 ? -distance : distance;
}

static void round_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    const rings_job*    job  = ctx;
    const shoal_sparse* grid = &job->band->grid;
    rings_block         r;
    for (int b = begin; b < end; b++) {
        const uint64_t* nodes = job->nodes + (size_t)WORDS * (size_t)b;
        uint64_t        any   = 0;
        for (int w = 0; w < WORDS; w++) any |= nodes[w];
        if (!any) continue;
        search_around(grid, job->round > 0 ? job->nearest : job->found, b, &r);
        memset(r.seen, 0xff, sizeof r.seen);
        r.corner = shoal_sparse_corner(grid, b);
        for (int w = 0; w < WORDS; w++)
            for (uint64_t m = nodes[w]; m; m &= m - 1) {
                int      n     = 64 * w + __builtin_ctzll(m);
                shoal_d3 at    = shoal_d3_add(r.corner, shoal_d3_scale(shoal_d3_make(n % 8, n / 8 % 8, w), grid->cell));
                r.distance2[n] = INFINITY;
                r.triangle[n]  = INT_MAX;
                if (job->round == 0)
                    try_cells(job, &r, n, at);
                else
                    try_around(job, &r, n, at);
            }
        for (int w = 0; w < WORDS; w++)
            for (uint64_t m = nodes[w]; m; m &= m - 1) take_found(job, &r, b, 64 * w + __builtin_ctzll(m));
    }
}

// --- the whole

static void learn_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    const rings_job* job = ctx;
    for (int w = WORDS * begin; w < WORDS * end; w++)
        for (uint64_t m = job->nodes[w]; m; m &= m - 1) {
            int node           = 64 * w + __builtin_ctzll(m);
            job->nearest[node] = job->found[node];
        }
}

// Triangles are in the order of their cells.
static void first_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    const rings_job* job   = ctx;
    const int*       cubes = job->band->surface.cubes;
    for (int t = begin; t < end; t++)
        if (t == 0 || cubes[t] != cubes[t - 1]) job->found[cubes[t]] = 1 + (uint32_t)t;
}

static void go_round(rings_job* job, int round, const uint64_t* nodes, const shoal_exec* exec) {
    job->round = round;
    job->nodes = nodes;
    shoal_blocks(exec, job->band->grid.block_count, BLOCK, round_block, job);
    if (round > 0) shoal_blocks(exec, job->band->grid.block_count, BLOCK, learn_block, job);
}

static void measure(rings_job* job, uint64_t* ring, uint64_t* done, const shoal_exec* exec) {
    shoal_band* band  = job->band;
    int         words = WORDS * band->grid.block_count;
    shoal_blocks(exec, band->surface.triangle_count, TRIANGLES, first_block, job);
    go_round(job, 0, band->known, exec);
    for (int w = 0; w < words; w++) done[w] = band->known[w];
    for (int k = 1; k <= SHOAL_BAND_RINGS; k++) {
        band_widen(&band->grid, done, ring, exec);
        for (int w = 0; w < words; w++) ring[w] &= ~done[w];
        go_round(job, k, ring, exec);
        for (int w = 0; w < words; w++) done[w] |= ring[w];
    }
    go_round(job, LAST, done, exec);
    for (int w = 0; w < words; w++) band->known[w] = done[w];
}

shoal_status band_rings(shoal_band* band, shoal_arena* scratch, const shoal_exec* exec) {
    size_t    blocks = (size_t)band->grid.block_count, nodes = BAND_NODES * blocks, words = WORDS * blocks;
    rings_job job = {.band = band};
    uint64_t *ring, *done;
    if (blocks == 0) return SHOAL_OK;
    SHOAL_TRY(shoal_arena_make(scratch, (void**)&job.nearest, nodes, sizeof *job.nearest));
    SHOAL_TRY(shoal_arena_make(scratch, (void**)&job.found, nodes, sizeof *job.found));
    SHOAL_TRY(shoal_arena_make(scratch, (void**)&ring, words, sizeof *ring));
    SHOAL_TRY(shoal_arena_make(scratch, (void**)&done, words, sizeof *done));
    memset(job.nearest, 0, nodes * sizeof *job.nearest);
    memset(job.found, 0, nodes * sizeof *job.found);
    measure(&job, ring, done, exec);
    return SHOAL_OK;
}
