// SPDX-License-Identifier: MIT
// What passes between the pores of sand and free water, with its momentum. How much is found with the flow in the pores
// (porous_pore.c), where free water is an end of known pressure.
#include "solvers/porous/porous_local.h"

void porous_exchange_free(porous_exchange* e) {
    shoal_free(e->is_mixed);
    shoal_free(e->is_gone);
    shoal_free(e->gain);
    shoal_free(e->births);
    *e = (porous_exchange){0};
}

static shoal_status reserve(porous_exchange* e, int count) {
    if (count <= e->capacity) return SHOAL_OK;
    size_t capacity = (size_t)count + (size_t)count / 4;
    e->capacity     = 0;
    SHOAL_TRY(shoal_realloc((void**)&e->is_mixed, 0, capacity, sizeof *e->is_mixed));
    SHOAL_TRY(shoal_realloc((void**)&e->is_gone, 0, capacity, sizeof *e->is_gone));
    SHOAL_TRY(shoal_realloc((void**)&e->gain, 0, capacity, sizeof *e->gain));
    e->capacity = (int)capacity;
    return SHOAL_OK;
}

shoal_status porous_exchange_clear(porous* s) {
    const porous_pool_view* v = &s->pool->view;
    porous_exchange*        e = &s->pool->exchange;
    SHOAL_TRY(reserve(e, v->water.count));
    for (int k = 0; k < v->water.count; k++) {
        e->is_mixed[k] = v->water.material[k] == s->wet.material && v->water.holder[k] == 0;
        e->is_gone[k]  = 0;
        e->gain[k]     = shoal_d3_make(0.0, 0.0, 0.0);
    }
    e->birth_count = 0;
    return SHOAL_OK;
}

// Free water as the pores see it.
static shoal_status drops_of(porous* s, porous_drops* drops) {
    porous_pool* pool = s->pool;
    *drops            = (porous_drops){.near = NULL};
    if (!pool) return SHOAL_OK;
    SHOAL_TRY(porous_exchange_clear(s));
    if (pool->water.guests.are_there)
        *drops = (porous_drops){.near     = &pool->water.guests.near,
                                .place    = pool->water.guests.place,
                                .source   = pool->water.guests.source,
                                .count    = pool->view.water.count,
                                .is_mixed = pool->exchange.is_mixed,
                                .content  = pool->view.content,
                                .pressure = pool->view.smoothed_pressure};
    return SHOAL_OK;
}

static shoal_d3 faster_of(shoal_v3 than, shoal_v3 one) { return shoal_d3_sub(shoal_d3_from(one), shoal_d3_from(than)); }

// By the ends that are free water: what one has given the other has got, and moved as the first.
static void pass_on(porous* s) {
    const porous_pore_view* pores   = &s->wet.view;
    porous_pool*            pool    = s->pool;
    const shoal_v3 *        of_sand = s->view.water.velocity, *of_water = pool->view.water.velocity;
    for (int k = 0; k < s->wet.pore.link_count; k++) {
        const porous_link* link = &s->wet.pore.links[k];
        int                i = link->particle, drop = link->free_particle;
        if (link->boundary != POROUS_FREE || link->given == 0.0) continue;
        pool->view.content[drop] += link->given;
        shoal_d3  faster = faster_of(of_sand[i], of_water[drop]);
        shoal_d3* gain   = link->given < 0.0 ? &pores->gain[i] : &pool->exchange.gain[drop];
        *gain            = shoal_d3_add(*gain, shoal_d3_scale(faster, -link->given));
    }
}

// Velocities with the momentum that has come.
static void speed_up(porous* s) {
    const porous_pore_view* pores    = &s->wet.view;
    shoal_v3*               velocity = s->view.water.velocity;
    for (int i = 0; i < pores->count; i++) {
        double mass = porous_wet_mass(&s->wet, pores->material[i], pores->water[i] + pores->pending[i]);
        if (s->view.fixed[i]) continue;
        velocity[i] =
            shoal_v3_add(velocity[i], shoal_v3_from(shoal_d3_scale(pores->gain[i], s->wet.liquid.density / mass)));
    }
    if (!s->pool) return;
    velocity = s->pool->view.water.velocity;
    for (int k = 0; k < s->pool->view.water.count; k++)
        velocity[k] = shoal_v3_add(
            velocity[k], shoal_v3_from(shoal_d3_scale(s->pool->exchange.gain[k], 1.0 / s->pool->view.content[k])));
}

shoal_status porous_exchange_step(porous* s, double dt) {
    porous_drops drops;
    SHOAL_TRY(drops_of(s, &drops));
    SHOAL_TRY(porous_wet_step(&s->wet, &s->water, drops, dt, *s->steps, porous_way(s)));
    if (s->wet.flowed) {
        if (s->pool) pass_on(s);
        speed_up(s);
    }
    if (s->pool) SHOAL_TRY(porous_tidy(s));
    porous_wet_survey(&s->wet, &s->water);
    return SHOAL_OK;
}
