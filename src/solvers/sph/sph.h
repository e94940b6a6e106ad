// SPDX-License-Identifier: MIT
// Smoothed Particle Hydrodynamics: the solver `sph`.
#ifndef SHOAL_SPH_H
#define SHOAL_SPH_H

#include "state/solver.h"

extern const shoal_solver_type sph_type;

#endif
