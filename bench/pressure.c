// SPDX-License-Identifier: MIT
// The pressure solver by itself: iterations and wall time, set-up and solve, on liquids of several
// sizes and shapes. Prints one JSON object per row; medians of 5 after one to warm up.
//
//     pressure              all rows, 2 threads
//     pressure poisson-1m   that row
#include <stdio.h>

#include "base/clock.h"
#include "liquids.h"

typedef struct row {
    const char* name;
    shape       shape;
    int         side;
    weights     weights;
} row;

// clang-format off
static const row rows[] = {
    {"poisson-32",        BLOCK,  32, GHOST}, {"poisson-64",        BLOCK,  64, GHOST}, {"poisson-1m",         BLOCK, 100, GHOST},
    {"poisson-blobs-32",  BLOBS,  32, GHOST}, {"poisson-blobs-64",  BLOBS,  64, GHOST}, {"poisson-blobs-100",  BLOBS, 100, GHOST},
    {"poisson-sheet-32",  SHEET,  32, GHOST}, {"poisson-sheet-64",  SHEET,  64, GHOST}, {"poisson-sheet-100",  SHEET, 100, GHOST},
    {"poisson-spray-32",  SPRAY,  32, ROUGH}, {"poisson-spray-64",  SPRAY,  64, ROUGH}, {"poisson-spray-100",  SPRAY, 100, ROUGH},
    {"poisson-closed-32", CLOSED, 32, ROUGH}, {"poisson-closed-64", CLOSED, 64, ROUGH}, {"poisson-closed-100", CLOSED, 100, ROUGH},
};
// clang-format on
enum { ROWS = sizeof rows / sizeof *rows, RUNS = 5 };

static int by_value(const void* a, const void* b) {
    double x = *(const double*)a, y = *(const double*)b;
    return (x > y) - (x < y);
}

static shoal_status measure(const row* r, int threads) {
    liquid               l       = pour(r->shape, r->side, r->weights);
    shoal_poisson_system system  = system_of(&l);
    shoal_poisson_def    def     = shoal_poisson_def_default();
    shoal_exec           exec    = shoal_exec_make(threads);
    shoal_poisson*       poisson = NULL;
    shoal_poisson_report report  = {0};
    double               set[RUNS], solve[RUNS];
    shoal_status         status = shoal_poisson_create(&poisson);
    for (int k = -1; k < RUNS && status == SHOAL_OK; k++) {
        double begin = shoal_seconds();
        status       = shoal_poisson_set(poisson, &exec, &def, &system);
        double ready = shoal_seconds();
        if (status == SHOAL_OK) status = shoal_poisson_solve(poisson, &exec, &def, l.rhs, l.pressure, false, &report);
        if (k < 0) continue;
        set[k]   = ready - begin;
        solve[k] = shoal_seconds() - ready;
    }
    if (status == SHOAL_OK) {
        qsort(set, RUNS, sizeof *set, by_value);
        qsort(solve, RUNS, sizeof *solve, by_value);
        printf("{\"name\":\"%s\",\"cells\":%d,\"threads\":%d,\"iterations\":%d,\"residual\":%.3g,"
               "\"set_ms\":%.4g,\"solve_ms\":%.4g}\n",
               r->name, l.count, threads, report.iterations, report.residual, 1e3 * set[RUNS / 2],
               1e3 * solve[RUNS / 2]);
    }
    shoal_poisson_destroy(poisson);
    liquid_free(&l);
    return status;
}

int main(int count, char** words) {
    for (int k = 0; k < ROWS; k++) {
        bool is_wanted = count == 1;
        for (int w = 1; w < count; w++) is_wanted = is_wanted || strcmp(words[w], rows[k].name) == 0;
        for (int threads = 1; threads <= 2 && is_wanted; threads++)
            if (measure(&rows[k], threads) != SHOAL_OK) {
                fprintf(stderr, "%s\n", shoal_last_error());
                return 1;
            }
    }
    return 0;
}
