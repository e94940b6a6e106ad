// SPDX-License-Identifier: MIT
// What water makes of sand in porous: it holds together while it is moist, turns to mud as its pores fill, and sticks
// to solids.
#include "lab.h"

#include "solvers/porous/porous_pass.h"
#include "solvers/porous/porous_pore.h"

static void cohesion_rises_to_the_ideal_saturation_and_falls_to_none(void** state) {
    (void)state;
    porous_sand sand        = {.cohesion = 50.0f, .cohesion_wet = 600.0f, .ideal = 0.3f};
    const float points[][2] = {{0.0f, 50.0f}, {0.15f, 325.0f}, {0.3f, 600.0f}, {0.65f, 300.0f}, {1.0f, 0.0f}};
    for (int k = 0; k < 5; k++) CHECK_NEAR((double)porous_cohesion(sand, points[k][0]), (double)points[k][1], 1e-3);
}

// Bridges between grains half as large hold twice as much.
static void bridges_of_water_hold_small_grains_more(void** state) {
    (void)state;
    double         held[2];
    shoal_material sand = {.density = 1600.0f, .packing = 0.6f, .friction_angle = 30.0f};
    for (int k = 0; k < 2; k++) {
        sand.grain_size = k ? 5e-4f : 1e-3f;
        held[k]         = porous_cohesion_wet(&sand);
    }
    CHECK_BELOW(0.0, held[0]);
    CHECK_NEAR(held[1] / held[0], 2.0, 1e-5);
    sand.cohesion_wet = 700.0f;
    CHECK_NEAR(porous_cohesion_wet(&sand), 700.0, 1e-9);
}

// Also before the first substep: what is shown at once, and what pressure begins with.
static void sand_comes_with_its_wetness(void** state) {
    (void)state;
    shoal_sim*       sim = lab_sim("solver: porous\nspacing: 0.02\n"
                                         "materials: {water: {preset: water}, sand: {preset: sand, wetness: 0.4}}\n"
                                         "bodies: [{material: sand, box: {min: [0, 0, 0], max: [0.1, 0.1, 0.1]}}]\n",
                                   (lab_setup){0});
    shoal_field_view s   = lab_view(sim, "sand.saturation");
    CHECK_BELOW(100, (double)s.count);
    for (int64_t i = 0; i < s.count; i++) CHECK_NEAR((double)((const float*)s.data)[i], 0.4, 1e-6);
    shoal_sim_destroy(sim);
}

// Half of the way from the ideal saturation to full pores: half of the viscosity, and of the friction that mud loses.
static void mud_begins_at_the_ideal_saturation(void** state) {
    (void)state;
    const porous_sand sand        = {.ideal = 0.4f, .mud_friction = 0.2f, .mud = 8.0f, .cohesion_wet = 1.0f};
    uint8_t           material[4] = {0}, fixed[4] = {0};
    float             s[4] = {0.2f, 0.4f, 0.7f, 1.5f}, cohesion[4], friction[4], viscosity[4];
    shoal_v3          pull[4];
    porous_view       v = {.sands             = &sand,
                           .water             = {.material = material},
                           .saturation        = s,
                           .fixed             = fixed,
                           .cohesion_impulse  = cohesion,
                           .friction_factor   = friction,
                           .viscosity_impulse = viscosity,
                           .pull              = pull};
    for (int i = 0; i < 4; i++) porous_moisten(&v, i);
    const double wanted[4][3] = {{0.5, 1.0, 0.0}, {1.0, 1.0, 0.0}, {0.5, 0.6, 4.0}, {0.0, 0.2, 8.0}};
    for (int i = 0; i < 4; i++) {
        CHECK_NEAR((double)cohesion[i], wanted[i][0], 1e-5);
        CHECK_NEAR((double)friction[i], wanted[i][1], 1e-5);
        CHECK_NEAR((double)viscosity[i], wanted[i][2], 1e-5);
    }
}

