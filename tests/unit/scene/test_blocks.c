// SPDX-License-Identifier: MIT
// The manual that is made from the tables.
#include "marked.h"

#include <math.h>

static const shoal_param_block* find_block(const char* name) {
    for (const shoal_param_block* b = shoal_param_blocks(); b->name; b++)
        if (strcmp(b->name, name) == 0) return b;
    return NULL;
}

static void every_block_of_a_scene_is_listed(void** state) {
    (void)state;
    const char* const names[] = {"scene",   "domain", "material", "output", "body",  "obstacle",
                                 "emitter", "probe",  "shape",    "pbf",    "grains"};
    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) assert_non_null(find_block(names[k]));
    assert_non_null(shoal_param_find(find_block("scene")->params, "pbf"));
}

// Every form of a key names something that exists, so the schema has no dangling reference.
static void the_forms_of_keys_name_blocks_that_exist(void** state) {
    (void)state;
    for (const shoal_param_block* b = shoal_param_blocks(); b->name; b++)
        for (const shoal_param_def* def = b->params; def->name; def++) {
            if (def->type != SHOAL_PARAM_OTHER) continue;
            char forms[256], *rest = NULL;
            snprintf(forms, sizeof forms, "%s", def->unit);
            for (char* form = strtok_r(forms, "|", &rest); form; form = strtok_r(NULL, "|", &rest)) {
                if (form[0] == '=') continue;
                form += strspn(form, "[{");
                form[strcspn(form, "]}")] = 0;
                if (strcmp(form, "text") == 0 || strcmp(form, "number") == 0 || strcmp(form, "solver") == 0) continue;
                if (!find_block(form)) print_error("%s.%s: %s\n", b->name, def->name, form);
                assert_non_null(find_block(form));
            }
        }
}

static char* printed(const char* name, shoal_param_form form) {
    char* text = NULL;
    assert_int_equal(shoal_params_print(name, form, &text), SHOAL_OK);
    assert_non_null(text);
    return text;
}

static void expect_in(const char* name, shoal_param_form form, const char* part) {
    char* text = printed(name, form);
    if (!strstr(text, part)) print_error("no %s in\n%s\n", part, text);
    assert_non_null(strstr(text, part));
    shoal_bytes_free(text, strlen(text) + 1);
}

static void a_block_is_printed_as_table_and_as_markdown(void** state) {
    (void)state;
    expect_in("pbf", SHOAL_PARAM_PLAIN,
              "pbf: a toy\n  key         value                 default  range        meaning\n  "
              "iterations  whole number          3        1 to 64      constraint sweeps per substep\n");
    expect_in("pbf", SHOAL_PARAM_MARKDOWN,
              "| `relaxation` | cfm or precomputed | cfm |  | how the system is softened |\n");
    expect_in("scene", SHOAL_PARAM_MARKDOWN, "| `gravity` | [x, y, z] | [0, -9.81, 0] | -10000 to 10000 m/s^2 |");
    expect_in("scene", SHOAL_PARAM_MARKDOWN, "| `spacing` | number | required |");
    expect_in(NULL, SHOAL_PARAM_PLAIN, "\nshape: ");
}

static void the_schema_is_json_that_knows_words_and_ranges(void** state) {
    (void)state;
    // our own reader of JSON accepts it: the first fault is about its keys, not its syntax
    char*        text  = printed(NULL, SHOAL_PARAM_SCHEMA);
    shoal_scene* scene = NULL;
    assert_int_equal(shoal_scene_parse(text, strlen(text), "schema.json", &scene), SHOAL_OK);
    const shoal_node* defs = shoal_node_child(scene->root, "$defs");
    const shoal_node* body = shoal_node_child(shoal_node_child(defs, "body"), "properties");
    assert_non_null(shoal_node_child(body, "velocity"));
    assert_non_null(shoal_node_child(body, "union"));
    const shoal_node* pbf = shoal_node_child(shoal_node_child(defs, "pbf"), "properties");
    assert_true(shoal_node_child(shoal_node_child(pbf, "iterations"), "maximum")->number == 64.0);
    shoal_scene_destroy(scene);
    shoal_bytes_free(text, strlen(text) + 1);
    expect_in(NULL, SHOAL_PARAM_SCHEMA, "\"$schema\": \"https://json-schema.org/draft/2020-12/schema\"");
    expect_in(NULL, SHOAL_PARAM_SCHEMA, "\"required\": [\"spacing\"]");
    expect_in("pbf", SHOAL_PARAM_SCHEMA, "\"enum\": [\"cfm\", \"precomputed\"], \"default\": \"cfm\"");
}

