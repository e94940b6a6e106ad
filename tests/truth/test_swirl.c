// SPDX-License-Identifier: MIT
// What happens to velocities: vorticity confinement gives a vortex and a splash energy, XSPH
// smooths, friction slows a front, and a moving obstacle pushes water at its own speed.
#include "lab.h"
#include "truth/figure.h"

// A turning rod of water in still water, in a slab with closed sides, periodic along the rod.
static const char vortex[] =
    "spacing: 0.02\n"
    "gravity: [0, 0, 0]\n"
    "domain: {min: [0, 0, 0], max: [0.56, 0.56, 0.08], walls: {back: periodic, front: periodic}}\n"
    "bodies:\n"
    "  - {material: water, cylinder: {radius: 0.12, height: 0.08}, rotate: {axis: [1, 0, 0], "
    "degrees: 90}, at: [0.28, 0.28, 0.04], spin: [0, 0, 8]}\n"
    "  - material: water\n"
    "    subtract:\n"
    "      - {box: {min: [0, 0, 0], max: [0.56, 0.56, 0.08]}}\n"
    "      - {cylinder: {radius: 0.12, height: 0.2}, rotate: {axis: [1, 0, 0], degrees: 90}, at: "
    "[0.28, 0.28, 0.04]}\n"
    "pbf: {substeps: 4, iterations: 4}\n";

static double vortex_keeps(const char* option, double seconds) {
    shoal_sim* sim   = lab_sim(vortex, (lab_setup){.set = {option}});
    double     start = lab_stat(sim, "kinetic_j");
    assert_int_equal(shoal_sim_count(sim), 28 * 28 * 4);
    lab_run(sim, seconds, 1.0 / 60.0);
    double left = lab_stat(sim, "kinetic_j") / start;
    printf("vortex, %s: %.3f of its energy after %.1f s\n", option, left, seconds);
    shoal_sim_destroy(sim);
    return left;
}

static void vorticity_confinement_raises_the_energy_of_a_vortex(void** state) {
    (void)state;
    double none = vortex_keeps("pbf.vorticity=0", 1.0), some = vortex_keeps("pbf.vorticity=0.5", 1.0),
           more = vortex_keeps("pbf.vorticity=2", 1.0);
    truth_above("vortex, vorticity 0.5: energy after 1 s over that of vorticity 0", "pbf", some / none, "", 1.0);
    truth_above("vortex, vorticity 2: energy after 1 s over that of vorticity 0.5", "pbf", more / some, "", 1.0);
    truth_below("vortex, vorticity 2: energy after 1 s over the first", "pbf", more, "", 1.0);
}

static void xsph_smooths_velocities(void** state) {
    (void)state;
    double little = vortex_keeps("pbf.xsph=0", 1.0), much = vortex_keeps("pbf.xsph=0.1", 1.0);
    truth_below("vortex, xsph 0.1: energy after 1 s over that of xsph 0", "pbf", much / little, "", 0.9);
}

static const char dam[] = "spacing: 0.04\n"
                          "domain: {min: [0, 0, 0], max: [2.4, 2, 0.4]}\n"
                          "bodies: [{material: water, box: {min: [0, 0, 0], max: [0.8, 0.8, 0.4]}}]\n"
                          "probes: [{name: front, kind: front, axis: x}]\n"
                          "pbf: {substeps: 4, iterations: 4}\n";

// Mean kinetic and total energy over the splash, after the front has hit the far wall.
static void splash_energy(const char* option, double* kinetic, double* total, double* most) {
    shoal_sim* sim   = lab_sim(dam, (lab_setup){.set = {option}});
    double     start = lab_energy(sim);
    *kinetic = *total = *most = 0.0;
    for (int f = 0; f < 150; f++) {
        lab_run(sim, 1.0 / 60.0, 1.0 / 60.0);
        *most = fmax(*most, lab_energy(sim) / start);
        if (f < 90) continue;
        *kinetic += lab_stat(sim, "kinetic_j") / start / 60.0;
        *total += lab_energy(sim) / start / 60.0;
    }
    printf("dam break, %s: from 1.5 to 2.5 s kinetic %.4f, total %.4f of the energy at the start, "
           "never above %.4f\n",
           option, *kinetic, *total, *most);
    shoal_sim_destroy(sim);
}

