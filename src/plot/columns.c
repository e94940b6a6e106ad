// SPDX-License-Identifier: MIT
// The list of columns, and the endings that tell a unit.
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

typedef struct known {
    const char*     column;
    shoal_chart_key chart;
    const char *    panel, *name, *label, *unit;
    bool            has_zero;
} known;

// clang-format off
// total_j and volume_m3 are made from other columns
static const known columns[] = {
    {"kinetic_j",           SHOAL_CHART_ENERGY,   "energy",              "kinetic",   "kinetic energy",      "J",      true },
    {"potential_j",         SHOAL_CHART_ENERGY,   "energy",              "potential", "potential energy",    "J",      true },
    {"elastic_j",           SHOAL_CHART_ENERGY,   "energy",              "springs",   "energy of springs",   "J",      true },
    {"rotation_j",          SHOAL_CHART_ENERGY,   "energy",              "spins",     "energy of spins",     "J",      true },
    {"total_j",             SHOAL_CHART_ENERGY,   "energy",              "total",     "total energy",        "J",      true },
    {"compression_avg_pct", SHOAL_CHART_DENSITY,  "mean compression",    "",          "mean compression",    "%",      true },
    {"compression_max_pct", SHOAL_CHART_DENSITY,  "largest compression", "",          "largest compression", "%",      true },
    {"volume_m3",           SHOAL_CHART_VOLUME,   "volume",              "particles", "volume",              "m³",     true },
    {"particles",           SHOAL_CHART_VOLUME,   "particles",           "now",       "particles",           "",       true },
    {"emitted",             SHOAL_CHART_VOLUME,   "particles",           "emitted",   "particles emitted",   "",       true },
    {"removed",             SHOAL_CHART_VOLUME,   "particles",           "removed",   "particles removed",   "",       true },
    {"step_ms",             SHOAL_CHART_TIME,     "time per substep",    "",          "time per substep",    "ms",     true },
    {"substeps",            SHOAL_CHART_TIME,     "substeps per frame",  "",          "substeps per frame",  "",       true },
    {"speed_max_mps",       SHOAL_CHART_MOTION,   "fastest particle",    "",          "fastest particle",    "m/s",    true },
    {"com_x_m",             SHOAL_CHART_MOTION,   "centre of mass",      "x",         "centre of mass, x",   "m",      false},
    {"com_y_m",             SHOAL_CHART_MOTION,   "centre of mass",      "y",         "centre of mass, y",   "m",      false},
    {"com_z_m",             SHOAL_CHART_MOTION,   "centre of mass",      "z",         "centre of mass, z",   "m",      false},
    {"momentum_x_kgmps",    SHOAL_CHART_MOMENTUM, "momentum",            "x",         "momentum, x",         "kg·m/s", false},
    {"momentum_y_kgmps",    SHOAL_CHART_MOMENTUM, "momentum",            "y",         "momentum, y",         "kg·m/s", false},
    {"momentum_z_kgmps",    SHOAL_CHART_MOMENTUM, "momentum",            "z",         "momentum, z",         "kg·m/s", false},
    {"water_emitted",       SHOAL_CHART_WATER,    "water, quanta",       "put in",    "water put in",        "",       true },
    {"water_free",          SHOAL_CHART_WATER,    "water, quanta",       "free",      "free water",          "",       true },
    {"water_in_grains",     SHOAL_CHART_WATER,    "water, quanta",       "in grains", "water in grains",     "",       true },
    {"water_pending",       SHOAL_CHART_WATER,    "water, quanta",       "pending",   "water pending",       "",       true },
    {"water_evaporated",    SHOAL_CHART_WATER,    "water, quanta",       "evaporated", "water evaporated",   "",       true },
    {"water_removed",       SHOAL_CHART_WATER,    "water, quanta",       "removed",   "water removed",       "",       true },
    {"water_balance",       SHOAL_CHART_WATER,    "water balance",       "",          "water balance",       "",       true },
    {"dry",                 SHOAL_CHART_WATER,    "grains",              "dry",       "dry grains",          "",       true },
    {"wet",                 SHOAL_CHART_WATER,    "grains",              "wet",       "wet grains",          "",       true },
    {"overwet",             SHOAL_CHART_WATER,    "grains",              "overwet",   "overwet grains",      "",       true },
    {"clamped",             SHOAL_CHART_SOLVER,   "share of corrections cut", "",     "share of corrections cut", "",  true },
    {"iterations",          SHOAL_CHART_SOLVER,   "iterations per substep",   "",     "iterations per substep",   "",  true },
};
enum { KNOWN_COUNT = sizeof columns / sizeof *columns };
static const struct {
    const char *ending, *unit;
} endings[] = {
    {"_kgmps", "kg·m/s"}, {"_mps", "m/s"}, {"_pct", "%"}, {"_ms", "ms"}, {"_pa", "Pa"}, {"_m3", "m³"}, {"_m2", "m²"},
    {"_kg", "kg"}, {"_nm", "N·m"}, {"_j", "J"}, {"_m", "m"}, {"_s", "s"}, {"_n", "N"}, {"_w", "W"},
};
// clang-format on

