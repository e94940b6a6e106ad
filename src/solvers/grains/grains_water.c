// SPDX-License-Identifier: MIT
// Free water among the grains (Rungjiratananon et al. 2008, section 4.3): SPH water of fluid/ in which every grain
// stands as a solid of its volume, moving as it moves, and what the water does to the grains in return.
//
// The water is a set of its own beside the grains, with its own spacing, and walls as liquids feel them. Grains are
// asked where they stand when the step begins; the force on them is constant over the substeps of the contacts.
#include "solvers/grains/grains_local.h"

#include <stdio.h>
#include <string.h>

#include "state/set_pass.h"

// ---------------------------------------------------------------------------------- making

bool grains_has_water(const shoal_description* d) {
    for (int m = 0; m < d->material_count; m++)
        if (d->materials[m].kind == SHOAL_LIQUID) return true;
    return false;
}

bool grains_water_refuses(const shoal_description* d, char* buffer, size_t size) {
    int liquids = 0;
    for (int m = 0; m < d->material_count; m++) liquids += d->materials[m].kind == SHOAL_LIQUID;
    if (liquids < 2) return false;
    shoal_add_line(buffer, size, "%d liquids: grains know one, since what they take up has no name; leave one of them",
                   liquids);
    return true;
}

shoal_status grains_water_make(grains* s) {
    if (!grains_has_water(s->ctx->description)) return SHOAL_OK;
    s->water = shoal_alloc(1, sizeof *s->water);
    if (!s->water) return SHOAL_ERR_MEMORY;
    s->water->set = s->ctx->sets[GRAINS_WATER];
    return shoal_water_make(&s->water->sph, s->ctx, s->water->set, SHOAL_LIQUID);
}

void grains_water_free(grains* s) {
    grains_water* w = s->water;
    if (!w) return;
    const grains_pairs* p     = &w->pairs;
    void* const         far[] = {p->volume,  p->meet,        p->meet_first, p->meet_count, p->pair_first,  p->pair_meet,
                                 p->keys,    p->keys_sorted, p->drag,       p->slowed,     p->slows,       p->even,
                                 p->cushion, p->given,       p->occupied,   p->compliance, p->uncorrected, p->inflow,
                                 p->choice,  p->taken,       p->seen};
    for (size_t k = 0; k < sizeof far / sizeof *far; k++) shoal_far_free(s->ctx->exec.device, far[k]);
    shoal_water_free(&w->sph);
    shoal_free(w->drop);
    shoal_free(w->taken_here);
    shoal_free(w->cushion_here);
    shoal_free(w->lean_here);
    shoal_free(w->fetched);
    shoal_free(w->load);
    shoal_free(w);
    s->water = NULL;
}

void grains_water_set_params(grains* s) {
    if (!s->water) return;
#define COPY(S, name, ...) .name = s->all.params.name,
    shoal_water_params params    = {SHOAL_WATER_PARAMS(COPY, )};
#undef COPY
    shoal_water_set_params(&s->water->sph, &params);
}

static shoal_water_method method_of(const grains* s) {
    return s->all.params.pressure == GRAINS_PRESSURE_DFSPH ? SHOAL_WATER_DFSPH : SHOAL_WATER_WCSPH;
}

// The longest step. The grains' own pressure may require a shorter one than the water's CFL condition.
static double longest(const grains* s) {
    const shoal_water* sph = &s->water->sph;
    double             dt  = shoal_water_dt(sph, method_of(s));
    if (s->all.params.coupling != GRAINS_COUPLING_PRINTED || !(s->all.params.grain_pressure > 0.0f)) return dt;
    double h = (double)sph->view.h, r = s->design.radius * (1.0 + (double)s->all.params.spread);
    // a quarter of the volume of a grain with full pores, at the steepest of the kernel
    double slope = 0.25 * (4.0 / 3.0 * SHOAL_PI * r * r * r + grains_pore_volume(s->ctx->description)) * 16.0 /
                   (SHOAL_PI * h * h * h * h);
    double push = (double)s->all.params.grain_pressure * slope / grains_liquid_density(s->ctx->description);
    return fmin(dt, 0.1 * sqrt(0.5 * h / push));
}

int32_t grains_water_quanta(const shoal_description* d) {
    for (int m = 0; m < d->material_count; m++)
        if (d->materials[m].kind == SHOAL_LIQUID)
            return (int32_t)(pow(shoal_spacing_of(d, m), 3.0) / grains_pore_volume(d) * GRAINS_QUANTA);
    return 0;
}

// ---------------------------------------------------------------------------------- beginning and end of a step

