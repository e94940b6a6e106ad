// SPDX-License-Identifier: MIT
// Position Based Fluids: the step reads like Algorithm 1 of the paper; the physics of one particle is in pbf_pass.h.
#include "solvers/pbf/pbf.h"

#include <stdio.h>
#include <string.h>

#include "fluid/lattice.h"
#include "fluid/stride.h"
#include "solvers/pbf/pbf_local.h"
#include "state/set_pass.h"

SHOAL_PARAMS_DEFINE(pbf_params, PBF_PARAMS)

enum { SWEEPS_MOST = 60 };

typedef struct pbf {
    shoal_sim_context*     ctx;
    shoal_solids           solids;
    shoal_overturn_scratch films;
    pbf_params             params;
    shoal_lattice          lattice;
    float                  d, h;
    pbf_liquid*            liquids;   // [materials]
    int                    first;     // of them that is used: others are measured by it
    bool                   is_uneven; // they differ in density
    float                  surface_tension;
    float                  cohesion;  // see pbf_view
    double                 stride;    // s, see fluid/stride.h
    double                 spread;    // scale of (h - r) in the viscosity, 1/m^3
    float                  hold;      // that of the closed form of solids that stick
    shoal_thickness*       thickness; // [materials]
    shoal_thick            thick;
    bool                   sticks;     // some of the solids
    bool                   is_viscous; // all liquids, more than XSPH would make them
    bool                   is_thick;   // viscosity is solved for in this substep
    double                 calm;       // s in which an error that was there before is made good
    pbf_view               view;
    shoal_world_far        far_world; // copies of what passes ask, where they run
    shoal_far              far_liquids, far_thickness, far_layers;
    shoal_cells            cells;
    shoal_halo             halo;
    shoal_near             near;
    shoal_near             near_here; // a copy of lists that lie on a device
    pbf_colours            colours;
    int                    sweeps; // of the last substep
    double                 cut;    // fraction of the particles whose corrections it has cut
    double                 sums[PBF_SUM_COUNT];
} pbf;

// ---------------------------------------------------------------------------------- constants

// cohesion spline with strength 1 gives the surface tension pi rho0^2/8 int C r^4 dr; the inverse of that
static double cohesion_per_tension(double rest_density, double h) {
    double integral = 0.0;
    for (int k = 0; k < 1000; k++) {
        double r = (k + 0.5) / 1000.0 * h;
        integral += shoal_cohesion_spline(r, h) * r * r * r * r * h / 1000.0;
    }
    return 8.0 / (SHOAL_PI * rest_density * rest_density * integral);
}

// The scale of the cohesion spline; 0 without tension.
static float cohesion_of(const pbf* s) {
    double rho = (double)s->liquids[0].density, h = (double)s->h, d = (double)s->d;
    return (float)((double)s->surface_tension * cohesion_per_tension(rho, h) * rho * d * d * d * 32.0 /
                   (SHOAL_PI * pow(h, 9.0)));
}

// The fields, where `exec` runs passes.
static void bind_fields(pbf* s, const shoal_exec* exec, pbf_view* v) {
    shoal_set* set = s->ctx->particles;
    SHOAL_PARTICLE_FIELDS(SHOAL_FIELD_BIND_TO)
    PBF_FIELDS(SHOAL_FIELD_BIND_TO)
}

