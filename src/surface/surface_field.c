// SPDX-License-Identifier: MIT
// The scalar field: which blocks there are, and their samples, each block gathered from the
// particles around it.
//
// Zhu & Bridson 2005: phi(x) = |x - xbar| - r, with the average position xbar of the particles
// within the support, weighted by (1 - s^2)^3. In hollows xbar runs faster than x and phi would be
// negative where nothing is; there r is scaled down by the largest eigenvalue of d xbar / d x
// [Solenthaler et al. 2007]. A lone particle has none, so its sphere stays exact.
#include "surface/surface_local.h"

#include <math.h>
#include <string.h>

enum { BLOCKS_MOST = 1 << 21 }; // 4 GB of samples

// Below this stretch of the average nothing is scaled down.
#define STRETCH_LOW 0.4
// Samples with more than this fraction of a full neighbourhood are in the middle of things, where no
// hollow can be.
#define FULL_FRACTION 0.75f
// Sum of (1 - s^2)^3 over a full neighbourhood, per (support / spacing)^3: 64 pi / 315.
#define FULL_SUM 0.6382987f
// spacings; how far the surfaces of two materials that touch reach beyond the middle, and how much
// further at the outer surface
#define MEET_OVER 0.05f
#define MEET_OUTSIDE 0.3f
// A block, 8 cells wide, that sees no more particles than this holds spray: its drops are smaller
// than what smoothing is meant for.
enum { SPRAY_MOST = 8 };

// By Newton's steps from a third of the exponent, right to 1e-6; the same bits everywhere.
static float cube_root(float x) {
    uint32_t bits;
    float    y;
    memcpy(&bits, &x, sizeof bits);
    bits = bits / 3u + 0x2a514067u;
    memcpy(&y, &bits, sizeof y);
    for (int k = 0; k < 3; k++) y = (1.0f / 3.0f) * (2.0f * y + x / (y * y));
    return y;
}

// --- blocks

typedef struct mark_list {
    uint64_t* keys;
    int       count, capacity;
} mark_list;

static shoal_status mark(mark_list* list, uint64_t key) {
    if (list->count > 0 && list->keys[list->count - 1] == key) return SHOAL_OK;
    if (list->count == list->capacity) {
        int capacity = list->capacity * 2 + 1024;
        SHOAL_TRY(shoal_realloc((void**)&list->keys, (size_t)list->count, (size_t)capacity, sizeof *list->keys));
        list->capacity = capacity;
    }
    list->keys[list->count++] = key;
    return SHOAL_OK;
}

static int64_t block_of(double at, double origin, double edge, int64_t n) {
    double b = floor((at - origin) / edge);
    return b < 1.0 ? 1 : b > (double)(n - 2) ? n - 2 : (int64_t)b;
}

// The blocks within reach of the particles of one cell, and one sample more.
static shoal_status mark_around(const surface_work* w, const surface_index* index, int cell, mark_list* list) {
    const shoal_sparse* f    = &w->field;
    double              edge = SURFACE_EDGE * f->cell;
    shoal_box           box  = shoal_box_empty();
    for (int i = index->cells.cell_start[cell]; i < index->cells.cell_start[cell + 1]; i++) {
        shoal_d3  p     = shoal_d3_make((double)index->x[i], (double)index->y[i], (double)index->z[i]);
        double    reach = (double)(w->splats ? w->splats[i].reach : w->support);
        shoal_box one   = {p, p};
        one             = shoal_box_grown(one, reach);
        box             = shoal_box_with(shoal_box_with(box, one.min), one.max);
    }
    box        = shoal_box_grown(box, f->cell);
    int64_t x0 = block_of(box.min.x, f->origin.x, edge, f->nx), x1 = block_of(box.max.x, f->origin.x, edge, f->nx);
    int64_t y0 = block_of(box.min.y, f->origin.y, edge, f->ny), y1 = block_of(box.max.y, f->origin.y, edge, f->ny);
    int64_t z0 = block_of(box.min.z, f->origin.z, edge, f->nz), z1 = block_of(box.max.z, f->origin.z, edge, f->nz);
    if ((double)(x1 - x0 + 1) * (double)(y1 - y0 + 1) * (double)(z1 - z0 + 1) + list->count > 16.0 * BLOCKS_MOST)
        return shoal_fail(SHOAL_ERR_INPUT,
                          "the grid of the surface would be too large; take a larger cell than %g spacings",
                          (double)w->params->cell);
    for (int64_t z = z0; z <= z1; z++)
        for (int64_t y = y0; y <= y1; y++)
            for (int64_t x = x0; x <= x1; x++) SHOAL_TRY(mark(list, (uint64_t)((z * f->ny + y) * f->nx + x)));
    return SHOAL_OK;
}

