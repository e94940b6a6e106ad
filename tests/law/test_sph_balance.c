// SPDX-License-Identifier: MIT
// What sph counts, and pbf too: substeps whose solve missed the tolerance, and pairs of liquids
// that have changed places.
#include "lab.h"

// A column that is let go, in substeps of ordinary length and in one that is far too long.
static void substeps_that_miss_the_tolerance_are_counted(void** state) {
    (void)state;
    static const char text[]      = "solver: sph\nspacing: 0.05\ndomain: {max: [0.4, 1, 0.4]}\n"
                                    "bodies: [{material: water, velocity: [0, -3, 0], box: {min: [0, "
                                    "0.1, 0], max: [0.3, 0.6, 0.4]}}]\n";
    double            unsolved[2] = {0.0};
    for (int k = 0; k < 2; k++) {
        shoal_sim* sim = lab_sim(text, (lab_setup){.threads = 1,
                                                   .set     = {k ? "sph.substeps=1" : "sph.substeps=auto",
                                                           k ? "sph.tolerance=0.001" : "sph.tolerance=1"}});
        for (int f = 0; f < 6; f++) {
            lab_run(sim, 1.0 / 30.0, 1.0 / 30.0);
            unsolved[k] += lab_stat(sim, "unsolved");
        }
        shoal_sim_destroy(sim);
    }
    printf("unsolved: %.0f with automatic substeps, %.0f in substeps of 1/30 s\n", unsolved[0], unsolved[1]);
    assert_true(unsolved[0] == 0.0);
    CHECK_BELOW(0.0, unsolved[1]);
}

#define LAYERS(oil, water)                                                                                             \
    "spacing: 0.05\n"                                                                                                  \
    "domain: {max: [0.4, 1, 0.4], walls: {left: periodic, right: periodic, back: periodic, "                           \
    "front: periodic}}\n"                                                                                              \
    "bodies:\n  - {material: oil, box: {min: [0, " oil ", 0], max: [0.4, " water ", 0.4]}}\n"

// Mean height of the oil less that of the water, m, and pairs that have changed places.
static double oil_over_water(const char* solver, const char* text, int frames, double* overturned) {
    shoal_sim* sim = lab_sim(text, (lab_setup){.threads = 1, .set = {solver}});
    *overturned    = 0.0;
    for (int f = 0; f < frames; f++) {
        lab_run(sim, 1.0 / 60.0, 1.0 / 60.0);
        *overturned += lab_stat(sim, "overturned");
    }
    shoal_field_view material;
    CHECK_OK(shoal_sim_field(sim, "material", &material));
    const float* x      = lab_field(sim, "position");
    double       sum[2] = {0.0}, count[2] = {0.0};
    for (int64_t i = 0; i < shoal_sim_count(sim); i++) {
        int m = ((const uint8_t*)material.data)[i] != ((const uint8_t*)material.data)[0];
        sum[m] += (double)x[3 * i + 1], count[m] += 1.0;
    }
    bool first_is_oil = count[0] < count[1]; // it is the lesser part
    shoal_sim_destroy(sim);
    return (first_is_oil ? 1.0 : -1.0) * (sum[0] / count[0] - sum[1] / count[1]);
}

static const char* const particle_solvers[] = {"solver=sph", "solver=pbf"};

static void a_film_of_oil_under_water_leaves_the_floor(void** state) {
    (void)state;
    for (int k = 0; k < 2; k++) {
        double pairs,
            above = oil_over_water(
                particle_solvers[k],
                LAYERS("0", "0.05") "  - {material: water, box: {min: [0, 0.05, 0], max: [0.4, 0.25, 0.4]}}\n", 60,
                &pairs);
        printf("%s: a film of oil: %.3f m above the middle of the water after 1 s, %.0f pairs\n", particle_solvers[k],
               above, pairs);
        CHECK_BELOW(-0.03, above); // from 0.125 m below
        CHECK_BELOW(30.0, pairs);
    }
}

static void oil_on_water_and_thick_layers_stay(void** state) {
    (void)state;
    for (int k = 0; k < 2; k++) {
        double pairs[2];
        oil_over_water(particle_solvers[k],
                       LAYERS("0.2", "0.25") "  - {material: water, box: {min: [0, 0, 0], max: [0.4, 0.2, 0.4]}}\n", 4,
                       &pairs[0]);
        oil_over_water(particle_solvers[k],
                       LAYERS("0", "0.2") "  - {material: water, box: {min: [0, 0.2, 0], max: [0.4, 0.45, 0.4]}}\n", 2,
                       &pairs[1]);
        printf("%s: oil on water: %.0f pairs; a thick layer of oil under water, at first: %.0f\n", particle_solvers[k],
               pairs[0], pairs[1]);
        assert_true(pairs[0] == 0.0);
        assert_true(pairs[1] == 0.0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(substeps_that_miss_the_tolerance_are_counted),
        cmocka_unit_test(a_film_of_oil_under_water_leaves_the_floor),
        cmocka_unit_test(oil_on_water_and_thick_layers_stay),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
