// SPDX-License-Identifier: MIT
// Scene text: syntax, places, aliases, and what is no scene at all.
#include "marked.h"

#include <sys/stat.h>
#include <unistd.h>

static void syntax_errors_have_a_place_and_still_make_a_scene(void** state) {
    (void)state;
    shoal_scene* scene = NULL;
    const char*  text  = "spacing: 0.1\nbodies: [{box: {min: [0, 0, 0]\n";
    assert_int_equal(shoal_scene_parse(text, strlen(text), "test.yaml", &scene), SHOAL_ERR_INPUT);
    assert_non_null(scene);
    assert_int_equal(shoal_scene_fault_count(scene), 1);
    assert_true(shoal_scene_fault(scene, 0)->line >= 2);
    assert_true(shoal_scene_fault(scene, 0)->column >= 1);
    assert_int_equal(strncmp(shoal_last_error(), "test.yaml:", 10), 0);
    assert_int_equal(shoal_scene_check(scene), SHOAL_ERR_INPUT);
    assert_int_equal(shoal_scene_set_number(scene, "frames", 1.0), SHOAL_OK);
    assert_int_equal(shoal_scene_check(scene), SHOAL_ERR_INPUT);
    shoal_scene_destroy(scene);
    expect_error("spacing: 0.1\nbodies: @]\n", "");
}

static void what_is_no_text_is_reported(void** state) {
    (void)state;
    expect_error("spacing: 0.1\nname: a@\xff\n", "not a text file (it must be UTF-8): byte 0xff");
    expect_error("@\x7f"
                 "ELF\x02\x01",
                 "not a text file");
    expect_error("@\xff\xfe"
                 "a",
                 "UTF-16; save it as UTF-8");
    expect_error("name: @\xc0\x80\n", "byte 0xc0");
    expect_error("name: @\xed\xa0\x80\n", "byte 0xed");
    expect_error("@", "there is nothing in it");
    expect_error("@# only a comment\n", "there is nothing in it");
    shoal_scene* scene = NULL;
    assert_int_equal(shoal_scene_parse("a: \0b", 5, "test.yaml", &scene), SHOAL_ERR_INPUT);
    assert_non_null(strstr(shoal_last_error(), "test.yaml:1:4: not a text file"));
    shoal_scene_destroy(scene);
}

static void byte_order_mark_and_windows_line_ends_are_fine(void** state) {
    (void)state;
    shoal_scene* scene = checked("\xef\xbb\xbfspacing: 0.1\r\nbodies:\r\n  - sphere: {radius: 1}\r\n");
    shoal_scene_destroy(scene);
    expect_error("spacing: 0.1\r\nbodies: [{sphere: {radius: 1}}]\r\nframes: @x\r\n", "frames takes a whole number");
}

static void tabs_for_indentation_are_reported(void** state) {
    (void)state;
    expect_error("spacing: 0.1\nbodies:\n@\t- {sphere: {radius: 1}}\n", "tabs cannot indent; use spaces");
    expect_error("spacing: 0.1\n@\tframes: 3\n", "tabs cannot indent; use spaces");
    expect_error("domain:\n  max: [1, 2, 3]\n @\twalls: {}\n", "tabs cannot indent; use spaces");
}

static void numbers_are_those_of_yaml_1_2(void** state) {
    (void)state;
    shoal_scene* scene =
        checked("spacing: 1e-1\nfps: +6.e1\ngravity: [-.5, 0, 1.5E0]\nbodies: [{sphere: {radius: 1}}]\n");
    shoal_scene_facts facts = shoal_scene_get_facts(scene);
    assert_true(facts.spacing == 0.1 && facts.fps == 60.0);
    shoal_scene_destroy(scene);
    expect_error(GOOD "fps: @1_000\n", "fps takes a number, not \"1_000\"");
    expect_error(GOOD "fps: @0x10\n", "fps takes a number, not \"0x10\"");
    expect_error(GOOD "fps: @.\n", "fps takes a number, not \".\"");
    expect_error(GOOD "fps: @1e\n", "fps takes a number, not \"1e\"");
    expect_error(GOOD "fps: @\"60\"\n", "fps takes a number, not \"60\"");
}

