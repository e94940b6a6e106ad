// SPDX-License-Identifier: MIT
// Sparse square matrices, row by row, in double. Made anew whenever the mesh or the neighbours
// change: first how long each row is, then its entries, which may be written by several threads.
#ifndef SHOAL_CSR_H
#define SHOAL_CSR_H

#include "base/arena.h"
#include "exec/exec.h"

// The entries of row i are [start[i], start[i + 1]), in any order but always the same; symmetric
// matrices have both halves.
typedef struct shoal_csr {
    int          rows;
    int64_t      entries;
    int64_t*     start;  // [rows + 1]
    int*         column; // [entries]
    double*      value;  // [entries]
    int          row_capacity;
    int64_t      entry_capacity;
    shoal_arena* arena; // that its memory is of; NULL: its own
} shoal_csr;

void shoal_csr_free(shoal_csr* matrix); // what it points to; zero-initialise before the first use
// Makes room for rows of these lengths and says where each begins; columns and values are to be
// written then.
shoal_status shoal_csr_shape(shoal_csr* matrix, int rows, const int* lengths);
// y = A x; the same bits for any number of threads.
void   shoal_csr_times(const shoal_csr* matrix, const shoal_exec* exec, const double* x, double* y);
double shoal_csr_at(const shoal_csr* matrix, int row,
                    int column); // the sum of its entries there; 0: none
// The largest |a_ij - a_ji|, for tests.
double shoal_csr_skew(const shoal_csr* matrix);

#endif
