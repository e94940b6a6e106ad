// SPDX-License-Identifier: MIT
// Free water: a set of its own beside the sand, with walls as liquids feel them, that is pressed in
// the same sweeps.
#include "solvers/porous/porous_local.h"

#include <math.h>

void porous_pool_run(porous_pool* pool, porous_pool_pass pass) {
    const shoal_sim_context* ctx = pool->sph.ctx;
    shoal_pass_run(&ctx->exec, ctx->isa, &porous_pool_passes, (int)pass, &pool->view, pool->view.water.count);
}

// ---------------------------------------------------------------------------------- making

shoal_status porous_pool_make(porous* s) {
    if (!porous_has_liquid(s->ctx->description)) return SHOAL_OK;
    s->pool = shoal_alloc(1, sizeof *s->pool);
    if (!s->pool) return SHOAL_ERR_MEMORY;
    SHOAL_TRY(shoal_water_make(&s->pool->sph, s->ctx, s->ctx->sets[POROUS_POOL], SHOAL_LIQUID));
    s->pool->sph.view.is_sized = true;
    s->water.is_beside = s->pool->sph.is_beside = true;
    SHOAL_TRY(porous_meet_make(&s->pool->sand, &s->pool->sph, &s->water));
    return porous_meet_make(&s->pool->water, &s->water, &s->pool->sph);
}

void porous_pool_free(porous* s) {
    if (!s->pool) return;
    porous_meet_free(&s->pool->water);
    porous_meet_free(&s->pool->sand);
    porous_exchange_free(&s->pool->exchange);
    porous_overturn_free(s->pool);
    shoal_water_free(&s->pool->sph);
    shoal_free(s->pool);
    s->pool = NULL;
}

void porous_pool_set_params(porous* s) {
    shoal_water_params params;
    if (!s->pool) return;
    shoal_params_default(shoal_water_params_table, &params);
    params.support = s->params.support;
    shoal_water_set_params(&s->pool->sph, &params);
    s->pool->sph.omega = porous_omega(&s->pool->sph, false);
}

shoal_status porous_pool_check(const porous* s) {
    const shoal_set* set     = s->ctx->sets[POROUS_POOL];
    const double*    content = shoal_set_data(set, "content");
    for (int i = 0; i < set->count; i++)
        if (!(content[i] > 0.0)) return shoal_fail(SHOAL_ERR_INPUT, "saved water has a volume that is out of order");
    return SHOAL_OK;
}

// ---------------------------------------------------------------------------------- the step

static void bind(porous* s) {
    porous_pool_view* v   = &s->pool->view;
    shoal_set*        set = s->pool->sph.set;
    v->water              = s->pool->sph.view;
    v->sand               = s->pool->sand.guests;
    v->rest_volume        = (float)pow(s->pool->sph.spacing, 3.0);
    v->stiff              = (float)((double)s->pool->sph.view.dt * s->water.sound_speed * s->water.sound_speed / 7.0);
    v->images             = s->pool->sph.halo.images;
    v->sands              = s->sands;
    v->sand_material      = s->water.view.material;
    v->is_coarse          = s->is_coarse;
    v->closing            = (float)fmin(POROUS_POOL_CLOSING * (double)s->pool->sph.view.dt /
                                            porous_dt_of_weight(s->ctx->description, &s->params, s->pool->sph.spacing),
                                        1.0);
    v->leftover           = porous_leftover(s, (double)s->pool->sph.view.dt);
    POROUS_POOL_FIELDS(SHOAL_FIELD_BIND)
    s->pool->water.rim = v->rim;
}

// Of a compression e a substep makes good the part dt/T, where T is as long as substeps are by the speed of the water
// as a whole. Made good at once it would be a velocity e d/dt, the larger the shorter the substep, and a pressure e
// H/dt^2:
//   - Deep pools have short substeps by their pressure (porous_substep.c), which what the packing leaves, 0.02 %, swung
//   by
//     half (60 layers).
//   - Where a tap leaves particles too near each other again and again, what that throws off shortens the substep, and
//     is thrown off faster by that: water of a tap of 2 m/s flew up along walls with 50 m/s.
static void set_correction(porous* s, double dt) {
    s->pool->view.correction = (float)fmin(dt / porous_dt_of_water(s), 1.0);
}

shoal_status porous_pool_gather(porous* s, double dt) {
    porous_pool* pool = s->pool;
    SHOAL_TRY(shoal_water_gather(&pool->sph, dt, SHOAL_WATER_PCISPH));
    bind(s);
    porous_pool_run(pool, POROUS_POOL_set_volume);
    shoal_water_fill_places(&pool->sph);
    SHOAL_TRY(porous_meet_gather(&pool->sand));
    SHOAL_TRY(porous_meet_gather(&pool->water));
    bind(s);
    set_correction(s, dt);
    porous_pool_run(pool, POROUS_POOL_weigh);
    porous_pool_run(pool, POROUS_POOL_face);
    return SHOAL_OK;
}

// What emitters hold, and how far around it acts.
porous_taps porous_taps_of(const porous* s) {
    porous_taps taps  = {.are_there = false};
    float       reach = s->view.water.h;
    SHOAL_EACH_PARTICLE_SET(s->ctx, set) {
        const uint8_t*  holder   = shoal_set_data(set, "holder");
        const shoal_v3* position = shoal_set_data(set, "position");
        for (int i = 0; i < set->count && s->ctx->description->emitter_count > 0; i++) {
            if (holder[i] == 0) continue;
            for (int axis = 0; axis < 3; axis++) {
                float x = shoal_v3_axis(position[i], axis);
                if (!taps.are_there || x - reach < shoal_v3_axis(taps.min, axis))
                    shoal_v3_set_axis(&taps.min, axis, x - reach);
                if (!taps.are_there || x + reach > shoal_v3_axis(taps.max, axis))
                    shoal_v3_set_axis(&taps.max, axis, x + reach);
            }
            taps.are_there = true;
        }
    }
    return taps;
}

void porous_pool_publish_kappa(porous* s) {
    porous_pool*            pool = s->pool;
    const shoal_water_view* w    = &pool->sph.view;
    shoal_v4*               kick = pool->view.kick;
    SHOAL_LAY(&pool->sph.halo, &s->ctx->exec, w->count, SHOAL_SHOW(w->kappa, SAME), SHOAL_SHOW(kick, SAME));
    porous_meet_update_pressure(&pool->water);
}

// The same of velocities.
void porous_pool_move(porous* s) {
    shoal_water_fill_motion(&s->pool->sph);
    porous_meet_move(&s->pool->sand);
    porous_meet_move(&s->pool->water);
}

shoal_status porous_pool_advance(porous* s) {
    s->pool->sph.volumes = s->pool->view.volume;
    porous_pool_run(s->pool, POROUS_POOL_settle);
    shoal_water_do(&s->pool->sph, SHOAL_WATER_advance);
    SHOAL_TRY(shoal_water_load(&s->pool->sph, s->impulses));
    porous_pool_run(s->pool, POROUS_POOL_average_pressure);
    porous_pool_run(s->pool, POROUS_POOL_smooth_pressure);
    return SHOAL_OK;
}
