// SPDX-License-Identifier: MIT
// How far places near one that was asked surely are off the solids, without asking. Most places of a liquid are far
// from all solids, and many a rule is about those that are near alone.
#ifndef SHOAL_CLEAR_H
#define SHOAL_CLEAR_H

#include "math/vec.h"

// Distances to solids change by no more than this in a metre: those of meshes are linear between samples, and by up to
// sqrt(3).
#define SHOAL_CLEAR_SLOPE 2.0

// The place that was asked last, and how far it is off. Nothing is known of {.off = -INFINITY}.
typedef struct shoal_clear {
    shoal_d3 at;
    double   off;
} shoal_clear;

SHOAL_FN double shoal_clear_off(const shoal_clear* last, shoal_d3 at) {
    return last->off - SHOAL_CLEAR_SLOPE * shoal_d3_length(shoal_d3_sub(at, last->at));
}

#endif
