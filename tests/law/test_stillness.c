// SPDX-License-Identifier: MIT
// What has no reason to move stays where it is, what slides is slowed by its weight, and what cannot be right is
// refused.
#include "lab.h"

static double kinetic_after(const char* text, double seconds) {
    shoal_sim* sim = lab_sim(text, (lab_setup){0});
    lab_run(sim, seconds, 1.0 / 60.0);
    double energy = lab_stat(sim, "kinetic_j");
    shoal_sim_destroy(sim);
    return energy;
}

static void weightless_water_around_a_ball_stays_at_rest(void** state) {
    (void)state;
    CHECK_BELOW(kinetic_after("spacing: 0.05\ngravity: [0, 0, 0]\ndomain: {max: [1, 1, 1]}\n"
                              "bodies: [{material: water, box: {min: [0, 0, 0], max: [1, 0.6, 1]}}]\n"
                              "obstacles: [{sphere: {radius: 0.22}, at: [0.52, 0.31, 0.47]}]\n",
                              0.1),
                0.5); // J; thrown out of the ball's contact it would have 400
}

static void a_tank_of_an_odd_number_of_half_spacings_throws_nobody(void** state) {
    (void)state;
    CHECK_BELOW(kinetic_after("spacing: 0.05\ngravity: [0, 0, 0]\ndomain: {max: [1.03, 1, 1.04]}\n"
                              "bodies: [{material: water, box: {min: [0, 0, 0], max: [1.03, 0.6, 1.04]}}]\n",
                              0.1),
                0.5);
}

// Water that only settles has no more energy than at the start, whatever the substep: errors of its
// lattice at the walls, edges and corners (0.03 % of its density) are no spring that throws it.
// Seconds of the scene, substeps and spacings chosen to be quick.
static void still_water_rests_at_every_length_of_substep(void** state) {
    (void)state;
    const struct {
        double spacing, seconds;
        int    substeps;
    } cases[] = {{0.1, 0.2, 1},    {0.1, 0.1, 30},    {0.1, 0.1, 1000},
                 {0.0625, 0.2, 4}, {0.0625, 0.1, 30}, {0.0625, 0.05, 1000}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char text[256];
        snprintf(text, sizeof text,
                 "spacing: %g\ndomain: {max: [0.5, 1, 0.5]}\nbodies: [{material: water, box: {min: "
                 "[0, 0, 0], max: [0.5, 0.5, 0.5]}}]\n"
                 "pbf: {substeps: %d}\n",
                 cases[k].spacing, cases[k].substeps);
        shoal_sim* sim   = lab_sim(text, (lab_setup){0});
        double     start = lab_energy(sim), energy = 0.0, speed = 0.0, height = 0.0;
        for (double t = 0.0; t < cases[k].seconds; t += 1.0 / 60.0) {
            lab_run(sim, 1.0 / 60.0, 1.0 / 60.0);
            energy = fmax(energy, lab_energy(sim) / start);
            speed  = fmax(speed, lab_stat(sim, "speed_max_mps"));
            height = fmax(height, lab_stat(sim, "com_y_m"));
        }
        printf("still water, d = %g m, %d substeps: %.5f of its energy, %.3f m/s, centre at %.5f m\n", cases[k].spacing,
               cases[k].substeps, energy, speed, height);
        CHECK_BELOW(energy, 1.002);
        CHECK_BELOW(height, 0.2503);
        CHECK_BELOW(speed, 0.6 * sqrt(9.81 * cases[k].spacing)); // it settles by a hundredth of a
                                                                 // spacing; thrown it has 3 m/s
        shoal_sim_destroy(sim);
    }
}

// A box vessel of 16 spacings, turned by 31 degrees about (1, 2, 3), its weight turned with it: how much of its water
// it begins with, and the largest mean energy, J/kg, of its first five frames.
static double turned_vessel(const char* solver, double* volume) {
    char        text[1024];
    const char* turn = "rotate: {axis: [1, 2, 3], degrees: 31}";
    snprintf(text, sizeof text,
             "solver: %s\nspacing: 0.01\ngravity: [3.7962, -8.6863, -2.4944]\n"
             "bodies: [{material: water, box: {min: [-0.08, -0.08, -0.08], max: [0.08, 0.04, 0.08]}, %s}]\n"
             "obstacles:\n- %s\n  subtract:\n"
             "  - {box: {min: [-0.11, -0.11, -0.11], max: [0.11, 0.08, 0.11]}}\n"
             "  - {box: {min: [-0.08, -0.08, -0.08], max: [0.08, 0.2, 0.08]}}\n",
             solver, turn, turn);
    shoal_sim* sim  = lab_sim(text, (lab_setup){0});
    double     most = 0.0, count = (double)shoal_sim_count(sim);
    *volume = count * 1e-6 / (0.16 * 0.12 * 0.16);
    for (int f = 0; f < 5; f++) {
        lab_run(sim, 1.0 / 60.0, 1.0 / 60.0);
        most = fmax(most, lab_stat(sim, "kinetic_j") / (count * 998.2e-6));
    }
    printf("turned vessel, %s: %.4f of its water, at most %.5f J/kg, %.3f m/s\n", solver, *volume, most,
           lab_stat(sim, "speed_max_mps"));
    shoal_sim_destroy(sim);
    return most;
}

