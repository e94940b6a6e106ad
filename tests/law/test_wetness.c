// SPDX-License-Identifier: MIT
// Laws of wetness: not a quantum of water is lost, excess spreads as it should, and wet grains hold together.
#include "lab.h"

// A wet clump in dry sand, overwet sand above it that rains in, a sink, periodic walls, everything that moves water on.
static const char soaking[] =
    "solver: grains\nspacing: 0.01\nfps: 100\n"
    "domain: {max: [0.12, 0.2, 0.06], walls: {back: periodic, front: periodic}}\n"
    "materials: {dry: {preset: sand}, soaked: {preset: sand, wetness: 1.7}}\n"
    "bodies:\n"
    "  - {material: dry, box: {min: [0, 0, 0], max: [0.12, 0.05, 0.06]}}\n"
    "  - {material: soaked, box: {min: [0.03, 0.05, 0], max: [0.07, 0.08, 0.06]}}\n"
    "emitters: [{material: soaked, rain: {min: [0, 0.15, 0], max: [0.12, 0.18, 0.06], rate: 300}}]\n"
    "sinks: [{box: {min: [0.1, 0.03, 0], max: [0.12, 0.06, 0.06]}}]\n"
    "grains: {softness: 20, spread_rate: 20, diffusion: 5, drainage: 0.5, drying: 0.2}\n";

static void not_a_quantum_of_water_is_lost(void** state) {
    (void)state;
    shoal_sim* sim = lab_sim(soaking, (lab_setup){0});
    while (lab_stat(sim, "dem_steps") < 10000.0) {
        CHECK_OK(shoal_sim_advance(sim, 0.02));
        assert_true(lab_stat(sim, "water_balance") == 0.0);
    }
    assert_true(lab_stat(sim, "water_evaporated") > 0.0);
    assert_true(lab_stat(sim, "water_removed") > 0.0);

    // and from the fields alone
    shoal_field_view water;
    water      = lab_view(sim, "water");
    double sum = 0.0;
    for (int64_t i = 0; i < water.count; i++) {
        assert_true(((const int32_t*)water.data)[i] >= 0);
        sum += ((const int32_t*)water.data)[i];
    }
    assert_true(sum + lab_stat(sim, "water_evaporated") + lab_stat(sim, "water_removed") ==
                lab_stat(sim, "water_emitted"));
    shoal_sim_destroy(sim);
}

static uint64_t soaked(int threads) {
    shoal_sim* sim = lab_sim(soaking, (lab_setup){.threads = threads});
    lab_run(sim, 0.1, 0.02);
    uint64_t hash = shoal_sim_hash(sim);
    shoal_sim_destroy(sim);
    return hash;
}

static void water_takes_the_same_way_on_any_number_of_threads(void** state) {
    (void)state;
    uint64_t one = soaked(1);
    assert_true(soaked(2) == one);
    assert_true(soaked(3) == one);
}

// One overwet grain between two dry ones, without gravity: its excess falls as exp(-k_p t), however long the steps are.
static void excess_spreads(double step) {
    static const char row[] =
        "solver: grains\nspacing: 0.01\nfps: 100\ngravity: [0, 0, 0]\n"
        "materials: {dry: {preset: sand}, soaked: {preset: sand, wetness: 1.8}}\n"
        "bodies:\n"
        "  - {arrangement: lattice, material: soaked, box: {min: [0.01, 0, 0], max: [0.02, 0.01, 0.01]}}\n"
        "  - {arrangement: lattice, material: dry, box: {min: [0, 0, 0], max: [0.01, 0.01, 0.01]}}\n"
        "  - {arrangement: lattice, material: dry, box: {min: [0.02, 0, 0], max: [0.03, 0.01, 0.01]}}\n"
        "grains: {spread: 0, wet_shrink: 0, spread_rate: 3}\n";
    shoal_sim* sim = lab_sim(row, (lab_setup){0});
    lab_run(sim, 0.5, step);
    shoal_field_view id;
    id             = lab_view(sim, "id");
    const float* w = lab_field(sim, "wetness");
    for (int i = 0; i < 3; i++) {
        double left = 0.8 * exp(-3.0 * 0.5);
        if (((const int32_t*)id.data)[i] == 0)
            CHECK_NEAR((double)w[i], 1.0 + left, 1e-4);
        else
            CHECK_NEAR((double)w[i], 0.5 * (0.8 - left), 1e-4);
    }
    shoal_sim_destroy(sim);
}

static void excess_spreads_exponentially(void** state) {
    (void)state;
    excess_spreads(0.01);
    excess_spreads(0.002);
}

