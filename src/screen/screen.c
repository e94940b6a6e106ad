// SPDX-License-Identifier: MIT
// A picture, in the order of Macklin & Mueller 2013 section 7: splats to the nearest of each pixel, depth of the liquid
// smoothed, light of the solids, then the liquid over it.
#include "screen/screen.h"

#include "screen/screen_local.h"

#include "exec/pass.h"

enum { ROWS = 8, ROW_MOST = 65536 }; // of pixels in a block; pixels in a row

#define X(kind, name) extern const screen_loops name;
SHOAL_ISA_SETS(X, screen_loops)
#undef X

shoal_status screen_create(const shoal_exec* exec, int width, int height, screen** out) {
    size_t pixels = (size_t)width * (size_t)height, cells = (size_t)screen_cells(width) * (size_t)screen_cells(height);
    *out = NULL;
    if (exec->device) SHOAL_TRY(screen_device_check(exec->device));
    screen* s = shoal_alloc(1, sizeof *s);
    if (!s) return SHOAL_ERR_MEMORY;
    static const shoal_by_isa loops = {{SHOAL_WIDE_ROWS(screen_loops)}};
    s->loops                        = shoal_isa_choose(&loops, shoal_isa_best());
    s->exec                         = exec;
    s->width                        = width;
    s->height                       = height;
    s->tiles.across                 = (width + SCREEN_TILE - 1) / SCREEN_TILE;
    s->tiles.count                  = s->tiles.across * ((height + SCREEN_TILE - 1) / SCREEN_TILE);
    s->tiles.first                  = shoal_alloc((size_t)s->tiles.count + 1, sizeof *s->tiles.first);
    s->solid                        = shoal_far_alloc(exec->device, pixels, sizeof *s->solid);
    s->liquid                       = shoal_far_alloc(exec->device, pixels, sizeof *s->liquid);
    s->solid_depth                  = shoal_far_alloc(exec->device, pixels, sizeof *s->solid_depth);
    s->thickness                    = shoal_far_alloc(exec->device, cells, sizeof *s->thickness);
    s->depth[0]                     = shoal_far_alloc(exec->device, pixels, sizeof *s->depth[0]);
    s->depth[1]                     = shoal_far_alloc(exec->device, pixels, sizeof *s->depth[1]);
    s->behind                       = shoal_far_alloc(exec->device, pixels, sizeof *s->behind);
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
    screen_far_free(s);
    void* far[] = {s->tops,     s->facets,    s->covers,      s->behind, s->depth[1],
                   s->depth[0], s->thickness, s->solid_depth, s->liquid, s->solid};
    for (size_t k = 0; k < sizeof far / sizeof *far; k++) shoal_far_free(s->exec->device, far[k]);
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

screen_depths screen_depths_of(const screen* s) {
    const screen_scene* scene = s->scene;
    // a step of two and a half spacings is an edge; what is behind it bends the rim by half a spacing at most
    return (screen_depths){.width   = s->width,
                           .height  = s->height,
                           .pixel_x = 2.0f * scene->camera.across / (float)s->width,
                           .pixel_y = 2.0f * scene->camera.along / (float)s->height,
                           .narrow  = 2.5f * scene->spacing,
                           .behind  = 0.5f * scene->spacing,
                           .radius  = scene->smooth_radius * scene->spacing};
}

static void smooth_depths(screen* s) {
    const screen_scene* scene = s->scene;
    smooth_job          job   = {.view = screen_depths_of(s), .loops = s->loops};
    shoal_blocks(s->exec, s->height, ROWS, take_depths, s);
    if (scene->smoothing == SCREEN_SMOOTH_NARROW) {
        for (int round = 0; round < SCREEN_NARROW_ROUNDS; round++) {
            smooth(s, job, 0);
            smooth(s, job, 1);
            job.view.radius *= 0.5f;
        }
    } else if (scene->smoothing == SCREEN_SMOOTH_CURVATURE) {
        for (int k = 0; k < scene->smooth_steps; k++) smooth(s, job, 2);
    }
}

// --- light

typedef struct shade_job {
    screen*   s;
    shoal_v3* light;
} shade_job;

// Fractions of the sky that pixels see.
static void search_around(const screen* s, int x, int y, int count, float* open) {
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
    const screen_scene* scene  = s->scene;
    screen_matter       matter = {scene->ball_count, s->covers, scene->balls, scene->triangles};
    size_t              at     = (size_t)y * (size_t)s->width + (size_t)x;
    int                 solids = 0;
    screen_lanes        far, lit;
    float               open[SCREEN_LANES];
    for (int i = 0; i < count; i++) solids += s->solid[at + (size_t)i] != SCREEN_NOBODY;
    if (solids < count) s->loops->far_row(s->scene, &s->over, s->width, s->height, x, y, &far);
    if (solids > 0) search_around(s, x, y, count, open);
    bool is_wide = solids > 0 && count == SCREEN_LANES;
    if (is_wide) s->loops->solid_row(&matter, scene, &s->over, s->width, s->height, x, y, s->solid + at, open, &lit);
    for (int i = 0; i < count; i++) {
        uint64_t  key = s->solid[at + (size_t)i];
        shoal_v3* out = &light[at + (size_t)i];
        if (key == SCREEN_NOBODY) {
            *out = shoal_v3_make(far.x[i], far.y[i], far.z[i]);
        } else if (is_wide) {
            *out = shoal_v3_make(lit.x[i], lit.y[i], lit.z[i]);
        } else {
            shoal_v3 w = screen_ray(&scene->camera, s->width, s->height, x + i, y);
            *out =
                shoal_v3_scale(screen_solid_light(&matter, &scene->camera, &scene->lights, &s->over, key, w), open[i]);
        }
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
    SHOAL_TRY(screen_overhead_begin(s));
    if (s->exec->device) return screen_draw_far(s, scene, light);
    SHOAL_TRY(screen_cover_all(s));
    SHOAL_TRY(screen_blobs_reserve(s));
    screen_raster(s);
    screen_cast_shadows(s);
    bool      has_liquid = scene->liquid_count > 0;
    shade_job solids = {s, has_liquid ? s->behind : light}, liquid = {s, light};
    shoal_blocks(s->exec, s->height, ROWS, shade_solids, &solids);
    if (!has_liquid) return SHOAL_OK;
    smooth_depths(s);
    shoal_blocks(s->exec, s->height, ROWS, shade_liquid, &liquid);
    return SHOAL_OK;
}

void screen_keys_at(const screen* s, int x, int y, uint64_t* solid, uint64_t* liquid) {
    shoal_device* device = s->exec->device;
    size_t        at     = (size_t)y * (size_t)s->width + (size_t)x;
    *solid = *liquid = SCREEN_NOBODY;
    if (device) {
        device->fetch(device, solid, s->solid + at, sizeof *solid);
        device->fetch(device, liquid, s->liquid + at, sizeof *liquid);
    } else {
        *solid  = s->solid[at];
        *liquid = s->liquid[at];
    }
}

screen_layers screen_seen(const screen* s) { return (screen_layers){s->solid, s->liquid, s->depth[0], s->thickness}; }