// Everything a pass needs that does not change during the substep.
static void set_view(pbf* s, double dt) {
    const pbf_params* p      = &s->params;
    const shoal_set*  set    = s->ctx->particles;
    pbf_view*         v      = &s->view;
    shoal_device*     device = s->ctx->exec.device;
    double            h = (double)s->h, d = (double)s->d, sum = s->lattice.gradient_sum;
    double            lambda_ref = 1.0 / (sum * (1.0 + (double)p->cfm));
    double            rho        = (double)s->liquids[0].density;

    v->count              = set->count;
    v->solids             = s->solids;
    v->solids.world       = shoal_world_on(s->solids.world, device, &s->far_world);
    v->near               = s->near;
    v->params             = *p;
    v->dt                 = (float)dt;
    v->d                  = s->d;
    v->h                  = s->h;
    v->h2                 = s->h * s->h;
    v->gravity            = shoal_v3_from(s->ctx->description->gravity);
    bool is_poly6         = p->density_kernel == PBF_DENSITY_KERNEL_POLY6;
    v->weight             = (float)(s->lattice.volume * (is_poly6 ? shoal_poly6_scale(h) : shoal_spiky_scale(h)));
    v->self               = (float)(s->lattice.volume * (is_poly6 ? shoal_poly6(0.0, h) : shoal_spiky(0.0, h)));
    v->spiky              = (float)(s->lattice.volume * 3.0 * shoal_spiky_scale(h));
    v->swirl              = (float)((double)v->spiky / s->lattice.pressure_factor);
    v->epsilon            = (float)(fmax((double)p->cfm, 1e-6) * sum); // a lone pair about to part has no gradient
    v->gradient_sum       = (float)sum;
    v->compliance         = (float)((double)p->compliance * rho / (dt * dt) * s->lattice.pressure_factor);
    v->correction         = (float)fmin(1.0, dt / s->calm);
    v->elastic            = p->compliance;
    v->inverse_relaxation = (float)(1.0 / pbf_under_relaxation(p));
    v->wall_factor        = (float)s->lattice.wall_factor;
    v->smooth             = s->is_viscous ? 0.0f : (float)shoal_fraction_in((double)p->xsph, dt, s->stride) * v->weight;
    v->limit              = p->correction_limit * s->h;
    v->pressure_scale     = (float)(-rho / (dt * dt) * s->lattice.pressure_factor);
    v->warm               = p->warm_start / v->pressure_scale;
    v->melt               = -p->melt / v->pressure_scale;
    v->layers             = shoal_far_copy(&s->far_layers, device, &s->lattice.layers, sizeof s->lattice.layers);
    v->surface_slant      = (float)s->lattice.surface_slant;
    v->momentum           = 1.0f;

    // anti-clumping: none is a short-range one of no strength
    double dq  = (double)p->clump_distance * h;
    v->clump_k = (float)((double)p->clump_strength * lambda_ref) * v->correction *
                 v->correction; // a force: the same for short substeps
    v->clump_w  = (float)(1.0 / pow(h * h - dq * dq, 3.0));
    v->clump_r2 = (float)(1.0 / (0.81 * d * d));
    if (p->anti_clumping == PBF_ANTI_CLUMPING_NONE)
        v->params.anti_clumping = PBF_ANTI_CLUMPING_SHORT_RANGE, v->clump_k = 0.0f;

    // viscosity acts explicitly where it takes little of a difference in one step and solids do not
    // hold by it, else it is solved for
    double spread = s->spread, most = 0.5 / (0.25 * h * s->lattice.neighbours);
    v->is_mixed = v->is_viscous = false;
    s->is_thick                 = s->is_viscous && s->sticks;
    for (int m = 0; m < s->ctx->description->material_count; m++) {
        const shoal_material* material = shoal_material_of(s->ctx->description, m, SHOAL_LIQUID);
        double                viscous  = dt * (double)material->viscosity / (double)material->density * spread;
        s->thickness[m]                = (shoal_thickness){(float)viscous, 1.0f / s->liquids[m].lightness};
        s->is_thick                    = s->is_thick || shoal_is_thick(viscous, most);
    }
    for (int m = 0; m < s->ctx->description->material_count; m++) {
        s->liquids[m].viscous = s->is_thick ? 0.0f : s->thickness[m].fraction;
        v->is_viscous         = v->is_viscous || s->liquids[m].viscous > 0.0f;
        v->is_mixed = v->is_mixed || s->liquids[m].lightness != 1.0f || s->liquids[m].viscous != s->liquids[0].viscous;
    }
    v->sticks     = !s->is_thick;
    v->liquids    = shoal_far_copy(&s->far_liquids, device, s->liquids,
                                   (size_t)s->ctx->description->material_count * sizeof *s->liquids);
    v->cohesion   = s->cohesion;
    v->hold_scale = s->hold;
    v->held       = s->thick.hold;
    v->stream     = s->thick.stream;
    bind_fields(s, &s->ctx->exec, v);
}