static shoal_status make_blocks(surface_work* w, const surface_index* index) {
    shoal_sparse* f = &w->field;
    double cell = (double)w->cell, edge = SURFACE_EDGE * cell, rim = ceil(((double)w->reach_most + cell) / edge) + 1.0;
    // anchored at the origin of the world, so that samples stand still from frame to frame
    f->cell    = cell;
    f->origin  = shoal_d3_make(edge * (floor(w->low.x / edge) - rim), edge * (floor(w->low.y / edge) - rim),
                               edge * (floor(w->low.z / edge) - rim));
    f->nx      = (int64_t)((w->high.x - f->origin.x) / edge + rim) + 2;
    f->ny      = (int64_t)((w->high.y - f->origin.y) / edge + rim) + 2;
    f->nz      = (int64_t)((w->high.z - f->origin.z) / edge + rim) + 2;
    f->outside = w->splats ? cube_root(w->level) : w->support - w->radius;

    mark_list    list   = {0};
    shoal_status status = SHOAL_OK;
    for (int c = 0; c < index->cells.cell_count && status == SHOAL_OK; c++) status = mark_around(w, index, c, &list);
    if (status == SHOAL_OK) status = shoal_sparse_make(f, w->exec, list.keys, list.count, NULL);
    shoal_free(list.keys);
    if (status == SHOAL_OK && f->block_count > BLOCKS_MOST)
        status = shoal_fail(SHOAL_ERR_INPUT,
                            "the grid of the surface has %d blocks, at most %d are allowed; take a "
                            "larger cell than %g spacings",
                            f->block_count, BLOCKS_MOST, (double)w->params->cell);
    return status;
}

// --- samples

typedef struct fill_job {
    surface_work*        w;
    const surface_index* index;
    surface_near*        near;  // of each worker
    surface_near*        other; // the same, of the other materials; NULL: none
} fill_job;

// Largest eigenvalue of a symmetric matrix: the largest root of b^3 - 3b - det in [1, 2], which
// Newton's steps from 2 approach from above. (The angle by acos and cos is the usual way; libm
// gives other bits on other machines.)
static double largest_eigenvalue(double xx, double xy, double xz, double yy, double yz, double zz) {
    double q = (xx + yy + zz) / 3.0, off = xy * xy + xz * xz + yz * yz;
    double a = xx - q, b = yy - q, c = zz - q, p2 = (a * a + b * b + c * c + 2.0 * off) / 6.0;
    if (!(p2 > 1e-20)) return q;
    double p   = sqrt(p2);
    double det = a * (b * c - yz * yz) - xy * (xy * c - yz * xz) + xz * (xy * yz - b * xz);
    double d = fmin(2.0, fmax(-2.0, det / (p2 * p))), root = 2.0;
    for (int k = 0; k < 8; k++) {
        double slope = 3.0 * (root * root - 1.0);
        if (!(slope > 1e-9)) break;
        root -= ((root * root - 3.0) * root - d) / slope;
    }
    return q + p * root;
}

