// SPDX-License-Identifier: MIT
// Faults that come together, and what helps people out of them.
#include "marked.h"

// Two boxes that overlap, and one fault of another kind: both are told, and nothing else.
static void faults_of_keys_do_not_hide_those_of_places(void** state) {
    (void)state;
    static const char* const second_faults[] = {
        "solver: pbg\n",
        "framez: 3\n",
        "pbf: {itrations: 3}\n",
        "domain: {max: [2, 2, 2], wals: 3}\n",
        "domain: {max: [2, 2, 2], walls: {tpo: open}}\n",
        "domain: {max: [2, 2, 2], walls: {top: opne}}\n",
        "render: {materials: {nobody: {kind: matte}}}\n",
    };
    for (size_t k = 0; k < sizeof second_faults / sizeof second_faults[0]; k++) {
        char text[512];
        snprintf(text, sizeof text,
                 "%sspacing: 0.1\nbodies: [{box: {min: [0, 0, 0], max: [1, 1, 1]}}, {box: {min: "
                 "[0.5, 0, 0], max: [1.5, 1, 1]}}]\n",
                 second_faults[k]);
        shoal_scene* scene = parsed(text);
        shoal_scene_check(scene);
        bool overlaps = false;
        for (int f = 0; f < shoal_scene_fault_count(scene); f++)
            overlaps |= strstr(shoal_scene_fault(scene, f)->message, "bodies.1: overlaps bodies.0") != NULL;
        if (!overlaps || shoal_scene_fault_count(scene) != 2) {
            print_faults(scene);
            fail_msg("%s", second_faults[k]);
        }
        shoal_scene_destroy(scene);
    }
    // so are those of the body itself, where its shape is as meant
    shoal_scene* scene = parsed("spacing: 0.1\nbodies: [{velocty: [1, 0, 0], box: {min: [0, 0, 0], "
                                "max: [1, 1, 1]}}, {box: {min: [0.5, 0, 0], max: [1.5, 1, 1]}}]\n");
    shoal_scene_check(scene);
    assert_int_equal(shoal_scene_fault_count(scene), 2);
    shoal_scene_destroy(scene);
    // and one at a key that places it is told alone
    expect_error("spacing: 0.1\nbodies: [{@centre: [5, 0, 0], box: {min: [0, 0, 0], max: [1, 1, "
                 "1]}}, {box: {min: [0.5, 0, 0], max: [1.5, 1, 1]}}]\n",
                 "unknown key \"centre\"");
}

// A wall that is not known hides no other, and a disc without a velocity has its place.
static void what_is_outside_is_reported_beside_other_faults(void** state) {
    (void)state;
    static const struct {
        const char *domain, *things, *reported;
        int         faults;
    } rows[] = {
        {"walls: {top: opne}", "", "beyond the right wall at 1", 2},
        {"walls: {right: opne}", "", NULL, 1},
        {"walls: {left: stick, tpo: open, right: slip}", "", "beyond the right wall at 1", 2},
        {"walls: {tpo: open}", "", NULL, 1},
        {"walls: {left: periodic}", "", NULL, 1},
        {"walls: {left: periodic, right: opne}", "", NULL, 1},
        {"walls: {right: open}", "emitters: [{disc: {radius: 0.2}, at: [0.5, 3, 0.5]}]\n", "begins at y = 2.8", 2},
        {"walls: {right: open}", "emitters: [{disc: {radius: 0.2}, at: [0.5, 0.5, 0.5]}]\n", NULL, 1},
        {"walls: {right: open}", "framez: 3\nsinks: [{sphere: {radius: 0.2}, at: [0.5, 3, 0.5]}]\n",
         "nothing will reach it", 2},
        {"walls: {right: open}", "framez: 3\nobstacles: [{sphere: {radius: 0.2}, at: [0.5, 3, 0.5]}]\n",
         "nothing will touch it", 2},
    };
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) {
        char text[512];
        snprintf(text, sizeof text,
                 "spacing: 0.1\ndomain: {max: [1, 1, 1], %s}\n%sbodies: [{box: {min: [0, 0, 0], max: [1.5, 1, 1]}}]\n",
                 rows[k].domain, rows[k].things);
        shoal_scene* scene = parsed(text);
        shoal_scene_check(scene);
        bool is_reported = !rows[k].reported;
        for (int f = 0; f < shoal_scene_fault_count(scene); f++)
            is_reported |= rows[k].reported && strstr(shoal_scene_fault(scene, f)->message, rows[k].reported);
        if (!is_reported || shoal_scene_fault_count(scene) != rows[k].faults) {
            print_faults(scene);
            fail_msg("%s", text);
        }
        shoal_scene_destroy(scene);
    }
}

