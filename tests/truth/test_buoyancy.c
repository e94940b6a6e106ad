// SPDX-License-Identifier: MIT
// Grains in still water: the light one floats half out of it, one as heavy as water goes nowhere, sand sinks at the
// speed of its order and weighs on the floor what Archimedes leaves of it; with equation 9 as printed even the light
// one sinks.
#include "lab.h"
#include "truth/figure.h"

static const double level = 0.12, diameter = 0.02;

static const char tank[] =
    "solver: grains\nspacing: 0.02\nfps: 50\ndomain: {max: [0.16, 0.2, 0.1]}\n"
    "materials: {heavy: {preset: sand}, light: {preset: sand, density: 300}, even: {preset: sand, density: 600}, "
    "water: {preset: water}}\n"
    "bodies:\n"
    "  - {material: water, subtract: [{box: {min: [0, 0, 0], max: [0.16, 0.12, 0.1]}}, {box: {min: [0.07, 0.06, 0.04], "
    "max: [0.09, 0.08, 0.06]}}]}\n"
    "  - {arrangement: lattice, material: heavy, box: {min: [0.02, 0.14, 0.04], max: [0.04, 0.16, 0.06]}}\n"
    "  - {arrangement: lattice, material: light, box: {min: [0.12, 0.14, 0.04], max: [0.14, 0.16, 0.06]}}\n"
    "  - {arrangement: lattice, material: even, box: {min: [0.07, 0.06, 0.04], max: [0.09, 0.08, 0.06]}}\n"
    "grains: {absorption: false, spread: 0, softness: 30}\n";

enum { HEAVY, LIGHT, EVEN, GRAINS };

typedef struct measured {
    double y[GRAINS], speed[GRAINS]; // m, m/s upwards
} measured;

static measured inspect(const shoal_sim* sim) {
    shoal_field_view material, position, velocity;
    material     = lab_view(sim, "material");
    position     = lab_view(sim, "position");
    velocity     = lab_view(sim, "velocity");
    measured out = {{0.0}, {0.0}};
    for (int64_t i = 0; i < material.count; i++) {
        int m = ((const uint8_t*)material.data)[i];
        if (m >= GRAINS) continue;
        out.y[m]     = (double)((const float*)position.data)[3 * i + 1];
        out.speed[m] = (double)((const float*)velocity.data)[3 * i + 1];
    }
    return out;
}

static void light_grains_float_heavy_ones_sink_even_ones_stay(void** state) {
    (void)state;
    shoal_sim* sim = lab_sim(tank, (lab_setup){0});
    measured   now;
    double     sinking = 0.0, drift = 0.0, floating = 0.0;
    int        samples = 0;
    for (int frame = 0; frame < 32; frame++) {
        CHECK_OK(shoal_sim_advance(sim, 0.02));
        now = inspect(sim);
        if (now.y[HEAVY] < 0.08 && now.y[HEAVY] > 0.03) sinking = fmax(sinking, -now.speed[HEAVY]);
        if (frame < 16) continue;
        floating += now.y[LIGHT];
        drift += now.speed[EVEN];
        samples++;
    }
    printf("sinks at %.2f m/s; floats %.2f d above the level; even grain drifts by %.3f m/s; heavy at %.4f m\n",
           sinking, (floating / samples - level) / diameter, drift / samples, now.y[HEAVY]);
    truth_near("grain of half the weight of water: above the level", "grains", (floating / samples - level) / diameter,
               "d", 0.0, 0.3);
    truth_near("grain as heavy as water: drift", "grains", drift / samples, "m/s", 0.0, 0.06);
    truth_near("grain of sand in water: comes to rest at", "grains", now.y[HEAVY] / diameter, "d", 0.5, 0.1);
    // sphere of 2 cm: 1.1 m/s in open water; this one has a fifth of the width of the tank
    truth_figure("grain of sand in water: sinks at", "grains", sinking, "m/s", 0.25, 1.3);
    shoal_sim_destroy(sim);
}