// Grains of these wetnesses, 1 cm wide, in a row without gravity that begin at these places: what they have after 0.5
// s.
static void row_after(int count, const double* wetness, const double* at, const char* first, double* left) {
    char text[2048];
    int  n = snprintf(
         text, sizeof text,
         "solver: grains\nspacing: 0.01\nfps: 100\ngravity: [0, 0, 0]\n"
          "grains: {spread: 0, wet_shrink: 0, spread_rate: 3, cohesion: 0, bridge: 0, friction: 1e-6}\nmaterials:\n");
    for (int k = 0; k < count; k++)
        n += snprintf(text + n, sizeof text - (size_t)n, "  m%d: {preset: sand, wetness: %g}\n", k, wetness[k]);
    n += snprintf(text + n, sizeof text - (size_t)n, "bodies:\n");
    for (int k = 0; k < count; k++)
        n += snprintf(text + n, sizeof text - (size_t)n,
                      "  - {arrangement: lattice, material: m%d%s, box: {min: [%g, 0, 0], max: [%g, 0.01, 0.01]}}\n", k,
                      k == 0 ? first : "", at[k], at[k] + 0.01);
    shoal_sim* sim        = lab_sim(text, (lab_setup){0});
    double     turning[2] = {0};
    for (int t = 0; t < 2; t++) {
        if (t == 1) lab_run(sim, 0.5, 0.01);
        const float *r = lab_field(sim, "radius"), *m = lab_field(sim, "mass"), *w = lab_field(sim, "spin");
        for (int i = 0; i < count; i++) turning[t] += (double)m[i] * (double)r[i] * (double)r[i] * (double)w[3 * i];
    }
    const int32_t* id  = lab_view(sim, "id").data;
    const float*   wet = lab_field(sim, "wetness");
    for (int i = 0; i < count; i++) left[id[i]] = (double)wet[i];
    CHECK_NEAR(turning[1], turning[0], 1e-5 * fabs(turning[0]));
    shoal_sim_destroy(sim);
}

// Water passes to what is touched, and not over a gap: from a grain that leaves the other at 0.1 m/s it passes for 5
// ms.
static void water_does_not_leap(void** state) {
    (void)state;
    double left[2];
    row_after(2, (double[]){1.8, 0.2}, (double[]){0, 0.01}, ", velocity: [-0.1, 0, 0]", left);
    CHECK_BELOW(1 + 0.8 * exp(-3 * 0.01), left[0]); // a step of 10 ms at most
    CHECK_NEAR(left[0] + left[1], 2, 1e-5);
}

// A grain with 1/200 of excess stands between one that has much and a dry one: an excess that falls as exp(-k_p t) is
// never gone, and it passes on all the same.
static void what_is_nearly_handed_on_shuts_nothing_off(void** state) {
    (void)state;
    double left[3];
    row_after(3, (double[]){1.8, 1.005, 0}, (double[]){0, 0.01, 0.02}, "", left);
    printf("a row of grains with 1.8, 1.005 and 0 has %.4f, %.4f, %.4f after 0.5 s\n", left[0], left[1], left[2]);
    CHECK_BELOW(left[0], 1.79);
    CHECK_NEAR(left[0] + left[1] + left[2], 2.805, 1e-5);
}

// Two grains that touch, the wet one spinning about the line between them: what it hands on takes its spin along.
static void water_that_is_handed_on_takes_its_spin_along(void** state) {
    (void)state;
    double left[2];
    row_after(2, (double[]){1.8, 0}, (double[]){0, 0.01}, ", spin: [5, 0, 0]", left);
    CHECK_BELOW(0.3, left[1]);
}

// A grain alone, open on all sides, and two that touch, without gravity, in steps so short that less than two quanta
// flow in each.
static void slow_rates_are_right_in_short_steps(void** state) {
    (void)state;
    static const char few[] =
        "solver: grains\nspacing: 0.01\nfps: 100\ngravity: [0, 0, 0]\n"
        "materials: {a: {preset: sand, wetness: 0.4}, b: {preset: sand, wetness: 0.2}}\n"
        "bodies:\n"
        "  - {arrangement: lattice, material: a, box: {min: [0, 0, 0], max: [0.01, 0.01, 0.01]}}\n"
        "  - {arrangement: lattice, material: b, box: {min: [0.01, 0, 0], max: [0.02, 0.01, 0.01]}}\n"
        "grains: {spread: 0, wet_shrink: 0, cohesion: 0, softness: 10}\n";
    const double quanta = 0x1p24, dt = 1e-4, drying = 1e-3, diffusion = 0.1;
    const int    steps = 2000;
    shoal_sim*   sim   = lab_sim(few, (lab_setup){.set = {"grains.drying=1e-3"}});
    for (int k = 0; k < steps; k++) CHECK_OK(shoal_sim_advance(sim, dt));
    // both see one neighbour, so they lose all that an open grain may
    CHECK_NEAR(lab_stat(sim, "water_evaporated") / (2.0 * drying * dt * steps * quanta), 1.0, 0.03);
    shoal_sim_destroy(sim);

    sim = lab_sim(few, (lab_setup){.set = {"grains.diffusion=0.1"}});
    for (int k = 0; k < steps; k++) CHECK_OK(shoal_sim_advance(sim, dt));
    const float* w = lab_field(sim, "wetness");
    CHECK_NEAR((0.2 - fabs((double)(w[0] - w[1]))) / (0.2 * 2.0 * diffusion / 16.0 * dt * steps), 1.0, 0.03);
    shoal_sim_destroy(sim);
}

