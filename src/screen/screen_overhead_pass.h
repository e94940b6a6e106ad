// SPDX-License-Identifier: MIT
// Shadows straight below: a map, seen from above, of how high the highest that is not seen through stands in each cell,
// as shadow maps are [Williams 1978]. The light of the sun comes as if from overhead there: a shadow below what is
// moved tells where it is, which one aside does not. Heights are whole numbers and the highest is a maximum of them, so
// that no order matters; in the common ground of C17 and C++.
#ifndef SHOAL_SCREEN_OVERHEAD_PASS_H
#define SHOAL_SCREEN_OVERHEAD_PASS_H

#include "screen/screen_splat_pass.h"

enum { SCREEN_MAP_CELLS = 512 }; // along an edge of the map

typedef struct screen_overhead {
    int            is_there;
    float          from_x, from_z;  // m; where the map begins
    float          per_cell;        // 1/m
    float          low, per_height; // m, 1/m; heights count from there
    float          gap;             // of them; what stands higher by less is the same surface, and casts no shadow
    const int32_t* tops;            // [SCREEN_MAP_CELLS^2]; 0: nothing
} screen_overhead;

// Of what is `size` wide about `middle`.
SHOAL_FN screen_overhead screen_overhead_of(shoal_v3 middle, float size, float spacing, const int32_t* tops) {
    screen_overhead s;
    s.is_there   = size > 0.0f;
    s.per_cell   = s.is_there ? (float)SCREEN_MAP_CELLS / size : 0.0f;
    s.from_x     = middle.x - 0.5f * size;
    s.from_z     = middle.z - 0.5f * size;
    s.low        = middle.y - 2.0f * size;
    s.per_height = s.is_there ? 65536.0f / size : 0.0f;
    s.gap        = (3.0f * spacing + 0.01f * size) * s.per_height;
    s.tops       = tops;
    return s;
}

// In cells, and in whole heights.
SHOAL_FN float screen_map_u(const screen_overhead* s, shoal_v3 at) { return (at.x - s->from_x) * s->per_cell; }
SHOAL_FN float screen_map_v(const screen_overhead* s, shoal_v3 at) { return (at.z - s->from_z) * s->per_cell; }
SHOAL_FN float screen_map_height(const screen_overhead* s, float y) { return (y - s->low) * s->per_height; }

// Whether a place is within the map, between the middles of its cells.
SHOAL_FN int screen_is_mapped(const screen_overhead* s, shoal_v3 at) {
    const float last = (float)SCREEN_MAP_CELLS - 1.5f;
    float       u = screen_map_u(s, at), v = screen_map_v(s, at);
    return (u >= 0.5f) & (v >= 0.5f) & (u <= last) & (v <= last);
}

// The four cells about a place, and how much of it belongs to those on the right and below. Without a branch.
typedef struct screen_spot {
    int   is_in, cell; // cell: the first of them
    float x, y, height;
} screen_spot;

SHOAL_FN screen_spot screen_spot_of(const screen_overhead* s, shoal_v3 at) {
    screen_spot p;
    float       u = screen_map_u(s, at) - 0.5f, v = screen_map_v(s, at) - 0.5f, i, j;
    p.is_in  = screen_is_mapped(s, at);
    u        = p.is_in ? u : 0.0f; // also where it is not a number
    v        = p.is_in ? v : 0.0f;
    i        = floorf(u);
    j        = floorf(v);
    p.x      = u - i;
    p.y      = v - j;
    p.cell   = (int)j * SCREEN_MAP_CELLS + (int)i;
    p.height = screen_map_height(s, at.y) + s->gap;
    p.height = p.height > 1.0f ? p.height : 1.0f; // as screen_map_whole: what is below does not shade itself
    return p;
}

// Fraction of the matter overhead that it sees, of the tops of its cells.
SHOAL_FN float screen_spot_open(screen_spot p, int32_t a, int32_t b, int32_t c, int32_t d) {
    float va = (float)a > p.height ? 1.0f : 0.0f, vb = (float)b > p.height ? 1.0f : 0.0f;
    float vc = (float)c > p.height ? 1.0f : 0.0f, vd = (float)d > p.height ? 1.0f : 0.0f;
    float above = va + (vb - va) * p.x, below = vc + (vd - vc) * p.x;
    return p.is_in ? 1.0f - (above + (below - above) * p.y) : 1.0f;
}

