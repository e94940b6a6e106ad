// SPDX-License-Identifier: MIT
// Particles, obstacles, ground and container into a tracer.
#include "render/scenery.h"

#include "render/grains.h"
#include "render/optics.h"
#include "render/press.h"
#include "surface/surface.h"

#include <string.h>

struct render_scenery {
    const render_contents* contents;
    const shoal_exec*      exec;
    render_tracer*         tracer;
    double                 shutter, size; // s, m
    shoal_surface_mesh**   meshes;        // [part_count] owned, like the two below
    render_texture**       textures;
    void**                 arrays;
    shoal_v3               ground[4], panes[16];
};

const float* render_part_field(const render_part* part, const char* name, int components) {
    for (int f = 0; f < part->particles.field_count; f++) {
        const shoal_surface_field* field = &part->particles.fields[f];
        if (field->components == components && strcmp(field->name, name) == 0) return field->data;
    }
    return NULL;
}

const float* render_part_wetness(const render_part* part) {
    const float* wetness = render_part_field(part, "wetness", 1);
    return wetness ? wetness : render_part_field(part, "saturation", 1);
}

// --- looks

static const shoal_look_params* look_named(const shoal_render_settings* s, const char* name) {
    for (int k = 0; k < s->look_count; k++)
        if (strcmp(s->looks[k].name, name) == 0) return &s->looks[k].look;
    return NULL;
}

// 1/m at which `depth` metres leave `color` of white light.
static shoal_v3 absorption_of(shoal_v3 color, float depth) {
    const float least = 1e-4f; // black still has a logarithm
    return shoal_v3_make(-logf(fmaxf(color.x, least)) / depth, -logf(fmaxf(color.y, least)) / depth,
                         -logf(fmaxf(color.z, least)) / depth);
}

typedef struct tint {
    const char* name;
    shoal_v3    color;
    float       ior;
} tint;
// Liquids by name; the first is for all others. Indices at 589 nm: IAPWS R9-97; Fellows 2000 for
// olive oil; honey of 17 % water by ISO 5534.
static const tint liquids[] = {
    {"water", {0.45f, 0.80f, 0.88f}, 1.333f},
    {"oil",   {0.92f, 0.74f, 0.22f}, 1.47f },
    {"honey", {0.86f, 0.42f, 0.06f}, 1.494f}
};

static render_look clear_look(const render_scenery* s, const shoal_look_params* p, tint t) {
    shoal_d3 edges = shoal_d3_sub(s->contents->box.max, s->contents->box.min);
    double   least = fmin(edges.x, fmin(edges.y, edges.z));
    shoal_v3 color = p && isfinite(p->color.x) ? p->color : t.color;
    float    depth = p && p->depth > 0.0f ? p->depth : (float)(0.5 * least);
    return (render_look){.kind       = RENDER_DIELECTRIC,
                         .ior        = p && p->ior > 0.0f ? p->ior : t.ior,
                         .absorption = absorption_of(color, fmaxf(depth, 1e-6f))};
}

static render_look matte_look(const shoal_look_params* p, shoal_v3 otherwise) {
    return (render_look){.kind  = RENDER_MATTE,
                         .color = p && isfinite(p->color.x) ? p->color : otherwise};
}

static render_look part_look(const render_scenery* s, const render_part* part, bool* is_sand) {
    static const shoal_v3    sand = {0.64f, 0.45f, 0.24f};
    const shoal_look_params* p    = look_named(s->contents->settings, part->name);
    int                      kind = p ? p->kind : SHOAL_LOOK_AUTO;
    *is_sand = kind == SHOAL_LOOK_SAND || (kind == SHOAL_LOOK_AUTO && part->is_sand);
    if (*is_sand || kind == SHOAL_LOOK_MATTE) return matte_look(p, sand);
    tint t = liquids[0];
    for (size_t k = 0; k < sizeof liquids / sizeof liquids[0]; k++)
        if (strcmp(liquids[k].name, part->name) == 0) t = liquids[k];
    if (kind == SHOAL_LOOK_GLASS)
        t = (tint){
            "glass", {0.90f, 0.95f, 0.92f},
             1.5f
        };
    render_look look = clear_look(s, p, t);
    look.rank = -(int)(part - s->contents->parts); // where liquids overlap, the first one is there
    return look;
}

