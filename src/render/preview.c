// SPDX-License-Identifier: MIT
// What is in a picture as splats and triangles of a screen, of twice its width and height, against jagged edges.
#include "render/preview.h"

#include "render/looks.h"
#include "render/optics.h"
#include "screen/screen.h"
#include "surface/surface.h"

enum { SIDE = 2 }; // points along a pixel

typedef struct sheet {
    const render_contents* contents;
    const shoal_exec*      exec;
    int                    ball_count, liquid_count, triangle_count;
    screen_splat *         balls, *liquid;
    screen_triangle*       triangles;
    float                  ior;
} sheet;

static bool is_stretched(const sheet* s, int which) {
    bool is_sand;
    render_part_look(s->contents, which, &is_sand);
    return !is_sand && s->contents->settings->params.draw != SHOAL_DRAW_SPHERES;
}

static bool is_seen_through(const sheet* s, int which) {
    return is_stretched(s, which) && !s->contents->parts[which].paint &&
           s->contents->settings->params.draw == SHOAL_DRAW_SURFACE;
}

// --- particles

static void add_balls(sheet* s, int which) {
    const render_part* part  = &s->contents->parts[which];
    shoal_v3           color = render_part_color(s->contents, which);
    render_sizes       sizes = render_part_sizes(part);
    bool               is_sand;
    render_part_look(s->contents, which, &is_sand);
    const float* wetness = is_sand ? render_part_wetness(part) : NULL;
    for (size_t i = 0; i < (size_t)part->particles.count; i++) {
        const float* p            = part->particles.positions + 3 * i;
        shoal_v3     now          = part->paint ? part->paint[i] : wetness ? render_wetted(color, wetness[i]) : color;
        s->balls[s->ball_count++] = screen_ball(shoal_v3_make(p[0], p[1], p[2]), render_size_of(&sizes, i), now);
    }
}

static shoal_status add_ellipsoids(sheet* s, int which) {
    const render_part* part  = &s->contents->parts[which];
    int                count = (int)part->particles.count;
    bool               is_sand, is_through = is_seen_through(s, which);
    render_look        look   = render_part_look(s->contents, which, &is_sand);
    shoal_v3           color  = is_through ? look.absorption : render_part_color(s->contents, which);
    float              volume = (float)(part->particles.spacing * part->particles.spacing * part->particles.spacing);
    if (count == 0) return SHOAL_OK;
    shoal_surface_ellipsoid* all = shoal_alloc((size_t)count, sizeof *all);
    if (!all) return SHOAL_ERR_MEMORY;
    shoal_status status =
        shoal_surface_ellipsoids(s->contents->surface, &part->particles, s->exec, shoal_isa_best(), all);
    for (int i = 0; i < count && status == SHOAL_OK; i++) {
        screen_splat splat = {all[i].center, all[i].shape, volume / all[i].volume,
                              part->paint ? part->paint[i] : color};
        if (is_through)
            s->liquid[s->liquid_count++] = splat;
        else
            s->balls[s->ball_count++] = splat;
    }
    if (is_through && look.ior > 0.0f) s->ior = look.ior;
    shoal_free(all);
    return status;
}

// --- meshes

static void add_triangle(sheet* s, const shoal_surface_mesh* mesh, const int* corner, shoal_v3 color, bool is_clear) {
    screen_triangle* t = &s->triangles[s->triangle_count++];
    for (int k = 0; k < 3; k++) {
        const float *p = mesh->positions + 3 * (size_t)corner[k], *n = mesh->normals + 3 * (size_t)corner[k];
        t->corner[k] = shoal_v3_make(p[0], p[1], p[2]);
        t->normal[k] = shoal_v3_make(n[0], n[1], n[2]);
    }
    t->color    = color;
    t->is_clear = is_clear;
}

static void add_solid(sheet* s, int which) {
    const shoal_surface_mesh* mesh = s->contents->solids[which].mesh;
    bool                      is_clear;
    shoal_v3                  color = render_solid_color(s->contents, which, &is_clear);
    for (size_t t = 0; t < (size_t)mesh->triangle_count; t++)
        add_triangle(s, mesh, mesh->triangles + 3 * t, color, is_clear);
}

// The mesh of a part: of the colour of its material, or each triangle of the mean of its corners'
// paints.
static void add_mesh(sheet* s, int which) {
    const render_part*        part  = &s->contents->parts[which];
    const shoal_surface_mesh* mesh  = part->mesh;
    shoal_v3                  color = render_part_color(s->contents, which);
    for (size_t t = 0; mesh && t < (size_t)mesh->triangle_count; t++) {
        const int*      corner = mesh->triangles + 3 * t;
        const shoal_v3* paint  = part->mesh_paint;
        if (paint)
            color = shoal_v3_scale(shoal_v3_add(paint[corner[0]], shoal_v3_add(paint[corner[1]], paint[corner[2]])),
                                   1.0f / 3.0f);
        add_triangle(s, mesh, corner, color, false);
    }
}

