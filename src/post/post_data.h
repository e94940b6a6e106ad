// SPDX-License-Identifier: MIT
// What a run measured, read back: its tables, and what they need to be understood. For post/ and
// compare/ only.
#ifndef SHOAL_POST_DATA_H
#define SHOAL_POST_DATA_H

#include "plot/table.h"
#include "scene/scene_access.h"
#include "state/solver.h"

typedef struct post_data {
    shoal_table              stats;   // with total_j and volume_m3; steps of frame 0 blank; no columns: no stats.csv
    shoal_table              probes;  // no columns: there is no probes.csv
    shoal_scene*             json;    // run.json as a tree; NULL: there is none that can be read
    double                   spacing; // m; NAN: not known
    const shoal_solver_type* type;    // by run.json, else by the columns; NULL: not known
} post_data;

// SHOAL_ERR_FILE without such a folder, SHOAL_ERR_INPUT when a table is wrong or there is none.
shoal_status post_data_read(const char* folder, post_data* out);
void         post_data_free(post_data* data); // also after a failure

// A text or number of run.json, at a dotted path; "" and NAN: not there.
const char* post_data_text(const post_data* data, const char* path);
double      post_data_number(const post_data* data, const char* path);
// "height" and "m" of a probe; its name and "" when run.json does not know it.
void post_data_probe(const post_data* data, const char* name, const char** kind, const char** unit);

#endif
