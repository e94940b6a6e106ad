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
    paper*            s    = self;
    paper_once        once = paper_once_of(s);
    double            t    = s->ctx->time;
    shoal_tet_drive   drive;
    shoal_tet_options options = {.sharpness           = (double)s->params.sharpness,
                                 .core                = (double)s->params.core,
                                 .is_sharp            = s->params.advection == PAPER_ADVECTION_SHARP,
                                 .tolerance           = (double)s->params.tolerance,
                                 .is_redistanced      = s->params.tracking == PAPER_TRACKING_PAPER,
                                 .has_face_velocities = s->params.pressure == PAPER_PRESSURE_PAPER,
                                 .keeps_volume        = s->params.keep_volume,
                                 .thicken             = {.thin         = (double)s->params.thicken,
                                                         .redistribute = (double)s->params.thicken_redistribute,
                                                         .more_big     = (double)s->params.thicken_more,
                                                         .more_small   = (double)s->params.thicken_more_thinnest}};
    SHOAL_TRY(s->chosen);
    paper_recall(s);
    s->shown.is_surface_new = true; // a step makes it, and its memory is lent
    s->solids               = paper_solids(s, t + dt, dt);
    SHOAL_TRY(paper_drive(s, t, dt, &drive));
    drive.before = paper_solids_before(s, t, dt);

    // the surface is carried, a mesh made within it, velocities come over, pressure acts
    SHOAL_TRY(shoal_tet_liquid_step(&s->liquid, dt, &s->solids, &drive, &options, &s->ctx->exec));

    SHOAL_TRY(paper_show(s, dt, dt >= s->left * (1.0 - 1e-9)));
    paper_show_solids(s);
    paper_close_taps(s);
    paper_report_pressed(s, dt);
    *once.state  = s->liquid.current;
    *once.placed = t + dt;
    *once.span   = dt;
    SHOAL_TRY(paper_show_balances(s));
    *once.emitted += s->liquid.emitted;
    *once.drained += s->liquid.drained;
    *once.corrected += s->liquid.corrected;
    s->ctx->has_exchanged = s->liquid.emitted != 0.0 || s->liquid.drained != 0.0;
    *once.volume_most     = fmax(*once.volume_most, shoal_tet_current(&s->liquid)->surface_volume);
    *once.iterations      = s->liquid.projection.end.iterations;
    paper_report_corrected(s, false);
    paper_report_missing(s, false);
    paper_report_given(s, false);
    paper_count_lost(s);
    count_time(s);
    return SHOAL_OK;
}

// Liquid that meets a solid goes into it in the step in which it does, and is lost until it is given back elsewhere: no
// more than this fraction of the volume of a part, or as many more steps are taken as that needs, up to so many times
// as many. (A ball of 12 spacings that fell on a floor lost 12 % of its volume, and was 15 % too large afterwards.)
#define IMPACT_MOST 0.005
#define IMPACT_STEPS 4.0
static shoal_status find_steps(paper* s, double interval, double* count) {
    double least = *count, upper = IMPACT_STEPS * *count, most;
    SHOAL_TRY(shoal_tet_liquid_surface(&s->liquid, &s->solids, &s->ctx->exec));
    SHOAL_TRY(shoal_tet_liquid_flow(&s->liquid, (double)s->params.sharpness, &s->ctx->exec));
    paper_recall(s); // balances of parts, where the surface was made anew
    const shoal_tet_solids* before = paper_solids_before(s, s->ctx->time, interval / *count);
    if (!before) before = &s->solids;
    for (double steps = *count; least < upper; steps = floor(0.5 * (least + upper))) { // the fewest; often as many
        SHOAL_TRY(shoal_tet_into_solids(&s->liquid, before, interval / steps, &s->ctx->exec, &most));
        if (most <= IMPACT_MOST)
            upper = steps;
        else
            least = steps + 1.0;
    }
    *count = upper;
    return SHOAL_OK;
}