static void json_is_a_scene_too(void** state) {
    (void)state;
    const char*  text  = "{\n\t\"spacing\": 0.1,\n\t\"bodies\": [{\"sphere\": {\"radius\": 1.0}}]\n}\n";
    shoal_scene* scene = NULL;
    assert_int_equal(shoal_scene_parse(text, strlen(text), "test.json", &scene), SHOAL_OK);
    assert_int_equal(shoal_scene_check(scene), SHOAL_OK);
    shoal_scene_destroy(scene);
}

static void aliases_and_merge_keys_are_resolved(void** state) {
    (void)state;
    shoal_scene* scene = checked("spacing: &d 0.1\nbodies:\n  - &drop {sphere: {radius: 0.3}, at: "
                                 "[1, 1, 1], velocity: [1, 0, 0]}\n"
                                 "  - {<<: *drop, at: [3, 1, 1]}\n  - <<: [{at: [5, 1, 1]}, "
                                 "*drop]\n    velocity: [0, 0, 0]\n");
    assert_int_equal(shoal_scene_get_facts(scene).particles % 3, 0);
    shoal_description* d = NULL;
    assert_int_equal(shoal_scene_take_description(scene, &d), SHOAL_OK);
    assert_int_equal(d->body_count, 3);
    assert_true(d->bodies[1].velocity.x == 1.0f && d->bodies[2].velocity.x == 0.0f);
    assert_true(fabs(shoal_shape_bounds(d->bodies[2].shape).min.x - 4.7) < 1e-9);
    shoal_description_free(d);
    shoal_free(d);
    shoal_scene_destroy(scene);
    expect_error(GOOD "name: @*none\n", "there is no anchor before this alias of the name none");
    expect_error("a: &a [1, @*a]\n", "this alias stands inside of what it names: a");
}

static void a_billion_laughs_end_soon(void** state) {
    (void)state;
    shoal_text text = {0};
    shoal_text_add(&text, "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n");
    for (int k = 1; k < 12; k++) {
        shoal_text_add(&text, "a%d: &a%d [", k, k);
        for (int j = 0; j < 10; j++) shoal_text_add(&text, "%s*a%d", j ? ", " : "", k - 1);
        shoal_text_add(&text, "]\n");
    }
    shoal_scene* scene = NULL;
    assert_int_equal(shoal_scene_parse(text.bytes, text.length, "test.yaml", &scene), SHOAL_ERR_INPUT);
    assert_non_null(strstr(shoal_scene_fault(scene, 0)->message, "too many entries"));
    shoal_scene_destroy(scene);
    shoal_text_free(&text);
}

static void nesting_has_a_limit(void** state) {
    (void)state;
    char text[20001];
    memset(text, '[', 20000);
    text[20000]        = 0;
    shoal_scene* scene = NULL;
    assert_int_equal(shoal_scene_parse(text, 20000, "test.yaml", &scene), SHOAL_ERR_INPUT);
    shoal_scene_destroy(scene);
}

static void what_scenes_do_not_use_is_reported(void** state) {
    (void)state;
    expect_error("spacing: @!!float 0.1\n", "tags like !name are not used");
    expect_error("spacing: 0.1\n@---\nspacing: 0.2\n", "a scene is one document");
    expect_error("spacing: 0.1\n? @[a, b]\n: 1\n", "a key must be a single word, not a list");
}

static void a_missing_file_is_reported_with_the_reason(void** state) {
    (void)state;
    shoal_scene* scene = (shoal_scene*)1;
    assert_int_equal(shoal_scene_load("/no/such/scene.yaml", &scene), SHOAL_ERR_FILE);
    assert_null(scene);
    assert_string_equal(shoal_last_error(), "/no/such/scene.yaml: No such file or directory");
}

static void write_file(const char* path, const char* text) {
    FILE* file = fopen(path, "w");
    assert_non_null(file);
    assert_int_equal(fputs(text, file) >= 0, 1);
    assert_int_equal(fclose(file), 0);
}

