// SPDX-License-Identifier: MIT
// Columns of stats.csv as rows: what the table, the charts, the manual and the lists of solvers say of one.
#ifndef SHOAL_COLUMN_H
#define SHOAL_COLUMN_H

#include <stdbool.h>

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
typedef enum shoal_chart_key {
    SHOAL_CHARTS(X) SHOAL_CHART_COUNT,
    SHOAL_CHART_NONE = SHOAL_CHART_COUNT
} shoal_chart_key;
#undef X

// What a column is: any number; one whose axis begins at zero; of these a number of particles, and of particles of
// sand.
enum { SHOAL_COLUMN_FREE = 0, SHOAL_COLUMN_ZERO = 1, SHOAL_COLUMN_COUNT = 3, SHOAL_COLUMN_SAND = 7 };

typedef struct shoal_column_def {
    const char*     name; // NULL ends a list
    const char*     unit; // "kg m/s", "m^3"; "": a number
    const char*     meaning;
    shoal_chart_key chart;
    int             kind;
    const char*     panel; // of the chart; "": its own, by its name
    const char*     line;  // within the panel; "": it is alone there
    const char*     label; // by itself; "": by its name
} shoal_column_def;

// Of the lists: name, unit, chart, kind, panel, line, label, meaning.
#define SHOAL_COLUMN_ROW(name, unit, chart, kind, panel, line, label, meaning)                                         \
    {#name, unit, meaning, SHOAL_CHART_##chart, SHOAL_COLUMN_##kind, panel, line, label},

// clang-format off
// A frame has these.
#define SHOAL_FRAME_COLUMNS(X)                                                                                             \
    X(frame,     "",  NONE,   FREE,  "",                   "",    "",                   "number of the frame")              \
    X(time_s,    "s", NONE,   FREE,  "",                   "",    "",                   "frame / fps")                      \
    X(substeps,  "",  TIME,   ZERO,  "substeps per frame", "",    "substeps per frame", "in this frame")                    \
    X(particles, "",  VOLUME, COUNT, "particles",          "now", "particles",          "now")
// A simulation has these, whatever its solver.
#define SHOAL_SIM_COLUMNS(X)                                                                                               \
    X(emitted,             "",       VOLUME,   COUNT, "particles",           "emitted",   "particles emitted",   "by emitters since the start")                              \
    X(removed,             "",       VOLUME,   COUNT, "particles",           "removed",   "particles removed",   "by sinks, or because they left, since the start")          \
    X(step_ms,             "ms",     TIME,     ZERO,  "time per substep",    "",          "time per substep",    "wall time per substep, mean of this frame; neither output nor statistics are in it. Progress and `--json` tell the same number") \
    X(compression_avg_pct, "%",      DENSITY,  ZERO,  "mean compression",    "",          "mean compression",    "max(rho/rho_0 - 1, 0), mean over particles")               \
    X(compression_max_pct, "%",      DENSITY,  ZERO,  "largest compression", "",          "largest compression", "the same, largest")                                        \
    X(kinetic_j,           "J",      ENERGY,   ZERO,  "energy",              "kinetic",   "kinetic energy",      "sum of m v^2/2")                                           \
    X(potential_j,         "J",      ENERGY,   ZERO,  "energy",              "potential", "potential energy",    "in gravity, from the domain's lower corner (the origin without a domain)") \
    X(momentum_x_kgmps,    "kg m/s", MOMENTUM, FREE,  "momentum",            "x",         "momentum, x",         "sum of m v_x")                                             \
    X(momentum_y_kgmps,    "kg m/s", MOMENTUM, FREE,  "momentum",            "y",         "momentum, y",         "sum of m v_y")                                             \
    X(momentum_z_kgmps,    "kg m/s", MOMENTUM, FREE,  "momentum",            "z",         "momentum, z",         "sum of m v_z")                                             \
    X(com_x_m,             "m",      MOTION,   FREE,  "centre of mass",      "x",         "centre of mass, x",   "centre of mass")                                           \
    X(com_y_m,             "m",      MOTION,   FREE,  "centre of mass",      "y",         "centre of mass, y",   "centre of mass")                                           \
    X(com_z_m,             "m",      MOTION,   FREE,  "centre of mass",      "z",         "centre of mass, z",   "centre of mass")                                           \
    X(speed_max_mps,       "m/s",    MOTION,   ZERO,  "fastest particle",    "",          "fastest particle",    "the fastest particle") \
    X(centre_of_mass_residual_m, "m", MOTION, ZERO,   "motion without momentum", "",      "motion without momentum", "way of the centre of mass that its momentum does not explain: length of the sum of dx_com - p/m dt over all substeps since the start. What emitters and sinks do is not in it, nor motion along axes between periodic walls")
// In no table: charts make them of others. The last only where a solver has none of its own.
#define SHOAL_CHART_COLUMNS(X)                                                                                             \
    X(total_j,   "J",   ENERGY, ZERO, "energy", "total",     "total energy", "all energies of the table together")                                                           \
    X(volume_m3, "m^3", VOLUME, ZERO, "volume", "particles", "volume",       "particles times what each takes up at rest")
// Force on all obstacles together, in a list of a solver's own.
#define SHOAL_FORCE_COLUMNS(X, by)                                                                                         \
    X(obstacle_force_x_n, "N", SOLVER, FREE, "", "", "", "force of " by " on all obstacles together, mean over the frame")                                                \
    X(obstacle_force_y_n, "N", SOLVER, FREE, "", "", "", "the same along y")                                                                                               \
    X(obstacle_force_z_n, "N", SOLVER, FREE, "", "", "", "the same along z")
// clang-format on

// Those above, each ended by a NULL name.
extern const shoal_column_def shoal_frame_columns[], shoal_sim_columns[], shoal_chart_columns[];

// By its name; NULL: it is not in the list.
const shoal_column_def* shoal_column_find(const shoal_column_def* list, const char* name);
int                     shoal_column_count(const shoal_column_def* list); // list may be NULL

#endif
