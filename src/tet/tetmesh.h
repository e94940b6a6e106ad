// SPDX-License-Identifier: MIT
// Tetrahedral meshes: vertices, tetrahedra, who is beside whom, and measures of their quality.
#ifndef SHOAL_TETMESH_H
#define SHOAL_TETMESH_H

#include "exec/exec.h"
#include "math/vec.h"

// What a tetrahedron of a stuffed mesh is: one of the four shapes of the lattice (times a power of two), or one that the
// surface has cut or warped.
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
    shoal_d3* place;           // [vertex_count] m
    uint8_t*  is_on_surface;   // [vertex_count] 1: on the zero set that the mesh was made of
    int (*tets)[4];            // [tet_count] vertices; of positive volume: the fourth is where the right hand of the first three points to
    int (*beside)[4];          // [tet_count] the tetrahedron across the face opposite to each vertex, -1: none
    uint8_t* shape;            // [tet_count] a shoal_tet_shape
    int      vertex_room, tet_room, surface_room, beside_room, shape_room;
    struct shoal_tet_joint* joint; // scratch of shoal_tetmesh_join
} shoal_tetmesh;

void         shoal_tetmesh_free(shoal_tetmesh* mesh); // what it points to; zero-initialise before the first use
shoal_status shoal_tetmesh_reserve(shoal_tetmesh* mesh, int vertices, int tets); // nothing is kept
size_t       shoal_tetmesh_bytes(const shoal_tetmesh* mesh);

// Fills `beside`.
shoal_status shoal_tetmesh_join(shoal_tetmesh* mesh, const shoal_exec* exec);

SHOAL_FN double shoal_tet_volume(shoal_d3 a, shoal_d3 b, shoal_d3 c, shoal_d3 d) {
    return shoal_d3_dot(shoal_d3_cross(shoal_d3_sub(b, a), shoal_d3_sub(c, a)), shoal_d3_sub(d, a)) / 6.0;
}

typedef struct shoal_tet_quality {
    double volume;                     // m^3
    double least_angle, largest_angle; // between faces, degrees
    double least_volume;               // of a tetrahedron, m^3
    int    boundary_faces;
    int    by_shape[SHOAL_TET_SHAPES];
} shoal_tet_quality;
shoal_tet_quality shoal_tetmesh_quality(const shoal_tetmesh* mesh, const shoal_exec* exec);

#endif
