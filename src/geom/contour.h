// SPDX-License-Identifier: MIT
// Marching cubes on a sparse field: the surface on which it is zero, negative inside.
//
// The triangle table is derived at the first call: on each face of a cube every run of inside
// corners is cut off by one segment, segments join to loops, loops become fans. Both cubes at a
// face see the same four signs, so there are no holes. Where diagonal corners of a face are inside,
// they are kept apart.
#ifndef SHOAL_CONTOUR_H
#define SHOAL_CONTOUR_H

#include "grid/sparse.h"

typedef struct shoal_contour {
    int       vertex_count, triangle_count;
    shoal_v3* vertices;
    shoal_v3* normals;   // unit, outwards: the gradient of the field
    int*      triangles; // [3 triangle_count] counter-clockwise seen from outside
    int*      cubes;     // [triangle_count] the lowest sample of the cube that each is in, increasing
    int*      first;     // [block_count + 1] the vertices of a block are [first[b], first[b + 1])
    int       vertex_capacity, normal_capacity, triangle_capacity, cube_capacity,
        first_capacity; // existing memory is used again
} shoal_contour;

// EXACT: vertices are not kept a little off the ends of their edges. PLAIN: without normals and cubes.
enum { SHOAL_CONTOUR_EXACT = 1, SHOAL_CONTOUR_PLAIN = 2 };

// Every directed edge has its twin, each vertex is shared by the triangles around it, no triangle
// is degenerate: vertices keep a little off the ends of their edges. `kind`: bits of the above; of exact ones triangles
// may collapse, and normals are not made.
// The samples beside a missing block must all be outside, or all inside, with which it is filled then
// (shoal_contour_seal makes them outside). Zero-initialise *out before the first use. `scratch`: NULL: none is
// kept.
// The same bits for any number of threads.
shoal_status shoal_contour_make(const shoal_sparse* field, int kind, const shoal_exec* exec, shoal_arena* scratch,
                                shoal_contour* out);
void         shoal_contour_free(shoal_contour* contour);

// Makes the samples that touch a missing block outside, so that the surface closes within the
// blocks.
void shoal_contour_seal(shoal_sparse* field, const shoal_exec* exec);

#endif
