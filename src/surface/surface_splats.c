// SPDX-License-Identifier: MIT
// The particles of the methods that sum kernels, and the level at which the sum is the surface.
//
//   blobby       sum of (1 - s^2)^3 [Blinn 1982]; the level is that of a lone particle at its
//   radius color-field  sum of V W with V = 1 / (number density) [Mueller et al. 2003] anisotropic
//   sum of V det(G) P(|G (x - xbar)|), each kernel stretched along its neighbours [Yu & Turk 2013]
//
// The levels of the last two are measured on a lattice that fills a half space: flat water is where
// it should be.
//
// Centres are evened out by 0.9 of the way m to the mean of their neighbours in the paper. At a
// surface that mean lies below the particle however even the water is, by up to 0.32 * 2h: all
// layers sink and crowd, flat water ends 1.2 spacings too deep, and a cube of 12^3 particles keeps
// 0.56 of its volume. What those beside a particle have in common with it is therefore taken off:
// with <m> the mean of m over the particles at the same depth (along m within LAYER_HALF spacings),
// a centre moves by 0.9 (m - <m>). Even layers stay where they are, and the moves of a layer add up
// to nothing, so volume is kept.
#include "surface/surface_local.h"

#include <math.h>

enum { CELL_BLOCK = 16, LAYERS_MOST = 32 };

#define POLY6 (315.0 / (64.0 * SHOAL_PI)) // makes the integral of (1 - s^2)^3 one
// Axes in units of the variance of a full neighbourhood, 0.6 h^2; longer ones than twice that are
// held.
#define FULL_VARIANCE 0.6
#define AXIS_MOST 2.0
// Neighbours are looked for within twice the support.
#define LOOK_AROUND 2.0f
// spacings; those beside a particle lie no further from it along m: a layer of water is a spacing
// thick
#define LAYER_HALF 0.75f

// --- one particle

// Eigenvalues of a symmetric matrix on its diagonal, eigenvectors in the columns of v, by Jacobi
// rotations.
static void eigen3(double a[3][3], double v[3][3]) {
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) v[i][k] = i == k;
    for (int sweep = 0; sweep < 12; sweep++) {
        double off = a[0][1] * a[0][1] + a[0][2] * a[0][2] + a[1][2] * a[1][2];
        double on  = a[0][0] * a[0][0] + a[1][1] * a[1][1] + a[2][2] * a[2][2];
        if (!(off > 1e-16 * on)) return;
        for (int p = 0; p < 2; p++)
            for (int q = p + 1; q < 3; q++) {
                if (a[p][q] == 0.0) continue;
                double theta = (a[q][q] - a[p][p]) / (2.0 * a[p][q]);
                double t     = (theta < 0.0 ? -1.0 : 1.0) / (fabs(theta) + sqrt(theta * theta + 1.0));
                double c = 1.0 / sqrt(t * t + 1.0), s = t * c;
                for (int k = 0; k < 3; k++) {
                    double x = a[k][p], y = a[k][q];
                    a[k][p] = c * x - s * y;
                    a[k][q] = s * x + c * y;
                }
                for (int k = 0; k < 3; k++) {
                    double x = a[p][k], y = a[q][k];
                    a[p][k] = c * x - s * y;
                    a[q][k] = s * x + c * y;
                    x = v[k][p], y = v[k][q];
                    v[k][p] = c * x - s * y;
                    v[k][q] = s * x + c * y;
                }
            }
    }
}

