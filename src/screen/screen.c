// SPDX-License-Identifier: MIT
// A picture, in the order of Macklin & Mueller 2013 section 7: splats to the nearest of each pixel, depth of the liquid
// smoothed, light of what is solid, then the liquid over it.
#include "screen/screen.h"

#include "screen/screen_local.h"

#include "exec/pass.h"

enum { ROWS = 8, ROW_MOST = 65536 }; // of pixels in a block; pixels in a row

#define X(kind, name) extern const screen_loops name;
SHOAL_ISA_SETS(X, screen_loops)
#undef X

shoal_status screen_create(const shoal_exec* exec, int width, int height, screen** out) {
    size_t  pixels = (size_t)width * (size_t)height;
    screen* s      = shoal_alloc(1, sizeof *s);
    *out           = NULL;
    if (!s) return SHOAL_ERR_MEMORY;
    static const shoal_by_isa loops = {{SHOAL_WIDE_ROWS(screen_loops)}};
    s->loops                        = shoal_isa_choose(&loops, shoal_isa_best());
    s->exec                         = exec;
    s->width                        = width;
    s->height                       = height;
    s->tiles.across                 = (width + SCREEN_TILE - 1) / SCREEN_TILE;
    s->tiles.count                  = s->tiles.across * ((height + SCREEN_TILE - 1) / SCREEN_TILE);
    s->solid                        = shoal_alloc(pixels, sizeof *s->solid);
    s->liquid                       = shoal_alloc(pixels, sizeof *s->liquid);
    s->thickness   = shoal_alloc((size_t)screen_cells(width) * (size_t)screen_cells(height), sizeof *s->thickness);
    s->depth[0]    = shoal_alloc(pixels, sizeof *s->depth[0]);
    s->depth[1]    = shoal_alloc(pixels, sizeof *s->depth[1]);
    s->behind      = shoal_alloc(pixels, sizeof *s->behind);
    s->tiles.first = shoal_alloc((size_t)s->tiles.count + 1, sizeof *s->tiles.first);
    if (!s->solid || !s->liquid || !s->thickness || !s->depth[0] || !s->depth[1] || !s->behind || !s->tiles.first) {
        screen_destroy(s);
        return SHOAL_ERR_MEMORY;
    }
    *out = s;
    return SHOAL_OK;
}

void screen_destroy(screen* s) {
    if (!s) return;
    shoal_free(s->spans);
    shoal_free(s->listed);
    shoal_free(s->tiles.item);
    shoal_free(s->tiles.tally);
    shoal_free(s->tiles.first);
    shoal_free(s->sort_memory);
    shoal_free(s->keys);
    shoal_free(s->order);
    shoal_free(s->facets);
    shoal_free(s->covers);
    shoal_free(s->behind);
    shoal_free(s->depth[1]);
    shoal_free(s->depth[0]);
    shoal_free(s->thickness);
    shoal_free(s->liquid);
    shoal_free(s->solid);
    shoal_free(s);
}

// --- depth of the liquid

typedef struct smooth_job {
    screen_depths       view;
    const screen_loops* loops;
    float*              to;
    int                 way; // narrow-range: 0 along rows, 1 along columns; 2: curvature flow
} smooth_job;

static void take_depths(void* ctx, int begin, int end, int worker) {
    (void)worker;
    screen* s = ctx;
    for (size_t at = (size_t)begin * (size_t)s->width; at < (size_t)end * (size_t)s->width; at++)
        s->depth[0][at] = screen_key_depth(s->liquid[at]);
}

static void smooth_rows(void* ctx, int begin, int end, int worker) {
    (void)worker;
    const smooth_job* job = ctx;
    float             row[ROW_MOST + 2 * SCREEN_REACH_MOST];
    for (int y = begin; y < end; y++) {
        float* to = job->to + (size_t)y * (size_t)job->view.width;
        if (job->way < 2)
            job->loops->narrow_row(&job->view, y, job->way, row, to);
        else
            for (int x = 0; x < job->view.width; x++) to[x] = screen_curvature(&job->view, x, y);
    }
}

// From depth[0] to depth[1], and they change places.
static void smooth(screen* s, smooth_job job, int way) {
    job.view.from = s->depth[0];
    job.to        = s->depth[1];
    job.way       = way;
    shoal_blocks(s->exec, s->height, ROWS, smooth_rows, &job);
    s->depth[1] = s->depth[0];
    s->depth[0] = job.to;
}