// ---------------------------------------------------------------------------------- pieces of the step

static void run(pbf* s, pbf_pass pass) {
    shoal_pass_run(&s->ctx->exec, s->ctx->isa, &pbf_passes, (int)pass, &s->view, s->view.count);
}

// Brings the particles into the order of their cells; the arrays of before stay whole behind them.
static shoal_status sort_by_cell(pbf* s, double dt, shoal_cells_frame* frame) {
    shoal_set* set = s->ctx->particles;
    SHOAL_TRY(shoal_cells_frame_make(&s->ctx->exec, s->view.guess, set->count, s->h, frame));
    SHOAL_TRY(shoal_cells_sort(&s->cells, &s->ctx->exec, frame, s->view.guess, set->count));
    SHOAL_TRY(shoal_set_permute(set, &s->ctx->exec, s->cells.order));
    set_view(s, dt);
    return SHOAL_OK;
}

static shoal_status find_images(pbf* s, double dt, const shoal_cells_frame* frame) {
    shoal_set* set = s->ctx->particles;
    set->ghosts    = 0;
    s->halo.count  = 0;
    if (shoal_halo_is_needed(&s->solids)) {
        SHOAL_TRY(shoal_halo_build(&s->halo, &s->ctx->exec, &s->solids, frame, s->view.guess, set->count, s->h));
        SHOAL_TRY(shoal_set_reserve(set, set->count + s->halo.count));
        set->ghosts = s->halo.count;
    }
    int nobody = set->count + set->ghosts;
    if (s->is_thick) SHOAL_TRY(shoal_thick_reserve(&s->thick, s->ctx->exec.device, nobody + 1));
    set_view(s, dt);
    SHOAL_LAY(&s->halo, &s->ctx->exec, set->count, SHOAL_SHOW(s->view.guess, PLACE),
              SHOAL_SHOW_LATER(s->view.ahead, PLACE), SHOAL_SHOW(s->view.drift, VECTOR),
              SHOAL_SHOW(s->view.material, SAME), SHOAL_SHOW_LATER(s->view.lean, LEAN),
              SHOAL_SHOW_LATER(s->view.lean_yz, LEAN_YZ));
    return SHOAL_OK;
}

static shoal_status find_neighbours(pbf* s) {
    const shoal_set* set = s->ctx->particles;
    SHOAL_TRY(shoal_near_build_ahead(&s->near, &s->ctx->exec, s->ctx->isa, &s->cells,
                                     set->ghosts > 0 ? &s->halo.cells : NULL, s->view.guess, set->count + set->ghosts,
                                     s->h));
    s->view.near = s->near;
    return SHOAL_OK;
}

static void fill_places(pbf* s) { SHOAL_FILL_HALO(&s->halo, s->view.count, SHOAL_SHOW(s->view.guess, PLACE)); }
static void fill_drift(pbf* s) { SHOAL_FILL_HALO(&s->halo, s->view.count, SHOAL_SHOW(s->view.drift, VECTOR)); }

static double sum(pbf* s, int which) {
    return shoal_pass_fold(&s->ctx->exec, &pbf_passes, which, &s->view, s->view.count);
}

static double average_compression(pbf* s) {
    return s->view.count > 0 ? sum(s, PBF_sum_compression) / s->view.count : 0.0;
}

