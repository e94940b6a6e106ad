// SPDX-License-Identifier: MIT
// What is in a picture as splats and triangles of a screen.
#include "render/preview.h"

#include "render/appearance.h"
#include "render/optics.h"
#include "screen/screen.h"
#include "surface/surface.h"
#include "surface/surface_far.h"

enum { SIDE = 2 }; // points along a pixel of a preview

// What is made and kept on a device.
typedef struct sheet_far {
    surface_far*     maker; // of splats
    screen_splat *   balls, *liquid;
    screen_triangle* triangles;
    int              ball_capacity, liquid_capacity, triangle_capacity;
    shoal_v3*        paint; // here, of one part
    int              paint_capacity;
} sheet_far;

struct render_sheet {
    const shoal_exec*        exec;
    shoal_exec               drawing; // with the device
    sheet_far                far;
    const render_contents*   contents; // while they are taken
    int                      ball_count, liquid_count, triangle_count;
    int                      ball_capacity, liquid_capacity, triangle_capacity, ellipsoid_capacity;
    screen_splat *           balls, *liquid;
    screen_triangle*         triangles;
    shoal_surface_ellipsoid* ellipsoids; // of one part
    float                    ior, spacing;
    float                    level;      // of metaballs; 0: none
    int                      body_count; // of metaballs
    screen_ground            ground;
    screen_smoothing         smoothing;
    bool                     has_occlusion;
    int                      part_count, solid_count, span_capacity, solid_capacity;
    struct sheet_span {
        int  first, count; // of the part, among the balls or the liquid's splats
        bool is_liquid;
    } * spans;                 // [part_count]
    int           first_solid; // triangles of parts come before it
    int*          solid_ends;  // [solid_count] triangles before its end
    bool          is_drawn;    // since it was taken: the screen's numbers are its own
    screen*       screen;      // of the last picture
    shoal_v3*     light;       // likewise, where passes run
    int           width, height;
    render_camera camera;
};
typedef render_sheet sheet;

static bool is_stretched(const sheet* s, int which) {
    bool is_sand;
    render_part_appearance(s->contents, which, &is_sand);
    return !is_sand && s->contents->settings->params.draw != SHOAL_DRAW_SPHERES;
}

static bool is_seen_through(const sheet* s, int which) {
    int draw = s->contents->settings->params.draw;
    return is_stretched(s, which) && !s->contents->parts[which].paint &&
           (draw == SHOAL_DRAW_SURFACE || draw == SHOAL_DRAW_METABALLS);
}

// --- particles

static void add_balls(sheet* s, int which) {
    const render_part* part  = &s->contents->parts[which];
    shoal_v3           color = render_part_color(s->contents, which);
    render_sizes       sizes = render_part_sizes(part);
    bool               is_sand;
    render_part_appearance(s->contents, which, &is_sand);
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
    render_appearance  appearance = render_part_appearance(s->contents, which, &is_sand);
    shoal_v3           color      = is_through ? appearance.absorption : render_part_color(s->contents, which);
    float              volume = (float)(part->particles.spacing * part->particles.spacing * part->particles.spacing);
    if (count == 0) return SHOAL_OK;
    SHOAL_TRY(shoal_reserve((void**)&s->ellipsoids, &s->ellipsoid_capacity, count, sizeof *s->ellipsoids));
    SHOAL_TRY(
        shoal_surface_ellipsoids(s->contents->surface, &part->particles, s->exec, shoal_isa_best(), s->ellipsoids));
    for (int i = 0; i < count; i++) {
        const shoal_surface_ellipsoid* own = &s->ellipsoids[i];
        screen_splat splat                 = {own->center, own->shape, own->volume > 0.0f ? volume / own->volume : 0.0f,
                              part->paint ? part->paint[i] : color, 0};
        if (is_through)
            s->liquid[s->liquid_count++] = splat;
        else
            s->balls[s->ball_count++] = splat;
    }
    if (is_through && appearance.ior > 0.0f) s->ior = appearance.ior;
    return SHOAL_OK;
}

static float blob_volume(shoal_surface_blob blob) { // spacings^3
    return 4.0f / 3.0f * (float)SHOAL_PI * blob.reach * blob.reach * blob.reach;
}

// Each reaches as far as the field of the mesher's blobby.
static void add_metaballs(sheet* s, int which) {
    const render_part* part = &s->contents->parts[which];
    bool               is_sand;
    render_appearance  appearance = render_part_appearance(s->contents, which, &is_sand);
    shoal_surface_blob blob       = shoal_surface_blob_of(s->contents->surface);
    float              volume     = blob_volume(blob);
    for (size_t i = 0; i < (size_t)part->particles.count; i++) {
        const float* p     = part->particles.positions + 3 * i;
        screen_splat splat = screen_ball(shoal_v3_make(p[0], p[1], p[2]), blob.reach * (float)part->particles.spacing,
                                         appearance.absorption);
        splat.fraction     = 1.0f / volume;
        splat.body         = s->body_count;
        s->liquid[s->liquid_count++] = splat;
    }
    if (appearance.ior > 0.0f) s->ior = appearance.ior;
    s->level = blob.level;
    s->body_count++;
}

