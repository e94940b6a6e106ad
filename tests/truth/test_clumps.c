// SPDX-License-Identifier: MIT
// Anti-clumping keeps particles apart, and weightless water draws itself together into a ball.
#include "lab.h"
#include "truth/figure.h"

// A column of 20 layers where clumps form for want of load, and a splash.
static const char column[] =
    "spacing: 0.02\n"
    "domain: {min: [0, 0, 0], max: [0.16, 0.6, 0.16], walls: {left: periodic, right: periodic, "
    "back: periodic, front: periodic, top: open}}\n"
    "bodies: [{material: water, box: {min: [0, 0, 0], max: [0.16, 0.4, 0.16]}}]\n"
    "pbf: {substeps: 4, iterations: 4}\n";
static const char splash[] = "spacing: 0.04\n"
                             "domain: {min: [0, 0, 0], max: [1.6, 1.5, 0.4]}\n"
                             "bodies: [{material: water, box: {min: [0, 0, 0], max: [0.6, 0.8, 0.4]}}]\n"
                             "pbf: {substeps: 4, iterations: 4}\n";

static lab_nearest nearest_after(const char* what, const char* text, lab_setup setup, double spacing, double seconds) {
    shoal_sim* sim = lab_sim(text, setup);
    lab_run(sim, seconds, 1.0 / 60.0);
    lab_nearest n = lab_nearest_of(sim, spacing);
    printf("%s, %s %s %s: nearest at least %.3f d, %.2f %% nearer than d/2, on average %.3f d\n", what, setup.set[0],
           setup.set[1] ? setup.set[1] : "", setup.set[2] ? setup.set[2] : "", n.least, 100.0 * n.close_fraction,
           n.mean);
    shoal_sim_destroy(sim);
    return n;
}

// With the paper's kernels (poly6 for density, flat at the centre) particles can sit on each other.
static void repulsion_of_short_range_removes_clumps(void** state) {
    (void)state;
    const char* poly6 = "pbf.density_kernel=poly6";
    lab_nearest without =
        nearest_after("column", column, (lab_setup){.set = {"pbf.anti_clumping=none", poly6}}, 0.02, 3.0);
    lab_nearest with =
        nearest_after("column", column, (lab_setup){.set = {"pbf.anti_clumping=short_range", poly6}}, 0.02, 3.0);
    truth_above("column, poly6, short_range against clumps: nearest over that without", "pbf",
                with.least / without.least, "", 1.0);
    truth_below("column, poly6, short_range against clumps: share nearer than d/2", "pbf", with.close_fraction, "",
                1e-9);
    truth_above("column, poly6, short_range against clumps: nearest", "pbf", with.least, "d", 0.8);
}

static void equation_13_removes_clumps(void** state) {
    (void)state;
    const char *poly6 = "pbf.density_kernel=poly6", *pull = "pbf.negative_pressure=1";
    lab_nearest without =
        nearest_after("splash", splash, (lab_setup){.set = {"pbf.anti_clumping=none", poly6, pull}}, 0.04, 1.5);
    lab_nearest with =
        nearest_after("splash", splash, (lab_setup){.set = {"pbf.anti_clumping=paper", poly6, pull}}, 0.04, 1.5);
    truth_above("splash, poly6, nothing against clumps: share nearer than d/2", "pbf", without.close_fraction, "",
                0.01);
    truth_below("splash, poly6, equation 13: share nearer than d/2, over that without", "pbf",
                with.close_fraction / without.close_fraction, "", 0.1);
    truth_above("splash, poly6, equation 13: nearest over that without", "pbf", with.least / without.least, "", 1.0);
}

static void the_default_keeps_particles_apart_in_a_splash(void** state) {
    (void)state;
    lab_nearest without = nearest_after("splash", splash, (lab_setup){.set = {"pbf.anti_clumping=none"}}, 0.04, 1.5);
    lab_nearest with =
        nearest_after("splash", splash, (lab_setup){.set = {"pbf.anti_clumping=short_range"}}, 0.04, 1.5);
    truth_above("splash, short_range against clumps: nearest over that without", "pbf", with.least / without.least, "",
                1.0);
    truth_below("splash, short_range against clumps: share nearer than d/2", "pbf", with.close_fraction, "", 1e-3);
}

