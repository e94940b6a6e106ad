// SPDX-License-Identifier: MIT
// Liquid as a tracked surface with a mesh in it, all parts of a step together: still water, falling water, waves.
#include "tank.h"

static void drop(void* ctx, const shoal_d3* at, int count, double* value) {
    (void)ctx;
    for (int i = 0; i < count; i++) value[i] = shoal_d3_length(at[i]) - 0.3;
}

// With a mesh made anew in every step. `level`: a round number, and none.
static void keep_still(double level) {
    double           degree = SHOAL_PI / 180.0;
    tank             t      = {.turn = shoal_quat_mul(shoal_quat_turn(shoal_d3_make(0.0, 0.0, 1.0), 17.0 * degree),
                                                      shoal_quat_turn(shoal_d3_make(1.0, 0.0, 0.0), 11.0 * degree)),
                               .half = {0.7, 0.6, 0.5}};
    water            w      = {.height = level, .end = 9.0};
    shoal_tet_solids solids = {&t, off_tank, false};
    shoal_tet_liquid l      = {0};
    fall             g      = {1.0 / 60.0};
    shoal_box        box    = {{-1.1, -1.1, -1.1}, {1.1, 1.1, 1.1}};
    CHECK_OK(shoal_tet_liquid_begin(&l, box, 0.12, wet, &w, &solids, &two));
    double before = shoal_tet_now(&l)->volume;
    for (int k = 0; k < 8; k++) CHECK_OK(shoal_tet_liquid_step(&l, g.dt, &solids, push, &g, &usual, &two));
    print_message("%d tets, fastest %.1e m/s, volume %+.1e\n", shoal_tet_now(&l)->mesh.tet_count,
                  shoal_tet_fastest(&l, &two), shoal_tet_now(&l)->volume / before - 1.0);
    CHECK_BELOW(shoal_tet_fastest(&l, &two), 1e-8 * sqrt(9.81 * 0.5));
    CHECK_NEAR(shoal_tet_now(&l)->volume / before, 1.0, 1e-9);
    shoal_tet_liquid_free(&l);
}

static void still_water_stays_still_and_keeps_its_volume(void** state) {
    (void)state;
    keep_still(0.05);
    keep_still(0.0613);
}

static void a_drop_falls_freely(void** state) {
    (void)state;
    tank             t      = {.turn = {1.0, 0.0, 0.0, 0.0}, .is_none = true};
    shoal_tet_solids solids = {&t, off_tank, false};
    shoal_tet_liquid l      = {0};
    fall             g      = {0.01};
    shoal_box        box    = {{-0.5, -1.5, -0.5}, {0.5, 0.5, 0.5}};
    shoal_d3         centre;
    CHECK_OK(shoal_tet_liquid_begin(&l, box, 0.1, drop, NULL, &solids, &two));
    double before = shoal_tet_now(&l)->volume;
    for (int k = 0; k < 15; k++) CHECK_OK(shoal_tet_liquid_step(&l, g.dt, &solids, push, &g, &usual, &two));
    energy_of(&l, &centre);
    print_message("centre %.4f m, volume %+.1e\n", centre.y, shoal_tet_now(&l)->volume / before - 1.0);
    CHECK_NEAR(centre.y, -0.5 * 9.81 * 0.15 * 0.14, 0.002); // velocities of the begin of each step
    CHECK_NEAR(shoal_tet_now(&l)->volume / before, 1.0, 2e-3);
    shoal_tet_liquid_free(&l);
}

// Through three crossings of the middle.
static void a_wave_swings_at_its_period(void** state) {
    (void)state;
    swing s = swing_for(16, 0.02, 1.5);
    CHECK_NEAR(s.period, 1.0, 0.03);
    CHECK_NEAR(s.amplitude, 1.0, 0.05);
    CHECK_NEAR(s.volume, 1.0, 0.002);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(still_water_stays_still_and_keeps_its_volume),
        cmocka_unit_test(a_drop_falls_freely),
        cmocka_unit_test(a_wave_swings_at_its_period),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
