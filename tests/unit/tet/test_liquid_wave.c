// SPDX-License-Identifier: MIT
// A wave of liquid on a mesh.
#include "swing.h"

// Through three crossings of the middle.
static void a_wave_swings_at_its_period(void** state) {
    (void)state;
    swing s = swing_for(16, 0.02, 1.5);
    CHECK_NEAR(s.period, 1.0, 0.03);
    CHECK_NEAR(s.amplitude, 1.0, 0.05);
    CHECK_NEAR(s.volume, 1.0, 0.002);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_wave_swings_at_its_period)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