// clang-format off
// The columns of stats.csv; the totals have one entry for each.
#define PBF_COLUMNS(X)                                                                                                                                        \
    X(clamped,    "", SOLVER, ZERO, "fraction of corrections cut", "", "fraction of corrections cut", "fraction of particles (0 to 1) of which a correction was cut to `correction_limit` in a substep, the largest of this frame") \
    X(iterations, "", SOLVER, ZERO, "iterations per substep",   "", "iterations per substep",   "most sweeps of a substep in this frame")                       \
    X(overturned, "", SOLVER, FREE, "",                         "", "",                         "pairs of a light particle and a heavy one above that changed places in this frame (`overturn`)")
// clang-format on
#define X(name, ...) TOTAL_##name,
enum { PBF_COLUMNS(X) TOTAL_COUNT };
#undef X
_Static_assert((int)TOTAL_COUNT <= (int)SHOAL_TOTALS_MOST, "the totals have an entry for each column");

// One pair after the other, so here, wherever the passes run; candidates are found by all threads.
static shoal_status overturn(pbf* s, double* pairs) {
    const shoal_exec here = {.threads = s->ctx->exec.threads};
    pbf_view         v    = s->view;
    if (s->ctx->exec.device) {
        SHOAL_TRY(shoal_near_fetch(&s->near_here, &s->near, v.count));
        bind_fields(s, &here, &v);
        SHOAL_TRY(shoal_device_check(s->ctx->exec.device));
        v.near    = s->near_here;
        v.solids  = s->solids;
        v.liquids = s->liquids;
    }
    return pbf_overturn(&v, s->ctx->description, &here, &s->films, pairs);
}

static shoal_status add_totals(pbf* s) {
    double* totals           = s->ctx->totals;
    s->cut                   = s->view.count > 0 ? s->sums[PBF_sum_limited] / s->view.count : 0.0;
    totals[TOTAL_clamped]    = fmax(totals[TOTAL_clamped], s->cut);
    totals[TOTAL_iterations] = fmax(totals[TOTAL_iterations], s->sweeps);
    return s->params.overturn && s->is_uneven ? overturn(s, &totals[TOTAL_overturned]) : SHOAL_OK;
}

// Viscosity of a thick liquid, on the velocities that the sweeps have left; it goes by what is left of them then.
static void thicken(pbf* s) {
    size_t bytes = (size_t)s->ctx->description->material_count * sizeof *s->thickness;
    run(s, PBF_hold);
    pbf_thicken(&s->ctx->exec, &s->view, &s->thick, &s->halo,
                shoal_far_copy(&s->far_thickness, s->ctx->exec.device, s->thickness, bytes), s->spread);
    fill_drift(s);
    run(s, PBF_follow);
    fill_places(s);
}

// Chebyshev's weights [Wang 2015], after three plain sweeps.
static float next_momentum(float radius, float now, int sweep) {
    if (radius == 0.0f || sweep < 3) return 1.0f;
    float r2 = radius * radius;
    return sweep == 3 ? 2.0f / (2.0f - r2) : 4.0f / (4.0f - r2 * now);
}

// Where the last pass has put x* is where all look from now on.
static void apply(pbf* s) {
    shoal_v4* before = s->view.guess;
    run(s, PBF_apply);
    shoal_set_exchange(s->ctx->particles, "guess", "ahead");
    s->view.guess = s->view.ahead;
    s->view.ahead = before;
}

static void correct_and_apply(pbf* s) {
    run(s, PBF_tell);
    fill_places(s); // with lambda
    run(s, PBF_correct);
    apply(s);
    fill_places(s);
}

// Takes away what the arrangement bears of a shear, by the pressure of the last substep.
static void melt(pbf* s) {
    run(s, PBF_lean);
    SHOAL_FILL_HALO(&s->halo, s->view.count, SHOAL_SHOW(s->view.lean, LEAN), SHOAL_SHOW(s->view.lean_yz, LEAN_YZ));
    run(s, PBF_level);
    run(s, PBF_pull);
    fill_places(s);
}

