// SPDX-License-Identifier: MIT
// What `quality: fine`, which is there for waves, does to the rest: hydrostatics, the front of Martin & Moyce, and a
// full closed box that is stirred.
#include "truth/column.h"
#include "truth/figure.h"
#include "truth/front.h"

static const char* const solvers[] = {"solver=pbf", "solver=sph"};
static const char* const names[]   = {"pbf", "sph"};

static void a_column_is_hydrostatic(void** state) {
    (void)state;
    static const double bounds[] = {0.07, 0.05}; // that of pbf is for automatic substeps, as in test_rest.c
    for (int s = 0; s < 2; s++) {
        column_rest r = column_at_rest((lab_setup){.threads = 1, .set = {"quality=fine", solvers[s]}});
        truth_below("column at rest, fine: largest miss of rho g z", names[s], r.off, "", bounds[s]);
        truth_below("column at rest, fine: average compression of the worst frame", names[s], r.compression, "%", 2.0);
    }
}

// The slice is two kernel radii thick, which is five spacings here.
static void the_front_of_martin_and_moyce_is_met(void** state) {
    (void)state;
    static curve c;
    const double a = 0.05715, d = a / 20.0;
    char         domain[96], body[96];
    snprintf(domain, sizeof domain, "domain.max=[%.9g, %.9g, %.9g]", 7.0 * a, 3.0 * a, 5.0 * d);
    snprintf(body, sizeof body, "bodies.0.box.max=[%.9g, %.9g, %.9g]", a, 2.0 * a, 5.0 * d);
    for (int s = 0; s < 2; s++) {
        run_curve(&c, a, 20, 4.3, (lab_setup){.threads = 1, .set = {"quality=fine", solvers[s], domain, body}});
        check_front("57 mm, 20 per width, fine", names[s], &c);
    }
}

// A disc of water that turns in a box full to the lid, without weight.
static void a_vortex_in_a_full_box_only_slows_down(void** state) {
    (void)state;
    for (int s = 0; s < 2; s++) {
        shoal_sim* sim = lab_sim(
            "spacing: 0.02\ngravity: [0, 0, 0]\n"
            "domain: {max: [0.28, 0.28, 0.1], walls: {back: periodic, front: periodic}}\n"
            "bodies:\n"
            "  - {material: water, cylinder: {radius: 0.07, height: 0.1}, rotate: {axis: [1, 0, 0], degrees: 90}, at: "
            "[0.14, 0.14, 0.05], spin: [0, 0, 12]}\n"
            "  - {material: water, subtract: [{box: {min: [0, 0, 0], max: [0.28, 0.28, 0.1]}}, {cylinder: {radius: "
            "0.07, height: 0.2}, rotate: {axis: [1, 0, 0], degrees: 90}, at: [0.14, 0.14, 0.05]}]}\n",
            (lab_setup){.threads = 1, .set = {"quality=fine", solvers[s]}});
        double first = lab_stat(sim, "kinetic_j"), last = first, grown = 0.0;
        for (int k = 0; k < 50; k++) {
            lab_run(sim, 0.1, 1.0 / 60.0);
            double now = lab_stat(sim, "kinetic_j");
            grown      = fmax(grown, (now - last) / first);
            last       = now;
        }
        shoal_sim_destroy(sim);
        truth_below("vortex in a full box, fine: largest gain of kinetic energy in 0.1 s", names[s], 100.0 * grown, "%",
                    1.0);
        truth_below("vortex in a full box, fine: kinetic energy left after 5 s", names[s], last / first, "", 0.6);
    }
}

int main(int argc, char** argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_column_is_hydrostatic),
        cmocka_unit_test(the_front_of_martin_and_moyce_is_met),
        cmocka_unit_test(a_vortex_in_a_full_box_only_slows_down),
    };
    return TRUTH_RUN("pbf sph", tests, argc, argv);
}
