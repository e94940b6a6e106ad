// SPDX-License-Identifier: MIT
#include <string.h>

#include "meshes.h"

static void a_box_has_its_volume_and_bounds(void** state) {
    (void)state;
    shoal_mesh* box = mesh_box(1.0, 2.0, 3.0);
    shoal_box   b   = shoal_mesh_bounds(box);
    assert_near(shoal_mesh_volume(box), 6.0, 1e-12);
    assert_near(b.max.y, 2.0, 0.0);
    assert_near(b.min.z, 0.0, 0.0);
    shoal_mesh_destroy(box);
}

static void wrong_meshes_are_refused(void** state) {
    (void)state;
    float       v[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    int         t[3] = {0, 1, 3};
    shoal_mesh* mesh = NULL;
    assert_int_equal(shoal_mesh_create(v, 3, t, 1, &mesh), SHOAL_ERR_INPUT);
    assert_non_null(strstr(shoal_last_error(), "names vertex 3"));
    t[2] = -1;
    assert_int_equal(shoal_mesh_create(v, 3, t, 1, &mesh), SHOAL_ERR_INPUT);
    t[2] = 2;
    v[4] = NAN;
    assert_int_equal(shoal_mesh_create(v, 3, t, 1, &mesh), SHOAL_ERR_INPUT);
    assert_non_null(strstr(shoal_last_error(), "vertex 1"));
    v[4] = 0.0f;
    assert_int_equal(shoal_mesh_create(v, 3, t, 0, &mesh), SHOAL_ERR_INPUT);
    assert_null(mesh);
}

static void vertices_at_one_place_weld_to_one(void** state) {
    (void)state;
    const shoal_v3 v[5] = {{0, 0, 0}, {1, 0, 0}, {-0.0f, 0, 0}, {1, 0, 0}, {1, 1e-7f, 0}};
    int            map[5], distinct = 0;
    assert_int_equal(shoal_mesh_weld(v, 5, map, &distinct), SHOAL_OK);
    const int expected[5] = {0, 1, 0, 1, 2};
    assert_int_equal(distinct, 3);
    assert_memory_equal(map, expected, sizeof map);
}

static void a_closed_box_is_without_fault(void** state) {
    (void)state;
    shoal_mesh*        box = mesh_box(1.0, 2.0, 3.0);
    shoal_mesh_quality q;
    bool               closed = false;
    assert_int_equal(shoal_mesh_examine(box, &q), SHOAL_OK);
    assert_int_equal(q.open_edges + q.nonmanifold_edges + q.flipped_edges + q.degenerate_triangles, 0);
    assert_false(q.is_inside_out);
    assert_near(q.thinnest, 1.0, 1e-5);
    assert_int_equal(shoal_mesh_is_closed(box, &closed), SHOAL_OK);
    assert_true(closed);
    shoal_mesh_destroy(box);
}

static void an_open_box_shows_its_four_open_edges(void** state) {
    (void)state;
    shoal_mesh* box     = mesh_box(1.0, 2.0, 3.0);
    box->triangle_count = 10; // x = 1 is missing
    shoal_mesh_quality q;
    bool               closed = true;
    assert_int_equal(shoal_mesh_examine(box, &q), SHOAL_OK);
    assert_int_equal(q.open_edges, 4);
    assert_near(q.open_at.x, 1.0, 0.0);
    assert_int_equal(q.nonmanifold_edges + q.flipped_edges, 0);
    assert_int_equal(shoal_mesh_is_closed(box, &closed), SHOAL_OK);
    assert_false(closed);
    shoal_mesh_destroy(box);
}

static void a_mesh_turned_inside_out_is_reported(void** state) {
    (void)state;
    shoal_mesh* box = mesh_box(1.0, 2.0, 3.0);
    for (int t = 0; t < 12; t++) {
        int swap                  = box->triangles[3 * t];
        box->triangles[3 * t]     = box->triangles[3 * t + 1];
        box->triangles[3 * t + 1] = swap;
    }
    shoal_mesh_quality q;
    assert_int_equal(shoal_mesh_examine(box, &q), SHOAL_OK);
    assert_true(q.is_inside_out);
    assert_int_equal(q.flipped_edges, 0);
    assert_near(q.thinnest, 1.0, 1e-5);
    shoal_mesh_destroy(box);
}

static void one_turned_triangle_flips_three_edges(void** state) {
    (void)state;
    shoal_mesh* box   = mesh_box(1.0, 1.0, 1.0);
    int         swap  = box->triangles[0];
    box->triangles[0] = box->triangles[1];
    box->triangles[1] = swap;
    shoal_mesh_quality q;
    bool               closed = true;
    assert_int_equal(shoal_mesh_examine(box, &q), SHOAL_OK);
    assert_int_equal(q.flipped_edges, 3);
    assert_int_equal(q.open_edges, 0);
    assert_int_equal(shoal_mesh_is_closed(box, &closed), SHOAL_OK);
    assert_false(closed);
    shoal_mesh_destroy(box);
}

static void a_fin_is_not_manifold(void** state) {
    (void)state;
    float v[27];
    int   t[39];
    box_vertices(shoal_d3_make(0, 0, 0), shoal_d3_make(1, 1, 1), v);
    v[24] = 2.0f, v[25] = 2.0f, v[26] = 2.0f;
    memcpy(t, box_triangles, sizeof box_triangles);
    t[36] = 5, t[37] = 7, t[38] = 8; // on the edge 5-7
    shoal_mesh* mesh = NULL;
    assert_int_equal(shoal_mesh_create(v, 9, t, 13, &mesh), SHOAL_OK);
    shoal_mesh_quality q;
    assert_int_equal(shoal_mesh_examine(mesh, &q), SHOAL_OK);
    assert_int_equal(q.nonmanifold_edges, 1);
    assert_near(q.nonmanifold_at.x, 1.0, 0.0);
    assert_near(q.nonmanifold_at.y, 1.0, 0.0);
    assert_near(q.nonmanifold_at.z, 0.5, 0.0);
    assert_int_equal(q.open_edges, 2);
    shoal_mesh_destroy(mesh);
}

static void a_thin_plate_is_measured(void** state) {
    (void)state;
    shoal_mesh*        plate = mesh_box(4.0, 0.003, 5.0);
    shoal_mesh_quality q;
    assert_int_equal(shoal_mesh_examine(plate, &q), SHOAL_OK);
    assert_near(q.thinnest, 0.003, 1e-5);
    shoal_mesh_destroy(plate);

    shoal_mesh* torus = mesh_torus(1.0, 0.1, 24, 60);
    assert_int_equal(shoal_mesh_examine(torus, &q), SHOAL_OK);
    assert_in_range((int)(q.thinnest * 1000.0), 185, 200);
    shoal_mesh_destroy(torus);
}

// Of boxes, each moved; destroys nothing.
static shoal_mesh* parts_of(const shoal_mesh* const* boxes, const shoal_v3* at, int count, bool turned) {
    float       v[3 * 8 * 4];
    int         t[3 * 12 * 4];
    shoal_mesh* mesh     = NULL;
    int         vertices = 0, triangles = 0;
    for (int b = 0; b < count; b++) {
        for (int k = 0; k < 3 * boxes[b]->triangle_count; k++)
            t[3 * triangles + k] = vertices + boxes[b]->triangles[turned ? k / 3 * 3 + 2 - k % 3 : k];
        for (int k = 0; k < boxes[b]->vertex_count; k++, vertices++) {
            shoal_v3 p          = shoal_v3_add(boxes[b]->vertices[k], at[b]);
            v[3 * vertices]     = 0.8f * p.x - 0.6f * p.y; // turned by an odd angle
            v[3 * vertices + 1] = 0.6f * p.x + 0.8f * p.y;
            v[3 * vertices + 2] = p.z;
        }
        triangles += boxes[b]->triangle_count;
    }
    assert_int_equal(shoal_mesh_create(v, vertices, t, triangles, &mesh), SHOAL_OK);
    return mesh;
}

static void parts_that_overlap_by_little_are_no_thin_walls(void** state) {
    (void)state;
    shoal_mesh *box = mesh_box(1.0, 2.0, 3.0), *plate = mesh_box(0.02, 5.0, 5.0);
    for (int turned = 0; turned < 2; turned++)
        for (int k = 0; k < 3; k++) {
            const float        overlap[] = {3e-5f, 0.01f, 0.5f};
            shoal_mesh_quality q;
            shoal_mesh*        mesh = parts_of((const shoal_mesh* const[]){box, box},
                                               (const shoal_v3[]){{0, 0, 0}, {1.0f - overlap[k], 0.4f, 0.7f}}, 2, turned);
            assert_int_equal(shoal_mesh_examine(mesh, &q), SHOAL_OK);
            assert_true(q.is_inside_out == (turned == 1));
            assert_true(q.thinnest >= 0.999);
            shoal_mesh_destroy(mesh);
            // but a plate that sticks out of a box is one
            mesh = parts_of((const shoal_mesh* const[]){box, plate},
                            (const shoal_v3[]){{0, 0, 0}, {0.49f - overlap[k], 2.0f, 1.0f}}, 2, turned);
            assert_int_equal(shoal_mesh_examine(mesh, &q), SHOAL_OK);
            assert_near(q.thinnest, 0.02, 1e-4);
            shoal_mesh_destroy(mesh);
        }
    shoal_mesh_destroy(plate);
    shoal_mesh_destroy(box);
}

static void triangles_without_area_are_counted(void** state) {
    (void)state;
    const float v[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0.5f, 0.5f, 0};
    const int   t[9]  = {0, 1, 2, 1, 3, 2, 0, 0, 1};
    shoal_mesh* mesh  = NULL;
    assert_int_equal(shoal_mesh_create(v, 4, t, 3, &mesh), SHOAL_OK);
    shoal_mesh_quality q;
    assert_int_equal(shoal_mesh_examine(mesh, &q), SHOAL_OK);
    assert_int_equal(q.degenerate_triangles, 2);
    assert_near(q.degenerate_at.x, 1.0, 0.0);
    shoal_mesh_destroy(mesh);
}

static void seams_in_the_vertex_list_are_no_holes(void** state) {
    (void)state;
    // pole and seam vertices of the sphere repeat; its pole triangles have collapsed corners
    shoal_mesh*        sphere = mesh_sphere(1.0, 12);
    shoal_mesh_quality q;
    assert_int_equal(shoal_mesh_examine(sphere, &q), SHOAL_OK);
    assert_int_equal(q.open_edges + q.nonmanifold_edges + q.flipped_edges, 0);
    assert_int_equal(q.degenerate_triangles, 48); // 24 at each pole
    assert_false(q.is_inside_out);
    shoal_mesh_destroy(sphere);
}

static void one_triangle_and_one_point_can_be_examined(void** state) {
    (void)state;
    const float        v[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    const int          t[3] = {0, 1, 2}, same[3] = {0, 0, 0};
    shoal_mesh*        mesh = NULL;
    shoal_mesh_quality q;
    assert_int_equal(shoal_mesh_create(v, 3, t, 1, &mesh), SHOAL_OK);
    assert_int_equal(shoal_mesh_examine(mesh, &q), SHOAL_OK);
    assert_int_equal(q.open_edges, 3);
    assert_true(isinf(q.thinnest));
    shoal_mesh_destroy(mesh);
    assert_int_equal(shoal_mesh_create(v, 3, same, 1, &mesh), SHOAL_OK);
    assert_int_equal(shoal_mesh_examine(mesh, &q), SHOAL_OK);
    assert_int_equal(q.degenerate_triangles, 1);
    shoal_mesh_destroy(mesh);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_box_has_its_volume_and_bounds),
        cmocka_unit_test(wrong_meshes_are_refused),
        cmocka_unit_test(vertices_at_one_place_weld_to_one),
        cmocka_unit_test(a_closed_box_is_without_fault),
        cmocka_unit_test(an_open_box_shows_its_four_open_edges),
        cmocka_unit_test(a_mesh_turned_inside_out_is_reported),
        cmocka_unit_test(one_turned_triangle_flips_three_edges),
        cmocka_unit_test(a_fin_is_not_manifold),
        cmocka_unit_test(a_thin_plate_is_measured),
        cmocka_unit_test(parts_that_overlap_by_little_are_no_thin_walls),
        cmocka_unit_test(triangles_without_area_are_counted),
        cmocka_unit_test(seams_in_the_vertex_list_are_no_holes),
        cmocka_unit_test(one_triangle_and_one_point_can_be_examined),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
