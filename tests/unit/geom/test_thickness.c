// SPDX-License-Identifier: MIT
// Walls of shapes by their distance alone.
#include "geom/thickness.h"

#include <math.h>

#include "unit/check.h"

static const shoal_box everywhere = {{-1e30, -1e30, -1e30}, {1e30, 1e30, 1e30}};

static shoal_shape* box(double x, double y, double z) {
    shoal_shape* s = NULL;
    CHECK_OK(
        shoal_shape_box(shoal_d3_make(-0.5 * x, -0.5 * y, -0.5 * z), shoal_d3_make(0.5 * x, 0.5 * y, 0.5 * z), &s));
    return s;
}
static shoal_shape* ball(double radius) {
    shoal_shape* s = NULL;
    CHECK_OK(shoal_shape_sphere(radius, &s));
    return s;
}
static shoal_shape* placed(shoal_shape* child, double degrees, shoal_d3 at) {
    shoal_shape* s    = NULL;
    double       half = degrees * 3.14159265358979323846 / 360.0;
    shoal_quat   turn = {.w = cos(half), .x = 0.6 * sin(half), .y = 0.0, .z = 0.8 * sin(half)};
    CHECK_OK(shoal_shape_place(child, shoal_d3_make(1.0, 1.0, 1.0), turn, at, &s));
    return s;
}
static shoal_shape* without(shoal_shape* a, shoal_shape* b) {
    shoal_shape *s = NULL, *both[2] = {a, b};
    CHECK_OK(shoal_shape_combined(SHOAL_SUBTRACT, both, 2, &s));
    return s;
}
static double thinnest(shoal_shape* shape, double most, shoal_d3* at) {
    double wall = shoal_shape_thinnest(shape, everywhere, most, at);
    shoal_shape_destroy(shape);
    return wall;
}

static void plates_are_as_thin_as_they_are_in_any_orientation(void** state) {
    (void)state;
    for (int k = 0; k < 6; k++) {
        double thick = 0.01 + 0.012 * k;
        CHECK_NEAR(thinnest(placed(box(1.0, thick, 0.7), 23.0 * k, shoal_d3_make(0.3, 0.1 * k, -2.0)), 0.1, NULL),
                   thick, 0.02 * thick);
    }
}

static void what_is_hollowed_out_has_walls(void** state) {
    (void)state;
    shoal_d3 at;
    double wall = thinnest(without(box(1.0, 1.0, 1.0), placed(box(0.9, 1.0, 0.94), 0.0, shoal_d3_make(0.0, 0.08, 0.0))),
                           0.12, &at);
    CHECK_NEAR(wall, 0.03, 0.001);
    CHECK_NEAR(fabs(at.z), 0.485, 0.001);
    CHECK_NEAR(thinnest(without(ball(0.5), ball(0.46)), 0.1, NULL), 0.04, 0.001);
}

static void thick_ones_edges_and_what_is_endless_have_none(void** state) {
    (void)state;
    shoal_shape *plane = NULL, *cone = NULL;
    CHECK_OK(shoal_shape_plane(shoal_d3_make(0.0, 1.0, 0.0), 0.0, &plane));
    CHECK_OK(shoal_shape_cone(0.5, 0.5, &cone));
    assert_true(isinf(thinnest(box(1.0, 1.0, 1.0), 0.1, NULL)));
    assert_true(isinf(thinnest(ball(0.5), 0.1, NULL)));
    assert_true(isinf(thinnest(plane, 0.1, NULL)));
    assert_true(isinf(thinnest(cone, 0.1, NULL)));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plates_are_as_thin_as_they_are_in_any_orientation),
        cmocka_unit_test(what_is_hollowed_out_has_walls),
        cmocka_unit_test(thick_ones_edges_and_what_is_endless_have_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
