// SPDX-License-Identifier: MIT
// Water at rest: pressure grows with depth as rho g z, and it does come to rest. [80-validation,
// hydrostatics]
#include "lab.h"

// As thick as the kernel's radius, which is what the density resolves: at a wall layers of one
// spacing alternate.
enum { LAYERS = 12, FINE = 2 * LAYERS, COLUMN = 2500 };

static int from_above(const void* a, const void* b) {
    const float *p = a, *q = b;
    return (*p < *q) - (*p > *q);
}

// Mean over a second of the pressure and of the weight above (rho g depth, by mass: no guess where
// the surface is), by layers of one spacing from the bottom.
static void read_layers(shoal_sim* sim, double pressure[FINE], double weight[FINE]) {
    const double d = 0.02, g = 9.81, rho = 998.2, area = 0.2 * 0.2;
    static float sorted[COLUMN][2]; // height, pressure
    assert_int_equal(shoal_sim_count(sim), COLUMN);
    for (int k = 0; k < FINE; k++)
        pressure[k] = weight[k] = 0.0;
    for (int f = 0; f < 60; f++) {
        lab_run(sim, 1.0 / 60.0, 1.0 / 60.0);
        const float *x = lab_field(sim, "position"), *p = lab_field(sim, "pressure");
        for (int i = 0; i < COLUMN; i++)
            sorted[i][0] = x[3 * i + 1], sorted[i][1] = p[i];
        qsort(sorted, COLUMN, sizeof *sorted, from_above);
        // particles of one layer lie side by side: each has half of a layer's own weight above its
        // centre
        for (int i = 0; i < COLUMN; i++) {
            int layer = (int)((double)sorted[i][0] / d);
            if (layer < 0 || layer >= FINE) continue;
            pressure[layer] += (double)sorted[i][1];
            weight[layer] += rho * g * d * d * d * (i + 0.5) / area;
        }
    }
}

// The largest deviation below the top tenth.
static double hydrostatics_of(const char* first, const char* second) {
    shoal_sim* sim = lab_scene("small/column.yaml", (lab_setup){
                                                        .set = {first, second}
    });
    double     pressure[FINE], weight[FINE], worst = 0.0;
    lab_run(sim, 2.0, 1.0 / 60.0);
    read_layers(sim, pressure, weight);
    printf(
        "column, %s %s, %d substeps: surface at %.4f m; p / (rho g depth) from the bottom:", first,
        second ? second : "", (int)shoal_sim_interval_steps(sim), lab_probe(sim, "gauge"));
    for (int k = 0; k < FINE; k++)
        printf(" %.3f", pressure[k] / fmax(weight[k], 1e-9));
    printf("\n  and by two spacings:");
    for (int k = 0; k < LAYERS; k++) {
        double ratio =
            (pressure[2 * k] + pressure[2 * k + 1]) / (weight[2 * k] + weight[2 * k + 1]);
        printf(" %.3f", ratio);
        if (k < 11 * LAYERS / 12) worst = fmax(worst, fabs(ratio - 1.0));
    }
    printf("\n");
    shoal_sim_destroy(sim);
    return worst;
}

static void pressure_is_hydrostatic_below_the_top_tenth(void** state) {
    (void)state;
    CHECK_BELOW(hydrostatics_of("pbf.substeps=4", NULL), 0.05);
    CHECK_BELOW(hydrostatics_of("pbf.substeps=8", "pbf.iterations=4"), 0.05);
}

static void pressure_stays_hydrostatic_however_it_is_solved(void** state) {
    (void)state;
    CHECK_BELOW(hydrostatics_of("pbf.substeps=auto", NULL),
                0.07); // compressed by 2 % at the bottom, so its lattice is another
    CHECK_BELOW(hydrostatics_of("pbf.substeps=4", "pbf.warm_start=0.5"), 0.07);
    CHECK_BELOW(hydrostatics_of("pbf.substeps=4", "pbf.chebyshev=0.9"), 0.07);
    CHECK_BELOW(hydrostatics_of("pbf.substeps=4", "pbf.relaxation=precomputed"), 0.07);
}

typedef struct rest {
    double at3, at8, mean, most,
        rms; // largest speed after 3 s, 8 s, mean and most of it from 8 to 9 s; all in sqrt(g d)
} rest;

static rest rest_of(int layers, const char* option) {
    char height[64];
    snprintf(height, sizeof height, "bodies.0.box.max=[0.24, %.2f, 0.24]", 0.02 * layers);
    shoal_sim* sim =
        lab_sim("spacing: 0.02\n"
                "domain: {min: [0, 0, 0], max: [0.24, 0.4, 0.24], walls: {top: open}}\n"
                "bodies: [{material: water, box: {min: [0, 0, 0], max: [0.24, 0.24, 0.24]}}]\n",
                (lab_setup){
                    .set = {height, option}
    });
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
    for (int layers = 11; layers <= 13; layers++) {
        rest r = rest_of(layers, NULL);
        CHECK_BELOW(r.rms, 0.01);
        mean += r.mean / 3.0;
    }
    printf("rest: largest speed from 8 to 9 s %.4f sqrt(g d) on average\n", mean);
    CHECK_BELOW(mean, 0.05);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pressure_is_hydrostatic_below_the_top_tenth),
        cmocka_unit_test(pressure_stays_hydrostatic_however_it_is_solved),
        cmocka_unit_test(water_in_a_box_comes_to_rest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
