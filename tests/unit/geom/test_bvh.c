// SPDX-License-Identifier: MIT
// The tree against plain loops over all triangles, in double precision.
#include "base/hash.h"
#include "base/memory.h"
#include "geom/bvh.h"
#include "geom/winding.h"
#include "meshes.h"

static double segment_distance(shoal_d3 a, shoal_d3 b, shoal_d3 p) {
    shoal_d3 ab = shoal_d3_sub(b, a), ap = shoal_d3_sub(p, a);
    double   l = shoal_d3_dot(ab, ab), t = l > 0.0 ? shoal_d3_dot(ap, ab) / l : 0.0;
    t = fmin(fmax(t, 0.0), 1.0);
    return shoal_d3_length(shoal_d3_sub(ap, shoal_d3_scale(ab, t)));
}

// Height above the plane when p is over the triangle, else the nearest side.
static double plain_distance(const shoal_d3 c[3], shoal_d3 p) {
    shoal_d3 n    = shoal_d3_cross(shoal_d3_sub(c[1], c[0]), shoal_d3_sub(c[2], c[0]));
    double   area = shoal_d3_length(n), best = 1e300;
    bool     over = area > 0.0;
    for (int k = 0; k < 3; k++) {
        shoal_d3 a = c[k], b = c[(k + 1) % 3];
        best = fmin(best, segment_distance(a, b, p));
        if (shoal_d3_dot(shoal_d3_cross(n, shoal_d3_sub(b, a)), shoal_d3_sub(p, a)) < 0.0) over = false;
    }
    return over ? fmin(best, fabs(shoal_d3_dot(n, shoal_d3_sub(p, c[0]))) / area) : best;
}

static shoal_v3 random_point(uint64_t stream, double size) {
    return shoal_v3_make((float)(size * (shoal_random(3, stream, 0) - 0.5)),
                         (float)(size * (shoal_random(3, stream, 1) - 0.5)),
                         (float)(size * (shoal_random(3, stream, 2) - 0.5)));
}

static double brute_force(const shoal_v3* v, const int* t, int count, shoal_v3 p) {
    double best = 1e300;
    for (int i = 0; i < count; i++) {
        shoal_d3 c[3];
        for (int k = 0; k < 3; k++) c[k] = shoal_d3_from(v[t[3 * i + k]]);
        best = fmin(best, plain_distance(c, shoal_d3_from(p)));
    }
    return best;
}

static void check_nearest(const shoal_v3* v, const int* t, int count, double size) {
    shoal_bvh* bvh = NULL;
    assert_int_equal(shoal_bvh_create(v, t, count, &bvh), SHOAL_OK);
    int hint = -1;
    for (uint64_t i = 0; i < 300; i++) {
        shoal_v3 p     = random_point(1000 + i, 2.0 * size);
        int      fresh = -1;
        double   d     = sqrt((double)shoal_bvh_nearest(bvh, p, &fresh));
        assert_near(d, brute_force(v, t, count, p), 2e-6 * size);
        assert_near(sqrt((double)shoal_bvh_nearest(bvh, p, &hint)), d, 1e-6 * size);
        assert_in_range(fresh, 0, count - 1);
    }
    shoal_bvh_destroy(bvh);
}

static void nearest_distances_are_those_of_brute_force(void** state) {
    (void)state;
    enum { COUNT = 500 };
    shoal_v3 v[3 * COUNT];
    int      t[3 * COUNT];
    for (int i = 0; i < 3 * COUNT; i++) {
        v[i] = random_point((uint64_t)i, i % 3 ? 10.0 : 3.0);
        t[i] = i;
    }
    check_nearest(v, t, COUNT, 10.0);
}

static void slivers_and_collapsed_triangles_are_measured_too(void** state) {
    (void)state;
    enum { COUNT = 200 };
    shoal_v3 v[3 * COUNT];
    int      t[3 * COUNT];
    for (int i = 0; i < COUNT; i++) {
        shoal_v3 a = random_point((uint64_t)i, 10.0), b = random_point((uint64_t)i + 500, 10.0);
        float    fraction = (float)i / (float)COUNT;
        v[3 * i]          = a;
        v[3 * i + 1]      = i % 4 == 0 ? a : b;
        v[3 * i + 2]      = i % 4 == 1   ? b
                            : i % 4 == 2 ? a
                                         : shoal_v3_add_scaled(a, shoal_v3_sub(b, a), 3.0f * fraction - 1.0f);
        for (int k = 0; k < 3; k++) t[3 * i + k] = 3 * i + (k + i) % 3;
    }
    check_nearest(v, t, COUNT, 10.0);
}

