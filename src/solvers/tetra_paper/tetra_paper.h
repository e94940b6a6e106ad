// SPDX-License-Identifier: MIT
// Liquids on tetrahedral meshes with a tracked surface. See tetra_paper.md.
#ifndef SHOAL_PAPER_H
#define SHOAL_PAPER_H

#include "state/solver.h"

extern const shoal_solver_type tetra_paper_type;

#endif
