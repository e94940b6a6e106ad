// SPDX-License-Identifier: MIT
// The numbers a scene of grains is given: the step bears bridges and cohesion, the springs bear all that lies above,
// what water brings and what a tool presses; and what no number can mend is refused.
#include "lab.h"

typedef struct outcome {
    double overlap, deepest, fastest; // % of the diameter at the end, and the most of all frames; m/s, likewise
} outcome;

static outcome run(const char* text, lab_setup setup, double seconds, double frame) {
    outcome    o   = {0.0, 0.0, 0.0};
    shoal_sim* sim = lab_sim(text, setup);
    for (int f = 0; f < (int)(seconds / frame + 0.5); f++) {
        CHECK_OK(shoal_sim_advance(sim, frame));
        o.fastest = fmax(o.fastest, lab_stat(sim, "speed_max_mps"));
        o.overlap = lab_stat(sim, "overlap_max_pct");
        o.deepest = fmax(o.deepest, o.overlap);
    }
    shoal_sim_destroy(sim);
    return o;
}

static bool is_refused(const char* text, const char* path, const char* value) {
    shoal_scene*  scene = NULL;
    shoal_sim*    sim   = NULL;
    shoal_sim_def def   = shoal_sim_def_default();
    CHECK_OK(shoal_scene_parse(text, strlen(text), "lab", &scene));
    shoal_status status = shoal_scene_set_value(scene, path, value);
    if (status == SHOAL_OK) status = shoal_sim_create(&def, scene, &sim);
    shoal_sim_destroy(sim);
    shoal_scene_destroy(scene);
    return status == SHOAL_ERR_PARAM || status == SHOAL_ERR_INPUT;
}

static const char block[] = "solver: grains\nspacing: 0.02\ndomain: {max: [0.2, 0.2, 0.2]}\n"
                            "materials: {sand: {preset: sand, wetness: 0.5}}\n"
                            "bodies: [{material: sand, box: {min: [0.06, 0, 0.06], max: [0.14, 0.1, 0.14]}}]\n";

// At rest 2.5 % on average by design; a packing shares load unevenly, and single contacts bear up to three and a half
// times that (docs/reference/grains.md).
static const double deepest_at_rest = 8.75;

static void strong_bridges_and_cohesion_do_not_explode(void** state) {
    (void)state;
    static const char* const hard[][2] = {
        {"grains.bridge=10", "grains.wet_fluid=3"},
        {"grains.wet_fluid=20", "grains.bridge=1"},
        {"grains.cohesion=300", NULL},
        {"grains.cohesion=3000", NULL},
        {"grains.wet_max=10", "grains.wet_shrink=0.01"},
        {"grains={bridge: 10, wet_fluid: 20, steps_per_contact: 10, restitution: 0.5}", NULL}};
    for (int k = 0; k < 6; k++) {
        outcome o = run(block, (lab_setup){.set = {hard[k][0], hard[k][1]}}, 0.05, 0.01);
        CHECK_BELOW(o.fastest, 0.6); // free fall gives 0.5
        CHECK_BELOW(o.overlap, deepest_at_rest);
    }
}

static void what_would_be_crushed_or_shrunk_to_nothing_is_refused(void** state) {
    (void)state;
    assert_false(is_refused(block, "grains.cohesion", "100"));
    assert_true(is_refused(block, "grains", "{cohesion: 1000, stiffness: 1000}"));
    assert_true(is_refused(block, "grains.softness", "1000"));
    assert_true(is_refused(block, "grains", "{wet_shrink: 0.2, wet_max: 20}"));
}

// The warning that holds these words, or none at all.
static bool is_doubted(const char* path, const char* value, const char* words) {
    shoal_scene* scene = NULL;
    bool         found = false;
    CHECK_OK(shoal_scene_parse(block, strlen(block), "lab", &scene));
    CHECK_OK(shoal_scene_set_value(scene, path, value));
    CHECK_OK(shoal_scene_check(scene));
    for (int k = 0; k < shoal_scene_fault_count(scene); k++)
        found = found || strstr(shoal_scene_fault(scene, k)->message, words);
    shoal_scene_destroy(scene);
    return found;
}

static void what_is_asked_for_without_effect_is_reported(void** state) {
    (void)state;
    assert_true(is_doubted("grains.regeneration", "2", "acts only with a liquid"));
    assert_true(is_doubted("grains", "{regeneration: 2, wet_release: 0.5}", "drink again"));
    assert_true(is_doubted("materials.sand.cohesion", "100", "grains.cohesion"));
    assert_true(is_doubted("grains", "{softness: 10, regeneration: 2}", "overlap"));
    assert_true(is_doubted("grains", "{softness: 10, regeneration: 2}", "acts only with a liquid"));
    assert_false(is_doubted("grains", "{regeneration: 0}", "grains"));
}

