// SPDX-License-Identifier: MIT
// The step and the solver type of liquids as particles on tetrahedral meshes: meshes and pressure of [Chentanez et al.
// 2007], surface and velocity carried by FLIP particles, as in [Ando, Thuerey & Wojtan 2013].
#include "solvers/tetra/tetra_local.h"

#include <math.h>

SHOAL_PARAMS_DEFINE(tetra_params, TETRA_PARAMS)

// clang-format off
// name, unit, chart, kind, panel, line, label, meaning
#define TETRA_COLUMNS(X)                                                                                                                      \
    X(tets,       "",    SOLVER, ZERO, "tetrahedra",             "", "tetrahedra",             "of the mesh")                                     \
    X(iterations, "",    SOLVER, ZERO, "iterations per substep", "", "iterations per substep", "of the pressure solve, the most of a substep in this frame") \
    X(free_pct,   "%",   SOLVER, ZERO, "flying particles",       "", "flying particles",       "particles that no tetrahedron holds")            \
    X(volume_m3,  "m^3", VOLUME, ZERO, "volume",                 "mesh", "volume",             "of the tetrahedra")
// clang-format on
#define X(name, ...) TOTAL_##name,
enum { TETRA_COLUMNS(X) TOTAL_COUNT };
#undef X
_Static_assert((int)TOTAL_COUNT <= (int)SHOAL_TOTALS_MOST, "the totals have an entry for each column");
static const shoal_column_def columns[] = {TETRA_COLUMNS(SHOAL_COLUMN_ROW){0}};

static void add_totals(tetra* s) {
    double* totals           = s->ctx->totals;
    totals[TOTAL_tets]       = s->mesh.tet_count;
    totals[TOTAL_iterations] = fmax(totals[TOTAL_iterations], s->projection.end.iterations);
    totals[TOTAL_free_pct]   = 100.0 * s->free_count / fmax(1.0, s->ctx->particles->count);
    totals[TOTAL_volume_m3]  = shoal_tetmesh_volume(&s->mesh, &s->ctx->exec);
}

static void tetra_report(const void* self, double* values) {
    const tetra* s = self;
    for (int k = 0; k < TOTAL_COUNT; k++) values[k] = s->ctx->totals[k];
}

// The mesh as frames have it.
static shoal_status show_mesh(tetra* s, double kick) {
    const shoal_tetmesh* mesh     = &s->mesh;
    shoal_set *          vertices = s->ctx->sets[TETRA_VERTICES], *tets = s->ctx->sets[TETRA_TETS];
    double               scale = kick > 0.0 ? (double)tetra_liquid(s->ctx->description)->density / kick : 0.0;
    SHOAL_TRY(shoal_set_rebuild(vertices, s->params.mesh ? mesh->vertex_count : 0));
    SHOAL_TRY(shoal_set_rebuild(tets, s->params.mesh ? mesh->tet_count : 0));
    shoal_v3 *position = shoal_set_data(vertices, "position"), *velocity = shoal_set_data(vertices, "velocity");
    float *   pressure = shoal_set_data(vertices, "pressure"), *volume = shoal_set_data(tets, "volume");
    int32_t*  corners = shoal_set_data(tets, "corners");
    for (int v = 0; v < vertices->count; v++) {
        position[v] = shoal_v3_from(mesh->position[v]);
        velocity[v] = kick > 0.0 ? s->mean[v] : shoal_v3_make(0.0f, 0.0f, 0.0f);
        pressure[v] = kick > 0.0 ? (float)(scale * s->pressure[v]) : 0.0f;
    }
    for (int t = 0; t < tets->count; t++) {
        volume[t] = (float)s->volume[t];
        for (int k = 0; k < 4; k++) corners[4 * t + k] = mesh->tets[t][k];
    }
    return SHOAL_OK;
}

// ---------------------------------------------------------------------------------- the step

