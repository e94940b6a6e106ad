// SPDX-License-Identifier: MIT
// Grains against solids and parameters that are hard on them: nobody passes through, overlaps stay within what was
// designed for, and nothing gains energy.
#include "lab.h"

static const double d = 0.01;

typedef struct outcome {
    double overlap, fastest, lowest; // % of the diameter, m/s, m: the worst of all frames
    int    count, came;
} outcome;

static outcome ordeal(const char* text, lab_setup setup, double seconds) {
    outcome    o   = {0.0, 0.0, 1e9, 0, 0};
    shoal_sim* sim = lab_sim(text, setup);
    o.came         = (int)shoal_sim_count(sim);
    for (double t = 0.0; t < seconds - 1e-9; t += 0.005) {
        CHECK_OK(shoal_sim_advance(sim, 0.005));
        o.overlap = fmax(o.overlap, lab_stat(sim, "overlap_max_pct"));
        o.fastest = fmax(o.fastest, lab_stat(sim, "speed_max_mps"));
    }
    o.count        = (int)shoal_sim_count(sim);
    const float* x = lab_field(sim, "position");
    for (int i = 0; i < o.count; i++) o.lowest = fmin(o.lowest, (double)x[3 * i + 1]);
    shoal_sim_destroy(sim);
    return o;
}

static void a_grain_thrown_into_a_corner_comes_to_rest_there(void** state) {
    (void)state;
    shoal_sim* sim = lab_sim("solver: grains\nspacing: 0.01\ngravity: [-5.66, -5.66, -5.66]\n"
                             "domain: {max: [0.1, 0.1, 0.1]}\n"
                             "bodies: [{arrangement: lattice, material: sand, velocity: [-1, -1, -1], box: {min: "
                             "[0.01, 0.01, 0.01], max: [0.02, 0.02, 0.02]}}]\n",
                             (lab_setup){.set = {"grains.spread=0"}});
    lab_run(sim, 0.5, 0.05);
    const float* x = lab_field(sim, "position");
    for (int axis = 0; axis < 3; axis++) CHECK_NEAR((double)x[axis], 0.5 * d, 0.01 * d);
    CHECK_BELOW(lab_stat(sim, "speed_max_mps"), 1e-4);
    CHECK_NEAR(lab_stat(sim, "contacts"), 3.0, 0.0);
    shoal_sim_destroy(sim);
}

// A block falls onto the edge of a box turned by 45 degrees, and onto a plate a third of a grain thin.
static void an_edge_and_a_thin_plate_let_nobody_in(void** state) {
    (void)state;
    static const char edge[] = "solver: grains\nspacing: 0.01\ndomain: {max: [0.2, 0.2, 0.04]}\n"
                               "bodies: [{material: sand, box: {min: [0.07, 0.11, 0], max: [0.13, 0.15, 0.04]}}]\n"
                               "obstacles: [{box: {size: [0.08, 0.08, 0.2]}, at: [0.1, 0.05, 0.02], rotate: {axis: [0, "
                               "0, 1], degrees: 45}, friction: 0.3}]\n";
    outcome           o      = ordeal(edge, (lab_setup){0}, 0.3);
    CHECK_BELOW(o.overlap, 20.0);
    assert_int_equal(o.count, o.came);
    static const char plate[] =
        "solver: grains\nspacing: 0.01\ndomain: {max: [0.06, 0.3, 0.06], walls: {bottom: open}}\n"
        "bodies: [{material: sand, velocity: [0, -3, 0], box: {min: [0, 0.1, 0], max: [0.06, 0.14, 0.06]}}]\n"
        "obstacles: [{box: {min: [-0.1, 0.05, -0.1], max: [0.2, 0.0533, 0.2]}}]\n";
    o = ordeal(plate, (lab_setup){0}, 0.3);
    CHECK_BELOW(o.overlap, 20.0);
    CHECK_BELOW(0.0533 + 0.3 * d, o.lowest);
    assert_int_equal(o.count, o.came);
}

