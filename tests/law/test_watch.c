// SPDX-License-Identifier: MIT
// A run that can no longer be right stops and says so; one that is only fast goes on.
#include "lab.h"

#include "sim/sim_local.h"

// Advances frame by frame; the last error holds the message.
static shoal_status status_at(double fps, const char* text, double seconds) {
    shoal_sim*   sim    = lab_sim(text, (lab_setup){0});
    shoal_status status = SHOAL_OK;
    for (int frame = 0; frame < (int)(fps * seconds + 0.5) && status == SHOAL_OK; frame++)
        status = shoal_sim_advance(sim, 1.0 / fps);
    shoal_sim_destroy(sim);
    return status;
}

static shoal_status status_after(const char* text, double seconds) { return status_at(60.0, text, seconds); }

static void check_stops(const char* text, double seconds, const char* word) {
    assert_int_equal(status_after(text, seconds), SHOAL_ERR_DIVERGE);
    if (!strstr(shoal_last_error(), word)) fail_msg("\"%s\" does not say \"%s\"", shoal_last_error(), word);
}

static void an_explosion_stops_and_tells_who_where_and_what_to_do(void** state) {
    (void)state;
    const char* dam = "solver: sph\nspacing: 0.1\ndomain: {max: [1, 1, 1], walls: {top: open}}\n"
                      "materials: {brine: {density: 1100}}\n"
                      "bodies: [{material: brine, box: {min: [0, 0, 0], max: [0.5, 0.5, 1]}}]\n"
                      "sph: {pressure: wcsph, substeps: 1, sound_speed: 2000}\n";
    check_stops(dam, 0.2, "brine exploded");
    check_stops(dam, 0.2, "particle");
    check_stops(dam, 0.2, "sph.substeps is 1");
}

static void water_pressed_where_it_has_no_room_stops(void** state) {
    (void)state;
    static const char* const solvers[] = {"pbf", "sph", "flip"};
    for (int k = 0; k < 3; k++) {
        char text[600];
        snprintf(text, sizeof text,
                 "solver: %s\nspacing: 0.1\ndomain: {max: [0.6, 1, 0.6], walls: {top: open}}\n"
                 "bodies: [{material: water, box: {min: [0, 0, 0], max: [0.6, 0.4, 0.6]}}]\n"
                 "obstacles: [{name: press, box: {size: [0.6, 0.2, 0.6]}, motion: [{t: 0, at: [0.3, 0.6, 0.3]}, {t: "
                 "0.3, at: [0.3, 0.15, 0.3]}]}]\n",
                 solvers[k]);
        check_stops(text, 0.6, "an obstacle that presses");
    }
}

// What finds no place is not pressed in: 216 fill it, a little more where water gives.
static void a_closed_box_that_is_full_takes_no_more(void** state) {
    (void)state;
    static const char* const solvers[] = {"pbf", "sph", "flip"};
    for (int k = 0; k < 3; k++) {
        char text[400];
        snprintf(text, sizeof text,
                 "solver: %s\nspacing: 0.1\ndomain: {max: [0.6, 0.6, 0.6], walls: {top: slip}}\n"
                 "bodies: [{material: water, box: {min: [0, 0, 0], max: [0.6, 0.5, 0.6]}}]\n"
                 "emitters: [{material: water, disc: {radius: 0.2}, at: [0.3, 0.52, 0.3], velocity: [0, -1, 0]}]\n",
                 solvers[k]);
        shoal_sim* sim = lab_sim(text, (lab_setup){0});
        lab_run(sim, 2.0, 1.0 / 24.0);
        assert_true(shoal_sim_count(sim) > 205 && shoal_sim_count(sim) <= 227);
        shoal_sim_destroy(sim);
    }
}

static char reported[400];

static void remember(shoal_log_level level, const char* text, void* user) {
    (void)user;
    if (level == SHOAL_LOG_WARNING) snprintf(reported, sizeof reported, "%s", text);
}

static void an_emitter_that_finds_no_free_place_is_reported_once(void** state) {
    (void)state;
    shoal_set_log(remember, NULL);
    assert_int_equal(
        status_after("spacing: 0.1\ngravity: [0, 0, 0]\ndomain: {max: [0.6, 0.6, 0.6], walls: {top: slip}}\n"
                     "bodies: [{material: water, box: {min: [0, 0, 0], max: [0.6, 0.6, 0.6]}}]\n"
                     "emitters: [{material: water, box: {min: [0.2, 0.2, 0.2], max: [0.4, 0.4, 0.4]}}]\n",
                     1.1),
        SHOAL_OK);
    shoal_set_log(NULL, NULL);
    assert_non_null(strstr(reported, "emitters.0 has put no particle anywhere"));
}

