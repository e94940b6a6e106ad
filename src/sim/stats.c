// SPDX-License-Identifier: MIT
// The columns of stats.csv after `particles`: totals and measures, then the solver's.
#include <math.h>
#include <stdio.h>

#include "shoal/sim.h"
#include "sim/sim_local.h"

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

void shoal_sim_stats(shoal_sim* sim, double* values) {
    const shoal_description* description = sim->description;
    int64_t                  removed     = 0;
    for (int k = 0; k < STAT_COUNT; k++) values[k] = (double)NAN;
    for (int k = 0; k < SHOAL_REASON_COUNT; k++) removed += sim->clock.removed[k];
    values[STAT_emitted] = (double)sim->clock.emitted;
    values[STAT_removed] = (double)removed;
    values[STAT_step_ms] =
        sim->clock.interval_steps > 0 ? 1e3 * sim->interval_seconds / (double)sim->clock.interval_steps : 0.0;

    // an empty set has no average; the sums are zero
    double   mass     = shoal_sim_mass(sim, -1);
    shoal_d3 momentum = shoal_sim_momentum(sim), moment = shoal_sim_moment(sim);
    for (int axis = 0; axis < 3; axis++) values[STAT_momentum_x_kgmps + axis] = shoal_d3_axis(momentum, axis);
    values[STAT_kinetic_j]   = shoal_sim_kinetic(sim, -1, (double)INFINITY);
    values[STAT_potential_j] = 0.0;
    if (mass > 0.0) {
        shoal_d3 com  = shoal_d3_make(moment.x / mass, moment.y / mass, moment.z / mass);
        shoal_d3 base = description->domain.is_given ? description->domain.min : shoal_d3_make(0.0, 0.0, 0.0);
        for (int axis = 0; axis < 3; axis++) values[STAT_com_x_m + axis] = shoal_d3_axis(com, axis);
        values[STAT_potential_j] = -mass * shoal_d3_dot(description->gravity, shoal_d3_sub(com, base));
    }
    values[STAT_centre_of_mass_residual_m] =
        hypot(hypot(sim->clock.unexplained[0], sim->clock.unexplained[1]), sim->clock.unexplained[2]);
    values[STAT_speed_max_mps] = shoal_sim_speed_max(sim);
    shoal_sim_compression(sim, &values[STAT_compression_avg_pct], &values[STAT_compression_max_pct]);
    if (sim->type->report) sim->type->report(sim->self, values + STAT_COUNT);
}