static void a_thousand_triangles_in_one_place_do_not_deepen_the_tree(void** state) {
    (void)state;
    enum { COUNT = 1000 };
    const shoal_v3 v[3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    int*           t    = shoal_alloc(3 * COUNT, sizeof *t);
    for (int i = 0; i < 3 * COUNT; i++) t[i] = i % 3;
    check_nearest(v, t, COUNT, 1.0);
    shoal_free(t);
}

// Whichever corner comes first; but not those that look the other way.
static void copies_of_a_triangle_are_one(void** state) {
    (void)state;
    const shoal_v3 v[4] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 0, 0}};
    const int      t[]  = {0, 1, 2, 1, 2, 0, 2, 0, 3, 0, 2, 1};
    shoal_bvh*     tree = NULL;
    assert_int_equal(shoal_bvh_create(v, t, 4, &tree), SHOAL_OK);
    assert_int_equal(tree->triangle_count, 2);
    assert_int_equal(tree->ids[0] + tree->ids[1], 3);
    shoal_bvh_destroy(tree);
}

static void sizes_falling_by_powers_do_not_overrun_the_stack(void** state) {
    (void)state;
    enum { COUNT = 360 }; // each split by bins takes off few of these
    shoal_v3* v = shoal_alloc(3 * COUNT, sizeof *v);
    int*      t = shoal_alloc(3 * COUNT, sizeof *t);
    for (int i = 0; i < COUNT; i++) {
        float x = ldexpf(1.0f, -i / 3), s = 0.25f * x;
        v[3 * i]     = shoal_v3_make(i % 3 == 0 ? x : 0, i % 3 == 1 ? x : 0, i % 3 == 2 ? x : 0);
        v[3 * i + 1] = shoal_v3_add(v[3 * i], shoal_v3_make(s, 0, 0));
        v[3 * i + 2] = shoal_v3_add(v[3 * i], shoal_v3_make(0, s, 0));
    }
    for (int i = 0; i < 3 * COUNT; i++) t[i] = i;
    check_nearest(v, t, COUNT, 1.0);
    shoal_free(t);
    shoal_free(v);
}

static double plain_winding(const shoal_mesh* m, shoal_v3 p) {
    double sum = 0.0;
    for (int t = 0; t < m->triangle_count; t++) {
        shoal_d3 c[3];
        for (int k = 0; k < 3; k++)
            c[k] = shoal_d3_sub(shoal_d3_from(m->vertices[m->triangles[3 * t + k]]), shoal_d3_from(p));
        double l[3] = {shoal_d3_length(c[0]), shoal_d3_length(c[1]), shoal_d3_length(c[2])};
        sum += atan2(shoal_d3_dot(c[0], shoal_d3_cross(c[1], c[2])),
                     l[0] * l[1] * l[2] + shoal_d3_dot(c[0], c[1]) * l[2] + shoal_d3_dot(c[1], c[2]) * l[0] +
                         shoal_d3_dot(c[2], c[0]) * l[1]);
    }
    return sum / (2.0 * SHOAL_PI);
}

static void clustered_winding_numbers_are_those_of_the_plain_sum(void** state) {
    (void)state;
    for (int open = 0; open < 2; open++) {
        shoal_mesh* torus = mesh_torus(2.0, 0.8, 30, 80);
        if (open) torus->triangle_count -= 900;
        shoal_bvh*    bvh = NULL;
        shoal_winding winding;
        assert_int_equal(shoal_bvh_create(torus->vertices, torus->triangles, torus->triangle_count, &bvh), SHOAL_OK);
        assert_int_equal(shoal_winding_create(bvh, &winding), SHOAL_OK);
        for (uint64_t i = 0; i < 500; i++) {
            shoal_v3 p = random_point(i, 6.0);
            assert_near(shoal_winding_at(&winding, p), plain_winding(torus, p), 0.1);
        }
        shoal_winding_free(&winding);
        shoal_bvh_destroy(bvh);
        shoal_mesh_destroy(torus);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nearest_distances_are_those_of_brute_force),
        cmocka_unit_test(slivers_and_collapsed_triangles_are_measured_too),
        cmocka_unit_test(a_thousand_triangles_in_one_place_do_not_deepen_the_tree),
        cmocka_unit_test(copies_of_a_triangle_are_one),
        cmocka_unit_test(sizes_falling_by_powers_do_not_overrun_the_stack),
        cmocka_unit_test(clustered_winding_numbers_are_those_of_the_plain_sum),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
