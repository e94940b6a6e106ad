// SPDX-License-Identifier: MIT
// The forces of a scene ahead of a substep. A solver's sort keeps the velocities that it begins
// with, and these have been pushed: those of before are kept here, for steps that fail.
#include <string.h>

#include "sim/sim_local.h"

shoal_status shoal_sim_push(shoal_sim* sim, double dt) {
    const shoal_set* set = sim->ctx.particles;
    double           t = sim->clock.time, span[2] = {0.0, dt};
    if (sim->type->forces_span) sim->type->forces_span(sim->self, dt, span);
    sim->is_pushed = set->count > 0 && shoal_forces_act(sim->description, t + span[0], t + span[1]);
    if (!sim->is_pushed) return SHOAL_OK;
    SHOAL_TRY(shoal_make_room((void**)&sim->unpushed, &sim->unpushed_room, set->count,
                              sizeof *sim->unpushed));
    memcpy(sim->unpushed, shoal_set_data(set, "velocity"),
           (size_t)set->count * sizeof *sim->unpushed);
    shoal_forces_push(sim->description, &sim->ctx.exec, set, t + span[0], t + span[1]);
    return SHOAL_OK;
}

void shoal_sim_unpush(shoal_sim* sim) {
    const shoal_set* set = sim->ctx.particles;
    if (sim->is_pushed)
        memcpy(shoal_set_data(set, "velocity"), sim->unpushed,
               (size_t)set->count * sizeof *sim->unpushed);
    sim->is_pushed = false;
}
