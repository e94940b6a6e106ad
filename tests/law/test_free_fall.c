// SPDX-License-Identifier: MIT
// Where nothing touches, nothing but gravity acts: symplectic Euler in closed form, v = -g n dt and
// y = y0 - g dt^2 n (n + 1) / 2, for every particle; and what two blobs exchange they do not lose.
#include "lab.h"

static const char ball[] = "spacing: 0.08\n"
                           "bodies: [{material: water, sphere: {radius: 0.4}, at: [0, 1, 0]}]\n"
                           "pbf: {substeps: 4, iterations: 10}\n";

static void free_fall_is_exact(void** state) {
    (void)state;
    enum { FRAMES = 60, STEPS = 4 * FRAMES };
    const double g = 9.81, dt = 1.0 / 240.0;
    shoal_sim*   sim   = lab_sim(ball, (lab_setup){0});
    double       com   = lab_stat(sim, "com_y_m");
    double       worst = 0.0, mean = 0.0;
    for (int f = 0; f < FRAMES; f++) {
        lab_run(sim, 1.0 / 60.0, 1.0 / 60.0);
        assert_true(lab_stat(sim, "clamped") == 0.0);
    }
    assert_int_equal(shoal_sim_steps(sim), STEPS);
    const float* v = lab_field(sim, "velocity");
    for (int64_t i = 0; i < shoal_sim_count(sim); i++)
        for (int k = 0; k < 3; k++) worst = fmax(worst, fabs((double)v[3 * i + k] + (k == 1 ? g * STEPS * dt : 0.0)));
    for (int64_t i = 0; i < shoal_sim_count(sim); i++) mean += (double)v[3 * i + 1] / (double)shoal_sim_count(sim);
    double fallen = com - lab_stat(sim, "com_y_m"), wanted = g * dt * dt * STEPS * (STEPS + 1) / 2.0;
    printf("free fall, %d steps: velocity off by %.2g of g t on average and %.2g at most, centre "
           "of mass by %.2g of its way, "
           "sideways %.2g m\n",
           STEPS, fabs(mean / (g * STEPS * dt) + 1.0), worst / (g * STEPS * dt), fabs(fallen / wanted - 1.0),
           hypot(lab_stat(sim, "com_x_m"), lab_stat(sim, "com_z_m")));
    // 240 additions in single precision, each rounded to 6e-8 of the value; the lattice is at rest
    // density to 1e-6
    CHECK_NEAR(mean / (g * STEPS * dt), -1.0, 2e-6);
    CHECK_BELOW(worst / (g * STEPS * dt), 2e-5);
    CHECK_NEAR(fallen / wanted, 1.0, 2e-6);
    CHECK_NEAR(lab_stat(sim, "com_x_m"), 0.0, 1e-6);
    CHECK_NEAR(lab_stat(sim, "com_z_m"), 0.0, 1e-6);
    shoal_sim_destroy(sim);
}

static void a_lone_particle_flies_a_parabola(void** state) {
    (void)state;
    shoal_sim* sim = lab_sim("spacing: 0.1\n"
                             "bodies: [{material: water, box: {min: [0, 0, 0], max: [0.1, 0.1, "
                             "0.1]}, velocity: [3, 4, 0]}]\n"
                             "pbf: {substeps: 4}\n",
                             (lab_setup){0});
    assert_int_equal(shoal_sim_count(sim), 1);
    double x0 = lab_stat(sim, "com_x_m"), y0 = lab_stat(sim, "com_y_m");
    lab_run(sim, 1.0, 1.0 / 60.0);
    double dt = 1.0 / 240.0, n = 240.0;
    CHECK_NEAR(lab_stat(sim, "com_x_m"), x0 + 3.0, 2e-5);
    CHECK_NEAR(lab_stat(sim, "com_y_m"), y0 + 4.0 - 9.81 * dt * dt * n * (n + 1.0) / 2.0, 2e-5);
    shoal_sim_destroy(sim);
}

