// SPDX-License-Identifier: MIT
// What a scene can say in the block `tetra-paper`.
#ifndef SHOAL_PAPER_PARAMS_H
#define SHOAL_PAPER_PARAMS_H

#include "param/param.h"

// clang-format off
// name         type      default min    max     unit help
#define PAPER_PARAMS(X, S)                                                                                                   \
    X(S, cell,        FLOAT,    2.0,    1.0,   16.0,   "spacings", "edge of the tetrahedra at the surface; the surface itself is tracked twice as finely") \
    X(S, cfl,         FLOAT,    2.0,    0.1,   5.0,    "",  "longest way of the liquid in a substep, in edges of the tetrahedra at the surface", "substeps: auto") \
    X(S, substeps,    AUTO_INT, 0,      1,     100000, "",  "substeps per frame; auto: as many as cfl asks for") \
    X(S, tolerance,   FLOAT,    1e-5,   1e-12, 1e-2,   "",  "of the pressure: what is left of its residual when the solve ends") \
    X(S, thicken,     FLOAT,    0.0,    0.0,   2.0,    "cells", "keeps sheets and tendrils up to this thickness, and gives parts thinner than 1.2 edges a mesh; 1.2 in the paper; 0: off") \
    X(S, thicken_redistribute, FLOAT, 1.0, 0.0, 3.0,   "cells", "so near, the thinnest parts give what they have to others: sheets tear sooner than they thin out", "thicken: >0") \
    X(S, thicken_more, FLOAT,   0.25,   0.0,   0.5,    "cells", "by so much the radius of thin parts grows in a substep", "thicken: >0") \
    X(S, thicken_more_thinnest, FLOAT, 0.15, 0.0, 0.5, "cells", "and by so much that of the thinnest", "thicken: >0")
// clang-format on

SHOAL_PARAMS_DECLARE(paper_params, PAPER_PARAMS)

#endif
