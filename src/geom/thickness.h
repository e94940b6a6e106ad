// SPDX-License-Identifier: MIT
// How thin the walls of a shape are.
#ifndef SHOAL_THICKNESS_H
#define SHOAL_THICKNESS_H

#include "geom/shape.h"

// Thickness of the thinnest wall of a shape within a box, m, if it is less than `most`; else
// infinity. A wall lies between two faces that look away from each other: edges and tips are none.
// *at: a place inside of it (NULL: not wanted). Looks at places `most`/2 apart, or 1/128 of the
// box: to a few per cent, and small thin places may be missed.
double shoal_shape_thinnest(const shoal_shape* shape, shoal_box within, double most, shoal_d3* at);

#endif