// In empty space with nothing but water that moves, and with nothing that moves at all.
static void springs_are_stiff_enough_without_gravity(void** state) {
    (void)state;
    static const char text[] =
        "solver: grains\nspacing: 0.02\ngravity: [0, 0, 0]\ndomain: {max: [0.12, 0.16, 0.12]}\n"
        "bodies:\n  - {material: sand, box: {min: [0.02, 0.02, 0.02], max: [0.1, 0.06, 0.1]}}\n"
        "  - {material: water, box: {min: [0.04, 0.1, 0.04], max: [0.08, 0.14, 0.08]}, velocity: [0, -2, 0]}\n";
    CHECK_BELOW(run(text, (lab_setup){0}, 0.1, 0.02).overlap, 10.0);
    CHECK_BELOW(run(block, (lab_setup){.set = {"gravity=[0, 0, 0]"}}, 0.1, 0.02).overlap, 10.0);
}

// Two bodies meet twice as fast as either goes.
static void springs_stop_bodies_that_meet(void** state) {
    (void)state;
    static const char text[] =
        "solver: grains\nspacing: 0.02\ngravity: [0, 0, 0]\ndomain: {max: [0.24, 0.1, 0.1]}\nbodies:\n"
        "  - {material: sand, box: {min: [0.02, 0.02, 0.02], max: [0.1, 0.08, 0.08]}, velocity: [1, 0, 0]}\n"
        "  - {material: sand, box: {min: [0.14, 0.02, 0.02], max: [0.22, 0.08, 0.08]}, velocity: [-1, 0, 0]}\n";
    CHECK_BELOW(run(text, (lab_setup){0}, 0.04, 0.0005).deepest, 10.0);
}

// Nine boxes on one another weigh as much as one, and so does what is poured in.
static void the_springs_bear_all_that_lies_above(void** state) {
    (void)state;
    char text[2048];
    int  at = snprintf(text, sizeof text,
                       "solver: grains\nspacing: 0.02\nframes: 30\nfps: 30\ndomain: {max: [0.06, 1, 0.06]}\nbodies:\n");
    for (int k = 0; k < 9; k++)
        at += snprintf(text + at, sizeof text - (size_t)at,
                       "  - {material: sand, box: {min: [0, %.2f, 0], max: [0.06, %.2f, 0.06]}}\n", 0.1 * k,
                       0.1 * (k + 1));
    CHECK_BELOW(run(text, (lab_setup){.set = {"grains.impact_speed=0.3"}}, 0.4, 0.05).overlap, deepest_at_rest);
    snprintf(text, sizeof text,
             "solver: grains\nspacing: 0.02\nframes: 30\nfps: 30\ndomain: {max: [0.06, 1, 0.06]}\n"
             "emitters: [{material: sand, rain: {min: [0, 0.9, 0], max: [0.06, 1, 0.06], rate: 900}, until: 0.5}]\n");
    CHECK_BELOW(run(text, (lab_setup){.set = {"grains.impact_speed=0.3"}}, 1.2, 0.05).overlap, deepest_at_rest);
}

static void each_named_obstacle_has_its_own_force(void** state) {
    (void)state;
    static const char text[] =
        "solver: grains\nspacing: 0.02\ndomain: {max: [0.4, 0.3, 0.1]}\n"
        "bodies:\n  - {arrangement: lattice, material: sand, box: {min: [0.02, 0.1, 0.02], max: [0.08, 0.16, 0.08]}}\n"
        "  - {arrangement: lattice, material: sand, box: {min: [0.3, 0.1, 0.04], max: [0.32, 0.12, 0.06]}}\n"
        "obstacles:\n  - {name: tray, friction: 0.5, box: {min: [0, 0.08, 0], max: [0.1, 0.1, 0.1]}}\n"
        "  - {name: dish, friction: 0.5, box: {min: [0.26, 0.08, 0], max: [0.36, 0.1, 0.1]}}\n";
    shoal_sim* sim = lab_sim(text, (lab_setup){.set = {"grains.spread=0"}});
    lab_run(sim, 0.5, 0.05);
    double weight = 1590.0 / 0.6 * 3.14159265 / 6.0 * 8e-6 * 9.81; // of a grain
    CHECK_NEAR(lab_stat(sim, "dish_force_y_n"), -weight, 0.01 * weight);
    CHECK_NEAR(lab_stat(sim, "tray_force_y_n"), -27.0 * weight, 0.27 * weight);
    CHECK_NEAR(lab_stat(sim, "obstacle_force_y_n"), -28.0 * weight, 0.28 * weight);
    shoal_sim_destroy(sim);
    assert_true(lab_goes_on(text, (lab_setup){0}, 0.04, 0.02));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(strong_bridges_and_cohesion_do_not_explode),
        cmocka_unit_test(what_would_be_crushed_or_shrunk_to_nothing_is_refused),
        cmocka_unit_test(what_is_asked_for_without_effect_is_reported),
        cmocka_unit_test(springs_are_stiff_enough_without_gravity),
        cmocka_unit_test(springs_stop_bodies_that_meet),
        cmocka_unit_test(the_springs_bear_all_that_lies_above),
        cmocka_unit_test(each_named_obstacle_has_its_own_force),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
