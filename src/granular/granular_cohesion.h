// SPDX-License-Identifier: MIT
// What holds sand together without load: its own cohesion, and where it is damp bridges of water between its grains.
#ifndef SHOAL_GRANULAR_COHESION_H
#define SHOAL_GRANULAR_COHESION_H

#include "mac/mac.h"

// c / rho, m^2/s^2, of the strength mu p + c.
typedef struct shoal_granular_cohesion {
    float dry;
    float bridges; // of the best wetness; shoal_granular_bridges of it at others
} shoal_granular_cohesion;

// Fraction of the greatest cohesion at a wetness: it rises until bridges are full, and falls as pores fill [Lenaerts &
// Dutre 2009, eq. 6]. Full pores are counted by few particles: from 0.9 on sand is soaked.
static const float  shoal_granular_soaked = 0.9f;
static inline float shoal_granular_bridges(float wetness) {
    const float best = 0.4f, soaked = shoal_granular_soaked;
    if (!(wetness > 0.0f) || wetness >= soaked) return 0.0f;
    return wetness < best ? wetness / best : (soaked - wetness) / (soaked - best);
}

#endif
