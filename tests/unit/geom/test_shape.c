// SPDX-License-Identifier: MIT
// Primitives are proved exact: the foot of the normal lies on the surface, and no point of the
// surface is nearer.
#include <string.h>

#include "base/hash.h"
#include "geom/shape.h"
#include "meshes.h"

enum { POINTS = 400, SURFACE = 4000 };

static shoal_d3 random_point(uint64_t stream, uint64_t n, double size) {
    return shoal_d3_make(size * (2.0 * shoal_random(7, stream, 3 * n) - 1.0),
                         size * (2.0 * shoal_random(7, stream, 3 * n + 1) - 1.0),
                         size * (2.0 * shoal_random(7, stream, 3 * n + 2) - 1.0));
}

static shoal_d3 on_circle(double radius, double y, double turn) {
    return shoal_d3_make(radius * cos(2.0 * SHOAL_PI * turn), y, radius * sin(2.0 * SHOAL_PI * turn));
}

// Points on the surfaces, u, v, w in [0, 1), w choosing the part.
static shoal_d3 on_box(double u, double v, double w) {
    int      face = (int)(w * 6.0);
    double   p[3] = {u, v, face & 1 ? 1.0 : 0.0};
    int      a    = face / 2;
    shoal_d3 unit = shoal_d3_make(p[(2 + 3 - a) % 3], p[(3 - a) % 3], p[(4 - a) % 3]);
    return shoal_d3_make(-0.5 + 1.5 * unit.x, -0.2 + 0.6 * unit.y, 0.1 + 0.5 * unit.z);
}
static bool in_box(shoal_d3 p) { return p.x > -0.5 && p.x < 1.0 && p.y > -0.2 && p.y < 0.4 && p.z > 0.1 && p.z < 0.6; }
static shoal_d3 on_sphere(double u, double v, double w) {
    (void)w;
    double y = 2.0 * u - 1.0;
    return shoal_d3_scale(on_circle(sqrt(1.0 - y * y), y, v), 0.7);
}
static bool     in_sphere(shoal_d3 p) { return shoal_d3_length(p) < 0.7; }
static shoal_d3 on_cylinder(double u, double v, double w) {
    if (w < 0.5) return on_circle(0.4, 1.2 * u - 0.6, v);
    return on_circle(0.4 * u, w < 0.75 ? -0.6 : 0.6, v);
}
static double   radius_of(shoal_d3 p) { return sqrt(p.x * p.x + p.z * p.z); }
static bool     in_cylinder(shoal_d3 p) { return radius_of(p) < 0.4 && fabs(p.y) < 0.6; }
static shoal_d3 on_cone(double u, double v, double w) {
    return w < 0.5 ? on_circle(0.5 * (1.0 - u), 0.9 * u, v) : on_circle(0.5 * u, 0.0, v);
}
static bool     in_cone(shoal_d3 p) { return p.y > 0.0 && radius_of(p) < 0.5 * (1.0 - p.y / 0.9); }
static shoal_d3 on_capsule(double u, double v, double w) {
    if (w < 0.4) return on_circle(0.3, 0.8 * u - 0.4, v);
    double y = 0.3 * u;
    return on_circle(sqrt(0.09 - y * y), w < 0.7 ? 0.4 + y : -0.4 - y, v);
}
static bool in_capsule(shoal_d3 p) {
    double y = fmax(fabs(p.y) - 0.4, 0.0);
    return p.x * p.x + y * y + p.z * p.z < 0.09;
}
static shoal_d3 on_torus(double u, double v, double w) {
    (void)w;
    return on_circle(0.6 + 0.25 * cos(2.0 * SHOAL_PI * u), 0.25 * sin(2.0 * SHOAL_PI * u), v);
}
static bool in_torus(shoal_d3 p) {
    double r = radius_of(p) - 0.6;
    return r * r + p.y * p.y < 0.0625;
}

typedef struct solid {
    const char* name;
    shoal_d3 (*on)(double u, double v, double w);
    bool (*in)(shoal_d3 p);
    double volume;
} solid;

