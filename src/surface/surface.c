// SPDX-License-Identifier: MIT
// Particles -> scalar field on blocks near them -> smoothed field -> closed mesh -> fields at its
// vertices.
#include "surface/surface.h"

#include "base/words.h"
#include "surface/surface_local.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Blocks are numbered in 64 bits and cells in float: beyond this many along an axis places blur.
#define CELLS_MOST 1e6
// So many steps of a float must lie in a cell, or triangles have no area.
#define STEPS_LEAST 16.0
// supports; the shape of a particle of another material depends on others further away
#define OTHER_WITHIN 4.0

shoal_status shoal_surface_mesh_create(int vertices, int triangles, shoal_surface_mesh** out) {
    shoal_surface_mesh* mesh = shoal_alloc(1, sizeof *mesh);
    *out                     = mesh;
    if (!mesh) return SHOAL_ERR_MEMORY;
    mesh->vertex_count   = vertices;
    mesh->triangle_count = triangles;
    mesh->positions      = shoal_alloc((size_t)vertices + 1, 3 * sizeof(float));
    mesh->normals        = shoal_alloc((size_t)vertices + 1, 3 * sizeof(float));
    mesh->triangles      = shoal_alloc((size_t)triangles + 1, 3 * sizeof(int));
    return mesh->positions && mesh->normals && mesh->triangles ? SHOAL_OK : SHOAL_ERR_MEMORY;
}

shoal_status shoal_surface_mesh_add(shoal_surface_mesh* mesh, const char* name, int components, float** data) {
    struct shoal_surface_array* field = &mesh->fields[mesh->field_count];
    field->data                       = shoal_alloc((size_t)mesh->vertex_count + 1, (size_t)components * sizeof(float));
    if (!field->data) return SHOAL_ERR_MEMORY;
    field->components = components;
    snprintf(field->name, sizeof field->name, "%s", name);
    mesh->field_count++;
    *data = field->data;
    return SHOAL_OK;
}

void shoal_surface_mesh_destroy(shoal_surface_mesh* mesh) {
    if (!mesh) return;
    for (int f = 0; f < SHOAL_SURFACE_FIELDS_MOST; f++) shoal_free(mesh->fields[f].data);
    shoal_free(mesh->triangles);
    shoal_free(mesh->normals);
    shoal_free(mesh->positions);
    shoal_free(mesh);
}

double shoal_surface_mesh_volume(const shoal_surface_mesh* mesh) {
    double sum = 0;
    if (mesh->vertex_count == 0) return 0;
    const float* o = mesh->positions; // near the mesh, for the sake of rounding
    for (int t = 0; t < mesh->triangle_count; t++) {
        shoal_d3 p[3];
        for (int k = 0; k < 3; k++) {
            const float* v = mesh->positions + 3 * (size_t)mesh->triangles[3 * (size_t)t + (size_t)k];
            p[k] = shoal_d3_make((double)v[0] - (double)o[0], (double)v[1] - (double)o[1], (double)v[2] - (double)o[2]);
        }
        sum += shoal_d3_dot(p[0], shoal_d3_cross(p[1], p[2]));
    }
    return sum / 6.0;
}

static shoal_status check(const shoal_surface_params* params, const shoal_surface_particles* p) {
    if (p->count < 0 || p->count > INT32_MAX / 8)
        return shoal_fail(SHOAL_ERR_INPUT, "%lld particles; a surface takes up to %d", (long long)p->count,
                          INT32_MAX / 8);
    if (!(p->spacing > 0.0) || !isfinite(p->spacing))
        return shoal_fail(SHOAL_ERR_INPUT, "the spacing of the particles is %g m; it must be above 0", p->spacing);
    if (p->field_count > SHOAL_SURFACE_FIELDS_MOST)
        return shoal_fail(SHOAL_ERR_INPUT, "%d fields; a surface takes up to %d", p->field_count,
                          SHOAL_SURFACE_FIELDS_MOST);
    if (params->radius >= shoal_surface_support(params))
        return shoal_fail(SHOAL_ERR_PARAM, "radius = %g is not below support = %g", (double)params->radius,
                          (double)shoal_surface_support(params));
    if (p->other_count < 0 || p->other_count > INT32_MAX / 8)
        return shoal_fail(SHOAL_ERR_INPUT, "%lld particles of other materials; a surface takes up to %d",
                          (long long)p->other_count, INT32_MAX / 8);
    for (int64_t i = 0; i < 3 * p->other_count; i++)
        if (!isfinite(p->other_positions[i]))
            return shoal_fail(SHOAL_ERR_INPUT,
                              "particle %lld of the other materials has a position that is not a number",
                              (long long)(i / 3));
    for (int64_t i = 0; i < 3 * p->count; i++)
        if (!isfinite(p->positions[i]))
            return shoal_fail(SHOAL_ERR_INPUT, "particle %lld has a position that is not a number", (long long)(i / 3));
    for (int f = 0; f < p->field_count; f++)
        for (int64_t i = 0; i < p->fields[f].components * p->count; i++)
            if (!isfinite(p->fields[f].data[i]))
                return shoal_fail(SHOAL_ERR_INPUT, "particle %lld has a %s that is not a number",
                                  (long long)(i / p->fields[f].components), p->fields[f].name);
    return SHOAL_OK;
}

