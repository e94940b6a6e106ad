// SPDX-License-Identifier: MIT
// Viscosity of thick liquids, implicit: u = u* + dt nu L u (backward Euler), by conjugate gradients
// without a matrix, as in Weiler, Koschier, Brand & Bender 2018. L is the sum over neighbours of
// the viscosity kernel (h - r), exact on the lattice, and over solids that stick. Any step is
// stable; what explicit drag may take, half of a difference in a substep, is no bound here.
#ifndef SHOAL_THICK_H
#define SHOAL_THICK_H

#include "exec/pass.h"
#include "fluid/halo.h"
#include "fluid/pairs.h"
#include "grid/near.h"

// Of a liquid, by material.
typedef struct shoal_thickness {
    float share; // dt nu times the laplacian's scale: what goes of a velocity difference per (h - r)
    float mass;  // of a particle, over that of the first liquid
} shoal_thickness;

typedef struct shoal_thick_problem {
    int                    count; // images across periodic walls follow, then nobody
    shoal_near             near;
    const shoal_halo*      halo;
    const shoal_v4*        place;
    float                  h;
    const uint8_t*         material;
    const shoal_thickness* liquids;
    const float*           hold;   // of solids that stick: their sum of h - r
    const shoal_v4*        stream; // and their velocity
    shoal_v4*              motion; // the velocities; companions stay
} shoal_thick_problem;

// Room for the solve, kept from step to step. `hold` and `stream` are for solvers that have no such
// fields.
typedef struct shoal_thick {
    int       room;
    shoal_v4 *way, *left, *drawn, *stream; // direction, residual, and the operator on a direction
    float*    hold;
    int       sweeps; // of the last solve
} shoal_thick;

// Whether explicit drag would take more than an eighth of a difference in a substep: then it is
// solved for. `most` is the share at which it would take a half.
static inline bool shoal_is_thick(double share, double most) { return share > 0.25 * most; }

shoal_status shoal_thick_reserve(shoal_thick* thick, int count);
void         shoal_thick_solve(shoal_thick* thick, const shoal_exec* exec, const shoal_thick_problem* problem);
void         shoal_thick_free(shoal_thick* thick);

#endif
