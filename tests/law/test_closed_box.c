// SPDX-License-Identifier: MIT
// Liquid that fills a closed box to the lid: there is no room to expand into, and stirring must not make energy from
// nothing.
#include "lab.h"

static const char* const methods[] = {"sph.pressure=wcsph", "sph.pressure=pcisph", "sph.pressure=dfsph"};

// A disc of water that turns in the middle of a full box without weight, between periodic walls; `turned`: about
// another axis.
static shoal_sim* vortex(const char* solver, const char* method, bool turned) {
    const char* upright =
        "domain: {max: [0.28, 0.28, 0.08], walls: {back: periodic, front: periodic}}\n"
        "bodies:\n"
        "  - {material: water, cylinder: {radius: 0.07, height: 0.08}, rotate: {axis: [1, 0, 0], degrees: 90}, at: "
        "[0.14, 0.14, 0.04], spin: [0, 0, 12]}\n"
        "  - {material: water, subtract: [{box: {min: [0, 0, 0], max: [0.28, 0.28, 0.08]}}, {cylinder: {radius: 0.07, "
        "height: 0.2}, rotate: {axis: [1, 0, 0], degrees: 90}, at: [0.14, 0.14, 0.04]}]}\n";
    const char* lying =
        "domain: {max: [0.28, 0.08, 0.28], walls: {bottom: periodic, top: periodic}}\n"
        "bodies:\n"
        "  - {material: water, cylinder: {radius: 0.07, height: 0.08}, at: [0.14, 0.04, 0.14], spin: [0, -12, 0]}\n"
        "  - {material: water, subtract: [{box: {min: [0, 0, 0], max: [0.28, 0.08, 0.28]}}, {cylinder: {radius: 0.07, "
        "height: 0.2}, at: [0.14, 0.04, 0.14]}]}\n";
    char text[2000];
    snprintf(text, sizeof text, "solver: %s\nspacing: 0.02\ngravity: [0, 0, 0]\npbf: {substeps: 4, iterations: 4}\n%s",
             solver, turned ? lying : upright);
    return lab_sim(text, (lab_setup){.threads = 1, .set = {method}});
}

// The kinetic energy never grows by more than a percent of the first, and the box stays as full as it was.
static void falls(shoal_sim* sim, const char* what, double seconds) {
    double first = lab_stat(sim, "kinetic_j"), last = first, most = 0.0, crushed = 0.0;
    for (int k = 0; k < (int)(seconds * 10.0 + 0.5); k++) {
        lab_run(sim, 0.1, 1.0 / 60.0);
        double now = lab_stat(sim, "kinetic_j");
        most       = fmax(most, (now - last) / first);
        crushed    = fmax(crushed, lab_stat(sim, "compression_avg_pct"));
        last       = now;
    }
    printf("%s: %.3f of the kinetic energy left after %g s, grew by %.4f at most; compression %.2f %% on average at "
           "most\n",
           what, last / first, seconds, most, crushed);
    CHECK_BELOW(most, 0.01);
    CHECK_BELOW(last / first, 0.6);
    CHECK_BELOW(crushed, 1.0);
    shoal_sim_destroy(sim);
}

static void a_vortex_in_a_full_box_only_slows_down(void** state) {
    (void)state;
    for (int k = 0; k < 3; k++) falls(vortex("sph", methods[k], false), methods[k], 1.5);
    falls(vortex("sph", methods[2], true), "dfsph, lying", 1.5);
    falls(vortex("pbf", NULL, false), "pbf", 1.5);
}

// A drum full to the lid with a blade that turns at most at 1.13 m/s at its rim: water may follow it, not outrun it.
static void a_blade_in_a_full_drum_stirs_no_more_than_it_moves(void** state) {
    (void)state;
    const char* const solvers[] = {"sph", "sph", "pbf"};
    for (int k = 0; k < 3; k++) {
        char text[1000];
        snprintf(text, sizeof text,
                 "solver: %s\nspacing: 0.05\nfps: 30\ndomain: {max: [0.6, 0.6, 0.6]}\n"
                 "bodies: [{material: water, box: {min: [0, 0, 0], max: [0.6, 0.6, 0.6]}}]\n"
                 "obstacles:\n  - {box: {size: [0.36, 0.3, 0.1]}, motion: [{t: 0, at: [0.3, 0.3, 0.3]}, {t: 2, at: "
                 "[0.3, 0.3, 0.3], rotate: {axis: [0, 1, 0], degrees: 720}}]}\n",
                 solvers[k]);
        shoal_sim* sim = lab_sim(text, (lab_setup){.threads = 1, .set = {k < 2 ? methods[1 + k] : NULL}});
        lab_run(sim, 2.0, 1.0 / 30.0);
        double energy = lab_stat(sim, "kinetic_j");
        printf("%s %s: %.1f J\n", solvers[k], k < 2 ? methods[1 + k] : "", energy);
        CHECK_BELOW(energy, 30.0);
        CHECK_BELOW(3.0, energy);
        shoal_sim_destroy(sim);
    }
}

