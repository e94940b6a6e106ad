// SPDX-License-Identifier: MIT
// The benches of `shoal bench`: one row is one configuration.
//
// Columns: a cube of water of 1 m, `side` particles along each edge, at the left of a tank of 2
// x 1.5 x 1 m; h = 2d, vorticity confinement and XSPH on, steps of 1/240 s. Measured over the first
// steps of the fall and again after the front has hit the far wall.
//
// Scenes: scenes/NAME.yaml at its own substeps and iterations, measured from `moving_s` on. Beside
// it the shares of the five stages in Table 2 of Macklin & Mueller 2013 (GTX 680), 0 where the
// paper gives none.
//
// Surfaces: a frame of such a column, 0.25 s after it began to fall, read, meshed and written; 250 samples of the grid
// along the 2 m of the tank with 65 particles along the edge, and the same number per spacing with more.
#ifndef SHOAL_BENCHES_H
#define SHOAL_BENCHES_H

// clang-format off
// name, side, iterations, first steps, steps after the impact
#define SHOAL_COLUMN_BENCHES(X)           \
    X("pbf-10k",      22,  3, 14, 100)    \
    X("pbf-100k",     46,  3, 14, 100)    \
    X("pbf-100k-10",  46, 10, 14, 100)    \
    X("pbf-1m",      100,  3, 14,  40)

// name, moving_s, steps, integrate, grid, neighbours, solve, velocity: percent in the paper
#define SHOAL_SCENE_BENCHES(X)                    \
    X("bunny-bath", 1.0, 60, 0, 0,  0,  0,  0)    \
    X("splash",     0.8, 60, 1, 8, 28, 38, 25)    \
    X("dam-break",  1.0, 60, 1, 6, 28, 51, 14)    \
    X("bunny-drop", 0.8, 60, 0, 0,  0,  0,  0)

// name, method, side of the column, side that 250 samples along the tank go with
#define SHOAL_SURFACE_BENCHES(X)                                  \
    X("surface-270k",             "zhu-bridson",  65, 65)         \
    X("surface-1m",               "zhu-bridson", 100, 65)         \
    X("surface-270k-anisotropic", "anisotropic",  65, 65)
// clang-format on

#endif
