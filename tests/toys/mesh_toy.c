// SPDX-License-Identifier: MIT
// A solver without particles: a body is a box of tetrahedra that falls as a whole and bounces off the floor. It shows
// that a mesh goes all the way from scene to frames, resuming, pictures and stats by its lists alone.
#include "toys.h"

#include "geom/shape.h"
#include "param/param.h"

#include <math.h>
#include <string.h>

// clang-format off
#define MESH_PARAMS(X, S) X(S, restitution, FLOAT, 0.5, 0, 1, "", "speed after a bounce over the speed before")

// name      type role          unit      meaning
#define VERTEX_FIELDS(X)                                                     \
    X(position, V3, SHOWN_STATE, "m",     "where it is")                     \
    X(velocity, V3, SHOWN_STATE, "m/s",   "how it moves")                    \
    X(material, U1, SHOWN_STATE, "",      "index into the scene's materials") \
    X(heat,     F1, STATE,       "K",     "height that it began at")
#define TET_FIELDS(X)                                                        \
    X(corners,  R4, STATE,       "vertices", "its vertices")                 \
    X(volume,   F1, SHOWN_OUTPUT, "m^3",  "volume")
#define BOUNDARY_POINT_FIELDS(X)                                                 \
    X(position, V3, SHOWN_OUTPUT, "m",    "where it is")                     \
    X(heat,     F1, OUTPUT,       "K",    "height that it began at")
#define BOUNDARY_FIELDS(X)                                                       \
    X(corners,  R3, STATE,       "boundary_points", "its corners, counter-clockwise seen from outside")
// clang-format on

SHOAL_PARAMS_DECLARE(mesh_params, MESH_PARAMS)
SHOAL_PARAMS_DEFINE(mesh_params, MESH_PARAMS)

enum { VERTICES, TETS, BOUNDARY_POINTS, BOUNDARY, SETS };

typedef struct mesh_toy {
    shoal_sim_context* ctx;
    mesh_params        params;
} mesh_toy;

// ---------------------------------------------------------------------------------- a box of tetrahedra

static const int corner_of[6][4] = {{0, 1, 3, 7}, {0, 3, 2, 7}, {0, 2, 6, 7}, {0, 6, 4, 7}, {0, 4, 5, 7}, {0, 5, 1, 7}};
static const int side_of[4][3]   = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {2, 0, 3}};

static bool has_points(const int32_t* tet, const int32_t* face) {
    int found = 0;
    for (int k = 0; k < 4; k++)
        for (int f = 0; f < 3; f++) found += tet[k] == face[f];
    return found == 3;
}

// The faces that one tetrahedron alone has, looked for among all: toys are small.
static int find_boundary(const int32_t* tets, int count, int32_t* out) {
    int left = 0;
    for (int t = 0; t < count; t++)
        for (int s = 0; s < 4; s++) {
            const int32_t* c       = tets + 4 * t;
            int32_t        face[3] = {c[side_of[s][0]], c[side_of[s][1]], c[side_of[s][2]]};
            int            owners  = 0;
            for (int u = 0; u < count; u++) owners += has_points(tets + 4 * u, face);
            if (owners > 1) continue;
            if (out) memcpy(out + 3 * left, face, sizeof face);
            left++;
        }
    return left;
}

static shoal_status fill(mesh_toy* s, const shoal_body* body) {
    shoal_set *vertices = s->ctx->sets[VERTICES], *tets = s->ctx->sets[TETS], *boundary = s->ctx->sets[BOUNDARY];
    shoal_box  box  = shoal_shape_bounds(body->shape);
    shoal_d3   edge = shoal_d3_sub(box.max, box.min);
    double     d    = s->ctx->description->spacing;
    int        n[3] = {(int)fmax(1.0, round(edge.x / d)), (int)fmax(1.0, round(edge.y / d)),
                       (int)fmax(1.0, round(edge.z / d))};
    SHOAL_TRY(shoal_set_rebuild(vertices, (n[0] + 1) * (n[1] + 1) * (n[2] + 1)));
    SHOAL_TRY(shoal_set_rebuild(tets, 6 * n[0] * n[1] * n[2]));
    shoal_v3 *position = shoal_set_data(vertices, "position"), *velocity = shoal_set_data(vertices, "velocity");
    for (int i = 0; i < vertices->count; i++) {
        int x = i % (n[0] + 1), y = i / (n[0] + 1) % (n[1] + 1), z = i / ((n[0] + 1) * (n[1] + 1));
        position[i] = shoal_v3_make((float)(box.min.x + edge.x * x / n[0]), (float)(box.min.y + edge.y * y / n[1]),
                                    (float)(box.min.z + edge.z * z / n[2]));
        velocity[i] = body->velocity;
        ((uint8_t*)shoal_set_data(vertices, "material"))[i] = (uint8_t)body->material;
        ((float*)shoal_set_data(vertices, "heat"))[i]       = position[i].y;
    }
    int32_t* corners = shoal_set_data(tets, "corners");
    for (int c = 0; c < n[0] * n[1] * n[2]; c++) {
        int x = c % n[0], y = c / n[0] % n[1], z = c / (n[0] * n[1]);
        for (int t = 0; t < 6; t++)
            for (int k = 0; k < 4; k++) {
                int b      = corner_of[t][k];
                *corners++ = (int32_t)((x + (b & 1)) + (n[0] + 1) * ((y + (b >> 1 & 1)) + (n[1] + 1) * (z + (b >> 2))));
            }
    }
    corners = shoal_set_data(tets, "corners");
    SHOAL_TRY(shoal_set_rebuild(boundary, find_boundary(corners, tets->count, NULL)));
    find_boundary(corners, tets->count, shoal_set_data(boundary, "corners"));
    return SHOAL_OK;
}

