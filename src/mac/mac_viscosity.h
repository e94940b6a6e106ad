// SPDX-License-Identifier: MIT
// Viscosity on the staggered grid, implicit: one symmetric system per component.
#ifndef SHOAL_MAC_VISCOSITY_H
#define SHOAL_MAC_VISCOSITY_H

#include "grid/poisson.h"
#include "mac/mac.h"

typedef struct shoal_mac_viscosity {
    shoal_poisson* poisson;
    int            count, capacity;
    int (*cell)[3];
    float * plus[3], *anchor;
    double *rhs, *velocity;
    int*    place; // [count] the face of a row
} shoal_mac_viscosity;

void shoal_mac_viscosity_free(shoal_mac_viscosity* viscosity); // zero-initialise before the first use

// Diffuses u over the faces of liquid cells by `spread` = nu dt / dx^2. Sticky solids hold what is beside them; at
// slippery ones and at the free surface nothing is exchanged. Needs liquid, open and known; overwrites index.
shoal_status shoal_mac_diffuse(shoal_mac_viscosity* viscosity, shoal_mac* mac, const shoal_exec* exec,
                               const shoal_world* world, const shoal_poisson_def* def, double spread);

#endif
