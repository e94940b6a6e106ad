// SPDX-License-Identifier: MIT
// The parameters of the grains: the struct, the scene keys, the manual, all from this list.
#ifndef SHOAL_GRAINS_PARAMS_H
#define SHOAL_GRAINS_PARAMS_H

#include "param/param.h"

// clang-format off
// name                     type        default min   max     unit    help
#define GRAINS_PARAMS(X)                                                                                                       \
    X(restitution,          FLOAT,      0.3,    0.01, 1,      "",     "speed after a head-on collision over speed before")     \
    X(friction,             AUTO_FLOAT, 0,      1e-6, 10,     "",     "Coulomb friction between grains; auto: tangent of the material's friction angle") \
    X(rolling,              FLOAT,      0.2,    0.0,  10,     "",     "rolling resistance between grains and on solids with friction, as a friction; 0: spheres roll freely") \
    X(rotation,             BOOL,       1,      0,    1,      "",     "grains spin; without, they only slide")                 \
    X(spread,               FLOAT,      0.1,    0.0,  0.5,    "",     "radii lie evenly within this share about the mean; 0: equal spheres, which crystallise") \
    X(max_overlap,          FLOAT,      0.1,    1e-4, 0.5,    "d",    "overlap at the fastest impact; a quarter of it at the bottom of the sand at rest") \
    X(impact_speed,         AUTO_FLOAT, 0,      1e-6, 1e4,    "m/s",  "fastest impact to be ready for; auto: from the heights and speeds in the scene") \
    X(stiffness,            AUTO_FLOAT, 0,      1e-9, 1e12,   "N/m",  "normal spring of a contact; auto: from max_overlap and impact_speed") \
    X(softness,             FLOAT,      1,      0.01, 1e4,    "",     "divides the stiffness: steps grow by its root, overlaps too") \
    X(tangential_stiffness, FLOAT,      0.2857, 0.01, 1,      "",     "tangential and rolling spring over the normal one; 2/7 gives both the same period") \
    X(steps_per_contact,    FLOAT,      25,     10,   1000,   "",     "substeps in the time two grains touch in a collision")
// clang-format on

SHOAL_PARAMS_DECLARE(grains_params, GRAINS_PARAMS)

#endif
