// SPDX-License-Identifier: MIT
// The centre of mass against momentum: what moves matter without giving it a velocity, or gives it a velocity without
// moving it, is no motion that momentum explains, as volume that vanishes in one place and is made good in another.
// Over all substeps dx_com - p/m dt is added up, from just before the step of the solver to just after it: emission,
// sinks and what openings do to their streams lie outside of that.
#include <math.h>

#include "sim/sim_local.h"
#include "state/measure.h"

static shoal_motion_sums sums_of(const shoal_sim* sim) {
    shoal_particles_view asked = shoal_sim_asked(sim);
    shoal_motion_sums    all   = {0};
    SHOAL_EACH_MATTER(&sim->ctx, set) {
        shoal_motion_sums own = shoal_set_motion(set, &sim->ctx.exec, &asked);
        all.mass += own.mass;
        all.moment = shoal_d3_add(all.moment, own.moment);
        if (!shoal_sim_steps_within(sim, set)) all.momentum = shoal_d3_add(all.momentum, own.momentum);
    }
    return all;
}

static int64_t items_of(const shoal_sim* sim) {
    int64_t count = 0;
    SHOAL_EACH_MATTER(&sim->ctx, set) count += set->count;
    return count;
}

// Places are as the last substep has left them, unless something came, went or was held; velocities are not, where
// forces push.
static bool is_as_it_was(const shoal_sim* sim) {
    const sim_centre* c = &sim->centre;
    return c->is_known && !sim->ctx.is_by_mean && sim->description->emitter_count == 0 && items_of(sim) == c->items;
}

void shoal_sim_centre_before(shoal_sim* sim) {
    if (!is_as_it_was(sim)) sim->centre.sums = sums_of(sim);
    sim->centre.is_known = false; // until the substep has come to its end
    sim->centre.carried  = shoal_d3_make(0.0, 0.0, 0.0);
}

void shoal_sim_centre_came(shoal_sim* sim, const shoal_arrival* comes) {
    const shoal_v3*    x       = shoal_set_read(comes->set, "position");
    shoal_measure      measure = shoal_measure_of(sim->description, comes->set);
    shoal_motion_sums* sums    = &sim->centre.sums;
    for (int i = comes->first; i < comes->first + comes->count; i++) {
        double mass = shoal_measure_mass(&measure, i);
        sums->mass += mass;
        sums->moment = shoal_d3_add(sums->moment, shoal_d3_scale(shoal_d3_from(x[i]), mass));
    }
}

void shoal_sim_centre_carried(shoal_sim* sim, const shoal_set* set, double dt) {
    shoal_particles_view asked = shoal_sim_asked(sim);
    shoal_d3             p     = shoal_set_motion(set, &sim->ctx.exec, &asked).momentum;
    sim->centre.carried        = shoal_d3_add(sim->centre.carried, shoal_d3_scale(p, dt));
}

void shoal_sim_centre_after(shoal_sim* sim, double dt) {
    const shoal_motion_sums *a = &sim->centre.sums, b = sums_of(sim);
    double                   first     = sim->ctx.is_by_mean ? 0.5 : 0.0; // weight of the velocity before the step
    bool                     is_closed = !sim->ctx.has_exchanged && a->mass > 0.0 && b.mass > 0.0;
    for (int axis = 0; axis < 3 && is_closed; axis++) {
        if (sim->world->is_periodic[axis]) continue; // what leaves there comes in on the other side
        double way  = shoal_d3_axis(b.moment, axis) / b.mass - shoal_d3_axis(a->moment, axis) / a->mass;
        double from = shoal_d3_axis(a->momentum, axis) / a->mass, to = shoal_d3_axis(b.momentum, axis) / b.mass;
        double carried = shoal_d3_axis(sim->centre.carried, axis) / b.mass;
        sim->clock.unexplained[axis] += way - (first * from + (1.0 - first) * to) * dt - carried;
    }
    sim->centre = (sim_centre){.is_known = true, .items = items_of(sim), .sums = b};
}
