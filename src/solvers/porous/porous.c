// SPDX-License-Identifier: MIT
// Sand as a continuum of SPH particles [Lenaerts & Dutre 2009], its friction solved as a whole:
// here are the step and the solver type; the physics of one particle is in porous_pass.h.
#include "solvers/porous/porous.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "fluid/stride.h"
#include "solvers/porous/porous_local.h"

SHOAL_PARAMS_DEFINE(porous_params, POROUS_PARAMS)

// Sweeps of `auto`. A substep without any stress to begin with, the first, is given twenty times as
// many.
enum { SWEEPS_LEAST = 5, SWEEPS_MOST = 200, SWEEPS_FIRST = 20 };

// What may be left to change of the density where all water moves by a spacing: what rests has to be solved better than
// water that runs, where places change by more than that anyway. Sand that flows, and mud, are no faster for it, but
// mud is slower (0.89 of a liquid's speed for 0.92).
#define TOLERANCE_WAY 0.005

// Rounds in which packed bodies are made even before the start: at least the first number, then on until the mean
// compression is EVEN_AIM, since what is left of it stays in the sand as a load, and pressure has to reach from the
// floor to the surface; but not where EVEN_ROUNDS more take less than a tenth of it away, in a box that is too full.
// After these a round goes on by what the last one went, less EVEN_LOSS of it, and later less of a loss: what is not
// even yet by then has more layers, through which longer waves have to go. (Without going on 50 layers
// have a mean of 0.3 % left after 400.)
enum { EVEN_ROUNDS = 80, EVEN_MOST = 800 };
#define EVEN_AIM 2e-4
#define EVEN_STALLED 0.9
#define EVEN_ENOUGH (2.0 * EVEN_AIM)    // above it what is left is let out after the start,
#define EVEN_REPORTED (10.0 * EVEN_AIM) // and reported
#define EVEN_LOSS 0.1

// 2 over the largest eigenvalue of the sweeps on the lattice. A wave of pressure has that of water's sweeps
// (fluid/water.c: 1.5 over its omega), one of friction 4/3 of that, and both push the same velocities along the wave,
// so that together they have the sum.
double porous_omega(const shoal_water* water, bool has_friction) {
    const double base = 2.0, both = 1.0 + 4.0 / 3.0, of_water = 1.5;
    return base / (has_friction ? both : 1.0) * water->omega / of_water;
}

// Solids that stick hold whatever is pressed on them.
static const float stuck = 1e3f;

// ---------------------------------------------------------------------------------- the step

static void run(porous* s, porous_pass pass) {
    shoal_pass_run(&s->ctx->exec, s->ctx->isa, &porous_passes, (int)pass, &s->view, s->view.water.count);
}

static void set_sands(porous* s, double dt) {
    double rho = (double)s->water.liquids[0].density;
    for (int m = 0; m < s->ctx->description->material_count; m++) {
        const shoal_material* sand = shoal_water_material(&s->water, m);
        double                a, b;
        porous_pores_drag(&s->wet.pores[m], s->wet.pores[m].porosity, &a, &b);
        s->sands[m] = (porous_sand){.light         = s->water.liquids[m].light,
                                    .friction      = (float)shoal_friction_slope((double)sand->friction_angle),
                                    .grain_size    = sand->grain_size,
                                    .cohesion      = (float)(dt * (double)sand->cohesion / rho),
                                    .cohesion_wet  = (float)(dt * porous_cohesion_wet(sand) / rho),
                                    .ideal         = sand->ideal_saturation,
                                    .mud_friction  = sand->mud_friction,
                                    .mud           = (float)(dt * (double)sand->mud_viscosity / rho),
                                    .stickiness    = sand->stickiness,
                                    .open          = s->open[m],
                                    .darcy_a       = (float)(dt * a / s->wet.liquid.density),
                                    .forchheimer_b = (float)(dt * b / s->wet.liquid.density)};
    }
}

// Of a gap between grains, what they close by their weight in a substep.
static float closing_of(const porous* s, double dt) {
    const shoal_description* description = s->ctx->description;
    return (float)fmin(dt * sqrt(porous_gravity(description) / description->spacing), 1.0);
}

