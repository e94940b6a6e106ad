// SPDX-License-Identifier: MIT
// Sand as a continuum of particles, as a solver of the house.
#ifndef SHOAL_POROUS_H
#define SHOAL_POROUS_H

#include "state/solver.h"

extern const shoal_solver_type porous_type;

#endif
