// SPDX-License-Identifier: MIT
// Pieces of surface cut by the closed forms of shapes. A shape is a tree of sides, each with a
// smooth function that is negative inside: planes, cylinders, spheres ... Pieces are parted by one
// side after the other, so edges and corners of combined shapes stand where the sides meet,
// whatever the resolution. Inside geom/ only.
#ifndef SHOAL_SHAPE_CUT_H
#define SHOAL_SHAPE_CUT_H

#include "geom/shape_local.h"

// A triangle, counter-clockwise seen from outside.
typedef struct shape_piece {
    shoal_d3 at[3], normal[3];
    double   off; // m; how far it may be from the surface it stands for: chords of round shapes
} shape_piece;

typedef struct shape_pieces {
    int          count, capacity;
    shape_piece* items;
    bool         failed; // no memory: what was added since is lost
} shape_pieces;

void shape_pieces_add(shape_pieces* to, const shape_piece* piece);
void shape_pieces_free(shape_pieces* pieces);

// Parts pieces into those inside and outside of a shape, in whose frame they stand; either may be
// NULL: those are dropped. They are judged by where they stand `shift` times what they are off by,
// away along their own normal, +1 or -1: so faces that lie in one plane are told apart by what lies
// in front of them or behind. `reach` is the size of the scene, m.
void shape_part(const shoal_shape* shape, const shape_pieces* pieces, double shift, double reach, shape_pieces* inside,
                shape_pieces* outside);

#endif
