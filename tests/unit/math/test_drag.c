// SPDX-License-Identifier: MIT
// The laws of drag against their limits, against each other and against measured spheres.
#include "unit/check.h"

#include "math/drag.h"

static const shoal_drag_liquid water = {1000.0f, 1e-3f, 1e-3f}; // grains of 1 mm

static void beds_are_ergun_s_when_packed_and_stokes_spheres_far_apart(void** state) {
    (void)state;
    float packed = shoal_drag_gidaspow(&water, 0.4f, 0.0f), apart = shoal_drag_gidaspow(&water, 0.9999f, 0.0f);
    CHECK_NEAR((double)packed, 150.0 * 0.36 * 1e-3 / (0.4 * 1e-6), 1.0);
    CHECK_NEAR((double)apart, 18.0 * 1e-3 / 1e-6 * 1e-4, 0.01);
    for (float pores = 0.35f; pores < 1.0f; pores += 0.05f)
        CHECK_BELOW((double)shoal_drag_gidaspow(&water, pores, 0.1f),
                    (double)shoal_drag_gidaspow(&water, pores - 0.02f, 0.1f));
}

// A bed of spheres apart is its spheres: their number in a cubic metre times the drag of one, but for 9 %, the
// difference of the two fits to measured spheres.
static void a_bed_apart_is_its_spheres(void** state) {
    (void)state;
    double each = SHOAL_PI / 6.0 * 1e-9;
    for (float pores = 0.81f; pores < 0.999f; pores += 0.03f)
        for (float speed = 1e-4f; speed < 0.5f; speed *= 3.0f) {
            double bed     = (double)shoal_drag_gidaspow(&water, pores, speed);
            double spheres = (1.0 - (double)pores) / each * (double)shoal_drag_sphere(&water, pores, speed);
            // K counts the pressure that the drag makes as drag, too: 1/n of the spheres' own
            CHECK_NEAR(bed * (double)pores / spheres, 1.0, 0.12);
        }
}

// C of a lone sphere by the recommended fits to what was measured [Clift, Grace & Weber 1978, table 5.2].
static void a_lone_sphere_has_the_drag_that_was_measured(void** state) {
    (void)state;
    const struct {
        double reynolds, coefficient;
    } measured[] = {{0.1, 244.3}, {1.0, 27.16}, {10.0, 4.26}, {100.0, 1.087}, {1000.0, 0.47}};
    for (int k = 0; k < 5; k++) {
        double speed = measured[k].reynolds * 1e-6 / 1e-3;
        double force = (double)shoal_drag_sphere(&water, 1.0f, (float)speed) * speed;
        double c     = force / (0.5 * 1000.0 * speed * speed * 0.25 * SHOAL_PI * 1e-6);
        printf("Re %g: C %.4g, measured %.4g\n", measured[k].reynolds, c, measured[k].coefficient);
        CHECK_NEAR(c / measured[k].coefficient, 1.0, 0.12);
    }
}

static void a_still_or_thin_liquid_gives_numbers(void** state) {
    (void)state;
    shoal_drag_liquid thin = {1000.0f, 0.0f, 1e-3f};
    for (float pores = 0.3f; pores <= 1.0f; pores += 0.1f) {
        assert_true(isfinite(shoal_drag_gidaspow(&thin, pores, 0.0f)) &&
                    isfinite(shoal_drag_sphere(&thin, pores, 0.0f)));
        assert_true(isfinite(shoal_drag_gidaspow(&thin, pores, 9.0f)) &&
                    isfinite(shoal_drag_sphere(&thin, pores, 9.0f)));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(beds_are_ergun_s_when_packed_and_stokes_spheres_far_apart),
        cmocka_unit_test(a_bed_apart_is_its_spheres),
        cmocka_unit_test(a_lone_sphere_has_the_drag_that_was_measured),
        cmocka_unit_test(a_still_or_thin_liquid_gives_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
