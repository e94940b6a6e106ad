// SPDX-License-Identifier: MIT
// The signed distance field of a mesh on a grid of samples: metres, negative inside.
//
// Distances are those to the triangles, exact to rounding within 5 cells of the surface (within 1.3
// cells beside features thinner than that); beyond, a few per cent too large at most, and up to half a
// cell where surfaces all around are equally far. The sign comes from winding numbers, so meshes with
// holes have an inside too: there the field is measured to the surface on which the winding number is
// one half, which closes the hole.
#ifndef SHOAL_SDF_H
#define SHOAL_SDF_H

#include "geom/mesh.h"

typedef struct shoal_sdf {
    int      nx, ny, nz; // samples
    shoal_d3 origin;     // place of sample (0, 0, 0)
    double   cell;       // m; distance of samples
    float*   values;     // [nx * ny * nz], x fastest
} shoal_sdf;

// Cells of `cell` metres over the mesh's bounds and 3 cells beyond; coarser where that would be
// more than 256^3 samples, or more than 8192 along one axis. The same bits for any number of
// threads.
shoal_status shoal_sdf_create(const shoal_mesh* mesh, double cell, int threads, shoal_sdf** out);
void         shoal_sdf_destroy(shoal_sdf* sdf); // may be NULL

// Trilinear between samples, and its gradient (not of length one; NULL: not wanted). Outside the
// grid: the value at the nearest point of the grid plus the distance to that point.
double shoal_sdf_sample(const shoal_sdf* sdf, shoal_d3 p, shoal_d3* gradient);

#endif
