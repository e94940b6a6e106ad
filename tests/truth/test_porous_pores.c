// SPDX-License-Identifier: MIT
// Water in the pores of sand that does not move, against the laws of Darcy, Forchheimer and of capillarity.
#include "lab.h"
#include "truth/figure.h"
#include "truth/pores.h"

// Water at 20 degrees C.
static const double rho = 998.2, viscosity = 1.0016e-3;

// The mean flux through the pores along an axis, m/s.
static double flux_along(const shoal_sim* sim, int axis) {
    const float *u = lab_field(sim, "pore_velocity"), *phi = lab_field(sim, "porosity");
    double       sum = 0.0;
    for (int64_t i = 0; i < shoal_sim_count(sim); i++) sum += (double)u[3 * i + axis] * (double)phi[i];
    return sum / (double)shoal_sim_count(sim);
}

// Weight drives the water through a full bed, round and round, between walls 12 spacings apart.
static double darcy(const char* arrangement, double support, const char* stuff, double weight, int steps) {
    char text[1024];
    snprintf(
        text, sizeof text,
        "solver: porous\nspacing: 0.01\ngravity: [%g, 0, 0]\nporous: {support: %g, substeps: 1}\n"
        "domain: {max: [0.12, 0.12, 0.12], walls: {left: periodic, right: periodic}}\n"
        "materials: {sand: {preset: sand, wetness: 1, %s}}\n"
        "bodies: [{material: sand, arrangement: %s, fixed: true, box: {min: [0, 0, 0], max: [0.12, 0.12, 0.12]}}]\n",
        weight, support, stuff, arrangement);
    shoal_sim* sim = lab_sim(text, (lab_setup){0});
    for (int k = 0; k < steps; k++) CHECK_OK(shoal_sim_advance(sim, 0.1));
    double flux = flux_along(sim, 0);
    shoal_sim_destroy(sim);
    return flux;
}

static void a_full_bed_lets_through_what_darcy_says(void** state) {
    (void)state;
    const double wanted = 1e-12 * rho * 9.81 / viscosity;
    for (int k = 0; k < 4; k++) {
        const char* arrangement = k % 2 == 0 ? "lattice" : "random";
        double      support     = k < 2 ? 2.5 : 2.0;
        truth_near(truth_case("Darcy, %s, support %g: flux over the law's", arrangement, support), "porous",
                   darcy(arrangement, support, "permeability: 1e-12", 9.81, 1) / wanted, "", 1, k < 2 ? 0.02 : 0.03);
    }
}

// Coarse: a q + b q^2 = G, with the drag of Kozeny and Carman and the square one of rock.
static void gravel_lets_through_less_than_darcy_says(void** state) {
    (void)state;
    const double phi = 0.4, grain = 5e-3, head = rho * 9.81;
    double       a = 180 * viscosity / (grain * grain) * 0.36 / (phi * phi * phi),
           b       = 2 * rho / grain * 0.6 / (phi * phi * phi);
    double wanted  = (sqrt(a * a + 4 * b * head) - a) / (2 * b);
    truth_below("gravel of 5 mm: flux over Darcy's", "porous", wanted * a / head, "", 0.25);
    truth_near("gravel of 5 mm: flux over the law's", "porous",
               darcy("random", 2.5, "grain_size: 5e-3", 9.81, 6) / wanted, "", 1, 0.02);
}

// A column that is wetted at one end, without weight: how deep it has taken up water, m.
static double infiltrated(double dt, double seconds, double* half) {
    shoal_material sand  = {.porosity = 0.4f, .permeability = 1e-10f, .capillary_height = 0.3064f}; // 3 kPa
    column*        c     = column_make(100, 0.005, 0.3, sand, 0.0, 0.0);
    double         depth = 0.0;
    for (int k = 1; k * dt < seconds * 1.001; k++) {
        column_hold(c, false, 0.0);
        depth += column_step(c, dt) / 0.4;
        if (fabs(k * dt - 0.25 * seconds) < 0.5 * dt) *half = depth;
    }
    CHECK_NEAR(column_water(c) / (0.4 * depth * 4 * 0.005 * 0.005), 1.0, 1e-12);
    column_free(c);
    return depth;
}

static void water_soaks_in_by_the_root_of_time(void** state) {
    (void)state;
    double quarter = 0.0, depth[2];
    for (int k = 0; k < 2; k++) {
        double dt = k == 0 ? 0.5 : 0.1;
        depth[k]  = infiltrated(dt, 160.0, &quarter);
        truth_near(truth_case("infiltration, steps of %g s: exponent of time", dt), "porous",
                   log(depth[k] / quarter) / log(4.0), "", 0.5, 0.02);
    }
    truth_near("infiltration: depth by steps of 0.5 s over that by 0.1 s", "porous", depth[0] / depth[1], "", 1, 0.02);
}

// Water stands above a full column whose lower end is open, and sinks by what runs through.
static double fallen(double dt, double seconds) {
    const double   length = 0.1, k = 1e-11, high = 0.1;
    shoal_material sand = {.porosity = 0.4f, .permeability = 1e-11f, .capillary_height = 0.3f};
    column*        c    = column_make(20, length / 20, 0.3, sand, 1.0, 9.81);
    double         head = high;
    for (int n = 0; n * dt < seconds * 0.999; n++) {
        column_hold(c, false, rho * 9.81 * head);
        column_hold(c, true, 0.0);
        head -= column_step(c, dt);
    }
    column_free(c);
    double exact = (high + length) * exp(-k * rho * 9.81 / (viscosity * length) * seconds) - length;
    return (high - head) / (high - exact);
}

