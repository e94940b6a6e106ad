// SPDX-License-Identifier: MIT
// The nearest of each pixel, tile by tile: the smallest key of depth and number, so that the order of items does not
// matter. A tile belongs to one thread.
#include "screen/screen_local.h"

#include <string.h>

typedef struct window { // of a tile, pixels
    int left, right, top, bottom;
} window;

// A tile is looked at in blocks of LANES x BLOCK_ROWS pixels.
enum {
    LANES         = SCREEN_LANES,
    BLOCK_ROWS    = 8,
    BLOCKS_ACROSS = SCREEN_TILE / LANES,
    BLOCKS_DOWN   = SCREEN_TILE / BLOCK_ROWS
};

// What of a tile is asked again and again, as floats; rows of SCREEN_TILE pixels, or of SCREEN_TILE_CELLS cells. Beyond
// the edge of the picture everything is hidden.
typedef struct tile {
    float   across[SCREEN_TILE];                               // px of its columns
    float   solid[SCREEN_TILE * SCREEN_TILE];                  // depth of what is solid
    float   limit[SCREEN_TILE * SCREEN_TILE];                  // depth beyond which nothing of the liquid is seen
    float   far[BLOCKS_DOWN][BLOCKS_ACROSS];                   // the largest limit of each block
    float   farthest;                                          // and of all
    float   cell_across[SCREEN_TILE_CELLS];                    // the same of cells
    float   cell_slant[SCREEN_TILE_CELLS * SCREEN_TILE_CELLS]; // length of (px, py, 1)
    float   cell_solid[SCREEN_TILE_CELLS * SCREEN_TILE_CELLS];
    int32_t thickness[SCREEN_TILE_CELLS * SCREEN_TILE_CELLS];
} tile;

static window common(screen_box b, window w) {
    return (window){b.left > w.left ? b.left : w.left, b.right < w.right ? b.right : w.right,
                    b.top > w.top ? b.top : w.top, b.bottom < w.bottom ? b.bottom : w.bottom};
}

static void draw_ball(screen* s, const tile* t, const screen_cover* c, window w) {
    window own = common(c->pixels, w);
    float  depth[LANES];
    for (int y = own.top; y <= own.bottom; y++)
        for (int x = own.left / LANES * LANES; x <= own.right; x += LANES) {
            uint64_t* row = s->solid + (size_t)y * (size_t)s->width;
            int       at  = (y - w.top) * SCREEN_TILE + x - w.left;
            if (!s->loops->hit_row(c, t->across + (x - w.left), screen_ray_y(&s->scene->camera, s->height, y),
                                   t->solid + at, depth))
                continue;
            for (int i = 0; i < LANES && x + i < s->width; i++) {
                uint64_t key = screen_key(depth[i], c->number);
                if (depth[i] < SCREEN_EMPTY && key < row[x + i]) row[x + i] = key;
            }
        }
}

static void renew_far(tile* t, int row, int column) {
    float far = -1.0f;
    for (int y = row * BLOCK_ROWS; y < (row + 1) * BLOCK_ROWS; y++)
        for (int i = 0; i < LANES; i++) {
            float limit = t->limit[y * SCREEN_TILE + column * LANES + i];
            far         = limit > far ? limit : far;
        }
    t->far[row][column] = far;
}

static void renew_farthest(tile* t) {
    t->farthest = -1.0f;
    for (int k = 0; k < BLOCKS_DOWN * BLOCKS_ACROSS; k++) {
        float far   = t->far[k / BLOCKS_ACROSS][k % BLOCKS_ACROSS];
        t->farthest = far > t->farthest ? far : t->farthest;
    }
}

// Sixteen pixels of a splat; true where it came to be the nearest of one.
static bool draw_lanes(screen* s, tile* t, const screen_cover* c, window w, int x, int y) {
    int    at   = y * SCREEN_TILE + x;
    size_t here = (size_t)(w.top + y) * (size_t)s->width + (size_t)(w.left + x);
    float  depth[LANES];
    bool   is_new = false;
    if (!s->loops->hit_row(c, t->across + x, screen_ray_y(&s->scene->camera, s->height, w.top + y), t->limit + at,
                           depth))
        return false;
    for (int i = 0; i < LANES; i++) {
        uint64_t key = screen_key(depth[i], c->number);
        if (!(depth[i] <= t->limit[at + i]) || !(depth[i] < t->solid[at + i]) || key >= s->liquid[here + (size_t)i])
            continue;
        s->liquid[here + (size_t)i] = key;
        t->limit[at + i]            = depth[i];
        is_new                      = true;
    }
    return is_new;
}

// A block in which all that is seen lies before the splat is passed over: none of its hits can be the nearest.
static void draw_liquid(screen* s, tile* t, const screen_cover* c, window w) {
    window own     = common(c->pixels, w);
    bool   has_new = false;
    if (own.right < own.left) return;
    for (int row = (own.top - w.top) / BLOCK_ROWS; row * BLOCK_ROWS <= own.bottom - w.top; row++)
        for (int column = (own.left - w.left) / LANES; column * LANES <= own.right - w.left; column++) {
            bool is_new = false;
            int  first = row * BLOCK_ROWS, last = first + BLOCK_ROWS - 1;
            if (c->near > t->far[row][column]) continue;
            first = first < own.top - w.top ? own.top - w.top : first;
            last  = last > own.bottom - w.top ? own.bottom - w.top : last;
            for (int y = first; y <= last; y++) is_new |= draw_lanes(s, t, c, w, column * LANES, y);
            if (is_new) renew_far(t, row, column);
            has_new |= is_new;
        }
    if (has_new) renew_farthest(t);
}

