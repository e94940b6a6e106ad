// SPDX-License-Identifier: MIT
// Incompressibility: the ghost-fluid free surface [Gibou 2002; Enright et al. 2003] with variational solid fractions
// [Batty, Bertails & Bridson 2007] as one symmetric system over the liquid's cells.
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
// Makes u free of divergence: fills pressure, changes u on the faces of liquid cells that are not closed. These alone
// are known afterwards. has_guess: projection->pressure holds a first guess, such as the last solution of the same
// system.
shoal_status shoal_mac_project(shoal_mac_projection* projection, shoal_mac* mac, const shoal_exec* exec,
                               const shoal_poisson_def* def, bool has_guess);
// How much of the way between the centres of two cells is below the surface; 0: neither is liquid.
float shoal_mac_wet_fraction(const shoal_mac* mac, int at, int below);
// Largest |divergence| x dx over the liquid cells, m/s, of u; for tests.
double shoal_mac_divergence(shoal_mac* mac, const shoal_exec* exec);

#endif
