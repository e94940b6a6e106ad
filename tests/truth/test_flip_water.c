// SPDX-License-Identifier: MIT
// Water on the staggered grid: at rest, sloshing, and collapsing. Geometry and spacing are given,
// of the solver only what a test is about.
#include "truth/figure.h"
#include "truth/front.h"

static const double gravity = 9.81, pi = 3.14159265358979323846;

static double fastest(const shoal_sim* sim) {
    const float* v    = lab_field(sim, "velocity");
    double       most = 0;
    for (int64_t i = 0; i < 3 * shoal_sim_count(sim); i += 3)
        most = fmax(most, sqrt((double)v[i] * (double)v[i] + (double)v[i + 1] * (double)v[i + 1] +
                               (double)v[i + 2] * (double)v[i + 2]));
    return most;
}

static double centre(const shoal_sim* sim) {
    const float* x   = lab_field(sim, "position");
    double       sum = 0;
    for (int64_t i = 0; i < shoal_sim_count(sim); i++) sum += (double)x[3 * i];
    return sum / (double)shoal_sim_count(sim);
}

// Whole and half cells deep; jittered particles are the noise on it.
static void water_stands_level_and_still_at_any_depth(void** state) {
    (void)state;
    const double d = 1.0 / 32, dx = 2 * d, area = 0.5;
    for (int layers = 15; layers <= 18; layers++) {
        char   text[512];
        double depth = layers * d;
        snprintf(text, sizeof text,
                 "solver: flip\nspacing: %.9g\ndomain: {min: [0, 0, 0], max: [1, 1, 0.5], walls: "
                 "{top: open}}\n"
                 "bodies: [{material: water, box: {min: [0, 0, 0], max: [1, %.9g, 0.5]}}]\n"
                 "probes: [{name: floor, kind: pressure, at: [0.5, 0, 0.25]}]\n",
                 d, depth);
        shoal_sim* sim = lab_sim(text, (lab_setup){0});
        lab_run(sim, 2.0, 1.0 / 60);
        double level = lab_stat(sim, "volume_m3") / area, speed = fastest(sim) / sqrt(gravity * dx);
        double floor = lab_probe(sim, "floor") / (1000 * gravity * depth);
        double cells = depth / dx;
        truth_near(truth_case("water at rest, %.1f cells deep: level above its own", cells), "flip",
                   (level - depth) / dx, "dx", 0, 0.1);
        truth_below(truth_case("water at rest, %.1f cells deep: largest speed", cells), "flip", speed, "sqrt(g dx)",
                    0.02);
        truth_near(truth_case("water at rest, %.1f cells deep: pressure on the floor over rho g z", cells), "flip",
                   floor, "", 1, 0.01);
        truth_below(truth_case("water at rest, %.1f cells deep: divergence", cells), "flip",
                    lab_stat(sim, "divergence_ps"), "1/s", 0.0100001);
        shoal_sim_destroy(sim);
    }
}

// Solids that cut cells anyhow: a cell of which they leave little holds a particle by chance, and is liquid all the
// same.
static void water_stands_still_on_slopes_and_around_curved_solids(void** state) {
    (void)state;
    const double      d = 0.025, dx = 2 * d;
    const char* const name[]  = {"slope", "sphere", "cylinder"};
    const char* const solid[] = {
        "plane: {normal: [-0.13, 1, 0.27], offset: 0.05}", "sphere: {radius: 0.13}, at: [0.4, 0.2, 0.2]",
        "cylinder: {radius: 0.11, height: 2}, rotate: {axis: [1, 0.3, 0], degrees: 90}, at: [0.4, 0.22, 0.2]"};
    for (int k = 0; k < 3; k++) {
        char text[512];
        snprintf(text, sizeof text,
                 "solver: flip\nspacing: %.9g\ndomain: {min: [0, 0, 0], max: [0.8, 0.6, 0.4]}\n"
                 "bodies: [{material: water, box: {min: [0, 0, 0], max: [0.8, 0.4, 0.4]}}]\nobstacles: [{%s}]\n",
                 d, solid[k]);
        shoal_sim* sim = lab_sim(text, (lab_setup){0});
        lab_run(sim, 2.0, 1.0 / 30);
        double speed = fastest(sim) / sqrt(gravity * dx),
               rms   = sqrt(2 * lab_stat(sim, "kinetic_j") / (1000 * d * d * d * (double)shoal_sim_count(sim)));
        truth_below(truth_case("water at rest at a %s: largest speed", name[k]), "flip", speed, "sqrt(g dx)", 0.3);
        truth_below(truth_case("water at rest at a %s: rms speed", name[k]), "flip", rms / sqrt(gravity * dx),
                    "sqrt(g dx)", 0.01);
        truth_below(truth_case("water at rest at a %s: largest compression", name[k]), "flip",
                    lab_stat(sim, "compression_max_pct"), "%", 30);
        shoal_sim_destroy(sim);
    }
}

