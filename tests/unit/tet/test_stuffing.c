// SPDX-License-Identifier: MIT
// Isosurface stuffing: meshes are whole, conforming, of good angles and of the right volume, on many shapes.
#include "stuffed.h"

static const shoal_exec one = {.threads = 1}, three = {.threads = 3};

static void a_ball_is_filled(void** state) {
    (void)state;
    stuffed m      = {0};
    shape   s      = shape_of(BALL, 0);
    double  before = 0.0, exact = 4.0 / 3.0 * SHOAL_PI;
    for (int k = 0; k < 3; k++) {
        stuff(&m, &s, 0.2 / (1 << k), &three);
        shoal_tet_quality q     = shoal_tetmesh_quality(&m.mesh, &three);
        double            error = 1.0 - q.volume / exact;
        print_message("step %g: %d tets, %d vertices, volume %+.4f %%, angles %.2f .. %.2f, shapes %d %d %d %d %d\n",
                      0.2 / (1 << k), m.mesh.tet_count, m.mesh.vertex_count, -100.0 * error, q.least_angle,
                      q.largest_angle, q.by_shape[0], q.by_shape[1], q.by_shape[2], q.by_shape[3], q.by_shape[4]);
        assert_int_equal(check_whole(&m.mesh), 1); // a ball
        assert_true(q.least_angle > 10.7 && q.largest_angle < 164.8 && q.least_volume > 0.0);
        assert_true(error > 0.0);
        if (k > 0) assert_true(before / error > 3.5 && before / error < 4.5); // of second order
        before = error;
    }
    done(&m);
}

static void angles_are_good_on_many_shapes(void** state) {
    (void)state;
    double least, largest;
    angles_of(30, &three, &least, &largest);
    assert_true(least > 10.7 && largest < 164.8);
}

// Two threads that cross where a tetrahedron of the lattice is, each along one of its long edges: all its vertices are
// inside, and move to the surface, to nearly one plane. With a ball beside them.
typedef struct threads {
    shoal_d3 corner; // of the lattice
    double   step;
} threads;
static void cross_of(void* ctx, const shoal_d3* at, int count, double* value) {
    const threads* t = ctx;
    for (int i = 0; i < count; i++) {
        shoal_d3 p   = shoal_d3_scale(shoal_d3_sub(at[i], t->corner), 1.0 / t->step);
        double   low = hypot(p.x, p.z + 0.02), high = hypot(p.y - 0.5, p.z - 0.52), end = fabs(p.x) + fabs(p.y);
        double   ball = 2.0 - shoal_d3_length(shoal_d3_add(p, shoal_d3_make(0.0, 0.0, 4.5)));
        value[i]      = t->step * fmax(ball, fmin(0.25 - fmin(low, high), 3.3 - end));
    }
}
static void a_flat_tetrahedron_is_left_out(void** state) {
    (void)state;
    stuffed   m   = {0};
    threads   t   = {.step = 0.1};
    shoal_box box = {{-1.0, -1.0, -1.0}, {1.0, 1.0, 1.0}};
    int       count;
    CHECK_OK(shoal_octree_frame(&m.work.tree, box, t.step, 3));
    t.corner = shoal_d3_add(m.work.tree.origin, shoal_d3_make(1.0, 1.0, 1.0));
    CHECK_OK(shoal_octree_near(&m.work.tree, cross_of, &t, 2.0, &three, &m.keys, &m.capacity, &count));
    CHECK_OK(shoal_stuffing_make(&m.work, cross_of, &t, m.keys, count, 6, &three, &m.mesh));
    CHECK_OK(shoal_tetmesh_find_neighbours(&m.mesh, &three));
    shoal_tet_quality q = shoal_tetmesh_quality(&m.mesh, &three);
    print_message("threads: %d tets, angles %.2f .. %.2f\n", m.mesh.tet_count, q.least_angle, q.largest_angle);
    assert_true(m.mesh.tet_count > 20 && q.least_angle > 10.7 && q.largest_angle < 164.8);
    check_whole(&m.mesh);
    done(&m);
}

static void meshes_are_the_same_on_any_number_of_threads(void** state) {
    (void)state;
    stuffed a = {0}, b = {0};
    shape   s = shape_of(BUMPS, 7);
    stuff(&a, &s, 0.06, &one);
    stuff(&b, &s, 0.06, &three);
    assert_int_equal(a.mesh.tet_count, b.mesh.tet_count);
    assert_int_equal(a.mesh.vertex_count, b.mesh.vertex_count);
    assert_memory_equal(a.mesh.tets, b.mesh.tets, (size_t)a.mesh.tet_count * sizeof *a.mesh.tets);
    assert_memory_equal(a.mesh.neighbours, b.mesh.neighbours, (size_t)a.mesh.tet_count * sizeof *a.mesh.neighbours);
    assert_memory_equal(a.mesh.position, b.mesh.position, (size_t)a.mesh.vertex_count * sizeof *a.mesh.position);
    done(&a);
    done(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_ball_is_filled),
        cmocka_unit_test(angles_are_good_on_many_shapes),
        cmocka_unit_test(a_flat_tetrahedron_is_left_out),
        cmocka_unit_test(meshes_are_the_same_on_any_number_of_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
