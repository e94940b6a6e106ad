// SPDX-License-Identifier: MIT
// How a surface is laid around particles: the block `surface` of a scene. Lengths are in spacings
// of the particles.
#ifndef SHOAL_SURFACE_PARAMS_H
#define SHOAL_SURFACE_PARAMS_H

#include "param/param.h"

// clang-format off
#define SHOAL_SURFACE(W, P) W(P, ZHU_BRIDSON, "zhu-bridson") W(P, BLOBBY, "blobby") W(P, COLOR_FIELD, "color-field") W(P, ANISOTROPIC, "anisotropic")
// clang-format on
SHOAL_WORDS_DECLARE(SHOAL_SURFACE)

// clang-format off
// name, type, default, min, max, unit, help
#define SHOAL_SURFACE_PARAMS(X, S)                                                                                     \
    X(S, method,     WORD,       0,    0,    0,   SHOAL_WORDS(SHOAL_SURFACE), "how the field is made") \
    X(S, cell,       FLOAT,      0.5,  0.05, 4,   "spacings", "distance of the grid's samples; smaller is finer")      \
    X(S, support,    AUTO_FLOAT, 0,    1,    6,   "spacings", "how far a particle reaches; auto: 2, anisotropic 2.5")    \
    X(S, radius,     AUTO_FLOAT, 0,    0,    3,   "spacings", "zhu-bridson, blobby: radius of a lone particle; auto makes flat water flat at half a spacing") \
    X(S, level,      AUTO_FLOAT, 0,    0,    1,   "",         "color-field, anisotropic: value of the field at the surface; auto makes flat water right", "method: color-field|anisotropic") \
    X(S, concavity,  FLOAT,      3.5,  0.5,  100, "",         "zhu-bridson: stretch of the average at which hollows are empty; large: no cure", "method: zhu-bridson") \
    X(S, smoothing,  INT,        1,    0,    20,  "",         "passes that smooth the field, against blobs; not blobby", "method: zhu-bridson|color-field|anisotropic") \
    X(S, rise,       FLOAT,      0.1,  0,    10,  "spacings", "most that a pass of smoothing may remove, so that drops survive; 10: the paper's plain pass", "method: zhu-bridson|color-field|anisotropic and smoothing: >0") \
    X(S, filling,    INT,        1,    0,    20,  "",         "zhu-bridson: passes that smooth and only let it grow, against bumps", "method: zhu-bridson") \
    X(S, calm,       FLOAT,      1,    0,    4,   "spacings", "zhu-bridson: width over which flat water is smoothed, against dimples of single particles; 0: off; default under flip: 2", "method: zhu-bridson") \
    X(S, volume,     FLOAT,      1,    0,    1,   "",         "zhu-bridson: fraction of the error in volume that is corrected, place by place", "method: zhu-bridson and radius: auto") \
    X(S, centering,  FLOAT,      0.9,  0,    1,   "",         "anisotropic: how far centres are evened out to the mean of those beside them", "method: anisotropic") \
    X(S, stretch,    FLOAT,      4,    1,    20,  "",         "anisotropic: largest ratio of axes", "method: anisotropic") \
    X(S, neighbours, INT,        25,   0,    1000, "",        "anisotropic: with no more than these a particle stays round", "method: anisotropic") \
    X(S, drops,      INT,        2,    0,    3,   "",         "times the triangles of small drops are split and laid onto the field itself; 0: left as they are") \
    X(S, snap,       FLOAT,      0,    0,    0.45, "cells",   "vertices this near to a corner of the grid are drawn together, against slivers; 0: none") \
    X(S, taubin,     INT,        0,    0,    200, "",         "pairs of passes that smooth the mesh without shrinking it")
// clang-format on

SHOAL_PARAMS_DECLARE(shoal_surface_params, SHOAL_SURFACE_PARAMS)

// The support in spacings, with auto made good: flat kernels need more of it to be even.
SHOAL_FN float shoal_surface_support(const shoal_surface_params* params) {
    if (params->support > 0.0f) return params->support;
    return params->method == SHOAL_SURFACE_ANISOTROPIC ? 2.5f : 2.0f;
}

#endif
