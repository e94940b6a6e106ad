// SPDX-License-Identifier: MIT
// Columns of a table as charts show them, by the rows of house and solver (state/column.h), and where they know none by
// the name. The solver may be NULL: it is not known.
#ifndef SHOAL_COLUMNS_H
#define SHOAL_COLUMNS_H

#include "plot/table.h"
#include "state/solver.h"

const char* shoal_chart_stem(shoal_chart_key key);
const char* shoal_chart_title(shoal_chart_key key);

typedef struct shoal_column {
    shoal_chart_key chart;
    char            panel[64]; // columns of the same panel share it
    char            name[64];  // within the panel: "kinetic"; "" when it is alone there
    char            label[64]; // by itself: "kinetic energy"
    char            unit[16];
    int             kind;  // bits SHOAL_COLUMN_...
    int             order; // within its chart
} shoal_column;

// False for columns that are no quantity over time (frame, time_s). Names in no list are recognised by their ending:
// heat_j is in J.
bool shoal_column_describe(const shoal_solver_type* type, const char* name, shoal_column* out);

// The columns of a table that belong to a chart, in the order of the list; gives their number. Room
// for all columns is needed.
int shoal_columns_of(const shoal_solver_type* type, const shoal_table* table, shoal_chart_key key, int* out);
// Whether a column is a number of particles that never changes, and so not worth a line.
bool shoal_column_is_idle(const shoal_solver_type* type, const shoal_table* table, int column);

#endif