static void meshes_are_found_beside_the_scene_and_in_models(void** state) {
    (void)state;
    static const char* const obj = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
    char folder[] = "/tmp/shoal-scene-XXXXXX", scene_path[128], beside[128], models[128], inside[128], wrong[128];
    assert_non_null(mkdtemp(folder));
    snprintf(scene_path, sizeof scene_path, "%s/scene.yaml", folder);
    snprintf(beside, sizeof beside, "%s/beside.obj", folder);
    snprintf(models, sizeof models, "%s/models", folder);
    snprintf(inside, sizeof inside, "%s/models/inside.obj", folder);
    snprintf(wrong, sizeof wrong, "%s/wrong.obj", folder);
    assert_int_equal(mkdir(models, 0777), 0);
    write_file(beside, obj);
    write_file(inside, obj);
    write_file(wrong, "f 1 2 3\n");
    write_file(scene_path, "spacing: 0.1\nbodies: [{mesh: beside.obj}, {mesh: inside.obj, at: [2, "
                           "0, 0]}]\nobstacles: [{mesh: wrong.obj}]\n");
    shoal_scene* scene = NULL;
    assert_int_equal(shoal_scene_load(scene_path, &scene), SHOAL_OK);
    assert_int_equal(shoal_scene_check(scene), SHOAL_ERR_INPUT);
    assert_int_equal(shoal_scene_fault_count(scene), 1);
    assert_int_equal(shoal_scene_fault(scene, 0)->line, 3);
    assert_int_equal(shoal_scene_fault(scene, 0)->column, 20);
    assert_non_null(strstr(shoal_scene_fault(scene, 0)->message, "wrong.obj:1"));
    assert_int_equal(shoal_scene_remove(scene, "obstacles"), SHOAL_OK);
    assert_int_equal(shoal_scene_check(scene), SHOAL_OK);
    // a sixth of a cubic metre each
    assert_true(llabs(shoal_scene_get_facts(scene).particles - 2 * 167) < 2 * 60);
    shoal_scene_destroy(scene);
    assert_int_equal(
        unlink(scene_path) + unlink(beside) + unlink(inside) + unlink(wrong) + rmdir(models) + rmdir(folder), 0);
}

static void set_value_reaches_into_lists(void** state) {
    (void)state;
    shoal_scene* scene = checked(GOOD);
    assert_int_equal(shoal_scene_set_value(scene, "bodies.0.velocity", "[1, 0, 0]"), SHOAL_OK);
    assert_int_equal(shoal_scene_set_value(scene, "bodies.1", "{sphere: {radius: 0.2}, at: [3, 0, 0]}"), SHOAL_OK);
    assert_int_equal(shoal_scene_set_value(scene, "domain.walls.top.friction", "0.3"), SHOAL_OK);
    assert_int_equal(shoal_scene_set_value(scene, "domain.max", "[9, 9, 9]"), SHOAL_OK);
    assert_int_equal(shoal_scene_set_value(scene, "domain.min", "[-9, -9, -9]"), SHOAL_OK);
    if (shoal_scene_check(scene) != SHOAL_OK) print_faults(scene);
    shoal_description* d = NULL;
    assert_int_equal(shoal_scene_take_description(scene, &d), SHOAL_OK);
    assert_int_equal(d->body_count, 2);
    assert_true(d->bodies[0].velocity.x == 1.0f);
    assert_int_equal(d->domain.walls[SHOAL_TOP].kind, SHOAL_WALL_FRICTION);
    shoal_description_free(d);
    shoal_free(d);
    shoal_scene_destroy(scene);
}

static void set_value_changes_one_part_of_a_default(void** state) {
    (void)state;
    shoal_scene* scene = parsed(GOOD);
    assert_int_equal(shoal_scene_set_value(scene, "bodies.0.velocity.2", "4"), SHOAL_OK);
    assert_int_equal(shoal_scene_set_value(scene, "gravity.0", "1"), SHOAL_OK);
    shoal_description* d = NULL;
    assert_int_equal(shoal_scene_take_description(scene, &d), SHOAL_OK);
    assert_true(d->bodies[0].velocity.x == 0.0f && d->bodies[0].velocity.z == 4.0f);
    assert_true(d->gravity.x == 1.0 && d->gravity.y == -9.81 && d->gravity.z == 0.0);
    shoal_description_free(d);
    shoal_free(d);
    assert_int_equal(shoal_scene_set_value(scene, "domain.max.1", "4"), SHOAL_ERR_INPUT);
    assert_non_null(strstr(shoal_last_error(), "domain.max is not in the scene and has no default; "
                                               "give all of it, like --set domain.max=[0, 0, 0]"));
    assert_int_equal(shoal_scene_set_value(scene, "bodies.0.box.max.1", "0.5"), SHOAL_OK);
    assert_int_equal(shoal_scene_check(scene), SHOAL_OK);
    assert_int_equal(shoal_scene_get_facts(scene).particles, 500);
    shoal_scene_destroy(scene);
}

