// SPDX-License-Identifier: MIT
// The front of Martin & Moyce by position based fluids.
#include "truth/figure.h"
#include "truth/front.h"

static curve c;

static void the_front_of_martin_and_moyce_is_met(void** state) {
    (void)state;
    double low, high;
    run_curve(&c, 0.05715, 20, 4.3, (lab_setup){0});
    report("a = 57 mm, 20 per width", &c, &low, &high);
    CHECK_BELOW(-0.05, low);
    CHECK_BELOW(high, 0.10);
    CHECK_BELOW(c.compression, 2.0);
}

static void the_front_stays_in_the_band_at_a_finer_spacing(void** state) {
    (void)state;
    double low, high;
    run_curve(&c, 0.05715, 32, 4.3, (lab_setup){0});
    report("a = 57 mm, 32 per width", &c, &low, &high);
    CHECK_BELOW(-0.05, low);
    CHECK_BELOW(high, 0.10);
    CHECK_BELOW(c.compression, 2.0);
}

// Section 4 of the paper: fewer neighbours will do. h = 1.8 d has 18 on the lattice, 20 on average.
static void a_dam_break_holds_with_twenty_neighbours(void** state) {
    (void)state;
    double low, high;
    run_curve(&c, 1.0, 20, 4.3,
              (lab_setup){
                  .set = {"pbf.support=1.8", "pbf.substeps=4", "pbf.iterations=3"}
    });
    report("a = 1 m, support 1.8 d, 4 x 3", &c, &low, &high);
    CHECK_BELOW(-0.05, low);
    CHECK_BELOW(high, 0.10);
    CHECK_BELOW(c.compression, 2.0);
}

static void few_neighbours_are_about_twenty(void** state) {
    (void)state;
    shoal_sim* sim = slice(1.0, 20,
                           (lab_setup){
                               .set = {"pbf.support=1.8", "pbf.substeps=4", "pbf.iterations=3"}
    });
    lab_run(sim, 0.3, 1.0 / 60.0);
    double neighbours = shoal_sim_neighbours(sim);
    printf("support 1.8 d: %.1f neighbours on average\n", neighbours);
    CHECK_NEAR(neighbours, 20.0, 4.0);
    shoal_sim_destroy(sim);
}

int main(int argc, char** argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_front_of_martin_and_moyce_is_met),
        cmocka_unit_test(the_front_stays_in_the_band_at_a_finer_spacing),
        cmocka_unit_test(a_dam_break_holds_with_twenty_neighbours),
        cmocka_unit_test(few_neighbours_are_about_twenty),
    };
    return TRUTH_RUN("pbf", tests, argc, argv);
}
