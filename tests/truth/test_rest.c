// SPDX-License-Identifier: MIT
// Water at rest: pressure grows with depth as rho g z, and it does come to rest. [80-validation, hydrostatics]
#include "lab.h"

enum { LAYERS = 25 };

// Mean over a second of pressure against rho g depth, by layers of one spacing from the bottom.
static void read_layers(shoal_sim* sim, double ratio[LAYERS]) {
    const double d = 0.02, g = 9.81, rho = 998.2;
    double       sum[LAYERS] = {0.0}, weight[LAYERS] = {0.0};
    for (int f = 0; f < 60; f++) {
        lab_run(sim, 1.0 / 60.0, 1.0 / 60.0);
        const float *x = lab_field(sim, "position"), *p = lab_field(sim, "pressure");
        double       top = lab_probe(sim, "gauge");
        for (int64_t i = 0; i < shoal_sim_count(sim); i++) {
            int layer = (int)((double)x[3 * i + 1] / d);
            if (layer < 0 || layer >= LAYERS) continue;
            sum[layer] += (double)p[i];
            weight[layer] += rho * g * (top - (double)x[3 * i + 1]);
        }
    }
    for (int k = 0; k < LAYERS; k++) ratio[k] = weight[k] > 0.0 ? sum[k] / weight[k] : 0.0;
}

static double hydrostatics_of(const char* first, const char* second) {
    shoal_sim* sim = lab_scene("small/column.yaml", (lab_setup){.set = {first, second}});
    lab_run(sim, 2.0, 1.0 / 60.0);
    double ratio[LAYERS], worst = 0.0;
    read_layers(sim, ratio);
    printf("column, %s %s: surface at %.4f m, floor probe %.0f Pa; p / (rho g depth) from the bottom:", first ? first : "as is",
           second ? second : "", lab_probe(sim, "gauge"), lab_probe(sim, "floor"));
    for (int k = 0; k < LAYERS; k++) printf(" %.3f", ratio[k]);
    printf("\n");
    // all but the top tenth
    for (int k = 0; k < LAYERS * 9 / 10; k++) worst = fmax(worst, fabs(ratio[k] - 1.0));
    shoal_sim_destroy(sim);
    return worst;
}

static void pressure_is_hydrostatic_below_the_top_tenth(void** state) {
    (void)state;
    CHECK_BELOW(hydrostatics_of(NULL, NULL), 0.05);
    CHECK_BELOW(hydrostatics_of("pbf.substeps=4", NULL), 0.05);
}

static void pressure_stays_hydrostatic_however_it_is_solved(void** state) {
    (void)state;
    CHECK_BELOW(hydrostatics_of("pbf.warm_start=0.5", NULL), 0.10);
    CHECK_BELOW(hydrostatics_of("pbf.chebyshev=0.9", NULL), 0.10);
    CHECK_BELOW(hydrostatics_of("pbf.relaxation=precomputed", NULL), 0.05);
    CHECK_BELOW(hydrostatics_of("pbf.iterations=4", "pbf.substeps=8"), 0.05);
}

static void water_in_a_box_comes_to_rest(void** state) {
    (void)state;
    shoal_sim* sim = lab_sim("spacing: 0.02\n"
                             "domain: {min: [0, 0, 0], max: [0.24, 0.4, 0.24], walls: {top: open}}\n"
                             "bodies: [{material: water, box: {min: [0, 0, 0], max: [0.24, 0.24, 0.24]}}]\n",
                             (lab_setup){0});
    assert_int_equal(shoal_sim_count(sim), 12 * 12 * 12);
    double unit = sqrt(9.81 * 0.02), at3 = 0.0, most = 0.0;
    lab_run(sim, 3.0, 1.0 / 60.0);
    at3 = lab_stat(sim, "speed_max_mps") / unit;
    lab_run(sim, 5.0, 1.0 / 60.0);
    for (int f = 0; f < 30; f++) {
        lab_run(sim, 1.0 / 60.0, 1.0 / 60.0);
        most = fmax(most, lab_stat(sim, "speed_max_mps") / unit);
    }
    printf("rest: largest speed %.4f sqrt(g d) after 3 s, %.4f after 8 s\n", at3, most);
    CHECK_BELOW(most, 0.05);
    shoal_sim_destroy(sim);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pressure_is_hydrostatic_below_the_top_tenth),
        cmocka_unit_test(pressure_stays_hydrostatic_however_it_is_solved),
        cmocka_unit_test(water_in_a_box_comes_to_rest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
