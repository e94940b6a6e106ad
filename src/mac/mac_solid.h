// SPDX-License-Identifier: MIT
// Solids on the grid: open fractions of faces [Batty, Bertails & Bridson 2007] (mac_solid.c), velocities at and inside
// solids with friction [Bridson, Fedkiw & Anderson 2002] (mac_constrain.c), and particles kept out (mac_push.c).
#ifndef SHOAL_MAC_SOLID_H
#define SHOAL_MAC_SOLID_H

#include "mac/mac_touch.h"
#include "mac/mac_transfer.h"

// Mean of the known velocities `u` along `axis` on the faces around face `at` of another axis; 0 where there is none.
double shoal_mac_across(const shoal_mac* mac, float* const u[3], int at, int own, int axis);

// Fills open, fraction, solid_u, has_solid, moves, leaves, has_thin, clear, own. By the places of the sorted particles
// a cell that a thin solid divides is the part where they are (NULL: the larger one). Overwrites the tiles.
void shoal_mac_solids(shoal_mac* mac, const shoal_exec* exec, const shoal_world* world, const shoal_v3* position);
// Closed faces with known u get the solid's normal velocity, and friction along it (`normal_load`: m/s that the step
// presses onto solids at rest). Their change follows. Overwrites the tiles.
void shoal_mac_constrain(shoal_mac* mac, const shoal_exec* exec, const shoal_world* world, double normal_load);
// Where particles and colliders were at the start of a substep.
typedef struct shoal_mac_passage {
    const shoal_v3*       from;   // [particles]
    const shoal_collider* before; // [colliders of the world]
    double                deep;   // m; a particle that was as far as this inside of a thin collider has gone through it
    double                deep_thick; // m; the same of another one
} shoal_mac_passage;
// Particles nearer than `margin` (m) to a solid are put there, and their velocity touches it. Periodic places wrap.
// Those that went through a collider on their way stay on the side where they were (passage; NULL: not asked for).
void shoal_mac_push_out(const shoal_exec* exec, const shoal_world* world, shoal_material_kind kind,
                        const shoal_mac_particles* particles, int count, float margin,
                        const shoal_mac_passage* passage);

#endif
