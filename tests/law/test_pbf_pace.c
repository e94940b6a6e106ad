// SPDX-License-Identifier: MIT
// The substeps and sweeps that pbf chooses by itself, what each sweep does, and what its columns
// tell of them.
#include "lab.h"

// Substeps of the first `seconds`.
static double substeps(const char* text, double seconds, const char* set) {
    shoal_sim* sim = lab_sim(text, (lab_setup){.threads = 1, .set = {set}});
    CHECK_OK(shoal_sim_advance(sim, seconds));
    double steps = (double)shoal_sim_steps(sim);
    shoal_sim_destroy(sim);
    return steps;
}

#define COLUMN(height, more)                                                                                           \
    "spacing: 0.05\ndomain: {max: [0.2, 2, 0.2]}\n"                                                                    \
    "bodies: [{material: water, box: {min: [0, 0, 0], max: [0.2, " height ", 0.2]}}]\n" more

// Steady compression at a depth goes with its pressure and with the square of the substep.
static void substeps_shorten_with_the_root_of_the_depth(void** state) {
    (void)state;
    double low  = substeps(COLUMN("0.4", ""), 0.1, "pbf.tolerance=0.1"),
           high = substeps(COLUMN("1.6", ""), 0.1, "pbf.tolerance=0.1");
    printf("substeps of 0.1 s: %.0f for 0.4 m of water, %.0f for 1.6 m\n", low, high);
    CHECK_NEAR(high / low, 2.0, 0.2);
}

static void a_force_of_the_scene_shortens_substeps_as_gravity_does(void** state) {
    (void)state;
    double fallen  = substeps(COLUMN("0.4", ""), 0.1, "pbf.tolerance=0.1"),
           forced  = substeps(COLUMN("0.4", "gravity: [0, 0, 0]\nforces: [{acceleration: [0, -9.81, 0]}]\n"), 0.1,
                              "pbf.tolerance=0.1"),
           neither = substeps(COLUMN("0.4", "gravity: [0, 0, 0]\n"), 0.1, "pbf.tolerance=0.1");
    printf("substeps of 0.1 s: %.0f by gravity, %.0f by a force, %.0f by neither\n", fallen, forced, neither);
    CHECK_NEAR(forced / fallen, 1.0, 0.2);
    CHECK_BELOW(neither, 0.2 * fallen);
}

// A blob that flies, weightless.
#define BLOB(speed)                                                                                                    \
    "spacing: 0.05\ngravity: [0, 0, 0]\n"                                                                              \
    "bodies: [{material: water, box: {size: [0.2, 0.2, 0.2]}, velocity: [" speed ", 0, 0]}]\n"

static void substeps_shorten_with_speed(void** state) {
    (void)state;
    double slow = substeps(BLOB("1"), 0.1, "pbf.tolerance=0.1"), fast = substeps(BLOB("4"), 0.1, "pbf.tolerance=0.1");
    printf("substeps of 0.1 s: %.0f at 1 m/s, %.0f at 4 m/s\n", slow, fast);
    CHECK_NEAR(fast / slow, 4.0, 0.5);
}

static void nobody_crosses_more_than_half_a_kernel_in_a_substep(void** state) {
    (void)state;
    double steps = substeps(BLOB("30"), 0.1, "pbf.tolerance=50"), least = 30.0 * 0.1 / 0.05;
    printf("%.0f substeps for %.0f half kernels\n", steps, least);
    CHECK_NEAR(steps, least, 1.5);
}

// 0.1 sqrt(rho d^3 / sigma), of a drop at rest without gravity.
static void capillary_waves_are_resolved(void** state) {
    (void)state;
    static const char drop[] = "spacing: 0.005\ngravity: [0, 0, 0]\nmaterials: {water: {surface_tension: 0.0728}}\n"
                               "bodies: [{material: water, box: {size: [0.02, 0.02, 0.02]}}]\n";
    double            steps  = substeps(drop, 0.1, "pbf.surface_tension=true"),
           wanted            = 0.1 / (0.1 * sqrt(1000.0 * 0.005 * 0.005 * 0.005 / 0.0728));
    printf("%.0f substeps, capillary waves ask for %.1f\n", steps, wanted);
    CHECK_BELOW(0.99 * wanted, steps);
    CHECK_BELOW(steps, 2.0 * wanted);
}

