// SPDX-License-Identifier: MIT
// Inside of a comparison. For compare/ only.
//
//     DIR/runs/NAME/   the run of a variant, as `shoal run` leaves it
//     DIR/index.html  DIR/report.md  DIR/table.csv  DIR/plots/*  DIR/strip.png
//     DIR/failed/      the same of a comparison that failed, where DIR holds a report of before
#ifndef SHOAL_COMPARE_LOCAL_H
#define SHOAL_COMPARE_LOCAL_H

#include "base/memory.h"
#include "io/file.h"
#include "post/points.h"
#include "post/post_data.h"
#include "shoal/compare.h"

enum { COMPARE_STEM_SIZE = 96, COMPARE_MESSAGE_SIZE = 512, COMPARE_NAME_MOST = 80 };

typedef struct compare_result {
    const shoal_variant* variant;
    char                 stem[COMPARE_STEM_SIZE]; // of its folder, relative to DIR/runs
    char                 folder[SHOAL_PATH_SIZE];
    char                 solver[64];
    char                 message[COMPARE_MESSAGE_SIZE];
    bool                 was_run; // at least tried; else the comparison was stopped before
    bool                 has_camera;
    bool                 has_data;
    post_data            data;
    shoal_compare_row    row;
} compare_result;

typedef struct comparison {
    const shoal_compare_def* def;
    const char*              scene_path;
    char                     folder[SHOAL_PATH_SIZE];
    char                     report[SHOAL_PATH_SIZE]; // where the pages go: the folder, or `failed` in it
    bool                     is_aside;                // the latter
    char                     title[256];              // name of the scene
    int                      count;
    compare_result           results[SHOAL_VARIANTS_MOST];
    post_points              points;
    shoal_names              plots; // stems, in the order of the report
    bool                     has_strip;
} comparison;

// --- measure.c: stats to one row
void compare_measure(compare_result* result);

// --- compare_plots.c: every column that all variants share, overlaid
shoal_status compare_plot(comparison* c);

// --- strip.c: pictures side by side
shoal_status compare_strip(comparison* c);

// --- compare_table.c: the rows as words
enum { COMPARE_COLUMNS = 12, COMPARE_CELL_SIZE = 96 };
typedef struct compare_cells {
    const char* heads[COMPARE_COLUMNS];
    char        cells[SHOAL_VARIANTS_MOST][COMPARE_COLUMNS][COMPARE_CELL_SIZE];
    int         best[COMPARE_COLUMNS]; // the variant with the least; -1: not of a kind to be best in
} compare_cells;
shoal_status compare_cells_make(const comparison* c, compare_cells** out); // free with shoal_free
const char*  compare_status_word(const compare_result* r);                 // "done", "diverged", "failed" ...
// "solver sph, sph.substeps=4"; "as the scene says" when nothing is set.
void         compare_settings_text(const shoal_variant* variant, shoal_text* out);
shoal_status compare_table_text(const comparison* c, shoal_text* out);

// --- compare_pages.c: table.csv, report.md, index.html
shoal_status compare_write_pages(const comparison* c);

#endif
