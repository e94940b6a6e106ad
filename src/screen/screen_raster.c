// SPDX-License-Identifier: MIT
// The nearest of each pixel, tile by tile: the smallest key of depth and number, so that the order of items does not
// matter. A tile belongs to one thread.
#include "screen/screen_local.h"

#include <string.h>

enum {
    LANES         = SCREEN_LANES,
    BLOCK_ROWS    = SCREEN_BLOCK_ROWS,
    BLOCKS_ACROSS = SCREEN_TILE / LANES,
    BLOCKS_DOWN   = SCREEN_TILE / BLOCK_ROWS,
    AHEAD         = 8 // splats that are fetched before they are drawn
};

// The nearest of each pixel of a tile, of solids or of the liquid. A pixel in which nothing is seen has the
// depth beyond which nothing would be, and the number 0, so that no item at that very depth is nearer.
typedef struct layer {
    float    depth[SCREEN_TILE * SCREEN_TILE];
    uint32_t number[SCREEN_TILE * SCREEN_TILE];
    float    far[BLOCKS_DOWN][BLOCKS_ACROSS]; // the largest depth of each block
    float    farthest;                        // and of all
} layer;

// What of a tile is asked again and again; rows of SCREEN_TILE pixels, or of SCREEN_TILE_CELLS cells. Beyond the edge
// of the picture everything is hidden.
typedef struct tile {
    screen_box pixels;
    float      across[SCREEN_TILE], down[SCREEN_TILE];            // px of its columns, py of its rows
    layer      solid, liquid;                                     // nothing of the liquid is seen behind what is solid
    float      cell_across[SCREEN_TILE_CELLS];                    // the same of cells
    float      cell_slant[SCREEN_TILE_CELLS * SCREEN_TILE_CELLS]; // length of (px, py, 1)
    float      cell_solid[SCREEN_TILE_CELLS * SCREEN_TILE_CELLS];
    int32_t    thickness[SCREEN_TILE_CELLS * SCREEN_TILE_CELLS];
} tile;

static screen_box common(screen_box a, screen_box b) {
    return (screen_box){a.left > b.left ? a.left : b.left, a.right < b.right ? a.right : b.right,
                        a.top > b.top ? a.top : b.top, a.bottom < b.bottom ? a.bottom : b.bottom};
}

static void renew_far(const screen* s, layer* l, int row, int column) {
    l->far[row][column] = s->loops->farthest(l->depth + row * BLOCK_ROWS * SCREEN_TILE + column * LANES);
}

static void renew_farthest(layer* l) {
    l->farthest = -1.0f;
    for (int k = 0; k < BLOCKS_DOWN * BLOCKS_ACROSS; k++) {
        float far   = l->far[k / BLOCKS_ACROSS][k % BLOCKS_ACROSS];
        l->farthest = far > l->farthest ? far : l->farthest;
    }
}

// A block in which all that is seen lies before the splat is passed over: none of its hits can be the nearest.
static void draw_splat(const screen* s, const tile* t, layer* l, const screen_cover* c) {
    screen_box own     = common(c->pixels, t->pixels);
    bool       has_new = false;
    if (own.right < own.left || c->near > l->farthest) return;
    for (int row = (own.top - t->pixels.top) / BLOCK_ROWS; row * BLOCK_ROWS <= own.bottom - t->pixels.top; row++)
        for (int column = (own.left - t->pixels.left) / LANES; column * LANES <= own.right - t->pixels.left; column++) {
            int first = row * BLOCK_ROWS, at = first * SCREEN_TILE + column * LANES;
            int above = own.top - t->pixels.top - first, below = own.bottom - t->pixels.top - first;
            int left = own.left - t->pixels.left - column * LANES, right = own.right - t->pixels.left - column * LANES;
            screen_range rows = {above > 0 ? above : 0, below < BLOCK_ROWS - 1 ? below : BLOCK_ROWS - 1};
            if (c->near > l->far[row][column] ||
                !s->loops->nearest_block(c, t->across + column * LANES, t->down + first, rows,
                                         (screen_range){left, right}, l->depth + at, l->number + at))
                continue;
            renew_far(s, l, row, column);
            has_new = true;
        }
    if (has_new) renew_farthest(l);
}

