// SPDX-License-Identifier: MIT
// A whole picture as passes over splats, triangles, pixels and blocks of pixels, for devices; in the common ground of
// C17 and C++. The CPU goes by tiles instead (screen_raster.c) and comes to the same bits: the nearest of a pixel is a
// minimum of whole numbers, and thickness a sum of them, so nothing depends on which comes first.
#ifndef SHOAL_SCREEN_VIEW_PASS_H
#define SHOAL_SCREEN_VIEW_PASS_H

#include "screen/screen_blob_pass.h"
#include "screen/screen_film_pass.h"
#include "screen/screen_solid_pass.h"

enum {
    SCREEN_BLOB_BLOCK    = 8,    // pixels along the edge of a block that has its own list of metaballs
    SCREEN_SPANS         = 64,   // metaballs that a ray is within at a time, mostly
    SCREEN_OVERFULL_MOST = 1024, // rays at a time that are within more
};

typedef struct screen_view {
    screen_camera          camera;
    screen_lights          lights;
    screen_ground          ground;
    screen_outlook         outlook;
    screen_overhead        over;
    int32_t*               tops; // its map
    int                    width, height;
    float                  spacing, ior, level;
    int                    has_occlusion, ball_count, body_count;
    const screen_splat *   balls, *liquid;
    const screen_triangle* triangles;
    screen_cover*          covers;       // balls first, then the liquid's splats
    screen_facet*          facets;       // two for each triangle
    uint64_t *             solid, *seen; // keys of the solids, and of the liquid
    float*                 solid_depth;
    int32_t*               thickness;      // of cells
    screen_depths          depths;         // smoothing from one picture
    float*                 smoothed;       // to another
    shoal_v3 *             behind, *light; // of the solids; of all
    // metaballs: blocks of pixels have lists of those that touch them, for each body, from the front to the back
    int          body;       // that is drawn
    int*         pair_end;   // [liquid] where the blocks of a splat end among all pairs
    uint64_t*    pair_key;   // of a pair of splat and block: its list, and how near it begins
    int*         pair_splat; // its splat
    const int*   pair_order; // pairs in the order of their keys
    uint64_t*    pair_sorted;
    int*         listed; // splats in that order
    int          pair_count;
    int*         list_end; // [lists]
    uint8_t*     is_full;  // [pixels] of a ray that is within more than SCREEN_SPANS
    screen_span* spans;    // [SCREEN_OVERFULL_MOST * span_capacity]
    int          span_capacity;
    // film
    const screen_film* film;
    float              gain;
    int                is_filmic;
    uint8_t*           rgb;
} screen_view;

// Keys and thickness of a pixel are the only places where items meet.
SHOAL_FN void screen_lower(uint64_t* place, uint64_t key) {
#if defined(__CUDA_ARCH__)
    // what is read may be old, and is then too large: the minimum is asked in vain, never left out
    if (key < *place) atomicMin((unsigned long long*)place, (unsigned long long)key);
#else
    *place = key < *place ? key : *place;
#endif
}
SHOAL_FN void screen_raise(int32_t* place, int32_t by) {
#if defined(__CUDA_ARCH__)
    if (by != 0) atomicAdd(place, by);
#else
    *place += by;
#endif
}

SHOAL_FN void screen_lift(int32_t* place, int32_t top) {
#if defined(__CUDA_ARCH__)
    if (top > *place) atomicMax(place, top);
#else
    *place = top > *place ? top : *place;
#endif
}

SHOAL_FN size_t screen_place(const screen_view* v, int x, int y) { return (size_t)y * (size_t)v->width + (size_t)x; }

// --- what items cover

SHOAL_FN void screen_cover_ball(const screen_view* v, int i) {
    v->covers[i] = screen_splat_cover(&v->camera, v->width, v->height, &v->balls[i], (uint32_t)i);
}
SHOAL_FN void screen_cover_liquid(const screen_view* v, int i) {
    v->covers[v->ball_count + i] = screen_splat_cover(&v->camera, v->width, v->height, &v->liquid[i], (uint32_t)i);
}
SHOAL_FN void screen_cover_triangle(const screen_view* v, int i) {
    v->facets[i] = screen_facet_of(&v->camera, v->width, v->height, SCREEN_FACET_NEAR * v->spacing, &v->triangles[i]);
}

