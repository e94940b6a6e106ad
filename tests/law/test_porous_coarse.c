// SPDX-License-Identifier: MIT
// Coarse sand in porous: water passes through it as particles, braked by the law of its pores, and what it loses the
// grains get.
#include "lab.h"

#include "sim/sim_local.h"

// A periodic box of rock, full of water that falls through it for ever.
static double falls_through(const char* material, const char* arrangement, double gravity) {
    char text[1024];
    snprintf(
        text, sizeof text,
        "solver: porous\nspacing: 0.01\ngravity: [0, %g, %g]\n"
        "domain: {max: [0.08, 0.08, 0.08], walls: {left: periodic, right: periodic, bottom: periodic, top: periodic, "
        "back: periodic, front: periodic}}\n"
        "materials: {water: {preset: water}, rock: {preset: gravel, wetness: 1, %s}}\n"
        "bodies: [{material: rock, fixed: true, arrangement: %s, box: {min: [0, 0, 0], max: [0.08, 0.08, 0.08]}}]\n",
        -0.8 * gravity, 0.6 * gravity, material, arrangement);
    shoal_sim* sim = lab_sim(text, (lab_setup){0});
    double     sum = 0, frames = 20;
    CHECK_NEAR(lab_stat(sim, "coarse_pct"), 100, 0);
    lab_run(sim, 0.3, 0.02);
    for (int f = 0; f < frames; f++) {
        lab_run(sim, 0.02, 0.02);
        const float* v     = lab_view(sim, "water.velocity").data;
        const float* w     = lab_view(sim, "water.volume").data;
        double       count = (double)lab_view(sim, "water.volume").count, all = 0, flow = 0;
        for (int i = 0; i < (int)count; i++) {
            all += (double)w[i];
            flow += (double)w[i] * (-0.8 * (double)v[3 * i + 1] + 0.6 * (double)v[3 * i + 2]);
        }
        sum += flow / all / frames;
    }
    CHECK_NEAR(lab_stat(sim, "water_balance_rel"), 0, 1e-12);
    shoal_sim_destroy(sim);
    return sum;
}

// a q + b q^2 = rho g with q = phi u, the law of Forchheimer that fine sand has, too.
static void water_falls_through_rock_by_the_law_of_its_pores(void** state) {
    (void)state;
    const double phi = 0.4, solid = 1 - phi, cube = phi * phi * phi, rho = 998.2, mu = 1.0016e-3;
    for (int k = 0; k < 3; k++) {
        double grain = k == 1 ? 0.02 : 0.005, g = k == 2 ? 2.0 : 9.81,
               a = 180 * solid * solid / cube * mu / (grain * grain), b = 2 * rho * solid / (cube * grain);
        double q = 2 * rho * g / (a + sqrt(a * a + 4 * b * rho * g));
        char   material[64];
        snprintf(material, sizeof material, "grain_size: %g", grain);
        double u = falls_through(material, k == 0 ? "random" : "lattice", g);
        printf("grains of %g mm, %g m/s^2: %.4f m/s, %.3f of the law's\n", 1e3 * grain, g, u, u * phi / q);
        CHECK_NEAR(u * phi / q, 1, 0.06);
    }
}

// Water with a surface, 0.1 m deep in packed rock, flows down a slope of 1 in 20: the packing is uneven, and water that
// its pressure held in the hollows of it would flow by half (0.49).
static void water_under_pressure_flows_through_packed_rock(void** state) {
    (void)state;
    const double phi = 0.49, grain = 0.0159, rho = 998.2, mu = 1.0016e-3, solid = 1 - phi, cube = phi * phi * phi;
    const double a = 180 * solid * solid / cube * mu / (grain * grain), b = 2 * rho * solid / (cube * grain), g = 0.5;
    double       q = 2 * rho * g / (a + sqrt(a * a + 4 * b * rho * g)), sum = 0;
    shoal_sim*   sim =
        lab_sim("solver: porous\nspacing: 0.01\ngravity: [0.5, -9.81, 0]\n"
                "domain: {max: [0.2, 0.2, 0.04], walls: {left: periodic, right: periodic, bottom: slip, top: "
                "open, back: periodic, front: periodic}}\n"
                "materials:\n  water: {preset: water}\n"
                "  wet: {preset: gravel, grain_size: 0.0159, porosity: 0.49, wetness: 1}\n"
                "  dry: {preset: gravel, grain_size: 0.0159, porosity: 0.49}\n"
                "bodies:\n  - {material: wet, fixed: true, box: {min: [0, 0, 0], max: [0.2, 0.1, 0.04]}}\n"
                "  - {material: dry, fixed: true, box: {min: [0, 0.1, 0], max: [0.2, 0.15, 0.04]}}\n",
                (lab_setup){0});
    lab_run(sim, 0.6, 0.02);
    for (int f = 0; f < 10; f++) {
        lab_run(sim, 0.02, 0.02);
        const float* v     = lab_view(sim, "water.velocity").data;
        const float* w     = lab_view(sim, "water.volume").data;
        int64_t      count = lab_view(sim, "water.volume").count;
        for (int64_t i = 0; i < count; i++) sum += (double)w[i] * (double)v[3 * i] / (10 * 0.2 * 0.1 * 0.04);
    }
    printf("a packed bed: %.4f m/s, %.3f of the law's\n", sum, sum / q);
    CHECK_BELOW(0.75, sum / q);
    CHECK_BELOW(sum / q, 1.05);
    shoal_sim_destroy(sim);
}

