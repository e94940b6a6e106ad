// SPDX-License-Identifier: MIT
// Columns find their chart, words and unit.
#include "unit/check.h"

#include "plot/columns.h"

static void known_columns_are_reported_by_the_list(void** state) {
    (void)state;
    shoal_column c;
    assert_true(shoal_column_describe(NULL, "kinetic_j", &c));
    assert_int_equal(c.chart, SHOAL_CHART_ENERGY);
    assert_string_equal(c.name, "kinetic");
    assert_string_equal(c.label, "kinetic energy");
    assert_string_equal(c.unit, "J");
    assert_string_equal(shoal_chart_stem(c.chart), "energy");
    assert_string_equal(shoal_chart_title(c.chart), "Energy");
}

static void unknown_columns_are_reported_by_their_ending(void** state) {
    (void)state;
    shoal_column c;
    assert_true(shoal_column_describe(NULL, "wall_force_n", &c));
    assert_int_equal(c.chart, SHOAL_CHART_SOLVER);
    assert_string_equal(c.label, "wall force");
    assert_string_equal(c.unit, "N");
    assert_true(shoal_column_describe(NULL, "divergence_iterations", &c));
    assert_string_equal(c.label, "divergence iterations");
    assert_string_equal(c.unit, "");
}

static void frame_and_time_are_no_quantities(void** state) {
    (void)state;
    shoal_column c;
    assert_false(shoal_column_describe(NULL, "frame", &c));
    assert_false(shoal_column_describe(NULL, "time_s", &c));
}

static void long_names_are_cut(void** state) {
    (void)state;
    char         name[500];
    shoal_column c;
    memset(name, 'a', sizeof name - 1);
    name[sizeof name - 1] = 0;
    assert_true(shoal_column_describe(NULL, name, &c));
    assert_int_equal(strlen(c.label), 60);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_columns_are_reported_by_the_list),
        cmocka_unit_test(unknown_columns_are_reported_by_their_ending),
        cmocka_unit_test(frame_and_time_are_no_quantities),
        cmocka_unit_test(long_names_are_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
