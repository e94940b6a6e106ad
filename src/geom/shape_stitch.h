// SPDX-License-Identifier: MIT
// Closes the seams of surfaces that were cut. Inside geom/ only.
#ifndef SHOAL_SHAPE_STITCH_H
#define SHOAL_SHAPE_STITCH_H

#include "shoal/base.h"

#include "math/vec.h"

typedef struct shape_seam_triangle {
    int      corner[3];
    shoal_d3 normal[3]; // at its corners, so that a crease has two
} shape_seam_triangle;

typedef struct shape_seamed {
    int                  vertex_count, triangle_count, triangle_capacity;
    shoal_d3*            vertices;
    shape_seam_triangle* triangles;
} shape_seamed;

// Corners nearer than `weld` (m) become one; those on open edges that are nearer than `tolerance`,
// too, and open edges get the open corners that lie on them within it.
shoal_status shape_stitch(shape_seamed* mesh, double weld, double tolerance);

#endif
