// SPDX-License-Identifier: MIT
// The front of Martin & Moyce by position based fluids.
#include "truth/figure.h"
#include "truth/front.h"

static void front_of(const char* what, double a, int per_width, lab_setup setup) {
    static curve c;
    run_curve(&c, a, per_width, 4.3, setup);
    check_front(what, "pbf", &c);
    truth_below(truth_case("front of Martin & Moyce, %s: average compression of the worst frame", what), "pbf",
                c.compression, "%", 2.0);
}

static void the_front_of_martin_and_moyce_is_met(void** state) {
    (void)state;
    front_of("57 mm, 20 per width", 0.05715, 20, (lab_setup){0});
}

static void the_front_stays_in_the_band_at_a_finer_spacing(void** state) {
    (void)state;
    front_of("57 mm, 32 per width", 0.05715, 32, (lab_setup){0});
}

// Section 4 of the paper: fewer neighbours will do. h = 1.8 d has 18 on the lattice, 20 on average.
static void a_dam_break_holds_with_twenty_neighbours(void** state) {
    (void)state;
    front_of("1 m, support 1.8 d, 4 x 3", 1.0, 20,
             (lab_setup){.set = {"pbf.support=1.8", "pbf.substeps=4", "pbf.iterations=3"}});
}

static void few_neighbours_are_about_twenty(void** state) {
    (void)state;
    shoal_sim* sim = slice(1.0, 20, (lab_setup){.set = {"pbf.support=1.8", "pbf.substeps=4", "pbf.iterations=3"}});
    lab_run(sim, 0.3, 1.0 / 60.0);
    truth_near("dam break, support 1.8 d: neighbours on average", "pbf", shoal_sim_neighbours(sim), "", 20.0, 4.0);
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
