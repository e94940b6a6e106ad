// SPDX-License-Identifier: MIT
// Liquids of `tetra`: what rests, falls, slides, swings and splashes as mechanics has it.
#include "lab.h"
#include "truth/figure.h"

#include <math.h>

static const double pi = 3.14159265358979323846;

static double fastest(shoal_sim* sim) { return lab_stat(sim, "speed_max_mps"); }
static double residual(shoal_sim* sim) { return fabs(lab_stat(sim, "centre_of_mass_residual_m")); }

// A particle that a cubic spline sees is a cube that a quadratic one sees, so a body laid on the lattice has the
// density of rest right up to its walls and corners, and nothing in it moves.
static void a_pool_laid_on_the_lattice_is_still(void** state) {
    (void)state;
    shoal_sim* sim = lab_sim("solver: tetra\nspacing: 0.05\ndomain: {max: [1, 0.8, 0.7], walls: {top: open}}\n"
                             "bodies: [{material: water, box: {min: [0, 0, 0], max: [1, 0.4, 0.7]}}]\n",
                             (lab_setup){0});
    lab_run(sim, 0.5, 1.0 / 60.0);
    truth_below("still pool in a box: fastest after 0.5 s", "tetra", 1e3 * fastest(sim), "mm/s", 0.02);
    shoal_sim_destroy(sim);
}

// Nor is it to matter how the lattice of nodes lies to the walls.
static void a_pool_between_nodes_is_still(void** state) {
    (void)state;
    shoal_sim* sim = lab_sim("solver: tetra\nspacing: 0.05\n"
                             "domain: {min: [0.013, 0.017, -0.011], max: [1.013, 0.817, 0.689], walls: {top: open}}\n"
                             "bodies: [{material: water, box: {min: [0.013, 0.017, -0.011], max: [1.013, 0.417, "
                             "0.689]}}]\n",
                             (lab_setup){0});
    lab_run(sim, 0.5, 1.0 / 60.0);
    truth_below("still pool in a box that lies between nodes: fastest after 0.5 s", "tetra", 1e3 * fastest(sim), "mm/s",
                1.5);
    shoal_sim_destroy(sim);
}

// A vessel at odd angles, as an obstacle: the liquid settles into it, and then it is still; gravity askew is the same.
static void a_pool_in_a_turned_vessel_comes_to_rest(void** state) {
    (void)state;
    shoal_sim* sim = lab_sim(
        "solver: tetra\nspacing: 0.02\ndomain: {min: [-0.6, -0.6, -0.6], max: [0.6, 0.8, 0.6], walls: {top: open}}\n"
        "obstacles:\n  - rotate: [{axis: [0, 1, 0], degrees: 31}, {axis: [0, 0, 1], degrees: 17}]\n"
        "    subtract: [{box: {size: [0.7, 0.5, 0.7]}}, {box: {min: [-0.2, -0.1, -0.2], max: [0.2, 0.3, 0.2]}}]\n"
        "bodies:\n  - material: water\n    intersect:\n      - {box: {min: [-0.3, -0.3, -0.3], max: [0.3, 0.06, "
        "0.3]}}\n"
        "      - {box: {min: [-0.2, -0.1, -0.2], max: [0.2, 0.3, 0.2]}, rotate: [{axis: [0, 1, 0], degrees: 31}, "
        "{axis: [0, 0, 1], degrees: 17}]}\n",
        (lab_setup){0});
    lab_run(sim, 2.0, 1.0 / 60.0);
    truth_below("pool in a turned vessel: fastest after 2 s", "tetra", 1e3 * fastest(sim), "mm/s", 8.0);
    shoal_sim_destroy(sim);
}

// A push that raises 1 % of the depth: what rests must not be what is held still.
static void a_seiche_of_one_percent_swings(void** state) {
    (void)state;
    shoal_sim* sim = lab_sim("solver: tetra\nspacing: 0.02\nfps: 60\ndomain: {max: [1, 0.8, 0.1], walls: {top: open}}\n"
                             "bodies: [{material: water, box: {min: [0, 0, 0], max: [1, 0.4, 0.1]}}]\n"
                             "forces: [{acceleration: [0.1, 0, 0], until: 0.3}]\n",
                             (lab_setup){0});
    double     first = 0.0, last = 0.0, t = 0.0, before = 0.0, crossed[8];
    int        crossings = 0;
    for (int frame = 0; frame < 180; frame++) {
        lab_run(sim, 1.0 / 60.0, 1.0 / 60.0);
        double p = lab_stat(sim, "momentum_x_kgmps");
        if (t > 0.35 && p * before < 0.0 && crossings < 8)
            crossed[crossings++] = t + (1.0 / 60.0) * before / (before - p);
        if (frame > 18 && frame < 60) first = fmax(first, fabs(p));
        if (frame >= 140) last = fmax(last, fabs(p));
        before = p, t += 1.0 / 60.0;
    }
    assert_true(crossings >= 4);
    double k = pi, omega = sqrt(9.81 * k * tanh(k * 0.4)), period = 2.0 * pi / omega;
    truth_near("seiche of 1 %: period over that of linear waves", "tetra",
               2.0 * (crossed[3] - crossed[0]) / 3.0 / period, "", 1.0, 0.15); // higher modes swing with it
    truth_above("seiche of 1 %: height after 2.4 s over that of the first swing", "tetra", last / first, "", 0.7);
    shoal_sim_destroy(sim);
}

