// SPDX-License-Identifier: MIT
// Pictures in linear light, and how they become bytes for a screen.
#ifndef SHOAL_IMAGE_H
#define SHOAL_IMAGE_H

#include "exec/exec.h"
#include "math/vec.h"

typedef struct shoal_image {
    int       width, height;
    shoal_v3* light; // [width * height] red, green, blue with the primaries of sRGB; rows from the top
} shoal_image;

float shoal_image_gain(double stops); // what light is multiplied by
// `stops` brighter, held within the picture by a filmic curve or cut off, in sRGB; `rgb` has 3
// bytes a pixel. Rounding is spread by a fixed pattern, so that a sky has no bands.
void shoal_image_develop(const shoal_image* image, double stops, bool is_filmic, const shoal_exec* exec, uint8_t* rgb);

#endif
