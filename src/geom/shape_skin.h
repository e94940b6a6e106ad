// SPDX-License-Identifier: MIT
// The surface of a shape as triangles, to be looked at: obstacles in exports and pictures.
#ifndef SHOAL_SHAPE_SKIN_H
#define SHOAL_SHAPE_SKIN_H

#include "geom/contour.h"
#include "geom/shape.h"

// In the frame of the shape. Single primitives are exact at their vertices, with 64 edges around, and
// have a vertex for each side of a crease; meshes are as they were given; combinations and half
// spaces are marching cubes with cells of about `cell` metres, between 1/192 and 1/48 of their size,
// half spaces only as far as `clip` goes. Nothing in `clip` gives no triangles. out->first is NULL.
shoal_status shoal_shape_skin(const shoal_shape* shape, shoal_box clip, double cell,
                              const shoal_exec* exec, shoal_contour* out);

#endif