// A wave of 25 edges to its half: what is carried over vertices and back must not wear it down.
static void a_standing_wave_keeps_its_height(void** state) {
    (void)state;
    shoal_sim* sim =
        lab_sim("solver: tetra\nspacing: 0.02\nfps: 60\ndomain: {max: [1, 0.8, 0.2], walls: {top: open}}\n"
                "bodies:\n  - material: water\n    intersect:\n      - {box: {min: [0, 0, 0], max: [1, 0.8, 0.2]}}\n"
                "      - {plane: {normal: [0.06, 1, 0], offset: 0.42948}}\n",
                (lab_setup){0});
    double highest[4] = {0.0};
    for (int frame = 1; frame < 4 * 37; frame++) { // 37 frames to half a period of linear waves, 1.2275 s
        lab_run(sim, 1.0 / 60.0, 1.0 / 60.0);
        highest[frame / 37] = fmax(highest[frame / 37], fabs(lab_stat(sim, "momentum_x_kgmps")));
    }
    truth_figure("standing wave of 1 m: fourth swing over the first", "tetra", highest[3] / highest[0], "", 0.94, 1.0);
    shoal_sim_destroy(sim);
}

static void a_ball_in_flight_falls_as_it_should(void** state) {
    (void)state;
    shoal_sim* sim =
        lab_sim("solver: tetra\nspacing: 0.05\nfps: 24\n"
                "bodies: [{material: water, sphere: {radius: 0.3}, velocity: [1, 0, 0], spin: [0, 0, 2]}]\n",
                (lab_setup){0});
    double x = lab_stat(sim, "com_x_m"), y = lab_stat(sim, "com_y_m");
    lab_run(sim, 1.0, 1.0 / 24.0);
    truth_near("ball in flight: fall in 1 s", "tetra", y - lab_stat(sim, "com_y_m"), "m", 4.905, 0.005);
    truth_near("ball in flight: way in 1 s", "tetra", lab_stat(sim, "com_x_m") - x, "m", 1.0, 0.002);
    truth_below("ball in flight: way that momentum does not explain", "tetra", residual(sim), "m", 1e-3);
    shoal_sim_destroy(sim);
}

// Two spacings thick, 25 degrees steep: what slides freely has g sin(a) t.
static void a_film_slides_down_a_plane(void** state) {
    (void)state;
    shoal_sim* sim = lab_sim(
        "solver: tetra\nspacing: 0.01\nfps: 60\n"
        "domain: {min: [-0.2, 0, -0.2], max: [1.4, 1.0, 0.2], walls: {top: open, right: open}}\n"
        "obstacles: [{box: {size: [1.4, 0.1, 0.5]}, rotate: {axis: [0, 0, 1], degrees: -25}, at: [0.5, 0.35, 0]}]\n"
        "bodies: [{material: water, box: {size: [0.3, 0.02, 0.3]}, rotate: {axis: [0, 0, 1], degrees: -25}, "
        "at: [0.1188, 0.5921, 0]}]\n",
        (lab_setup){0});
    double mass = 998.2 * 1e-6 * (double)shoal_sim_count(sim), free = 9.81 * sin(25.0 * pi / 180.0) * 0.6;
    lab_run(sim, 0.6, 1.0 / 60.0);
    truth_figure("film of 2 spacings: speed after 0.6 s over free sliding", "tetra",
                 lab_stat(sim, "momentum_x_kgmps") / cos(25.0 * pi / 180.0) / mass / free, "", 0.9, 1.05);
    shoal_sim_destroy(sim);
}