// --- drawing: for each item what it does to a place of its box

SHOAL_FN screen_cover screen_ball_of(const screen_view* v, int i) { return v->covers[i]; }
SHOAL_FN screen_cover screen_drop_of(const screen_view* v, int i) { return v->covers[v->ball_count + i]; }
// With the number of its triangle.
typedef struct screen_pane {
    screen_facet facet;
    screen_box   pixels;
    uint32_t     number;
} screen_pane;
SHOAL_FN screen_pane screen_pane_of(const screen_view* v, int i) {
    screen_pane p;
    p.facet  = v->facets[i];
    p.pixels = p.facet.pixels;
    p.number = (uint32_t)(v->ball_count + i);
    return p;
}

SHOAL_FN void screen_draw_ball_at(const screen_view* v, const screen_cover* c, int x, int y) {
    float depth, chord;
    if (screen_splat_hit(c, 1.0f, screen_ray_x(&v->camera, v->width, x), screen_ray_y(&v->camera, v->height, y), &depth,
                         &chord))
        screen_lower(&v->solid[screen_place(v, x, y)], screen_key(depth, c->number));
}
SHOAL_FN void screen_draw_facet_at(const screen_view* v, const screen_pane* p, int x, int y) {
    float depth;
    if (screen_facet_hit(&p->facet, x, y, screen_ray_x(&v->camera, v->width, x), screen_ray_y(&v->camera, v->height, y),
                         &depth))
        screen_lower(&v->solid[screen_place(v, x, y)], screen_key(depth, p->number));
}
SHOAL_FN void screen_draw_liquid_at(const screen_view* v, const screen_cover* c, int x, int y) {
    size_t at = screen_place(v, x, y);
    float  depth, chord;
    if (screen_splat_hit(c, 1.0f, screen_ray_x(&v->camera, v->width, x), screen_ray_y(&v->camera, v->height, y), &depth,
                         &chord) &&
        depth < v->solid_depth[at])
        screen_lower(&v->seen[at], screen_key(depth, c->number));
}
// Each cell has the depth of the pixel behind its middle.
SHOAL_FN void screen_thicken_at(const screen_view* v, const screen_cover* c, int x, int y) {
    int   i = SCREEN_CELL * x + SCREEN_CELL / 2, j = SCREEN_CELL * y + SCREEN_CELL / 2;
    float px = screen_cell_x(&v->camera, v->width, x), py = screen_cell_y(&v->camera, v->height, y);
    float solid =
        v->solid_depth[screen_place(v, i > v->width - 1 ? v->width - 1 : i, j > v->height - 1 ? v->height - 1 : j)];
    screen_raise(&v->thickness[y * screen_cells(v->width) + x],
                 screen_chord(c, px, py, screen_slant(px, py), solid, screen_thickness_fraction(c, v->spacing)));
}

SHOAL_FN screen_disc  screen_caster_ball(const screen_view* v, int i) { return screen_disc_of(&v->over, &v->balls[i]); }
SHOAL_FN screen_blade screen_caster_pane(const screen_view* v, int i) {
    return screen_blade_of(&v->over, v->triangles[i].corner, v->triangles[i].is_clear);
}
SHOAL_FN void screen_cast_ball_at(const screen_view* v, const screen_disc* d, int x, int y) {
    screen_lift(&v->tops[y * SCREEN_MAP_CELLS + x], screen_disc_top(d, x, y));
}
SHOAL_FN void screen_cast_pane_at(const screen_view* v, const screen_blade* b, int x, int y) {
    screen_lift(&v->tops[y * SCREEN_MAP_CELLS + x], screen_blade_top(b, x, y));
}

// name, type of an item, the item, its box
// clang-format off
#define SCREEN_DRAWINGS(X)                                     \
    X(draw_ball,   screen_cover, screen_ball_of,  pixels)      \
    X(draw_facet,  screen_pane,  screen_pane_of,  pixels)      \
    X(draw_liquid, screen_cover, screen_drop_of,  pixels)      \
    X(thicken,     screen_cover, screen_drop_of,  cells)       \
    X(cast_ball,   screen_disc,  screen_caster_ball, cells)    \
    X(cast_pane,   screen_blade, screen_caster_pane, cells)
