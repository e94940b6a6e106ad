// SPDX-License-Identifier: MIT
// What sand bears and how it flows: each law once, with its source. Angles in degrees, as scenes give them.
#ifndef SHOAL_RHEOLOGY_H
#define SHOAL_RHEOLOGY_H

#include <math.h>

#include "math/vec.h"

// Shear over pressure that sand bears along a cut, by its angle of repose [Coulomb 1776].
SHOAL_HOST_FN double shoal_friction_slope(double angle) { return tan(angle * (SHOAL_PI / 180.0)); }

// M of the yield surface q <= M p + c, where q is sqrt(3/2) |deviatoric stress|, sqrt(3) times the shear [Drucker &
// Prager 1952]: so that sand stands at that angle in a heap; that the cone touches Mohr's in plane strain; or as
// printed in [Zhu & Bridson 2005], which is less.
SHOAL_HOST_FN double shoal_yield_repose(double angle) { return sqrt(3.0) * shoal_friction_slope(angle); }
SHOAL_HOST_FN double shoal_yield_plane_strain(double angle) { return sqrt(3.0) * sin(angle * (SHOAL_PI / 180.0)); }
SHOAL_HOST_FN double shoal_yield_printed(double angle) { return sin(angle * (SHOAL_PI / 180.0)); }

// What mu(I) has above mu at an inertial number, glass beads [Jop, Forterre & Pouliquen 2006].
SHOAL_FN float shoal_friction_by_rate(float inertia) { return 0.26f * inertia / (0.3f + inertia); }

// Coulomb's bound: how much of a traction whose square is given stays within it.
SHOAL_FN float shoal_friction_fraction(float bound, float square) {
    return square > bound * bound ? bound / sqrtf(square) : 1.0f;
}

#endif
