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

typedef struct shoal_tet_flow {
    const shoal_tetmesh*     mesh;
    const shoal_octree*      tree;
    const struct shoal_band* band;            // the liquid's surface; NULL: not known
    const int*               first_tet;       // of the stuffing that has made the mesh
    const shoal_v3*          velocity;        // [tets]
    const shoal_v3*          vertex_velocity; // [vertices]
} shoal_tet_flow;

// Velocities at the vertices: means of the tetrahedra around, by volume. `wall` [vertices]; NULL: there are none.
void shoal_tet_vertex_velocities(const shoal_tetmesh* mesh, const shoal_v3* velocity, const shoal_tet_wall* wall,
                                 const shoal_exec* exec, shoal_v3* vertex_velocity);

// The tetrahedron that a point is in, and its barycentric coordinates there. Outside of the mesh: those of the
// nearest point of the surface, or, where distances to it are not known, of one that is near. -1: the mesh is empty, or
// farther away than six finest octants; nothing flows there.
int shoal_tet_locate(const shoal_tet_flow* flow, shoal_d3 at, double barycentric[4]);

shoal_d3 shoal_tet_mean_velocity(const shoal_tet_flow* flow, shoal_d3 at); // linear between the vertices
// The same, and by the tetrahedron: its own velocity at its middle.
shoal_d3 shoal_tet_sharp_velocity(const shoal_tet_flow* flow, shoal_d3 at);

// Where the liquid at a point was a time dt ago, by the midpoint rule; dt < 0: where it will be.
shoal_d3 shoal_tet_trace_back(const shoal_tet_flow* flow, shoal_d3 at, double dt);

#endif
