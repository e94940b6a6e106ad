// SPDX-License-Identifier: MIT
// Forces of a scene: where nothing touches they give a t, on the way a t^2 / 2, to whom they mean,
// where and when they act; and water that a strong one throws at a wall stays water.
#include "lab.h"

// A small block without weight, far from everything, and the key `forces`.
#define BLOCK(material)                                                                                                \
    "spacing: 0.1\ngravity: [0, 0, 0]\nbodies: [{material: " material                                                  \
    ", box: {min: [0, 0, 0], max: [0.3, 0.3, 0.3]}}]\n"
#define WINDOW "forces: [{acceleration: [3, 0, -4], from: 0.105, until: 0.305}]\n"

// Velocities first, then places: the way leads by half a substep, but for liquids of flip, whose
// velocities are those of its middle.
static const struct {
    const char* scene;
    double      dt; // longest substep that counts, s
} solvers[] = {
    {"solver: pbf\npbf: {substeps: 8}\n" BLOCK("water"), 1.0 / 480.0},
    {"solver: sph\nsph: {substeps: 8}\n" BLOCK("water"), 1.0 / 480.0},
    {"solver: sph\nsph: {pressure: wcsph}\n" BLOCK("water"), 4e-3},
    {"solver: flip\nflip: {substeps: 8, volume_control: 0}\n" BLOCK("water"), 0.0},
    {"solver: flip\nflip: {substeps: 8, volume_control: 0}\n" BLOCK("sand"), 1.0 / 480.0},
    {"solver: grains\ngrains: {spread: 0}\n" BLOCK("sand"), 1e-3},
    {"solver: grains\n" BLOCK("water"), 1e-2},
    {"solver: porous\nporous: {substeps: 8}\n" BLOCK("sand"), 1.0 / 480.0},
};
enum { SOLVERS = sizeof solvers / sizeof solvers[0] };

static shoal_sim* with(const char* scene, const char* forces, int threads) {
    char text[1024];
    snprintf(text, sizeof text, "%s%s", scene, forces);
    return lab_sim(text, (lab_setup){.threads = threads});
}

// 0.2 s of 5 m/s^2, then free flight to 0.5 s.
static void free_particles_move_as_the_force_says(void** state) {
    (void)state;
    const double end = 0.5, from = 0.105, acts = 0.2, frame = 1.0 / 60.0;
    for (int k = 0; k < SOLVERS; k++) {
        shoal_sim* sim = with(solvers[k].scene, WINDOW, 2);
        double x = lab_stat(sim, "com_x_m"), y = lab_stat(sim, "com_y_m"), z = lab_stat(sim, "com_z_m"), worst = 0.0;
        lab_run(sim, end, frame);
        const float* v   = lab_field(sim, "velocity");
        double       way = 0.5 * acts * acts + acts * (end - from - acts), slack = 0.51 * acts * solvers[k].dt + 1e-6;
        for (int64_t i = 0; i < shoal_sim_count(sim); i++)
            worst = fmax(worst, hypot((double)v[3 * i] - 3.0 * acts,
                                      hypot((double)v[3 * i + 1], (double)v[3 * i + 2] + 4.0 * acts)));
        x = lab_stat(sim, "com_x_m") - x, y = lab_stat(sim, "com_y_m") - y, z = lab_stat(sim, "com_z_m") - z;
        printf("%.*s: velocity off by %.2g m/s at most, way by %.2g and %.2g m of %.3g and %.3g\n",
               (int)strcspn(solvers[k].scene + 8, "\n"), solvers[k].scene + 8, worst, x - 3.0 * way, z + 4.0 * way,
               3.0 * way, 4.0 * way);
        CHECK_BELOW(worst, 1e-4);
        CHECK_NEAR(x, 3.0 * way, 3.0 * slack);
        CHECK_NEAR(y, 0.0, 1e-5);
        CHECK_NEAR(z, -4.0 * way, 4.0 * slack);
        shoal_sim_destroy(sim);
    }
}

// Two blocks, one of them within the shape; and two materials, one of them meant.
static void only_what_is_meant_is_pushed(void** state) {
    (void)state;
    static const char* const two[] = {
        "forces: [{acceleration: [0, 2, 0], sphere: {radius: 0.4}, at: [5.1, 0.1, 0.1]}]\n",
        "forces: [{acceleration: [0, 2, 0], material: oil}]\n",
    };
    for (int k = 0; k < 2; k++) {
        shoal_sim* sim = with("solver: pbf\nspacing: 0.1\ngravity: [0, 0, 0]\nbodies:\n"
                              "  - {material: water, box: {min: [0, 0, 0], max: [0.2, 0.2, 0.2]}}\n"
                              "  - {material: oil, box: {min: [5, 0, 0], max: [5.2, 0.2, 0.2]}}\n",
                              two[k], 2);
        lab_run(sim, 0.1, 1.0 / 60.0);
        const float *x = lab_field(sim, "position"), *v = lab_field(sim, "velocity");
        assert_int_equal(shoal_sim_count(sim), 16);
        for (int64_t i = 0; i < shoal_sim_count(sim); i++)
            CHECK_NEAR((double)v[3 * i + 1], x[3 * i] > 2.0f ? 0.2 : 0.0, 1e-5);
        shoal_sim_destroy(sim);
    }
}