static void bind(porous* s, double dt) {
    porous_view* v   = &s->view;
    shoal_set*   set = s->ctx->particles;
    set_sands(s, dt);
    v->water     = s->water.view;
    v->sands     = s->sands;
    v->pool      = s->pool ? s->pool->water.guests : (porous_guests){.are_there = false};
    v->is_coarse = s->is_coarse && s->pool;
    v->per_rate  = 2.0f * v->water.omega;
    v->is_first  = s->ctx->totals[POROUS_TOTAL_SECONDS] == 0.0;
    v->is_local  = s->params.friction == POROUS_FRICTION_PAPER;
    v->closing   = v->is_local ? 1.0f : closing_of(s, dt);
    v->leftover  = porous_leftover(s, dt);
    v->stiff     = (float)(dt * s->water.sound_speed * s->water.sound_speed / 7.0);
    POROUS_FIELDS(SHOAL_FIELD_BIND)
    v->fixed         = shoal_set_data(set, "fixed");
    v->pore_pressure = shoal_set_data(set, "pore_pressure");
    v->saturation    = shoal_set_data(set, "saturation");
    v->mass          = shoal_set_data(set, "mass");
    v->lost          = s->pool ? s->pool->view.lost : NULL;
    v->is_laid       = true;
    if (s->pool) s->pool->sand.water_kappa = v->water_kappa, s->pool->sand.interior = v->interior;
}

enum { PARTICLE_BLOCK = 4096 };

typedef struct weigh_job {
    const porous* s;
    const double *water, *pending;
    float*        mass;
    double        first; // of dry sand
} weigh_job;

static void weigh_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    const weigh_job*   w = ctx;
    const porous_view* v = &w->s->view;
    for (int i = begin; i < end; i++) {
        double own         = porous_wet_mass(&w->s->wet, v->water.material[i], w->water[i] + w->pending[i]);
        w->mass[i]         = (float)own;
        v->inverse_mass[i] = (float)(w->first / own) / (v->water.holder[i] > 0 ? POROUS_PUMP : 1.0f);
    }
}

// How heavy all are with their water: for all that push them; their images and "nobody" are pushed by none.
static void weigh_water(porous* s) {
    porous_view*  v       = &s->view;
    const double *water   = shoal_set_data(s->ctx->particles, "water"),
                 *pending = shoal_set_data(s->ctx->particles, "pending");
    float*    mass        = shoal_set_data(s->ctx->particles, "mass");
    int       count       = v->water.count;
    double    first       = porous_wet_mass(&s->wet, s->water.first, 0.0);
    weigh_job w           = {s, water, pending, mass, first};
    shoal_blocks(&s->ctx->exec, count, PARTICLE_BLOCK, weigh_block, &w);
    SHOAL_LAY(&s->water.halo, &s->ctx->exec, count, SHOAL_SHOW_WITH(v->inverse_mass, SAME, 1.0f),
              SHOAL_SHOW(v->fixed, SAME));
    s->water.masses = mass;
}

// Compression that is left at the start is let out over a time T, and not in the first substep: of a pool of 1.7 m that
// was compressed by 0.23 % that made a fountain of 80 mm. Of a particle's compression a substep makes good what is
// above
//     e (1 - t/T)^2,    T = sqrt(20 c H/g)
// with c the mean compression at the start, e the same with each weighted by itself, and H the depth: the surface rises
// by c H, slows down by a tenth of gravity, and so the pressure is that of rest, to a tenth. What is as even as the
// rounds before the start mean to have it is not held.
#define RELEASE_SLOWNESS 20.0
static double release_of(const porous* s, double compression) {
    return s->pool ? sqrt(RELEASE_SLOWNESS * compression * porous_depth(s) / porous_gravity(s->ctx->description)) : 0.0;
}
float porous_leftover(const porous* s, double dt) {
    double left = *s->leftover_time > 0.0 ? 1.0 - (s->ctx->time + dt) / *s->leftover_time : 0.0;
    return left > 0.0 ? (float)(*s->leftover * left * left) : 0.0f;
}

// Samples of solids that stick are marked by -1; here they have friction.
static void roughen(porous* s) {
    shoal_v4* motion = s->water.view.sample.motion;
    for (int k = 0; k < s->water.boundary_set->count; k++)
        if (motion[k].w < 0.0f) motion[k].w = stuck;
}

static void fill_stress(porous* s) {
    shoal_v4* const rows[] = {s->view.row_x, s->view.row_y, s->view.row_z};
    int             first  = s->view.water.count;
    for (int axis = 0; axis < 3; axis++) {
        SHOAL_LAY(&s->water.halo, &s->ctx->exec, first, SHOAL_SHOW(rows[axis], VECTOR));
        for (int k = first; k < first + s->water.halo.count; k++)
            rows[axis][k].w = shoal_v3_axis(shoal_v4_xyz(s->view.water.place[k]), axis);
    }
}

static void push(porous* s) {
    if (s->pool) {
        porous_pool_publish_kappa(s);
        if (s->is_coarse) run(s, POROUS_sample_water);
        porous_meet_update_pressure(&s->pool->sand);
    }
    fill_stress(s);
    run(s, POROUS_push);
    shoal_water_fill_motion(&s->water);
    if (!s->pool) return;
    porous_pool_run(s->pool, POROUS_POOL_push);
    porous_pool_move(s);
}

