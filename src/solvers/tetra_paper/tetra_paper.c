// SPDX-License-Identifier: MIT
// The step and the solver type of liquids on tetrahedral meshes [Chentanez et al. 2007].
#include "solvers/tetra_paper/paper_local.h"

#include "fluid/stride.h"
#include "state/reach.h"

#include <math.h>

SHOAL_PARAMS_DEFINE(paper_params, PAPER_PARAMS)

// Times of a step by stage; the caller reports the rest of it.
static void count_time(paper* s) {
    static const int stages[SHOAL_TET_STAGES] = {[SHOAL_TET_STAGE_TRACK]    = SHOAL_STAGE_INTEGRATE,
                                                 [SHOAL_TET_STAGE_MESH]     = SHOAL_STAGE_GRID,
                                                 [SHOAL_TET_STAGE_ADVECT]   = SHOAL_STAGE_VELOCITY,
                                                 [SHOAL_TET_STAGE_PRESSURE] = SHOAL_STAGE_SOLVE};
    for (int k = 0; k < SHOAL_TET_STAGES; k++) {
        s->ctx->stage_seconds[stages[k]] += s->liquid.seconds[k];
        s->ctx->stage_began += s->liquid.seconds[k];
    }
}

static shoal_status paper_step(void* self, double dt) {
    paper*            s       = self;
    double            t       = s->ctx->time;
    shoal_tet_options options = {.tolerance = (double)s->params.tolerance,
                                 .thicken   = {.thin         = (double)s->params.thicken,
                                               .redistribute = (double)s->params.thicken_redistribute,
                                               .more_big     = (double)s->params.thicken_more,
                                               .more_small   = (double)s->params.thicken_more_thinnest}};
    paper_recall(s);
    s->liquid.meshes_thin = s->params.thicken > 0.0f;
    s->solids             = paper_solids(s, t + dt, dt);
    shoal_tet_drive drive = paper_drive(s, t, dt);
    double          gone  = paper_leaving(s);

    // the surface is carried, a mesh made within it, velocities come over, pressure acts
    SHOAL_TRY(shoal_tet_liquid_step(&s->liquid, dt, &s->solids, &drive, &options, &s->ctx->exec));

    SHOAL_TRY(paper_show(s, dt, s->ctx->is_last));
    paper_show_solids(s);
    paper_once once = paper_once_of(s);
    double     sent = paper_sent(s);
    *once.state     = s->liquid.current;
    *once.is_thick  = s->liquid.meshes_thin;
    *once.placed    = t + dt;
    *once.span      = dt;
    *once.emitted += sent;
    *once.drained += gone;
    *once.iterations      = s->liquid.faces.end.cycles;
    s->ctx->has_exchanged = sent != 0.0 || gone != 0.0;
    count_time(s);
    return SHOAL_OK;
}

// As many steps as keep all below cfl cells in each.
static shoal_status paper_plan(void* self, shoal_plan* plan) {
    paper*                   s        = self;
    const shoal_description* d        = s->ctx->description;
    double                   interval = plan->interval;
    if (s->params.substeps > 0) {
        plan->dt = interval / s->params.substeps;
        return SHOAL_OK;
    }
    paper_recall(s);
    double most = fmax(shoal_tet_fastest(&s->liquid, &s->ctx->exec), shoal_obstacle_speed_now(s->ctx));
    for (int e = 0; e < d->emitter_count; e++) most = fmax(most, (double)shoal_v3_length(d->emitters[e].velocity));
    most += shoal_acceleration_now(s->ctx) * interval;
    plan->dt = interval / fmax(1.0, ceil(most * interval / ((double)s->params.cfl * s->step) + 1e-6));
    return SHOAL_OK;
}

static shoal_status paper_begin(void* self) {
    paper* s = self;
    SHOAL_TRY(shoal_set_rebuild(s->ctx->sets[PAPER_ONCE], 1));
    SHOAL_TRY(shoal_set_rebuild(s->ctx->sets[PAPER_SOLIDS], s->world->collider_count));
    s->solids             = paper_solids(s, 0.0, 0.0);
    s->liquid.meshes_thin = s->params.thicken > 0.0f;
    paper_show_solids(s);
    SHOAL_TRY(paper_begin_bodies(s));
    *paper_once_of(s).state    = s->liquid.current;
    *paper_once_of(s).is_thick = s->liquid.meshes_thin;
    return paper_show(s, 0.0, true);
}

