// SPDX-License-Identifier: MIT
// PIC and FLIP on a staggered grid, Zhu & Bridson 2005. See flip.md for equations, deviations and limits.
#ifndef SHOAL_FLIP_H
#define SHOAL_FLIP_H

#include "state/solver.h"

extern const shoal_solver_type flip_type;

#endif