// clang-format on
#define X(name, type, item_of, box)                                                                                    \
    SHOAL_FN void screen_##name(const screen_view* v, int i) {                                                         \
        type item = item_of(v, i);                                                                                     \
        for (int y = item.box.top; y <= item.box.bottom; y++)                                                          \
            for (int x = item.box.left; x <= item.box.right; x++) screen_##name##_at(v, &item, x, y);                  \
    }
SCREEN_DRAWINGS(X)
#undef X

// --- pixels

SHOAL_FN void screen_know_depth(const screen_view* v, int i) { v->solid_depth[i] = screen_key_depth(v->solid[i]); }

SHOAL_FN void screen_light_solid(const screen_view* v, int i) {
    int      x = i % v->width, y = i / v->width;
    uint64_t key = v->solid[i];
    shoal_v3 w   = screen_ray(&v->camera, v->width, v->height, x, y);
    if (key == SCREEN_NOBODY) {
        shoal_v3 way = screen_unit(screen_to_world(&v->camera, w));
        shoal_v3 at  = screen_ground_at(&v->camera, &v->ground, v->outlook, way);
        v->behind[i] = screen_far(&v->camera, &v->lights, &v->ground, v->outlook, way,
                                  v->over.is_there ? screen_open_above(&v->over, at) : 1.0f);
        return;
    }
    screen_matter matter = {v->ball_count, v->covers, v->balls, v->triangles};
    screen_solids solids = {&v->camera, v->width, v->height, v->solid_depth, v->spacing};
    float         open   = v->has_occlusion ? screen_openness(&solids, x, y, v->solid_depth[i]) : 1.0f;
    v->behind[i]         = shoal_v3_scale(screen_solid_light(&matter, &v->camera, &v->lights, &v->over, key, w), open);
}

SHOAL_FN void screen_take_depth(const screen_view* v, int i) { v->smoothed[i] = screen_key_depth(v->seen[i]); }
SHOAL_FN void screen_narrow_across(const screen_view* v, int i) {
    v->smoothed[i] = screen_narrow(&v->depths, i % v->width, i / v->width, 1, 0);
}
SHOAL_FN void screen_narrow_down(const screen_view* v, int i) {
    v->smoothed[i] = screen_narrow(&v->depths, i % v->width, i / v->width, 0, 1);
}
SHOAL_FN void screen_flow(const screen_view* v, int i) {
    v->smoothed[i] = screen_curvature(&v->depths, i % v->width, i / v->width);
}

SHOAL_FN void screen_light_liquid(const screen_view* v, int i) {
    screen_liquid s = {&v->camera, &v->lights,     v->width,     v->height,      v->ior,
                       v->spacing, v->depths.from, v->thickness, v->solid_depth, v->behind};
    v->light[i]     = v->seen[i] == SCREEN_NOBODY ? v->behind[i]
                                                  : screen_liquid_light(&s, i % v->width, i / v->width,
                                                                        v->liquid[screen_key_number(v->seen[i])].color);
}

SHOAL_FN void screen_to_bytes(const screen_view* v, int i) {
    shoal_v3 light = v->light[i];
    float    of[3] = {light.x, light.y, light.z}, noise[3];
    screen_noise((size_t)i, noise);
    for (int c = 0; c < 3; c++)
        v->rgb[3 * (size_t)i + (size_t)c] =
            screen_print(v->film, screen_expose(of[c], v->gain, v->is_filmic), noise[c]);
}

// --- metaballs

