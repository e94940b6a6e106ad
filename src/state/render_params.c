// SPDX-License-Identifier: MIT
// The tables of the block `render` and those below it.
#include "state/render_params.h"

#define SHOAL_PARAM_STRUCT shoal_render_params
SHOAL_PARAMS_DEFINE(shoal_render_params, SHOAL_RENDER_PARAMS)
#undef SHOAL_PARAM_STRUCT
#define SHOAL_PARAM_STRUCT shoal_camera_params
SHOAL_PARAMS_DEFINE(shoal_camera_params, SHOAL_CAMERA_PARAMS)
#undef SHOAL_PARAM_STRUCT
#define SHOAL_PARAM_STRUCT shoal_view_params
SHOAL_PARAMS_DEFINE(shoal_view_params, SHOAL_VIEW_PARAMS)
#undef SHOAL_PARAM_STRUCT
#define SHOAL_PARAM_STRUCT shoal_lights_params
SHOAL_PARAMS_DEFINE(shoal_lights_params, SHOAL_LIGHTS_PARAMS)
#undef SHOAL_PARAM_STRUCT
#define SHOAL_PARAM_STRUCT shoal_lamp_params
SHOAL_PARAMS_DEFINE(shoal_lamp_params, SHOAL_LAMP_PARAMS)
#undef SHOAL_PARAM_STRUCT
#define SHOAL_PARAM_STRUCT shoal_background_params
SHOAL_PARAMS_DEFINE(shoal_background_params, SHOAL_BACKGROUND_PARAMS)
#undef SHOAL_PARAM_STRUCT
#define SHOAL_PARAM_STRUCT shoal_look_params
SHOAL_PARAMS_DEFINE(shoal_look_params, SHOAL_LOOK_PARAMS)
