// SPDX-License-Identifier: MIT
// The wide passes; inside of fluid/ only.
#ifndef SHOAL_WATER_LOCAL_H
#define SHOAL_WATER_LOCAL_H

#include "fluid/water_pass.h"

SHOAL_WIDE_LOOPS(shoal_water_loops) // of the passes that walk over neighbours

#endif
