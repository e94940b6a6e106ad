// SPDX-License-Identifier: MIT
// What a scene can say in the block `tetra`.
#ifndef SHOAL_TETRA_PARAMS_H
#define SHOAL_TETRA_PARAMS_H

#include "param/param.h"

// clang-format off
// name         type      default min    max     unit help
#define TETRA_PARAMS(X, S)                                                                                                   \
    X(S, cell,           FLOAT,    2.0,   1.5,   4.0,    "spacings", "edge of the tetrahedra at the surface; 2: eight particles to a cube of it") \
    X(S, cfl,            FLOAT,    2.0,   0.1,   5.0,    "edges", "longest way of a particle in a substep", "substeps: auto") \
    X(S, substeps,       AUTO_INT, 0,     1,     100000, "",   "substeps per frame; auto: as many as cfl asks for") \
    X(S, volume_control, FLOAT,    0.3,   0.0,   1.0,    "",   "fraction of the density error that is evened out while the liquid crosses an edge") \
    X(S, viscosity,      BOOL,     1,     0,     1,      "",   "diffuse velocities by the material's viscosity, implicitly, where the Reynolds number of an edge is below 100: honey and oil, not water at these sizes", "a thick liquid") \
    X(S, boundary_layer, BOOL,     1,     0,     1,      "",   "walls that the scene does not call slip, and obstacles without friction, drag as smooth ones do, by a boundary layer thinner than an edge") \
    X(S, mesh,           BOOL,     1,     0,     1,      "",   "frames have the tetrahedra and their vertices beside the particles") \
    X(S, tolerance,      FLOAT,    1e-6,  1e-12, 1e-2,   "",   "of the pressure: what is left of its residual when the solve ends")
// clang-format on

SHOAL_PARAMS_DECLARE(tetra_params, TETRA_PARAMS)

#endif