// --- the picture

static shoal_status gather(sheet* s) {
    const render_contents* c     = s->contents;
    size_t                 count = 1, triangles = 1;
    for (int k = 0; k < c->part_count; k++) {
        count += (size_t)c->parts[k].particles.count;
        triangles += c->parts[k].mesh ? (size_t)c->parts[k].mesh->triangle_count : 0;
    }
    for (int k = 0; k < c->solid_count; k++) triangles += (size_t)c->solids[k].mesh->triangle_count;
    s->balls     = shoal_alloc(count, sizeof *s->balls);
    s->liquid    = shoal_alloc(count, sizeof *s->liquid);
    s->triangles = shoal_alloc(triangles, sizeof *s->triangles);
    if (!s->balls || !s->liquid || !s->triangles) return SHOAL_ERR_MEMORY;
    for (int k = 0; k < c->part_count; k++) {
        if (is_stretched(s, k))
            SHOAL_TRY(add_ellipsoids(s, k));
        else
            add_balls(s, k);
        add_mesh(s, k);
    }
    for (int k = 0; k < c->solid_count; k++) add_solid(s, k);
    return SHOAL_OK;
}

static screen_ground ground_of(const render_contents* c) {
    const shoal_v3 tile = {0.30f, 0.30f, 0.30f}, seam = {0.20f, 0.20f, 0.20f};
    int            kind = c->settings->params.ground;
    return (screen_ground){.is_there = c->world->is_closed[SHOAL_BOTTOM] && kind != SHOAL_GROUND_NONE,
                           .y        = (float)c->world->domain.min.y,
                           .tile     = (float)render_tile(c->box),
                           .middle   = shoal_v3_from(shoal_d3_scale(shoal_d3_add(c->box.min, c->box.max), 0.5)),
                           .size     = (float)shoal_d3_length(shoal_d3_sub(c->box.max, c->box.min)),
                           .color    = tile,
                           .seam     = kind == SHOAL_GROUND_PLAIN ? tile : seam};
}

// The mean of the points of each pixel.
static void shrink(const shoal_v3* points, shoal_image* out) {
    for (int y = 0; y < out->height; y++)
        for (int x = 0; x < out->width; x++) {
            shoal_v3 sum = {0.0f, 0.0f, 0.0f};
            for (int k = 0; k < SIDE * SIDE; k++) {
                size_t row = (size_t)(y * SIDE + k / SIDE), column = (size_t)(x * SIDE + k % SIDE);
                sum = shoal_v3_add(sum, points[row * (size_t)(out->width * SIDE) + column]);
            }
            out->light[(size_t)y * (size_t)out->width + (size_t)x] = shoal_v3_scale(sum, 1.0f / (SIDE * SIDE));
        }
}

static shoal_status take(sheet* s, const render_camera* camera, const render_lights* lights, screen** made,
                         shoal_v3** points, shoal_image* out) {
    SHOAL_TRY(gather(s));
    screen_scene scene = {
        .camera         = {camera->eye, camera->right, camera->up, camera->forward, camera->across, camera->along},
        .lights         = {lights->zenith, lights->horizon, lights->nadir, lights->sky_strength, lights->sun,
                           lights->sun_light},
        .ground         = ground_of(s->contents),
        .spacing        = (float)s->contents->spacing,
        .ball_count     = s->ball_count,
        .balls          = s->balls,
        .liquid_count   = s->liquid_count,
        .liquid         = s->liquid,
        .triangle_count = s->triangle_count,
        .triangles      = s->triangles,
        .ior            = s->ior,
        .smoothing      = SCREEN_SMOOTH_NARROW,
        .smooth_radius  = 3.0f,
        .has_occlusion  = true};
    *points    = shoal_alloc((size_t)(SIDE * out->width) * (size_t)(SIDE * out->height), sizeof **points);
    out->light = shoal_alloc((size_t)out->width * (size_t)out->height, sizeof *out->light);
    if (!*points || !out->light) return SHOAL_ERR_MEMORY;
    SHOAL_TRY(screen_create(s->exec, SIDE * out->width, SIDE * out->height, made));
    SHOAL_TRY(screen_draw(*made, &scene, *points));
    shrink(*points, out);
    return SHOAL_OK;
}

shoal_status render_preview_take(const render_contents* contents, const render_camera* camera,
                                 const render_lights* lights, const shoal_exec* exec, shoal_image* out) {
    *out                = (shoal_image){.width = contents->settings->width, .height = contents->settings->height};
    sheet        s      = {.contents = contents, .exec = exec, .ior = 1.333f};
    screen*      made   = NULL;
    shoal_v3*    points = NULL;
    shoal_status status = take(&s, camera, lights, &made, &points, out);
    screen_destroy(made);
    shoal_free(points);
    shoal_free(s.triangles);
    shoal_free(s.liquid);
    shoal_free(s.balls);
    if (status == SHOAL_OK) return SHOAL_OK;
    shoal_free(out->light);
    out->light = NULL;
    return status;
}
