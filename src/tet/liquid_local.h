// SPDX-License-Identifier: MIT
#ifndef SHOAL_TET_LIQUID_LOCAL_H
#define SHOAL_TET_LIQUID_LOCAL_H

#include "tet/liquid.h"

#include "tet/clear.h"

#include <math.h>

// The distance to the solids, which is kept as the last that was asked.
SHOAL_FN double liquid_off(const shoal_tet_solids* solids, shoal_d3 at, shoal_tet_wall* wall, shoal_clear* last) {
    last->at  = at;
    last->off = solids->distance(solids->ctx, at, wall);
    return last->off;
}

// Makes the mesh of a state, with its neighbours and what its vertices are at, once its band is there.
shoal_status liquid_make_mesh(shoal_tet_liquid* liquid, shoal_tet_state* state, const shoal_tet_solids* solids,
                              const shoal_exec* exec);
// Finds the finest octants at solids where there is liquid (liquid->solid_octants), once the band is there.
shoal_status liquid_find_solid_octants(shoal_tet_liquid* liquid, const shoal_tet_state* state,
                                       const shoal_tet_solids* solids, const shoal_exec* exec);

// The distance that a tracked surface is made of.
typedef struct liquid_field {
    const shoal_tet_solids*  solids;
    double                   cell;
    shoal_field_fn           field; // of bodies, to begin with; or
    void*                    ctx;
    const shoal_band*        from; // the surface before a step, and the flow that carries it
    shoal_tet_flow           flow;
    const shoal_tet_drive*   drive;
    double                   dt;
    const shoal_tet_thicken* thicken; // NULL: not
} liquid_field;
void     liquid_of_bodies(void* ctx, const shoal_d3* at, int count, double* value); // shoal_field_fn: of a scene
void     liquid_carried(void* ctx, const shoal_d3* at, int count, double* value);   // and after a step
void     liquid_go(void* ctx, const shoal_d3* at, int count, shoal_d3* to); // where places go, for a place to look
shoal_d3 liquid_carry(void* ctx, shoal_d3 at);
bool     liquid_is_off_solids(void* ctx, shoal_d3 at);

#endif
