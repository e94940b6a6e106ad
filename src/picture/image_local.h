// SPDX-License-Identifier: MIT
// The loop of image_wide.c.
#ifndef SHOAL_IMAGE_LOCAL_H
#define SHOAL_IMAGE_LOCAL_H

#include "screen/screen_film_pass.h"

#include <stdbool.h>

enum { IMAGE_CHUNK = 64 }; // pixels done side by side

typedef struct image_loops {
    // The bytes of IMAGE_CHUNK pixels, the first of which is number `first`, from their light.
    void (*print)(const screen_film* film, const float* light, float gain, bool is_filmic, size_t first, uint8_t* rgb);
} image_loops;

#endif
