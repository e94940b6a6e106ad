// SPDX-License-Identifier: MIT
// Cells that a thin solid divides: liquid is on both of its sides, and a cell has but one pressure. It belongs to the larger part; its
// faces are closed where the others meet them. Distances at half cells tell, so that solids of a spacing are tight.
#ifndef SHOAL_MAC_THIN_H
#define SHOAL_MAC_THIN_H

#include <stdbool.h>
#include <stdint.h>

enum { MAC_THIN_NODES = 27 }; // corners and middles: 3 x 3 x 3, x fastest

typedef struct mac_thin {
    float    low[3], high[3]; // open share of the faces
    float    share;           // and of the volume
    uint64_t open;            // nodes of the faces that belong to the cell, nine bits each: low and high along x, y, z
} mac_thin;

// Whether distances at the corners of a cell, in cells, x fastest, are those of more than one plane that is near.
bool mac_is_bent(const float corner[8]);
// Distances at its nodes; false: the solid does not divide it.
bool mac_thin_of(const float node[MAC_THIN_NODES], mac_thin* out);

static inline uint64_t mac_thin_face(uint64_t open, int axis, int side) { return open >> (9 * (2 * axis + side)) & 511u; }

#endif