// Mean over sand and water of what `loop` sums up, of one member of both.
typedef float* (*member_fn)(const shoal_water_view* w);
static float* errors(const shoal_water_view* w) { return w->error; }
static float* ratios(const shoal_water_view* w) { return w->ratio; }
static float* slants(const shoal_water_view* w) { return w->slant; }
static double mean_over(const porous* s, shoal_sum_fn loop, member_fn member) {
    const shoal_exec*       exec  = &s->ctx->exec;
    const shoal_water_view* sand  = &s->view.water;
    double                  sum   = shoal_sum(exec, sand->count, loop, member(sand));
    int                     count = sand->count;
    if (s->pool) {
        const shoal_water_view* water = &s->pool->view.water;
        sum += shoal_sum(exec, water->count, loop, member(water));
        count += water->count;
    }
    return count > 0 ? sum / count : 0.0;
}

static double error_of(const float* error, int i) { return (double)error[i]; }
SHOAL_SUM_LOOP(errors_of, float, error_of)

// By Tait's equation, as in the paper.
bool porous_is_explicit(const porous* s) {
    return s->params.friction == POROUS_FRICTION_PAPER && s->params.pressure == POROUS_PRESSURE_WCSPH;
}

static void apply_state_pressure(porous* s) {
    s->sweeps    = 0;
    s->is_solved = true;
    run(s, POROUS_state);
    if (s->pool) porous_pool_run(s->pool, POROUS_POOL_state);
    push(s);
}

// Friction by the paper's rule, and rigid clusters.
static shoal_status solve_friction(porous* s) {
    run(s, POROUS_test);
    push(s);
    SHOAL_TRY(porous_cluster(s));
    shoal_water_fill_motion(&s->water);
    if (s->pool) porous_meet_move(&s->pool->sand);
    return SHOAL_OK;
}

static double speeds2_of(void* ctx, int begin, int end) {
    const shoal_v3* velocity = ctx;
    double          sum      = 0.0;
    for (int i = begin; i < end; i++) sum += (double)shoal_v3_dot(velocity[i], velocity[i]);
    return sum;
}

// Sum of v^2 over the water.
static double speeds2(const porous* s) {
    const shoal_water_view* water = &s->pool->view.water;
    return shoal_sum(&s->ctx->exec, water->count, speeds2_of, water->velocity);
}

double porous_way(const porous* s) {
    if (!s->pool) return 0.0;
    const shoal_water_view* water = &s->pool->view.water;
    int                     count = s->view.water.count + water->count;
    return count > 0 ? sqrt(speeds2(s) / count) * (double)water->dt / (double)water->d : 0.0;
}

double porous_water_speed(const porous* s) {
    int count = s->pool ? s->pool->view.water.count : 0;
    return count > 0 ? sqrt(speeds2(s) / count) : 0.0;
}

// Chebyshev's semi-iteration [Golub & Varga 1961] for eigenvalues from a `spread`-th of the largest on. What rests is
// carried by long waves, which are found over many substeps (with 30 sand under water bore a quarter more than its
// load; with 80 a third more after a second, at substeps as short as the pressure of water asks for); where water comes
// by RUNNING spacings in a substep, short ones count, and with 80 they take a quarter more sweeps. Particles that do
// not lie on the lattice have up to a third more of an eigenvalue than omega counts with.
#define SPREAD_AT_REST 80.0
#define SPREAD_UNDER_WATER 160.0
#define SPREAD_RUNNING 30.0
#define RUNNING 0.05
#define UNEVEN (4.0 / 3.0)
#define UNEVEN_WATER 1.7 // where a tap presses water into water; with a third more its sweeps grow there
static double spread_of(const porous* s, double way) {
    double at_rest = s->pool ? SPREAD_UNDER_WATER : SPREAD_AT_REST;
    return SPREAD_RUNNING + (at_rest - SPREAD_RUNNING) * fmin(fmax(2.0 - 2.0 * way / RUNNING, 0.0), 1.0);
}
static void set_sweep(porous* s, double spread, double* weight) {
    double sigma = (spread - 1.0) / (spread + 1.0), half = 0.5 * sigma * sigma;
    *weight       = s->sweeps == 0 ? 1.0 : 1.0 / (1.0 - half * (s->sweeps == 1 ? 1.0 : 0.5 * *weight));
    s->view.sweep = (porous_sweep){.relax = (float)(*weight / UNEVEN), .momentum = (float)(*weight - 1.0)};
    if (!s->pool) return;
    s->pool->view.sweep       = s->view.sweep;
    s->pool->view.sweep.relax = (float)(*weight / UNEVEN_WATER);
}

static double lead_of(const float* ratio, int i) { return (double)ratio[i] - 1.0; }
static double is_at_surface(const float* slant, int i) { return slant[i] > SHOAL_WATER_SLANT; }
SHOAL_SUM_LOOP(leads_of, float, lead_of)
SHOAL_SUM_LOOP(surface_of, float, is_at_surface)