// A tap against a ceiling jams: half a spacing is no room for what should leave it.
static void an_emitter_that_gives_too_little_is_reported_at_the_end(void** state) {
    (void)state;
    reported[0] = 0;
    shoal_set_log(remember, NULL);
    assert_int_equal(
        status_after("spacing: 0.1\nfps: 20\nframes: 10\ndomain: {max: [1, 1, 1], walls: {top: slip}}\n"
                     "emitters: [{material: water, disc: {radius: 0.3}, at: [0.5, 0.95, 0.5], velocity: [0, 1, 0]}]\n",
                     0.5),
        SHOAL_OK);
    shoal_set_log(NULL, NULL);
    assert_non_null(strstr(reported, "emitters.0 has given"));
}

static void falling_without_end_is_no_explosion(void** state) {
    (void)state;
    assert_int_equal(
        status_after("spacing: 0.1\ndomain: {max: [0.6, 0.6, 0.6], walls: {top: periodic, bottom: periodic}}\n"
                     "bodies: [{material: water, box: {min: [0.1, 0.1, 0.1], max: [0.5, 0.5, 0.5]}}]\n",
                     2.0),
        SHOAL_OK);
    assert_int_equal(
        status_after("spacing: 0.1\nbodies: [{material: water, box: {min: [0, 0, 0], max: [0.3, 0.3, 0.3]}}]\n", 5.0),
        SHOAL_OK);
}

static void a_fast_jet_against_a_wall_is_no_explosion(void** state) {
    (void)state;
    static const char* const solvers[] = {"pbf", "sph", "flip"};
    for (int k = 0; k < 3; k++) {
        char text[400];
        snprintf(text, sizeof text,
                 "solver: %s\nspacing: 0.1\ngravity: [0, 0, 0]\ndomain: {max: [2, 1, 1], walls: {left: open}}\n"
                 "emitters: [{material: water, disc: {radius: 0.2}, at: [0.3, 0.5, 0.5], velocity: [20, 0, 0]}]\n",
                 solvers[k]);
        assert_int_equal(status_after(text, 0.3), SHOAL_OK);
    }
}

// A ball falls into a pool: the paper's plain recipe overshoots, and makes energy from nothing.
static void energy_from_nothing_stops(void** state) {
    (void)state;
    const char* ball = "spacing: 0.1\ndomain: {max: [1, 2, 1], walls: {top: open}}\n"
                       "bodies:\n  - {material: water, box: {min: [0, 0, 0], max: [1, 0.4, 1]}}\n"
                       "  - {material: water, sphere: {radius: 0.3}, at: [0.5, 0.9, 0.5]}\n";
    char        text[600];
    snprintf(text, sizeof text, "%spbf: {substeps: 4, iterations: 10}\n", ball);
    assert_int_equal(status_after(text, 1.0), SHOAL_OK);
    snprintf(text, sizeof text,
             "%spbf: {substeps: 4, iterations: 10, under_relaxation: 1, density_kernel: poly6, anti_clumping: paper, "
             "negative_pressure: 1}\n",
             ball);
    check_stops(text, 1.0, "energy came from nothing");
    check_stops(text, 1.0, "pbf.substeps is 4");
}

// A tank of 12 cm with one substep a frame: gravity alone moves everybody by half a spacing in it.
static void a_liquid_that_boils_stops(void** state) {
    (void)state;
    const char* tank = "fps: 60\nspacing: 0.005\ndomain: {max: [0.06, 0.2, 0.06]}\nbodies: [{material: water, box: "
                       "{min: [0, 0, 0], max: [0.06, 0.12, 0.06]}}]\n";
    char        text[400];
    snprintf(text, sizeof text, "%spbf: {substeps: 1, iterations: 10}\n", tank);
    check_stops(text, 1.0, "they boil; pbf.substeps is 1: take more, or auto");
    assert_int_equal(status_after(tank, 0.2), SHOAL_OK);
}

