// SPDX-License-Identifier: MIT
#include "marked.h"

static void a_scene_by_calls_equals_the_scene_by_text(void** state) {
    (void)state;
    shoal_scene *text  = checked("name: calls\nspacing: 0.1\nfps: 24\ndomain: {max: [2, 2, 2], walls: {top: open}}\n"
                                  "bodies: [{box: {min: [0, 0, 0], max: [1, 1, 1]}, velocity: [1, 0, 0]}]\n"
                                  "obstacles: [{sphere: {radius: 0.2}, at: [1.5, 0.5, 0.5], stick: true}]\n"),
                *calls = NULL;
    assert_int_equal(shoal_scene_create(&calls), SHOAL_OK);
    assert_int_equal(shoal_scene_set_text(calls, "name", "calls"), SHOAL_OK);
    assert_int_equal(shoal_scene_set_number(calls, "spacing", 0.1), SHOAL_OK);
    assert_int_equal(shoal_scene_set_number(calls, "fps", 24), SHOAL_OK);
    assert_int_equal(shoal_scene_set_vec3(calls, "domain.max", 2, 2, 2), SHOAL_OK);
    assert_int_equal(shoal_scene_set_text(calls, "domain.walls.top", "open"), SHOAL_OK);
    assert_int_equal(shoal_scene_set_vec3(calls, "bodies.0.box.min", 0, 0, 0), SHOAL_OK);
    assert_int_equal(shoal_scene_set_numbers(calls, "bodies.0.box.max", (const double[]){1, 1, 1}, 3), SHOAL_OK);
    assert_int_equal(shoal_scene_set_vec3(calls, "bodies.0.velocity", 1, 0, 0), SHOAL_OK);
    assert_int_equal(shoal_scene_set_number(calls, "obstacles.0.sphere.radius", 0.2), SHOAL_OK);
    assert_int_equal(shoal_scene_set_vec3(calls, "obstacles.0.at", 1.5, 0.5, 0.5), SHOAL_OK);
    assert_int_equal(shoal_scene_set_flag(calls, "obstacles.0.stick", true), SHOAL_OK);
    char *one = NULL, *other = NULL;
    assert_int_equal(shoal_scene_resolved(text, &one), SHOAL_OK);
    assert_int_equal(shoal_scene_resolved(calls, &other), SHOAL_OK);
    assert_string_equal(one, other);
    shoal_bytes_free(one, strlen(one) + 1);
    shoal_bytes_free(other, strlen(other) + 1);
    shoal_scene_destroy(text);
    shoal_scene_destroy(calls);
}

static void faults_of_calls_have_no_line(void** state) {
    (void)state;
    shoal_scene* scene = NULL;
    assert_int_equal(shoal_scene_create(&scene), SHOAL_OK);
    shoal_scene_set_number(scene, "spacing", (double)NAN);
    shoal_scene_set_number(scene, "bodies.0.sphere.radius", 1);
    assert_int_equal(shoal_scene_check(scene), SHOAL_ERR_INPUT);
    assert_string_equal(shoal_last_error(), "scene: spacing = nan is not a finite number");
    assert_int_equal(shoal_scene_fault(scene, 0)->line, 0);
    assert_null(shoal_scene_fault(scene, 1));
    assert_int_equal(shoal_scene_get_facts(scene).particles, 0);
    shoal_scene_set_number(scene, "spacing", 0.5);
    assert_int_equal(shoal_scene_check(scene), SHOAL_OK);
    assert_true(shoal_scene_get_facts(scene).particles > 0);
    assert_int_equal(shoal_scene_remove(scene, "spacing"), SHOAL_OK);
    assert_int_equal(shoal_scene_check(scene), SHOAL_ERR_INPUT);
    shoal_scene_destroy(scene);
}

static void faults_are_printed_with_line_and_caret(void** state) {
    (void)state;
    char         text[1024];
    shoal_scene* scene = parsed("spacing: 0.1\nbodies: [{sphere: {radius: 1}}]\npbf:\t{iterations: 0}  # ä\n");
    assert_int_equal(shoal_scene_check(scene), SHOAL_ERR_INPUT);
    size_t length = shoal_fault_print(shoal_scene_fault(scene, 0), text, sizeof text);
    assert_string_equal(text, "test.yaml:3:19: pbf.iterations = 0 is outside [1, 64]\n"
                              "    pbf:\t{iterations: 0}  # ä\n"
                              "        \t             ^\n");
    assert_int_equal(length, strlen(text));
    assert_int_equal(shoal_fault_print(shoal_scene_fault(scene, 0), text, 5), length);
    assert_string_equal(text, "test");
    shoal_scene_destroy(scene);

    shoal_text line = {0};
    shoal_text_add(&line, "bodies: [{sphere: {radius: 1}}]\nspacing: 0.1\nname: {");
    for (int k = 0; k < 100; k++) shoal_text_add(&line, "key%d: 1, ", k);
    shoal_text_add(&line, "}\n");
    scene = parsed(line.bytes);
    assert_int_equal(shoal_scene_check(scene), SHOAL_ERR_INPUT);
    assert_true(shoal_fault_print(shoal_scene_fault(scene, 0), text, sizeof text) < 400);
    shoal_scene_destroy(scene);
    shoal_text_free(&line);
}

static void warnings_say_that_they_are(void** state) {
    (void)state;
    char         text[1024];
    shoal_scene* scene = parsed(GOOD "pbf: {substeps: 1}\n");
    assert_int_equal(shoal_scene_check(scene), SHOAL_OK);
    shoal_fault_print(shoal_scene_fault(scene, 0), text, sizeof text);
    assert_int_equal(strncmp(text, "test.yaml:3:6: warning: pbf: one substep", 40), 0);
    shoal_scene_destroy(scene);
}

static void the_description_can_be_taken_twice(void** state) {
    (void)state;
    shoal_scene* scene = checked(GOOD);
    for (int k = 0; k < 2; k++) {
        shoal_description* d = NULL;
        assert_int_equal(shoal_scene_take_description(scene, &d), SHOAL_OK);
        assert_int_equal(d->body_count, 1);
        shoal_description_free(d);
        shoal_free(d);
    }
    shoal_scene_destroy(scene);
}

static void nothing_stays_in_memory(void** state) {
    (void)state;
    size_t       before = shoal_memory_in_use();
    shoal_scene* scene  = parsed("spacing: 0.1\nbodies: [{sphere: {radius: -1}}, {union: [{box: "
                                  "{size: [1, 1, 1]}}, {cone: {radius: 1}}]}]\nprobes: [1]\n");
    shoal_scene_set_value(scene, "emitters.0", "{disc: {radius: 1}}");
    shoal_scene_check(scene);
    shoal_scene_destroy(scene);
    assert_int_equal(shoal_memory_in_use(), before);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_scene_by_calls_equals_the_scene_by_text), cmocka_unit_test(faults_of_calls_have_no_line),
        cmocka_unit_test(faults_are_printed_with_line_and_caret),    cmocka_unit_test(warnings_say_that_they_are),
        cmocka_unit_test(the_description_can_be_taken_twice),        cmocka_unit_test(nothing_stays_in_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
