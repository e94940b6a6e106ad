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

// Coordinates beyond this are refused: no scene is larger, and squares of them must stay finite.
#define SHOAL_MESH_FAR 1e9f

// Takes copies. Fails with SHOAL_ERR_INPUT on indices out of range, vertices that are not finite or
// beyond SHOAL_MESH_FAR, or no triangle.
shoal_status shoal_mesh_create(const float* vertices, int vertex_count, const int* triangles, int triangle_count,
                               shoal_mesh** out);
void         shoal_mesh_destroy(shoal_mesh* mesh); // may be NULL
shoal_box    shoal_mesh_bounds(const shoal_mesh* mesh);
double       shoal_mesh_volume(const shoal_mesh* mesh); // signed; negative: inside out

// The vertices as (vertex - origin) * scale, for queries in single precision near the origin; *out is
// freed with shoal_free. Loose vertices are held within 1e30.
shoal_status shoal_mesh_framed(const shoal_mesh* mesh, shoal_d3 origin, double scale, shoal_v3** out);

// Vertices at exactly the same place become one: map[i] is the new number of vertex i, counted from 0
// in order of first appearance, and *distinct how many there are.
shoal_status shoal_mesh_weld(const shoal_v3* vertices, int count, int* map, int* distinct);

// What is doubtful in a mesh; counts and one place for each, so that a message can point there.
typedef struct shoal_mesh_quality {
    int  open_edges, nonmanifold_edges, flipped_edges, degenerate_triangles;
    bool is_inside_out;
    // m; smallest wall thickness met along inward rays from the middles of the triangles (of about
    // 100,000 evenly chosen ones where there are more), folds and sharp edges apart; INFINITY: none
    double   thinnest;
    shoal_d3 open_at, nonmanifold_at, flipped_at, degenerate_at, thin_at;
} shoal_mesh_quality;
// Vertices at the same place count as one here, so seams in a file are not holes.
shoal_status shoal_mesh_examine(const shoal_mesh* mesh, shoal_mesh_quality* out);

// Whether the winding number is a whole number everywhere off the surface: every edge is walked as
// often one way as the other, so there is no hole and no triangle turned against its neighbours.
shoal_status shoal_mesh_is_closed(const shoal_mesh* mesh, bool* closed);

#endif