static const solid solids[] = {{"box", on_box, in_box, 1.5 * 0.6 * 0.5},
                               {"sphere", on_sphere, in_sphere, 4.0 / 3.0 * SHOAL_PI * 0.343},
                               {"cylinder", on_cylinder, in_cylinder, SHOAL_PI * 0.16 * 1.2},
                               {"cone", on_cone, in_cone, SHOAL_PI * 0.25 * 0.9 / 3.0},
                               {"capsule", on_capsule, in_capsule, SHOAL_PI * 0.09 * (0.8 + 0.4)},
                               {"torus", on_torus, in_torus, 2.0 * SHOAL_PI* SHOAL_PI * 0.6 * 0.0625}};
enum { SOLIDS = sizeof solids / sizeof *solids };

static shoal_shape* make(int which) {
    shoal_shape* s      = NULL;
    shoal_status status = SHOAL_OK;
    switch (which) {
    case 0:
        status = shoal_shape_box(shoal_d3_make(-0.5, -0.2, 0.1), shoal_d3_make(1.0, 0.4, 0.6), &s);
        break;
    case 1:
        status = shoal_shape_sphere(0.7, &s);
        break;
    case 2:
        status = shoal_shape_cylinder(0.4, 1.2, &s);
        break;
    case 3:
        status = shoal_shape_cone(0.5, 0.9, &s);
        break;
    case 4:
        status = shoal_shape_capsule(0.3, 0.8, &s);
        break;
    default:
        status = shoal_shape_torus(0.6, 0.25, &s);
        break;
    }
    assert_int_equal(status, SHOAL_OK);
    return s;
}

static shoal_d3 surface_point(int which, int i) {
    uint64_t n = (uint64_t)i;
    return solids[which].on(shoal_random(9, 0, n), shoal_random(9, 1, n), shoal_random(9, 2, n));
}

static void distances_of_primitives_are_exact_on_both_sides(void** state) {
    (void)state;
    for (int which = 0; which < SOLIDS; which++) {
        shoal_shape* s = make(which);
        for (int i = 0; i < POINTS; i++) {
            shoal_d3 p = random_point(1, (uint64_t)i, 1.3), n;
            double   d = shoal_shape_distance_normal(s, p, &n);
            assert_near(shoal_shape_distance(s, p), d, 0.0);
            assert_int_equal(d < 0.0, solids[which].in(p));
            assert_near(shoal_d3_length(n), 1.0, 1e-12);
            shoal_d3 foot = shoal_d3_sub(p, shoal_d3_scale(n, d));
            assert_near(shoal_shape_distance(s, foot), 0.0, 1e-12);
            for (int k = 0; k < SURFACE; k++)
                assert_true(shoal_d3_length(shoal_d3_sub(p, surface_point(which, k))) > fabs(d) - 1e-12);
        }
        shoal_shape_destroy(s);
    }
}

static void surfaces_are_at_distance_zero_within_the_bounds(void** state) {
    (void)state;
    for (int which = 0; which < SOLIDS; which++) {
        shoal_shape* s   = make(which);
        shoal_box    box = shoal_box_grown(shoal_shape_bounds(s), 1e-12), seen = shoal_box_empty();
        for (int k = 0; k < SURFACE; k++) {
            shoal_d3 p = surface_point(which, k);
            assert_near(shoal_shape_distance(s, p), 0.0, 1e-12);
            assert_true(shoal_box_holds(box, p));
            seen = shoal_box_with(seen, p);
        }
        assert_near(box.max.x, seen.max.x, 0.03);
        assert_near(box.min.y, seen.min.y, 0.03);
        assert_near(shoal_shape_volume_estimate(s), solids[which].volume, 1e-12);
        shoal_shape_destroy(s);
    }
}

static void normals_exist_on_axes_edges_and_centres(void** state) {
    (void)state;
    const shoal_d3 odd[] = {{0, 0, 0},       {0, 0.2, 0}, {0, 0.9, 0},   {0.5, 0, 0},
                            {1.0, 0.4, 0.6}, {0.6, 0, 0}, {0, 1e300, 0}, {-1e308, 1e308, 1e308},
                            {0, -0.6, 0},    {0, 0.7, 0}};
    for (int which = 0; which < SOLIDS; which++) {
        shoal_shape* s = make(which);
        for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
            shoal_d3 n;
            double   d = shoal_shape_distance_normal(s, odd[i], &n);
            assert_true(isfinite(d));
            assert_near(shoal_d3_length(n), 1.0, 1e-9);
        }
        shoal_shape_destroy(s);
    }
}

