// SPDX-License-Identifier: MIT
// Water beside sand in porous: it rests and presses by its depth, bears up, lies on sand, lets sand sink, and what one
// gives the other takes.
#include "lab.h"

// The mean pressure of a set within `from` to `to` of height, Pa.
static double pressure_between(const shoal_sim* sim, const char* set, double from, double to) {
    char at[32], of[32];
    snprintf(at, sizeof at, "%s.position", set);
    snprintf(of, sizeof of, "%s.pressure", set);
    shoal_field_view x = lab_view(sim, at), p = lab_view(sim, of);
    double           sum = 0, count = 0;
    for (int64_t i = 0; i < x.count; i++) {
        double y = (double)((const float*)x.data)[3 * i + 1];
        if (y < from || y > to) continue;
        sum += (double)((const float*)p.data)[i];
        count += 1;
    }
    assert_true(count > 0);
    return sum / count;
}

static double height_of(const shoal_sim* sim, const char* set) {
    char at[32];
    snprintf(at, sizeof at, "%s.position", set);
    shoal_field_view x   = lab_view(sim, at);
    double           sum = 0;
    for (int64_t i = 0; i < x.count; i++) sum += (double)((const float*)x.data)[3 * i + 1] / (double)x.count;
    return sum;
}

static void water_in_a_box_presses_by_its_depth_and_bears_up(void** state) {
    (void)state;
    shoal_sim* sim  = lab_sim("solver: porous\nspacing: 0.01\ndomain: {max: [0.12, 0.2, 0.1]}\n"
                               "bodies: [{material: water, box: {min: [0, 0, 0], max: [0.12, 0.12, 0.1]}}]\n"
                               "obstacles: [{name: stone, box: {min: [0.04, 0.04, 0.03], max: [0.08, 0.08, 0.07]}}]\n",
                              (lab_setup){0});
    double     lift = 0;
    lab_run(sim, 0.3, 1.0 / 60);
    for (int k = 0; k < 12; k++) {
        lab_run(sim, 1.0 / 60, 1.0 / 60);
        lift += lab_stat(sim, "obstacle_force_y_n") / 12;
    }
    double wanted = 9810 * 0.04 * 0.04 * 0.04, low = pressure_between(sim, "water", 0, 0.02),
           high = pressure_between(sim, "water", 0.04, 0.06);
    printf("lift %.3f of its water's weight; %.0f Pa more within 40 mm of depth\n", lift / wanted, low - high);
    CHECK_NEAR(lift / wanted, 1, 0.2); // of a stone of four spacings
    CHECK_NEAR(low - high, 9810 * 0.04, 0.06 * 9810 * 0.04);
    CHECK_BELOW(lab_stat(sim, "compression_avg_pct"), 0.1);
    CHECK_BELOW(lab_stat(sim, "compression_99_pct"), 1);
    shoal_sim_destroy(sim);
}

// What lies on the floor is the water's weight as well as the sand's.
static void water_over_sand_rests_and_the_sand_bears_it(void** state) {
    (void)state;
    shoal_sim* sim =
        lab_sim("solver: porous\nspacing: 0.01\ndomain: {max: [0.12, 0.3, 0.1], walls: {left: slip, right: "
                "slip, back: slip, front: slip}}\n"
                "bodies:\n  - {material: sand, box: {min: [0, 0, 0], max: [0.12, 0.06, 0.1]}}\n"
                "  - {material: water, box: {min: [0, 0.06, 0], max: [0.12, 0.14, 0.1]}}\n",
                (lab_setup){0});
    double sand = height_of(sim, "sand"), water = height_of(sim, "water");
    lab_run(sim, 0.5, 1.0 / 60);
    double bears = pressure_between(sim, "sand", 0, 0.06), wanted = 9.81 * (1590 * 0.03 + 1000 * 0.08);
    printf("sand bears %.3f of the load, %.3f mm and %.3f mm down, creep %.2f mm/s\n", bears / wanted,
           1e3 * (sand - height_of(sim, "sand")), 1e3 * (water - height_of(sim, "water")),
           1e3 * lab_stat(sim, "creep_mps"));
    CHECK_NEAR(bears / wanted, 1, 0.15); // pressure alone, without what friction bears
    CHECK_NEAR(height_of(sim, "sand"), sand, 5e-4);
    CHECK_NEAR(height_of(sim, "water"), water, 1e-3);
    CHECK_BELOW(lab_stat(sim, "creep_mps"), 1e-3);
    CHECK_BELOW(lab_stat(sim, "compression_avg_pct"), 0.1);
    CHECK_BELOW(lab_stat(sim, "compression_99_pct"), 1);
    shoal_sim_destroy(sim);
}

