// SPDX-License-Identifier: MIT
// Parts of a step of sph, each where it can be seen alone: the equation of state, what brakes,
// friction on solids that stand and move, images across periodic walls, and how many sweeps and
// substeps a solve takes.
#include "lab.h"

// p = rho c^2/7 (s^7 - 1), and nothing below rest
static void pressure_of_wcsph_is_taits(void** state) {
    (void)state;
    shoal_sim* sim = lab_sim("solver: sph\nspacing: 0.05\ndomain: {max: [0.2, 2, 0.2]}\nmaterials: {water: "
                             "{density: 1000}}\n"
                             "bodies: [{material: water, box: {min: [0, 0, 0], max: [0.2, 0.8, 0.2]}}]\n",
                             (lab_setup){.threads = 1, .set = {"sph.pressure=wcsph", "sph.sound_speed=20"}});
    lab_run(sim, 0.5, 1.0 / 60.0);
    const float *rho = lab_field(sim, "density"), *p = lab_field(sim, "pressure");
    double       most = 0.0;
    for (int64_t i = 0; i < shoal_sim_count(sim); i++) {
        double wanted = fmax(1000.0 * 400.0 / 7.0 * (pow((double)rho[i] / 1000.0, 7.0) - 1.0), 0.0);
        CHECK_NEAR((double)p[i], wanted, 1e-4 * wanted + 1.0);
        most = fmax(most, (double)p[i]);
    }
    CHECK_BELOW(3000.0, most); // of 7800 Pa at the bottom
    shoal_sim_destroy(sim);
}

// Kinetic energy of two blobs that have met, J.
static double after_a_collision(const char* viscosity, const char* artificial) {
    shoal_sim* sim = lab_sim(
        "solver: sph\nspacing: 0.05\ngravity: [0, 0, 0]\nmaterials: {stuff: "
        "{density: 1000, viscosity: 0}}\n"
        "bodies:\n  - {material: stuff, box: {min: [0, 0, 0], max: [0.2, 0.2, "
        "0.2]}, velocity: [1, 0, 0]}\n"
        "  - {material: stuff, box: {min: [0.25, 0.05, 0], max: [0.45, 0.25, "
        "0.2]}, velocity: [-1, 0, 0]}\n",
        (lab_setup){.threads = 1,
                    .set = {"sph.pressure=wcsph", "sph.substeps=100", "sph.sound_speed=20", viscosity, artificial}});
    lab_run(sim, 0.2, 1.0 / 60.0);
    double left = lab_stat(sim, "kinetic_j");
    shoal_sim_destroy(sim);
    return left;
}

// alpha h c / 10 of Monaghan is a viscosity: the more there is of it the less is left, and none is
// added to a liquid that has as much.
static void artificial_viscosity_brakes_unless_the_liquid_does(void** state) {
    (void)state;
    const char* own[] = {"materials.stuff.viscosity=0", "materials.stuff.viscosity=20"};
    double      thin  = after_a_collision(own[0], "sph.artificial_viscosity=0"),
           braked     = after_a_collision(own[0], "sph.artificial_viscosity=0.5"),
           thick      = after_a_collision(own[1], "sph.artificial_viscosity=0"),
           both       = after_a_collision(own[1], "sph.artificial_viscosity=0.1");
    printf("left: %.3f J, with artificial viscosity %.3f J; thick %.6f and %.6f J\n", thin, braked, thick, both);
    CHECK_BELOW(braked, 0.9 * thin);
    CHECK_NEAR(both, thick, 1e-9 * thick);
}

// Momentum that a sheet of water on a rough slab gains in 0.1 s over its weight, s; the sheet or
// the slab moves at 2 m/s. And what the slab has felt.
static double dragged(double sheet, double slab, double* force) {
    char text[1024];
    snprintf(text, sizeof text,
             "solver: sph\nspacing: 0.05\ndomain: {min: [-2, 0, 0], max: [2, 0.6, 0.3], walls: "
             "{front: slip, back: slip, left: open, right: open}}\n"
             "bodies: [{material: water, velocity: [%g, 0, 0], box: {min: [-0.6, 0.1, 0], max: "
             "[0.6, 0.3, 0.3]}}]\n"
             "obstacles: [{name: slab, friction: 0.2, box: {size: [6, 0.2, 1]}, motion: [{t: 0, "
             "at: [0, 0, 0.15]}, {t: 1, at: [%g, 0, 0.15]}]}]\n",
             sheet, slab);
    shoal_sim* sim    = lab_sim(text, (lab_setup){.threads = 1});
    double     before = lab_stat(sim, "momentum_x_kgmps"), weight = 1.2 * 0.2 * 0.3 * 998.2 * 9.81;
    *force = 0.0;
    for (int f = 0; f < 6; f++) {
        lab_run(sim, 1.0 / 60.0, 1.0 / 60.0);
        *force += lab_stat(sim, "slab_friction_x_n") / 60.0 / weight;
    }
    double gained = (lab_stat(sim, "momentum_x_kgmps") - before) / weight;
    shoal_sim_destroy(sim);
    return gained;
}