static void thicken(const screen* s, tile* t, const screen_cover* c, screen_box cells) {
    float      unit = screen_thickness_fraction(c, s->scene->spacing);
    screen_box own  = common(c->cells, cells);
    if (own.right < own.left) return;
    for (int y = own.top; y <= own.bottom; y++) {
        int at = (y - cells.top) * SCREEN_TILE_CELLS;
        s->loops->thicken_row(c, (screen_range){own.left - cells.left, own.right - cells.left}, t->cell_across,
                              screen_cell_y(&s->scene->camera, s->height, y), t->cell_slant + at, t->cell_solid + at,
                              unit, t->thickness + at);
    }
}

static void draw_facet(tile* t, const screen_facet* f, uint32_t number) {
    screen_box own = common(f->pixels, t->pixels);
    for (int y = own.top; y <= own.bottom; y++)
        for (int x = own.left; x <= own.right; x++) {
            float depth;
            int   i = x - t->pixels.left, j = y - t->pixels.top, at = j * SCREEN_TILE + i;
            if (!screen_facet_hit(f, x, y, t->across[i], t->down[j], &depth)) continue;
            if (screen_key(depth, number) >= screen_key(t->solid.depth[at], t->solid.number[at])) continue;
            t->solid.depth[at]  = depth;
            t->solid.number[at] = number;
        }
}

static bool is_inside(const tile* t, int x, int y) {
    return t->pixels.left + x <= t->pixels.right && t->pixels.top + y <= t->pixels.bottom;
}

static void ready_tile(const screen* s, tile* t) {
    for (int k = 0; k < SCREEN_TILE; k++) {
        t->across[k] = screen_ray_x(&s->scene->camera, s->width, t->pixels.left + k);
        t->down[k]   = screen_ray_y(&s->scene->camera, s->height, t->pixels.top + k);
    }
    for (int k = 0; k < SCREEN_TILE * SCREEN_TILE; k++) {
        t->solid.depth[k]  = is_inside(t, k % SCREEN_TILE, k / SCREEN_TILE) ? SCREEN_EMPTY : -1.0f;
        t->solid.number[k] = 0;
    }
    for (int k = 0; k < BLOCKS_DOWN * BLOCKS_ACROSS; k++) renew_far(s, &t->solid, k / BLOCKS_ACROSS, k % BLOCKS_ACROSS);
    renew_farthest(&t->solid);
}

// What is solid is known by now; each cell has the depth of the pixel behind its middle.
static void ready_liquid(const screen* s, tile* t, screen_box cells) {
    const screen_camera* c = &s->scene->camera;
    memcpy(t->liquid.depth, t->solid.depth, sizeof t->liquid.depth);
    memset(t->liquid.number, 0, sizeof t->liquid.number);
    for (int k = 0; k < BLOCKS_DOWN * BLOCKS_ACROSS; k++)
        renew_far(s, &t->liquid, k / BLOCKS_ACROSS, k % BLOCKS_ACROSS);
    renew_farthest(&t->liquid);
    for (int k = 0; k < SCREEN_TILE_CELLS * SCREEN_TILE_CELLS; k++) {
        int   i = k % SCREEN_TILE_CELLS, j = k / SCREEN_TILE_CELLS;
        int   x = SCREEN_CELL * i + SCREEN_CELL / 2, y = SCREEN_CELL * j + SCREEN_CELL / 2;
        int   right = t->pixels.right - t->pixels.left, bottom = t->pixels.bottom - t->pixels.top;
        float px          = screen_cell_x(c, s->width, cells.left + i);
        t->cell_across[i] = px;
        t->cell_slant[k]  = screen_slant(px, screen_cell_y(c, s->height, cells.top + j));
        t->cell_solid[k]  = t->solid.depth[(y > bottom ? bottom : y) * SCREEN_TILE + (x > right ? right : x)];
        t->thickness[k]   = 0;
    }
}

// Keys of the pixels of a layer that are nearer than `beyond`, which has none.
static void keep_keys(const screen* s, const tile* t, const layer* l, const float* beyond, uint64_t* keys) {
    for (int y = t->pixels.top; y <= t->pixels.bottom; y++)
        for (int x = t->pixels.left; x <= t->pixels.right; x++) {
            int at                                         = (y - t->pixels.top) * SCREEN_TILE + x - t->pixels.left;
            keys[(size_t)y * (size_t)s->width + (size_t)x] = l->depth[at] < (beyond ? beyond[at] : SCREEN_EMPTY)
                                                                 ? screen_key(l->depth[at], l->number[at])
                                                                 : SCREEN_NOBODY;
        }
}

