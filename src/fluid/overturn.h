// SPDX-License-Identifier: MIT
// Liquids of unlike weight where they are too thin to be resolved: a film one particle thick on a
// solid, or a single particle among the other liquid. Such a film is unstable, but its particles
// cannot leave: to pass between those above they would have to press them apart against all the
// weight on them, p V times a tenth, and their buoyancy has only (rho' - rho) g d V. What the
// instability does at that scale is done by exchange: the two change places at the pace at which
// they would fall past each other.
#ifndef SHOAL_OVERTURN_H
#define SHOAL_OVERTURN_H

#include "exec/exec.h"
#include "fluid/pairs.h"
#include "state/description.h"

typedef struct shoal_overturn {
    int                   count; // images across walls follow
    shoal_near            near;
    float                 d, dt;
    shoal_d3              gravity;
    const shoal_material* materials;
    const int32_t*        id;
    const uint8_t*        material;
    const shoal_v3*       position;
    void*                 user;
    bool (*is_beside_solid)(void* user, int i); // in the layer beside a solid
    // Places change, velocities go along: momentum stays, weight falls. Pressures belong to the
    // places.
    void (*change_places)(void* user, int i, int j);
} shoal_overturn;

// Those that may change places in a substep: few, in the order of their numbers.
typedef struct shoal_overturn_scratch {
    int  capacity;
    int* who;
} shoal_overturn_scratch;

// Light particles under heavy ones that are a film on a solid or alone among the others change
// places with them; *pairs grows by the number of such pairs. At the end of a substep, with its lists. Those that may
// are found by all threads; they change places one after the other, since each changes what the next sees.
shoal_status shoal_overturn_films(const shoal_overturn* films, const shoal_exec* exec, shoal_overturn_scratch* scratch,
                                  double* pairs);

#endif
