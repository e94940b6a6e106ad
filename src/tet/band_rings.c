// SPDX-License-Identifier: MIT
// The rings of a band: nodes around those at the surface, with the distance to its triangles. The nearest triangle of a
// node is one of those that are nearest to the nodes beside it, so nothing is searched: ring by ring from within, and
// then once more for all, since a ring may be one node further out on one side of a node than on the other.
#include "tet/band_local.h"

#include "geom/bvh.h"

#include <math.h>

enum { BLOCK = 256, CANDIDATES = 64 };

typedef struct rings_job {
    shoal_band*     band;
    const uint64_t* done;    // nodes of the rings before, all of them in the last round
    int*            first;   // [nodes] 1 + the first triangle of a cell, 0: none
    int*            nearest; // [nodes] 1 + the nearest triangle, 0: not known
    int*            found;   // [nodes] the same, of this round
    int*            list;    // nodes of this round
} rings_job;

static float distance2_to(const shoal_contour* s, int triangle, shoal_d3 at) {
    shoal_v3 c[3];
    for (int k = 0; k < 3; k++)
        c[k] = shoal_v3_from(shoal_d3_sub(shoal_d3_from(s->vertices[s->triangles[3 * triangle + k]]), at));
    shoal_bvh_triangle t = {c[0], shoal_v3_sub(c[1], c[0]), shoal_v3_sub(c[2], c[0])};
    return shoal_bvh_triangle_distance2(&t, shoal_v3_make(0.0f, 0.0f, 0.0f));
}

// Of some triangles the nearest, of equals the first.
static int nearest_of(const shoal_band* band, shoal_d3 at, const int* triangles, int count, float* distance2) {
    int best   = -1;
    *distance2 = INFINITY;
    for (int i = 0; i < count; i++) {
        float d = distance2_to(&band->surface, triangles[i], at);
        if (d < *distance2 || (d == *distance2 && triangles[i] < best)) *distance2 = d, best = triangles[i];
    }
    return best;
}

static int add_once(int* triangles, int count, int triangle) {
    for (int i = 0; i < count; i++)
        if (triangles[i] == triangle) return count;
    if (count < CANDIDATES) triangles[count++] = triangle;
    return count;
}

static void inner_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    rings_job*           job = ctx;
    const shoal_contour* s   = &job->band->surface;
    for (int i = begin; i < end; i++) {
        int   node = job->list[i], b = node / BAND_NODES, n = node % BAND_NODES, found[CANDIDATES], count = 0;
        float distance2;
        for (int k = 0; k < 8; k++) {
            int cell = band_node(&job->band->grid, b, n % 8 - (k & 1), n / 8 % 8 - (k >> 1 & 1), n / 64 - (k >> 2));
            if (cell < 0 || !job->first[cell]) continue;
            for (int t = job->first[cell] - 1; t < s->triangle_count && s->cubes[t] == cell; t++)
                count = add_once(found, count, t);
        }
        job->nearest[node] = 1 + nearest_of(job->band, band_place(&job->band->grid, node), found, count, &distance2);
    }
}

static void ring_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    rings_job*  job  = ctx;
    shoal_band* band = job->band;
    for (int i = begin; i < end; i++) {
        int   node = job->list[i], b = node / BAND_NODES, n = node % BAND_NODES, found[CANDIDATES], count = 0;
        float distance2;
        for (int k = 0; k < 27; k++) {
            int beside = band_node(&band->grid, b, n % 8 + k % 3 - 1, n / 8 % 8 + k / 3 % 3 - 1, n / 64 + k / 9 - 1);
            if (beside >= 0 && (job->done[beside >> 6] >> (beside & 63) & 1) && job->nearest[beside])
                count = add_once(found, count, job->nearest[beside] - 1);
        }
        int best                = nearest_of(band, band_place(&band->grid, node), found, count, &distance2);
        job->found[node]        = 1 + best;
        float distance          = best >= 0 ? sqrtf(distance2) : (float)band->far;
        band->grid.values[node] = band->inside[node >> 6] >> (node & 63) & 1 ? -distance : distance;
    }
}

static int list_of(const uint64_t* bits, int words, int* list) {
    int count = 0;
    for (int w = 0; w < words; w++)
        for (uint64_t m = bits[w]; m; m &= m - 1) list[count++] = 64 * w + __builtin_ctzll(m);
    return count;
}

// What a round has found is for the next one, so that no node sees half of it.
static void measure_nodes(rings_job* job, const uint64_t* nodes, int words, const shoal_exec* exec) {
    int count = list_of(nodes, words, job->list);
    shoal_blocks(exec, count, BLOCK, ring_block, job);
    for (int i = 0; i < count; i++) job->nearest[job->list[i]] = job->found[job->list[i]];
}

static void measure(rings_job* job, uint64_t* ring, uint64_t* done, const shoal_exec* exec) {
    shoal_band* band  = job->band;
    int         words = BAND_EDGE * band->grid.block_count;
    for (int t = band->surface.triangle_count - 1; t >= 0; t--) job->first[band->surface.cubes[t]] = 1 + t;
    int count = list_of(band->known, words, job->list);
    shoal_blocks(exec, count, BLOCK, inner_block, job);
    for (int w = 0; w < words; w++) done[w] = band->known[w];
    for (int k = 0; k < SHOAL_BAND_RINGS; k++) {
        band_widen(&band->grid, done, ring, exec);
        for (int w = 0; w < words; w++) ring[w] &= ~done[w];
        measure_nodes(job, ring, words, exec);
        for (int w = 0; w < words; w++) done[w] |= ring[w];
    }
    for (int w = 0; w < words; w++) ring[w] = done[w] & ~band->known[w];
    measure_nodes(job, ring, words, exec);
    for (int w = 0; w < words; w++) band->known[w] = done[w];
}

shoal_status band_rings(shoal_band* band, const shoal_exec* exec) {
    size_t    nodes = (size_t)BAND_NODES * (size_t)band->grid.block_count;
    uint64_t *ring = shoal_alloc(nodes / 64, sizeof *ring), *done = shoal_alloc(nodes / 64, sizeof *done);
    rings_job job      = {band,
                          done,
                          shoal_alloc(nodes, sizeof(int)),
                          shoal_alloc(nodes, sizeof(int)),
                          shoal_alloc(nodes, sizeof(int)),
                          shoal_alloc(nodes, sizeof(int))};
    bool      is_there = ring && done && job.first && job.nearest && job.found && job.list;
    if (is_there) measure(&job, ring, done, exec);
    shoal_free(ring);
    shoal_free(done);
    shoal_free(job.first);
    shoal_free(job.nearest);
    shoal_free(job.found);
    shoal_free(job.list);
    return is_there ? SHOAL_OK : SHOAL_ERR_MEMORY;
}
