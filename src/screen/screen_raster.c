// SPDX-License-Identifier: MIT
// The nearest of each pixel, tile by tile: the smallest key of depth and number, so that the order of items does not
// matter. A tile belongs to one thread.
#include "screen/screen_local.h"

typedef struct window { // of a tile, pixels
    int left, right, top, bottom;
} window;

// What of a tile is asked again and again, as floats; rows of SCREEN_TILE.
typedef struct tile {
    float across[SCREEN_TILE];              // px of its columns
    float slant[SCREEN_TILE * SCREEN_TILE]; // length of (px, py, 1)
    float solid[SCREEN_TILE * SCREEN_TILE]; // depth of what is solid
    float near[SCREEN_TILE * SCREEN_TILE];  // depth of the nearest of the liquid so far
} tile;

// Where a row of a splat's pixels meets it.
typedef struct hits {
    float depth[SCREEN_TILE]; // SCREEN_EMPTY: it does not
    float chord[SCREEN_TILE];
} hits;

static void hit_row(const screen_cover* c, const float* across, float py, int count, hits* out) {
    for (int i = 0; i < count; i++) {
        float depth, chord;
        int   is_hit  = screen_splat_hit(c, across[i], py, &depth, &chord);
        out->depth[i] = is_hit ? depth : SCREEN_EMPTY;
        out->chord[i] = chord;
    }
}

static window common(const screen_cover* c, window w) {
    return (window){c->left > w.left ? c->left : w.left, c->right < w.right ? c->right : w.right,
                    c->top > w.top ? c->top : w.top, c->bottom < w.bottom ? c->bottom : w.bottom};
}

static void draw_ball(screen* s, const tile* t, const screen_cover* c, window w) {
    window own   = common(c, w);
    int    count = own.right - own.left + 1;
    hits   hit;
    for (int y = own.top; y <= own.bottom; y++) {
        uint64_t* row = s->solid + (size_t)y * (size_t)s->width + (size_t)own.left;
        hit_row(c, t->across + (own.left - w.left), screen_ray_y(&s->scene->camera, s->height, y), count, &hit);
        for (int i = 0; i < count; i++) {
            uint64_t key = screen_key(hit.depth[i], c->number);
            if (hit.depth[i] < SCREEN_EMPTY && key < row[i]) row[i] = key;
        }
    }
}

// Chords count as far as nothing solid hides them; true where the splat is as near as anything so far.
static bool add_chords(const hits* restrict hit, const float* restrict slant, const float* restrict solid,
                       const float* restrict near, float unit, int count, int32_t* restrict thickness) {
    int is_near = 0;
    for (int i = 0; i < count; i++) { // masks in place of branches: several pixels at a time
        int is_seen = hit->depth[i] < solid[i];
        thickness[i] += -is_seen & (int32_t)(hit->chord[i] * slant[i] * unit);
        is_near |= is_seen & (hit->depth[i] <= near[i]);
    }
    return is_near;
}

static void draw_liquid(screen* s, tile* t, const screen_cover* c, window w) {
    float  unit  = c->share / (SCREEN_THICKNESS_UNIT * s->scene->spacing);
    window own   = common(c, w);
    int    count = own.right - own.left + 1;
    hits   hit;
    for (int y = own.top; y <= own.bottom; y++) {
        size_t at  = (size_t)y * (size_t)s->width + (size_t)own.left;
        int    row = (y - w.top) * SCREEN_TILE + own.left - w.left;
        hit_row(c, t->across + (own.left - w.left), screen_ray_y(&s->scene->camera, s->height, y), count, &hit);
        if (!add_chords(&hit, t->slant + row, t->solid + row, t->near + row, unit, count, s->thickness + at)) continue;
        for (int i = 0; i < count; i++) {
            uint64_t key = screen_key(hit.depth[i], c->number);
            if (!(hit.depth[i] < t->solid[row + i]) || key >= s->liquid[at + (size_t)i]) continue;
            s->liquid[at + (size_t)i] = key;
            t->near[row + i]          = hit.depth[i];
        }
    }
}

