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
static inline void truth_figure(const char* what, const char* solver, double value,
                                const char* unit, double low, double high) {
    bool is_met =
        isinf(low) || isinf(high) ? low < value && value < high : low <= value && value <= high;
    const char* file = getenv("SHOAL_TRUTH_ROWS");
    printf("%s, %s: %.6g %s, band %.6g to %.6g%s\n", what, solver, value, unit, low, high,
           is_met ? "" : ", MISSED");
    if (file) {
        FILE* rows = fopen(file, "a");
        assert_non_null(rows);
        fprintf(rows, "%s\t%s\t%.9g\t%s\t%.9g\t%.9g\t%s\n", what, solver, value, unit, low, high,
                is_met ? "met" : "missed");
        assert_int_equal(fclose(rows), 0);
    } else if (!is_met) {
        fail_msg("%s, %s: %.9g %s, must lie between %.9g and %.9g", what, solver, value, unit, low,
                 high);
    }
}

static inline void truth_near(const char* what, const char* solver, double value, const char* unit,
                              double wanted, double tolerance) {
    truth_figure(what, solver, value, unit, wanted - tolerance, wanted + tolerance);
}

static inline void truth_below(const char* what, const char* solver, double value, const char* unit,
                               double limit) {
    truth_figure(what, solver, value, unit, -(double)INFINITY, limit);
}

static inline void truth_above(const char* what, const char* solver, double value, const char* unit,
                               double limit) {
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

// The main of a truth program, whose `solvers` are words ("flip", "pbf sph"): runs all tests, or
// those that match the pattern argv[1]; `--list` says the solvers, and the name of each test.
#define TRUTH_RUN(solvers, tests, argc, argv)                                                      \
    (truth_lists((solvers), (tests), sizeof(tests) / sizeof *(tests), (argc), (argv))              \
         ? 0                                                                                       \
         : cmocka_run_group_tests((tests), NULL, NULL))

static inline bool truth_lists(const char* solvers, const struct CMUnitTest* tests, size_t count,
                               int argc, char** argv) {
    bool lists = argc > 1 && strcmp(argv[1], "--list") == 0;
    if (lists) printf("%s\n", solvers);
    for (size_t k = 0; lists && k < count; k++)
        printf("%s\n", tests[k].name);
    if (argc > 1 && !lists) cmocka_set_test_filter(argv[1]);
    return lists;
}

#endif
