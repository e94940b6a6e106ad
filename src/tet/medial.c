// SPDX-License-Identifier: MIT
#include "tet/medial.h"

#include <math.h>

enum { BLOCK = 256, RAY_STEPS = 16 };

void shoal_tet_medials_forget(shoal_tet_medials* m) {
    if (!m->arena) return;
    *m = (shoal_tet_medials){.octants = m->octants, .around = m->around, .arena = m->arena};
}

void shoal_tet_medials_free(shoal_tet_medials* m) {
    shoal_tet_medials_forget(m);
    void* const all[] = {m->items, m->found, m->first, m->order, m->keys, m->sorted, m->sort_scratch};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) shoal_free(all[k]);
    shoal_morton_free(&m->octants);
    shoal_morton_free(&m->around);
    *m = (shoal_tet_medials){0};
}

typedef struct thin_job {
    shoal_tet_medials*          m;
    const shoal_tet_medial_def* def;
    const shoal_band*           band;
} thin_job;

// --- where it is thin

// Outwards, of length one; false where it is not known.
static bool normal_at(const shoal_band* band, shoal_d3 at, shoal_d3* n) {
    if (!shoal_band_gradient(band, at, n)) return false;
    double l = shoal_d3_length(*n);
    *n       = shoal_d3_scale(*n, l > 0.0 ? 1.0 / l : 0.0);
    return l > 0.0;
}

// How far a ray goes through liquid; negative: farther than what is thin.
static double way_through(const shoal_tet_medial_def* def, shoal_d3 from, shoal_d3 way, shoal_clear* last) {
    double stride = def->thin / RAY_STEPS, before = -1e-9 * stride;
    for (int k = 1; k <= RAY_STEPS; k++) {
        double now = def->distance(def->ctx, shoal_d3_add(from, shoal_d3_scale(way, k * stride)), last);
        if (now > 0.0) return (k - 1 + before / (before - now)) * stride;
        before = now;
    }
    return -1.0;
}

// Most of a surface is not thin: the distance at the depth `thin` is then about as large.
static bool may_be_thin(const shoal_tet_medial_def* def, shoal_d3 at, shoal_d3 normal, shoal_clear* last) {
    return def->distance(def->ctx, shoal_d3_sub(at, shoal_d3_scale(normal, def->thin)), last) > -0.75 * def->thin;
}

static void find_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    thin_job*                   job  = ctx;
    const shoal_tet_medial_def* def  = job->def;
    shoal_clear                 last = {.off = (double)-INFINITY};
    for (int v = begin; v < end; v++) {
        shoal_tet_medial* m  = &job->m->found[v];
        shoal_d3          at = shoal_d3_from(job->band->surface.vertices[v]), n;
        *m                   = (shoal_tet_medial){at, 0.0, 0};
        if (!normal_at(job->band, at, &n) || !may_be_thin(def, at, n, &last) || !def->is_wet(def->ctx, at)) continue;
        shoal_d3 way     = shoal_d3_scale(n, -1.0);
        double   through = way_through(def, at, way, &last);
        if (!(through > 0.0)) continue;
        shoal_d3 middle = shoal_d3_add(at, shoal_d3_scale(way, 0.5 * through));
        if (-def->distance(def->ctx, middle, &last) < def->shortest * 0.5 * through) continue;
        *m = (shoal_tet_medial){middle, 0.5 * through, 0};
        def->place(def->ctx, way, m);
    }
}

// --- lists by octants, of two cells each

static bool place_of(const shoal_tet_medials* m, shoal_d3 at, int p[3]) {
    double edge = 2.0 * m->cell;
    for (int a = 0; a < 3; a++) {
        double x = (shoal_d3_axis(at, a) - shoal_d3_axis(m->origin, a)) / edge;
        if (!(x >= 0.0) || x >= (double)(1 << m->bits)) return false;
        p[a] = (int)x;
    }
    return true;
}

static shoal_status reserve(shoal_tet_medials* m, int n) {
    shoal_arena* arena = m->arena;
    SHOAL_TRY(shoal_arena_reserve(arena, (void**)&m->items, &m->item_capacity, n, sizeof *m->items));
    SHOAL_TRY(shoal_arena_reserve(arena, (void**)&m->keys, &m->key_capacity, 27 * n, sizeof *m->keys));
    SHOAL_TRY(shoal_arena_reserve(arena, (void**)&m->sorted, &m->sorted_capacity, n, sizeof *m->sorted));
    SHOAL_TRY(shoal_arena_reserve(arena, (void**)&m->order, &m->order_capacity, n, sizeof *m->order));
    SHOAL_TRY(shoal_arena_reserve(arena, (void**)&m->first, &m->first_capacity, n + 1, sizeof *m->first));
    return shoal_arena_reserve(arena, &m->sort_scratch, &m->sort_capacity, (int)((shoal_sort_scratch(n) + 7) / 8), 8);
}

