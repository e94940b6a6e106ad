// SPDX-License-Identifier: MIT
// Generalised winding numbers: how often a mesh wraps around a point. 1 inside and 0 outside of a
// closed mesh, a smooth function between them across the holes of an open one [Jacobson et al.
// 2013]. Clusters of far triangles count as one dipole [Barill et al. 2018, Fast Winding Numbers
// for Soups and Clouds].
#ifndef SHOAL_WINDING_H
#define SHOAL_WINDING_H

#include "geom/bvh.h"

typedef struct shoal_winding_dipole {
    shoal_v3 centre; // area-weighted
    float    radius; // of a sphere about it that holds the node's triangles
    shoal_v3 moment; // sum of area times normal
} shoal_winding_dipole;

typedef struct shoal_winding {
    const shoal_bvh*      bvh;     // not owned; must live as long
    shoal_winding_dipole* dipoles; // of each node of the tree
} shoal_winding;

shoal_status shoal_winding_create(const shoal_bvh* bvh, shoal_winding* out);
void         shoal_winding_free(shoal_winding* winding);

double shoal_winding_at(const shoal_winding* winding, shoal_v3 p);

#endif
