// SPDX-License-Identifier: MIT
// Sums over the cubic lattice of spacing d that calibrate a particle fluid, so that water at rest on its lattice has
// exactly its rest density. Computed once, in double.
#ifndef SHOAL_LATTICE_H
#define SHOAL_LATTICE_H

#include <string.h>

#include "fluid/lean.h"
#include "math/kernels.h"
#include "math/power.h"

typedef struct shoal_lattice {
    double       volume;          // V of a particle, m^3: sum_j V W = 1
    double       gradient_sum;    // sum_k |grad_k C|^2, 1/m^2 (the reference's G/d^2)
    double       wall_factor;     // scales the closed-form wall density so that the first layer, d/2 away, is at rest
    double       pressure_factor; // -sum_j V x_ij . grad W / 3: what a pressure gradient loses on the lattice
    double       laplacian; // scale of (h - r) in the viscosity operator, 1/m^3: exact for quadratics, sum_j x^2 L = 2
    double       surface_slant; // length of the gradient of s in the layer at a free surface, 1/d
    double       neighbours;
    shoal_layers layers;
} shoal_lattice;

// Layer k sees those that would lie below -k.
static inline void shoal_layers_add(shoal_layers* layers, int y, double across, double along, double fraction,
                                    double slope) {
    for (int k = 0; k < SHOAL_LAYERS && y < -k; k++) {
        layers->across[k] += (float)across;
        layers->along[k] += (float)along;
        layers->fraction[k] += (float)fraction;
        layers->slope[k] += (float)slope;
    }
}

static inline shoal_lattice shoal_lattice_make(double d, double h, int kernel) {
    int    reach = (int)(h / d) + 1;
    double sum = 0.0, below = 0.0, slopes = 0.0, moment = 0.0, neighbours = 0.0, spread = 0.0;
    for (int z = -reach; z <= reach; z++)
        for (int y = -reach; y <= reach; y++)
            for (int x = -reach; x <= reach; x++) {
                double r = d * sqrt((double)(x * x + y * y + z * z)), g = shoal_kernel_slope(kernel, r, h);
                double w = shoal_kernel(kernel, r, h);
                if (r >= h) continue;
                sum += w;
                if (y < 0) below += w;
                if (r == 0.0) continue;
                slopes += g * g;
                moment -= r * g;
                spread += r * r / 3.0 * (h - r);
                neighbours += 1.0;
            }
    shoal_lattice lattice;
    memset(&lattice, 0, sizeof lattice);
    for (int z = -reach; z <= reach; z++)
        for (int y = -reach; y < 0; y++)
            for (int x = -reach; x <= reach; x++) {
                double r = d * sqrt((double)(x * x + y * y + z * z)), g = -shoal_kernel_slope(kernel, r, h) / (r * sum);
                if (r < h)
                    shoal_layers_add(&lattice.layers, y, g * y * y * d * d, g * 0.5 * (x * x + z * z) * d * d,
                                     shoal_kernel(kernel, r, h) / sum, -g * y * d);
            }
    lattice.volume          = 1.0 / sum;
    lattice.gradient_sum    = slopes / (sum * sum);
    lattice.wall_factor     = below / sum / (double)shoal_kernel_behind((float)(0.5 * d / h), kernel);
    lattice.pressure_factor = moment / sum / 3.0;
    lattice.laplacian       = 2.0 / spread;
    lattice.surface_slant   = (double)lattice.layers.slope[0] * d;
    lattice.neighbours      = neighbours;
    return lattice;
}

// The viscosity operator is exact on the lattice. Layers that slide over each other leave it: where
// all offsets are alike their sum of y^2 (h - r) is smaller, by 5 % at h = 2d. A sheared liquid
// locks and slips in turn, so the scale is made for the mean of both.
static inline double shoal_lattice_sheared(double d, double h) {
    double lattice = 0.0, sliding = 0.0;
    int    reach = (int)(h / d) + 1;
    for (int y = 1; y * d < h; y++) {
        double across = y * d;
        for (int z = -reach; z <= reach; z++)
            for (int x = -reach; x <= reach; x++)
                lattice += across * across * fmax(h - d * sqrt((double)(x * x + y * y + z * z)), 0.0);
        sliding += across * across * 2.0 * SHOAL_PI / (d * d) *
                   (0.5 * h * (h * h - across * across) - (h * h * h - across * across * across) / 3.0);
    }
    return 2.0 * lattice / (lattice + sliding);
}

// The same of pairs that pull along the line between them, with x^2/r^2 of it along the layers: how much stronger they
// have to pull than pairs that pull along their difference. 5 where neighbours lie in all directions alike.
static inline double shoal_lattice_along(double d, double h) {
    double plain = 0.0, along = 0.0;
    int    reach = (int)(h / d) + 1;
    for (int y = 1; y * d < h; y++) {
        double a = y * d, around = SHOAL_PI / (d * d); // a disc of the layer that slides
        for (int z = -reach; z <= reach; z++)
            for (int x = -reach; x <= reach; x++) {
                double r = d * sqrt((double)(x * x + y * y + z * z)), w = fmax(h - r, 0.0);
                plain += a * a * w;
                along += a * a * w * d * d * x * x / (r * r);
            }
        plain += a * a * 2.0 * around * (0.5 * h * (h * h - a * a) - (h * h * h - a * a * a) / 3.0);
        along +=
            a * a * around *
            (0.5 * h * (h * h - a * a) - (h * h * h - a * a * a) / 3.0 - h * a * a * shoal_ln(h / a) + a * a * (h - a));
    }
    return plain / along;
}

#endif
