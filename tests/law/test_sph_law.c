// SPDX-License-Identifier: MIT
// Laws of SPH where solids are: calm water under its own weight, buoyancy and drag of obstacles.
#include "lab.h"

static const char* const methods[] = {"sph.pressure=wcsph", "sph.pressure=pcisph", "sph.pressure=dfsph"};

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
    shoal_sim* sim      = lab_sim("solver: sph\nspacing: 0.03\n"
                                       "domain: {min: [0, 0, 0], max: [0.42, 0.6, 0.42]}\n"
                                       "bodies: [{material: water, box: {min: [0, 0, 0], max: [0.42, 0.42, 0.42]}}]\n"
                                       "obstacles: [{name: ball, sphere: {radius: 0.12}, at: [0.21, 0.21, 0.21]}]\n",
                                  (lab_setup){0});
    double     force[3] = {0.0}, all = 0.0;
    lab_run(sim, 0.5, 1.0 / 60.0);
    for (int f = 0; f < FRAMES; f++) {
        lab_run(sim, 1.0 / 60.0, 1.0 / 60.0);
        force[0] += lab_stat(sim, "ball_force_x_n") / FRAMES;
        force[1] += lab_stat(sim, "ball_force_y_n") / FRAMES;
        force[2] += lab_stat(sim, "ball_force_z_n") / FRAMES;
        all += lab_stat(sim, "obstacle_force_y_n") / FRAMES;
    }
    double weight = 4.0 / 3.0 * 3.14159265 * 0.12 * 0.12 * 0.12 * 998.2 * 9.81;
    printf("buoyancy: %.1f N, the weight of its water %.1f N; sideways %.2f and %.2f N\n", force[1], weight, force[0],
           force[2]);
    CHECK_NEAR(force[1] / weight, 1.0, 0.05);
    CHECK_NEAR(all, force[1], 1e-9 * weight);
    CHECK_BELOW(fabs(force[0]), 0.02 * weight);
    CHECK_BELOW(fabs(force[2]), 0.02 * weight);
    CHECK_NEAR(lab_stat(sim, "ball_friction_y_n"), 0.0, 1e-4 * weight); // it neither rubs nor sticks, and water is calm
    shoal_sim_destroy(sim);
}

// A ball drawn through syrup and one drawn the other way feel opposite drags, a part of them by friction, since they
// stick.
static void drag_is_opposite_to_the_way(void** state) {
    (void)state;
    enum { FRAMES = 24, LEAD = 8 };
    shoal_sim* sim =
        lab_sim("solver: sph\nspacing: 0.05\ngravity: [0, 0, 0]\n"
                "domain: {min: [0, 0, 0], max: [0.8, 0.4, 0.8], walls: {left: periodic, right: periodic}}\n"
                "materials: {syrup: {density: 1000, viscosity: 5}}\n"
                "bodies: [{material: syrup, box: {min: [0, 0, 0], max: [0.8, 0.4, 0.8]}}]\n"
                "obstacles:\n"
                "  - {name: there, sphere: {radius: 0.1}, stick: true, motion: [{t: 0, at: [0.2, 0.2, 0.2]}, {t: 1, "
                "at: [0.8, 0.2, 0.2]}]}\n"
                "  - {name: back, sphere: {radius: 0.1}, stick: true, motion: [{t: 0, at: [0.6, 0.2, 0.6]}, {t: 1, at: "
                "[0, 0.2, 0.6]}]}\n",
                (lab_setup){0});
    double there = 0.0, back = 0.0, friction = 0.0, across = 0.0;
    lab_run(sim, LEAD / 60.0, 1.0 / 60.0);
    for (int f = 0; f < FRAMES; f++) {
        lab_run(sim, 1.0 / 60.0, 1.0 / 60.0);
        there += lab_stat(sim, "there_force_x_n") / FRAMES;
        back += lab_stat(sim, "back_force_x_n") / FRAMES;
        friction += lab_stat(sim, "there_friction_x_n") / FRAMES;
        across += lab_stat(sim, "there_force_y_n") / FRAMES;
    }
    printf("drag: %.2f and %.2f N, of the first %.2f N by friction, %.2f N across\n", there, back, friction, across);
    CHECK_BELOW(there, 0.0);
    CHECK_NEAR(-back / there, 1.0, 0.05);
    CHECK_NEAR(friction / there, 0.5, 0.4);
    CHECK_BELOW(fabs(across), 0.05 * fabs(there));
    shoal_sim_destroy(sim);
}

