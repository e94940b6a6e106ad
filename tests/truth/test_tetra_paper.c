// SPDX-License-Identifier: MIT
// Liquids on tetrahedral meshes as Chentanez et al. 2007 have them: still water in a tilted box, the front
// of Martin & Moyce, a dam break over a ball, blocks that meet.
#include "math/vec.h"
#include "truth/front.h"

// A room with walls that are turned about no axis of the lattice, half full: its water moves (Chentanez et al. say so).
static void still_water_moves_in_a_tilted_box(void** state) {
    (void)state;
    shoal_sim* sim =
        lab_sim("solver: tetra-paper\nspacing: 0.06\ndomain: {min: [-1.3, -1.3, -1.3], max: [1.3, 1.3, 1.3]}\n"
                "bodies: [{material: water, box: {min: [-1.2, -1.2, -1.2], max: [1.2, 0.0613, 1.2]}}]\n"
                "obstacles: [{subtract: [{box: {min: [-1.4, -1.4, -1.4], max: [1.4, 1.4, 1.4]}}, "
                "{box: {min: [-0.7, -0.6, -0.5], max: [0.7, 0.6, 0.5]}, "
                "rotate: {axis: [0.4, 0.2, 0.9], degrees: 21}}]}]\ntetra-paper: {substeps: 1}\n",
                (lab_setup){0});
    double first = lab_stat(sim, "volume_m3"), worst = 0.0;
    for (int k = 0; k < 10; k++) {
        lab_run(sim, 1.0 / 60.0, 1.0 / 60.0);
        worst = fmax(worst, lab_stat(sim, "speed_max_mps"));
    }
    truth_figure("still water in a tilted box, 10 steps: fastest over sqrt(g H)", "tetra-paper",
                 worst / sqrt(9.81 * 0.7), "", 0.0, 0.5);
    truth_near("still water in a tilted box, 10 steps: volume", "tetra-paper", lab_stat(sim, "volume_m3") / first, "",
               1.0, 0.02);
    shoal_sim_destroy(sim);
}

static curve c;

// Between walls, which slip, since there are no periodic ones.
static void front_of(int per_width) {
    double a = 0.05715, d = a / per_width, scale = sqrt(2.0 * 9.81 / a), frame = 1.0 / 240.0, worst = 0.0;
    char   text[512];
    snprintf(text, sizeof text,
             "solver: tetra-paper\nspacing: %.9g\ndomain: {max: [%.9g, %.9g, %.9g], walls: {top: open}}\n"
             "bodies: [{material: water, box: {min: [0, 0, 0], max: [%.9g, %.9g, %.9g]}}]\n"
             "probes: [{name: front, kind: front, axis: x}]\n",
             d, 7.0 * a, 3.0 * a, 6.0 * d, a, 2.0 * a, 6.0 * d);
    shoal_sim* sim   = lab_sim(text, (lab_setup){0});
    double     first = lab_stat(sim, "volume_m3"), least = 90.0, largest = 90.0;
    c = (curve){.count = 1, .at = {{0.0, lab_probe(sim, "front") / a}}};
    while (c.at[c.count - 1].t < 4.3 && c.count < MOST) {
        lab_run(sim, frame, frame);
        c.at[c.count++] = (point){shoal_sim_time(sim) * scale, lab_probe(sim, "front") / a};
        worst           = fmax(worst, fabs(lab_stat(sim, "volume_m3") / first - 1.0));
        least           = fmin(least, lab_stat(sim, "angle_min_deg"));
        largest         = fmax(largest, lab_stat(sim, "angle_max_deg"));
    }
    c.seconds = shoal_sim_time(sim);
    c.steps   = (double)shoal_sim_steps(sim);
    snprintf(text, sizeof text, "57 mm, %d per width", per_width);
    check_front(text, "tetra-paper", &c);
    truth_below(truth_case("front of Martin & Moyce, %d per width: volume, off by at most", per_width), "tetra-paper",
                worst, "", 0.04);
    truth_above(truth_case("front of Martin & Moyce, %d per width: least angle", per_width), "tetra-paper", least,
                "degrees", 10.7);
    truth_below(truth_case("front of Martin & Moyce, %d per width: largest angle", per_width), "tetra-paper", largest,
                "degrees", 164.8);
    shoal_sim_destroy(sim);
}

static void a_column_meets_the_front_of_martin_and_moyce(void** state) {
    (void)state;
    front_of(16);
}

static void a_finer_column_meets_the_front_of_martin_and_moyce(void** state) {
    (void)state;
    front_of(24);
}

