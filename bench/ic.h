// SPDX-License-Identifier: MIT
// Incomplete Cholesky factors [Meijerink & van der Vorst 1977]: L has entries only where the matrix has some. A
// preconditioner for comparison: rows wait for each other, so it runs on one thread.
#ifndef SHOAL_IC_H
#define SHOAL_IC_H

#include "exec/exec.h"
#include "linalg/csr.h"

typedef struct shoal_ic {
    int      rows;
    int64_t* start;  // [rows + 1] of the entries left of the diagonal, columns increasing
    int*     column; // [start[rows]]
    double*  value;
    double*  inverse; // [rows] of the diagonal; 0: left out
    int      start_capacity, column_capacity, value_capacity, inverse_capacity;
} shoal_ic;

void shoal_ic_free(shoal_ic* ic); // what it points to; zero-initialise before the first use
// `held`: as of shoal_amg_setup. Where a pivot would not be positive the matrix's own diagonal stands.
shoal_status shoal_ic_setup(shoal_ic* ic, const shoal_csr* matrix, const uint8_t* held);
void shoal_ic_apply(void* ic, const shoal_exec* exec, const double* residual, double* out); // (L L^T)^-1 residual

#endif