// ---------------------------------------------------------------------------------- the step

static bool is_done(pbf* s, int sweep) {
    if (s->params.iterations > 0) return sweep == s->params.iterations;
    return sweep == SWEEPS_MOST || (sweep > 1 && 100.0 * average_compression(s) < (double)s->params.tolerance);
}

// From the predicted positions to the final ones, and how fast.
static shoal_status solve(pbf* s, double dt, const shoal_cells_frame* frame) {
    run(s, PBF_predict);
    shoal_stage(s->ctx, SHOAL_STAGE_INTEGRATE);

    // neighbours there
    SHOAL_TRY(find_images(s, dt, frame));
    SHOAL_TRY(find_neighbours(s));
    if (s->params.sweep == PBF_SWEEP_GAUSS_SEIDEL) SHOAL_TRY(pbf_colours_build(&s->colours, &s->ctx->exec, &s->view));
    shoal_stage(s->ctx, SHOAL_STAGE_NEIGHBOURS);
    if (s->params.melt > 0.0f) melt(s);
    if (s->surface_tension > 0.0f) {
        run(s, PBF_cohere);
        run(s, PBF_pull);
        fill_places(s);
    }

    // push apart until the density is right
    if (s->view.warm != 0.0f) {
        run(s, PBF_walls);
        correct_and_apply(s);
    }
    for (s->sweeps = 0; !is_done(s, s->sweeps); s->sweeps++) {
        if (s->params.sweep == PBF_SWEEP_GAUSS_SEIDEL) {
            pbf_sweep(&s->colours, &s->ctx->exec, &s->view);
            apply(s);
        } else {
            s->view.momentum = next_momentum(s->params.chebyshev, s->view.momentum, s->sweeps);
            run(s, PBF_lambda);
            correct_and_apply(s);
        }
    }
    shoal_stage(s->ctx, SHOAL_STAGE_SOLVE);

    // velocities from what has moved; swirl put back, neighbours brought together
    run(s, PBF_measure);
    fill_drift(s);
    if (s->is_thick) thicken(s);
    run(s, PBF_curl);
    run(s, PBF_tell);
    fill_places(s);
    run(s, PBF_confine);
    run(s, PBF_commit);
    return SHOAL_OK;
}

// Collects everything the host must know of this substep with one wait: whether the neighbour lists fit, the totals,
// and the sums that `sim` asks of every set.
static shoal_status collect_sums(pbf* s) {
    const shoal_exec* exec = &s->ctx->exec;
    shoal_pass_ask(exec, &pbf_passes, PBF_sum_limited, &s->view, s->view.count, s->sums);
    shoal_set_foresee(s->ctx->particles, exec);
    if (exec->device) exec->device->settle(exec->device);
    return shoal_device_check(exec->device);
}

static shoal_status pbf_step(void* self, double dt) {
    pbf*              s = self;
    shoal_cells_frame frame;
    set_view(s, dt);

    // forces, and where everything wants to go
    run(s, PBF_aim);
    shoal_stage(s->ctx, SHOAL_STAGE_INTEGRATE);
    SHOAL_TRY(sort_by_cell(s, dt, &frame));
    shoal_stage(s->ctx, SHOAL_STAGE_GRID);
    SHOAL_TRY(solve(s, dt, &frame));
    SHOAL_TRY(collect_sums(s));
    while (!shoal_near_fits(&s->near)) { // on a device: from the sort on, with more room
        SHOAL_TRY(shoal_set_permute_again(s->ctx->particles, &s->ctx->exec, s->cells.order));
        set_view(s, dt);
        SHOAL_TRY(solve(s, dt, &frame));
        SHOAL_TRY(collect_sums(s));
    }
    SHOAL_TRY(add_totals(s));
    s->ctx->particles->ghosts = 0;
    shoal_stage(s->ctx, SHOAL_STAGE_VELOCITY);
    return SHOAL_OK;
}

