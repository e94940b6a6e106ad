// SPDX-License-Identifier: MIT
// The columns of stats.csv after `particles`: ledgers, compression, energy, momentum, centre of mass, then the
// solver's.
#include <math.h>
#include <stdio.h>

#include "shoal/sim.h"
#include "sim/sim_local.h"
#include "state/measure.h"

#define X(name, ...) STAT_##name,
enum { SHOAL_SIM_COLUMNS(X) STAT_COUNT };
#undef X

int shoal_sim_stat_count(const shoal_sim* sim) {
    return STAT_COUNT + shoal_column_count(sim->type->columns) + sim->obstacle_column_count;
}

const char* shoal_sim_stat_name(const shoal_sim* sim, int index) {
    int own = index - STAT_COUNT, of_obstacles = own - shoal_column_count(sim->type->columns);
    if (own < 0) return shoal_sim_columns[index].name;
    return of_obstacles < 0 ? sim->type->columns[own].name : sim->obstacle_columns[of_obstacles];
}

shoal_status shoal_sim_columns_make(shoal_sim* sim) {
    const shoal_world*      world = sim->world;
    const shoal_column_def* list  = sim->type->obstacle_columns;
    size_t                  each  = (size_t)shoal_column_count(list);
    sim->obstacle_columns = shoal_alloc(each * (size_t)world->collider_count + 1, sizeof *sim->obstacle_columns);
    if (!sim->obstacle_columns) return SHOAL_ERR_MEMORY;
    for (int c = 0; c < world->collider_count; c++)
        for (size_t k = 0; k < each && shoal_obstacle_is_named(&world->obstacles[c]); k++)
            snprintf(sim->obstacle_columns[sim->obstacle_column_count++], sizeof *sim->obstacle_columns, "%s_%s",
                     world->obstacles[c].name, list[k].name);
    return SHOAL_OK;
}

// One sum over all particles; `what` chooses the term.
enum { TERM_mass = -1, TERM_room = -2 }; // besides the columns
typedef struct term {
    int    what; // a STAT, or a TERM
    int    only; // of this material; -1: of all
    double most; // a particle's kinetic energy counts up to this, J/kg
    // of the set at hand
    shoal_measure   measure;
    const shoal_v3 *position, *velocity;
    const float*    density; // NULL: it has none
} term;

static double value_of(const term* t, int i) {
    double   mass = shoal_measure_mass(&t->measure, i), d = 0.0;
    shoal_d3 v = shoal_d3_from(t->velocity[i]), x = shoal_d3_from(t->position[i]);
    switch (t->what) {
    case TERM_room:
        d = shoal_measure_spacing(&t->measure, i);
        return d * d * d;
    case STAT_compression_avg_pct:
    case STAT_compression_max_pct:
        d = (double)t->measure.description->materials[t->measure.material[i]].density;
        return t->density ? fmax(100.0 * ((double)t->density[i] / d - 1.0), 0.0) : 0.0;
    case STAT_kinetic_j:
        return mass * fmin(0.5 * shoal_d3_dot(v, v), t->most);
    case STAT_momentum_x_kgmps:
        return mass * v.x;
    case STAT_momentum_y_kgmps:
        return mass * v.y;
    case STAT_momentum_z_kgmps:
        return mass * v.z;
    case STAT_com_x_m:
        return mass * x.x;
    case STAT_com_y_m:
        return mass * x.y;
    case STAT_com_z_m:
        return mass * x.z;
    case STAT_speed_max_mps:
        return shoal_d3_length(v);
    default:
        return mass;
    }
}

static double block_sum(void* ctx, int begin, int end) {
    double      sum = 0.0;
    const term* t   = ctx;
    for (int i = begin; i < end; i++)
        if (t->only < 0 || t->measure.material[i] == t->only) sum += value_of(t, i);
    return sum;
}

static double block_max(void* ctx, int begin, int end) {
    double most = 0.0;
    for (int i = begin; i < end; i++) most = fmax(most, value_of(ctx, i));
    return most;
}

static void look_at(const shoal_sim* sim, const shoal_set* set, term* t) {
    const shoal_field* density = shoal_set_find(set, "density");
    t->measure                 = shoal_measure_of(sim->description, set);
    t->position                = shoal_set_read(set, "position");
    t->velocity                = shoal_set_read(set, "velocity");
    t->density                 = density ? shoal_field_read(set, density) : NULL;
}

static double sum_of(const shoal_sim* sim, term t) {
    double sum = 0.0;
    SHOAL_EACH_MATTER(&sim->ctx, set) {
        look_at(sim, set, &t);
        sum += shoal_sum(&sim->ctx.exec, set->count, block_sum, &t);
    }
    return sum;
}

// Of all; 0 of nobody.
static double most_of(const shoal_sim* sim, int what) {
    term   t    = {.what = what};
    double most = 0.0;
    SHOAL_EACH_MATTER(&sim->ctx, set) {
        look_at(sim, set, &t);
        most = fmax(most, shoal_max(&sim->ctx.exec, set->count, block_max, &t));
    }
    return most;
}

static term term_of(int what, int only) { return (term){.what = what, .only = only, .most = (double)INFINITY}; }

double shoal_sim_room(const shoal_sim* sim) { return sum_of(sim, term_of(TERM_room, -1)); }

