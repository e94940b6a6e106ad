// SPDX-License-Identifier: MIT
// The rings of a band: nodes around those at the surface, with the distance to its triangles. The nearest triangle of a
// node is one of those that are nearest to the nodes beside it, so nothing is searched: ring by ring from within, and
// then once more for all, since a ring may be one node further out on one side of a node than on the other.
#include "tet/band_local.h"

#include "geom/bvh.h"

#include <math.h>

enum { BLOCK = 256, CANDIDATES = 64 };

typedef struct rings_job {
    shoal_band*         band;
    shoal_bvh_triangle* triangles;
    int*                first;   // [nodes] 1 + the first triangle of a cell, 0: none
    int*                nearest; // [nodes] 1 + the nearest triangle, 0: not known yet
    int*                found;   // [nodes of the list] the same, of this round
    int*                list;    // nodes of this round
    uint8_t*            ring;    // [nodes] in the last round: which ring it is of
    bool                is_last;
} rings_job;

static void triangle_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    rings_job*           job = ctx;
    const shoal_contour* s   = &job->band->surface;
    for (int t = begin; t < end; t++) {
        const int* c = s->triangles + (size_t)3 * (size_t)t;
        shoal_v3   a = s->vertices[c[0]];
        job->triangles[t] =
            (shoal_bvh_triangle){a, shoal_v3_sub(s->vertices[c[1]], a), shoal_v3_sub(s->vertices[c[2]], a)};
    }
}

// Seen from the node, so that no distance is lost in how far both are from the origin.
static float distance2_to(const rings_job* job, int triangle, shoal_d3 at) {
    shoal_bvh_triangle t = job->triangles[triangle];
    t.a                  = shoal_v3_from(shoal_d3_sub(shoal_d3_from(t.a), at));
    return shoal_bvh_triangle_distance2(&t, shoal_v3_make(0.0f, 0.0f, 0.0f));
}

// Of some triangles the nearest, of equals the first; `best` is the nearest so far, -1: none.
static int nearest_of(const rings_job* job, shoal_d3 at, const int* triangles, int count, int best, float* distance2) {
    for (int i = 0; i < count; i++) {
        float d = distance2_to(job, triangles[i], at);
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
        float distance2 = INFINITY;
        for (int k = 0; k < 8; k++) {
            int cell = band_node(&job->band->grid, b, n % 8 - (k & 1), n / 8 % 8 - (k >> 1 & 1), n / 64 - (k >> 2));
            if (cell < 0 || !job->first[cell]) continue;
            for (int t = job->first[cell] - 1; t < s->triangle_count && s->cubes[t] == cell; t++)
                count = add_once(found, count, t);
        }
        shoal_d3 at        = band_place(&job->band->grid, node);
        job->nearest[node] = 1 + nearest_of(job, at, found, count, -1, &distance2);
        if (job->band->is_plain && count > 0) { // on the side that it was
            float distance               = fmaxf(sqrtf(distance2), (float)(BAND_TOUCH * job->band->grid.cell));
            job->band->grid.values[node] = job->band->inside[node >> 6] >> (node & 63) & 1 ? -distance : distance;
        }
    }
}

// The nearest triangles of the nodes around one. In the last round, when all have one, its own is left out, and those
// of rings further in, which have been asked before.
static int around(const rings_job* job, int node, int* found) {
    const int* near = job->band->grid.near + (size_t)BAND_NEAR * (size_t)(node / BAND_NODES);
    int        n = node % BAND_NODES, own = job->nearest[node], count = 0;
    for (int dz = -1; dz <= 1; dz++)
        for (int dy = -1; dy <= 1; dy++) {
            int        z = n / 64 + dz, y = n / 8 % 8 + dy;
            const int* blocks = near + ((z >> 3) + 1) * 9 + ((y >> 3) + 1) * 3 + 1;
            for (int x = n % 8 - 1; x <= n % 8 + 1; x++) {
                int block = blocks[x >> 3];
                if (block < 0) continue;
                int beside = BAND_NODES * block + 64 * (z & 7) + 8 * (y & 7) + (x & 7), triangle = job->nearest[beside];
                if (!triangle || triangle == own || (job->is_last && job->ring[beside] < job->ring[node])) continue;
                count = add_once(found, count, triangle - 1);
            }
        }
    return count;
}

static void ring_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    rings_job*  job  = ctx;
    shoal_band* band = job->band;
    for (int i = begin; i < end; i++) {
        int      node = job->list[i], found[CANDIDATES], best = job->nearest[node] - 1;
        int      count     = around(job, node, found);
        shoal_d3 at        = band_place(&band->grid, node);
        float    distance2 = INFINITY;
        if (best >= 0) {
            if (count == 0) {
                job->found[i] = 1 + best;
                continue;
            }
            distance2 = distance2_to(job, best, at);
        }
        best                    = nearest_of(job, at, found, count, best, &distance2);
        job->found[i]           = 1 + best;
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
    for (int i = 0; i < count; i++) job->nearest[job->list[i]] = job->found[i];
}

static void measure(rings_job* job, uint64_t* ring, uint64_t* done, const shoal_exec* exec) {
    shoal_band* band  = job->band;
    int         words = BAND_EDGE * band->grid.block_count;
    shoal_blocks(exec, band->surface.triangle_count, BLOCK, triangle_block, job);
    for (int t = band->surface.triangle_count - 1; t >= 0; t--) job->first[band->surface.cubes[t]] = 1 + t;
    int count = list_of(band->known, words, job->list);
    shoal_blocks(exec, count, BLOCK, inner_block, job);
    for (int w = 0; w < words; w++) done[w] = band->known[w];
    for (int k = 1; k <= SHOAL_BAND_RINGS; k++) {
        band_widen(&band->grid, done, ring, exec);
        for (int w = 0; w < words; w++) {
            ring[w] &= ~done[w];
            for (uint64_t m = ring[w]; m; m &= m - 1) job->ring[64 * w + __builtin_ctzll(m)] = (uint8_t)k;
        }
        measure_nodes(job, ring, words, exec);
        for (int w = 0; w < words; w++) done[w] |= ring[w];
    }
    for (int w = 0; w < words; w++) ring[w] = done[w] & ~band->known[w];
    job->is_last = true;
    measure_nodes(job, ring, words, exec);
    for (int w = 0; w < words; w++) band->known[w] = done[w];
}

shoal_status band_rings(shoal_band* band, const shoal_exec* exec) {
    size_t    nodes = (size_t)BAND_NODES * (size_t)band->grid.block_count;
    uint64_t *ring = shoal_alloc(nodes / 64, sizeof *ring), *done = shoal_alloc(nodes / 64, sizeof *done);
    rings_job job      = {.band      = band,
                          .triangles = shoal_alloc((size_t)band->surface.triangle_count + 1, sizeof *job.triangles),
                          .first     = shoal_alloc(nodes, sizeof(int)),
                          .nearest   = shoal_alloc(nodes, sizeof(int)),
                          .found     = shoal_alloc(nodes, sizeof(int)),
                          .list      = shoal_alloc(nodes, sizeof(int)),
                          .ring      = shoal_alloc(nodes, 1)};
    bool      is_there = ring && done && job.triangles && job.first && job.nearest && job.found && job.list && job.ring;
    if (is_there) measure(&job, ring, done, exec);
    shoal_free(ring);
    shoal_free(done);
    shoal_free(job.triangles);
    shoal_free(job.first);
    shoal_free(job.nearest);
    shoal_free(job.found);
    shoal_free(job.list);
    shoal_free(job.ring);
    return is_there ? SHOAL_OK : SHOAL_ERR_MEMORY;
}
