// SPDX-License-Identifier: MIT
// Grains in still water: the light one floats half out of it, one as heavy as water goes nowhere, sand sinks at the speed of
// its order and weighs on the floor what Archimedes leaves of it; with equation 9 as printed even the light one sinks.
#include "lab.h"

static const double level = 0.12, diameter = 0.02;

static const char tank[] =
    "solver: grains\nspacing: 0.02\nfps: 50\ndomain: {max: [0.16, 0.2, 0.1]}\n"
    "materials: {heavy: {preset: sand}, light: {preset: sand, density: 300}, even: {preset: sand, density: 600}, water: {preset: water}}\n"
    "bodies:\n"
    "  - {material: water, subtract: [{box: {min: [0, 0, 0], max: [0.16, 0.12, 0.1]}}, {box: {min: [0.07, 0.06, 0.04], max: [0.09, 0.08, 0.06]}}]}\n"
    "  - {material: heavy, box: {min: [0.02, 0.14, 0.04], max: [0.04, 0.16, 0.06]}}\n"
    "  - {material: light, box: {min: [0.12, 0.14, 0.04], max: [0.14, 0.16, 0.06]}}\n"
    "  - {material: even, box: {min: [0.07, 0.06, 0.04], max: [0.09, 0.08, 0.06]}}\n"
    "grains: {absorption: false, spread: 0, softness: 30}\n";

enum { HEAVY, LIGHT, EVEN, GRAINS };

typedef struct look {
    double y[GRAINS], speed[GRAINS]; // m, m/s upwards
} look;

static look look_at(const shoal_sim* sim) {
    shoal_field_view material, position, velocity;
    CHECK_OK(shoal_sim_field(sim, "material", &material));
    CHECK_OK(shoal_sim_field(sim, "position", &position));
    CHECK_OK(shoal_sim_field(sim, "velocity", &velocity));
    look out = {{0.0}, {0.0}};
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
    look       now;
    double     sinking = 0.0, drift = 0.0, floating = 0.0;
    int        samples = 0;
    for (int frame = 0; frame < 32; frame++) {
        CHECK_OK(shoal_sim_advance(sim, 0.02));
        now = look_at(sim);
        if (now.y[HEAVY] < 0.08 && now.y[HEAVY] > 0.03) sinking = fmax(sinking, -now.speed[HEAVY]);
        if (frame < 16) continue;
        floating += now.y[LIGHT];
        drift += now.speed[EVEN];
        samples++;
    }
    printf("sinks at %.2f m/s; floats %.2f d above the level; even grain drifts by %.3f m/s; heavy at %.4f m\n", sinking,
           (floating / samples - level) / diameter, drift / samples, now.y[HEAVY]);
    CHECK_NEAR(floating / samples, level, 0.3 * diameter);
    CHECK_BELOW(fabs(drift / samples), 0.06);
    CHECK_NEAR(now.y[HEAVY], 0.5 * diameter, 0.1 * diameter);
    // sphere of 2 cm: 1.1 m/s in open water; this one has a fifth of the width of the tank
    CHECK_BELOW(0.25, sinking);
    CHECK_BELOW(sinking, 1.3);
    shoal_sim_destroy(sim);
}

// The mean speed upwards from 0.2 to 0.3 s after a grain was let go at height y in a tank of 0.5 m, four grains wide.
static double speed_from(double y, const char* density) {
    char text[1024];
    snprintf(text, sizeof text,
             "solver: grains\nspacing: 0.02\nfps: 50\ndomain: {max: [0.08, 0.52, 0.08]}\n"
             "materials: {sand: {preset: sand}, water: {preset: water}}\n"
             "bodies:\n"
             "  - {material: water, subtract: [{box: {min: [0, 0, 0], max: [0.08, 0.5, 0.08]}}, {box: {min: [0.03, %g, 0.03], max: [0.05, %g, 0.05]}}]}\n"
             "  - {material: sand, box: {min: [0.03, %g, 0.03], max: [0.05, %g, 0.05]}}\n"
             "grains: {absorption: false, spread: 0, softness: 10}\n", y, y + 0.02, y, y + 0.02);
    shoal_sim* sim = lab_sim(text, (lab_setup){.set = {density}});
    lab_run(sim, 0.2, 0.02);
    double before = look_at(sim).y[0];
    lab_run(sim, 0.1, 0.02);
    double after = look_at(sim).y[0];
    shoal_sim_destroy(sim);
    return (after - before) / 0.1;
}

static void depth_does_not_hold_a_grain(void** state) {
    (void)state;
    double shallow = speed_from(0.44, "materials.sand.density=1590"), deep = speed_from(0.2, "materials.sand.density=1590");
    double rising = speed_from(0.2, "materials.sand.density=300");
    printf("from 2 d below the surface %.2f m/s, from 15 d %.2f; a light one %.2f\n", shallow, deep, rising);
    // without drag and added mass (1 - 1000/2650) g t = 1.22 m/s, with both and at its end 1.1
    CHECK_BELOW(deep, -0.5);
    CHECK_BELOW(-1.3, deep);
    CHECK_NEAR(shallow / deep, 1.0, 0.35);
    CHECK_BELOW(0.25, rising);
}

static void as_printed_light_grains_sink(void** state) {
    (void)state;
    shoal_sim* sim = lab_sim(tank, (lab_setup){.set = {"grains.coupling=printed", "grains.softness=3"}});
    lab_run(sim, 0.4, 0.02);
    printf("as printed the light grain is at %.3f m\n", look_at(sim).y[LIGHT]);
    CHECK_BELOW(look_at(sim).y[LIGHT], level - diameter);
    shoal_sim_destroy(sim);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(light_grains_float_heavy_ones_sink_even_ones_stay),
                                       cmocka_unit_test(depth_does_not_hold_a_grain), cmocka_unit_test(as_printed_light_grains_sink)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
