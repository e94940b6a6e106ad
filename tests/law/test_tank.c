// SPDX-License-Identifier: MIT
// Water in tanks: none is lost or made, none passes a wall, energy only goes, and corrections are
// hardly ever cut.
#include "lab.h"

typedef struct history {
    double  energy_most;      // over its start
    double  clamped_most;     // fraction of particles
    double  compression_most; // average, %
    double  speed_most;       // m/s
    double  outside_most;     // m beyond the walls, less the half spacing particles keep
    int64_t count;
} history;

// Steps one by one and looks after each.
static history watch(shoal_sim* sim, double seconds, const double low[3], const double high[3]) {
    history h     = {.outside_most = -(double)INFINITY, .count = shoal_sim_count(sim)};
    double  start = lab_energy(sim), frame = 1.0 / 60.0;
    int     frames = (int)(seconds / frame + 0.5);
    for (int f = 0; f < frames; f++) {
        lab_run(sim, frame, frame);
        h.energy_most      = fmax(h.energy_most, lab_energy(sim) / start);
        h.clamped_most     = fmax(h.clamped_most, lab_stat(sim, "clamped"));
        h.compression_most = fmax(h.compression_most, lab_stat(sim, "compression_avg_pct"));
        h.speed_most       = fmax(h.speed_most, lab_stat(sim, "speed_max_mps"));
        const float* x     = lab_field(sim, "position");
        for (int64_t i = 0; i < shoal_sim_count(sim); i++)
            for (int k = 0; k < 3; k++)
                h.outside_most =
                    fmax(h.outside_most, fmax(low[k] - (double)x[3 * i + k], (double)x[3 * i + k] - high[k]));
        assert_int_equal(shoal_sim_count(sim), h.count);
        assert_true(lab_stat(sim, "removed") == 0.0);
    }
    return h;
}

static void tell(const char* what, history h) {
    printf("%s: energy at most %.4f of its start, clamped %.3f %%, compression %.2f %%, speed %.2f "
           "m/s, nearest to a wall %.4f m\n",
           what, h.energy_most, 100.0 * h.clamped_most, h.compression_most, h.speed_most, -h.outside_most);
}

static const char dam[] = "spacing: 0.05\n"
                          "domain: {min: [0, 0, 0], max: [1.6, 1, 0.4]}\n"
                          "bodies: [{material: water, box: {min: [0, 0, 0], max: [0.6, 0.6, 0.4]}}]\n"
                          "pbf: {substeps: 4, iterations: 4}\n";

static void a_dam_break_in_a_closed_tank_loses_no_water_and_gains_no_energy(void** state) {
    (void)state;
    const double low[3] = {0.0, 0.0, 0.0}, high[3] = {1.6, 1.0, 0.4};
    shoal_sim*   sim = lab_sim(dam, (lab_setup){0});
    history      h   = watch(sim, 1.5, low, high);
    tell("dam break, 4 x 4", h);
    CHECK_BELOW(h.energy_most, 1.005);
    // nobody comes nearer to a wall than half a spacing
    CHECK_BELOW(h.outside_most, -0.025 + 1e-6);
    CHECK_BELOW(h.clamped_most, 0.01);
    shoal_sim_destroy(sim);
}

static void a_drop_into_a_pool_gains_no_energy_and_is_hardly_clamped(void** state) {
    (void)state;
    const double low[3] = {0.0, 0.0, 0.0}, high[3] = {1.0, 9.0, 1.0};
    shoal_sim*   sim = lab_scene("small/drop.yaml", (lab_setup){.set = {"pbf.iterations=10"}});
    history      h   = watch(sim, 1.5, low, high);
    tell("drop, 4 x 10", h);
    CHECK_BELOW(h.energy_most, 1.005);
    CHECK_BELOW(h.clamped_most, 0.01);
    CHECK_BELOW(h.outside_most, -0.025 + 1e-6);
    shoal_sim_destroy(sim);
}

static void water_thrown_hard_into_a_corner_stays_inside(void** state) {
    (void)state;
    const double low[3] = {0.0, 0.0, 0.0}, high[3] = {1.0, 1.0, 1.0};
    shoal_sim*   sim = lab_sim("spacing: 0.05\n"
                                 "domain: {min: [0, 0, 0], max: [1, 1, 1]}\n"
                                 "bodies: [{material: water, box: {min: [0.3, 0.3, 0.3], max: [0.7, "
                                 "0.7, 0.7]}, velocity: [12, -9, 15]}]\n"
                                 "pbf: {substeps: 1, iterations: 3}\n",
                               (lab_setup){0});
    history      h   = watch(sim, 1.0, low, high);
    tell("thrown at 21 m/s, 1 x 3", h);
    CHECK_BELOW(h.outside_most, -0.025 + 1e-6);
    CHECK_BELOW(h.energy_most, 1.005);
    shoal_sim_destroy(sim);
}