// The small scene: over half a ball and up the far wall.
static void a_dam_breaks_over_a_ball(void** state) {
    (void)state;
    shoal_sim* sim   = lab_scene("small/tet-dam-break.yaml", (lab_setup){.set = {"solver=tetra-paper"}});
    double     first = lab_stat(sim, "volume_m3"), worst = 0.0, least = 90.0, largest = 90.0, fastest = 0.0;
    double     energy = lab_stat(sim, "potential_j"), most = energy;
    for (int f = 0; f < 36; f++) {
        lab_run(sim, 1.0 / 60.0, 1.0 / 60.0);
        fastest = fmax(fastest, lab_stat(sim, "speed_max_mps"));
        most    = fmax(most, lab_stat(sim, "kinetic_j") + lab_stat(sim, "potential_j"));
        worst   = fmax(worst, fabs(lab_stat(sim, "volume_m3") / first - 1.0));
        least   = fmin(least, lab_stat(sim, "angle_min_deg"));
        largest = fmax(largest, lab_stat(sim, "angle_max_deg"));
    }
    truth_near("dam break over a ball: front at 0.6 s", "tetra-paper", lab_probe(sim, "front"), "m", 1.6, 0.005);
    truth_below("dam break over a ball: volume, off by at most", "tetra-paper", worst, "", 0.08);
    // a steady stream has 1 at most; where a front meets the ball and the wall, thin jets have more
    truth_below("dam break over a ball: fastest over sqrt(2 g H)", "tetra-paper", fastest / sqrt(2.0 * 9.81 * 0.7), "",
                4.5);
    truth_below("dam break over a ball: most energy over the first", "tetra-paper", most / energy, "", 1.02);
    truth_above("dam break over a ball: tetrahedra that are not cut, at 0.6 s", "tetra-paper",
                lab_stat(sim, "standard_pct"), "%", 25.0);
    truth_figure("dam break over a ball: least angle", "tetra-paper", least, "degrees", 10.7, 60.0);
    truth_figure("dam break over a ball: largest angle", "tetra-paper", largest, "degrees", 90.0, 164.8);
    shoal_sim_destroy(sim);
}

// Two blocks of six tetrahedra across that meet off their middles, along an axis of the lattice and against it: what is
// between them goes with neither more than with the other.
static void blocks_that_meet_keep_their_momentum(void** state) {
    (void)state;
    static const char* const ways[]    = {"along x", "against x", "along y"};
    static const char* const bodies[]  = {"max: [0.3, 0.3, 0.3]}, velocity: [1, 0, 0.3]}, {material: water, box: "
                                           "{min: [0.35, 0.1, 0], max: [0.65, 0.4, 0.3]}, velocity: [-1, 0.2, 0]}",
                                          "max: [0.3, 0.3, 0.3]}, velocity: [-1, 0, 0.3]}, {material: water, box: "
                                           "{min: [-0.35, 0.1, 0], max: [-0.05, 0.4, 0.3]}, velocity: [1, 0.2, 0]}",
                                          "max: [0.3, 0.3, 0.3]}, velocity: [0, 1, 0.3]}, {material: water, box: "
                                           "{min: [0.1, 0.35, 0], max: [0.4, 0.65, 0.3]}, velocity: [0.2, -1, 0]}"};
    static const char* const momenta[] = {"momentum_x_kgmps", "momentum_y_kgmps", "momentum_z_kgmps"};
    for (int k = 0; k < 3; k++) {
        char text[1024], name[128];
        snprintf(
            text, sizeof text,
            "solver: tetra-paper\nspacing: 0.025\ngravity: [0, 0, 0]\nbodies: [{material: water, box: {min: [0, 0, "
            "0], %s]\n",
            bodies[k]);
        shoal_sim* sim = lab_sim(text, (lab_setup){0});
        double     before[3], worst = 0.0, mass = 1000.0 * lab_stat(sim, "volume_m3");
        for (int a = 0; a < 3; a++) before[a] = lab_stat(sim, momenta[a]);
        for (int f = 0; f < 15; f++) {
            lab_run(sim, 1.0 / 60.0, 1.0 / 60.0);
            for (int a = 0; a < 3; a++) worst = fmax(worst, fabs(lab_stat(sim, momenta[a]) - before[a]) / (0.5 * mass));
        }
        snprintf(name, sizeof name, "blocks that meet %s: momentum off by, over one of them", ways[k]);
        truth_below(name, "tetra-paper", worst, "", 0.06);
        shoal_sim_destroy(sim);
    }
}

int main(int argc, char** argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(still_water_moves_in_a_tilted_box),
        cmocka_unit_test(a_column_meets_the_front_of_martin_and_moyce),
        TRUTH_LONG(a_finer_column_meets_the_front_of_martin_and_moyce),
        cmocka_unit_test(a_dam_breaks_over_a_ball),
        cmocka_unit_test(blocks_that_meet_keep_their_momentum),
    };
    return TRUTH_RUN("tetra-paper", tests, argc, argv);
}
