// SPDX-License-Identifier: MIT
// Position Based Fluids, Macklin & Mueller 2013. See pbf.md for equations, deviations and limits.
#ifndef SHOAL_PBF_H
#define SHOAL_PBF_H

#include "state/solver.h"

extern const shoal_solver_type pbf_type;

#endif
