// SPDX-License-Identifier: MIT
// The rigid motion nearest to a set of staggered samples: weighted least squares on one velocity component per sample.
// The normal equations are the conservation of linear and angular momentum.
#ifndef SHOAL_MAC_RIGID_H
#define SHOAL_MAC_RIGID_H

// Sums over samples, by the axis of their component. Zero-initialise.
typedef struct shoal_rigid {
    double mass[3], place[3][3], square[3][6]; // square: xx yy zz xy yz zx
    double push[3], turn[3][3];                // mass x velocity, and that times place
} shoal_rigid;

typedef struct shoal_rigid_motion {
    double centre[3], velocity[3], spin[3];
} shoal_rigid_motion;

void shoal_rigid_add(shoal_rigid* rigid, int axis, const double place[3], double mass, double velocity);
// What the samples do not determine (the turning of a single layer, say) is zero.
shoal_rigid_motion shoal_rigid_fit(const shoal_rigid* rigid);
double             shoal_rigid_at(const shoal_rigid_motion* motion, int axis, const double place[3]);

#endif