// The density of the initial state, as the first sweep sees it; nothing moves.
static shoal_status pbf_begin(void* self) {
    pbf*              s = self;
    shoal_cells_frame frame;
    const double      still = 1e-6; // s; any step will do, since only the sums of `lambda` are kept
    s->calm                 = still;
    set_view(s, still);
    run(s, PBF_rest);
    SHOAL_TRY(sort_by_cell(s, still, &frame));
    run(s, PBF_rest);
    SHOAL_TRY(find_images(s, still, &frame));
    do {
        SHOAL_TRY(find_neighbours(s));
        run(s, PBF_lambda);
        if (s->ctx->exec.device) s->ctx->exec.device->settle(s->ctx->exec.device);
        SHOAL_TRY(shoal_device_check(s->ctx->exec.device));
    } while (!shoal_near_fits(&s->near));
    s->ctx->particles->ghosts = 0;
    return SHOAL_OK;
}

// ---------------------------------------------------------------------------------- time step

// The head of an acceleration, m^2/s^2: on average half of the depth counts, which is how far the centre of mass lies
// above the lowest particle (a drop high up weighs nothing).
static double head_of(const pbf* s, shoal_d3 acceleration) {
    const shoal_set* set    = s->ctx->particles;
    double           length = shoal_d3_length(acceleration);
    if (!(length > 0.0)) return 0.0;
    shoal_particles_view asked  = {.up = shoal_v3_from(shoal_d3_scale(acceleration, -1.0 / length))};
    double               centre = shoal_set_fold(set, &s->ctx->exec, SHOAL_PARTICLES_height, &asked) / set->count;
    double               lowest = -shoal_set_fold(set, &s->ctx->exec, SHOAL_PARTICLES_depth, &asked);
    return length * (centre - lowest);
}

// Steady compression at depth z is g z dt^2 S (1 + cfm) / (omega N), S the gradient sum: solve for dt. Forces
// and motion add their heads.
static double dt_for_tolerance(pbf* s) {
    const shoal_set*         set   = s->ctx->particles;
    const shoal_description* scene = s->ctx->description;
    if (set->count == 0) return (double)INFINITY;
    double speed = shoal_set_fastest(set, &s->ctx->exec);

    // pressure over density, m^2/s^2
    double push = head_of(s, scene->gravity) + 0.25 * speed * speed, now = s->ctx->time;
    for (int k = 0; k < scene->force_count; k++)
        if (scene->forces[k].from < now + 1.0 / scene->fps && scene->forces[k].until > now)
            push += head_of(s, scene->forces[k].acceleration);
    double work  = pbf_under_relaxation(&s->params) * pbf_sweeps_wanted(&s->params) * pbf_sweep_gain(&s->params);
    double stiff = s->lattice.gradient_sum * (1.0 + (double)s->params.cfm) / (work * s->lattice.pressure_factor);
    double dt    = sqrt(0.01 * (double)s->params.tolerance / (push * stiff + 1e-30));
    // no particle crosses more than half a kernel in a substep
    double forced   = shoal_acceleration_now(s->ctx) - shoal_d3_length(scene->gravity),
           crossing = 0.5 * (double)s->h / (speed + 1e-30);
    if (forced > 0.0) crossing = fmin(crossing, sqrt(0.5 * (double)s->h / forced));
    // and cohesion is a force: capillary waves must be resolved
    double rho = (double)s->liquids[0].density, d = (double)s->d;
    double waves =
        s->surface_tension > 0.0f ? 0.1 * sqrt(rho * d * d * d / (double)s->surface_tension) : (double)INFINITY;
    return fmin(fmin(dt, crossing), waves);
}