static render_look solid_look(const render_scenery* s, const char* name) {
    static const shoal_v3    clay = {0.72f, 0.33f, 0.20f};
    const shoal_look_params* p    = look_named(s->contents->settings, name);
    if (!p) p = look_named(s->contents->settings, "obstacles");
    if (!p || (p->kind != SHOAL_LOOK_GLASS && p->kind != SHOAL_LOOK_WATER))
        return matte_look(p, clay);
    tint t = {
        "glass", {0.90f, 0.95f, 0.92f},
         1.5f
    };
    render_look look = clear_look(s, p, t);
    look.rank        = 1; // liquids are pressed into it
    return look;
}

// --- parts

static shoal_status add_painted(render_scenery* s, const render_part* part, void** memory) {
    size_t      count = (size_t)part->particles.count;
    shoal_v4*   balls = shoal_alloc(count + 1, sizeof *balls);
    render_look look  = {.kind = RENDER_MATTE};
    int         index;
    if (!balls) return SHOAL_ERR_MEMORY;
    *memory = balls;
    for (size_t i = 0; i < count; i++) {
        const float* p = part->particles.positions + 3 * i;
        balls[i]       = (shoal_v4){p[0], p[1], p[2], 0.5f * (float)part->particles.spacing};
    }
    SHOAL_TRY(render_tracer_look(s->tracer, &look, &index));
    return render_tracer_balls(
        s->tracer,
        &(render_balls){.count      = (int)count,
                        .places     = balls,
                        .velocities = (const shoal_v3*)render_part_field(part, "velocity", 3),
                        .colors     = part->paint,
                        .look       = index});
}

static const float* mesh_field(const shoal_surface_mesh* mesh, const char* name) {
    for (int f = 0; f < mesh->field_count; f++)
        if (strcmp(mesh->fields[f].name, name) == 0) return mesh->fields[f].data;
    return NULL;
}

// Only what is looked at is carried to the vertices.
static shoal_status make_surface(render_scenery* s, const render_part* part,
                                 shoal_surface_mesh** out) {
    shoal_surface_field     fields[2];
    shoal_surface_particles particles = part->particles;
    particles.fields                  = fields;
    particles.field_count             = 0;
    const float *velocity             = render_part_field(part, "velocity", 3),
                *wetness              = render_part_wetness(part);
    if (velocity && s->shutter > 0.0)
        fields[particles.field_count++] = (shoal_surface_field){"velocity", 3, velocity};
    if (wetness) fields[particles.field_count++] = (shoal_surface_field){"wetness", 1, wetness};
    return shoal_surface_build(s->contents->surface, &particles, s->exec, shoal_isa_best(), out);
}

static shoal_status add_surface(render_scenery* s, int k, bool is_sand, const render_look* look) {
    const render_part* part = &s->contents->parts[k];
    int                index;
    SHOAL_TRY(make_surface(s, part, &s->meshes[k]));
    shoal_surface_mesh* mesh = s->meshes[k];
    uint8_t*            is_flat;
    SHOAL_TRY(
        render_press(mesh, s->contents->world, part->particles.spacing, k, s->exec, &is_flat));
    s->arrays[k] = is_flat;
    if (is_sand && part->particles.count > 0)
        SHOAL_TRY(render_texture_create(part, s->contents, look->color, &s->textures[k]));
    SHOAL_TRY(render_tracer_look(s->tracer, look, &index));
    return render_tracer_mesh(
        s->tracer, &(render_mesh){.vertex_count   = mesh->vertex_count,
                                  .triangle_count = mesh->triangle_count,
                                  .vertices       = (const shoal_v3*)mesh->positions,
                                  .normals        = (const shoal_v3*)mesh->normals,
                                  .velocities     = (const shoal_v3*)mesh_field(mesh, "velocity"),
                                  .wetness        = is_sand ? mesh_field(mesh, "wetness") : NULL,
                                  .color_at       = s->textures[k] ? render_texture_color : NULL,
                                  .texture        = s->textures[k],
                                  .triangles      = mesh->triangles,
                                  .is_flat        = is_flat,
                                  .look           = index});
}

