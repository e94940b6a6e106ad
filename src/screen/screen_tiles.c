// SPDX-License-Identifier: MIT
// What items cover on the screen, and which tile sees which of them: counted by blocks of items, summed tile by tile in
// the order of blocks, filled. So the items of a tile stand in one order on any number of threads: covers from the
// front to the back, then facets.
#include "screen/screen_local.h"

#include <limits.h>

enum { ITEM_BLOCK = 4096 };

// --- which tiles an item touches

static bool is_empty(screen_box b) { return b.right < b.left || b.bottom < b.top; }

static screen_touch shrunk(screen_box b, int by) {
    return is_empty(b) ? (screen_touch){0, -1, 0, -1}
                       : (screen_touch){(int16_t)(b.left / by), (int16_t)(b.right / by), (int16_t)(b.top / by),
                                        (int16_t)(b.bottom / by)};
}

static screen_touch cover_touch(const screen_cover* c, bool is_liquid) {
    screen_touch own = shrunk(c->pixels, SCREEN_TILE);
    if (!is_liquid || is_empty(c->cells)) return own;
    screen_touch thick = shrunk(c->cells, SCREEN_TILE_CELLS);
    if (is_empty(c->pixels)) return thick;
    return (screen_touch){own.left < thick.left ? own.left : thick.left,
                          own.right > thick.right ? own.right : thick.right, own.top < thick.top ? own.top : thick.top,
                          own.bottom > thick.bottom ? own.bottom : thick.bottom};
}

// --- covers

static void cover_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    screen*             s     = ctx;
    const screen_scene* scene = s->scene;
    for (int i = begin; i < end; i++) {
        const screen_splat* splat  = i < s->ball_count ? &scene->balls[i] : &scene->liquid[i - s->ball_count];
        uint32_t            number = (uint32_t)(i < s->ball_count ? i : i - s->ball_count);
        s->covers[i]               = screen_splat_cover(&scene->camera, s->width, s->height, splat, number);
        s->touches[i]              = cover_touch(&s->covers[i], i >= s->ball_count);
    }
}

// From the front to the back, by where each begins: what is hidden is then met late, and passed over.
static void key_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    screen* s = ctx;
    for (int i = begin; i < end; i++) s->keys[i] = screen_key(s->covers[i].near, 0) >> 32;
}

static shoal_status sort_covers(screen* s) {
    int count = s->cover_count;
    SHOAL_TRY(shoal_reserve((void**)&s->order, &s->order_capacity, count, sizeof *s->order));
    SHOAL_TRY(shoal_reserve((void**)&s->keys, &s->key_capacity, count, 2 * sizeof *s->keys));
    SHOAL_TRY(shoal_reserve(&s->sort_memory, &s->sort_capacity, (int)((shoal_sort_scratch(count) + 63) / 64), 64));
    shoal_blocks(s->exec, count, ITEM_BLOCK, key_block, s);
    shoal_sort_keys(s->exec, s->keys, count, 32, s->order, s->keys + s->key_capacity, s->sort_memory);
    return SHOAL_OK;
}

// --- triangles

static void facet_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    screen*             s     = ctx;
    const screen_scene* scene = s->scene;
    for (int t = begin; t < end; t++) {
        s->facets[t] = screen_facet_of(&scene->camera, s->width, s->height, SCREEN_FACET_NEAR * scene->spacing,
                                       &scene->triangles[t]);
        s->touches[s->cover_count + t] = shrunk(s->facets[t].pixels, SCREEN_TILE);
    }
}

// --- tiles

// The number of the k-th item in the order in which tiles hold them.
static int item_at(const screen* s, int k) { return k < s->cover_count ? s->order[k] : k; }

static void count_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    screen* s     = ctx;
    int*    tally = s->tiles.tally + (size_t)(begin / ITEM_BLOCK) * (size_t)s->tiles.count;
    for (int t = 0; t < s->tiles.count; t++) tally[t] = 0;
    for (int k = begin; k < end; k++) {
        screen_touch b = s->touches[item_at(s, k)];
        for (int y = b.top; y <= b.bottom; y++)
            for (int x = b.left; x <= b.right; x++) tally[y * s->tiles.across + x]++;
    }
}

static void fill_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    screen* s     = ctx;
    int*    tally = s->tiles.tally + (size_t)(begin / ITEM_BLOCK) * (size_t)s->tiles.count;
    for (int k = begin; k < end; k++) {
        int          item = item_at(s, k);
        screen_touch b    = s->touches[item];
        for (int y = b.top; y <= b.bottom; y++)
            for (int x = b.left; x <= b.right; x++) s->tiles.item[tally[y * s->tiles.across + x]++] = item;
    }
}

static shoal_status sort_into_tiles(screen* s) {
    screen_tiles* tiles = &s->tiles;
    int           items = s->cover_count + s->facet_count, blocks = (items + ITEM_BLOCK - 1) / ITEM_BLOCK;
    int64_t       all = 0;
    if ((int64_t)blocks * tiles->count > INT_MAX)
        return shoal_fail(SHOAL_ERR_MEMORY, "%d items in a picture of %d x %d pixels are too many", items, s->width,
                          s->height);
    SHOAL_TRY(
        shoal_reserve((void**)&tiles->tally, &tiles->tally_capacity, blocks * tiles->count, sizeof *tiles->tally));
    shoal_blocks(s->exec, items, ITEM_BLOCK, count_block, s);
    for (int64_t k = 0; k < (int64_t)blocks * tiles->count; k++) all += tiles->tally[k];
    if (all > INT_MAX) return shoal_fail(SHOAL_ERR_MEMORY, "%d items cover too many tiles", items);
    int sum = 0;
    for (int t = 0; t < tiles->count; t++) {
        tiles->first[t] = sum;
        for (int b = 0; b < blocks; b++) {
            int* place = &tiles->tally[(size_t)b * (size_t)tiles->count + (size_t)t];
            int  here  = *place;
            *place     = sum;
            sum += here;
        }
    }
    tiles->first[tiles->count] = sum;
    SHOAL_TRY(shoal_reserve((void**)&tiles->item, &tiles->item_capacity, sum, sizeof *tiles->item));
    shoal_blocks(s->exec, items, ITEM_BLOCK, fill_block, s);
    return SHOAL_OK;
}

shoal_status screen_cover_all(screen* s) {
    const screen_scene* scene = s->scene;
    s->ball_count             = scene->ball_count;
    s->cover_count            = scene->ball_count + scene->liquid_count;
    s->facet_count            = scene->triangle_count;
    SHOAL_TRY(shoal_reserve((void**)&s->covers, &s->cover_capacity, s->cover_count, sizeof *s->covers));
    SHOAL_TRY(shoal_reserve((void**)&s->facets, &s->facet_capacity, s->facet_count, sizeof *s->facets));
    SHOAL_TRY(
        shoal_reserve((void**)&s->touches, &s->touch_capacity, s->cover_count + s->facet_count, sizeof *s->touches));
    shoal_blocks(s->exec, s->cover_count, ITEM_BLOCK, cover_block, s);
    shoal_blocks(s->exec, scene->triangle_count, ITEM_BLOCK, facet_block, s);
    SHOAL_TRY(sort_covers(s));
    return sort_into_tiles(s);
}
