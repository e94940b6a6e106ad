// SPDX-License-Identifier: MIT
// Particles to splats of a screen as passes, for devices: balls, or ellipsoids by the method anisotropic, with the bits
// of surface_splats.c; in the common ground of C17 and C++.
#ifndef SHOAL_SURFACE_FAR_PASS_H
#define SHOAL_SURFACE_FAR_PASS_H

#include "grid/grid_pass.h"
#include "math/fold.h"
#include "math/lanes.h"
#include "screen/screen_splat_pass.h"
#include "surface/surface_shape_pass.h"

#include <string.h>

typedef struct surface_corners {
    shoal_v3 low, high;
} surface_corners;

typedef struct surface_far_view {
    int               count;
    surface_shape_job shaping;
    float             centering, sharpness; // sharpness: of shapes, such that flat water just reaches its surface
    const shoal_v3*   from;                 // [count] places as given
    const float*      radius;               // [count] of balls; NULL: all of size
    const shoal_v3*   paint;                // [count]; NULL: all of color
    shoal_v3          color;
    float             size, fraction; // of balls
    int               body;
    shoal_v4*         place; // [count]
    shoal_cells       cells;
    shoal_cells_frame frame;
    int               cell_count;
    shoal_v4*         sorted;  // [count] places in the order of cells
    surface_corners*  corners; // [cell_count] of the places of a cell
    surface_moments*  moments; // [count] in the order of cells
    shoal_v3*         deeper;  // [count] likewise
    surface_splat*    splats;  // [count] as given
    screen_splat*     out;     // [count] as given
} surface_far_view;

SHOAL_FN shoal_v3 surface_paint_of(const surface_far_view* v, int i) { return v->paint ? v->paint[i] : v->color; }

SHOAL_FN void surface_far_ball(const surface_far_view* v, int i) {
    screen_splat s = screen_ball(v->from[i], v->radius ? v->radius[i] : v->size, surface_paint_of(v, i));
    s.fraction     = v->fraction;
    s.body         = v->body;
    v->out[i]      = s;
}

// --- ellipsoids

SHOAL_FN void surface_far_place(const surface_far_view* v, int i) {
    shoal_v3 p    = v->from[i];
    v->place[i].x = p.x, v->place[i].y = p.y, v->place[i].z = p.z, v->place[i].w = 0.0f;
}

SHOAL_FN void surface_far_sort(const surface_far_view* v, int i) { v->sorted[i] = v->place[v->cells.order[i]]; }

// By the first of each cell.
SHOAL_FN void surface_far_bound(const surface_far_view* v, int i) {
    int cell = v->cells.cell_of[i] - 1;
    if (i != v->cells.cell_start[cell]) return;
    shoal_v4        p = v->sorted[i];
    surface_corners c;
    c.low = c.high = shoal_v3_make(p.x, p.y, p.z);
    for (int k = i + 1; k < v->cells.cell_start[cell + 1]; k++) {
        p      = v->sorted[k];
        c.low  = shoal_v3_make(fminf(c.low.x, p.x), fminf(c.low.y, p.y), fminf(c.low.z, p.z));
        c.high = shoal_v3_make(fmaxf(c.high.x, p.x), fmaxf(c.high.y, p.y), fmaxf(c.high.z, p.z));
    }
    v->corners[cell] = c;
}

// Cells that a box touches, [low, high] along each axis, and the box itself.
typedef struct surface_reach {
    shoal_v3 low, high;
    int64_t  x0, x1, y0, y1, z0, z1;
} surface_reach;

SHOAL_FN int64_t surface_cell_of(float at, float low, float size, int64_t n) {
    float c = floorf((at - low) / size) + 1.0f;
    return c < 0.0f ? 0 : c > (float)(n - 1) ? n - 1 : (int64_t)c;
}