// Steps of 22 to 25 ms are only just too long for this tank: it never rests, while few corrections are cut. Where it is
// stirred all the time, this is no sign of anything; with more sweeps it rests.
static void a_liquid_that_simmers_stops_unless_it_is_driven(void** state) {
    (void)state;
    const char* tank = "spacing: 0.05\ndomain: {max: [0.6, 1.2, 0.6], walls: {top: open}}\n"
                       "bodies: [{material: water, box: {min: [0, 0, 0], max: [0.6, 0.5, 0.6]}}]\n";
    static const struct {
        double      fps;
        const char* more;
        bool        stops;
    } cases[] = {{42.0, "pbf: {substeps: 1, iterations: 3}\n", true},
                 {45.0, "pbf: {substeps: 1, iterations: 3}\n", true},
                 {42.0, "pbf: {substeps: 1, iterations: 10}\n", false},
                 {42.0,
                  "pbf: {substeps: 1, iterations: 3}\nobstacles: [{box: {size: [0.1, 1, 0.6]}, motion: [{t: 0, at: "
                  "[0.1, 0.6, 0.3]}, {t: 4, at: [0.5, 0.6, 0.3]}]}]\n",
                  false}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char text[600];
        snprintf(text, sizeof text, "fps: %g\n%s%s", cases[k].fps, tank, cases[k].more);
        shoal_status status = status_at(cases[k].fps, text, 3.0);
        if (status != (cases[k].stops ? SHOAL_ERR_DIVERGE : SHOAL_OK)) fail_msg("case %d: %d", (int)k, (int)status);
        if (cases[k].stops && !strstr(shoal_last_error(), "they boil")) fail_msg("%s", shoal_last_error());
    }
}

static double never_solved(const void* self) {
    (void)self;
    return 1.0;
}

// What rests does not boil, though its solve misses its tolerance all the time; what moves does.
static void a_solve_that_fails_at_rest_goes_on(void** state) {
    (void)state;
    for (int moves = 0; moves < 2; moves++) {
        char text[400];
        snprintf(text, sizeof text,
                 "solver: porous\nspacing: 0.01\ndomain: {max: [0.12, 0.12, 0.06], walls: {top: open}}\n"
                 "bodies: [{material: %s, box: {min: [0, 0, 0], max: [0.06, 0.06, 0.06]}}%s]\n",
                 moves ? "water" : "sand",
                 moves ? "" : ", {material: sand, box: {min: [0.06, 0, 0], max: [0.12, 0.06, 0.06]}}");
        shoal_sim*        sim  = lab_sim(text, (lab_setup){0});
        shoal_solver_type type = *sim->type;
        type.unsolved          = never_solved;
        sim->type              = &type;
        shoal_status status    = SHOAL_OK;
        for (int frame = 0; frame < 72 && status == SHOAL_OK; frame++) status = shoal_sim_advance(sim, 1.0 / 60.0);
        assert_int_equal(status, moves ? SHOAL_ERR_DIVERGE : SHOAL_OK);
        shoal_sim_destroy(sim);
    }
}

static void densities_that_floats_cannot_hold_are_refused(void** state) {
    (void)state;
    static const char* const solvers[] = {"pbf", "sph", "porous"};
    for (int k = 0; k < 6; k++) {
        char text[400];
        snprintf(text, sizeof text,
                 "solver: %s\nspacing: 0.1\ndomain: {max: [1, 1, 1]}\n"
                 "materials: {heavy: {density: 1e3}, light: {density: %g}}\nbodies: [{material: light, box: {min: [0, "
                 "0, 0], max: [0.5, "
                 "0.3, 1]}}, {material: heavy, box: {min: [0.5, 0, 0], max: [1, 0.3, 1]}}]\n",
                 solvers[k % 3], k < 3 ? 0.005 : 0.01);
        shoal_scene* scene = NULL;
        CHECK_OK(shoal_scene_parse(text, strlen(text), "lab", &scene));
        shoal_status status = shoal_scene_check(scene);
        if (k < 3 ? status != SHOAL_ERR_INPUT || !strstr(shoal_last_error(), "differ by 200000 times")
                  : status != SHOAL_OK)
            fail_msg("%s: %s", solvers[k % 3], shoal_last_error());
        shoal_scene_destroy(scene);
    }
}