// Water in full pores bears its part; that of coarse sand is free water, of which K there knows nothing.
static void pore_pressure_takes_from_the_grains_of_fine_sand_alone(void** state) {
    (void)state;
    const porous_sand sands[2]    = {{.open = 0.0f}, {.open = 0.4f}};
    uint8_t           material[3] = {0, 1, 0};
    float             pressure[3] = {300.0f, 300.0f, -300.0f};
    porous_view       v           = {
                        .sands = sands, .water = {.material = material, .pressure_scale = 0.01f}, .pore_pressure = pressure};
    CHECK_NEAR((double)porous_effective(&v, 0, 5.0f), 2.0, 1e-6);
    CHECK_NEAR((double)porous_effective(&v, 0, 2.0f), 0.0, 0.0);
    CHECK_NEAR((double)porous_effective(&v, 1, 5.0f), 5.0, 0.0);
    CHECK_NEAR((double)porous_effective(&v, 2, 5.0f), 5.0, 0.0);
}

// Of no viscosity at all, and without weight: pores draw it in, as fast as its inertia allows.
static void a_liquid_without_viscosity_soaks_in(void** state) {
    (void)state;
    shoal_sim* sim = lab_sim("solver: porous\nspacing: 0.02\ngravity: [0, 0, 0]\nporous: {substeps: 10}\n"
                             "materials: {water: {preset: water, viscosity: 0}, sand: {preset: sand}}\n"
                             "bodies:\n  - {material: sand, box: {min: [0, 0, 0], max: [0.08, 0.1, 0.08]}}\n"
                             "  - {material: water, box: {min: [0.08, 0, 0], max: [0.16, 0.1, 0.08]}}\n",
                             (lab_setup){0});
    lab_run(sim, 0.2, 0.05);
    printf("without viscosity %.3f kg have come in, balance %.1g\n", lab_stat(sim, "water_in_sand_kg"),
           lab_stat(sim, "water_balance_rel"));
    CHECK_BELOW(0.01, lab_stat(sim, "water_in_sand_kg"));
    CHECK_NEAR(lab_stat(sim, "water_balance_rel"), 0, 1e-12);
    shoal_sim_destroy(sim);
}

// The height below which all but a fiftieth of a column lies.
static double top_of(const shoal_sim* sim) {
    const float* x     = lab_field(sim, "position");
    int          count = (int)shoal_sim_count(sim), bins[1000] = {0}, above = 0, k = 999;
    for (int i = 0; i < count; i++) {
        int bin = (int)((double)x[3 * i + 1] / 0.0002);
        bins[bin < 0 ? 0 : bin > 999 ? 999 : bin]++;
    }
    while (k > 0 && above + bins[k] <= count / 50) above += bins[k--];
    return 0.0002 * k;
}

// A column of 0.1 m whose grains have 0.3 mm: free on one side, in a slab.
static void a_moist_column_stands_a_dry_one_collapses_and_a_soaked_one_slumps(void** state) {
    (void)state;
    static const char* const sets[] = {"materials.sand.wetness=0.4", "materials.sand.wetness=0",
                                       "materials.sand.wetness=1"};
    double                   at[3][2];
    for (int k = 0; k < 3; k++) {
        shoal_sim* sim = lab_sim("solver: porous\nspacing: 0.01\n"
                                 "domain: {max: [0.4, 0.2, 0.05], walls: {top: open, left: slip, right: slip, back: "
                                 "periodic, front: periodic}}\n"
                                 "materials: {sand: {preset: sand, boundary_friction: 0.65, wetness: 0.4}}\n"
                                 "bodies: [{material: sand, box: {min: [0, 0, 0], max: [0.1, 0.1, 0.05]}}]\n",
                                 (lab_setup){.set = {sets[k]}});
        lab_run(sim, 0.1, 0.02);
        at[k][0] = top_of(sim);
        lab_run(sim, k == 0 ? 1.9 : 0.9, 0.05);
        at[k][1] = top_of(sim);
        printf("%s: top at %.1f, then %.1f mm, creep %.2f mm/s\n", sets[k], 1e3 * at[k][0], 1e3 * at[k][1],
               1e3 * lab_stat(sim, "creep_mps"));
        shoal_sim_destroy(sim);
    }
    CHECK_BELOW(0.98 * at[0][0], at[0][1]);
    CHECK_BELOW(at[1][1], 0.085);
    CHECK_BELOW(at[2][1], 0.085);
}