SHOAL_FN surface_reach surface_reach_of(const surface_far_view* v, surface_corners c, float reach) {
    const shoal_cells_frame* f   = &v->frame;
    float                    rim = 1.0001f * reach;
    surface_reach            r;
    r.low  = shoal_v3_sub(c.low, shoal_v3_make(rim, rim, rim));
    r.high = shoal_v3_add(c.high, shoal_v3_make(rim, rim, rim));
    r.x0   = surface_cell_of(r.low.x, f->low.x, f->size, f->nx);
    r.x1   = surface_cell_of(r.high.x, f->low.x, f->size, f->nx);
    r.y0   = surface_cell_of(r.low.y, f->low.y, f->size, f->ny);
    r.y1   = surface_cell_of(r.high.y, f->low.y, f->size, f->ny);
    r.z0   = surface_cell_of(r.low.z, f->low.z, f->size, f->nz);
    r.z1   = surface_cell_of(r.high.z, f->low.z, f->size, f->nz);
    return r;
}

// Items of the cells of one row of a reach.
SHOAL_FN shoal_grid_run surface_row_of(const surface_far_view* v, const surface_reach* r, int64_t y, int64_t z) {
    uint64_t       row  = (uint64_t)((z * v->frame.ny + y) * v->frame.nx);
    int            from = shoal_grid_find(&v->cells, 0, v->cell_count, row + (uint64_t)r->x0);
    int            to   = shoal_grid_find(&v->cells, from, v->cell_count, row + (uint64_t)r->x1 + 1);
    shoal_grid_run run  = {v->cells.cell_start[from], v->cells.cell_start[to]};
    return run;
}

SHOAL_FN int surface_is_within(const surface_reach* r, shoal_v4 p) {
    return r->low.x < p.x && p.x < r->high.x && r->low.y < p.y && p.y < r->high.y && r->low.z < p.z && p.z < r->high.z;
}

// One of the sixteen sums over neighbours: what moments() of surface_wide.c has in a lane.
typedef struct surface_lane {
    float w, x, y, z, xx, xy, xz, yy, yz, zz;
    int   count;
} surface_lane;

SHOAL_FN surface_lane surface_no_lane(void) {
    surface_lane l = {0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0};
    return l;
}

SHOAL_FN float surface_rsqrt(float a) { // as wide_rsqrt
    uint32_t bits;
    float    y;
    memcpy(&bits, &a, sizeof bits);
    bits = 0x5f1ffff9u - (bits >> 1);
    memcpy(&y, &bits, sizeof y);
    y       = (y * 0.703952253f) * (2.38924456f - (a * y) * y);
    float e = ((a * 0.5f) * y) * y;
    return y * (1.5f - e);
}

SHOAL_FN void surface_lane_add(surface_lane* l, float dx, float dy, float dz) {
    float q = dx * dx + dy * dy + dz * dz;
    if (!(q < 1.0f)) return;
    l->count++;
    q        = 1.0f - (1.0f - q); // as in lanes
    float r3 = q * q * surface_rsqrt(q), k = 0.999996f - r3;
    k        = k > 0.0f ? k : 0.0f;
    float ux = k * dx, uy = k * dy, uz = k * dz;
    l->w += k;
    l->x += ux, l->y += uy, l->z += uz;
    l->xx += ux * dx, l->xy += ux * dy, l->xz += ux * dz;
    l->yy += uy * dy, l->yz += uy * dz, l->zz += uz * dz;
}

