// SPDX-License-Identifier: MIT
// Within tet/: how the parts of a liquid share its meshes.
#ifndef SHOAL_TET_LIQUID_LOCAL_H
#define SHOAL_TET_LIQUID_LOCAL_H

#include "tet/liquid.h"

// Makes the mesh of a state, once its band is there.
shoal_status liquid_make_mesh(shoal_tet_liquid* liquid, shoal_tet_state* state, const shoal_tet_solids* solids,
                              const shoal_exec* exec);
// Finds the neighbours in the mesh of a state, if they are not known: in the memory of the other's, of which it is
// not known any more, unless both must be.
shoal_status liquid_find_neighbours(shoal_tet_liquid* liquid, shoal_tet_state* state, bool are_both,
                                    const shoal_exec* exec);

// Makes the surface of a state as it is shown, and measures the volume within it.
shoal_status liquid_make_surface(shoal_tet_liquid* liquid, shoal_tet_state* state, const shoal_tet_solids* solids,
                                 const shoal_exec* exec);

// Where on the contact line a vertex at the air belongs that is at `place`, so many steps away at most; both distances
// are below `near` there. False: on none. wall: of the solid there.
#define LIQUID_SNAP_MOST (1.0 / 8.0)
bool liquid_snap(const shoal_band* band, const shoal_tet_solids* solids, double step, double near, shoal_d3* place,
                 shoal_tet_wall* wall);
// Puts those back to `before` [vertices] that would spoil a tetrahedron, and their is_snapped [vertices] to 0.
shoal_status liquid_unsnap(shoal_tetmesh* mesh, uint8_t* is_snapped, const shoal_d3* before, shoal_arena* arena);

#endif
