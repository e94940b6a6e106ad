// SPDX-License-Identifier: MIT
// A run that can no longer be right stops and says so; one that is only fast goes on.
#include "lab.h"

#include "sim/shown.h"
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

// What finds no place is not pressed in: 216 fill it, a little more where water gives, less where it does not.
static void a_closed_box_that_is_full_takes_no_more(void** state) {
    (void)state;
    static const char* const solvers[] = {"pbf", "sph", "flip", "porous"};
    for (int k = 0; k < 4; k++) {
        char text[400];
        snprintf(text, sizeof text,
                 "solver: %s\nspacing: 0.1\ndomain: {max: [0.6, 0.6, 0.6], walls: {top: slip}}\n"
                 "bodies: [{material: water, box: {min: [0, 0, 0], max: [0.6, 0.5, 0.6]}}]\n"
                 "emitters: [{material: water, disc: {radius: 0.2}, at: [0.3, 0.52, 0.3], velocity: [0, -1, 0]}]\n",
                 solvers[k]);
        shoal_sim* sim = lab_sim(text, (lab_setup){0});
        lab_run(sim, 2.0, 1.0 / 24.0);
        assert_true(shoal_sim_count(sim) > (k < 3 ? 205 : 195) && shoal_sim_count(sim) <= 227);
        shoal_sim_destroy(sim);
    }
}

// Above sand that soaks it up, the stream goes on as there is room, and presses nothing together.
static void a_closed_box_with_sand_is_fed_as_it_has_room(void** state) {
    (void)state;
    shoal_sim* sim  = lab_sim("solver: porous\nspacing: 0.01\ndomain: {max: [0.1, 0.1, 0.1]}\n"
                               "bodies: [{material: sand, box: {min: [0, 0, 0], max: [0.1, 0.04, 0.1]}}]\n"
                               "emitters: [{material: water, disc: {radius: 0.03}, at: [0.05, 0.1, 0.05], velocity: [0, "
                               "-0.5, 0]}]\n",
                              (lab_setup){0});
    double     most = 0.0, free_kg = 0.0;
    for (int frame = 0; frame < 30; frame++) {
        lab_run(sim, 0.05, 0.05);
        if (frame >= 20) most = fmax(most, lab_stat(sim, "compression_avg_pct"));
        if (frame == 20) free_kg = lab_stat(sim, "water_in_sand_kg") + lab_stat(sim, "water_free_kg");
    }
    printf("closed box with sand: compressed by %.2f %%, %.4f kg of water came after it was full\n", most,
           lab_stat(sim, "water_in_sand_kg") + lab_stat(sim, "water_free_kg") - free_kg);
    CHECK_BELOW(most, 1.0);
    CHECK_BELOW(0.001, lab_stat(sim, "water_in_sand_kg") + lab_stat(sim, "water_free_kg") - free_kg);
    shoal_sim_destroy(sim);
}

static void what_is_crushed_by_its_substeps_is_told_of_them(void** state) {
    (void)state;
    shoal_status status =
        status_at(20.0,
                  "solver: porous\nspacing: 0.01\nfps: 20\ndomain: {max: [0.3, 0.3, 0.04], walls: {top: "
                  "open}}\nbodies: [{material: sand, box: {min: [0, 0, 0], max: [0.1, 0.1, 0.04]}}, "
                  "{material: water, box: {min: [0.2, 0, 0], max: [0.3, 0.15, 0.04]}}]\n"
                  "porous: {substeps: 1}\n",
                  1.0);
    assert_int_equal(status, SHOAL_ERR_DIVERGE);
    if (!strstr(shoal_last_error(), "crushed") ||
        !strstr(shoal_last_error(), "porous.substeps is 1: take more, or auto"))
        fail_msg("%s", shoal_last_error());
}

static char reported[400];

static void remember(shoal_log_level level, const char* text, void* user) {
    (void)user;
    if (level == SHOAL_LOG_WARNING) snprintf(reported, sizeof reported, "%s", text);
}