static void paper_set_params(void* self, const void* now) { ((paper*)self)->params = *(const paper_params*)now; }

static void paper_destroy(void* self) {
    paper* s = self;
    shoal_tet_liquid_free(&s->liquid);
    shoal_world_destroy(s->world);
    shoal_free(s->seeds);
    shoal_free(s);
}

static shoal_status make(paper* s) {
    const shoal_description* d = s->ctx->description;
    s->step                    = (double)s->params.cell * d->spacing;
    s->material = d->body_count > 0 ? d->bodies[0].material : d->emitter_count > 0 ? d->emitters[0].material : 0;
    SHOAL_TRY(shoal_world_create(d, &s->world));
    return paper_lay(s);
}

static shoal_status paper_create(shoal_sim_context* ctx, const void* params, void** self) {
    paper* s = shoal_alloc(1, sizeof *s);
    if (!s) return SHOAL_ERR_MEMORY;
    s->ctx              = ctx;
    ctx->is_by_mean     = true;
    s->params           = *(const paper_params*)params;
    shoal_status status = make(s);
    if (status != SHOAL_OK)
        paper_destroy(s);
    else
        *self = s;
    return status;
}

// Sparse blocks, two meshes with all that is made for them, a matrix and its hierarchy.
static double paper_extra_bytes(const shoal_description* description, double particles) {
    const double per_tet = 900.0, tets_per_cube = 12.0; // of the lattice of tetrahedra
    double       cell = (double)((const paper_params*)description->solver_params)->cell;
    return per_tet * (tets_per_cube * particles / (cell * cell * cell));
}

static double paper_unsolved(const void* self) { return ((const paper*)self)->liquid.faces.end.is_solved ? 0.0 : 1.0; }

// Substeps that are given are not held to cfl.
static bool paper_warns(const shoal_description* d, char* buffer, size_t size) {
    const paper_params* p        = d->solver_params;
    double              interval = 1.0 / d->fps, edge = (double)p->cell * d->spacing;
    double speed = shoal_liquid_speed(d, false), least = ceil(speed * interval / ((double)p->cfl * edge) - 1e-6);
    if (p->substeps > 0 && p->substeps < least)
        shoal_add_line(buffer, size,
                       "substeps: %d in a frame are %.3g s each: at %.3g m/s, which falling, velocities and forces of "
                       "the scene can give, liquid goes %.3g edges of a tetrahedron in one, where cfl is %.3g: it may "
                       "vanish, or be thrown; take %.0f or more, or auto",
                       p->substeps, interval / p->substeps, speed, speed * interval / (p->substeps * edge),
                       (double)p->cfl, least);
    return buffer[0] != '\0';
}

static const shoal_material_use uses[] = {{"density", SHOAL_LIQUID, NULL}, {0}};

static const char* const laid_by[] = {"cell", NULL};

const shoal_solver_type tetra_paper_type = {
    .name           = "tetra-paper",
    .summary        = "liquid in a mesh of tetrahedra with a tracked surface, as in Chentanez et al. 2007",
    .material_kinds = 1u << SHOAL_LIQUID,
    .material_uses  = uses,
    .params         = paper_params_table,
    .laid_by        = laid_by,
    .params_size    = sizeof(paper_params),
    .sets           = paper_sets,
    .columns        = paper_columns,
    .matter         = &paper_matter,
    .wall_least     = 3.0, // thinner ones leak
    .extra_bytes    = paper_extra_bytes,
    .verdicts       = {[SHOAL_REFUSAL] = paper_refuses, [SHOAL_WARNING] = paper_warns},
    .create         = paper_create,
    .destroy        = paper_destroy,
    .begin          = paper_begin,
    .set_params     = paper_set_params,
    .plan           = paper_plan,
    .step           = paper_step,
    .unsolved       = paper_unsolved,
    .report         = paper_report,
    .check          = paper_check,
};
