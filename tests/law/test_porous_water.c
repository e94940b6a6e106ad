// SPDX-License-Identifier: MIT
// Water beside sand in porous: it rests and presses by its depth, bears up, lies on sand, lets sand sink, and what one
// gives the other takes.
#include "lab.h"

#include "sim/sim_local.h"

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

// Long waves of pressure are slow to find, and a pool that rests has no need of them: its water begins with what it
// bore before, and closes small gaps little by little.
static void a_deep_pool_at_rest_takes_few_sweeps(void** state) {
    (void)state;
    shoal_sim* sim    = lab_sim("solver: porous\nspacing: 0.01\ndomain: {max: [0.08, 0.7, 0.08]}\n"
                                   "porous: {substeps: 6}\n"
                                   "bodies: [{material: water, box: {min: [0, 0, 0], max: [0.08, 0.6, 0.08]}}]\n",
                                (lab_setup){0});
    double     sweeps = 0;
    lab_run(sim, 0.6, 1.0 / 60);
    for (int k = 0; k < 12; k++) {
        lab_run(sim, 1.0 / 60, 1.0 / 60);
        sweeps += lab_stat(sim, "sweeps") / 12;
    }
    printf("a pool of 60 spacings at rest: %.1f sweeps, compressed by %.4f %%\n", sweeps,
           lab_stat(sim, "compression_avg_pct"));
    CHECK_BELOW(sweeps, 20);
    CHECK_BELOW(lab_stat(sim, "compression_avg_pct"), 0.1);
    shoal_sim_destroy(sim);
}

// With substeps as they are chosen: pressure makes the arrangement of particles stiff, and substeps that let its waves
// run a spacing or more burst a pool. Upright; and of another size, with gravity askew to its box.
static void a_deep_pool_rests_with_its_own_substeps(void** state) {
    (void)state;
    static const char* const pools[] = {
        "spacing: 0.01\ndomain: {max: [0.06, 0.7, 0.06]}\n"
        "bodies: [{material: water, box: {min: [0, 0, 0], max: [0.06, 0.6, 0.06]}}]\n",
        "spacing: 0.002\ngravity: [-9.75, -0.7, 0.8]\ndomain: {max: [0.1, 0.012, 0.012]}\n"
        "bodies: [{material: water, box: {min: [0, 0, 0], max: [0.08, 0.012, 0.012]}}]\n"};
    for (int k = 0; k < 2; k++) {
        char text[512];
        snprintf(text, sizeof text, "solver: porous\n%s", pools[k]);
        shoal_sim* sim      = lab_sim(text, (lab_setup){0});
        double     squeezed = 0, mean = 0, fastest = 0, depth = k == 0 ? 0.6 : 0.08;
        for (int f = 0; f < 15; f++) {
            lab_run(sim, 1.0 / 60, 1.0 / 60);
            squeezed = fmax(squeezed, lab_stat(sim, "compression_max_pct"));
            mean     = fmax(mean, lab_stat(sim, "compression_avg_pct"));
            fastest  = fmax(fastest, lab_stat(sim, "speed_max_mps"));
        }
        printf("a pool of %.2f m: compressed by %.3f %%, at most %.2f %%; fastest %.3f of sqrt(g H)\n", depth, mean,
               squeezed, fastest / sqrt(9.81 * depth));
        CHECK_BELOW(mean, 0.08);
        CHECK_BELOW(squeezed, 1.5);
        CHECK_BELOW(fastest, 0.3 * sqrt(9.81 * depth));
        shoal_sim_destroy(sim);
    }
}

// In a slab, where nothing but the floor holds planes of particles that swing against each other: with substeps 1.3
// times as long they burst, compressed by 5 to 15 %. Upright; from below to above and with a full block beside;
// of half the size, with gravity to the right; and with a smaller kernel, under which water is stiffer.
static void a_pool_in_a_slab_keeps_its_density(void** state) {
    (void)state;
    static const char* const pools[] = {
        "spacing: 0.01\ndomain: {max: [0.08, 0.5, 0.04], walls: {top: open, back: periodic, front: periodic}}\n"
        "bodies: [{material: water, box: {min: [0, 0, 0], max: [0.08, 0.32, 0.04]}}]\n",
        "spacing: 0.01\ngravity: [0, 9.81, 0]\n"
        "domain: {max: [0.12, 0.4, 0.04], walls: {back: periodic, front: periodic}}\n"
        "materials: {water: {preset: water}, sand: {preset: sand, wetness: 1}}\n"
        "bodies: [{material: water, box: {min: [0, 0.16, 0], max: [0.08, 0.4, 0.04]}},\n"
        "  {material: sand, fixed: true, box: {min: [0.08, 0.16, 0], max: [0.12, 0.4, 0.04]}}]\n",
        "spacing: 0.005\ngravity: [9.81, 0, 0]\n"
        "domain: {max: [0.2, 0.04, 0.02], walls: {back: periodic, front: periodic}}\n"
        "bodies: [{material: water, box: {min: [0.04, 0, 0], max: [0.2, 0.04, 0.02]}}]\n",
        "spacing: 0.01\nporous: {support: 1.6}\n"
        "domain: {max: [0.08, 0.5, 0.04], walls: {back: periodic, front: periodic}}\n"
        "bodies: [{material: water, box: {min: [0, 0, 0], max: [0.08, 0.24, 0.04]}}]\n"};
    for (int k = 0; k < 4; k++) {
        char text[768];
        snprintf(text, sizeof text, "solver: porous\n%s", pools[k]);
        shoal_sim* sim      = lab_sim(text, (lab_setup){0});
        double     squeezed = 0, fastest = 0, depth = k == 2 ? 0.16 : k == 0 ? 0.32 : 0.24;
        for (int f = 0; f < 6; f++) {
            lab_run(sim, 0.04, 0.04);
            squeezed = fmax(squeezed, lab_stat(sim, "compression_99_pct"));
            fastest  = fmax(fastest, lab_stat(sim, "speed_max_mps"));
        }
        printf("a pool in a slab: 99 %% compressed by at most %.2f %%; fastest %.3f of sqrt(g H)\n", squeezed,
               fastest / sqrt(9.81 * depth));
        CHECK_BELOW(squeezed, 1);
        CHECK_BELOW(fastest, 0.3 * sqrt(9.81 * depth));
        shoal_sim_destroy(sim);
    }
}

