// SPDX-License-Identifier: MIT
// Laws of sand against their figures.
#include "unit/check.h"

#include "math/rheology.h"

static void slopes_and_cones_follow_the_angle(void** state) {
    (void)state;
    assert_true(fabs(shoal_friction_slope(45.0) - 1.0) < 1e-15 &&
                fabs(shoal_friction_slope(30.0) - 0.57735026919) < 1e-10);
    assert_true(fabs(shoal_yield_repose(30.0) - 1.0) < 1e-15);
    assert_true(fabs(shoal_yield_plane_strain(30.0) - 0.86602540378) < 1e-10);
    assert_true(fabs(shoal_yield_printed(30.0) - 0.5) < 1e-15);
}

// Figure 2 of Jop, Forterre & Pouliquen 2006: from tan 20.9 at rest to tan 32.76, half way at I = 0.3 (0.279 there).
static void friction_grows_with_the_rate_to_that_of_the_experiment(void** state) {
    (void)state;
    assert_true(shoal_friction_by_rate(0.0f) == 0.0f && fabsf(shoal_friction_by_rate(0.3f) - 0.13f) < 1e-7f);
    double rise = shoal_friction_slope(32.76) - shoal_friction_slope(20.9);
    assert_true(fabs((double)shoal_friction_by_rate(1e6f) - rise) < 0.003);
}

static void tractions_stay_within_the_bound(void** state) {
    (void)state;
    assert_true(shoal_friction_fraction(2.0f, 3.9f) == 1.0f && shoal_friction_fraction(2.0f, 16.0f) == 0.5f);
    assert_true(shoal_friction_fraction(0.0f, 1.0f) == 0.0f && shoal_friction_fraction(0.0f, 0.0f) == 1.0f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slopes_and_cones_follow_the_angle),
        cmocka_unit_test(friction_grows_with_the_rate_to_that_of_the_experiment),
        cmocka_unit_test(tractions_stay_within_the_bound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
