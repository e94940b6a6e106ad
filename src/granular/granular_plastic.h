// SPDX-License-Identifier: MIT
// Sand by the local rule of Zhu & Bridson 2005, section 4: where the stress that would stop all deformation within this
// step lies below the Mohr-Coulomb bound, cells move as rigid bodies; elsewhere friction acts, at the bound.
#ifndef SHOAL_GRANULAR_PLASTIC_H
#define SHOAL_GRANULAR_PLASTIC_H

#include "granular/granular_cohesion.h"
#include "mac/mac_rigid.h"

// Connected rigid cells.
typedef struct shoal_granular_group {
    shoal_rigid        sum;
    shoal_rigid_motion motion;
    int                cells, corner[3]; // places are counted from this cell
    double             friction_limit;   // impulse that solids can hold it by, mass of a cell x m/s
    double             hold[3], hold_weight;
    bool               is_stuck, is_round; // round a periodic axis: it does not turn
} shoal_granular_group;

typedef struct shoal_granular_plastic {
    int                   capacity; // blocks
    float*                strength; // [sample] flowing cells: fraction of the stopping stress; 0 in all others
    float*                inner[3]; // [sample] u where it is known and open, else NaN
    uint64_t*             rigid;    // set of cells
    int*                  group;    // [sample] while joining: parent; then group - or -1 - group at its first cell
    int                   group_count, group_capacity;
    shoal_granular_group* groups;
} shoal_granular_plastic;

void shoal_granular_plastic_free(shoal_granular_plastic* plastic); // zero-initialise before the first use

// After the projection, on known faces of cells that are mostly sand: friction in those that flow,
// then rigid motion of those that do not. `yield` is M and `cohesion` c of q <= M p + c with q =
// sqrt(3/2) |deviatoric stress|; cells that flow feel q = flow M p + c, where 1 is the yield
// surface and 3/sqrt(2) equation 2 as printed. Solids hold a rigid group up to their friction times
// the pressure on them. Overwrites change. Neither momentum (but for what solids take) nor, without
// moving solids, kinetic energy grows; some divergence comes back.
shoal_status shoal_granular_solve_plastic(shoal_granular_plastic* plastic, shoal_mac* mac, const shoal_exec* exec,
                                          const shoal_world* world, float yield, float flow,
                                          shoal_granular_cohesion cohesion, float dt);

#endif
