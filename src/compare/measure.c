// SPDX-License-Identifier: MIT
// The statistics of a run as one row of the report.
#include "compare/compare_local.h"

#include <math.h>

static double last_of(const double* values, int count) { return values && count > 0 ? values[count - 1] : (double)NAN; }

static double most_of(const double* values, int count) {
    double most = (double)NAN;
    for (int i = 0; values && i < count; i++)
        if (!(values[i] <= most)) most = isnan(values[i]) ? most : values[i];
    return most;
}

// Over the frames that were simulated: frame 0 is as the scene was set up.
static double mean_after_start(const double* values, const double* substeps, int count) {
    double sum = 0.0;
    int    of  = 0;
    for (int i = 0; values && i < count; i++) {
        if ((substeps && substeps[i] == 0.0) || !isfinite(values[i])) continue;
        sum += values[i];
        of++;
    }
    return of > 0 ? sum / of : (double)NAN;
}

static void measure_time(const double* substeps, const double* step_ms, int count, shoal_compare_row* row) {
    double steps = 0.0, ms = 0.0;
    int    frames = 0;
    for (int i = 0; substeps && step_ms && i < count; i++) {
        if (!(substeps[i] > 0.0) || !isfinite(step_ms[i])) continue;
        steps += substeps[i];
        ms += substeps[i] * step_ms[i];
        frames++;
    }
    if (frames == 0) return;
    row->steps    = steps;
    row->step_ms  = ms / steps;
    row->frame_ms = ms / frames;
    row->total_s  = 1e-3 * ms;
}

void compare_measure(compare_result* r) {
    const shoal_table* t        = &r->data.stats;
    shoal_compare_row* row      = &r->row;
    int                count    = t->row_count;
    const double*      substeps = shoal_table_named(t, "substeps");
    const double*      mean     = shoal_table_named(t, "compression_avg_pct");
    const double*      energy   = shoal_table_named(t, "total_j");
    double             frame    = last_of(shoal_table_named(t, "frame"), count);
    row->frames                 = frame >= 0.0 && frame < 1e9 ? (int)frame : 0;
    row->particles              = last_of(shoal_table_named(t, "particles"), count);
    row->lost                   = post_data_number(&r->data, "removed.left");
    row->compression_avg_pct    = mean_after_start(mean, substeps, count);
    row->compression_peak_pct   = most_of(mean, count);
    row->compression_max_pct    = most_of(shoal_table_named(t, "compression_max_pct"), count);
    row->energy_start_j         = energy && count > 0 ? energy[0] : (double)NAN;
    row->energy_end_j           = last_of(energy, count);
    if (row->energy_start_j != 0.0)
        row->energy_change_pct = 100.0 * (row->energy_end_j - row->energy_start_j) / fabs(row->energy_start_j);
    measure_time(substeps, shoal_table_named(t, "step_ms"), count, row);
}