// A wedge as a mesh; its distances are those of a grid, so its edge is as round as a cell.
static void a_mesh_with_a_sharp_edge_parts_the_sand(void** state) {
    (void)state;
    FILE* file = fopen("wedge.obj", "w");
    assert_non_null(file);
    fputs("v -0.05 0 -0.1\nv 0.05 0 -0.1\nv 0 0.08 -0.1\nv -0.05 0 0.1\nv 0.05 0 0.1\nv 0 0.08 0.1\n"
          "f 1 3 2\nf 4 5 6\nf 1 2 5 4\nf 2 3 6 5\nf 3 1 4 6\n",
          file);
    assert_int_equal(fclose(file), 0);
    static const char text[] = "solver: grains\nspacing: 0.01\ndomain: {min: [-0.1, 0, 0], max: [0.1, 0.2, 0.04]}\n"
                               "bodies: [{material: sand, box: {min: [-0.03, 0.1, 0], max: [0.03, 0.16, 0.04]}}]\n"
                               "obstacles: [{mesh: wedge.obj, friction: 0.2}]\n";
    outcome           o      = ordeal(text, (lab_setup){0}, 0.4);
    assert_int_equal(remove("wedge.obj"), 0);
    CHECK_BELOW(o.overlap, 20.0);
    CHECK_BELOW(o.lowest, 1.2 * d); // it has come down on the sides
    assert_int_equal(o.count, o.came);
}

// The speed of obstacles is known before, and the springs are made for it.
static void an_obstacle_at_forty_metres_per_second_is_withstood(void** state) {
    (void)state;
    static const char text[] = "solver: grains\nspacing: 0.01\ndomain: {max: [0.4, 0.2, 0.04]}\n"
                               "bodies: [{material: sand, box: {min: [0.1, 0, 0], max: [0.16, 0.04, 0.04]}}]\n"
                               "obstacles: [{box: {size: [0.02, 0.1, 0.04]}, motion: [{t: 0, at: [0.05, 0.055, 0.02]}, "
                               "{t: 0.02, at: [0.05, 0.055, 0.02]}, "
                               "{t: 0.025, at: [0.25, 0.055, 0.02]}]}]\n";
    outcome           o      = ordeal(text, (lab_setup){0}, 0.04);
    CHECK_BELOW(o.overlap, 20.0);
    CHECK_BELOW(30.0, o.fastest); // it did hit
    CHECK_BELOW(o.fastest, 100.0);
    assert_int_equal(o.count, o.came);
}

// Every extreme the list of parameters allows, on a block that falls.
// A slab comes nearer to a wall than a grain is thick: what has no room overlaps it, and the wall holds.
static void walls_win_over_what_an_obstacle_presses_against_them(void** state) {
    (void)state;
    static const char text[] = "solver: grains\nspacing: 0.01\ngravity: [0, 0, 0]\ndomain: {max: [0.1, 0.04, 0.04]}\n"
                               "bodies: [{material: sand, box: {min: [0.08, 0, 0], max: [0.1, 0.04, 0.04]}}]\n"
                               "obstacles: [{box: {size: [0.1, 0.1, 0.1]}, motion: [{t: 0, at: [0.02, 0.02, 0.02]}, "
                               "{t: 0.2, at: [0.049, 0.02, 0.02]}]}]\n";
    outcome           o      = ordeal(text, (lab_setup){0}, 0.25);
    assert_int_equal(o.count, o.came);
    CHECK_BELOW(o.fastest, 5.0);
}

