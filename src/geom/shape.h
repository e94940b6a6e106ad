// SPDX-License-Identifier: MIT
// Shapes as signed distances: box, sphere, ... and meshes, placed and combined. One thing for bodies,
// obstacles, emitters and sinks. Negative inside, positive outside, metres.
#ifndef SHOAL_SHAPE_H
#define SHOAL_SHAPE_H

#include "geom/mesh.h"
#include "geom/tape.h"

typedef struct shoal_shape shoal_shape;

// Primitives about the origin of their own frame, y up. Sizes in metres, all > 0.
shoal_status shoal_shape_box(shoal_d3 min, shoal_d3 max, shoal_shape** out);
shoal_status shoal_shape_sphere(double radius, shoal_shape** out);
shoal_status shoal_shape_cylinder(double radius, double height, shoal_shape** out); // along y, centred
shoal_status shoal_shape_cone(double radius, double height, shoal_shape** out);     // base at y = 0, tip at y = height
shoal_status shoal_shape_capsule(double radius, double height,
                                 shoal_shape** out); // along y, centred; height between the two centres
shoal_status shoal_shape_torus(double ring, double tube, shoal_shape** out);       // around y
shoal_status shoal_shape_plane(shoal_d3 normal, double offset, shoal_shape** out); // solid where normal . x < offset
// Signed distance field of a mesh, sampled with cells of about `cell` metres (the spacing d or finer). Takes a copy
// of what it needs. `threads` workers may be used; the result does not depend on it. Limits and accuracy: sdf.h.
shoal_status shoal_shape_mesh(const shoal_mesh* mesh, double cell, int threads, shoal_shape** out);

// Places `child`: scaled about its origin, then rotated, then moved. Takes the child, also on failure.
shoal_status shoal_shape_place(shoal_shape* child, shoal_d3 scale, shoal_quat rotation, shoal_d3 at, shoal_shape** out);

// Takes all the children, also on failure. SUBTRACT: the first without all the others.
shoal_status shoal_shape_combined(shoal_combine how, shoal_shape** children, int count, shoal_shape** out);

// What several shapes have cut out of a finite one (SHOAL_SUBTRACT): distances to it stay right where they meet, by
// samples with cells of about `cell` metres, or larger ones where more than `most` would be needed. Other shapes come
// back as they are. Takes the shape, also on failure.
shoal_status shoal_shape_cleared(shoal_shape* shape, double cell, double most, int threads, shoal_shape** out);

void      shoal_shape_destroy(shoal_shape* shape);      // may be NULL
shoal_box shoal_shape_bounds(const shoal_shape* shape); // of the solid; infinite shapes give +-1e30

// Signed distance; exact for single primitives and uniform placements, a bound of it elsewhere, with the sign
// always right. Never NaN for finite points.
double shoal_shape_distance(const shoal_shape* shape, shoal_d3 p);
// Distance and outward unit normal (its gradient; some unit vector where there is none).
double shoal_shape_distance_normal(const shoal_shape* shape, shoal_d3 p, shoal_d3* normal);
// Triangles of a mesh as it stands, placed; none of every other shape.
int  shoal_shape_triangle_count(const shoal_shape* shape);
void shoal_shape_triangle(const shoal_shape* shape, int triangle, shoal_d3 at[3]);
// The shape as a tape (geom/tape.h), which needs it no more: its size in bytes, and writing it there, 8-byte aligned.
size_t shoal_shape_tape_bytes(const shoal_shape* shape);
void   shoal_shape_tape(const shoal_shape* shape, shoal_tape* to);
double shoal_shape_volume_estimate(const shoal_shape* shape); // m^3, of the bounding box where no formula is at hand

#endif