// Fields changed in place ahead of the first sort are announced before.
shoal_status grains_water_begin(grains* s) {
    s->water->drop_count = 0;
    SHOAL_TRY(shoal_set_keep(s->water->set, "fresh"));
    return shoal_set_keep(s->water->set, "velocity");
}

static shoal_status reserve_drops(grains_water* w) {
    size_t count = (size_t)w->set->count + 1, old_capacity = w->drop_capacity, capacity = count + count / 4;
    if (count <= old_capacity) return SHOAL_OK;
    w->drop_capacity = 0;
    SHOAL_TRY(shoal_realloc((void**)&w->drop, old_capacity, capacity, sizeof *w->drop));
    memset(w->drop + old_capacity, 0, capacity - old_capacity);
    w->drop_capacity = capacity;
    return SHOAL_OK;
}

shoal_status grains_water_hold(grains* s, double so_far, double part) {
    const shoal_streams* streams = &s->ctx->streams;
    grains_water*        w       = s->water;
    SHOAL_TRY(reserve_drops(w)); // some may have been born
    if (w->drop_count > 0) shoal_set_remove(w->set, &s->ctx->exec, w->drop);
    w->drop_count = 0;
    memset(w->drop, 0, w->drop_capacity);
    grains_show_water(s); // sorting has left it behind
    if (part > 0.0) streams->hold(streams->sim, w->set, s->ctx->time + (so_far - part), part);
    return SHOAL_OK;
}

shoal_status grains_water_come(grains* s, double so_far, double part) {
    const shoal_streams* streams = &s->ctx->streams;
    SHOAL_TRY(grains_water_hold(s, so_far, part));
    SHOAL_TRY(streams->come(streams->sim, s->water->set, s->ctx->time + so_far));
    return reserve_drops(s->water);
}

double grains_water_part(const grains* s, double left) {
    if (!s->water || s->water->set->count == 0) return left;
    // whole substeps of the contacts, as many as the water bears: none is shorter because a step of the water ends
    // within it
    double substeps = fmax(ceil(left / s->design.dt - 1e-6), 1.0),
           at_once  = floor(longest(s) / (left / substeps) + 1e-6);
    if (at_once >= 1.0) return at_once >= substeps ? left : left / substeps * ceil(substeps / ceil(substeps / at_once));
    const double most = 1000.0; // a step has an end
    return left / fmin(ceil(left / longest(s) - 1e-6), most);
}

void grains_among_view(grains* s, const shoal_exec* exec, grains_among* out) {
    const shoal_description* d   = s->ctx->description;
    grains_water*            w   = s->water;
    shoal_set*               set = s->ctx->sets[GRAINS_WATER];
    const shoal_material*    of  = &d->materials[w->sph.first];
    grains_among*            v   = out;
    *v                           = (grains_among){.all       = s->all,
                                                  .pairs     = w->pairs,
                                                  .water     = w->sph.view,
                                                  .count     = set->count,
                                                  .meets     = w->meets,
                                                  .first     = w->sph.first,
                                                  .density   = of->density,
                                                  .viscosity = of->viscosity,
                                                  .half      = (float)(0.5 * w->sph.spacing),
                                                  .pore      = (float)grains_pore_volume(d),
                                                  .age       = w->age,
                                                  .position  = shoal_set_seen(set, exec, "position")};
    GRAINS_AMONG_FIELDS(SHOAL_FIELD_BIND_TO)
}

int grains_water_corners(grains* s, shoal_v4* to) {
    enum { SIDES = 6 };
    if (!s->water || s->water->set->count == 0) return 0;
    shoal_device* device = s->ctx->exec.device;
    int           count  = s->water->set->count;
    double        side[GRAINS_AMONG_FOLD_COUNT];
    grains_among  among;
    grains_among_view(s, &s->ctx->exec, &among);
    if (device) device->fold(device, &grains_among_passes, (1u << SIDES) - 1u, &among, count, side);
    for (int k = 0; k < SIDES && !device; k++)
        side[k] = shoal_pass_fold(&s->ctx->exec, &grains_among_passes, k, &among, count);
    const shoal_v4 corners[2] = {
        shoal_v4_make((float)-side[GRAINS_low_x], (float)-side[GRAINS_low_y], (float)-side[GRAINS_low_z], 0.0f),
        shoal_v4_make((float)side[GRAINS_high_x], (float)side[GRAINS_high_y], (float)side[GRAINS_high_z], 0.0f)};
    if (device)
        device->send(device, to, corners, sizeof corners);
    else
        memcpy(to, corners, sizeof corners);
    return 2;
}

double grains_water_dt(grains* s) { return s->water && s->water->set->count > 0 ? longest(s) : (double)INFINITY; }

// ---------------------------------------------------------------------------------- grains and water that meet

