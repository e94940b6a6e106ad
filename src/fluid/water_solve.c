// SPDX-License-Identifier: MIT
// SPH water: forces, the pressure of the three methods, and the length of a substep.
#include "fluid/water_local.h"
#include "state/set_pass.h"

enum { SWEEPS_MOST = 100, SHIFT_SWEEPS = 10 };

// Less compression than this fraction of the tolerance is not worth a shift.
#define SHIFT_AIM 0.5

// Where a sweep leaves more than the one before, as in violent motion, where gradients change within the step, the next
// ones go more carefully, down to this.
#define RELAX_LEAST 0.1f

static void answer(const shoal_water* w) {
    if (w->immersed.answer) w->immersed.answer(w->immersed.self);
}

// Viscosity of a thick liquid, on the velocities that forces have made.
static void thicken(shoal_water* w) {
    const shoal_water_view* v       = &w->view;
    shoal_thick_problem     problem = {.count     = v->count,
                                       .near      = v->near,
                                       .halo      = &w->halo,
                                       .place     = v->place,
                                       .is_sized  = v->is_sized,
                                       .h         = v->h,
                                       .laplacian = (float)w->laplacian,
                                       .along     = (float)w->along,
                                       .material  = v->material,
                                       .liquids   = v->thick,
                                       .hold      = v->hold,
                                       .stream    = v->stream,
                                       .motion    = v->motion};
    shoal_water_do(w, SHOAL_WATER_keep);
    shoal_thick_solve(&w->thick, &w->ctx->exec, &problem);
    shoal_water_do(w, SHOAL_WATER_thicken);
    shoal_water_fill_motion(w);
}

// Surface tension and gravity, added to `push`.
static void accelerate(shoal_water* w) {
    if (w->params.tension != SHOAL_WATER_TENSION_NONE) shoal_water_do(w, SHOAL_WATER_cohere);
    shoal_water_do(w, SHOAL_WATER_accelerate);
    shoal_water_fill_motion(w);
    if (w->is_thick) thicken(w);
    answer(w);
}

void shoal_water_drive(shoal_water* w) {
    shoal_water_do(w, SHOAL_WATER_forces);
    accelerate(w);
}

void shoal_water_melt(shoal_water* w) {
    if (!(w->melt > 0.0)) return;
    shoal_water_do(w, SHOAL_WATER_lean);
    SHOAL_FILL_HALO(&w->halo, w->view.count, SHOAL_SHOW(w->view.lean, LEAN), SHOAL_SHOW(w->view.lean_yz, LEAN_YZ));
    shoal_water_do(w, SHOAL_WATER_level);
}

// ---------------------------------------------------------------------------------- sweeps

static void apply_pressure(shoal_water* w) {
    SHOAL_FILL_HALO(&w->halo, w->view.count, SHOAL_SHOW(w->view.kappa, SAME));
    shoal_water_do(w, SHOAL_WATER_apply_pressure);
    shoal_water_fill_motion(w);
    answer(w);
}

static double of_all(const shoal_water* w, int fold, const shoal_water_view* v) {
    return shoal_pass_fold(&w->ctx->exec, &shoal_water_passes, fold, v, v->count);
}

// The average error that the last sweep has found, %.
static double average_error(shoal_water* w) {
    int count = w->view.count;
    return count > 0 ? 100.0 * of_all(w, SHOAL_WATER_all_errors, &w->view) / count : 0.0;
}

// Whether there is room to expand into: 0 in a box that is full, 1 where the liquid has a free surface. A cube of it
// that is open at the top has n^(2/3) particles there, a box full to the lid only those at cavities behind obstacles.
// Liquids of several densities count as open: they start without a pressure and were stable before; light particles
// among heavy ones look like a surface.
static void find_surface(shoal_water* w) {
    const double closed = 0.05, open = 0.2;
    double       count = w->view.count, surface = of_all(w, SHOAL_WATER_all_surface, &w->view);
    double       part = count > 0.0 ? surface / cbrt(count * count) : open;
    w->open           = w->shifts && !w->view.is_uneven ? fmin(fmax((part - closed) / (open - closed), 0.0), 1.0) : 1.0;
    w->view.correction = (float)(w->pace * w->open);
}

// The error at which the divergence-free solve may stop, %: as a rate where substeps are short.
static float divergence_aim(const shoal_water* w) {
    return (float)((double)w->params.divergence_tolerance * fmin(1.0, (double)w->view.dt / w->stride));
}

// The average compression where all are, %.
static double compression_of(shoal_water* w) {
    int count = w->view.count;
    return count > 0 ? 100.0 * of_all(w, SHOAL_WATER_all_excess, &w->view) / count : 0.0;
}

// The error at which sweeps may stop, %. What is reached differs from what was foreseen: in second order, by neighbours
// that were none before, and since the last sweep is not measured again. So there is room to begin with, and more of it
// when the last substep has left more than nine tenths of the tolerance.
static float aim_of(shoal_water* w, double fraction) {
    double now       = compression_of(w);
    double tolerance = (double)w->params.tolerance, most = 0.9 * tolerance;
    double less = now > most ? most * most / (now * now) : 1.0;
    if (w->open < 1.0) less = fmax(less, 0.3); // a full box cannot do better, however long it is swept
    return (float)(fraction * tolerance * less * w->pace);
}

