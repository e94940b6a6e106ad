// SPDX-License-Identifier: MIT
// libshoal_files: charts of what a run measured.
#ifndef SHOAL_PLOT_H
#define SHOAL_PLOT_H

#include "shoal/base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct shoal_plot_def {
    // CSV files of measured points, ended by NULL: a column time_s, the others named as probes or
    // as columns of stats.csv. NULL: none.
    const char* const* points;
    int                width;                   // pixels
    void (*done)(const char* file, void* user); // after each file; NULL: silent
    void*    user;
    unsigned made_by_default;
} shoal_plot_def;
SHOAL_API shoal_plot_def shoal_plot_def_default(void);

// FOLDER/stats.csv and FOLDER/probes.csv into FOLDER/plots/*.svg and *.png: energy, density error,
// volume, step time, motion, momentum, what the solver tells of itself, and each probe. The units
// of probes and the small print are from FOLDER/run.json, when it is there.
SHOAL_API shoal_status shoal_plot_run(const shoal_plot_def* def, const char* folder);

#ifdef __cplusplus
}
#endif
#endif
