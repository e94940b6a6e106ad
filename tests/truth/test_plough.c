// SPDX-License-Identifier: MIT
// A blade goes down into wet sand under water and through it: sand and water are squeezed, pushed aside, and stay in
// the box.
#include "lab.h"
#include "truth/figure.h"

static const char plough[] =
    "solver: grains\nspacing: 0.02\nfps: 30\ndomain: {min: [-0.16, 0, -0.08], max: [0.16, 0.3, 0.08]}\n"
    "materials: {sand: {preset: sand, wetness: 1.2}, water: {preset: water}}\n"
    "bodies:\n"
    "  - {material: sand, box: {min: [-0.16, 0, -0.08], max: [0.16, 0.06, 0.08]}}\n"
    "  - {material: water, box: {min: [-0.16, 0.06, -0.08], max: [0.16, 0.1, 0.08]}}\n"
    "obstacles:\n"
    "  - {name: blade, box: {min: [-0.01, 0, -0.05], max: [0.01, 0.1, 0.05]}, motion: [{t: 0, at: [-0.1, 0.15, 0]}, "
    "{t: 0.2, at: [-0.1, 0.03, 0]}, {t: 0.6, at: [0.1, 0.03, 0], rotate: {axis: [0, 1, 0], degrees: 40}}]}\n";

static void a_blade_goes_through_wet_sand_under_water(void** state) {
    (void)state;
    shoal_sim* sim     = lab_sim(plough, (lab_setup){0});
    double     fastest = 0.0, pushed = 0.0;
    for (int frame = 0; frame < 18; frame++) {
        CHECK_OK(shoal_sim_advance(sim, 1.0 / 30.0));
        assert_true(lab_stat(sim, "water_balance") == 0.0);
        fastest = fmax(fastest, lab_stat(sim, "speed_max_mps"));
        pushed  = fmin(pushed, lab_stat(sim, "obstacle_force_x_n"));
    }
    truth_below("blade through wet sand under water: largest speed, where the blade has 0.6", "grains", fastest, "m/s",
                8.0);
    truth_below("blade through wet sand under water: largest push on the blade", "grains", pushed, "N", -1.0);
    shoal_sim_destroy(sim);
}

int main(int argc, char** argv) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_blade_goes_through_wet_sand_under_water)};
    return TRUTH_RUN("grains", tests, argc, argv);
}
