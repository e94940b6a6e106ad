// SPDX-License-Identifier: MIT
// The tables of the block `render` and those below it.
#include "appearance/render_params.h"

SHOAL_PARAMS_DEFINE(shoal_render_params, SHOAL_RENDER_PARAMS)
SHOAL_PARAMS_DEFINE(shoal_camera_params, SHOAL_CAMERA_PARAMS)
SHOAL_PARAMS_DEFINE(shoal_view_params, SHOAL_VIEW_PARAMS)
SHOAL_PARAMS_DEFINE(shoal_lights_params, SHOAL_LIGHTS_PARAMS)
SHOAL_PARAMS_DEFINE(shoal_lamp_params, SHOAL_LAMP_PARAMS)
SHOAL_PARAMS_DEFINE(shoal_background_params, SHOAL_BACKGROUND_PARAMS)
SHOAL_PARAMS_DEFINE(shoal_appearance_params, SHOAL_APPEARANCE_PARAMS)