double shoal_sim_kinetic(const shoal_sim* sim, int material, double most) {
    term t = term_of(STAT_kinetic_j, material);
    t.most = most;
    return sum_of(sim, t);
}

// The watch asks after every frame, so it is one walk and not one for each term, where the particles are.
typedef struct holdings {
    term             t;
    shoal_crowd_view asked;
} holdings;

static double energy_of(void* ctx, int begin, int end) {
    const holdings* e   = ctx;
    const term*     t   = &e->t;
    double          sum = 0.0;
    for (int i = begin; i < end; i++) {
        shoal_d3 v = shoal_d3_from(t->velocity[i]), x = shoal_d3_from(t->position[i]);
        double   own = 0.5 * shoal_d3_dot(v, v) - shoal_d3_dot(e->asked.gravity, x) - e->asked.floor;
        sum += own * shoal_measure_mass(&t->measure, i);
    }
    return sum;
}

// Whether a set lies on a device and its particles have the mass of their material.
static bool is_far(const shoal_set* set) {
    return set->device && !shoal_set_find(set, "mass") && !shoal_set_find(set, "volume");
}

static double mass_of_all(const shoal_sim* sim) {
    shoal_crowd_view asked = shoal_sim_asked(sim);
    term             t     = term_of(TERM_mass, -1);
    double           sum   = 0.0;
    SHOAL_EACH_MATTER(&sim->ctx, set) {
        if (!is_far(set)) look_at(sim, set, &t);
        sum += is_far(set) ? shoal_set_fold(set, &sim->ctx.exec, SHOAL_CROWD_mass, &asked)
                           : shoal_sum(&sim->ctx.exec, set->count, block_sum, &t);
    }
    return sum;
}

double shoal_sim_mass(const shoal_sim* sim, int material) {
    return material < 0 ? mass_of_all(sim) : sum_of(sim, term_of(TERM_mass, material));
}

double shoal_sim_kinetic_far(const shoal_sim* sim) {
    shoal_crowd_view asked = shoal_sim_asked(sim);
    double           sum   = 0.0;
    SHOAL_EACH_MATTER(&sim->ctx, set)
    sum += is_far(set) ? shoal_set_fold(set, &sim->ctx.exec, SHOAL_CROWD_kinetic, &asked) : (double)INFINITY;
    return sum;
}

double shoal_sim_energy(const shoal_sim* sim, double floor) {
    holdings e    = {.asked = shoal_sim_asked(sim)};
    double   sum  = 0.0;
    e.asked.floor = floor;
    SHOAL_EACH_MATTER(&sim->ctx, set) {
        if (!is_far(set)) look_at(sim, set, &e.t);
        sum += is_far(set) ? shoal_set_fold(set, &sim->ctx.exec, SHOAL_CROWD_energy, &e.asked)
                           : shoal_sum(&sim->ctx.exec, set->count, energy_of, &e);
    }
    return sum;
}

// Whether any set knows how dense it is.
static bool has_density(const shoal_sim* sim) {
    SHOAL_EACH_CROWD(&sim->ctx, set)
    if (shoal_set_find(set, "density")) return true;
    return false;
}

void shoal_sim_stats(shoal_sim* sim, double* values) {
    const shoal_description* description = sim->description;
    int64_t                  count       = shoal_sim_count(sim);
    for (int k = 0; k < STAT_COUNT; k++) values[k] = (double)NAN;

    int64_t removed = 0;
    for (int k = 0; k < SHOAL_REASON_COUNT; k++) removed += sim->clock.removed[k];
    values[STAT_emitted] = (double)sim->clock.emitted;
    values[STAT_removed] = (double)removed;
    values[STAT_step_ms] =
        sim->clock.interval_steps > 0 ? 1e3 * sim->interval_seconds / (double)sim->clock.interval_steps : 0.0;

    // an empty set has no average; the sums are zero
    double mass = shoal_sim_mass(sim, -1);
    for (int k = STAT_kinetic_j; k <= STAT_momentum_z_kgmps; k++)
        if (k != STAT_potential_j) values[k] = sum_of(sim, term_of(k, -1));
    values[STAT_potential_j] = 0.0;
    if (mass > 0.0) {
        for (int k = STAT_com_x_m; k <= STAT_com_z_m; k++) values[k] = sum_of(sim, term_of(k, -1)) / mass;
        shoal_d3 base = description->domain.is_given ? description->domain.min : shoal_d3_make(0.0, 0.0, 0.0);
        shoal_d3 com  = {values[STAT_com_x_m], values[STAT_com_y_m], values[STAT_com_z_m]};
        values[STAT_potential_j] = -mass * shoal_d3_dot(description->gravity, shoal_d3_sub(com, base));
    }
    values[STAT_speed_max_mps] = most_of(sim, STAT_speed_max_mps);
    if (has_density(sim)) {
        values[STAT_compression_avg_pct] =
            count > 0 ? sum_of(sim, term_of(STAT_compression_avg_pct, -1)) / (double)count : 0.0;
        values[STAT_compression_max_pct] = most_of(sim, STAT_compression_max_pct);
    }
    if (sim->type->report) sim->type->report(sim->self, values + STAT_COUNT);
}