static void no_water_enters_an_obstacle(void** state) {
    (void)state;
    shoal_sim* sim   = lab_scene("small/tank.yaml", (lab_setup){0});
    double     worst = (double)INFINITY, start = lab_energy(sim), most = 0.0;
    for (int f = 0; f < 60; f++) {
        lab_run(sim, 1.0 / 60.0, 1.0 / 60.0);
        most           = fmax(most, lab_energy(sim) / start);
        const float* x = lab_field(sim, "position");
        // the pillar: radius 0.1 m about x = 1.1, z = 0.4, 0.8 m high
        for (int64_t i = 0; i < shoal_sim_count(sim); i++)
            if (x[3 * i + 1] < 0.78f) worst = fmin(worst, hypot((double)x[3 * i] - 1.1, (double)x[3 * i + 2] - 0.4));
    }
    printf("pillar: nearest particle at %.4f m from its axis, energy at most %.4f\n", worst, most);
    // contact is at radius + d/2; the walls may press a little
    CHECK_BELOW(0.1 + 0.9 * 0.02, worst);
    CHECK_BELOW(most, 1.005);
    shoal_sim_destroy(sim);
}

// Turned about an axis that is none of the lab's.
static const double odd_axis[3] = {1.0 / 3.0, 2.0 / 3.0, 2.0 / 3.0};

static void turn(double degrees, const double v[3], double out[3]) {
    const double* n = odd_axis;
    double        a = degrees * acos(-1.0) / 180.0, along = n[0] * v[0] + n[1] * v[1] + n[2] * v[2];
    for (int k = 0; k < 3; k++) {
        int i = (k + 1) % 3, j = (k + 2) % 3;
        out[k] = v[k] * cos(a) + (n[i] * v[j] - n[j] * v[i]) * sin(a) + n[k] * along * (1.0 - cos(a));
    }
}

// A column that bears on a floor would go far into it, or through it, within a substep; the nearest way out of a thin
// one leads below, and long substeps lead wholly beyond it. It begins to rise all at once.
static void nobody_goes_through_a_thin_floor_that_rises(void** state) {
    (void)state;
    static const double stays = 0.05, degrees = 37.0;
    static const struct {
        const char* set[2];
        double      speed;
    } cases[] = {
        {{"solver=sph", "sph.substeps=8"}, 0.9}, {{"solver=pbf", NULL}, 0.9}, {{"solver=pbf", "pbf.substeps=1"}, 1.4}};
    static const double down[3] = {0.0, -9.81, 0.0}, up[3] = {0.0, 0.5, 0.0}, middle[3] = {0.0, 0.066, 0.0};
    for (int k = 0; k < 3; k++) {
        double gravity[3], rise[3], at[3];
        char   tray[1500], turned[100];
        turn(degrees, down, gravity);
        turn(degrees, up, rise);
        turn(degrees, middle, at);
        snprintf(turned, sizeof turned, "rotate: {axis: [1, 2, 2], degrees: %g}", degrees);
        snprintf(tray, sizeof tray,
                 "solver: pbf\nspacing: 0.01\ngravity: [%.9f, %.9f, %.9f]\n"
                 "bodies: [{material: water, box: {size: [0.1, 0.12, 0.1]}, at: [%.9f, %.9f, %.9f], %s}]\n"
                 "obstacles:\n  - motion: [{t: 0, at: [0, 0, 0], %s}, {t: %g, at: [0, 0, 0], %s},\n"
                 "      {t: %g, at: [%.9f, %.9f, %.9f], %s}]\n"
                 "    subtract: [{box: {size: [0.19, 0.3, 0.19]}, at: [0, 0.14, 0]}, {box: {size: [0.16, 0.3, 0.16]}, "
                 "at: [0, 0.155, 0]}]\n",
                 gravity[0], gravity[1], gravity[2], at[0], at[1], at[2], turned, turned, stays, turned,
                 stays + 0.5 / cases[k].speed, rise[0], rise[1], rise[2], turned);
        shoal_sim* sim = lab_sim(tray, (lab_setup){.set = {cases[k].set[0], cases[k].set[1]}});
        lab_run(sim, 0.2, 1.0 / 40.0);
        const float* x     = lab_field(sim, "position");
        double       least = (double)INFINITY, floor = 0.005 + cases[k].speed * (0.2 - stays);
        for (int64_t i = 0; i < shoal_sim_count(sim); i++) {
            double own[3], place[3] = {(double)x[3 * i], (double)x[3 * i + 1], (double)x[3 * i + 2]};
            turn(-degrees, place, own);
            least = fmin(least, own[1] - floor);
        }
        printf("%s: lowest %.2f spacings above a thin floor that rises\n", cases[k].set[0], least / 0.01);
        CHECK_BELOW(-least, 0.0);
        shoal_sim_destroy(sim);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_dam_break_in_a_closed_tank_loses_no_water_and_gains_no_energy),
        cmocka_unit_test(a_drop_into_a_pool_gains_no_energy_and_is_hardly_clamped),
        cmocka_unit_test(water_thrown_hard_into_a_corner_stays_inside),
        cmocka_unit_test(no_water_enters_an_obstacle),
        cmocka_unit_test(nobody_goes_through_a_thin_floor_that_rises),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