static void a_plane_is_solid_below_its_offset(void** state) {
    (void)state;
    shoal_shape* s = NULL;
    shoal_d3     n;
    assert_int_equal(shoal_shape_plane(shoal_d3_make(0, 2, 0), 0.5, &s), SHOAL_OK);
    assert_near(shoal_shape_distance_normal(s, shoal_d3_make(3, 1, 4), &n), 0.5, 1e-15);
    assert_near(n.y, 1.0, 1e-15);
    assert_true(shoal_shape_distance(s, shoal_d3_make(0, 0, 0)) < 0.0);
    assert_near(shoal_shape_bounds(s).max.y, 0.5, 0.0);
    assert_near(shoal_shape_bounds(s).max.x, 1e30, 0.0);
    shoal_shape* placed = NULL;
    assert_int_equal(
        shoal_shape_place(s, shoal_d3_make(1, 2, 1), shoal_quat_identity(), shoal_d3_make(0, 1, 0), &placed), SHOAL_OK);
    assert_near(shoal_shape_distance(placed, shoal_d3_make(9, 3, 9)), 1.0, 1e-15);
    assert_near(shoal_shape_bounds(placed).max.y, 2.0, 1e-15);
    assert_near(shoal_shape_bounds(placed).min.x, -1e30, 0.0);
    shoal_shape_destroy(placed);
}

static shoal_d3 placed_point(shoal_d3 p, shoal_d3 scale, shoal_quat turn, shoal_d3 at) {
    return shoal_d3_add(shoal_quat_rotate(turn, shoal_d3_make(p.x * scale.x, p.y * scale.y, p.z * scale.z)), at);
}

static void uniform_placements_keep_distances_exact(void** state) {
    (void)state;
    shoal_quat turn = shoal_quat_turn(shoal_d3_make(0.6, 0.0, 0.8), 1.1);
    shoal_d3   at = shoal_d3_make(1.0, -2.0, 0.5), scale = shoal_d3_make(-3.0, 3.0, 3.0);
    for (int which = 0; which < SOLIDS; which++) {
        shoal_shape *plain = make(which), *s = NULL;
        assert_int_equal(shoal_shape_place(make(which), scale, turn, at, &s), SHOAL_OK);
        for (int i = 0; i < POINTS; i++) {
            shoal_d3 p = random_point(2, (uint64_t)i, 1.3), n, m;
            double   d = shoal_shape_distance_normal(plain, p, &n);
            assert_near(shoal_shape_distance_normal(s, placed_point(p, scale, turn, at), &m), 3.0 * d, 1e-12);
            n = shoal_quat_rotate(turn, shoal_d3_make(-n.x, n.y, n.z));
            assert_near(shoal_d3_dot(n, m), 1.0, 1e-9);
            shoal_box box = shoal_box_grown(shoal_shape_bounds(s), 1e-12);
            assert_true(shoal_box_holds(box, placed_point(surface_point(which, i), scale, turn, at)));
        }
        assert_near(shoal_shape_volume_estimate(s), 27.0 * solids[which].volume, 1e-9);
        shoal_shape_destroy(plain);
        shoal_shape_destroy(s);
    }
}

