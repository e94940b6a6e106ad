// SPDX-License-Identifier: MIT
// Water and sand in one scene: in which order the two grids are solved, and the water in the pores of wet sand at the
// start.
#include <math.h>
#include <string.h>

#include "solvers/flip/flip_local.h"

// Grains leave at least this much of the volume to the liquid.
static const float least_pores = 0.05f;
// The very first step has no contact of grains to begin with, and grains that the water drags find it slowly.
static const int start_rounds = 12;
// kg/m^3 of sand that water cannot move.
static const float immovable = 1e9f;

shoal_granular_mixture_job flip_mixing_of(const flip* s, double dt) {
    const shoal_material *liquid = s->phases[0].material, *sand = s->phases[1].material;
    return (shoal_granular_mixture_job){.density       = liquid->density,
                                        .viscosity     = liquid->viscosity,
                                        .grain_density = sand->density / sand->packing,
                                        .packing       = fminf(sand->packing, 1.0f - least_pores),
                                        .grain_size    = flip_grain_size(sand),
                                        .dt            = (float)dt};
}

// Drag and the water's pressure on both, given what grains do to each other.
static shoal_status solve_pressure(flip* s, const shoal_granular_mixture_job* how, bool is_first) {
    flip_phase *      liquid = &s->phases[0], *sand = &s->phases[1];
    const shoal_exec* exec = &s->ctx->exec;
    shoal_granular_mixture_join(&s->mixture, &liquid->mac, exec, how);
    if (is_first) SHOAL_TRY(shoal_mac_projection_set(&liquid->projection, &liquid->mac, exec, &s->solve));
    SHOAL_TRY(shoal_mac_project(&liquid->projection, &liquid->mac, exec, &s->solve, !is_first));
    shoal_granular_mixture_part(&s->mixture, &liquid->mac, &sand->mac, exec, how);
    return SHOAL_OK;
}

// Sand that takes no notice of the water.
static shoal_status mix_one_way(flip* s, double dt, int reach) {
    flip_phase *               liquid = &s->phases[0], *sand = &s->phases[1];
    shoal_granular_mixture_job how = flip_mixing_of(s, dt);
    how.grain_density              = immovable;
    SHOAL_TRY(flip_solve_friction(s, sand, dt));
    flip_extend(s, sand, dt, reach);
    shoal_granular_mixture_begin(&s->mixture, &liquid->mac, &sand->mac, &s->ctx->exec, &how);
    shoal_granular_mixture_lead(&s->mixture, &sand->mac);
    SHOAL_TRY(solve_pressure(s, &how, true));
    flip_extend(s, liquid, dt, reach);
    return SHOAL_OK;
}

shoal_status flip_mix(flip* s, double dt, int reach) {
    const shoal_exec*          exec   = &s->ctx->exec;
    flip_phase *               liquid = &s->phases[0], *sand = &s->phases[1];
    shoal_granular_mixture_job how = flip_mixing_of(s, dt);
    if (s->params.coupling == FLIP_COUPLING_ONE_WAY) return mix_one_way(s, dt, reach);
    shoal_granular_mixture_begin(&s->mixture, &liquid->mac, &sand->mac, exec, &how);

    // both under pressure, while grains touch as they did; how grains touch, under that pressure; both again
    int rounds = s->mixture.contact->count == 0 ? start_rounds : 1;
    SHOAL_TRY(solve_pressure(s, &how, true));
    for (int round = 0; round < rounds; round++) {
        shoal_granular_mixture_release(&s->mixture, &sand->mac, exec, &how);
        SHOAL_TRY(flip_solve_friction(s, sand, dt));
        SHOAL_TRY(shoal_granular_mixture_touch(&s->mixture, &sand->mac, exec, &how));
        SHOAL_TRY(solve_pressure(s, &how, false));
    }
    flip_extend(s, sand, dt, reach);
    flip_extend(s, liquid, dt, reach);
    return SHOAL_OK;
}

// ---------------------------------------------------------------------------------- wet sand

// Water of damp sand is held by its grains; soaked sand has it as particles, which may leave it.
float flip_held(const flip* s, const shoal_material* sand) {
    bool is_mixture = s->phase_count == FLIP_PHASES && s->params.coupling != FLIP_COUPLING_NONE;
    return is_mixture && sand->wetness >= shoal_granular_soaked ? 0.0f : sand->wetness;
}

// A site in the pores of every so many sites of sand, evenly spread: the R3 sequence [Roberts 2018] over the lattice.
static bool is_pore(const shoal_description* description, shoal_v3 x, double fraction) {
    double at = 0.5, ratio[3] = {0.8191725133961644, 0.6710436067037893, 0.5497004779019703};
    for (int axis = 0; axis < 3; axis++)
        at += ratio[axis] * floor((double)shoal_v3_axis(x, axis) / description->spacing);
    return at - floor(at) < fraction;
}

shoal_status flip_fill_pores(flip* s) {
    const shoal_description* description = s->ctx->description;
    shoal_set*               set         = s->ctx->particles;
    if (s->phase_count < FLIP_PHASES || s->params.coupling == FLIP_COUPLING_NONE) return SHOAL_OK;
    int liquid = (int)(s->phases[0].material - description->materials), count = set->count;
    for (int i = 0; i < count; i++) {
        const uint8_t*        material = shoal_set_data(set, "material"); // appending may move it
        const shoal_material* sand     = &description->materials[material[i]];
        shoal_v3              x        = ((const shoal_v3*)shoal_set_data(set, "position"))[i];
        if (sand->kind != SHOAL_GRANULAR || flip_held(s, sand) == sand->wetness) continue;
        if (!is_pore(description, x, (double)sand->wetness * (1.0 - (double)sand->packing))) continue;
        shoal_v3 v = ((const shoal_v3*)shoal_set_data(set, "velocity"))[i];
        SHOAL_TRY(shoal_set_append(set, (*s->ctx->next_id)++, liquid, x, v));
    }
    return SHOAL_OK;
}
