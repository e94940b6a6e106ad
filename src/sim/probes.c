// SPDX-License-Identifier: MIT
// Instruments: how far the front has come, how high matter stands on a line, what a wall feels.
#include "sim/sim_local.h"

int shoal_sim_probe_count(const shoal_sim* sim) { return sim->description->probe_count; }

const char* shoal_sim_probe_name(const shoal_sim* sim, int index) {
    bool is_known = index >= 0 && index < sim->description->probe_count;
    return is_known ? sim->description->probes[index].name : "";
}

// Length over which phi is below zero, its ends found between the samples.
static double length_within(const double* phi, int count, double step) {
    double length = 0.0;
    for (int s = 0; s + 1 < count; s++) {
        double a = -phi[s], b = -phi[s + 1];
        if (a > 0.0 && b > 0.0) length += step;
        if (a > 0.0 && b <= 0.0) length += step * a / (a - b);
        if (a <= 0.0 && b > 0.0) length += step * b / (b - a);
    }
    return length;
}

// NaN where memory was short.
static double height_at(const shoal_sim* sim, shoal_d3 at) {
    shoal_line line = shoal_sim_line(sim, at);
    if (line.count == 0) return 0.0;
    shoal_d3* places = shoal_alloc((size_t)line.count, sizeof *places);
    double *  phi = shoal_alloc((size_t)line.count, sizeof *phi), length = (double)NAN;
    if (places && phi) {
        for (int s = 0; s < line.count; s++) places[s] = shoal_d3_make(at.x, line.low + s * line.step, at.z);
        shoal_sim_at(sim, places, line.count, (shoal_at){.phi = phi});
        length = length_within(phi, line.count, line.step);
    }
    shoal_free(phi);
    shoal_free(places);
    return length;
}

void shoal_sim_probes(shoal_sim* sim, double* values) {
    const shoal_description* description = sim->description;
    double                   front[3];
    bool                     has_front = false;
    for (int p = 0; p < description->probe_count; p++)
        has_front = has_front || description->probes[p].kind == SHOAL_PROBE_FRONT;
    if (has_front) shoal_sim_fronts(sim, front);

    for (int p = 0; p < description->probe_count; p++) {
        const shoal_probe* probe = &description->probes[p];
        switch (probe->kind) {
        case SHOAL_PROBE_FRONT:
            values[p] = front[probe->axis];
            break;
        case SHOAL_PROBE_HEIGHT:
            values[p] = height_at(sim, probe->at);
            break;
        case SHOAL_PROBE_PRESSURE:
            shoal_sim_at(sim, &probe->at, 1, (shoal_at){.pressure = &values[p]});
            break;
        }
    }
}
