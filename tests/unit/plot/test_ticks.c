// SPDX-License-Identifier: MIT
// Axes have round ticks, hold their values and say them shortly.
#include "unit/check.h"

#include "base/hash.h"
#include "plot/ticks.h"

static bool is_round(double step) {
    double power = pow(10.0, floor(log10(step) + 1e-9)), fraction = step / power;
    return fabs(fraction - 1) < 1e-6 || fabs(fraction - 2) < 1e-6 || fabs(fraction - 5) < 1e-6;
}

static void steps_are_round(void** state) {
    (void)state;
    CHECK_NEAR(shoal_round_step(0.13), 0.2, 1e-12);
    CHECK_NEAR(shoal_round_step(1.0), 1.0, 1e-12);
    CHECK_NEAR(shoal_round_step(21.0), 50.0, 1e-9);
    CHECK_NEAR(shoal_round_step(7e5), 1e6, 1e-3);
}

static void any_range_has_some_round_ticks_within_its_ends(void** state) {
    (void)state;
    for (uint64_t k = 0; k < 4000; k++) {
        double     scale = pow(10.0, 24.0 * shoal_random(1, 0, k) - 12.0);
        double     low = scale * (shoal_random(1, 1, k) - 0.5), range = scale * shoal_random(1, 2, k);
        int        wanted  = 2 + (int)(8 * shoal_random(1, 3, k));
        bool       widened = k % 2 == 0;
        shoal_axis a       = shoal_axis_make(low, low + range, wanted, widened, k % 3 ? "J" : "");
        assert_true(is_round(a.step));
        assert_true(a.low <= low && a.high >= low + range);
        assert_true(a.count >= 2 && a.count <= 3 * wanted + 1);
        for (int i = 0; i < a.count; i++) {
            assert_true(a.ticks[i] >= a.low - 1e-3 * a.step && a.ticks[i] <= a.high + 1e-3 * a.step);
            assert_true(fabs(a.ticks[i] / a.step - round(a.ticks[i] / a.step)) < 1e-6);
            assert_true(strlen(a.labels[i]) <= 16);
            if (i > 0) assert_string_not_equal(a.labels[i], a.labels[i - 1]);
        }
    }
}

static void labels_say(shoal_axis a, const char* first, const char* last, const char* unit) {
    assert_string_equal(a.labels[0], first);
    assert_string_equal(a.labels[a.count - 1], last);
    assert_string_equal(a.unit, unit);
}

static void labels_are_as_people_write_them(void** state) {
    (void)state;
    labels_say(shoal_axis_make(0, 0.9, 5, false, "s"), "0", "0.8", "s");
    labels_say(shoal_axis_make(0, 38000, 4, false, "J"), "0", "30", "kJ");
    labels_say(shoal_axis_make(-0.004, 0.004, 4, false, "m"), "−4", "4", "mm");
    labels_say(shoal_axis_make(0, 2500000, 5, false, ""), "0", "2.5M", "");
    labels_say(shoal_axis_make(0, 300000, 3, false, ""), "0", "300k", "");
    labels_say(shoal_axis_make(0, 2e7, 2, false, "kg·m/s"), "0", "2e+07", "kg·m/s");
    labels_say(shoal_axis_make(-1, 1, 2, false, "%"), "−1", "1", "%");
}

static void a_widened_axis_leaves_room_but_keeps_zero(void** state) {
    (void)state;
    shoal_axis a = shoal_axis_make(0, 1, 5, true, "");
    assert_true(a.low == 0.0);
    assert_true(a.high > 1.0 && a.high < 1.1);
    a = shoal_axis_make(0.1, 0.95, 5, true, "");
    CHECK_NEAR(a.high, 1.0, 1e-9);
}

static void constants_and_nothing_have_an_axis_too(void** state) {
    (void)state;
    shoal_axis a = shoal_axis_make(6400, 6400, 5, true, "");
    assert_true(a.low < 6400 && a.high > 6400 && a.count >= 2);
    a = shoal_axis_make(0, 0, 5, true, "J");
    assert_true(a.high > a.low && a.count >= 2);
    a = shoal_axis_make(HUGE_VAL, -HUGE_VAL, 5, true, "J");
    assert_true(a.high > a.low && a.count >= 2);
    a = shoal_axis_make((double)NAN, (double)NAN, 5, true, "J");
    assert_true(a.high > a.low);
    a = shoal_axis_make(-HUGE_VAL, HUGE_VAL, 5, true, "J");
    assert_true(isfinite(a.high - a.low));
    a = shoal_axis_make(5.0, 5.0 + 1e-14, 5, true, "");
    assert_string_not_equal(a.labels[0], a.labels[1]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_are_round),
        cmocka_unit_test(any_range_has_some_round_ticks_within_its_ends),
        cmocka_unit_test(labels_are_as_people_write_them),
        cmocka_unit_test(a_widened_axis_leaves_room_but_keeps_zero),
        cmocka_unit_test(constants_and_nothing_have_an_axis_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
