// SPDX-License-Identifier: MIT
// The parameters of FLIP: the struct, the scene keys, the manual, all from this list.
#ifndef SHOAL_FLIP_PARAMS_H
#define SHOAL_FLIP_PARAMS_H

#include "param/param.h"

enum { FLIP_AUTO, FLIP_FLIP, FLIP_PIC, FLIP_APIC };
enum { FLIP_GHOST, FLIP_MARKED };
enum { FLIP_RK2, FLIP_RK3 };
enum { FLIP_JITTER, FLIP_PAPER, FLIP_LATTICE };
enum { FLIP_MULTIGRID, FLIP_MIC };
enum { FLIP_GLOBAL, FLIP_LOCAL, FLIP_FRICTIONLESS };
enum { FLIP_TWO_WAY, FLIP_ONE_WAY, FLIP_UNCOUPLED };
enum { FLIP_YIELD_PAPER, FLIP_YIELD_PLANE_STRAIN, FLIP_YIELD_REPOSE };
enum { FLIP_FLOW_YIELD, FLIP_FLOW_PRINTED };

// clang-format off
// name              type      default min   max   unit   help
#define FLIP_PARAMS(X)                                                                                                       \
    X(substeps,      AUTO_INT, 0,      1,    1000, "",    "substeps per frame; auto: as many as cfl needs")                  \
    X(cfl,           AUTO_FLOAT, 0,    0.1,  6.0,  "",    "cells that the fastest may cross in a substep, with sqrt(g dx) added to its speed; fewer, down to 1, while a liquid is crowded by an impact, and 1 for streams while they come in, thick ones still fewer; auto: 5, with sand 0.5", "substeps: auto") \
    X(transfer,      WORD,     0,      0,    0,    "auto|flip|pic|apic", "what particles take from the grid: its change (blended), its velocity, or its velocity and gradient; auto: flip; sand apic, which without a grain_size or by friction paper turns to pic as substeps get as long as a stride (see blend)") \
    X(blend,         FLOAT,    0.95,   0.0,  1.0,  "",    "share of FLIP in `transfer: flip`; the rest is PIC, which damps. It is that of a stride, the time in which the fastest crosses half a cell, of sand each particle by itself; of shorter substeps PIC takes less", "transfer: flip or transfer: auto and a liquid") \
    X(seeding,       WORD,     0,      0,    0,    "jitter|paper|lattice", "bodies at the start: lattice sites moved by up to a quarter spacing; the same, and what is within a cell of the free surface put half a cell below it; or the bare lattice") \
    X(surface,       WORD,     0,      0,    0,    "ghost|marked", "free surface of the pressure: where the level set is (second order), or on faces of cells with particles") \
    X(advection,     WORD,     0,      0,    0,    "rk2|rk3", "order of the Runge-Kutta scheme that moves particles, in substeps of at most two cells") \
    X(pressure,      WORD,     0,      0,    0,    "multigrid|mic", "preconditioner of the conjugate gradients: threaded multigrid, or plain MIC(0) on one thread") \
    X(tolerance,     FLOAT,    0.01,   1e-8, 10,   "1/s", "largest divergence that the pressure may leave")                  \
    X(iterations,    INT,      200,    1,    10000, "",   "most iterations of the pressure solve")                           \
    X(viscosity,     BOOL,     1,      0,    1,    "",    "diffuse velocities by the material's viscosity, implicitly, where the Reynolds number of a cell is below 100: honey and oil, not water at these sizes", "a thick liquid") \
    X(skin,          BOOL,     1,      0,    1,    "",    "liquids: walls that the scene does not call slip, and obstacles without friction, drag as smooth ones do, by a boundary layer thinner than a cell", "a liquid and a plain solid") \
    X(volume_control, FLOAT,   0.3,    0.0,  1.0,  "",    "share of the excess density taken away per substep by moving particles apart; of a liquid all that is beyond 1.25 of rest; 0: none") \
    X(friction,      WORD,     0,      0,    0,    "global|paper|none", "sand: a stress of the whole body, kept from step to step; the paper's rule cell by cell with rigid groups; or none, as a liquid", "sand") \
    X(yield,         WORD,     2,      0,    0,    "paper|plane-strain|repose", "sand: shear it bears, M = sin, sqrt(3) sin or sqrt(3) tan of the friction angle; piles of 30 degree sand rest at 16.1, 26.6 or 30 degrees", "sand and friction: global|paper") \
    X(flow,          WORD,     0,      0,    0,    "yield|printed", "sand, friction paper: the stress of cells that flow, on the yield surface, or 3/sqrt(2) times that as the paper's equation 2 is printed", "sand and friction: paper") \
    X(rounds,        INT,      2,      1,    20,   "",    "sand, friction global: pressure solves that alternate with sweeps, before the last", "sand and friction: global") \
    X(sweeps,        INT,      15,     1,    1000, "",    "sand, friction global: sweeps over the stress after each of them", "sand and friction: global") \
    X(rest_speed,    FLOAT,    0.01,   0.0,  1.0,  "",    "sand: what is slower than this share of sqrt(g dx) stays where it is and calms down", "sand") \
    X(coupling,      WORD,     0,      0,    0,    "two-way|one-way|none", "a liquid and sand in one scene: each presses and drags the other; sand does so to the liquid and moves as if dry; or they pass through each other", "sand and a liquid")
// clang-format on

SHOAL_PARAMS_DECLARE(flip_params, FLIP_PARAMS)

#endif
