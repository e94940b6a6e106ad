// SPDX-License-Identifier: MIT
// Within tet/: how the parts of a liquid share its meshes.
#ifndef SHOAL_TET_LIQUID_LOCAL_H
#define SHOAL_TET_LIQUID_LOCAL_H

#include "tet/liquid.h"

#include <math.h>

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

// The distance to the solids, which is kept as the last that was asked.
SHOAL_FN double liquid_off(const shoal_tet_solids* solids, shoal_d3 at, shoal_tet_wall* wall, shoal_clear* last) {
    last->at  = at;
    last->off = solids->distance(solids->ctx, at, wall);
    return last->off;
}

// How much liquid is behind a place of its surface, 0 to 1, as far as that makes a place to give back volume at: none
// in streams, sheets and drops of up to 8 cells across, all where it is 9 and more, and on a floor, or without weight
// on any solid, however little there is (the tracked surface goes on within solids). What a pool has lost must not make
// the stream thicker that falls into it. `out`, `off`, `wall`: as of liquid_hangs.
#define LIQUID_THICK_AT 5.0    // cells behind the surface
#define LIQUID_THICK_LEAST 3.0 // cells around that place; one more is thick
#define LIQUID_FLOOR_LEAST 0.3 // cosine of the angle between the way out and upwards
#define LIQUID_FLOOR_SURE 0.7
SHOAL_FN double liquid_thickness(const shoal_band* band, const shoal_tet_solids* solids, shoal_d3 down, shoal_d3 at,
                                 double off, const shoal_tet_wall* wall, shoal_d3 out) {
    double   cell = band->grid.cell, thick, floor = 0.0;
    shoal_d3 deep = shoal_d3_sub(at, shoal_d3_scale(out, LIQUID_THICK_AT * cell));
    if (liquid_hangs(down, cell, off, wall, out)) return 0.0;
    thick = -shoal_band_distance(band, deep) / cell;
    if (thick > 0.0 && solids->distance(solids->ctx, deep, NULL) < 0.0)
        floor = shoal_d3_dot(down, down) == 0.0
                    ? 1.0
                    : (-shoal_d3_dot(out, down) - LIQUID_FLOOR_LEAST) / (LIQUID_FLOOR_SURE - LIQUID_FLOOR_LEAST);
    return fmax(0.0, fmin(1.0, fmax(floor, thick - LIQUID_THICK_LEAST)));
}

// Makes the mesh of a state, once its band is there.
shoal_status liquid_make_mesh(shoal_tet_liquid* liquid, shoal_tet_state* state, const shoal_tet_solids* solids,
                              const shoal_exec* exec);
// Finds the neighbours in the mesh of a state, if they are not known. They lie at the beginning of the arena, with room
// for the sharp velocities of a flow; nothing else may be in it then, and those of the other mesh are not known any
// more, unless both must be.
shoal_status liquid_find_neighbours(shoal_tet_liquid* liquid, shoal_tet_state* state, bool are_both,
                                    const shoal_exec* exec);
void         liquid_drop_neighbours(shoal_tet_liquid* liquid); // of both, with all that is in the arena
// Finds what the pressure needs to know of a mesh: the tetrahedra around the vertices, and, where a wall moves or a tap
// is under water, the neighbours. Else these are dropped: the pressure needs most scratch of all.
shoal_status liquid_ready_for_pressure(shoal_tet_liquid* liquid, shoal_tet_state* state, const shoal_tet_drive* drive,
                                       const shoal_exec* exec);
// Of the wall that a vertex is on; zero: on none.
SHOAL_FN shoal_v3 liquid_velocity_of_wall(const shoal_tet_walls* walls, int vertex) {
    int wall = walls->of[vertex];
    return wall < 0 ? shoal_v3_make(0.0f, 0.0f, 0.0f) : walls->wall[wall].velocity;
}
// As shoal_tet_liquid_boundary, for walls that move in another way, and without what taps bring.
shoal_status liquid_boundary_by(shoal_tet_liquid* liquid, const shoal_tet_walls* walls, const shoal_exec* exec,
                                shoal_tet_boundary* boundary);
// Where solids move otherwise than in the step before, from `before` on: what that does to the liquid at once, in
// `struck` and `struck_wall`, until the step is over.
shoal_status liquid_strike(shoal_tet_liquid* liquid, const shoal_tet_solids* before, double dt, double tolerance,
                           const shoal_exec* exec);
// Gives the memory of triangles to another surface.
void liquid_move_triangles(shoal_contour* from, shoal_contour* to);

// Finds the finest octants at solids where there is liquid (liquid->solid_octants), once its band is there.
shoal_status liquid_list_solid_octants(shoal_tet_liquid* liquid, const shoal_tet_state* state,
                                       const shoal_tet_solids* solids, const shoal_exec* exec);
// Finds the thin parts of a state's liquid (liquid->thin, in the arena), if they are to be meshed.
shoal_status liquid_find_thin(shoal_tet_liquid* liquid, const shoal_tet_state* state, const shoal_tet_solids* solids,
                              const shoal_exec* exec);