// A closed box full of water but for a gap of a few particles, turned: with air in the gap all around would rush in.
static void a_gap_in_a_full_vessel_moves_nothing(void** state) {
    (void)state;
    const double turns[] = {0.0, 25.0, 40.0}, spacings[] = {0.02, 0.02, 0.015};
    for (int k = 0; k < 3; k++) {
        char   text[1000];
        double d = spacings[k], most = 0.0;
        snprintf(text, sizeof text,
                 "solver: flip\nspacing: %g\n"
                 "bodies: [{material: water, subtract: [{box: {size: [0.3, 0.4, 0.24]}}, {box: {size: [%g, %g, %g]}, "
                 "at: [0.01, 0, 0.02]}], rotate: {axis: [1, 2, 3], degrees: %g}}]\n"
                 "obstacles: [{subtract: [{box: {size: [0.42, 0.52, 0.36]}}, {box: {size: [0.3, 0.4, 0.24]}}], rotate: "
                 "{axis: [1, 2, 3], degrees: %g}}]\n",
                 d, 3.0 * d, 3.0 * d, 3.0 * d, turns[k], turns[k]);
        shoal_sim* sim = lab_sim(text, (lab_setup){.threads = 1});
        for (int frame = 0; frame < 10; frame++) {
            lab_run(sim, 1.0 / 30.0, 1.0 / 30.0);
            most = fmax(most, lab_stat(sim, "speed_max_mps"));
        }
        printf("flip, a gap of 3 spacings, turned by %g degrees, spacing %g m: fastest %.2g m/s\n", turns[k], d, most);
        CHECK_BELOW(most, 0.001);
        shoal_sim_destroy(sim);
    }
}

// The drum as a closed bottle in the open, which is tipped to and fro within half a second. Particles are strewn, which
// is 1 to 2 % on average.
static void a_full_bottle_that_is_shaken_keeps_its_density(void** state) {
    (void)state;
    const double spacings[] = {0.02, 0.016};
    for (int k = 0; k < 2; k++) {
        char   text[1000];
        double mean = 0.0, most = 0.0, least = 1.0;
        snprintf(text, sizeof text,
                 "solver: flip\nspacing: %g\n"
                 "bodies: [{material: water, cylinder: {radius: 0.16, height: 0.4}, at: [0, 0.3, 0], rotate: {axis: "
                 "[0.3, 0.2, 1], degrees: 20}}]\n"
                 "obstacles: [{subtract: [{cylinder: {radius: 0.22, height: 0.52}}, {cylinder: {radius: 0.16, height: "
                 "0.4}}], motion: [{t: 0, at: [0, 0.3, 0], rotate: {axis: [0.3, 0.2, 1], degrees: 20}}, {t: 0.5, at: "
                 "[0.15, 0.3, 0], rotate: {axis: [0.3, 0.2, 1], degrees: 80}}]}]\n",
                 spacings[k]);
        shoal_sim* sim    = lab_sim(text, (lab_setup){.threads = 1});
        double     volume = lab_stat(sim, "volume_m3");
        for (int frame = 0; frame < 16; frame++) {
            lab_run(sim, 1.0 / 30.0, 1.0 / 30.0);
            mean  = fmax(mean, lab_stat(sim, "compression_avg_pct"));
            most  = fmax(most, lab_stat(sim, "compression_max_pct"));
            least = fmin(least, lab_stat(sim, "volume_m3") / volume);
        }
        printf(
            "flip, a full bottle shaken, spacing %g m: compression %.2f %% on average, %.0f %% at a particle, volume "
            "%.4f at least\n",
            spacings[k], mean, most, least);
        CHECK_BELOW(mean, 4.0);
        CHECK_BELOW(most, 80.0);
        CHECK_BELOW(0.99, least);
        shoal_sim_destroy(sim);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_vortex_in_a_full_box_only_slows_down),
        cmocka_unit_test(a_blade_in_a_full_drum_stirs_no_more_than_it_moves),
        cmocka_unit_test(a_gap_in_a_full_vessel_moves_nothing),
        cmocka_unit_test(a_full_bottle_that_is_shaken_keeps_its_density),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
