// SPDX-License-Identifier: MIT
// Open fractions of faces against straight edges, whose areas are exact, and against their own
// symmetries.
#include "unit/check.h"

#include "grid/fraction.h"

static uint64_t state = 5;
static float    random_signed(void) {
       state = state * 6364136223846793005u + 1442695040888963407u;
       return (float)((double)(state >> 11) * 0x1p-52 - 1.0);
}

// Open area of the unit square where n . x > d, by clipping the square.
static double clipped(double nx, double ny, double d) {
    const double corner[4][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
    double       poly[8][2], area = 0;
    int          count = 0;
    for (int k = 0; k < 4; k++) {
        const double *a = corner[k], *b = corner[(k + 1) % 4];
        double        fa = nx * a[0] + ny * a[1] - d, fb = nx * b[0] + ny * b[1] - d;
        if (fa >= 0) memcpy(poly[count++], a, sizeof poly[0]);
        if ((fa >= 0) != (fb >= 0)) {
            double t         = fa / (fa - fb);
            poly[count][0]   = a[0] + t * (b[0] - a[0]);
            poly[count++][1] = a[1] + t * (b[1] - a[1]);
        }
    }
    for (int k = 0; k < count; k++) {
        const double *a = poly[k], *b = poly[(k + 1) % count];
        area += 0.5 * (a[0] * b[1] - a[1] * b[0]);
    }
    return area;
}

static void a_straight_edge_leaves_exactly_its_area_open(void** unused) {
    (void)unused;
    for (int k = 0; k < 20000; k++) {
        double nx = (double)random_signed(), ny = (double)random_signed(), d = (double)random_signed();
        float  a = (float)-d, b = (float)(nx - d), c = (float)(nx + ny - d), e = (float)(ny - d);
        CHECK_NEAR((double)shoal_face_open(a, b, c, e), clipped(nx, ny, d), 1e-5);
    }
}

static void open_and_closed_change_places_with_the_sign(void** unused) {
    (void)unused;
    for (int k = 0; k < 20000; k++) {
        float a = random_signed(), b = random_signed(), c = random_signed(), d = random_signed();
        float open = shoal_face_open(a, b, c, d);
        assert_true(open >= 0 && open <= 1);
        CHECK_NEAR((double)(open + shoal_face_open(-a, -b, -c, -d)), 1, 1e-6);
        CHECK_NEAR((double)shoal_face_open(b, c, d, a), (double)open, 1e-6); // turned
        CHECK_NEAR((double)shoal_face_open(d, c, b, a), (double)open, 1e-6); // mirrored
    }
}

static void two_opposite_corners_join_when_the_middle_is_solid(void** unused) {
    (void)unused;
    CHECK_NEAR((double)shoal_face_open(-3, 1, -3, 1), 2 * 0.5 * 0.25 * 0.25, 1e-6);
    CHECK_NEAR((double)shoal_face_open(-1, 3, -1, 3), 1 - 2 * 0.5 * 0.25 * 0.25, 1e-6);
    assert_true(shoal_face_open(0, 0, 0, 0) == 1);
    assert_true(shoal_face_open(-1, -1, -1, -1) == 0);
    assert_true(shoal_face_open(-1, -1, 0, 0) == 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_straight_edge_leaves_exactly_its_area_open),
        cmocka_unit_test(open_and_closed_change_places_with_the_sign),
        cmocka_unit_test(two_opposite_corners_join_when_the_middle_is_solid),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