static shoal_status add_part(render_scenery* s, int k) {
    const render_part* part = &s->contents->parts[k];
    bool               is_sand;
    render_look        look = part_look(s, part, &is_sand);
    if (part->paint) return add_painted(s, part, &s->arrays[k]);
    if (!is_sand || s->contents->settings->params.sand == SHOAL_SAND_MESH)
        return add_surface(s, k, is_sand, &look);
    render_balls balls;
    SHOAL_TRY(render_grains_make(part, s->contents, look.color, s->exec, &balls, &s->arrays[k]));
    SHOAL_TRY(render_tracer_look(s->tracer, &look, &balls.look));
    return render_tracer_balls(s->tracer, &balls);
}

// --- the rest of the world

static shoal_status add_solids(render_scenery* s) {
    for (int k = 0; k < s->contents->solid_count; k++) {
        const render_solid* solid = &s->contents->solids[k];
        render_look         look  = solid_look(s, solid->name);
        int                 index;
        SHOAL_TRY(render_tracer_look(s->tracer, &look, &index));
        SHOAL_TRY(render_tracer_mesh(
            s->tracer,
            &(render_mesh){.vertex_count   = solid->mesh->vertex_count,
                           .triangle_count = solid->mesh->triangle_count,
                           .vertices       = (const shoal_v3*)solid->mesh->positions,
                           .normals        = (const shoal_v3*)solid->mesh->normals,
                           .velocities     = (const shoal_v3*)mesh_field(solid->mesh, "velocity"),
                           .triangles      = solid->mesh->triangles,
                           .look           = index}));
    }
    return SHOAL_OK;
}

// 1, 2 or 5 times a power of ten, about a twelfth of the box.
double render_tile(shoal_box box) {
    double about = shoal_d3_length(shoal_d3_sub(box.max, box.min)) / 12.0;
    double ten = pow(10.0, floor(log10(fmax(about, 1e-9)))), rest = about / ten;
    return ten * (rest < 1.5 ? 1.0 : rest < 3.5 ? 2.0 : rest < 7.5 ? 5.0 : 10.0);
}

static const int square[] = {0, 1, 2, 0, 2, 3};

static shoal_status add_ground(render_scenery* s) {
    const render_contents* c    = s->contents;
    int                    kind = c->settings->params.ground, index;
    if (kind == SHOAL_GROUND_NONE || !c->world->is_closed[SHOAL_BOTTOM]) return SHOAL_OK;
    render_look look =
        matte_look(look_named(c->settings, "ground"), shoal_v3_make(0.20f, 0.175f, 0.145f));
    look.kind      = RENDER_GROUND;
    look.joint     = shoal_v3_scale(look.color, 0.62f);
    look.tile      = kind == SHOAL_GROUND_TILES ? (float)render_tile(c->box) : 0.0f;
    look.middle    = shoal_v3_from(shoal_d3_scale(shoal_d3_add(c->box.min, c->box.max), 0.5));
    look.fade_from = 2.0f * (float)s->size;
    look.fade_to   = 12.0f * (float)s->size;
    float half = 13.0f * (float)s->size, y = (float)c->world->domain.min.y;
    for (int k = 0; k < 4; k++) // counter-clockwise from above
        s->ground[k] = shoal_v3_make(look.middle.x + (k == 0 || k == 1 ? -half : half), y,
                                     look.middle.z + (k == 1 || k == 2 ? half : -half));
    SHOAL_TRY(render_tracer_look(s->tracer, &look, &index));
    return render_tracer_mesh(s->tracer, &(render_mesh){.vertex_count   = 4,
                                                        .triangle_count = 2,
                                                        .vertices       = s->ground,
                                                        .triangles      = square,
                                                        .look           = index});
}

