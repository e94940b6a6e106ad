// SPDX-License-Identifier: MIT
#include "param/param.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

// clang-format off
#define TOY_PARAMS(X, S)                                                                  \
    X(S, count,  INT,        3,    1,    64,  "",      "whole")                           \
    X(S, size,   FLOAT,      0.1,  0.01, 10,  "m",     "single")                          \
    X(S, is_on,  BOOL,       1,    0,    1,   "",      "flag")                            \
    X(S, push,   V3,         -2,   -10,  10,  "m/s^2", "vector")                          \
    X(S, how,    WORD,       1,    0,    0,   "plain|quick|careful", "word")              \
    X(S, steps,  AUTO_INT,   0,    1,    9,   "",      "whole or auto")                   \
    X(S, width,  AUTO_FLOAT, 0,    0.5,  2,   "m",     "number or auto")                  \
    X(S, time,   DOUBLE,     NAN,  0,    1e9, "s",     "must be given")                   \
    X(S, corner, D3,         INFINITY, -5, 5, "m",     "may be left out")                 \
    X(S, list,   OTHER,      0,    0,    0,   "[text]", "something else")
// clang-format on
SHOAL_PARAMS_DECLARE(toy, TOY_PARAMS)
SHOAL_PARAMS_DEFINE(toy, TOY_PARAMS)

static const shoal_param_def* named(const char* name) {
    const shoal_param_def* def = shoal_param_find(toy_table, name);
    assert_non_null(def);
    return def;
}

static shoal_status set(toy* p, const char* name, double value) {
    return shoal_param_set_numbers(named(name), p, &value, 1);
}

static void defaults_are_those_of_the_list(void** state) {
    (void)state;
    toy p;
    memset(&p, 0xff, sizeof p);
    shoal_params_default(toy_table, &p);
    assert_int_equal(p.count, 3);
    assert_true(p.size == 0.1f && p.is_on && p.how == 1 && p.steps == 0 && p.width == 0.0f);
    assert_true(p.push.x == 0.0f && p.push.y == -2.0f && p.push.z == 0.0f);
    assert_true(isnan(p.time) && isinf(p.corner.x) && isinf(p.corner.z) && !p.list);
    assert_null(shoal_param_find(toy_table, "none"));
}

static void values_in_range_are_stored(void** state) {
    (void)state;
    toy          p;
    const double v[] = {1, 2, 3};
    shoal_params_default(toy_table, &p);
    assert_int_equal(set(&p, "count", 64), SHOAL_OK);
    assert_int_equal(set(&p, "size", 0.01), SHOAL_OK); // its limit as a float
    assert_int_equal(set(&p, "is_on", 0), SHOAL_OK);
    assert_int_equal(set(&p, "steps", 9), SHOAL_OK);
    assert_int_equal(set(&p, "time", 0.1), SHOAL_OK);
    assert_int_equal(shoal_param_set_numbers(named("push"), &p, v, 3), SHOAL_OK);
    assert_int_equal(shoal_param_set_numbers(named("corner"), &p, v, 3), SHOAL_OK);
    assert_int_equal(shoal_param_set_word(named("how"), &p, "careful"), SHOAL_OK);
    assert_int_equal(shoal_param_set_word(named("width"), &p, "auto"), SHOAL_OK);
    assert_int_equal(shoal_param_set_word(named("is_on"), &p, "true"), SHOAL_OK);
    assert_true(p.count == 64 && p.is_on && p.steps == 9 && p.time == 0.1 && p.how == 2 && p.push.z == 3.0f);
    assert_true(shoal_param_get(named("push"), &p, 1) == 2.0 && shoal_param_get(named("corner"), &p, 2) == 3.0);
    assert_true(shoal_param_get(named("how"), &p, 0) == 2.0 && shoal_param_get(named("is_on"), &p, 0) == 1.0);
}

