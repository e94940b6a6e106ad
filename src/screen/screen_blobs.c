// SPDX-License-Identifier: MIT
// Metaballs of a tile, in blocks of pixels: first the balls that a block sees, then each of its pixels.
#include "screen/screen_local.h"

enum { BLOCK = 8 }; // pixels along its edge

shoal_status screen_blobs_reserve(screen* s) {
    s->blob_most = 0;
    if (!(s->scene->level > 0.0f)) return SHOAL_OK;
    for (int t = 0; t < s->tiles.count; t++) {
        int here     = s->tiles.first[t + 1] - s->tiles.first[t];
        s->blob_most = here > s->blob_most ? here : s->blob_most;
    }
    if ((int64_t)s->blob_most * s->exec->threads > INT32_MAX)
        return shoal_fail(SHOAL_ERR_MEMORY, "%d metaballs in one place are too many", s->blob_most);
    int all = s->blob_most * s->exec->threads;
    SHOAL_TRY(shoal_reserve((void**)&s->listed, &s->listed_capacity, all, 2 * sizeof *s->listed));
    return shoal_reserve((void**)&s->spans, &s->span_capacity, all, sizeof *s->spans);
}

// Balls of one body that touch the block, in the order of the tile: from the front to the back.
static int list_balls(const screen* s, screen_box block, int body, const int* items, int count, int* list) {
    int listed = 0;
    for (int k = 0; k < count; k++) {
        if (items[k] < s->ball_count || items[k] >= s->cover_count) continue;
        const screen_cover* c = &s->covers[items[k]];
        if (c->pixels.left <= block.right && c->pixels.right >= block.left && c->pixels.top <= block.bottom &&
            c->pixels.bottom >= block.top && s->scene->liquid[c->number].body == body)
            list[listed++] = items[k];
    }
    return listed;
}

static void draw_block(screen* s, screen_box block, const int* list, int count, screen_span* spans) {
    const screen_camera* camera = &s->scene->camera;
    for (int y = block.top; y <= block.bottom; y++)
        for (int x = block.left; x <= block.right; x++) {
            size_t at    = (size_t)y * (size_t)s->width + (size_t)x;
            float  limit = screen_key_depth(s->solid[at]);
            if (s->liquid[at] != SCREEN_NOBODY) limit = screen_key_depth(s->liquid[at]); // of a body before this one
            uint64_t key = screen_blob_first(s->covers, list, count, screen_ray_x(camera, s->width, x),
                                             screen_ray_y(camera, s->height, y), s->scene->level, limit, spans, count);
            if (key != SCREEN_NOBODY) s->liquid[at] = key;
        }
}

void screen_draw_blobs(screen* s, screen_box tile, const int* items, int count, int worker) {
    int *        list = s->listed + 2 * (size_t)worker * (size_t)s->blob_most, *in_row = list + s->blob_most;
    screen_span* spans = s->spans + (size_t)worker * (size_t)s->blob_most;
    for (int body = 0; body < s->scene->body_count; body++)
        for (int y = tile.top; y <= tile.bottom; y += BLOCK) {
            // a row of blocks first, so that a block need not look at all of the tile
            screen_box block  = {tile.left, tile.right, y, y + BLOCK - 1 > tile.bottom ? tile.bottom : y + BLOCK - 1};
            int        in_all = list_balls(s, block, body, items, count, in_row);
            for (int x = tile.left; x <= tile.right; x += BLOCK) {
                block.left  = x;
                block.right = x + BLOCK - 1 > tile.right ? tile.right : x + BLOCK - 1;
                int listed  = list_balls(s, block, body, in_row, in_all, list);
                if (listed > 0) draw_block(s, block, list, listed, spans);
            }
        }
}
