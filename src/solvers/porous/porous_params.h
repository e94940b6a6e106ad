// SPDX-License-Identifier: MIT
// The parameters of porous sand: the struct, the scene keys, the manual, all from this list.
#ifndef SHOAL_POROUS_PARAMS_H
#define SHOAL_POROUS_PARAMS_H

#include "param/param.h"

// clang-format off
#define POROUS_FRICTION(W, P) W(P, GLOBAL, "global") W(P, PAPER, "paper")
#define POROUS_PRESSURE(W, P) W(P, JOINT, "joint") W(P, WCSPH, "wcsph")
SHOAL_WORDS_DECLARE(POROUS_FRICTION)
SHOAL_WORDS_DECLARE(POROUS_PRESSURE)

// name      type      default min    max     unit help
#define POROUS_PARAMS(X, S)                                                                                                          \
    X(S, support,   FLOAT,    2.0,  1.6,   3.0,    "d",  "kernel radius h in spacings")                                              \
    X(S, friction,  WORD,     0,    0,     0,      SHOAL_WORDS(POROUS_FRICTION), "global: one stress of the whole body, kept from substep to substep; paper: particle by particle, with rigid clusters; neither holds a slope nor rests") \
    X(S, pressure,  WORD,     0,    0,     0,      SHOAL_WORDS(POROUS_PRESSURE), "how pressure is found: in sweeps over sand and water together, or by Tait's equation as in the paper", "friction: paper") \
    X(S, cluster_reach, FLOAT, 1.3, 1.0,   2.0,    "d",  "how near particles that do not yield are to be of one rigid cluster; of those that are only shown, 1.3", "friction: paper") \
    X(S, cfl,       FLOAT,    0.6,  0.05,  1.0,    "d",  "way of the fastest particle, and of a fall by a spacing, in a substep at most", "substeps: auto") \
    X(S, substeps,  AUTO_INT, 0,    1,     100000, "",   "substeps per frame; auto: as many as cfl needs")                           \
    X(S, sweeps,    AUTO_INT, 0,    1,     2000,   "",   "sweeps of pressure and friction in a substep; auto: 5 to 200, until the tolerance is met. The first substep takes twenty times as many", "pressure: joint") \
    X(S, tolerance, FLOAT,    0.04, 0.001, 10.0,   "%",  "mean change of the density by one more sweep that auto leaves", "sweeps: auto and pressure: joint")
// clang-format on

SHOAL_PARAMS_DECLARE(porous_params, POROUS_PARAMS)

#endif