static void wrong_values_change_nothing_and_say_why(void** state) {
    (void)state;
    toy p, before;
    memset(&p, 0, sizeof p);
    shoal_params_default(toy_table, &p);
    before = p;
    const struct {
        const char* name;
        double      value;
        const char* text;
    } numbers[] = {
        {"count", 0, "count = 0 is outside [1, 64]"},
        {"count", 1.5, "count = 1.5 is not a whole number"},
        {"count", 1e300, "count = 1e+300 is outside"},
        {"size", 11, "size = 11 is outside [0.01, 10] m"},
        {"size", (double)NAN, "size = nan is not a finite number"},
        {"size", 1e300, "is outside"},
        {"is_on", 2, "is_on takes true or false, not 2"},
        {"how", 1, "how takes a word (plain|quick|careful), not a number"},
        {"steps", 0, "steps = 0 is outside [1, 9]"},
        {"steps", -1, "steps = -1 is outside [1, 9]"},
        {"width", 0.25, "width = 0.25 is outside [0.5, 2] m"},
        {"push", 1, "push takes three numbers [x, y, z], 1 is given"},
        {"list", 1, "list takes no number"},
        {"time", -HUGE_VAL, "time = -inf is not a finite number"},
    };
    for (size_t k = 0; k < sizeof numbers / sizeof numbers[0]; k++) {
        assert_int_equal(set(&p, numbers[k].name, numbers[k].value), SHOAL_ERR_PARAM);
        if (!strstr(shoal_last_error(), numbers[k].text)) print_error("%s\n", shoal_last_error());
        assert_non_null(strstr(shoal_last_error(), numbers[k].text));
    }
    const double v[] = {1, -11, 3};
    assert_int_equal(shoal_param_set_numbers(named("push"), &p, v, 3), SHOAL_ERR_PARAM);
    assert_string_equal(shoal_last_error(), "push.y = -11 is outside [-10, 10] m/s^2");
    assert_int_equal(shoal_param_set_word(named("how"), &p, "carefull"), SHOAL_ERR_PARAM);
    assert_string_equal(shoal_last_error(),
                        "how = \"carefull\" is not one of plain, quick, careful; did you mean \"careful\"?");
    assert_int_equal(shoal_param_set_word(named("count"), &p, "auto"), SHOAL_ERR_PARAM);
    assert_string_equal(shoal_last_error(), "count takes a whole number, not \"auto\"");
    assert_int_equal(shoal_param_set_word(named("steps"), &p, "many"), SHOAL_ERR_PARAM);
    assert_string_equal(shoal_last_error(), "steps takes a number or the word auto, not \"many\"");
    assert_memory_equal(&p, &before, sizeof p);
}

static void numbers_are_printed_in_the_fewest_digits(void** state) {
    (void)state;
    char buffer[32];
    assert_string_equal(shoal_number_print(0.1, false, buffer), "0.1");
    assert_string_equal(shoal_number_print((double)0.3f, true, buffer), "0.3");
    assert_string_equal(shoal_number_print((double)0.3f, false, buffer), "0.30000001192092896");
    assert_string_equal(shoal_number_print(1e6, false, buffer), "1000000");
    assert_string_equal(shoal_number_print(1e9, true, buffer), "1e+09");
    assert_string_equal(shoal_number_print(2147483647.0, true, buffer), "2147483647");
    assert_string_equal(shoal_number_print(1.0 / 3.0, false, buffer), "0.3333333333333333");
    assert_string_equal(shoal_number_print(-0.0, false, buffer), "0");
    assert_string_equal(shoal_number_print(1e-9, false, buffer), "1e-09");
}

static void values_are_written_as_json(void** state) {
    (void)state;
    toy p;
    shoal_params_default(toy_table, &p);
    shoal_text text = {0};
    shoal_param_json(&text, toy_table, &p, true);
    assert_string_equal(text.bytes, "\"count\": 3, \"size\": 0.1, \"is_on\": true, \"push\": [0, -2, 0], "
                                    "\"how\": \"quick\", \"steps\": \"auto\", \"width\": \"auto\"");
    shoal_text_free(&text);
    shoal_json_string(&text, "a\"b\\c\n\xc3\xa4");
    assert_string_equal(text.bytes, "\"a\\\"b\\\\c\\u000a\xc3\xa4\"");
    shoal_text_free(&text);
}

