// SPDX-License-Identifier: MIT
// The table of the block `surface`.
#include "appearance/surface_params.h"

SHOAL_PARAMS_DEFINE(shoal_surface_params, SHOAL_SURFACE_PARAMS)
