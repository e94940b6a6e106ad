// SPDX-License-Identifier: MIT
// Rows of columns, and the endings that tell a unit.
#include "plot/columns.h"

#include <stdio.h>
#include <string.h>

#define X(key, stem, title) stem,
static const char* const stems[] = {SHOAL_CHARTS(X)};
#undef X
#define X(key, stem, title) title,
static const char* const titles[] = {SHOAL_CHARTS(X)};
#undef X

const char* shoal_chart_stem(shoal_chart_key key) { return stems[key]; }
const char* shoal_chart_title(shoal_chart_key key) { return titles[key]; }

// clang-format off
static const struct {
    const char *ending, *unit;
} endings[] = {
    {"_kgmps", "kg m/s"}, {"_mps", "m/s"}, {"_pct", "%"}, {"_ms", "ms"}, {"_pa", "Pa"}, {"_m3", "m^3"}, {"_m2", "m^2"},
    {"_kg", "kg"}, {"_nm", "N m"}, {"_j", "J"}, {"_m", "m"}, {"_s", "s"}, {"_n", "N"}, {"_w", "W"},
};
// clang-format on

// "kg m/s" as "kg·m/s", "m^3" as "m³".
static void print_unit(const char* unit, char* out, size_t size) {
    size_t used = 0;
    for (; *unit && used + 3 < size; unit++) {
        const char* as = *unit == ' '                  ? "·"
                         : strncmp(unit, "^2", 2) == 0 ? "²"
                         : strncmp(unit, "^3", 2) == 0 ? "³"
                                                       : NULL;
        if (!as) out[used++] = *unit;
        while (as && *as) out[used++] = *as++;
        if (*unit == '^') unit++;
    }
    out[used] = 0;
}

// As people say it: "pressure_iterations" -> "pressure iterations", its unit apart.
static void describe_by_name(const char* name, shoal_column* out) {
    size_t length = strlen(name);
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        size_t tail = strlen(endings[i].ending);
        if (length <= tail || strcmp(name + length - tail, endings[i].ending) != 0) continue;
        print_unit(endings[i].unit, out->unit, sizeof out->unit);
        length -= tail;
        break;
    }
    snprintf(out->label, sizeof out->label, "%.*s", (int)(length < 60 ? length : 60), name);
    for (char* c = out->label; *c; c++)
        if (*c == '_') *c = ' ';
    snprintf(out->panel, sizeof out->panel, "%s", out->label);
}

// Columns of an obstacle, whose name comes first.
static const shoal_column_def* find_ending(const shoal_column_def* list, const char* name) {
    size_t length = strlen(name);
    for (; list && list->name; list++) {
        size_t tail = strlen(list->name);
        if (length > tail + 1 && name[length - tail - 1] == '_' && strcmp(name + length - tail, list->name) == 0)
            return list;
    }
    return NULL;
}

// The row of a column, and its place among all; NULL: no list has it.
static const shoal_column_def* find_row(const shoal_solver_type* type, const char* name, int* order) {
    const shoal_column_def* const lists[] = {type ? type->columns : NULL, shoal_chart_columns, shoal_frame_columns,
                                             shoal_sim_columns};
    const int                     rank[]  = {3, 0, 1, 2}; // of these lists in a chart
    for (int k = 0; k < 4; k++) {
        const shoal_column_def* row = shoal_column_find(lists[k], name);
        if (row) *order = 1000 * rank[k] + (int)(row - lists[k]);
        if (row) return row;
    }
    *order = 4000;
    return type ? find_ending(type->obstacle_columns, name) : NULL;
}

bool shoal_column_describe(const shoal_solver_type* type, const char* name, shoal_column* out) {
    *out                        = (shoal_column){.chart = SHOAL_CHART_SOLVER};
    const shoal_column_def* row = find_row(type, name, &out->order);
    describe_by_name(name, out);
    if (!row) return true;
    if (row->chart == SHOAL_CHART_NONE) return false;
    out->chart = row->chart;
    out->kind  = row->kind;
    print_unit(row->unit, out->unit, sizeof out->unit);
    if (*row->panel) snprintf(out->panel, sizeof out->panel, "%s", row->panel);
    if (*row->line) snprintf(out->name, sizeof out->name, "%s", row->line);
    if (*row->label) snprintf(out->label, sizeof out->label, "%s", row->label);
    return true;
}

int shoal_columns_of(const shoal_solver_type* type, const shoal_table* table, shoal_chart_key key, int* out) {
    int          count = 0;
    shoal_column a, b;
    for (int c = 0; c < table->column_count; c++) {
        if (!shoal_column_describe(type, table->names[c], &a) || a.chart != key) continue;
        int at = count++;
        for (; at > 0; at--) {
            shoal_column_describe(type, table->names[out[at - 1]], &b);
            if (b.order <= a.order) break;
            out[at] = out[at - 1];
        }
        out[at] = c;
    }
    return count;
}

bool shoal_column_is_idle(const shoal_solver_type* type, const shoal_table* table, int column) {
    shoal_column  column_info;
    const double* values = shoal_table_column(table, column);
    if (!shoal_column_describe(type, table->names[column], &column_info)) return false;
    if ((column_info.kind & SHOAL_COLUMN_COUNT) != SHOAL_COLUMN_COUNT) return false;
    for (int i = 1; i < table->row_count; i++)
        if (values[i] != values[0]) return false;
    return true;
}
