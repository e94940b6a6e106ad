// SPDX-License-Identifier: MIT
// A settled sample: points without order, as even as grains that have come to rest, one to a unit
// of volume, without seams where it repeats. What emitters push through their openings.
#ifndef SHOAL_SETTLED_H
#define SHOAL_SETTLED_H

#include <stdint.h>

#include "base/memory.h"
#include "math/vec.h"

typedef struct shoal_settled {
    double    length;  // period along z
    double    wide[2]; // periods along x and y; 0: none, as in a tube, which is about the z axis
    int       count;
    shoal_d3* points; // [count], z in [0, length)
} shoal_settled;

// `touch`: the distance that all keep, at most 1.06. Up to 1 they rest as a liquid does, above as
// spheres. In a tube: as many points as its volume, up to rounding.
shoal_status shoal_settled_tube(double radius, double touch, uint64_t seed, shoal_settled* out);
// Repeats along all three axes, x and y from 0 on.
shoal_status shoal_settled_block(double touch, uint64_t seed, shoal_settled* out);

// Where points may be that rest again between walls.
typedef struct shoal_section {
    double         min[2], max[2]; // of x and y
    const uint8_t* moves;          // [count] 0: stays where it is
    // The place nearest to `to` where point i may be, which was at `from`. z as it is.
    shoal_d3 (*keep)(void* user, int i, shoal_d3 from, shoal_d3 to);
    void* user;
} shoal_section;

// Brings points to rest again that have been put between walls: pushed apart to `touch`, or to as
// much of it as they find room for, not below `least`.
shoal_status shoal_settled_again(shoal_settled* sample, double touch, double least, const shoal_section* section);
void         shoal_settled_free(shoal_settled* sample);

#endif
