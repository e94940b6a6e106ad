// SPDX-License-Identifier: MIT
// The solvers there are. A new one is a folder and a line in registry.c.
#ifndef SHOAL_REGISTRY_H
#define SHOAL_REGISTRY_H

#include "state/solver.h"

extern const shoal_solver_type* const shoal_solver_types[];                // ended by NULL
const shoal_solver_type*              shoal_solver_find(const char* name); // NULL: unknown

#endif