// A slab four grains deep on the floor, periodic sides: its top layer dries, each grain by the same, and none below it.
static void only_open_grains_dry(void** state) {
    (void)state;
    static const char slab[] =
        "solver: grains\nspacing: 0.01\nfps: 100\n"
        "domain: {max: [0.05, 0.1, 0.05], walls: {left: periodic, right: periodic, back: periodic, front: periodic}}\n"
        "materials: {moist: {preset: sand, wetness: 0.5}}\n"
        "bodies: [{arrangement: lattice, material: moist, box: {min: [0, 0, 0], max: [0.05, 0.04, 0.05]}}]\n"
        "grains: {spread: 0, wet_shrink: 0, drying: 1}\n";
    shoal_sim* sim = lab_sim(slab, (lab_setup){0});
    lab_run(sim, 0.1, 0.02);
    const float *x = lab_field(sim, "position"), *w = lab_field(sim, "wetness");
    for (int i = 0; i < 100; i++) CHECK_NEAR((double)w[i], x[3 * i + 1] > 0.03f ? 0.4 : 0.5, 1e-4);
    shoal_sim_destroy(sim);
}

// Of any wetness: at 2 no bridge is left that would pull a perfect stack of grains askew.
static void mud_flows(void** state) {
    (void)state;
    static const char block[]   = "solver: grains\nspacing: 0.01\nfps: 60\ndomain: {max: [0.12, 0.1, 0.04]}\n"
                                  "materials: {mud: {preset: sand, wetness: 2}}\n"
                                  "bodies: [{material: mud, box: {min: [0, 0, 0], max: [0.04, 0.06, 0.04]}}]\n"
                                  "grains: {softness: 10}\n";
    const char*       wetness[] = {"materials.mud.wetness=1.8", "materials.mud.wetness=2", "materials.mud.wetness=5"};
    for (int k = 0; k < 3; k++) {
        shoal_sim* sim = lab_sim(block, (lab_setup){.set = {wetness[k]}});
        lab_run(sim, 0.3, 1.0 / 60.0);
        assert_true(lab_stat(sim, "com_y_m") <
                    0.018); // 0.03 at the start, 0.025 for a stack of shrunk grains, 0.01 when flat
        shoal_sim_destroy(sim);
    }
}

// A moist block falls on the floor. What bridges store is in the books: without it the sum would rise by 45 % of what
// was there.
static double energy_rises(const char* friction) {
    static const char block[] = "solver: grains\nspacing: 0.01\nfps: 100\ndomain: {max: [0.08, 0.1, 0.08]}\n"
                                "materials: {moist: {preset: sand, wetness: 0.5}}\n"
                                "bodies: [{material: moist, box: {min: [0.02, 0.02, 0.02], max: [0.06, 0.06, 0.06]}}]\n"
                                "grains: {cohesion: 100, softness: 4}\n";
    shoal_sim*        sim     = lab_sim(block, (lab_setup){.set = {friction}});
    double            rises = 0.0, start = lab_stat(sim, "potential_j"), last = (double)INFINITY;
    for (int f = 0; f < 25; f++) {
        CHECK_OK(shoal_sim_advance(sim, 0.01));
        double energy = lab_stat(sim, "kinetic_j") + lab_stat(sim, "potential_j") + lab_stat(sim, "elastic_j") +
                        lab_stat(sim, "rotation_j");
        rises += fmax(energy - last, 0.0);
        last = energy;
    }
    shoal_sim_destroy(sim);
    return rises / start;
}

// Springs across the normals are not in the books: the bridges load them as they draw a packing together, by five times
// what was there at the start, and some of it comes back.
static void energy_falls_where_bridges_pull(void** state) {
    (void)state;
    CHECK_BELOW(energy_rises("grains={cohesion: 100, softness: 4}"), 0.02);
    CHECK_BELOW(energy_rises("grains={cohesion: 100, softness: 4, friction: 1e-6, rolling: 0}"), 1e-6);
}