// In a room that is closed on all sides and too full, pressure that would make compression good moves nothing, and
// being stored would grow from substep to substep without an end: the mean surplus is not asked for, as far as that is
// no crush. (A tenth more than the mean would do away with the last of the growth, but with a quarter more nothing
// holds the sand apart.) A free surface shows by the slope of s there. (Not by s, since surfaces at rest close up: a
// bed of mud under air counted as closed in and was compressed by 2 %.) A cube of n particles that is open at the top
// has n^(2/3) of them; as of water alone, in fluid/water_solve.c.
#define OPEN_LEAST 0.05
#define OPEN_MOST 0.2
#define SURPLUS_MOST 0.02
static float surplus_of(const porous* s) {
    double count  = (double)s->view.water.count + (s->pool ? (double)s->pool->view.water.count : 0.0);
    double open   = mean_over(s, surface_of, slants) * cbrt(count);
    double closed = fmin(fmax((OPEN_MOST - open) / (OPEN_MOST - OPEN_LEAST), 0.0), 1.0);
    return (float)(fmin(fmax(mean_over(s, leads_of, ratios), 0.0), SURPLUS_MOST) * closed);
}

// Pressure and friction together, until another sweep changes little.
static void solve(porous* s) {
    double weight    = 1.0;
    bool   is_first  = *s->steps == 0;
    int    most      = s->params.sweeps > 0 ? s->params.sweeps : SWEEPS_MOST;
    int    least     = s->params.sweeps > 0 ? s->params.sweeps : SWEEPS_LEAST;
    double way       = porous_way(s);
    double tolerance = 0.01 * (double)s->params.tolerance + TOLERANCE_WAY * way;
    if (is_first) most *= SWEEPS_FIRST, least *= SWEEPS_FIRST;
    s->is_solved = false;
    for (s->sweeps = 0; s->sweeps < least || (s->sweeps < most && !s->is_solved); s->sweeps++) {
        set_sweep(s, spread_of(s, way), &weight);
        run(s, POROUS_yield);
        if (s->pool) porous_pool_run(s->pool, POROUS_POOL_apply_pressure);
        push(s);
        s->is_solved = s->params.sweeps > 0 ||
                       mean_over(s, errors_of, errors) <= tolerance; // a number of them is what was asked for
    }
}

// Impulses on obstacles in this interval, so far.
static shoal_water_force* forces_of(porous* s) {
    int colliders = s->ctx->world->collider_count;
    if (s->ctx->totals[POROUS_TOTAL_SECONDS] == 0.0 && colliders > 0)
        memset(s->impulses, 0, (size_t)colliders * sizeof *s->impulses);
    return s->impulses;
}

static void add_totals(porous* s, double dt) {
    double* totals = s->ctx->totals;
    totals[POROUS_TOTAL_SECONDS] += dt;
    totals[POROUS_TOTAL_STEPS] += 1.0;
    totals[POROUS_TOTAL_SWEEPS] += s->sweeps;
    totals[POROUS_TOTAL_UNSOLVED] += !s->is_solved;
    totals[POROUS_TOTAL_PORE_STEPS] += s->wet.pore.iterations > 0;
    totals[POROUS_TOTAL_PORE_ITERATIONS] += s->wet.pore.iterations;
    totals[POROUS_TOTAL_PORE_UNSOLVED] += s->wet.flowed && !s->wet.pore.is_solved;
    ++*s->steps;
}

static void set_volume_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    shoal_v4* place = ctx;
    for (int i = begin; i < end; i++) place[i].w = 1.0f;
}

// Sand has the volume V, always.
static void set_volumes(porous* s) {
    shoal_blocks(&s->ctx->exec, s->water.view.count + s->water.halo.count, PARTICLE_BLOCK, set_volume_block,
                 s->water.view.place);
}

// Which coarse sand is inside its own kind.
static void delve(porous* s, double dt) {
    bind(s, dt);
    run(s, POROUS_weigh_coarse);
    SHOAL_LAY(&s->water.halo, &s->ctx->exec, s->view.water.count, SHOAL_SHOW(s->view.coarse_density, SAME));
    run(s, POROUS_mark_interior);
}

// Nothing is drawn in behind what emitters hold.
static void hold_back(porous* s) {
    s->view.taps = porous_taps_of(s);
    if (!s->view.taps.are_there) return;
    run(s, POROUS_recede);
    if (!s->pool) return;
    s->pool->view.taps = s->view.taps;
    porous_pool_run(s->pool, POROUS_POOL_recede);
}

// Per particle: way to the nearest emitter opening within BARS_REACH spacings; no substep goes farther.
#define BARS_REACH 1.0
static void bar_openings(porous* s, double dt) {
    const shoal_streams* streams = &s->ctx->streams;
    double               beyond  = BARS_REACH * s->ctx->description->spacing;
    s->view.has_bars             = streams->bars(streams->sim, s->ctx->particles, dt, beyond, s->view.bar);
    if (!s->pool) return;
    s->pool->view.has_bars = streams->bars(streams->sim, s->ctx->sets[POROUS_POOL], dt, beyond, s->pool->view.bar);
}

