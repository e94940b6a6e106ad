// SPDX-License-Identifier: MIT
// Wetness through a step: what happens to one grain is in grains_state_pass.h and grains_wet_pass.h.
#include "solvers/grains/grains_local.h"

#include "exec/device.h"

// Of the first sand: what its packing leaves beside a mean grain.
double grains_pore_volume(const shoal_description* description) {
    const double d       = description->spacing;
    double       packing = 0.6;
    for (int m = description->material_count - 1; m >= 0; m--)
        if (description->materials[m].kind == SHOAL_GRANULAR && description->materials[m].is_used)
            packing = (double)description->materials[m].packing;
    return (1.0 - packing) / packing * SHOAL_PI / 6.0 * d * d * d;
}

double grains_liquid_density(const shoal_description* description) {
    for (int m = 0; m < description->material_count; m++)
        if (description->materials[m].kind == SHOAL_LIQUID) return (double)description->materials[m].density;
    return 1000.0;
}

double grains_water_mass(const shoal_description* description) {
    return grains_liquid_density(description) * grains_pore_volume(description);
}

double grains_wet_dt(const grains* s) {
    return s->design.is_wet && s->all.params.diffusion > 0.0f
               ? 1.0 / (GRAINS_NEIGHBOURS_MOST * GRAINS_SEEP_FRACTION * (double)s->all.params.diffusion)
               : (double)INFINITY;
}

static int64_t total(grains* s, int fold) { return (int64_t)grains_fold(s, fold, s->all.view.count); }

shoal_status grains_wet_step(grains* s, double dt) {
    grains_state* all   = &s->all;
    grains_work*  w     = &all->work;
    int           count = all->view.count;
    SHOAL_FILL_HALO(&s->halo, count, SHOAL_SHOW(w->water, SAME));
    bool has_pairs     = s->water && s->water->set->count > 0;
    s->wet_dt          = dt;
    all->wet_threshold = grains_threshold(&all->params);
    all->wet_fraction  = 1.0 - exp(-(double)all->params.spread_rate * dt);
    all->wet_seep      = GRAINS_SEEP_FRACTION * (double)all->params.diffusion * dt;
    all->wet_loss      = (double)all->params.drying * dt * GRAINS_QUANTA;
    all->when          = (uint64_t)*s->dem_steps;
    all->seen          = has_pairs ? s->water->pairs.seen : NULL;
    all->pair_first    = has_pairs ? s->water->pairs.pair_first : NULL;
    int64_t before     = total(s, GRAINS_water_of);
    grains_run_on(s, GRAINS_offer, count);
    grains_run_on(s, GRAINS_receive, count);
    int64_t after = total(s, GRAINS_water_next_of);
    SHOAL_TRY(shoal_device_check(s->ctx->exec.device));
    if (after != before)
        return shoal_fail(SHOAL_ERR_INTERNAL, "wetness: %lld quanta of water went astray", (long long)(after - before));
    if (all->wet_loss > 0.0) grains_run_on(s, GRAINS_dry, count);
    s->balance->evaporated += after - total(s, GRAINS_water_next_of);
    int32_t* swap   = w->water;
    w->water        = w->water_next;
    w->water_next   = swap;
    shoal_v4* speed = w->speed[0];
    w->speed[0]     = w->speed[1];
    w->speed[1]     = speed;
    shoal_v4* spin  = w->spin[0];
    w->spin[0]      = w->spin[1];
    w->spin[1]      = spin;
    return SHOAL_OK;
}