// The splat of a particle from the moments of its neighbours, whose lengths are in 2h; x, y, z in
// m.
static surface_splat anisotropic(const surface_work* w, const surface_moments* m, float x, float y, float z) {
    double h = (double)w->support, n = (double)m->w;
    double mean[3] = {(double)m->x / n, (double)m->y / n, (double)m->z / n};
    double a[3][3], v[3][3], ratio = (double)w->spacing / h;
    double axis[3] = {ratio, ratio, ratio}; // with few neighbours: round, a spacing wide
    a[0][0]        = (double)m->xx / n - mean[0] * mean[0];
    a[1][1]        = (double)m->yy / n - mean[1] * mean[1];
    a[2][2]        = (double)m->zz / n - mean[2] * mean[2];
    a[0][1] = a[1][0] = (double)m->xy / n - mean[0] * mean[1];
    a[0][2] = a[2][0] = (double)m->xz / n - mean[0] * mean[2];
    a[1][2] = a[2][1] = (double)m->yz / n - mean[1] * mean[2];
    eigen3(a, v);
    if (m->count > w->params->neighbours) {
        // k_s s with k_s = 1 / (0.6 h^2); s is in (2h)^2. No axis is shorter than a spacing: layers
        // of a thin sheet, a spacing apart, would part, and kernels of clumps fall between the
        // samples.
        double most  = fmax(a[0][0], fmax(a[1][1], a[2][2])),
               scale = (double)(LOOK_AROUND * LOOK_AROUND) / FULL_VARIANCE;
        for (int k = 0; k < 3; k++)
            axis[k] = fmin(AXIS_MOST, fmax(scale * fmax(a[k][k], most / (double)w->params->stretch), ratio));
    }
    double g[3], longest = fmax(axis[0], fmax(axis[1], axis[2]));
    double volume = ratio * ratio * ratio;
    for (int k = 0; k < 3; k++) g[k] = 1.0 / (h * h * axis[k] * axis[k]);
    surface_splat s = {.x      = x,
                       .y      = y,
                       .z      = z,
                       .reach  = (float)(h * longest),
                       .weight = (float)(POLY6 * volume / (axis[0] * axis[1] * axis[2]))};
    for (int k = 0; k < 3; k++) {
        s.xx += (float)(g[k] * v[0][k] * v[0][k]), s.xy += (float)(g[k] * v[0][k] * v[1][k]);
        s.xz += (float)(g[k] * v[0][k] * v[2][k]), s.yy += (float)(g[k] * v[1][k] * v[1][k]);
        s.yz += (float)(g[k] * v[1][k] * v[2][k]), s.zz += (float)(g[k] * v[2][k] * v[2][k]);
    }
    return s;
}

static surface_splat round_splat(const surface_work* w, float weight, float x, float y, float z) {
    float m = 1.0f / (w->support * w->support);
    return (surface_splat){.x = x, .y = y, .z = z, .reach = w->support, .xx = m, .yy = m, .zz = m, .weight = weight};
}

// --- the level of flat water

// Moments of a particle in layer `depth` of a lattice of spacing 1 below y = 0; lengths in `look`.
static surface_moments lattice_moments(int depth, double look) {
    double sum[5] = {0};
    int    most = (int)look + 1, count = 0;
    for (int y = -most; y <= depth; y++)
        for (int z = -most; z <= most; z++)
            for (int x = -most; x <= most; x++) {
                double q = (double)(x * x + y * y + z * z) / (look * look), k = 1.0 - q * sqrt(q);
                if (q >= 1.0) continue;
                count++;
                sum[0] += k, sum[1] += k * y / look;
                sum[2] += k * x * x / (look * look), sum[3] += k * y * y / (look * look),
                    sum[4] += k * z * z / (look * look);
            }
    return (surface_moments){.w     = (float)sum[0],
                             .y     = (float)sum[1],
                             .xx    = (float)sum[2],
                             .yy    = (float)sum[3],
                             .zz    = (float)sum[4],
                             .count = count};
}

static float lattice_density(int depth, double support) {
    double sum  = 0;
    int    most = (int)support + 1;
    for (int y = -most; y <= depth; y++)
        for (int z = -most; z <= most; z++)
            for (int x = -most; x <= most; x++) {
                double t = 1.0 - (double)(x * x + y * y + z * z) / (support * support);
                if (t > 0) sum += t * t * t;
            }
    return (float)sum;
}

// What a whole layer of such splats adds at a point of the plane y = 0, given by its place between
// the columns.
static double layer_sum(const surface_work* w, const surface_splat* s, double px, double pz) {
    double sum = 0, d = (double)w->spacing;
    int    most = (int)((double)s->reach / d) + 2;
    for (int z = -most; z <= most; z++)
        for (int x = -most; x <= most; x++) {
            double ex = (px - x) * d, ey = -(double)s->y, ez = (pz - z) * d;
            double t = 1.0 - (double)s->xx * ex * ex - (double)s->yy * ey * ey - (double)s->zz * ez * ez;
            if (t > 0) sum += (double)s->weight * t * t * t;
        }
    return sum;
}

static float flat_level(const surface_work* w) {
    double ratio = (double)(w->support / w->spacing), level = 0;
    int    layers = (int)(2.0 * AXIS_MOST * ratio) + 2;
    for (int k = 0; k < layers && k < LAYERS_MOST; k++) {
        float         y = -((float)k + 0.5f) * w->spacing;
        surface_splat s;
        if (w->params->method == SHOAL_SURFACE_ANISOTROPIC) {
            surface_moments m = lattice_moments(k, (double)LOOK_AROUND * ratio);
            s                 = anisotropic(w, &m, 0.0f, y, 0.0f);
        } else {
            s = round_splat(w, 1.0f / lattice_density(k, ratio), 0.0f, y, 0.0f);
        }
        for (int p = 0; p < 4; p++) level += 0.25 * layer_sum(w, &s, 0.5 * (p & 1), 0.5 * (p >> 1));
    }
    return (float)level;
}

