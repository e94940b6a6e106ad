// SPDX-License-Identifier: MIT
// Ten thousand substeps of water that comes, soaks in, comes out, splits and joins, and leaves: all of it is somewhere.
#include "lab.h"

static void no_water_gets_lost_in_ten_thousand_substeps(void** state) {
    (void)state;
    shoal_sim* sim =
        lab_sim("solver: porous\nspacing: 0.02\nporous: {substeps: 5}\n"
                "domain: {max: [0.4, 0.4, 0.08], walls: {back: periodic, front: periodic, top: open}}\n"
                "materials: {water: {preset: water}, sand: {preset: sand, permeability: 3e-9, "
                "capillary_height: 0.02, wetness: 0.3}}\n"
                "bodies: [{material: sand, box: {min: [0, 0, 0], max: [0.24, 0.12, 0.08]}}]\n"
                "emitters: [{material: water, disc: {radius: 0.025}, at: [0.08, 0.3, 0.04], velocity: [0, "
                "-0.5, 0]}]\n"
                "obstacles: [{box: {min: [0.24, -0.1, -0.1], max: [0.28, 0.11, 0.2]}}]\n" // a weir keeps the sand
                "sinks: [{box: {min: [0.3, 0, 0], max: [0.4, 0.03, 0.08]}}]\n",
                (lab_setup){0});
    double worst = 0;
    for (int k = 0; k < 2000; k++) {
        lab_run(sim, 0.01, 0.01);
        worst = fmax(worst, fabs(lab_stat(sim, "water_balance_rel")));
    }
    printf("balance within %.1e; %.0f split, %.0f joined, %.0f engulfed, %.0f emitted, %.0f removed\n", worst,
           lab_stat(sim, "split"), lab_stat(sim, "merged"), lab_stat(sim, "engulfed"), lab_stat(sim, "emitted"),
           lab_stat(sim, "removed"));
    CHECK_BELOW(worst, 1e-12);
    CHECK_BELOW(20, lab_stat(sim, "split"));
    CHECK_BELOW(20, lab_stat(sim, "merged"));
    CHECK_BELOW(0.01, lab_stat(sim, "water_in_sand_kg"));
    shoal_sim_destroy(sim);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(no_water_gets_lost_in_ten_thousand_substeps)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