// Moments of an item from all that its cell sees, dealt out to sixteen lanes in their order. A card has a kernel of its
// own for it (surface_cuda.cu).
SHOAL_FN void surface_far_gauge(const surface_far_view* v, int i) {
    surface_corners c     = v->corners[v->cells.cell_of[i] - 1];
    float           reach = v->shaping.support * SURFACE_SEARCH, per = 1.0f / reach;
    surface_reach   r  = surface_reach_of(v, c, reach);
    shoal_v4        at = v->sorted[i];
    float           sx = (at.x - c.low.x) * per, sy = (at.y - c.low.y) * per, sz = (at.z - c.low.z) * per;
    surface_lane    lanes[SHOAL_LANES];
    float           fold[10][SHOAL_LANES];
    int             seen = 0, inside = 0;
    for (int k = 0; k < SHOAL_LANES; k++) lanes[k] = surface_no_lane();
    for (int64_t z = r.z0; z <= r.z1; z++)
        for (int64_t y = r.y0; y <= r.y1; y++) {
            shoal_grid_run run = surface_row_of(v, &r, y, z);
            for (int j = run.begin; j < run.end; j++) {
                shoal_v4 p = v->sorted[j];
                if (!surface_is_within(&r, p)) continue;
                surface_lane_add(&lanes[seen++ % SHOAL_LANES], (p.x - c.low.x) * per - sx, (p.y - c.low.y) * per - sy,
                                 (p.z - c.low.z) * per - sz);
            }
        }
    for (int k = 0; k < SHOAL_LANES; k++) {
        const surface_lane* l       = &lanes[k];
        const float         all[10] = {l->w, l->x, l->y, l->z, l->xx, l->xy, l->xz, l->yy, l->yz, l->zz};
        for (int m = 0; m < 10; m++) fold[m][k] = all[m];
        inside += l->count;
    }
    float sum[10];
    for (int m = 0; m < 10; m++) sum[m] = shoal_fold_lanes(fold[m], SHOAL_LANES);
    surface_moments out = {sum[0], sum[1], sum[2], sum[3], sum[4], sum[5], sum[6], sum[7], sum[8], sum[9], inside};
    v->moments[i]       = out;
}

SHOAL_FN void surface_far_shape(const surface_far_view* v, int i) {
    surface_moments m            = v->moments[i];
    shoal_v4        p            = v->sorted[i];
    float           reach        = v->shaping.support * SURFACE_SEARCH;
    v->splats[v->cells.order[i]] = surface_shape_of(&v->shaping, &m, p.x, p.y, p.z);
    v->deeper[i]                 = shoal_v3_scale(shoal_v3_make(m.x, m.y, m.z), reach / m.w);
}

// Those within the support come in the order of rows, whichever box is searched.
SHOAL_FN void surface_far_center(const surface_far_view* v, int i) {
    shoal_v3        low   = v->corners[v->cells.cell_of[i] - 1].low;
    float           per   = 1.0f / v->shaping.support;
    shoal_v4        at    = v->sorted[i];
    shoal_v3        own   = shoal_v3_make(at.x, at.y, at.z);
    surface_corners c     = {own, own};
    surface_reach   r     = surface_reach_of(v, c, v->shaping.support);
    surface_layer   layer = surface_layer_at(v->deeper[i], v->shaping.spacing);
    float           sx = (at.x - low.x) * per, sy = (at.y - low.y) * per, sz = (at.z - low.z) * per;
    for (int64_t z = r.z0; z <= r.z1; z++)
        for (int64_t y = r.y0; y <= r.y1; y++) {
            shoal_grid_run run = surface_row_of(v, &r, y, z);
            for (int j = run.begin; j < run.end; j++) {
                shoal_v4 p  = v->sorted[j];
                float    dx = (p.x - low.x) * per - sx, dy = (p.y - low.y) * per - sy, dz = (p.z - low.z) * per - sz;
                float    q = dx * dx + dy * dy + dz * dz, t = 1.0f - q;
                if (t > 0.0f)
                    surface_layer_add(&layer, shoal_v3_sub(shoal_v3_make(p.x, p.y, p.z), own), v->deeper[j], t * t * t);
            }
        }
    surface_move(&v->splats[v->cells.order[i]], v->deeper[i], surface_layer_mean(&layer), v->centering);
}

SHOAL_FN void surface_far_splat(const surface_far_view* v, int i) {
    const surface_splat* s = &v->splats[i];
    screen_splat         out;
    out.center   = shoal_v3_make(s->x, s->y, s->z);
    out.shape    = surface_sharpened(s, v->sharpness);
    float volume = surface_ellipsoid_volume(out.shape);
    out.fraction = volume > 0.0f ? v->fraction / volume : 0.0f;
    out.color    = surface_paint_of(v, i);
    out.body     = 0;
    v->out[i]    = out;
}

// clang-format off
#define SURFACE_FAR_ITEMS(X) X(ball) X(place) X(sort) X(bound) X(shape) X(center) X(splat)
#define SURFACE_FAR_PASSES(X) SURFACE_FAR_ITEMS(X) X(gauge)
// clang-format on

#endif
