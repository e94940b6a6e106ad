// SPDX-License-Identifier: MIT
// Solids on the grid: open fractions of faces [Batty, Bertails & Bridson 2007], velocities at and inside solids,
// friction [Bridson, Fedkiw & Anderson 2002], and particles kept out.
#ifndef SHOAL_MAC_SOLID_H
#define SHOAL_MAC_SOLID_H

#include "mac/mac.h"
#include "mac/mac_transfer.h"

// The nearest solid at a point.
typedef struct shoal_touch {
    double   distance; // m; negative inside
    shoal_d3 normal;   // out of the solid
    shoal_d3 velocity;
    double   friction;
    bool     is_sticky;
    bool     drags; // by its boundary layer: a wall that the scene does not call slippery, an obstacle without friction
} shoal_touch;
// As materials of a kind feel it. False when there is none nearer than `reach`.
bool shoal_touch_at(const shoal_world* world, shoal_material_kind kind, shoal_d3 p, double reach, shoal_touch* out);
// The roughest of those at most `slack` farther than the nearest: between a rough floor and a slick wall it is the
// floor that rubs.
bool shoal_touch_roughest(const shoal_world* world, shoal_material_kind kind, shoal_d3 p, double reach, double slack,
                          shoal_touch* out);

// What becomes of a velocity's component along an axis at or inside of solids when nothing goes into them and it slides
// along: slide . velocity + rest. False where none is nearer than `reach`.
bool shoal_touch_slide(const shoal_world* world, shoal_d3 p, double reach, int axis, double slide[3], double* rest);

// Velocity relative to a solid after touching it: what goes in (`normal_load`, m/s, at least the inward part of v
// itself) is stopped, and friction acts on the rest.
shoal_d3 shoal_touch_friction(const shoal_touch* touch, shoal_d3 velocity, double normal_load, bool may_leave);

// Mean of the known velocities `u` along `axis` on the faces around face `at` of another axis; 0 where there is none.
double shoal_mac_across(const shoal_mac* mac, float* const u[3], int at, int own, int axis);

// Fills open, share, solid_u, has_solid, moves, leaves, has_thin, clear, own. By the places of the sorted particles a
// cell that a thin solid divides is the part where they are (NULL: the larger one). Overwrites the tiles.
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
