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
// with <m> the mean of m over the particles at the same depth (along m within SURFACE_LAYER_HALF spacings),
// a centre moves by 0.9 (m - <m>). Even layers stay where they are, and the moves of a layer add up
// to nothing, so volume is kept.
#include "surface/surface_local.h"

#include <math.h>

enum { CELL_BLOCK = 16, LAYERS_MOST = 32 };

// --- one particle

static surface_shape_job shaping_of(const surface_work* w) {
    return (surface_shape_job){w->spacing, w->support, w->params->stretch, w->params->neighbours};
}

static surface_splat round_splat(const surface_work* w, float weight, float x, float y, float z) {
    float m = 1.0f / (w->support * w->support);
    return (surface_splat){.x = x, .y = y, .z = z, .reach = w->support, .xx = m, .yy = m, .zz = m, .weight = weight};
}

// --- the level of flat water

// Moments of a particle in layer `depth` of a lattice of spacing 1 below y = 0; lengths in `reach`.
static surface_moments lattice_moments(int depth, double reach) {
    double sum[5] = {0};
    int    most = (int)reach + 1, count = 0;
    for (int y = -most; y <= depth; y++)
        for (int z = -most; z <= most; z++)
            for (int x = -most; x <= most; x++) {
                double q = (double)(x * x + y * y + z * z) / (reach * reach), k = 1.0 - q * sqrt(q);
                if (q >= 1.0) continue;
                count++;
                sum[0] += k, sum[1] += k * y / reach;
                sum[2] += k * x * x / (reach * reach), sum[3] += k * y * y / (reach * reach),
                    sum[4] += k * z * z / (reach * reach);
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
    double            ratio = (double)(w->support / w->spacing), level = 0;
    surface_shape_job shaping = shaping_of(w);
    int               layers  = (int)(2.0 * SURFACE_AXIS_MOST * ratio) + 2;
    for (int k = 0; k < layers && k < LAYERS_MOST; k++) {
        float         y = -((float)k + 0.5f) * w->spacing;
        surface_splat s;
        if (w->params->method == SHOAL_SURFACE_ANISOTROPIC) {
            surface_moments m = lattice_moments(k, (double)SURFACE_SEARCH * ratio);
            s                 = surface_shape_of(&shaping, &m, 0.0f, y, 0.0f);
        } else {
            s = round_splat(w, 1.0f / lattice_density(k, ratio), 0.0f, y, 0.0f);
        }
        for (int p = 0; p < 4; p++) level += 0.25 * layer_sum(w, &s, 0.5 * (p & 1), 0.5 * (p >> 1));
    }
    return (float)level;
}

// --- all particles

typedef struct splat_job {
    surface_work*  w;
    surface_near*  near;   // of each worker
    surface_splat* splats; // in the order the particles were given
    shoal_v3*      deeper; // [count] m, in the order of the index; NULL: centres stay
} splat_job;

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
    splat_job*           c              = ctx;
    const surface_work*  w              = c->w;
    const surface_index* index          = &w->index;
    surface_near*        near           = &c->near[worker];
    bool                 is_anisotropic = w->params->method == SHOAL_SURFACE_ANISOTROPIC;
    surface_shape_job    shaping        = shaping_of(w);
    float                reach = w->support * (is_anisotropic ? SURFACE_SEARCH : 1.0f), per = 1.0f / reach;
    for (int b = begin; b < end; b++) {
        int      from = index->cells.cell_start[b], to = index->cells.cell_start[b + 1];
        shoal_v3 low = find_near(w, near, b, reach);
        for (int i = from; i < to; i++) {
            float          x = index->x[i], y = index->y[i], z = index->z[i];
            float          ex = (x - low.x) * per, ey = (y - low.y) * per, ez = (z - low.z) * per;
            surface_splat* out = &c->splats[index->cells.order[i]];
            if (is_anisotropic) {
                surface_moments m = w->loops->moments(near, ex, ey, ez);
                *out              = surface_shape_of(&shaping, &m, x, y, z);
                if (c->deeper) c->deeper[i] = shoal_v3_scale(shoal_v3_make(m.x, m.y, m.z), reach / m.w);
            } else {
                *out = round_splat(w, 1.0f / w->loops->density(near, ex, ey, ez), x, y, z);
            }
        }
    }
}

// <m> of a particle, itself counted, by those that weigh() has found.
static shoal_v3 layer_mean(const splat_job* c, const surface_near* near, int hits, int i) {
    const surface_index* index = &c->w->index;
    shoal_v3             at    = shoal_v3_make(index->x[i], index->y[i], index->z[i]);
    surface_layer        layer = surface_layer_at(c->deeper[i], c->w->spacing);
    for (int k = 0; k < hits; k++) {
        int j = near->hit[k];
        surface_layer_add(&layer, shoal_v3_sub(shoal_v3_make(index->x[j], index->y[j], index->z[j]), at), c->deeper[j],
                          near->weight[k]);
    }
    return surface_layer_mean(&layer);
}

static void move_block(void* ctx, int begin, int end, int worker) {
    const splat_job*     c     = ctx;
    const surface_work*  w     = c->w;
    const surface_index* index = &w->index;
    surface_near*        near  = &c->near[worker];
    float                per = 1.0f / w->support, fraction = w->params->centering;
    for (int b = begin; b < end; b++) {
        shoal_v3 low = find_near(w, near, b, w->support);
        for (int i = index->cells.cell_start[b]; i < index->cells.cell_start[b + 1]; i++) {
            int hits = w->loops->weigh(near, (index->x[i] - low.x) * per, (index->y[i] - low.y) * per,
                                       (index->z[i] - low.z) * per);
            surface_move(&c->splats[index->cells.order[i]], c->deeper[i], layer_mean(c, near, hits, i), fraction);
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
    splat_job    c     = {.w = w, .splats = splats};
    int          cells = w->index.cells.cell_count;
    bool         moves = w->params->method == SHOAL_SURFACE_ANISOTROPIC && w->params->centering > 0.0f;
    shoal_status status =
        surface_near_create(&w->index, w->exec, w->index.frame.size + 2.001f * SURFACE_SEARCH * w->support, &c.near);
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
    *scale = surface_scale_of(w);
    return splat_all(w, splats);
}

float surface_scale_of(const surface_work* w) {
    surface_shape_job shaping = shaping_of(w);
    surface_moments   m       = lattice_moments(0, (double)(SURFACE_SEARCH * w->support / w->spacing));
    surface_splat     top =
        surface_shape_of(&shaping, &m, 0.0f, 0.0f, 0.0f); // of the uppermost layer, half a spacing below the surface
    return 0.5f * w->spacing * sqrtf(top.yy);
}
