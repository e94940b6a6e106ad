// SPDX-License-Identifier: MIT
// Exact signed distances of the primitives, each about the origin of its own frame, y up. `normal`
// receives the gradient, a unit vector everywhere (one of the possible ones where it jumps); NULL:
// not wanted.
#ifndef SHOAL_SOLIDS_H
#define SHOAL_SOLIDS_H

#include "math/vec.h"

double shoal_box_distance(shoal_box box, shoal_d3 p, shoal_d3* normal);
double shoal_sphere_distance(double radius, shoal_d3 p, shoal_d3* normal);
double shoal_cylinder_distance(double radius, double height, shoal_d3 p,
                               shoal_d3* normal); // centred
double shoal_cone_distance(double radius, double height, shoal_d3 p,
                           shoal_d3* normal); // base at y = 0
double shoal_capsule_distance(double radius, double height, shoal_d3 p,
                              shoal_d3* normal); // centred
double shoal_torus_distance(double ring, double tube, shoal_d3 p, shoal_d3* normal);

#endif
