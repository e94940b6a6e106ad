// SPDX-License-Identifier: MIT
// Particles, obstacles, ground and container into a tracer.
#include "render/scenery.h"

#include "render/grains.h"
#include "render/appearance.h"
#include "render/optics.h"
#include "render/attach.h"
#include "surface/surface.h"

#include <string.h>

// Spacings that a particle of sand reaches: grains lie in layers, and water's two would show them
// as terraces.
#define SAND_SUPPORT 4.0f

struct render_scenery {
    const render_contents* contents;
    const shoal_exec*      exec;
    render_tracer*         tracer;
    double                 shutter, size; // s, m
    shoal_surface_mesh**   meshes; // [2 * part_count] owned, like the two below: around particles, and of their own
    render_texture**       textures;
    void**                 arrays; // [3 * part_count] of both, and of balls
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

float render_faded(float saturation) {
    const float from = 0.5f;
    return fminf(fmaxf((saturation - from) / (1.0f - from), 0.0f), 1.0f);
}

render_sizes render_part_sizes(const render_part* part) {
    return (render_sizes){.radius    = render_part_field(part, "radius", 1),
                          .otherwise = 0.5f * (float)part->particles.spacing};
}

float render_size_of(const render_sizes* s, size_t i) {
    if (!s->radius || !(s->radius[i] > 0.0f && isfinite(s->radius[i]))) return s->otherwise;
    return s->radius[i];
}

// --- parts

static shoal_status add_painted(render_scenery* s, const render_part* part, void** memory) {
    size_t            count      = (size_t)part->particles.count;
    shoal_v4*         balls      = shoal_alloc(count + 1, sizeof *balls);
    render_appearance appearance = {.kind = RENDER_MATTE};
    render_sizes      sizes      = render_part_sizes(part);
    int               index;
    if (!balls) return SHOAL_ERR_MEMORY;
    *memory = balls;
    for (size_t i = 0; i < count; i++) {
        const float* p = part->particles.positions + 3 * i;
        balls[i]       = (shoal_v4){p[0], p[1], p[2], render_size_of(&sizes, i)};
    }
    SHOAL_TRY(render_tracer_appearance(s->tracer, &appearance, &index));
    return render_tracer_balls(s->tracer,
                               &(render_balls){.count      = (int)count,
                                               .places     = balls,
                                               .velocities = (const shoal_v3*)render_part_field(part, "velocity", 3),
                                               .colors     = part->paint,
                                               .appearance = index});
}

static const float* mesh_field(const shoal_surface_mesh* mesh, const char* name) {
    for (int f = 0; f < mesh->field_count; f++)
        if (strcmp(mesh->fields[f].name, name) == 0) return mesh->fields[f].data;
    return NULL;
}

// Only what is looked at is carried to the vertices. `volume`: what of each particle is in it, m^3; NULL: all.
static shoal_status make_surface(render_scenery* s, const render_part* part, bool is_sand, const float* volume,
                                 shoal_surface_mesh** out) {
    shoal_surface_params    params = *s->contents->surface;
    shoal_surface_field     fields[3];
    shoal_surface_particles particles = part->particles;
    particles.fields                  = fields;
    particles.field_count             = 0;
    const float *velocity = render_part_field(part, "velocity", 3), *wetness = render_part_wetness(part);
    if (velocity && s->shutter > 0.0) fields[particles.field_count++] = (shoal_surface_field){"velocity", 3, velocity};
    if (wetness) fields[particles.field_count++] = (shoal_surface_field){"wetness", 1, wetness};
    if (volume) fields[particles.field_count++] = (shoal_surface_field){"volume", 1, volume};
    if (is_sand && params.method == SHOAL_SURFACE_ZHU_BRIDSON && !(params.support > 0.0f))
        params.support = SAND_SUPPORT;
    return shoal_surface_build(&params, &particles, s->exec, shoal_isa_best(), out);
}

static shoal_status add_surface(render_scenery* s, int k, bool is_sand, const float* volume,
                                const render_appearance* appearance) {
    const render_part* part = &s->contents->parts[k];
    int                index;
    SHOAL_TRY(make_surface(s, part, is_sand, volume, &s->meshes[k]));
    shoal_surface_mesh* mesh = s->meshes[k];
    uint8_t*            is_flat;
    SHOAL_TRY(render_attach(mesh, s->contents->world, part->particles.spacing, k, s->exec, &is_flat));
    s->arrays[k] = is_flat;
    if (is_sand && part->particles.count > 0)
        SHOAL_TRY(render_texture_create(part, s->contents, appearance->color, &s->textures[k]));
    SHOAL_TRY(render_tracer_appearance(s->tracer, appearance, &index));
    return render_tracer_mesh(s->tracer, &(render_mesh){.vertex_count   = mesh->vertex_count,
                                                        .triangle_count = mesh->triangle_count,
                                                        .vertices       = (const shoal_v3*)mesh->positions,
                                                        .normals        = (const shoal_v3*)mesh->normals,
                                                        .velocities     = (const shoal_v3*)mesh_field(mesh, "velocity"),
                                                        .wetness        = is_sand ? mesh_field(mesh, "wetness") : NULL,
                                                        .texture_fn     = s->textures[k] ? render_texture_sample : NULL,
                                                        .texture        = s->textures[k],
                                                        .triangles      = mesh->triangles,
                                                        .is_flat        = is_flat,
                                                        .appearance     = index});
}

static shoal_status copy_mesh(const shoal_surface_mesh* from, shoal_surface_mesh** out) {
    size_t v = (size_t)from->vertex_count, t = (size_t)from->triangle_count;
    SHOAL_TRY(shoal_surface_mesh_create(from->vertex_count, from->triangle_count, out));
    memcpy((*out)->positions, from->positions, 3 * v * sizeof(float));
    memcpy((*out)->normals, from->normals, 3 * v * sizeof(float));
    memcpy((*out)->triangles, from->triangles, 3 * t * sizeof(int));
    return SHOAL_OK;
}

// Spacings from a wall at which a mesh lies on it: it ends where it ends, and is only kept from
// sharing a plane with the wall.
#define MESH_REACH 0.1

// A mesh that needs no mesher. What is owned for it stands behind that of the particles.
static shoal_status add_own_mesh(render_scenery* s, int k, bool is_sand, const render_appearance* appearance) {
    const render_part*        part = &s->contents->parts[k];
    const shoal_surface_mesh* own  = part->mesh;
    int                       at   = s->contents->part_count + k, index;
    uint8_t*                  is_flat;
    render_appearance         matte = {.kind = RENDER_MATTE};
    SHOAL_TRY(copy_mesh(own, &s->meshes[at]));
    SHOAL_TRY(
        render_attach(s->meshes[at], s->contents->world, MESH_REACH * part->particles.spacing, k, s->exec, &is_flat));
    s->arrays[at] = is_flat;
    SHOAL_TRY(render_tracer_appearance(s->tracer, part->mesh_paint ? &matte : appearance, &index));
    const float* wetness = mesh_field(own, "wetness");
    return render_tracer_mesh(s->tracer, &(render_mesh){.vertex_count   = own->vertex_count,
                                                        .triangle_count = own->triangle_count,
                                                        .vertices       = (const shoal_v3*)s->meshes[at]->positions,
                                                        .normals        = (const shoal_v3*)s->meshes[at]->normals,
                                                        .velocities     = (const shoal_v3*)mesh_field(own, "velocity"),
                                                        .colors         = part->mesh_paint,
                                                        .wetness        = is_sand && !part->mesh_paint ? wetness : NULL,
                                                        .triangles      = s->meshes[at]->triangles,
                                                        .is_flat        = is_flat,
                                                        .appearance     = index});
}

// A mesh of sand as far as its pores are full; its grains are drawn as well, as far as they are not.
static shoal_status add_wet_mesh(render_scenery* s, int k, const float* saturation,
                                 const render_appearance* appearance) {
    const render_part* part   = &s->contents->parts[k];
    double             whole  = pow(part->particles.spacing, 3.0);
    bool               any    = false;
    float*             volume = shoal_alloc((size_t)part->particles.count + 1, sizeof *volume);
    if (!volume) return SHOAL_ERR_MEMORY;
    for (int64_t i = 0; i < part->particles.count; i++) {
        volume[i] = (float)whole * render_faded(saturation[i]);
        any |= volume[i] > 0.0f;
    }
    shoal_status status = any ? add_surface(s, k, true, volume, appearance) : SHOAL_OK;
    shoal_free(volume);
    return status;
}

static shoal_status add_part(render_scenery* s, int k) {
    const render_part* part = &s->contents->parts[k];
    bool               is_sand;
    render_appearance  appearance = render_part_appearance(s->contents, k, &is_sand);
    if (part->mesh) SHOAL_TRY(add_own_mesh(s, k, is_sand, &appearance));
    if (part->mesh && part->particles.count == 0) return SHOAL_OK;
    if (part->paint) return add_painted(s, part, &s->arrays[k]);
    if (!is_sand || s->contents->settings->params.sand == SHOAL_SAND_MESH)
        return add_surface(s, k, is_sand, NULL, &appearance);
    render_balls balls;
    const float* saturation = render_part_field(part, "saturation", 1);
    if (saturation) SHOAL_TRY(add_wet_mesh(s, k, saturation, &appearance));
    SHOAL_TRY(render_grains_make(part, s->contents, appearance.color, s->exec, &balls,
                                 &s->arrays[2 * s->contents->part_count + k]));
    SHOAL_TRY(render_tracer_appearance(s->tracer, &appearance, &balls.appearance));
    return render_tracer_balls(s->tracer, &balls);
}

// --- the rest of the world

static shoal_status add_solids(render_scenery* s) {
    for (int k = 0; k < s->contents->solid_count; k++) {
        const render_solid* solid      = &s->contents->solids[k];
        render_appearance   appearance = render_solid_appearance(s->contents, k);
        int                 index;
        SHOAL_TRY(render_tracer_appearance(s->tracer, &appearance, &index));
        SHOAL_TRY(render_tracer_mesh(s->tracer,
                                     &(render_mesh){.vertex_count   = solid->mesh->vertex_count,
                                                    .triangle_count = solid->mesh->triangle_count,
                                                    .vertices       = (const shoal_v3*)solid->mesh->positions,
                                                    .normals        = (const shoal_v3*)solid->mesh->normals,
                                                    .velocities = (const shoal_v3*)mesh_field(solid->mesh, "velocity"),
                                                    .triangles  = solid->mesh->triangles,
                                                    .appearance = index}));
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
    render_appearance appearance = render_ground_appearance(c);
    appearance.tile              = kind == SHOAL_GROUND_TILES ? (float)render_tile(c->box) : 0.0f;
    appearance.middle            = shoal_v3_from(shoal_d3_scale(shoal_d3_add(c->box.min, c->box.max), 0.5));
    appearance.fade_from         = 2.0f * (float)s->size;
    appearance.fade_to           = 12.0f * (float)s->size;
    SHOAL_TRY(render_tracer_appearance(s->tracer, &appearance, &index));
    render_tracer_ground(s->tracer, index, c->world->domain.min.y, 13.0 * s->size);
    return SHOAL_OK;
}

// The closed sides, a little outside, so that water pressed on the wall is not in the glass.
static shoal_status add_panes(render_scenery* s) {
    const render_contents* c          = s->contents;
    render_appearance      appearance = {.kind = RENDER_PANE, .ior = 1.3f, .tile = 0.0016f * (float)s->size};
    float                  gap        = 0.1f * (float)c->spacing;
    shoal_v3               low = shoal_v3_from(c->world->domain.min), high = shoal_v3_from(c->world->domain.max);
    int                    index = -1;
    high.y                       = fminf(high.y, (float)c->pane_top);
    if (c->settings->params.container != SHOAL_CONTAINER_GLASS) return SHOAL_OK;
    for (int side = 0; side < SHOAL_WALL_COUNT; side++) {
        if (!c->world->is_closed[side] || side / 2 == 1) continue;
        shoal_v3 corner[4];
        bool     is_x = side / 2 == 0, turns = is_x == (side % 2 == 1); // so that its normal looks outwards
        float    at = side % 2 ? (is_x ? high.x : high.z) + gap : (is_x ? low.x : low.z) - gap;
        for (int k = 0; k < 4; k++) {
            bool  is_far = (k == 1 || k == 2) != turns;
            float y = k < 2 ? low.y : high.y, across = is_x ? (is_far ? high.z : low.z) : (is_far ? high.x : low.x);
            corner[k] = is_x ? shoal_v3_make(at, y, across) : shoal_v3_make(across, y, at);
        }
        if (index < 0) SHOAL_TRY(render_tracer_appearance(s->tracer, &appearance, &index));
        SHOAL_TRY(render_tracer_pane(s->tracer, index, corner));
    }
    return SHOAL_OK;
}

static shoal_status add_lamps(render_scenery* s) {
    render_lights lights = render_lights_make(s->contents->settings);
    for (int k = 0; k < lights.lamp_count; k++) {
        const render_lamp* lamp       = &lights.lamps[k];
        render_appearance  appearance = {.kind = RENDER_LAMP, .color = lamp->light};
        shoal_v3           corner[4];
        int                index;
        for (int i = 0; i < 4; i++) {
            float x = i == 0 || i == 3 ? -lamp->half : lamp->half, y = i < 2 ? lamp->half : -lamp->half;
            corner[i] = shoal_v3_add_scaled(shoal_v3_add_scaled(lamp->at, lamp->right, x), lamp->up, y);
        }
        SHOAL_TRY(render_tracer_appearance(s->tracer, &appearance, &index));
        SHOAL_TRY(render_tracer_mesh(
            s->tracer,
            &(render_mesh){
                .vertex_count = 4, .triangle_count = 2, .vertices = corner, .triangles = square, .appearance = index}));
    }
    return SHOAL_OK;
}

static shoal_status build(render_scenery* s) {
    int parts   = s->contents->part_count;
    s->size     = shoal_d3_length(shoal_d3_sub(s->contents->box.max, s->contents->box.min));
    s->meshes   = shoal_alloc(2 * (size_t)parts + 1, sizeof *s->meshes);
    s->textures = shoal_alloc((size_t)parts + 1, sizeof *s->textures);
    s->arrays   = shoal_alloc(3 * (size_t)parts + 1, sizeof *s->arrays);
    if (!s->meshes || !s->textures || !s->arrays) return SHOAL_ERR_MEMORY;
    SHOAL_TRY(render_tracer_create(s->shutter, s->size, &s->tracer));
    for (int k = 0; k < parts; k++) SHOAL_TRY(add_part(s, k));
    SHOAL_TRY(add_solids(s));
    SHOAL_TRY(add_ground(s));
    SHOAL_TRY(add_panes(s));
    SHOAL_TRY(add_lamps(s));
    return render_tracer_commit(s->tracer);
}

shoal_status render_scenery_create(const render_contents* contents, double shutter, const shoal_exec* exec,
                                   render_scenery** out) {
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
    for (int k = 0; k < 3 * s->contents->part_count; k++) {
        if (s->arrays) shoal_free(s->arrays[k]);
        if (s->textures && k < s->contents->part_count) render_texture_destroy(s->textures[k]);
        if (s->meshes && k < 2 * s->contents->part_count) shoal_surface_mesh_destroy(s->meshes[k]);
    }
    shoal_free(s->arrays);
    shoal_free(s->textures);
    shoal_free(s->meshes);
    shoal_free(s);
}

const render_tracer* render_scenery_tracer(const render_scenery* s) { return s->tracer; }
