// SPDX-License-Identifier: MIT
// Cells in which surfaces meet at an inner edge, be they of several solids or of one. One surface through the nearest
// distances at the corners of a cell would cut across that edge: half of a face beside a wall seemed closed, a belt
// that runs along the wall pumped sand out of one cell and into the next, and a groove across the grid was a row of
// bumps that held what slides in it. So there each surface cuts by its own distances.
#ifndef SHOAL_MAC_CORNER_H
#define SHOAL_MAC_CORNER_H

#include "mac/mac.h"
#include "mac/mac_thin.h"

enum { MAC_CORNER_SOLIDS = 4 }; // that meet in one cell; more are left out, the last of the world

typedef struct mac_corner {
    int                   count;
    const shoal_collider* solid[MAC_CORNER_SOLIDS];       // NULL: one of several surfaces, whosever it is
    float                 distance[MAC_CORNER_SOLIDS][8]; // cells, at the corners, x fastest
} mac_corner;

// The solids that reach into a cell; walls of solids are thicker by `hair`, in cells.
mac_corner mac_corner_of(const shoal_mac* mac, const shoal_world* world, int at, float hair);

// The surfaces around a part of a cell, by what its nodes see; none where these are not planes that meet at inner
// edges.
mac_corner mac_corner_of_part(const mac_thin_nodes* nodes, uint32_t part);

// The open fraction of the cell's face along an axis, the low one (side 0) or the high one, and the part of it that
// each solid closes, each what those before it have left.
float mac_corner_face(const mac_corner* corner, int axis, int side, float closed[MAC_CORNER_SOLIDS]);
// The open fraction of its volume.
float mac_corner_volume(const mac_corner* corner);

#endif