SHOAL_FN float screen_open_above(const screen_overhead* s, shoal_v3 at) {
    screen_spot    p = screen_spot_of(s, at);
    const int32_t* t = s->tops + p.cell;
    return screen_spot_open(p, t[0], t[1], t[SCREEN_MAP_CELLS], t[SCREEN_MAP_CELLS + 1]);
}

// --- what casts them

SHOAL_FN int32_t screen_map_cell(float at) { // held within one beyond the map
    return at >= 0.0f ? at < (float)SCREEN_MAP_CELLS ? (int32_t)at : SCREEN_MAP_CELLS : -1;
}
SHOAL_FN screen_box screen_map_box(float left, float right, float top, float bottom) {
    screen_box b;
    b.left = screen_map_cell(left), b.right = screen_map_cell(right);
    b.top = screen_map_cell(top), b.bottom = screen_map_cell(bottom);
    b.left   = b.left < 0 ? 0 : b.left;
    b.top    = b.top < 0 ? 0 : b.top;
    b.right  = b.right > SCREEN_MAP_CELLS - 1 ? SCREEN_MAP_CELLS - 1 : b.right;
    b.bottom = b.bottom > SCREEN_MAP_CELLS - 1 ? SCREEN_MAP_CELLS - 1 : b.bottom;
    return b;
}
SHOAL_FN int32_t screen_map_whole(float height) {
    return height > 1.0f ? height < 16777216.0f ? (int32_t)height : 16777216 : 1;
}

// A ball, or an ellipsoid as one of its mean width.
typedef struct screen_disc {
    screen_box cells;
    float      u, v, reach2; // in cells
    int32_t    top;
} screen_disc;

SHOAL_FN screen_disc screen_disc_of(const screen_overhead* s, const screen_splat* splat) {
    screen_disc d;
    float       mean = (splat->shape.xx + splat->shape.yy + splat->shape.zz) / 3.0f, reach = s->per_cell / sqrtf(mean);
    d.u      = screen_map_u(s, splat->center);
    d.v      = screen_map_v(s, splat->center);
    d.reach2 = reach * reach;
    d.top    = screen_map_whole(screen_map_height(s, splat->center.y));
    d.cells  = screen_map_box(d.u - reach, d.u + reach, d.v - reach, d.v + reach);
    return d;
}
// Height in a cell; 0: it is not there.
SHOAL_FN int32_t screen_disc_top(const screen_disc* d, int x, int y) {
    float u = (float)x + 0.5f - d->u, v = (float)y + 0.5f - d->v;
    return u * u + v * v <= d->reach2 ? d->top : 0;
}

// A triangle: its corners in cells, with their heights.
typedef struct screen_blade {
    screen_box cells;
    float      u[3], v[3], top[3], per_area;
} screen_blade;

SHOAL_FN screen_blade screen_blade_of(const screen_overhead* s, const shoal_v3 corner[3], int is_clear) {
    screen_blade b;
    float        left, right, above, below, area;
    for (int k = 0; k < 3; k++) {
        b.u[k]   = screen_map_u(s, corner[k]);
        b.v[k]   = screen_map_v(s, corner[k]);
        b.top[k] = screen_map_height(s, corner[k].y);
    }
    area       = (b.u[1] - b.u[0]) * (b.v[2] - b.v[0]) - (b.u[2] - b.u[0]) * (b.v[1] - b.v[0]);
    b.per_area = area != 0.0f ? 1.0f / area : 0.0f;
    left = right = b.u[0];
    above = below = b.v[0];
    for (int k = 1; k < 3; k++) {
        left  = b.u[k] < left ? b.u[k] : left;
        right = b.u[k] > right ? b.u[k] : right;
        above = b.v[k] < above ? b.v[k] : above;
        below = b.v[k] > below ? b.v[k] : below;
    }
    b.cells = screen_map_box(left, right, above, below);
    if (is_clear || area == 0.0f) b.cells.right = b.cells.left - 1;
    return b;
}
SHOAL_FN int32_t screen_blade_top(const screen_blade* b, int x, int y) {
    float u = (float)x + 0.5f - b->u[0], v = (float)y + 0.5f - b->v[0];
    float s      = (u * (b->v[2] - b->v[0]) - (b->u[2] - b->u[0]) * v) * b->per_area;
    float t      = ((b->u[1] - b->u[0]) * v - u * (b->v[1] - b->v[0])) * b->per_area;
    float height = b->top[0] + s * (b->top[1] - b->top[0]) + t * (b->top[2] - b->top[0]);
    int   is_in  = (s >= 0.0f) & (t >= 0.0f) & (s + t <= 1.0f);
    return is_in ? screen_map_whole(height) : 0;
}

#endif