// A plate hits a block of water at rest: what is automatic in wcsph must know the plate, since nothing else moves. The
// block leaves it as fast as the plate at least, and as an elastic one twice as fast at most.
static void a_plate_that_hits_water_hardly_compresses_it(void** state) {
    (void)state;
    shoal_sim* sim     = lab_sim("solver: sph\nspacing: 0.05\ngravity: [0, 0, 0]\n"
                                     "domain: {min: [-1, 0, 0], max: [4, 0.3, 0.3], walls: {left: open, right: open, back: "
                                     "periodic, front: periodic, top: periodic, bottom: periodic}}\n"
                                     "bodies: [{material: water, box: {min: [0, 0, 0], max: [0.5, 0.3, 0.3]}}]\n"
                                     "obstacles: [{name: plate, box: {size: [0.4, 0.6, 0.6]}, motion: [{t: 0, at: [-0.2, 0.15, "
                                     "0.15]}, {t: 1, at: [1.8, 0.15, 0.15]}]}]\n",
                                 (lab_setup){.set = {methods[0]}});
    double     impulse = 0.0, most = 0.0;
    for (int f = 0; f < 12; f++) {
        lab_run(sim, 1.0 / 60.0, 1.0 / 60.0);
        impulse -= lab_stat(sim, "plate_force_x_n") / 60.0;
        most = fmax(most, lab_stat(sim, "compression_avg_pct"));
    }
    printf("plate: %.1f N s, compression %.2f %% on average in the worst frame\n", impulse, most);
    double along = 0.5 * 0.3 * 0.3 * 998.2 * 2.0;
    CHECK_NEAR(impulse, 1.5 * along, 0.55 * along);
    CHECK_BELOW(most, 10.0); // v/c, behind the shock
    shoal_sim_destroy(sim);
}

// Impulse on a plate, N s: of a block of water without weight that stands when the plate comes with 2 m/s, or comes
// itself.
static double plate_impulse(const char* method, bool is_plate_moving, double* left) {
    char text[1024];
    snprintf(text, sizeof text,
             "solver: sph\nspacing: 0.05\ngravity: [0, 0, 0]\n"
             "domain: {min: [-1, 0, 0], max: [4, 0.3, 0.3], walls: {left: open, right: open, back: periodic, front: "
             "periodic, top: periodic, bottom: periodic}}\n"
             "bodies: [{material: water, velocity: [%d, 0, 0], box: {min: [0, 0, 0], max: [0.5, 0.3, 0.3]}}]\n"
             "obstacles: [{name: plate, box: {size: [0.4, 0.6, 0.6]}, motion: [{t: 0, at: [-0.2, 0.15, 0.15]}, {t: 1, "
             "at: [%.1f, 0.15, 0.15]}]}]\n"
             "sph: {substeps: %d}\n",
             is_plate_moving ? 0 : -2, is_plate_moving ? 1.8 : -0.2, method == methods[0] ? 20 : 4);
    shoal_sim* sim     = lab_sim(text, (lab_setup){.set = {method}});
    double     impulse = 0.0, speed = 0.0;
    for (int f = 0; f < 8; f++) {
        lab_run(sim, 1.0 / 60.0, 1.0 / 60.0);
        impulse -= lab_stat(sim, "plate_force_x_n") / 60.0;
    }
    const float* v     = lab_field(sim, "velocity");
    int64_t      count = shoal_sim_count(sim);
    for (int64_t i = 0; i < count; i++) speed += (double)v[3 * i] / (double)count;
    *left = is_plate_moving ? speed : speed + 2.0;
    shoal_sim_destroy(sim);
    return impulse;
}

