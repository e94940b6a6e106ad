// SPDX-License-Identifier: MIT
// Tetrahedra of a frame as meshes: their outside, and a cutaway, with the fields of vertices and of cells.
#include "post/part_mesh.h"

#include "unit/check.h"

#include <string.h>

// A cube of six tetrahedra around its diagonal from 0 to 7; point k is at the bits of k.
static const int32_t six[24] = {0, 1, 3, 7, 0, 3, 2, 7, 0, 2, 6, 7, 0, 6, 4, 7, 0, 4, 5, 7, 0, 5, 1, 7};

static void add(shoal_frame_table* table, const char* name, shoal_type type, const void* data) {
    CHECK_OK(shoal_frame_add(table, &(shoal_frame_source){name, "", type, 1, data}));
}

static post_frame cube(void) {
    post_frame frame = {.count = 1};
    shoal_v3   x[8], velocity[8];
    float      pressure[8], heat[6], size[6];
    for (int k = 0; k < 8; k++) {
        x[k]        = shoal_v3_make((float)(k & 1), (float)(k >> 1 & 1), (float)(k >> 2));
        velocity[k] = shoal_v3_make((float)k, 0.0f, -1.0f);
        pressure[k] = (float)(k * k);
    }
    for (int t = 0; t < 6; t++) heat[t] = 10.0f * (float)t, size[t] = 1.0f;
    CHECK_OK(shoal_frame_create(8, 0.0, &frame.parts[0]));
    CHECK_OK(shoal_frame_add_cells(frame.parts[0], 4, 6, six));
    add(&frame.parts[0]->points, "position", SHOAL_V3, x);
    add(&frame.parts[0]->points, "velocity", SHOAL_V3, velocity);
    add(&frame.parts[0]->points, "pressure", SHOAL_F1, pressure);
    add(&frame.parts[0]->points, "heat", SHOAL_F1, pressure); // the cells have one, too
    add(&frame.parts[0]->cells, "heat", SHOAL_F1, heat);
    add(&frame.parts[0]->cells, "size", SHOAL_F1, size);
    return frame;
}

static const struct shoal_surface_array* field(const shoal_surface_mesh* mesh, const char* name) {
    for (int f = 0; f < mesh->field_count; f++)
        if (strcmp(mesh->fields[f].name, name) == 0) return &mesh->fields[f];
    fail_msg("the mesh has no field %s", name);
    return NULL;
}

static void a_cutaway_has_the_means_of_fields_of_vertices(void** state) {
    (void)state;
    post_frame          frame = cube();
    shoal_surface_mesh* mesh  = NULL;
    CHECK_OK(post_part_cutaway(&frame, 0, 0, 0.3, &mesh)); // two have their middle at x = 1/4
    const float *number = field(mesh, "number")->data, *pressure = field(mesh, "pressure")->data,
                *velocity = field(mesh, "velocity")->data, *heat = field(mesh, "heat")->data;
    int seen[6] = {0};
    assert_int_equal(field(mesh, "velocity")->components, 3);
    assert_int_equal(mesh->vertex_count, 3 * mesh->triangle_count);
    for (int i = 0; i < mesh->vertex_count; i++) {
        int            t   = (int)number[i];
        const int32_t* c   = six + 4 * (size_t)t;
        double         sum = 0.0, squares = 0.0;
        for (int k = 0; k < 4; k++) sum += c[k], squares += c[k] * c[k];
        CHECK_NEAR((double)pressure[i], 0.25 * squares, 1e-6);
        CHECK_NEAR((double)velocity[3 * i], 0.25 * sum, 1e-6);
        CHECK_NEAR((double)velocity[3 * i + 2], -1.0, 1e-6);
        CHECK_NEAR((double)heat[i], 10.0 * t, 1e-6); // that of the cell, not the mean of its vertices
        seen[t] = 1;
    }
    assert_int_equal(seen[0] + seen[1] + seen[2] + seen[3] + seen[4] + seen[5], 2);
    assert_true(seen[2] && seen[3]); // 0 2 6 7 and 0 6 4 7
    shoal_surface_mesh_destroy(mesh);
    shoal_frame_destroy(frame.parts[0]);
}

static void the_outside_has_the_fields_of_its_points(void** state) {
    (void)state;
    post_frame          frame = cube();
    shoal_surface_mesh* mesh  = NULL;
    CHECK_OK(post_part_meshes(&frame, 0, &mesh));
    assert_int_equal(mesh->triangle_count, 12);
    assert_int_equal(mesh->vertex_count, 8);
    for (int i = 0; i < 8; i++) {
        CHECK_NEAR((double)field(mesh, "pressure")->data[i], i * i, 1e-6);
        CHECK_NEAR((double)field(mesh, "heat")->data[i], i * i, 1e-6); // that of the points
        CHECK_NEAR((double)field(mesh, "size")->data[i], 1.0, 1e-6);   // the mean of the cells around
    }
    shoal_surface_mesh_destroy(mesh);
    shoal_frame_destroy(frame.parts[0]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cutaway_has_the_means_of_fields_of_vertices),
        cmocka_unit_test(the_outside_has_the_fields_of_its_points),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
