// SPDX-License-Identifier: MIT
// A column of water collapses on a dry plane, against the experiment of Martin & Moyce 1952, Phil.
// Trans. R. Soc. A 244:312-324 (a = 57.15 mm, n^2 = 2): T = t sqrt(2 g / a), Z = front / a from the
// back wall. Geometry and spacing are given, nothing of the solver.
#ifndef SHOAL_FRONT_H
#define SHOAL_FRONT_H

#include "lab.h"
#include "truth/figure.h"

typedef struct point {
    double t, z;
} point;

static const point measured[] = {
    {0.83, 1.22}, {1.22, 1.47}, {2.00, 2.29}, {2.55, 3.00}, {3.35, 4.13}, {4.03, 4.94},
    {4.42, 5.88}, {5.09, 6.98}, {5.69, 7.95}, {6.31, 8.97}, {6.82, 9.99}, {7.44, 10.96},
};
enum { MEASURED = sizeof measured / sizeof *measured, MOST = 800 };

typedef struct curve {
    int    count;
    point  at[MOST];
    double compression; // largest average, %
    double seconds;     // simulated
    double steps;
} curve;

static inline double between(const point* p, int count, double t) {
    int k = 0;
    while (k < count - 2 && t > p[k + 1].t) k++;
    return p[k].z + (p[k + 1].z - p[k].z) * (t - p[k].t) / (p[k + 1].t - p[k].t);
}

// A plane slice, four spacings thick (2h), periodic across.
static inline shoal_sim* slice(double a, int per_width, lab_setup setup) {
    double d = a / per_width;
    char   text[512];
    snprintf(text, sizeof text,
             "spacing: %.9g\n"
             "domain: {min: [0, 0, 0], max: [%.9g, %.9g, %.9g], walls: {top: open, back: periodic, "
             "front: periodic}}\n"
             "bodies: [{material: water, box: {min: [0, 0, 0], max: [%.9g, %.9g, %.9g]}}]\n"
             "probes: [{name: front, kind: front, axis: x}]\n",
             d, 7.0 * a, 3.0 * a, 4.0 * d, a, 2.0 * a, 4.0 * d);
    return lab_sim(text, setup);
}

static inline void run_curve_by(curve* c, double a, int per_width, double until, double frame, lab_setup setup) {
    shoal_sim* sim   = slice(a, per_width, setup);
    double     scale = sqrt(2.0 * 9.81 / a);
    *c               = (curve){.count = 1, .at = {{0.0, lab_probe(sim, "front") / a}}};
    while (c->at[c->count - 1].t < until && c->count < MOST) {
        lab_run(sim, frame, frame);
        c->at[c->count++] = (point){shoal_sim_time(sim) * scale, lab_probe(sim, "front") / a};
        c->compression    = fmax(c->compression, lab_stat(sim, "compression_avg_pct"));
    }
    c->seconds = shoal_sim_time(sim);
    c->steps   = (double)shoal_sim_steps(sim);
    shoal_sim_destroy(sim);
}

static inline void run_curve(curve* c, double a, int per_width, double until, lab_setup setup) {
    run_curve_by(c, a, per_width, until, a > 0.5 ? 1.0 / 60.0 : 1.0 / 240.0, setup);
}

// Lowest and highest deviation over the measured points in T 1..4 (0.83 and 4.03 close the range),
// after a shift in T.
static inline void deviation(const curve* c, double shift, double* low, double* high) {
    *low = (double)INFINITY, *high = -(double)INFINITY;
    for (double t = 1.0; t <= 4.0 + 1e-9; t += 0.05) {
        double off = between(c->at, c->count, t + shift) / between(measured, MEASURED, t) - 1.0;
        *low = fmin(*low, off), *high = fmax(*high, off);
    }
}

static inline double best_shift(const curve* c) {
    double best = 0.0, least = (double)INFINITY;
    for (int k = -15; k <= 15; k++) {
        double low, high, miss;
        deviation(c, 0.01 * k, &low, &high);
        miss = fmax(high - 0.10, -0.05 - low); // how far outside of the good band
        if (miss < least) least = miss, best = 0.01 * k;
    }
    return best;
}

// Holds the curve against the measured one: 5 % behind it to 10 % ahead, after a shift in T.
static inline void check_front(const char* what, const char* solver, const curve* c) {
    double shift = best_shift(c), raw_low, raw_high, low, high;
    deviation(c, 0.0, &raw_low, &raw_high);
    deviation(c, shift, &low, &high);
    printf("%s: Z %+.1f..%+.1f %% raw, %+.1f..%+.1f %% with a shift of %+.2f in T; average "
           "compression at most %.3f %%; %.0f substeps per 1/60 s\n",
           what, 100.0 * raw_low, 100.0 * raw_high, 100.0 * low, 100.0 * high, shift, c->compression,
           c->steps / c->seconds / 60.0);
    printf("  T, Z measured, Z here:");
    for (int k = 0; k < MEASURED && measured[k].t + shift <= c->at[c->count - 1].t; k++)
        printf(" (%.2f, %.2f, %.2f)", measured[k].t, measured[k].z, between(c->at, c->count, measured[k].t + shift));
    printf("\n");
    truth_above(truth_case("front of Martin & Moyce, %s: most behind the measured one", what), solver, 100.0 * low, "%",
                -5.0);
    truth_below(truth_case("front of Martin & Moyce, %s: most ahead of the measured one", what), solver, 100.0 * high,
                "%", 10.0);
}

#endif
