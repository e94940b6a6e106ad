// SPDX-License-Identifier: MIT
// Within tet/: how the parts of a liquid share its meshes.
#ifndef SHOAL_TET_LIQUID_LOCAL_H
#define SHOAL_TET_LIQUID_LOCAL_H

#include "tet/liquid.h"

// Whether the liquid at a place is a film that hangs below a solid. Water given back to such a film would fall off it
// for ever, and energy would come of nothing. `off`, `wall`: of the solid; `out`: of the liquid's surface, of length
// one.
#define LIQUID_FILM_WITHIN 3.0 // cells
#define LIQUID_FILM_ALONG 0.5  // cosine of the angle between both surfaces
#define LIQUID_FILM_BELOW 0.3  // of that between the solid's normal and the way of gravity
SHOAL_FN bool liquid_hangs(shoal_d3 down, double cell, double off, const shoal_tet_wall* wall, shoal_d3 out) {
    shoal_d3 normal = shoal_d3_from(wall->normal);
    return off < LIQUID_FILM_WITHIN * cell && shoal_d3_dot(down, down) > 0.0 &&
           shoal_d3_dot(normal, down) > LIQUID_FILM_BELOW && shoal_d3_dot(normal, out) > LIQUID_FILM_ALONG;
}

// Makes the mesh of a state, once its band is there.
shoal_status liquid_make_mesh(shoal_tet_liquid* liquid, shoal_tet_state* state, const shoal_tet_solids* solids,
                              const shoal_exec* exec);
// Finds the neighbours in the mesh of a state, if they are not known: in the memory of the other's, of which it is
// not known any more, unless both must be.
shoal_status liquid_find_neighbours(shoal_tet_liquid* liquid, shoal_tet_state* state, bool are_both,
                                    const shoal_exec* exec);

// Finds the thin parts of a state's liquid (liquid->thin, in the arena), if they are to be meshed.
shoal_status liquid_find_thin(shoal_tet_liquid* liquid, const shoal_tet_state* state, const shoal_tet_solids* solids,
                              const shoal_exec* exec);
// The depth of a place in what is meshed but for the solids: the liquid and balls around its thin parts. *is_film: it
// is that in a ball of a film.
double liquid_depth(const shoal_tet_medials* thin, const shoal_band* band, shoal_d3 at, bool* is_film);
// *air: [vertices, in the arena] the pressure at vertices at the air, as of shoal_tet_boundary; NULL: none but zero.
shoal_status liquid_hold_films(shoal_tet_liquid* liquid, const shoal_tet_drive* drive, const shoal_exec* exec,
                               double** air);

// Makes the surface of a state for people to see, and measures what it holds.
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