// The fraction of the radius that is left where the average is stretched like this.
static float radius_fraction(const surface_work* w, const surface_stretch* s) {
    double n = (double)s->w, k = 6.0 / n;
    double mx = (double)s->wx / n, my = (double)s->wy / n, mz = (double)s->wz / n;
    double gx = (double)s->gx, gy = (double)s->gy, gz = (double)s->gz;
    double e    = largest_eigenvalue(k * ((double)s->xx - mx * gx), k * ((double)s->xy - 0.5 * (mx * gy + my * gx)),
                                     k * ((double)s->xz - 0.5 * (mx * gz + mz * gx)), k * ((double)s->yy - my * gy),
                                     k * ((double)s->yz - 0.5 * (my * gz + mz * gy)), k * ((double)s->zz - mz * gz));
    double high = fmax((double)w->params->concavity, STRETCH_LOW + 1e-3);
    double g    = (high - e) / (high - STRETCH_LOW);
    if (g >= 1.0) return 1.0f;
    return g <= 0.0 ? 0.0f : (float)(((g - 3.0) * g + 3.0) * g);
}

static float full_sum(const surface_work* w) {
    float ratio = w->support / w->spacing;
    return FULL_FRACTION * FULL_SUM * ratio * ratio * ratio;
}

// What meets particles of another material ends halfway to them, and a little beyond: a the field
// of its own particles, b that of the others, u that of all. Its own surface stays within. At the
// outer surface it goes further beyond: marching cubes cut the corner that it has there, and
// between two cut corners a groove would run.
static float meeting_of(const surface_work* w, float a, float b, float u) {
    // the fields of stretched kernels end about half a spacing outside, the others where the
    // support does
    float end  = w->params->method == SHOAL_SURFACE_ANISOTROPIC ? 0.5f * w->spacing : w->support - w->radius;
    float deep = w->splats ? 1.0f - w->field.outside : w->radius; // far inside u is the negative of it
    float out  = fminf(1.0f, fmaxf(0.0f, 1.0f + u / (0.75f * deep)));
    float over = (MEET_OVER + MEET_OUTSIDE * out) * w->spacing / end * w->field.outside;
    float half = 0.5f * (a - b) - over;
    return u > half ? u : half;
}

static float meet(const surface_work* w, float a, float b, float u) { return fminf(a, meeting_of(w, a, b, u)); }

// Zhu & Bridson's phi before the cure, from the sums.
static void phi_block(const surface_work* w, float sums[4][SURFACE_SAMPLES], float* out) {
    float step = w->cell / w->support;
    for (int s = 0; s < SURFACE_SAMPLES; s++) {
        float x = step * (float)(s % SURFACE_EDGE), y = step * (float)(s / SURFACE_EDGE % SURFACE_EDGE);
        float z = step * (float)(s / SURFACE_EDGE / SURFACE_EDGE), n = sums[0][s];
        float k  = 1.0f / (n > 0.0f ? n : 1.0f);
        float dx = x - k * sums[1][s], dy = y - k * sums[2][s], dz = z - k * sums[3][s];
        float phi = w->support * sqrtf(dx * dx + dy * dy + dz * dz) - w->radius;
        out[s]    = n > 0.0f ? phi : w->field.outside;
    }
}

static surface_stretch stretch_at(const surface_work* w, const surface_near* near, int sample) {
    float step = w->cell / w->support;
    return w->loops->stretch(near, step * (float)(sample % SURFACE_EDGE),
                             step * (float)(sample / SURFACE_EDGE % SURFACE_EDGE),
                             step * (float)(sample / SURFACE_EDGE / SURFACE_EDGE));
}

static surface_stretch stretch_sum(surface_stretch a, surface_stretch b) {
    return (surface_stretch){a.w + b.w,   a.wx + b.wx, a.wy + b.wy, a.wz + b.wz, a.gx + b.gx, a.gy + b.gy, a.gz + b.gz,
                             a.xx + b.xx, a.xy + b.xy, a.xz + b.xz, a.yy + b.yy, a.yz + b.yz, a.zz + b.zz};
}

// Zhu & Bridson's phi at a place from the sums around it, cured of hollows or as it is.
static float average_at(const surface_work* w, const surface_stretch* s, bool is_cured) {
    if (!(s->w > 0.0f)) return w->field.outside;
    float phi = w->support * sqrtf(s->wx * s->wx + s->wy * s->wy + s->wz * s->wz) / s->w - w->radius;
    if (!is_cured || !(phi < w->cell) || s->w > full_sum(w)) return phi;
    return phi + w->radius * (1.0f - radius_fraction(w, s));
}

