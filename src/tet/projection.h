// SPDX-License-Identifier: MIT
// Pressure on a tetrahedral mesh: unknowns at the vertices, linear between them, one velocity for each tetrahedron. A
// pressure that is linear in space, as that of water at rest, is met exactly on any mesh, however warped or graded.
#ifndef SHOAL_TET_PROJECTION_H
#define SHOAL_TET_PROJECTION_H

#include "linalg/cg.h"
#include "tet/tetmesh.h"

typedef struct shoal_tet_projection {
    shoal_csr
        matrix; // K_ij = sum over tetrahedra of S_i . S_j / (9 V), of those not at the air; rows of these are empty
    shoal_cg     cg;
    shoal_amg*   amg;
    double*      rhs;        // [vertices]
    int*         closed;     // [closed_count] vertices of parts that no air holds, part by part; before, rows' lengths
    int*         closed_end; // [part_count] where each part ends there; none has less than a tetrahedron
    uint8_t*     is_open;    // [vertices] air holds it, itself or by others
    int          closed_count, part_count, rhs_capacity, closed_capacity, end_capacity, open_capacity;
    double       surplus; // m^3/s; what more comes into parts that no air holds than goes, in the last solve
    shoal_cg_end end;     // of it
    shoal_arena* arena;   // that all of it is of, until the next mesh is laid; NULL: its own
} shoal_tet_projection;

void shoal_tet_projection_free(shoal_tet_projection* p); // what it points to; zero-initialise before the first use

// How a mesh is held: by the air, where the pressure is given, and by walls, which liquid does not pass.
typedef struct shoal_tet_boundary {
    const uint8_t*  is_air; // [vertices]
    const shoal_v3* wall;   // [vertices] velocity of the wall that a vertex is on, m/s; NULL: all stand still
    // [vertices] a third of the volume that passes outwards through the faces at it, by time, m^3/s; NULL: what the
    // walls push through the faces on them.
    const float* outflow;
    const float* source; // [tets] volume that comes into being there, by time and volume, 1/s; NULL: none
} shoal_tet_boundary;

// Takes a mesh, and which of its vertices are at the air; sets up the preconditioner for all solves with it.
shoal_status shoal_tet_projection_assemble(shoal_tet_projection* p, const shoal_tetmesh* mesh, const uint8_t* is_air,
                                           const shoal_exec* exec);

// Of the mesh that was laid last: makes `velocity` [tets] free of divergence, in the mean over the tetrahedra around
// each vertex. In a part that no air holds, what walls and sources bring and nothing takes is spread evenly, and the
// mean of the pressure is zero. `pressure` [vertices] is that times dt / density, m^2/s; its value is the first
// guess. `tolerance`: as of shoal_cg_def.
shoal_status shoal_tet_project(shoal_tet_projection* p, const shoal_tetmesh* mesh, const shoal_tet_boundary* boundary,
                               double tolerance, const shoal_exec* exec, shoal_v3* velocity, double* pressure);

// Diffuses velocities at the vertices by `spread`, kinematic viscosity times dt, m^2, each component by itself: what
// the full stress says inside a liquid of one viscosity, and at a surface along which it moves as a whole. Those `held`
// stay as they are: liquid that sticks to a wall. Of no other mesh: assemble it anew for the pressure. Needs p->arena.
shoal_status shoal_tet_diffuse(shoal_tet_projection* p, const shoal_tetmesh* mesh, const uint8_t* held, double spread,
                               double tolerance, const shoal_exec* exec, shoal_v3* velocity);

// The largest divergence that is left at a vertex, as the speed of a flow through its tetrahedra's outer faces, m/s.
double shoal_tet_divergence(const shoal_tetmesh* mesh, const shoal_tet_boundary* boundary, const shoal_exec* exec,
                            const shoal_v3* velocity);

#endif
