// SPDX-License-Identifier: MIT
// The surface of a shape as triangles, to be looked at: obstacles in exports and pictures.
#ifndef SHOAL_SHAPE_SURFACE_H
#define SHOAL_SHAPE_SURFACE_H

#include "geom/contour.h"
#include "geom/shape.h"

// In the frame of the shape, closed. Single primitives are exact at their vertices, with 128 edges
// around, and have a vertex for each side of a crease; meshes are as they were given. Of
// combinations, the surfaces of the parts are cut by the closed forms of the others (shape_cut.h),
// so that edges are where they should be and thin walls stay whole; where round sides only touch
// along a curve, a crack of about 1/1000 of their radius may stay open. Half spaces go as far as
// `clip` does; nothing in it gives no triangles. A torus that crosses itself, alone or within, is
// marching cubes with cells of about `cell` metres, between 1/192 and 1/48 of its size. out->first
// is NULL.
shoal_status shoal_shape_surface(const shoal_shape* shape, shoal_box clip, double cell, const shoal_exec* exec,
                                 shoal_contour* out);

#endif