// How fast the top of a full layer of 0.16 m runs down a slope, over that of a liquid, rho g H^2 / (2 mu).
static double mud_speed(const char* friction, double slope, double viscosity, const char* mud, const char* floor) {
    const double g = 9.81, down = g / sqrt(1 + slope * slope), height = 0.16, rho = 1590 + 0.4 * 998.2;
    char         text[1024];
    snprintf(text, sizeof text,
             "solver: porous\nspacing: 0.02\ngravity: [%.9g, %.9g, 0]\n"
             "domain: {max: [0.12, 0.4, 0.08], walls: {left: periodic, right: periodic, back: periodic, front: "
             "periodic, top: open, bottom: %s}}\n"
             "materials: {sand: {preset: sand, wetness: 1, %s, mud_viscosity: %g}}\n"
             "bodies: [{material: sand, arrangement: lattice, box: {min: [0, 0, 0], max: [0.12, 0.16, 0.08]}}]\n",
             slope * down, -down, floor, mud, viscosity);
    shoal_sim* sim = lab_sim(text, (lab_setup){.set = {friction}});
    lab_run(sim, 1.0, 1.0 / 30);
    const float *x = lab_field(sim, "position"), *v = lab_field(sim, "velocity");
    double       sum = 0, count = 0;
    for (int64_t i = 0; i < shoal_sim_count(sim); i++) {
        if ((double)x[3 * i + 1] < 0.14) continue;
        sum += (double)v[3 * i];
        count += 1;
    }
    double wanted = rho * slope * down * (height * height - 0.01 * 0.01) / (2 * viscosity); // of the uppermost layer
    printf("mud of %g Pa s, %s, on a slope of %g, floor %s: top at %.3f m/s, %.3f of a liquid's\n", viscosity, mud,
           slope, floor, sum / count, sum / count / wanted);
    shoal_sim_destroy(sim);
    return sum / count / wanted;
}

static void mud_runs_down_a_slope_as_a_liquid_of_its_viscosity(void** state) {
    (void)state;
    const char *paper = "porous.friction=paper", *tight = "permeability: 1e-14, mud_friction: 0";
    CHECK_NEAR(mud_speed(NULL, 0.1, 100, tight, "stick"), 1, 0.1);
    CHECK_NEAR(mud_speed(NULL, 0.2, 400, tight, "stick"), 1, 0.1);
    CHECK_NEAR(mud_speed(NULL, 0.1, 100, tight, "{friction: 0.3}"), 1, 0.1);
    CHECK_BELOW(mud_speed(NULL, 0.1, 100, "mud_friction: 1", "stick"), 0.05); // below the angle of full sand
    // speeds over 1/viscosity; the paper's friction bounds what it gives, so its mud is thinner than it says
    CHECK_BELOW(mud_speed(paper, 0.1, 100, tight, "stick") / 50, 0.85 * mud_speed(paper, 0.1, 2, tight, "stick"));
}

// Rain on a moist slope of 22 degrees, whose friction angle is 30: it rests while its pores fill, and runs once they
// are full and the water in them bears its part of the load.
static void a_slope_fails_when_the_water_has_risen(void** state) {
    (void)state;
    shoal_sim* sim = lab_sim(
        "solver: porous\nspacing: 0.02\ngravity: [3.6, -9, 0]\n"
        "domain: {max: [0.12, 0.5, 0.08], walls: {left: periodic, right: periodic, back: periodic, front: periodic, "
        "top: "
        "open, bottom: stick}}\n"
        "materials: {water: {preset: water}, sand: {preset: sand, friction_angle: 30, wetness: 0.5, permeability: "
        "2e-9}}\n"
        "bodies: [{material: sand, arrangement: lattice, box: {min: [0, 0, 0], max: [0.12, 0.16, 0.08]}}]\n"
        "emitters: [{material: water, rain: {min: [0, 0.3, 0], max: [0.12, 0.4, 0.08]}, flow: 2e-4, velocity: [0, -1, "
        "0], from: 0.5, until: 2.5}]\n",
        (lab_setup){0});
    const double full = 0.12 * 0.16 * 0.08 * 0.4 * 998.2;
    double       creep[3], water[3];
    const double times[3] = {0.5, 1.5, 2.0};
    for (int k = 0; k < 3; k++) {
        lab_run(sim, times[k] - (k > 0 ? 0.1 : 0), 0.05);
        if (k > 0) lab_run(sim, 0.1, 0.1);
        creep[k] = lab_stat(sim, "creep_mps");
        water[k] = lab_stat(sim, "water_in_sand_kg") / full;
        printf("pores %.2f full: %.1f mm/s\n", water[k], 1e3 * creep[k]);
    }
    CHECK_BELOW(creep[0], 0.003);
    CHECK_BELOW(creep[1], 0.04);
    CHECK_BELOW(0.75, water[1]);
    CHECK_BELOW(0.97, water[2]);
    CHECK_BELOW(0.3, creep[2]);
    CHECK_NEAR(lab_stat(sim, "water_balance_rel"), 0, 1e-12);
    shoal_sim_destroy(sim);
}

