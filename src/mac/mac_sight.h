// SPDX-License-Identifier: MIT
// What a particle near a thin solid sees of the cells around it. Samples on the other side of the
// solid, and those inside of it, are none of its business: it neither gives to them nor takes from
// them, so that two sides of a wall do not move each other.
#ifndef SHOAL_MAC_SIGHT_H
#define SHOAL_MAC_SIGHT_H

#include "mac/mac_sample.h"
#include "mac/mac_thin.h"

enum { MAC_SIGHT_CELLS = 8 };

// Cell k of those around a particle: its own, and one farther along x, y, z for bits 0, 1, 2 of k,
// on the nearer side.
typedef struct mac_sight {
    int      cell[MAC_SIGHT_CELLS]; // samples; -1: none
    int      at[3];                 // coordinates of its own cell in the block
    int      way[3];                // -1 or 1: where the others are
    float    part[3], next[3];      // how far it is into its cell; weight of the next cell's centre
    unsigned seen;                  // bits of cells
    unsigned closed;                // those that no part of is open
    float    distance;              // of the nearest thin solid, in cells
} mac_sight;

// From x, at g cells from the corner of `block`. False where no cell around is cut by a thin solid:
// all is seen.
bool mac_sight_from(const shoal_mac* m, const shoal_world* world, int block, mac_f4 g, shoal_v3 x, mac_sight* out);
// Which of the parts of its own cell a particle is in; -1: unknown.
int mac_sight_part(const shoal_world* world, double dx, mac_f4 g, shoal_v3 x, const uint32_t* part, int count);

// Nodes of the part that a cell is.
static inline uint32_t mac_part_nodes(const shoal_mac* m, int at) {
    return m->has_thin[at >> 9] ? m->part_nodes[at] : MAC_THIN_ALL;
}
static inline bool mac_is_cut(const shoal_mac* m, int at) {
    return m->has_thin[at >> 9] && m->open_nodes[at] != MAC_THIN_ALL;
}

// Layer z of a block: cells that hang together with the one beside them, below or above along x, y,
// z for n = 0 .. 5.
uint64_t mac_joined(const shoal_mac* m, int block, int z, int n);

// The eight samples around for faces along an axis: sample j is the low (bit 0 clear) or high face
// of cell `mac_sight_cell(axis, j)`.
static inline int mac_sight_cell(int axis, int j) {
    static const int cells[3][4] = {{0, 2, 4, 6}, {0, 1, 4, 5}, {0, 1, 2, 3}};
    return cells[axis][j >> 1];
}
static inline int mac_sight_face(const shoal_mac* m, const mac_sight* s, int axis, int j) {
    int cell = s->cell[mac_sight_cell(axis, j)];
    return cell < 0 || !(j & 1) ? cell : shoal_mac_beside(m, cell, axis, 1);
}
static inline float mac_sight_weight(const mac_sight* s, int axis, int j) {
    int   k = mac_sight_cell(axis, j);
    float w = j & 1 ? s->part[axis] : 1.0f - s->part[axis];
    for (int a = 0; a < 3; a++)
        if (a != axis) w *= k >> a & 1 ? s->next[a] : 1.0f - s->next[a];
    return w;
}

#endif
