// SPDX-License-Identifier: MIT
// Even density, by positions alone.
#ifndef SHOAL_MAC_DENSITY_CORRECTION_H
#define SHOAL_MAC_DENSITY_CORRECTION_H

#include "mac/mac_project.h"

// Particles drift apart or together, since only velocities are projected.
typedef struct shoal_mac_density_correction {
    float gain;            // fraction of the excess density that goes within dt
    float gain_compressed; // and also of the compression beyond all jitter, as an impact makes it
    float most;            // cells that anything moves at most
    float of_way; // and as a fraction of the way that u goes there, for what is within the band; INFINITY: no matter
    float band;   // of density over that of rest: noise that sand at rest keeps; INFINITY: all of it
    float dt;
} shoal_mac_density_correction;
// Adds to u, on known faces, the velocity that takes the excess density away [after Kugelstadt et al. 2019]; at the
// surface only what is too dense counts. Uses the system set last, and leaves pressure alone.
shoal_status shoal_mac_correct_density(shoal_mac_projection* projection, shoal_mac* mac, const shoal_exec* exec,
                                       const shoal_poisson_def* def, const shoal_mac_density_correction* how);

#endif