// The depth of a place in what is meshed but for the solids: the liquid and balls around its thin parts. *is_film: it
// is that in a ball of a film.
double liquid_depth(const shoal_tet_medials* thin, const shoal_band* band, shoal_d3 at, bool* is_film);
// *air: [vertices, in the arena] the pressure at vertices at the air, as of shoal_tet_boundary; NULL: none but zero.
shoal_status liquid_hold_films(shoal_tet_liquid* liquid, const shoal_tet_drive* drive, const shoal_exec* exec,
                               double** air);

// Finds the vertices at which films come off a solid, once velocities have come over, and lets them go.
shoal_status liquid_reserve_loose(shoal_tet_state* state);
void         liquid_let_go(shoal_tet_liquid* liquid, shoal_tet_state* state, const shoal_tet_solids* solids,
                           const shoal_tet_drive* drive, const shoal_exec* exec);
// Once there is a pressure: holds those that it presses onto the solid, and lets others go that the solid would have to
// draw, beside the air. False: neither.
bool liquid_correct_loose(shoal_tet_liquid* liquid, shoal_tet_state* state, const shoal_tet_solids* solids,
                          const shoal_tet_drive* drive, const shoal_exec* exec);
// Whether the surface opens between a solid and the liquid at a place, `off` that solid; *gap: so wide. *hangs: it is a
// film below it, and moves as a whole.
bool liquid_comes_off(const shoal_tet_state* state, const shoal_tet_flow* flow, shoal_d3 down, shoal_d3 at, double off,
                      const shoal_tet_wall* wall, double dt, double* gap, bool* hangs);

// Makes room, none flying; and finds how much the liquid flies at the vertices at the air, once there is a pressure.
shoal_status liquid_reserve_flying(shoal_tet_state* state);
void         liquid_find_flying(shoal_tet_liquid* liquid, shoal_tet_state* state, const shoal_tet_drive* drive,
                                const shoal_exec* exec);

// Finds the parts of liquid->surface, whose vertices are still on the edges of the lattice; they have no sums yet.
shoal_status liquid_find_parts(shoal_tet_liquid* liquid, const shoal_sparse* field);
void         liquid_parts_free(shoal_tet_parts* parts);
// Sets that are joined, each by its lowest member, which is that of a single one to begin with.
int liquid_unite(int* of, int a, int b);
int liquid_root(int* of, int a);
// The volume between a triangle and the origin of the lattice.
SHOAL_FN double liquid_volume_under(const shoal_contour* surface, int triangle, shoal_d3 origin) {
    const int* c = surface->triangles + 3 * (size_t)triangle;
    shoal_d3   a = shoal_d3_sub(shoal_d3_from(surface->vertices[c[0]]), origin),
             b   = shoal_d3_sub(shoal_d3_from(surface->vertices[c[1]]), origin),
             d   = shoal_d3_sub(shoal_d3_from(surface->vertices[c[2]]), origin);
    return shoal_d3_dot(a, shoal_d3_cross(b, d)) / 6.0;
}

// Vertices of a surface with their parts, by blocks of its lattice.
typedef struct liquid_places {
    shoal_sparse    field; // its frame and keys alone
    const shoal_v3* vertices;
    const int*      first; // [blocks + 1]
    const int*      of;    // [vertices]
    const int*      only;  // [blocks] the balance of all vertices in each; -1: of several, or there are none. Of copies
    int             vertex_count, count; // of vertices, of parts
} liquid_places;
// Those of liquid->surface; is_copy: in the arena, for when it is another.
shoal_status liquid_keep_places(shoal_tet_liquid* liquid, const shoal_band* band, bool is_copy, liquid_places* out);
// The part of the vertex nearest to a place within so many cells, or anywhere; -1: none.
int liquid_part_near(const liquid_places* places, shoal_d3 at, double reach);
// The balance of that vertex.
int liquid_balance_near(const shoal_tet_liquid* liquid, const liquid_places* places, shoal_d3 at, double reach);
// Of the parts that are asked for [parts]; NULL: of all.
int liquid_part_nearest(const liquid_places* places, shoal_d3 at, const uint8_t* is_asked);
// Where the vertices of a block are.
shoal_box liquid_block_box(const liquid_places* places, int block);
// The same for a place in the liquid, from which a line in it leads to its surface.
int liquid_part_around(const liquid_places* places, const shoal_band* band, const shoal_tet_solids* solids,
                       shoal_d3 at);

// liquid_balances.c. To begin with; and in a step: how far surfaces are moved by each balance (liquid->sums).
shoal_status liquid_begin_balances(shoal_tet_liquid* liquid, double cell);
shoal_status liquid_open_balances(shoal_tet_liquid* liquid, const shoal_tet_state* from, bool keeps_volume);
int          liquid_balances_in_use(const shoal_tet_liquid* liquid);
// Which parts before and after belong together, by the flow before; before: NULL: all do.
shoal_status liquid_find_kin(shoal_tet_liquid* liquid, const liquid_places* before, const liquid_places* after,
                             const shoal_tet_flow* flow, double dt);
// *credit: [parts, in the arena] what of the volume that taps have brought is each part's.
shoal_status liquid_credit(shoal_tet_liquid* liquid, const shoal_tet_drive* drive, const shoal_tet_solids* solids,
                           double** credit);
shoal_status liquid_close_balances(shoal_tet_liquid* liquid, const double* credit, bool is_thick);

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
