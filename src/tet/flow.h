// SPDX-License-Identifier: MIT
// Velocities between the points of a tetrahedral mesh: where a point is, what flows there, and from where a flow has
// come [Chentanez et al. 2007, 3.1; Feldman et al. 2005]. One velocity is kept for each tetrahedron; those at the
// vertices are means of these, good enough to trace a path by, but as values they would damp: a value is that of the
// tetrahedron at its middle.
#ifndef SHOAL_TET_FLOW_H
#define SHOAL_TET_FLOW_H

#include "tet/stuffing.h"

// A solid that a vertex lies on.
typedef struct shoal_tet_wall {
    shoal_v3 normal; // out of the solid; zero: the vertex is on none
    shoal_v3 velocity;
    float    friction; // Coulomb's
    bool     is_sticky;
} shoal_tet_wall;

// Those of all vertices, of which few are on one.
typedef struct shoal_tet_walls {
    int*            of; // [vertices] which of them; -1: none
    shoal_tet_wall* wall;
} shoal_tet_walls;

typedef struct shoal_tet_flow {
    const shoal_tetmesh*     mesh;
    const shoal_octree*      tree;
    const struct shoal_band* band;      // the liquid's surface; NULL: not known
    const uint8_t*           flying;    // [vertices] at the air, 255: with nothing that holds the liquid; NULL: none
    const int*               first_tet; // of the stuffing that has made the mesh
    const shoal_v3*          velocity;  // [tets]
    shoal_v3* mean_velocity;  // [vertices] means of the tetrahedra around, but at the air: paths are traced by them
    shoal_v3* sharp_velocity; // [vertices] these with some of what the mean has lost: values are made of them
    // Values are linear around the middle of a tetrahedron, in all of it but for 1 / core of the way from its faces to
    // the middle; 1: at the middle alone.
    double core;
    float* outward; // [vertices] m/s; NULL: none; in addition the surface moves out of the liquid so quickly, where two
                    // parts of it meet
    int mean_capacity, sharp_capacity, outward_capacity;
} shoal_tet_flow;

void shoal_tet_flow_free(shoal_tet_flow* flow); // what it owns; zero-initialise before the first use

// Takes a mesh and its velocities, which must stay while it is used. `walls`: NULL: there are none. `is_air`:
// [vertices] those at the air: in thin parts, and as far as the liquid flies, their velocity for paths is that of what
// passes through the surface; NULL: none. `sharpness`: the fraction of what the means have lost that values get back;
// 0.5 keeps small waves without making noise of large ones, 0 is a plain mean. Its core is 1.
shoal_status shoal_tet_flow_make(shoal_tet_flow* flow, const shoal_stuffing* work, const shoal_tetmesh* mesh,
                                 const shoal_v3* velocity, const shoal_tet_walls* walls, const uint8_t* is_air,
                                 double sharpness, const shoal_exec* exec);
size_t       shoal_tet_flow_scratch(const shoal_tetmesh* mesh); // of the mesh's arena, meanwhile, bytes

// The tetrahedron that a point is in, and its barycentric coordinates there. Outside of the mesh: those of the
// nearest point of the surface, or, where distances to it are not known, of one that is near. -1: the mesh is empty, or
// farther away than six finest octants; nothing flows there.
int shoal_tet_locate(const shoal_tet_flow* flow, shoal_d3 at, double barycentric[4]);

// Whether there may be a tetrahedron at the surface so near.
bool shoal_tet_is_near(const shoal_tet_flow* flow, shoal_d3 at);

shoal_d3 shoal_tet_mean_velocity(const shoal_tet_flow* flow, shoal_d3 at); // by the means at the vertices
// The same, and by `outward`: how a point of the surface moves.
shoal_d3 shoal_tet_surface_velocity(const shoal_tet_flow* flow, shoal_d3 at, double* outward);
shoal_d3 shoal_tet_sharp_velocity(const shoal_tet_flow* flow, shoal_d3 at); // by the tetrahedron and the sharp ones

// Where the liquid at a point was a time dt ago, by the midpoint rule; dt < 0: where it will be.
shoal_d3 shoal_tet_trace_back(const shoal_tet_flow* flow, shoal_d3 at, double dt);
// The velocities with which it has come, at the middles of the tetrahedra of a mesh, this one or another. is_sharp
// false: by the means alone, which damps, for comparison.
void shoal_tet_advect(const shoal_tet_flow* flow, const shoal_tetmesh* to, double dt, bool is_sharp,
                      const shoal_exec* exec, shoal_v3* velocity);

#endif