static void a_rough_slab_drags_by_its_friction_whoever_moves(void** state) {
    (void)state;
    double force[2], stands = dragged(-2.0, 0.0, &force[0]), moves = dragged(0.0, 2.0, &force[1]);
    printf("drag over weight in 0.1 s: slab at rest %.4f, in motion %.4f, felt %.4f and %.4f; "
           "friction asks for %.4f s\n",
           stands, moves, force[0], force[1], 0.2 * 0.1);
    CHECK_NEAR(moves / stands, 1.0, 0.02);
    CHECK_NEAR(stands / 0.02, 0.8, 0.12); // its ends fall off the slab's load at first
    CHECK_NEAR(-force[0] / stands, 1.0, 0.02);
    CHECK_NEAR(-force[1] / moves, 1.0, 0.02);
}

// Two liquids without weight in a box that is periodic all around: they meet themselves across its
// walls.
static void two_liquids_keep_their_momentum_across_periodic_walls(void** state) {
    (void)state;
    static const char* const methods[] = {"sph.pressure=wcsph", "sph.pressure=pcisph", "sph.pressure=dfsph"};
    for (int k = 0; k < 3; k++) {
        shoal_sim* sim = lab_sim("solver: sph\nspacing: 0.05\ngravity: [0, 0, 0]\n"
                                 "materials: {light: {density: 500, viscosity: 0.1}, heavy: {density: 1000, "
                                 "viscosity: 1}}\n"
                                 "domain: {max: [0.4, 0.4, 0.4], walls: {left: periodic, right: periodic, back: "
                                 "periodic, front: periodic, bottom: periodic, top: periodic}}\n"
                                 "bodies:\n  - {material: light, velocity: [0.5, 0, 0], box: {min: [0, 0, 0], "
                                 "max: [0.2, 0.4, 0.4]}}\n"
                                 "  - {material: heavy, velocity: [-0.5, 0.2, 0], box: {min: [0.2, 0, 0], max: "
                                 "[0.4, 0.4, 0.35]}}\n",
                                 (lab_setup){.threads = 1, .set = {methods[k]}});
        double     x = lab_stat(sim, "momentum_x_kgmps"), y = lab_stat(sim, "momentum_y_kgmps");
        lab_run(sim, 0.1, 1.0 / 60.0);
        double off = hypot(lab_stat(sim, "momentum_x_kgmps") - x, lab_stat(sim, "momentum_y_kgmps") - y) / hypot(x, y);
        printf("%s: momentum off by %.2g\n", methods[k], off);
        CHECK_BELOW(off, 1e-4);
        shoal_sim_destroy(sim);
    }
}

#define POOL                                                                                                           \
    "solver: sph\nspacing: 0.05\ndomain: {max: [0.4, 1, 0.4]}\n"                                                       \
    "bodies: [{material: water, box: {min: [0, 0, 0], max: [0.4, 0.6, 0.4]}}]\n"

typedef struct effort {
    double sweeps, steps, compression;
} effort;

static effort effort_of(lab_setup setup) {
    shoal_sim* sim = lab_sim(POOL, setup);
    effort     e   = {0};
    for (int f = 0; f < 30; f++) {
        lab_run(sim, 1.0 / 60.0, 1.0 / 60.0);
        if (f < 10) continue;
        e.sweeps += lab_stat(sim, "iterations") / 20.0;
        e.compression += lab_stat(sim, "compression_avg_pct") / 20.0;
    }
    e.steps = (double)shoal_sim_steps(sim) / 30.0;
    shoal_sim_destroy(sim);
    return e;
}

static void a_pool_at_rest_takes_few_sweeps(void** state) {
    (void)state;
    static const char* const methods[] = {"sph.pressure=pcisph", "sph.pressure=dfsph"};
    for (int k = 0; k < 2; k++) {
        effort e = effort_of((lab_setup){.threads = 1, .set = {methods[k], "sph.substeps=4"}});
        printf("%s: %.1f sweeps, %.3f %% compression\n", methods[k], e.sweeps, e.compression);
        CHECK_BELOW(e.sweeps, k == 0 ? 9.0 : 8.0);
        CHECK_BELOW(e.compression, 0.1);
    }
}

static void what_stays_compressed_takes_shorter_substeps(void** state) {
    (void)state;
    effort loose = effort_of((lab_setup){.threads = 1, .set = {"sph.iterations=1", "sph.tolerance=10"}}),
           tight = effort_of((lab_setup){.threads = 1, .set = {"sph.iterations=1", "sph.tolerance=0.01"}});
    printf("substeps a frame: %.1f at 10 %%, %.1f at 0.01 %%, compression %.3f and %.3f %%\n", loose.steps, tight.steps,
           loose.compression, tight.compression);
    CHECK_BELOW(2.0 * loose.steps, tight.steps);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pressure_of_wcsph_is_taits),
        cmocka_unit_test(artificial_viscosity_brakes_unless_the_liquid_does),
        cmocka_unit_test(a_rough_slab_drags_by_its_friction_whoever_moves),
        cmocka_unit_test(two_liquids_keep_their_momentum_across_periodic_walls),
        cmocka_unit_test(a_pool_at_rest_takes_few_sweeps),
        cmocka_unit_test(what_stays_compressed_takes_shorter_substeps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
