// SPDX-License-Identifier: MIT
// What a scene can say in the block `tetra-paper`.
#ifndef SHOAL_PAPER_PARAMS_H
#define SHOAL_PAPER_PARAMS_H

#include "param/param.h"

// clang-format off
#define PAPER_ADVECTION(W, P) W(P, SHARP, "sharp") W(P, MEANS, "means")
#define PAPER_TRACKING(W, P) W(P, BAND, "band") W(P, PAPER, "paper")
#define PAPER_PRESSURE(W, P) W(P, VERTEX, "vertex") W(P, PAPER, "paper")
SHOAL_WORDS_DECLARE(PAPER_ADVECTION)
SHOAL_WORDS_DECLARE(PAPER_TRACKING)
SHOAL_WORDS_DECLARE(PAPER_PRESSURE)

// name         type      default min    max     unit help
#define PAPER_PARAMS(X, S)                                                                                                   \
    X(S, cell,        FLOAT,    2.0,    1.0,   16.0,   "spacings", "edge of the tetrahedra at the surface; the surface itself is tracked twice as finely") \
    X(S, cfl,         FLOAT,    2.0,    0.1,   5.0,    "",  "longest way of all but a thousandth of the tetrahedra in a substep, in edges of such; the others go half as far again, or 3", "substeps: auto") \
    X(S, substeps,    AUTO_INT, 0,      1,     100000, "",  "substeps per frame; auto: as many as cfl asks for") \
    X(S, advection,   WORD,     0,      0,     0,      SHOAL_WORDS(PAPER_ADVECTION), "velocities are carried over as they are at the middles of tetrahedra, or as means at the vertices, which damps waves") \
    X(S, sharpness,   FLOAT,    0.5,    0.0,   1.0,    "",  "fraction of what means at the vertices have lost that they get back", "advection: sharp") \
    X(S, core,        FLOAT,    1.0,    1.0,   3.0,    "",  "how much of a tetrahedron, around its middle, velocities are linear in before they bend to those at the vertices: 1: the middle alone; 1.3 to 1.6 keep more of large waves, and of noise", "advection: sharp") \
    X(S, tracking,    WORD,     0,      0,     0,      SHOAL_WORDS(PAPER_TRACKING), "distances at the surface are carried on as they are, or measured anew from its triangles in every substep, as in the paper, which wears down what is convex") \
    X(S, pressure,    WORD,     0,      0,     0,      SHOAL_WORDS(PAPER_PRESSURE), "pressure at the vertices, which water at rest meets exactly, or in the tetrahedra with velocities through faces and full cycles of multigrid, as in the paper, by which still water moves") \
    X(S, tolerance,   FLOAT,    1e-8,   1e-12, 1e-2,   "",  "of the pressure: what is left of its residual when the solve ends") \
    X(S, keep_volume, BOOL,     1,      0,     1,      "",  "what tracking loses of the volume of a part of the liquid is given back to that part, where it is thick or on a floor, evenly where it is so nowhere; what it adds is taken evenly") \
    X(S, thicken_mesh, BOOL,    1,      0,     1,      "",  "sheets and films no thicker than 1.2 edges of the tetrahedra at the surface get tetrahedra as if they were that thick, and move by themselves; without, they may hold none, and go with the flow nearest to them") \
    X(S, thicken,     FLOAT,    0.0,    0.0,   2.0,    "cells", "sheets and tendrils that are no thicker are kept from vanishing, and grow, in cells of the tracked surface; 1.2 in the paper; above, a body that is a sheet all over gains volume; 0: they are not") \
    X(S, thicken_redistribute, FLOAT, 1.0, 0.0, 3.0,   "cells", "so near, the thinnest parts give what they have to others: sheets tear sooner than they thin out", "thicken: >0") \
    X(S, thicken_more, FLOAT,   0.25,   0.0,   0.5,    "cells", "by so much the radius of thin parts grows in a substep", "thicken: >0") \
    X(S, thicken_more_thinnest, FLOAT, 0.15, 0.0, 0.5, "cells", "and by so much that of the thinnest", "thicken: >0")
// clang-format on

SHOAL_PARAMS_DECLARE(paper_params, PAPER_PARAMS)

#endif
