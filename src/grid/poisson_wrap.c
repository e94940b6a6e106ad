// SPDX-License-Identifier: MIT
// Links around a periodic x axis, from the last cell of a row to its first. In y and z a piece
// simply points at the row on the other side; in x neighbours are those beside in memory, so these
// few links are added after each loop.
#include "grid/poisson_local.h"

// The two ends of each row that has such a link.
#define WRAPS(l)                                                                                                       \
    for (int r = 0, first, last; (l)->period[0] > 0 && r < (l)->row_count; r++)                                        \
        if (first = (l)->rows[r].begin, last = (l)->rows[r + 1].begin - 1, (l)->rows[r].wrap > 0.0f)

void poisson_wrap_find(poisson_level* l) {
    for (int r = 0; r < l->row_count; r++) {
        int first = l->rows[r].begin, last = l->rows[r + 1].begin - 1;
        l->rows[r].wrap = 0;
        if (l->period[0] == 0 || last < first) continue;
        if (l->x[first] != l->low[0] || l->x[last] != l->low[0] + l->period[0] - 1) continue;
        if (l->period[0] > 1) l->rows[r].wrap = l->plus_x[last];
        l->plus_x[last] = 0;
    }
}

void poisson_wrap_diagonal(const poisson_level* l) {
    WRAPS(l) {
        const int ends[2] = {first, last};
        for (int e = 0; e < 2; e++) {
            l->is_coupled[ends[e]] = 1;
            l->diagonal[ends[e]] += l->rows[r].wrap;
            l->inverse[ends[e]] = 1.0f / l->diagonal[ends[e]];
        }
    }
}

void poisson_wrap_add(const poisson_level* l, const float* from, float* to, float weight) {
    WRAPS(l) {
        float to_first = l->rows[r].wrap * from[last], to_last = l->rows[r].wrap * from[first];
        to[first] += weight > 0.0f ? weight * l->inverse[first] * to_first : to_first;
        to[last] += weight > 0.0f ? weight * l->inverse[last] * to_last : to_last;
    }
}

double poisson_wrap_apply(const poisson_level* l, const double* vector, double* image) {
    double sum = 0;
    WRAPS(l) {
        double step = vector[last] - vector[first], flow = (double)l->rows[r].wrap * step;
        image[last] += flow;
        image[first] -= flow;
        sum += flow * step;
    }
    return sum;
}
