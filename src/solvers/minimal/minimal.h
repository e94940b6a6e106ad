// SPDX-License-Identifier: MIT
// The smallest solver there can be, to be read first: particles that fly and bounce. See minimal.md.
#ifndef SHOAL_MINIMAL_H
#define SHOAL_MINIMAL_H

#include "state/solver.h"

extern const shoal_solver_type minimal_type;

#endif