// ---------------------------------------------------------------------------------- the step

static double volume_of(const shoal_v3* x, const int32_t* c) {
    shoal_d3 a = shoal_d3_from(x[c[0]]);
    return shoal_d3_dot(
               shoal_d3_cross(shoal_d3_sub(shoal_d3_from(x[c[1]]), a), shoal_d3_sub(shoal_d3_from(x[c[2]]), a)),
               shoal_d3_sub(shoal_d3_from(x[c[3]]), a)) /
           6.0;
}

// What frames show besides the state.
static shoal_status show(mesh_toy* s) {
    shoal_set *vertices = s->ctx->sets[VERTICES], *tets = s->ctx->sets[TETS], *points = s->ctx->sets[BOUNDARY_POINTS];
    SHOAL_TRY(shoal_set_rebuild(points, vertices->count));
    const shoal_v3* x = shoal_set_data(vertices, "position");
    memcpy(shoal_set_data(points, "position"), x, (size_t)points->count * sizeof *x);
    memcpy(shoal_set_data(points, "heat"), shoal_set_data(vertices, "heat"), (size_t)points->count * sizeof(float));
    for (int t = 0; t < tets->count; t++)
        ((float*)shoal_set_data(tets, "volume"))[t] =
            (float)fabs(volume_of(x, (int32_t*)shoal_set_data(tets, "corners") + 4 * t));
    return SHOAL_OK;
}

static shoal_status mesh_begin(void* self) {
    SHOAL_TRY(fill(self, ((mesh_toy*)self)->ctx->description->bodies));
    return show(self);
}

static shoal_status mesh_step(void* self, double dt) {
    mesh_toy*  s   = self;
    shoal_set* set = s->ctx->sets[VERTICES];
    size_t     n   = (size_t)set->count;
    SHOAL_TRY(shoal_set_keep(s->ctx->sets[TETS], "volume")); // tets stay where they lie
    shoal_v3 *x = shoal_alloc(n + 1, sizeof *x), *v = shoal_alloc(n + 1, sizeof *v);
    uint8_t*  material = shoal_alloc(n + 1, 1);
    float *   heat = shoal_alloc(n + 1, sizeof *heat), lowest = INFINITY;
    bool      is_there = x && v && material && heat;
    for (size_t i = 0; i < n && is_there; i++) {
        v[i]        = shoal_v3_add_scaled(((shoal_v3*)shoal_set_data(set, "velocity"))[i],
                                          shoal_v3_from(s->ctx->description->gravity), (float)dt);
        x[i]        = shoal_v3_add_scaled(((shoal_v3*)shoal_set_data(set, "position"))[i], v[i], (float)dt);
        material[i] = ((uint8_t*)shoal_set_data(set, "material"))[i];
        heat[i]     = ((float*)shoal_set_data(set, "heat"))[i];
        lowest      = fminf(lowest, x[i].y);
    }
    float under = s->ctx->world->min.y - lowest;
    for (size_t i = 0; i < n && is_there && under > 0.0f; i++) {
        x[i].y += under;
        v[i].y = fabsf(v[i].y) * s->params.restitution;
    }
    shoal_status status = is_there ? shoal_set_rebuild(set, (int)n) : SHOAL_ERR_MEMORY;
    if (status == SHOAL_OK) {
        memcpy(shoal_set_data(set, "position"), x, n * sizeof *x);
        memcpy(shoal_set_data(set, "velocity"), v, n * sizeof *v);
        memcpy(shoal_set_data(set, "material"), material, n);
        memcpy(shoal_set_data(set, "heat"), heat, n * sizeof *heat);
        status = show(s);
    }
    shoal_free(heat);
    shoal_free(material);
    shoal_free(v);
    shoal_free(x);
    return status;
}

