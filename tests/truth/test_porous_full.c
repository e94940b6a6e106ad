// SPDX-License-Identifier: MIT
// Loose sand whose pores are full of water: it rests where it should, however slowly water passes it, and a load that
// comes too fast for the water is borne by it until it has left [Terzaghi 1925].
#include "lab.h"
#include "truth/figure.h"
#include "truth/pores.h"

static const double rho = 998.2, gravity = 9.81, pi = 3.14159265358979324;

// A slab of full sand, 0.08 m deep, four spacings thick, `above` the floor; `walls` at its ends and its floor. Gravity
// tilted by a slope.
static shoal_sim* full_slab(double d, double permeability, double above, double slope, const char* walls) {
    char   text[1024];
    double down = gravity / sqrt(1 + slope * slope);
    snprintf(text, sizeof text,
             "solver: porous\nspacing: %g\ngravity: [%.9g, %.9g, 0]\n"
             "domain: {max: [0.12, 0.3, %g], walls: {top: open, back: periodic, front: periodic%s}}\n"
             "materials: {sand: {preset: sand, friction_angle: 30, wetness: 1, permeability: %g}}\n"
             "bodies: [{material: sand, box: {min: [0, %g, 0], max: [0.12, %g, %g]}}]\n",
             d, slope * down, -down, 4 * d, walls, permeability, above, above + 0.08, 4 * d);
    return lab_sim(text, (lab_setup){0});
}

// The mean pore pressure over that of water which stands up to the surface, below the middle of the slab.
static double head_of(const shoal_sim* sim, double down) {
    const float *x = lab_field(sim, "position"), *u = lab_field(sim, "pore_pressure");
    double       sum = 0.0, wanted = 0.0;
    for (int64_t i = 0; i < shoal_sim_count(sim); i++) {
        if (x[3 * i + 1] > 0.04f) continue;
        sum += (double)u[i];
        wanted += rho * down * (0.08 - (double)x[3 * i + 1]);
    }
    return sum / wanted;
}

static void full_sand_rests_however_slowly_water_passes_it(void** state) {
    (void)state;
    static const double spacings[] = {0.01, 0.01, 0.00666666667, 0.00666666667}, k[] = {2.5e-12, 1e-13, 2.5e-12, 1e-13};
    for (int n = 0; n < 4; n++) {
        shoal_sim* sim = full_slab(spacings[n], k[n], 0.0, 0.0, "");
        lab_run(sim, 0.8, 0.04);
        truth_below(truth_case("full bed of %g m^2, d = %.3g mm: creep", k[n], 1e3 * spacings[n]), "porous",
                    1e3 * lab_stat(sim, "creep_mps"), "mm/s", 2);
        truth_below(truth_case("full bed of %g m^2, d = %.3g mm: compression", k[n], 1e3 * spacings[n]), "porous",
                    lab_stat(sim, "compression_avg_pct"), "%", 0.06);
        truth_near(
            truth_case("full bed of %g m^2, d = %.3g mm: pore pressure over the depth's", k[n], 1e3 * spacings[n]),
            "porous", head_of(sim, gravity), "", 0.95, 0.2);
        CHECK_NEAR(lab_stat(sim, "water_balance_rel"), 0.0, 1e-12);
        shoal_sim_destroy(sim);
    }
}

// What lands is quick, and rests once the water that bears it has left through its surface.
static void full_sand_that_lands_gives_water_to_the_air(void** state) {
    (void)state;
    shoal_sim* sim = full_slab(0.01, 2.5e-12, 0.08, 0.0, "");
    lab_run(sim, 1.2, 0.04);
    truth_near("full bed of 2.5e-12 m^2 that fell by its depth: pore pressure over the depth's", "porous",
               head_of(sim, gravity), "", 0.95, 0.25);
    truth_below("full bed of 2.5e-12 m^2 that fell by its depth: creep", "porous", 1e3 * lab_stat(sim, "creep_mps"),
                "mm/s", 2);
    CHECK_NEAR(lab_stat(sim, "water_balance_rel"), 0.0, 1e-12);
    shoal_sim_destroy(sim);
}

// How fast a slope gains speed, over the gravity across it.
static double gain_of(double degrees, double* head) {
    double     slope = tan(degrees * pi / 180), down = gravity / sqrt(1 + slope * slope), speed[2] = {0, 0};
    shoal_sim* sim = full_slab(0.01, 1e-12, 0.0, slope, ", left: periodic, right: periodic, bottom: stick");
    for (int n = 0; n < 2; n++) {
        lab_run(sim, n == 0 ? 0.2 : 0.6, 0.04);
        const float* v = lab_field(sim, "velocity");
        for (int64_t i = 0; i < shoal_sim_count(sim); i++) speed[n] += (double)v[3 * i] / (double)shoal_sim_count(sim);
    }
    *head = head_of(sim, down);
    shoal_sim_destroy(sim);
    return (speed[1] - speed[0]) / (0.6 * down);
}