// The radius at which Zhu & Bridson's surface of a lattice below y = 0 is y = 0: the mean depth of
// the layers, each weighted by the integral of its weights, (1 - z^2/R^2)^4.
static float flat_radius(float support) {
    double sum = 0, weight = 0;
    for (double z = 0.5; z < (double)support; z += 1.0) {
        double t = 1.0 - z * z / ((double)support * (double)support), k = t * t * t * t;
        sum += k * z;
        weight += k;
    }
    return (float)(sum / weight);
}

shoal_surface_blob shoal_surface_blob_of(const shoal_surface_params* params) {
    shoal_surface_params own = *params;
    own.method               = SHOAL_SURFACE_BLOBBY;
    float reach              = shoal_surface_support(&own);
    float q = (own.radius > 0.0f ? own.radius : flat_radius(reach)) / reach, t = 1.0f - q * q; // a lone ball's surface
    return (shoal_surface_blob){reach, t * t * t};
}

// What particles take up, as they say; NULL: they do not, and it is that of the lattice.
static const float* own_volumes(const shoal_surface_particles* p) {
    for (int f = 0; f < p->field_count; f++)
        if (strcmp(p->fields[f].name, "volume") == 0 && p->fields[f].components == 1) return p->fields[f].data;
    return NULL;
}

static shoal_status prepare(surface_work* w) {
    const shoal_surface_params* p   = w->params;
    shoal_box                   box = shoal_box_empty();
    w->spacing                      = (float)w->particles->spacing;
    w->support                      = shoal_surface_support(p) * w->spacing;
    w->cell                         = p->cell * w->spacing;
    w->radius     = (p->radius > 0.0f ? p->radius : flat_radius(shoal_surface_support(p))) * w->spacing;
    w->reach_most = w->support;
    w->count      = (int)w->particles->count;
    w->places     = shoal_alloc((size_t)w->count, sizeof *w->places);
    if (!w->places) return SHOAL_ERR_MEMORY;
    const float* volumes = own_volumes(w->particles);
    float        one     = w->spacing * w->spacing * w->spacing;
    w->is_own            = volumes != NULL;
    for (int i = 0; i < w->count; i++) {
        const float* v = w->particles->positions + 3 * (size_t)i;
        w->places[i]   = (shoal_v4){v[0], v[1], v[2], volumes && volumes[i] >= 0.0f ? volumes[i] : one};
        box            = shoal_box_with(box, shoal_d3_make((double)v[0], (double)v[1], (double)v[2]));
    }
    double edge = SURFACE_EDGE * (double)w->cell, span = shoal_d3_length(shoal_d3_sub(box.max, box.min));
    if (span / edge > CELLS_MOST || span / w->particles->spacing > CELLS_MOST)
        return shoal_fail(SHOAL_ERR_INPUT, "the particles are spread over %.3g m, too far for a spacing of %.3g m",
                          span, w->particles->spacing);
    double far = fmax(shoal_d3_length(box.min), shoal_d3_length(box.max));
    if ((double)FLT_EPSILON * far * STEPS_LEAST > (double)w->cell)
        return shoal_fail(SHOAL_ERR_INPUT,
                          "particles %.3g m from the origin are too far away for a cell of %.3g m: "
                          "numbers there are %.2g m apart; move the scene to the origin",
                          far, (double)w->cell, (double)FLT_EPSILON * far);
    w->low  = box.min;
    w->high = box.max;
    // anisotropic neighbours come from further away, and from cells of their own size
    float size =
        p->method == SHOAL_SURFACE_ANISOTROPIC || p->method == SHOAL_SURFACE_COLOR_FIELD ? w->support : (float)edge;
    return surface_index_make(&w->index, w->exec, w->places, w->count, w->low, w->high, size);
}

