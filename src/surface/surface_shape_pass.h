// SPDX-License-Identifier: MIT
// The shapes of particles by their neighbours [Yu & Turk 2013], one particle at a time; in the common ground of C17 and
// C++.
#ifndef SHOAL_SURFACE_SHAPE_PASS_H
#define SHOAL_SURFACE_SHAPE_PASS_H

#include "math/vec.h"

#define SURFACE_POLY6 (315.0 / (64.0 * SHOAL_PI)) // makes the integral of (1 - s^2)^3 one
// Axes in units of the variance of a full neighbourhood, 0.6 h^2; longer ones than twice that are
// held.
#define SURFACE_FULL_VARIANCE 0.6
#define SURFACE_AXIS_MOST 2.0
// Neighbours are looked for within twice the support.
#define SURFACE_SEARCH 2.0f
// spacings; those beside a particle lie no further from it along m: a layer of water is a spacing
// thick
#define SURFACE_LAYER_HALF 0.75f

// A particle of the methods that sum: weight (1 - e^T M e)^3 within the ellipsoid e^T M e < 1.
typedef struct surface_splat {
    float x, y, z;
    float reach; // m; half the edge of a cube around the ellipsoid
    float xx, xy, xz, yy, yz, zz;
    float weight;
    float unused; // 48 bytes
} surface_splat;

typedef struct surface_moments {
    float w, x, y, z, xx, xy, xz, yy, yz, zz;
    int   count;
} surface_moments;

typedef struct surface_shape_job {
    float spacing, support; // m
    float stretch;          // largest ratio of axes
    int   neighbours;       // with no more than these a particle stays round
} surface_shape_job;

// Eigenvalues of a symmetric matrix on its diagonal, eigenvectors in the columns of v, by Jacobi
// rotations.
SHOAL_FN void surface_eigen3(double a[3][3], double v[3][3]) {
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) v[i][k] = i == k;
    for (int sweep = 0; sweep < 12; sweep++) {
        double off = a[0][1] * a[0][1] + a[0][2] * a[0][2] + a[1][2] * a[1][2];
        double on  = a[0][0] * a[0][0] + a[1][1] * a[1][1] + a[2][2] * a[2][2];
        if (!(off > 1e-16 * on)) return;
        for (int p = 0; p < 2; p++)
            for (int q = p + 1; q < 3; q++) {
                if (a[p][q] == 0.0) continue;
                double theta = (a[q][q] - a[p][p]) / (2.0 * a[p][q]);
                double t     = (theta < 0.0 ? -1.0 : 1.0) / (fabs(theta) + sqrt(theta * theta + 1.0));
                double c = 1.0 / sqrt(t * t + 1.0), s = t * c;
                for (int k = 0; k < 3; k++) {
                    double x = a[k][p], y = a[k][q];
                    a[k][p] = c * x - s * y;
                    a[k][q] = s * x + c * y;
                }
                for (int k = 0; k < 3; k++) {
                    double x = a[p][k], y = a[q][k];
                    a[p][k] = c * x - s * y;
                    a[q][k] = s * x + c * y;
                    x = v[k][p], y = v[k][q];
                    v[k][p] = c * x - s * y;
                    v[k][q] = s * x + c * y;
                }
            }
    }
}