// Water stands up to the surface of both, and the grains bear 1 - rho_w/rho_full of the load: tan(16 degrees).
static void a_full_slope_of_12_degrees_stands_and_one_of_22_runs(void** state) {
    (void)state;
    double head, stands = gain_of(12, &head);
    truth_near("full slope of 12 degrees, 1e-12 m^2: gains over gravity across it", "porous", stands, "", 0, 0.004);
    truth_near("full slope of 12 degrees, 1e-12 m^2: pore pressure over the depth's", "porous", head, "", 1, 0.15);
    truth_above("full slope of 22 degrees, 1e-12 m^2: gains over gravity across it", "porous", gain_of(22, &head), "",
                0.03);
}

// What is left of the pressure at the closed end of a layer that drains at the other [Terzaghi 1925].
static double left_of(double time) {
    double sum = 0.0;
    for (int n = 0; n < 50; n++) {
        double m = (n + 0.5) * pi;
        sum += (n % 2 == 0 ? 2.0 : -2.0) / m * exp(-m * m * time);
    }
    return sum;
}

// A column comes under a load all at once and drains at one end. Its modulus is 25 MPa.
static void a_load_is_borne_by_the_water_until_it_has_left(void** state) {
    (void)state;
    static float load[COLUMN_MOST];
    const double length = 0.1, k = 1e-11, modulus = 25e6, p = 1000.0,
                 whole  = length * length * 1.0016e-3 / (k * modulus);
    shoal_material sand = {.porosity = 0.4f, .permeability = 1e-11f, .capillary_height = 0.3f};
    column*        c    = column_make(20, length / 20, 0.3, sand, 1.0, 0.0);
    for (int i = 0; i < c->count; i++) load[i] = (float)p;
    c->view.load = load;
    for (int step = 1; step <= 100; step++) {
        column_hold(c, false, 0.0);
        column_step(c, 0.01 * whole);
        if (step == 1 || step == 20 || step == 50 || step == 100)
            truth_near(
                truth_case("consolidation after %.2f of H^2/c: pressure at the closed end over the load", 0.01 * step),
                "porous", (double)c->pressure[c->count - 1] / p, "", left_of(0.01 * step), 0.02);
    }
    column_free(c);
}

// A layer of dry sand, 0.06 m, falls on a full bed. Then the bed bears the load of both, and its water all of what has
// come; before, that of the layer was missing.
static double borne(double permeability) {
    char text[1024];
    snprintf(
        text, sizeof text,
        "solver: porous\nspacing: 0.01\n"
        "domain: {max: [0.12, 0.3, 0.04], walls: {top: open, left: slip, right: slip, back: periodic, front: "
        "periodic}}\n"
        "materials: {sand: {preset: sand, wetness: 1, permeability: %g}, load: {preset: sand, permeability: 1e-10, "
        "capillary_height: 0.01}}\n"
        "bodies:\n  - {material: sand, box: {min: [0, 0, 0], max: [0.12, 0.08, 0.04]}}\n"
        "  - {material: load, box: {min: [0, 0.16, 0], max: [0.12, 0.22, 0.04]}}\n",
        permeability);
    shoal_sim* sim = lab_sim(text, (lab_setup){0});
    lab_run(sim, 0.4, 0.04);
    const float *  x = lab_field(sim, "position"), *u = lab_field(sim, "pore_pressure");
    const uint8_t* m   = lab_view(sim, "material").data;
    double         sum = 0.0, number = 0.0;
    for (int64_t i = 0; i < shoal_sim_count(sim); i++) {
        if (m[i] != 0 || x[3 * i + 1] > 0.02f) continue;
        sum += (double)u[i] - rho * gravity * (0.08 - (double)x[3 * i + 1]);
        number += 1.0;
    }
    CHECK_NEAR(lab_stat(sim, "water_balance_rel"), 0.0, 1e-12);
    shoal_sim_destroy(sim);
    return sum / number / (1590 * gravity * 0.06);
}

static void what_falls_on_full_sand_is_borne_by_its_water(void** state) {
    (void)state;
    truth_near("layer that fell on a full bed of 1e-14 m^2: pore pressure it adds over its load", "porous",
               borne(1e-14), "", 1, 0.3);
    truth_near("layer that fell on a full bed of 1e-10 m^2: pore pressure it adds over its load", "porous",
               borne(1e-10), "", 0, 0.3);
}

int main(int argc, char** argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(full_sand_rests_however_slowly_water_passes_it),
        cmocka_unit_test(full_sand_that_lands_gives_water_to_the_air),
        cmocka_unit_test(a_full_slope_of_12_degrees_stands_and_one_of_22_runs),
        cmocka_unit_test(a_load_is_borne_by_the_water_until_it_has_left),
        cmocka_unit_test(what_falls_on_full_sand_is_borne_by_its_water),
    };
    return TRUTH_RUN("porous", tests, argc, argv);
}
