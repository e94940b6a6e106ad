// SPDX-License-Identifier: MIT
// What the parts of the step share; inside of flip/ only.
#ifndef SHOAL_FLIP_LOCAL_H
#define SHOAL_FLIP_LOCAL_H

#include "mac/mac_friction.h"
#include "mac/mac_plastic.h"
#include "mac/mac_project.h"
#include "mac/mac_transfer.h"
#include "mac/mac_viscosity.h"
#include "solvers/flip/flip_params.h"
#include "state/solver.h"

// clang-format off
// name, type, role, unit, meaning
#define FLIP_FIELDS(X)                                                                      \
    X(density,  F1, OUTPUT, "kg/m^3", "density from the particles around")                  \
    X(pressure, F1, OUTPUT, "Pa",     "pressure of the last substep")                       \
    X(affine_x, V3, STATE,  "1/s",    "gradient of the velocity along x (apic)")            \
    X(affine_y, V3, STATE,  "1/s",    "gradient of the velocity along y (apic)")            \
    X(affine_z, V3, STATE,  "1/s",    "gradient of the velocity along z (apic)")
// clang-format on

typedef struct flip {
    shoal_sim_context*   ctx;
    flip_params          params; // with every auto resolved but substeps
    double               dx;
    shoal_mac_def        grid;
    shoal_mac            mac;
    shoal_mac_projection projection;
    shoal_mac_viscosity  viscosity;
    shoal_poisson_def    solve, loose, thick; // of the pressure; of the density; of viscosity
    shoal_mac_particles  view;
    uint8_t*             is_sand; // [materials]
    const shoal_material* material; // what is simulated
    const shoal_material* sand;   // the same when it is sand; NULL: a liquid
    shoal_mac_friction   friction;
    shoal_mac_plastic    plastic;
    double               speed;   // of the fastest particle at the start of the substep, m/s
    double               stage_began;
} flip;

// The bodies as the parameters want them: moved off the lattice (flip_seed.c).
void flip_seed(flip* s);

// flip_sand.c
const shoal_material* flip_material_of(const shoal_description* description); // what bodies and emitters are of
shoal_status          flip_rub(flip* s, double dt);                       // friction and pressure
double                flip_rest_speed(const flip* s);                     // m/s; slower sand stays where it is

#endif
