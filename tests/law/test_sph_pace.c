// SPDX-License-Identifier: MIT
// The substeps and sweeps that sph chooses by itself, and what its columns tell of them.
#include "lab.h"

// Substeps of the first `seconds`.
static double substeps(const char* text, double seconds, const char* method, const char* set) {
    shoal_sim* sim = lab_sim(text, (lab_setup){.threads = 1, .set = {"solver=sph", method, set}});
    CHECK_OK(shoal_sim_advance(sim, seconds));
    double steps = (double)shoal_sim_steps(sim);
    shoal_sim_destroy(sim);
    return steps;
}

// A blob that flies, weightless.
#define BLOB(speed)                                                                                                    \
    "spacing: 0.05\ngravity: [0, 0, 0]\n"                                                                              \
    "bodies: [{material: water, box: {size: [0.2, 0.2, 0.2]}, velocity: [" speed ", 0, 0]}]\n"

static void the_fastest_goes_cfl_spacings_in_a_substep(void** state) {
    (void)state;
    double steps = substeps(BLOB("8"), 0.2, "sph.pressure=dfsph", "sph.cfl=0.4"), wanted = 8.0 * 0.2 / (0.4 * 0.05);
    printf("%.0f substeps, the speed asks for %.0f\n", steps, wanted);
    CHECK_NEAR(steps, wanted, 2.0);
}

// c (1 + 0.6 alpha) over cfl h/2
static void sound_crosses_cfl_smoothing_lengths_in_a_substep(void** state) {
    (void)state;
    double steps  = substeps(BLOB("1"), 0.02, "sph.pressure=wcsph", "sph.sound_speed=100"),
           wanted = 0.02 * 100.0 * (1.0 + 0.6 * 0.1) / (0.4 * 0.05);
    printf("%.0f substeps, sound asks for %.0f\n", steps, wanted);
    CHECK_NEAR(steps, wanted, 2.0);
}

// 0.1 sqrt(h/2 / a), of a drop that is let go
static void what_pushes_shortens_substeps(void** state) {
    (void)state;
    static const char text[] = "spacing: 0.05\ngravity: [0, -90, 0]\nbodies: [{material: water, "
                               "box: {size: [0.2, 0.2, 0.2]}}]\n";
    double steps = substeps(text, 0.02, "sph.pressure=dfsph", NULL), wanted = 0.02 / (0.1 * sqrt(0.05 / 90.0));
    printf("%.0f substeps, gravity asks for %.1f\n", steps, wanted);
    CHECK_NEAR(steps, wanted, 1.5);
}

// 0.1 sqrt(rho d^3 / sigma), of a drop at rest without gravity
static void capillary_waves_are_resolved(void** state) {
    (void)state;
    static const char text[] = "spacing: 0.005\ngravity: [0, 0, 0]\nmaterials: {water: {density: "
                               "1000, surface_tension: 0.0728}}\n"
                               "bodies: [{material: water, box: {size: [0.02, 0.02, 0.02]}}]\n";
    double            steps  = substeps(text, 0.02, "sph.pressure=dfsph", "sph.tension=akinci"),
           wanted            = 0.02 / (0.1 * sqrt(1000.0 * 0.005 * 0.005 * 0.005 / 0.0728));
    printf("%.0f substeps, capillary waves ask for %.1f\n", steps, wanted);
    CHECK_BELOW(0.99 * wanted, steps); // and the pull itself, which shortens all but the first
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_fastest_goes_cfl_spacings_in_a_substep),
        cmocka_unit_test(sound_crosses_cfl_smoothing_lengths_in_a_substep),
        cmocka_unit_test(what_pushes_shortens_substeps),
        cmocka_unit_test(capillary_waves_are_resolved),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
