// SPDX-License-Identifier: MIT
// Liquids of unlike weight where they are too thin to be resolved.
#ifndef SHOAL_SPH_OVERTURN_H
#define SHOAL_SPH_OVERTURN_H

#include "fluid/water.h"

// Light particles under heavy ones that are a film on a solid or alone among the others change places with them, at the pace of
// falling; gives the number of such pairs. After `advance`, with the lists of the substep.
int sph_overturn(shoal_water* water);

#endif