static void water_above_full_sand_sinks_as_it_should(void** state) {
    (void)state;
    for (int n = 0; n < 2; n++) {
        double dt = n == 0 ? 10.0 : 2.0;
        truth_near(truth_case("falling head, steps of %g s: drop over the exact one", dt), "porous", fallen(dt, 500.0),
                   "", 1, 0.05);
    }
}

// How far the saturation is off the profile at which nothing flows, where that is above 0.2; gravity points along a
// way that is none of the lattice's.
static double profile_off(double d, const char* gravity, shoal_d3 down) {
    char text[1024];
    snprintf(text, sizeof text,
             "solver: porous\nspacing: %g\ngravity: %s\nporous: {substeps: 1}\ndomain: {max: [0.2, %g, %g], walls: "
             "{back: periodic, front: periodic}}\n"
             "materials: {sand: {preset: sand, wetness: 0.6, permeability: 3e-10, capillary_height: 0.2043}}\n"
             "bodies: [{material: sand, fixed: true, box: {min: [0, 0, 0], max: [0.2, %g, %g]}}]\n",
             d, gravity, 4 * d, 4 * d, 4 * d, 4 * d);
    shoal_sim* sim = lab_sim(text, (lab_setup){0});
    lab_run(sim, 1000.0, 2.0);
    const float *x = lab_field(sim, "position"), *s = lab_field(sim, "saturation");
    double       mean = 0.0, low = -1e5, high = 1e5, most = 0.0, suction = rho * 9.80665 * 0.2043;
    int64_t      count = shoal_sim_count(sim);
    for (int64_t i = 0; i < count; i++) mean += (double)s[i] / (double)count;
    for (int n = 0; n < 80; n++) { // the level, so that there is as much water
        double c = 0.5 * (low + high), sum = 0.0;
        for (int64_t i = 0; i < count; i++) {
            double p = c - rho * shoal_d3_dot(down, shoal_d3_make((double)x[3 * i], (double)x[3 * i + 1], 0.0));
            sum += p < 0.0 ? 1.0 : fmax(1.0 - p * p / (suction * suction), 0.0);
        }
        *(sum / (double)count > mean ? &low : &high) = c;
    }
    for (int64_t i = 0; i < count; i++) {
        double p     = low - rho * shoal_d3_dot(down, shoal_d3_make((double)x[3 * i], (double)x[3 * i + 1], 0.0));
        double exact = p < 0.0 ? 1.0 : fmax(1.0 - p * p / (suction * suction), 0.0);
        if (exact > 0.2) most = fmax(most, fabs((double)s[i] - exact));
    }
    CHECK_NEAR(lab_stat(sim, "water_balance_rel"), 0.0, 1e-12);
    shoal_sim_destroy(sim);
    return most;
}

static void water_comes_to_rest_where_suction_bears_its_weight(void** state) {
    (void)state;
    truth_below("hydrostatic profile, 20 spacings: saturation off at most", "porous",
                profile_off(0.01, "[-9.81, 0, 0]", shoal_d3_make(-9.81, 0, 0)), "", 0.01);
    truth_below("hydrostatic profile, 40 spacings: saturation off at most", "porous",
                profile_off(0.005, "[-9.81, 0, 0]", shoal_d3_make(-9.81, 0, 0)), "", 0.01);
    truth_below("hydrostatic profile, gravity turned: saturation off at most", "porous",
                profile_off(0.01, "[7, -6.8728, 0]", shoal_d3_make(7, -6.8728, 0)), "", 0.01);
}

// A column of which the first layer is wet flows the same whether dry sand far from it is solved, as it is where ends
// are held, or left out; and what is left out has a row of one entry.
static void dry_sand_costs_nothing_and_changes_nothing(void** state) {
    (void)state;
    shoal_material sand = {.porosity = 0.4f, .permeability = 1e-10f, .capillary_height = 0.3064f};
    column*        c[2];
    int64_t        entries[2];
    for (int all = 0; all < 2; all++) {
        c[all] = column_make(60, 0.005, 0.3, sand, 0.0, -9.81);
        for (int i = 0; i < COLUMN_WIDE * COLUMN_WIDE; i++) c[all]->water[i] = 3e-8;
        for (int k = 0; k < 5; k++) {
            if (all) CHECK_OK(porous_pore_link(&c[all]->pore, (porous_link){.particle = c[all]->count - 1}));
            column_step(c[all], 0.02);
        }
        entries[all] = c[all]->pore.matrix.entries;
    }
    printf("%lld entries for %lld\n", (long long)entries[0], (long long)entries[1]);
    CHECK_BELOW((double)entries[0], 0.4 * (double)entries[1]);
    CHECK_BELOW(5e-9, c[0]->water[4]); // it has come on
    assert_memory_equal(c[0]->water, c[1]->water, (size_t)c[0]->count * sizeof *c[0]->water);
    for (int all = 0; all < 2; all++) column_free(c[all]);
}

int main(int argc, char** argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_full_bed_lets_through_what_darcy_says),
        cmocka_unit_test(gravel_lets_through_less_than_darcy_says),
        cmocka_unit_test(water_soaks_in_by_the_root_of_time),
        cmocka_unit_test(water_above_full_sand_sinks_as_it_should),
        cmocka_unit_test(water_comes_to_rest_where_suction_bears_its_weight),
        cmocka_unit_test(dry_sand_costs_nothing_and_changes_nothing),
    };
    return TRUTH_RUN("porous", tests, argc, argv);
}