// The closed sides, a little outside, so that water pressed on the wall is not in the glass.
static shoal_status add_panes(render_scenery* s) {
    const render_contents* c    = s->contents;
    render_look            look = {.kind = RENDER_PANE, .ior = 1.3f};
    float                  gap  = 0.1f * (float)c->spacing;
    shoal_v3 low = shoal_v3_from(c->world->domain.min), high = shoal_v3_from(c->world->domain.max);
    int      index = -1;
    if (c->settings->params.container != SHOAL_CONTAINER_GLASS) return SHOAL_OK;
    for (int side = 0; side < SHOAL_WALL_COUNT; side++) {
        if (!c->world->is_closed[side] || side / 2 == 1) continue;
        shoal_v3* corner = &s->panes[4 * (side / 2 == 0 ? side : side - 2)];
        bool      is_x   = side / 2 == 0;
        float     at     = side % 2 ? (is_x ? high.x : high.z) + gap : (is_x ? low.x : low.z) - gap;
        for (int k = 0; k < 4; k++) {
            bool  is_far = k == 1 || k == 2;
            float y      = k < 2 ? low.y : high.y,
                  across = is_x ? (is_far ? high.z : low.z) : (is_far ? high.x : low.x);
            corner[k]    = is_x ? shoal_v3_make(at, y, across) : shoal_v3_make(across, y, at);
        }
        if (index < 0) SHOAL_TRY(render_tracer_look(s->tracer, &look, &index));
        SHOAL_TRY(render_tracer_mesh(s->tracer, &(render_mesh){.vertex_count   = 4,
                                                               .triangle_count = 2,
                                                               .vertices       = corner,
                                                               .triangles      = square,
                                                               .look           = index}));
    }
    return SHOAL_OK;
}

static shoal_status add_lamps(render_scenery* s) {
    render_lights lights = render_lights_make(s->contents->settings);
    for (int k = 0; k < lights.lamp_count; k++) {
        const render_lamp* lamp = &lights.lamps[k];
        render_look        look = {.kind = RENDER_LAMP, .color = lamp->light};
        shoal_v3           corner[4];
        int                index;
        for (int i = 0; i < 4; i++) {
            float x = i == 0 || i == 3 ? -lamp->half : lamp->half,
                  y = i < 2 ? lamp->half : -lamp->half;
            corner[i] =
                shoal_v3_add_scaled(shoal_v3_add_scaled(lamp->at, lamp->right, x), lamp->up, y);
        }
        SHOAL_TRY(render_tracer_look(s->tracer, &look, &index));
        SHOAL_TRY(render_tracer_mesh(s->tracer, &(render_mesh){.vertex_count   = 4,
                                                               .triangle_count = 2,
                                                               .vertices       = corner,
                                                               .triangles      = square,
                                                               .look           = index}));
    }
    return SHOAL_OK;
}

static shoal_status build(render_scenery* s) {
    int parts   = s->contents->part_count;
    s->size     = shoal_d3_length(shoal_d3_sub(s->contents->box.max, s->contents->box.min));
    s->meshes   = shoal_alloc((size_t)parts + 1, sizeof *s->meshes);
    s->textures = shoal_alloc((size_t)parts + 1, sizeof *s->textures);
    s->arrays   = shoal_alloc((size_t)parts + 1, sizeof *s->arrays);
    if (!s->meshes || !s->textures || !s->arrays) return SHOAL_ERR_MEMORY;
    SHOAL_TRY(render_tracer_create(s->shutter, s->size, &s->tracer));
    for (int k = 0; k < parts; k++)
        SHOAL_TRY(add_part(s, k));
    SHOAL_TRY(add_solids(s));
    SHOAL_TRY(add_ground(s));
    SHOAL_TRY(add_panes(s));
    SHOAL_TRY(add_lamps(s));
    return render_tracer_commit(s->tracer);
}

shoal_status render_scenery_create(const render_contents* contents, double shutter,
                                   const shoal_exec* exec, render_scenery** out) {
    *out              = NULL;
    render_scenery* s = shoal_alloc(1, sizeof *s);
    if (!s) return SHOAL_ERR_MEMORY;
    s->contents         = contents;
    s->exec             = exec;
    s->shutter          = shutter;
    shoal_status status = build(s);
    if (status != SHOAL_OK) {
        render_scenery_destroy(s);
        return status;
    }
    *out = s;
    return SHOAL_OK;
}

void render_scenery_destroy(render_scenery* s) {
    if (!s) return;
    render_tracer_destroy(s->tracer);
    for (int k = 0; k < s->contents->part_count; k++) {
        if (s->arrays) shoal_free(s->arrays[k]);
        if (s->textures) render_texture_destroy(s->textures[k]);
        if (s->meshes) shoal_surface_mesh_destroy(s->meshes[k]);
    }
    shoal_free(s->arrays);
    shoal_free(s->textures);
    shoal_free(s->meshes);
    shoal_free(s);
}

const render_tracer* render_scenery_tracer(const render_scenery* s) { return s->tracer; }