// An obstacle whose mesh cannot be sampled without a spacing still has its name.
static void a_wrong_spacing_is_one_fault(void** state) {
    (void)state;
    expect_error("spacing: @abc\nbodies: [{box: {min: [0, 0, 0], max: [1, 1, 1]}}]\nobstacles: "
                 "[{name: jug, sphere: {radius: 0.1}, at: [3, 3, 3]}]\n"
                 "render: {materials: {jug: {kind: glass}}}\n",
                 "spacing takes a number, not \"abc\"");
    expect_error("spacing: 0.1\nbodies: [{box: {min: [0, 0, 0], max: [1, 1, 1]}}]\nobstacles: "
                 "[{name: jug, sphere: {@radus: 0.1, radius: 0.1}, at: [3, 3, 3]}]\n"
                 "render: {materials: {jug: {kind: glass}}}\n",
                 "did you mean \"radius\"?");
}

static void numbers_with_a_unit_are_reported_what_they_would_be(void** state) {
    (void)state;
    expect_error("spacing: @4 mm\nbodies: [{box: {min: [0, 0, 0], max: [1, 1, 1]}}]\n",
                 "values are in m, without a unit: 0.004");
    expect_error(GOOD "domain: {max: @[200 cm, 2, 2]}\n", "values are in m, without a unit: 2");
    expect_error(GOOD "fps: @60 Hz\n", "values are in 1/s, without a unit");
    expect_error("spacing: 0.1\nbodies: [{sphere: {radius: 1}, velocity: @[36 km/h, 0, 0]}]\n",
                 "values are in m/s, without a unit: 10");
    expect_error(GOOD BOX "obstacles: [{box: {size: [1, 1, 1]}, @rotation: 3}]\n", "did you mean \"rotate\"?");
}

static void names_that_would_break_tables_or_terminals_are_refused(void** state) {
    (void)state;
    expect_error(GOOD "obstacles: [{name: @\"a\\nb\", sphere: {radius: 0.1}, at: [3, 3, 3]}]\n",
                 "takes no control characters");
    expect_error(GOOD "obstacles: [{name: @'a,b', sphere: {radius: 0.1}, at: [3, 3, 3]}]\n", "takes no comma");
    expect_error(GOOD "name: @\"\\e[2J\"\n", "takes no control characters");
    expect_error(GOOD "materials: {@\"a\\eb\": {}}\n", "no control characters");
    expect_error(GOOD "@\"a\\e[31mb\": 3\n", "unknown key \"a?[31mb\"");
}

// A body that fills a domain of 10.4 spacings leaves one; those that do not reach both walls do
// not.
static void a_slot_at_the_far_wall_is_warned_of(void** state) {
    (void)state;
#define TANK(from, to, walls)                                                                                          \
    "spacing: 0.1\ndomain: {min: [0.3, 0, 0], max: @[1.34, 1, 1]" walls "}\n"                                          \
    "bodies: [{box: {min: [" from ", 0, 0], max: [" to ", 0.5, 1]}}]\n"
    expect_warning(TANK("0.3", "1.34", ""),
                   "domain.max: the domain is 1.04 m along x, 10.4 spacings of 0.1 m: a slot of "
                   "0.04 m stays free at "
                   "the right wall; let it end at 1.3 or 1.4 m, or make the spacing 0.104 m");
    int         line, column;
    const char* fine[] = {TANK("0.3", "1.2", ""), TANK("0.4", "1.34", ""),
                          TANK("0.3", "1.34", ", walls: {right: open}")};
    for (int k = 0; k < 3; k++) {
        char* text = unmarked(fine[k], &line, &column);
        shoal_scene_destroy(checked(text));
        free(text);
    }
}

// The value counts under its alias, with a warning at the key that names the new word; both words together are refused.
static void a_key_is_read_by_its_alias_with_a_warning(void** state) {
    (void)state;
    expect_warning(GOOD "pbf: {@no_pull: false}\n", "pbf.no_pull: is now called \"clamp\"");
    expect_error(GOOD "pbf: {clamp: true, @no_pull: false}\n",
                 "pbf.no_pull: is now called \"clamp\", and both are given");
    expect_error(GOOD "pbf: {clamp: true, @no_pul: false}\n", "unknown key \"no_pul\"");
    shoal_scene* scene = parsed(GOOD "pbf: {no_pull: false}\n");
    char*        text  = NULL;
    assert_int_equal(shoal_scene_check(scene), SHOAL_OK);
    assert_int_equal(shoal_scene_fault_count(scene), 1);
    assert_int_equal(shoal_scene_resolved(scene, &text), SHOAL_OK);
    assert_non_null(strstr(text, "\"clamp\": false"));
    assert_null(strstr(text, "no_pull"));
    shoal_bytes_free(text, strlen(text) + 1);
    shoal_scene_destroy(scene);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(faults_of_keys_do_not_hide_those_of_places),
        cmocka_unit_test(what_is_outside_is_reported_beside_other_faults),
        cmocka_unit_test(a_wrong_spacing_is_one_fault),
        cmocka_unit_test(numbers_with_a_unit_are_reported_what_they_would_be),
        cmocka_unit_test(names_that_would_break_tables_or_terminals_are_refused),
        cmocka_unit_test(a_slot_at_the_far_wall_is_warned_of),
        cmocka_unit_test(a_key_is_read_by_its_alias_with_a_warning),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
