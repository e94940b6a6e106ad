// SPDX-License-Identifier: MIT
#include "marked.h"

static char* resolved(const char* text) {
    shoal_scene* scene = parsed(text);
    char*        json  = NULL;
    if (shoal_scene_resolved(scene, &json) != SHOAL_OK) print_faults(scene);
    assert_non_null(json);
    shoal_scene_destroy(scene);
    return json;
}

// What is written must read back as the same scene, as YAML and as JSON.
static void expect_same_again(const char* text) {
    char *       once = resolved(text), *twice = resolved(once), *as_json = NULL;
    shoal_scene* scene = NULL;
    assert_string_equal(once, twice);
    assert_int_equal(shoal_scene_parse(once, strlen(once), "test.json", &scene), SHOAL_OK);
    assert_int_equal(shoal_scene_resolved(scene, &as_json), SHOAL_OK);
    assert_string_equal(once, as_json);
    shoal_scene_destroy(scene);
    shoal_bytes_free(once, strlen(once) + 1);
    shoal_bytes_free(twice, strlen(twice) + 1);
    shoal_bytes_free(as_json, strlen(as_json) + 1);
}

static void a_resolved_scene_reads_back_as_itself(void** state) {
    (void)state;
    expect_same_again(GOOD);
    expect_same_again("name: \"a \\\"quoted\\\" \\u00e4\\\\\"\nspacing: 0.1\ngravity: [0, -9.81, 0.1]\n"
                      "domain: {max: [3, 3, 3], walls: {top: open, left: {friction: 0.3}, back: periodic, front: "
                      "periodic}}\n"
                      "materials: {syrup: {preset: honey}}\n"
                      "bodies: [{box: {min: [0, 0, 0], max: [1, 1, 1]}, spin: [0, 0.1, 0]}, {material: oil, "
                      "sphere: {radius: 0.2}, scale: 1.5, rotate: {axis: [1, 1, 1], degrees: 30}, at: [2, 2, "
                      "2]}]\n"
                      "obstacles: [{name: paddle, friction: 0.7, sphere: {radius: 0.2}, motion: [{t: 0, at: [2, "
                      "1, 0.4]}, {t: 0.1, at: [2, 0.3, 0.4], rotate: {axis: [1, 1, 0], degrees: 33.3}}]}, "
                      "{torus: {ring: 1, tube: 0.3}, at: [5, 5, 5], stick: true}]\n"
                      "emitters: [{disc: {radius: 0.1}, at: [0.2, 1.5, 0.4], velocity: [0.1, 0, 0], until: 0.3}, "
                      "{rain: {min: [0, 1.9, 0], max: [3, 2, 0.8], rate: 500}}, {cylinder: {radius: 0.1, height: "
                      "0.2}, at: [0.3, 2.5, 0.3], from: 0.1}]\n"
                      "sinks: [{box: {min: [2.8, 0, 0], max: [3, 0.1, 0.8]}}, {capsule: {radius: 0.1, height: "
                      "1}}]\n"
                      "forces: [{acceleration: [1, 0, 0.1]}, {acceleration: [0, 2, 0], material: syrup, sphere: "
                      "{radius: 0.3}, at: [1, 1, 1], from: 0.1, "
                      "until: 0.3}]\n"
                      "probes: [{name: a, kind: front, axis: z}, {name: b, kind: height, at: [2.5, 0.4]}, {name: "
                      "c, kind: pressure, at: [3, 0.1, 0.4]}]\n"
                      "pbf: {substeps: 4, vorticity: 0.3, relaxation: precomputed, clamp: false}\noutput: "
                      "{every: 2, fields: [pressure, density]}\n");
    expect_same_again("solver: grains\nspacing: 0.1\ndomain: {max: [3, 3, 3], walls: {top: open}}\nbodies: "
                      "[{material: sand, cone: {radius: 0.5, height: 1}, at: [1, 0, 1]}]\n");
}

static void defaults_are_filled_in(void** state) {
    (void)state;
    char* json = resolved(GOOD);
    assert_non_null(strstr(json, "\"name\": \"test\""));
    assert_non_null(strstr(json, "\"solver\": \"pbf\""));
    assert_non_null(
        strstr(json, "\"frames\": 240, \"fps\": 60, \"spacing\": 0.1, \"gravity\": [0, -9.81, 0], \"seed\": 1"));
    assert_non_null(strstr(json, "\"pbf\": {\"iterations\": 3, \"substeps\": \"auto\", "
                                 "\"vorticity\": 0.1, \"relaxation\": \"cfm\", \"clamp\": true}"));
    assert_non_null(strstr(json, "\"water\": {\"preset\": \"none\", \"kind\": \"liquid\", "
                                 "\"density\": 998.2, \"viscosity\": 0.0010016"));
    assert_non_null(strstr(json, "\"output\": {\"every\": 1, \"checkpoint\": 10, \"fields\": []}"));
    shoal_bytes_free(json, strlen(json) + 1);
}

static void a_wrong_scene_is_not_resolved(void** state) {
    (void)state;
    shoal_scene* scene = parsed("spacing: 0\n");
    char*        json  = (char*)1;
    assert_int_equal(shoal_scene_resolved(scene, &json), SHOAL_ERR_INPUT);
    assert_null(json);
    shoal_scene_destroy(scene);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_resolved_scene_reads_back_as_itself),
        cmocka_unit_test(defaults_are_filled_in),
        cmocka_unit_test(a_wrong_scene_is_not_resolved),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
