// SPDX-License-Identifier: MIT
// Laws of SPH: free fall, momentum of blobs that collide, and calm water under its own weight.
#include "lab.h"

static const char* const methods[] = {"sph.pressure=wcsph", "sph.pressure=pcisph", "sph.pressure=dfsph"};

static void free_fall_is_exact(void** state) {
    (void)state;
    for (int k = 0; k < 3; k++) {
        enum { STEPS = 120 };
        const double g = 9.81, dt = 1.0 / 240.0;
        shoal_sim*   sim = lab_sim("solver: sph\nspacing: 0.1\n"
                                   "bodies: [{material: water, sphere: {radius: 0.3}, at: [0, 1, 0]}]\n",
                                   (lab_setup){.set = {methods[k], "sph.substeps=4"}});
        double com = lab_stat(sim, "com_y_m");
        lab_run(sim, 0.5, 1.0 / 60.0);
        assert_int_equal(shoal_sim_steps(sim), STEPS);
        double fallen = com - lab_stat(sim, "com_y_m"), wanted = g * dt * dt * STEPS * (STEPS + 1) / 2.0;
        printf("free fall, %s: centre of mass off by %.2g of its way\n", methods[k], fabs(fallen / wanted - 1.0));
        CHECK_NEAR(fallen / wanted, 1.0, 2e-6);
        shoal_sim_destroy(sim);
    }
}

static const char balls[] =
    "solver: sph\n"
    "spacing: 0.1\n"
    "gravity: [0, 0, 0]\n"
    "bodies:\n"
    "  - {material: water, sphere: {radius: 0.3}, at: [-0.5, 0.1, 0], velocity: [2, 0, 0.5]}\n"
    "  - {material: water, sphere: {radius: 0.4}, at: [0.5, -0.1, 0], velocity: [-2, 0, 0]}\n";

static void momentum_survives(const char* method, const char* option) {
    static const char* const momenta[] = {"momentum_x_kgmps", "momentum_y_kgmps", "momentum_z_kgmps"};
    shoal_sim* sim = lab_sim(balls, (lab_setup){.set = {method, option}});
    double     before[3], worst = 0.0, scale = 4.0 / 3.0 * 3.14159265 * 0.027 * 1000.0 * 2.0, energy = lab_stat(sim, "kinetic_j");
    for (int k = 0; k < 3; k++) before[k] = lab_stat(sim, momenta[k]);
    lab_run(sim, 0.4, 1.0 / 60.0);
    for (int k = 0; k < 3; k++) worst = fmax(worst, fabs(lab_stat(sim, momenta[k]) - before[k]) / scale);
    double left = lab_stat(sim, "kinetic_j") / energy;
    printf("collision, %s, %s: momentum off by %.2g of one ball's, energy left %.3f\n", method, option ? option : "as is", worst, left);
    CHECK_BELOW(worst, 1e-5);
    CHECK_BELOW(left, 0.97); // they have met
    shoal_sim_destroy(sim);
}

static void two_blobs_that_collide_keep_their_momentum(void** state) {
    (void)state;
    for (int k = 0; k < 3; k++) {
        momentum_survives(methods[k], NULL);
        momentum_survives(methods[k], "bodies.0.material=oil");
        momentum_survives(methods[k], "sph.tension=akinci");
    }
    momentum_survives("sph.pressure=wcsph", "sph.pressure_form=mueller");
    momentum_survives("sph.pressure=wcsph", "sph.tension=becker");
}

// 2 % of the height under the weight of 8 layers; the tolerance is 0.1 %.
static void water_in_a_box_is_held_up(void** state) {
    (void)state;
    for (int k = 0; k < 3; k++) {
        shoal_sim* sim = lab_sim("solver: sph\nspacing: 0.06\n"
                                 "domain: {min: [0, 0, 0], max: [0.48, 1, 0.48]}\n"
                                 "bodies: [{material: water, box: {min: [0, 0, 0], max: [0.48, 0.48, 0.48]}}]\n",
                                 (lab_setup){.set = {methods[k]}});
        lab_run(sim, 1.0, 1.0 / 60.0);
        printf("%s: centre %.4f m, compression %.3f %% on average, %.2f %% at most, %.3f m/s\n", methods[k],
               lab_stat(sim, "com_y_m"), lab_stat(sim, "compression_avg_pct"), lab_stat(sim, "compression_max_pct"),
               lab_stat(sim, "speed_max_mps"));
        CHECK_NEAR(lab_stat(sim, "com_y_m"), 0.24, 0.005);
        CHECK_BELOW(lab_stat(sim, "compression_avg_pct"), k == 0 ? 0.6 : 0.1);
        CHECK_BELOW(lab_stat(sim, "compression_max_pct"), k == 0 ? 2.0 : 1.0);
        shoal_sim_destroy(sim);
    }
}

