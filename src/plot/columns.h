// SPDX-License-Identifier: MIT
// What the columns of stats.csv mean: the chart and panel each belongs to, its unit, its words.
#ifndef SHOAL_COLUMNS_H
#define SHOAL_COLUMNS_H

#include "plot/table.h"

// clang-format off
// key, file stem, title
#define SHOAL_CHARTS(X)                            \
    X(ENERGY,   "energy",        "Energy")         \
    X(DENSITY,  "density-error", "Density error")  \
    X(VOLUME,   "volume",        "Volume")         \
    X(TIME,     "step-time",     "Step time")      \
    X(MOTION,   "motion",        "Motion")         \
    X(MOMENTUM, "momentum",      "Momentum")       \
    X(WATER,    "water",         "Water and sand") \
    X(SOLVER,   "solver",        "Solver")
// clang-format on
#define X(key, stem, title) SHOAL_CHART_##key,
typedef enum shoal_chart_key { SHOAL_CHARTS(X) SHOAL_CHART_COUNT } shoal_chart_key;
#undef X
const char* shoal_chart_stem(shoal_chart_key key);
const char* shoal_chart_title(shoal_chart_key key);

typedef struct shoal_column {
    shoal_chart_key chart;
    char            panel[64]; // columns of the same panel share it
    char            name[64];  // within the panel: "kinetic"; "" when it is alone there
    char            label[64]; // by itself: "kinetic energy"
    char            unit[16];
    bool            has_zero; // its axis begins at zero
    int             order;    // within its chart
} shoal_column;

// False for what is no quantity over time (frame, time_s). Names that are not known are told by
// their ending: heat_j is in J.
bool shoal_column_describe(const char* name, shoal_column* out);

// The columns of a table that belong to a chart, in the order of the list; gives their number. Room
// for all columns is needed.
int shoal_columns_of(const shoal_table* table, shoal_chart_key key, int* out);
// Whether a column is a number of particles that never changes, and so not worth a line.
bool shoal_column_is_idle(const shoal_table* table, int column);

#endif