// Two grains meet head-on, one of them spinning so fast that they slide all the while: what they gain across over what
// they lose along is their friction: mu (1 + 2 w) up to 0.4, where bridges begin to fade, mu where pores are full, and
// mud_friction from wet_fluid on. As printed it only grows.
static void wet_grains_rub_more_and_mud_less(void** state) {
    (void)state;
    static const char   text[]     = "solver: grains\nspacing: 0.01\nfps: 1000\ngravity: [0, 0, 0]\n"
                                     "materials: {damp: {preset: sand}}\n"
                                     "grains: {friction: 0.1, spread: 0, wet_shrink: 0, bridge: 0, cohesion: 0, "
                                     "spread_rate: 0, rolling: 0}\n"
                                     "bodies:\n"
                                     "  - {arrangement: lattice, material: damp, velocity: [1, 0, 0], spin: [0, 2000, "
                                     "0], box: {min: [0, 0, 0], max: [0.01, 0.01, 0.01]}}\n"
                                     "  - {arrangement: lattice, material: damp, velocity: [-1, 0, 0], box: {min: "
                                     "[0.011, 0, 0], max: [0.021, 0.01, 0.01]}}\n";
    static const double cases[][2] = {{0, 0.1}, {0.4, 0.18}, {0.7, 0.17}, {1, 0.1}, {2, 0.05}};
    for (int k = 0; k < 5; k++) {
        char wet[64];
        snprintf(wet, sizeof wet, "materials.damp.wetness=%g", cases[k][0]);
        shoal_sim* sim = lab_sim(text, (lab_setup){.set = {wet}});
        lab_run(sim, 0.004, 0.001);
        float v[2][3];
        lab_by_id(sim, "velocity", v);
        double mu = (double)fabsf(v[0][2]) / (double)(1.0f - v[0][0]);
        printf("wetness %g: friction %.4f\n", cases[k][0], mu);
        CHECK_NEAR(mu, cases[k][1], 0.02 * cases[k][1]);
        shoal_sim_destroy(sim);
    }
}

// Wetness 1 fills the pores, in every solver of sand: no bridge is left then, and a column slumps about as dry sand
// does. (Bridges of grains were gone at 2 alone, and the column stood at 0.92 of its height.)
static void a_column_with_full_pores_slumps_under_every_solver(void** state) {
    (void)state;
    static const char* const solvers[] = {"grains", "flip", "porous"};
    static const double      wet[]     = {0.0, 0.4, 1.0};
    for (int k = 0; k < 3; k++) {
        double height[3];
        for (int w = 0; w < 3; w++) {
            char text[512];
            snprintf(text, sizeof text,
                     "solver: %s\nspacing: 0.01\ndomain: {max: [0.32, 0.3, 0.32], walls: {top: open}}\n"
                     "materials: {sand: {preset: sand, wetness: %g}}\n"
                     "bodies: [{material: sand, box: {min: [0.12, 0, 0.12], max: [0.2, 0.12, 0.2]}}]\n%s",
                     solvers[k], wet[w], k == 0 ? "grains: {softness: 10}\n" : "");
            shoal_sim* sim = lab_sim(text, (lab_setup){0});
            lab_run(sim, 0.6, 1.0 / 30.0);
            height[w] = lab_stat(sim, "com_y_m") / 0.06;
            shoal_sim_destroy(sim);
        }
        printf("%s: a column of 0.12 m, dry, moist, full: centre at %.2f, %.2f, %.2f of its height\n", solvers[k],
               height[0], height[1], height[2]);
        CHECK_BELOW(height[2], height[0] + 0.1);
        CHECK_BELOW(height[2] + 0.15, height[1]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wet_grains_rub_more_and_mud_less),
        cmocka_unit_test(not_a_quantum_of_water_is_lost),
        cmocka_unit_test(water_takes_the_same_way_on_any_number_of_threads),
        cmocka_unit_test(excess_spreads_exponentially),
        cmocka_unit_test(water_does_not_leap),
        cmocka_unit_test(what_is_nearly_handed_on_shuts_nothing_off),
        cmocka_unit_test(water_that_is_handed_on_takes_its_spin_along),
        cmocka_unit_test(slow_rates_are_right_in_short_steps),
        cmocka_unit_test(only_open_grains_dry),
        cmocka_unit_test(mud_flows),
        cmocka_unit_test(a_column_with_full_pores_slumps_under_every_solver),
        cmocka_unit_test(energy_falls_where_bridges_pull),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
