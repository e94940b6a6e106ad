// SPDX-License-Identifier: MIT
// Boundary particles on domain walls and colliders, with volumes from the boundary alone. [Akinci
// et al. 2012]
//
// Samples lie half a spacing behind the surface, where the next layer of the fluid's own lattice
// would be:
//
//     o   o   o   fluid, first layer d/2 from the wall
//     ---------   surface
//     x   x   x   samples
//
// There one factor on the volumes makes both the density and its gradient of a resting first layer
// right (at h = 2d exactly, at 2.5d the gradient to 5 %). On the surface itself the factor that
// makes the density right leaves half of the gradient, and 0.94 and 0.86 of the density in edges
// and corners. Solids thinner than a spacing have one layer in the middle.
#ifndef SHOAL_SAMPLES_H
#define SHOAL_SAMPLES_H

#include "exec/exec.h"
#include "state/world.h"

typedef double (*shoal_kernel_fn)(double r, double h); // W in 1/m^3, as in math/kernels.h

typedef struct shoal_samples {
    int       count;       // now, with images across periodic walls
    int       still_count; // those in [0, still_count) never change
    shoal_v4* place;       // in the world, now; w: the volume
    shoal_v4* velocity;    // of the solid there, m/s
    float*    volume;      // V_b = 1 / sum_k W_bk, m^3
    int*      body;        // collider index, or -1 - wall

    // samples of moving colliders, in the collider's frame
    int       moving_count;
    shoal_v3* own_place;
    float*    own_volume;
    int*      own_body;
    double    reach; // images are those within it of the domain, m
} shoal_samples;

// Samples all closed walls that do not reflect and colliders where they stand, about one per spacing^2, even and
// without gaps; the same for any number of threads. Walls reach h beyond open sides. Solids that
// never move share their volumes where they meet, a moving one counts for itself. Fails with
// SHOAL_ERR_INPUT when a solid needs more samples than anyone can want or is unbounded in a world
// without a domain, and with SHOAL_ERR_MEMORY. Zero-initialise before.
shoal_status shoal_samples_make(shoal_samples* samples, const shoal_exec* exec, const shoal_solids* solids,
                                double spacing, double h, shoal_kernel_fn kernel);
// Follows the colliders, to where they were `ago` (s; at most the step that the world moved by last), with the mean
// velocity since; 0: where they are, with the velocity now. Allocates nothing. Of a collider that leaves through a
// periodic wall only the part inside counts, as for contact, and is imaged at the other side.
void shoal_samples_move(shoal_samples* samples, const shoal_exec* exec, const shoal_world* world, double ago);
void shoal_samples_free(shoal_samples* samples); // what it points to

// What to multiply volumes by, so that the first layer of a fluid on its lattice, d/2 from a flat
// wall, has rest density.
double shoal_samples_factor(double spacing, double h, shoal_kernel_fn kernel);

#endif
