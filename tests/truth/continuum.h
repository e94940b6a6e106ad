// SPDX-License-Identifier: MIT
// Dry sand of `porous` in periodic slabs: Bui's column (see sand.h), run-outs, cuts and layers on
// inclines. Geometry, material and spacing are given, nothing of the solver.
#ifndef SHOAL_TRUTH_CONTINUUM_H
#define SHOAL_TRUTH_CONTINUUM_H

#include "truth/sand.h"

typedef struct slab_result {
    profile at_rest;
    double  unmoved;                     // fraction of the particles that are where they began, within half a spacing
    double  creep;                       // mean way in the last 0.8 s, over it, m/s
    double  compression, compression_99; // %, at the end
    double  sweeps;                      // mean of all frames
} slab_result;

static inline double mean_way(float (*a)[3], float (*b)[3], int64_t count, double near, double* fraction) {
    double sum = 0;
    *fraction  = 0;
    for (int64_t i = 0; i < count; i++) {
        double way2 = 0;
        for (int c = 0; c < 3; c++) way2 += pow((double)(b[i][c] - a[i][c]), 2);
        sum += sqrt(way2) / (double)count;
        *fraction += (sqrt(way2) < near) / (double)count;
    }
    return sum;
}

// Lets a column collapse along a slab of 4 spacings, with its left side at a smooth wall.
static inline slab_result slab(double length, double height, double run, double d, const char* material, double seconds,
                               lab_setup setup) {
    double far = d * ceil(run / d), thick = 4 * d * (1 + 1e-9), fraction;
    char   text[1024];
    snprintf(text, sizeof text,
             "solver: porous\nspacing: %.15g\n"
             "domain: {min: [0, 0, 0], max: [%.15g, %.15g, %.15g], walls: {top: open, left: slip, "
             "right: slip, back: periodic, front: periodic}}\n"
             "materials: {sand: {preset: sand, %s}}\n"
             "bodies: [{material: sand, box: {min: [0, 0, 0], max: [%.9g, %.9g, %.9g]}}]\n",
             d, far, 1.5 * height, thick, material, length, height, thick);
    shoal_sim* sim     = lab_sim(text, setup);
    int64_t    count   = shoal_sim_count(sim);
    float(*x)[3]       = malloc((size_t)count * 3 * sizeof *x);
    slab_result r      = {.sweeps = 0};
    int         frames = (int)(seconds * 60 + 0.5);
    assert_non_null(x);
    lab_by_id(sim, "position", x);
    for (int f = 0; f < frames; f++) {
        if (f == frames - 48) lab_by_id(sim, "position", x + count);
        lab_run(sim, 1.0 / 60, 1.0 / 60);
        r.sweeps += lab_stat(sim, "sweeps") / frames;
    }
    lab_by_id(sim, "position", x + 2 * count);
    mean_way(x, x + 2 * count, count, 0.5 * d, &r.unmoved);
    r.creep          = mean_way(x + count, x + 2 * count, count, d, &fraction) / 0.8;
    r.at_rest        = profile_of(sim, far, d, thick);
    r.compression    = lab_stat(sim, "compression_avg_pct");
    r.compression_99 = lab_stat(sim, "compression_99_pct");
    free(x);
    shoal_sim_destroy(sim);
    return r;
}

typedef struct bui_slab {
    double      front, rms, steepest, middle; // m, m, degrees
    slab_result r;
} bui_slab;

static inline bui_slab bui_porous(int cells, double seconds, lab_setup setup) {
    bui_slab       b = {.r = slab(0.2, 0.1, 0.6, 0.1 / cells,
                                  "density: 2650, friction_angle: 19.8, boundary_friction: 0.36, "
                                        "grain_size: 0.00125, cohesion: 0",
                                  seconds, setup)};
    const profile* p = &b.r.at_rest;
    b.front          = front_of(p, 0.0015);
    b.steepest       = steepest(p, 0.05, 0.40, 0.04);
    b.middle         = slope_between(p, 0.12, 0.32);
    for (int k = 0; k < BUI_POINTS; k++)
        b.rms += pow(depth_at(p, bui_measured[k][0]) - bui_measured[k][1], 2) / BUI_POINTS;
    b.rms = sqrt(b.rms);
    printf("Bui, %d spacings high: front %.3f m (0.442), surface off by %.1f mm RMS, steepest part "
           "%.1f degrees, middle %.1f (15.5), unmoved %.0f %% (52), creep %.2f mm/s, compression "
           "%.3f and %.2f %%, %.1f sweeps\n",
           cells, b.front, 1e3 * b.rms, b.steepest, b.middle, 100 * b.r.unmoved, 1e3 * b.r.creep, b.r.compression,
           b.r.compression_99, b.r.sweeps);
    return b;
}

// Run-out (Lf - L0)/L0 of a column of aspect a over the law 1.2 a (Lube 2005, Lajeunesse 2005),
// with `cells` spacings along its length.
static inline double run_out_porous(double aspect, int cells, lab_setup setup) {
    const double length = 0.1;
    slab_result  r      = slab(length, aspect * length, 0.2 + 0.32 * aspect, length / cells,
                               "friction_angle: 30, boundary_friction: 0.577, grain_size: 0.001, "
                                     "cohesion: 0",
                               1.2, setup);
    double       ran    = (front_of(&r.at_rest, 0.001) - length) / length;
    printf("aspect %g, %d spacings long: run-out %.3f (%.2f), creep %.2f mm/s, %.1f sweeps\n", aspect, cells, ran,
           1.2 * aspect, 1e3 * r.creep, r.sweeps);
    return ran / (1.2 * aspect);
}

// How far the front of a vertical cut of 0.1 m has come after 1 s, m; it begins at 0.1.
static inline double cut_porous(double cohesion) {
    char material[128];
    snprintf(material, sizeof material, "density: 1600, friction_angle: 30, boundary_friction: 0.577, cohesion: %g",
             cohesion);
    slab_result r     = slab(0.1, 0.1, 0.4, 0.005, material, 1.0, (lab_setup){0});
    double      front = front_of(&r.at_rest, 0.005);
    printf("cut of 0.1 m, cohesion %g Pa: front at %.4f m, creep %.2f mm/s\n", cohesion, front, 1e3 * r.creep);
    return front;
}

#endif