// What lies on the floor is the water's weight as well as the sand's.
static void water_over_sand_rests_and_the_sand_bears_it(void** state) {
    (void)state;
    shoal_sim* sim =
        lab_sim("solver: porous\nspacing: 0.01\ndomain: {max: [0.12, 0.3, 0.1], walls: {left: slip, right: "
                "slip, back: slip, front: slip}}\n"
                "materials: {water: {preset: water}, sand: {preset: sand, wetness: 1, porosity: 0.4}}\n"
                "bodies:\n  - {material: sand, box: {min: [0, 0, 0], max: [0.12, 0.06, 0.1]}}\n"
                "  - {material: water, box: {min: [0, 0.06, 0], max: [0.12, 0.14, 0.1]}}\n",
                (lab_setup){0});
    double sand = height_of(sim, "sand"), water = height_of(sim, "water");
    lab_run(sim, 0.5, 1.0 / 60);
    double carried = pressure_between(sim, "sand", 0, 0.06), wanted = 9.81 * ((1590 + 400) * 0.03 + 1000 * 0.08);
    printf("sand bears %.3f of the load, %.3f mm and %.3f mm down, creep %.2f mm/s\n", carried / wanted,
           1e3 * (sand - height_of(sim, "sand")), 1e3 * (water - height_of(sim, "water")),
           1e3 * lab_stat(sim, "creep_mps"));
    CHECK_NEAR(carried / wanted, 1, 0.15); // pressure alone, without what friction bears
    CHECK_NEAR(height_of(sim, "sand"), sand, 5e-4);
    CHECK_NEAR(height_of(sim, "water"), water, 1e-3);
    CHECK_BELOW(lab_stat(sim, "creep_mps"), 1e-3);
    CHECK_BELOW(lab_stat(sim, "compression_avg_pct"), 0.1);
    CHECK_BELOW(lab_stat(sim, "compression_99_pct"), 1);
    shoal_sim_destroy(sim);
}

// Contact with a floor is found anew in each sweep, K is kept: water that stirs the grains by hairs' breadths must not
// hand what contact bears to K, particle by particle, until the lowest layers have half as much again as their load.
static void full_sand_under_a_pool_bears_no_more_than_its_load(void** state) {
    (void)state;
    shoal_sim* sim =
        lab_sim("solver: porous\nspacing: 0.01\ndomain: {max: [0.1, 0.3, 0.06], walls: {left: slip, right: "
                "slip, front: periodic, back: periodic}}\nmaterials: {sand: {preset: sand, wetness: 1}}\n"
                "bodies:\n  - {material: sand, box: {min: [0, 0, 0], max: [0.1, 0.1, 0.06]}}\n"
                "  - {material: water, box: {min: [0, 0.1, 0], max: [0.1, 0.18, 0.06]}}\n",
                (lab_setup){0});
    double ratio = 0.0, wanted = 9.81 * ((1590 + 400) * 0.09 + 998 * 0.08), most = 0.0;
    for (int second = 1; second <= 4; second++) {
        lab_run(sim, 1.0, 1.0 / 5);
        ratio = pressure_between(sim, "sand", 0, 0.02) / wanted;
        most  = fmax(most, ratio);
        printf("%d s: the lowest layers bear %.3f of the load\n", second, ratio);
    }
    CHECK_BELOW(most, 1.25);
    CHECK_BELOW(0.75, ratio);
    CHECK_BELOW(lab_stat(sim, "creep_mps"), 4e-4);
    shoal_sim_destroy(sim);
}

// The mean height of the sand from `from` to `to` on either side of x = 0: d^3 of each particle over the area of its
// slab, which is four spacings thick.
static double height_beside(const shoal_sim* sim, double from, double to, double d) {
    shoal_field_view x     = lab_view(sim, "sand.position");
    double           count = 0.0;
    for (int64_t i = 0; i < x.count; i++) {
        double at = fabs((double)((const float*)x.data)[3 * i]);
        count += at >= from && at < to;
    }
    return count * d * d * d / ((to - from) * 4 * d);
}