static void sand_sinks_in_water_and_lighter_sand_swims(void** state) {
    (void)state;
    double ends[2];
    for (int k = 0; k < 2; k++) {
        char text[1024];
        snprintf(text, sizeof text,
                 "solver: porous\nspacing: 0.01\ndomain: {max: [0.1, 0.3, 0.1]}\n"
                 "materials: {sand: {preset: sand, density: %d}}\n"
                 "bodies:\n  - {material: water, box: {min: [0, 0, 0], max: [0.1, 0.1, 0.1]}}\n"
                 "  - {material: sand, box: {min: [0.03, 0.1, 0.03], max: [0.07, 0.13, 0.07]}}\n",
                 k == 0 ? 1600 : 500);
        shoal_sim* sim = lab_sim(text, (lab_setup){0});
        lab_run(sim, 0.6, 1.0 / 60);
        ends[k] = height_of(sim, "sand");
        shoal_sim_destroy(sim);
    }
    printf("sand of 1600 kg/m^3 ends at %.1f mm, of 500 at %.1f mm\n", 1e3 * ends[0], 1e3 * ends[1]);
    CHECK_BELOW(ends[0], 0.05);
    CHECK_BELOW(0.085, ends[1]);
}

// Without weight: nothing of momentum and turning gets lost where they hit each other.
static void sand_and_water_that_meet_keep_momentum_and_turning(void** state) {
    (void)state;
    shoal_sim* sim =
        lab_sim("solver: porous\nspacing: 0.02\ngravity: [0, 0, 0]\n"
                "materials: {water: {preset: water, density: 1000}, sand: {preset: sand, cohesion: 300}}\n"
                "bodies:\n  - {material: sand, box: {min: [0, 0, 0], max: [0.12, 0.2, 0.1]}, spin: [1, 2, 3]}\n"
                "  - {material: water, box: {min: [0.14, 0, 0], max: [0.24, 0.1, 0.1]}, velocity: [-1, 0.3, 0]}\n",
                (lab_setup){0});
    double before[6], after[6], size = 0, energy = lab_stat(sim, "kinetic_j");
    for (int k = 0; k < 2; k++) {
        double* to = k == 0 ? before : after;
        memset(to, 0, 6 * sizeof *to);
        const float *    x = lab_field(sim, "position"), *v = lab_field(sim, "velocity");
        shoal_field_view material = lab_view(sim, "material");
        for (int64_t i = 0; i < shoal_sim_count(sim); i++)
            for (int a = 0; a < 3; a++) {
                int    b = (a + 1) % 3, c = (a + 2) % 3;
                double m = ((const uint8_t*)material.data)[i] == 0 ? 1000 : 1590;
                to[a] += m * (double)v[3 * i + a];
                to[3 + a] +=
                    m * ((double)x[3 * i + b] * (double)v[3 * i + c] - (double)x[3 * i + c] * (double)v[3 * i + b]);
                if (k == 0) size += m * fabs((double)v[3 * i + a]);
            }
        if (k == 0) lab_run(sim, 0.2, 0.02);
    }
    double left = lab_stat(sim, "kinetic_j") / energy;
    printf("momentum off by %.2g, turning by %.2g, energy left %.3f\n", fabs(after[0] - before[0]) / size,
           fabs(after[5] - before[5]) / (0.2 * size), left);
    for (int a = 0; a < 3; a++) {
        CHECK_NEAR(after[a], before[a], 1e-5 * size);
        CHECK_NEAR(after[3 + a], before[3 + a], 1e-5 * 0.2 * size);
    }
    CHECK_BELOW(left, 0.9); // they have met
    shoal_sim_destroy(sim);
}

// Scenes of other solvers, made small: the water runs over the bed, which stays where it is.
static void waves_run_over_sand(void** state) {
    (void)state;
    static const char* const scenes[][2] = {{"wave-on-sand.yaml", "spacing=0.1"},
                                            {"dam-on-sand.yaml", "spacing=0.024"}};
    for (int k = 0; k < 2; k++) {
        shoal_sim*       sim  = lab_scene(scenes[k][0], (lab_setup){.set = {"solver=porous", scenes[k][1]}});
        double           sand = height_of(sim, "sand"), water = height_of(sim, "water"), size = k == 0 ? 0.34 : 0.096;
        shoal_field_view x;
        double           front = 0;
        lab_run(sim, k == 0 ? 0.5 : 0.25, 1.0 / 60);
        x = lab_view(sim, "water.position");
        for (int64_t i = 0; i < x.count; i++) front = fmax(front, (double)((const float*)x.data)[3 * i]);
        printf("%s: front at %.3f m, sand %.2f %% and water %.0f %% down, compression %.3f and %.2f %%\n", scenes[k][0],
               front, 100 * (sand - height_of(sim, "sand")) / size, 100 * (water - height_of(sim, "water")) / water,
               lab_stat(sim, "compression_avg_pct"), lab_stat(sim, "compression_99_pct"));
        CHECK_BELOW(k == 0 ? 0.9 : 0.45, front); // from 0.36 and 0.2
        CHECK_NEAR(height_of(sim, "sand"), sand, 0.1 * size);
        CHECK_BELOW(height_of(sim, "water"), 0.9 * water);
        CHECK_BELOW(lab_stat(sim, "compression_avg_pct"), 0.1);
        CHECK_BELOW(lab_stat(sim, "compression_99_pct"), 1);
        shoal_sim_destroy(sim);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(water_in_a_box_presses_by_its_depth_and_bears_up),
        cmocka_unit_test(water_over_sand_rests_and_the_sand_bears_it),
        cmocka_unit_test(sand_sinks_in_water_and_lighter_sand_swims),
        cmocka_unit_test(sand_and_water_that_meet_keep_momentum_and_turning),
        cmocka_unit_test(waves_run_over_sand),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
