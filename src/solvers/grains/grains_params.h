// SPDX-License-Identifier: MIT
// The parameters of the grains: the struct, the scene keys, the manual, all from this list.
#ifndef SHOAL_GRAINS_PARAMS_H
#define SHOAL_GRAINS_PARAMS_H

#include "fluid/water.h"

// clang-format off
#define GRAINS_WET_FRICTION(W, P) W(P, FLUIDISED, "fluidised") W(P, PAPER, "paper")
#define GRAINS_PRESSURE(W, P) W(P, DFSPH, "dfsph") W(P, WCSPH, "wcsph")
#define GRAINS_COUPLING(W, P) W(P, MIRRORED, "mirrored") W(P, PRINTED, "printed")
#define GRAINS_DRAG(W, P) W(P, SPHERE, "sphere") W(P, PAPER, "paper") W(P, NONE, "none")
SHOAL_WORDS_DECLARE(GRAINS_WET_FRICTION)
SHOAL_WORDS_DECLARE(GRAINS_PRESSURE)
SHOAL_WORDS_DECLARE(GRAINS_COUPLING)
SHOAL_WORDS_DECLARE(GRAINS_DRAG)

// name                     type        default min   max     unit    help
#define GRAINS_PARAMS(X, S)                                                                                                       \
    X(S, restitution,          FLOAT,      0.3,    0.01, 1,      "",     "speed after a head-on collision over speed before", "sand") \
    X(S, friction,             AUTO_FLOAT, 0,      1e-6, 10,     "",     "Coulomb friction between grains; auto: tangent of the material's friction angle", "sand") \
    X(S, rolling,              FLOAT,      0.22,   0.0,  10,     "",     "rolling resistance between grains, as a friction; 0: spheres roll freely, on solids too", "sand") \
    X(S, rotation,             BOOL,       1,      0,    1,      "",     "grains spin; without, they only slide", "sand") \
    X(S, spread,               FLOAT,      0.1,    0.0,  0.5,    "",     "radii lie evenly within this fraction about the mean; 0: equal spheres, which crystallise", "sand") \
    X(S, max_overlap,          FLOAT,      0.1,    1e-4, 0.5,    "d",    "overlap at the fastest impact and under a tool; a quarter of it at the bottom of the sand at rest") \
    X(S, impact_speed,         AUTO_FLOAT, 0,      1e-6, 1e4,    "m/s",  "fastest impact to be ready for; auto: from the heights and speeds in the scene, half those of water") \
    X(S, stiffness,            AUTO_FLOAT, 0,      1e-9, 1e12,   "N/m",  "normal spring of a contact; auto: from max_overlap and impact_speed", "sand") \
    X(S, softness,             FLOAT,      1,      0.01, 1e4,    "",     "divides the stiffness: steps grow by its root, overlaps too", "sand") \
    X(S, tangential_stiffness, FLOAT,      0.2857, 0.01, 1,      "",     "tangential and rolling spring over the normal one; 2/7 gives both the same period", "sand") \
    X(S, steps_per_contact,    FLOAT,      25,     10,   1000,   "",     "substeps in the time two grains touch in a collision")     \
    X(S, wet_threshold,        FLOAT,      1,      0.01, 10,     "",     "wetness beyond which a grain is overwet and hands water on; 1 fills the pores", "wet sand or sand and a liquid and absorption: true") \
    X(S, wet_max,              FLOAT,      2,      0.01, 20,     "",     "wetness beyond which forces change no more", "wet sand or sand and a liquid and absorption: true") \
    X(S, wet_fluid,            FLOAT,      2,      0.01, 20,     "",     "w_f of eq. 13: wetness at which sand is mud", "wet sand or sand and a liquid and absorption: true") \
    X(S, wet_shrink,           FLOAT,      0.05,   0.0,  0.2,    "R",    "k_r of eq. 8: how much a grain shrinks per wetness", "wet sand or sand and a liquid and absorption: true") \
    X(S, wet_friction,         WORD,       0,      0,    0,      SHOAL_WORDS(GRAINS_WET_FRICTION), "fluidised: friction follows the bridges (whole up to wetness 0.4, gone at 1) and fades beyond the threshold to mud_friction at wet_fluid; paper: eq. 12, which only grows", "wet sand or sand and a liquid and absorption: true") \
    X(S, mud_friction,         FLOAT,      0.05,   0.0,  10,     "",     "friction of fluidised sand", "wet sand or sand and a liquid and absorption: true") \
    X(S, bridge,               FLOAT,      1,      0.0,  10,     "",     "k_bridge of eq. 13 over the damping of a contact: holds what moves apart", "wet sand or sand and a liquid and absorption: true") \
    X(S, bridge_reach,         FLOAT,      0.3,    0.0,  0.5,    "R",    "gap at which a bridge breaks; it weakens on the way", "wet sand or sand and a liquid") \
    X(S, cohesion,             FLOAT,      6,      0.0,  1e4,    "",     "constant pull of a bridge in weights of a mean grain on earth; 0: none, as in the paper", "wet sand or a liquid and absorption: true") \
    X(S, spread_rate,          FLOAT,      2,      0.0,  1e4,    "1/s",  "k_p of eq. 14: rate at which excess goes to neighbours", "wet sand or sand and a liquid and absorption: true") \
    X(S, drainage,             FLOAT,      0,      0.0,  10,     "",     "how much lower neighbours are preferred in it; overwet ones below take too, up to wet_max", "wet sand or sand and a liquid and absorption: true") \
    X(S, diffusion,            FLOAT,      0,      0.0,  1e4,    "1/s",  "capillary flow: each neighbour gets a sixteenth of it times the difference of wetness, per second", "wet sand or sand and a liquid and absorption: true") \
    X(S, drying,               FLOAT,      0,      0.0,  1e4,    "1/s",  "wetness that an exposed grain loses to the air per second", "wet sand or sand and a liquid and absorption: true") \
    X(S, water_spacing,        FLOAT,      0.5,    0.25, 1,      "d",    "distance of water particles in diameters of a grain; 1 is coarse and fast", "a liquid") \
    X(S, pressure,             WORD,       0,      0,    0,      SHOAL_WORDS(GRAINS_PRESSURE), "how the pressure of free water is found: divergence-free, or Tait's equation", "a liquid") \
    X(S, coupling,             WORD,       0,      0,    0,      SHOAL_WORDS(GRAINS_COUPLING), "mirrored: eq. 9 with p_g = p_i and 1/2, Archimedes' buoyancy; printed: with grain_pressure and 1/4, a quarter of it", "sand and a liquid") \
    X(S, grain_pressure,       FLOAT,      0,      0.0,  1e7,    "Pa",   "printed: p_g of eq. 9", "sand and a liquid and coupling: printed") \
    X(S, drag,                 WORD,       0,      0,    0,      SHOAL_WORDS(GRAINS_DRAG), "sphere: the drag of a sphere at its speed, more in a crowd; paper: eq. 10 with the viscosity of the water", "sand and a liquid") \
    X(S, absorption,           BOOL,       1,      0,    1,      "",     "grains that are not overwet take up the water particles they touch", "sand and a liquid") \
    X(S, regeneration,         FLOAT,      0,      0.0,  1e4,    "1/s",  "rate at which exposed grains give back what they hold beyond wet_release; 0: never, as in the paper", "a liquid and wet sand or a liquid and sand and absorption: true") \
    X(S, wet_release,          FLOAT,      1.5,    0.01, 20,     "",     "wetness beyond which they do", "regeneration: >0 and a liquid") \
    X(S, fresh_time,           FLOAT,      0.2,    0.0,  1e4,    "s",    "how long water given back is not taken up again", "regeneration: >0 and a liquid and absorption: true") \
    SHOAL_WATER_PARAMS(X, S)
// clang-format on

SHOAL_PARAMS_DECLARE(grains_params, GRAINS_PARAMS)

#endif
