// SPDX-License-Identifier: MIT
// A quarter of a drop of honey spreads on a floor that holds it: R = 0.894 (g V^3 / (3 nu))^(1/8) t^(1/8) [Huppert
// 1982]. It begins as Huppert's own, of height ~ (1 - r^2/R^2)^(1/3): a column has to fall first, and the tenth of a
// second that this takes is far from over in the exponent after two.
#include "lab.h"
#include "truth/figure.h"

static const double g = 9.81, nu = 0.03, d = 0.005, radius = 0.16, height = 0.052;

// One cylinder for each layer of particles.
static void write_drop(char* text, size_t size) {
    int n = snprintf(text, size,
                     "spacing: %g\n"
                     "domain: {min: [0, 0, 0], max: [0.35, 0.15, 0.35], walls: {left: slip, back: slip, bottom: stick, "
                     "right: slip, front: slip, top: open}}\n"
                     "materials: {honey: {density: 1000, viscosity: %g}}\n"
                     "bodies:\n"
                     "  - material: honey\n"
                     "    intersect:\n"
                     "      - box: {min: [0, 0, 0], max: [0.2, 0.1, 0.2]}\n"
                     "      - union:\n",
                     d, 1000.0 * nu);
    for (double y = 0.5 * d; y < height; y += d)
        n +=
            snprintf(text + n, size - (size_t)n, "          - {cylinder: {radius: %.9g, height: %g}, at: [0, %g, 0]}\n",
                     radius * sqrt(1.0 - pow(y / height, 3.0)), d, y);
    assert_true((size_t)n < size);
}

// Huppert's profile has the centre of a quarter at 0.3895 R along each side.
static double radius_of(shoal_sim* sim) { return 0.5 * (lab_stat(sim, "com_x_m") + lab_stat(sim, "com_z_m")) / 0.3895; }

// The slope of log R over log t from 0.2 s on, and R after 2 s over Huppert's.
static double spread(const char* solver, double* reached) {
    enum { FRAMES = 120, FIRST = 12 };
    static char text[2048];
    write_drop(text, sizeof text);
    shoal_sim* sim    = lab_sim(text, (lab_setup){.set = {solver}});
    double     volume = 4.0 * (double)lab_view(sim, "position").count * d * d * d,
           factor     = 0.894 * pow(g * volume * volume * volume / (3.0 * nu), 0.125),
           begun      = pow(radius_of(sim) / factor, 8.0), // s since Huppert's was a point
        x = 0.0, y = 0.0, xx = 0.0, xy = 0.0, n = FRAMES - FIRST + 1;
    for (int f = 1; f <= FRAMES; f++) {
        lab_run(sim, 1.0 / 60.0, 1.0 / 60.0);
        if (f < FIRST) continue;
        double a = log(begun + f / 60.0), b = log(radius_of(sim));
        x += a, y += b, xx += a * a, xy += a * b;
    }
    *reached = radius_of(sim) / (factor * pow(begun + FRAMES / 60.0, 0.125));
    shoal_sim_destroy(sim);
    return (n * xy - x * y) / (n * xx - x * x);
}

static void honey_spreads_by_the_eighth_root_of_time(void** state) {
    (void)state;
    static const char* const solvers[] = {"solver=sph", "solver=pbf"};
    static const char* const names[]   = {"sph", "pbf"};
    for (int s = 0; s < 2; s++) {
        double reached, slope = spread(solvers[s], &reached);
        truth_near("spreading honey: radius after 2 s over Huppert's", names[s], reached, "", 1.0, 0.03);
        truth_near("spreading honey: exponent of time", names[s], slope, "", 0.125, 0.01);
    }
}

int main(int argc, char** argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(honey_spreads_by_the_eighth_root_of_time),
    };
    return TRUTH_RUN("pbf sph", tests, argc, argv);
}