static void uneven_scales_give_a_lower_bound_with_the_right_sign(void** state) {
    (void)state;
    shoal_quat turn = shoal_quat_turn(shoal_d3_make(0.0, 0.6, 0.8), 0.7);
    shoal_d3   at = shoal_d3_make(0.1, 0.2, 0.3), scale = shoal_d3_make(0.5, 2.0, 1.0);
    for (int which = 0; which < SOLIDS; which++) {
        shoal_shape* s = NULL;
        assert_int_equal(shoal_shape_place(make(which), scale, turn, at, &s), SHOAL_OK);
        for (int i = 0; i < POINTS; i++) {
            shoal_d3 local = random_point(4, (uint64_t)i, 1.3), p = placed_point(local, scale, turn, at), n;
            double   d = shoal_shape_distance_normal(s, p, &n), nearest = 1e300;
            assert_int_equal(d < 0.0, solids[which].in(local));
            for (int k = 0; k < SURFACE; k++)
                nearest = fmin(
                    nearest, shoal_d3_length(shoal_d3_sub(p, placed_point(surface_point(which, k), scale, turn, at))));
            assert_true(fabs(d) <= nearest + 1e-9);
            if (which == 0) assert_true(fabs(d) > nearest - 0.15); // boxes stay exact
            // uphill is the way of the normal
            assert_true(shoal_shape_distance(s, shoal_d3_add(p, shoal_d3_scale(n, 1e-6))) > d);
        }
        shoal_shape_destroy(s);
    }
}

static void combinations_have_the_signs_of_their_sets(void** state) {
    (void)state;
    for (int how = SHOAL_UNION; how <= SHOAL_SUBTRACT; how++) {
        shoal_shape* children[3] = {make(1), make(0), make(2)};
        shoal_shape* s           = NULL;
        assert_int_equal(shoal_shape_combined((shoal_combine)how, children, 3, &s), SHOAL_OK);
        shoal_box box = shoal_shape_bounds(s);
        for (int i = 0; i < 5 * POINTS; i++) {
            shoal_d3 p = random_point(5, (uint64_t)i, 1.2), n;
            bool     a = in_sphere(p), b = in_box(p), c = in_cylinder(p);
            bool     in = how == SHOAL_UNION ? a || b || c : how == SHOAL_INTERSECT ? a && b && c : a && !b && !c;
            double   d  = shoal_shape_distance_normal(s, p, &n);
            assert_int_equal(d < 0.0, in);
            assert_true(!in || shoal_box_holds(box, p));
            double rise = shoal_shape_distance(s, shoal_d3_add(p, shoal_d3_scale(n, 1e-7))) - d;
            assert_near(rise, 1e-7, 1e-9);
        }
        shoal_shape_destroy(s);
    }
}

static shoal_shape* cylinder_at(double radius, double low, double high) {
    shoal_shape* s = NULL;
    assert_int_equal(shoal_shape_cylinder(radius, high - low, &s), SHOAL_OK);
    assert_int_equal(shoal_shape_place(s, shoal_d3_make(1, 1, 1), shoal_quat_identity(),
                                       shoal_d3_make(0.0, 0.5 * (low + high), 0.0), &s),
                     SHOAL_OK);
    return s;
}

// A pipe of radius 0.08, cut out of a block by two cylinders that overlap by little, or touch, or are one union: in it
// the nearest solid is its wall, at the seam as elsewhere.
static void cutters_that_meet_leave_nothing_between_them(void** state) {
    (void)state;
    static const double overlaps[] = {0.0, 1e-4, 0.02};
    const double        cell = 0.005, radius = 0.08;
    for (int k = 0; k < 6; k++) {
        shoal_shape *s = NULL, *cleared = NULL, *children[3] = {NULL};
        assert_int_equal(shoal_shape_box(shoal_d3_make(-0.12, -0.2, -0.12), shoal_d3_make(0.12, 0.2, 0.12), children),
                         SHOAL_OK);
        children[1] = cylinder_at(radius, -0.3, overlaps[k / 2]), children[2] = cylinder_at(radius, 0.0, 0.3);
        if (k % 2) assert_int_equal(shoal_shape_combined(SHOAL_UNION, children + 1, 2, children + 1), SHOAL_OK);
        assert_int_equal(shoal_shape_combined(SHOAL_SUBTRACT, children, k % 2 ? 2 : 3, &s), SHOAL_OK);
        assert_true(shoal_shape_distance(s, shoal_d3_make(0.01, 0.5 * overlaps[k / 2], 0.0)) < 0.011); // as it was
        assert_int_equal(shoal_shape_cleared(s, cell, 3e5, 2, &cleared), SHOAL_OK);
        for (int i = 0; i < 5 * POINTS; i++) {
            shoal_d3 p = shoal_d3_scale(random_point(7, (uint64_t)i, 1.0), 0.11), n;
            double   d = shoal_shape_distance_normal(cleared, p, &n), r = hypot(p.x, p.z), clearance = radius - r;
            assert_int_equal(d<0.0, r> radius);
            if (r > radius) continue;
            assert_true(d < clearance + 1e-9 && d > 0.95 * clearance - 0.75 * cell);
            double covered = fmax(overlaps[k / 2] - p.y, p.y); // depth below the ends of the cutters
            if (r > 0.02 && covered < 0.9 * clearance - cell) assert_true(n.x * p.x + n.z * p.z < -0.95 * r);
        }
        shoal_shape_destroy(cleared);
    }
    // one cutter needs nothing
    shoal_shape *s = NULL, *same = NULL, *children[2] = {NULL, cylinder_at(radius, -0.3, 0.3)};
    assert_int_equal(shoal_shape_box(shoal_d3_make(-0.12, -0.2, -0.12), shoal_d3_make(0.12, 0.2, 0.12), children),
                     SHOAL_OK);
    assert_int_equal(shoal_shape_combined(SHOAL_SUBTRACT, children, 2, &s), SHOAL_OK);
    assert_int_equal(shoal_shape_cleared(s, cell, 3e5, 2, &same), SHOAL_OK);
    assert_ptr_equal(s, same);
    shoal_shape_destroy(same);
}