// With its missing fraction it would fall by a spacing (0.05 J/kg), with too much it would burst (0.3 and more).
static void a_turned_vessel_begins_full_and_calm(void** state) {
    (void)state;
    double volume, energy;
    energy = turned_vessel("pbf", &volume);
    CHECK_NEAR(volume, 1.0, 0.02);
    CHECK_BELOW(energy, 0.01);
    energy = turned_vessel("sph", &volume);
    CHECK_NEAR(volume, 1.0, 0.02);
    CHECK_BELOW(energy, 0.01);
}

// One long step of 18 to 33 ms: a tank of half a metre comes to rest, or it is warned of.
// Scenes of large spacings are slow: what is short for them is a frame. Nothing falls faster in it than g t, but for
// layers that find their places (0.2 sqrt(g d) in a whole second).
static void still_water_rests_at_every_size(void** state) {
    (void)state;
    static const double spacings[] = {0.05, 5.0, 500.0};
    for (int k = 0; k < 3; k++) {
        char   text[256];
        double d = spacings[k];
        snprintf(text, sizeof text,
                 "spacing: %g\ndomain: {max: [%g, %g, %g], walls: {top: open}}\n"
                 "bodies: [{material: water, box: {min: [0, 0, 0], max: [%g, %g, %g]}}]\n",
                 d, 12 * d, 20 * d, 8 * d, 12 * d, 10 * d, 8 * d);
        shoal_sim* sim = lab_sim(text, (lab_setup){.set = {"solver=pbf"}});
        CHECK_OK(shoal_sim_advance(sim, 1.0 / 60.0));
        double most = lab_stat(sim, "speed_max_mps");
        print_message("spacing %g m: %.3g m/s after a frame\n", d, most);
        CHECK_BELOW(most, 9.81 / 60.0 + 0.1 * sqrt(9.81 * d));
        shoal_sim_destroy(sim);
    }
}

static void long_steps_rest_or_are_warned_of(void** state) {
    (void)state;
    static const char* const sweeps[] = {"jacobi", "gauss_seidel"};
    for (int k = 0; k < 12; k++) {
        static const double paces[] = {30.0, 40.0, 45.0, 50.0, 55.0, 80.0};
        double              fps = paces[k % 6], energy = 0.0;
        shoal_scene*        scene = NULL;
        char                text[320];
        snprintf(text, sizeof text,
                 "spacing: 0.05\nfps: %g\ndomain: {max: [0.4, 1, 0.4], walls: {top: open}}\n"
                 "bodies: [{material: water, box: {min: [0, 0, 0], max: [0.4, 0.5, 0.4]}}]\n"
                 "pbf: {substeps: 1, sweep: %s}\n",
                 fps, sweeps[k / 6]);
        CHECK_OK(shoal_scene_parse(text, strlen(text), "lab", &scene));
        CHECK_OK(shoal_scene_check(scene));
        bool is_reported = shoal_scene_fault_count(scene) > 0 &&
                           strstr(shoal_scene_fault(scene, 0)->message, "may never come to rest");
        shoal_sim* sim = lab_start(scene, (lab_setup){0});
        for (int f = 0; !is_reported && f < 3.0 * fps; f++) {
            CHECK_OK(shoal_sim_advance(sim, 1.0 / fps));
            if (f > 2.0 * fps) energy = fmax(energy, lab_stat(sim, "kinetic_j"));
        }
        energy /= 998.2 * 0.5 * 0.4 * 0.4 * 9.81 * 0.05;
        printf("one step at %g/s, %s: %s, %.4f of what lifts it by a spacing\n", fps, sweeps[k / 6],
               is_reported ? "told" : "not told", energy);
        CHECK_BELOW(energy, 0.02); // 0.002 and 0.008; where it boils 0.02 to 0.5
        shoal_sim_destroy(sim);
    }
}