#define MAKE(array, capacity) SHOAL_TRY(shoal_far_realloc(device, (void**)&(array), 0, capacity, sizeof *(array)))

static shoal_status reserve(grains* s) {
    grains_water* w      = s->water;
    grains_pairs* p      = &w->pairs;
    shoal_device* device = s->ctx->exec.device;
    size_t        sand = (size_t)s->all.view.nobody + 1, water = (size_t)w->set->count + 1;
    if (sand > w->grain_capacity) {
        size_t capacity   = sand + sand / 4;
        w->grain_capacity = 0;
        MAKE(p->volume, capacity);
        MAKE(p->pair_first, capacity + 1);
        MAKE(p->drag, capacity);
        MAKE(p->slows, capacity);
        MAKE(p->given, capacity);
        MAKE(p->even, capacity);
        MAKE(p->cushion, capacity);
        MAKE(p->choice, capacity);
        MAKE(p->seen, capacity);
        w->grain_capacity = capacity;
    }
    if (water > w->water_capacity) {
        size_t capacity   = water + water / 4;
        w->water_capacity = 0;
        MAKE(p->taken, capacity);
        MAKE(p->meet_first, capacity);
        MAKE(p->meet_count, capacity);
        MAKE(p->occupied, capacity);
        MAKE(p->compliance, capacity);
        MAKE(p->uncorrected, capacity);
        MAKE(p->inflow, capacity);
        MAKE(p->slowed, capacity);
        w->water_capacity = capacity;
    }
    return SHOAL_OK;
}

static shoal_status gather(grains* s, double dt) {
    grains_water* w     = s->water;
    int           count = s->all.view.count + s->halo.count;
    grains_run_among(s, GRAINS_swell, count);
    w->sph.immersed = (shoal_immersed_bodies){count,
                                              s->all.work.place[0],
                                              s->all.work.speed[0],
                                              w->pairs.volume,
                                              method_of(s) == SHOAL_WATER_DFSPH ? grains_answer_water : NULL,
                                              s};
    SHOAL_TRY(shoal_water_gather(&w->sph, dt, method_of(s)));
    grains_run_among(s, GRAINS_see, s->all.view.count);
    return grains_meet_all(s);
}

// ---------------------------------------------------------------------------------- the step

static shoal_status count_load(grains* s) {
    grains_water* w      = s->water;
    size_t        bodies = (size_t)s->ctx->world->collider_count;
    if (bodies == 0) return SHOAL_OK;
    if (!w->load) w->load = shoal_alloc(bodies, sizeof *w->load);
    if (!w->load) return SHOAL_ERR_MEMORY;
    memset(w->load, 0, bodies * sizeof *w->load);
    SHOAL_TRY(shoal_water_load(&w->sph, w->load));
    for (size_t c = 0; c < bodies; c++) {
        shoal_d3 push = shoal_d3_add(w->load[c].pressure, w->load[c].friction);
        grains_add_impulse(s, (int)c, push);
    }
    return SHOAL_OK;
}

shoal_status grains_water_step(grains* s, double dt, double left) {
    grains_water* w     = s->water;
    shoal_water*  sph   = &w->sph;
    int           count = w->set->count;
    SHOAL_TRY(s->ctx->streams.carry(s->ctx->streams.sim, w->set, s->end - left, dt));
    shoal_forces_push(s->ctx->description, &s->ctx->exec, w->set, s->end - left, s->end - left + dt);
    SHOAL_TRY(reserve(s));
    if (count == 0) {
        grains_clear(&s->ctx->exec, s->all.work.outer, (size_t)s->all.view.count * sizeof *s->all.work.outer);
        shoal_water_bind(sph, dt, method_of(s)); // some may be born
        return SHOAL_OK;
    }
    SHOAL_TRY(gather(s, dt));

    // equation 10, then the pressure, which counts the grains among the solids, then equations 9 and 10 on the grains
    grains_couple_water(s);
    shoal_water_fill_motion(sph);
    if (s->all.params.pressure == GRAINS_PRESSURE_DFSPH) {
        shoal_water_solenoidal(sph);
        shoal_water_incompressible(sph);
    } else {
        shoal_water_do(sph, SHOAL_WATER_density);
        shoal_water_explicit(sph);
    }
    SHOAL_TRY(grains_couple_grains(s));
    shoal_stage(s->ctx, SHOAL_STAGE_SOLVE);
    shoal_water_do(sph, SHOAL_WATER_settle);
    shoal_water_do(sph, SHOAL_WATER_advance);
    SHOAL_TRY(count_load(s));
    shoal_stage(s->ctx, SHOAL_STAGE_INTEGRATE);
    return SHOAL_OK;
}