// --- all particles

typedef struct splatting {
    surface_work*  w;
    surface_near*  near;   // of each worker
    surface_splat* splats; // in the order the particles were given
    shoal_v3*      deeper; // [count] m, in the order of the index; NULL: centres stay
} splatting;

// Those within reach of the particles of a cell, lengths in `reach`; returns their corner.
static shoal_v3 find_near(const surface_work* w, surface_near* near, int cell, float reach) {
    const surface_index* index = &w->index;
    int                  from = index->cells.cell_start[cell], to = index->cells.cell_start[cell + 1];
    shoal_v3             low = shoal_v3_make(index->x[from], index->y[from], index->z[from]), high = low;
    for (int i = from + 1; i < to; i++) {
        low  = shoal_v3_make(fminf(low.x, index->x[i]), fminf(low.y, index->y[i]), fminf(low.z, index->z[i]));
        high = shoal_v3_make(fmaxf(high.x, index->x[i]), fmaxf(high.y, index->y[i]), fmaxf(high.z, index->z[i]));
    }
    shoal_v3 rim = shoal_v3_make(1.0001f * reach, 1.0001f * reach, 1.0001f * reach);
    surface_near_find(near, w->loops, index, shoal_v3_sub(low, rim), shoal_v3_add(high, rim), low, 1.0f / reach);
    return low;
}

static void splat_block(void* ctx, int begin, int end, int worker) {
    splatting*           c              = ctx;
    const surface_work*  w              = c->w;
    const surface_index* index          = &w->index;
    surface_near*        near           = &c->near[worker];
    bool                 is_anisotropic = w->params->method == SHOAL_SURFACE_ANISOTROPIC;
    float                reach = w->support * (is_anisotropic ? LOOK_AROUND : 1.0f), per = 1.0f / reach;
    for (int b = begin; b < end; b++) {
        int      from = index->cells.cell_start[b], to = index->cells.cell_start[b + 1];
        shoal_v3 low = find_near(w, near, b, reach);
        for (int i = from; i < to; i++) {
            float          x = index->x[i], y = index->y[i], z = index->z[i];
            float          ex = (x - low.x) * per, ey = (y - low.y) * per, ez = (z - low.z) * per;
            surface_splat* out = &c->splats[index->cells.order[i]];
            if (is_anisotropic) {
                surface_moments m = w->loops->moments(near, ex, ey, ez);
                *out              = anisotropic(w, &m, x, y, z);
                if (c->deeper) c->deeper[i] = shoal_v3_scale(shoal_v3_make(m.x, m.y, m.z), reach / m.w);
            } else {
                *out = round_splat(w, 1.0f / w->loops->density(near, ex, ey, ez), x, y, z);
            }
        }
    }
}

// <m> of a particle, itself counted. Weights are (1 - r^2)^3 within the support times the square of
// 1 - (depth / LAYER_HALF)^2.
static shoal_v3 layer_mean(const splatting* c, const surface_near* near, int hits, int i) {
    const surface_index* index = &c->w->index;
    shoal_v3             m = c->deeper[i], sum = shoal_v3_make(0.0f, 0.0f, 0.0f);
    float                length = shoal_v3_length(m), total = 0.0f;
    if (!(length > 0.0f)) return m;
    shoal_v3 depth = shoal_v3_scale(m, 1.0f / (length * LAYER_HALF * c->w->spacing));
    for (int k = 0; k < hits; k++) {
        int      j = near->hit[k];
        shoal_v3 e = shoal_v3_make(index->x[j] - index->x[i], index->y[j] - index->y[i], index->z[j] - index->z[i]);
        float    s = shoal_v3_dot(e, depth), t = 1.0f - s * s;
        if (!(t > 0.0f)) continue;
        float share = near->weight[k] * t * t;
        sum         = shoal_v3_add_scaled(sum, c->deeper[j], share);
        total += share;
    }
    return total > 0.0f ? shoal_v3_scale(sum, 1.0f / total) : m;
}