static void vorticity_confinement_raises_the_energy_of_a_splash(void** state) {
    (void)state;
    double kinetic[2], total[2], most[2];
    splash_energy("pbf.vorticity=0", &kinetic[0], &total[0], &most[0]);
    splash_energy("pbf.vorticity=2", &kinetic[1], &total[1], &most[1]);
    truth_above("splash, vorticity 2: energy over that of vorticity 0", "pbf", total[1] / total[0], "", 1.0);
    truth_above("splash, vorticity 2: kinetic energy over that of vorticity 0", "pbf", kinetic[1] / kinetic[0], "",
                1.0);
    truth_below("splash, vorticity 2: largest energy over the first", "pbf", most[1], "", 1.005);
}

static double front_after(const char* walls, double seconds) {
    shoal_sim* sim = lab_sim(dam, (lab_setup){.set = {walls}});
    lab_run(sim, seconds, 1.0 / 60.0);
    double front = lab_probe(sim, "front");
    printf("dam break, %s: front at %.3f m after %.2f s\n", walls, front, seconds);
    shoal_sim_destroy(sim);
    return front;
}

static void friction_slows_the_front(void** state) {
    (void)state;
    double slip  = front_after("domain.walls={bottom: slip}", 0.4),
           rough = front_after("domain.walls={bottom: {friction: 0.5}}", 0.4),
           stick = front_after("domain.walls={bottom: stick}", 0.4);
    truth_below("dam break, floor of friction 0.5: front after 0.4 s over that with slip", "pbf", rough / slip, "",
                1.0);
    truth_below("dam break, floor that sticks: front after 0.4 s over that with slip", "pbf", stick / slip, "", 1.0);
}

// A piston sweeps through a channel at 0.5 m/s: the water ahead of it moves at that speed and none
// stays behind.
static void a_moving_obstacle_pushes_water_at_its_speed(void** state) {
    (void)state;
    shoal_sim* sim   = lab_sim("spacing: 0.04\n"
                                 "gravity: [0, 0, 0]\n"
                                 "domain: {min: [0, 0, 0], max: [3, 0.4, 0.4]}\n"
                                 "bodies: [{material: water, box: {min: [0.6, 0, 0], max: [1.0, 0.4, 0.4]}}]\n"
                                 "obstacles: [{box: {min: [-0.2, -0.3, -0.3], max: [0.2, 0.3, 0.3]}, motion: [{t: "
                                 "0, at: [0.2, 0.2, 0.2]}, {t: 4, at: [2.2, 0.2, 0.2]}]}]\n"
                                 "pbf: {substeps: 4, iterations: 10}\n",
                               (lab_setup){0});
    int64_t    count = shoal_sim_count(sim);
    lab_run(sim, 2.0, 1.0 / 60.0);
    const float *x = lab_field(sim, "position"), *v = lab_field(sim, "velocity");
    double       face = 0.2 + 0.5 * 2.0 + 0.2, nearest = (double)INFINITY, mean = 0.0, slowest = (double)INFINITY;
    int          touching = 0;
    for (int64_t i = 0; i < count; i++) {
        double ahead = (double)x[3 * i] - face;
        nearest      = fmin(nearest, ahead);
        slowest      = fmin(slowest, (double)v[3 * i]);
        if (ahead < 0.04) mean += (double)v[3 * i], touching++;
    }
    mean /= touching;
    printf("piston at 0.5 m/s: the layer at its face (%d particles) moves at %.4f m/s, all at %.4f "
           "at least; nearest to the face %.4f m\n",
           touching, mean, slowest, nearest);
    assert_int_equal(shoal_sim_count(sim), count);
    truth_near("piston at 0.5 m/s: speed of the layer at its face", "pbf", mean, "m/s", 0.5, 0.02);
    truth_above("piston at 0.5 m/s: slowest water", "pbf", slowest, "m/s", 0.49);
    truth_above("piston at 0.5 m/s: water nearest to its face", "pbf", nearest, "m",
                0.019); // d/2, less rounding
    shoal_sim_destroy(sim);
}

int main(int argc, char** argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vorticity_confinement_raises_the_energy_of_a_vortex),
        cmocka_unit_test(xsph_smooths_velocities),
        TRUTH_LONG(vorticity_confinement_raises_the_energy_of_a_splash),
        cmocka_unit_test(friction_slows_the_front),
        cmocka_unit_test(a_moving_obstacle_pushes_water_at_its_speed),
    };
    return TRUTH_RUN("pbf", tests, argc, argv);
}
