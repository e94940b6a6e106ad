// SPDX-License-Identifier: MIT
// The parameters of FLIP: the struct, the scene keys, the manual, all from this list.
#ifndef SHOAL_FLIP_PARAMS_H
#define SHOAL_FLIP_PARAMS_H

#include "param/param.h"

// clang-format off
#define FLIP_TRANSFER(W, P) W(P, AUTO, "auto") W(P, FLIP, "flip") W(P, PIC, "pic") W(P, APIC, "apic")
#define FLIP_SEEDING(W, P) W(P, JITTER, "jitter") W(P, PAPER, "paper") W(P, LATTICE, "lattice")
#define FLIP_SURFACE(W, P) W(P, GHOST, "ghost") W(P, MARKED, "marked")
#define FLIP_ADVECTION(W, P) W(P, RK2, "rk2") W(P, RK3, "rk3")
#define FLIP_PRESSURE(W, P) W(P, MULTIGRID, "multigrid") W(P, MIC, "mic")
#define FLIP_FRICTION(W, P) W(P, GLOBAL, "global") W(P, PAPER, "paper") W(P, NONE, "none")
#define FLIP_YIELD(W, P) W(P, PAPER, "paper") W(P, PLANE_STRAIN, "plane-strain") W(P, REPOSE, "repose")
#define FLIP_FLOW(W, P) W(P, YIELD, "yield") W(P, PRINTED, "printed")
#define FLIP_COUPLING(W, P) W(P, TWO_WAY, "two-way") W(P, ONE_WAY, "one-way") W(P, NONE, "none")
SHOAL_WORDS_DECLARE(FLIP_TRANSFER)
SHOAL_WORDS_DECLARE(FLIP_SEEDING)
SHOAL_WORDS_DECLARE(FLIP_SURFACE)
SHOAL_WORDS_DECLARE(FLIP_ADVECTION)
SHOAL_WORDS_DECLARE(FLIP_PRESSURE)
SHOAL_WORDS_DECLARE(FLIP_FRICTION)
SHOAL_WORDS_DECLARE(FLIP_YIELD)
SHOAL_WORDS_DECLARE(FLIP_FLOW)
SHOAL_WORDS_DECLARE(FLIP_COUPLING)

// name              type      default min   max   unit   help, needs, alias
#define FLIP_PARAMS(X, S)                                                                                                       \
    X(S, substeps,      AUTO_INT, 0,      1,    1000, "",    "substeps per frame; auto: as many as cfl needs")                  \
    X(S, cfl,           AUTO_FLOAT, 0,    0.1,  6.0,  "",    "cells that the fastest particle may cross in a substep, sqrt(g dx) added to its speed; less after impacts and while streams flow in; auto: 5, with sand 0.5", "substeps: auto") \
    X(S, transfer,      WORD,     0,      0,    0,    SHOAL_WORDS(FLIP_TRANSFER), "what particles take from the grid: its change (blended), its velocity, or its velocity and gradient; auto: flip; sand apic, which without a grain_size or by friction paper turns to pic as substeps get as long as a stride (see blend)") \
    X(S, blend,         FLOAT,    0.95,   0.0,  1.0,  "",    "fraction of FLIP in `transfer: flip`; the rest is PIC, which damps. It holds for a stride, the time in which the fastest particle crosses half a cell", "transfer: flip or transfer: auto and a liquid") \
    X(S, seeding,       WORD,     0,      0,    0,    SHOAL_WORDS(FLIP_SEEDING), "bodies at the start: lattice sites jittered by up to a quarter spacing; the same, with particles near the free surface put half a cell below it; or the bare lattice") \
    X(S, surface,       WORD,     0,      0,    0,    SHOAL_WORDS(FLIP_SURFACE), "free surface of the pressure: where the level set is (second order), or on faces of cells with particles") \
    X(S, advection,     WORD,     0,      0,    0,    SHOAL_WORDS(FLIP_ADVECTION), "order of the Runge-Kutta scheme that moves particles, in substeps of at most two cells") \
    X(S, pressure,      WORD,     0,      0,    0,    SHOAL_WORDS(FLIP_PRESSURE), "preconditioner of the conjugate gradients: threaded multigrid, or plain MIC(0) on one thread") \
    X(S, tolerance,     FLOAT,    0.01,   1e-8, 10,   "1/s", "largest divergence that the pressure may leave")                  \
    X(S, iterations,    INT,      200,    1,    10000, "",   "most iterations of the pressure solve")                           \
    X(S, viscosity,     BOOL,     1,      0,    1,    "",    "diffuse velocities by the material's viscosity, implicitly, where the Reynolds number of a cell is below 100: honey and oil, not water at these sizes", "a thick liquid") \
    X(S, boundary_layer, BOOL,    1,      0,    1,    "",    "liquids: walls that the scene does not call slip, and obstacles without friction, drag as smooth ones do, by a boundary layer thinner than a cell", "a liquid and a plain solid", "skin") \
    X(S, volume_control, FLOAT,   0.3,    0.0,  1.0,  "",    "fraction of the excess density taken away per substep by moving particles apart; of a liquid all that is beyond 1.25 of rest; 0: none") \
    X(S, friction,      WORD,     0,      0,    0,    SHOAL_WORDS(FLIP_FRICTION), "sand: a stress of the whole body, kept from step to step; the paper's rule cell by cell with rigid groups; or none, as a liquid", "sand") \
    X(S, yield,         WORD,     FLIP_YIELD_REPOSE,      0,    0,    SHOAL_WORDS(FLIP_YIELD), "sand: shear it bears, M = sin, sqrt(3) sin or sqrt(3) tan of the friction angle; 30 degree sand rests at 16.1, 26.6 or 30 degrees", "sand and friction: global|paper") \
    X(S, flow,          WORD,     0,      0,    0,    SHOAL_WORDS(FLIP_FLOW), "stress of flowing cells: on the yield surface, or 3/sqrt(2) times that, as the paper's equation 2 is printed", "sand and friction: paper") \
    X(S, rounds,        INT,      2,      1,    20,   "",    "sand, friction global: pressure solves that alternate with sweeps, before the last", "sand and friction: global") \
    X(S, sweeps,        INT,      15,     1,    1000, "",    "sand, friction global: sweeps over the stress after each of them", "sand and friction: global") \
    X(S, rest_speed,    FLOAT,    0.01,   0.0,  1.0,  "",    "sand: what is slower than this fraction of sqrt(g dx) stays where it is and calms down", "sand") \
    X(S, coupling,      WORD,     0,      0,    0,    SHOAL_WORDS(FLIP_COUPLING), "liquid and sand press and drag each other; sand acts on the liquid and moves as if dry; or they pass through each other", "sand and a liquid")
// clang-format on

SHOAL_PARAMS_DECLARE(flip_params, FLIP_PARAMS)

#endif
