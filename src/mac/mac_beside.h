// SPDX-License-Identifier: MIT
// Transfers of particles near thin solids: they give to samples on their own side only, and take
// from open ones there. What they would take from others is given by the velocity on their side,
// which the nearest solid turns as it does that of closed faces.
#ifndef SHOAL_MAC_BESIDE_H
#define SHOAL_MAC_BESIDE_H

#include "mac/mac_sight.h"
#include "mac/mac_transfer.h"

// Particle i onto the tile of its block, and into the sets of its cells.
void mac_spread_beside(shoal_mac* m, const shoal_mac_particles* p, int i, int block, const mac_sight* sight);
// Velocity, affine rows, pressure and density of particle i.
void mac_return_beside(const shoal_mac* m, const shoal_mac_particles* p, const shoal_mac_motion* motion, int i,
                       const mac_sight* sight);
// u for particle i when it is at `g` cells from the corner of `from`, which is `there` in block
// `block`; false: nothing thin is around.
bool mac_flow_beside(const shoal_mac* m, const shoal_mac_particles* p, const shoal_mac_motion* motion, int i, int from,
                     mac_f4 g, int block, mac_f4 there, mac_f4* out);

#endif