static void smooth_depths(screen* s) {
    const screen_scene* scene = s->scene;
    // a step of two and a half spacings is an edge; what is behind it bends the rim by half a spacing at most
    smooth_job job = {.view  = {.width   = s->width,
                                .height  = s->height,
                                .pixel_x = 2.0f * scene->camera.across / (float)s->width,
                                .pixel_y = 2.0f * scene->camera.along / (float)s->height,
                                .narrow  = 2.5f * scene->spacing,
                                .behind  = 0.5f * scene->spacing,
                                .radius  = scene->smooth_radius * scene->spacing},
                      .loops = s->loops};
    shoal_blocks(s->exec, s->height, ROWS, take_depths, s);
    if (scene->liquid_count == 0) return;
    if (scene->smoothing ==
        SCREEN_SMOOTH_NARROW) { // twice, the second time finer, against streaks along rows and columns
        for (int round = 0; round < 2; round++) {
            smooth(s, job, 0);
            smooth(s, job, 1);
            job.view.radius *= 0.5f;
        }
    } else if (scene->smoothing == SCREEN_SMOOTH_CURVATURE) {
        for (int k = 0; k < scene->smooth_steps; k++) smooth(s, job, 2);
    }
}

// --- light

static shoal_v3 facet_normal(const screen_triangle* t, shoal_v3 at) {
    shoal_v3 e = shoal_v3_sub(t->corner[1], t->corner[0]), f = shoal_v3_sub(t->corner[2], t->corner[0]);
    shoal_v3 n = shoal_v3_cross(e, f), d = shoal_v3_sub(at, t->corner[0]);
    float    area = shoal_v3_dot(n, n);
    if (!(area > 0.0f)) return t->normal[0];
    float b = shoal_v3_dot(shoal_v3_cross(d, f), n) / area, c = shoal_v3_dot(shoal_v3_cross(e, d), n) / area;
    n = shoal_v3_scale(t->normal[0], 1.0f - b - c);
    return screen_unit(shoal_v3_add_scaled(shoal_v3_add_scaled(n, t->normal[1], b), t->normal[2], c));
}

static shoal_v3 solid_light(const screen* s, const screen_solids* solids, int x, int y) {
    const screen_scene*  scene = s->scene;
    const screen_camera* c     = &scene->camera;
    uint64_t             key   = s->solid[(size_t)y * (size_t)s->width + (size_t)x];
    shoal_v3             w     = shoal_v3_make(screen_ray_x(c, s->width, x), screen_ray_y(c, s->height, y), 1.0f);
    if (key == SCREEN_NOBODY) return screen_far(c, &scene->lights, &scene->ground, screen_unit(screen_to_world(c, w)));
    float    depth  = screen_key_depth(key), open;
    int      number = (int)screen_key_number(key);
    shoal_v3 normal, color;
    if (number < s->ball_count) {
        normal = screen_unit(screen_to_world(c, screen_splat_normal(&s->covers[number], w.x, w.y, depth)));
        color  = scene->balls[number].color;
    } else {
        const screen_triangle* t = &scene->triangles[number - s->ball_count];
        normal                   = facet_normal(t, shoal_v3_add_scaled(c->eye, screen_to_world(c, w), depth));
        color                    = t->color;
    }
    open = scene->has_occlusion ? screen_openness(solids, x, y, depth) : 1.0f;
    return shoal_v3_scale(screen_mul(color, screen_light_on(&scene->lights, normal)), open);
}

static void shade_solids(void* ctx, int begin, int end, int worker) {
    (void)worker;
    screen*       s      = ctx;
    screen_solids solids = {&s->scene->camera, s->width, s->height, s->solid, s->scene->spacing};
    for (int y = begin; y < end; y++)
        for (int x = 0; x < s->width; x++)
            s->behind[(size_t)y * (size_t)s->width + (size_t)x] = solid_light(s, &solids, x, y);
}

typedef struct shade_job {
    screen*   s;
    shoal_v3* light;
} shade_job;

static void shade_liquid(void* ctx, int begin, int end, int worker) {
    (void)worker;
    const shade_job*    job    = ctx;
    const screen*       s      = job->s;
    const screen_scene* scene  = s->scene;
    screen_liquid       liquid = {&scene->camera, &scene->lights, s->width,     s->height, scene->ior,
                                  scene->spacing, s->depth[0],    s->thickness, s->solid,  s->behind};
    for (int y = begin; y < end; y++)
        for (int x = 0; x < s->width; x++) {
            size_t at = (size_t)y * (size_t)s->width + (size_t)x;
            job->light[at] =
                s->liquid[at] == SCREEN_NOBODY
                    ? s->behind[at]
                    : screen_liquid_light(&liquid, x, y, scene->liquid[screen_key_number(s->liquid[at])].color);
        }
}

shoal_status screen_draw(screen* s, const screen_scene* scene, shoal_v3* light) {
    shade_job job = {s, light};
    s->scene      = scene;
    SHOAL_TRY(screen_cover_all(s));
    SHOAL_TRY(screen_blobs_make_room(s));
    screen_raster(s);
    smooth_depths(s);
    shoal_blocks(s->exec, s->height, ROWS, shade_solids, s);
    shoal_blocks(s->exec, s->height, ROWS, shade_liquid, &job);
    return SHOAL_OK;
}

screen_layers screen_seen(const screen* s) { return (screen_layers){s->solid, s->liquid, s->depth[0], s->thickness}; }
