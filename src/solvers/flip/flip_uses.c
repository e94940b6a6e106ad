// SPDX-License-Identifier: MIT
// What of a material flip heeds, and when it does not; and when a liquid is thick.
#include <math.h>
#include <stdio.h>

#include "solvers/flip/flip_local.h"
#include "state/reach.h"

static const flip_params* params_of(const shoal_description* description) { return description->solver_params; }

static bool is_mixture(const shoal_description* description) {
    return params_of(description)->coupling != FLIP_COUPLING_NONE && flip_first_of(description, SHOAL_LIQUID) &&
           flip_first_of(description, SHOAL_GRANULAR);
}

// Reynolds number of a cell beyond which viscosity does less than the transfers do: half a percent in the time that a
// cell is crossed in.
static const double cell_reynolds = 100.0;

bool flip_is_thick(const shoal_description* description, const shoal_material* liquid, double speed) {
    double dx = 2.0 * description->spacing, wave = sqrt(shoal_d3_length(description->gravity) * dx);
    return (speed + wave) * dx <= cell_reynolds * (double)liquid->viscosity / (double)liquid->density;
}

// The phrase of its own in FLIP_PARAMS, "a thick liquid": one that is so at rest.
bool flip_holds(const shoal_description* description, const char* phrase) {
    (void)phrase;
    const shoal_material* liquid = flip_first_of(description, SHOAL_LIQUID);
    return liquid && flip_is_thick(description, liquid, 0.0);
}

static const char* viscosity_is_idle(const shoal_description* description, int material) {
    (void)material;
    if (params_of(description)->viscosity || params_of(description)->boundary_layer || is_mixture(description))
        return NULL;
    return "flip.viscosity and flip.boundary_layer are off";
}

bool flip_has_damp(const shoal_description* description) {
    bool has_damp = false;
    for (int m = 0; m < description->material_count; m++) {
        const shoal_material* sand = &description->materials[m];
        has_damp = has_damp || (sand->kind == SHOAL_GRANULAR && shoal_granular_bridges(sand->wetness) > 0.0f);
    }
    return has_damp && params_of(description)->friction != FLIP_FRICTION_NONE;
}

static const char* pores_are_idle(const shoal_description* description, int material) {
    (void)material;
    return is_mixture(description) || flip_has_damp(description)
               ? NULL
               : "flip asks for the pores of sand only where a liquid is in the scene, or where "
                 "sand is damp";
}

static const char* friction_is_idle(const shoal_description* description, int material) {
    (void)material;
    return params_of(description)->friction == FLIP_FRICTION_NONE ? "flip.friction is none" : NULL;
}

// Under `friction: paper` it says no more than that a size is given, of which the transfer makes
// nothing then.
static const char* size_is_idle(const shoal_description* description, int material) {
    (void)material;
    if (is_mixture(description) || flip_has_damp(description) ||
        params_of(description)->friction == FLIP_FRICTION_GLOBAL)
        return NULL;
    return "flip asks for the size of grains only by friction: global, or where a liquid is in the "
           "scene or sand is damp";
}

// How wide a sink is where liquid runs into it: it may be flat, as one that covers a floor.
static double width_of(const shoal_description* description, const shoal_shape* shape) {
    shoal_box box    = shoal_box_common(shoal_shape_bounds(shape), shoal_domain_extent(&description->domain));
    shoal_d3  extent = shoal_d3_sub(box.max, box.min);
    double    least = fmin(extent.x, fmin(extent.y, extent.z)), most = fmax(extent.x, fmax(extent.y, extent.z));
    return extent.x + extent.y + extent.z - least - most;
}

// Sinks drain whole cells (mac_vent.c). Of box sinks on a floor those of 8 spacings took 1.0 to 1.35 times what their
// own surface lets through by Torricelli, narrower ones up to three times, one of a single spacing 2.6 times or
// nothing.
bool flip_warns(const shoal_description* description, char* buffer, size_t size) {
    const double cells = 4.0, enough = cells * 2.0 * description->spacing;
    for (int k = 0; k < description->sink_count; k++) {
        if (!description->sinks[k].shape) continue; // reported as a fault
        double width = width_of(description, description->sinks[k].shape);
        if (width <= 0.0) continue; // outside of the domain, which is reported by itself
        if (!(width < (1.0 - 1e-6) * enough)) continue;
        shoal_add_line(
            buffer, size,
            "sinks.%d is %.3g m wide, less than %g cells of two spacings, %.3g m: flip drains whole cells, so it "
            "takes up to three times as much as it should, or nothing; make it wider or the spacing smaller",
            k, width, cells, enough);
    }
    return buffer[0] != '\0';
}

// How damp sand stands: as a run has it (flip_solve_friction), whose cohesion is that of the sand itself and of
// bridges.
bool flip_remarks(const shoal_description* description, char* buffer, size_t size) {
    const flip_params*    params  = params_of(description);
    bool                  is_felt = !is_mixture(description) || params->coupling == FLIP_COUPLING_TWO_WAY;
    const shoal_material* first   = flip_first_of(description, SHOAL_GRANULAR);
    const double          gravity = shoal_d3_length(description->gravity), degree = 3.14159265358979323846 / 180.0;
    for (int m = 0; first && params->friction != FLIP_FRICTION_NONE && m < description->material_count; m++) {
        const shoal_material* sand = &description->materials[m];
        if (sand->kind != SHOAL_GRANULAR || !(sand->wetness > 0.0f) || buffer[0] != '\0') continue;
        double bridges  = is_felt ? flip_bridges(first) * (double)shoal_granular_bridges(sand->wetness) : 0.0,
               cohesion = (double)first->cohesion + bridges;
        if (bridges == 0.0 && is_mixture(description)) continue;
        if (bridges == 0.0)
            snprintf(buffer, size,
                     "%s of wetness %g is soaked and no liquid is in the scene: it moves as dry "
                     "sand; damp sand coheres, most at 0.4",
                     sand->name, (double)sand->wetness);
        else if (!(gravity > 0.0))
            snprintf(buffer, size, "%s of wetness %g coheres by %.0f Pa", sand->name, (double)sand->wetness, cohesion);
        else
            snprintf(buffer, size, "%s of wetness %g coheres by %.0f Pa: a cut of %.2g m stands", sand->name,
                     (double)sand->wetness, cohesion,
                     4.0 * cohesion / (gravity * (double)first->density) *
                         tan((45.0 + 0.5 * (double)first->friction_angle) * degree));
    }
    return buffer[0] != '\0';
}

const shoal_material_use flip_uses[] = {{"density", SHOAL_LIQUID, NULL},
                                        {"viscosity", SHOAL_LIQUID, viscosity_is_idle},
                                        {"density", SHOAL_GRANULAR, NULL},
                                        {"packing", SHOAL_GRANULAR, pores_are_idle},
                                        {"friction_angle", SHOAL_GRANULAR, friction_is_idle},
                                        {"boundary_friction", SHOAL_GRANULAR, shoal_walls_idle},
                                        {"cohesion", SHOAL_GRANULAR, friction_is_idle},
                                        {"grain_size", SHOAL_GRANULAR, size_is_idle},
                                        {"wetness", SHOAL_GRANULAR, NULL},
                                        {0}};
