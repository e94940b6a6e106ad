// SPDX-License-Identifier: MIT
// Time: an interval is crossed in substeps; each emits, pushes, moves the solids, steps the solver, is checked, holds,
// and drains. A substep that fails anywhere on this way is undone as a whole.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "shoal/sim.h"
#include "exec/device.h"
#include "sim/sim_local.h"

// The closed wall that x has passed, or -1.
static int passed_wall(const shoal_world* world, shoal_v3 x) {
    for (int wall = 0; wall < SHOAL_WALL_COUNT; wall++) {
        if (!world->is_closed[wall]) continue;
        float at = shoal_v3_axis(x, wall / 2);
        if (wall % 2 == 0 ? at < shoal_v3_axis(world->min, wall / 2) : at > shoal_v3_axis(world->max, wall / 2))
            return wall;
    }
    return -1;
}

// No value may be infinite or undefined, and no closed wall be passed.
static shoal_status check_set(const shoal_sim* sim, const shoal_set* set, double dt) {
    shoal_particles_view asked = shoal_sim_asked(sim);
    int                  i     = (int)shoal_set_fold(set, &sim->ctx.exec, SHOAL_PARTICLES_fault, &asked);
    SHOAL_TRY(shoal_device_check(sim->ctx.exec.device));
    if (i < 0) return SHOAL_OK;

    static const char* const walls[]  = {"left", "right", "bottom", "top", "back", "front"};
    int32_t                  id       = ((const int32_t*)shoal_set_read(set, "id"))[i];
    shoal_v3                 x        = ((const shoal_v3*)shoal_set_read(set, "position"))[i];
    shoal_v3                 u        = ((const shoal_v3*)shoal_set_read(set, "velocity"))[i];
    int                      wall     = passed_wall(sim->world, x);
    char                     what[96] = "a value of it stopped being finite";
    if (shoal_v3_is_finite(x) && shoal_v3_is_finite(u) && wall >= 0)
        snprintf(what, sizeof what, "it passed the closed %s wall at (%.4g, %.4g, %.4g) m", walls[wall], (double)x.x,
                 (double)x.y, (double)x.z);
    return shoal_fail(SHOAL_ERR_DIVERGE,
                      "t = %.6g s: particle %d: %s; likely the substep of %.3g s is too long or a parameter too stiff",
                      sim->clock.time + dt, (int)id, what, dt);
}

// A solver gave up: add when, and which particle, where there are any, is the likely culprit.
static shoal_status blame_the_fastest(shoal_sim* sim, double dt) {
    double most;
    if (shoal_sim_count(sim) == 0)
        return shoal_fail(SHOAL_ERR_DIVERGE, "t = %.6g s: %s; substep %.3g s", sim->clock.time + dt, shoal_last_error(),
                          dt);
    sim_particle   who = shoal_sim_fastest(sim, &most);
    const int32_t* id  = shoal_set_read(who.set, "id");
    return shoal_fail(SHOAL_ERR_DIVERGE, "t = %.6g s: %s; the fastest is particle %d with %.3g m/s, substep %.3g s",
                      sim->clock.time + dt, shoal_last_error(), (int)id[who.index], most, dt);
}

// ---------------------------------------------------------------------------------- a substep, and back

static void mark(shoal_sim* sim) {
    for (int k = 0; sim->ctx.sets[k]; k++) shoal_set_mark(sim->ctx.sets[k]);
    sim->clock_before = sim->clock;
    memcpy(sim->emitters_before, sim->emitters, (size_t)sim->description->emitter_count * sizeof *sim->emitters);
    sim->touched_before = sim->touched;
    memcpy(sim->touches_before, sim->touches, sizeof sim->touches);
}

static void restore(shoal_sim* sim) {
    for (int k = 0; sim->ctx.sets[k]; k++) shoal_set_restore(sim->ctx.sets[k]);
    sim->clock = sim->clock_before;
    memcpy(sim->emitters, sim->emitters_before, (size_t)sim->description->emitter_count * sizeof *sim->emitters);
    sim->touched             = sim->touched_before;
    sim->description->pushed = sim->touched.acceleration;
    memcpy(sim->touches, sim->touches_before, sizeof sim->touches);
    sim->centre.is_known = false;
    shoal_world_move(sim->world, sim->clock.time, 0.0);
}

// The length of the next substep: what is left, in equal steps, so that there is no sliver at the end.
static shoal_status choose_dt(shoal_sim* sim, double* dt) {
    const shoal_clock* clock = &sim->clock;
    sim->plan                = (shoal_plan){.interval = clock->interval, .dt = clock->interval};
    SHOAL_TRY(sim->type->plan(sim->self, &sim->plan));
    double wanted    = fmin(fmin(sim->plan.dt, shoal_sim_streams_dt(sim)), shoal_sim_touch_dt(sim));
    double steps     = ceil(clock->left / wanted - 1e-6);
    sim->ctx.is_last = !(steps > 1.0);
    *dt              = sim->ctx.is_last ? clock->left : clock->left / steps;
    return SHOAL_OK;
}

