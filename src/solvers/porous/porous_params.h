// SPDX-License-Identifier: MIT
// The parameters of porous sand: the struct, the scene keys, the manual, all from this list.
#ifndef SHOAL_POROUS_PARAMS_H
#define SHOAL_POROUS_PARAMS_H

#include "param/param.h"

// clang-format off
// name      type      default min    max     unit help
#define POROUS_PARAMS(X)                                                                                                          \
    X(support,   FLOAT,    2.0,  1.6,   3.0,    "d",  "kernel radius h in spacings")                                              \
    X(friction,  WORD,     0,    0,     0,      "global|paper", "a stress of the whole body that is kept from substep to substep; or the paper's rule, particle by particle, with rigid clusters, which neither holds a slope nor rests") \
    X(pressure,  WORD,     0,    0,     0,      "joint|wcsph", "how pressure is found: in sweeps over sand and water together, or by Tait's equation as in the paper", "friction: paper") \
    X(cluster_reach, FLOAT, 1.3, 1.0,   2.0,    "d",  "how near particles that do not yield are to be of one rigid cluster; of those that are only shown, 1.3", "friction: paper") \
    X(cfl,       FLOAT,    0.6,  0.05,  1.0,    "d",  "substeps: auto lets the fastest particle, and one that falls by a spacing from rest, go no farther than this in one", "substeps: auto") \
    X(substeps,  AUTO_INT, 0,    1,     100000, "",   "substeps per frame; auto: as many as cfl needs")                           \
    X(sweeps,    AUTO_INT, 0,    1,     2000,   "",   "sweeps of pressure and friction in a substep; auto: until the tolerance is met, 5 to 200", "pressure: joint") \
    X(tolerance, FLOAT,    0.04, 0.001, 10.0,   "%",  "mean change of the density by one more sweep that auto leaves", "sweeps: auto and pressure: joint")
// clang-format on

SHOAL_PARAMS_DECLARE(porous_params, POROUS_PARAMS)

#endif
