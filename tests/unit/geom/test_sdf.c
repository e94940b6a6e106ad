// SPDX-License-Identifier: MIT
#include <string.h>

#include "base/hash.h"
#include "geom/sdf.h"
#include "meshes.h"

static shoal_d3 random_point(uint64_t n, double size) {
    return shoal_d3_make(size * (2.0 * shoal_random(7, n, 0) - 1.0), size * (2.0 * shoal_random(7, n, 1) - 1.0),
                         size * (2.0 * shoal_random(7, n, 2) - 1.0));
}

static shoal_sdf* field_of(const shoal_mesh* mesh, double cell, int threads) {
    shoal_sdf* sdf = NULL;
    assert_int_equal(shoal_sdf_create(mesh, cell, threads, &sdf), SHOAL_OK);
    return sdf;
}

static void the_field_of_a_sphere_is_its_distance(void** state) {
    (void)state;
    const double cell   = 0.04;
    shoal_mesh*  sphere = mesh_sphere(1.0, 100);
    shoal_sdf*   sdf    = field_of(sphere, cell, 2);
    assert_near(sdf->cell, cell, 0.0);
    for (uint64_t i = 0; i < 20000; i++) {
        shoal_d3 p             = random_point(i, 1.1);
        double   true_distance = shoal_d3_length(p) - 1.0;
        double   d             = shoal_sdf_sample(sdf, p, NULL);
        double   most = fabs(true_distance) < 3.0 * cell ? 0.3 * cell : 0.02 * fabs(true_distance) + 0.5 * cell;
        assert_near(d, true_distance, most);
        if (fabs(true_distance) > 0.1 * cell) assert_int_equal(d < 0.0, true_distance < 0.0);
    }
    shoal_sdf_destroy(sdf);
    shoal_mesh_destroy(sphere);
}

static void the_field_of_a_torus_is_its_distance(void** state) {
    (void)state;
    const double cell  = 0.05;
    shoal_mesh*  torus = mesh_torus(1.0, 0.4, 80, 200);
    shoal_sdf*   sdf   = field_of(torus, cell, 2);
    for (uint64_t i = 0; i < 20000; i++) {
        shoal_d3 p = random_point(i, 1.4), n;
        p.y *= 0.4; // within the grid
        double r = sqrt(p.x * p.x + p.z * p.z) - 1.0, d = sqrt(r * r + p.y * p.y) - 0.4;
        double most = fabs(d) < 0.1 ? 0.3 * cell : 0.02 * fabs(d) + 0.5 * cell;
        assert_near(shoal_sdf_sample(sdf, p, &n), d, most);
        if (fabs(d) < 0.1) assert_near(shoal_d3_length(n), 1.0, 0.1);
    }
    shoal_sdf_destroy(sdf);
    shoal_mesh_destroy(torus);
}

static void the_gradient_is_that_of_the_interpolated_values(void** state) {
    (void)state;
    shoal_mesh* box = mesh_box(1.0, 0.7, 0.4);
    shoal_sdf*  sdf = field_of(box, 0.1, 1);
    for (uint64_t i = 0; i < 2000; i++) {
        shoal_d3     p = random_point(i, 2.5), g; // most of these lie outside the grid
        const double e = 1e-6;
        shoal_sdf_sample(sdf, p, &g);
        double x = shoal_sdf_sample(sdf, shoal_d3_make(p.x + e, p.y, p.z), NULL) -
                   shoal_sdf_sample(sdf, shoal_d3_make(p.x - e, p.y, p.z), NULL);
        double z = shoal_sdf_sample(sdf, shoal_d3_make(p.x, p.y, p.z + e), NULL) -
                   shoal_sdf_sample(sdf, shoal_d3_make(p.x, p.y, p.z - e), NULL);
        assert_near(g.x, x / (2.0 * e), 1e-4);
        assert_near(g.z, z / (2.0 * e), 1e-4);
    }
    shoal_sdf_destroy(sdf);
    shoal_mesh_destroy(box);
}

