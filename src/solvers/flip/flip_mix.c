// SPDX-License-Identifier: MIT
// Water and sand in one scene: in which order the two grids are solved, and the water in the pores of wet sand at the start.
#include <math.h>
#include <string.h>

#include "solvers/flip/flip_local.h"

// Diameter of medium sand, for sand that does not tell.
static const float medium_grain = 5e-4f;
// Grains leave at least this much of the volume to the liquid.
static const float least_pores = 0.05f;

shoal_mac_mixing flip_mixing_of(const flip* s, double dt) {
    const shoal_material *liquid = s->phases[0].material, *sand = s->phases[1].material;
    return (shoal_mac_mixing){.density       = liquid->density,
                              .viscosity     = liquid->viscosity,
                              .grain_density = sand->density / sand->packing,
                              .packing       = fminf(sand->packing, 1.0f - least_pores),
                              .grain_size    = sand->grain_size > 0.0f ? sand->grain_size : medium_grain,
                              .dt            = (float)dt};
}

// How the sand will move, as far as it can be told before its forces are known: as it did, without changing its volume.
static shoal_status guess(flip* s, flip_phase* sand) {
    shoal_mac* m      = &sand->mac;
    size_t     floats = SHOAL_MAC_SAMPLES * (size_t)m->block_count * sizeof(float), bits = 8 * (size_t)m->block_count * sizeof(uint64_t);
    for (int axis = 0; axis < 3; axis++) {
        memcpy(m->change[axis], m->u[axis], floats);
        memcpy(m->u[axis], m->old[axis], floats);
    }
    SHOAL_TRY(shoal_mac_projection_set(&sand->projection, m, &s->ctx->exec, &s->loose));
    SHOAL_TRY(shoal_mac_project(&sand->projection, m, &s->ctx->exec, &s->loose, false));
    for (int axis = 0; axis < 3; axis++) {
        memcpy(s->mixture.guess[axis], m->u[axis], floats);
        memcpy(m->u[axis], m->change[axis], floats);
        memcpy(m->known[axis], m->saved[axis], bits);
    }
    return SHOAL_OK;
}

static shoal_status press(flip* s, float* const v[3], const shoal_mac_mixing* how, bool is_first) {
    flip_phase*       liquid = &s->phases[0];
    shoal_poisson_def solve  = s->solve;
    // a little flow through the pores is a lot of pressure
    float pores = 1.0f - how->packing;
    solve.tolerance_max /= 1.0 + (double)(how->dt * shoal_mac_drag(how, pores, 0.0f) / (pores * how->density));
    shoal_mac_mixture_drag(&s->mixture, &liquid->mac, v, &s->ctx->exec, how);
    if (is_first) SHOAL_TRY(shoal_mac_projection_set(&liquid->projection, &liquid->mac, &s->ctx->exec, &solve));
    return shoal_mac_project(&liquid->projection, &liquid->mac, &s->ctx->exec, &solve, !is_first);
}

shoal_status flip_mix(flip* s, double dt, int reach) {
    const shoal_exec* exec   = &s->ctx->exec;
    flip_phase *      liquid = &s->phases[0], *sand = &s->phases[1];
    shoal_mac_mixing  how        = flip_mixing_of(s, dt);
    bool              is_two_way = s->params.coupling == FLIP_TWO_WAY;
    shoal_mac_mixture_begin(&s->mixture, &liquid->mac, &sand->mac, exec, &how);

    // the water's pressure while sand goes on as it was; sand under that pressure
    if (is_two_way) {
        SHOAL_TRY(guess(s, sand));
        SHOAL_TRY(press(s, s->mixture.guess, &how, true));
        shoal_mac_mixture_push(&s->mixture, &liquid->mac, &sand->mac, exec, &how);
    }
    SHOAL_TRY(flip_rub(s, sand, dt));
    flip_extend(s, sand, dt, reach);

    // water around the sand as it goes now: its inertia, which sand feels once; water around the sand that has felt it
    SHOAL_TRY(press(s, sand->mac.u, &how, !is_two_way));
    if (is_two_way) {
        shoal_mac_mixture_answer(&s->mixture, &liquid->mac, &sand->mac, exec, &how);
        SHOAL_TRY(press(s, sand->mac.u, &how, false));
    }
    flip_extend(s, liquid, dt, reach);
    return SHOAL_OK;
}

// ---------------------------------------------------------------------------------- wet sand

// A site in the pores of every so many sites of sand, evenly spread: the R3 sequence [Roberts 2018] over the lattice.
static bool is_pore(const shoal_description* description, shoal_v3 x, double share) {
    double at = 0.5, ratio[3] = {0.8191725133961644, 0.6710436067037893, 0.5497004779019703};
    for (int axis = 0; axis < 3; axis++) at += ratio[axis] * floor((double)shoal_v3_axis(x, axis) / description->spacing);
    return at - floor(at) < share;
}

shoal_status flip_fill_pores(flip* s) {
    const shoal_description* description = s->ctx->description;
    shoal_set*               set         = s->ctx->particles;
    if (s->phase_count < FLIP_PHASES || s->params.coupling == FLIP_UNCOUPLED) return SHOAL_OK;
    int liquid = (int)(s->phases[0].material - description->materials), count = set->count;
    for (int i = 0; i < count; i++) {
        const uint8_t*        material = shoal_set_data(set, "material"); // appending may move it
        const shoal_material* sand     = &description->materials[material[i]];
        shoal_v3              x        = ((const shoal_v3*)shoal_set_data(set, "position"))[i];
        if (sand->kind != SHOAL_GRANULAR || !is_pore(description, x, (double)sand->wetness * (1.0 - (double)sand->packing))) continue;
        shoal_v3 v = ((const shoal_v3*)shoal_set_data(set, "velocity"))[i];
        SHOAL_TRY(shoal_set_append(set, (*s->ctx->next_id)++, liquid, x, v));
    }
    return SHOAL_OK;
}