static shoal_status sort_by_octants(shoal_tet_medials* m, int vertices, const shoal_exec* exec) {
    int n = 0, limit = 1 << m->bits, octants = 0;
    for (int v = 0; v < vertices; v++) {
        int p[3];
        if (m->found[v].radius > 0.0 && place_of(m, m->found[v].at, p)) {
            m->found[n] = m->found[v];
            n++;
        }
    }
    m->count = n;
    SHOAL_TRY(reserve(m, n));
    for (int i = 0; i < n; i++) {
        int p[3] = {0, 0, 0};
        place_of(m, m->found[i].at, p);
        m->keys[i] = shoal_morton(p[0], p[1], p[2]);
    }
    shoal_sort_keys(exec, m->keys, n, 3 * m->bits, m->order, m->sorted, m->sort_scratch);
    for (int i = 0; i < n; i++) {
        m->items[i] = m->found[m->order[i]];
        if (i == 0 || m->sorted[i] != m->sorted[i - 1]) m->first[octants] = i, m->keys[octants++] = m->sorted[i];
    }
    m->first[octants] = n;
    SHOAL_TRY(shoal_morton_collect(&m->octants, m->bits, m->keys, octants, exec));
    int beside = 0;
    for (int k = 0; k < octants; k++) {
        int p[3];
        shoal_morton_split(m->octants.keys[k], p);
        for (int i = 0; i < 27; i++) {
            int q[3] = {p[0] + i % 3 - 1, p[1] + i / 3 % 3 - 1, p[2] + i / 9 - 1};
            if (q[0] < 0 || q[1] < 0 || q[2] < 0 || q[0] >= limit || q[1] >= limit || q[2] >= limit) continue;
            m->keys[beside++] = shoal_morton(q[0], q[1], q[2]);
        }
    }
    return shoal_morton_collect(&m->around, m->bits, m->keys, beside, exec);
}

shoal_status shoal_tet_medials_find(shoal_tet_medials* m, const shoal_band* band, const shoal_octree* tree,
                                    const shoal_tet_medial_def* def, const shoal_exec* exec) {
    int      vertices = band->surface.vertex_count;
    thin_job job      = {m, def, band};
    m->count          = 0;
    m->cell           = band->grid.cell;
    m->origin         = tree->origin;
    m->bits           = tree->levels;
    SHOAL_TRY(shoal_arena_reserve(m->arena, (void**)&m->found, &m->found_capacity, vertices, sizeof *m->found));
    shoal_blocks(exec, vertices, BLOCK, find_block, &job);
    return sort_by_octants(m, vertices, exec);
}

// --- those near a place

bool shoal_tet_medials_are_near(const shoal_tet_medials* m, shoal_d3 at) {
    int p[3];
    return m->count > 0 && place_of(m, at, p) && shoal_morton_find(&m->around, p[0], p[1], p[2]) >= 0;
}

// How far an octant's coordinate is from a place among octants, along an axis.
static double beyond(int octant, double at) {
    return at < octant ? octant - at : at > octant + 1 ? at - (octant + 1) : 0.0;
}

void shoal_tet_medials_near(const shoal_tet_medials* m, shoal_d3 at, double reach, shoal_tet_medial_fn fn, void* ctx) {
    double edge = 2.0 * m->cell, within = reach / edge * (1.0 + 1e-6) + 1e-6, q[3];
    int    p[3], rings = (int)ceil(reach / edge), limit = 1 << m->bits;
    if (!place_of(m, at, p)) return;
    for (int a = 0; a < 3; a++) q[a] = (shoal_d3_axis(at, a) - shoal_d3_axis(m->origin, a)) / edge;
    for (int z = p[2] - rings; z <= p[2] + rings; z++)
        for (int y = p[1] - rings; y <= p[1] + rings; y++) {
            double   dz = beyond(z, q[2]), dy = beyond(y, q[1]), rest = within * within - dz * dz - dy * dy;
            uint64_t row = shoal_morton_spread((uint32_t)y) << 1 | shoal_morton_spread((uint32_t)z) << 2, last = 0;
            const shoal_morton_brick* brick    = NULL;
            bool                      is_first = true;
            if (rest < 0.0 || (unsigned)(y | z) >= (unsigned)limit) continue;
            for (int x = p[0] - rings; x <= p[0] + rings; x++) {
                double dx = beyond(x, q[0]);
                if (dx * dx > rest || x < 0 || x >= limit) continue; // none there is near enough
                uint64_t key = row | shoal_morton_spread((uint32_t)x);
                if (is_first || key >> 9 != last) brick = shoal_morton_brick_at(&m->octants, key >> 9);
                is_first = false, last = key >> 9;
                int octant = brick ? shoal_morton_rank_in(brick, key) : -1;
                if (octant < 0) continue;
                for (int i = m->first[octant]; i < m->first[octant + 1]; i++) {
                    shoal_d3 to     = shoal_d3_sub(m->items[i].at, at);
                    double   square = shoal_d3_dot(to, to);
                    if (square < reach * reach) fn(ctx, i, square);
                }
            }
        }
}
