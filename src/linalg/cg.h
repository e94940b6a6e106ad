// SPDX-License-Identifier: MIT
// Conjugate gradients [Hestenes & Stiefel 1952] for symmetric matrices without negative eigenvalues, preconditioned by
// Jacobi or by what the caller brings, as smoothed aggregation. Sums go over fixed blocks in fixed order, so the
// same bits come out for any number of threads.
#ifndef SHOAL_CG_H
#define SHOAL_CG_H

#include "linalg/amg.h"

// Room to work in, kept from solve to solve.
typedef struct shoal_cg {
    int          capacity;
    double *     residual, *way, *image, *inverse, *preconditioned; // preconditioned: the residual
    shoal_arena* arena;                                             // that they are of; NULL: its own
} shoal_cg;

typedef struct shoal_cg_def {
    double                tolerance; // of the residual's length over that of the right side
    int                   most;      // iterations
    const uint8_t*        held;      // [rows] not 0: x keeps the value it has, and is known to the others; NULL: none
    shoal_precondition_fn precondition;   // symmetric, and set up with this matrix and those held; NULL: Jacobi
    void*                 preconditioner; // its first argument
} shoal_cg_def;

typedef struct shoal_cg_end {
    int    iterations;
    double residual;  // over the right side, which holds what held ones give; 0 where that is zero
    bool   is_solved; // false: cut short, or the matrix has a negative eigenvalue
} shoal_cg_end;

void shoal_cg_free(shoal_cg* cg); // what it points to; zero-initialise before the first use
// Solves A x = b, beginning with the x that is there. Rows without a diagonal stay as they are, as
// held ones do.
shoal_status shoal_cg_solve(shoal_cg* cg, const shoal_exec* exec, const shoal_csr* matrix, const double* b, double* x,
                            const shoal_cg_def* def, shoal_cg_end* end);

#endif
