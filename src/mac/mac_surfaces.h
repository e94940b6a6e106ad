// SPDX-License-Identifier: MIT
// The surfaces of solids beside a place in sand, be they of one solid or of several.
#ifndef SHOAL_MAC_SURFACES_H
#define SHOAL_MAC_SURFACES_H

#include "mac/mac_solid.h"

enum { MAC_SURFACES = 3 }; // that meet in a corner

typedef struct mac_surfaces {
    int         count;
    shoal_touch touch[MAC_SURFACES];
    shoal_d3    place[MAC_SURFACES]; // where it was touched
} mac_surfaces;

// `side` is how much of the cells around the place is solid surface, as a vector into the sand (mac_solid_side).
mac_surfaces mac_surfaces_at(const shoal_world* world, const shoal_mac* mac, shoal_v3 place, shoal_v3 side);

// How far a place is above one of them, taken as a plane, m.
static inline double mac_surface_height(const mac_surfaces* s, int k, shoal_d3 place) {
    return s->touch[k].distance + shoal_d3_dot(s->touch[k].normal, shoal_d3_sub(place, s->place[k]));
}

#endif