void shoal_sim_kick(const shoal_sim* sim, double dt, double span[2]) {
    shoal_kick kick = sim->ctx.kick;
    double     lag  = sim->plan.lag;
    span[0]         = kick == SHOAL_KICK_MIDDLE ? -lag : 0.0;
    span[1] = kick == SHOAL_KICK_MIDDLE ? span[0] + 0.5 * (2.0 * lag + dt) : kick == SHOAL_KICK_WITHIN ? 0.0 : dt;
}

// The forces of the scene, which solvers find in the velocities.
static shoal_status push(shoal_sim* sim, double dt) {
    double t = sim->clock.time, span[2];
    shoal_sim_kick(sim, dt, span);
    if (!shoal_forces_act(sim->description, t + span[0], t + span[1])) return SHOAL_OK;
    SHOAL_EACH_PARTICLE_SET(&sim->ctx, set) {
        SHOAL_TRY(shoal_set_keep(set, "velocity"));
        shoal_forces_push(sim->description, &sim->ctx.exec, set, t + span[0], t + span[1]);
    }
    return SHOAL_OK;
}

static shoal_status step(shoal_sim* sim, double dt) {
    shoal_status status = sim->type->step(sim->self, dt);
    if (status == SHOAL_ERR_DIVERGE) status = blame_the_fastest(sim, dt);
    SHOAL_TRY(status);
    SHOAL_EACH_PARTICLE_SET(&sim->ctx, set) SHOAL_TRY(check_set(sim, set, dt));
    return shoal_sim_watch(sim, dt);
}

// All of it, in order; what it has done until it fails is for the caller to undo.
static shoal_status try_substep(shoal_sim* sim) {
    double       began = shoal_seconds();
    shoal_clock* clock = &sim->clock;
    shoal_stage(&sim->ctx, SHOAL_STAGE_COUNT);
    sim->ctx.time = clock->time;
    // as they are now, not as the last substep has left them: a loaded state knows the time alone
    shoal_world_move(sim->world, clock->time, 0.0);
    SHOAL_TRY(shoal_sim_emit_streams(sim, clock->time)); // ahead of the choice of the substep, which they decide
    double dt;
    SHOAL_TRY(choose_dt(sim, &dt));
    SHOAL_TRY(shoal_sim_watch_steps(sim, dt));
    SHOAL_TRY(shoal_sim_emit_due(sim, clock->time, dt));
    SHOAL_TRY(push(sim, dt));
    SHOAL_TRY(shoal_sim_touch_push(sim, dt));
    SHOAL_TRY(shoal_sim_carry(sim, dt));
    shoal_world_move(sim->world, clock->time + dt, dt);
    SHOAL_TRY(shoal_sim_announce(sim));
    shoal_sim_centre_before(sim);
    shoal_stage(&sim->ctx, SHOAL_STAGE_OTHER);
    SHOAL_TRY(step(sim, dt));
    shoal_sim_centre_after(sim, dt);
    shoal_sim_hold(sim, dt);
    SHOAL_TRY(shoal_sim_drain(sim, dt));
    SHOAL_TRY(shoal_device_check(sim->ctx.exec.device));

    clock->steps++;
    clock->interval_steps++;
    clock->left = dt < clock->left ? clock->left - dt : 0.0;
    clock->time = clock->start + (clock->interval - clock->left); // no rounding adds up
    shoal_stage(&sim->ctx, SHOAL_STAGE_OTHER);
    sim->interval_seconds += shoal_seconds() - began;
    return SHOAL_OK;
}

// On failure everything is as it was before, emission included.
static shoal_status substep(shoal_sim* sim) {
    mark(sim);
    shoal_status status = try_substep(sim);
    if (status != SHOAL_OK) restore(sim);
    return status;
}

// Adds what streams have sent until the end of an interval. Otherwise every frame would show a gap of one substep's
// inflow below the opening.
static shoal_status complete_streams(shoal_sim* sim) {
    if (sim->description->emitter_count == 0) return SHOAL_OK;
    mark(sim);
    shoal_world_move(sim->world, sim->clock.time, 0.0);
    shoal_status status = shoal_sim_emit_streams(sim, sim->clock.time);
    if (status == SHOAL_OK) status = shoal_sim_announce(sim);
    if (status != SHOAL_OK) restore(sim);
    return status;
}

shoal_status shoal_sim_advance(shoal_sim* sim, double seconds) {
    shoal_clock* clock = &sim->clock;
    if (!(clock->left > 0.0)) {
        if (!(seconds > 0.0) || !isfinite(seconds))
            return shoal_fail(SHOAL_ERR_PARAM, "cannot advance by %g s; it must be more than 0", seconds);
        clock->interval = clock->left = seconds;
        clock->start                  = clock->time;
        clock->interval_steps         = 0;
        memset(clock->totals, 0, sizeof clock->totals);
        sim->interval_seconds = 0.0;
    }
    while (clock->left > 0.0) {
        SHOAL_TRY(substep(sim));
        if (clock->left > 0.0 && sim->stop && sim->stop(sim->stop_user))
            return shoal_fail(SHOAL_ERR_INTERRUPTED, "stopped at t = %.6g s", clock->time);
    }
    SHOAL_TRY(shoal_sim_watch_gain(sim));
    return complete_streams(sim);
}