static float sum_at(const surface_splat* splats, const surface_near* near, shoal_v3 p) {
    float sum = 0.0f;
    for (int i = 0; i < near->count; i++) {
        const surface_splat* s = &splats[near->item[i]];
        float                x = near->x[i] - p.x, y = near->y[i] - p.y, z = near->z[i] - p.z;
        float                t = 1.0f - (s->xx * x * x + s->yy * y * y + s->zz * z * z +
                          2.0f * (s->xy * x * y + s->xz * x * z + s->yz * y * z));
        if (t > 0.0f) sum += s->weight * t * t * t;
    }
    return sum;
}

float surface_field_at(const surface_work* w, const surface_near* near, const surface_near* more, shoal_v3 corner,
                       shoal_v3 place) {
    shoal_v3 p        = shoal_v3_sub(place, corner);
    bool     is_alone = !more || more->count == 0;
    if (w->splats) {
        float out = w->field.outside, mine = sum_at(w->splats, near, p);
        if (is_alone) return out - cube_root(mine);
        float theirs = sum_at(w->other->splats, more, p);
        return meet(w, out - cube_root(mine), out - cube_root(theirs), out - cube_root(mine + theirs));
    }
    p                    = shoal_v3_scale(p, 1.0f / w->support);
    surface_stretch mine = w->loops->stretch(near, p.x, p.y, p.z);
    if (is_alone) return average_at(w, &mine, true);
    surface_stretch theirs = w->loops->stretch(more, p.x, p.y, p.z), both = stretch_sum(mine, theirs);
    return meet(w, average_at(w, &mine, true), average_at(w, &theirs, false), average_at(w, &both, true));
}

// The cure for hollows; `more` is NULL or another part of the particles.
static void cure_block(const surface_work* w, const surface_near* near, const surface_near* more, const float* weights,
                       float* out) {
    float full = full_sum(w);
    for (int s = 0; s < SURFACE_SAMPLES; s++) {
        if (!(out[s] < w->cell) || weights[s] > full) continue;
        surface_stretch at = stretch_at(w, near, s);
        if (more) at = stretch_sum(at, stretch_at(w, more, s));
        out[s] += w->radius * (1.0f - radius_fraction(w, &at));
    }
}

static void average_block(void* ctx, int begin, int end, int worker) {
    fill_job*           f    = ctx;
    const surface_work* w    = f->w;
    surface_near *      near = &f->near[worker], *more = f->other ? &f->other[worker] : NULL;
    float               step = w->cell / w->support, edge = (SURFACE_EDGE - 1) * w->cell, reach = w->support * 1.0001f;
    for (int b = begin; b < end; b++) {
        shoal_v3 corner = shoal_v3_from(shoal_sparse_corner(&w->field, b));
        shoal_v3 low    = shoal_v3_make(corner.x - reach, corner.y - reach, corner.z - reach);
        shoal_v3 high   = shoal_v3_make(corner.x + edge + reach, corner.y + edge + reach, corner.z + edge + reach);
        float*   out    = w->field.values + (size_t)SURFACE_SAMPLES * (size_t)b;
        _Alignas(64) float sums[4][SURFACE_SAMPLES], added[4][SURFACE_SAMPLES];
        surface_near_find(near, w->loops, f->index, low, high, corner, 1.0f / w->support);
        w->is_spray[b] = near->count <= SPRAY_MOST;
        memset(sums, 0, sizeof sums);
        w->loops->average(near, step, sums[0]);
        phi_block(w, sums, out);
        cure_block(w, near, NULL, sums[0], out);
        if (!more) continue;
        float* meeting = w->meeting + (size_t)SURFACE_SAMPLES * (size_t)b;
        surface_near_find(more, w->loops, &w->other->index, low, high, corner, 1.0f / w->support);
        for (int s = 0; s < SURFACE_SAMPLES; s++) meeting[s] = w->field.outside;
        if (more->count == 0) continue;
        float theirs[SURFACE_SAMPLES], both[SURFACE_SAMPLES];
        memset(added, 0, sizeof added);
        w->loops->average(more, step, added[0]);
        phi_block(w, added, theirs);
        w->loops->average(near, step, added[0]);
        phi_block(w, added, both);
        cure_block(w, near, more, added[0], both);
        for (int s = 0; s < SURFACE_SAMPLES; s++) {
            meeting[s] = meeting_of(w, out[s], theirs[s], both[s]);
            out[s]     = fminf(out[s], meeting[s]);
        }
    }
}

