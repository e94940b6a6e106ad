// SPDX-License-Identifier: MIT
// Cholesky factors of a small dense matrix, lower triangle, in double. Entry (i, j) is m[stride * i + j].
#ifndef SHOAL_CHOLESKY_H
#define SHOAL_CHOLESKY_H

#include <math.h>
#include <stdbool.h>

// Factors in place. A pivot that is not above `least` times its diagonal entry and `floor` is nothing but rounding, as
// in a region that is closed on all sides: its unknown is pinned to 0, which a compatible right-hand side allows.
static inline void shoal_cholesky_factor(double* m, int n, int stride, double least, double floor) {
    for (int j = 0; j < n; j++) {
        double *row = m + stride * j, pivot = row[j];
        for (int k = 0; k < j; k++) pivot -= row[k] * row[k];
        bool is_pinned = !(pivot > least * row[j] && pivot > floor);
        row[j]         = is_pinned ? 0.0 : sqrt(pivot);
        for (int i = j + 1; i < n; i++) {
            double* below = m + stride * i;
            for (int k = 0; k < j; k++) below[j] -= below[k] * row[k];
            below[j] = is_pinned ? 0.0 : below[j] / row[j];
        }
    }
}

// x becomes what times the matrix is x.
static inline void shoal_cholesky_solve(const double* m, int n, int stride, double* x) {
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < i; k++) x[i] -= m[stride * i + k] * x[k];
        x[i] = m[stride * i + i] > 0.0 ? x[i] / m[stride * i + i] : 0.0;
    }
    for (int i = n - 1; i >= 0; i--) {
        for (int k = i + 1; k < n; k++) x[i] -= m[stride * k + i] * x[k];
        x[i] = m[stride * i + i] > 0.0 ? x[i] / m[stride * i + i] : 0.0;
    }
}

#endif
