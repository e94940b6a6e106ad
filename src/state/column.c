// SPDX-License-Identifier: MIT
// Columns that every solver has.
#include "state/column.h"

#include <stddef.h>
#include <string.h>

const shoal_column_def shoal_frame_columns[] = {SHOAL_FRAME_COLUMNS(SHOAL_COLUMN_ROW){0}};
const shoal_column_def shoal_sim_columns[]   = {SHOAL_SIM_COLUMNS(SHOAL_COLUMN_ROW){0}};
const shoal_column_def shoal_chart_columns[] = {SHOAL_CHART_COLUMNS(SHOAL_COLUMN_ROW){0}};

const shoal_column_def* shoal_column_find(const shoal_column_def* list, const char* name) {
    for (; list && list->name; list++)
        if (strcmp(list->name, name) == 0) return list;
    return NULL;
}

int shoal_column_count(const shoal_column_def* list) {
    int count = 0;
    while (list && list[count].name) count++;
    return count;
}
