// SPDX-License-Identifier: MIT
// Isosurface stuffing [Labelle & Shewchuk 2007]: the inside of a surface, where a field is positive, filled with
// tetrahedra of a body centred cubic lattice, fine at the surface, coarser inside, none with a bad angle.
//
// All that is kept lives in the workspace and is used again for the next mesh.
#ifndef SHOAL_STUFFING_H
#define SHOAL_STUFFING_H

#include "tet/octree.h"
#include "tet/tetmesh.h"

// A vertex that is nearer than this fraction of an edge to where the surface cuts it is moved there: all angles between
// 10.7 and 164.8 degrees (the pair that makes the smallest angle largest).
#define SHOAL_STUFFING_LONG 0.285
#define SHOAL_STUFFING_SHORT 0.399
// These angles as cosines.
#define SHOAL_STUFFING_SHARPEST 0.9826
#define SHOAL_STUFFING_FLATTEST (-0.9650)
// A vertex so near to the surface is on it, in edges.
#define SHOAL_STUFFING_TOUCH 1e-4

typedef struct shoal_stuffing_cut {
    int    ends[2];  // background vertices
    double fraction; // of the way from the first to the second
} shoal_stuffing_cut;

// Made in addition to the mesh: the octree and first_tet; all else is scratch, there only while a mesh is made.
typedef struct shoal_stuffing {
    shoal_octree tree;
    int*         first_tet; // [leaf_count + 1] of the tetrahedra that each leaf has made, in their order
    // Background vertices: first the corners of leaves, then the middles of leaves in their order. Edges of the finest
    // octants that the surface cuts belong to the vertex at their lower end, or, if one end is a middle and one a
    // corner, to the middle.
    shoal_morton_set corners;
    int              vertex_count, cut_count;
    int (*corner)[8];   // [leaf_count] background vertices at a leaf's corners, k at (k & 1, k >> 1 & 1, k >> 2)
    double*   value;    // [vertex_count] of the field
    shoal_d3* position; // [vertex_count] where it is, once warped
    int8_t*   sign;     // [vertex_count] 1 inside, 0 on the surface, -1 outside
    // [vertex_count] bits of its edges: 0 ... 2 along an axis, 3 ... 10 to the corners of the octant
    uint16_t*           cut_mask;
    int*                first_cut;    // [vertex_count + 1]
    shoal_stuffing_cut* cuts;         // [cut_count]
    shoal_d3*           cut_position; // [cut_count]
    int                 first_tet_capacity;
    shoal_arena*        arena; // for scratch; NULL: none is kept
} shoal_stuffing;

void shoal_stuffing_free(shoal_stuffing* work); // what it points to; zero-initialise before the first use

// Fills the inside of `field` with tetrahedra, without neighbours (shoal_tetmesh_find_neighbours). work->tree has
// its frame (shoal_octree_frame), and the inside keeps three steps off its rim. `candidates`: Morton keys of all finest
// octants that the surface may enter, and more if that is easier (shoal_octree_near, or the cells of a tracked
// surface); used up. `roots`: steps of regula falsi with which the cuts are found; 0: by straight lines. The same bits
// for any number of threads.
shoal_status shoal_stuffing_make(shoal_stuffing* work, shoal_field_fn field, void* ctx, uint64_t* candidates, int count,
                                 int roots, const shoal_exec* exec, shoal_tetmesh* mesh);

#endif