static void brackets_that_are_not_closed_are_reported_where_they_open(void** state) {
    (void)state;
    expect_error("spacing: 0.1\nbodies:\n  - @{box: {size: [1, 1, 1]}\nframes: 3\n",
                 "{ opened here is not closed before line 4, column 1");
    expect_error("spacing: 0.1\nbodies:\n  - @{box: {size: [1, 1, 1]}\n", "{ opened here is not closed");
    expect_error("spacing: 0.1\nbodies: @[{box: {size: [1, 1, 1]}}\n\n\n", "[ opened here is not closed");
    expect_error("spacing: 0.1\nname: \"a {\" # {\npbf: @{iterations: 3 # }\n\n", "{ opened here is not closed");
    expect_error("spacing: 0.1\nbodies:\n  - @{box: {size: [1, 1, 1]}\n  - {box: {size: [1, 1, 1]}}\n",
                 "{ opened here is not closed, or a comma is missing, before line 4, column 3");
    expect_error("a: @[1, 2}\n", "[ opened here is not closed before line 1, column 9");
    expect_error("a: {b: 1}@}\n", "extra closing brace");
}

static void faults_of_set_values_name_them(void** state) {
    (void)state;
    shoal_scene* scene = checked(GOOD);
    assert_int_equal(shoal_scene_set_value(scene, "bodies.7.velocity", "[1, 0, 0]"), SHOAL_ERR_INPUT);
    assert_non_null(strstr(shoal_last_error(), "--set bodies.7.velocity=[1, 0, 0]: path"));
    assert_int_equal(shoal_scene_set_value(scene, "frames", "[1,"), SHOAL_ERR_INPUT);
    assert_non_null(strstr(shoal_last_error(), "--set frames=[1,: "));
    assert_int_equal(shoal_scene_set_value(scene, "frames", ""), SHOAL_ERR_INPUT);
    assert_int_equal(shoal_scene_set_value(scene, "pbf.iterations", "0"), SHOAL_OK);
    assert_int_equal(shoal_scene_set_value(scene, "pfb.iterations", "1"), SHOAL_OK);
    assert_int_equal(shoal_scene_check(scene), SHOAL_ERR_INPUT);
    assert_int_equal(shoal_scene_fault_count(scene), 2);
    char text[512];
    shoal_fault_print(shoal_scene_fault(scene, 1), text, sizeof text);
    assert_string_equal(text, "--set pbf.iterations=0: pbf.iterations = 0 is outside [1, 64]\n");
    shoal_fault_print(shoal_scene_fault(scene, 0), text, sizeof text);
    assert_string_equal(text, "--set pfb.iterations=1: unknown key \"pfb\" in scene; did you mean \"pbf\"?\n");
    shoal_scene_destroy(scene);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(syntax_errors_have_a_place_and_still_make_a_scene),
        cmocka_unit_test(what_is_no_text_is_reported),
        cmocka_unit_test(byte_order_mark_and_windows_line_ends_are_fine),
        cmocka_unit_test(tabs_for_indentation_are_reported),
        cmocka_unit_test(numbers_are_those_of_yaml_1_2),
        cmocka_unit_test(json_is_a_scene_too),
        cmocka_unit_test(aliases_and_merge_keys_are_resolved),
        cmocka_unit_test(a_billion_laughs_end_soon),
        cmocka_unit_test(nesting_has_a_limit),
        cmocka_unit_test(what_scenes_do_not_use_is_reported),
        cmocka_unit_test(a_missing_file_is_reported_with_the_reason),
        cmocka_unit_test(meshes_are_found_beside_the_scene_and_in_models),
        cmocka_unit_test(set_value_reaches_into_lists),
        cmocka_unit_test(set_value_changes_one_part_of_a_default),
        cmocka_unit_test(brackets_that_are_not_closed_are_reported_where_they_open),
        cmocka_unit_test(faults_of_set_values_name_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
