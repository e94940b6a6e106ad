// SPDX-License-Identifier: MIT
// The nearest of each pixel, tile by tile: the smallest key of depth and number, so that the order of items does not
// matter. A tile belongs to one thread.
#include "screen/screen_local.h"

typedef struct window { // of a tile, pixels
    int left, right, top, bottom;
} window;

static void draw_ball(screen* s, const screen_cover* c, window w) {
    const screen_camera* camera = &s->scene->camera;
    int                  left = c->left > w.left ? c->left : w.left, right = c->right < w.right ? c->right : w.right;
    int                  top = c->top > w.top ? c->top : w.top, bottom = c->bottom < w.bottom ? c->bottom : w.bottom;
    for (int y = top; y <= bottom; y++) {
        float     py  = screen_ray_y(camera, s->height, y), depth, chord;
        uint64_t* row = s->solid + (size_t)y * (size_t)s->width;
        for (int x = left; x <= right; x++) {
            if (!screen_splat_hit(c, screen_ray_x(camera, s->width, x), py, &depth, &chord)) continue;
            uint64_t key = screen_key(depth, c->number);
            row[x]       = key < row[x] ? key : row[x];
        }
    }
}

// Chords count as far as nothing solid hides them.
static void draw_liquid(screen* s, const screen_cover* c, window w) {
    const screen_camera* camera = &s->scene->camera;
    float                unit   = c->share / (SCREEN_THICKNESS_UNIT * s->scene->spacing);
    int                  left = c->left > w.left ? c->left : w.left, right = c->right < w.right ? c->right : w.right;
    int                  top = c->top > w.top ? c->top : w.top, bottom = c->bottom < w.bottom ? c->bottom : w.bottom;
    for (int y = top; y <= bottom; y++) {
        float  py  = screen_ray_y(camera, s->height, y), depth, chord;
        size_t row = (size_t)y * (size_t)s->width;
        for (int x = left; x <= right; x++) {
            size_t at = row + (size_t)x;
            float  px = screen_ray_x(camera, s->width, x);
            if (!screen_splat_hit(c, px, py, &depth, &chord)) continue;
            uint64_t key = screen_key(depth, c->number);
            if (screen_key_depth(s->solid[at]) <= depth) continue;
            s->liquid[at] = key < s->liquid[at] ? key : s->liquid[at];
            s->thickness[at] += (int32_t)(chord * sqrtf(px * px + py * py + 1.0f) * unit);
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

static void draw_tiles(void* ctx, int begin, int end, int worker) {
    (void)worker;
    screen*             s     = ctx;
    const screen_tiles* tiles = &s->tiles;
    for (int t = begin; t < end; t++) {
        int    x = t % tiles->across * SCREEN_TILE, y = t / tiles->across * SCREEN_TILE;
        window w = {x, x + SCREEN_TILE - 1, y, y + SCREEN_TILE - 1};
        w.right  = w.right > s->width - 1 ? s->width - 1 : w.right;
        w.bottom = w.bottom > s->height - 1 ? s->height - 1 : w.bottom;
        clear(s, w);
        for (int k = tiles->first[t]; k < tiles->first[t + 1]; k++) {
            int item = tiles->item[k];
            if (item < s->ball_count)
                draw_ball(s, &s->covers[item], w);
            else if (item >= s->cover_count)
                draw_facet(s, &s->facets[item - s->cover_count], w);
        }
        for (int k = tiles->first[t]; k < tiles->first[t + 1]; k++) {
            int item = tiles->item[k];
            if (item >= s->ball_count && item < s->cover_count) draw_liquid(s, &s->covers[item], w);
        }
    }
}

void screen_raster(screen* s) { shoal_blocks(s->exec, s->tiles.count, 1, draw_tiles, s); }
