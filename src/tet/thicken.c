// SPDX-License-Identifier: MIT
#include "tet/thicken.h"

#include <math.h>

enum { BLOCK = 256, RAY_STEPS = 16 };

// Half way through a sheet the tracked distance, which is smooth there, is less than half of the thickness, 0.37 of it
// and more in parts about to vanish; less than this fraction of it is the edge of something else.
#define SHORTEST 0.3
// Reach of a ball, in cells [Zhu & Bridson 2005].
#define REACH 2.0

void shoal_tet_thicken_free(shoal_tet_thicken* t) {
    void* const all[] = {t->items, t->found, t->given, t->first, t->order, t->keys, t->sorted, t->sort_scratch};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) shoal_free(all[k]);
    shoal_morton_free(&t->octants);
    shoal_morton_free(&t->around);
    *t = (shoal_tet_thicken){0};
}

typedef struct thin_job {
    shoal_tet_thicken*           t;
    const shoal_tet_thicken_def* def;
    const shoal_band*            band;
    double                       thin; // m
    shoal_tet_wet_fn             is_wet;
    shoal_tet_carry_fn           carry;
    void*                        ctx;
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
static double way_through(const thin_job* job, shoal_d3 from, shoal_d3 way) {
    double stride = job->thin / RAY_STEPS, before = -1e-9 * stride;
    for (int k = 1; k <= RAY_STEPS; k++) {
        double now = shoal_band_distance(job->band, shoal_d3_add(from, shoal_d3_scale(way, k * stride)));
        if (now > 0.0) return (k - 1 + before / (before - now)) * stride;
        before = now;
    }
    return -1.0;
}

// Most of a surface is not thin: the distance at that depth is then about as large.
static bool may_be_thin(const thin_job* job, shoal_d3 at, shoal_d3 normal) {
    return shoal_band_distance(job->band, shoal_d3_sub(at, shoal_d3_scale(normal, job->thin))) > -0.75 * job->thin;
}

static void find_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    thin_job* job = ctx;
    for (int v = begin; v < end; v++) {
        shoal_tet_medial* m  = &job->t->found[v];
        shoal_d3          at = shoal_d3_from(job->band->surface.vertices[v]), n;
        *m                   = (shoal_tet_medial){at, 0.0, 0};
        if (!normal_at(job->band, at, &n) || !may_be_thin(job, at, n) || !job->is_wet(job->ctx, at)) continue;
        shoal_d3 way     = shoal_d3_scale(n, -1.0);
        double   through = way_through(job, at, way);
        if (!(through > 0.0)) continue;
        shoal_d3 middle = shoal_d3_add(at, shoal_d3_scale(way, 0.5 * through));
        if (-shoal_band_distance(job->band, middle) < SHORTEST * 0.5 * through) continue;
        *m = (shoal_tet_medial){job->carry ? job->carry(job->ctx, middle) : middle, 0.5 * through, 0};
    }
}

// --- lists by octants, of two cells each

static bool place_of(const shoal_tet_thicken* m, shoal_d3 at, int p[3]) {
    double edge = 2.0 * m->cell;
    for (int a = 0; a < 3; a++) {
        double x = (shoal_d3_axis(at, a) - shoal_d3_axis(m->origin, a)) / edge;
        if (!(x >= 0.0) || x >= (double)(1 << m->bits)) return false;
        p[a] = (int)x;
    }
    return true;
}

static shoal_status reserve(shoal_tet_thicken* m, int n) {
    SHOAL_TRY(shoal_reserve((void**)&m->items, &m->item_capacity, n, sizeof *m->items));
    SHOAL_TRY(shoal_reserve((void**)&m->keys, &m->key_capacity, 27 * n, sizeof *m->keys));
    SHOAL_TRY(shoal_reserve((void**)&m->sorted, &m->sorted_capacity, n, sizeof *m->sorted));
    SHOAL_TRY(shoal_reserve((void**)&m->order, &m->order_capacity, n, sizeof *m->order));
    SHOAL_TRY(shoal_reserve((void**)&m->first, &m->first_capacity, n + 1, sizeof *m->first));
    SHOAL_TRY(shoal_reserve((void**)&m->given, &m->given_capacity, n, sizeof *m->given));
    return shoal_reserve(&m->sort_scratch, &m->sort_capacity, (int)((shoal_sort_scratch(n) + 7) / 8), 8);
}

static shoal_status sort_by_octants(shoal_tet_thicken* m, int vertices, const shoal_exec* exec) {
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

// --- those near a place

static bool are_near(const shoal_tet_thicken* m, shoal_d3 at) {
    int p[3];
    return m->count > 0 && place_of(m, at, p) && shoal_morton_find(&m->around, p[0], p[1], p[2]) >= 0;
}

// How far an octant's coordinate is from a place among octants, along an axis.
static double beyond(int octant, double at) {
    return at < octant ? octant - at : at > octant + 1 ? at - (octant + 1) : 0.0;
}

// Calls `fn` for those within `reach` of a place, in their order, with the square of the distance.
static void each_near(const shoal_tet_thicken* m, shoal_d3 at, double reach,
                      void (*fn)(void* ctx, int i, double square), void* ctx) {
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

// --- radii

// Radii above a quarter of what counts as thin are less thin than others. [The paper's bound is the largest radius that
// a thin part can have, by which none would be less thin.]
static bool is_big(const thin_job* job, const shoal_tet_medial* m) {
    return m->radius > 0.25 * job->def->thin * job->t->cell;
}

typedef struct count_job {
    const thin_job* job;
    int             count;
} count_job;
static void count_big(void* ctx, int i, double square) {
    (void)square;
    count_job* c = ctx;
    c->count += is_big(c->job, &c->job->t->items[i]);
}
static void count_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    thin_job* job = ctx;
    for (int i = begin; i < end; i++) {
        shoal_tet_medial* m = &job->t->items[i];
        count_job         c = {job, 0};
        job->t->given[i]    = 0.0;
        if (!is_big(job, m)) each_near(job->t, m->at, job->def->redistribute * job->t->cell, count_big, &c);
        m->near = is_big(job, m) ? -1 : c.count;
    }
}

typedef struct gift_job {
    const shoal_tet_thicken* t;
    double                   sum;
} gift_job;
static void take_fraction(void* ctx, int i, double square) {
    (void)square;
    gift_job*               g = ctx;
    const shoal_tet_medial* m = &g->t->items[i];
    if (m->near > 0) g->sum += m->radius / m->near;
}
static void distribute_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    thin_job* job = ctx;
    for (int i = begin; i < end; i++) {
        gift_job g = {job->t, 0.0};
        if (job->t->items[i].near >= 0) continue;
        each_near(job->t, job->t->items[i].at, job->def->redistribute * job->t->cell, take_fraction, &g);
        job->t->given[i] = g.sum;
    }
}

