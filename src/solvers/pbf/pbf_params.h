// SPDX-License-Identifier: MIT
// The parameters of Position Based Fluids: the struct, the scene keys, the manual, all from this list.
#ifndef SHOAL_PBF_PARAMS_H
#define SHOAL_PBF_PARAMS_H

#include "param/param.h"

// clang-format off
#define PBF_DENSITY_KERNEL(W, P) W(P, SPIKY, "spiky") W(P, POLY6, "poly6")
#define PBF_RELAXATION(W, P) W(P, CFM, "cfm") W(P, PRECOMPUTED, "precomputed")
#define PBF_ANTI_CLUMPING(W, P) W(P, SHORT_RANGE, "short_range") W(P, PAPER, "paper") W(P, NONE, "none")
#define PBF_SWEEP(W, P) W(P, JACOBI, "jacobi") W(P, GAUSS_SEIDEL, "gauss_seidel")
SHOAL_WORDS_DECLARE(PBF_DENSITY_KERNEL)
SHOAL_WORDS_DECLARE(PBF_RELAXATION)
SHOAL_WORDS_DECLARE(PBF_ANTI_CLUMPING)
SHOAL_WORDS_DECLARE(PBF_SWEEP)

// name                  type        default min   max     unit   help
#define PBF_PARAMS(X, S)                                                                                                          \
    X(S, substeps,          AUTO_INT,   0,      1,    1000,   "",    "substeps per frame; auto: as many as the tolerance needs")  \
    X(S, iterations,        AUTO_INT,   3,      1,    200,    "",    "constraint sweeps per substep; auto: until the tolerance is met, at most 60") \
    X(S, tolerance,         FLOAT,      1.0,    0.01, 50,     "%",   "average compression that auto aims at", "substeps: auto or iterations: auto") \
    X(S, support,           FLOAT,      2.0,    1.5,  4.0,    "d",   "kernel radius h in spacings")                               \
    X(S, density_kernel,    WORD,       0,      0,    0,      SHOAL_WORDS(PBF_DENSITY_KERNEL), "kernel of the density: spiky is the one whose gradient moves the particles, so that water comes to rest; poly6 is the paper's") \
    X(S, relaxation,        WORD,       0,      0,    0,      SHOAL_WORDS(PBF_RELAXATION), "how lambda is regularised: constraint force mixing (eq. 11), or the scale of a full neighbourhood (section 3)") \
    X(S, cfm,               FLOAT,      0.1,    0.0,  100,    "",    "softness epsilon, as a fraction of the lattice's gradient sum") \
    X(S, under_relaxation,  AUTO_FLOAT, 0,      0.05, 2.0,    "",    "fraction of lambda that is applied; auto: the largest that does not boil")   \
    X(S, negative_pressure, FLOAT,      0.0,    0.0,  1.0,    "",    "how far below rest density a particle may pull its neighbours: 0 clamps, 1 is the paper's") \
    X(S, compliance,        FLOAT,      0.0,    0.0,  1.0,    "1/Pa","compressibility of the liquid, independent of iterations (XPBD)") \
    X(S, anti_clumping,     WORD,       0,      0,    0,      SHOAL_WORDS(PBF_ANTI_CLUMPING), "repulsion of close pairs: without load, eq. 13, or none") \
    X(S, clump_strength,    FLOAT,      0.1,    0.0,  1.0,    "",    "k of eq. 13: the density error two touching particles feel", "anti_clumping: short_range|paper") \
    X(S, clump_power,       INT,        4,      1,    8,      "",    "n of eq. 13", "anti_clumping: paper") \
    X(S, clump_distance,    FLOAT,      0.2,    0.05, 0.5,    "h",   "delta q of eq. 13", "anti_clumping: paper") \
    X(S, correction_limit,  FLOAT,      0.2,    0.01, 1.0,    "h",   "longest correction of one sweep; counted in the column `clamped`") \
    X(S, vorticity,         FLOAT,      0.0,    0.0,  10,     "",    "vorticity confinement (eq. 16); 0.5 to 2 is useful")        \
    X(S, xsph,              FLOAT,      0.01,   0.0,  0.5,    "",    "velocity smoothing c (eq. 17), for a stride: the time that the fastest of the scene takes for 0.4 d, however many substeps that is") \
    X(S, melt,              FLOAT,      0.0,    0.0,  1.0,    "",    "fraction that is taken away of the shear that the arrangement of particles bears like a soft crystal; without it waves are a tenth too fast at support 2") \
    X(S, mirror,            BOOL,       0,      0,    1,      "",    "smooth walls of the domain reflect the liquid instead of having a density of their own; beside the latter a layer is stiff, and waves die by it", "a smooth wall") \
    X(S, surface_tension,   BOOL,       0,      0,    1,      "",    "cohesion from the material's surface tension", "surface tension of a liquid") \
    X(S, overturn,          BOOL,       1,      0,    1,      "",    "light liquid under heavy that is too thin to be resolved, a film one particle thick on a solid or a single particle, changes places with the heavy above at the pace of falling; without it such a film stays", "two liquids") \
    X(S, sweep,             WORD,       0,      0,    0,      SHOAL_WORDS(PBF_SWEEP), "all constraints at once, or in eight colours one after another") \
    X(S, warm_start,        FLOAT,      0.0,    0.0,  0.6,    "",    "fraction of the last step's pressure to begin with")           \
    X(S, chebyshev,         FLOAT,      0.0,    0.0,  0.98,   "",    "spectral radius for Chebyshev acceleration of jacobi; 0: off; 0.9 is useful with 10 sweeps", "sweep: jacobi and iterations: auto|>3")
// clang-format on

SHOAL_PARAMS_DECLARE(pbf_params, PBF_PARAMS)

#endif
