// SPDX-License-Identifier: MIT
// What is heavy and lies on a film of something light that is too thin to be resolved changes places with it: liquids
// with each other (fluid/overturn.h), and sand with liquid.
#include <math.h>

#include "base/hash.h"
#include "solvers/porous/porous_local.h"

// ---------------------------------------------------------------------------------- liquids

// In the layer beside a solid.
static bool is_beside_solid(void* user, int k) {
    const shoal_water_view* w = &((const porous*)user)->pool->view.water;
    return w->wall[k].w > 0.5f * w->first_fraction;
}

// Pressures belong to the places.
static void swap_liquids(void* user, int i, int j) {
    const porous_pool_view* v = &((const porous*)user)->pool->view;
    const shoal_water_view* w = &v->water;
    shoal_v3                x = w->position[i];
    float                   p = w->pressure[i], smoothed = v->smoothed_pressure[i];
    w->position[i] = w->position[j], w->pressure[i] = w->pressure[j];
    w->position[j] = x, w->pressure[j] = p;
    v->smoothed_pressure[i] = v->smoothed_pressure[j];
    v->smoothed_pressure[j] = smoothed;
}

static shoal_status overturn_liquids(porous* s) {
    const shoal_water_view* w     = &s->pool->view.water;
    shoal_overturn          films = {.count           = w->count,
                                     .near            = w->near,
                                     .d               = w->d,
                                     .dt              = w->dt,
                                     .gravity         = s->ctx->description->gravity,
                                     .materials       = s->ctx->description->materials,
                                     .id              = w->id,
                                     .material        = w->material,
                                     .position        = w->position,
                                     .user            = s,
                                     .is_beside_solid = is_beside_solid,
                                     .change_places   = swap_liquids};
    return w->is_uneven
               ? shoal_overturn_films(&films, &s->ctx->exec, &s->pool->films, &s->ctx->totals[POROUS_TOTAL_OVERTURNED])
               : SHOAL_OK;
}

// ---------------------------------------------------------------------------------- sand over liquid

// Sand that has sunk to one spacing above the floor stays there: water between it and the floor would have to press all
// of it apart to get out, and it is full. In nature its grains fall through. So a particle of sand that stands on one
// of water straight below it, this far to the side at most and no farther below, in spacings, changes places with it,
// ...
#define STRAIGHT 0.5f
#define BELOW_LEAST 0.5f
#define BELOW_MOST 1.5f
// ... if that has this fraction of the sand's volume at least; it would be squeezed in.
#define LEAST_VOLUME 0.5

typedef struct fall {
    const porous* s;
    shoal_v3      up;
    double        gravity;
    uint64_t      seed;
} fall;

// How fast a grain falls through a liquid, m/s [Ferguson & Church 2004, for natural grains].
static double settling_speed(double gravity, double grain, double solid, const shoal_material* liquid) {
    const double of_stokes = 18.0, of_drag = 0.75;
    double       excess = gravity * (solid / (double)liquid->density - 1.0) * grain * grain;
    if (!(excess > 0.0)) return 0.0;
    return excess / (of_stokes * (double)liquid->viscosity / (double)liquid->density + sqrt(of_drag * excess * grain));
}

// The chance of a substep that the sand i falls past the water k, which is `way` below it: its part of the time in
// which Atwood's machine of the two falls by their distance, and the grains sink by it. 0: it is no heavier, or its
// cohesion bears it.
static double chance_of_fall(const fall* f, int i, int k, double way) {
    const porous*         s      = f->s;
    int                   kind   = s->view.water.material[i];
    const shoal_material* sand   = &s->ctx->description->materials[kind];
    const shoal_material* liquid = &s->ctx->description->materials[s->pool->view.water.material[k]];
    double light = (double)liquid->density, heavy = (double)s->view.mass[i] / (double)s->pool->view.rest_volume,
           dt       = (double)s->pool->view.water.dt;
    double cohesion = (double)s->view.cohesion_impulse[i] * (double)s->water.liquids[0].density / dt;
    if (heavy <= light || cohesion > (heavy - light) * f->gravity * (double)s->pool->view.water.d) return 0.0;
    double pull  = f->gravity * (heavy - light) / (heavy + light);
    double grain = (double)sand->density / (1.0 - s->wet.pores[kind].porosity);
    double speed = settling_speed(f->gravity, porous_grain_size(sand), grain, liquid);
    return dt * fmin(sqrt(pull / (2.0 * way)), speed / way);
}

