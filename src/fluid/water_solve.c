// SPDX-License-Identifier: MIT
// SPH water: forces, the pressure of the three methods, and the length of a substep.
#include "fluid/water_pass.h"

enum { SWEEPS_MOST = 100 };

// Surface tension and gravity besides what is in `push`.
static void accelerate(shoal_water* w) {
    if (w->params.tension != SHOAL_WATER_TENSION_NONE) shoal_water_do(w, SHOAL_WATER_cohere);
    shoal_water_do(w, SHOAL_WATER_accelerate);
    shoal_water_share_motion(w);
}

// ---------------------------------------------------------------------------------- sweeps

static void press(shoal_water* w) {
    for (int k = 0; k < w->halo.count; k++) w->view.told[w->view.count + k] = w->view.told[w->halo.images[k].source];
    shoal_water_do(w, SHOAL_WATER_press);
    shoal_water_share_motion(w);
}

static double errors_of(void* ctx, int begin, int end) {
    const float* error = ctx;
    double       sum   = 0.0;
    for (int i = begin; i < end; i++) sum += (double)error[i];
    return sum;
}

// The average error that the last sweep has found, %.
static double average_error(shoal_water* w) {
    int count = w->view.count;
    return count > 0 ? 100.0 * shoal_sum(&w->ctx->exec, count, errors_of, w->view.error) / count : 0.0;
}

static double excess_of(void* ctx, int begin, int end) {
    const float* ratio = ctx;
    double       sum   = 0.0;
    for (int i = begin; i < end; i++) sum += fmax((double)ratio[i] - 1.0, 0.0);
    return sum;
}

// The error at which sweeps may stop, %. What is reached differs from what was foreseen: in second order, by neighbours that
// were none before, and since the last sweep is not measured again. So there is room to begin with, and more of it when the
// last substep has left more than nine tenths of the tolerance.
static float aim_of(shoal_water* w, double share) {
    int    count = w->view.count;
    double now = count > 0 ? 100.0 * shoal_sum(&w->ctx->exec, count, excess_of, w->view.ratio) / count : 0.0;
    double tolerance = (double)w->params.tolerance, most = 0.9 * tolerance;
    return (float)(share * tolerance * (now > most ? most * most / (now * now) : 1.0));
}

// Chebyshev's weights [Wang 2015], after two plain sweeps. Halves the sweeps of a pool at rest; with 0.98 it grew restless.
static float next_momentum(float now, int sweeps) {
    const float radius = 0.9f, r2 = radius * radius;
    return sweeps < 2 ? 1.0f : sweeps == 2 ? 2.0f / (2.0f - r2) : 4.0f / (4.0f - r2 * now);
}

// Each sweep measures with one pass and then presses. One that finds all within the tolerance need not press; one that
// will get there, at the pace of the last, is the last and not measured again.
static void sweep(shoal_water* w, shoal_water_pass measure, int wanted, int least, float tolerance) {
    int    most   = wanted > 0 ? wanted : SWEEPS_MOST;
    double before = 0.0, aim = (double)tolerance;
    for (w->sweeps = 0; w->sweeps < most; w->sweeps++) {
        if (measure == SHOAL_WATER_predict) {
            shoal_water_do(w, SHOAL_WATER_foresee);
            shoal_halo_fill(&w->halo, w->view.guess, w->view.count, true);
        }
        w->view.momentum = next_momentum(w->view.momentum, w->sweeps);
        shoal_water_do(w, measure);
        double error = wanted == 0 ? average_error(w) : 0.0;
        if (wanted == 0 && w->sweeps >= least && error < aim) {
            shoal_water_do(w, SHOAL_WATER_retract);
            break;
        }
        press(w);
        if (wanted == 0 && w->sweeps > least && error < before && error * error < aim * before) most = w->sweeps + 1;
        before = error;
    }
}

static void begin(shoal_water* w, float* total, float warm) {
    w->view.total = total;
    w->view.warm  = warm;
    shoal_water_do(w, SHOAL_WATER_begin);
}

// The pressure told acts together with the forces.
static void force_and_press(shoal_water* w) {
    if (w->view.is_mixed || w->view.is_mueller) {
        shoal_water_do(w, SHOAL_WATER_forces);
        accelerate(w);
        press(w);
        return;
    }
    shoal_water_do(w, SHOAL_WATER_tell);
    shoal_water_share_places(w);
    shoal_water_do(w, SHOAL_WATER_act);
    accelerate(w);
}

void shoal_water_explicit(shoal_water* w) {
    shoal_water_do(w, SHOAL_WATER_state);
    force_and_press(w);
    w->sweeps = 1;
}

