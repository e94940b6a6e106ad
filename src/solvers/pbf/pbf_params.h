// SPDX-License-Identifier: MIT
// The parameters of Position Based Fluids: the struct, the scene keys, the manual, all from this list.
#ifndef SHOAL_PBF_PARAMS_H
#define SHOAL_PBF_PARAMS_H

#include "param/param.h"

enum { PBF_SPIKY, PBF_POLY6 };
enum { PBF_CFM, PBF_PRECOMPUTED };
enum { PBF_SHORT_RANGE, PBF_PAPER, PBF_NONE };
enum { PBF_JACOBI, PBF_GAUSS_SEIDEL };

// clang-format off
// name                  type        default min   max     unit   help
#define PBF_PARAMS(X)                                                                                                          \
    X(substeps,          AUTO_INT,   0,      1,    1000,   "",    "substeps per frame; auto: as many as the tolerance needs")  \
    X(iterations,        AUTO_INT,   3,      1,    200,    "",    "constraint sweeps per substep; auto: until the tolerance is met, at most 60") \
    X(tolerance,         FLOAT,      1.0,    0.01, 50,     "%",   "average compression that auto aims at", "substeps: auto or iterations: auto") \
    X(support,           FLOAT,      2.0,    1.5,  4.0,    "d",   "kernel radius h in spacings")                               \
    X(density_kernel,    WORD,       0,      0,    0,      "spiky|poly6", "kernel of the density: spiky is the one whose gradient moves the particles, so that water comes to rest; poly6 is the paper's") \
    X(relaxation,        WORD,       0,      0,    0,      "cfm|precomputed", "how lambda is regularised: constraint force mixing (eq. 11), or the scale of a full neighbourhood (section 3)") \
    X(cfm,               FLOAT,      0.1,    0.0,  100,    "",    "softness epsilon, as a fraction of the lattice's gradient sum") \
    X(under_relaxation,  AUTO_FLOAT, 0,      0.05, 2.0,    "",    "share of lambda that is applied; auto: the largest that does not boil")   \
    X(negative_pressure, FLOAT,      0.0,    0.0,  1.0,    "",    "how far below rest density a particle may pull its neighbours: 0 clamps, 1 is the paper's") \
    X(compliance,        FLOAT,      0.0,    0.0,  1.0,    "1/Pa","compressibility of the liquid, independent of iterations (XPBD)") \
    X(anti_clumping,     WORD,       0,      0,    0,      "short_range|paper|none", "repulsion of close pairs: without load, eq. 13, or none") \
    X(clump_strength,    FLOAT,      0.1,    0.0,  1.0,    "",    "k of eq. 13: the density error two touching particles feel", "anti_clumping: short_range|paper") \
    X(clump_power,       INT,        4,      1,    8,      "",    "n of eq. 13", "anti_clumping: paper") \
    X(clump_distance,    FLOAT,      0.2,    0.05, 0.5,    "h",   "delta q of eq. 13", "anti_clumping: paper") \
    X(correction_limit,  FLOAT,      0.2,    0.01, 1.0,    "h",   "longest correction of one sweep; counted in the column `clamped`") \
    X(vorticity,         FLOAT,      0.0,    0.0,  10,     "",    "vorticity confinement (eq. 16); 0.5 to 2 is useful")        \
    X(xsph,              FLOAT,      0.01,   0.0,  0.5,    "",    "velocity smoothing c (eq. 17), for a stride: the time that the fastest of the scene takes for 0.4 d, however many substeps that is") \
    X(melt,              FLOAT,      0.0,    0.0,  1.0,    "",    "share that is taken away of the shear that the arrangement of particles bears like a soft crystal; without it waves are a tenth too fast at support 2") \
    X(mirror,            BOOL,       0,      0,    1,      "",    "smooth walls of the domain reflect the liquid instead of having a density of their own; beside the latter a layer is stiff, and waves die by it", "a smooth wall") \
    X(surface_tension,   BOOL,       0,      0,    1,      "",    "cohesion from the material's surface tension", "surface tension of a liquid") \
    X(overturn,          BOOL,       1,      0,    1,      "",    "light liquid under heavy that is too thin to be resolved, a film one particle thick on a solid or a single particle, changes places with the heavy above at the pace of falling; without it such a film stays", "two liquids") \
    X(sweep,             WORD,       0,      0,    0,      "jacobi|gauss_seidel", "all constraints at once, or in eight colours one after another") \
    X(warm_start,        FLOAT,      0.0,    0.0,  0.6,    "",    "share of the last step's pressure to begin with")           \
    X(chebyshev,         FLOAT,      0.0,    0.0,  0.98,   "",    "spectral radius for Chebyshev acceleration of jacobi; 0: off; 0.9 is useful with 10 sweeps", "sweep: jacobi and iterations: auto|>3")
// clang-format on

SHOAL_PARAMS_DECLARE(pbf_params, PBF_PARAMS)

#endif