// Shares of the corners at the middle of a pixel; false outside, and where there is no area.
static bool corner_shares(const shoal_v3 c[3], int x, int y, float share[3]) {
    float px = (float)x + 0.5f, py = (float)y + 0.5f;
    float area = (c[1].x - c[0].x) * (c[2].y - c[0].y) - (c[2].x - c[0].x) * (c[1].y - c[0].y);
    share[1]   = ((px - c[0].x) * (c[2].y - c[0].y) - (c[2].x - c[0].x) * (py - c[0].y)) / area;
    share[2]   = ((c[1].x - c[0].x) * (py - c[0].y) - (px - c[0].x) * (c[1].y - c[0].y)) / area;
    share[0]   = 1.0f - share[1] - share[2];
    return share[0] >= 0.0f && share[1] >= 0.0f && share[2] >= 0.0f;
}

static void draw_facet(screen* s, const screen_facet* f, window w) {
    int left = f->left > w.left ? f->left : w.left, right = f->right < w.right ? f->right : w.right;
    int top = f->top > w.top ? f->top : w.top, bottom = f->bottom < w.bottom ? f->bottom : w.bottom;
    for (int y = top; y <= bottom; y++)
        for (int x = left; x <= right; x++) {
            float  share[3];
            size_t at = (size_t)y * (size_t)s->width + (size_t)x;
            if ((f->is_clear && (x + y) % 2) || !corner_shares(f->corner, x, y, share)) continue;
            float    depth = 1.0f / (share[0] * f->corner[0].z + share[1] * f->corner[1].z + share[2] * f->corner[2].z);
            uint64_t key   = screen_key(depth, (uint32_t)s->ball_count + f->source);
            s->solid[at]   = key < s->solid[at] ? key : s->solid[at];
        }
}

static void clear(screen* s, window w) {
    for (int y = w.top; y <= w.bottom; y++)
        for (size_t at = (size_t)y * (size_t)s->width + (size_t)w.left, end = at + (size_t)(w.right - w.left);
             at <= end; at++) {
            s->solid[at] = s->liquid[at] = SCREEN_NOBODY;
            s->thickness[at]             = 0;
        }
}

static void ready_liquid(const screen* s, tile* t, window w) {
    for (int y = w.top; y <= w.bottom; y++)
        for (int x = w.left; x <= w.right; x++) {
            int   at = (y - w.top) * SCREEN_TILE + x - w.left;
            float px = t->across[x - w.left], py = screen_ray_y(&s->scene->camera, s->height, y);
            t->slant[at] = sqrtf(px * px + py * py + 1.0f);
            t->solid[at] = screen_key_depth(s->solid[(size_t)y * (size_t)s->width + (size_t)x]);
            t->near[at]  = SCREEN_EMPTY;
        }
}

static void draw_tiles(void* ctx, int begin, int end, int worker) {
    (void)worker;
    screen*             s     = ctx;
    const screen_tiles* tiles = &s->tiles;
    for (int t = begin; t < end; t++) {
        int    x = t % tiles->across * SCREEN_TILE, y = t / tiles->across * SCREEN_TILE;
        window w = {x, x + SCREEN_TILE - 1, y, y + SCREEN_TILE - 1};
        w.right  = w.right > s->width - 1 ? s->width - 1 : w.right;
        w.bottom = w.bottom > s->height - 1 ? s->height - 1 : w.bottom;
        tile own;
        for (int k = w.left; k <= w.right; k++) own.across[k - w.left] = screen_ray_x(&s->scene->camera, s->width, k);
        clear(s, w);
        for (int k = tiles->first[t]; k < tiles->first[t + 1]; k++) {
            int item = tiles->item[k];
            if (item < s->ball_count)
                draw_ball(s, &own, &s->covers[item], w);
            else if (item >= s->cover_count)
                draw_facet(s, &s->facets[item - s->cover_count], w);
        }
        if (s->cover_count > s->ball_count) ready_liquid(s, &own, w);
        for (int k = tiles->first[t]; k < tiles->first[t + 1]; k++) {
            int item = tiles->item[k];
            if (item >= s->ball_count && item < s->cover_count) draw_liquid(s, &own, &s->covers[item], w);
        }
    }
}

void screen_raster(screen* s) { shoal_blocks(s->exec, s->tiles.count, 1, draw_tiles, s); }
