// SPDX-License-Identifier: MIT
// The parameters of SPH: how pressure is found and how long steps are, then those of the water itself.
#ifndef SHOAL_SPH_PARAMS_H
#define SHOAL_SPH_PARAMS_H

#include "fluid/water.h"

// clang-format off
// name      type      default min max   unit help
#define SPH_PARAMS(X, S)                                                                                                         \
    X(S, pressure, WORD,     SHOAL_WATER_DFSPH, 0, 0,    SHOAL_WORDS(SHOAL_WATER), "how pressure is found: Tait's equation, predictive-corrective, or divergence-free") \
    X(S, substeps, AUTO_INT, 0,      1,  100000, "", "substeps per frame; auto: as many as speed, forces and, for wcsph, sound need") \
    X(S, overturn, BOOL,     1,      0,  1,    "", "light liquid under heavy that is too thin to be resolved, a film one particle thick on a solid or a single particle, changes places with the heavy above at the pace of falling; without it such a film stays", "two liquids") \
    X(S, melt,     FLOAT,    0.0,    0.0, 1.0, "", "fraction that is taken away of the shear that the arrangement of particles bears like a soft crystal; without it waves are a tenth too fast at support 2") \
    X(S, mirror,   BOOL,     0,      0,  1,    "", "smooth walls of the domain reflect the liquid instead of being sampled; beside the latter a layer is stiff, and waves die by it", "a smooth wall") \
    SHOAL_WATER_PARAMS(X, S)
// clang-format on

SHOAL_PARAMS_DECLARE(sph_params, SPH_PARAMS)

#endif
