// SPDX-License-Identifier: MIT
// Liquids as particles on lattice-based tetrahedral meshes. See tetra.md.
#ifndef SHOAL_TETRA_H
#define SHOAL_TETRA_H

#include "state/solver.h"

extern const shoal_solver_type tetra_type;

#endif
