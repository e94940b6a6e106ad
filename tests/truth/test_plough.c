// SPDX-License-Identifier: MIT
// A blade goes down into wet sand under water and through it: sand and water are squeezed, pushed aside, and stay in
// the box.
#include "lab.h"
#include "truth/figure.h"

static const char plough[] =
    "seed: %d\nsolver: grains\nspacing: 0.02\nfps: 30\ndomain: {min: [-0.16, 0, -0.08], max: [0.16, 0.3, 0.08]}\n"
    "materials: {sand: {preset: sand, wetness: 1.2}, water: {preset: water}}\n"
    "bodies:\n"
    "  - {material: sand, box: {min: [-0.16, 0, -0.08], max: [0.16, 0.06, 0.08]}}\n"
    "  - {material: water, box: {min: [-0.16, 0.06, -0.08], max: [0.16, 0.1, 0.08]}}\n"
    "obstacles:\n"
    "  - {name: blade, box: {min: [-0.01, 0, -0.05], max: [0.01, 0.1, 0.05]}, motion: [{t: 0, at: [-0.1, 0.15, 0]}, "
    "{t: 0.2, at: [-0.1, 0.03, 0]}, {t: 0.6, at: [0.1, 0.03, 0], rotate: {axis: [0, 1, 0], degrees: 40}}]}\n";

typedef struct passage {
    double fastest, pushed; // m/s, N
} passage;

static passage plough_through(int seed) {
    char text[2048];
    snprintf(text, sizeof text, plough, seed);
    shoal_sim* sim = lab_sim(text, (lab_setup){0});
    passage    out = {0.0, 0.0};
    for (int frame = 0; frame < 18; frame++) {
        CHECK_OK(shoal_sim_advance(sim, 1.0 / 30.0));
        assert_true(lab_stat(sim, "water_balance") == 0.0);
        out.fastest = fmax(out.fastest, lab_stat(sim, "speed_max_mps"));
        out.pushed  = fmin(out.pushed, lab_stat(sim, "obstacle_force_x_n"));
    }
    shoal_sim_destroy(sim);
    return out;
}

// The fastest is a single particle, and which one hangs on the last bits (2.8 to 8.0 m/s with seeds 1 to 6): the middle
// of three.
static void a_blade_goes_through_wet_sand_under_water(void** state) {
    (void)state;
    passage p[3];
    for (int k = 0; k < 3; k++) p[k] = plough_through(k + 1);
    double a = p[0].fastest, b = p[1].fastest, c = p[2].fastest;
    truth_below("blade through wet sand under water: largest speed, where the blade has 0.6, middle of three", "grains",
                fmax(fmin(a, b), fmin(fmax(a, b), c)), "m/s", 6.0);
    CHECK_BELOW(fmax(a, fmax(b, c)), 10.0); // none explodes
    truth_below("blade through wet sand under water: largest push on the blade", "grains",
                fmax(p[0].pushed, fmax(p[1].pushed, p[2].pushed)), "N", -1.0);
}

int main(int argc, char** argv) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_blade_goes_through_wet_sand_under_water)};
    return TRUTH_RUN("grains", tests, argc, argv);
}
