// SPDX-License-Identifier: MIT
// The columns of stats.csv.
#include "solvers/grains/grains_local.h"

#include <string.h>

// ---------------------------------------------------------------------------------- forces on obstacles

enum { TOTAL_SECONDS = 3 }; // of the interval so far; at 3, where checkpoints have it

void grains_impulses_begin(grains* s) {
    size_t count = (size_t)s->ctx->world->collider_count;
    if (s->ctx->totals[TOTAL_SECONDS] == 0.0 && count > 0) memset(s->impulses, 0, count * sizeof *s->impulses);
}

void grains_impulses_end(grains* s, double dt) { s->ctx->totals[TOTAL_SECONDS] += dt; }

void grains_add_impulse(grains* s, int collider, shoal_d3 push) {
    s->impulses[collider] = shoal_d3_add(s->impulses[collider], push);
}

// ---------------------------------------------------------------------------------- columns

// clang-format off
#define GRAINS_COLUMNS(X)                                                                                                                \
    X(dem_steps,        "",  SOLVER, FREE, "",              "",           "",                  "substeps of the contacts since the start")                      \
    X(contacts,         "",  SOLVER, FREE, "",              "",           "",                  "grains and solids that a grain touches, mean")                  \
    X(overlap_max_pct,  "%", SOLVER, FREE, "",              "",           "",                  "the deepest contact over the mean diameter")                    \
    X(elastic_j,        "J", ENERGY, ZERO, "energy",        "springs",    "energy of springs", "energy of the springs along the normals and of the pull of bridges (below 0)") \
    X(rotation_j,       "J", ENERGY, ZERO, "energy",        "spins",      "energy of spins",   "of the spins")                                                  \
    SHOAL_FORCE_COLUMNS(X, "grains and water")                                                                                                                 \
    X(dry,              "",  WATER,  SAND, "grains",        "dry",        "dry grains",        "grains that are dry")                                           \
    X(wet,              "",  WATER,  SAND, "grains",        "wet",        "wet grains",        "grains that are wet")                                           \
    X(overwet,          "",  WATER,  SAND, "grains",        "overwet",    "overwet grains",    "grains that are overwet")                                       \
    X(water_balance,    "",  WATER,  COUNT, "water balance", "",          "water balance",     "the next five less `water_emitted`: 0, or the run ends")        \
    X(water_free,       "",  WATER,  COUNT, "water, quanta", "free",      "free water",        "in particles, quanta: 2^24 of them are wetness 1")              \
    X(water_in_grains,  "",  WATER,  COUNT, "water, quanta", "in grains", "water in grains",   "in grains, quanta")                                             \
    X(water_pending,    "",  WATER,  COUNT, "water, quanta", "pending",   "water pending",     "between the two, quanta")                                       \
    X(water_evaporated, "",  WATER,  COUNT, "water, quanta", "evaporated", "water evaporated", "dried since the start, quanta")                                 \
    X(water_removed,    "",  WATER,  COUNT, "water, quanta", "removed",   "water removed",     "taken out by sinks and at the rim since the start, quanta")     \
    X(water_emitted,    "",  WATER,  COUNT, "water, quanta", "put in",    "water put in",      "by bodies and emitters since the start, quanta")
#define GRAINS_OBSTACLE_COLUMNS(X)                                                                                                       \
    X(force_x_n, "N", SOLVER, FREE, "", "", "", "force of grains and water on the obstacle NAME, mean over the frame")                       \
    X(force_y_n, "N", SOLVER, FREE, "", "", "", "the same along y")                                                                      \
    X(force_z_n, "N", SOLVER, FREE, "", "", "", "the same along z")
// clang-format on
const shoal_column_def grains_columns[]          = {GRAINS_COLUMNS(SHOAL_COLUMN_ROW){0}};
const shoal_column_def grains_obstacle_columns[] = {GRAINS_OBSTACLE_COLUMNS(SHOAL_COLUMN_ROW){0}};
#define X(name, ...) COLUMN_##name,
enum { GRAINS_COLUMNS(X) COLUMN_COUNT };
#undef X

typedef struct read_job {
    const float *   value, *mass, *radius;
    const shoal_v3* spin;
} read_job;

