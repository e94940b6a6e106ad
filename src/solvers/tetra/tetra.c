// SPDX-License-Identifier: MIT
// The step and the solver type of liquids on tetrahedral meshes [Chentanez et al. 2007].
#include "solvers/tetra/tetra_local.h"

#include "state/reach.h"

#include <math.h>

SHOAL_PARAMS_DEFINE(tetra_params, TETRA_PARAMS)

// Times of a step by stage; the caller reports the rest of it.
static void count_time(tetra* s) {
    static const int stages[SHOAL_TET_PARTS] = {[SHOAL_TET_TRACK]    = SHOAL_STAGE_INTEGRATE,
                                                [SHOAL_TET_MESH]     = SHOAL_STAGE_GRID,
                                                [SHOAL_TET_ADVECT]   = SHOAL_STAGE_VELOCITY,
                                                [SHOAL_TET_PRESSURE] = SHOAL_STAGE_SOLVE};
    for (int k = 0; k < SHOAL_TET_PARTS; k++) {
        s->ctx->stage_seconds[stages[k]] += s->liquid.seconds[k];
        s->ctx->stage_began += s->liquid.seconds[k];
    }
}

static shoal_status tetra_step(void* self, double dt) {
    tetra*            s    = self;
    tetra_once        once = tetra_once_of(s);
    double            t    = s->ctx->time;
    shoal_tet_drive   drive;
    shoal_tet_options options = {.sharpness           = (double)s->params.sharpness,
                                 .core                = (double)s->params.core,
                                 .is_sharp            = s->params.advection == TETRA_ADVECTION_SHARP,
                                 .tolerance           = (double)s->params.tolerance,
                                 .is_redistanced      = s->params.tracking == TETRA_TRACKING_PAPER,
                                 .has_face_velocities = s->params.pressure == TETRA_PRESSURE_PAPER,
                                 .keeps_volume        = s->params.keep_volume,
                                 .thicken             = {.thin         = (double)s->params.thicken,
                                                         .redistribute = (double)s->params.thicken_redistribute,
                                                         .more_big     = (double)s->params.thicken_more,
                                                         .more_small   = (double)s->params.thicken_more_thinnest}};
    tetra_recall(s);
    s->shown.is_surface_new = true; // a step makes it, and its memory is lent
    s->solids               = tetra_solids(s, t + dt, dt);
    SHOAL_TRY(tetra_drive(s, t, dt, &drive));

    // the surface is carried, a mesh made within it, velocities come over, pressure acts
    SHOAL_TRY(shoal_tet_liquid_step(&s->liquid, dt, &s->solids, &drive, &options, &s->ctx->exec));

    SHOAL_TRY(tetra_show(s, dt, dt >= s->left * (1.0 - 1e-9)));
    tetra_show_solids(s);
    tetra_close_taps(s);
    *once.state           = s->liquid.current;
    *once.placed          = t + dt;
    *once.span            = dt;
    *once.target_volume   = s->liquid.target_volume;
    *once.drift           = s->liquid.drift;
    *once.volume_gain     = s->liquid.volume_gain;
    *once.last_correction = s->liquid.last_correction;
    *once.last_change     = s->liquid.last_change;
    *once.emitted += s->liquid.emitted;
    *once.drained += s->liquid.drained;
    *once.iterations = s->liquid.projection.end.iterations;
    count_time(s);
    return SHOAL_OK;
}

// As many steps as keep all below cfl cells in each.
static double tetra_next_dt(void* self, double interval, double left) {
    tetra*                   s    = self;
    const shoal_description* d    = s->ctx->description;
    double                   most = 0.0;
    s->left                       = left;
    if (s->params.substeps > 0) return interval / s->params.substeps;
    tetra_recall(s);
    most = fmax(shoal_tet_fastest(&s->liquid, &s->ctx->exec), shoal_obstacle_speed_now(s->ctx));
    for (int e = 0; e < d->emitter_count; e++)
        most = fmax(most, tetra_tap_speed(s, e, s->ctx->time, s->ctx->time + left));
    most += shoal_acceleration_now(s->ctx) * interval;
    return interval / fmin(ceil(most * interval / ((double)s->params.cfl * s->step) + 1e-6), 100000.0);
}

// Bodies are taken together, when the first mesh is made.
static shoal_status tetra_fill(void* self, const shoal_body* body) {
    (void)self, (void)body;
    return SHOAL_OK;
}
// What comes and goes does so with the surface, in the step.
static shoal_status tetra_emit(void* self, double t, double dt, int64_t* emitted) {
    (void)self, (void)t, (void)dt, (void)emitted;
    return SHOAL_OK;
}
static shoal_status tetra_drain(void* self, int64_t removed[SHOAL_REASON_COUNT]) {
    (void)self, (void)removed;
    return SHOAL_OK;
}

