// SPDX-License-Identifier: MIT
// A truth program for the test of script/truth: a grain that falls, by the formula, for as long as
// TOY_SECONDS says, and a test that breaks where TOY_BREAKS is set.
#include "truth/figure.h"

static double seconds(void) { return getenv("TOY_SECONDS") ? atof(getenv("TOY_SECONDS")) : 1.0; }

static void a_grain_falls_five_metres_in_a_second(void** state) {
    (void)state;
    double fallen = 0.5 * 9.81 * seconds() * seconds();
    truth_near("falling grain: way", "grains", fallen, "m", 4.905, 0.001);
    truth_below("falling grain: way over that of a feather", "flip", fallen / 4.0, "", 2.0);
}

static void a_test_may_break(void** state) {
    (void)state;
    truth_above("breaking test: seconds", "flip", seconds(), "s", 0.0);
    assert_null(getenv("TOY_BREAKS"));
}

int main(int argc, char** argv) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_grain_falls_five_metres_in_a_second),
                                       cmocka_unit_test(a_test_may_break)};
    return TRUTH_RUN("grains flip", tests, argc, argv);
}
