// SPDX-License-Identifier: MIT
// Within linalg/: the levels of smoothed aggregation.
#ifndef SHOAL_AMG_LOCAL_H
#define SHOAL_AMG_LOCAL_H

#include "linalg/amg.h"

enum { AMG_LEVELS = 16, AMG_COARSEST = 400 };

// A sparse matrix in float; rows are [start[i], start[i + 1]).
typedef struct amg_matrix {
    int    rows, columns;
    int*   start;  // [rows + 1]
    int*   column; // [start[rows]]
    float* value;
    int    start_capacity, column_capacity, value_capacity;
    bool   is_lent; // `column` is another's
} amg_matrix;

typedef struct amg_level {
    amg_matrix a;
    amg_matrix up, down; // from the next coarser level, and to it, its transpose
    float*     inverse;  // [rows] of the diagonal; 0: left out
    float      radius;   // largest eigenvalue of D^-1 A, at least
    float *    x, *b, *r, *d;
    int        inverse_capacity, x_capacity, b_capacity, r_capacity, d_capacity;
} amg_level;

struct shoal_amg {
    int       level_count;
    amg_level levels[AMG_LEVELS];
    double*   factor; // [n][n] Cholesky's of the coarsest, where it has AMG_COARSEST rows and less; 0 on the diagonal:
                      // left out
    double* solved;   // [n]
    int     factor_capacity, solved_capacity;
    bool    is_factored;
    // scratch
    amg_matrix   product;
    int *        aggregate, *marker, *lengths, *queue;
    double*      residual;
    int          aggregate_capacity, marker_capacity, length_capacity, queue_capacity, residual_capacity;
    shoal_arena* arena; // that all of it is of, as the matrix is; NULL: its own
};

// y = A x
void amg_times(const amg_matrix* a, const shoal_exec* exec, const float* x, float* y);
void amg_solve_coarsest(shoal_amg* amg, const amg_level* level); // where it is factored

// Makes room for rows of these lengths, and says where they start.
shoal_status amg_shape(shoal_arena* arena, amg_matrix* m, int rows, int columns, const int* lengths);
// How a coarser level is made of one: fills level->up, and says how many unknowns it has; amg->aggregate and
// amg->lengths have room for a row each.
typedef shoal_status (*amg_spread_fn)(shoal_amg* amg, amg_level* level, const shoal_exec* exec, int* count);
shoal_status amg_spread_greedily(shoal_amg* amg, amg_level* level, const shoal_exec* exec, int* count);

#endif