static shoal_status tetra_begin(void* self) {
    tetra* s = self;
    SHOAL_TRY(shoal_set_rebuild(s->ctx->sets[TETRA_ONCE], 1));
    SHOAL_TRY(shoal_set_rebuild(s->ctx->sets[TETRA_EMITTERS], s->ctx->description->emitter_count));
    SHOAL_TRY(shoal_set_rebuild(s->ctx->sets[TETRA_SOLIDS], s->world->collider_count));
    s->solids = tetra_solids(s, 0.0, 0.0);
    tetra_show_solids(s);
    SHOAL_TRY(tetra_begin_bodies(s, &s->solids));
    *tetra_once_of(s).target_volume = s->liquid.target_volume;
    *tetra_once_of(s).volume_gain   = s->liquid.volume_gain;
    return tetra_show(s, 0.0, true);
}

static void tetra_set_params(void* self, const void* now) { ((tetra*)self)->params = *(const tetra_params*)now; }

static void tetra_destroy(void* self) {
    tetra* s = self;
    shoal_tet_liquid_free(&s->liquid);
    shoal_free(s->shown.point_velocity);
    shoal_free(s->shown.material);
    shoal_world_destroy(s->world);
    shoal_free(s->boxes);
    shoal_free(s->seeds);
    shoal_free(s->sink_seeds);
    shoal_free(s->nozzles);
    shoal_free(s->taps);
    shoal_free(s->is_shut_reported);
    shoal_free(s->given);
    shoal_free(s->drops);
    shoal_free(s);
}

static shoal_status make(tetra* s) {
    const shoal_description* d = s->ctx->description;
    s->step                    = (double)s->params.cell * d->spacing;
    s->material = d->body_count > 0 ? d->bodies[0].material : d->emitter_count > 0 ? d->emitters[0].material : 0;
    s->liquid.meshes_thin = s->params.thicken_mesh;
    double weight         = shoal_d3_length(d->gravity);
    if (weight > 0.0) s->liquid.down = shoal_d3_scale(d->gravity, 1.0 / weight);
    SHOAL_TRY(shoal_world_create(d, &s->world));
    return tetra_lay(s);
}

static shoal_status tetra_create(shoal_sim_context* ctx, const void* params, void** self) {
    tetra* s = shoal_alloc(1, sizeof *s);
    if (!s) return SHOAL_ERR_MEMORY;
    s->ctx              = ctx;
    s->params           = *(const tetra_params*)params;
    shoal_status status = make(s);
    if (status != SHOAL_OK)
        tetra_destroy(s);
    else
        *self = s;
    return status;
}

// Sparse blocks, two meshes with all that is made for them, a matrix and its hierarchy.
static double tetra_extra_bytes(const shoal_description* description, double particles) {
    const double per_tet = 360.0, tets_per_cube = 12.0; // of the lattice of tetrahedra
    double       cell = (double)((const tetra_params*)description->solver_params)->cell;
    return per_tet * (tets_per_cube * particles / (cell * cell * cell));
}

static double tetra_unsolved(const void* self) {
    return ((const tetra*)self)->liquid.projection.end.is_solved ? 0.0 : 1.0;
}

static const shoal_material_use uses[] = {{"density", SHOAL_LIQUID, NULL}, {0}};

static const char* const laid_by[] = {"cell", "thicken_mesh", NULL};

const shoal_solver_type tetra_type = {
    .name           = "tetra",
    .summary        = "liquid in a mesh of tetrahedra with a tracked surface, after Chentanez et al. 2007",
    .material_kinds = 1u << SHOAL_LIQUID,
    .material_uses  = uses,
    .params         = tetra_params_table,
    .laid_by        = laid_by,
    .params_size    = sizeof(tetra_params),
    .sets           = tetra_sets,
    .columns        = tetra_columns,
    .measures       = &tetra_measures,
    .wall_least     = 3.0, // thinner ones leak
    .extra_bytes    = tetra_extra_bytes,
    .is_mesh        = true,
    .verdicts       = {[SHOAL_REFUSAL] = tetra_refuses},
    .create         = tetra_create,
    .destroy        = tetra_destroy,
    .fill           = tetra_fill,
    .emit           = tetra_emit,
    .drain          = tetra_drain,
    .begin          = tetra_begin,
    .set_params     = tetra_set_params,
    .next_dt        = tetra_next_dt,
    .step           = tetra_step,
    .undone         = tetra_undone,
    .unsolved       = tetra_unsolved,
    .report         = tetra_report,
    .check          = tetra_check,
};
