// SPDX-License-Identifier: MIT
// Sand bears no tension: cells that a projection would hold together by suction leave the pressure system, as in the
// cheap form of unilateral incompressibility [Narain, Golas & Lin 2010]. They have no pressure, move freely, and may
// leave solids.
#ifndef SHOAL_GRANULAR_SEPARATION_H
#define SHOAL_GRANULAR_SEPARATION_H

#include "granular/granular_cohesion.h"
#include "mac/mac_project.h"

typedef struct shoal_granular_separation {
    int       capacity;  // blocks
    uint64_t* separated; // set of cells
} shoal_granular_separation;

void shoal_granular_separation_free(shoal_granular_separation* separation); // zero-initialise before the first use

// The suction, in units of pressure, at which the strength friction p + cohesion vanishes, and what
// bridges add at their best; a twentieth of a cell's weight is taken for none. Solids that move away
// hold nothing: what coheres are grains among themselves.
typedef struct shoal_granular_suction {
    float none, dry, bridges;
} shoal_granular_suction;
static inline shoal_granular_suction shoal_granular_bearable(const shoal_mac* mac, float friction,
                                                             shoal_granular_cohesion cohesion, float gravity,
                                                             float dt) {
    float apex = dt * mac->inverse / (friction > 1e-6f ? friction : 1e-6f);
    return (shoal_granular_suction){0.05f * gravity * dt, apex * cohesion.dry, apex * cohesion.bridges};
}

// Torn are cells with a few grains away from all others, and mac->separated is the set to come.
shoal_status shoal_granular_separation_begin(shoal_granular_separation* separation, shoal_mac* mac,
                                             const shoal_exec* exec);
// After a projection: liquid cells with more suction than `bearable` (in units of pressure) become separated, with the
// surface at their centres, and the system is set up anew with the last pressure as a guess. Says whether there were
// any.
shoal_status shoal_granular_separate(shoal_granular_separation* separation, shoal_mac_projection* projection,
                                     shoal_mac* mac, const shoal_exec* exec, const shoal_poisson_def* def,
                                     shoal_granular_suction bearable, bool* has_separated);
// After the last projection: the velocities of separated cells are known as well, and those on solids rub under their
// own weight. Overwrites mac->change.
void shoal_granular_separation_end(shoal_granular_separation* separation, shoal_mac* mac, const shoal_exec* exec,
                                   const shoal_world* world, shoal_v3 gravity, float dt);

#endif
