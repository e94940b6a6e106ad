// SPDX-License-Identifier: MIT
// Within tet/: how the parts of isosurface stuffing share their background lattice.
#ifndef SHOAL_STUFFING_LOCAL_H
#define SHOAL_STUFFING_LOCAL_H

#include "tet/stuffing.h"

// Bits of shoal_stuffing.cut_mask.
enum { STUFFING_AXES = 3, STUFFING_CORNERS = 8, STUFFING_EDGES = STUFFING_AXES + STUFFING_CORNERS };

// The cut of edge `bit` of a background vertex, -1 where the surface does not cut it.
static inline int stuffing_cut(const shoal_stuffing* w, int vertex, int bit) {
    unsigned mask = w->cut_mask[vertex];
    if (!(mask >> bit & 1)) return -1;
    return w->first_cut[vertex] + shoal_bit_count(mask & ((1u << bit) - 1));
}
static inline int stuffing_corner(const shoal_stuffing* w, int x, int y, int z) {
    return shoal_morton_find(&w->corners, x, y, z);
}
static inline int stuffing_middle(const shoal_stuffing* w, int leaf) { return w->corners.count + leaf; }

// Asks the field at `count` points, by blocks.
void stuffing_ask(shoal_field_fn field, void* ctx, const shoal_d3* at, int count, double* value,
                  const shoal_exec* exec);

// The octree around the candidates that the surface really crosses.
shoal_status stuffing_divide(shoal_stuffing* w, shoal_field_fn field, void* ctx, uint64_t* candidates, int count,
                             const shoal_exec* exec);
// Where the surface cuts edges, and the vertices that move there.
shoal_status stuffing_cut_edges(shoal_stuffing* w, shoal_field_fn field, void* ctx, int roots, const shoal_exec* exec);
// Tetrahedra of background vertices and cuts, vertices numbered by first use.
shoal_status stuffing_emit(shoal_stuffing* w, const shoal_exec* exec, shoal_tetmesh* mesh);

#endif
