// SPDX-License-Identifier: MIT
// MIC(0), the modified incomplete Cholesky factor of Bridson's book: the plain oracle of the
// multigrid. One thread. Links around a periodic axis are left out of the factor, not of the
// matrix.
#include "grid/poisson_local.h"

#include <math.h>

static const double TAU   = 0.97; // fraction of the fill-in that is moved to the diagonal
static const double SIGMA = 0.25; // pivots below this fraction of the diagonal are not trusted

void mic_build(shoal_poisson* p) {
    const poisson_level* l = &p->levels[0];
    double*              m = p->mic;
    for (int k = 0; k < l->piece_count; k++) {
        const poisson_piece* s = &l->pieces[k];
        for (int i = s->begin; i < s->begin + s->count; i++) {
            const int before[3] = {i - 1, i + s->minus_y, i + s->minus_z};
            double    whole = (double)l->anchor[i] + (double)l->plus_x[i] + (double)l->plus_y[i] + (double)l->plus_z[i];
            double    pivot = 0;
            for (int a = 0; a < 3; a++) {
                int    j    = before[a];
                double w[3] = {(double)l->plus_x[j], (double)l->plus_y[j], (double)l->plus_z[j]};
                double fill = w[a] * (w[0] + w[1] + w[2] - w[a]);
                whole += w[a];
                if (j < i) pivot -= (w[a] * w[a] + TAU * fill) * m[j] * m[j];
            }
            pivot += whole;
            if (pivot < SIGMA * whole) pivot = whole;
            m[i] = pivot > 0 ? 1.0 / sqrt(pivot) : 0.0;
        }
    }
}

void mic_apply(shoal_poisson* p) {
    const poisson_level* l = &p->levels[0];
    const double*        m = p->mic;
    double*              q = p->half;
    for (int k = 0; k < l->piece_count; k++) {
        const poisson_piece* s = &l->pieces[k];
        for (int i = s->begin; i < s->begin + s->count; i++) {
            int    y = i + s->minus_y, z = i + s->minus_z;
            double sum = (double)l->rhs[i] + (double)l->plus_x[i - 1] * m[i - 1] * q[i - 1];
            if (y < i) sum += (double)l->plus_y[y] * m[y] * q[y];
            if (z < i) sum += (double)l->plus_z[z] * m[z] * q[z];
            q[i] = sum * m[i];
        }
    }
    for (int k = l->piece_count - 1; k >= 0; k--) {
        const poisson_piece* s = &l->pieces[k];
        for (int i = s->begin + s->count - 1; i >= s->begin; i--) {
            double next = (double)l->plus_x[i] * q[i + 1];
            if (s->plus_y > 0) next += (double)l->plus_y[i] * q[i + s->plus_y];
            if (s->plus_z > 0) next += (double)l->plus_z[i] * q[i + s->plus_z];
            q[i]        = (q[i] + m[i] * next) * m[i];
            l->value[i] = (float)q[i];
        }
    }
}