static void any_number_of_threads_gives_the_same_bits(void** state) {
    (void)state;
    for (int open = 0; open < 2; open++) {
        shoal_mesh* torus = mesh_torus(1.0, 0.4, 30, 70);
        if (open) torus->triangle_count -= 500;
        shoal_sdf* one = field_of(torus, 0.05, 1);
        for (int threads = 2; threads <= 3; threads++) {
            shoal_sdf* many = field_of(torus, 0.05, threads);
            assert_int_equal(one->nx, many->nx);
            assert_memory_equal(one->values, many->values,
                                (size_t)one->nx * (size_t)one->ny * (size_t)one->nz * sizeof(float));
            shoal_sdf_destroy(many);
        }
        shoal_sdf_destroy(one);
        shoal_mesh_destroy(torus);
    }
}

// A sphere without its cap above y = 0.9: the hole has a radius of 0.44.
static shoal_mesh* holed_sphere(void) {
    shoal_mesh* sphere = mesh_sphere(1.0, 60);
    int         left   = 0;
    for (int t = 0; t < sphere->triangle_count; t++) {
        int* corner = &sphere->triangles[3 * t];
        if (sphere->vertices[corner[0]].y > 0.9f) continue;
        memmove(&sphere->triangles[3 * left++], corner, 3 * sizeof(int));
    }
    sphere->triangle_count = left;
    return sphere;
}

static void a_hole_does_not_turn_the_inside_out(void** state) {
    (void)state;
    const double cell   = 0.04;
    shoal_mesh*  sphere = holed_sphere();
    shoal_sdf*   sdf    = field_of(sphere, cell, 2);
    for (uint64_t i = 0; i < 20000; i++) {
        shoal_d3 p = random_point(i, 1.1);
        double   d = shoal_d3_length(p) - 1.0;
        if (p.y > 0.7 && p.x * p.x + p.z * p.z < 0.3) continue; // the hole and its rim
        if (fabs(d) > 0.3 * cell) assert_int_equal(shoal_sdf_sample(sdf, p, NULL) < 0.0, d < 0.0);
        if (fabs(d) < 0.1) assert_near(shoal_sdf_sample(sdf, p, NULL), d, 0.3 * cell);
    }
    shoal_sdf_destroy(sdf);
    shoal_mesh_destroy(sphere);
}

static void a_hole_is_closed_by_a_smooth_surface(void** state) {
    (void)state;
    shoal_mesh* sphere = holed_sphere();
    shoal_sdf*  sdf    = field_of(sphere, 0.04, 2);
    // down through the middle of the hole the field rises about as fast as the way, without a jump
    double before    = shoal_sdf_sample(sdf, shoal_d3_make(0.0, 1.2, 0.0), NULL);
    int    crossings = 0;
    for (int i = 1; i <= 90; i++) {
        double d = shoal_sdf_sample(sdf, shoal_d3_make(0.003, 1.2 - 0.01 * i, 0.002), NULL);
        assert_true(fabs(d - before) < 0.02);
        crossings += (d < 0.0) != (before < 0.0);
        before = d;
    }
    assert_int_equal(crossings, 1);
    assert_true(before < -0.3);
    shoal_sdf_destroy(sdf);
    shoal_mesh_destroy(sphere);
}

static void inside_out_and_offset_meshes_have_the_same_inside(void** state) {
    (void)state;
    shoal_mesh* sphere = mesh_sphere(1.0, 40);
    for (int t = 0; t < sphere->triangle_count; t++) {
        int swap                     = sphere->triangles[3 * t];
        sphere->triangles[3 * t]     = sphere->triangles[3 * t + 1];
        sphere->triangles[3 * t + 1] = swap;
    }
    for (int i = 0; i < sphere->vertex_count; i++) sphere->vertices[i].x += 1000.0f;
    shoal_sdf* sdf = field_of(sphere, 0.06, 2);
    assert_near(shoal_sdf_sample(sdf, shoal_d3_make(1000.0, 0.0, 0.0), NULL), -1.0, 0.06);
    assert_near(shoal_sdf_sample(sdf, shoal_d3_make(1001.1, 0.0, 0.0), NULL), 0.1, 0.02);
    shoal_sdf_destroy(sdf);
    shoal_mesh_destroy(sphere);
}

