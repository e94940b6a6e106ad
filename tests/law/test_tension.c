// SPDX-License-Identifier: MIT
// Surface tension in N/m: what draws particles together presses a drop without weight, by a
// pressure that follows from it.
#include "lab.h"

static const double spacing = 0.005, h = 0.01, radius = 0.02, sigma = 0.0728;

// Force of a pair by its distance, without its scale: the spline of Akinci et al. 2013, and W r of
// Becker & Teschner 2007, W at least that of a spacing.
static double akinci(double r) {
    double bump = pow((h - r) * r, 3.0);
    return 2.0 * r > h ? bump : 2.0 * bump - pow(h, 6.0) / 64.0;
}
static double becker(double r) {
    double q = fmax(r, spacing) / h;
    return r * (q < 0.5 ? 1.0 - 6.0 * q * q + 6.0 * q * q * q : 2.0 * pow(1.0 - q, 3.0));
}

// The pull of two halves of the liquid on each other is 2 pi/3 rho^2 int f r^3 dr per area, the
// surface tension pi/8 rho^2 int f r^4 dr; with Laplace's 2 sigma/R.
static double pressure_of(double (*f)(double)) {
    double third = 0.0, fourth = 0.0;
    for (int k = 0; k < 1000; k++) {
        double r = (k + 0.5) / 1000.0 * h;
        third += f(r) * pow(r, 3.0);
        fourth += f(r) * pow(r, 4.0);
    }
    return sigma * (16.0 / 3.0 * third / fourth + 2.0 / radius);
}

// The mean pressure within the drop over that.
static double loaded(const char* solver, const char* tension, double wanted) {
    shoal_sim* sim = lab_sim("spacing: 0.005\ngravity: [0, 0, 0]\n"
                             "materials: {water: {density: 1000, viscosity: 0.05, surface_tension: 0.0728}}\n"
                             "bodies: [{material: water, sphere: {radius: 0.02}}]\n",
                             (lab_setup){.threads = 1, .set = {solver, tension}});
    double     sum = 0.0, count = 0.0;
    lab_run(sim, 0.3, 1.0 / 60.0);
    for (int f = 0; f < 20; f++) {
        lab_run(sim, 1.0 / 60.0, 1.0 / 60.0);
        const float *x = lab_field(sim, "position"), *p = lab_field(sim, "pressure");
        for (int64_t i = 0; i < shoal_sim_count(sim); i++)
            if (hypot(hypot((double)x[3 * i], (double)x[3 * i + 1]), (double)x[3 * i + 2]) < 0.5 * radius) {
                sum += (double)p[i];
                count += 1.0;
            }
    }
    shoal_sim_destroy(sim);
    printf("%s: %.1f Pa, by its tension %.1f Pa\n", tension, sum / count, wanted);
    return sum / count / wanted;
}

// The sums are over a lattice that yields, not over a continuum.
static void a_drop_is_pressed_by_its_tension(void** state) {
    (void)state;
    CHECK_NEAR(loaded("solver=pbf", "pbf.surface_tension=true", pressure_of(akinci)), 1.0, 0.3);
    CHECK_NEAR(loaded("solver=sph", "sph.tension=akinci", pressure_of(akinci)), 1.0, 0.3);
    CHECK_NEAR(loaded("solver=sph", "sph.tension=becker", pressure_of(becker)), 1.0, 0.3);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_drop_is_pressed_by_its_tension),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