SHOAL_FN double value_of(const read_job* r, int i) { return (double)r->value[i]; }
SHOAL_FN double turning_of(const read_job* r, int i) {
    return 0.2 * (double)(r->mass[i] * r->radius[i] * r->radius[i]) * (double)shoal_v3_dot(r->spin[i], r->spin[i]);
}
SHOAL_SUM_LOOP(value_sum, read_job, value_of)
SHOAL_MAX_LOOP(value_max, read_job, value_of)
SHOAL_SUM_LOOP(turning_sum, read_job, turning_of)

void grains_report(const void* self, double* values) {
    const grains*     s    = self;
    const shoal_set*  set  = s->ctx->particles;
    const shoal_exec* exec = &s->ctx->exec;
    read_job r = {shoal_set_read(set, "coordination"), shoal_set_read(set, "mass"), shoal_set_read(set, "radius"),
                  shoal_set_read(set, "spin")};
    values[COLUMN_dem_steps] = (double)*s->dem_steps;
    values[COLUMN_contacts]  = set->count > 0 ? shoal_sum(exec, set->count, value_sum, &r) / set->count : 0.0;
    r.value                  = shoal_set_read(set, "overlap");
    values[COLUMN_overlap_max_pct] =
        100.0 * fmax(shoal_max(exec, set->count, value_max, &r), 0.0) / s->ctx->description->spacing;
    r.value                   = shoal_set_read(set, "elastic");
    values[COLUMN_elastic_j]  = shoal_sum(exec, set->count, value_sum, &r);
    values[COLUMN_rotation_j] = shoal_sum(exec, set->count, turning_sum, &r);
    const shoal_set* free     = s->ctx->sets[GRAINS_WATER];
    const uint8_t*   state    = shoal_set_read(set, "state");
    const int32_t *  water = shoal_set_read(set, "water"), *pending = shoal_set_read(set, "pending"),
                  *drops = shoal_set_read(free, "quanta");
    int64_t counts[3] = {0, 0, 0}, in_free = 0, in_grains = 0, in_between = 0;
    for (int i = 0; i < free->count; i++) in_free += drops[i];
    for (int i = 0; i < set->count; i++) {
        counts[state[i] < 3 ? state[i] : 2]++;
        in_grains += water[i];
        in_between += pending[i];
    }
    int64_t present = in_free + in_grains + in_between;
    for (int k = 0; k < 3; k++) values[COLUMN_dry + k] = (double)counts[k];
    values[COLUMN_water_balance] =
        (double)(present + s->balance->evaporated + s->balance->removed - s->balance->emitted);
    values[COLUMN_water_free]       = (double)in_free;
    values[COLUMN_water_in_grains]  = (double)in_grains;
    values[COLUMN_water_pending]    = (double)in_between;
    values[COLUMN_water_evaporated] = (double)s->balance->evaporated;
    values[COLUMN_water_removed]    = (double)s->balance->removed;
    values[COLUMN_water_emitted]    = (double)s->balance->emitted;
    double   span = s->ctx->totals[TOTAL_SECONDS], over = span > 0.0 ? 1.0 / span : 0.0;
    shoal_d3 all = {0.0, 0.0, 0.0};
    double*  of  = values + COLUMN_COUNT; // of obstacles with a name
    for (int c = 0; c < s->ctx->world->collider_count; c++) {
        all           = shoal_d3_add(all, s->impulses[c]);
        bool is_named = shoal_obstacle_is_named(&s->ctx->world->obstacles[c]);
        for (int axis = 0; axis < 3 && is_named; axis++) *of++ = over * shoal_d3_axis(s->impulses[c], axis);
    }
    for (int axis = 0; axis < 3; axis++) values[COLUMN_obstacle_force_x_n + axis] = over * shoal_d3_axis(all, axis);
}

double grains_neighbours(const void* self) {
    grains* s = (grains*)self; // it is asked of the passes, and changes nothing
    int     n = s->cells.item_count;
    return n > 0 && s->all.view.lists.count ? grains_fold(s, GRAINS_partners_of, n) / n : 0.0;
}