// Those that have given all are gone: they have no radius.
static void grow_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    thin_job* job = ctx;
    for (int i = begin; i < end; i++) {
        shoal_tet_medial* m    = &job->t->items[i];
        double            cell = job->t->cell, most = 0.5 * job->def->thin * cell;
        if (m->near < 0)
            m->radius = fmin(m->radius + job->t->given[i], most) + job->def->more_big * cell;
        else
            m->radius = m->near > 0 ? 0.0 : m->radius + job->def->more_small * cell;
    }
}

shoal_status shoal_tet_thin_find(shoal_tet_thicken* t, const shoal_band* band, const shoal_octree* tree, double thin,
                                 shoal_tet_wet_fn is_wet, shoal_tet_carry_fn carry, void* ctx, const shoal_exec* exec) {
    thin_job job      = {.t = t, .band = band, .thin = thin, .is_wet = is_wet, .carry = carry, .ctx = ctx};
    int      vertices = band->surface.vertex_count;
    t->count          = 0;
    t->cell           = band->grid.cell;
    t->origin         = tree->origin;
    t->bits           = tree->levels;
    SHOAL_TRY(shoal_reserve((void**)&t->found, &t->found_capacity, vertices, sizeof *t->found));
    shoal_blocks(exec, vertices, BLOCK, find_block, &job);
    return sort_by_octants(t, vertices, exec);
}

shoal_status shoal_tet_thicken_make(shoal_tet_thicken* t, const shoal_band* band, const shoal_octree* tree,
                                    const shoal_tet_thicken_def* def, shoal_tet_wet_fn is_wet, shoal_tet_carry_fn carry,
                                    void* ctx, const shoal_exec* exec) {
    thin_job job = {.t = t, .def = def};
    SHOAL_TRY(shoal_tet_thin_find(t, band, tree, def->thin * band->grid.cell, is_wet, carry, ctx, exec));
    shoal_blocks(exec, t->count, BLOCK, count_block, &job);
    shoal_blocks(exec, t->count, BLOCK, distribute_block, &job);
    shoal_blocks(exec, t->count, BLOCK, grow_block, &job);
    return SHOAL_OK;
}

// --- balls

typedef struct ball_job {
    const shoal_tet_thicken* t;
    shoal_d3                 at;
    double                   weight, radius;
} ball_job;
static void add_ball(void* ctx, int i, double square) {
    ball_job*               b     = ctx;
    const shoal_tet_medial* m     = &b->t->items[i];
    double                  reach = REACH * b->t->cell, rest = 1.0 - square / (reach * reach), w = rest * rest * rest;
    if (!(m->radius > 0.0)) return;
    b->weight += w;
    b->radius += w * m->radius;
    b->at = shoal_d3_add(b->at, shoal_d3_scale(m->at, w));
}

double shoal_tet_thickened(const shoal_tet_thicken* t, shoal_d3 at, double distance) {
    ball_job b = {t, {0.0, 0.0, 0.0}, 0.0, 0.0};
    if (!are_near(t, at)) return distance;
    each_near(t, at, REACH * t->cell, add_ball, &b);
    if (!(b.weight > 0.0)) return distance;
    double ball = shoal_d3_length(shoal_d3_sub(at, shoal_d3_scale(b.at, 1.0 / b.weight))) - b.radius / b.weight;
    return ball < distance ? ball : distance;
}

// --- the mesh [3.4.2]

// In edges of its tetrahedra, of two cells: half as thick thin parts become, and how far away others count. [4, with a
// thousand particles, in Chentanez et al.]
#define MESH_HALF 0.6
#define MESH_REACH 2.0

typedef struct offset_job {
    const shoal_tet_thicken* t;
    double                   weight, offset;
} offset_job;
static void add_offset(void* ctx, int i, double square) {
    offset_job* o    = ctx;
    double      edge = 2.0 * o->t->cell, rest = 1.0 - square / (MESH_REACH * MESH_REACH * edge * edge),
           w = rest * rest * rest;
    o->weight += w;
    o->offset += w * (MESH_HALF * edge - o->t->items[i].radius);
}

double shoal_tet_thin_offset(const shoal_tet_thicken* t, shoal_d3 at) {
    offset_job o = {t, 0.0, 0.0};
    if (!are_near(t, at)) return 0.0;
    each_near(t, at, MESH_REACH * 2.0 * t->cell, add_offset, &o);
    return o.weight > 0.0 ? fmax(0.0, o.offset / o.weight) : 0.0;
}
