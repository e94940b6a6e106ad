// SPDX-License-Identifier: MIT
// Scenes with misspelt materials under every solver: what it is asked about the scene it must bear.
#include "lab.h"

#include "solvers/registry.h"

static int errors_with(const char* solver, const char* body, const char* emitter) {
    char         text[512];
    shoal_scene* scene  = NULL;
    int          errors = 0;
    snprintf(text, sizeof text,
             "solver: %s\nspacing: 0.05\nbodies: [{material: %s, box: {min: [0, 0, 0], max: [1, 1, 1]}}]\n"
             "emitters: [{material: %s, disc: {radius: 0.2}, at: [0, 2, 0], velocity: [0, -2, 0]}]\n",
             solver, body, emitter);
    assert_int_equal(shoal_scene_parse(text, strlen(text), "misspelt", &scene), SHOAL_OK);
    (void)shoal_scene_check(scene);
    for (int k = 0; k < shoal_scene_fault_count(scene); k++) errors += shoal_scene_fault(scene, k)->is_error;
    shoal_scene_destroy(scene);
    return errors;
}

static void a_misspelt_material_is_one_error_and_no_more(void** state) {
    (void)state;
    for (int k = 0; shoal_solver_types[k]; k++) {
        const char* name = shoal_solver_types[k]->name;
        assert_int_equal(errors_with(name, "water", "water"), 0);
        assert_int_equal(errors_with(name, "wtaer", "water"), 1);
        assert_int_equal(errors_with(name, "wtaer", "xyzzy"), 2);
        assert_int_equal(errors_with(name, "[1, 2]", "1.0e-308"), 2);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_misspelt_material_is_one_error_and_no_more)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