// The splat of a particle from the moments of its neighbours, whose lengths are in 2h; x, y, z in
// m.
SHOAL_FN surface_splat surface_shape_of(const surface_shape_job* w, const surface_moments* m, float x, float y,
                                        float z) {
    double h = (double)w->support, n = (double)m->w;
    double mean[3] = {(double)m->x / n, (double)m->y / n, (double)m->z / n};
    double a[3][3], v[3][3], ratio = (double)w->spacing / h;
    double axis[3] = {ratio, ratio, ratio}; // with few neighbours: round, a spacing wide
    a[0][0]        = (double)m->xx / n - mean[0] * mean[0];
    a[1][1]        = (double)m->yy / n - mean[1] * mean[1];
    a[2][2]        = (double)m->zz / n - mean[2] * mean[2];
    a[0][1] = a[1][0] = (double)m->xy / n - mean[0] * mean[1];
    a[0][2] = a[2][0] = (double)m->xz / n - mean[0] * mean[2];
    a[1][2] = a[2][1] = (double)m->yz / n - mean[1] * mean[2];
    surface_eigen3(a, v);
    if (m->count > w->neighbours) {
        // k_s s with k_s = 1 / (0.6 h^2); s is in (2h)^2. No axis is shorter than a spacing: layers
        // of a thin sheet, a spacing apart, would part, and kernels of clumps fall between the
        // samples.
        double most  = fmax(a[0][0], fmax(a[1][1], a[2][2])),
               scale = (double)(SURFACE_SEARCH * SURFACE_SEARCH) / SURFACE_FULL_VARIANCE;
        for (int k = 0; k < 3; k++)
            axis[k] = fmin(SURFACE_AXIS_MOST, fmax(scale * fmax(a[k][k], most / (double)w->stretch), ratio));
    }
    double g[3], longest = fmax(axis[0], fmax(axis[1], axis[2]));
    double volume = ratio * ratio * ratio;
    for (int k = 0; k < 3; k++) g[k] = 1.0 / (h * h * axis[k] * axis[k]);
    surface_splat s;
    s.x = x, s.y = y, s.z = z;
    s.reach  = (float)(h * longest);
    s.weight = (float)(SURFACE_POLY6 * volume / (axis[0] * axis[1] * axis[2]));
    s.xx = s.xy = s.xz = s.yy = s.yz = s.zz = s.unused = 0.0f;
    for (int k = 0; k < 3; k++) {
        s.xx += (float)(g[k] * v[0][k] * v[0][k]), s.xy += (float)(g[k] * v[0][k] * v[1][k]);
        s.xz += (float)(g[k] * v[0][k] * v[2][k]), s.yy += (float)(g[k] * v[1][k] * v[1][k]);
        s.yz += (float)(g[k] * v[1][k] * v[2][k]), s.zz += (float)(g[k] * v[2][k] * v[2][k]);
    }
    return s;
}

// As they are seen: e^T M e <= 1 is the ellipsoid.
SHOAL_FN float surface_ellipsoid_volume(shoal_s6 m) {
    float det =
        m.xx * (m.yy * m.zz - m.yz * m.yz) - m.xy * (m.xy * m.zz - m.yz * m.xz) + m.xz * (m.xy * m.yz - m.yy * m.xz);
    return (float)(4.0 / 3.0 * SHOAL_PI) / sqrtf(det);
}
SHOAL_FN shoal_s6 surface_sharpened(const surface_splat* s, float k) {
    shoal_s6 m = {k * s->xx, k * s->yy, k * s->zz, k * s->xy, k * s->yz, k * s->xz};
    return m;
}

// --- evening centres out: see surface_splats.c

// <m> of those at the same depth: weights are (1 - r^2)^3 within the support times the square of
// 1 - (depth / SURFACE_LAYER_HALF)^2.
typedef struct surface_layer {
    shoal_v3 own, depth, sum;
    float    total;
    int      is_flat; // there is no way deeper: it is the mean itself
} surface_layer;

SHOAL_FN surface_layer surface_layer_at(shoal_v3 deeper, float spacing) {
    surface_layer l;
    float         length = shoal_v3_length(deeper);
    l.is_flat            = !(length > 0.0f);
    l.own                = deeper;
    l.sum                = shoal_v3_make(0.0f, 0.0f, 0.0f);
    l.depth              = l.is_flat ? l.sum : shoal_v3_scale(deeper, 1.0f / (length * SURFACE_LAYER_HALF * spacing));
    l.total              = 0.0f;
    return l;
}

// A neighbour, `apart` from it, with its own way deeper.
SHOAL_FN void surface_layer_add(surface_layer* l, shoal_v3 apart, shoal_v3 deeper, float weight) {
    float s = shoal_v3_dot(apart, l->depth), t = 1.0f - s * s;
    if (!(t > 0.0f)) return;
    float fraction = weight * t * t;
    l->sum         = shoal_v3_add_scaled(l->sum, deeper, fraction);
    l->total += fraction;
}

SHOAL_FN shoal_v3 surface_layer_mean(const surface_layer* l) {
    return !l->is_flat && l->total > 0.0f ? shoal_v3_scale(l->sum, 1.0f / l->total) : l->own;
}

SHOAL_FN void surface_move(surface_splat* s, shoal_v3 deeper, shoal_v3 mean, float fraction) {
    shoal_v3 move = shoal_v3_sub(deeper, mean);
    s->x += fraction * move.x, s->y += fraction * move.y, s->z += fraction * move.z;
}

#endif
