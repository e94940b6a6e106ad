// SPDX-License-Identifier: MIT
// The passes as loops over a block of particles, one table per instruction set; inside of fluid/ only.
#ifndef SHOAL_WATER_LOCAL_H
#define SHOAL_WATER_LOCAL_H

#include "fluid/water_pass.h"

extern const shoal_water_loop shoal_water_loops_plain[SHOAL_WATER_PASS_COUNT];
// The passes that walk over neighbours, wide; NULL: take the plain one.
#define X(kind, suffix) extern const shoal_water_loop shoal_water_loops_##suffix[SHOAL_WATER_PASS_COUNT];
SHOAL_ISA_SETS(X)
#undef X

#endif
