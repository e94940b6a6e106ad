// SPDX-License-Identifier: MIT
// Sand as a fluid against experiments, at few cells: what the long ones ask for at many.
#include "truth/sand.h"

static void the_column_of_bui_comes_to_rest_where_it_did(void** state) {
    (void)state;
    bui_result r = bui(20, (lab_setup){0});
    CHECK_NEAR(r.front, 0.442, 0.1 * 0.442);
    CHECK_BELOW(r.rms, 0.004);
    CHECK_BELOW(r.steepest, 21);
    CHECK_BELOW(fabs(r.creep), 0.01);
}

static void run_out_follows_its_law(void** state) {
    (void)state;
    CHECK_NEAR(run_out(1.0, 20, (lab_setup){0}), 1, 0.2);
}

// A layer on a floor with friction 0.5, gravity tilted instead of the floor: it stays below tan =
// 0.5 and slides above.
static double slid(double slope, double seconds) {
    char   text[1024];
    double g = 9.81, down = g / sqrt(1 + slope * slope);
    snprintf(text, sizeof text,
             "solver: flip\nspacing: 0.01\ngravity: [%.9g, %.9g, 0]\n"
             "domain: {min: [0, 0, 0], max: [0.32, 0.3, 0.08], walls: {left: periodic, right: "
             "periodic, top: open, back: slip, front: slip}}\n"
             "materials: {sand: {preset: sand, friction_angle: 40, boundary_friction: 0.5, "
             "cohesion: 0}}\n"
             "bodies: [{material: sand, box: {min: [0, 0, 0], max: [0.32, 0.1, 0.08]}}]\n",
             slope * down, -down);
    shoal_sim* sim = lab_sim(text, (lab_setup){0});
    lab_run(sim, seconds, 1.0 / 60);
    const float* v   = lab_field(sim, "velocity");
    double       sum = 0;
    for (int64_t i = 0; i < shoal_sim_count(sim); i++)
        sum += (double)v[3 * i] / (double)shoal_sim_count(sim);
    shoal_sim_destroy(sim);
    printf("slope %.2f: %.4f m/s after %.1f s, %.4f of free sliding\n", slope, sum, seconds,
           sum / (slope * down * seconds));
    return sum / (down * seconds);
}

static void a_layer_on_an_incline_sticks_or_slides_at_the_right_angle(void** state) {
    (void)state;
    CHECK_NEAR(slid(0.4, 0.5), 0, 0.005);
    CHECK_NEAR(slid(0.7, 0.5), 0.2, 0.04);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_column_of_bui_comes_to_rest_where_it_did),
        cmocka_unit_test(run_out_follows_its_law),
        cmocka_unit_test(a_layer_on_an_incline_sticks_or_slides_at_the_right_angle),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
