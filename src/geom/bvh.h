// SPDX-License-Identifier: MIT
// A tree of boxes over triangles, for nearest-point and ray queries. Single precision: callers
// bring the mesh into a frame of order one or of grid cells first, so neither its size nor its
// place costs accuracy.
#ifndef SHOAL_BVH_H
#define SHOAL_BVH_H

#include "base/status.h"
#include "math/vec.h"

// The longest way from the root to a leaf; traversal stacks have this room.
#define SHOAL_BVH_DEPTH 80

typedef struct shoal_bvh_node {
    float min[3];
    int   first; // inner: children are nodes first and first + 1; leaf: triangles [first, first +
                 // count)
    float max[3];
    int   count; // 0: inner
} shoal_bvh_node;

typedef struct shoal_bvh_triangle {
    shoal_v3 a, ab, ac; // a corner and the two edges from it
} shoal_bvh_triangle;

// Invariant: a node's box holds those of its children, and children come after their parent.
typedef struct shoal_bvh {
    int                 node_count, triangle_count; // of triangles that are there several times, one
    shoal_bvh_node*     nodes;
    shoal_bvh_triangle* triangles; // in leaf order
    int*                ids;       // the mesh's number of each of them
} shoal_bvh;

shoal_status shoal_bvh_create(const shoal_v3* vertices, const int* triangles, int triangle_count, shoal_bvh** out);
void         shoal_bvh_destroy(shoal_bvh* bvh); // may be NULL

float shoal_bvh_triangle_distance2(const shoal_bvh_triangle* t, shoal_v3 p);

// Squared distance from p to the nearest triangle. *nearest is its place in leaf order; on entry it
// may name a likely one (the answer for a point close by), which makes the search quick, or -1.
float shoal_bvh_nearest(const shoal_bvh* bvh, shoal_v3 p, int* nearest);

// From the middle of the triangle at `place` in leaf order along its inward normal, the length to
// the first triangle that the ray leaves through at less than 60 degrees from that one's normal;
// INFINITY when there is none. Triangles that share a corner with the first are not seen: a fold or
// a sharp edge is no thin wall. corners: 3 per triangle of the mesh, equal where they are the same
// place. facing: 1, or -1 when the mesh is inside out. beyond: triangles up to this length are not
// seen either; 0 to begin.
float shoal_bvh_wall(const shoal_bvh* bvh, int place, const int* corners, float facing, float beyond);
// The place at a length along that ray; outside of the mesh where it is negative.
shoal_v3 shoal_bvh_inward(const shoal_bvh* bvh, int place, float facing, float length);

#endif
