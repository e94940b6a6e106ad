// SPDX-License-Identifier: MIT
// Two solvers that only describe themselves, so that scenes can be tested without any physics.
#ifndef TOY_SOLVER_H
#define TOY_SOLVER_H

#include "param/param.h"
#include "solvers/registry.h"

#include <stdio.h>
#include <string.h>

// clang-format off
#define TOY_PARAMS(X, S)                                                                       \
    X(S, iterations, INT,      3,   1, 64,  "",                "constraint sweeps per substep") \
    X(S, substeps,   AUTO_INT, 0,   1, 100, "",                "substeps per frame")            \
    X(S, vorticity,  FLOAT,    0.1, 0, 10,  "m/s",             "what it gives back")            \
    X(S, relaxation, WORD,     0,   0, 0,   "cfm|precomputed", "how the system is softened")    \
    X(S, clamp,      BOOL,     1,   0, 1,   "",                "no pull", NULL, "no_pull")
// clang-format on
SHOAL_PARAMS_DECLARE(toy_params, TOY_PARAMS)
SHOAL_PARAMS_DEFINE(toy_params, TOY_PARAMS)

static const shoal_field_def toy_fields[] = {SHOAL_FIELD("density", F1, 1, SHOWN_OUTPUT, "kg/m^3", ""),
                                             SHOAL_FIELD("pressure", F1, 1, OUTPUT, "Pa", ""),
                                             SHOAL_FIELD("lambda", F1, 1, SCRATCH, "", ""),
                                             {0}};

static const shoal_set_def toy_sets[] = {{"particles", SHOAL_SORTED, toy_fields, 0, NULL}, {0}};

static double toy_support(const void* params, double spacing) {
    (void)params;
    return 2.0 * spacing;
}
static double toy_extra(const shoal_description* description, double particles) {
    (void)description;
    return 100.0 * particles;
}
static bool toy_warns(const shoal_description* description, char* buffer, size_t size) {
    if (((const toy_params*)description->solver_params)->substeps != 1) return false;
    snprintf(buffer, size, "one substep of %.3g s is long", 1.0 / description->fps);
    return true;
}

static const shoal_material_use toy_uses[] = {{"density", SHOAL_LIQUID, NULL},
                                              {"viscosity", SHOAL_LIQUID, NULL},
                                              {"density", SHOAL_GRANULAR, NULL},
                                              {"friction_angle", SHOAL_GRANULAR, NULL},
                                              {0}};

static const shoal_solver_type toy_pbf    = {.name           = "pbf",
                                             .summary        = "a toy",
                                             .material_kinds = 1u << SHOAL_LIQUID,
                                             .material_uses  = toy_uses,
                                             .params         = toy_params_table,
                                             .params_size    = sizeof(toy_params),
                                             .sets           = toy_sets,
                                             .support        = toy_support,
                                             .extra_bytes    = toy_extra,
                                             .verdicts       = {[SHOAL_WARNING] = toy_warns}};
static const shoal_solver_type toy_grains = {.name           = "grains",
                                             .summary        = "a toy of sand",
                                             .material_kinds = 1u << SHOAL_GRANULAR,
                                             .material_uses  = toy_uses,
                                             .params         = toy_params_table,
                                             .params_size    = sizeof(toy_params),
                                             .sets           = toy_sets,
                                             .support        = toy_support,
                                             .extra_bytes    = toy_extra};

const shoal_solver_type* const shoal_solver_types[] = {&toy_pbf, &toy_grains, NULL};
const shoal_solver_type*       shoal_solver_find(const char* name) {
          for (int k = 0; shoal_solver_types[k]; k++)
        if (strcmp(shoal_solver_types[k]->name, name) == 0) return shoal_solver_types[k];
    return NULL;
}

#endif
