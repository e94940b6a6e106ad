// SPDX-License-Identifier: MIT
// Liquids on tetrahedral meshes with a tracked surface. See tetra.md.
#ifndef SHOAL_TETRA_H
#define SHOAL_TETRA_H

#include "state/solver.h"

extern const shoal_solver_type tetra_type;

#endif
