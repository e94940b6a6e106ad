// SPDX-License-Identifier: MIT
// A triangle mesh: shared vertices, counter-clockwise triangles seen from outside.
#ifndef SHOAL_MESH_H
#define SHOAL_MESH_H

#include "base/status.h"
#include "math/vec.h"

typedef struct shoal_mesh {
    int       vertex_count, triangle_count;
    shoal_v3* vertices;  // [vertex_count]
    int*      triangles; // [3 * triangle_count], indices into vertices
} shoal_mesh;

// Takes copies. Fails with SHOAL_ERR_INPUT on indices out of range, non-finite vertices or no triangle.
shoal_status shoal_mesh_create(const float* vertices, int vertex_count, const int* triangles,
                               int triangle_count, shoal_mesh** out);
void         shoal_mesh_destroy(shoal_mesh* mesh); // NULL is welcome
shoal_box    shoal_mesh_bounds(const shoal_mesh* mesh);
double       shoal_mesh_volume(const shoal_mesh* mesh); // signed; negative: inside out

// What is doubtful in a mesh; counts and one place for each, so that a message can point there.
typedef struct shoal_mesh_quality {
    int      open_edges, nonmanifold_edges, flipped_edges, degenerate_triangles;
    bool     is_inside_out;
    double   thinnest;  // m; smallest wall thickness met along inward rays from the triangles; INFINITY: none
    shoal_d3 open_at, nonmanifold_at, flipped_at, degenerate_at, thin_at;
} shoal_mesh_quality;
shoal_status shoal_mesh_examine(const shoal_mesh* mesh, shoal_mesh_quality* out);

#endif