// A glass of one cell, and a plate of three quarters of one.
static void thin_vessels_hold_water(void** state) {
    (void)state;
    static const struct {
        const char* text;
        bool        is_glass;
    } vessels[] = {
        {"bodies: [{material: water, cylinder: {radius: 0.2, height: 0.3}, at: [0.5, 0.34, 0.3]}]\n"
         "obstacles: [{subtract: [{cylinder: {radius: 0.24, height: 0.5}, at: [0.5, 0.4, 0.3]}, {cylinder: {radius: "
         "0.2, height: 0.5}, at: "
         "[0.5, 0.44, 0.3]}]}]\n",
         true},
        {"bodies: [{material: water, box: {min: [0, 0, 0], max: [0.25, 0.4, 0.6]}}]\n"
         "obstacles: [{box: {size: [0.03, 4, 2]}, rotate: {axis: [0, 0, 1], degrees: -30}, at: [0.45, 0.2, 0.15]}]\n",
         false}};
    for (int k = 0; k < 2; k++) {
        char text[512];
        snprintf(text, sizeof text, "solver: flip\nspacing: 0.02\ndomain: {min: [0, 0, 0], max: [1, 0.8, 0.6]}\n%s",
                 vessels[k].text);
        shoal_sim* sim = lab_sim(text, (lab_setup){0});
        lab_run(sim, 1.0, 1.0 / 30);
        const float* x    = lab_field(sim, "position");
        int64_t      lost = 0;
        for (int64_t i = 0; i < 3 * shoal_sim_count(sim); i += 3) {
            double px = (double)x[i], py = (double)x[i + 1], pz = (double)x[i + 2];
            lost += vessels[k].is_glass ? hypot(px - 0.5, pz - 0.3) > 0.24 || py < 0.15
                                        : (px - 0.45) * cos(pi / 6) - (py - 0.2) * sin(pi / 6) > 0;
        }
        double fraction = (double)lost / (double)shoal_sim_count(sim);
        truth_below(truth_case("water %s: share that has run out after 1 s",
                               vessels[k].is_glass ? "in a glass of one cell" : "behind a tilted plate of 3/4 cell"),
                    "flip", fraction, "", 0.001);
        shoal_sim_destroy(sim);
    }
}

