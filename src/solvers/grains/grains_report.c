// SPDX-License-Identifier: MIT
// The columns of stats.csv.
#include "solvers/grains/grains_local.h"

#include <stdio.h>
#include <string.h>

// ---------------------------------------------------------------------------------- forces on obstacles

enum { LEDGER_SECONDS = 3 }; // of the interval so far

// Force by axis for each obstacle that the scene gives a name.
shoal_status grains_columns_make(grains* s) {
    const shoal_world* world = s->ctx->world;
    size_t             count = (size_t)world->collider_count;
    s->columns               = shoal_alloc(3 * count + 1, sizeof *s->columns);
    if (!s->columns) return SHOAL_ERR_MEMORY;
    for (int c = 0; c < world->collider_count; c++) {
        const char* name = world->obstacles[c].name;
        if (strncmp(name, "obstacles.", 10) == 0) continue; // its place in the list, not a name
        for (int axis = 0; axis < 3; axis++) {
            grains_column* to = &s->columns[s->column_count++];
            *to               = (grains_column){.collider = c, .axis = axis};
            snprintf(to->name, sizeof to->name, "%s_force_%c_n", name, "xyz"[axis]);
        }
    }
    return SHOAL_OK;
}

void grains_felt_begin(grains* s) {
    size_t count = (size_t)s->ctx->world->collider_count;
    if (s->ctx->ledger[LEDGER_SECONDS] == 0.0 && count > 0) memset(s->felt, 0, count * sizeof *s->felt);
}

void grains_felt_end(grains* s, double dt) { s->ctx->ledger[LEDGER_SECONDS] += dt; }

void grains_felt(grains* s, int collider, shoal_d3 push) { s->felt[collider] = shoal_d3_add(s->felt[collider], push); }

const char* grains_more_stats(const void* self, int k) {
    const grains* s = self;
    return k < s->column_count ? s->columns[k].name : NULL;
}

// ---------------------------------------------------------------------------------- columns

typedef struct reading {
    const float *   value, *mass, *radius;
    const shoal_v3* spin;
} reading;

SHOAL_FN double value_of(const reading* r, int i) { return (double)r->value[i]; }
SHOAL_FN double turning_of(const reading* r, int i) {
    return 0.2 * (double)(r->mass[i] * r->radius[i] * r->radius[i]) * (double)shoal_v3_dot(r->spin[i], r->spin[i]);
}
SHOAL_SUM_LOOP(value_sum, reading, value_of)
SHOAL_MAX_LOOP(value_max, reading, value_of)
SHOAL_SUM_LOOP(turning_sum, reading, turning_of)

void grains_report(const void* self, double* stats) {
    const grains*     s    = self;
    const shoal_set*  set  = s->ctx->particles;
    const shoal_exec* exec = &s->ctx->exec;
    reading r = {shoal_set_data(set, "coordination"), shoal_set_data(set, "mass"), shoal_set_data(set, "radius"),
                 shoal_set_data(set, "spin")};
    stats[0]  = (double)*s->dem_steps;
    stats[1]  = set->count > 0 ? shoal_sum(exec, set->count, value_sum, &r) / set->count : 0.0;
    r.value   = shoal_set_data(set, "overlap");
    stats[2]  = 100.0 * fmax(shoal_max(exec, set->count, value_max, &r), 0.0) / s->ctx->description->spacing;
    r.value   = shoal_set_data(set, "elastic");
    stats[3]  = shoal_sum(exec, set->count, value_sum, &r);
    stats[4]  = shoal_sum(exec, set->count, turning_sum, &r);
    const shoal_set* free  = s->ctx->sets[GRAINS_WATER];
    const uint8_t*   state = shoal_set_data(set, "state");
    const int32_t *  water = shoal_set_data(set, "water"), *pending = shoal_set_data(set, "pending"),
                  *drops = shoal_set_data(free, "quanta");
    int64_t counts[3] = {0, 0, 0}, in_free = 0, in_grains = 0, in_between = 0;
    for (int i = 0; i < free->count; i++) in_free += drops[i];
    for (int i = 0; i < set->count; i++) {
        counts[state[i] < 3 ? state[i] : 2]++;
        in_grains += water[i];
        in_between += pending[i];
    }
    int64_t present = in_free + in_grains + in_between;
    for (int k = 0; k < 3; k++) stats[8 + k] = (double)counts[k];
    stats[11]     = (double)(present + s->books->evaporated + s->books->removed - s->books->emitted);
    stats[12]     = (double)in_free;
    stats[13]     = (double)in_grains;
    stats[14]     = (double)in_between;
    stats[15]     = (double)s->books->evaporated;
    stats[16]     = (double)s->books->removed;
    stats[17]     = (double)s->books->emitted;
    double   span = s->ctx->ledger[LEDGER_SECONDS], over = span > 0.0 ? 1.0 / span : 0.0;
    shoal_d3 all = {0.0, 0.0, 0.0};
    for (int c = 0; c < s->ctx->world->collider_count; c++) all = shoal_d3_add(all, s->felt[c]);
    for (int axis = 0; axis < 3; axis++) stats[5 + axis] = over * shoal_d3_axis(all, axis);
    for (int k = 0; k < s->column_count; k++)
        stats[18 + k] = over * shoal_d3_axis(s->felt[s->columns[k].collider], s->columns[k].axis);
}

double grains_neighbours(const void* self) {
    const grains* s   = self;
    int           n   = s->cells.item_count;
    double        sum = 0.0;
    for (int i = 0; i < n && s->lists.count; i++) sum += s->lists.count[i];
    return n > 0 ? sum / n : 0.0;
}