// The most sweeps of a substep in the first frames of a column that is let go.
static double sweeps(const char* tolerance) {
    shoal_sim* sim  = lab_sim(COLUMN("0.8", ""),
                              (lab_setup){.threads = 1, .set = {"pbf.substeps=4", "pbf.iterations=auto", tolerance}});
    double     most = 0.0;
    for (int f = 0; f < 10; f++) {
        CHECK_OK(shoal_sim_advance(sim, 1.0 / 60.0));
        most = fmax(most, lab_stat(sim, "iterations"));
    }
    shoal_sim_destroy(sim);
    return most;
}

static void automatic_sweeps_end_when_the_tolerance_is_met(void** state) {
    (void)state;
    double coarse = sweeps("pbf.tolerance=40"), middle = sweeps("pbf.tolerance=1"), fine = sweeps("pbf.tolerance=0.01");
    printf("sweeps: %.0f at 40 %%, %.0f at 1 %%, %.0f at 0.01 %%\n", coarse, middle, fine);
    CHECK_NEAR(coarse, 2.0, 0.0);
    CHECK_BELOW(2.0, middle);
    CHECK_BELOW(middle, fine);
    CHECK_NEAR(fine, 60.0, 0.0);
}

// The average compression of a column after a while, %.
static double compression(lab_setup setup) {
    double     sum = 0.0;
    shoal_sim* sim = lab_sim(COLUMN("0.8", ""), setup);
    for (int f = 0; f < 30; f++) {
        CHECK_OK(shoal_sim_advance(sim, 1.0 / 60.0));
        if (f >= 15) sum += lab_stat(sim, "compression_avg_pct") / 15.0;
    }
    shoal_sim_destroy(sim);
    return sum;
}

static void what_speeds_sweeps_up_leaves_less_compression(void** state) {
    (void)state;
#define SWEEPS(...)                                                                                                    \
    (lab_setup) {                                                                                                      \
        .threads = 1, .set = { "pbf.substeps=2", "pbf.iterations=10", __VA_ARGS__ }                                    \
    }
    double plain = compression(SWEEPS(NULL)), cheby = compression(SWEEPS("pbf.chebyshev=0.9")),
           warm = compression(SWEEPS("pbf.warm_start=0.5")), seidel = compression(SWEEPS("pbf.sweep=gauss_seidel"));
    printf("compression: jacobi %.3f %%, chebyshev %.3f %%, warm %.3f %%, gauss_seidel %.3f %%\n", plain, cheby, warm,
           seidel);
    CHECK_BELOW(plain, 0.8);
    CHECK_BELOW(cheby, 0.65 * plain);
    CHECK_BELOW(warm, 0.65 * plain);
    CHECK_BELOW(seidel, 0.65 * plain);
}

// K = 1e5 Pa, however the solve is cut into substeps and sweeps: density follows pressure, and
// pressure depth.
static void a_soft_liquid_is_compressed_by_the_weight_above_it(void** state) {
    (void)state;
    static const char* const ways[][2] = {{"pbf.substeps=4", "pbf.iterations=20"},
                                          {"pbf.substeps=8", "pbf.iterations=20"},
                                          {"pbf.substeps=8", "pbf.iterations=40"}};
    for (int k = 0; k < 3; k++) {
        shoal_sim* sim      = lab_sim(COLUMN("0.8", ""),
                                      (lab_setup){.threads = 1, .set = {ways[k][0], ways[k][1], "pbf.compliance=1e-5"}});
        double     squeezed = 0.0, loaded = 0.0, asked = 0.0;
        for (int f = 0; f < 60; f++) {
            CHECK_OK(shoal_sim_advance(sim, 1.0 / 60.0));
            const float *x = lab_field(sim, "position"), *rho = lab_field(sim, "density"),
                        *p = lab_field(sim, "pressure");
            for (int64_t i = 0; i < shoal_sim_count(sim) && f >= 30; i++)
                if (x[3 * i + 1] > 0.1f && x[3 * i + 1] < 0.4f) {
                    squeezed += (double)rho[i] / 1000.0 - 1.0;
                    loaded += 1e-5 * (double)p[i];
                    asked += 1e-5 * 9810.0 * (0.8 - (double)x[3 * i + 1]);
                }
        }
        printf("%s, %s: compressed by %.3f of what its weight asks for, %.3f of its pressure\n", ways[k][0], ways[k][1],
               squeezed / asked, squeezed / loaded);
        CHECK_NEAR(squeezed / loaded, 1.0, 0.06);
        CHECK_NEAR(squeezed / asked, 0.9,
                   0.12); // the surface has sunk, and the pressure is that of a sum over pairs
        shoal_sim_destroy(sim);
    }
}