static void begin_substep(tetra* s, double dt) {
    shoal_arena_back(&s->arena, 0);
    s->end = shoal_world_ago(s->ctx->world, 0.0, s->after);
    for (int c = 0; c < s->end.collider_count; c++) s->after[c].is_thin = s->is_thin[c];
    s->begin = shoal_world_ago(&s->end, dt, s->before);
    s->speed = shoal_set_fastest(s->ctx->particles, &s->ctx->exec);
}

static shoal_status tetra_step(void* self, double dt) {
    tetra*             s    = self;
    shoal_sim_context* ctx  = s->ctx;
    double             kick = 0.5 * (*s->dt_before + dt); // from the middle of the last substep: leapfrog
    if (ctx->particles->count == 0) return SHOAL_OK;
    begin_substep(s, dt);

    // the surface, from the particles
    SHOAL_TRY(tetra_sort(s));
    SHOAL_TRY(tetra_part_pairs(s));
    SHOAL_TRY(tetra_find_level(s));
    shoal_stage(ctx, SHOAL_STAGE_NEIGHBOURS);

    // tetrahedra within it, and their velocities
    SHOAL_TRY(tetra_make_mesh(s));
    shoal_stage(ctx, SHOAL_STAGE_GRID);
    SHOAL_TRY(tetra_gather_velocities(s));
    shoal_stage(ctx, SHOAL_STAGE_VELOCITY);

    // gravity, pressure and density
    SHOAL_TRY(tetra_project(s, dt, kick));
    shoal_stage(ctx, SHOAL_STAGE_SOLVE);

    // back to the particles, which go on
    SHOAL_TRY(tetra_find_means(s, kick));
    SHOAL_TRY(tetra_move(s, dt, kick));
    *s->dt_before = dt;
    if (ctx->is_last) SHOAL_TRY(show_mesh(s, kick));
    add_totals(s);
    shoal_stage(ctx, SHOAL_STAGE_INTEGRATE);
    return SHOAL_OK;
}

// Out of solids, and the density of the initial state.
static shoal_status tetra_begin(void* self) {
    tetra* s = self;
    if (s->ctx->particles->count == 0) return SHOAL_OK;
    begin_substep(s, 0.0);
    tetra_push_out(s, &s->begin, NULL);
    SHOAL_TRY(tetra_sort(s));
    SHOAL_TRY(tetra_find_level(s));
    SHOAL_TRY(tetra_make_mesh(s));
    const shoal_v3* position = shoal_set_read(s->ctx->particles, "position");
    float*          density  = shoal_set_data(s->ctx->particles, "density");
    tetra_finder    finder   = {.block = -1};
    double          rest     = (double)tetra_liquid(s->ctx->description)->density;
    for (int i = 0; i < s->ctx->particles->count; i++)
        density[i] = (float)(rest * tetra_sample(s, s->even, shoal_d3_from(position[i]), 0.0, &finder));
    add_totals(s);
    return show_mesh(s, 0.0);
}

// Cut short, or the matrix has a negative eigenvalue.
static double tetra_unsolved(const void* self) {
    const tetra* s = self;
    return s->projection.matrix.rows == 0 || s->projection.end.is_solved ? 0.0 : 1.0;
}

// ---------------------------------------------------------------------------------- the type

static double tetra_support(const void* params, double spacing) {
    (void)params;
    return 2.0 * spacing;
}

static void tetra_set_params(void* self, const void* now) { ((tetra*)self)->params = *(const tetra_params*)now; }

static void tetra_destroy(void* self) {
    tetra* s = self;
    if (!s) return;
    shoal_tet_projection_free(&s->projection);
    shoal_stuffing_free(&s->work);
    s->mesh.arena      = NULL;
    s->mesh.neighbours = NULL;
    shoal_tetmesh_free(&s->mesh);
    shoal_arena_free(&s->arena);
    shoal_free(s->before);
    shoal_free(s->after);
    shoal_free(s->is_thin);
    shoal_free(s);
}