// As people say it: "pressure_iterations" -> "pressure iterations", its unit apart.
static void describe_unknown(const char* name, shoal_column* out) {
    size_t length = strlen(name);
    *out          = (shoal_column){.chart = SHOAL_CHART_SOLVER, .order = KNOWN_COUNT};
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        size_t tail = strlen(endings[i].ending);
        if (length <= tail || strcmp(name + length - tail, endings[i].ending) != 0) continue;
        snprintf(out->unit, sizeof out->unit, "%s", endings[i].unit);
        length -= tail;
        break;
    }
    snprintf(out->label, sizeof out->label, "%.*s", (int)(length < 60 ? length : 60), name);
    for (char* c = out->label; *c; c++)
        if (*c == '_') *c = ' ';
    snprintf(out->panel, sizeof out->panel, "%s", out->label);
}

bool shoal_column_describe(const char* name, shoal_column* out) {
    if (strcmp(name, "frame") == 0 || strcmp(name, "time_s") == 0) return false;
    for (size_t i = 0; i < KNOWN_COUNT; i++) {
        const known* k = &columns[i];
        if (strcmp(k->column, name) != 0) continue;
        *out = (shoal_column){.chart = k->chart, .has_zero = k->has_zero, .order = (int)i};
        snprintf(out->panel, sizeof out->panel, "%s", k->panel);
        snprintf(out->name, sizeof out->name, "%s", k->name);
        snprintf(out->label, sizeof out->label, "%s", k->label);
        snprintf(out->unit, sizeof out->unit, "%s", k->unit);
        return true;
    }
    describe_unknown(name, out);
    return true;
}

int shoal_columns_of(const shoal_table* table, shoal_chart_key key, int* out) {
    int          count = 0;
    shoal_column a, b;
    for (int c = 0; c < table->column_count; c++) {
        if (!shoal_column_describe(table->names[c], &a) || a.chart != key) continue;
        int at = count++;
        for (; at > 0; at--) {
            shoal_column_describe(table->names[out[at - 1]], &b);
            if (b.order <= a.order) break;
            out[at] = out[at - 1];
        }
        out[at] = c;
    }
    return count;
}

bool shoal_column_is_idle(const shoal_table* table, int column) {
    static const char* const counts[] = {"particles", "emitted", "removed"};
    bool                     is_count = false;
    shoal_column             told;
    for (int i = 0; i < 3; i++) is_count |= strcmp(table->names[column], counts[i]) == 0;
    is_count |= shoal_column_describe(table->names[column], &told) && told.chart == SHOAL_CHART_WATER;
    const double* values = shoal_table_column(table, column);
    for (int i = 1; i < table->row_count && is_count; i++)
        if (values[i] != values[0]) return false;
    return is_count;
}
