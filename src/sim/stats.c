// SPDX-License-Identifier: MIT
// The columns of stats.csv after `particles`: ledgers, compression, energy, momentum, centre of mass, then the solver's.
#include <math.h>

#include "shoal/sim.h"
#include "sim/sim_local.h"

// clang-format off
#define STATS(X)                                                                              \
    X(emitted) X(removed) X(step_ms) X(compression_avg_pct) X(compression_max_pct)            \
    X(kinetic_j) X(potential_j) X(momentum_x_kgmps) X(momentum_y_kgmps) X(momentum_z_kgmps)   \
    X(com_x_m) X(com_y_m) X(com_z_m) X(speed_max_mps)
// clang-format on
#define X(name) STAT_##name,
enum { STATS(X) STAT_COUNT };
#undef X

static int own_count(const shoal_sim* sim) {
    int count = 0;
    while (sim->type->stats && sim->type->stats[count]) count++;
    return count;
}

static int more_count(const shoal_sim* sim) {
    int count = 0;
    while (sim->type->more_stats && sim->type->more_stats(sim->self, count)) count++;
    return count;
}

int shoal_sim_stat_count(const shoal_sim* sim) { return STAT_COUNT + own_count(sim) + more_count(sim); }

const char* shoal_sim_stat_name(const shoal_sim* sim, int index) {
#define X(name) #name,
    static const char* const names[] = {STATS(X)};
#undef X
    int own = index - STAT_COUNT, count = own_count(sim);
    return own < 0 ? names[index] : own < count ? sim->type->stats[own] : sim->type->more_stats(sim->self, own - count);
}

// One sum over all particles; `what` chooses the term.
typedef struct term {
    const shoal_v3 *      position, *velocity;
    const uint8_t*        material;
    const float*          density, *masses; // masses: NULL when all follow from the spacing
    const shoal_material* materials;
    double                volume;
    int                   what; // a STAT
    int                   only; // of this material; -1: of all
    double                most; // a particle's kinetic energy counts up to this, J/kg
} term;

static double value_of(const term* t, int i) {
    const shoal_material* material = &t->materials[t->material[i]];
    double                mass     = t->masses ? (double)t->masses[i] : (double)material->density * t->volume;
    shoal_d3              v = shoal_d3_from(t->velocity[i]), x = shoal_d3_from(t->position[i]);
    switch (t->what) {
    case STAT_compression_avg_pct:
    case STAT_compression_max_pct: return fmax(100.0 * ((double)t->density[i] / (double)material->density - 1.0), 0.0);
    case STAT_kinetic_j: return mass * fmin(0.5 * shoal_d3_dot(v, v), t->most);
    case STAT_momentum_x_kgmps: return mass * v.x;
    case STAT_momentum_y_kgmps: return mass * v.y;
    case STAT_momentum_z_kgmps: return mass * v.z;
    case STAT_com_x_m: return mass * x.x;
    case STAT_com_y_m: return mass * x.y;
    case STAT_com_z_m: return mass * x.z;
    case STAT_speed_max_mps: return shoal_d3_length(v);
    default: return mass;
    }
}

static double block_sum(void* ctx, int begin, int end) {
    double sum = 0.0;
    const term* t = ctx;
    for (int i = begin; i < end; i++)
        if (t->only < 0 || t->material[i] == t->only) sum += value_of(t, i);
    return sum;
}

static double block_max(void* ctx, int begin, int end) {
    double most = 0.0;
    for (int i = begin; i < end; i++) most = fmax(most, value_of(ctx, i));
    return most;
}

static double sum_of(const shoal_sim* sim, term* t, int what) {
    t->what = what;
    return shoal_sum(&sim->ctx.exec, sim->ctx.particles->count, block_sum, t);
}

static term term_of(const shoal_sim* sim, int only) {
    const shoal_set*   set     = sim->ctx.particles;
    const shoal_field* density = shoal_set_find(set, "density");
    const shoal_field* masses  = shoal_set_find(set, "mass");
    double             d       = sim->description->spacing;
    return (term){shoal_set_data(set, "position"), shoal_set_data(set, "velocity"), shoal_set_data(set, "material"),
                  density ? density->data : NULL, masses ? masses->data : NULL, sim->description->materials, d * d * d, -1, only, (double)INFINITY};
}

double shoal_sim_mass(const shoal_sim* sim, int material) {
    term t = term_of(sim, material);
    return sum_of(sim, &t, -1);
}

double shoal_sim_kinetic(const shoal_sim* sim, int material, double most) {
    term t = term_of(sim, material);
    t.most = most;
    return sum_of(sim, &t, STAT_kinetic_j);
}

double shoal_sim_potential(const shoal_sim* sim) {
    term     t      = term_of(sim, -1);
    shoal_d3 moment = {sum_of(sim, &t, STAT_com_x_m), sum_of(sim, &t, STAT_com_y_m),
                       sum_of(sim, &t, STAT_com_z_m)};
    return -shoal_d3_dot(sim->description->gravity, moment);
}

void shoal_sim_stats(shoal_sim* sim, double* values) {
    const shoal_set*         set         = sim->ctx.particles;
    const shoal_description* description = sim->description;
    term                     t           = term_of(sim, -1);
    for (int k = 0; k < STAT_COUNT; k++) values[k] = (double)NAN;

    int64_t removed = 0;
    for (int k = 0; k < SHOAL_REASON_COUNT; k++) removed += sim->clock.removed[k];
    values[STAT_emitted] = (double)sim->clock.emitted;
    values[STAT_removed] = (double)removed;
    values[STAT_step_ms] = sim->clock.interval_steps > 0 ? 1e3 * sim->interval_seconds / (double)sim->clock.interval_steps : 0.0;

    // an empty set has no average; the sums are zero
    double mass = sum_of(sim, &t, -1);
    for (int k = STAT_kinetic_j; k <= STAT_momentum_z_kgmps; k++)
        if (k != STAT_potential_j) values[k] = sum_of(sim, &t, k);
    values[STAT_potential_j] = 0.0;
    if (set->count > 0) {
        for (int k = STAT_com_x_m; k <= STAT_com_z_m; k++) values[k] = sum_of(sim, &t, k) / mass;
        shoal_d3 base = description->domain.is_given ? description->domain.min : shoal_d3_make(0.0, 0.0, 0.0);
        shoal_d3 com  = {values[STAT_com_x_m], values[STAT_com_y_m], values[STAT_com_z_m]};
        values[STAT_potential_j] = -mass * shoal_d3_dot(description->gravity, shoal_d3_sub(com, base));
    }
    t.what                     = STAT_speed_max_mps;
    values[STAT_speed_max_mps] = fmax(shoal_max(&sim->ctx.exec, set->count, block_max, &t), 0.0);
    if (t.density) {
        values[STAT_compression_avg_pct] = set->count > 0 ? sum_of(sim, &t, STAT_compression_avg_pct) / set->count : 0.0;
        t.what                           = STAT_compression_max_pct;
        values[STAT_compression_max_pct] = fmax(shoal_max(&sim->ctx.exec, set->count, block_max, &t), 0.0);
    }
    if (sim->type->report) sim->type->report(sim->self, values + STAT_COUNT);
}
