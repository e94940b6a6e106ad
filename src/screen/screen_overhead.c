// SPDX-License-Identifier: MIT
// The map of what casts shadows: some threads draw one each, then the highest of each cell is taken.
#include "screen/screen_local.h"

#include <string.h>

enum { BLOCK = 256, ROWS = 32, CELLS = SCREEN_MAP_CELLS * SCREEN_MAP_CELLS };

shoal_status screen_overhead_begin(screen* s) {
    const screen_scene* scene  = s->scene;
    shoal_device*       device = s->exec->device;
    bool                casts  = scene->has_shadows && scene->ball_count + scene->triangle_count > 0;
    s->over                    = screen_overhead_of(scene->ground.middle, scene->ground.size, scene->spacing, s->tops);
    s->over.is_there           = s->over.is_there && casts;
    if (!s->over.is_there) return SHOAL_OK;
    if (!s->tops) s->tops = shoal_far_alloc(device, (size_t)(device ? 1 : SCREEN_MAPS) * CELLS, sizeof *s->tops);
    if (!s->tops) return SHOAL_ERR_MEMORY;
    s->over.tops = s->tops;
    return SHOAL_OK;
}

static void cast_block(void* ctx, int begin, int end, int worker) {
    const screen*       s     = ctx;
    const screen_scene* scene = s->scene;
    int32_t*            tops  = s->tops + (size_t)worker * CELLS;
    for (int i = begin; i < end; i++) {
        bool         is_ball = i < scene->ball_count;
        screen_disc  disc    = {0};
        screen_blade blade   = {0};
        if (is_ball)
            disc = screen_disc_of(&s->over, &scene->balls[i]);
        else
            blade = screen_blade_of(&s->over, scene->triangles[i - scene->ball_count].corner,
                                    scene->triangles[i - scene->ball_count].is_clear);
        screen_box box = is_ball ? disc.cells : blade.cells;
        for (int y = box.top; y <= box.bottom; y++)
            for (int x = box.left; x <= box.right; x++) {
                int32_t top = is_ball ? screen_disc_top(&disc, x, y) : screen_blade_top(&blade, x, y);
                int     at  = y * SCREEN_MAP_CELLS + x;
                tops[at]    = top > tops[at] ? top : tops[at];
            }
    }
}

static void join_rows(void* ctx, int begin, int end, int worker) {
    (void)worker;
    const screen* s = ctx;
    for (int map = 1; map < SCREEN_MAPS && map < s->exec->threads; map++) {
        const int32_t* own = s->tops + (size_t)map * CELLS;
        for (int at = begin * SCREEN_MAP_CELLS; at < end * SCREEN_MAP_CELLS; at++)
            s->tops[at] = own[at] > s->tops[at] ? own[at] : s->tops[at];
    }
}

void screen_cast_shadows(screen* s) {
    shoal_exec few = *s->exec;
    if (!s->over.is_there) return;
    if (few.threads > SCREEN_MAPS) few.threads = SCREEN_MAPS;
    memset(s->tops, 0, (size_t)few.threads * CELLS * sizeof *s->tops);
    shoal_blocks(&few, s->scene->ball_count + s->scene->triangle_count, BLOCK, cast_block, s);
    shoal_blocks(s->exec, SCREEN_MAP_CELLS, ROWS, join_rows, s);
}
