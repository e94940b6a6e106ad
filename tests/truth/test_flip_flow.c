// SPDX-License-Identifier: MIT
// FLIP water that flows: a viscous stream between walls, and what a splash leaves.
#include "lab.h"
#include "truth/figure.h"

// Start of a plane flow between sticky walls under a push f: f a^2 / (3 nu) in the end.
static void a_viscous_liquid_flows_like_poiseuille(void** state) {
    (void)state;
    shoal_sim*   sim = lab_sim("solver: flip\n"
                                 "spacing: 0.005\n"
                                 "gravity: [1, 0, 0]\n"
                                 "domain: {min: [0, 0, 0], max: [0.08, 0.16, 0.08], walls: {left: periodic, right: "
                                 "periodic, bottom: stick, top: "
                                 "stick, back: periodic, front: periodic}}\n"
                                 "materials: {syrup: {density: 1000, viscosity: 4}}\n"
                                 "bodies: [{material: syrup, box: {min: [0, 0, 0], max: [0.08, 0.16, 0.08]}}]\n",
                               (lab_setup){0});
    const double a = 0.08, nu = 0.004, seconds = 1.5, pi = 3.14159265358979;
    lab_run(sim, seconds, 1.0 / 30.0);
    double left = 0.0;
    for (int n = 1; n < 20; n += 2)
        left += 96.0 / pow(n * pi, 4.0) * exp(-n * n * pi * pi * nu * seconds / (4.0 * a * a));
    double wanted = a * a / (3.0 * nu) * (1.0 - left),
           mean   = lab_stat(sim, "momentum_x_kgmps") / (1000.0 * 0.08 * 0.16 * 0.08);
    printf("Poiseuille: mean velocity %.4f m/s at %.1f s, %.4f by theory\n", mean, seconds, wanted);
    truth_near("Poiseuille from rest: mean velocity over theory", "flip", mean / wanted, "", 1.0, 0.05);
    shoal_sim_destroy(sim);
}

// The same across the grid, four cells wide, pushed by 5 m/s^2 for a second: between planes tilted by 27 degrees amid
// (f w^2 / 12 nu), and in a round pipe (f R^2 / 8 nu, of which 0.974 by then). Held half a cell from the middles of
// closed faces, wherever the surface was, the first flowed 1.86 times as fast as it should, the second 1.25.
static void it_does_so_across_the_grid(void** state) {
    (void)state;
    static const char* const names[2]  = {"between tilted planes", "in a round pipe"};
    static const char* const things[2] = {
        "bodies: [{material: syrup, box: {min: [-0.06, -0.02, 0], max: [0.06, 0.02, 0.08]}, rotate: &r {axis: [0, 0, "
        "1], degrees: 27}}]\n"
        "obstacles:\n"
        "  - {stick: true, box: {min: [-0.5, -0.5, -1], max: [0.5, -0.02, 1]}, rotate: *r}\n"
        "  - {stick: true, box: {min: [-0.5, 0.02, -1], max: [0.5, 0.5, 1]}, rotate: *r}\n"
        "  - {box: {min: [-0.5, -0.1, -1], max: [-0.06, 0.1, 1]}, rotate: *r}\n"
        "  - {box: {min: [0.06, -0.1, -1], max: [0.5, 0.1, 1]}, rotate: *r}\n",
        "bodies: [{material: syrup, cylinder: {radius: 0.04, height: 0.08}, rotate: &r {axis: [1, 0, 0], degrees: 90}, "
        "at: [0, 0, 0.04]}]\n"
        "obstacles: [{stick: true, subtract: [{box: {size: [0.2, 0.2, 1]}}, {cylinder: {radius: 0.04, height: 2}, "
        "rotate: *r}]}]\n"};
    const double wanted[2] = {5 * 0.04 * 0.04 / 0.012, 0.974 * 5 * 0.04 * 0.04 / 0.008};
    for (int k = 0; k < 2; k++) {
        char text[1536], name[96];
        snprintf(text, sizeof text,
                 "solver: flip\nspacing: 0.005\ngravity: [0, 0, 0]\n"
                 "domain: {min: [-0.1, -0.1, 0], max: [0.1, 0.1, 0.08], walls: {back: periodic, front: periodic}}\n"
                 "materials: {syrup: {density: 1000, viscosity: 1}}\nforces: [{acceleration: [0, 0, 5]}]\n%s",
                 things[k]);
        shoal_sim* sim = lab_sim(text, (lab_setup){0});
        lab_run(sim, 1.0, 1.0 / 50);
        const float *x = lab_field(sim, "position"), *v = lab_field(sim, "velocity");
        double       sum = 0.0, count = 0.0;
        for (int64_t i = 0; i < shoal_sim_count(sim); i++) {
            if (k == 0 && fabs(0.891 * (double)x[3 * i] + 0.454 * (double)x[3 * i + 1]) > 0.03) continue;
            sum += (double)v[3 * i + 2];
            count++;
        }
        shoal_sim_destroy(sim);
        snprintf(name, sizeof name, "Poiseuille %s, 8 spacings wide: mean velocity over theory", names[k]);
        truth_near(name, "flip", sum / count / wanted[k], "", 1.0, 0.12);
    }
}