// Also how soon an error is made good that is there already: within the substep that `auto` takes,
// however short others are (half of it, since auto divides the interval evenly). Then they add no
// velocity, and compression still falls with dt. It is a stride at most, so substeps as long as
// that need not ask.
static shoal_status pbf_plan(void* self, shoal_plan* plan) {
    pbf* s   = self;
    plan->dt = s->params.substeps > 0 ? plan->interval / s->params.substeps : 0.0;
    s->calm  = s->stride;
    if (plan->dt >= s->stride) return SHOAL_OK;
    double wanted = dt_for_tolerance(s);
    s->calm       = fmin(0.5 * wanted, s->stride);
    if (!(plan->dt > 0.0)) plan->dt = plan->interval / fmin(fmax(ceil(plan->interval / wanted), 1.0), 1000.0);
    return SHOAL_OK;
}

// ---------------------------------------------------------------------------------- the type

// Cells: order, keys twice, starts, sorting room; lists: start, count, coordinates; both with room for a quarter more.
// Padded indices: one group more than the lattice needs, since room for them grows by half.
static double pbf_extra_bytes(const shoal_description* description, double particles) {
    double support    = (double)((const pbf_params*)description->solver_params)->support;
    double neighbours = shoal_lattice_make(1.0, support, false).neighbours * 1.1;
    double groups     = ceil(neighbours / SHOAL_LANES) + 1.0;
    return particles * ((4 + 8 + 8 + 4 + 12 + 8 + 12) * 5 / 4 + groups * SHOAL_LANES * (double)sizeof(int));
}

static void set_liquids(pbf* s) {
    const shoal_description* d = s->ctx->description;
    s->first                   = shoal_material_first(d, SHOAL_LIQUID);
    s->is_uneven               = false;
    for (int m = 0; m < d->material_count; m++) {
        float own     = shoal_material_of(d, m, SHOAL_LIQUID)->density;
        s->liquids[m] = (pbf_liquid){own, d->materials[s->first].density / own, 0.0f};
        s->is_uneven |= s->liquids[m].lightness != 1.0f;
    }
}

static void pbf_set_params(void* self, const void* params) {
    pbf* s    = self;
    s->params = *(const pbf_params*)params;
    set_liquids(s);
    shoal_solids_reflect(&s->solids, s->params.mirror);
    s->h               = (float)pbf_support(params, s->ctx->description->spacing);
    s->hold            = (float)pbf_hold_scale((double)s->d, (double)s->h);
    s->lattice         = pbf_lattice(&s->params, (double)s->d);
    s->spread          = s->lattice.laplacian * shoal_lattice_sheared((double)s->d, (double)s->h);
    s->surface_tension = s->params.surface_tension ? s->ctx->description->materials[s->first].surface_tension : 0.0f;
    s->cohesion        = cohesion_of(s);
    s->stride          = pbf_stride(&s->params, s->ctx->description);
    // XSPH stands in for liquids whose own viscosity is less than that
    double least = (double)INFINITY;
    for (int m = 0; m < s->ctx->description->material_count; m++) {
        const shoal_material* material = shoal_material_of(s->ctx->description, m, SHOAL_LIQUID);
        least                          = fmin(least, (double)material->viscosity / (double)material->density);
    }
    s->is_viscous = least > 0.0 && least >= pbf_smoothing(&s->params, s->ctx->description);
}

static void pbf_destroy(void* self) {
    pbf* s = self;
    if (!s) return;
    pbf_colours_free(&s->colours);
    shoal_far_release(&s->far_layers);
    shoal_far_release(&s->far_thickness);
    shoal_far_release(&s->far_liquids);
    shoal_world_far_free(&s->far_world);
    shoal_near_free(&s->near_here);
    shoal_near_free(&s->near);
    shoal_halo_free(&s->halo);
    shoal_free(s->films.who);
    shoal_cells_free(&s->cells);
    shoal_thick_free(&s->thick);
    shoal_free(s->thickness);
    shoal_free(s->liquids);
    shoal_free(s);
}