// The manual names an alias, the schema has it as deprecated; only keys that are read from their table alone have one.
static void aliases_are_in_manual_and_schema(void** state) {
    (void)state;
    expect_in("pbf", SHOAL_PARAM_MARKDOWN, "| `clamp` | true or false | true |  | no pull; formerly no_pull |\n");
    expect_in(NULL, SHOAL_PARAM_SCHEMA,
              "\"no_pull\": {\"type\": \"boolean\", \"default\": true, \"deprecated\": true,");
    for (const shoal_param_block* b = shoal_param_blocks(); b->name; b++)
        for (const shoal_param_def* def = b->params; def->name; def++) {
            if (!def->alias) continue;
            assert_true(def->type != SHOAL_PARAM_OTHER && !isnan(def->value));
            assert_ptr_equal(shoal_param_find(b->params, def->alias), def);
        }
}

static void the_schema_asks_for_one_shape(void** state) {
    (void)state;
    const char one[] = "\"oneOf\": [{\"required\": [\"box\"]}, {\"required\": [\"sphere\"]}";
    expect_in(NULL, SHOAL_PARAM_SCHEMA, one);
    expect_in(NULL, SHOAL_PARAM_SCHEMA, "\"oneOf\": [{\"required\": [\"disc\"]}");
    expect_in(NULL, SHOAL_PARAM_SCHEMA, "\"oneOf\": [{\"required\": [\"min\", \"max\"]}, {\"required\": [\"size\"]}]");
    // the words are those of the table
    const shoal_param_block* blocks = shoal_param_blocks();
    while (strcmp(blocks->name, "shape") != 0) blocks++;
    const char* words = blocks->one_of;
    for (const shoal_param_def* def = blocks->params; def->type == SHOAL_PARAM_OTHER; def++) {
        assert_memory_equal(words, def->name, strlen(def->name));
        words += strlen(def->name);
        words += *words == '|';
    }
    assert_int_equal(*words, 0);
}

static void presets_are_a_table(void** state) {
    (void)state;
    expect_in("presets", SHOAL_PARAM_PLAIN, "  honey      liquid     1420       10 ");
    expect_in("presets", SHOAL_PARAM_MARKDOWN, "| `water` | liquid | 998.2 | 0.0010016 | 0.0728 |");
    expect_in(NULL, SHOAL_PARAM_MARKDOWN, "### `presets`");
    char* text = NULL;
    assert_int_equal(shoal_params_print("water", SHOAL_PARAM_PLAIN, &text), SHOAL_ERR_PARAM);
    assert_non_null(strstr(shoal_last_error(), "`shoal params presets` shows its values"));
    assert_int_equal(shoal_params_print("presets", SHOAL_PARAM_SCHEMA, &text), SHOAL_ERR_PARAM);
}

static void an_unknown_block_is_refused(void** state) {
    (void)state;
    char* text = (char*)1;
    assert_int_equal(shoal_params_print("pfb", SHOAL_PARAM_PLAIN, &text), SHOAL_ERR_PARAM);
    assert_null(text);
    assert_non_null(strstr(shoal_last_error(), "there is no block \"pfb\"; did you mean \"pbf\"?"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_block_of_a_scene_is_listed),
        cmocka_unit_test(the_forms_of_keys_name_blocks_that_exist),
        cmocka_unit_test(a_block_is_printed_as_table_and_as_markdown),
        cmocka_unit_test(the_schema_is_json_that_knows_words_and_ranges),
        cmocka_unit_test(aliases_are_in_manual_and_schema),
        cmocka_unit_test(the_schema_asks_for_one_shape),
        cmocka_unit_test(presets_are_a_table),
        cmocka_unit_test(an_unknown_block_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
