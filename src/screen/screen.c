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
    s->solid_depth                  = shoal_alloc(pixels, sizeof *s->solid_depth);
    s->thickness   = shoal_alloc((size_t)screen_cells(width) * (size_t)screen_cells(height), sizeof *s->thickness);
    s->depth[0]    = shoal_alloc(pixels, sizeof *s->depth[0]);
    s->depth[1]    = shoal_alloc(pixels, sizeof *s->depth[1]);
    s->behind      = shoal_alloc(pixels, sizeof *s->behind);
    s->tiles.first = shoal_alloc((size_t)s->tiles.count + 1, sizeof *s->tiles.first);
    if (!s->solid || !s->liquid || !s->solid_depth || !s->thickness || !s->depth[0] || !s->depth[1] || !s->behind ||
        !s->tiles.first) {
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
    shoal_free(s->touches);
    shoal_free(s->facets);
    shoal_free(s->covers);
    shoal_free(s->behind);
    shoal_free(s->depth[1]);
    shoal_free(s->depth[0]);
    shoal_free(s->thickness);
    shoal_free(s->solid_depth);
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

typedef struct shade_job {
    screen*   s;
    shoal_v3* light;
} shade_job;

// Of the ball or triangle that a key names, in the open.
static shoal_v3 solid_light(const screen* s, uint64_t key, int x, int y) {
    const screen_scene*  scene  = s->scene;
    const screen_camera* c      = &scene->camera;
    shoal_v3             w      = screen_ray(c, s->width, s->height, x, y), normal, color;
    float                depth  = screen_key_depth(key);
    int                  number = (int)screen_key_number(key);
    if (number < s->ball_count) {
        normal = screen_unit(screen_to_world(c, screen_splat_normal(&s->covers[number], w.x, w.y, depth)));
        color  = scene->balls[number].color;
    } else {
        const screen_triangle* t = &scene->triangles[number - s->ball_count];
        normal                   = facet_normal(t, shoal_v3_add_scaled(c->eye, screen_to_world(c, w), depth));
        color                    = t->color;
    }
    return screen_mul(color, screen_light_on(&scene->lights, normal));
}

// Shares of the sky that pixels see.
static void look_around(const screen* s, int x, int y, int count, float* open) {
    screen_solids solids = {&s->scene->camera, s->width, s->height, s->solid_depth, s->scene->spacing};
    const float*  depth  = s->solid_depth + (size_t)y * (size_t)s->width + (size_t)x;
    if (!s->scene->has_occlusion)
        for (int i = 0; i < count; i++) open[i] = 1.0f;
    else if (count == SCREEN_LANES)
        s->loops->open_row(&solids, x, y, depth, open);
    else
        for (int i = 0; i < count; i++) open[i] = screen_openness(&solids, x + i, y, depth[i]);
}

static void shade_solid_lanes(const screen* s, int x, int y, int count, shoal_v3* light) {
    size_t       at     = (size_t)y * (size_t)s->width + (size_t)x;
    int          solids = 0;
    screen_lanes far;
    float        open[SCREEN_LANES];
    for (int i = 0; i < count; i++) solids += s->solid[at + (size_t)i] != SCREEN_NOBODY;
    if (solids < count) s->loops->far_row(s->scene, s->width, s->height, x, y, &far);
    if (solids > 0) look_around(s, x, y, count, open);
    for (int i = 0; i < count; i++) {
        uint64_t key          = s->solid[at + (size_t)i];
        light[at + (size_t)i] = key == SCREEN_NOBODY ? shoal_v3_make(far.x[i], far.y[i], far.z[i])
                                                     : shoal_v3_scale(solid_light(s, key, x + i, y), open[i]);
    }
}

static void shade_solids(void* ctx, int begin, int end, int worker) {
    (void)worker;
    const shade_job* job = ctx;
    const screen*    s   = job->s;
    for (int y = begin; y < end; y++)
        for (int x = 0; x < s->width; x += SCREEN_LANES)
            shade_solid_lanes(s, x, y, s->width - x < SCREEN_LANES ? s->width - x : SCREEN_LANES, job->light);
}

static shoal_v3 absorption_of(const screen* s, size_t at) {
    return s->scene->liquid[screen_key_number(s->liquid[at])].color;
}

// LANES pixels, or fewer at the end of a row, one by one.
static void shade_lanes(const screen* s, const screen_liquid* liquid, int x, int y, int count, shoal_v3* light) {
    size_t       at         = (size_t)y * (size_t)s->width + (size_t)x;
    bool         has_any    = false;
    screen_lanes absorption = {{0}, {0}, {0}}, through;
    for (size_t i = 0; i < (size_t)count; i++) {
        light[at + i] = s->behind[at + i];
        if (s->liquid[at + i] == SCREEN_NOBODY) continue;
        shoal_v3 a      = absorption_of(s, at + i);
        absorption.x[i] = a.x;
        absorption.y[i] = a.y;
        absorption.z[i] = a.z;
        has_any         = true;
    }
    if (!has_any) return;
    if (count == SCREEN_LANES) s->loops->liquid_row(liquid, x, y, &absorption, &through);
    for (size_t i = 0; i < (size_t)count; i++)
        if (s->liquid[at + i] != SCREEN_NOBODY)
            light[at + i] = count == SCREEN_LANES
                                ? shoal_v3_make(through.x[i], through.y[i], through.z[i])
                                : screen_liquid_light(liquid, x + (int)i, y, absorption_of(s, at + i));
}

static void shade_liquid(void* ctx, int begin, int end, int worker) {
    (void)worker;
    const shade_job*    job    = ctx;
    const screen*       s      = job->s;
    const screen_scene* scene  = s->scene;
    screen_liquid       liquid = {&scene->camera, &scene->lights, s->width,     s->height,      scene->ior,
                                  scene->spacing, s->depth[0],    s->thickness, s->solid_depth, s->behind};
    for (int y = begin; y < end; y++)
        for (int x = 0; x < s->width; x += SCREEN_LANES)
            shade_lanes(s, &liquid, x, y, s->width - x < SCREEN_LANES ? s->width - x : SCREEN_LANES, job->light);
}

shoal_status screen_draw(screen* s, const screen_scene* scene, shoal_v3* light) {
    s->scene = scene;
    SHOAL_TRY(screen_cover_all(s));
    SHOAL_TRY(screen_blobs_make_room(s));
    screen_raster(s);
    bool      has_liquid = scene->liquid_count > 0;
    shade_job solids = {s, has_liquid ? s->behind : light}, liquid = {s, light};
    shoal_blocks(s->exec, s->height, ROWS, shade_solids, &solids);
    if (!has_liquid) return SHOAL_OK;
    smooth_depths(s);
    shoal_blocks(s->exec, s->height, ROWS, shade_liquid, &liquid);
    return SHOAL_OK;
}

screen_layers screen_seen(const screen* s) { return (screen_layers){s->solid, s->liquid, s->depth[0], s->thickness}; }