// The first mode of a tank of 1 m, 32 cells, half as deep: a tilted surface is let go, and the
// centre swings as that mode does (of the tilt, the third has 1/81 as much). Returns the swing
// after three periods over that of the start.
static double slosh(const char* transfer, double* error) {
    const double tilt = 0.1, deep = 0.5, k = pi, period = 2 * pi / sqrt(gravity * k * tanh(k * deep)), frame = 1.0 / 60;
    char         text[512];
    snprintf(text, sizeof text,
             "solver: flip\nspacing: 0.015625\ndomain: {min: [0, 0, 0], max: [1, 1, 0.125], walls: "
             "{top: open, back: slip, front: slip}}\n"
             "bodies: [{material: water, intersect: [{box: {min: [0, 0, 0], max: [1, 1, 0.125]}},"
             " {plane: {normal: [%.9g, 1, 0], offset: %.9g}}]}]\n",
             tilt, (0.5 * tilt + deep) / sqrt(1 + tilt * tilt));
    shoal_sim* sim  = lab_sim(text, (lab_setup){.set = {transfer}});
    double     last = centre(sim) - 0.5, start = fabs(last), first_pass = 0, pass = 0, swing = 0;
    int        passes = 0;
    for (; passes < 7 && shoal_sim_time(sim) < 6;) {
        lab_run(sim, frame, frame);
        double now = centre(sim) - 0.5;
        if (passes == 6) swing = fmax(swing, fabs(now));
        if (now * last < 0) {
            pass = shoal_sim_time(sim) - frame * fabs(now) / (fabs(now) + fabs(last));
            if (passes++ == 0) first_pass = pass;
        }
        last = now;
    }
    assert_int_equal(passes, 7);
    *error = (pass - first_pass) / 3 / period - 1;
    printf("%s: period %+.2f %%, swing %.0f %% after 3 periods\n", transfer, 100 * *error, 100 * swing / start);
    shoal_sim_destroy(sim);
    return swing / start;
}

static void a_tank_sloshes_with_its_period(void** state) {
    (void)state;
    double error[3], energy_left[3];
    energy_left[0]             = slosh("flip.transfer=flip", &error[0]);
    energy_left[1]             = slosh("flip.transfer=apic", &error[1]);
    energy_left[2]             = slosh("flip.transfer=pic", &error[2]);
    const char* const names[3] = {"FLIP", "APIC", "PIC"};
    for (int k = 0; k < 3; k++)
        truth_near(truth_case("sloshing tank, %s: miss of the period", names[k]), "flip", 100 * error[k], "%", 0, 3);
    for (int k = 0; k < 2; k++)
        truth_above(truth_case("sloshing tank, %s: swing after 3 periods over that of PIC", names[k]), "flip",
                    energy_left[k] / energy_left[2], "", 1.1);
}

static curve c;

static double front_at(int per_width, double frame) {
    char what[64];
    run_curve_by(&c, 0.05715, per_width, 4.3, frame,
                 (lab_setup){.set = {"solver=flip", "domain.walls.back=slip", "domain.walls.front=slip"}});
    snprintf(what, sizeof what, "57 mm, %d per width, %.0f frames/s", per_width, 1.0 / frame);
    check_front(what, "flip", &c);
    return between(c.at, c.count, 4.0);
}

// At 60 frames/s substeps are up to 17 times those of 1000.
static void the_front_of_martin_and_moyce_is_met_at_two_resolutions_and_any_frame_rate(void** state) {
    (void)state;
    double coarse = front_at(20, 1.0 / 240.0), fine = front_at(40, 1.0 / 240.0);
    truth_near("front of Martin & Moyce, 40 per width: at T = 4 over that of 20", "flip", fine / coarse, "", 1, 0.05);
    double few = front_at(20, 1.0 / 60.0);
    truth_near("front of Martin & Moyce, 60 frames/s: at T = 4 over that of 240", "flip", few / coarse, "", 1, 0.03);
    if (!truth_in_full) return;
    double many = front_at(20, 1.0 / 1000.0);
    truth_near("front of Martin & Moyce, 1000 frames/s: at T = 4 over that of 240", "flip", many / coarse, "", 1, 0.02);
}

int main(int argc, char** argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(water_stands_level_and_still_at_any_depth),
        cmocka_unit_test(water_stands_still_on_slopes_and_around_curved_solids),
        cmocka_unit_test(thin_vessels_hold_water),
        cmocka_unit_test(a_tank_sloshes_with_its_period),
        cmocka_unit_test(the_front_of_martin_and_moyce_is_met_at_two_resolutions_and_any_frame_rate),
    };
    return TRUTH_RUN("flip", tests, argc, argv);
}