// Who moves is a matter of view. Without a bounce the block has the plate's speed in the end and 89.8 N s; wcsph
// bounces.
static void a_plate_gives_water_what_water_gives_a_plate(void** state) {
    (void)state;
    for (int k = 0; k < 3; k++) {
        double along = 0.5 * 0.3 * 0.3 * 998.2 * 2.0, left[2];
        double here = plate_impulse(methods[k], false, &left[0]), there = plate_impulse(methods[k], true, &left[1]);
        printf("%s: water on a plate %.1f N s, plate on water %.1f N s, without a bounce %.1f; water is %.2f and %.2f "
               "m/s faster than before\n",
               methods[k], here, there, along, left[0], left[1]);
        CHECK_NEAR(there / here, 1.0, 0.02);
        CHECK_NEAR(there / along, k == 0 ? 1.5 : 1.0, k == 0 ? 0.5 : 0.08);
        CHECK_NEAR(left[1] / left[0], 1.0, 0.02);
    }
}

// Two layers of water without weight that slide over each other in a periodic box; the kinetic energy left of that at
// first.
static double shear_left(const char* method, const char* substeps, const char* xsph) {
    shoal_sim* sim =
        lab_sim("solver: sph\nspacing: 0.025\ngravity: [0, 0, 0]\n"
                "domain: {max: [0.1, 0.4, 0.1], walls: {left: periodic, right: periodic, back: periodic, front: "
                "periodic, bottom: periodic, top: periodic}}\n"
                "bodies:\n"
                "  - {material: water, velocity: [0.5, 0, 0], box: {min: [0, 0, 0], max: [0.1, 0.2, 0.1]}}\n"
                "  - {material: water, velocity: [-0.5, 0, 0], box: {min: [0, 0.2, 0], max: [0.1, 0.4, 0.1]}}\n",
                (lab_setup){.threads = 1, .set = {method, substeps, xsph}});
    double before = lab_stat(sim, "kinetic_j");
    lab_run(sim, 0.3, 1.0 / 60.0);
    double left = lab_stat(sim, "kinetic_j") / before;
    shoal_sim_destroy(sim);
    return left;
}

static void short_substeps_make_no_energy(void** state) {
    (void)state;
    for (int k = 1; k < 3; k++) {
        double left = shear_left(methods[k], "sph.substeps=128", "sph.xsph=0");
        printf("%s, 128 substeps a frame: %.3f of the kinetic energy is left\n", methods[k], left);
        CHECK_BELOW(left, 1.0001);
        CHECK_BELOW(0.7, left);
    }
}

static void smoothing_takes_the_same_in_any_number_of_substeps(void** state) {
    (void)state;
    double few  = shear_left(methods[2], "sph.substeps=4", "sph.xsph=0.2"),
           many = shear_left(methods[2], "sph.substeps=32", "sph.xsph=0.2");
    printf("xsph 0.2: %.3f of the kinetic energy is left after 4 substeps a frame, %.3f after 32\n", few, many);
    CHECK_BELOW(few, 0.9);
    CHECK_NEAR(many / few, 1.0, 0.03);
}

// A pressure that belonged to another place throws the light ones: with a warm start they gain energy in the first
// frame.
static void a_bubble_a_thousand_times_lighter_is_not_thrown(void** state) {
    (void)state;
    shoal_sim* sim =
        lab_sim("solver: sph\nspacing: 0.02\ndomain: {max: [0.24, 0.4, 0.2], walls: {top: open}}\n"
                "materials: {water: {density: 1000}, gas: {density: 1}}\n"
                "bodies:\n"
                "  - {material: water, subtract: [{box: {min: [0, 0, 0], max: [0.24, 0.24, 0.2]}}, {box: {min: "
                "[0.06, 0.02, 0.06], max: [0.18, 0.1, 0.14]}}]}\n"
                "  - {material: gas, box: {min: [0.06, 0.02, 0.06], max: [0.18, 0.1, 0.14]}}\n",
                (lab_setup){.threads = 1});
    lab_run(sim, 0.05, 1.0 / 60.0); // the watch would stop it
    double fastest = lab_stat(sim, "speed_max_mps");
    printf("bubble: %.2f m/s at most after 0.05 s\n", fastest);
    CHECK_BELOW(fastest, 10.0);
    shoal_sim_destroy(sim);
}