// An hourglass of cylinders and cones: where it is solid is said by its closed form alone.
static void what_is_cleared_is_solid_where_it_was(void** state) {
    (void)state;
    static const struct {
        double radius, height, at;
        int    is_cone; // -1: with its tip down
    } cutters[] = {{0.09, 0.18, 0.058, 0},
                   {0.09, 0.11, 0.14, 1},
                   {0.032, 0.1, 0.25, 0},
                   {0.09, 0.11, 0.36, -1},
                   {0.09, 0.18, 0.442, 0}};
    shoal_shape *parts[3][6], *s = NULL, *cleared = NULL, *coarse = NULL;
    for (int k = 0; k < 3; k++) {
        assert_int_equal(
            shoal_shape_box(shoal_d3_make(-0.11, -0.01, -0.11), shoal_d3_make(0.11, 0.51, 0.11), &parts[k][0]),
            SHOAL_OK);
        for (int i = 0; i < 5; i++) {
            shoal_shape** part = &parts[k][1 + i];
            assert_int_equal(cutters[i].is_cone ? shoal_shape_cone(cutters[i].radius, cutters[i].height, part)
                                                : shoal_shape_cylinder(cutters[i].radius, cutters[i].height, part),
                             SHOAL_OK);
            assert_int_equal(
                shoal_shape_place(*part, shoal_d3_make(1, 1, 1),
                                  shoal_quat_turn(shoal_d3_make(1, 0, 0), cutters[i].is_cone < 0 ? SHOAL_PI : 0.0),
                                  shoal_d3_make(0.0, cutters[i].at, 0.0), part),
                SHOAL_OK);
        }
    }
    assert_int_equal(shoal_shape_combined(SHOAL_SUBTRACT, parts[0], 6, &s), SHOAL_OK);
    assert_int_equal(shoal_shape_combined(SHOAL_SUBTRACT, parts[1], 6, &cleared), SHOAL_OK);
    assert_int_equal(shoal_shape_combined(SHOAL_SUBTRACT, parts[2], 6, &coarse), SHOAL_OK);
    size_t before = shoal_memory_in_use();
    assert_int_equal(shoal_shape_cleared(cleared, 0.005, 3e5, 2, &cleared), SHOAL_OK);
    size_t fine = shoal_memory_in_use() - before;
    assert_int_equal(shoal_shape_cleared(coarse, 0.005, 1e3, 2, &coarse), SHOAL_OK);
    assert_true(shoal_memory_in_use() - before - fine < fine - fine / 10); // fewer samples; the skin has its own
    int raised = 0;
    for (int i = 0; i < 10 * POINTS; i++) {
        shoal_d3 q = random_point(8, (uint64_t)i, 1.0), p = shoal_d3_make(0.12 * q.x, 0.25 + 0.27 * q.y, 0.12 * q.z);
        double   closed = shoal_shape_distance(s, p), d = shoal_shape_distance(cleared, p);
        assert_true(closed < 0.0 ? d == closed : d >= closed);
        double far = shoal_shape_distance(coarse, p);
        assert_true(closed < 0.0 ? far == closed : far >= closed);
        raised += d > closed;
    }
    assert_true(raised > POINTS / 10);
    shoal_shape_destroy(s);
    shoal_shape_destroy(cleared);
    shoal_shape_destroy(coarse);
}