static const char cube[] = "spacing: 0.01\n"
                           "gravity: [0, 0, 0]\n"
                           "bodies: [{material: water, box: {min: [0, 0, 0], max: [0.12, 0.12, 0.12]}}]\n"
                           "pbf: {substeps: 4, iterations: 4}\n";

// How far the outermost hundredth is from the centre, over the radius of the ball of the same
// volume: 1.24 for the cube of particles, 1 for a ball.
static double edges(const shoal_sim* sim, double spacing) {
    int          count     = (int)shoal_sim_count(sim);
    const float* x         = lab_field(sim, "position");
    double       centre[3] = {0.0};
    for (int i = 0; i < count; i++)
        for (int k = 0; k < 3; k++) centre[k] += (double)x[3 * i + k] / count;
    float* r = malloc((size_t)count * sizeof *r);
    assert_non_null(r);
    for (int i = 0; i < count; i++) {
        double r2 = 0.0;
        for (int k = 0; k < 3; k++) r2 += ((double)x[3 * i + k] - centre[k]) * ((double)x[3 * i + k] - centre[k]);
        r[i] = (float)sqrt(r2);
    }
    qsort(r, (size_t)count, sizeof *r, lab_along_x);
    double far = (double)r[count - 1 - count / 100], ball = spacing * cbrt(count * 3.0 / (4.0 * 3.14159265));
    free(r);
    return far / ball;
}

static double rounds_to(lab_setup setup, double seconds) {
    shoal_sim* sim   = lab_sim(cube, setup);
    double     start = edges(sim, 0.01);
    printf("cube, %s %s: edges at", setup.set[0] ? setup.set[0] : "as is", setup.set[1] ? setup.set[1] : "");
    double now = start;
    for (int k = 0; k <= 4; k++) {
        now = edges(sim, 0.01);
        printf(" %.3f", now);
        if (k < 4) lab_run(sim, 0.25 * seconds, 1.0 / 60.0);
    }
    printf(" of the ball's radius over %.1f s; compression %.2f %%, speed %.3f m/s\n", seconds,
           lab_stat(sim, "compression_avg_pct"), lab_stat(sim, "speed_max_mps"));
    shoal_sim_destroy(sim);
    return now;
}

static void a_weightless_cube_keeps_its_edges_without_tension(void** state) {
    (void)state;
    truth_near("weightless cube: edges after 2 s, over the ball's radius", "pbf", rounds_to((lab_setup){0}, 2.0), "",
               1.24, 0.05);
}

static void a_weightless_cube_rounds_off_with_the_papers_settings(void** state) {
    (void)state;
    lab_setup paper = {.set = {"pbf.anti_clumping=paper", "pbf.negative_pressure=1"}};
    truth_below("weightless cube, the paper's settings: edges after 2 s, over the ball's radius", "pbf",
                rounds_to(paper, 2.0), "", 1.12);
}

static void a_weightless_cube_rounds_off_with_surface_tension(void** state) {
    (void)state;
    lab_setup tension = {.set = {"pbf.surface_tension=true"}};
    truth_below("weightless cube, surface tension: edges after 4 s, over the ball's radius", "pbf",
                rounds_to(tension, 4.0), "", 1.12);
}

int main(int argc, char** argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(repulsion_of_short_range_removes_clumps),
        cmocka_unit_test(equation_13_removes_clumps),
        cmocka_unit_test(the_default_keeps_particles_apart_in_a_splash),
        cmocka_unit_test(a_weightless_cube_keeps_its_edges_without_tension),
        cmocka_unit_test(a_weightless_cube_rounds_off_with_the_papers_settings),
        TRUTH_LONG(a_weightless_cube_rounds_off_with_surface_tension),
    };
    return TRUTH_RUN("pbf", tests, argc, argv);
}