// A plate of moist sand under a solid, turned about an odd axis; it falls unless it sticks. The solid bears its weight.
static void moist_sand_sticks_to_solids(void** state) {
    (void)state;
    static const char* const sets[] = {"materials.sand.stickiness=1", "materials.sand.stickiness=0",
                                       "materials.sand.wetness=0", "bodies.0.fixed=true"};
    for (int k = 0; k < 4; k++) {
        shoal_sim* sim = lab_sim(
            "solver: porous\nspacing: 0.01\n"
            "materials: {sand: {preset: sand, wetness: 0.4, cohesion_wet: 3000, stickiness: 1}}\n"
            "bodies: [{material: sand, box: {min: [0, 0, 0], max: [0.06, 0.02, 0.06]}, rotate: {axis: [1, 2, 3], "
            "degrees: 25}}]\n"
            "obstacles: [{name: roof, friction: 0.5, box: {min: [-0.02, 0.02, -0.02], max: [0.08, 0.06, 0.08]}, "
            "rotate: {axis: [1, 2, 3], degrees: 25}}]\n",
            (lab_setup){.set = {sets[k]}});
        const float* x     = lab_field(sim, "position");
        double       start = 0, end = 0, mass = 0;
        int64_t      count = shoal_sim_count(sim);
        for (int64_t i = 0; i < count; i++) start += (double)x[3 * i + 1] / (double)count;
        lab_run(sim, 0.4, 0.02);
        x               = lab_field(sim, "position");
        const float* m  = lab_field(sim, "mass");
        double       up = lab_stat(sim, "obstacle_force_y_n");
        for (int64_t i = 0; i < count; i++) end += (double)x[3 * i + 1] / (double)count, mass += (double)m[i];
        printf("%s: %.2f mm down; the roof bears %.3f of its weight\n", sets[k], 1e3 * (start - end),
               -up / (9.81 * mass));
        if (k == 0) {
            CHECK_NEAR(end, start, 0.002);
            CHECK_NEAR(-up / (9.81 * mass), 1, 0.05);
        } else if (k == 3) {
            CHECK_NEAR(up, 0, 0); // nobody pulls who is held
        } else {
            CHECK_BELOW(end, start - 0.5);
        }
        shoal_sim_destroy(sim);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cohesion_rises_to_the_ideal_saturation_and_falls_to_none),
        cmocka_unit_test(bridges_of_water_hold_small_grains_more),
        cmocka_unit_test(sand_comes_with_its_wetness),
        cmocka_unit_test(mud_begins_at_the_ideal_saturation),
        cmocka_unit_test(pore_pressure_takes_from_the_grains_of_fine_sand_alone),
        cmocka_unit_test(a_liquid_without_viscosity_soaks_in),
        cmocka_unit_test(a_moist_column_stands_a_dry_one_collapses_and_a_soaked_one_slumps),
        cmocka_unit_test(mud_runs_down_a_slope_as_a_liquid_of_its_viscosity),
        cmocka_unit_test(a_slope_fails_when_the_water_has_risen),
        cmocka_unit_test(moist_sand_sticks_to_solids),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
