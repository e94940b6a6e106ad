// SPDX-License-Identifier: MIT
// Sand as a continuum of particles: the solver `porous`.
#ifndef SHOAL_POROUS_H
#define SHOAL_POROUS_H

#include "state/solver.h"

extern const shoal_solver_type porous_type;

#endif
