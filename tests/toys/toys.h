// SPDX-License-Identifier: MIT
// Solvers for tests of the house, in a registry of their own.
#ifndef TOYS_H
#define TOYS_H

#include "state/solver.h"

#include <stdio.h>

extern const shoal_solver_type mesh_toy_type, pair_toy_type;

#endif