SHOAL_FN int screen_blob_blocks(int pixels) { return (pixels + SCREEN_BLOB_BLOCK - 1) / SCREEN_BLOB_BLOCK; }
SHOAL_FN int screen_list_of(const screen_view* v, int body, int column, int row) {
    return (body * screen_blob_blocks(v->height) + row) * screen_blob_blocks(v->width) + column;
}
// Blocks that a splat touches.
SHOAL_FN screen_box screen_blob_box(const screen_view* v, int i) {
    screen_box b = v->covers[v->ball_count + i].pixels;
    if (b.right < b.left || b.bottom < b.top) return b;
    b.left /= SCREEN_BLOB_BLOCK, b.right /= SCREEN_BLOB_BLOCK, b.top /= SCREEN_BLOB_BLOCK,
        b.bottom /= SCREEN_BLOB_BLOCK;
    return b;
}
SHOAL_FN void screen_count_pairs(const screen_view* v, int i) {
    screen_box b   = screen_blob_box(v, i);
    v->pair_end[i] = b.right < b.left || b.bottom < b.top ? 0 : (b.right - b.left + 1) * (b.bottom - b.top + 1);
}
SHOAL_FN void screen_make_pairs(const screen_view* v, int i) {
    screen_box b  = screen_blob_box(v, i);
    int        at = i > 0 ? v->pair_end[i - 1] : 0;
    for (int y = b.top; y <= b.bottom; y++)
        for (int x = b.left; x <= b.right; x++, at++) {
            uint64_t list     = (uint64_t)screen_list_of(v, v->liquid[i].body, x, y);
            v->pair_key[at]   = list << 32 | screen_key(v->covers[v->ball_count + i].near, 0) >> 32;
            v->pair_splat[at] = i;
        }
}
SHOAL_FN void screen_list_pairs(const screen_view* v, int i) {
    v->listed[i] = v->ball_count + v->pair_splat[v->pair_order[i]];
}
// The first pair beyond a list, by halving.
SHOAL_FN void screen_end_list(const screen_view* v, int i) {
    int low = 0, high = v->pair_count;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (v->pair_sorted[middle] >> 32 > (uint64_t)i)
            high = middle;
        else
            low = middle + 1;
    }
    v->list_end[i] = low;
}
SHOAL_FN int    screen_list_first(const screen_view* v, int list) { return list > 0 ? v->list_end[list - 1] : 0; }
SHOAL_FN double screen_list_length(const screen_view* v, int i) {
    return (double)(v->list_end[i] - screen_list_first(v, i));
}

SHOAL_FN uint64_t screen_blob_at(const screen_view* v, int i, screen_span* spans, int capacity) {
    int   x = i % v->width, y = i / v->width;
    int   list  = screen_list_of(v, v->body, x / SCREEN_BLOB_BLOCK, y / SCREEN_BLOB_BLOCK);
    int   first = screen_list_first(v, list);
    float limit = v->seen[i] == SCREEN_NOBODY ? v->solid_depth[i] : screen_key_depth(v->seen[i]); // of a body before
    return screen_blob_first(v->covers, v->listed + first, v->list_end[list] - first,
                             screen_ray_x(&v->camera, v->width, x), screen_ray_y(&v->camera, v->height, y), v->level,
                             limit, spans, capacity);
}
SHOAL_FN void screen_meet_blobs(const screen_view* v, int i) {
    screen_span spans[SCREEN_SPANS];
    uint64_t    key = screen_blob_at(v, i, spans, SCREEN_SPANS);
    v->is_full[i]   = key == SCREEN_OVERFULL;
    if (key != SCREEN_OVERFULL && key != SCREEN_NOBODY) v->seen[i] = key;
}
// The pixels of one of SCREEN_OVERFULL_MOST that were left out, with room for all.
SHOAL_FN void screen_meet_overfull(const screen_view* v, int worker) {
    for (int i = worker; i < v->width * v->height; i += SCREEN_OVERFULL_MOST) {
        if (!v->is_full[i]) continue;
        uint64_t key = screen_blob_at(v, i, v->spans + (size_t)worker * (size_t)v->span_capacity, v->span_capacity);
        if (key != SCREEN_NOBODY) v->seen[i] = key;
    }
}

// clang-format off
#define SCREEN_ITEM_PASSES(X)                                                                                          \
    X(cover_ball) X(cover_liquid) X(cover_triangle) X(know_depth) X(light_solid) X(take_depth) X(narrow_across)        \
    X(narrow_down) X(flow) X(light_liquid) X(to_bytes) X(count_pairs) X(make_pairs) X(list_pairs) X(end_list)           \
    X(meet_blobs) X(meet_overfull)
#define SCREEN_PASSES(X) SCREEN_ITEM_PASSES(X) X(draw_ball) X(draw_facet) X(draw_liquid) X(thicken) X(cast_ball) X(cast_pane)
#define SCREEN_FOLDS(X) X(list_length, MOST)
// clang-format on

#endif
