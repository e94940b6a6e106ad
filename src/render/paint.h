// SPDX-License-Identifier: MIT
// Colours for numbers, and the bar that tells what they mean.
#ifndef SHOAL_RENDER_PAINT_H
#define SHOAL_RENDER_PAINT_H

#include "base/status.h"
#include "math/vec.h"

// From 0 (dark blue) over green to 1 (yellow), in linear light: the map "viridis" of Smith and van
// der Walt, even to the eye and for the colour-blind. Grey for values that are not numbers.
shoal_v3 render_paint(double t);
// Of a value between low and high; the middle one where these are equal.
shoal_v3 render_paint_value(double value, double low, double high);
// Colours of names, one after the other, by Okabe and Ito: for the colour-blind too.
shoal_v3 render_paint_name(int index);
// Ends around low and high that are easy to read; equal ones stay so.
void render_paint_round(double* low, double* high);

#endif