// Those of the other materials that are near enough to matter.
static shoal_status prepare_other(surface_work* w) {
    const shoal_surface_particles* p = w->particles;
    shoal_box near                   = shoal_box_grown((shoal_box){w->low, w->high}, OTHER_WITHIN * (double)w->support),
              box                    = shoal_box_empty();
    if (p->other_count == 0) return SHOAL_OK;
    surface_work* o = w->other = shoal_alloc(1, sizeof *o);
    if (!o) return SHOAL_ERR_MEMORY;
    *o        = *w;
    o->other  = NULL;
    o->is_own = false;
    o->index  = (surface_index){0};
    o->count  = 0;
    o->places = shoal_alloc((size_t)p->other_count, sizeof *o->places);
    if (!o->places) return SHOAL_ERR_MEMORY;
    for (int64_t i = 0; i < p->other_count; i++) {
        const float* v  = p->other_positions + 3 * (size_t)i;
        shoal_d3     at = shoal_d3_make((double)v[0], (double)v[1], (double)v[2]);
        if (!shoal_box_holds(near, at)) continue;
        o->places[o->count++] = (shoal_v4){v[0], v[1], v[2], w->spacing * w->spacing * w->spacing};
        box                   = shoal_box_with(box, at);
    }
    if (o->count == 0) return SHOAL_OK;
    o->low  = box.min;
    o->high = box.max;
    SHOAL_TRY(surface_index_make(&o->index, o->exec, o->places, o->count, o->low, o->high, w->index.frame.size));
    return w->params->method == SHOAL_SURFACE_ZHU_BRIDSON ? SHOAL_OK : surface_splats_make(o);
}

static shoal_status take_mesh(const surface_work* w, shoal_contour* from, shoal_surface_mesh* to) {
    SHOAL_TRY(surface_carry(w, from, to));
    SHOAL_TRY(surface_mesh_snap(w, from, to));
    SHOAL_TRY(surface_mesh_drops(w, from, to));
    SHOAL_TRY(surface_mesh_calm(w, from));
    SHOAL_TRY(surface_mesh_taubin(w, from));
    to->vertex_count   = from->vertex_count;
    to->triangle_count = from->triangle_count;
    to->positions      = &from->vertices->x;
    to->normals        = &from->normals->x;
    to->triangles      = from->triangles;
    from->vertices = from->normals = NULL;
    from->triangles                = NULL;
    return SHOAL_OK;
}

static shoal_status make_field(surface_work* w) {
    SHOAL_TRY(prepare(w));
    SHOAL_TRY(prepare_other(w));
    if (w->params->method != SHOAL_SURFACE_ZHU_BRIDSON) SHOAL_TRY(surface_splats_make(w));
    SHOAL_TRY(surface_field_make(w));
    SHOAL_TRY(surface_field_smooth(w));
    SHOAL_TRY(surface_field_balance(w));
    shoal_contour_seal(&w->field, w->exec);
    return SHOAL_OK;
}

static void work_free(surface_work* w) {
    if (w->other) work_free(w->other);
    shoal_free(w->other);
    shoal_sparse_free(&w->field);
    surface_index_free(&w->splat_index);
    surface_index_free(&w->index);
    shoal_free(w->shift);
    shoal_free(w->meeting);
    shoal_free(w->is_spray);
    shoal_free(w->splats);
    shoal_free(w->places);
}

static shoal_status build(surface_work* w, shoal_surface_mesh* out) {
    shoal_contour mesh = {0};
    SHOAL_TRY(make_field(w));
    SHOAL_TRY(shoal_contour_make(&w->field, 0, w->exec, NULL, &mesh));
    shoal_status status = take_mesh(w, &mesh, out);
    shoal_contour_free(&mesh);
    if (status == SHOAL_OK && out->triangle_count == 0)
        shoal_log(SHOAL_LOG_WARNING,
                  "no surface is left of %d particles: it falls between samples %g m apart; take a "
                  "smaller surface.cell, or a larger support or radius",
                  w->count, (double)w->cell);
    return status;
}