static float cell_ray_y(const screen* s, int y) { // of the middle of a cell
    return (1.0f - (float)(SCREEN_CELL * y + SCREEN_CELL / 2) * 2.0f / (float)s->height) * s->scene->camera.along;
}

static void thicken(const screen* s, tile* t, const screen_cover* c, window cells) {
    float  unit = c->share / (SCREEN_THICKNESS_UNIT * s->scene->spacing);
    window own  = common(c->cells, cells);
    if (own.right < own.left) return;
    for (int y = own.top; y <= own.bottom; y++) {
        int at = (y - cells.top) * SCREEN_TILE_CELLS;
        s->loops->thicken_row(c, t->cell_across, cell_ray_y(s, y), t->cell_slant + at, t->cell_solid + at, unit,
                              t->thickness + at);
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
             at <= end; at++)
            s->solid[at] = s->liquid[at] = SCREEN_NOBODY;
}

static void ready_tile(const screen* s, tile* t, window w) {
    for (int k = 0; k < SCREEN_TILE; k++) t->across[k] = screen_ray_x(&s->scene->camera, s->width, w.left + k);
    for (int k = 0; k < SCREEN_TILE * SCREEN_TILE; k++) t->solid[k] = SCREEN_EMPTY;
}

// What is solid is known by now; each cell has the depth of the pixel behind its middle.
static void ready_liquid(const screen* s, tile* t, window w, window cells) {
    const screen_camera* c = &s->scene->camera;
    for (int y = 0; y < SCREEN_TILE; y++)
        for (int x = 0; x < SCREEN_TILE; x++) {
            int  at    = y * SCREEN_TILE + x;
            bool is_in = w.left + x <= w.right && w.top + y <= w.bottom;
            t->solid[at] =
                is_in ? screen_key_depth(s->solid[(size_t)(w.top + y) * (size_t)s->width + (size_t)(w.left + x)])
                      : -1.0f;
            t->limit[at] = t->solid[at];
        }
    for (int k = 0; k < BLOCKS_DOWN * BLOCKS_ACROSS; k++) renew_far(t, k / BLOCKS_ACROSS, k % BLOCKS_ACROSS);
    renew_farthest(t);
    for (int k = 0; k < SCREEN_TILE_CELLS * SCREEN_TILE_CELLS; k++) {
        int   i = k % SCREEN_TILE_CELLS, j = k / SCREEN_TILE_CELLS;
        int   x = SCREEN_CELL * i + SCREEN_CELL / 2, y = SCREEN_CELL * j + SCREEN_CELL / 2;
        float px =
            ((float)(SCREEN_CELL * (cells.left + i) + SCREEN_CELL / 2) * 2.0f / (float)s->width - 1.0f) * c->across;
        float py          = cell_ray_y(s, cells.top + j);
        x                 = x > w.right - w.left ? w.right - w.left : x;
        y                 = y > w.bottom - w.top ? w.bottom - w.top : y;
        t->cell_across[i] = px;
        t->cell_slant[k]  = sqrtf(px * px + py * py + 1.0f);
        t->cell_solid[k]  = t->solid[y * SCREEN_TILE + x];
        t->thickness[k]   = 0;
    }
}

static void keep_thickness(screen* s, const tile* t, window cells) {
    for (int y = cells.top; y <= cells.bottom; y++)
        memcpy(s->thickness + (size_t)y * (size_t)screen_cells(s->width) + (size_t)cells.left,
               t->thickness + (y - cells.top) * SCREEN_TILE_CELLS,
               (size_t)(cells.right - cells.left + 1) * sizeof *s->thickness);
}

static void draw_tile(screen* s, int number, int worker) {
    const screen_tiles* tiles = &s->tiles;
    int                 x = number % tiles->across * SCREEN_TILE, y = number / tiles->across * SCREEN_TILE;
    window              w     = {x, x + SCREEN_TILE - 1, y, y + SCREEN_TILE - 1};
    const int *         first = tiles->item + tiles->first[number], *last = tiles->item + tiles->first[number + 1];
    tile                t;
    w.right      = w.right > s->width - 1 ? s->width - 1 : w.right;
    w.bottom     = w.bottom > s->height - 1 ? s->height - 1 : w.bottom;
    window cells = {w.left / SCREEN_CELL, w.right / SCREEN_CELL, w.top / SCREEN_CELL, w.bottom / SCREEN_CELL};
    clear(s, w);
    ready_tile(s, &t, w);
    for (const int* k = first; k < last; k++) {
        if (*k < s->ball_count)
            draw_ball(s, &t, &s->covers[*k], w);
        else if (*k >= s->cover_count)
            draw_facet(s, &s->facets[*k - s->cover_count], w);
    }
    if (s->cover_count == s->ball_count) return;
    ready_liquid(s, &t, w, cells);
    bool is_blobs = s->scene->level > 0.0f;
    if (is_blobs)
        screen_draw_blobs(s, (screen_box){w.left, w.right, w.top, w.bottom}, first, (int)(last - first), worker);
    for (const int* k = first; k < last; k++)
        if (*k >= s->ball_count && *k < s->cover_count) {
            const screen_cover* c = &s->covers[*k];
            if (!is_blobs && c->near <= t.farthest) draw_liquid(s, &t, c, w);
            thicken(s, &t, c, cells);
        }
    keep_thickness(s, &t, cells);
}

static void draw_tiles(void* ctx, int begin, int end, int worker) {
    for (int t = begin; t < end; t++) draw_tile(ctx, t, worker);
}

void screen_raster(screen* s) { shoal_blocks(s->exec, s->tiles.count, 1, draw_tiles, s); }
