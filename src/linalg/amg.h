// SPDX-License-Identifier: MIT
// Smoothed aggregation [Vanek, Mandel & Brezina 1996]: a preconditioner for symmetric matrices like those of pressure,
// whose cost grows with the number of unknowns and whose iterations hardly do. Its hierarchy is kept in float, since it
// need not be exact.
//
// Fixed orders everywhere, so the same bits come out for any number of threads.
#ifndef SHOAL_AMG_H
#define SHOAL_AMG_H

#include "linalg/csr.h"

typedef struct shoal_amg shoal_amg;

// Makes the hierarchy of a matrix; *amg is NULL before the first time, and used again after it. `held`: [rows] not 0:
// left out, as rows without a diagonal are; NULL: none,
// and the matrix stays as it is while the hierarchy is used, which has its columns.
shoal_status shoal_amg_setup(shoal_amg** amg, const shoal_exec* exec, const shoal_csr* matrix, const uint8_t* held);
void         shoal_amg_free(shoal_amg* amg); // may be NULL

// One cycle from zero: about A^-1 `residual`, 0 for those left out. Linear, symmetric and positive but for rounding.
typedef void (*shoal_precondition_fn)(void* of, const shoal_exec* exec, const double* residual, double* out);
void shoal_amg_apply(void* amg, const shoal_exec* exec, const double* residual, double* out); // such a one

// The same by greedy coarsening and means [Chentanez et al. 2007, 3.5], for comparison: a solver by itself, of full
// cycles, which shoal_amg_apply does not take.
shoal_status shoal_amg_setup_greedy(shoal_amg** amg, const shoal_exec* exec, const shoal_csr* matrix,
                                    const uint8_t* held);
typedef struct shoal_amg_end {
    int    cycles;
    double residual; // its length over that of the right side
    bool   is_solved;
} shoal_amg_end;
// Solves A x = b, beginning with the x that is there; those left out must be 0.
shoal_status shoal_amg_full_cycles(shoal_amg* amg, const shoal_exec* exec, const shoal_csr* matrix, const double* b,
                                   double* x, double tolerance, int cycles_most, shoal_amg_end* end);

// For tests.
int    shoal_amg_levels(const shoal_amg* amg);
double shoal_amg_complexity(const shoal_amg* amg); // entries of all levels over those of the first

#endif