// Neighbours where they are, sand and water, and how dense they lie.
static shoal_status gather(porous* s, double dt) {
    porous_coarse_apply(s);
    SHOAL_TRY(shoal_water_gather(&s->water, dt, SHOAL_WATER_PCISPH));
    set_volumes(s);
    if (s->is_coarse) delve(s, dt);
    if (s->pool) SHOAL_TRY(porous_pool_gather(s, dt));
    roughen(s);
    bind(s, dt);
    weigh_water(s);
    run(s, POROUS_weigh);
    hold_back(s);
    run(s, POROUS_face);
    return SHOAL_OK;
}

static shoal_status porous_step(void* self, double dt) {
    porous* s = self;

    SHOAL_TRY(gather(s, dt));
    bar_openings(s, dt);
    run(s, POROUS_sum_gradients);
    if (s->pool) shoal_water_drive(&s->pool->sph);

    if (!porous_is_explicit(s)) s->view.surplus = surplus_of(s);
    porous_wet_survey(&s->wet, &s->water); // anew: what is made anew in each substep is not sorted with the particles
    run(s, POROUS_moisten);
    // the stresses of before with the new weight, then as much more as the sand needs to stay as it
    // is
    run(s, POROUS_begin);
    if (s->pool) porous_pool_run(s->pool, POROUS_POOL_begin);
    push(s);
    if (porous_is_explicit(s))
        apply_state_pressure(s);
    else
        solve(s);
    if (s->view.is_local)
        SHOAL_TRY(solve_friction(s));
    else if (s->ctx->is_last)
        SHOAL_TRY(porous_cluster(s));
    shoal_stage(s->ctx, SHOAL_STAGE_SOLVE);

    if (s->is_coarse) run(s, POROUS_drag);
    run(s, POROUS_advance);
    SHOAL_TRY(shoal_water_load(&s->water, forces_of(s)));
    porous_coarse_turn(s, dt);
    if (s->pool) SHOAL_TRY(porous_pool_advance(s));
    if (s->pool) SHOAL_TRY(porous_overturn(s));
    SHOAL_TRY(porous_exchange_step(s, dt));
    add_totals(s, dt);
    shoal_stage(s->ctx, SHOAL_STAGE_INTEGRATE);
    return SHOAL_OK;
}

static bool has_packing(const shoal_description* description) {
    for (int b = 0; b < description->body_count; b++)
        if (description->bodies[b].arrangement == SHOAL_RANDOM) return true;
    return false;
}

static double excess_of(const float* ratio, int i) { return fmax((double)ratio[i] - 1.0, 0.0); }
static double excess2_of(const float* ratio, int i) { return excess_of(ratio, i) * excess_of(ratio, i); }
SHOAL_SUM_LOOP(excesses_of, float, excess_of)
SHOAL_SUM_LOOP(excesses2_of, float, excess2_of)

// Whether round k is the last, or there is no need of it. *before: what it was EVEN_ROUNDS before.
static bool is_even(const porous* s, int k, double* before) {
    if (k < EVEN_ROUNDS) return false;
    double mean       = mean_over(s, excesses_of, ratios); // compression
    bool   is_stalled = k % EVEN_ROUNDS == 0 && mean > EVEN_STALLED * *before;
    if (k % EVEN_ROUNDS == 0) *before = mean;
    return k == EVEN_MOST || mean <= EVEN_AIM || is_stalled;
}

// `drift` as an interval begins with it.
static void clear_drift(porous* s) {
    for (int i = 0; i < s->view.water.count; i++) s->view.drift[i] = shoal_v3_make(0.0f, 0.0f, 0.0f);
}

// Before the first substep: what is left of compression comes out over some time.
static void let_out(porous* s) {
    double compression = mean_over(s, excesses_of, ratios);
    if (compression <= EVEN_ENOUGH) return;
    *s->leftover      = mean_over(s, excesses2_of, ratios) / compression;
    *s->leftover_time = release_of(s, compression);
    if (compression < EVEN_REPORTED) return;
    shoal_log(SHOAL_LOG_WARNING,
              "sand and water start compressed by %.2g %% on average (%.2g %% is the aim), and swell at first: bodies "
              "have too little room, or coarse sand is full of water",
              100.0 * compression, 100.0 * EVEN_AIM);
}

