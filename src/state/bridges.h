// SPDX-License-Identifier: MIT
// Bridges of water between the grains of damp sand.
#ifndef SHOAL_BRIDGES_H
#define SHOAL_BRIDGES_H

#include <math.h>

#include "math/rheology.h"
#include "state/description.h"

// The greatest cohesion of damp sand whose grains have that size (m), Pa. Bridges pull by pi tension d; packed so,
// grains bear contacts x packing / (pi d^2) of that [Rumpf 1962], and its tangent of the friction angle along a cut.
// 340 Pa for medium sand of 0.5 mm.
static inline double shoal_bridge_cohesion(const shoal_material* sand, double grain_size) {
    const double tension = 0.0728, contacts = 6.0; // of water, N/m; of a grain
    return contacts * (double)sand->packing * tension / grain_size * shoal_friction_slope((double)sand->friction_angle);
}

#endif