// Ten times the weight, sideways: water and sand are thrown at a wall, and nothing explodes.
static void a_strong_force_is_borne(void** state) {
    (void)state;
    static const char* const names[] = {"pbf", "sph", "flip", "grains", "porous"};
    for (int k = 0; k < 5; k++) {
        char text[512];
        snprintf(text, sizeof text,
                 "solver: %s\nspacing: 0.1\ndomain: {max: [1, 2, 0.5], walls: {top: open}}\n"
                 "bodies: [{material: %s, box: {min: [0, 0, 0], max: [0.5, 0.3, 0.5]}}]\n"
                 "forces: [{acceleration: [100, 0, 0], from: 0.05, until: 0.2}]\n",
                 names[k], k >= 3 ? "sand" : "water");
        shoal_sim* sim = lab_sim(text, (lab_setup){0});
        double     x   = lab_stat(sim, "com_x_m");
        lab_run(sim, 0.2, 1.0 / 60.0);
        printf("%s: centre from %.3g to %.3g m\n", names[k], x, lab_stat(sim, "com_x_m"));
        assert_true(lab_stat(sim, "com_x_m") > x + 0.3);
        shoal_sim_destroy(sim);
    }
}

// Saved amid the window and resumed with another number of threads.
static void a_resumed_run_is_pushed_as_one_that_was_not_stopped(void** state) {
    (void)state;
    for (int k = 0; k < SOLVERS; k++) {
        shoal_sim *whole = with(solvers[k].scene, WINDOW, 1), *half = with(solvers[k].scene, WINDOW, 2),
                  *rest = with(solvers[k].scene, WINDOW, 1);
        size_t size;
        lab_run(whole, 0.4, 0.02);
        lab_run(half, 0.2, 0.02);
        void* bytes = NULL;
        CHECK_OK(shoal_sim_save(half, &bytes, &size));
        CHECK_OK(shoal_sim_load(rest, bytes, size));
        lab_run(rest, 0.2, 0.02);
        size_t count = 3 * sizeof(float) * (size_t)shoal_sim_count(whole);
        assert_memory_equal(lab_field(whole, "position"), lab_field(rest, "position"), count);
        assert_memory_equal(lab_field(whole, "velocity"), lab_field(rest, "velocity"), count);
        shoal_bytes_free(bytes, size);
        shoal_sim_destroy(whole);
        shoal_sim_destroy(half);
        shoal_sim_destroy(rest);
    }
}

// Water that is pressed where it has no room: the step that fails is undone with its forces, so
// that a second try begins where the first did.
static void a_step_that_fails_is_undone_with_its_forces(void** state) {
    (void)state;
    static const char* const names[] = {"pbf", "sph", "flip"};
    for (int k = 0; k < 3; k++) {
        char text[512];
        snprintf(text, sizeof text,
                 "solver: %s\nspacing: 0.1\ndomain: {max: [0.6, 1, 0.6], walls: {top: open}}\n"
                 "bodies: [{material: water, box: {min: [0, 0, 0], max: [0.6, 0.4, 0.6]}}]\n"
                 "obstacles: [{box: {size: [0.6, 0.2, 0.6]}, motion: [{t: 0, at: [0.3, 0.6, 0.3]}, "
                 "{t: 0.3, at: [0.3, 0.15, 0.3]}]}]\n"
                 "forces: [{acceleration: [2, 0, 0]}]\n",
                 names[k]);
        shoal_sim* sim = lab_sim(text, (lab_setup){0});
        for (int f = 0; f < 200 && shoal_sim_advance(sim, 1.0 / 60.0) == SHOAL_OK; f++) {
        }
        size_t  size   = 3 * sizeof(float) * (size_t)shoal_sim_count(sim);
        int64_t steps  = shoal_sim_steps(sim);
        void*   before = test_malloc(size);
        memcpy(before, lab_field(sim, "velocity"), size);
        assert_int_not_equal(shoal_sim_advance(sim, 1.0 / 60.0), SHOAL_OK);
        assert_int_equal(shoal_sim_steps(sim), steps);
        assert_memory_equal(lab_field(sim, "velocity"), before, size);
        test_free(before);
        shoal_sim_destroy(sim);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(free_particles_move_as_the_force_says),
        cmocka_unit_test(only_what_is_meant_is_pushed),
        cmocka_unit_test(a_strong_force_is_borne),
        cmocka_unit_test(a_step_that_fails_is_undone_with_its_forces),
        cmocka_unit_test(a_resumed_run_is_pushed_as_one_that_was_not_stopped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
