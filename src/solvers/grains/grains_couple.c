// SPDX-License-Identifier: MIT
// What water and grains do to each other (Rungjiratananon et al. 2008, equations 9 and 10): drag and pressure, each
// opposite for the two of a pair (grains_among_pass.h), in the order of a step.
#include "solvers/grains/grains_local.h"

void grains_couple_water(grains* s) {
    grains_water*     w     = s->water;
    const shoal_exec* exec  = &s->ctx->exec;
    int               count = s->all.view.count, water = w->set->count;
    if (s->all.params.drag != GRAINS_DRAG_NONE) {
        grains_run_among(s, GRAINS_drag, count);
        grains_run_among(s, GRAINS_slow, water);
    } else {
        grains_clear(exec, w->pairs.drag, (size_t)count * sizeof *w->pairs.drag);
        grains_clear(exec, w->pairs.slows, (size_t)count * sizeof *w->pairs.slows);
        grains_clear(exec, w->pairs.slowed, (size_t)water * sizeof *w->pairs.slowed);
    }
    if (s->all.params.coupling == GRAINS_COUPLING_PRINTED) grains_run_among(s, GRAINS_print, water);
}

// What cushions press obstacles with, one grain after the other.
static shoal_status add_cushion_forces(grains* s) {
    grains_water*   w       = s->water;
    shoal_device*   device  = s->ctx->exec.device;
    size_t          count   = (size_t)s->all.view.count;
    const shoal_v4* cushion = w->pairs.cushion;
    const int*      lean    = w->pairs.choice;
    if (s->ctx->world->collider_count == 0 || count == 0) return SHOAL_OK;
    grains_run_among(s, GRAINS_lean_on, s->all.view.count);
    if (device) { // few lean on anything, and all of them would have to be fetched
        if (grains_fold_among(s, GRAINS_leans_of, s->all.view.count) < 0.0) return shoal_device_check(device);
        SHOAL_TRY(shoal_reserve((void**)&w->cushion_here, &w->here_capacity[0], (int)count, sizeof *w->cushion_here));
        SHOAL_TRY(shoal_reserve((void**)&w->lean_here, &w->here_capacity[1], (int)count, sizeof *w->lean_here));
        device->fetch(device, w->cushion_here, cushion, count * sizeof *cushion);
        device->fetch(device, w->lean_here, lean, count * sizeof *lean);
        SHOAL_TRY(shoal_device_check(device));
        cushion = w->cushion_here;
        lean    = w->lean_here;
    }
    for (size_t g = 0; g < count; g++)
        if (lean[g] >= 0)
            grains_add_impulse(s, lean[g],
                               shoal_d3_scale(shoal_d3_from(grains_xyz(cushion[g])), -(double)w->sph.view.dt));
    return SHOAL_OK;
}

shoal_status grains_couple_grains(grains* s) {
    grains_run_among(s, GRAINS_force, s->all.view.count);
    grains_run_among(s, GRAINS_settle, s->water->set->count);
    return add_cushion_forces(s);
}
