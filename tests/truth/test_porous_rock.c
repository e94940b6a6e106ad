// SPDX-License-Identifier: MIT
// Coarse rock that water passes through, against an experiment.
#include "truth/rock.h"

static void water_passes_through_a_block_of_rock(void** state) {
    (void)state;
    rock_result r = rock_dam(0.01, 0.03, 3);
    truth_below("dam through rock, spacing 10 mm: surface off outside, rms", "porous", 1e3 * r.outside, "mm", 15);
    truth_below("dam through rock, spacing 10 mm: surface off inside, rms", "porous", 1e3 * r.inside, "mm", 26);
    CHECK_NEAR(r.drift, 0, 1e-12);
}

// Inside, the surface was read between stones of 15.9 mm, to half a stone: 12 mm of the model and 8 mm of that
// make 14.4. Most of what is missing is at 0.2 s, when the gate, which is not here, had just been lifted: 36 mm in the
// middle.
static void water_passes_through_a_block_of_rock_in_detail(void** state) {
    (void)state;
    rock_result r = rock_dam(0.005, 0.03, ROCK_TIMES);
    truth_below("dam through rock, spacing 5 mm: surface off outside, rms", "porous", 1e3 * r.outside, "mm", 10);
    truth_below("dam through rock, spacing 5 mm: surface off inside, rms", "porous", 1e3 * r.inside, "mm", 14.4);
    CHECK_NEAR(r.drift, 0, 1e-12);
}

int main(int argc, char** argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(water_passes_through_a_block_of_rock),
        TRUTH_LONG(water_passes_through_a_block_of_rock_in_detail),
    };
    return TRUTH_RUN("porous", tests, argc, argv);
}
