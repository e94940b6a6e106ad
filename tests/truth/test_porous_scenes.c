// SPDX-License-Identifier: MIT
// The scenes of Lenaerts & Dutre 2009, made small: what each of them is there to show, as a number.
#include "lab.h"

#include "truth/figure.h"

// The highest sand within `reach` of a vertical line, m.
static double top_at(const shoal_sim* sim, double x, double z, double reach) {
    shoal_field_view at  = lab_view(sim, "sand.position");
    double           top = 0;
    for (int64_t i = 0; i < at.count; i++) {
        const float* p = (const float*)at.data + 3 * i;
        if (hypot((double)p[0] - x, (double)p[2] - z) < reach) top = fmax(top, (double)p[1]);
    }
    return top;
}

static double saturation_of(const shoal_sim* sim) {
    shoal_field_view s   = lab_view(sim, "sand.saturation");
    double           sum = 0;
    for (int64_t i = 0; i < s.count; i++) sum += (double)((const float*)s.data)[i];
    return sum / (double)s.count;
}

static void the_moist_column_stands_until_the_wave_comes(void** state) {
    (void)state;
    shoal_sim* sim = lab_scene("moist-column.yaml", (lab_setup){.set = {"spacing=0.01"}});
    lab_run(sim, 0.08, 0.04);
    double start = top_at(sim, 0.11, 0.05, 0.03);
    lab_run(sim, 0.32, 0.04);
    double before = top_at(sim, 0.11, 0.05, 0.03);
    lab_run(sim, 2.0, 0.04);
    double after = top_at(sim, 0.11, 0.05, 0.03);
    printf("top of the column: %.1f, %.1f mm before the gate opens, %.1f mm 2 s later; saturation %.2f\n", 1e3 * start,
           1e3 * before, 1e3 * after, saturation_of(sim));
    truth_above("moist column: top before the wave over that at the start", "porous", before / start, "", 0.98);
    truth_below("moist column: top after the wave over that at the start", "porous", after / start, "", 0.8);
    CHECK_NEAR(lab_stat(sim, "water_balance_rel"), 0, 1e-12);
    shoal_sim_destroy(sim);
}

static void the_jet_erodes_a_hole_in_the_heap(void** state) {
    (void)state;
    shoal_sim* sim = lab_scene("sand-jet.yaml", (lab_setup){.set = {"spacing=0.008"}});
    double     top[4], unsolved = 0;
    for (int k = 0; k < 4; k++) {
        for (int f = 0; f < (k == 0 ? 20 : 12); f++) {
            lab_run(sim, 0.04, 0.04);
            unsolved += lab_stat(sim, "pore_unsolved");
        }
        top[k] = top_at(sim, 0.1, 0.1, 0.016);
        printf("%.2f s: sand below the jet up to %.1f mm, %.3f of the pores full\n", 0.8 + 0.48 * k, 1e3 * top[k],
               saturation_of(sim));
    }
    printf("%.0f steps of the pore water were not solved, the last took %.0f iterations\n", unsolved,
           lab_stat(sim, "pore_iterations"));
    CHECK_BELOW(unsolved, 10);
    CHECK_BELOW(lab_stat(sim, "pore_iterations"), 40);
    truth_below("sand jet: heap over the column", "porous", top[0] / 0.1, "", 0.8);
    truth_below("sand jet: hole over the heap", "porous", fmin(top[2], top[3]) / top[0], "", 0.8);
    CHECK_NEAR(lab_stat(sim, "water_balance_rel"), 0, 1e-12);
    shoal_sim_destroy(sim);
}

static void rain_is_taken_in_and_then_stands_as_a_puddle(void** state) {
    (void)state;
    shoal_sim* sim = lab_scene("rain.yaml", (lab_setup){.set = {"spacing=0.012"}});
    double     full[2], free[2];
    for (int k = 0; k < 2; k++) {
        lab_run(sim, k == 0 ? 0.8 : 4.2, 0.04);
        full[k] = saturation_of(sim);
        free[k] = lab_stat(sim, "water_free_kg") / (lab_stat(sim, "water_free_kg") + lab_stat(sim, "water_in_sand_kg"));
        printf("%.1f s: %.2f of the pores full, %.2f of the rain free\n", k == 0 ? 0.8 : 5.0, full[k], free[k]);
    }
    truth_below("rain: fraction of the water on the ground after 0.8 s", "porous", free[0], "", 0.5);
    truth_above("rain: saturation after 5 s", "porous", full[1], "", 0.8);
    truth_above("rain: fraction of the water that stands after 5 s", "porous", free[1], "", 0.4);
    CHECK_NEAR(lab_stat(sim, "water_balance_rel"), 0, 1e-12);
    shoal_sim_destroy(sim);
}

// The fraction of the sand that lies higher than `height`: on the rabbit.
static double fraction_above(const shoal_sim* sim, double height) {
    shoal_field_view at    = lab_view(sim, "sand.position");
    double           above = 0;
    for (int64_t i = 0; i < at.count; i++) above += (double)((const float*)at.data)[3 * i + 1] > height;
    return above / (double)at.count;
}

static void moist_sand_stays_on_the_rabbit_where_dry_sand_slides_off(void** state) {
    (void)state;
    double above[2];
    for (int dry = 0; dry < 2; dry++) {
        shoal_sim* sim =
            lab_scene("sand-on-bunny.yaml", (lab_setup){.set = {"spacing=0.01", dry ? "emitters.1.until=101" : NULL,
                                                                dry ? "emitters.1.from=100" : NULL}});
        lab_run(sim, 2.4, 0.04);
        above[dry] = fraction_above(sim, 0.05);
        printf("%s: %.3f of %lld are higher than 50 mm, saturation %.2f\n", dry ? "dry" : "wet", above[dry],
               (long long)shoal_sim_count(sim), saturation_of(sim));
        CHECK_NEAR(lab_stat(sim, "water_balance_rel"), 0, 1e-12);
        shoal_sim_destroy(sim);
    }
    truth_above("sand on bunny: fraction of the sand on it, with water over that without", "porous",
                above[0] / above[1], "", 2);
}

int main(int argc, char** argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_moist_column_stands_until_the_wave_comes),
        cmocka_unit_test(the_jet_erodes_a_hole_in_the_heap),
        TRUTH_LONG(rain_is_taken_in_and_then_stands_as_a_puddle),
        TRUTH_LONG(moist_sand_stays_on_the_rabbit_where_dry_sand_slides_off),
    };
    return TRUTH_RUN("porous", tests, argc, argv);
}
