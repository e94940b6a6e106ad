// SPDX-License-Identifier: MIT
// Passes of the contacts on two grains that are laid out by hand.
#include "unit/check.h"

#include "solvers/grains/grains_pass.h"

enum { GRAINS = 2, SLOTS = GRAINS * SHOAL_LANES };

// Two grains of 1 mm that overlap by 0.1 mm, each in a team of its own with a row of one partner. What lies in the rows
// is that of lists of before: all was held deep. Energy of the springs of both, rows awake or asleep.
static float energy_of_two(float wake) {
    const shoal_v4 place[GRAINS] = {{0.0f, 0.0f, 0.0f, 1e-3f}, {1.9e-3f, 0.0f, 0.0f, 1e-3f}}, fine[GRAINS] = {0};
    uint32_t       first[GRAINS]  = {0, SHOAL_LANES};
    uint16_t       count[GRAINS]  = {1, 1};
    uint8_t        solids[GRAINS] = {0};
    int            index[SLOTS]   = {[0] = 1, [SHOAL_LANES] = 0};
    float          held[SLOTS], rows[GRAINS] = {wake, wake};
    float          touching[GRAINS], deepest[GRAINS], energy[GRAINS];
    for (int k = 0; k < SLOTS; k++) held[k] = 5e-5f;
    grains_view v = {
        .count        = GRAINS,
        .k            = 1e4f,
        .dents        = true,
        .yield        = 1e-5f,
        .full         = 2e-4f,
        .hard         = 5.0f,
        .dent         = 0.8f,
        .place        = place,
        .fine         = fine,
        .lists        = {.first = first, .count = count, .solids = solids, .index = index, .held = held, .wake = rows},
        .coordination = touching,
        .overlap      = deepest,
        .elastic      = energy};
    for (int i = 0; i < GRAINS; i++) grains_gauge(&v, i);
    for (int i = 0; i < GRAINS; i++) assert_float_equal(touching[i], 1.0f, 0.0f);
    return energy[0] + energy[1];
}

static void a_row_that_sleeps_holds_nothing(void** state) {
    (void)state;
    float fresh = 0.5f * 1e4f * 1e-4f * 1e-4f; // of a spring that was never pressed
    assert_float_equal(energy_of_two(0.0f), fresh, 1e-4f * fresh);
    assert_float_equal(energy_of_two(3e-4f), fresh, 1e-4f * fresh);
    assert_true(energy_of_two(-1.0f) < 0.95f * fresh); // a dent gives back less
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_row_that_sleeps_holds_nothing)};
    return cmocka_run_group_tests_name("grains_pass", tests, NULL, NULL);
}
