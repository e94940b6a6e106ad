// SPDX-License-Identifier: MIT
// libshoal_files: one scene under several solvers and settings, and a report of what differs.
#ifndef SHOAL_COMPARE_H
#define SHOAL_COMPARE_H

#include "shoal/files.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { SHOAL_VARIANTS_MOST = 64 };

typedef struct shoal_variant {
    const char*        name;     // in the report, and of its folder; unique
    const char*        solver;   // NULL: as the scene and the settings say
    const char* const* settings; // "pbf.iterations=10", as --set has it, ended by NULL; NULL: none
} shoal_variant;

// What became of a variant. Numbers that are not known are NAN.
typedef struct shoal_compare_row {
    const char*  variant;
    const char*  solver;
    shoal_status status;
    const char*  message; // of a failure; "" none
    const char*  folder;  // of its run
    int          frames;  // simulated, after the start
    double       particles, steps;
    double       lost;                 // particles that left the domain, not by a sink
    double       compression_avg_pct;  // mean over time of the mean over particles
    double       compression_peak_pct; // its largest over time
    double       compression_max_pct;  // of any particle at any time
    double       energy_start_j, energy_end_j, energy_change_pct;
    double       frame_ms, step_ms, total_s; // wall time of the steps, without output
} shoal_compare_row;

typedef struct shoal_compare_def {
    const char*          folder; // of the report; NULL: out/STEM-compare
    const shoal_variant* variants;
    int                  variant_count;
    const char* const*   settings; // of all variants, before their own; ended by NULL; NULL: none
    const char* const*   points;   // CSV files laid over the plots, as for shoal_plot_run; NULL: none
    int                  last;     // frames to simulate; < 0: as the scene says
    int                  threads;  // 0: all cores
    const char*          device;   // as in shoal_sim_def; NULL: the CPU
    bool                 force;    // variants that are there are run anew
    bool                 pictures; // a strip of pictures also when the scene has no camera
    const char*          command;  // what was typed, for the report; NULL: not given
    void (*begin)(int index, const shoal_variant* variant, void* user);
    void (*progress)(int index, const shoal_progress* now, void* user);
    void (*note)(const char* text, void* user);
    void (*fault)(const char* variant, const char* message, void* user);
    void (*done)(int index, const shoal_compare_row* row, void* user); // after each variant
    void (*table)(const char* text, void* user);                       // at the end, as aligned lines
    bool (*stop)(void* user);                                          // asked between substeps; NULL: never
    void*    user;
    unsigned made_by_default;
} shoal_compare_def;
SHOAL_API shoal_compare_def shoal_compare_def_default(void);

// Runs each variant into FOLDER/runs/NAME, where one that is finished is kept and one that was
// ended goes on, then writes index.html, report.md, table.csv, plots/*.svg and *.png and strip.png.
// A variant that fails is reported and the others are still run; the status is then that of the first
// one. SHOAL_ERR_INTERRUPTED: stopped; the report holds the runs so far. Where FOLDER holds a report already, one of a
// comparison that did not end well goes to FOLDER/failed; with `force` only one that was refused does.
SHOAL_API shoal_status shoal_compare(const shoal_compare_def* def, const char* scene_path);
// The folder of the report: def->folder or out/STEM-compare. Writes at most `capacity` bytes.
SHOAL_API void shoal_compare_folder(const shoal_compare_def* def, const char* scene_path, char* out, size_t capacity);

#ifdef __cplusplus
}
#endif
#endif