static void move_block(void* ctx, int begin, int end, int worker) {
    const splatting*     c     = ctx;
    const surface_work*  w     = c->w;
    const surface_index* index = &w->index;
    surface_near*        near  = &c->near[worker];
    float                per = 1.0f / w->support, share = w->params->centering;
    for (int b = begin; b < end; b++) {
        shoal_v3 low = find_near(w, near, b, w->support);
        for (int i = index->cells.cell_start[b]; i < index->cells.cell_start[b + 1]; i++) {
            int            hits = w->loops->weigh(near, (index->x[i] - low.x) * per, (index->y[i] - low.y) * per,
                                                  (index->z[i] - low.z) * per);
            shoal_v3       move = shoal_v3_sub(c->deeper[i], layer_mean(c, near, hits, i));
            surface_splat* s    = &c->splats[index->cells.order[i]];
            s->x += share * move.x, s->y += share * move.y, s->z += share * move.z;
        }
    }
}

// Splats are gathered by their own centres, which have moved.
static shoal_status sort_splats(surface_work* w, const surface_splat* splats) {
    shoal_box box = shoal_box_empty();
    for (int i = 0; i < w->count; i++) {
        w->places[i] = (shoal_v4){splats[i].x, splats[i].y, splats[i].z, 0.0f};
        box = shoal_box_with(box, shoal_d3_make((double)splats[i].x, (double)splats[i].y, (double)splats[i].z));
        w->reach_most = fmaxf(w->reach_most, splats[i].reach);
    }
    // centres stay between the particles they come from
    w->low  = shoal_d3_make(fmin(box.min.x, w->low.x), fmin(box.min.y, w->low.y), fmin(box.min.z, w->low.z));
    w->high = shoal_d3_make(fmax(box.max.x, w->high.x), fmax(box.max.y, w->high.y), fmax(box.max.z, w->high.z));
    SHOAL_TRY(
        surface_index_make(&w->splat_index, w->exec, w->places, w->count, w->low, w->high, SURFACE_EDGE * w->cell));
    w->splats = shoal_alloc((size_t)w->count, sizeof *w->splats);
    if (!w->splats) return SHOAL_ERR_MEMORY;
    for (int i = 0; i < w->count; i++) w->splats[i] = splats[w->splat_index.cells.order[i]];
    return SHOAL_OK;
}

static shoal_status splat_all(surface_work* w, surface_splat* splats) {
    splatting    c     = {.w = w, .splats = splats};
    int          cells = w->index.cells.cell_count;
    bool         moves = w->params->method == SHOAL_SURFACE_ANISOTROPIC && w->params->centering > 0.0f;
    shoal_status status =
        surface_near_create(&w->index, w->exec, w->index.frame.size + 2.001f * LOOK_AROUND * w->support, &c.near);
    if (status == SHOAL_OK && moves) {
        c.deeper = shoal_alloc((size_t)w->count, sizeof *c.deeper);
        if (!c.deeper) status = SHOAL_ERR_MEMORY;
    }
    if (status == SHOAL_OK) {
        shoal_blocks(w->exec, cells, CELL_BLOCK, splat_block, &c);
        if (moves) shoal_blocks(w->exec, cells, CELL_BLOCK, move_block, &c);
    }
    shoal_free(c.deeper);
    surface_near_destroy(c.near, w->exec);
    return status;
}

shoal_status surface_splats_make(surface_work* w) {
    surface_splat* splats = shoal_alloc((size_t)w->count, sizeof *splats);
    if (!splats) return SHOAL_ERR_MEMORY;
    shoal_status status = SHOAL_OK;
    if (w->params->method == SHOAL_SURFACE_BLOBBY) {
        w->level = shoal_surface_blob_of(w->params).level;
        for (int i = 0; i < w->count; i++)
            splats[i] = round_splat(w, 1.0f, w->places[i].x, w->places[i].y, w->places[i].z);
    } else {
        w->level = w->params->level > 0.0f ? w->params->level : flat_level(w);
        status   = splat_all(w, splats);
    }
    if (status == SHOAL_OK) status = sort_splats(w, splats);
    shoal_free(splats);
    return status;
}

shoal_status surface_splats_shape(surface_work* w, surface_splat* splats, float* scale) {
    surface_moments m = lattice_moments(0, (double)(LOOK_AROUND * w->support / w->spacing));
    surface_splat   top =
        anisotropic(w, &m, 0.0f, 0.0f, 0.0f); // of the uppermost layer, half a spacing below the surface
    *scale = 0.5f * w->spacing * sqrtf(top.yy);
    return splat_all(w, splats);
}
