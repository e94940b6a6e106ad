// SPDX-License-Identifier: MIT
// The colour bar of a picture that shows numbers.
#ifndef SHOAL_RENDER_BAR_H
#define SHOAL_RENDER_BAR_H

#include "base/status.h"

enum { RENDER_BAR_COLORS = 256, RENDER_BAR_STEPS = 4 };
// Draws it at the right of RGB pixels. `colors` from low to high, as they are on the screen.
shoal_status render_bar_draw(uint8_t* rgb, int width, int height,
                             const uint8_t colors[RENDER_BAR_COLORS][3], const char* title,
                             double low, double high);

#endif