// A blob hits a wall early in a long frame, and has flown apart at its end.
static void cut_corrections_of_a_whole_frame_are_counted(void** state) {
    (void)state;
    static const char text[] = "spacing: 0.05\ngravity: [0, 0, 0]\ndomain: {min: [-4, -4, -4], max: [0.3, 4, 4]}\n"
                               "bodies: [{material: water, box: {size: [0.2, 0.2, 0.2]}, velocity: [5, 0, 0]}]\n";
    static const char* const limits[] = {"pbf.correction_limit=0.01", "pbf.correction_limit=1"};
    double                   clamped[2];
    for (int k = 0; k < 2; k++) {
        shoal_sim* sim = lab_sim(text, (lab_setup){.threads = 1, .set = {"pbf.substeps=40", limits[k]}});
        CHECK_OK(shoal_sim_advance(sim, 0.4));
        clamped[k] = lab_stat(sim, "clamped");
        shoal_sim_destroy(sim);
    }
    printf("cut: %.2f of the particles at 0.01 h, %.2f at 1 h\n", clamped[0], clamped[1]);
    CHECK_BELOW(0.5, clamped[0]);
    CHECK_BELOW(clamped[1], 0.01);
}

// v = (x* - x) / dt (line 21), where nothing smooths it.
static void velocities_are_those_of_the_moves(void** state) {
    (void)state;
    enum { COUNT = 4 * 4 * 16 };
    static float before[COUNT][3], after[COUNT][3], speed[COUNT][3];
    const double dt  = 1.0 / 240.0;
    shoal_sim*   sim = lab_sim(COLUMN("0.8", "materials: {water: {viscosity: 0}}\n"),
                               (lab_setup){.threads = 1, .set = {"pbf.substeps=1", "pbf.xsph=0"}});
    assert_int_equal(shoal_sim_count(sim), COUNT);
    lab_run(sim, 24.0 * dt, dt);
    lab_by_id(sim, "position", before);
    lab_run(sim, dt, dt);
    lab_by_id(sim, "position", after);
    lab_by_id(sim, "velocity", speed);
    for (int i = 0; i < COUNT; i++)
        for (int k = 0; k < 3; k++) CHECK_NEAR((double)(after[i][k] - before[i][k]) / dt, (double)speed[i][k], 2e-4);
    shoal_sim_destroy(sim);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(substeps_shorten_with_the_root_of_the_depth),
        cmocka_unit_test(a_force_of_the_scene_shortens_substeps_as_gravity_does),
        cmocka_unit_test(substeps_shorten_with_speed),
        cmocka_unit_test(nobody_crosses_more_than_half_a_kernel_in_a_substep),
        cmocka_unit_test(capillary_waves_are_resolved),
        cmocka_unit_test(automatic_sweeps_end_when_the_tolerance_is_met),
        cmocka_unit_test(what_speeds_sweeps_up_leaves_less_compression),
        cmocka_unit_test(a_soft_liquid_is_compressed_by_the_weight_above_it),
        cmocka_unit_test(cut_corrections_of_a_whole_frame_are_counted),
        cmocka_unit_test(velocities_are_those_of_the_moves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
