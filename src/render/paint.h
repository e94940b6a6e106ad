// SPDX-License-Identifier: MIT
// Colours for numbers, and the bar that tells what they mean.
#ifndef SHOAL_RENDER_PAINT_H
#define SHOAL_RENDER_PAINT_H

#include "base/status.h"
#include "math/vec.h"

// From 0 (dark blue) over green to 1 (yellow), in linear light: the map "viridis" of Smith and van
// der Walt, even to the eye and for those who see few colours.
shoal_v3 render_paint(double t);
// Ends around low and high that are easy to read, like the `steps` between them.
void render_paint_round(double* low, double* high, int steps);

#endif
