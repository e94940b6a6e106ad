// SPDX-License-Identifier: MIT
// The columns of stats.csv.
#include "mac/mac_level.h"
#include "solvers/flip/flip_local.h"

// clang-format off
// The columns of stats.csv, over the substeps of a frame; the totals have one entry for each.
#define FLIP_COLUMNS(X)                                                                                                                       \
    X(residual,      "",    SOLVER, FREE, "",                       "", "",                       "of the pressure solve, over its right side; the largest of the frame") \
    X(divergence_ps, "1/s", SOLVER, FREE, "",                       "", "",                       "largest divergence left in a liquid cell")                             \
    X(iterations,    "",    SOLVER, ZERO, "iterations per substep", "", "iterations per substep", "of the pressure solve, the most of a substep in this frame")           \
    X(volume_m3,     "m^3", VOLUME, ZERO, "volume",                 "level set", "volume",        "inside the level set and outside of solids")
// clang-format on
#define X(name, ...) TOTAL_##name,
enum { FLIP_COLUMNS(X) TOTAL_COUNT };
#undef X
_Static_assert((int)TOTAL_COUNT <= (int)SHOAL_TOTALS_MOST, "the totals have an entry for each column");

const shoal_column_def flip_columns[] = {FLIP_COLUMNS(SHOAL_COLUMN_ROW){0}};

static double volume_of(flip* s) {
    double sum = 0.0;
    if (s->is_mixed) shoal_granular_mixture_fraction(&s->mixture, &s->phases[0].mac, &s->ctx->exec);
    PHASES(s, p) sum += shoal_mac_volume(&p->mac, &s->ctx->exec);
    return sum;
}

void flip_add_totals(flip* s) {
    double* totals = s->ctx->totals;
    PHASES(s, p) {
        const shoal_poisson_report* report = &p->projection.report;
        totals[TOTAL_residual]             = fmax(totals[TOTAL_residual], report->residual);
        totals[TOTAL_divergence_ps]        = fmax(totals[TOTAL_divergence_ps], report->residual_max / s->dx);
        totals[TOTAL_iterations]           = fmax(totals[TOTAL_iterations], report->iterations);
    }
    totals[TOTAL_volume_m3] = volume_of(s);
}

void flip_begin_totals(flip* s) { s->ctx->totals[TOTAL_volume_m3] = volume_of(s); }

void flip_report(const void* self, double* values) {
    const flip* s = self;
    for (int k = 0; k < TOTAL_COUNT; k++) values[k] = s->ctx->totals[k];
}
