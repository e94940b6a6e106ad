// SPDX-License-Identifier: MIT
// Surfaces that are tracked, at the sizes of the papers: Zalesak's slotted ball, and Enright's flow.
#include "tracked.h"

static const shoal_exec all = {2};

// Zalesak's: at 128 cells below 1 % of volume and 0.3 cells.
static void a_slotted_ball_turns_once_and_is_the_same(void** state) {
    (void)state;
    shape  s = {slotted, {0.5, 0.75, 0.5}, 0.15};
    double distance, gained = turned(s, 128, &distance, &all);
    print_message("Zalesak's turn, 128 cells: volume %+.2f %%, mean distance %.2f cells\n", 100.0 * gained, distance);
    assert_true(fabs(gained) < 0.01 && distance < 0.3);
}

static void a_ball_drawn_to_a_sheet_comes_back(void** state) {
    (void)state;
    double distance, plain = deformed(128, 192, false, &distance, &all);
    print_message("Enright's flow, 128 cells: volume %+.2f %%, mean distance %.2f cells\n", 100.0 * plain, distance);
    double gained = deformed(128, 192, true, &distance, &all);
    print_message("volume given back: %+.2f %%, %.2f cells\n", 100.0 * gained, distance);
    assert_true(fabs(gained) < 0.01 && distance < 1.0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_slotted_ball_turns_once_and_is_the_same),
        cmocka_unit_test(a_ball_drawn_to_a_sheet_comes_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
