// SPDX-License-Identifier: MIT
// Between the files that make boundary samples.
#ifndef SHOAL_SAMPLES_LOCAL_H
#define SHOAL_SAMPLES_LOCAL_H

#include "fluid/samples.h"

// Of one solid, and of all together: 45 to 70 bytes and some microseconds each.
enum { SAMPLES_MOST = 1 << 23 };

// A growing list of places.
typedef struct samples_list {
    int       count, capacity;
    shoal_d3* place;
    int*      body;
} samples_list;

shoal_status samples_add(samples_list* list, shoal_d3 place, int body);

// The part of space that a solid is sampled in, along one axis: where fluid is kept, and a spacing
// into closed walls.
void samples_range(const shoal_world* world, int axis, double spacing, double* low, double* high);

// Appends the samples of collider `c`: in the world for one that stands still, in its own frame for
// one that moves.
shoal_status samples_of_collider(samples_list* list, const shoal_exec* exec, const shoal_world* world, int c,
                                 double spacing);

#endif