// Off centre, so that spin is exchanged too.
static const char balls[] = "spacing: 0.1\n"
                            "gravity: [0, 0, 0]\n"
                            "bodies:\n"
                            "  - {material: water, sphere: {radius: 0.3}, at: [-0.5, 0.1, 0], velocity: [2, 0, 0.5]}\n"
                            "  - {material: water, sphere: {radius: 0.4}, at: [0.5, -0.1, 0], velocity: [-2, 0, 0]}\n"
                            "pbf: {substeps: 4, iterations: 10}\n";

static const char* const momenta[] = {"momentum_x_kgmps", "momentum_y_kgmps", "momentum_z_kgmps"};

// Angular momentum about the origin over the mass of a particle, m^2/s.
static void turn_of(const shoal_sim* sim, double out[3]) {
    const float *x = lab_field(sim, "position"), *v = lab_field(sim, "velocity");
    out[0] = out[1] = out[2] = 0.0;
    for (int64_t i = 0; i < shoal_sim_count(sim); i++)
        for (int k = 0; k < 3; k++) {
            int a = (k + 1) % 3, b = (k + 2) % 3;
            out[k] += (double)x[3 * i + a] * (double)v[3 * i + b] - (double)x[3 * i + b] * (double)v[3 * i + a];
        }
}

// The limit on corrections is the one thing that may take momentum, so it is out of the way.
static void momentum_survives(const char* option, double bound) {
    bool       is_mixed = option && strncmp(option, "bodies", 6) == 0;
    shoal_sim* sim      = lab_sim(balls, (lab_setup){.set = {"pbf.correction_limit=1", option}});
    double     before[3], worst = 0.0, turn[3], turned[3];
    // of one ball: that of both nearly cancels
    double scale = 4.0 / 3.0 * 3.14159265 * 0.027 * 1000.0 * 2.0;
    for (int k = 0; k < 3; k++) before[k] = lab_stat(sim, momenta[k]);
    turn_of(sim, turn);
    double energy = lab_stat(sim, "kinetic_j"), clamped = 0.0;
    for (int f = 0; f < 40; f++) {
        lab_run(sim, 1.0 / 60.0, 1.0 / 60.0);
        for (int k = 0; k < 3; k++) worst = fmax(worst, fabs(lab_stat(sim, momenta[k]) - before[k]) / scale);
        clamped = fmax(clamped, lab_stat(sim, "clamped"));
    }
    turn_of(sim, turned);
    double after = lab_stat(sim, "kinetic_j") / energy;
    printf("collision, %s: momentum off by %.2g of one ball's, spin by %.2g of its own, energy "
           "left %.3f, clamped at most %.2g %%\n",
           option ? option : "as is", worst, fabs(turned[2] / turn[2] - 1.0), after, 100.0 * clamped);
    CHECK_BELOW(worst, bound);
    CHECK_BELOW(0.03, fabs(after - 1.0)); // they have met; eq. 13 drives them apart again
    if (!is_mixed)
        CHECK_NEAR(turned[2] / turn[2], 1.0,
                   0.05); // pairs push along their line, XSPH does not; mixtures: no masses in the sum
    shoal_sim_destroy(sim);
}

static void two_blobs_that_collide_keep_their_momentum(void** state) {
    (void)state;
    momentum_survives(NULL, 1e-5);
    momentum_survives("pbf.anti_clumping=paper", 1e-5);
    momentum_survives("pbf.negative_pressure=1", 1e-5);
    momentum_survives("bodies.0.material=oil", 1e-5);
    momentum_survives("bodies.0.material=honey", 1e-5);
}

static void every_way_to_solve_keeps_momentum(void** state) {
    (void)state;
    momentum_survives("pbf.relaxation=precomputed", 1e-5);
    momentum_survives("pbf.sweep=gauss_seidel", 1e-5);
    momentum_survives("pbf.chebyshev=0.9", 1e-5);
    momentum_survives("pbf.warm_start=0.5", 1e-5);
    momentum_survives("pbf.compliance=1e-6", 1e-5);
    momentum_survives("pbf.surface_tension=true", 1e-5);
    momentum_survives("pbf.density_kernel=poly6", 1e-5);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(free_fall_is_exact),
        cmocka_unit_test(a_lone_particle_flies_a_parabola),
        cmocka_unit_test(two_blobs_that_collide_keep_their_momentum),
        cmocka_unit_test(every_way_to_solve_keeps_momentum),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
