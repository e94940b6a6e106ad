// SPDX-License-Identifier: MIT
// Cells that a thin solid cuts. Distances at half cells, the nodes of a cell, tell what hangs
// together in it: solids of a spacing are tight. A cell has but one pressure, so it is one of its
// parts, and its faces are closed where the others meet them. What of it is open is given by that
// part's own surface: across a thin solid distances turn round, and say nothing about the side that
// is meant.
#ifndef SHOAL_MAC_THIN_H
#define SHOAL_MAC_THIN_H

#include <stdbool.h>
#include <stdint.h>

enum {
    MAC_THIN_NODES = 27,
    MAC_THIN_PARTS = 4
};                              // corners and middles: 3 x 3 x 3, x fastest; parts of a cell that are told apart
#define MAC_THIN_ALL 0x7FFFFFFu // every node

typedef struct mac_thin_nodes {
    float distance[MAC_THIN_NODES]; // cells
    float normal[MAC_THIN_NODES][3];
} mac_thin_nodes;

typedef struct mac_thin {
    float    low[3], high[3]; // open fraction of the faces
    float    fraction;        // and of the volume
    uint64_t open;            // nodes of the faces that belong to the cell, nine bits each: low and high along
                              // x, y, z
} mac_thin;

// Whether distances at the corners of a cell, in cells, x fastest, are those of more than one plane
// that is near.
bool mac_is_bent(const float corner[8]);
// The nodes outside of solids, by distances there; or by those at the corners, where they are of
// one plane or none that is near.
uint32_t mac_thin_open_nodes(const float node[MAC_THIN_NODES]);
uint32_t mac_thin_open_nodes_of_corners(const float corner[8]);
// The parts of a set of nodes, what hangs together along the edges between them, the largest first;
// returns how many.
int mac_thin_parts(uint32_t set, uint32_t part[MAC_THIN_PARTS]);
// The fraction of its volume that is open, by distances at its nodes.
float mac_thin_open(const float node[MAC_THIN_NODES]);
// What is open when the cell is that part.
void mac_thin_of(const mac_thin_nodes* nodes, uint32_t part, mac_thin* out);
// The nodes of a part on the faces, as `open` has them.
uint64_t mac_thin_faces(uint32_t part);
// Fraction of a cell's volume around a set of nodes.
float mac_thin_volume(uint32_t set);

static inline uint64_t mac_thin_face(uint64_t open, int axis, int side) {
    return open >> (9 * (2 * axis + side)) & 511u;
}
// Whether the cells of two parts, one `way` (-1, 0, 1 along each axis) from the first, share a
// node.
bool mac_thin_joined(uint32_t part, uint32_t other, const int way[3]);

#endif
