// SPDX-License-Identifier: MIT
// Tetrahedral meshes: vertices, tetrahedra, neighbours, and measures of their quality.
#ifndef SHOAL_TETMESH_H
#define SHOAL_TETMESH_H

#include "base/arena.h"
#include "exec/exec.h"
#include "math/vec.h"

// What a tetrahedron of a stuffed mesh is: one of the four shapes of the lattice (times a power of two), or one that
// the surface has cut or warped.
typedef enum shoal_tet_shape {
    SHOAL_TET_BCC,
    SHOAL_TET_BISECTED,
    SHOAL_TET_QUADRISECTED,
    SHOAL_TET_HALF_PYRAMID,
    SHOAL_TET_CUT,
    SHOAL_TET_SHAPES
} shoal_tet_shape;

typedef struct shoal_tetmesh {
    int       vertex_count, tet_count;
    shoal_d3* position;      // [vertex_count] m
    uint8_t*  is_on_surface; // [vertex_count] 1: on the zero set that the mesh was made of
    int (*tets)[4]; // [tet_count] vertices; of positive volume: the fourth is where the right hand of the first three
                    // points to
    int (*neighbours)[4];    // [tet_count] the tetrahedron across the face opposite to each vertex, -1: none
    uint8_t* shape;          // [tet_count] a shoal_tet_shape
    int*     incident_first; // [vertex_count + 1] of the tetrahedra around a vertex
    int*     incident;       // [4 tet_count] 4 tetrahedron + which of its corners the vertex is, increasing
    int vertex_capacity, tet_capacity, surface_capacity, neighbour_capacity, shape_capacity, incident_first_capacity,
        incident_capacity;
    bool         has_neighbours, has_incident; // these are those of its tetrahedra
    shoal_arena* arena; // for scratch, and that `neighbours` are of; NULL: these are its own, and no scratch is kept
} shoal_tetmesh;

void         shoal_tetmesh_free(shoal_tetmesh* mesh); // what it points to; zero-initialise before the first use
shoal_status shoal_tetmesh_reserve(shoal_tetmesh* mesh, int vertices, int tets); // nothing is kept

// Fills `incident_first` and `incident`, if they are not there.
shoal_status shoal_tetmesh_find_incident(shoal_tetmesh* mesh, const shoal_exec* exec);
// Fills these and `neighbours`.
shoal_status shoal_tetmesh_find_neighbours(shoal_tetmesh* mesh, const shoal_exec* exec);
// The area vectors of the faces opposite to each vertex, outwards, m^2; their sum is zero. Gives the volume, m^3.
SHOAL_FN double shoal_tet_areas(const shoal_tetmesh* mesh, int t, shoal_d3 area[4]) {
    const int* v = mesh->tets[t];
    shoal_d3   a = mesh->position[v[0]], b = shoal_d3_sub(mesh->position[v[1]], a),
             c = shoal_d3_sub(mesh->position[v[2]], a), d = shoal_d3_sub(mesh->position[v[3]], a);
    area[1] = shoal_d3_scale(shoal_d3_cross(d, c), 0.5);
    area[2] = shoal_d3_scale(shoal_d3_cross(b, d), 0.5);
    area[3] = shoal_d3_scale(shoal_d3_cross(c, b), 0.5);
    area[0] = shoal_d3_scale(shoal_d3_add(area[1], shoal_d3_add(area[2], area[3])), -1.0);
    return -shoal_d3_dot(area[3], d) / 3.0;
}
SHOAL_FN shoal_d3 shoal_tet_centroid(const shoal_tetmesh* mesh, int t) {
    shoal_d3 at = {0.0, 0.0, 0.0};
    for (int k = 0; k < 4; k++) at = shoal_d3_add(at, shoal_d3_scale(mesh->position[mesh->tets[t][k]], 0.25));
    return at;
}
SHOAL_FN shoal_d3 shoal_tet_face_middle(const shoal_tetmesh* mesh, int t, int k) { // of the one opposite to vertex k
    shoal_d3 at = {0.0, 0.0, 0.0};
    for (int l = 0; l < 4; l++)
        if (l != k) at = shoal_d3_add(at, shoal_d3_scale(mesh->position[mesh->tets[t][l]], 1.0 / 3.0));
    return at;
}
// The mean of what the vertices of a tetrahedron have.
SHOAL_FN shoal_d3 shoal_tet_vertex_mean(const shoal_tetmesh* mesh, int t, const shoal_v3* at_vertex) {
    shoal_d3 sum = {0.0, 0.0, 0.0};
    for (int k = 0; k < 4; k++) sum = shoal_d3_add(sum, shoal_d3_from(at_vertex[mesh->tets[t][k]]));
    return shoal_d3_scale(sum, 0.25);
}
SHOAL_FN double shoal_tet_volume(shoal_d3 a, shoal_d3 b, shoal_d3 c, shoal_d3 d) {
    return shoal_d3_dot(shoal_d3_cross(shoal_d3_sub(b, a), shoal_d3_sub(c, a)), shoal_d3_sub(d, a)) / 6.0;
}

double shoal_tetmesh_volume(const shoal_tetmesh* mesh, const shoal_exec* exec); // m^3

// The least and the largest cosine of the six angles between the faces of a tetrahedron; gives its volume.
double shoal_tet_cosines(const shoal_tetmesh* mesh, int t, double* least, double* most);

typedef struct shoal_tet_quality {
    double volume;                     // m^3
    double least_angle, largest_angle; // between faces, degrees
    double least_volume;               // of a tetrahedron, m^3
    int    boundary_faces;
    int    by_shape[SHOAL_TET_SHAPES];
} shoal_tet_quality;
shoal_tet_quality shoal_tetmesh_quality(const shoal_tetmesh* mesh, const shoal_exec* exec);

#endif