// A slip wall is a plane of symmetry, under water as well. (Where solids did not push with the pressure of the pore
// water, half a column stood at the wall as a pillar.)
static void half_a_column_slumps_under_water_as_the_whole_one(void** state) {
    (void)state;
    const double d = 0.0125, wide = 0.1, deep = 0.2;
    double       at[2], beside[2];
    for (int k = 0; k < 2; k++) {
        const double left = k == 0 ? 0.0 : -1.0;
        char         text[1024];
        snprintf(text, sizeof text,
                 "solver: porous\nspacing: %g\ndomain: {min: [%g, 0, 0], max: [0.4, 0.3, %g], walls: {top: open, left: "
                 "slip, front: periodic, back: periodic}}\nmaterials: {sand: {preset: sand, wetness: 1}}\n"
                 "bodies:\n  - {material: sand, box: {min: [%g, 0, 0], max: [%g, 0.15, %g]}}\n"
                 "  - {material: water, subtract: [{box: {min: [%g, 0, 0], max: [0.4, %g, %g]}}, "
                 "{box: {min: [%g, 0, 0], max: [%g, 0.15, %g]}}]}\n",
                 d, 0.4 * left, 4 * d, wide * left, wide, 4 * d, 0.4 * left, deep, 4 * d, wide * left, wide, 4 * d);
        shoal_sim* sim = lab_sim(text, (lab_setup){0});
        lab_run(sim, 2.5, 1.0 / 20);
        at[k]     = height_beside(sim, 0.0, 2 * d, d) / (1.0 + k);
        beside[k] = height_beside(sim, 4 * d, 8 * d, d) / (1.0 + k);
        printf("%s: %.0f mm high at the middle, %.0f mm beside it\n", k == 0 ? "half" : "whole", 1e3 * at[k],
               1e3 * beside[k]);
        shoal_sim_destroy(sim);
    }
    CHECK_NEAR(at[0], at[1], 0.02);
    CHECK_NEAR(beside[0], beside[1], 0.015);
    CHECK_BELOW(at[0], 0.11); // it was 150 mm: it has slumped
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

// Adds the momentum of a set and its turning about the origin; returns the sum of masses times speeds.
static double add_motion(const shoal_sim* sim, const char* set, const char* mass, double density, double sum[6]) {
    static const char* const names[] = {"position", "velocity"};
    const float*             of[3];
    double                   size  = 0;
    int64_t                  count = 0;
    for (int k = 0; k < 3; k++) {
        char name[32];
        snprintf(name, sizeof name, "%s.%s", set, k < 2 ? names[k] : mass);
        shoal_field_view view = lab_view(sim, name);
        of[k]                 = view.data;
        count                 = view.count;
    }
    for (int64_t i = 0; i < count; i++)
        for (int a = 0; a < 3; a++) {
            const float *x = of[0] + 3 * i, *v = of[1] + 3 * i;
            int          b = (a + 1) % 3, c = (a + 2) % 3;
            double       m = density * (double)of[2][i];
            sum[a] += m * (double)v[a];
            sum[3 + a] += m * ((double)x[b] * (double)v[c] - (double)x[c] * (double)v[b]);
            size += m * fabs((double)v[a]);
        }
    return size;
}

// Without weight: nothing of momentum and turning gets lost where they hit each other; also of the water that the sand
// drinks, but that the last has another place then; and where syrup is taken in, whose viscosity is solved for.
static void sand_and_water_that_meet_keep_momentum_and_turning(void** state) {
    (void)state;
    for (int dry = 0; dry < 3; dry++) {
        shoal_sim* sim = lab_sim(
            "solver: porous\nspacing: 0.02\ngravity: [0, 0, 0]\n"
            "materials: {water: {preset: water, density: 1000}, sand: {preset: sand, cohesion: 300, wetness: 1}}\n"
            "bodies:\n  - {material: sand, box: {min: [0, 0, 0], max: [0.12, 0.2, 0.1]}, spin: [1, 2, 3]}\n"
            "  - {material: water, box: {min: [0.14, 0, 0], max: [0.24, 0.1, 0.1]}, velocity: [-1, 0.3, 0]}\n",
            (lab_setup){.set = {dry ? "materials.sand.wetness=0" : NULL,
                                dry ? "materials.sand.permeability=1e-9" : NULL,
                                dry == 2 ? "materials.water.viscosity=20" : NULL}});
        double sums[2][6] = {{0}}, size = 0, energy = lab_stat(sim, "kinetic_j"), drunk = 0;
        for (int k = 0; k < 2; k++) {
            if (k == 1) lab_run(sim, 0.2, 0.02);
            double all =
                add_motion(sim, "sand", "mass", 1, sums[k]) + add_motion(sim, "water", "volume", 1000, sums[k]);
            if (k == 0) size = all;
        }
        drunk       = lab_stat(sim, "water_in_sand_kg");
        double left = lab_stat(sim, "kinetic_j") / energy;
        printf("%s: momentum off by %.2g, turning by %.2g, energy left %.3f, %.3f kg in the sand\n",
               dry == 2 ? "syrup"
               : dry    ? "dry"
                        : "full",
               fabs(sums[1][0] - sums[0][0]) / size, fabs(sums[1][5] - sums[0][5]) / (0.2 * size), left, drunk);
        for (int a = 0; a < 3; a++) {
            CHECK_NEAR(sums[1][a], sums[0][a], 1e-6 * size);
            CHECK_NEAR(sums[1][3 + a], sums[0][3 + a], (dry ? 1e-2 : 1e-3) * 0.2 * size);
        }
        CHECK_BELOW(left, 0.9); // they have met
        CHECK_NEAR(lab_stat(sim, "water_balance_rel"), 0, 1e-12);
        if (dry == 1) CHECK_BELOW(0.02, drunk);
        shoal_sim_destroy(sim);
    }
}

// Water that flies without weight, sheared, a particle in eight of it a small rest: rests join others, and bring their
// momentum along.
static void rests_that_join_bring_their_momentum(void** state) {
    (void)state;
    shoal_sim* sim =
        lab_sim("solver: porous\nspacing: 0.02\ngravity: [0, 0, 0]\n"
                "materials: {water: {preset: water, density: 1000}, sand: {preset: sand, wetness: 1}}\n"
                "bodies:\n  - {material: sand, box: {min: [0.4, 0, 0], max: [0.5, 0.1, 0.1]}}\n"
                "  - {material: water, box: {min: [0, 0, 0], max: [0.2, 0.1, 0.1]}, velocity: [-1, 0.3, 0], "
                "spin: [0, 0, 2]}\n",
                (lab_setup){0});
    shoal_set* water      = sim->ctx.sets[1];
    double*    content    = shoal_set_data(water, "content");
    float*     volume     = shoal_set_data(water, "volume");
    double     sums[2][6] = {{0}}, size = 0;
    for (int i = 0; i < water->count; i += 8) content[i] *= 0.05, volume[i] = (float)content[i];
    for (int k = 0; k < 2; k++) {
        if (k == 1) lab_run(sim, 0.02, 0.02);
        double all = add_motion(sim, "water", "volume", 1000, sums[k]);
        if (k == 0) size = all;
    }
    printf("%g joined, momentum off by %.2g\n", lab_stat(sim, "merged"), fabs(sums[1][0] - sums[0][0]) / size);
    CHECK_BELOW(10, lab_stat(sim, "merged"));
    for (int a = 0; a < 3; a++) CHECK_NEAR(sums[1][a], sums[0][a], 1e-6 * size);
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

// ---------------------------------------------------------------------------------- exchange with the pores

static double count_of(const shoal_sim* sim, const char* field) { return (double)lab_view(sim, field).count; }

static void a_pool_over_full_sand_rests(void** state) {
    (void)state;
    shoal_sim* sim =
        lab_sim("solver: porous\nspacing: 0.01\ndomain: {max: [0.1, 0.3, 0.08], walls: {left: slip, right: "
                "slip, back: slip, front: slip}}\n"
                "materials: {water: {preset: water}, sand: {preset: sand, wetness: 1, permeability: 1e-9}}\n"
                "bodies:\n  - {material: sand, box: {min: [0, 0, 0], max: [0.1, 0.06, 0.08]}}\n"
                "  - {material: water, box: {min: [0, 0.06, 0], max: [0.1, 0.12, 0.08]}}\n",
                (lab_setup){0});
    double inside = lab_stat(sim, "water_in_sand_kg"), water = height_of(sim, "water");
    lab_run(sim, 0.6, 1.0 / 60);
    const float* p    = lab_view(sim, "sand.pore_pressure").data;
    const float* x    = lab_view(sim, "sand.position").data;
    double       over = 0, count = count_of(sim, "sand.position");
    for (int i = 0; i < (int)count; i++)
        over += (double)p[i] / (9810 * (0.12 - (double)x[3 * i + 1])) / count; // of what stands above it
    printf("pores have %.3f of the pressure of the pool, %.4f of their water, pool %.2f mm down, %.0f split\n", over,
           lab_stat(sim, "water_in_sand_kg") / inside, 1e3 * (water - height_of(sim, "water")), lab_stat(sim, "split"));
    CHECK_NEAR(over, 1, 0.1);
    CHECK_NEAR(lab_stat(sim, "water_in_sand_kg") / inside, 1, 2e-3);
    CHECK_NEAR(height_of(sim, "water"), water, 1e-3);
    CHECK_BELOW(lab_stat(sim, "split") + lab_stat(sim, "engulfed"),
                5); // of 480; the sand below has little friction left
    CHECK_BELOW(lab_stat(sim, "water_pending_kg"), 1e-4);
    CHECK_NEAR(lab_stat(sim, "water_balance_rel"), 0, 1e-12);
    shoal_sim_destroy(sim);
}

// In a cup and in a basin, where water stands longer as it should.
static void water_on_dry_sand_soaks_in_to_the_last_drop(void** state) {
    (void)state;
    for (int k = 0; k < 2; k++) {
        const double d = k == 0 ? 0.01 : 0.05;
        char         text[1024];
        snprintf(
            text, sizeof text,
            "solver: porous\nspacing: %g\nmaterials: {water: {preset: water}, sand: {preset: sand, permeability: %g, "
            "capillary_height: %g}}\n"
            "domain: {max: [%g, %g, %g], walls: {left: periodic, right: periodic, back: periodic, front: periodic}}\n"
            "bodies:\n  - {material: sand, box: {min: [0, 0, 0], max: [%g, %g, %g]}}\n"
            "  - {material: water, box: {min: [0, %g, 0], max: [%g, %g, %g]}}\n",
            d, k == 0 ? 1e-9 : 2e-9, 5 * d, 6 * d, 30 * d, 6 * d, 6 * d, 10 * d, 6 * d, 10 * d, 6 * d, 13 * d, 6 * d);
        shoal_sim* sim  = lab_sim(text, (lab_setup){0});
        double     free = lab_stat(sim, "water_free_kg"), half, time = k == 0 ? 2.5 : 8;
        lab_run(sim, 0.2 * time, 0.05);
        half = lab_stat(sim, "water_free_kg");
        lab_run(sim, 0.8 * time, 0.05);
        printf("spacing %g: %.2f are left after %g s, %.4f after %g; pending %.2g, engulfed %.0f, joined %.0f\n", d,
               half / free, 0.2 * time, lab_stat(sim, "water_free_kg") / free, time,
               lab_stat(sim, "water_pending_kg") / free, lab_stat(sim, "engulfed"), lab_stat(sim, "merged"));
        CHECK_BELOW(0.3, half / free);
        CHECK_BELOW(lab_stat(sim, "water_free_kg"), 1e-9 * free);
        CHECK_BELOW(fabs(lab_stat(sim, "water_pending_kg")), 1e-9 * free);
        CHECK_NEAR(lab_stat(sim, "water_in_sand_kg") / free, 1, 1e-9);
        CHECK_NEAR(lab_stat(sim, "water_balance_rel"), 0, 1e-12);
        shoal_sim_destroy(sim);
    }
}

// Through a bed below a wall that parts it: taken in on the one side, given out on the other.
static void water_passes_through_sand_to_the_lower_side(void** state) {
    (void)state;
    shoal_sim* sim =
        lab_sim("solver: porous\nspacing: 0.01\ndomain: {max: [0.18, 0.3, 0.05], walls: {left: slip, right: slip, "
                "back: slip, front: "
                "slip}}\n"
                "materials: {water: {preset: water}, sand: {preset: sand, wetness: 1, permeability: 2e-9}}\n"
                "bodies:\n  - {material: sand, fixed: true, box: {min: [0, 0, 0], max: [0.18, 0.05, 0.05]}}\n"
                "  - {material: water, box: {min: [0, 0.05, 0], max: [0.08, 0.15, 0.05]}}\n"
                "  - {material: water, box: {min: [0.1, 0.05, 0], max: [0.18, 0.08, 0.05]}}\n"
                "obstacles: [{box: {min: [0.08, 0.05, -0.1], max: [0.1, 0.4, 0.15]}}]\n",
                (lab_setup){0});
    enum { FRAMES = 30 };
    double sides[2][2] = {{0}}, compression = 0;
    for (int k = 0; k < 2; k++) {
        for (int f = 0; k == 1 && f < FRAMES; f++) {
            lab_run(sim, 1.0 / FRAMES, 1.0 / FRAMES);
            compression +=
                lab_stat(sim, "compression_99_pct") / FRAMES; // five particles: it goes up and down by a third
        }
        const float *x = lab_view(sim, "water.position").data, *v = lab_view(sim, "water.volume").data;
        for (int i = 0; i < (int)count_of(sim, "water.volume"); i++) sides[k][x[3 * i] > 0.09f] += 1e6 * (double)v[i];
    }
    printf("left %.1f to %.1f ml, right %.1f to %.1f; %.0f split, %.0f joined, %.0f engulfed\n", sides[0][0],
           sides[1][0], sides[0][1], sides[1][1], lab_stat(sim, "split"), lab_stat(sim, "merged"),
           lab_stat(sim, "engulfed"));
    printf("compressed by %.3f %%\n", compression);
    CHECK_BELOW(sides[1][0], sides[0][0] - 31); // with the suction of pores a millionth short of full it was 28
    CHECK_NEAR(sides[1][0] + sides[1][1], sides[0][0] + sides[0][1], 2); // the sand stays full
    CHECK_BELOW(5, lab_stat(sim, "split"));
    CHECK_BELOW(5, lab_stat(sim, "merged"));
    CHECK_NEAR(lab_stat(sim, "water_balance_rel"), 0, 1e-12);
    CHECK_BELOW(compression, 1.5);
    shoal_sim_destroy(sim);
}

// Seepage: what no longer stays in the pores comes to light and runs off.
static void a_full_block_drains_into_the_open(void** state) {
    (void)state;
    shoal_sim* sim =
        lab_sim("solver: porous\nspacing: 0.01\ndomain: {max: [0.2, 0.2, 0.05], walls: {back: slip, front: slip}}\n"
                "materials: {water: {preset: water}, sand: {preset: sand, wetness: 1, permeability: 1e-9, "
                "capillary_height: 0.02}}\n"
                "bodies: [{material: sand, fixed: true, box: {min: [0, 0, 0], max: [0.08, 0.12, 0.05]}}]\n",
                (lab_setup){0});
    double inside = lab_stat(sim, "water_in_sand_kg"), outermost = 0;
    lab_run(sim, 1.0, 1.0 / 30);
    const float* x = lab_view(sim, "water.position").data;
    for (int i = 0; i < (int)count_of(sim, "water.position"); i++) {
        CHECK_BELOW(0.075, (double)x[3 * i]); // not within the sand, nor behind it
        outermost = fmax(outermost, (double)x[3 * i]);
    }
    printf("%.3f of the water has run out, as far as %.0f mm, %.3f waits\n", lab_stat(sim, "water_free_kg") / inside,
           1e3 * outermost, lab_stat(sim, "water_pending_kg") / inside);
    CHECK_BELOW(0.05, lab_stat(sim, "water_free_kg") / inside);
    CHECK_BELOW(lab_stat(sim, "water_pending_kg") / inside, 0.05);
    CHECK_BELOW(0.1, outermost);
    CHECK_NEAR(lab_stat(sim, "water_balance_rel"), 0, 1e-12);
    shoal_sim_destroy(sim);
}

// A tap within a pool: where it presses new water between that which is there, sweeps end as elsewhere. (Water whose
// steps had the margin of sand took 200 of them, and was compressed ever more.)
static void a_tap_within_a_pool_is_solved(void** state) {
    (void)state;
    shoal_sim* sim =
        lab_sim("solver: porous\nspacing: 0.02\ndomain: {min: [0, 0, 0], max: [0.3, 0.8, 0.3], walls: {top: "
                "open}}\nbodies: [{material: water, box: {min: [0, 0, 0], max: [0.3, 0.3, 0.3]}}]\n"
                "emitters: [{material: water, disc: {radius: 0.06}, at: [0.05, 0.15, 0.15], velocity: "
                "[0.5, 0, 0]}]\n",
                (lab_setup){0});
    double sweeps = 0.0;
    for (int f = 0; f < 9; f++) {
        lab_run(sim, 1.0 / 30.0, 1.0 / 30.0);
        sweeps = fmax(sweeps, lab_stat(sim, "sweeps"));
    }
    print_message("%.0f sweeps at most, compressed by %.2f %%\n", sweeps, lab_stat(sim, "compression_avg_pct"));
    CHECK_BELOW(sweeps, 60.0);
    CHECK_BELOW(lab_stat(sim, "compression_avg_pct"), 0.6);
    shoal_sim_destroy(sim);
}

// A tap at the foot of a bed: what it holds is driven, as by a pump, and new water follows it, so nothing is pressed
// together before it nor drawn in behind it. Dry sand drinks the water and is lifted, full sand boils, gravel lets it
// pass.
static void a_tap_below_a_bed_presses_nothing_together(void** state) {
    (void)state;
    static const char* const beds[] = {"preset: sand", "preset: sand, wetness: 1", "preset: gravel"};
    // mean compression at the end, %; where streams gave way it was 9, 23 and 6; with openings open to all 0.4, 5, 0.4
    static const double most[] = {0.2, 0.5, 0.5};
    for (int k = 0; k < 3; k++) {
        char text[1024];
        snprintf(text, sizeof text,
                 "solver: porous\nspacing: 0.01\ndomain: {max: [0.1, 0.25, 0.1], walls: {top: open}}\n"
                 "materials: {water: {preset: water}, bed: {%s}}\n"
                 "bodies: [{material: bed, box: {min: [0, 0, 0], max: [0.1, 0.07, 0.1]}}]\n"
                 "emitters: [{material: water, disc: {radius: 0.02}, at: [0.05, 0.02, 0.05], velocity: [0, 0.3, 0]}]\n",
                 beds[k]);
        shoal_sim* sim = lab_sim(text, (lab_setup){0});
        lab_run(sim, 0.3, 1.0 / 30);
        double mean = lab_stat(sim, "compression_avg_pct");
        printf("%s: compressed by %.2f %%; %.3f kg in it, %.3f free\n", beds[k], mean,
               lab_stat(sim, "water_in_sand_kg"), lab_stat(sim, "water_free_kg"));
        CHECK_BELOW(mean, most[k]);
        CHECK_NEAR(lab_stat(sim, "water_balance_rel"), 0, 1e-12);
        shoal_sim_destroy(sim);
    }
}

// A tap that is a box, as wide as the vessel, below a bed: until its stream has filled it the bed stands on its mouth,
// which is no room for the sweeps. (They let the bed fall into it in each substep, from where it was put back:
// compressed by 41 %, by 175 at a tenth of the speed, and gravel by 7.) The last one is turned, with gravity.
static void a_bed_stands_on_the_mouth_of_a_tap(void** state) {
    (void)state;
    static const char* const scenes[] = {
        "spacing: 0.01\ndomain: {max: [0.06, 0.25, 0.06], walls: {top: open}}\n"
        "materials: {water: {preset: water}, bed: {preset: sand, wetness: 1}}\n"
        "bodies: [{material: bed, box: {min: [0, 0.03, 0], max: [0.06, 0.12, 0.06]}}]\n"
        "emitters: [{material: water, box: {min: [0, 0, 0], max: [0.06, 0.03, 0.06]}, velocity: [0, 0.1, 0]}]\n",
        "spacing: 0.01\ndomain: {max: [0.06, 0.25, 0.06], walls: {top: open}}\n"
        "materials: {water: {preset: water}, bed: {preset: sand}}\n"
        "bodies: [{material: bed, box: {min: [0, 0.03, 0], max: [0.06, 0.12, 0.06]}}]\n"
        "emitters: [{material: water, box: {min: [0, 0, 0], max: [0.06, 0.03, 0.06]}, velocity: [0, 0.01, 0]}]\n",
        "spacing: 0.005\ngravity: [-9.81, 0, 0]\ndomain: {max: [0.125, 0.03, 0.03], walls: {right: open}}\n"
        "materials: {water: {preset: water}, bed: {preset: gravel}}\n"
        "bodies: [{material: bed, box: {min: [0.015, 0, 0], max: [0.06, 0.03, 0.03]}}]\n"
        "emitters: [{material: water, box: {min: [0, 0, 0], max: [0.015, 0.03, 0.03]}, velocity: [0.05, 0, 0]}]\n"};
    for (int k = 0; k < 3; k++) {
        char text[1024];
        snprintf(text, sizeof text, "solver: porous\n%s", scenes[k]);
        shoal_sim* sim  = lab_sim(text, (lab_setup){0});
        double     mean = 0.0, worst = 0.0;
        for (int f = 0; f < 12; f++) {
            lab_run(sim, 1.0 / 30.0, 1.0 / 30.0);
            mean  = fmax(mean, lab_stat(sim, "compression_avg_pct"));
            worst = fmax(worst, lab_stat(sim, "compression_99_pct"));
        }
        printf("a bed on the mouth of a tap: compressed by at most %.2f %%, 99 %% by %.1f\n", mean, worst);
        CHECK_BELOW(mean, 1.0);
        CHECK_NEAR(lab_stat(sim, "water_balance_rel"), 0, 1e-12);
        shoal_sim_destroy(sim);
    }
}

// A fast tap as wide as its vessel leaves particles too near each other along the walls, in each substep. That is made
// good by the clock, not within a substep. (They were thrown off the faster, the shorter the substep was, and made it
// shorter by that: 50 m/s, and the run was ended.)
static void a_fast_tap_as_wide_as_its_vessel_stays_calm(void** state) {
    (void)state;
    shoal_sim* sim     = lab_sim("solver: porous\nspacing: 0.01\ndomain: {max: [0.12, 0.4, 0.1], walls: {top: open}}\n"
                                     "materials: {water: {preset: water}, bed: {preset: gravel, wetness: 1}}\n"
                                     "bodies: [{material: bed, box: {min: [0, 0.03, 0], max: [0.12, 0.13, 0.1]}}]\n"
                                     "emitters: [{material: water, box: {min: [0, 0, 0], max: [0.12, 0.03, 0.1]}, velocity: "
                                     "[0, 2, 0]}]\n",
                                 (lab_setup){0});
    double     fastest = 0.0, mean = 0.0;
    for (int f = 0; f < 4; f++) {
        lab_run(sim, 1.0 / 30.0, 1.0 / 30.0);
        fastest = fmax(fastest, lab_stat(sim, "speed_max_mps"));
        mean    = fmax(mean, lab_stat(sim, "compression_avg_pct"));
    }
    printf("a tap of 2 m/s as wide as its vessel: fastest %.1f m/s, compressed by %.2f %%\n", fastest, mean);
    CHECK_BELOW(fastest, 10.0);
    CHECK_BELOW(mean, 1.0);
    shoal_sim_destroy(sim);
}

// Mud without friction beside taps whose edge leaves a wedge above the floor: it is held by both, and bears its
// pressure. (What the opening asked for the floor undid, so mud moved into the wedge and was put back in each substep:
// compressed by 6 and 1.3 % on average after 0.4 s, 24 % with 0.01 m/s.) The last one is turned, with gravity.
static void mud_beside_a_tap_above_a_floor_bears_its_pressure(void** state) {
    (void)state;
    static const char* const scenes[] = {
        "domain: {max: [0.12, 0.3, 0.1], walls: {top: open}}\n"
        "bodies: [{material: mud, box: {min: [0, 0, 0], max: [0.12, 0.1, 0.1]}}]\n"
        "emitters: [{material: water, box: {min: [0.03, 0.01, 0.02], max: [0.09, 0.03, 0.07]}, velocity: [0, 0.1, "
        "0]}]\n",
        "domain: {max: [0.12, 0.3, 0.1], walls: {top: open}}\n"
        "bodies: [{material: mud, box: {min: [0, 0, 0], max: [0.12, 0.1, 0.1]}}]\n"
        "emitters: [{material: water, capsule: {radius: 0.02, height: 0.03}, rotate: {axis: [0, 0, 1], degrees: 90}, "
        "at: "
        "[0.06, 0.03, 0.05], velocity: [0, 0.1, 0]}]\n",
        "gravity: [-9.81, 0, 0]\ndomain: {max: [0.3, 0.1, 0.12], walls: {right: open}}\n"
        "bodies: [{material: mud, box: {min: [0, 0, 0], max: [0.1, 0.1, 0.12]}}]\n"
        "emitters: [{material: water, box: {min: [0.01, 0.02, 0.03], max: [0.03, 0.07, 0.09]}, velocity: [0.01, 0, "
        "0]}]\n"};
    for (int k = 0; k < 3; k++) {
        char text[1024];
        snprintf(
            text, sizeof text,
            "solver: porous\nspacing: 0.01\nmaterials: {water: {preset: water}, mud: {preset: soil, wetness: 1}}\n%s",
            scenes[k]);
        shoal_sim* sim  = lab_sim(text, (lab_setup){0});
        double     mean = 0.0;
        for (int f = 0; f < 9; f++) {
            lab_run(sim, 1.0 / 30.0, 1.0 / 30.0);
            mean = fmax(mean, lab_stat(sim, "compression_avg_pct"));
        }
        printf("mud beside a tap: compressed by at most %.2f %%\n", mean);
        CHECK_BELOW(mean, 0.7);
        shoal_sim_destroy(sim);
    }
}

// A tap that is slower than what falls in a substep (g dt is 0.06 m/s here) lifts the pool above it all the same. (What
// it let go fell back in within the substep, for ever: at the end the opening held twice its mass, and the run failed.)
static void a_slow_tap_below_a_pool_gives_what_is_due(void** state) {
    (void)state;
    shoal_sim* sim = lab_sim(
        "solver: porous\nspacing: 0.01\ndomain: {max: [0.1, 0.2, 0.1], walls: {top: open}}\n"
        "bodies: [{material: water, box: {min: [0, 0, 0], max: [0.1, 0.03, 0.1]}}]\n"
        "emitters: [{material: water, box: {min: [0.02, 0, 0.02], max: [0.08, 0.02, 0.08]}, velocity: [0, 0.03, "
        "0]}]\n",
        (lab_setup){0});
    double mean = 0.0, due = 0.06 * 0.06 * 0.03 * 1.5 / 1e-6;
    for (int f = 0; f < 45; f++) {
        lab_run(sim, 1.0 / 30.0, 1.0 / 30.0);
        mean = fmax(mean, lab_stat(sim, "compression_avg_pct"));
    }
    double emitted = lab_stat(sim, "emitted");
    printf("a slow tap has given %.2f of what was due; compressed by at most %.2f %%\n", emitted / due, mean);
    CHECK_BELOW(mean, 1.0); // 34 where it fell back
    CHECK_BELOW(0.75, emitted / due);
    shoal_sim_destroy(sim);
}

// A tap whose opening lies in a bed sends its own material alone, from the start or later, and the bed does not rise as
// its piston. (Soaked sand in the opening was a part of the stream, a hundred times as heavy as it is: 200 sweeps in
// each substep, 0.85 % of compression, and 2 of 253 particles that were due.)
static void a_tap_within_a_bed_sends_its_own_material_alone(void** state) {
    (void)state;
    static const char* const solvers[] = {"porous", "porous", "flip", "grains"};
    for (int k = 0; k < 4; k++) {
        char text[1024];
        snprintf(
            text, sizeof text,
            "solver: %s\nspacing: 0.01\nmaterials: {sand: {preset: sand, wetness: 1}, water: {preset: water}}\n"
            "domain: {max: [0.06, 0.25, 0.06], walls: {top: open%s}}\nbodies: [{material: sand, box: {min: [0, 0, 0], "
            "max: [0.06, 0.1, 0.06]}}]\n"
            "emitters: [{material: water, box: {min: [0, 0, 0], max: [0.06, 0.03, 0.06]}, velocity: [0, 0.1, 0]%s}]\n",
            solvers[k], k < 2 ? ", left: periodic, right: periodic, back: periodic, front: periodic" : "",
            k == 1 ? ", from: 0.1" : "");
        shoal_sim* sim  = lab_sim(text, (lab_setup){0});
        double     mean = 0.0, held = 0.0, end = k == 3 ? 0.1 : 0.6, due = 36e-5 * (end - (k == 1 ? 0.1 : 0.0)) / 1e-6;
        for (double t = 0.0; t < end - 1e-9; t += 1.0 / 30.0) {
            lab_run(sim, 1.0 / 30.0, 1.0 / 30.0);
            mean            = fmax(mean, lab_stat(sim, "compression_avg_pct"));
            const char* set = k < 2 ? "sand" : k == 2 ? "particles" : "grains";
            char        of[64], kind[64];
            snprintf(of, sizeof of, "%s.holder", set);
            snprintf(kind, sizeof kind, "%s.material", set);
            shoal_field_view holder = lab_view(sim, of), material = lab_view(sim, kind);
            for (int64_t i = 0; i < holder.count; i++)
                held += ((const uint8_t*)material.data)[i] == 0 && ((const uint8_t*)holder.data)[i] > 0;
        }
        printf("%s: %.2f of what was due; compressed by at most %.2f %%\n", solvers[k], lab_stat(sim, "emitted") / due,
               mean);
        assert_true(held == 0.0);
        if (k < 2) CHECK_BELOW(mean, 1.0);
        if (k < 2) CHECK_BELOW(0.85, lab_stat(sim, "emitted") / due);
        shoal_sim_destroy(sim);
    }
}

// Sand and water fill a periodic box, and meet across its walls, too: on the seam or half a spacing beside it, what one
// gives the other takes.
static void momentum_is_kept_across_the_seam(void** state) {
    (void)state;
    for (int k = 0; k < 2; k++) {
        double at = 0.005 * k;
        char   text[1024];
        snprintf(text, sizeof text,
                 "solver: porous\nspacing: 0.01\ngravity: [0, 0, 0]\n"
                 "domain: {max: [0.12, 0.08, 0.08], walls: {left: periodic, right: periodic, bottom: periodic, top: "
                 "periodic, back: periodic, front: periodic}}\n"
                 "materials: {water: {preset: water, density: 1000}, sand: {preset: sand, density: 1600}}\n"
                 "bodies:\n  - {material: sand, box: {min: [%g, 0, 0], max: [%g, 0.08, 0.08]}}\n"
                 "  - {material: water, box: {min: [%g, 0, 0], max: [0.12, 0.08, 0.08]}, velocity: [1, 0.3, 0]}\n",
                 at, at + 0.06, at + 0.06);
        shoal_sim* sim = lab_sim(text, (lab_setup){0});
        double     x = lab_stat(sim, "momentum_x_kgmps"), y = lab_stat(sim, "momentum_y_kgmps");
        lab_run(sim, 0.1, 0.02);
        printf("sand from %g m on: momentum %.6f of %.6f kg m/s\n", at, lab_stat(sim, "momentum_x_kgmps"), x);
        CHECK_NEAR(lab_stat(sim, "momentum_x_kgmps"), x, 1e-5 * x);
        CHECK_NEAR(lab_stat(sim, "momentum_y_kgmps"), y, 1e-5 * x);
        shoal_sim_destroy(sim);
    }
}

// A tap that is a box in a shallow pool: what lies beside and behind it stays out of its opening in the sweeps, not
// only after them. (What it was put back by in each substep was compressed to twice its density in the gap below.)
// Turned with its pool by an odd angle, which stands in a vessel then; and at half the spacing.
static void a_tap_that_is_a_box_presses_no_pool_together(void** state) {
    (void)state;
    static const char* const scenes[] = {
        "domain: {max: [0.2, 0.4, 0.2], walls: {top: open}}\n"
        "bodies: [{material: water, box: {min: [0, 0, 0], max: [0.2, 0.08, 0.2]}}]\nspacing: 0.01\n"
        "emitters: [{material: water, box: {min: [0.05, 0.02, 0.05], max: [0.15, "
        "0.05, 0.15]}, velocity: [0, 0.3, 0]}]\n",
        "domain: {max: [0.1, 0.2, 0.1], walls: {top: open}}\n"
        "bodies: [{material: water, box: {min: [0, 0, 0], max: [0.1, 0.04, 0.1]}}]\nspacing: 0.005\n"
        "emitters: [{material: water, box: {min: [0.025, 0.01, 0.025], max: [0.075, "
        "0.025, 0.075]}, velocity: [0, 0.2, 0]}]\n",
        "domain: {max: [0.2, 0.4, 0.2], walls: {top: open}}\n"
        "bodies: [{material: water, box: {min: [0, 0, 0], max: [0.2, 0.08, 0.2]}}]\nspacing: 0.01\n"
        "emitters: [{material: water, box: {size: [0.08, 0.03, 0.08]}, at: [0.1, "
        "0.035, 0.1], rotate: {axis: [0, 1, 0], "
        "degrees: 27}, velocity: [0.2, 0, 0.1]}]\n"};
    for (int k = 0; k < 3; k++) {
        char text[1024];
        snprintf(text, sizeof text, "solver: porous\nmaterials: {water: {preset: water}}\n%s", scenes[k]);
        shoal_sim* sim  = lab_sim(text, (lab_setup){0});
        double     mean = 0.0, worst = 0.0;
        for (int f = 0; f < 10; f++) {
            lab_run(sim, 1.0 / 30.0, 1.0 / 30.0);
            mean  = fmax(mean, lab_stat(sim, "compression_avg_pct"));
            worst = fmax(worst, lab_stat(sim, "compression_99_pct"));
        }
        printf("tap that is a box: compressed by at most %.2f %%, 99 %% by %.1f\n", mean, worst);
        CHECK_BELOW(mean, 0.8); // 0.9 to 3.9 without; 0.2 where all of a compression is made good in a substep
        shoal_sim_destroy(sim);
    }
}

// 60 layers of water over sand: the pressure at their foot, from the fifth frame on, and the pool comes to rest. (0.19,
// where all of a compression was made good in a substep.)
static void a_deep_pool_presses_by_its_depth(void** state) {
    (void)state;
    shoal_sim*   sim = lab_sim("solver: porous\nspacing: 0.01\ndomain: {max: [0.06, 0.9, 0.06], walls: {top: open}}\n"
                                 "materials: {water: {preset: water}, sand: {preset: sand, wetness: 1}}\n"
                                 "bodies:\n  - {material: sand, box: {min: [0, 0, 0], max: [0.06, 0.08, 0.06]}}\n"
                                 "  - {material: water, box: {min: [0, 0.08, 0], max: [0.06, 0.68, 0.06]}}\n"
                                 "probes: [{name: foot, kind: pressure, at: [0, 0.1, 0.03]}]\n",
                               (lab_setup){0});
    const double due = 998 * 9.81 * 0.58;
    enum { FRAMES = 60, FIRST = 5, LAST = 24 };
    double sum = 0.0;
    for (int f = 1; f <= FRAMES; f++) {
        lab_run(sim, 1.0 / 60.0, 1.0 / 60.0);
        double off = lab_probe(sim, "foot") / due - 1.0;
        if (f >= FIRST && f <= LAST) sum += off * off / (LAST - FIRST + 1);
    }
    printf("foot of 60 layers: pressure off by %.3f rms; fastest after a second %.3f m/s\n", sqrt(sum),
           lab_stat(sim, "speed_max_mps"));
    CHECK_BELOW(sqrt(sum), 0.09);
    CHECK_BELOW(lab_stat(sim, "speed_max_mps"), 0.15);
    shoal_sim_destroy(sim);
}

// Sand that has sunk to a spacing above the floor falls through the last layer of water, too, whatever way is up, and
// no water gets lost. (Without that all of the lowest layer was water for ever.)
static void sand_sinks_through_water_to_the_floor(void** state) {
    (void)state;
    static const char* const cases[] = {
        "domain: {min: [0, 0, 0], max: [0.1, 0.12, 0.04], walls: {top: open, back: periodic, front: periodic, bottom: "
        "{friction: 0.5}}}\nbodies:\n  - {material: water, box: {min: [0, 0, 0], max: [0.1, 0.02, 0.04]}}\n"
        "  - {material: sand, box: {min: [0, 0.02, 0], max: [0.1, 0.04, 0.04]}}\n"
        "  - {material: water, box: {min: [0, 0.04, 0], max: [0.1, 0.06, 0.04]}}\n",
        "gravity: [0, 9.81, 0]\n"
        "domain: {min: [0, -0.12, 0], max: [0.1, 0, 0.04], walls: {bottom: open, back: periodic, front: periodic, top: "
        "{friction: 0.5}}}\nbodies:\n  - {material: water, box: {min: [0, -0.02, 0], max: [0.1, 0, 0.04]}}\n"
        "  - {material: sand, box: {min: [0, -0.04, 0], max: [0.1, -0.02, 0.04]}}\n"
        "  - {material: water, box: {min: [0, -0.06, 0], max: [0.1, -0.04, 0.04]}}\n"};
    for (int k = 0; k < 2; k++) {
        char text[1200];
        snprintf(text, sizeof text, "solver: porous\nspacing: 0.01\nmaterials: {sand: {preset: sand, wetness: 1}}\n%s",
                 cases[k]);
        shoal_sim* sim = lab_sim(text, (lab_setup){0});
        lab_run(sim, 2.4, 0.04);
        double lowest[2] = {0.0, 0.0};
        for (int set = 0; set < 2; set++) {
            shoal_field_view at = lab_view(sim, set ? "sand.position" : "water.position");
            for (int64_t i = 0; i < at.count; i++)
                lowest[set] += fabs((double)((const float*)at.data)[3 * i + 1]) < 0.0085;
        }
        printf("the lowest layer has %.0f particles of water and %.0f of sand\n", lowest[0], lowest[1]);
        CHECK_BELOW(lowest[0], 0.4 * (lowest[0] + lowest[1])); // of 40
        CHECK_BELOW(lab_stat(sim, "compression_avg_pct"), 0.1);
        CHECK_NEAR(lab_stat(sim, "water_balance_rel"), 0, 1e-12);
        shoal_sim_destroy(sim);
    }
}

// Oil below water rises, as far as it does in sph. (It stayed within 2 mm where only motion could bring
// it.)
static void oil_under_water_turns_over(void** state) {
    (void)state;
    shoal_sim* sim =
        lab_sim("solver: porous\nspacing: 0.01\ndomain: {max: [0.2, 0.1, 0.04], walls: {top: open, back: periodic, "
                "front: periodic}}\nbodies:\n"
                "  - {material: oil, box: {min: [0, 0, 0], max: [0.2, 0.04, 0.04]}}\n"
                "  - {material: water, box: {min: [0, 0.04, 0], max: [0.2, 0.08, 0.04]}}\n",
                (lab_setup){0});
    double sum[2] = {0.0, 0.0}, count[2] = {0.0, 0.0};
    lab_run(sim, 1.6, 0.04);
    shoal_field_view at = lab_view(sim, "water.position");
    const uint8_t*   m  = lab_view(sim, "water.material").data;
    for (int64_t i = 0; i < at.count; i++) sum[m[i]] += (double)((const float*)at.data)[3 * i + 1], count[m[i]] += 1.0;
    printf("oil is at %.1f mm, water at %.1f, from 20 and 60\n", 1e3 * sum[0] / count[0], 1e3 * sum[1] / count[1]);
    CHECK_BELOW(0.024, sum[0] / count[0]);
    CHECK_BELOW(sum[1] / count[1], 0.056);
    shoal_sim_destroy(sim);
}

// Water that waits with a particle of sand which mud carries down is pressed back into the pores there: a rain on full
// soil leaves nothing that waits within. (3 % of all water did, for ever.)
static void nothing_waits_within_full_mud(void** state) {
    (void)state;
    shoal_sim* sim = lab_sim(
        "solver: porous\nspacing: 0.01\ndomain: {max: [0.1, 0.2, 0.1], walls: {top: open}}\n"
        "materials: {soil: {preset: soil, permeability: 1e-9, capillary_height: 0.05, wetness: 1}}\n"
        "bodies: [{material: soil, box: {min: [0, 0, 0], max: [0.1, 0.06, 0.1]}}]\n"
        "emitters: [{material: water, rain: {min: [0, 0.16, 0], max: [0.1, 0.19, 0.1]}, flow: 1e-4, velocity: [0, -1, "
        "0], until: 0.8}]\n",
        (lab_setup){0});
    lab_run(sim, 1.6, 0.04);
    double waits = lab_stat(sim, "water_pending_kg"), all = waits + lab_stat(sim, "water_in_sand_kg");
    printf("%.2f g of %.0f wait\n", 1e3 * waits, 1e3 * all);
    CHECK_BELOW(waits, 0.005 * all);
    CHECK_NEAR(lab_stat(sim, "water_balance_rel"), 0, 1e-12);
    shoal_sim_destroy(sim);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(momentum_is_kept_across_the_seam),
        cmocka_unit_test(a_tap_within_a_pool_is_solved),
        cmocka_unit_test(a_tap_below_a_bed_presses_nothing_together),
        cmocka_unit_test(a_tap_that_is_a_box_presses_no_pool_together),
        cmocka_unit_test(a_bed_stands_on_the_mouth_of_a_tap),
        cmocka_unit_test(a_fast_tap_as_wide_as_its_vessel_stays_calm),
        cmocka_unit_test(mud_beside_a_tap_above_a_floor_bears_its_pressure),
        cmocka_unit_test(a_tap_within_a_bed_sends_its_own_material_alone),
        cmocka_unit_test(a_slow_tap_below_a_pool_gives_what_is_due),
        cmocka_unit_test(a_deep_pool_rests_with_its_own_substeps),
        cmocka_unit_test(a_deep_pool_presses_by_its_depth),
        cmocka_unit_test(a_pool_in_a_slab_keeps_its_density),
        cmocka_unit_test(water_in_a_box_presses_by_its_depth_and_bears_up),
        cmocka_unit_test(a_deep_pool_at_rest_takes_few_sweeps),
        cmocka_unit_test(water_over_sand_rests_and_the_sand_bears_it),
        cmocka_unit_test(full_sand_under_a_pool_bears_no_more_than_its_load),
        cmocka_unit_test(half_a_column_slumps_under_water_as_the_whole_one),
        cmocka_unit_test(sand_sinks_in_water_and_lighter_sand_swims),
        cmocka_unit_test(sand_and_water_that_meet_keep_momentum_and_turning),
        cmocka_unit_test(rests_that_join_bring_their_momentum),
        cmocka_unit_test(waves_run_over_sand),
        cmocka_unit_test(a_pool_over_full_sand_rests),
        cmocka_unit_test(water_on_dry_sand_soaks_in_to_the_last_drop),
        cmocka_unit_test(water_passes_through_sand_to_the_lower_side),
        cmocka_unit_test(a_full_block_drains_into_the_open),
        cmocka_unit_test(sand_sinks_through_water_to_the_floor),
        cmocka_unit_test(oil_under_water_turns_over),
        cmocka_unit_test(nothing_waits_within_full_mud),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