void shoal_water_predictive(shoal_water* w) {
    begin(w, w->view.pressure, 0.0f);
    shoal_water_do(w, SHOAL_WATER_forces);
    accelerate(w);
    sweep(w, SHOAL_WATER_predict, w->params.iterations, 3, aim_of(w, 0.9));
    shoal_water_do(w, SHOAL_WATER_finish);
}

// The first walk of a substep: density, the error of the divergence, slopes of pairs, and, for one liquid, what forces and the
// pressure of the warm start do; that stands when there is no divergence to take away first.
void shoal_water_solenoidal(shoal_water* w) {
    shoal_water_view* v = &w->view;
    begin(w, v->pressure, w->params.warm_start);
    shoal_water_do(w, SHOAL_WATER_tell);
    shoal_water_share_places(w);
    v->is_begun = !v->is_mixed;
    shoal_water_do(w, SHOAL_WATER_weigh);
    if (!v->is_split) return;
    if (average_error(w) < (double)w->params.divergence_tolerance) {
        begin(w, v->settling, 0.0f);
        return;
    }
    v->is_begun = false;
    begin(w, v->settling, w->params.warm_start);
    press(w);
    sweep(w, SHOAL_WATER_diverge, 0, 0, w->params.divergence_tolerance);
    shoal_water_do(w, SHOAL_WATER_finish);
}

void shoal_water_incompressible(shoal_water* w) {
    w->view.total = w->view.pressure;
    if (w->view.is_mixed) {
        shoal_water_do(w, SHOAL_WATER_forces);
        accelerate(w);
        shoal_water_do(w, SHOAL_WATER_recall);
        press(w);
    } else {
        if (!w->view.is_begun) shoal_water_do(w, SHOAL_WATER_act);
        accelerate(w);
    }
    sweep(w, SHOAL_WATER_compress, w->params.iterations, 1, aim_of(w, 0.65));
    shoal_water_do(w, SHOAL_WATER_finish);
}

// ---------------------------------------------------------------------------------- time step

typedef struct race {
    const shoal_v3* velocity;
    const float*    acceleration;
} race;

static double speed2_of(void* ctx, int begin, int end) {
    const race* r    = ctx;
    double      most = 0.0;
    for (int i = begin; i < end; i++) most = fmax(most, (double)shoal_v3_dot(r->velocity[i], r->velocity[i]));
    return most;
}

static double acceleration_of(void* ctx, int begin, int end) {
    const race* r    = ctx;
    double      most = 0.0;
    for (int i = begin; i < end; i++) most = fmax(most, (double)r->acceleration[i]);
    return most;
}

double shoal_water_dt(const shoal_water* w, shoal_water_method method) {
    const shoal_set*         set         = w->ctx->particles;
    const shoal_description* description = w->ctx->description;
    const shoal_exec*        exec        = &w->ctx->exec;
    double                   d = (double)w->view.d, half = 0.5 * (double)w->view.h; // the smoothing length of Monaghan
    double                   dt = (double)INFINITY, lightest = (double)INFINITY, heaviest = 0.0;
    race                     r  = {shoal_set_data(set, "velocity"), shoal_set_data(set, "acceleration")};
    double                   speed = 0.0, push = shoal_d3_length(description->gravity);
    if (set->count > 0) speed = sqrt(shoal_max(exec, set->count, speed2_of, &r));
    if (set->count > 0) push = fmax(push, shoal_max(exec, set->count, acceleration_of, &r));
    speed = fmax(speed, w->obstacle_speed);

    for (int m = 0; m < description->material_count; m++) {
        const shoal_material* material = &description->materials[m];
        double                rho = (double)material->density, nu = (double)material->viscosity / rho;
        if (nu > 0.0) dt = fmin(dt, 0.125 * half * half / nu);
        if (w->params.tension != SHOAL_WATER_TENSION_NONE && material->surface_tension > 0.0f)
            dt = fmin(dt, 0.1 * sqrt(rho * d * d * d / (double)material->surface_tension));
        lightest = fmin(lightest, rho);
        heaviest = fmax(heaviest, rho);
    }
    dt = fmin(dt, (double)w->params.cfl * d / (speed + 1e-30));
    dt = fmin(dt, (method == SHOAL_WATER_WCSPH ? 0.25 : 0.1) * sqrt(half / (push + 1e-30)));
    if (method == SHOAL_WATER_WCSPH) { // stiffness is that of the heaviest liquid, so sound is quicker in lighter ones
        double sound = w->sound_speed * sqrt(heaviest / lightest);
        dt           = fmin(dt, (double)w->params.cfl * half / (sound * (1.0 + 0.6 * (double)w->params.artificial_viscosity)));
    }
    return dt;
}