static void a_box_within_a_box_is_hollow(void** state) {
    (void)state;
    float v[48];
    int   t[72];
    box_vertices(shoal_d3_make(0, 0, 0), shoal_d3_make(3, 3, 3), v);
    box_vertices(shoal_d3_make(1, 1, 1), shoal_d3_make(2, 2, 2), v + 24);
    for (int i = 0; i < 36; i++) {
        t[i]      = box_triangles[i];
        t[36 + i] = 8 + box_triangles[35 - i]; // turned: its outside is the hollow
    }
    shoal_mesh* mesh = NULL;
    assert_int_equal(shoal_mesh_create(v, 16, t, 24, &mesh), SHOAL_OK);
    shoal_sdf* sdf = field_of(mesh, 0.1, 1);
    assert_near(shoal_sdf_sample(sdf, shoal_d3_make(1.5, 1.5, 1.5), NULL), 0.5, 0.02);
    assert_near(shoal_sdf_sample(sdf, shoal_d3_make(0.5, 1.5, 1.5), NULL), -0.5, 0.02);
    assert_near(shoal_sdf_sample(sdf, shoal_d3_make(-0.2, 1.5, 1.5), NULL), 0.2, 0.02);
    shoal_sdf_destroy(sdf);
    shoal_mesh_destroy(mesh);
}

static void outside_the_grid_the_field_goes_on_rising(void** state) {
    (void)state;
    shoal_mesh* box = mesh_box(1.0, 1.0, 1.0);
    shoal_sdf*  sdf = field_of(box, 0.1, 1);
    assert_near(shoal_sdf_sample(sdf, shoal_d3_make(11.0, 0.5, 0.5), NULL), 10.0, 0.01);
    assert_true(isfinite(shoal_sdf_sample(sdf, shoal_d3_make(1e30, -1e30, 0.5), NULL)));
    shoal_sdf_destroy(sdf);
    shoal_mesh_destroy(box);
}

static void too_fine_a_grid_is_coarsened(void** state) {
    (void)state;
    shoal_mesh* needle = mesh_box(1000.0, 0.5, 0.5);
    shoal_sdf*  sdf    = field_of(needle, 1e-6, 2);
    assert_true(sdf->cell > 0.1);
    assert_true((double)sdf->nx * sdf->ny * sdf->nz <= 256.0 * 256.0 * 256.0);
    assert_true(shoal_sdf_sample(sdf, shoal_d3_make(500.0, 0.25, 0.25), NULL) < 0.0);
    shoal_sdf_destroy(sdf);
    shoal_mesh_destroy(needle);
}

static void a_single_triangle_has_no_inside(void** state) {
    (void)state;
    const float v[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    const int   t[3] = {0, 1, 2};
    shoal_mesh* mesh = NULL;
    assert_int_equal(shoal_mesh_create(v, 3, t, 1, &mesh), SHOAL_OK);
    shoal_sdf* sdf = field_of(mesh, 0.07, 2);
    for (uint64_t i = 0; i < 1000; i++) {
        shoal_d3 p = random_point(i, 1.0);
        assert_true(shoal_sdf_sample(sdf, p, NULL) > -0.07);
    }
    shoal_sdf_destroy(sdf);
    shoal_mesh_destroy(mesh);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_field_of_a_sphere_is_its_distance),
        cmocka_unit_test(the_field_of_a_torus_is_its_distance),
        cmocka_unit_test(the_gradient_is_that_of_the_interpolated_values),
        cmocka_unit_test(any_number_of_threads_gives_the_same_bits),
        cmocka_unit_test(a_hole_does_not_turn_the_inside_out),
        cmocka_unit_test(a_hole_is_closed_by_a_smooth_surface),
        cmocka_unit_test(inside_out_and_offset_meshes_have_the_same_inside),
        cmocka_unit_test(a_box_within_a_box_is_hollow),
        cmocka_unit_test(outside_the_grid_the_field_goes_on_rising),
        cmocka_unit_test(too_fine_a_grid_is_coarsened),
        cmocka_unit_test(a_single_triangle_has_no_inside),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
