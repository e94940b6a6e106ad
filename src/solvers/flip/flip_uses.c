// SPDX-License-Identifier: MIT
// What of a material flip heeds, and when it does not.
#include "solvers/flip/flip_local.h"

static const flip_params* params_of(const shoal_description* description) {
    return description->solver_params;
}

static bool is_mixture(const shoal_description* description) {
    return params_of(description)->coupling != FLIP_UNCOUPLED &&
           flip_first_of(description, SHOAL_LIQUID) && flip_first_of(description, SHOAL_GRANULAR);
}

static const char* viscosity_is_idle(const shoal_description* description, int material) {
    (void)material;
    if (params_of(description)->viscosity || params_of(description)->skin ||
        is_mixture(description))
        return NULL;
    return "flip.viscosity and flip.skin are off";
}

static const char* pores_are_idle(const shoal_description* description, int material) {
    (void)material;
    return is_mixture(description)
               ? NULL
               : "flip asks for the pores of sand only where a liquid is in the scene";
}

static const char* friction_is_idle(const shoal_description* description, int material) {
    (void)material;
    return params_of(description)->friction == FLIP_FRICTIONLESS ? "flip.friction is none" : NULL;
}

// Under `friction: paper` it says no more than that a size is given, of which the transfer makes
// nothing then.
static const char* size_is_idle(const shoal_description* description, int material) {
    (void)material;
    if (is_mixture(description) || params_of(description)->friction == FLIP_GLOBAL) return NULL;
    return "flip asks for the size of grains only by friction: global, or where a liquid is in the "
           "scene";
}

const shoal_material_use flip_uses[] = {
    {"density",          SHOAL_LIQUID, NULL},
    {"viscosity",              SHOAL_LIQUID, viscosity_is_idle},
    {"density",        SHOAL_GRANULAR, NULL},
    {"packing", SHOAL_GRANULAR, pores_are_idle},
    {"friction_angle",          SHOAL_GRANULAR, friction_is_idle},
    {"boundary_friction",              SHOAL_GRANULAR, shoal_walls_idle},
    {"cohesion",          SHOAL_GRANULAR, friction_is_idle},
    {"grain_size",    SHOAL_GRANULAR, size_is_idle},
    {"wetness",   SHOAL_GRANULAR, pores_are_idle},
    {0 }
};