static void clear(const screen* s, const tile* t, uint64_t* keys) {
    for (int y = t->pixels.top; y <= t->pixels.bottom; y++)
        for (int x = t->pixels.left; x <= t->pixels.right; x++)
            keys[(size_t)y * (size_t)s->width + (size_t)x] = SCREEN_NOBODY;
}

static void keep_solid_depth(screen* s, const tile* t) {
    for (int y = t->pixels.top; y <= t->pixels.bottom; y++)
        memcpy(s->solid_depth + (size_t)y * (size_t)s->width + (size_t)t->pixels.left,
               t->solid.depth + (y - t->pixels.top) * SCREEN_TILE,
               (size_t)(t->pixels.right - t->pixels.left + 1) * sizeof *s->solid_depth);
}

static void keep_thickness(screen* s, const tile* t, screen_box cells) {
    for (int y = cells.top; y <= cells.bottom; y++)
        memcpy(s->thickness + (size_t)y * (size_t)screen_cells(s->width) + (size_t)cells.left,
               t->thickness + (y - cells.top) * SCREEN_TILE_CELLS,
               (size_t)(cells.right - cells.left + 1) * sizeof *s->thickness);
}

// Asks for what will be needed soon: covers lie in the order they were given, and come from the front to the back.
static void fetch_ahead(const screen* s, const int* k, const int* last) {
    if (last - k <= AHEAD || k[AHEAD] >= s->cover_count) return;
    const screen_cover* c = &s->covers[k[AHEAD]];
    __builtin_prefetch(c);
    __builtin_prefetch((const char*)(c + 1) - 1);
}

static void draw_tile(screen* s, int number, int worker) {
    const screen_tiles* tiles = &s->tiles;
    int                 x = number % tiles->across * SCREEN_TILE, y = number / tiles->across * SCREEN_TILE;
    int                 right = x + SCREEN_TILE - 1, bottom = y + SCREEN_TILE - 1;
    const int *         first = tiles->item + tiles->first[number], *last = tiles->item + tiles->first[number + 1];
    tile                t;
    t.pixels         = (screen_box){x, right > s->width - 1 ? s->width - 1 : right, y,
                            bottom > s->height - 1 ? s->height - 1 : bottom};
    screen_box cells = {t.pixels.left / SCREEN_CELL, t.pixels.right / SCREEN_CELL, t.pixels.top / SCREEN_CELL,
                        t.pixels.bottom / SCREEN_CELL};

    // what is solid
    ready_tile(s, &t);
    for (const int* k = first; k < last; k++) {
        fetch_ahead(s, k, last);
        if (*k < s->ball_count)
            draw_splat(s, &t, &t.solid, &s->covers[*k]);
        else if (*k >= s->cover_count)
            draw_facet(&t, &s->facets[*k - s->cover_count], (uint32_t)(*k - s->cover_count + s->ball_count));
    }
    keep_keys(s, &t, &t.solid, NULL, s->solid);
    keep_solid_depth(s, &t);

    // the liquid before it
    if (s->cover_count == s->ball_count) {
        clear(s, &t, s->liquid);
        return;
    }
    ready_liquid(s, &t, cells);
    bool is_blobs = s->scene->level > 0.0f;
    for (const int* k = first; k < last; k++)
        if (*k >= s->ball_count && *k < s->cover_count) {
            fetch_ahead(s, k, last);
            if (!is_blobs) draw_splat(s, &t, &t.liquid, &s->covers[*k]);
            thicken(s, &t, &s->covers[*k], cells);
        }
    keep_keys(s, &t, &t.liquid, t.solid.depth, s->liquid);
    if (is_blobs) screen_draw_blobs(s, t.pixels, first, (int)(last - first), worker);
    keep_thickness(s, &t, cells);
}

static void draw_tiles(void* ctx, int begin, int end, int worker) {
    for (int t = begin; t < end; t++) draw_tile(ctx, t, worker);
}

void screen_raster(screen* s) { shoal_blocks(s->exec, s->tiles.count, 1, draw_tiles, s); }
