// SPDX-License-Identifier: MIT
// Marching cubes on fields with every case in them.
#include "../check.h"

#include "base/hash.h"
#include "geom/contour.h"
#include "geom/mesh.h"

enum { SIDE = 3 }; // blocks along an edge

// A cube of blocks with a value for each sample; `at` counts samples from the corner of the first
// block.
static shoal_sparse field_make(double (*value)(int x, int y, int z), bool with_hole) {
    shoal_sparse f = {
        .origin = {-0.5, 0.25, 1.0}, .cell = 0.1, .nx = SIDE + 2, .ny = SIDE + 2, .nz = SIDE + 2, .outside = 1.0f};
    uint64_t keys[SIDE * SIDE * SIDE + 1];
    int      count = 0;
    for (int z = SIDE; z > 0; z--) // in no good order, one of them twice
        for (int y = 1; y <= SIDE; y++)
            for (int x = 1; x <= SIDE; x++)
                if (!with_hole || x != 2 || y != 2 || z != 2) keys[count++] = (uint64_t)((z * f.ny + y) * f.nx + x);
    keys[count]     = keys[0];
    shoal_exec exec = {.threads = 2};
    CHECK_OK(shoal_sparse_make(&f, &exec, keys, count + 1, NULL));
    assert_int_equal(f.block_count, count);
    for (int b = 0; b < count; b++) {
        int bx = (int)(f.keys[b] % (uint64_t)f.nx), by = (int)(f.keys[b] / (uint64_t)f.nx % (uint64_t)f.ny);
        int bz = (int)(f.keys[b] / (uint64_t)f.nx / (uint64_t)f.ny);
        for (int s = 0; s < SHOAL_SPARSE_SAMPLES; s++)
            f.values[512 * b + s] = (float)value(8 * (bx - 1) + s % 8, 8 * (by - 1) + s / 8 % 8, 8 * (bz - 1) + s / 64);
    }
    shoal_contour_seal(&f, &exec);
    return f;
}

static void check_mesh(const shoal_contour* c, int* triangles) {
    shoal_mesh*        mesh;
    shoal_mesh_quality q;
    CHECK_OK(shoal_mesh_create(&c->vertices->x, c->vertex_count, c->triangles, c->triangle_count, &mesh));
    CHECK_OK(shoal_mesh_examine(mesh, &q));
    assert_int_equal(q.open_edges, 0);
    assert_int_equal(q.nonmanifold_edges, 0);
    assert_int_equal(q.flipped_edges, 0);
    assert_int_equal(q.degenerate_triangles, 0);
    assert_false(q.is_inside_out);
    *triangles = c->triangle_count;
    shoal_mesh_destroy(mesh);
}

static uint64_t noise_seed;
static double   noise(int x, int y, int z) {
      return shoal_random(noise_seed, 5, (uint64_t)((z * 64 + y) * 64 + x)) - 0.5;
}

static void random_fields_give_closed_manifold_meshes(void** state) {
    (void)state;
    shoal_exec exec = {.threads = 2};
    for (noise_seed = 1; noise_seed <= 3; noise_seed++) {
        shoal_sparse  f = field_make(noise, noise_seed % 2 == 0);
        shoal_contour c = {0};
        int           triangles;
        CHECK_OK(shoal_contour_make(&f, 0, &exec, NULL, &c));
        check_mesh(&c, &triangles);
        assert_true(triangles > 10000); // all 256 cases are in there
        shoal_contour_free(&c);
        shoal_sparse_free(&f);
    }
}

static double ball(int x, int y, int z) {
    double dx = x - 11.3, dy = y - 12.1, dz = z - 11.8;
    return 0.1 * (sqrt(dx * dx + dy * dy + dz * dz) - 8.0);
}

static void a_ball_has_its_vertices_normals_and_volume(void** state) {
    (void)state;
    shoal_exec    exec = {.threads = 2};
    shoal_sparse  f    = field_make(ball, false);
    shoal_contour c    = {0};
    int           triangles;
    CHECK_OK(shoal_contour_make(&f, 0, &exec, NULL, &c));
    check_mesh(&c, &triangles);
    shoal_d3 middle = {f.origin.x + 0.8 + 1.13, f.origin.y + 0.8 + 1.21, f.origin.z + 0.8 + 1.18};
    for (int i = 0; i < c.vertex_count; i++) {
        shoal_d3 out = shoal_d3_sub(shoal_d3_from(c.vertices[i]), middle);
        CHECK_NEAR(shoal_d3_length(out), 0.8, 0.002);
        CHECK_NEAR(shoal_d3_dot(out, shoal_d3_from(c.normals[i])) / shoal_d3_length(out), 1.0, 1e-3);
    }
    for (int b = 0; b < f.block_count; b++) // vertices lie with the block that they are told to
        for (int i = c.first[b]; i < c.first[b + 1]; i++) {
            shoal_d3 at = shoal_d3_sub(shoal_d3_from(c.vertices[i]), shoal_sparse_corner(&f, b));
            assert_true(at.x > -1e-5 && at.y > -1e-5 && at.z > -1e-5 && at.x < 0.80001 && at.y < 0.80001 &&
                        at.z < 0.80001);
        }
    shoal_contour_free(&c);
    shoal_sparse_free(&f);
}

static double exact(int x, int y, int z) { return (x + y + z) % 3 == 0 ? 0.0 : (x * y + z) % 2 ? -0.3 : 0.7; }

static void samples_that_are_exactly_zero_make_no_degenerate_triangles(void** state) {
    (void)state;
    shoal_exec    exec = {.threads = 1};
    shoal_sparse  f    = field_make(exact, false);
    shoal_contour c    = {0};
    int           triangles;
    CHECK_OK(shoal_contour_make(&f, 0, &exec, NULL, &c));
    check_mesh(&c, &triangles);
    assert_true(triangles > 1000);
    shoal_contour_free(&c);
    shoal_sparse_free(&f);
}

static double everywhere(int x, int y, int z) {
    (void)x, (void)y, (void)z;
    return -1.0;
}

static void what_reaches_the_last_blocks_is_closed_there(void** state) {
    (void)state;
    shoal_exec    exec = {.threads = 2};
    shoal_sparse  f    = field_make(everywhere, false);
    shoal_contour c    = {0};
    int           triangles;
    CHECK_OK(shoal_contour_make(&f, 0, &exec, NULL, &c));
    check_mesh(&c, &triangles);
    assert_true(triangles > 4000); // a cube of 22 cells
    shoal_contour_free(&c);
    shoal_sparse_free(&f);
}

static double nowhere(int x, int y, int z) {
    (void)x, (void)y, (void)z;
    return 1.0;
}

static void nothing_inside_gives_no_triangles(void** state) {
    (void)state;
    shoal_exec    exec = {.threads = 1};
    shoal_sparse  f    = field_make(nowhere, false);
    shoal_contour c    = {0};
    CHECK_OK(shoal_contour_make(&f, 0, &exec, NULL, &c));
    assert_int_equal(c.triangle_count, 0);
    assert_int_equal(c.vertex_count, 0);
    shoal_contour_free(&c);
    shoal_sparse_free(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_fields_give_closed_manifold_meshes),
        cmocka_unit_test(a_ball_has_its_vertices_normals_and_volume),
        cmocka_unit_test(samples_that_are_exactly_zero_make_no_degenerate_triangles),
        cmocka_unit_test(what_reaches_the_last_blocks_is_closed_there),
        cmocka_unit_test(nothing_inside_gives_no_triangles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