static shoal_status pbf_create(shoal_sim_context* ctx, const void* params, void** self) {
    pbf* s = shoal_alloc(1, sizeof *s);
    if (!s) return SHOAL_ERR_MEMORY;
    s->ctx       = ctx;
    s->solids    = (shoal_solids){.world = ctx->world, .kind = SHOAL_LIQUID};
    s->d         = (float)ctx->description->spacing;
    s->liquids   = shoal_alloc((size_t)ctx->description->material_count, sizeof *s->liquids);
    s->thickness = shoal_alloc((size_t)ctx->description->material_count, sizeof *s->thickness);
    if (!s->liquids || !s->thickness) {
        shoal_free(s->thickness);
        shoal_free(s->liquids);
        shoal_free(s);
        return SHOAL_ERR_MEMORY;
    }
    s->sticks = shoal_solids_stick(&s->solids);
    pbf_set_params(s, params);
    *self = s;
    return SHOAL_OK;
}

static void pbf_report(const void* self, double* values) {
    const pbf* s = self;
    for (int k = 0; k < TOTAL_COUNT; k++) values[k] = s->ctx->totals[k];
}

static double pbf_unsolved(const void* self) { return ((const pbf*)self)->cut; }

static double pbf_neighbours(const void* self) {
    const pbf* s = self;
    return shoal_near_mean(&s->near, &s->ctx->exec, s->cells.item_count);
}

static const char* tension_is_idle(const shoal_description* description, int material) {
    if (!((const pbf_params*)description->solver_params)->surface_tension)
        return "pbf.surface_tension is off; switch it on";
    return material > 0 ? "pbf takes the surface tension of the first material for all" : NULL;
}

static const shoal_material_use uses[]    = {{"density", SHOAL_LIQUID, NULL},
                                             {"viscosity", SHOAL_LIQUID, NULL},
                                             {"surface_tension", SHOAL_LIQUID, tension_is_idle},
                                             {0}};
static const shoal_field_def    fields[]  = {PBF_FIELDS(SHOAL_FIELD_ROW){0}};
static const shoal_set_def      sets[]    = {{"particles", SHOAL_SORTED, fields, 0, NULL}, {0}};
static const shoal_column_def   columns[] = {PBF_COLUMNS(SHOAL_COLUMN_ROW){0}};

// Waves that keep their pace and travel; what it costs: docs/reference/speed.md.
static const shoal_param_preset fine[] = {{"support", 2.5}, {"melt", 1.0}, {"mirror", 1.0}, {0}};

static const shoal_passes* const device_passes[] = {&pbf_passes, &shoal_halo_passes, &shoal_thick_passes, NULL};

static bool stays_here(const shoal_description* description, char* buffer, size_t size) {
    if (((const pbf_params*)description->solver_params)->sweep != PBF_SWEEP_GAUSS_SEIDEL) return false;
    snprintf(buffer, size, "sweep: gauss_seidel goes from colour to colour and has no passes; use jacobi");
    return true;
}

const shoal_solver_type pbf_type = {
    .name           = "pbf",
    .summary        = "Position Based Fluids (Macklin & Mueller 2013): liquids in real time, stable at "
                      "large steps",
    .material_kinds = 1u << SHOAL_LIQUID,
    .material_uses  = uses,
    .params         = pbf_params_table,
    .fine           = fine,
    .params_size    = sizeof(pbf_params),
    .sets           = sets,
    .columns        = columns,
    .support        = pbf_support,
    .extra_bytes    = pbf_extra_bytes,
    .device_passes  = device_passes,
    .verdicts       = {[SHOAL_REFUSAL] = pbf_refuses, [SHOAL_WARNING] = pbf_warns, [SHOAL_HERE] = stays_here},
    .create         = pbf_create,
    .destroy        = pbf_destroy,
    .begin          = pbf_begin,
    .set_params     = pbf_set_params,
    .plan           = pbf_plan,
    .step           = pbf_step,
    .unsolved       = pbf_unsolved,
    .report         = pbf_report,
    .neighbours     = pbf_neighbours,
};