// Kernels end like the cube of the distance to their edge. Their sum is steep inside and flat
// outside, which straight lines between samples and smoothing would both get wrong; its cube root
// is nearly linear at the surface.
static void sum_block(void* ctx, int begin, int end, int worker) {
    fill_job*           f    = ctx;
    const surface_work* w    = f->w;
    surface_near *      near = &f->near[worker], *more = f->other ? &f->other[worker] : NULL;
    float               edge = (SURFACE_EDGE - 1) * w->cell, reach = w->reach_most * 1.0001f;
    for (int b = begin; b < end; b++) {
        shoal_v3 corner = shoal_v3_from(shoal_sparse_corner(&w->field, b));
        shoal_v3 low    = shoal_v3_make(corner.x - reach, corner.y - reach, corner.z - reach);
        shoal_v3 high   = shoal_v3_make(corner.x + edge + reach, corner.y + edge + reach, corner.z + edge + reach);
        float*   out    = w->field.values + (size_t)SURFACE_SAMPLES * (size_t)b;
        _Alignas(64) float theirs[SURFACE_SAMPLES];
        surface_near_find(near, w->loops, f->index, low, high, corner, 1.0f);
        w->is_spray[b] = near->count <= SPRAY_MOST;
        w->loops->sum(w->splats, near, corner, w->cell, out);
        if (more) {
            surface_near_find(more, w->loops, &w->other->splat_index, low, high, corner, 1.0f);
            memset(theirs, 0, sizeof theirs);
            w->loops->sum(w->other->splats, more, corner, w->cell, theirs);
        }
        for (int s = 0; s < SURFACE_SAMPLES; s++) {
            float mine = w->field.outside - cube_root(out[s]);
            out[s]     = !more || more->count == 0 ? mine
                                                   : meet(w, mine, w->field.outside - cube_root(theirs[s]),
                                                          w->field.outside - cube_root(out[s] + theirs[s]));
        }
    }
}

shoal_status surface_field_make(surface_work* w) {
    const surface_index* index = w->splats ? &w->splat_index : &w->index;
    fill_job             f     = {w, index, NULL, NULL};
    if (w->other) w->reach_most = fmaxf(w->reach_most, w->other->reach_most);
    float box = SURFACE_EDGE * w->cell + 2.001f * w->reach_most;
    SHOAL_TRY(make_blocks(w, index));
    w->is_spray = shoal_alloc((size_t)w->field.block_count, sizeof *w->is_spray);
    if (w->other && w->other->count > 0 && !w->splats)
        w->meeting = shoal_alloc((size_t)w->field.block_count, SURFACE_SAMPLES * sizeof *w->meeting);
    if (!w->is_spray || (w->other && w->other->count > 0 && !w->splats && !w->meeting)) return SHOAL_ERR_MEMORY;
    shoal_status status = surface_near_create(index, w->exec, box, &f.near);
    if (status == SHOAL_OK && w->other && w->other->count > 0)
        status = surface_near_create(w->splats ? &w->other->splat_index : &w->other->index, w->exec, box, &f.other);
    if (status == SHOAL_OK) shoal_blocks(w->exec, w->field.block_count, 4, w->splats ? sum_block : average_block, &f);
    surface_near_destroy(f.other, w->exec);
    surface_near_destroy(f.near, w->exec);
    return status;
}