static void paper_over(void* self) {
    paper_report_corrected(self, true);
    paper_report_missing(self, true);
    paper_report_given(self, true);
    paper_report_lost(self);
}

// Where a front meets an obstacle, jets a tetrahedron thick are twice as fast as all else, for a frame or two. So many
// of all tetrahedra may go farther than cfl cells in a step: so many times that, and no farther than so many cells,
// which is the largest cfl in use. (Twice as far with cfl: 3, which was tried, a dam break over a ball lost 4 % of its
// energy and 1 % of its volume.)
#define FEW 0.001
#define FEW_REACH 1.5
#define FEW_MOST 3.0
static double steps_of(const paper* s, double speed, double interval) {
    return fmax(1.0, fmin(ceil(speed * interval / ((double)s->params.cfl * s->step) + 1e-6), 100000.0));
}
// The fewest steps that do, between these two; more: what speeds grow by in the interval.
static double steps_of_most(const paper* s, double least, double most, double more, double interval) {
    int few = (int)(FEW * shoal_tet_current(&s->liquid)->mesh.tet_count);
    while (least < most) {
        double middle = floor(0.5 * (least + most)), speed = middle * (double)s->params.cfl * s->step / interval - more;
        if (shoal_tet_faster(&s->liquid, fmax(speed, 0.0), &s->ctx->exec) <= few)
            most = middle;
        else
            least = middle + 1.0;
    }
    return most;
}

// As many steps as keep all but a few below cfl cells in each.
static double paper_next_dt(void* self, double interval, double left) {
    paper*                   s    = self;
    const shoal_description* d    = s->ctx->description;
    double                   most = 0.0;
    s->left                       = left;
    s->chosen                     = SHOAL_OK;
    if (s->params.substeps > 0) return interval / s->params.substeps;
    paper_recall(s);
    double fastest = shoal_tet_fastest(&s->liquid, &s->ctx->exec), more = shoal_acceleration_now(s->ctx) * interval;
    most = shoal_obstacle_speed_now(s->ctx);
    for (int e = 0; e < d->emitter_count; e++)
        most = fmax(most, paper_tap_speed(s, e, s->ctx->time, s->ctx->time + left));
    double reach = fmax(1.0, fmin(FEW_REACH, FEW_MOST / (double)s->params.cfl));
    double count = steps_of_most(s, steps_of(s, fmax(most + more, (fastest + more) / reach), interval),
                                 steps_of(s, fmax(most, fastest) + more, interval), more, interval);
    s->chosen    = find_steps(s, interval, &count);
    return interval / count;
}

// Bodies are taken together, when the first mesh is made.
static shoal_status paper_fill(void* self, const shoal_body* body) {
    (void)self, (void)body;
    return SHOAL_OK;
}
// What comes and goes does so with the surface, in the step.
static shoal_status paper_emit(void* self, double t, double dt, int64_t* emitted) {
    (void)self, (void)t, (void)dt, (void)emitted;
    return SHOAL_OK;
}
static shoal_status paper_drain(void* self, int64_t removed[SHOAL_REASON_COUNT]) {
    (void)self, (void)removed;
    return SHOAL_OK;
}

static shoal_status paper_begin(void* self) {
    paper* s = self;
    SHOAL_TRY(shoal_set_rebuild(s->ctx->sets[PAPER_ONCE], 1));
    SHOAL_TRY(shoal_set_rebuild(s->ctx->sets[PAPER_EMITTERS], s->ctx->description->emitter_count));
    SHOAL_TRY(shoal_set_rebuild(s->ctx->sets[PAPER_SOLIDS], s->world->collider_count));
    s->solids = paper_solids(s, 0.0, 0.0);
    paper_show_solids(s);
    SHOAL_TRY(paper_begin_bodies(s, &s->solids));
    SHOAL_TRY(paper_show_balances(s));
    *paper_once_of(s).volume_most = *paper_once_of(s).volume_first = shoal_tet_current(&s->liquid)->surface_volume;
    return paper_show(s, 0.0, true);
}

