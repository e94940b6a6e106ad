// SPDX-License-Identifier: MIT
// Even density, by positions alone.
#ifndef SHOAL_MAC_EVEN_H
#define SHOAL_MAC_EVEN_H

#include "mac/mac_project.h"

// Particles drift apart or together, since only velocities are projected.
typedef struct shoal_mac_evening {
    float gain;       // share of the excess density that goes within dt
    float gain_crowd; // and also of the compression beyond all jitter, as an impact makes it
    float most;       // cells that anything moves at most
    float of_way;     // and as a share of the way that u goes there, for what is within the band; INFINITY: no matter
    float band;       // of density over that of rest: noise that sand at rest keeps; INFINITY: all of it
    float dt;
} shoal_mac_evening;
// Adds to u, on known faces, the velocity that takes the excess density away [after Kugelstadt et al. 2019]; at the
// surface only what is too dense counts. Uses the system set last, and leaves pressure alone.
shoal_status shoal_mac_even_out(shoal_mac_projection* projection, shoal_mac* mac, const shoal_exec* exec,
                                const shoal_poisson_def* def, const shoal_mac_evening* how);

#endif