// Water is thrown at a heap of gravel without weight: what it loses the gravel gets.
static void water_that_gravel_brakes_gives_it_its_momentum(void** state) {
    (void)state;
    shoal_sim* sim =
        lab_sim("solver: porous\nspacing: 0.02\ngravity: [0, 0, 0]\n"
                "materials: {water: {preset: water, density: 1000}, stones: {preset: gravel, grain_size: 0.02}}\n"
                "bodies:\n  - {material: stones, box: {min: [0, 0, 0], max: [0.12, 0.12, 0.12]}}\n"
                "  - {material: water, box: {min: [0.14, 0, 0], max: [0.24, 0.1, 0.1]}, velocity: [-1, 0.3, 0]}\n",
                (lab_setup){0});
    double sums[2][3] = {{0}}, size = 0, inside = 0;
    for (int k = 0; k < 2; k++) {
        if (k == 1) lab_run(sim, 0.2, 0.02);
        const float *v = lab_view(sim, "sand.velocity").data, *m = lab_view(sim, "sand.mass").data;
        int64_t      count = lab_view(sim, "sand.mass").count;
        for (int64_t i = 0; i < 3 * count; i++) sums[k][i % 3] += (double)m[i / 3] * (double)v[i];
        v     = lab_view(sim, "water.velocity").data;
        m     = lab_view(sim, "water.volume").data;
        count = lab_view(sim, "water.volume").count;
        for (int64_t i = 0; i < 3 * count; i++) {
            sums[k][i % 3] += 1000 * (double)m[i / 3] * (double)v[i];
            if (k == 0) size += 1000 * (double)m[i / 3] * fabs((double)v[i]);
        }
        const float* x = lab_view(sim, "water.position").data;
        for (int64_t i = 0; k == 1 && i < count; i++) inside += x[3 * i] < 0.1f;
    }
    printf("momentum off by %.2g, %.0f particles of water among the stones\n", fabs(sums[1][0] - sums[0][0]) / size,
           inside);
    for (int a = 0; a < 3; a++) CHECK_NEAR(sums[1][a], sums[0][a], 1e-6 * size);
    CHECK_BELOW(20, inside);
    CHECK_NEAR(lab_stat(sim, "coarse_pct"), 100, 0);
    CHECK_NEAR(lab_stat(sim, "water_balance_rel"), 0, 1e-12);
    shoal_sim_destroy(sim);
}

