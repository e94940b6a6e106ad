// SPDX-License-Identifier: MIT
// What a scene says of surfaces and pictures. Finished runs are read with it; no simulation sees it.
#ifndef SHOAL_PICTURE_PARAMS_H
#define SHOAL_PICTURE_PARAMS_H

#include "appearance/render_params.h"
#include "appearance/surface_params.h"

typedef struct shoal_picture_params {
    shoal_surface_params  surface;
    shoal_render_settings render;
} shoal_picture_params;

#endif
