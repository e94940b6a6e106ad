// SPDX-License-Identifier: MIT
// Smoothing kernels of support radius h in 3D: zero for r >= h, integral one. [Mueller, Charypar, Gross 2003; Monaghan
// 1992] Gradients are given as the factor of x_ij: grad_i W = factor(r) * x_ij.
#ifndef SHOAL_KERNELS_H
#define SHOAL_KERNELS_H

#include "math/vec.h"

// poly6: W = c (h^2 - r^2)^3
SHOAL_HOST_FN double shoal_poly6_scale(double h) { return 315.0 / (64.0 * SHOAL_PI * pow(h, 9.0)); }
SHOAL_HOST_FN double shoal_poly6(double r, double h) {
    return r < h ? shoal_poly6_scale(h) * pow(h * h - r * r, 3.0) : 0.0;
}

// spiky: W = c (h - r)^3, grad = -3 c (h - r)^2 x_ij / r
SHOAL_HOST_FN double shoal_spiky_scale(double h) { return 15.0 / (SHOAL_PI * pow(h, 6.0)); }
SHOAL_HOST_FN double shoal_spiky(double r, double h) { return r < h ? shoal_spiky_scale(h) * pow(h - r, 3.0) : 0.0; }
SHOAL_HOST_FN double shoal_spiky_slope(double r, double h) {
    return r < h ? -3.0 * shoal_spiky_scale(h) * pow(h - r, 2.0) : 0.0;
}

// cubic spline: W = c ((h - r)^3 - 4 (h/2 - r)^3), each bracket not below zero
SHOAL_HOST_FN double shoal_cubic_scale(double h) { return 16.0 / (SHOAL_PI * pow(h, 6.0)); }
SHOAL_HOST_FN double shoal_cubic(double r, double h) {
    double t = fmax(h - r, 0.0), u = fmax(0.5 * h - r, 0.0);
    return shoal_cubic_scale(h) * (t * t * t - 4.0 * u * u * u);
}
SHOAL_HOST_FN double shoal_cubic_slope(double r, double h) {
    double t = fmax(h - r, 0.0), u = fmax(0.5 * h - r, 0.0);
    return -3.0 * shoal_cubic_scale(h) * (t * t - 4.0 * u * u);
}

// The kernel of the density; its gradient is spiky's for the first two and its own for cubic.
enum { SHOAL_KERNEL_SPIKY, SHOAL_KERNEL_POLY6, SHOAL_KERNEL_CUBIC };
SHOAL_HOST_FN double shoal_kernel(int kernel, double r, double h) {
    return kernel == SHOAL_KERNEL_CUBIC   ? shoal_cubic(r, h)
           : kernel == SHOAL_KERNEL_POLY6 ? shoal_poly6(r, h)
                                          : shoal_spiky(r, h);
}
SHOAL_HOST_FN double shoal_kernel_slope(int kernel, double r, double h) {
    return kernel == SHOAL_KERNEL_CUBIC ? shoal_cubic_slope(r, h) : shoal_spiky_slope(r, h);
}

// Cohesion spline of Akinci, Akinci & Teschner 2013, N-shaped: repels below about h/4, pulls beyond.
SHOAL_HOST_FN double shoal_cohesion_spline(double r, double h) {
    if (r <= 0.0 || r >= h) return 0.0;
    double product = pow(h - r, 3.0) * r * r * r;
    return 32.0 / (SHOAL_PI * pow(h, 9.0)) * (2.0 * r > h ? product : 2.0 * product - pow(h, 6.0) / 64.0);
}

// Fraction of a kernel's weight behind a flat wall at distance q h (0 <= q <= 1), and the slope of that fraction,
// in closed form: what particles in the wall would add. Both are zero at q = 1.
SHOAL_FN float shoal_poly6_behind(float q) {
    float q2 = q * q;
    return 0.5f -
           315.0f / 256.0f * q * (1.0f + q2 * (-4.0f / 3.0f + q2 * (6.0f / 5.0f + q2 * (-4.0f / 7.0f + q2 / 9.0f))));
}
SHOAL_FN float shoal_spiky_behind(float q) {
    float u = 1.0f - q, u2 = u * u;
    return u2 * u2 * u * (1.5f - u);
}
SHOAL_FN float shoal_cubic_behind(float q) {
    float u = 1.0f - 2.0f * q, u2 = u * u;
    float outer = 16.0f / 15.0f * shoal_spiky_behind(q);
    return u > 0.0f ? outer - u2 * u2 * u * (0.1f - u / 15.0f) : outer;
}
SHOAL_FN float shoal_kernel_behind(float q, int kernel) {
    return kernel == SHOAL_KERNEL_CUBIC   ? shoal_cubic_behind(q)
           : kernel == SHOAL_KERNEL_POLY6 ? shoal_poly6_behind(q)
                                          : shoal_spiky_behind(q);
}
// d/ds of the fraction, times h; negative: it grows towards the wall.
SHOAL_FN float shoal_spiky_behind_slope(float q) {
    float p = (1.0f - q) * (1.0f - q);
    return -1.5f * p * p * (1.0f + 4.0f * q);
}
SHOAL_FN float shoal_cubic_behind_slope(float q) {
    float u = 1.0f - 2.0f * q, u2 = u * u, outer = 16.0f / 15.0f * shoal_spiky_behind_slope(q);
    return u > 0.0f ? outer + u2 * u2 * (1.0f - 0.8f * u) : outer;
}
SHOAL_FN float shoal_kernel_behind_slope(float q, int kernel) {
    return kernel == SHOAL_KERNEL_CUBIC ? shoal_cubic_behind_slope(q) : shoal_spiky_behind_slope(q);
}

#endif
