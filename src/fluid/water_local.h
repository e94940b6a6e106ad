// SPDX-License-Identifier: MIT
// What the files of SPH water share; inside of fluid/ only.
#ifndef SHOAL_WATER_LOCAL_H
#define SHOAL_WATER_LOCAL_H

#include "fluid/water_pass.h"

void                      shoal_water_bind_samples(shoal_water* water);
bool                      shoal_water_is_smooth(const shoal_water* water, int body); // drags by its boundary layer
shoal_status              shoal_water_find_boundary(shoal_water* water);
void                      shoal_boundary_free(shoal_boundary* boundary);
void                      shoal_loads_free(shoal_loads* loads);
const shoal_water_liquid* shoal_water_liquids(shoal_water* water); // where passes see them

SHOAL_WIDE_LOOPS(shoal_water_loops) // of the passes that walk over neighbours

#endif
