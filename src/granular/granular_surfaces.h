// SPDX-License-Identifier: MIT
// The surfaces of solids beside a place in sand, m, be they of one solid or of several: tractions and cut cells treat
// each of those that meet in a corner by itself.
#ifndef SHOAL_GRANULAR_SURFACES_H
#define SHOAL_GRANULAR_SURFACES_H

#include "mac/mac_solid.h"

enum { GRANULAR_SURFACES = 3 }; // that meet in a corner

typedef struct granular_surfaces {
    int         count;
    shoal_touch touch[GRANULAR_SURFACES];
    shoal_d3    place[GRANULAR_SURFACES]; // where it was touched
} granular_surfaces;

// `side` is how much of the cells around the place is solid surface, as a vector into the sand (granular_solid_side).
granular_surfaces granular_surfaces_at(const shoal_world* world, const shoal_mac* mac, shoal_v3 place, shoal_v3 side);

// How far a place is above one of them, taken as a plane, m.
static inline double granular_surface_height(const granular_surfaces* s, int k, shoal_d3 place) {
    return s->touch[k].distance + shoal_d3_dot(s->touch[k].normal, shoal_d3_sub(place, s->place[k]));
}

#endif