// ---------------------------------------------------------------------------------- the type

static shoal_status mesh_create(shoal_sim_context* ctx, const void* params, void** self) {
    mesh_toy* s = shoal_alloc(1, sizeof *s);
    if (!s) return SHOAL_ERR_MEMORY;
    *s    = (mesh_toy){ctx, *(const mesh_params*)params};
    *self = s;
    return SHOAL_OK;
}

static void mesh_set_params(void* self, const void* params) { ((mesh_toy*)self)->params = *(const mesh_params*)params; }
static shoal_status mesh_plan(void* self, shoal_plan* plan) {
    (void)self;
    plan->dt = plan->interval / 4.0;
    return SHOAL_OK;
}

// Nobody asks a toy what is where.
static void mesh_at(const void* self, const shoal_d3* places, int count, shoal_at out) {
    (void)self, (void)places;
    for (int i = 0; i < count; i++) {
        if (out.phi) out.phi[i] = 1.0;
        if (out.pressure) out.pressure[i] = 0.0;
        if (out.velocity) out.velocity[i] = shoal_d3_make(0.0, 0.0, 0.0);
    }
}
static shoal_line         mesh_line(const void* self, shoal_d3 at) { return (void)self, (void)at, (shoal_line){0}; }
static double             mesh_front(const void* self, int axis) { return (void)self, (void)axis, 0.0; }
static const shoal_matter matter = {mesh_at, mesh_line, mesh_front};

static bool mesh_refuses(const shoal_description* d, char* buffer, size_t size) {
    if (d->body_count == 1) return false;
    snprintf(buffer, size, "the toy of a mesh takes one body");
    return true;
}

static void mesh_report(const void* self, double* stats) {
    const mesh_toy*  s    = self;
    const shoal_set *tets = s->ctx->sets[TETS], *vertices = s->ctx->sets[VERTICES];
    stats[0] = 0.0, stats[1] = (double)INFINITY;
    for (int t = 0; t < tets->count; t++) stats[0] += (double)((float*)shoal_set_data(tets, "volume"))[t];
    for (int i = 0; i < vertices->count; i++)
        stats[1] = fmin(stats[1], (double)((shoal_v3*)shoal_set_data(vertices, "position"))[i].y);
}

static const shoal_field_def vertex_fields[]         = {VERTEX_FIELDS(SHOAL_FIELD_ROW){0}};
static const shoal_field_def tet_fields[]            = {TET_FIELDS(SHOAL_FIELD_ROW){0}};
static const shoal_field_def boundary_point_fields[] = {BOUNDARY_POINT_FIELDS(SHOAL_FIELD_ROW){0}};
static const shoal_field_def boundary_fields[]       = {BOUNDARY_FIELDS(SHOAL_FIELD_ROW){0}};
static const shoal_set_def   sets[]                  = {
                       [VERTICES]        = {.name = "vertices", .life = SHOAL_REBUILT, .fields = vertex_fields},
                       [TETS]            = {.name = "tets", .life = SHOAL_REBUILT, .fields = tet_fields},
                       [BOUNDARY_POINTS] = {.name = "boundary_points", .life = SHOAL_REBUILT, .fields = boundary_point_fields},
                       [BOUNDARY]        = {.name = "boundary", .life = SHOAL_REBUILT, .fields = boundary_fields},
                       [SETS]            = {0},
};
// clang-format off
#define MESH_COLUMNS(X) \
    X(tets_m3,  "m^3", SOLVER, FREE, "", "", "", "volume of the tetrahedra") \
    X(lowest_m, "m",   SOLVER, FREE, "", "", "", "height of the lowest vertex")
// clang-format on
static const shoal_column_def   columns[] = {MESH_COLUMNS(SHOAL_COLUMN_ROW){0}};
static const shoal_material_use uses[]    = {{"density", SHOAL_LIQUID, NULL}, {0}};

const shoal_solver_type mesh_toy_type = {
    .name           = "mesh",
    .summary        = "a box of tetrahedra that falls and bounces: a toy",
    .material_kinds = 1u << SHOAL_LIQUID,
    .material_uses  = uses,
    .params         = mesh_params_table,
    .params_size    = sizeof(mesh_params),
    .sets           = sets,
    .columns        = columns,
    .matter         = &matter,
    .verdicts       = {[SHOAL_REFUSAL] = mesh_refuses},
    .create         = mesh_create,
    .destroy        = shoal_free,
    .begin          = mesh_begin,
    .set_params     = mesh_set_params,
    .plan           = mesh_plan,
    .step           = mesh_step,
    .report         = mesh_report,
};
