// SPDX-License-Identifier: MIT
// The benches of `shoal bench`: one row is one configuration.
//
// Columns: a cube of water of 1 m, `side` particles along each edge, at the left of a tank of 2
// x 1.5 x 1 m; h = 2d, XSPH on, with pbf vorticity confinement too. Measured over the first steps of
// the fall and again after the front has hit the far wall; the columns of sph get there by dfsph with
// steps of its own choice.
//
// Scenes: scenes/NAME.yaml at its own substeps and iterations, measured from `moving_s` on. Beside
// it the fractions of the five stages in Table 2 of Macklin & Mueller 2013 (GTX 680), 0 where the
// paper gives none.
//
// Surfaces: a frame of such a column, 0.25 s after it began to fall, read, meshed and written; 250 samples of the grid
// along the 2 m of the tank with 65 particles along the edge, and the same number per spacing with more.
//
// Pictures: the same frame, read, meshed, traced and written.
//
// View: the same frame as `shoal view` draws it while it is paused: ellipsoids as a smoothed surface that is seen
// through, from splats to pixels.
//
// Live: a scene simulated and drawn at once, as `shoal view` does it, without the overlay and at no clock.
//
// Sand: a bed of spheres, `depth` layers in a box of 1 m, settled; one row of time is one substep of the contacts.
//
// Sand and water: scenes/sand-faucet.yaml from `moving_s` on; the time is that of a frame.
//
// Sand and water as continua: scenes/SCENE.yaml, or, without one, a block of moist sand of 6 x 6 x 10 cm on which a
// column of water of 6 x 10 x 10 cm falls, spacing 2 mm; from `moving_s` on, in frames of 1/25 s.
//
// Tetrahedra: 27 balls of 0.1 m fall into a pool in a tank of 1 m; steps of two cells.
#ifndef SHOAL_BENCHES_H
#define SHOAL_BENCHES_H

// clang-format off
// name, pressure of sph (NULL: pbf), side, iterations (0: until the tolerance is met), steps per second, first steps, steps
// after the impact
#define SHOAL_COLUMN_BENCHES(X)                            \
    X("pbf-10k",     NULL,      22,  3,  240, 14, 100)     \
    X("pbf-100k",    NULL,      46,  3,  240, 14, 100)     \
    X("pbf-100k-10", NULL,      46, 10,  240, 14, 100)     \
    X("pbf-1m",      NULL,     100,  3,  480, 14,  40)     \
    X("wcsph-100k",  "wcsph",   46,  0, 5000, 14, 100)     \
    X("pcisph-100k", "pcisph",  46,  3,  960, 14, 100)     \
    X("dfsph-100k",  "dfsph",   46,  0,  960, 14, 100)

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

// name, side, side that 250 samples go with, width, height, samples per pixel (0: a preview)
#define SHOAL_RENDER_BENCHES(X)                       \
    X("render-720p",  65, 65, 1280, 720, 64)          \
    X("preview-720p", 65, 65, 1280, 720,  0)

// name, how liquids are drawn, side, width, height
#define SHOAL_VIEW_BENCHES(X)                         \
    X("view-100k",    "surface",  46, 1280, 720)      \
    X("view-1m",      "surface", 100, 1280, 720)      \
    X("view-1080p",   "surface", 100, 1920, 1080)     \
    X("view-spheres", "spheres",  25, 1280, 720)

// name, material, column: x, y, z, domain: x, y, z (m)
#define SHOAL_FLIP_BENCHES(X)                                             \
    X("flip-column", "water", 0.30, 0.45, 0.40, 1.0, 0.6, 0.6)            \
    X("flip-box",    "water", 0.25, 0.54, 0.25, 1.0, 1.0, 1.0)            \
    X("flip-sand-column", "sand", 0.30, 0.45, 0.40, 1.0, 0.6, 0.6)

// name, side, depth
#define SHOAL_GRAINS_BENCHES(X)   \
    X("dem-100k",  80, 16)        \
    X("dem-1m",   250, 16)

// name, scene, moving_s, frames
#define SHOAL_SOAKING_BENCHES(X)                       \
    X("grains-faucet", "sand-faucet", 0.5, 3)

// name, scene (NULL: see above), moving_s, frames
#define SHOAL_POROUS_BENCHES(X)                        \
    X("porous-45k",    NULL,            0.12, 2)       \
    X("sand-jet",      "sand-jet",      1.6,  2)       \
    X("moist-column",  "moist-column",  0.8,  2)       \
    X("rain",          "rain",          3.0,  2)       \
    X("sand-on-bunny", "sand-on-bunny", 2.0,  2)

// name, spacing, steps
#define SHOAL_TETRA_BENCHES(X)                         \
    X("tetra-100k", 0.016,  8)                         \
    X("tetra-1m",   0.0064, 4)                         \
    X("tetra-5m",   0.0032, 2)

// name, scene, how liquids are drawn, spacing and fps (0: the scene's; half the spacing takes half the step), from when
// on, width, height
#define SHOAL_LIVE_BENCHES(X)                                                    \
    X("live-splash", "splash",      "surface",   0,     0,   0.4, 1920, 1080)    \
    X("live-1m",     "splash",      "surface",   0.025, 125, 0.2, 1920, 1080)    \
    X("live-faucet", "sand-faucet", "metaballs", 0,     0,   0.5, 1920, 1080)
// clang-format on

#endif
