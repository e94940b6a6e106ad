// SPDX-License-Identifier: MIT
// Dry sand as a continuum of particles: run-outs and cuts.
#include "truth/continuum.h"

static void run_out_follows_its_law(void** state) {
    (void)state;
    static const double aspects[] = {0.5, 1, 2};
    for (int k = 0; k < 3; k++)
        truth_near(truth_case("run-out, aspect %g, 20 spacings long: over 1.2 a", aspects[k]), "porous",
                   run_out_porous(aspects[k], 20, (lab_setup){0}), "", 1, 0.2);
}

// tau <= mu p + c is Mohr-Coulomb's with sin(phi) = mu and c / cos(phi): c = 166 Pa holds 0.1 m.
// Sand that is no lattice bears its load unevenly, and yields where it is pressed most: it takes
// more, and misses the quarter that is wanted: docs/porous.md.
static void a_vertical_cut_stands_and_falls_by_its_cohesion(void** state) {
    (void)state;
    const double height = 0.1, mu = tan(30 * 0.017453292519943295), phi = asin(mu),
                 holds = height * 1600 * 9.81 * cos(phi) / (4 * tan(0.78539816339744831 + 0.5 * phi));
    double start       = cut_porous(1e4);
    truth_below("cut of 0.1 m with 3/2 of the cohesion that holds it: way of its front", "porous",
                1e3 * (cut_porous(1.5 * holds) - start), "mm", 5);
    truth_below("cut of 0.1 m with 5/4 of the cohesion that holds it: way of its front", "porous",
                1e3 * (cut_porous(1.25 * holds) - start), "mm", 5);
    truth_above("cut of 0.1 m with 3/4 of the cohesion that holds it: way of its front", "porous",
                1e3 * (cut_porous(0.75 * holds) - start), "mm", 20);
}

int main(int argc, char** argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(run_out_follows_its_law),
        cmocka_unit_test(a_vertical_cut_stands_and_falls_by_its_cohesion),
    };
    return TRUTH_RUN("porous", tests, argc, argv);
}