// Substeps decide whether sand is coarse, by how far water that falls, at 0.044 m/s, comes in one: above 0.02 spacings
// it becomes so, below 0.01 it is so no longer, and between it stays what it was. Its water comes out of the pores and
// back into them, with its momentum, and none of it gets lost; nor does a pressure of before stay.
static void sand_becomes_coarse_and_fine_by_the_length_of_substeps(void** state) {
    (void)state;
    static const struct {
        double dt, coarse;
    } parts[] = {{1.0 / 600, 0}, {1.0 / 300, 0}, {1.0 / 180, 100}, {1.0 / 300, 100}, {1.0 / 600, 0}, {1.0 / 180, 100}};
    shoal_sim* sim    = lab_sim("solver: porous\nspacing: 0.01\nfps: 600\nporous: {substeps: 1}\n"
                                   "domain: {max: [0.08, 0.3, 0.06], walls: {left: slip, right: slip, back: slip, front: "
                                   "slip}}\n"
                                   "materials: {water: {preset: water}, gravel: {preset: gravel, wetness: 1}}\n"
                                   "bodies:\n  - {material: gravel, box: {min: [0, 0, 0], max: [0.08, 0.05, 0.06]}}\n"
                                   "  - {material: water, box: {min: [0, 0.05, 0], max: [0.08, 0.09, 0.06]}}\n",
                                (lab_setup){0});
    double     filled = lab_stat(sim, "water_in_sand_kg");
    for (int k = 0; k < 6; k++) {
        lab_run(sim, 12 * parts[k].dt, parts[k].dt);
        const float* p      = lab_view(sim, "sand.pore_pressure").data;
        double       inside = lab_stat(sim, "water_in_sand_kg") / filled, most = 0;
        for (int64_t i = 0; i < lab_view(sim, "sand.pore_pressure").count; i++) most = fmax(most, (double)p[i]);
        printf("substeps of %.1f ms: coarse %.0f %%, pores %.3f full, at %.0f Pa at most, %.0f engulfed\n",
               1e3 * parts[k].dt, lab_stat(sim, "coarse_pct"), inside, most, lab_stat(sim, "engulfed"));
        CHECK_NEAR(lab_stat(sim, "coarse_pct"), parts[k].coarse, 0);
        CHECK_NEAR(lab_stat(sim, "water_balance_rel"), 0, 1e-12);
        if (parts[k].coarse > 0) {
            CHECK_NEAR(inside, 0, 1e-9);
            CHECK_NEAR(most, 0, 0);
        } else {
            CHECK_BELOW(0.9, inside);
            CHECK_BELOW(100, most);
        }
    }
    // where there is no number left for another particle, the water stays in the pores
    lab_run(sim, 12.0 / 600, 1.0 / 600);
    *sim->ctx.next_id = INT32_MAX;
    filled            = lab_stat(sim, "water_in_sand_kg");
    lab_run(sim, 4.0 / 180, 1.0 / 180);
    printf("no number left: %.4f kg in the pores, %.4f before\n", lab_stat(sim, "water_in_sand_kg"), filled);
    CHECK_NEAR(lab_stat(sim, "coarse_pct"), 100, 0);
    CHECK_BELOW(0.9 * filled, lab_stat(sim, "water_in_sand_kg"));
    CHECK_NEAR(lab_stat(sim, "water_balance_rel"), 0, 1e-12);
    shoal_sim_destroy(sim);
}

// With automatic substeps what is coarse does not change with what moves just now: drops of 1 m/s make substeps a fifth
// as long. Sand that is a little too coarse for the substeps of rest stays fine, and gets shorter ones.
static void what_moves_does_not_make_sand_coarse_or_fine(void** state) {
    (void)state;
    static const struct {
        const char* material;
        double      spacing, coarse, most; // most: of the substep at rest, s
    } sands[] = {{"{preset: gravel}", 0.005, 100, 1}, {"{preset: sand, permeability: 1e-9}", 0.001, 0, 0.0024}};
    for (int k = 0; k < 2; k++) {
        char   text[1024];
        double d = sands[k].spacing;
        snprintf(text, sizeof text,
                 "solver: porous\nspacing: %g\ndomain: {max: [%g, %g, %g]}\n"
                 "materials: {water: {preset: water}, sand: %s}\n"
                 "bodies:\n  - {material: sand, fixed: true, box: {min: [0, 0, 0], max: [%g, %g, %g]}}\n"
                 "  - {material: water, velocity: [0, %g, 0], box: {min: [%g, %g, %g], max: [%g, %g, %g]}}\n",
                 d, 8 * d, 30 * d, 8 * d, sands[k].material, 8 * d, 6 * d, 8 * d, -1.0, 2 * d, 16 * d, 2 * d, 6 * d,
                 20 * d, 6 * d);
        shoal_sim* sim      = lab_sim(text, (lab_setup){0});
        double     shortest = 1, last = 0;
        for (int f = 0; f < 40; f++) {
            int64_t before = shoal_sim_steps(sim);
            lab_run(sim, 0.02, 0.02);
            CHECK_NEAR(lab_stat(sim, "coarse_pct"), sands[k].coarse, 0);
            last     = 0.02 / (double)(shoal_sim_steps(sim) - before);
            shortest = fmin(shortest, last);
        }
        printf("%s: %.0f %% coarse throughout, substeps of %.2f to %.2f ms\n", sands[k].material, sands[k].coarse,
               1e3 * shortest, 1e3 * last);
        CHECK_BELOW(last, sands[k].most);
        shoal_sim_destroy(sim);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(water_falls_through_rock_by_the_law_of_its_pores),
        cmocka_unit_test(water_under_pressure_flows_through_packed_rock),
        cmocka_unit_test(water_that_gravel_brakes_gives_it_its_momentum),
        cmocka_unit_test(sand_becomes_coarse_and_fine_by_the_length_of_substeps),
        cmocka_unit_test(what_moves_does_not_make_sand_coarse_or_fine),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
