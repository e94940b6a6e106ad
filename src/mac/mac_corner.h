// SPDX-License-Identifier: MIT
// Cells where several solids meet. One surface through the nearest distances at the corners of a
// cell would cut across the edge between them: half of a face beside a wall seemed closed, and a
// belt that runs along that wall pumped sand out of one cell and into the next. So there each solid
// cuts by its own distances.
#ifndef SHOAL_MAC_CORNER_H
#define SHOAL_MAC_CORNER_H

#include "mac/mac.h"

enum { MAC_CORNER_SOLIDS = 4 }; // that meet in one cell; more are left out, the last of the world

typedef struct mac_corner {
    int                   count;
    const shoal_collider* solid[MAC_CORNER_SOLIDS];
    float                 distance[MAC_CORNER_SOLIDS][8]; // cells, at the corners, x fastest
} mac_corner;

// The solids that reach into a cell; walls of solids are thicker by `hair`, in cells.
mac_corner mac_corner_of(const shoal_mac* mac, const shoal_world* world, int at, float hair);

// The open share of the cell's low face along an axis, and the part of it that each solid closes,
// each what those before it have left.
float mac_corner_face(const mac_corner* corner, int axis, float closed[MAC_CORNER_SOLIDS]);
// The open share of its volume.
float mac_corner_volume(const mac_corner* corner);

#endif
