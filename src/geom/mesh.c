// SPDX-License-Identifier: MIT
// Making, measuring and welding triangle meshes.
#include "geom/mesh.h"

#include <limits.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"

static shoal_status check(const float* vertices, int vertex_count, const int* triangles, int triangle_count) {
    if (vertex_count < 1 || triangle_count < 1) return shoal_fail(SHOAL_ERR_INPUT, "the mesh has no triangles");
    if (triangle_count > INT_MAX / 3)
        return shoal_fail(SHOAL_ERR_INPUT, "the mesh has %d triangles; at most %d are allowed", triangle_count,
                          INT_MAX / 3);
    for (int i = 0; i < vertex_count; i++)
        for (int k = 0; k < 3; k++) {
            float x = vertices[3 * (size_t)i + (size_t)k];
            if (!(fabsf(x) <= SHOAL_MESH_FAR))
                return shoal_fail(SHOAL_ERR_INPUT, "vertex %d of the mesh: coordinate %g is not within 1e9 m", i,
                                  (double)x);
        }
    for (int i = 0; i < 3 * triangle_count; i++)
        if (triangles[i] < 0 || triangles[i] >= vertex_count)
            return shoal_fail(SHOAL_ERR_INPUT, "triangle %d of the mesh names vertex %d, outside [0, %d]", i / 3,
                              triangles[i], vertex_count - 1);
    return SHOAL_OK;
}

shoal_status shoal_mesh_create(const float* vertices, int vertex_count, const int* triangles, int triangle_count,
                               shoal_mesh** out) {
    SHOAL_TRY(check(vertices, vertex_count, triangles, triangle_count));
    shoal_mesh* mesh = shoal_alloc(1, sizeof *mesh);
    if (!mesh) return SHOAL_ERR_MEMORY;
    size_t points = (size_t)vertex_count, corners = 3 * (size_t)triangle_count;
    mesh->vertices  = shoal_alloc(points, sizeof *mesh->vertices);
    mesh->triangles = shoal_alloc(corners, sizeof *mesh->triangles);
    if (!mesh->vertices || !mesh->triangles) {
        shoal_mesh_destroy(mesh);
        return SHOAL_ERR_MEMORY;
    }
    memcpy(mesh->vertices, vertices, points * sizeof *mesh->vertices);
    memcpy(mesh->triangles, triangles, corners * sizeof *mesh->triangles);
    mesh->vertex_count   = vertex_count;
    mesh->triangle_count = triangle_count;
    *out                 = mesh;
    return SHOAL_OK;
}

void shoal_mesh_destroy(shoal_mesh* mesh) {
    if (!mesh) return;
    shoal_free(mesh->triangles);
    shoal_free(mesh->vertices);
    shoal_free(mesh);
}

// Of the triangles: loose vertices are no part of the solid.
shoal_box shoal_mesh_bounds(const shoal_mesh* mesh) {
    shoal_box box = shoal_box_empty();
    for (int i = 0; i < 3 * mesh->triangle_count; i++)
        box = shoal_box_with(box, shoal_d3_from(mesh->vertices[mesh->triangles[i]]));
    return box;
}

// Tetrahedra from the middle of the bounds, so that an open mesh gives a sensible value too.
double shoal_mesh_volume(const shoal_mesh* mesh) {
    shoal_box box    = shoal_mesh_bounds(mesh);
    shoal_d3  middle = shoal_d3_scale(shoal_d3_add(box.min, box.max), 0.5);
    double    sum    = 0.0;
    for (int t = 0; t < mesh->triangle_count; t++) {
        shoal_d3 corner[3];
        for (int k = 0; k < 3; k++)
            corner[k] = shoal_d3_sub(shoal_d3_from(mesh->vertices[mesh->triangles[3 * t + k]]), middle);
        sum += shoal_d3_dot(corner[0], shoal_d3_cross(corner[1], corner[2]));
    }
    return sum / 6.0;
}

static float held(double x) { return (float)fmin(fmax(x, -1e30), 1e30); }

shoal_status shoal_mesh_framed(const shoal_mesh* mesh, shoal_d3 origin, double scale, shoal_v3** out) {
    shoal_v3* framed = shoal_alloc((size_t)mesh->vertex_count, sizeof *framed);
    if (!framed) return SHOAL_ERR_MEMORY;
    for (int i = 0; i < mesh->vertex_count; i++) {
        shoal_d3 p = shoal_d3_scale(shoal_d3_sub(shoal_d3_from(mesh->vertices[i]), origin), scale);
        framed[i]  = shoal_v3_make(held(p.x), held(p.y), held(p.z));
    }
    *out = framed;
    return SHOAL_OK;
}

static uint64_t place_hash(shoal_v3 v) {
    shoal_v3 p = shoal_v3_make(v.x + 0.0f, v.y + 0.0f, v.z + 0.0f); // -0 and 0 are one place
    uint32_t bits[3];
    memcpy(bits, &p, sizeof bits);
    return shoal_mix64(shoal_mix64((uint64_t)bits[0] << 32 | bits[1]) ^ bits[2]);
}

static bool same_place(shoal_v3 a, shoal_v3 b) { return a.x == b.x && a.y == b.y && a.z == b.z; }

shoal_status shoal_mesh_weld(const shoal_v3* vertices, int count, int* map, int* distinct) {
    size_t slots = 16;
    while (slots < 2 * (size_t)count) slots *= 2;
    int* table = shoal_alloc(slots, sizeof *table); // vertex + 1; 0: free
    if (!table) return SHOAL_ERR_MEMORY;
    *distinct = 0;
    for (int i = 0; i < count; i++) {
        size_t slot = (size_t)place_hash(vertices[i]) & (slots - 1);
        while (table[slot] != 0 && !same_place(vertices[table[slot] - 1], vertices[i])) slot = (slot + 1) & (slots - 1);
        if (table[slot] == 0) {
            table[slot] = i + 1;
            map[i]      = (*distinct)++;
        } else {
            map[i] = map[table[slot] - 1];
        }
    }
    shoal_free(table);
    return SHOAL_OK;
}