static void bytes_from_outside_are_checked_like_values(void** state) {
    (void)state;
    toy p;
    shoal_params_default(toy_table, &p);
    assert_int_equal(shoal_params_check(toy_table, &p), SHOAL_OK);
    p.count = 65;
    assert_int_equal(shoal_params_check(toy_table, &p), SHOAL_ERR_PARAM);
    assert_string_equal(shoal_last_error(), "count = 65 is outside [1, 64]");
    p.count = 3, p.size = NAN;
    assert_int_equal(shoal_params_check(toy_table, &p), SHOAL_ERR_PARAM);
    p.size = 0.1f, p.how = 3;
    assert_int_equal(shoal_params_check(toy_table, &p), SHOAL_ERR_PARAM);
    p.how = -1;
    assert_int_equal(shoal_params_check(toy_table, &p), SHOAL_ERR_PARAM);
    p.how = 2;
    memset(&p.is_on, 7, 1);
    assert_int_equal(shoal_params_check(toy_table, &p), SHOAL_ERR_PARAM);
    p.is_on = true, p.push.z = 11.0f;
    assert_int_equal(shoal_params_check(toy_table, &p), SHOAL_ERR_PARAM);
    p.push.z = 1.0f;
    assert_int_equal(shoal_params_check(toy_table, &p), SHOAL_OK);
}

static bool scene_says(const void* scene, const char* phrase) { return strcmp(scene, phrase) == 0; }

static void what_a_parameter_needs_is_read_off_its_row(void** state) {
    (void)state;
    toy p;
    shoal_params_default(toy_table, &p);
    static const struct {
        const char* needs;
        bool        acts;
    } rows[] = {
        {NULL, true},
        {"how: quick", true},
        {"how: plain|quick", true},
        {"how: plain|careful", false},
        {"steps: auto", true},
        {"steps: >3", false},
        {"count: >2", true},
        {"count: >3", false},
        {"is_on: true", true},
        {"is_on: false", false},
        {"sand", true},
        {"a liquid", false},
        {"how: plain or sand", true},
        {"how: plain and sand or a liquid", false},
        {"a liquid or how: quick and sand and steps: auto|>3", true},
        {"a liquid or how: quick and sand and steps: >3", false},
        {"none_of_ours: auto", true},
    };
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) {
        shoal_param_def def = *named("size");
        def.needs           = rows[k].needs;
        if (shoal_param_acts(toy_table, &def, &p, scene_says, "sand") != rows[k].acts) fail_msg("%s", rows[k].needs);
    }
    // a key that has no effect counts as its default
    shoal_param_def chain[] = {*named("how"), *named("size"), {0}};
    chain[0].needs          = "a liquid";
    chain[1].needs          = "how: quick"; // its default
    p.how                   = 2;
    assert_false(shoal_param_acts(toy_table, &chain[1], &p, scene_says, "sand"));
    assert_true(shoal_param_acts(chain, &chain[1], &p, scene_says, "sand"));
    char            buffer[64];
    shoal_param_def def = *named("size");
    assert_string_equal(shoal_param_needs(&def, buffer, sizeof buffer), "");
    def.needs = "how: plain|quick and sand";
    assert_string_equal(shoal_param_needs(&def, buffer, sizeof buffer), "how: plain or quick and sand");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults_are_those_of_the_list),
        cmocka_unit_test(values_in_range_are_stored),
        cmocka_unit_test(wrong_values_change_nothing_and_say_why),
        cmocka_unit_test(numbers_are_printed_in_the_fewest_digits),
        cmocka_unit_test(values_are_written_as_json),
        cmocka_unit_test(bytes_from_outside_are_checked_like_values),
        cmocka_unit_test(what_a_parameter_needs_is_read_off_its_row),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