// Chebyshev's weights [Wang 2015], after two plain sweeps. Halves the sweeps of a pool at rest; with 0.98 it grew
// restless.
static float next_momentum(float now, int sweeps) {
    const float radius = 0.9f, r2 = radius * radius;
    return sweeps < 2 ? 1.0f : sweeps == 2 ? 2.0f / (2.0f - r2) : 4.0f / (4.0f - r2 * now);
}

// Measures s at the predicted positions.
static void foresee(shoal_water* w) {
    shoal_water_do(w, SHOAL_WATER_foresee);
    SHOAL_FILL_HALO(&w->halo, w->view.count, SHOAL_SHOW(w->view.guess, PLACE));
    shoal_water_do(w, SHOAL_WATER_predict);
}

// Each sweep measures with one pass and then presses. One that finds all within the tolerance need not press; one that
// will get there, at the pace of the last, is the last and not measured again. False where the most sweeps did not do.
static bool sweep(shoal_water* w, shoal_water_pass measure, int wanted, int least, float tolerance) {
    int    most = wanted > 0 ? wanted : SWEEPS_MOST, done = 0;
    double before = 0.0, aim = (double)tolerance;
    bool   is_met = wanted > 0;
    int    smooth = 0; // sweeps since the last that overshot
    w->view.relax = 1.0f;
    for (; done < most; done++, w->sweeps++) {
        w->view.momentum = next_momentum(w->view.momentum, smooth++);
        if (measure == SHOAL_WATER_predict)
            foresee(w);
        else
            shoal_water_do(w, measure);
        double error = average_error(w);
        if (wanted == 0 && done >= least && error < aim) {
            shoal_water_do(w, SHOAL_WATER_retract);
            return true;
        }
        apply_pressure(w);
        if (done > 0 && error > before) { // for the next ones
            w->view.relax = fmaxf(0.7f * w->view.relax, RELAX_LEAST);
            smooth        = 0;
        }
        if (wanted == 0 && done > least && error < before && error * error < aim * before) {
            most   = done + 1;
            is_met = true;
        }
        before = error;
    }
    return is_met;
}

static void begin(shoal_water* w, float* total, float warm) {
    w->view.total = total;
    w->view.warm  = warm;
    shoal_water_do(w, SHOAL_WATER_begin);
}

// The pressure kappa acts together with the forces.
static void apply_forces_and_pressure(shoal_water* w) {
    if (w->view.is_mixed || w->view.is_mueller) {
        shoal_water_do(w, SHOAL_WATER_forces);
        accelerate(w);
        apply_pressure(w);
        return;
    }
    shoal_water_do(w, SHOAL_WATER_tell);
    shoal_water_fill_places(w);
    shoal_water_do(w, SHOAL_WATER_act);
    accelerate(w);
}

void shoal_water_explicit(shoal_water* w) {
    shoal_water_do(w, SHOAL_WATER_state);
    apply_forces_and_pressure(w);
    w->sweeps    = 1;
    w->is_solved = true;
}

void shoal_water_predictive(shoal_water* w) {
    find_surface(w);
    begin(w, w->view.pressure, 0.0f);
    shoal_water_do(w, SHOAL_WATER_forces);
    accelerate(w);
    w->sweeps    = 0;
    w->is_solved = sweep(w, SHOAL_WATER_predict, w->params.iterations, 3, aim_of(w, 0.9));
    shoal_water_do(w, SHOAL_WATER_finish);
}

// What a solve begins with of the last pressure. Liquids of several densities begin with none: light particles change
// their places among heavy ones quickly, and a pressure that belonged to another place throws them, the more the
// lighter they are.
static float warmth(const shoal_water* w) { return w->view.is_uneven ? 0.0f : w->params.warm_start; }

// The first walk of a substep: density, the error of the divergence, slopes of pairs, and, for one liquid, what forces
// and the pressure of the warm start do; that stands when there is no divergence to take away first.
void shoal_water_solenoidal(shoal_water* w) {
    shoal_water_view* v = &w->view;
    begin(w, v->pressure, warmth(w));
    shoal_water_do(w, SHOAL_WATER_tell);
    shoal_water_fill_places(w);
    v->is_begun = !v->is_mixed;
    shoal_water_do(w, SHOAL_WATER_weigh);
    if (!v->is_split) return;
    if (average_error(w) < (double)divergence_aim(w)) {
        begin(w, v->settling, 0.0f);
        return;
    }
    v->is_begun = false;
    begin(w, v->settling, warmth(w));
    apply_pressure(w);
    sweep(w, SHOAL_WATER_diverge, 0, 0, divergence_aim(w));
    shoal_water_do(w, SHOAL_WATER_finish);
}

