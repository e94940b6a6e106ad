// SPDX-License-Identifier: MIT
// Surfaces as `tetra` tracks them, at the sizes of the papers: Zalesak's slotted ball, and Enright's flow.
#include "truth/figure.h"
#include "unit/tet/tracked.h"

static const shoal_exec all = {.threads = 2};

static void a_slotted_ball_turns_once_and_is_the_same(void** state) {
    (void)state;
    shape  s = {slotted, {0.5, 0.75, 0.5}, 0.15};
    double distance, gained = turned(s, 128, &distance, &all);
    truth_near("Zalesak's turn, 128 cells: volume", "tetra", 1.0 + gained, "", 1.0, 0.01);
    truth_below("Zalesak's turn, 128 cells: mean distance", "tetra", distance, "cells", 0.3);
}

// Without the volume given back it may gain; with it, it does not. Thickened, the sheet does not vanish, but it gains
// volume in every step, which is taken from all of it: what comes back is a crumpled shell and no ball. The bounds of
// that only watch it. (What thickening will add is not foreseen here, as it is by the solver.)
static void draw_to_a_sheet(int cells, int steps, bool grow, double thin, const char* how, double volume, double most) {
    double distance, gained = deformed(cells, steps, grow, thin, &distance, &all);
    truth_near(truth_case("Enright's flow, %d cells%s: volume", cells, how), "tetra", 1.0 + gained, "", 1.0, volume);
    truth_below(truth_case("Enright's flow, %d cells%s: mean distance", cells, how), "tetra", distance, "cells", most);
}
static void a_ball_drawn_to_a_sheet_comes_back(void** state) {
    (void)state;
    draw_to_a_sheet(128, 192, false, 0.0, ", volume as it comes", 0.15, 1.5);
    draw_to_a_sheet(128, 192, true, 0.0, "", 0.01, 1.0);
}
static void a_sheet_that_is_thickened_comes_back(void** state) {
    (void)state;
    draw_to_a_sheet(128, 192, true, 1.2, ", thickened", 0.04, 20.0);
}
static void a_ball_drawn_to_a_thinner_sheet_comes_back(void** state) {
    (void)state;
    draw_to_a_sheet(256, 384, false, 0.0, ", volume as it comes", 0.15, 1.5);
    draw_to_a_sheet(256, 384, true, 0.0, "", 0.01, 1.0);
    draw_to_a_sheet(256, 384, true, 1.2, ", thickened", 0.04, 20.0);
}

int main(int argc, char** argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_slotted_ball_turns_once_and_is_the_same),
        cmocka_unit_test(a_ball_drawn_to_a_sheet_comes_back),
        cmocka_unit_test(a_sheet_that_is_thickened_comes_back),
        TRUTH_LONG(a_ball_drawn_to_a_thinner_sheet_comes_back),
    };
    return TRUTH_RUN("tetra", tests, argc, argv);
}
