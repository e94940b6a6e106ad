// SPDX-License-Identifier: MIT
// Particles to splats of a screen on a device, with the bits of the CPU's.
#ifndef SHOAL_SURFACE_FAR_H
#define SHOAL_SURFACE_FAR_H

#include "screen/screen_splat_pass.h"
#include "surface/surface.h"

// Keeps its memory from one frame to the next.
typedef struct surface_far surface_far;
shoal_status surface_far_create(const shoal_exec* exec, surface_far** out); // exec has a device, and must outlive it
void         surface_far_destroy(surface_far* far);                         // may be NULL

typedef struct surface_far_particles {
    int64_t         count;
    const shoal_v3* positions; // finite
    const shoal_v3* far;       // in place of these, on the device; NULL: they are here
    const float*    radius;    // of balls, m; NULL: all of size
    const shoal_v3* paint;     // NULL: all of color
    shoal_v3        color;
    float           size;
    float           fraction; // of a ball's chord; of ellipsoids, the volume of a particle, m^3
    int             body;
} surface_far_particles;
// To out[count] on the device: balls, or the ellipsoids of shoal_surface_ellipsoids.
shoal_status surface_far_balls(surface_far* far, const surface_far_particles* particles, screen_splat* out);
shoal_status surface_far_ellipsoids(surface_far* far, const shoal_surface_params* params, double spacing,
                                    const surface_far_particles* particles, screen_splat* out);

#endif