// A ball of water falls on a ball: both stand on the axis, and nothing but pressure acts.
static void a_ball_that_splashes_on_a_ball_stays_on_its_axis(void** state) {
    (void)state;
    shoal_sim* sim = lab_sim("solver: tetra\nspacing: 0.025\nfps: 60\n"
                             "domain: {min: [-0.6, 0, -0.6], max: [0.6, 1.2, 0.6], walls: {top: open}}\n"
                             "obstacles: [{sphere: {radius: 0.2}, at: [0, 0.3, 0]}]\n"
                             "bodies: [{material: water, sphere: {radius: 0.15}, at: [0, 0.85, 0]}]\n",
                             (lab_setup){0});
    lab_run(sim, 0.6, 1.0 / 60.0); // later it comes off the floor in sheets, each its own way
    double x = lab_stat(sim, "com_x_m"), z = lab_stat(sim, "com_z_m");
    truth_below("ball on ball: centre off the axis after 0.6 s", "tetra", sqrt(x * x + z * z), "m", 0.02);
    truth_below("ball on ball: centre above the floor after 0.6 s", "tetra", lab_stat(sim, "com_y_m"), "m", 0.04);
    truth_below("ball on ball: way that momentum does not explain", "tetra", residual(sim), "m", 0.02);
    shoal_sim_destroy(sim);
}

// What meets the floor in a substep is put back onto it, and lies there closely.
static void a_ball_that_hits_the_floor_is_not_crushed(void** state) {
    (void)state;
    shoal_sim* sim   = lab_sim("solver: tetra\nspacing: 0.025\nfps: 60\n"
                                 "domain: {min: [-1, 0, -1], max: [1, 1.2, 1], walls: {top: open}}\n"
                                 "bodies: [{material: water, sphere: {radius: 0.15}, at: [0, 0.85, 0]}]\n",
                               (lab_setup){0});
    double     worst = 0.0;
    for (int frame = 0; frame < 40; frame++) {
        lab_run(sim, 1.0 / 60.0, 1.0 / 60.0);
        worst = fmax(worst, lab_stat(sim, "compression_avg_pct"));
    }
    truth_below("ball of 12 spacings onto a floor: largest mean compression", "tetra", worst, "%", 12.0);
    truth_below("ball onto a floor: way that momentum does not explain", "tetra", residual(sim), "m", 0.02);
    shoal_sim_destroy(sim);
}

// A puddle thinner than a spacing still has tetrahedra, and with them a pressure that spreads it.
static void a_puddle_spreads_over_its_floor(void** state) {
    (void)state;
    shoal_sim* sim =
        lab_sim("solver: tetra\nspacing: 0.01\nfps: 60\ndomain: {max: [0.4, 0.4, 0.4], walls: {top: open}}\n"
                "bodies: [{material: water, box: {min: [0.15, 0, 0.15], max: [0.25, 0.12, 0.25]}}]\n",
                (lab_setup){0});
    lab_run(sim, 20.0 / 60.0, 1.0 / 60.0);
    truth_below("puddle of 0.75 spacings: mean compression after 1/3 s", "tetra", lab_stat(sim, "compression_avg_pct"),
                "%", 50.0);
    truth_above("puddle of 0.75 spacings: volume of its tetrahedra over its own", "tetra",
                lab_stat(sim, "volume_m3") / 1.2e-3, "", 0.7);
    shoal_sim_destroy(sim);
}

// A gate of a spacing between a deep pool and a shallow one: it is deep nowhere where it ends in the floor and in
// walls.
static void a_thin_gate_lets_nothing_through(void** state) {
    (void)state;
    enum { MOST = 12000 };
    static float before[MOST][3], after[MOST][3];
    shoal_sim*   sim     = lab_sim("solver: tetra\nspacing: 0.02\nfps: 30\ndomain: {max: [0.8, 0.6, 0.4]}\n"
                                         "bodies:\n  - {material: water, box: {min: [0, 0, 0], max: [0.38, 0.5, 0.4]}}\n"
                                         "  - {material: water, box: {min: [0.4, 0, 0], max: [0.8, 0.1, 0.4]}}\n"
                                         "obstacles: [{box: {min: [0.38, 0, 0], max: [0.4, 0.6, 0.4]}}]\n",
                                   (lab_setup){0});
    int          crossed = 0, count = (int)shoal_sim_count(sim);
    assert_true(count <= MOST);
    lab_by_id(sim, "position", before);
    lab_run(sim, 1.3, 1.0 / 30.0);
    lab_by_id(sim, "position", after);
    for (int i = 0; i < count; i++) crossed += (before[i][0] < 0.39f) != (after[i][0] < 0.39f);
    truth_below("gate of one spacing: particles that are on its other side after 1.3 s", "tetra", crossed, "", 0.5);
    shoal_sim_destroy(sim);
}