// What the watch would stop, or nobody would see, is told before.
static void the_check_warns_of_what_will_not_go_well(void** state) {
    (void)state;
    static const struct {
        const char *text, *word;
    } cases[] = {
        {"bodies: [{material: water, box: {min: [0, 0, 0], max: [1, 0.5, 1]}}]\npbf: {under_relaxation: 1}\n",
         "sweeps of jacobi may overshoot above 0.78"},
        {"bodies: [{material: water, box: {min: [0, 0, 0], max: [0.4, 0.5, 1]}, velocity: [20, 0, 0]}]\npbf: "
         "{substeps: 2, iterations: 3}\n",
         "may pass through what it meets; take 4 or more, or auto"},
        {"materials: {heavy: {density: 1e4}, light: {density: 1}}\nbodies: [{material: light, box: {min: [0, 0, "
         "0], max: [1, 0.3, 1]}}, {material: heavy, box: {min: [0, 0.3, 0], max: [1, 0.6, 1]}}]\n",
         "densities differ by 1e+04 times"},
        {"solver: sph\nmaterials: {heavy: {density: 1e4}, light: {density: 1}}\nbodies: [{material: light, box: "
         "{min: [0, 0, 0], max: [1, 0.3, 1]}}, {material: heavy, box: {min: [0, 0.3, 0], max: [1, 0.6, 1]}}]\n",
         "densities differ by 1e+04 times"},
        {"solver: sph\nmaterials: {heavy: {density: 1000}, light: {density: 199}}\nbodies: [{material: light, box: "
         "{min: [0, 0, 0], max: [1, 0.3, 1]}}, {material: heavy, box: {min: [0, 0.3, 0], max: [1, 0.6, 1]}}]\n",
         "which stops the run; within 5 times they do"},
        {"solver: sph\nmaterials: {heavy: {density: 1000}, light: {density: 200}}\nbodies: [{material: light, box: "
         "{min: [0, 0, 0], max: [1, 0.3, 1]}}, {material: heavy, box: {min: [0, 0.3, 0], max: [1, 0.6, 1]}}]\nsph: "
         "{xsph: 0}\n",
         NULL},
        {"solver: flip\nbodies: [{material: water, box: {min: [0, 0, 0], max: [1, 0.5, 1]}}]\n"
         "sinks: [{box: {min: [0, 0, 0], max: [1, 0.1, 1]}}, {box: {min: [0, 0, 0], max: [0.6, 0.1, 1]}}]\n",
         "sinks.1 is 0.6 m wide, less than 4 cells of two spacings, 0.8 m"},
        {"solver: flip\nbodies: [{material: water, box: {min: [0, 0, 0], max: [1, 0.5, 1]}}]\n"
         "sinks: [{box: {min: [0, 0, 0], max: [0.8, 0.1, 1]}}]\n",
         NULL},
        {"bodies: [{material: water, box: {min: [0, 0, 0], max: [1, 0.5, 1]}, velocity: [5, 0, 0]}]\npbf: {substeps: "
         "2, under_relaxation: 0.7}\n",
         NULL},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char text[600];
        snprintf(text, sizeof text, "spacing: 0.1\ndomain: {max: [1, 1, 1]}\n%s", cases[k].text);
        shoal_scene* scene = NULL;
        CHECK_OK(shoal_scene_parse(text, strlen(text), "lab", &scene));
        CHECK_OK(shoal_scene_check(scene));
        const shoal_fault* fault = shoal_scene_fault(scene, 0);
        if (cases[k].word && (!fault || !strstr(fault->message, cases[k].word)))
            fail_msg("%s is not told: %s", cases[k].word, fault ? fault->message : "nothing is");
        if (!cases[k].word && fault) fail_msg("warned of nothing: %s", fault->message);
        shoal_scene_destroy(scene);
    }
}

// An obstacle that moves, a force and an emitter give energy to a pool at rest.
static void what_is_driven_gains_energy(void** state) {
    (void)state;
    const char* pool = "spacing: 0.1\ndomain: {max: [1, 1, 0.5], walls: {top: open}}\nbodies: [{material: water, box: "
                       "{min: [0, 0, 0], max: [1, 0.3, 0.5]}}]\n";
    static const char* const drives[] = {
        "obstacles: [{box: {size: [0.1, 1, 0.5]}, motion: [{t: 0, at: [0, 0.5, 0.3]}, {t: 1, at: [1, 0.5, 0.3]}]}]\n",
        "forces: [{acceleration: [10, 0, 0], until: 0.4}]\n",
        "emitters: [{material: water, disc: {radius: 0.2}, at: [0.5, 0.9, 0.25], velocity: [0, -3, 0], until: 0.5}]\n"};
    for (int k = 0; k < 3; k++) {
        char text[600];
        snprintf(text, sizeof text, "%s%s", pool, drives[k]);
        assert_int_equal(status_after(text, 1.0), SHOAL_OK);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_explosion_stops_and_tells_who_where_and_what_to_do),
        cmocka_unit_test(water_pressed_where_it_has_no_room_stops),
        cmocka_unit_test(a_closed_box_that_is_full_takes_no_more),
        cmocka_unit_test(an_emitter_that_finds_no_free_place_is_reported_once),
        cmocka_unit_test(an_emitter_that_gives_too_little_is_reported_at_the_end),
        cmocka_unit_test(energy_from_nothing_stops),
        cmocka_unit_test(a_liquid_that_boils_stops),
        cmocka_unit_test(a_liquid_that_simmers_stops_unless_it_is_driven),
        cmocka_unit_test(a_solve_that_fails_at_rest_goes_on),
        cmocka_unit_test(densities_that_floats_cannot_hold_are_refused),
        cmocka_unit_test(the_check_warns_of_what_will_not_go_well),
        cmocka_unit_test(what_is_driven_gains_energy),
        cmocka_unit_test(falling_without_end_is_no_explosion),
        cmocka_unit_test(a_fast_jet_against_a_wall_is_no_explosion),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
