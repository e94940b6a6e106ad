// SPDX-License-Identifier: MIT
// Vorticity confinement where its size is known: in a cube that turns as a whole.
#include "lab.h"

enum { SIDE = 9, COUNT = SIDE * SIDE * SIDE };

// The second layer below a face has all its neighbours and sees 2 Omega exactly; those outside see
// less, so N points inward, and dt epsilon h 2 Omega is added along the turn.
static void confinement_in_a_rigid_turn_is_that_of_twice_its_rate(void** state) {
    (void)state;
    static float       place[COUNT][3], speed[2][COUNT][3];
    static const char* vorticity[] = {"pbf.vorticity=0", "pbf.vorticity=1"};
    const double       dt = 1.0 / 240.0, d = 0.05, rate = 5.0;
    for (int k = 0; k < 2; k++) {
        shoal_sim* sim = lab_sim("spacing: 0.05\ngravity: [0, 0, 0]\nmaterials: {water: {viscosity: 0}}\n"
                                 "bodies: [{material: water, spin: [0, 0, 5], box: {size: [0.45, 0.45, 0.45]}}]\n",
                                 (lab_setup){.threads = 1, .set = {"pbf.substeps=1", "pbf.xsph=0", vorticity[k]}});
        assert_int_equal(shoal_sim_count(sim), COUNT);
        lab_by_id(sim, "position", place);
        lab_run(sim, dt, dt);
        lab_by_id(sim, "velocity", speed[k]);
        shoal_sim_destroy(sim);
    }
    double centre[3] = {0.0}, gain = 0.0;
    int    found = 0;
    for (int i = 0; i < COUNT; i++)
        for (int a = 0; a < 3; a++) centre[a] += (double)place[i][a] / COUNT;
    for (int i = 0; i < COUNT; i++) {
        double x = (double)place[i][0] - centre[0], y = (double)place[i][1] - centre[1],
               z = (double)place[i][2] - centre[2];
        if (fabs(x - 3.0 * d) > 0.1 * d || fabs(y) > 0.1 * d || fabs(z) > 0.1 * d) continue;
        gain = (double)(speed[1][i][1] - speed[0][i][1]);
        found++;
    }
    double wanted = dt * 2.0 * d * 2.0 * rate;
    printf("confinement adds %.6f m/s, by the turn %.6f m/s\n", gain, wanted);
    assert_int_equal(found, 1);
    CHECK_NEAR(gain / wanted, 1.0, 0.03);
}

// A cube that turns, at rest or on its way across a periodic wall: seen from itself it does the
// same. What images of particles show of velocity and swirl must be what those have.
static void what_crosses_a_periodic_wall_turns_as_elsewhere(void** state) {
    (void)state;
    static float speed[2][COUNT][3];
    for (int k = 0; k < 2; k++) {
        shoal_sim* sim = lab_sim("spacing: 0.05\ngravity: [0, 0, 0]\nmaterials: {water: {viscosity: 0}}\n"
                                 "domain: {max: [0.8, 0.8, 0.8], walls: {left: periodic, right: periodic}}\n"
                                 "bodies: [{material: water, velocity: [9.6, 0, 0], spin: [0, 0, 5], box: {min: "
                                 "[0.175, 0.175, 0.175], max: "
                                 "[0.625, 0.625, 0.625]}}]\n",
                                 (lab_setup){.threads = 1,
                                             .set     = {"pbf.substeps=1", "pbf.xsph=0.3", "pbf.vorticity=2",
                                                     k ? "domain.max=[0.8, 0.8, 0.8]" : "domain.max=[1.6, 0.8, 0.8]"}});
        assert_int_equal(shoal_sim_count(sim), COUNT);
        lab_run(sim, 10.0 / 240.0, 1.0 / 240.0); // half the period of the walls
        lab_by_id(sim, "velocity", speed[k]);
        shoal_sim_destroy(sim);
    }
    double worst = 0.0;
    for (int i = 0; i < COUNT; i++)
        for (int a = 0; a < 3; a++) worst = fmax(worst, fabs((double)(speed[1][i][a] - speed[0][i][a])));
    printf("velocities differ by at most %.2g m/s\n", worst);
    CHECK_BELOW(worst, 1e-4);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(confinement_in_a_rigid_turn_is_that_of_twice_its_rate),
        cmocka_unit_test(what_crosses_a_periodic_wall_turns_as_elsewhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
