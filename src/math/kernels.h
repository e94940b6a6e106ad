// SPDX-License-Identifier: MIT
// Smoothing kernels of support radius h in 3D: zero for r >= h, integral one. [Mueller, Charypar, Gross 2003; Monaghan 1992]
// Gradients are given as the factor of x_ij: grad_i W = factor(r) * x_ij.
#ifndef SHOAL_KERNELS_H
#define SHOAL_KERNELS_H

#include "math/vec.h"

// poly6: W = c (h^2 - r^2)^3
SHOAL_FN double shoal_poly6_scale(double h) { return 315.0 / (64.0 * SHOAL_PI * pow(h, 9.0)); }
SHOAL_FN double shoal_poly6(double r, double h) { return r < h ? shoal_poly6_scale(h) * pow(h * h - r * r, 3.0) : 0.0; }

// spiky: W = c (h - r)^3, grad = -3 c (h - r)^2 x_ij / r
SHOAL_FN double shoal_spiky_scale(double h) { return 15.0 / (SHOAL_PI * pow(h, 6.0)); }
SHOAL_FN double shoal_spiky(double r, double h) { return r < h ? shoal_spiky_scale(h) * pow(h - r, 3.0) : 0.0; }
SHOAL_FN double shoal_spiky_slope(double r, double h) { return r < h ? -3.0 * shoal_spiky_scale(h) * pow(h - r, 2.0) : 0.0; }

// Cohesion spline of Akinci, Akinci & Teschner 2013, N-shaped: repels below about h/4, pulls beyond.
SHOAL_FN double shoal_cohesion_spline(double r, double h) {
    if (r <= 0.0 || r >= h) return 0.0;
    double bump = pow(h - r, 3.0) * r * r * r;
    return 32.0 / (SHOAL_PI * pow(h, 9.0)) * (2.0 * r > h ? bump : 2.0 * bump - pow(h, 6.0) / 64.0);
}

// Share of a kernel's weight behind a flat wall at distance q h (0 <= q <= 1), and the slope of spiky's,
// in closed form: what particles in the wall would add. Both are zero at q = 1.
SHOAL_FN float shoal_poly6_behind(float q) {
    float q2 = q * q;
    return 0.5f - 315.0f / 256.0f * q * (1.0f + q2 * (-4.0f / 3.0f + q2 * (6.0f / 5.0f + q2 * (-4.0f / 7.0f + q2 / 9.0f))));
}
SHOAL_FN float shoal_spiky_behind(float q) {
    float u = 1.0f - q, u2 = u * u;
    return u2 * u2 * u * (1.5f - u);
}
SHOAL_FN float shoal_kernel_behind(float q, int is_poly6) { return is_poly6 ? shoal_poly6_behind(q) : shoal_spiky_behind(q); }
// d/ds of the spiky share, times h; negative: it grows towards the wall.
SHOAL_FN float shoal_spiky_behind_slope(float q) {
    float p = (1.0f - q) * (1.0f - q);
    return -1.5f * p * p * (1.0f + 4.0f * q);
}

#endif
