// SPDX-License-Identifier: MIT
// Figures of truth tests: what was measured, and the band in which it must lie. All of them go
// through truth_figure, so that `script/truth` makes its table from the bands that are asserted,
// and not from typed ones. For that it runs the programs with SHOAL_TRUTH_ROWS naming a file: then
// each figure is a row of it, and a miss is a verdict there instead of the end of the test.
#ifndef SHOAL_TRUTH_FIGURE_H
#define SHOAL_TRUTH_FIGURE_H

#include "unit/check.h"

// `what` tells the case and its figure to a reader who sees nothing else, the same in each run
// ("Bui's column, 20 cells: front"); no tabs, no |. A band of two ends includes them; that of one
// end, the other infinite, excludes it: "more than 1 time as much" is not met by an effect that has
// vanished.
static inline void truth_figure(const char* what, const char* solver, double value, const char* unit, double low,
                                double high) {
    bool        is_met = isinf(low) || isinf(high) ? low < value && value < high : low <= value && value <= high;
    const char* file   = getenv("SHOAL_TRUTH_ROWS");
    printf("%s, %s: %.6g %s, band %.6g to %.6g%s\n", what, solver, value, unit, low, high, is_met ? "" : ", MISSED");
    if (file) {
        FILE* rows = fopen(file, "a");
        assert_non_null(rows);
        fprintf(rows, "%s\t%s\t%.9g\t%s\t%.9g\t%.9g\t%s\n", what, solver, value, unit, low, high,
                is_met ? "met" : "missed");
        assert_int_equal(fclose(rows), 0);
    } else if (!is_met) {
        fail_msg("%s, %s: %.9g %s, must lie between %.9g and %.9g", what, solver, value, unit, low, high);
    }
}

static inline void truth_near(const char* what, const char* solver, double value, const char* unit, double wanted,
                              double tolerance) {
    truth_figure(what, solver, value, unit, wanted - tolerance, wanted + tolerance);
}

static inline void truth_below(const char* what, const char* solver, double value, const char* unit, double limit) {
    truth_figure(what, solver, value, unit, -(double)INFINITY, limit);
}

static inline void truth_above(const char* what, const char* solver, double value, const char* unit, double limit) {
    truth_figure(what, solver, value, unit, limit, (double)INFINITY);
}

// The text of a case, as by printf; valid until the next call.
__attribute__((format(printf, 1, 2))) static inline const char* truth_case(const char* form, ...) {
    static char text[256];
    va_list     values;
    va_start(values, form);
    int length = vsnprintf(text, sizeof text, form, values);
    va_end(values);
    assert_in_range(length, 1, sizeof text - 1);
    return text;
}

// A test that takes long and holds what others hold in part: by script/truth alone, or by name.
#define TRUTH_LONG(test)                                                                                               \
    { #test, test, NULL, NULL, truth_long }
static char truth_long[] = "long";

// Whether tests were asked for by name, as script/truth does: then a test takes all of its cases, else those that no
// other holds.
static bool truth_in_full;

// The main of a truth program, whose `solvers` are words ("flip", "pbf sph"): runs all tests but the
// long ones, or those that match the pattern argv[1] or SHOAL_TEST; `--list` says the solvers, and
// the name of each test.
#define TRUTH_RUN(solvers, tests, argc, argv)                                                                          \
    truth_run((solvers), (tests), sizeof(tests) / sizeof *(tests), (argc), (argv))

static inline int truth_run(const char* solvers, const struct CMUnitTest* tests, size_t count, int argc, char** argv) {
    struct CMUnitTest chosen[64];
    bool              lists = argc > 1 && strcmp(argv[1], "--list") == 0;
    truth_in_full           = argc > 1 || getenv("SHOAL_TEST");
    size_t taken            = 0;
    assert_true(count <= sizeof chosen / sizeof *chosen);
    if (lists) printf("%s\n", solvers);
    for (size_t k = 0; k < count; k++) {
        if (lists) printf("%s\n", tests[k].name);
        if (truth_in_full || tests[k].initial_state != truth_long) chosen[taken++] = tests[k];
    }
    if (lists) return 0;
    if (argc > 1) cmocka_set_test_filter(argv[1]);
    return _cmocka_run_group_tests("tests", chosen, taken, NULL, NULL);
}

#endif