void shoal_water_incompressible(shoal_water* w) {
    find_surface(w);
    w->view.total = w->view.pressure;
    if (w->view.is_mixed) {
        shoal_water_do(w, SHOAL_WATER_forces);
        accelerate(w);
        shoal_water_do(w, SHOAL_WATER_recall);
        apply_pressure(w);
    } else {
        if (!w->view.is_begun) shoal_water_do(w, SHOAL_WATER_act);
        accelerate(w);
    }
    // by the rate of s, which is quick; then by s at the predicted positions, since the rate is not all in a long step.
    // Where a light liquid bears a heavy one sweeps converge slowly, and a pressure that many of them make by the rate
    // alone is no start: only the second
    w->sweeps    = 0;
    bool by_rate = !w->view.is_uneven, by_place = w->view.is_uneven || w->params.iterations == 0;
    if (by_rate) w->is_solved = sweep(w, SHOAL_WATER_compress, w->params.iterations, 1, aim_of(w, 0.65));
    if (by_place) w->is_solved = sweep(w, SHOAL_WATER_predict, w->params.iterations, 0, aim_of(w, 0.9));
    shoal_water_do(w, SHOAL_WATER_finish);
}

// A velocity that makes compression good is energy from nothing, and where there is no room to expand it never ends: in
// a box that is full to the lid s is above 1 in the mean as soon as particles are no lattice. So there velocities only
// keep s from growing, and the present excess moves places alone, as in Cornelis et al. 2019 (there everywhere; with a
// free surface that takes twice the sweeps, and left 0.14 % in a dam break where 0.09 % are left now). An even pressure
// helps, which moves only those that have more neighbours on one side, and so undoes clumps. Few sweeps: there is no
// solution to converge to.
void shoal_water_shift(shoal_water* w) {
    shoal_water_view* v = &w->view;
    shoal_water_do(w, SHOAL_WATER_settle);
    if (w->open == 1.0) return;
    double now = compression_of(w), tolerance = (double)w->params.tolerance;
    if (now < SHIFT_AIM * tolerance) return;
    begin(w, v->spread, 0.0f);
    v->correction = (float)(w->pace * (1.0 - w->open));
    v->even  = (float)(0.02 * fmax(now - tolerance, 0.0)) * v->correction; // twice what is above the tolerance, in %
    v->relax = v->momentum = 1.0f;
    for (int k = 0; k < SHIFT_SWEEPS; k++) {
        foresee(w);
        if (average_error(w) < SHIFT_AIM * tolerance * (double)v->correction) break;
        apply_pressure(w);
    }
}

// ---------------------------------------------------------------------------------- time step

double shoal_water_care(shoal_water* w, shoal_water_method method) {
    const shoal_set* set = w->set;
    if (method == SHOAL_WATER_WCSPH || set->count == 0) return 1.0;
    shoal_water_view v = {.count = set->count, .liquids = shoal_water_liquids(w)};
    v.density          = (float*)shoal_set_seen(set, &w->ctx->exec, "density");
    v.material         = (uint8_t*)shoal_set_seen(set, &w->ctx->exec, "material");
    double now         = 100.0 * of_all(w, SHOAL_WATER_all_overfull, &v) / set->count;
    return fmax(fmin(sqrt((double)w->params.tolerance / (now + 1e-30)), 1.0), 0.25);
}

double shoal_water_dt(const shoal_water* w, shoal_water_method method) {
    const shoal_set*         set         = w->set;
    const shoal_description* description = w->ctx->description;
    const shoal_exec*        exec        = &w->ctx->exec;
    double                   d = (double)w->view.d, half = 0.5 * (double)w->view.h; // the smoothing length of Monaghan
    double                   dt = (double)INFINITY, lightest = (double)INFINITY, heaviest = 0.0;
    double                   speed = fmax(shoal_set_fastest(set, exec), shoal_obstacle_speed_now(w->ctx));
    double                   push  = shoal_acceleration_now(w->ctx);
    shoal_water_view         v     = {.count = set->count};
    v.acceleration                 = (float*)shoal_set_seen(set, exec, "acceleration");
    push                           = fmax(push, of_all(w, SHOAL_WATER_all_pushed, &v));

    for (int m = 0; m < description->material_count; m++) {
        const shoal_material* material = shoal_water_material(w, m);
        double                rho      = (double)material->density;
        if (w->params.tension != SHOAL_WATER_TENSION_NONE && material->surface_tension > 0.0f)
            dt = fmin(dt, 0.1 * sqrt(rho * d * d * d / (double)material->surface_tension));
        lightest = fmin(lightest, rho);
        heaviest = fmax(heaviest, rho);
    }
    dt = fmin(dt, (double)w->params.cfl * d / (speed + 1e-30));
    dt = fmin(dt, (method == SHOAL_WATER_WCSPH ? 0.25 : 0.1) * sqrt(half / (push + 1e-30)));
    if (method == SHOAL_WATER_WCSPH) { // stiffness is that of the heaviest liquid, so sound is quicker in lighter ones
        double sound = w->sound_speed * sqrt(heaviest / lightest);
        dt = fmin(dt, (double)w->params.cfl * half / (sound * (1.0 + 0.6 * (double)w->params.artificial_viscosity)));
    }
    return dt;
}