static void substeps_that_rounding_would_shake_are_refused(void** state) {
    (void)state;
    static const char text[] = "spacing: 0.1\nfps: 100000\ndomain: {max: [0.5, 1, 0.5]}\n"
                               "bodies: [{material: water, box: {min: [0, 0, 0], max: [0.5, 0.5, "
                               "0.5]}}]\npbf: {substeps: 100}\n";
    shoal_scene*      scene  = NULL;
    CHECK_OK(shoal_scene_parse(text, strlen(text), "lab", &scene));
    assert_int_equal(shoal_scene_check(scene), SHOAL_ERR_INPUT);
    assert_non_null(strstr(shoal_last_error(), "substeps of 1e-07 s are so short that rounding "
                                               "moves the liquid; 5.05e-06 s and more are not"));
    shoal_scene_destroy(scene);
}

static void a_millimetre_cube_under_tension_holds_together(void** state) {
    (void)state;
    shoal_sim* sim = lab_sim("spacing: 0.001\ngravity: [0, 0, 0]\n"
                             "bodies: [{material: water, box: {min: [0, 0, 0], max: [0.008, 0.008, 0.008]}}]\n"
                             "pbf: {surface_tension: true}\n",
                             (lab_setup){0});
    lab_run(sim, 0.05, 1.0 / 60.0);
    const float* x    = lab_field(sim, "position");
    double       most = 0.0;
    for (int64_t i = 0; i < 3 * shoal_sim_count(sim); i++) most = fmax(most, fabs((double)x[i] - 0.004));
    CHECK_BELOW(most, 0.008);
    shoal_sim_destroy(sim);
}

static void a_slab_of_six_layers_is_slowed_by_mu_g(void** state) {
    (void)state;
    shoal_sim* sim = lab_sim(
        "spacing: 0.05\n"
        "domain: {max: [0.5, 1, 0.5], walls: {left: periodic, right: periodic, front: periodic, back: periodic, "
        "bottom: {friction: 0.1}, top: open}}\n"
        "bodies: [{material: water, box: {min: [0, 0, 0], max: [0.5, 0.3, 0.5]}, velocity: [1.5, 0, 0]}]\n"
        "pbf: {substeps: 8, iterations: 6, xsph: 0.5}\n", // xsph: one slab
        (lab_setup){0});
    double start = lab_stat(sim, "momentum_x_kgmps");
    lab_run(sim, 0.5, 1.0 / 60.0);
    double slowed = 1.5 * (1.0 - lab_stat(sim, "momentum_x_kgmps") / start);
    printf("slab: slowed by %.3f mu g\n", slowed / (0.1 * 9.81 * 0.5));
    CHECK_NEAR(slowed / (0.1 * 9.81 * 0.5), 1.0, 0.05);
    shoal_sim_destroy(sim);
}

static double light_dam(const char* first) {
    char text[512];
    snprintf(text, sizeof text,
             "spacing: 0.05\ndomain: {max: [2, 1, 0.5]}\n"
             "materials: {%s light: {preset: water, density: 100}}\n"
             "bodies: [{material: light, box: {min: [0, 0, 0], max: [0.8, 0.6, 0.5]}}]\n"
             "pbf: {substeps: 4, relaxation: precomputed}\n",
             first);
    shoal_sim* sim   = lab_sim(text, (lab_setup){0});
    double     start = lab_energy(sim), most = 0.0;
    for (int f = 0; f < 40; f++) {
        lab_run(sim, 1.0 / 60.0, 1.0 / 60.0);
        most = fmax(most, lab_energy(sim) / start);
    }
    CHECK_BELOW(most, 1.005);
    double compression = lab_stat(sim, "compression_avg_pct");
    shoal_sim_destroy(sim);
    return compression;
}

static void a_material_that_is_not_used_changes_nothing(void** state) {
    (void)state;
    double alone = light_dam(""), after_heavy = light_dam("heavy: {preset: water, density: 1000},");
    printf("light dam: compressed by %.3f %% alone, %.3f %% with an unused heavy material before it\n", alone,
           after_heavy);
    CHECK_NEAR(after_heavy, alone, 0.0);
}

static const char periodic_tank[] =
    "spacing: 0.05\ndomain: {max: [0.5, 1, 0.5], walls: {front: periodic, back: periodic}}\n"
    "bodies: [{material: water, box: {min: [0, 0, 0], max: [0.5, 0.3, 0.5]}}]\n";