static shoal_status tetra_create(shoal_sim_context* ctx, const void* params, void** self) {
    tetra* s = shoal_alloc(1, sizeof *s);
    if (!s) return SHOAL_ERR_MEMORY;
    s->ctx        = ctx;
    s->params     = *(const tetra_params*)params;
    s->edge       = (double)s->params.cell * ctx->description->spacing;
    s->node       = 0.5 * s->edge;
    s->before     = shoal_alloc((size_t)ctx->world->collider_count + 1, sizeof *s->before);
    s->after      = shoal_alloc((size_t)ctx->world->collider_count + 1, sizeof *s->after);
    s->is_thin    = shoal_alloc((size_t)ctx->world->collider_count + 1, sizeof *s->is_thin);
    s->work.arena = s->mesh.arena = s->projection.arena = &s->arena;
    if (!s->before || !s->after || !s->is_thin || shoal_set_rebuild(ctx->sets[TETRA_ONCE], 1) != SHOAL_OK) {
        tetra_destroy(s);
        return SHOAL_ERR_MEMORY;
    }
    for (int c = 0; c < ctx->world->collider_count; c++)
        s->is_thin[c] = isfinite(shoal_collider_thinnest(ctx->world, c, 2.0 * s->edge, NULL));
    s->dt_before = shoal_set_data(ctx->sets[TETRA_ONCE], "dt_before");
    ctx->kick    = SHOAL_KICK_MIDDLE;
    *self        = s;
    return SHOAL_OK;
}

static shoal_status tetra_check(void* self) {
    const tetra* s = self;
    if (!(*s->dt_before >= 0.0 && *s->dt_before < 1e9))
        return shoal_fail(SHOAL_ERR_INPUT, "the last substep of the saved state is no time");
    return SHOAL_OK;
}

static const shoal_field_def fields[]        = {TETRA_FIELDS(SHOAL_FIELD_ROW){0}};
static const shoal_field_def vertex_fields[] = {TETRA_VERTEX_FIELDS(SHOAL_FIELD_ROW){0}};
static const shoal_field_def tet_fields[]    = {TETRA_TET_FIELDS(SHOAL_FIELD_ROW){0}};
static const shoal_field_def once_fields[]   = {
      SHOAL_FIELD("dt_before", D1, 1, STATE, "s", "length of the last substep; 0: there was none"), {0}};
static const shoal_set_def sets[] = {
    [TETRA_PARTICLES] = {"particles", SHOAL_SORTED, fields, 0, NULL},
    [TETRA_VERTICES]  = {"vertices", SHOAL_REBUILT, vertex_fields, 0, NULL},
    [TETRA_TETS]      = {"tets", SHOAL_REBUILT, tet_fields, 0, NULL},
    [TETRA_ONCE]      = {"once", SHOAL_FIXED, once_fields, 0, NULL},
    [TETRA_SETS]      = {0},
};

const shoal_solver_type tetra_type = {
    .name    = "tetra",
    .summary = "FLIP particles on tetrahedral meshes that fit the liquid and its solids (Chentanez et al. 2007, Ando "
               "et al. 2013)",
    .material_kinds = 1u << SHOAL_LIQUID,
    .material_uses  = tetra_material_uses,
    .params         = tetra_params_table,
    .params_size    = sizeof(tetra_params),
    .sets           = sets,
    .columns        = columns,
    .bodies         = SHOAL_BODIES_SCATTERED,
    .wall_least     = 2.0, // an edge: what is thinner may lie between the vertices of the lattice
    .support        = tetra_support,
    .extra_bytes    = tetra_extra_bytes,
    .holds          = tetra_holds,
    .verdicts       = {[SHOAL_REFUSAL] = tetra_refuses, [SHOAL_WARNING] = tetra_warns},
    .create         = tetra_create,
    .destroy        = tetra_destroy,
    .begin          = tetra_begin,
    .set_params     = tetra_set_params,
    .plan           = tetra_plan,
    .step           = tetra_step,
    .unsolved       = tetra_unsolved,
    .report         = tetra_report,
    .check          = tetra_check,
};
