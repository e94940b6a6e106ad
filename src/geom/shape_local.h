// SPDX-License-Identifier: MIT
// Inside of a shape, for shape.c, shape_join.c and shape_surface.c only: primitives and meshes at the leaves of a
// tree, placements and combinations above. Children are owned.
#ifndef SHOAL_SHAPE_LOCAL_H
#define SHOAL_SHAPE_LOCAL_H

#include "geom/sdf.h"
#include "geom/shape.h"

typedef struct placement {
    shoal_d3     scale;
    double       least; // smallest size of the three scales
    shoal_quat   rotation;
    shoal_d3     at;
    shoal_shape* child;
} placement;

typedef struct combination {
    shoal_combine how;
    int           count;
    shoal_shape** children;
    int           join_count; // union: boxes that two or more of its boxes make together
    shoal_box*    joins;
    double        near; // m; a place nearer to a child may be on a seam
} combination;

struct shoal_shape {
    shoal_shape_kind kind;
    int              depth; // 1 for a leaf
    shoal_box        bounds;
    double           volume;
    union {
        shoal_primitive primitive;
        struct {
            shoal_sdf*  sdf;
            shoal_mesh* mesh; // as given: what is seen is finer than what is felt
        };
        placement   placed;
        combination combined;
    };
};

// Finds the joins of a union.
shoal_status shape_join(combination* c, shoal_box bounds);

#endif
