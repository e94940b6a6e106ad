// SPDX-License-Identifier: MIT
// The column of scenes/small/column.yaml at rest: pressure against the weight above.
#ifndef SHOAL_COLUMN_H
#define SHOAL_COLUMN_H

#include "lab.h"

// As thick as the kernel's radius, which is what the density resolves: at a wall layers of one
// spacing alternate.
enum { LAYERS = 12, FINE = 2 * LAYERS, COLUMN = 2500 };

static inline int from_above(const void* a, const void* b) {
    const float *p = a, *q = b;
    return (*p < *q) - (*p > *q);
}

// Mean over a second of the pressure and of the weight above (rho g depth, by mass: no guess where
// the surface is), by layers of one spacing from the bottom.
static inline void read_layers(shoal_sim* sim, double pressure[FINE], double weight[FINE]) {
    const double d = 0.02, g = 9.81, rho = 998.2, area = 0.2 * 0.2;
    static float sorted[COLUMN][2]; // height, pressure
    assert_int_equal(shoal_sim_count(sim), COLUMN);
    for (int k = 0; k < FINE; k++) pressure[k] = weight[k] = 0.0;
    for (int f = 0; f < 60; f++) {
        lab_run(sim, 1.0 / 60.0, 1.0 / 60.0);
        const float *x = lab_field(sim, "position"), *p = lab_field(sim, "pressure");
        for (int i = 0; i < COLUMN; i++) sorted[i][0] = x[3 * i + 1], sorted[i][1] = p[i];
        qsort(sorted, COLUMN, sizeof *sorted, from_above);
        // particles of one layer lie side by side: each has half of a layer's own weight above its
        // centre
        for (int i = 0; i < COLUMN; i++) {
            int layer = (int)((double)sorted[i][0] / d);
            if (layer < 0 || layer >= FINE) continue;
            pressure[layer] += (double)sorted[i][1];
            weight[layer] += rho * g * d * d * d * (i + 0.5) / area;
        }
    }
}

typedef struct column_rest {
    double off;         // largest deviation from the weight above, below the top tenth
    double compression; // largest average of a frame, %
} column_rest;

static inline column_rest column_at_rest(lab_setup setup) {
    shoal_sim*  sim = lab_scene("small/column.yaml", setup);
    column_rest r   = {0};
    double      pressure[FINE], weight[FINE];
    for (int f = 0; f < 120; f++) {
        lab_run(sim, 1.0 / 60.0, 1.0 / 60.0);
        r.compression = fmax(r.compression, lab_stat(sim, "compression_avg_pct"));
    }
    read_layers(sim, pressure, weight);
    printf("column, %s %s, %d substeps: surface at %.4f m, average compression at most %.3f %%; p "
           "/ (rho g "
           "depth) from the bottom:",
           setup.set[0], setup.set[1] ? setup.set[1] : "", (int)shoal_sim_interval_steps(sim), lab_probe(sim, "gauge"),
           r.compression);
    for (int k = 0; k < FINE; k++) printf(" %.3f", pressure[k] / fmax(weight[k], 1e-9));
    printf("\n  and by two spacings:");
    for (int k = 0; k < LAYERS; k++) {
        double ratio = (pressure[2 * k] + pressure[2 * k + 1]) / (weight[2 * k] + weight[2 * k + 1]);
        printf(" %.3f", ratio);
        if (k < 11 * LAYERS / 12) r.off = fmax(r.off, fabs(ratio - 1.0));
    }
    printf("\n");
    shoal_sim_destroy(sim);
    return r;
}

static inline double hydrostatics_of(const char* first, const char* second) {
    return column_at_rest((lab_setup){.set = {first, second}}).off;
}

#endif
