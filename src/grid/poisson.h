// SPDX-License-Identifier: MIT
// Pressure: the symmetric 7-point system on a sparse set of cells
//
//     sum over the six neighbours n of  w_cn (p_c - p_n)  +  anchor_c p_c  =  rhs_c
//
// with w >= 0 and anchor >= 0, so the matrix is positive semidefinite whatever the caller does.
// Solid fractions are folded into w; a free surface is an anchor (ghost fluid: w / theta of the
// face towards air); a mass term (implicit diffusion) is an anchor too. Cells have integer
// coordinates of any sign and extent; cost and memory follow the number of cells, never their box.
//
// Solved by conjugate gradients in double, preconditioned by one symmetric multigrid V-cycle in
// float: aggregates of 2 x 2 x 2 cells, Galerkin sums halved (Shao, Huang & Michels 2022), weighted
// Jacobi smoothing at the roots of a Chebyshev polynomial. MIC(0) (Bridson) is the plain oracle.
// The same bits for any number of threads and any instruction set.
//
// Components without any anchor (closed regions) are singular: their right-hand side is made
// compatible by taking off its mean, and their solution has mean zero.
#ifndef SHOAL_POISSON_H
#define SHOAL_POISSON_H

#include "exec/exec.h"

typedef struct shoal_poisson shoal_poisson; // kept from step to step; grows, and allocates nothing once warm

typedef enum shoal_poisson_method {
    SHOAL_POISSON_MULTIGRID,
    SHOAL_POISSON_MIC, // one thread, slow, simple
} shoal_poisson_method;

// All arrays in the caller's order of cells, whatever that is. A weight towards a neighbour that is
// not among the cells must be 0 (put w / theta into the anchor instead, or nothing for a wall).
typedef struct shoal_poisson_system {
    int count;
    const int (*cell)[3]; // [count] coordinates within +-2^30; no cell twice
    const float* plus_x;  // [count] weight of the face towards (x + 1, y, z)
    const float* plus_y;  // [count] ... (x, y + 1, z)
    const float* plus_z;  // [count] ... (x, y, z + 1)
    const float* anchor;  // [count] what the diagonal has beyond the sum of the six weights
    // Cells along a periodic axis, 0 for others: coordinates are in [0, period), the face above
    // period - 1 leads to 0.
    int period[3];
} shoal_poisson_system;

typedef struct shoal_poisson_def {
    shoal_poisson_method method;
    shoal_isa_kind       isa;
    double               tolerance;     // done when |residual|_2 <= tolerance |rhs|_2 ...
    double               tolerance_max; // ... or when max |residual| <= tolerance_max, in units of rhs; 0: never
    int                  iterations;    // at most
} shoal_poisson_def;
shoal_poisson_def shoal_poisson_def_default(void); // multigrid, best isa, 1e-5, 0, 200

typedef struct shoal_poisson_report {
    bool   is_converged;
    int    iterations;
    double residual;      // |residual|_2 / |rhs|_2, recomputed from the solution at the end
    double residual_max;  // max |residual|, in units of rhs
    int    levels;        // of the multigrid, 1 for MIC
    int    closed_count;  // components without an anchor
    int    closed_cells;  // cells in them
    double closed_excess; // largest |mean of rhs| taken off such a component, in units of rhs
} shoal_poisson_report;

shoal_status shoal_poisson_create(shoal_poisson** out);
void         shoal_poisson_destroy(shoal_poisson* poisson); // may be NULL

// Sorts the cells, finds neighbours and components and builds the hierarchy. The arrays of the
// system are not needed afterwards. Fails with SHOAL_ERR_DIVERGE on a value that is not finite,
// SHOAL_ERR_INPUT on a negative one, on a cell given twice, on a weight towards no cell.
shoal_status shoal_poisson_set(shoal_poisson* poisson, const shoal_exec* exec, const shoal_poisson_def* def,
                               const shoal_poisson_system* system);

// Solves the system set last, as often as wanted. `pressure` holds the first guess when has_guess,
// and receives the solution. Fails with SHOAL_ERR_DIVERGE on values that are not finite. Missing
// the tolerance within the iterations is no failure: see report (which may be NULL).
shoal_status shoal_poisson_solve(shoal_poisson* poisson, const shoal_exec* exec, const shoal_poisson_def* def,
                                 const double* rhs, double* pressure, bool has_guess, shoal_poisson_report* report);

#endif
