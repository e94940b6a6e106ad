// SPDX-License-Identifier: MIT
// Water where solids leave it no room.
#include "lab.h"

// A block is lowered into a shallow pool until a third of a spacing is left below it. Who is caught
// there cannot give way, and presses nobody.
static void what_is_squeezed_between_solids_throws_nobody(void** state) {
    (void)state;
    shoal_sim* sim  = lab_sim("solver: sph\nspacing: 0.05\ndomain: {max: [0.8, 1, 0.8]}\n"
                               "bodies: [{material: water, box: {min: [0, 0, 0], max: [0.8, 0.15, 0.8]}}]\n"
                               "obstacles: [{box: {size: [0.4, 0.2, 0.4]}, motion: [{t: 0, at: [0.4, 0.3, 0.4]}, "
                               "{t: 0.5, at: [0.4, 0.115, 0.4]}, {t: 2, at: [0.4, 0.115, 0.4]}]}]\n",
                              (lab_setup){.threads = 1, .set = {"sph.pressure=pcisph"}});
    double     most = 0.0;
    for (int f = 0; f < 45; f++) {
        lab_run(sim, 1.0 / 60.0, 1.0 / 60.0);
        most = fmax(most, lab_stat(sim, "speed_max_mps"));
    }
    printf("fastest: %.2f m/s\n", most);
    CHECK_BELOW(most, 6.0);
    shoal_sim_destroy(sim);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_squeezed_between_solids_throws_nobody),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