// The density of the initial state. Packed bodies are made even first, or they would swell: of a
// packing of spheres a hundredth is denser than at rest by 8 % and more.
static shoal_status porous_begin_run(void* self) {
    porous*      s      = self;
    const double still  = 1e-6; // s; any step will do
    const bool   packed = s->ctx->particles->count > 0 && has_packing(s->ctx->description);
    double       before = (double)INFINITY;
    porous_coarse_choose(s, porous_dt(s, 1.0 / s->ctx->description->fps));
    for (int k = 0;; k++) {
        SHOAL_TRY(gather(s, still));
        s->view.is_laid = false;
        s->view.momentum =
            k < EVEN_ROUNDS ? 0.0f : (float)(1.0 - EVEN_LOSS * fmin(1.0, EVEN_ROUNDS / (k - EVEN_ROUNDS + 1.0)));
        if (!packed || is_even(s, k, &before)) break;
        run(s, POROUS_equalize);
        if (s->pool) porous_pool_run(s->pool, POROUS_POOL_equalize);
        push(s);
        run(s, POROUS_shift);
        if (s->pool) porous_pool_run(s->pool, POROUS_POOL_shift);
    }
    if (packed) clear_drift(s);
    porous_wet_begin(&s->wet, &s->water);
    if (s->is_coarse) {
        SHOAL_TRY(porous_release(s));
        SHOAL_TRY(gather(s, still));
        porous_wet_survey(&s->wet, &s->water); // what frame 0 shows is not sorted with the particles
    }
    let_out(s);
    return SHOAL_OK;
}

// ---------------------------------------------------------------------------------- the type

static double porous_support(const void* params, double spacing) {
    return (double)((const porous_params*)params)->support * spacing;
}

// As sph's, whose lists these are.
static double porous_extra_bytes(const shoal_description* description, double particles) {
    const double         of_boundary = 650.0;
    const porous_params* p           = description->solver_params;
    double               neighbours  = shoal_lattice_make(1.0, (double)p->support, SHOAL_KERNEL_CUBIC).neighbours * 1.1;
    double               groups      = ceil(neighbours / SHOAL_LANES) + 1.0;
    double               each        = (double)(sizeof(int) + 3 * sizeof(int16_t));
    double               d2          = description->spacing * description->spacing;
    double               wet         = porous_is_wet(description) ? 400.0 + 20.0 * (neighbours + 1.0) : 0.0;
    return particles * wet + particles * ((4 + 8 + 8 + 4 + 12 + 16 + 12) * 5 / 4 + groups * SHOAL_LANES * each) +
           of_boundary * shoal_domain_area(&description->domain) / d2;
}

static bool porous_refuses(const shoal_description* description, char* buffer, size_t size) {
    const porous_params* p = description->solver_params;
    shoal_density_refuses(description, buffer, size);
    for (int m = 0; m < description->material_count; m++) {
        const shoal_material* sand = &description->materials[m];
        if (sand->kind != SHOAL_GRANULAR || sand->wetness <= 1.0f) continue;
        shoal_add_line(buffer, size,
                       "materials.%s.wetness: %g is more than its pores hold: here it is the saturation, at most 1",
                       sand->name, (double)sand->wetness);
    }
    for (int axis = 0; axis < 3; axis++) {
        if (description->domain.walls[2 * axis].kind != SHOAL_WALL_PERIODIC) continue;
        double length = shoal_d3_axis(description->domain.max, axis) - shoal_d3_axis(description->domain.min, axis);
        if (length >= 2.0 * porous_support(p, description->spacing) * (1.0 - 1e-6)) continue;
        shoal_add_line(buffer, size, "support: %g spacings is more than half of the periodic length of %g m",
                       (double)p->support, length);
    }
    return buffer[0] != '\0';
}

static bool porous_warns(const shoal_description* description, char* buffer, size_t size) {
    bool is_coarse = porous_coarse_warns(description, buffer, size);
    bool has_pores = porous_pores_warn(description, buffer, size);
    return porous_steps_warn(description, buffer, size) || is_coarse || has_pores;
}

static void porous_set_params(void* self, const void* params) {
    porous*            s = self;
    shoal_water_params water;
    s->params = *(const porous_params*)params;
    shoal_params_default(shoal_water_params_table, &water);
    water.support        = s->params.support;
    water.boundary_layer = false;
    shoal_water_set_params(&s->water, &water);
    s->water.omega = porous_omega(&s->water, true);
    porous_pool_set_params(s);
}

static void porous_destroy(void* self) {
    porous* s = self;
    if (!s) return;
    porous_pool_free(s);
    shoal_free(s->bins);
    shoal_water_free(&s->water);
    porous_wet_free(&s->wet);
    porous_clusters_free(&s->clusters);
    shoal_free(s->sands);
    shoal_free(s->open);
    shoal_free(s);
}