// --- particles on a device

static shoal_status far_paint(sheet* s, int which, const shoal_v3** out) {
    const render_part* part = &s->contents->parts[which];
    bool               is_sand;
    render_part_appearance(s->contents, which, &is_sand);
    const float* wetness = is_sand ? render_part_wetness(part) : NULL;
    shoal_v3     color   = render_part_color(s->contents, which);
    *out                 = part->paint;
    if (part->paint || !wetness) return SHOAL_OK;
    SHOAL_TRY(
        shoal_reserve((void**)&s->far.paint, &s->far.paint_capacity, (int)part->particles.count, sizeof *s->far.paint));
    for (size_t i = 0; i < (size_t)part->particles.count; i++) s->far.paint[i] = render_wetted(color, wetness[i]);
    *out = s->far.paint;
    return SHOAL_OK;
}

// The splats of a part, as add_balls, add_ellipsoids and add_metaballs make them.
static shoal_status add_far(sheet* s, int which) {
    const render_part*    part       = &s->contents->parts[which];
    bool                  is_through = is_seen_through(s, which), is_sand;
    render_appearance     appearance = render_part_appearance(s->contents, which, &is_sand);
    float                 spacing    = (float)part->particles.spacing;
    render_sizes          sizes      = render_part_sizes(part);
    screen_splat*         to         = is_through ? s->far.liquid + s->liquid_count : s->far.balls + s->ball_count;
    surface_far_particles p          = {.count     = part->particles.count,
                                        .positions = (const shoal_v3*)part->particles.positions,
                                        .far       = part->far,
                                        .color     = is_through ? appearance.absorption : render_part_color(s->contents, which),
                                        .size      = sizes.otherwise,
                                        .fraction  = 1.0f};
    SHOAL_TRY(far_paint(s, which, &p.paint));
    *(is_through ? &s->liquid_count : &s->ball_count) += (int)part->particles.count;
    if (is_through && appearance.ior > 0.0f) s->ior = appearance.ior;
    if (is_through && s->contents->settings->params.draw == SHOAL_DRAW_METABALLS) {
        shoal_surface_blob blob = shoal_surface_blob_of(s->contents->surface);
        p.size                  = blob.reach * spacing;
        p.fraction              = 1.0f / blob_volume(blob);
        p.body                  = s->body_count++;
        s->level                = blob.level;
        return surface_far_balls(s->far.maker, &p, to);
    }
    if (is_stretched(s, which)) {
        p.fraction = (float)(part->particles.spacing * part->particles.spacing * part->particles.spacing);
        return surface_far_ellipsoids(s->far.maker, s->contents->surface, part->particles.spacing, &p, to);
    }
    p.radius = sizes.radius;
    return surface_far_balls(s->far.maker, &p, to);
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

// As shoal_reserve, on the device.
static shoal_status far_reserve(sheet* s, void** far, int* capacity, int count, size_t size) {
    if (count <= *capacity) return SHOAL_OK;
    *capacity = 0;
    SHOAL_TRY(shoal_far_realloc(s->drawing.device, far, 0, (size_t)count + (size_t)count / 4, size));
    *capacity = count + count / 4;
    return SHOAL_OK;
}

static shoal_status make_arrays(sheet* s) {
    const render_contents* c     = s->contents;
    int                    count = 1, triangles = 1;
    for (int k = 0; k < c->part_count; k++) {
        count += (int)c->parts[k].particles.count;
        triangles += c->parts[k].mesh ? c->parts[k].mesh->triangle_count : 0;
    }
    for (int k = 0; k < c->solid_count; k++) triangles += c->solids[k].mesh->triangle_count;
    if (s->drawing.device) {
        SHOAL_TRY(far_reserve(s, (void**)&s->far.balls, &s->far.ball_capacity, count, sizeof *s->balls));
        SHOAL_TRY(far_reserve(s, (void**)&s->far.liquid, &s->far.liquid_capacity, count, sizeof *s->liquid));
    } else {
        SHOAL_TRY(shoal_reserve((void**)&s->balls, &s->ball_capacity, count, sizeof *s->balls));
        SHOAL_TRY(shoal_reserve((void**)&s->liquid, &s->liquid_capacity, count, sizeof *s->liquid));
    }
    SHOAL_TRY(shoal_reserve((void**)&s->triangles, &s->triangle_capacity, triangles, sizeof *s->triangles));
    SHOAL_TRY(shoal_reserve((void**)&s->spans, &s->span_capacity, c->part_count + 1, sizeof *s->spans));
    return shoal_reserve((void**)&s->solid_ends, &s->solid_capacity, c->solid_count + 1, sizeof *s->solid_ends);
}

static shoal_status gather(sheet* s) {
    const render_contents* c = s->contents;
    s->ball_count = s->liquid_count = s->triangle_count = s->part_count = s->solid_count = s->body_count = 0;
    s->level                                                                                             = 0.0f;
    SHOAL_TRY(make_arrays(s));
    for (int k = 0; k < c->part_count; k++) {
        s->spans[k].is_liquid = is_seen_through(s, k);
        s->spans[k].first     = s->spans[k].is_liquid ? s->liquid_count : s->ball_count;
        if (s->drawing.device)
            SHOAL_TRY(add_far(s, k));
        else if (s->spans[k].is_liquid && c->settings->params.draw == SHOAL_DRAW_METABALLS)
            add_metaballs(s, k);
        else if (is_stretched(s, k))
            SHOAL_TRY(add_ellipsoids(s, k));
        else
            add_balls(s, k);
        s->spans[k].count = (s->spans[k].is_liquid ? s->liquid_count : s->ball_count) - s->spans[k].first;
        add_mesh(s, k);
    }
    s->first_solid = s->triangle_count;
    for (int k = 0; k < c->solid_count; k++) {
        add_solid(s, k);
        s->solid_ends[k] = s->triangle_count;
    }
    s->part_count  = c->part_count;
    s->solid_count = c->solid_count;
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

shoal_status render_sheet_create(const shoal_exec* exec, shoal_device* device, render_sheet** out) {
    *out = shoal_alloc(1, sizeof **out);
    if (!*out) return SHOAL_ERR_MEMORY;
    (*out)->exec           = exec;
    (*out)->drawing        = *exec;
    (*out)->drawing.device = device;
    shoal_status status    = device ? surface_far_create(&(*out)->drawing, &(*out)->far.maker) : SHOAL_OK;
    if (status != SHOAL_OK) render_sheet_destroy(*out), *out = NULL;
    return status;
}

void render_sheet_destroy(render_sheet* s) {
    if (!s) return;
    screen_destroy(s->screen);
    surface_far_destroy(s->far.maker);
    shoal_free(s->far.paint);
    shoal_far_free(s->drawing.device, s->light);
    shoal_far_free(s->drawing.device, s->far.balls);
    shoal_far_free(s->drawing.device, s->far.liquid);
    shoal_far_free(s->drawing.device, s->far.triangles);
    shoal_free(s->solid_ends);
    shoal_free(s->spans);
    shoal_free(s->ellipsoids);
    shoal_free(s->triangles);
    shoal_free(s->liquid);
    shoal_free(s->balls);
    shoal_free(s);
}

static shoal_status send_triangles(sheet* s) {
    shoal_device* device = s->drawing.device;
    size_t        bytes  = (size_t)s->triangle_count * sizeof *s->triangles;
    if (!device || s->triangle_count == 0) return SHOAL_OK;
    SHOAL_TRY(
        far_reserve(s, (void**)&s->far.triangles, &s->far.triangle_capacity, s->triangle_count, sizeof *s->triangles));
    device->send(device, s->far.triangles, s->triangles, bytes);
    return SHOAL_OK;
}

static screen_smoothing smoothing_of(const shoal_render_params* p) {
    return p->smoothing == SHOAL_SMOOTHING_NONE     ? SCREEN_SMOOTH_NONE
           : p->smoothing == SHOAL_SMOOTHING_NARROW ? SCREEN_SMOOTH_NARROW
                                                    : SCREEN_SMOOTH_CURVATURE;
}

shoal_status render_sheet_take(render_sheet* s, const render_contents* contents) {
    s->smoothing        = smoothing_of(&contents->settings->params);
    s->has_occlusion    = contents->settings->params.occlusion;
    s->contents         = contents;
    s->is_drawn         = false;
    s->ior              = 1.333f;
    s->spacing          = (float)contents->spacing;
    s->ground           = ground_of(contents);
    shoal_status status = gather(s);
    s->contents         = NULL;
    return status == SHOAL_OK ? send_triangles(s) : status;
}

static shoal_status make_screen(sheet* s, int width, int height) {
    shoal_device* device = s->drawing.device;
    if (s->width == width && s->height == height) return SHOAL_OK;
    screen_destroy(s->screen);
    s->screen = NULL;
    s->width  = 0;
    SHOAL_TRY(screen_create(&s->drawing, width, height, &s->screen));
    SHOAL_TRY(shoal_far_realloc(device, (void**)&s->light, 0, (size_t)width * (size_t)height, sizeof *s->light));
    s->width  = width;
    s->height = height;
    return SHOAL_OK;
}

// To s->light.
static shoal_status draw_light(sheet* s, int width, int height, const render_camera* camera,
                               const render_lights* lights) {
    bool is_far = s->drawing.device != NULL;
    SHOAL_TRY(make_screen(s, width, height));
    s->camera          = *camera;
    screen_scene scene = {
        .camera         = {camera->eye, camera->right, camera->up, camera->forward, camera->across, camera->along},
        .lights         = {lights->zenith, lights->horizon, lights->nadir, lights->sky_strength, lights->sun,
                           lights->sun_light},
        .ground         = s->ground,
        .spacing        = s->spacing,
        .ball_count     = s->ball_count,
        .balls          = is_far ? s->far.balls : s->balls,
        .liquid_count   = s->liquid_count,
        .liquid         = is_far ? s->far.liquid : s->liquid,
        .triangle_count = s->triangle_count,
        .triangles      = is_far ? s->far.triangles : s->triangles,
        .level          = s->level,
        .body_count     = s->body_count,
        .ior            = s->ior,
        .smoothing      = s->level > 0.0f ? SCREEN_SMOOTH_NONE : s->smoothing,
        .smooth_radius  = 3.0f,
        .smooth_steps   = 40,
        .has_occlusion  = s->has_occlusion,
        .has_shadows    = true};
    SHOAL_TRY(screen_draw(s->screen, &scene, s->light));
    s->is_drawn = true;
    return SHOAL_OK;
}

shoal_status render_sheet_draw(render_sheet* s, int width, int height, const render_camera* camera,
                               const render_lights* lights, render_film film, uint8_t* pixels) {
    SHOAL_TRY(draw_light(s, width, height, camera, lights));
    if (s->drawing.device)
        return screen_develop(s->screen, s->light, shoal_image_gain(film.stops), film.is_filmic, pixels);
    shoal_image image = {width, height, s->light};
    shoal_image_develop(&image, film.stops, film.is_filmic, s->exec, pixels);
    return SHOAL_OK;
}

static void find_particle(const render_sheet* s, bool is_liquid, int number, render_seen* out) {
    for (int k = 0; k < s->part_count; k++)
        if (s->spans[k].is_liquid == is_liquid && number >= s->spans[k].first &&
            number < s->spans[k].first + s->spans[k].count) {
            out->part     = k;
            out->particle = number - s->spans[k].first;
        }
}

render_seen render_sheet_pick(const render_sheet* s, int x, int y) {
    render_seen seen = {.part = -1, .particle = -1, .solid = -1, .depth = SCREEN_EMPTY};
    if (!s->screen || !s->is_drawn || x < 0 || y < 0 || x >= s->width || y >= s->height) return seen;
    uint64_t solid, liquid;
    screen_keys_at(s->screen, x, y, &solid, &liquid);
    bool     is_liquid = screen_key_depth(liquid) < screen_key_depth(solid);
    uint64_t key       = is_liquid ? liquid : solid;
    int      number = (int)screen_key_number(key), triangle = number - s->ball_count;
    if (key == SCREEN_NOBODY) return seen;
    seen.depth        = screen_key_depth(key);
    screen_camera c   = {s->camera.eye,     s->camera.right,  s->camera.up,
                         s->camera.forward, s->camera.across, s->camera.along};
    shoal_v3      way = shoal_v3_make(screen_ray_x(&c, s->width, x), screen_ray_y(&c, s->height, y), 1.0f);
    seen.at           = shoal_v3_add_scaled(c.eye, screen_to_world(&c, way), seen.depth);
    if (is_liquid || triangle < 0) find_particle(s, is_liquid, number, &seen);
    for (int k = s->solid_count - 1; k >= 0 && !is_liquid && triangle >= s->first_solid; k--)
        if (triangle < s->solid_ends[k]) seen.solid = k;
    return seen;
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

shoal_status render_preview_take(const render_contents* contents, const render_camera* camera,
                                 const render_lights* lights, const shoal_exec* exec, shoal_image* out) {
    *out         = (shoal_image){.width = contents->settings->width, .height = contents->settings->height};
    int    width = SIDE * out->width, height = SIDE * out->height;
    sheet* s            = NULL;
    out->light          = shoal_alloc((size_t)out->width * (size_t)out->height, sizeof *out->light);
    shoal_status status = out->light ? render_sheet_create(exec, NULL, &s) : SHOAL_ERR_MEMORY;
    if (status == SHOAL_OK) status = render_sheet_take(s, contents);
    if (status == SHOAL_OK) status = draw_light(s, width, height, camera, lights);
    if (status == SHOAL_OK) shrink(s->light, out);
    render_sheet_destroy(s);
    if (status == SHOAL_OK) return SHOAL_OK;
    shoal_free(out->light);
    out->light = NULL;
    return status;
}