static void what_the_check_refuses_is_refused_while_running_too(void** state) {
    (void)state;
    shoal_sim* sim = lab_sim(periodic_tank, (lab_setup){0});
    double     sweep, support;
    assert_int_equal(shoal_sim_set_param(sim, "sweep", 1.0), SHOAL_ERR_PARAM);
    assert_int_equal(shoal_sim_set_param(sim, "support", 4.0), SHOAL_OK); // exactly half of the period has room
    CHECK_OK(shoal_sim_set_param(sim, "support", 2.0));
    CHECK_OK(shoal_sim_get_param(sim, "sweep", &sweep));
    CHECK_OK(shoal_sim_get_param(sim, "support", &support));
    CHECK_NEAR(sweep, 0.0, 0.0);
    CHECK_NEAR(support, 2.0, 0.0);
    lab_run(sim, 0.05, 1.0 / 60.0);
    shoal_sim_destroy(sim);
}

static void a_saved_state_brings_its_parameters_and_is_checked(void** state) {
    (void)state;
    shoal_sim *sim = lab_sim(periodic_tank, (lab_setup){0}), *other = lab_sim(periodic_tank, (lab_setup){0});
    CHECK_OK(shoal_sim_set_param(sim, "iterations", 7.0));
    lab_run(sim, 0.05, 1.0 / 60.0);
    void*  bytes;
    size_t size;
    CHECK_OK(shoal_sim_save(sim, &bytes, &size));
    CHECK_OK(shoal_sim_load(other, bytes, size));
    lab_run(sim, 0.05, 1.0 / 60.0);
    lab_run(other, 0.05, 1.0 / 60.0);
    assert_true(shoal_sim_hash(sim) == shoal_sim_hash(other));

    char* material = memmem(bytes, size, "material", 8);
    assert_non_null(material);
    material[40]    = (char)250; // after the field's head of 40 bytes
    uint64_t before = shoal_sim_hash(other);
    assert_int_equal(shoal_sim_load(other, bytes, size), SHOAL_ERR_INPUT);
    assert_true(shoal_sim_hash(other) == before); // nothing was taken
    shoal_bytes_free(bytes, size);
    shoal_sim_destroy(sim);
    shoal_sim_destroy(other);
}

static void an_obstacle_across_a_periodic_wall_is_refused_by_every_solver(void** state) {
    (void)state;
    char text[512];
    snprintf(text, sizeof text, "%sobstacles: [{sphere: {radius: 0.1}, at: [0.25, 0.1, 0.0]}]\n", periodic_tank);
    for (const shoal_solver_info* solver = shoal_solvers(); solver->name; solver++) {
        shoal_scene* scene = NULL;
        CHECK_OK(shoal_scene_parse(text, strlen(text), "lab", &scene));
        CHECK_OK(shoal_scene_set_text(scene, "solver", solver->name));
        assert_int_equal(shoal_scene_check(scene), SHOAL_ERR_INPUT);
        if (strstr(shoal_last_error(), "does not simulate liquid")) {
            CHECK_OK(shoal_scene_set_text(scene, "bodies.0.material", "sand"));
            assert_int_equal(shoal_scene_check(scene), SHOAL_ERR_INPUT);
        }
        assert_non_null(strstr(shoal_last_error(), "is not the same at both ends of the domain along z"));
        shoal_scene_destroy(scene);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(weightless_water_around_a_ball_stays_at_rest),
        cmocka_unit_test(a_tank_of_an_odd_number_of_half_spacings_throws_nobody),
        cmocka_unit_test(still_water_rests_at_every_length_of_substep),
        cmocka_unit_test(a_turned_vessel_begins_full_and_calm),
        cmocka_unit_test(still_water_rests_at_every_size),
        cmocka_unit_test(long_steps_rest_or_are_warned_of),
        cmocka_unit_test(substeps_that_rounding_would_shake_are_refused),
        cmocka_unit_test(a_millimetre_cube_under_tension_holds_together),
        cmocka_unit_test(a_slab_of_six_layers_is_slowed_by_mu_g),
        cmocka_unit_test(a_material_that_is_not_used_changes_nothing),
        cmocka_unit_test(what_the_check_refuses_is_refused_while_running_too),
        cmocka_unit_test(a_saved_state_brings_its_parameters_and_is_checked),
        cmocka_unit_test(an_obstacle_across_a_periodic_wall_is_refused_by_every_solver),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
