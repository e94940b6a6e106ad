// SPDX-License-Identifier: MIT
// The parameters of porous sand: the struct, the scene keys, the manual, all from this list.
#ifndef SHOAL_POROUS_PARAMS_H
#define SHOAL_POROUS_PARAMS_H

#include "param/param.h"

// clang-format off
// name      type      default min    max     unit help
#define POROUS_PARAMS(X)                                                                                                          \
    X(support,   FLOAT,    2.0,  1.6,   3.0,    "d",  "kernel radius h in spacings")                                              \
    X(cfl,       FLOAT,    0.4,  0.05,  1.0,    "d",  "substeps: auto lets the fastest particle, and one that falls by a spacing from rest, go no farther than this in one", "substeps: auto") \
    X(substeps,  AUTO_INT, 0,    1,     100000, "",   "substeps per frame; auto: as many as cfl needs")                           \
    X(sweeps,    AUTO_INT, 0,    1,     2000,   "",   "sweeps of pressure and friction in a substep; auto: until the tolerance is met, 5 to 200") \
    X(tolerance, FLOAT,    0.05, 0.001, 10.0,   "%",  "mean change of the density by one more sweep that auto leaves", "sweeps: auto")
// clang-format on

SHOAL_PARAMS_DECLARE(porous_params, POROUS_PARAMS)

#endif