static void paper_set_params(void* self, const void* now) { ((paper*)self)->params = *(const paper_params*)now; }

static void paper_destroy(void* self) {
    paper* s = self;
    shoal_tet_liquid_free(&s->liquid);
    shoal_free(s->shown.point_velocity);
    shoal_free(s->shown.material);
    shoal_world_destroy(s->world);
    shoal_free(s->colliders_before);
    shoal_free(s->boxes);
    shoal_free(s->seeds);
    shoal_free(s->sink_octants.keys);
    for (int k = 0; k < s->ctx->description->emitter_count && s->openings; k++) shoal_free(s->openings[k].rays);
    shoal_free(s->openings);
    shoal_free(s->nozzles);
    shoal_free(s->taps);
    shoal_free(s->is_shut_reported);
    shoal_free(s->is_given_reported);
    shoal_free(s->drops);
    shoal_free(s);
}

static shoal_status make(paper* s) {
    const shoal_description* d = s->ctx->description;
    s->step                    = (double)s->params.cell * d->spacing;
    s->material = d->body_count > 0 ? d->bodies[0].material : d->emitter_count > 0 ? d->emitters[0].material : 0;
    s->liquid.meshes_thin     = s->params.thicken_mesh;
    s->liquid.shown_by_tet    = sizeof *s->shown.middle + sizeof *s->shown.volume;
    s->liquid.shown_by_vertex = sizeof *s->shown.position;
    double weight             = shoal_d3_length(d->gravity);
    if (weight > 0.0) s->liquid.down = shoal_d3_scale(d->gravity, 1.0 / weight);
    SHOAL_TRY(shoal_world_create(d, &s->world));
    s->colliders_before = shoal_alloc((size_t)s->world->collider_count, sizeof *s->colliders_before);
    if (s->world->collider_count > 0 && !s->colliders_before) return SHOAL_ERR_MEMORY;
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
    const double per_tet = 360.0, tets_per_cube = 12.0; // of the lattice of tetrahedra
    double       cell = (double)((const paper_params*)description->solver_params)->cell;
    return per_tet * (tets_per_cube * particles / (cell * cell * cell));
}

static double paper_disc_depth(const void* params) {
    return PAPER_BEHIND_WALL * (double)((const paper_params*)params)->cell;
}

static double paper_unsolved(const void* self) {
    return ((const paper*)self)->liquid.projection.end.is_solved ? 0.0 : 1.0;
}

// Substeps that are given are not held to cfl. A dam of 15 spacings in 10 of them a second, which are 4 cells and more
// where it has fallen, loses 94 % of its water in two seconds.
static void warn_substeps(const shoal_description* d, char* buffer, size_t size) {
    const paper_params* p        = d->solver_params;
    double              interval = 1.0 / d->fps, edge = (double)p->cell * d->spacing;
    double speed = shoal_liquid_speed(d, false), least = ceil(speed * interval / ((double)p->cfl * edge) - 1e-6);
    if (p->substeps == 0 || p->substeps >= least) return;
    shoal_add_line(buffer, size,
                   "substeps: %d in a frame are %.3g s each: at %.3g m/s, which falling, velocities and forces of the "
                   "scene can give, liquid goes %.3g edges of a tetrahedron in one, where cfl is %.3g: it may vanish, "
                   "or be thrown; take %.0f or more, or auto",
                   p->substeps, interval / p->substeps, speed, speed * interval / (p->substeps * edge), (double)p->cfl,
                   least);
}

