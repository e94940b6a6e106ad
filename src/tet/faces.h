// SPDX-License-Identifier: MIT
// Pressure [Chentanez et al. 2007, 3.1]: one unknown in the middle of each tetrahedron, one velocity through each face,
// and the slope of the pressure across a face by the two middles on its sides. The line between these is not along the
// face's normal, so that a pressure linear in space is not met: still water moves.
#ifndef SHOAL_TET_FACES_H
#define SHOAL_TET_FACES_H

#include "linalg/amg.h"
#include "tet/flow.h"
#include "tet/forms.h"

typedef struct shoal_tet_faces {
    shoal_tet_forms forms;
    int             face_count;
    int (*of)[4];                  // [tets] the face opposite to each vertex
    double*       normal_velocity; // [faces] velocity through it, out of the first of its tetrahedra, m/s
    shoal_csr     matrix; // of the tetrahedra: A / d between two, d how far their middles are apart across the face
    shoal_amg*    amg;    // by greedy coarsening
    double *      rhs, *pressure; // [tets]
    int *         lengths, *list;
    uint8_t*      is_visited;
    shoal_amg_end end; // of the last solve
    int of_capacity, normal_velocity_capacity, rhs_capacity, pressure_capacity, length_capacity, list_capacity,
        visited_capacity;
} shoal_tet_faces;

void shoal_tet_faces_free(shoal_tet_faces* faces); // what it points to; zero-initialise before the first use

// Numbers the faces of a mesh, whose finest octants have the edge `step`, and makes the matrix. `at_air` [tets]: bits
// of the faces at the air.
shoal_status shoal_tet_faces_assemble(shoal_tet_faces* faces, const shoal_tetmesh* mesh, double step,
                                      const uint8_t* at_air, const shoal_exec* exec);

// What comes through the faces of the mesh that was laid: the velocity that has come to their middles by `flow`, of
// another mesh, once `accelerate` has acted; NULL: from rest.
typedef shoal_d3 (*shoal_tet_accelerate_fn)(void* ctx, shoal_d3 at, shoal_d3 velocity);
void shoal_tet_faces_advect(shoal_tet_faces* faces, const shoal_tetmesh* mesh, const shoal_tet_flow* flow, double dt,
                            shoal_tet_accelerate_fn accelerate, void* ctx, const shoal_exec* exec);

// Lets pressure take the divergence of what comes through the faces, tetrahedron by tetrahedron, and gives the
// velocities in the middles of these [Elcott et al. 2007], and, as a mean of those around, the pressure at the
// vertices, times dt / density, m^2/s. In a part of the mesh that no air holds, what comes in too much is spread by
// volume.
shoal_status shoal_tet_faces_project(shoal_tet_faces* faces, const shoal_tetmesh* mesh, const uint8_t* at_air,
                                     const shoal_tet_wall* wall, double tolerance, const shoal_exec* exec,
                                     shoal_v3* velocity, double* pressure);

// The largest divergence of a tetrahedron, as the speed of a flow through its faces, m/s.
double shoal_tet_faces_divergence(const shoal_tet_faces* faces, const shoal_tetmesh* mesh, const shoal_exec* exec);

#endif