// Above an open top walls have no samples, but they go on.
static void water_above_an_open_top_is_stopped_by_the_wall(void** state) {
    (void)state;
    for (int k = 1; k < 3; k++) {
        shoal_sim* sim = lab_sim(
            "solver: sph\nspacing: 0.05\ngravity: [0, 0, 0]\n"
            "domain: {max: [0.6, 0.4, 0.2], walls: {top: open, back: periodic, front: periodic}}\n"
            "bodies: [{material: water, velocity: [2, 0, 0], box: {min: [0.2, 0.6, 0], max: [0.4, 0.8, 0.2]}}]\n",
            (lab_setup){.threads = 1, .set = {methods[k]}});
        double most = 0.0;
        for (int f = 0; f < 12; f++) {
            lab_run(sim, 1.0 / 60.0, 1.0 / 60.0);
            most = fmax(most, lab_stat(sim, "compression_avg_pct"));
        }
        printf("%s: %.3f %% on average in the worst frame, momentum %.3f kg m/s\n", methods[k], most,
               lab_stat(sim, "momentum_x_kgmps"));
        CHECK_BELOW(most, 0.1);
        CHECK_BELOW(lab_stat(sim, "momentum_x_kgmps"), 0.5); // 16 at first
        assert_true(lab_stat(sim, "unsolved") == 0.0);
        shoal_sim_destroy(sim);
    }
}

// A sheet of water slides over a floor at 2 m/s; the momentum that it has lost after 0.1 s over its area and density,
// m^2/s.
static double lost_to_the_floor(const char* floor, const char* mirror) {
    char text[512];
    snprintf(text, sizeof text,
             "solver: sph\nspacing: 0.05\n"
             "domain: {max: [0.4, 0.4, 0.2], walls: {left: periodic, right: periodic, back: periodic, front: periodic, "
             "top: open%s}}\n"
             "bodies: [{material: water, velocity: [2, 0, 0], box: {min: [0, 0, 0], max: [0.4, 0.2, 0.2]}}]\n",
             floor);
    shoal_sim* sim    = lab_sim(text, (lab_setup){.threads = 1, .set = {mirror}});
    double     before = lab_stat(sim, "momentum_x_kgmps");
    lab_run(sim, 0.1, 1.0 / 60.0);
    double lost = (before - lab_stat(sim, "momentum_x_kgmps")) / (0.4 * 0.2 * 998.2);
    shoal_sim_destroy(sim);
    return lost;
}

// (U/8.3)^(7/4) (nu/y)^(1/4) with y = d/2 and water's 1.002e-3 Pa s.
static void a_floor_takes_what_its_boundary_layer_takes(void** state) {
    (void)state;
    double law = pow(2.0 / 8.3, 1.75) * pow(1.002e-3 / 998.2 / 0.025, 0.25) * 0.1;
    for (int k = 0; k < 2; k++) {
        const char* mirror = k == 0 ? "sph.mirror=false" : "sph.mirror=true";
        double      smooth = lost_to_the_floor("", mirror), slippery = lost_to_the_floor(", bottom: slip", mirror);
        printf("%s: a floor takes %.3g m^2/s, by the law %.3g; a slippery one %.1g\n", mirror, smooth, law, slippery);
        CHECK_NEAR((smooth - slippery) / law, 1.0, 0.05);
        CHECK_NEAR(slippery / law, 0.0,
                   k == 0 ? 0.15 : 0.01); // samples are a little rough, mirrors are not
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(water_in_a_box_is_held_up),
        cmocka_unit_test(a_sunken_ball_feels_its_buoyancy),
        cmocka_unit_test(drag_is_opposite_to_the_way),
        cmocka_unit_test(a_plate_that_hits_water_hardly_compresses_it),
        cmocka_unit_test(a_plate_gives_water_what_water_gives_a_plate),
        cmocka_unit_test(a_bubble_a_thousand_times_lighter_is_not_thrown),
        cmocka_unit_test(short_substeps_make_no_energy),
        cmocka_unit_test(a_floor_takes_what_its_boundary_layer_takes),
        cmocka_unit_test(smoothing_takes_the_same_in_any_number_of_substeps),
        cmocka_unit_test(water_above_an_open_top_is_stopped_by_the_wall),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