// PIC damps, so that a splash comes to rest within seconds, where it must fill what it filled before.
static void a_splash_loses_no_volume(void** state) {
    (void)state;
    shoal_sim* sim    = lab_sim("solver: flip\n"
                                   "spacing: 0.025\n"
                                   "domain: {min: [0, 0, 0], max: [1, 1, 0.2]}\n"
                                   "bodies: [{material: water, box: {min: [0, 0, 0], max: [0.4, 0.6, 0.2]}}]\n"
                                   "flip: {transfer: pic}\n",
                                (lab_setup){0});
    double     volume = lab_stat(sim, "volume_m3");
    lab_run(sim, 8.0, 1.0 / 60.0);
    printf("splash: volume %.4f of its start, centre of mass %.4f m (0.12 at rest)\n",
           lab_stat(sim, "volume_m3") / volume, lab_stat(sim, "com_y_m"));
    truth_near("splash by PIC, at rest: volume over the first", "flip", lab_stat(sim, "volume_m3") / volume, "", 1.0,
               0.03);
    truth_near("splash by PIC, at rest: height of the centre", "flip", lab_stat(sim, "com_y_m"), "m", 0.12,
               0.005); // a tenth of a cell
    shoal_sim_destroy(sim);
}

// The pair of scenes/water-flip.yaml and scenes/water-pic.yaml at half the resolution, one cell thick.
static void flip_keeps_the_splash_that_pic_damps(void** state) {
    (void)state;
    double            energy[2];
    const char* const names[2] = {"water-flip.yaml", "water-pic.yaml"};
    for (int k = 0; k < 2; k++) {
        shoal_sim* sim =
            lab_scene(names[k], (lab_setup){.set = {"spacing=0.01", "domain.max=[1, 1, 0.02]",
                                                    "bodies.0.box.max=[0.34, 0.6, 0.02]",
                                                    "bodies.1.box={min: [0.34, 0, 0], max: [1, 0.1, 0.02]}"}});
        lab_run(sim, 1.5, 1.0 / 30.0);
        energy[k] = lab_stat(sim, "kinetic_j");
        shoal_sim_destroy(sim);
    }
    printf("kinetic energy at 1.5 s: %.3f J by FLIP, %.3f J by PIC\n", energy[0], energy[1]);
    truth_above("splash: energy of FLIP over that of PIC", "flip", energy[0] / energy[1], "", 1.5);
}

// Particles that come faster than they leave would pile up in the few cells where a jet is turned round.
static void a_jet_against_a_wall_does_not_pile_up(void** state) {
    (void)state;
    const char* const jets[2]  = {"at: [0.507, 0.55, 0.493], velocity: [0, -5, 0]",
                                  "at: [0.5, 0.05, 0.5], velocity: [0, 5, 0]"};
    const double      bound[2] = {9.0, 15.0};
    for (int k = 0; k < 2; k++) {
        char text[512];
        snprintf(text, sizeof text,
                 "solver: flip\nspacing: 0.02\ndomain: {min: [0, 0, 0], max: [1, 0.6, 1]}\n"
                 "emitters: [{material: water, disc: {radius: 0.08}, %s}]\n",
                 jets[k]);
        shoal_sim* sim   = lab_sim(text, (lab_setup){0});
        double     worst = 0.0;
        for (int frame = 0; frame < 16; frame++) {
            lab_run(sim, 1.0 / 30.0, 1.0 / 30.0);
            worst = fmax(worst, lab_stat(sim, "compression_avg_pct"));
        }
        truth_below(truth_case("jet of 5 m/s %s: average compression of the worst frame", k == 0 ? "down" : "up"),
                    "flip", worst, "%", bound[k]);
        shoal_sim_destroy(sim);
    }
}

int main(int argc, char** argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_viscous_liquid_flows_like_poiseuille),
        cmocka_unit_test(it_does_so_across_the_grid),
        cmocka_unit_test(a_splash_loses_no_volume),
        cmocka_unit_test(flip_keeps_the_splash_that_pic_damps),
        cmocka_unit_test(a_jet_against_a_wall_does_not_pile_up),
    };
    return TRUTH_RUN("flip", tests, argc, argv);
}
