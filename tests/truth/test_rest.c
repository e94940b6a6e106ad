// SPDX-License-Identifier: MIT
// Water at rest: pressure grows with depth as rho g z, and it does come to rest. [80-validation,
// hydrostatics]
#include "truth/column.h"
#include "truth/figure.h"

static void pressure_off(const char* first, const char* second, double bound) {
    truth_below(
        truth_case("column at rest, %s%s%s: largest miss of rho g z", first, second ? " " : "", second ? second : ""),
        "pbf", hydrostatics_of(first, second), "", bound);
}

static void pressure_is_hydrostatic_below_the_top_tenth(void** state) {
    (void)state;
    pressure_off("pbf.substeps=4", NULL, 0.05);
    if (truth_in_full) pressure_off("pbf.substeps=8", "pbf.iterations=4", 0.05);
}

static void pressure_stays_hydrostatic_however_it_is_solved(void** state) {
    (void)state;
    pressure_off("pbf.substeps=auto", NULL,
                 0.07); // compressed by 2 % at the bottom, so its lattice is another
    pressure_off("pbf.substeps=4", "pbf.warm_start=0.5", 0.07);
    pressure_off("pbf.substeps=4", "pbf.chebyshev=0.9", 0.07);
    pressure_off("pbf.substeps=4", "pbf.relaxation=precomputed", 0.07);
}

typedef struct rest {
    double at3, at8, mean, most,
        rms; // largest speed after 3 s, 8 s, mean and most of it from 8 to 9 s; all in sqrt(g d)
} rest;

static rest rest_of(int layers, const char* option) {
    char height[64];
    snprintf(height, sizeof height, "bodies.0.box.max=[0.24, %.2f, 0.24]", 0.02 * layers);
    shoal_sim* sim = lab_sim("spacing: 0.02\n"
                             "domain: {min: [0, 0, 0], max: [0.24, 0.4, 0.24], walls: {top: open}}\n"
                             "bodies: [{material: water, box: {min: [0, 0, 0], max: [0.24, 0.24, 0.24]}}]\n",
                             (lab_setup){.set = {height, option}});
    assert_int_equal(shoal_sim_count(sim), 12 * layers * 12);
    double unit = sqrt(9.81 * 0.02), mass = 998.2 * 8e-6 * (double)shoal_sim_count(sim);
    rest   r = {0};
    lab_run(sim, 3.0, 1.0 / 60.0);
    r.at3 = lab_stat(sim, "speed_max_mps") / unit;
    lab_run(sim, 5.0, 1.0 / 60.0);
    r.at8 = lab_stat(sim, "speed_max_mps") / unit;
    r.rms = sqrt(2.0 * lab_stat(sim, "kinetic_j") / mass) / unit;
    for (int f = 0; f < 60; f++) {
        lab_run(sim, 1.0 / 60.0, 1.0 / 60.0);
        double now = lab_stat(sim, "speed_max_mps") / unit;
        r.mean += now / 60.0;
        r.most = fmax(r.most, now);
    }
    printf("rest, 12 x %d x 12, %s: largest speed %.4f sqrt(g d) after 3 s, %.4f after 8 s (rms "
           "%.4f), at most %.4f from 8 to 9 s\n",
           layers, option ? option : "as is", r.at3, r.at8, r.rms, r.most);
    shoal_sim_destroy(sim);
    return r;
}

// Now and then a single particle still slips past its neighbours, so three boxes are averaged.
static void water_in_a_box_comes_to_rest(void** state) {
    (void)state;
    double mean = 0.0;
    for (int layers = truth_in_full ? 11 : 13; layers <= 13; layers++) {
        rest r = rest_of(layers, NULL);
        truth_below(truth_case("box of water at rest, %d layers: rms speed after 8 s", layers), "pbf", r.rms,
                    "sqrt(g d)", 0.01);
        mean += r.mean / 3.0;
    }
    if (truth_in_full)
        truth_below("boxes of water at rest: largest speed from 8 to 9 s, mean of three", "pbf", mean, "sqrt(g d)",
                    0.05);
}

int main(int argc, char** argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pressure_is_hydrostatic_below_the_top_tenth),
        TRUTH_LONG(pressure_stays_hydrostatic_however_it_is_solved),
        cmocka_unit_test(water_in_a_box_comes_to_rest),
    };
    return TRUTH_RUN("pbf", tests, argc, argv);
}