static void extremes_of_the_parameters_are_borne(void** state) {
    (void)state;
    static const char text[] =
        "solver: grains\nspacing: 0.01\ndomain: {max: [0.08, 0.2, 0.06]}\n"
        "bodies: [{material: sand, velocity: [0.5, 0, 0], box: {min: [0, 0.03, 0], max: [0.05, 0.1, 0.06]}}]\n";
    static const char* const sets[] = {"grains.spread=0.5",
                                       "grains.friction=0.000001",
                                       "grains.friction=5",
                                       "grains.restitution=0.01",
                                       "grains.restitution=1",
                                       "grains.rolling=10",
                                       "grains.tangential_stiffness=1"};
    double                   limit  = sqrt(2.0 * 9.81 * 0.1) + 0.5; // nothing is faster than what falls
    for (size_t k = 0; k < sizeof sets / sizeof *sets; k++) {
        outcome o = ordeal(text, (lab_setup){.set = {sets[k], "grains.softness=4"}}, 0.2);
        if (o.overlap > 35.0 || o.fastest > 1.5 * limit || o.count != o.came)
            fail_msg("%s: overlap %.1f %%, fastest %.2f m/s, %d grains", sets[k], o.overlap, o.fastest, o.count);
    }
}

// A grain over the rim of a hole, its centre past the edge: it slips in, and does not rest on the air before it.
static void grains_fall_off_edges_that_are_cut(void** state) {
    (void)state;
    for (int turned = 0; turned < 2; turned++) {
        char text[1024];
        snprintf(text, sizeof text,
                 "solver: grains\nspacing: 0.01\nfps: 20\ngrains: {impact_speed: 1, spread: 0}\n"
                 "bodies: [{arrangement: lattice, material: sand, box: {min: [0, 0, 0], max: [0.01, 0.01, 0.01]}}]\n"
                 "obstacles: [{friction: 0, rotate: {axis: [0, 1, 0], degrees: %d}, %s}]\n",
                 turned ? 23 : 0,
                 turned ? "subtract: [{box: {min: [-0.1, -0.03, -0.1], max: [0.1, 0, 0.1]}}, {cylinder: {radius: 0.03, "
                          "height: 0.2}, at: [0.0179, 0, -0.0181]}]"
                        : "subtract: [{box: {min: [-0.1, -0.03, -0.1], max: [0.1, 0, 0.1]}}, {box: {min: [0.0037, "
                          "-0.1, -0.03], max: [0.06, 0.1, 0.04]}}]");
        shoal_sim* sim = lab_sim(text, (lab_setup){0});
        assert_int_equal(shoal_sim_count(sim), 1);
        lab_run(sim, 0.35, 0.05);
        printf("after 0.35 s: %.4f m\n", (double)lab_field(sim, "position")[1]);
        CHECK_BELOW((double)lab_field(sim, "position")[1], -0.01);
        shoal_sim_destroy(sim);
    }
}

// A bat at 2 m/s, which comes 2 grains far in a step, hits an elastic grain that rests: it flies off at twice that.
static void a_bat_hits_where_it_is(void** state) {
    (void)state;
    shoal_sim* sim = lab_sim(
        "solver: grains\nspacing: 0.02\nfps: 50\ngravity: [0, 0, 0]\nmaterials: {sand: {preset: sand}}\n"
        "bodies: [{material: sand, arrangement: lattice, box: {min: [0.02, 0, 0], max: [0.04, 0.02, 0.02]}}]\n"
        "obstacles:\n  - {name: bat, motion: [{t: 0, at: [0, 0, 0]}, {t: 1, at: [2, 0, 0]}], box: {min: [-0.1, -0.05, "
        "-0.05], max: [0, 0.07, 0.07]}}\n"
        "grains: {softness: 1, spread: 0, restitution: 1}\n",
        (lab_setup){0});
    lab_run(sim, 0.04, 0.02);
    CHECK_NEAR((double)lab_field(sim, "velocity")[0], 4, 0.02);
    shoal_sim_destroy(sim);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_bat_hits_where_it_is),
        cmocka_unit_test(grains_fall_off_edges_that_are_cut),
        cmocka_unit_test(a_grain_thrown_into_a_corner_comes_to_rest_there),
        cmocka_unit_test(an_edge_and_a_thin_plate_let_nobody_in),
        cmocka_unit_test(a_mesh_with_a_sharp_edge_parts_the_sand),
        cmocka_unit_test(an_obstacle_at_forty_metres_per_second_is_withstood),
        cmocka_unit_test(walls_win_over_what_an_obstacle_presses_against_them),
        cmocka_unit_test(extremes_of_the_parameters_are_borne),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
