// SPDX-License-Identifier: MIT
// A settled sample: points without order, as even as grains that have come to rest, one to a unit
// of volume, without seams where it repeats. What emitters push through their openings.
#ifndef SHOAL_SETTLED_H
#define SHOAL_SETTLED_H

#include <stdint.h>

#include "base/memory.h"
#include "math/vec.h"

typedef struct shoal_settled {
    double    length; // period along z
    double    width;  // period along x and y, points in [0, width); 0: a tube about the z axis
    int       count;
    shoal_d3* points; // [count], z in [0, length)
} shoal_settled;

// `touch`: the distance that all keep, at most 1.06. Up to 1 they rest as a liquid does, above as
// spheres. In a tube: as many points as its volume, up to rounding.
shoal_status shoal_settled_tube(double radius, double touch, uint64_t seed, shoal_settled* out);
// Repeats along all three axes.
shoal_status shoal_settled_block(double touch, uint64_t seed, shoal_settled* out);
void         shoal_settled_free(shoal_settled* sample);

#endif