shoal_status shoal_surface_build(const shoal_surface_params* params, const shoal_surface_particles* particles,
                                 const shoal_exec* exec, shoal_isa_kind isa, shoal_surface_mesh** out) {
    *out = NULL;
    SHOAL_TRY(check(params, particles));
    shoal_surface_mesh* mesh = shoal_alloc(1, sizeof *mesh);
    if (!mesh) return SHOAL_ERR_MEMORY;
    surface_work w = {.params = params, .particles = particles, .exec = exec, .loops = surface_loops_for(isa)};
    // an empty mesh has its fields, too: programs look for them in every frame
    shoal_status status = particles->count > 0 ? build(&w, mesh) : surface_carry(&w, &(shoal_contour){0}, mesh);
    work_free(&w);
    if (status != SHOAL_OK) {
        shoal_surface_mesh_destroy(mesh);
        return status;
    }
    *out = mesh;
    return SHOAL_OK;
}

static shoal_status shape_all(surface_work* w, shoal_surface_ellipsoid* out) {
    float scale;
    SHOAL_TRY(prepare(w));
    surface_splat* splats = shoal_alloc((size_t)w->count, sizeof *splats);
    if (!splats) return SHOAL_ERR_MEMORY;
    shoal_status status = surface_splats_shape(w, splats, &scale);
    float        k      = status == SHOAL_OK ? 1.0f / (scale * scale) : 0.0f;
    for (int i = 0; i < w->count && status == SHOAL_OK; i++) {
        const surface_splat* s = &splats[i];
        shoal_s6             m = surface_sharpened(s, k);
        out[i] = (shoal_surface_ellipsoid){shoal_v3_make(s->x, s->y, s->z), m, surface_ellipsoid_volume(m)};
    }
    shoal_free(splats);
    return status;
}

shoal_surface_params shoal_surface_stretched(const shoal_surface_params* params) {
    shoal_surface_params stretched = *params;
    if (params->method != SHOAL_SURFACE_ANISOTROPIC) stretched.support = 0.0f; // that of another method
    stretched.method = SHOAL_SURFACE_ANISOTROPIC;
    return stretched;
}

shoal_status shoal_surface_ellipsoids(const shoal_surface_params* params, const shoal_surface_particles* particles,
                                      const shoal_exec* exec, shoal_isa_kind isa, shoal_surface_ellipsoid* out) {
    shoal_surface_params stretched = shoal_surface_stretched(params);
    SHOAL_TRY(check(&stretched, particles));
    if (particles->count == 0) return SHOAL_OK;
    surface_work w      = {.params = &stretched, .particles = particles, .exec = exec, .loops = surface_loops_for(isa)};
    shoal_status status = shape_all(&w, out);
    work_free(&w);
    return status;
}

shoal_status shoal_surface_build_volume(const shoal_surface_params* params, const shoal_surface_particles* particles,
                                        const shoal_exec* exec, shoal_isa_kind isa, shoal_surface_volume* out) {
    *out = (shoal_surface_volume){0};
    SHOAL_TRY(check(params, particles));
    if (particles->count == 0) return surface_volume_empty(particles, out);
    surface_work w      = {.params = params, .particles = particles, .exec = exec, .loops = surface_loops_for(isa)};
    shoal_status status = make_field(&w);
    if (status == SHOAL_OK) status = surface_volume_take(&w, out);
    work_free(&w);
    if (status != SHOAL_OK) shoal_surface_volume_free(out);
    return status;
}

// "cell=0.4"
static shoal_status set(shoal_surface_params* params, const char* setting) {
    const char* equals = strchr(setting, '=');
    char        name[64], *end;
    if (!equals || (size_t)(equals - setting) >= sizeof name)
        return shoal_fail(SHOAL_ERR_PARAM, "\"%.60s\" is not NAME=VALUE", setting);
    snprintf(name, sizeof name, "%.*s", (int)(equals - setting), setting);
    const shoal_param_def* def = shoal_param_find(shoal_surface_params_table, name);
    if (!def) return shoal_fail(SHOAL_ERR_PARAM, "surface has no parameter \"%s\"", name);
    double value = strtod(equals + 1, &end);
    if (end == equals + 1 || *end != 0) return shoal_param_set_word(def, params, equals + 1);
    return shoal_param_set_numbers(def, params, &value, 1);
}

shoal_status shoal_surface_make(const shoal_surface_particles* particles, const char* const* settings, int threads,
                                shoal_surface_mesh** out) {
    shoal_surface_params params;
    shoal_exec           exec = shoal_exec_make(threads);
    *out                      = NULL;
    shoal_params_default(shoal_surface_params_table, &params);
    for (int i = 0; settings && settings[i]; i++) SHOAL_TRY(set(&params, settings[i]));
    return shoal_surface_build(&params, particles, &exec, shoal_isa_best(), out);
}
