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

// The front last: where a figure is missed, those behind it are not asked. Its band is what a degree and a quarter of
// the measured friction angle moves it by (20.8 degrees in place of 19.8: 435 mm in place of 455 at 30 spacings, 0.045
// of it); the paper tells of no scatter of its shear tests.
static void column_rests(int n) {
    bui_slab b = bui_porous(n, 1.6, (lab_setup){0});
    truth_below(truth_case("Bui's column, %d spacings: surface off, rms", n), "porous", 1e3 * b.rms, "mm", 4);
    truth_figure(truth_case("Bui's column, %d spacings: share that has not moved", n), "porous", b.r.unmoved, "", 0.45,
                 0.60);
    truth_below(truth_case("Bui's column, %d spacings: creep at rest", n), "porous", 1e3 * b.r.creep, "mm/s", 0.3);
    truth_below(truth_case("Bui's column, %d spacings: mean compression", n), "porous", b.r.compression, "%", 0.1);
    truth_below(truth_case("Bui's column, %d spacings: compression of 99 %%", n), "porous", b.r.compression_99, "%", 1);
    truth_near(truth_case("Bui's column, %d spacings: front over the measured one", n), "porous", b.front / 0.442, "",
               1, 0.055);
}

static void a_finer_column_comes_to_rest_there_too(void** state) {
    (void)state;
    column_rests(30);
}

static void a_column_of_40_spacings_comes_to_rest_there_too(void** state) {
    (void)state;
    column_rests(40);
}

static void a_longer_column_runs_out_by_the_law_too(void** state) {
    (void)state;
    truth_near("run-out, aspect 0.5, 40 spacings long: over 1.2 a", "porous", run_out_porous(0.5, 40, (lab_setup){0}),
               "", 1, 0.1);
}

// tau <= mu p + c with tau = sqrt(J2). Sand that keeps its volume has no deviatoric stress across the plane of a plane
// flow, so p and tau are centre and radius of Mohr's circle: that is Coulomb's law with sin(phi) = mu and
// c_M = c/cos(phi). How high a cut stands by it, H = N c_M/(rho g) tan(45 + phi/2), depends on how the sand flows.
// Where it widens by its friction (associated flow) planes of slip are those of Coulomb's law: N = 4 of a wedge (3.78
// exactly, Pastor, Thai & Francescato 2000) gives 166 Pa for 0.1 m. Where it keeps its volume, as here, they are those
// of the largest shear, on which the law is tau = mu sigma + c: the same with tan(phi*) = mu and c* = c [Davis 1968],
// 227 Pa. The first bounds what any flow holds [Radenkovic 1961], so with less than that every cut falls. The second is
// no bound; what needs less than it is sand that widens. So 5/4 of 227 Pa have to stand, 3/4 of 166 Pa have to fall,
// and between them no theory says which.
static void a_vertical_cut_stands_and_falls_by_its_cohesion(void** state) {
    (void)state;
    const double weight = 0.1 * 1600 * 9.81, quarter = 0.78539816339744831, mu = tan(30 * 0.017453292519943295);
    const double widens = weight * cos(asin(mu)) / (4 * tan(quarter + 0.5 * asin(mu))),
                 keeps  = weight / (4 * tan(quarter + 0.5 * atan(mu)));
    double start        = cut_porous(1e4);
    truth_below("cut of 0.1 m with 5/4 of the cohesion that holds it (Davis): way of its front", "porous",
                1e3 * (cut_porous(1.25 * keeps) - start), "mm", 5);
    truth_above("cut of 0.1 m with 3/4 of the cohesion that holds it (Davis): way of its front", "porous",
                1e3 * (cut_porous(0.75 * keeps) - start), "mm", 20);
    truth_above("cut of 0.1 m with 3/4 of the cohesion that holds it (associated): way of its front", "porous",
                1e3 * (cut_porous(0.75 * widens) - start), "mm", 20);
}

int main(int argc, char** argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(run_out_follows_its_law),
        cmocka_unit_test(a_finer_column_comes_to_rest_there_too),
        cmocka_unit_test(a_column_of_40_spacings_comes_to_rest_there_too),
        cmocka_unit_test(a_longer_column_runs_out_by_the_law_too),
        cmocka_unit_test(a_vertical_cut_stands_and_falls_by_its_cohesion),
    };
    return TRUTH_RUN("porous", tests, argc, argv);
}