static void shapes_that_cannot_be_are_refused(void** state) {
    (void)state;
    shoal_shape* s = NULL;
    assert_int_equal(shoal_shape_sphere(-1.0, &s), SHOAL_ERR_INPUT);
    assert_non_null(strstr(shoal_last_error(), "radius = -1"));
    assert_int_equal(shoal_shape_sphere((double)NAN, &s), SHOAL_ERR_INPUT);
    assert_int_equal(shoal_shape_cone(1.0, 0.0, &s), SHOAL_ERR_INPUT);
    assert_int_equal(shoal_shape_torus(1.0, (double)INFINITY, &s), SHOAL_ERR_INPUT);
    assert_int_equal(shoal_shape_box(shoal_d3_make(0, 0, 0), shoal_d3_make(1, 0, 1), &s), SHOAL_ERR_INPUT);
    assert_int_equal(shoal_shape_plane(shoal_d3_make(0, 0, 0), 1.0, &s), SHOAL_ERR_INPUT);
    assert_int_equal(shoal_shape_combined(SHOAL_UNION, NULL, 0, &s), SHOAL_ERR_INPUT);
    size_t held = shoal_memory_in_use();
    assert_int_equal(
        shoal_shape_place(make(1), shoal_d3_make(1, 0, 1), shoal_quat_identity(), shoal_d3_make(0, 0, 0), &s),
        SHOAL_ERR_INPUT);
    assert_int_equal(
        shoal_shape_place(make(1), shoal_d3_make(1, 1, 1), shoal_quat_make(0, 0, 0, 0), shoal_d3_make(0, 0, 0), &s),
        SHOAL_ERR_INPUT);
    assert_int_equal(shoal_memory_in_use(), held); // the children were taken
    assert_null(s);
}

static void a_tree_that_is_too_deep_is_refused(void** state) {
    (void)state;
    shoal_shape* s      = make(1);
    shoal_status status = SHOAL_OK;
    int          depth  = 1;
    for (; status == SHOAL_OK && depth < 1000; depth++)
        status = depth % 2
                     ? shoal_shape_combined(SHOAL_UNION, &s, 1, &s)
                     : shoal_shape_place(s, shoal_d3_make(1, 1, 1), shoal_quat_identity(), shoal_d3_make(0, 0, 0), &s);
    assert_int_equal(status, SHOAL_ERR_INPUT);
    assert_int_equal(depth, 65);
}

static void a_mesh_is_a_shape_like_any_other(void** state) {
    (void)state;
    shoal_mesh*  sphere = mesh_sphere(0.5, 40);
    shoal_shape *s = NULL, *placed = NULL;
    assert_int_equal(shoal_shape_mesh(sphere, 0.05, 2, &s), SHOAL_OK);
    assert_int_equal(shoal_shape_mesh(sphere, -1.0, 2, &placed), SHOAL_ERR_INPUT);
    shoal_mesh_destroy(sphere);
    assert_near(shoal_shape_volume_estimate(s), 4.0 / 3.0 * SHOAL_PI * 0.125, 0.01);
    assert_int_equal(shoal_shape_place(s, shoal_d3_make(2, 2, 2), shoal_quat_turn(shoal_d3_make(0, 0, 1), 0.3),
                                       shoal_d3_make(5, 0, 0), &placed),
                     SHOAL_OK);
    for (int i = 0; i < POINTS; i++) {
        shoal_d3 q = random_point(6, (uint64_t)i, 3.0), n;
        double   d = shoal_shape_distance_normal(placed, shoal_d3_add(q, shoal_d3_make(5, 0, 0)), &n);
        double   r = shoal_d3_length(q);
        assert_int_equal(d < 0.0, r < 1.0 - 0.01 || (r < 1.01 && d < 0.0));
        if (r < 1.2) assert_near(d, r - 1.0, 0.05);
        if (r > 0.3 && r < 1.2) assert_true(shoal_d3_dot(n, q) / r > 0.98);
    }
    shoal_shape_destroy(placed);
}