static void pressure_grows_with_depth(void** state) {
    (void)state;
    shoal_sim* sim = lab_sim("solver: tetra\nspacing: 0.025\nfps: 30\ndomain: {max: [0.8, 0.6, 0.6]}\n"
                             "bodies: [{material: water, box: {min: [0, 0, 0], max: [0.8, 0.4, 0.6]}}]\n"
                             "obstacles: [{sphere: {radius: 0.13}, at: [0.41, 0.27, 0.3]}]\n"
                             "probes: [{name: p, kind: pressure, at: [0, 0.1, 0.3]}]\n",
                             (lab_setup){0});
    lab_run(sim, 0.5, 1.0 / 30.0);
    double p, at[3] = {0.0, 0.1, 0.3};
    shoal_sim_sample(sim, at, 1, NULL, &p, NULL);
    truth_near("pool around a ball: pressure at a wall 0.3 m down over rho g h", "tetra", p / (998.2 * 9.81 * 0.3), "",
               1.0, 0.02);
    shoal_sim_destroy(sim);
}

// What smooths acts over a time, not in each substep.
static void many_substeps_do_not_make_water_thick(void** state) {
    (void)state;
    double energy[2];
    for (int k = 0; k < 2; k++) {
        char text[400];
        snprintf(text, sizeof text,
                 "solver: tetra\nspacing: 0.025\nfps: 60\ndomain: {max: [1, 0.6, 0.2], walls: {top: open}}\n"
                 "bodies: [{material: water, box: {min: [0, 0, 0], max: [0.3, 0.4, 0.2]}}]\ntetra: {substeps: %d}\n",
                 k == 0 ? 1 : 16);
        shoal_sim* sim = lab_sim(text, (lab_setup){0});
        lab_run(sim, 0.35, 1.0 / 60.0);
        energy[k] = lab_stat(sim, "kinetic_j");
        shoal_sim_destroy(sim);
    }
    truth_near("dam break: kinetic energy at 0.35 s by 16 substeps a frame over that by one", "tetra",
               energy[1] / energy[0], "", 1.0, 0.06);
}

// A hole smaller than a bubble that counts as liquid, which a sink makes.
static void a_small_sink_goes_on_draining(void** state) {
    (void)state;
    shoal_sim* sim =
        lab_sim("solver: tetra\nspacing: 0.025\nfps: 60\ndomain: {max: [0.4, 0.5, 0.4], walls: {top: open}}\n"
                "bodies: [{material: water, box: {min: [0, 0, 0], max: [0.4, 0.4, 0.4]}}]\n"
                "sinks: [{sphere: {radius: 0.04}, at: [0.2, 0.15, 0.2]}]\n",
                (lab_setup){0});
    lab_run(sim, 0.5, 1.0 / 60.0);
    truth_above("sink of 1.6 spacings in a pool: particles taken in 0.5 s", "tetra", lab_stat(sim, "removed"), "",
                400.0);
    shoal_sim_destroy(sim);
}

// Honey stays where water has run away: viscosity acts.
static void honey_flows_slowly(void** state) {
    (void)state;
    double front[2];
    for (int k = 0; k < 2; k++) {
        char text[500];
        snprintf(text, sizeof text,
                 "solver: tetra\nspacing: 0.02\nfps: 60\ndomain: {max: [1.2, 0.6, 0.2], walls: {top: open}}\n"
                 "materials: {stuff: {preset: water, viscosity: %g}}\n"
                 "bodies: [{material: stuff, box: {min: [0, 0, 0], max: [0.3, 0.3, 0.2]}}]\n",
                 k == 0 ? 0.001 : 20.0);
        shoal_sim* sim = lab_sim(text, (lab_setup){0});
        lab_run(sim, 0.4, 1.0 / 60.0);
        front[k] = lab_stat(sim, "com_x_m") - 0.15;
        shoal_sim_destroy(sim);
    }
    truth_below("a column of 20 Pa s: way of its centre in 0.4 s over that of water", "tetra", front[1] / front[0], "",
                0.7);
}

int main(int argc, char** argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pool_laid_on_the_lattice_is_still),
        cmocka_unit_test(a_pool_between_nodes_is_still),
        cmocka_unit_test(a_pool_in_a_turned_vessel_comes_to_rest),
        cmocka_unit_test(a_seiche_of_one_percent_swings),
        cmocka_unit_test(a_standing_wave_keeps_its_height),
        cmocka_unit_test(a_ball_in_flight_falls_as_it_should),
        cmocka_unit_test(a_film_slides_down_a_plane),
        cmocka_unit_test(a_ball_that_splashes_on_a_ball_stays_on_its_axis),
        cmocka_unit_test(a_ball_that_hits_the_floor_is_not_crushed),
        cmocka_unit_test(a_puddle_spreads_over_its_floor),
        cmocka_unit_test(a_thin_gate_lets_nothing_through),
        cmocka_unit_test(pressure_grows_with_depth),
        cmocka_unit_test(many_substeps_do_not_make_water_thick),
        cmocka_unit_test(a_small_sink_goes_on_draining),
        cmocka_unit_test(honey_flows_slowly),
    };
    return TRUTH_RUN("tetra", tests, argc, argv);
}
