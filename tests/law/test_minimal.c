// SPDX-License-Identifier: MIT
// What particles that fly and bounce do: heights by restitution, ways by friction, on walls and on obstacles that tilt
// and move.
#include "lab.h"

// One particle.
#define ONE                                                                                                            \
    "solver: minimal\nspacing: 0.02\nbodies: [{material: %s, box: {min: [0.5, 0.5, 0.5], max: [0.52, 0.52, "           \
    "0.52]}%s}]\n%s"

static shoal_sim* one(const char* material, const char* body, const char* rest, const char* setting) {
    char text[1024];
    snprintf(text, sizeof text, ONE, material, body, rest);
    shoal_sim* sim = lab_sim(text, (lab_setup){.set = {setting}});
    assert_int_equal(shoal_sim_count(sim), 1);
    return sim;
}

// How high it comes after its first bounce off the floor, over the height it fell from.
static double bounce(const char* setting) {
    shoal_sim* sim  = one("water", "", "domain: {max: [1, 1, 1]}\n", setting);
    double     fell = (double)lab_field(sim, "position")[1] - 0.01, highest = 0.0;
    bool       is_up = false;
    for (int f = 0; f < 2000; f++) {
        lab_run(sim, 5e-4, 5e-4);
        double speed = (double)lab_field(sim, "velocity")[1];
        if (is_up && speed <= 0.0) break;
        is_up   = is_up || speed > 0.0;
        highest = is_up ? fmax(highest, (double)lab_field(sim, "position")[1] - 0.01) : 0.0;
    }
    shoal_sim_destroy(sim);
    return highest / fell;
}

static void it_rises_by_the_square_of_the_restitution(void** state) {
    (void)state;
    CHECK_NEAR(bounce("minimal.restitution=0.5"), 0.25, 0.005);
    CHECK_NEAR(bounce("minimal.restitution=0.8"), 0.64, 0.01);
    CHECK_NEAR(bounce("minimal.restitution=0"), 0.0, 1e-6);
}

static void substeps_are_those_asked_for_or_as_many_as_the_way_needs(void** state) {
    (void)state;
    shoal_sim* fixed = one("water", "", "domain: {max: [1, 1, 1]}\n", "minimal.substeps=7");
    lab_run(fixed, 1.0 / 60.0, 1.0 / 60.0);
    assert_int_equal(shoal_sim_steps(fixed), 7);
    shoal_sim* fast =
        one("water", ", velocity: [6, 0, 0]",
            "domain: {max: [1, 1, 1]}\nobstacles: [{box: {min: [0.8, 0, 0], max: [0.82, 1, 1]}}]\n", NULL);
    lab_run(fast, 1.0 / 6.0, 1.0 / 6.0); // a metre in one interval, and a plate of one spacing on the way
    assert_true(shoal_sim_steps(fast) >= 60);
    CHECK_BELOW((double)lab_field(fast, "position")[0], 0.8);
    assert_true(((const int32_t*)(const void*)lab_field(fast, "bounces"))[0] >= 1);
    shoal_sim_destroy(fixed);
    shoal_sim_destroy(fast);
}

// Down a plane of 30 degrees, from rest at its surface: half of g sin - mu g cos t^2, or not at all. Turned about y all
// the same.
static double slide(const char* friction, double turn) {
    char   text[640];
    double radians = turn * 3.14159265358979 / 180.0, degrees30 = 0.52359877559830;
    double n[3] = {sin(degrees30) * cos(radians), cos(degrees30),
                   sin(degrees30) * sin(radians)}; // up and out of the plane
    snprintf(text, sizeof text, "obstacles: [{plane: {normal: [%.9f, %.9f, %.9f]}, at: [%.9f, %.9f, %.9f], %s}]\n",
             n[0], n[1], n[2], 0.51 - 0.0101 * n[0], 0.51 - 0.0101 * n[1], 0.51 - 0.0101 * n[2], friction);
    shoal_sim* sim = one("water", "", text, NULL);
    float      at[3];
    memcpy(at, lab_field(sim, "position"), sizeof at);
    lab_run(sim, 0.3, 0.01);
    const float* now = lab_field(sim, "position");
    double       way = 0.0;
    for (int k = 0; k < 3; k++) way += pow((double)now[k] - (double)at[k], 2);
    shoal_sim_destroy(sim);
    return sqrt(way);
}

static void it_slides_as_coulomb_says_however_the_plane_is_turned(void** state) {
    (void)state;
    const double half = 0.5 * 9.81 * 0.09, s = 0.5, c = 0.8660254;
    for (int k = 0; k < 2; k++) {
        double turn = k ? 37.0 : 0.0;
        CHECK_NEAR(slide("friction: 0", turn), half * s, 0.02 * half);
        CHECK_NEAR(slide("friction: 0.3", turn), half * (s - 0.3 * c), 0.02 * half);
        CHECK_BELOW(slide("friction: 0.7", turn), 0.002);
        CHECK_BELOW(slide("stick: true", turn), 0.002);
    }
}

static void a_wall_that_comes_bats_it_away(void** state) {
    (void)state;
    // at rest, met by a wall of 2 m/s: 2 (1 + e)
    shoal_sim* sim = one("sand", "",
                         "gravity: [0, 0, 0]\nobstacles: [{box: {min: [0, 0, 0], max: [0.4, 1, 1]}, "
                         "motion: [{t: 0, at: [0, 0, 0]}, {t: 0.25, at: [0.5, 0, 0]}]}]\n",
                         NULL);
    lab_run(sim, 0.25, 1.0 / 60.0);
    CHECK_NEAR((double)lab_field(sim, "velocity")[0], 3.0, 1e-4);
    shoal_sim_destroy(sim);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_rises_by_the_square_of_the_restitution),
        cmocka_unit_test(substeps_are_those_asked_for_or_as_many_as_the_way_needs),
        cmocka_unit_test(it_slides_as_coulomb_says_however_the_plane_is_turned),
        cmocka_unit_test(a_wall_that_comes_bats_it_away),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
