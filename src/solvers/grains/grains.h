// SPDX-License-Identifier: MIT
// Sand as grains, Cundall & Strack 1979 and Rungjiratananon et al. 2008. See docs/reference/grains.md.
#ifndef SHOAL_GRAINS_H
#define SHOAL_GRAINS_H

#include "state/solver.h"

extern const shoal_solver_type grains_type;

#endif