static shoal_status make_sets(porous* s) {
    SHOAL_TRY(shoal_set_rebuild(s->ctx->sets[POROUS_LOADS], s->ctx->world->collider_count));
    SHOAL_TRY(shoal_set_rebuild(s->ctx->sets[POROUS_SANDS], s->ctx->description->material_count));
    SHOAL_TRY(shoal_set_rebuild(s->ctx->sets[POROUS_ONCE], 1));
    s->impulses      = shoal_set_data(s->ctx->sets[POROUS_LOADS], "impulse");
    s->steps         = shoal_set_data(s->ctx->sets[POROUS_ONCE], "steps");
    s->leftover      = shoal_set_data(s->ctx->sets[POROUS_ONCE], "leftover");
    s->leftover_time = shoal_set_data(s->ctx->sets[POROUS_ONCE], "leftover_time");
    s->coarse        = shoal_set_data(s->ctx->sets[POROUS_SANDS], "coarse");
    s->sands         = shoal_alloc((size_t)s->ctx->description->material_count, sizeof *s->sands);
    s->open          = shoal_alloc((size_t)s->ctx->description->material_count, sizeof *s->open);
    if (!s->sands || !s->open) return SHOAL_ERR_MEMORY;
    if (s->pool) s->pool->sand.open = s->open;
    return porous_wet_make(&s->wet, s->ctx, s->ctx->particles, s->ctx->sets[POROUS_POOL], s->ctx->sets[POROUS_ONCE]);
}

static shoal_status porous_arrive(void* self, const shoal_arrival* arrival) {
    porous_wet_arrive(&((porous*)self)->wet, arrival);
    return SHOAL_OK;
}

static void porous_leave(void* self, const shoal_set* set, const uint8_t* marks) {
    porous_wet_leave(&((porous*)self)->wet, set, marks);
}

static shoal_status porous_create(shoal_sim_context* ctx, const void* params, void** self) {
    porous* s = shoal_alloc(1, sizeof *s);
    if (!s) return SHOAL_ERR_MEMORY;
    s->ctx              = ctx;
    s->bins             = shoal_alloc((size_t)ctx->exec.threads * (POROUS_BINS + 1), sizeof *s->bins);
    shoal_status status = s->bins ? shoal_water_make(&s->water, ctx, ctx->particles, SHOAL_GRANULAR) : SHOAL_ERR_MEMORY;
    if (status == SHOAL_OK) status = porous_pool_make(s);
    if (status == SHOAL_OK) status = make_sets(s);
    if (status != SHOAL_OK) {
        porous_destroy(s);
        return status;
    }
    porous_set_params(s, params);
    *self = s;
    return SHOAL_OK;
}

static double porous_unsolved(const void* self) { return ((const porous*)self)->is_solved ? 0.0 : 1.0; }

// Pores of coarse sand, whose water is free; by what is saved, since it is asked before a substep, of loaded states,
// too.
static double porous_open_volume(const void* self) {
    const porous*  s        = self;
    const uint8_t* material = shoal_set_read(s->ctx->particles, "material");
    double         d = s->ctx->description->spacing, sum = 0.0;
    for (int i = 0; i < s->ctx->particles->count; i++)
        if (s->coarse[material[i]]) sum += s->wet.pores[material[i]].porosity;
    return sum * d * d * d;
}

static double porous_neighbours(const void* self) {
    const porous* s   = self;
    int           n   = s->water.cells.item_count;
    double        sum = 0.0;
    for (int i = 0; i < n && s->water.near.count; i++) sum += s->water.near.count[i];
    return n > 0 ? sum / n : 0.0;
}

static shoal_status porous_check(void* self) {
    const porous* s = self;
    if (*s->steps < 0 || *s->steps > INT64_MAX / 2)
        return shoal_fail(SHOAL_ERR_INPUT, "the saved state has %lld substeps", (long long)*s->steps);
    if (!(*s->leftover >= 0.0) || !(*s->leftover_time >= 0.0))
        return shoal_fail(SHOAL_ERR_INPUT, "the saved state has started compressed by %g, for %g s", *s->leftover,
                          *s->leftover_time);
    SHOAL_TRY(porous_wet_check(&s->wet));
    return porous_pool_check(s);
}

static const char* pores_are_idle(const shoal_description* description, int material) {
    (void)material;
    return porous_is_wet(description) ? NULL : "no sand of the scene has wetness, and there is no liquid";
}

static const char* packing_is_idle(const shoal_description* description, int material) {
    if (description->materials[material].porosity > 0.0f) return "porosity is given";
    return pores_are_idle(description, material);
}

static const char* stickiness_is_idle(const shoal_description* description, int material) {
    if (!porous_is_wet(description) && description->materials[material].cohesion == 0.0f)
        return "it is over the cohesion of the sand, which has none, and stays dry";
    bool is_solid = description->obstacle_count > 0;
    for (int w = 0; w < SHOAL_WALL_COUNT && description->domain.is_given; w++) {
        shoal_wall_kind kind = description->domain.walls[w].kind;
        is_solid |= kind != SHOAL_WALL_OPEN && kind != SHOAL_WALL_PERIODIC;
    }
    return is_solid ? NULL : "there is no wall and no obstacle to stick to";
}

