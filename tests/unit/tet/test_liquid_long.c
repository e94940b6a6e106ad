// SPDX-License-Identifier: MIT
// Waves of liquid on a mesh for many swings.
#include "tank.h"

static void a_wave_keeps_its_period_and_energy(void** state) {
    (void)state;
    swing s = swing_for(32, 0.02, 5.0);
    CHECK_NEAR(s.period, 1.0, 0.015);
    assert_true(s.energy > 0.9 && s.energy < 1.1);
    CHECK_NEAR(s.volume, 1.0, 0.005);
}

static void a_larger_wave_keeps_most_of_its_energy(void** state) {
    (void)state;
    swing s = swing_for(32, 0.08, 3.4);
    assert_true(s.energy > 0.5 && s.energy < 1.1);
    CHECK_NEAR(s.volume, 1.0, 0.01);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_wave_keeps_its_period_and_energy),
        cmocka_unit_test(a_larger_wave_keeps_most_of_its_energy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
