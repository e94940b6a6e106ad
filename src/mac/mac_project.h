// SPDX-License-Identifier: MIT
// Incompressibility: the ghost-fluid free surface [Gibou 2002; Enright et al. 2003] with variational solid shares [Batty,
// Bertails & Bridson 2007] as one symmetric system over the liquid's cells.
#ifndef SHOAL_MAC_PROJECT_H
#define SHOAL_MAC_PROJECT_H

#include "grid/poisson.h"
#include "mac/mac.h"

typedef struct shoal_mac_projection {
    shoal_poisson*       poisson;
    shoal_poisson_report report; // of the last solve
    int                  count, capacity;
    int (*cell)[3];
    float * plus[3], *anchor;
    double *rhs, *pressure;
    int     start_capacity;
    int*    start; // [block] number of its first liquid cell
} shoal_mac_projection;

void shoal_mac_projection_free(shoal_mac_projection* projection); // zero-initialise before the first use

// Numbers the liquid cells and sets the system up, from open, phi and liquid.
shoal_status shoal_mac_projection_set(shoal_mac_projection* projection, shoal_mac* mac, const shoal_exec* exec,
                                      const shoal_poisson_def* def);
// Makes u free of divergence: fills pressure, changes u on the faces of liquid cells that are not closed. These alone are
// known afterwards. has_guess: projection->pressure holds a first guess, such as the last solution of the same system.
shoal_status shoal_mac_project(shoal_mac_projection* projection, shoal_mac* mac, const shoal_exec* exec,
                               const shoal_poisson_def* def, bool has_guess);
// How much of the way between the centres of two cells is below the surface; 0: neither is liquid.
float shoal_mac_wet_share(const shoal_mac* mac, int at, int below);
// Largest |divergence| x dx over the liquid cells, m/s, of u.
double shoal_mac_divergence(shoal_mac* mac, const shoal_exec* exec);

// Particles drift apart or together, since only velocities are projected.
typedef struct shoal_mac_evening {
    float gain;   // share of the excess density that goes within dt
    float most;   // cells that anything moves at most
    float of_way; // and as a share of the way that u goes there, for what is within the band; INFINITY: no matter
    float band;   // of density over that of rest: noise that sand at rest keeps; INFINITY: all of it
    float dt;
} shoal_mac_evening;
// Adds to u, on known faces, the velocity that takes the excess density away [after Kugelstadt et al. 2019]; at the surface only
// what is too dense counts. Uses the system set last, and leaves pressure alone.
shoal_status shoal_mac_even_out(shoal_mac_projection* projection, shoal_mac* mac, const shoal_exec* exec,
                                const shoal_poisson_def* def, const shoal_mac_evening* how);

#endif