static const shoal_material_use uses[]        = {{"density", SHOAL_LIQUID, NULL},
                                                 {"viscosity", SHOAL_LIQUID, NULL},
                                                 {"density", SHOAL_GRANULAR, NULL},
                                                 {"friction_angle", SHOAL_GRANULAR, NULL},
                                                 {"boundary_friction", SHOAL_GRANULAR, shoal_walls_idle},
                                                 {"cohesion", SHOAL_GRANULAR, NULL},
                                                 {"grain_size", SHOAL_GRANULAR, NULL},
                                                 {"wetness", SHOAL_GRANULAR, NULL},
                                                 {"packing", SHOAL_GRANULAR, packing_is_idle},
                                                 {"porosity", SHOAL_GRANULAR, pores_are_idle},
                                                 {"permeability", SHOAL_GRANULAR, pores_are_idle},
                                                 {"capillary_height", SHOAL_GRANULAR, pores_are_idle},
                                                 {"cohesion_wet", SHOAL_GRANULAR, pores_are_idle},
                                                 {"ideal_saturation", SHOAL_GRANULAR, pores_are_idle},
                                                 {"mud_friction", SHOAL_GRANULAR, pores_are_idle},
                                                 {"mud_viscosity", SHOAL_GRANULAR, pores_are_idle},
                                                 {"stickiness", SHOAL_GRANULAR, stickiness_is_idle},
                                                 {0}};
static const shoal_field_def    fields[]      = {SHOAL_WATER_FIELDS(SHOAL_FIELD_ROW) POROUS_FIELDS(SHOAL_FIELD_ROW)
                                                     POROUS_WET_FIELDS(SHOAL_FIELD_ROW){0}};
static const shoal_field_def    pool_fields[] = {SHOAL_WATER_FIELDS(SHOAL_FIELD_ROW)
                                                     POROUS_POOL_FIELDS(SHOAL_FIELD_ROW){0}};
static const shoal_field_def    load_fields[] = {
       SHOAL_FIELD("impulse", D3, 2, STATE, "kg m/s", "given to an obstacle in this interval: by pressure, by friction"),
       {0}};
static const shoal_field_def sand_fields[] = {
    SHOAL_FIELD("coarse", U1, 1, STATE, "", "1: free water passes through this material"), {0}};
static const shoal_field_def once_fields[] = {
    SHOAL_FIELD("steps", L1, 1, STATE, "", "substeps since the start"),
    SHOAL_FIELD("leftover_time", D1, 1, STATE, "s", "time over which compression that the start has left is let out"),
    SHOAL_FIELD("leftover", D1, 1, STATE, "", "that compression"), POROUS_WET_ONCE(SHOAL_FIELD_ROW){0}};
static const shoal_set_def sets[] = {
    [POROUS_PARTICLES] = {"sand", SHOAL_SORTED, fields, 1u << SHOAL_GRANULAR, NULL},
    [POROUS_POOL]      = {"water", SHOAL_SORTED, pool_fields, 1u << SHOAL_LIQUID, NULL},
    [POROUS_LOADS]     = {"loads", SHOAL_FIXED, load_fields, 0, NULL},
    [POROUS_SANDS]     = {"sands", SHOAL_FIXED, sand_fields, 0, NULL},
    [POROUS_ONCE]      = {"once", SHOAL_FIXED, once_fields, 0, NULL},
    [POROUS_SETS]      = {0},
};

const shoal_solver_type porous_type = {
    .name           = "porous",
    .summary        = "Sand as a continuum of particles, and water beside it and in its pores, with one solve of "
                      "pressure and friction (Lenaerts & Dutre 2009)",
    .material_kinds = 1u << SHOAL_GRANULAR | 1u << SHOAL_LIQUID,
    .material_uses  = uses,
    .params         = porous_params_table,
    .params_size    = sizeof(porous_params),
    .sets           = sets,
    .columns        = porous_columns,
    .bodies         = SHOAL_BODIES_CONTINUUM | SHOAL_BODIES_FIXED,
    .support        = porous_support,
    .extra_bytes    = porous_extra_bytes,
    .verdicts =
        {[SHOAL_REFUSAL] = porous_refuses, [SHOAL_WARNING] = porous_warns, [SHOAL_REMARK] = porous_coarse_remarks},
    .create      = porous_create,
    .destroy     = porous_destroy,
    .arrive      = porous_arrive,
    .leave       = porous_leave,
    .begin       = porous_begin_run,
    .set_params  = porous_set_params,
    .plan        = porous_plan,
    .step        = porous_step,
    .unsolved    = porous_unsolved,
    .open_volume = porous_open_volume,
    .report      = porous_report,
    .neighbours  = porous_neighbours,
    .check       = porous_check,
};
