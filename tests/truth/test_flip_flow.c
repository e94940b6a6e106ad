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
        cmocka_unit_test(a_splash_loses_no_volume),
        cmocka_unit_test(flip_keeps_the_splash_that_pic_damps),
        cmocka_unit_test(a_jet_against_a_wall_does_not_pile_up),
    };
    return TRUTH_RUN("flip", tests, argc, argv);
}
