// SPDX-License-Identifier: MIT
// CSV in, numbers or a message with file and line out.
#include "unit/check.h"

#include "base/memory.h"
#include "plot/table.h"

static shoal_status parse(const char* text, shoal_table* out) {
    return shoal_table_parse(text, strlen(text), "a.csv", "material", out);
}

static void cells_come_by_column(void** state) {
    (void)state;
    shoal_table t;
    CHECK_OK(parse("time_s,front\n0,1\n0.5,-2e-3\n", &t));
    assert_int_equal(t.column_count, 2);
    assert_int_equal(t.row_count, 2);
    assert_string_equal(t.names[1], "front");
    CHECK_NEAR(shoal_table_named(&t, "front")[1], -0.002, 0.0);
    CHECK_NEAR(shoal_table_named(&t, "time_s")[1], 0.5, 0.0);
    assert_null(shoal_table_named(&t, "back"));
    shoal_table_free(&t);
}

static void blanks_remarks_and_line_ends_do_not_matter(void** state) {
    (void)state;
    shoal_table t;
    CHECK_OK(parse("\xef\xbb\xbf# measured by hand\r\n\r\n time_s , a \r\n 1 ,\t2 \r\n# between\r\n3,4", &t));
    assert_int_equal(t.row_count, 2);
    assert_string_equal(t.names[0], "time_s");
    CHECK_NEAR(shoal_table_named(&t, "a")[1], 4.0, 0.0);
    shoal_table_free(&t);
}

static void quoted_names_may_hold_commas_and_quotes(void** state) {
    (void)state;
    shoal_table t;
    CHECK_OK(parse("time_s,\"left, \"\"low\"\"\"\n1,2\n", &t));
    assert_string_equal(t.names[1], "left, \"low\"");
    shoal_table_free(&t);
}

static void empty_cells_and_nan_are_missing(void** state) {
    (void)state;
    shoal_table t;
    CHECK_OK(parse("a,b,c\n,nan,\n1,2,3\n", &t));
    for (int c = 0; c < 3; c++) assert_true(isnan(shoal_table_column(&t, c)[0]));
    shoal_table_free(&t);
}

static void a_column_of_words_keeps_them(void** state) {
    (void)state;
    shoal_table t;
    CHECK_OK(parse("frame,material\n1,water\n2,\"red, oil\"\n", &t));
    assert_string_equal(t.words[0], "water");
    assert_string_equal(t.words[1], "red, oil");
    assert_true(isnan(shoal_table_named(&t, "material")[0]));
    shoal_table_free(&t);
}

static void a_column_can_be_added(void** state) {
    (void)state;
    shoal_table  t;
    const double more[] = {7, 8};
    CHECK_OK(parse("a\n1\n2\n", &t));
    for (int i = 0; i < 40; i++) {
        char name[16];
        snprintf(name, sizeof name, "x%d", i);
        CHECK_OK(shoal_table_add(&t, name, more));
    }
    CHECK_NEAR(shoal_table_named(&t, "a")[1], 2.0, 0.0);
    CHECK_NEAR(shoal_table_named(&t, "x39")[1], 8.0, 0.0);
    shoal_table_free(&t);
}

static void broken_tables_are_reported_with_their_line(void** state) {
    (void)state;
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"", "a.csv:1: no head"},
        {"# only\n\n", "a.csv:3: no head"},
        {"a,b\n1,2\n3\n", "a.csv:3: 1 cell, the head has 2"},
        {"a,b,c\n1,2\n", "a.csv:2: 2 cells, the head has 3"},
        {"a,b\n1,2,3\n", "a.csv:2: more cells than the head's 2"},
        {"a,b\n\n1,two\n", "a.csv:3: \"two\" in column b is not a number"},
        {"a,b\n1,2 3\n", "a.csv:2: \"2 3\" in column b is not a number"},
        {"a,a\n", "a.csv:1: there are two columns of the name a"},
        {"a,,b\n", "a.csv:1: column 2 has no name"},
        {"a,\"b\n1,2\n", "a.csv:1: a quote is not closed"},
        {"a,\"b\"c\n1,2\n", "a.csv:1: a comma is missing after a quote"},
        {"a;b\n1;2\n", "a.csv:2: \"1;2\" in column a;b is not a number"},
        {"a,material\n1,\"x\"y\n", "a.csv:2: a comma is missing after a quote"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        shoal_table t;
        size_t      before = shoal_memory_in_use();
        assert_int_equal(parse(cases[i].text, &t), SHOAL_ERR_INPUT);
        if (!strstr(shoal_last_error(), cases[i].message))
            fail_msg("\"%s\" where \"%s\" was expected", shoal_last_error(), cases[i].message);
        assert_int_equal(t.column_count, 0);
        assert_int_equal(shoal_memory_in_use(), before);
    }
}

static void zero_bytes_are_not_taken_for_ends(void** state) {
    (void)state;
    shoal_table t;
    const char  text[] = "a,b\n1,2\0,3\n";
    assert_int_equal(shoal_table_parse(text, sizeof text - 1, "z.csv", NULL, &t), SHOAL_ERR_INPUT);
    const char head[] = "a\0b,c\n1,2\n";
    assert_int_equal(shoal_table_parse(head, sizeof head - 1, "z.csv", NULL, &t), SHOAL_ERR_INPUT);
}

static void a_missing_file_is_reported(void** state) {
    (void)state;
    shoal_table t;
    assert_int_equal(shoal_table_read("no/such/table.csv", NULL, &t), SHOAL_ERR_FILE);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cells_come_by_column),
        cmocka_unit_test(blanks_remarks_and_line_ends_do_not_matter),
        cmocka_unit_test(quoted_names_may_hold_commas_and_quotes),
        cmocka_unit_test(empty_cells_and_nan_are_missing),
        cmocka_unit_test(a_column_of_words_keeps_them),
        cmocka_unit_test(a_column_can_be_added),
        cmocka_unit_test(broken_tables_are_reported_with_their_line),
        cmocka_unit_test(zero_bytes_are_not_taken_for_ends),
        cmocka_unit_test(a_missing_file_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
