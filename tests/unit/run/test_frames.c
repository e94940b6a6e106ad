// SPDX-License-Identifier: MIT
// The grammar of --frames.
#include "unit/check.h"

#include "run/frames.h"

static void what_is_of_the_grammar_is_read(void** state) {
    (void)state;
    static const struct {
        const char *text, *held, *not_held;
        int         first, last;
    } rows[] = {
        {"7", "7", "0 6 8", 7, 7},
        {"3..5", "3 4 5", "2 6", 3, 5},
        {"3-5", "3 4 5", "2 6", 3, 5},
        {"0..10:4", "0 4 8", "1 10 12", 0, 8},
        {"12,0..2,20-24:2", "0 1 2 12 20 22 24", "3 11 13 21", 0, 24},
        {"999999", "999999", "99999", 999999, 999999},
    };
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) {
        run_frames frames;
        int        first, last;
        assert_true(run_frames_parse(rows[k].text, &frames));
        for (char* at = (char*)(uintptr_t)rows[k].held; *at;)
            assert_true(run_frames_hold(&frames, (int)strtol(at, &at, 10)));
        for (char* at = (char*)(uintptr_t)rows[k].not_held; *at;)
            assert_false(run_frames_hold(&frames, (int)strtol(at, &at, 10)));
        assert_true(shoal_frames_read(rows[k].text, &first, &last));
        assert_int_equal(first, rows[k].first);
        assert_int_equal(last, rows[k].last);
    }
}

static void what_is_not_is_refused(void** state) {
    (void)state;
    static const char* const wrong[] = {"",    ",",        "1,",  "x",      "3..1",  "1..",     "..3",
                                        "-3",  "1...3",    "1:2", "1..3:0", "1..3:", "1000000", "99999999999999999999",
                                        "1 2", "1..3:1:2", "0x3"};
    for (size_t k = 0; k < sizeof wrong / sizeof wrong[0]; k++)
        if (shoal_frames_read(wrong[k], NULL, NULL)) fail_msg("\"%s\" is taken", wrong[k]);
    char many[400] = "1"; // more ranges than there is room for
    for (int k = 0; k < RUN_RANGES_MOST; k++) strcat(many, ",1");
    assert_false(shoal_frames_read(many, NULL, NULL));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_of_the_grammar_is_read),
        cmocka_unit_test(what_is_not_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
