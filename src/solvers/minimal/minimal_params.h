// SPDX-License-Identifier: MIT
// What a scene can say in the block `minimal`: parser, range check, message, manual and completion come from this list.
#ifndef SHOAL_MINIMAL_PARAMS_H
#define SHOAL_MINIMAL_PARAMS_H

#include "param/param.h"

// clang-format off
// name         type      default min max     unit help
#define MINIMAL_PARAMS(X, S)                                                                                                 \
    X(S, restitution, FLOAT,    0.5,   0,  1,      "",  "speed away from a solid after a bounce, over the speed towards it before") \
    X(S, substeps,    AUTO_INT, 0,     1,  100000, "",  "substeps per frame; auto: as many as keep all below half a spacing in each")
// clang-format on

SHOAL_PARAMS_DECLARE(minimal_params, MINIMAL_PARAMS)

#endif