// Of a liquid on a mesh substeps that are given and too long are told before the run.
static void substeps_too_long_for_a_mesh_are_reported(void** state) {
    (void)state;
    for (int given = 0; given < 2; given++) {
        char text[400];
        snprintf(text, sizeof text,
                 "solver: tetra-paper\nspacing: 0.05\nfps: 10\nframes: 12\ndomain: {max: [1.2, 0.8, 0.8], walls: {top: "
                 "open}}\nbodies: [{material: water, box: {min: [0, 0, 0], max: [0.4, 0.6, 0.8]}}]\n%s",
                 given ? "tetra-paper: {substeps: 1}\n" : "");
        shoal_scene* scene = NULL;
        assert_int_equal(shoal_scene_parse(text, strlen(text), "test", &scene), SHOAL_OK);
        assert_int_equal(shoal_scene_check(scene), SHOAL_OK);
        assert_int_equal(shoal_scene_fault_count(scene), given);
        if (given)
            assert_non_null(strstr(shoal_scene_fault(scene, 0)->message, "1 in a frame are 0.1 s each: at 3.43 m/s"));
        shoal_scene_destroy(scene);
    }
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

// What rests does not boil, though its solve misses its tolerance all the time, nor does what moves and is hardly
// compressed; what moves and is compressed does.
static void a_solve_that_fails_goes_on_where_the_state_is_good(void** state) {
    (void)state;
    static const struct {
        const char *bodies, *more;
        bool        stops;
    } cases[] = {
        {"{material: sand, box: {min: [0, 0, 0], max: [0.06, 0.06, 0.06]}}, {material: sand, box: {min: [0.06, 0, 0], "
         "max: [0.12, 0.06, 0.06]}}",
         "", false},
        {"{material: water, box: {min: [0, 0, 0], max: [0.06, 0.06, 0.06]}}", "", false},
        {"{material: water, box: {min: [0, 0, 0], max: [0.06, 0.06, 0.06]}}", "porous: {sweeps: 1, substeps: 1}\n",
         true}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char text[600];
        snprintf(text, sizeof text,
                 "solver: porous\nspacing: 0.01\ndomain: {max: [0.12, 0.12, 0.06], walls: {top: open}}\nbodies: "
                 "[%s]\n%s",
                 cases[k].bodies, cases[k].more);
        shoal_sim*        sim  = lab_sim(text, (lab_setup){0});
        shoal_solver_type type = *sim->type;
        type.unsolved          = never_solved;
        sim->type              = &type;
        shoal_status status    = SHOAL_OK;
        for (int frame = 0; frame < 72 && status == SHOAL_OK; frame++) status = shoal_sim_advance(sim, 1.0 / 60.0);
        if (status != (cases[k].stops ? SHOAL_ERR_DIVERGE : SHOAL_OK))
            fail_msg("case %d: %s", (int)k, status ? shoal_last_error() : "goes on");
        if (cases[k].stops && !strstr(shoal_last_error(), "they boil")) fail_msg("%s", shoal_last_error());
        shoal_sim_destroy(sim);
    }
}

// Sand that fills the space between two plates is sheared by them: no substep is solved, and it is calm.
static void sand_that_is_sheared_in_a_full_room_goes_on(void** state) {
    (void)state;
    assert_int_equal(
        status_at(
            20.0,
            "solver: porous\nspacing: 0.01\ndomain: {max: [0.1, 0.1, 0.04], walls: {left: periodic, right: "
            "periodic, front: periodic, back: periodic}}\n"
            "bodies: [{material: sand, box: {min: [0, 0.02, 0], max: [0.1, 0.08, 0.04]}}]\n"
            "obstacles:\n"
            "  - {stick: true, box: {min: [-1, -0.5, -1], max: [2, 0.02, 2]}, motion: [{t: 0, at: [0, 0, 0]}, {t: "
            "2, at: [-0.2, 0, 0]}]}\n"
            "  - {stick: true, box: {min: [-1, 0.08, -1], max: [2, 0.5, 2]}, motion: [{t: 0, at: [0, 0, 0]}, {t: "
            "2, at: [0.2, 0, 0]}]}\n",
            1.0),
        SHOAL_OK);
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
        {"solver: porous\nbodies: [{material: sand, box: {min: [0, 0, 0], max: [1, 0.5, 1]}}]\noutput: {fields: "
         "[sand.grip]}\n",
         "\"sand.grip\" is called \"sand.wall_friction\" now"},
        {"solver: porous\nfps: 20\nbodies: [{material: sand, box: {min: [0, 0, 0], max: [1, 0.5, 1]}}]\nporous: "
         "{substeps: 1}\n",
         "longer than auto has them where all rests, 0.0404 s: sand and water will be compressed, or crushed; take 2 "
         "or "
         "more, or auto"},
        {"solver: porous\nfps: 20\nbodies: [{material: sand, box: {min: [0, 0, 0], max: [1, 0.5, 1]}}]\nporous: "
         "{substeps: 2}\n",
         NULL},
        {"solver: flip\nbodies: [{material: water, box: {min: [0, 0, 0], max: [1, 0.5, 1]}}]\n"
         "sinks: [{box: {min: [0, 0, 0], max: [0.8, 0.1, 1]}}]\n",
         NULL},
        {"bodies: [{material: water, box: {min: [0, 0, 0], max: [1, 0.5, 1]}, velocity: [5, 0, 0]}]\npbf: {substeps: "
         "2, under_relaxation: 0.7}\n",
         NULL},
        {"obstacles: [{box: {min: [0.4, 0.1, 0.1], max: [0.75, 0.9, 0.9]}}]\n"
         "emitters: [{material: water, disc: {radius: 0.2}, at: [0.5, 0.5, 0.5], velocity: [1, 0, 0]}]\n",
         "nothing will come in"},
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

// What forces have brought before they ended counts, however little energy there was at the start.
static void what_was_driven_may_keep_its_energy(void** state) {
    (void)state;
    static const double spacings[] = {0.03, 0.04};
    for (int k = 0; k < 2; k++) {
        char text[400];
        snprintf(text, sizeof text,
                 "solver: tetra-paper\nspacing: %g\ngravity: [0, 0, 0]\nbodies: [{sphere: {radius: 0.15}}]\n"
                 "forces: [{acceleration: [0, 40, 0], box: {size: [0.4, 0.4, 0.4]}, until: 0.2}]\n",
                 spacings[k]);
        assert_int_equal(status_after(text, 0.8), SHOAL_OK);
    }
}

// A tap at the floor lifts all of a pool by what it brings, to three times its depth: that is its work, and not energy
// from nothing. With a recipe that makes such it stops all the same.
static void a_tap_below_a_pool_lifts_it(void** state) {
    (void)state;
    static const char* const solvers[] = {"sph", "pbf", "porous", "flip"};
    static const char        tap[]     = "spacing: 0.02\ndomain: {max: [0.2, 0.8, 0.2], walls: {top: open}}\n"
                                         "bodies: [{material: water, box: {min: [0, 0, 0], max: [0.2, 0.1, 0.2]}}]\n"
                                         "emitters: [{material: water, box: {min: [0.02, 0, 0.02], max: [0.18, 0.04, "
                                         "0.18]}, velocity: [0, 0.3, 0]}]\n";
    for (int k = 0; k < 4; k++) {
        char text[600];
        snprintf(text, sizeof text, "solver: %s\n%s", solvers[k], tap);
        assert_int_equal(status_after(text, 1.5), SHOAL_OK);
    }
    check_stops(
        "spacing: 0.1\ndomain: {max: [1, 2, 1], walls: {top: open}}\n"
        "bodies:\n  - {material: water, box: {min: [0, 0, 0], max: [1, 0.4, 1]}}\n"
        "  - {material: water, sphere: {radius: 0.3}, at: [0.5, 0.9, 0.5]}\n"
        "emitters: [{material: water, box: {min: [0.3, 0, 0.3], max: [0.7, 0.2, 0.7]}, velocity: [0, 0.4, 0]}]\n"
        "pbf: {substeps: 4, iterations: 10, under_relaxation: 1, density_kernel: poly6, anti_clumping: paper, "
        "negative_pressure: 1}\n",
        1.0, "energy came from nothing");
}

// It lifts its own volume of what lies above it, and a bed with water in its pores has twice the mass of water; and a
// fast one strikes the bed, which has its speed before anything has come out.
static void a_tap_below_a_full_bed_lifts_it(void** state) {
    (void)state;
    static const double cases[][2] = {{0.1, 2.0}, {2.0, 0.1}}; // m/s, s; ended after 1.7 and 0.03 s
    for (int k = 0; k < 2; k++) {
        char text[600];
        snprintf(
            text, sizeof text,
            "solver: porous\nspacing: 0.01\n"
            "domain: {max: [0.06, 0.4, 0.06], walls: {top: open, left: periodic, right: periodic, back: periodic, "
            "front: periodic}}\nmaterials: {sand: {preset: sand, wetness: 1}, water: {preset: water}}\n"
            "bodies: [{material: sand, box: {min: [0, 0.03, 0], max: [0.06, 0.15, 0.06]}}]\n"
            "emitters: [{material: water, box: {min: [0, 0, 0], max: [0.06, 0.03, 0.06]}, velocity: [0, %g, 0]}]\n",
            cases[k][0]);
        assert_int_equal(status_at(30.0, text, cases[k][1]), SHOAL_OK);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_explosion_stops_and_tells_who_where_and_what_to_do),
        cmocka_unit_test(water_pressed_where_it_has_no_room_stops),
        cmocka_unit_test(a_closed_box_that_is_full_takes_no_more),
        cmocka_unit_test(a_closed_box_with_sand_is_fed_as_it_has_room),
        cmocka_unit_test(what_is_crushed_by_its_substeps_is_told_of_them),
        cmocka_unit_test(substeps_too_long_for_a_mesh_are_reported),
        cmocka_unit_test(an_emitter_that_finds_no_free_place_is_reported_once),
        cmocka_unit_test(an_emitter_that_gives_too_little_is_reported_at_the_end),
        cmocka_unit_test(energy_from_nothing_stops),
        cmocka_unit_test(a_liquid_that_boils_stops),
        cmocka_unit_test(a_liquid_that_simmers_stops_unless_it_is_driven),
        cmocka_unit_test(a_solve_that_fails_goes_on_where_the_state_is_good),
        cmocka_unit_test(sand_that_is_sheared_in_a_full_room_goes_on),
        cmocka_unit_test(densities_that_floats_cannot_hold_are_refused),
        cmocka_unit_test(the_check_warns_of_what_will_not_go_well),
        cmocka_unit_test(what_is_driven_gains_energy),
        cmocka_unit_test(what_was_driven_may_keep_its_energy),
        cmocka_unit_test(a_tap_below_a_pool_lifts_it),
        cmocka_unit_test(a_tap_below_a_full_bed_lifts_it),
        cmocka_unit_test(falling_without_end_is_no_explosion),
        cmocka_unit_test(a_fast_jet_against_a_wall_is_no_explosion),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