// What the liquid gives a ball that is held is the weight of the water in its place, and nothing sideways.
static void a_sunken_ball_feels_its_buoyancy(void** state) {
    (void)state;
    enum { FRAMES = 18 };
    shoal_sim* sim = lab_sim("solver: sph\nspacing: 0.03\n"
                             "domain: {min: [0, 0, 0], max: [0.42, 0.6, 0.42]}\n"
                             "bodies: [{material: water, box: {min: [0, 0, 0], max: [0.42, 0.42, 0.42]}}]\n"
                             "obstacles: [{name: ball, sphere: {radius: 0.12}, at: [0.21, 0.21, 0.21]}]\n",
                             (lab_setup){0});
    double force[3] = {0.0}, all = 0.0;
    lab_run(sim, 0.5, 1.0 / 60.0);
    for (int f = 0; f < FRAMES; f++) {
        lab_run(sim, 1.0 / 60.0, 1.0 / 60.0);
        force[0] += lab_stat(sim, "ball_force_x_n") / FRAMES;
        force[1] += lab_stat(sim, "ball_force_y_n") / FRAMES;
        force[2] += lab_stat(sim, "ball_force_z_n") / FRAMES;
        all += lab_stat(sim, "obstacle_force_y_n") / FRAMES;
    }
    double weight = 4.0 / 3.0 * 3.14159265 * 0.12 * 0.12 * 0.12 * 998.2 * 9.81;
    printf("buoyancy: %.1f N, the weight of its water %.1f N; sideways %.2f and %.2f N\n", force[1], weight, force[0], force[2]);
    CHECK_NEAR(force[1] / weight, 1.0, 0.05);
    CHECK_NEAR(all, force[1], 1e-9 * weight);
    CHECK_BELOW(fabs(force[0]), 0.02 * weight);
    CHECK_BELOW(fabs(force[2]), 0.02 * weight);
    CHECK_NEAR(lab_stat(sim, "ball_friction_y_n"), 0.0, 1e-9); // it neither rubs nor sticks
    shoal_sim_destroy(sim);
}

// A ball drawn through syrup and one drawn the other way feel opposite drags, a part of them by friction, since they stick.
static void drag_is_opposite_to_the_way(void** state) {
    (void)state;
    enum { FRAMES = 16, LEAD = 8 };
    shoal_sim* sim = lab_sim("solver: sph\nspacing: 0.05\ngravity: [0, 0, 0]\n"
                             "domain: {min: [0, 0, 0], max: [0.8, 0.4, 0.8], walls: {left: periodic, right: periodic}}\n"
                             "materials: {syrup: {density: 1000, viscosity: 5}}\n"
                             "bodies: [{material: syrup, box: {min: [0, 0, 0], max: [0.8, 0.4, 0.8]}}]\n"
                             "obstacles:\n"
                             "  - {name: there, sphere: {radius: 0.1}, stick: true, motion: [{t: 0, at: [0.2, 0.2, 0.2]}, {t: 1, at: [0.8, 0.2, 0.2]}]}\n"
                             "  - {name: back, sphere: {radius: 0.1}, stick: true, motion: [{t: 0, at: [0.6, 0.2, 0.6]}, {t: 1, at: [0, 0.2, 0.6]}]}\n",
                             (lab_setup){0});
    double there = 0.0, back = 0.0, rub = 0.0, across = 0.0;
    lab_run(sim, LEAD / 60.0, 1.0 / 60.0);
    for (int f = 0; f < FRAMES; f++) {
        lab_run(sim, 1.0 / 60.0, 1.0 / 60.0);
        there += lab_stat(sim, "there_force_x_n") / FRAMES;
        back += lab_stat(sim, "back_force_x_n") / FRAMES;
        rub += lab_stat(sim, "there_friction_x_n") / FRAMES;
        across += lab_stat(sim, "there_force_y_n") / FRAMES;
    }
    printf("drag: %.2f and %.2f N, of the first %.2f N by friction, %.2f N across\n", there, back, rub, across);
    CHECK_BELOW(there, 0.0);
    CHECK_NEAR(-back / there, 1.0, 0.05);
    CHECK_NEAR(rub / there, 0.5, 0.4);
    CHECK_BELOW(fabs(across), 0.05 * fabs(there));
    shoal_sim_destroy(sim);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(free_fall_is_exact),
        cmocka_unit_test(two_blobs_that_collide_keep_their_momentum),
        cmocka_unit_test(water_in_a_box_is_held_up),
        cmocka_unit_test(a_sunken_ball_feels_its_buoyancy),
        cmocka_unit_test(drag_is_opposite_to_the_way),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