// A floor of four boxes, a wall on two of them, and a pillar that overlaps it a little: inside, the way out is that of
// the whole, and none along a face that another box covers.
static void boxes_of_a_union_that_touch_have_no_seam(void** state) {
    (void)state;
    static const double boxes[][6] = {{0.0, -0.5, 0.0, 1.0, 0.0, 1.0},
                                      {1.0, -0.5, 0.0, 2.0, 0.0, 1.0},
                                      {0.0, -0.5, 1.0, 1.0, 0.0, 2.0},
                                      {0.0, 0.0, 0.0, 2.0, 1.0, 0.4}};
    shoal_shape *       children[6], *s;
    for (int k = 0; k < 4; k++)
        assert_int_equal(shoal_shape_box(shoal_d3_make(boxes[k][0], boxes[k][1], boxes[k][2]),
                                         shoal_d3_make(boxes[k][3], boxes[k][4], boxes[k][5]), &children[k]),
                         SHOAL_OK);
    assert_int_equal(shoal_shape_box(shoal_d3_make(-0.5, -0.25, -0.5), shoal_d3_make(0.5, 0.25, 0.5), &children[4]),
                     SHOAL_OK);
    assert_int_equal(shoal_shape_place(children[4], shoal_d3_make(1.0, 1.0, 1.0), shoal_quat_make(1.0, 0.0, 0.0, 0.0),
                                       shoal_d3_make(1.5, -0.25, 1.5), &children[4]),
                     SHOAL_OK);
    assert_int_equal(shoal_shape_box(shoal_d3_make(1.9, -0.5, 0.0), shoal_d3_make(2.5, 1.0, 0.4), &children[5]),
                     SHOAL_OK);
    assert_int_equal(shoal_shape_combined(SHOAL_UNION, children, 6, &s), SHOAL_OK);
    static const struct {
        double at[3], distance;
        int    axis; // of the way out
    } points[] = {
        {{1.0, -0.1, 0.7}, -0.1, 1},  {{1.0, -0.1, 1.0}, -0.1, 1}, {{0.99, -0.05, 1.01}, -0.05, 1},
        {{0.5, 0.0, 0.2}, -0.2, 2},   {{2.0, 0.5, 0.1}, -0.1, 2},  {{1.5, 0.0, 0.39}, -0.01, 2},
        {{1.0, 0.03, 0.41}, 0.01, 2}, {{1.0, 0.02, 1.0}, 0.02, 1},
    };
    for (size_t k = 0; k < sizeof points / sizeof *points; k++) {
        shoal_d3 normal, p = shoal_d3_make(points[k].at[0], points[k].at[1], points[k].at[2]);
        assert_true(fabs(shoal_shape_distance_normal(s, p, &normal) - points[k].distance) < 1e-12);
        assert_true(fabs(shoal_d3_axis(normal, points[k].axis)) > 1.0 - 1e-12);
    }
    shoal_shape_destroy(s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(distances_of_primitives_are_exact_on_both_sides),
        cmocka_unit_test(surfaces_are_at_distance_zero_within_the_bounds),
        cmocka_unit_test(normals_exist_on_axes_edges_and_centres),
        cmocka_unit_test(a_plane_is_solid_below_its_offset),
        cmocka_unit_test(boxes_of_a_union_that_touch_have_no_seam),
        cmocka_unit_test(uniform_placements_keep_distances_exact),
        cmocka_unit_test(uneven_scales_give_a_lower_bound_with_the_right_sign),
        cmocka_unit_test(combinations_have_the_signs_of_their_sets),
        cmocka_unit_test(cutters_that_meet_leave_nothing_between_them),
        cmocka_unit_test(what_is_cleared_is_solid_where_it_was),
        cmocka_unit_test(shapes_that_cannot_be_are_refused),
        cmocka_unit_test(a_tree_that_is_too_deep_is_refused),
        cmocka_unit_test(a_mesh_is_a_shape_like_any_other),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