// Fewer edges of tetrahedra than so across a body, or between two walls, have no liquid that moves freely: between
// walls 1.5 edges apart a column falls a fifth too slowly, a pool of one edge has half of the momentum of a collapse,
// and a ball of 2.5 edges 0.9 of its volume.
#define EDGES_LEAST 2.0
static bool is_narrow(const shoal_description* d, int axis, double least) {
    return d->domain.is_given && d->domain.walls[2 * axis].kind != SHOAL_WALL_OPEN &&
           d->domain.walls[2 * axis + 1].kind != SHOAL_WALL_OPEN &&
           shoal_d3_axis(d->domain.max, axis) - shoal_d3_axis(d->domain.min, axis) < least;
}
static void warn_thin(const shoal_description* d, char* buffer, size_t size) {
    double    cell = (double)((const paper_params*)d->solver_params)->cell, edge = cell * d->spacing;
    double    least = 0.99 * EDGES_LEAST * edge, thinnest = least;
    shoal_box inside = shoal_domain_extent(&d->domain);
    int       body = -1, along = 0;
    for (int axis = 0; axis < 3; axis++) {
        double gap = shoal_d3_axis(d->domain.max, axis) - shoal_d3_axis(d->domain.min, axis);
        if (is_narrow(d, axis, least))
            shoal_add_line(
                buffer, size,
                "domain: its walls are %.3g m apart along %c, %.2g edges of a tetrahedron (%g spacings, %.3g "
                "m): between fewer than %g the liquid falls too slowly; make the edge %.3g m or less, by a "
                "smaller spacing or tetra-paper.cell",
                gap, 'x' + axis, gap / edge, cell, edge, EDGES_LEAST, gap / EDGES_LEAST);
        for (int b = 0; b < d->body_count && !is_narrow(d, axis, least); b++) {
            shoal_box box     = shoal_box_common(shoal_shape_bounds(d->bodies[b].shape), inside);
            double    thin    = shoal_d3_axis(box.max, axis) - shoal_d3_axis(box.min, axis);
            shoal_d3  extents = shoal_d3_sub(box.max, box.min);
            bool      is_dot = fmax(extents.x, fmax(extents.y, extents.z)) < d->spacing; // it has no liquid, as is said
            if (!shoal_box_is_empty(box) && !is_dot && thin < thinnest) thinnest = thin, body = b, along = axis;
        }
    }
    if (body >= 0)
        shoal_add_line(
            buffer, size,
            "bodies.%d: is %.3g m along %c, %.2g edges of a tetrahedron (%g spacings, %.3g m): of fewer than "
            "%g it has too little volume, or moves too slowly; make the edge %.3g m or less, by a smaller "
            "spacing or tetra-paper.cell",
            body, thinnest, 'x' + along, thinnest / edge, cell, edge, EDGES_LEAST, thinnest / EDGES_LEAST);
}

static bool paper_warns(const shoal_description* d, char* buffer, size_t size) {
    warn_substeps(d, buffer, size);
    warn_thin(d, buffer, size);
    return buffer[0] != '\0';
}

static const shoal_material_use uses[] = {{"density", SHOAL_LIQUID, NULL}, {0}};

static const char* const laid_by[] = {"cell", "thicken_mesh", NULL};

const shoal_solver_type tetra_paper_type = {
    .name           = "tetra-paper",
    .summary        = "liquid in a mesh of tetrahedra with a tracked surface, after Chentanez et al. 2007",
    .material_kinds = 1u << SHOAL_LIQUID,
    .material_uses  = uses,
    .params         = paper_params_table,
    .laid_by        = laid_by,
    .params_size    = sizeof(paper_params),
    .sets           = paper_sets,
    .columns        = paper_columns,
    .measures       = &paper_measures,
    .wall_least     = 3.0, // thinner ones leak
    .disc_depth     = paper_disc_depth,
    .extra_bytes    = paper_extra_bytes,
    .is_mesh        = true,
    .verdicts       = {[SHOAL_REFUSAL] = paper_refuses, [SHOAL_WARNING] = paper_warns},
    .create         = paper_create,
    .destroy        = paper_destroy,
    .fill           = paper_fill,
    .emit           = paper_emit,
    .drain          = paper_drain,
    .begin          = paper_begin,
    .set_params     = paper_set_params,
    .next_dt        = paper_next_dt,
    .step           = paper_step,
    .over           = paper_over,
    .undone         = paper_undone,
    .unsolved       = paper_unsolved,
    .report         = paper_report,
    .check          = paper_check,
};