// Grains let go 2 and 15 diameters under the surface of a tank of 0.5 m, four grains wide.
static const char deep_tank[] =
    "solver: grains\nspacing: 0.02\nfps: 50\ndomain: {max: [0.08, 0.52, 0.08]}\n"
    "materials: {deep: {preset: sand}, shallow: {preset: sand}, water: {preset: water}}\n"
    "bodies:\n"
    "  - {material: water, subtract: [{box: {min: [0, 0, 0], max: [0.08, 0.5, 0.08]}}, {box: {min: [0.03, 0.2, 0.03], "
    "max: [0.05, 0.22, 0.05]}}, "
    "{box: {min: [0.03, 0.44, 0.03], max: [0.05, 0.46, 0.05]}}]}\n"
    "  - {arrangement: lattice, material: deep, box: {min: [0.03, 0.2, 0.03], max: [0.05, 0.22, 0.05]}}\n"
    "  - {arrangement: lattice, material: shallow, box: {min: [0.03, 0.44, 0.03], max: [0.05, 0.46, 0.05]}}\n"
    "grains: {absorption: false, spread: 0, softness: 10}\n";

enum { DEEP, SHALLOW };

static void depth_does_not_hold_a_grain(void** state) {
    (void)state;
    shoal_sim* sim = lab_sim(deep_tank, (lab_setup){0});
    lab_run(sim, 0.2, 0.02);
    measured before = inspect(sim);
    lab_run(sim, 0.1, 0.02);
    double deep    = (inspect(sim).y[DEEP] - before.y[DEEP]) / 0.1,
           shallow = (inspect(sim).y[SHALLOW] - before.y[SHALLOW]) / 0.1;
    shoal_sim_destroy(sim);
    // without drag and added mass (1 - 1000/2650) g t = 1.22 m/s, with both and at its end 1.1
    truth_figure("grain let go 15 d under water: sinks at", "grains", -deep, "m/s", 0.5, 1.3);
    truth_near("grain let go 2 d under water: speed over that from 15 d", "grains", shallow / deep, "", 1.0, 0.35);
}

static void a_light_grain_deep_down_rises_at_once(void** state) {
    (void)state;
    shoal_sim* sim     = lab_sim(deep_tank, (lab_setup){.set = {"materials.deep.density=300"}});
    double     slowest = 0.0;
    for (int k = 0; k < 20; k++) {
        CHECK_OK(shoal_sim_advance(sim, 0.01));
        slowest = fmin(slowest, inspect(sim).speed[DEEP]);
    }
    measured now = inspect(sim);
    printf("15 d down a light grain is at %.3f m, %.2f m/s, after 0.2 s; downwards it had at most %.2f m/s\n",
           now.y[DEEP], now.speed[DEEP], slowest);
    truth_above("light grain let go 15 d under water: rises after 0.2 s at", "grains", now.speed[DEEP], "m/s", 0.25);
    truth_above("light grain let go 15 d under water: lowest speed before", "grains", slowest, "m/s", -0.2);
    shoal_sim_destroy(sim);
}

static void as_printed_light_grains_sink(void** state) {
    (void)state;
    shoal_sim* sim = lab_sim(tank, (lab_setup){.set = {"grains.coupling=printed", "grains.softness=3"}});
    lab_run(sim, 0.4, 0.02);
    truth_below("light grain, coupling as printed: above the level after 0.4 s", "grains",
                (inspect(sim).y[LIGHT] - level) / diameter, "d", -1.0);
    shoal_sim_destroy(sim);
}

int main(int argc, char** argv) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(light_grains_float_heavy_ones_sink_even_ones_stay),
                                       cmocka_unit_test(depth_does_not_hold_a_grain),
                                       cmocka_unit_test(a_light_grain_deep_down_rises_at_once),
                                       cmocka_unit_test(as_printed_light_grains_sink)};
    return TRUTH_RUN("grains", tests, argc, argv);
}
