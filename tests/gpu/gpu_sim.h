// SPDX-License-Identifier: MIT
// What the house knows of a simulation beyond its public headers.
#ifndef SHOAL_TESTS_GPU_SIM_H
#define SHOAL_TESTS_GPU_SIM_H

#include <string.h>

#include "sim/sim_local.h"

// A column of stats.csv that the solver has.
static inline double gpu_stat(const shoal_sim* sim, const char* name) {
    double values[64] = {0};
    if (sim->type->report) sim->type->report(sim->self, values);
    for (int k = 0; k < shoal_column_count(sim->type->columns); k++)
        if (strcmp(sim->type->columns[k].name, name) == 0) return values[k];
    return 0.0;
}

// Of the contacts, where grains have some in each substep of the house.
static inline double gpu_substeps(const shoal_sim* sim) {
    double contacts = gpu_stat(sim, "dem_steps");
    return contacts > 0.0 ? contacts : (double)shoal_sim_steps(sim);
}

#endif