// A film on a solid, or a single particle among sand: less than a third of all around it is liquid.
static bool is_film(porous* s, int k) {
    const porous_pool_view* v    = &s->pool->view;
    int                     like = v->water.near.count[k], all = like + v->sand.near.count[k];
    return is_beside_solid(s, k) || 3 * like < all;
}

// The particle of sand that stands on the water k; -1: none. Images stay where they are.
static int stands_on(const fall* f, int k) {
    const porous*           s    = f->s;
    const porous_pool_view* v    = &s->pool->view;
    const float             d    = v->water.d;
    float                   most = STRAIGHT * d;
    int                     best = -1;
    SHOAL_FOR_NEAR(v->sand.near, k, g) {
        int      i     = v->sand.source[g];
        shoal_v3 apart = shoal_v3_sub(s->view.water.position[i], v->water.position[k]);
        float    way   = shoal_v3_dot(apart, f->up);
        if (way < BELOW_LEAST * d || way > BELOW_MOST * d || v->sand.open[g] > 0.0f || s->view.fixed[i] ||
            s->view.water.holder[i] > 0)
            continue;
        float aside = shoal_v3_length(shoal_v3_add_scaled(apart, f->up, -way));
        if (aside > most) continue;
        most = aside;
        best = i;
    }
    return best;
}

// Pressures belong to the places; what it bore in friction it has left behind.
static void swap_with_sand(const porous* s, int i, int k) {
    const porous_view*      v    = &s->view;
    const shoal_water_view *sand = &v->water, *water = &s->pool->view.water;
    shoal_v3                x = sand->position[i];
    float                   p = sand->pressure[i];
    v->drift[i]               = shoal_v3_add(v->drift[i], shoal_v3_sub(water->position[k], x));
    sand->position[i] = water->position[k], sand->pressure[i] = water->pressure[k];
    water->position[k] = x, water->pressure[k] = p;
    v->friction_stress[i] = v->shear_stress[i] = v->wall_friction[i] = shoal_v3_make(0.0f, 0.0f, 0.0f);
}

static void overturn_sand(porous* s) {
    const porous_pool_view* v       = &s->pool->view;
    const shoal_water_view* w       = &v->water;
    const shoal_d3          g       = s->ctx->description->gravity;
    const double            gravity = shoal_d3_length(g);
    if (!(gravity > 0.0) || !v->sand.are_there || w->count == 0) return;
    const fall f = {s, shoal_v3_from(shoal_d3_scale(g, -1.0 / gravity)), gravity,
                    shoal_hash(w->position, (size_t)w->count * sizeof *w->position, 2)};
    for (int k = 0; k < w->count; k++) {
        if (v->sand.near.count[k] == 0 || !is_film(s, k) || w->holder[k] > 0 ||
            v->content[k] < LEAST_VOLUME * (double)v->rest_volume)
            continue;
        int i = stands_on(&f, k);
        if (i < 0) continue;
        double way = (double)shoal_v3_dot(shoal_v3_sub(s->view.water.position[i], w->position[k]), f.up);
        if (shoal_random(f.seed, 0, (uint64_t)w->id[k]) < chance_of_fall(&f, i, k, way)) {
            swap_with_sand(s, i, k);
            s->ctx->totals[POROUS_TOTAL_OVERTURNED] += 1.0;
        }
    }
}

// ---------------------------------------------------------------------------------- both

void porous_overturn_free(porous_pool* pool) { shoal_free(pool->films.who); }

shoal_status porous_overturn(porous* s) {
    overturn_sand(s);
    return overturn_liquids(s);
}
