// SPDX-License-Identifier: MIT
// A stream that leaves a disc and falls freely, whatever it is of: how wide it is beside the section that carries its
// volume at the speed it has. Thick liquids hang from their outlet and fall more slowly than a stone.
#ifndef SHOAL_TEST_STREAM_H
#define SHOAL_TEST_STREAM_H

#include "lab.h"

typedef struct stream {
    const char* solver;
    const char* material;               // honey, oil or syrup: 1 Pa s at the density of water
    double      d, radius, speed, fall; // fall: how far it is looked at, m
    double      down[3];                // direction of gravity
} stream;

typedef struct stream_measures {
    double width; // largest radius over that of Q/v, of those parts of the fall where that is three spacings wide
    double gap;   // largest hole along it, spacings
} stream_measures;

enum { STREAM_PARTS = 8 };

static inline int stream_downwards(const void* a, const void* b) {
    double x = *(const double*)a, y = *(const double*)b;
    return x < y ? -1 : x > y;
}

// Of one moment: sums of each part (count, speed, squared distance from the axis), and the largest hole.
static inline double stream_add(shoal_sim* sim, const stream* s, double sums[STREAM_PARTS][3]) {
    int64_t      count = shoal_sim_count(sim), left = 0;
    const float *x = lab_field(sim, "position"), *u = lab_field(sim, "velocity");
    double *     along = malloc((size_t)(count + 1) * sizeof *along), gap = 0.0;
    for (int64_t i = 0; i < 3 * count; i += 3) {
        double way = 0.0, speed = 0.0, square = 0.0;
        for (int a = 0; a < 3; a++) {
            way += s->down[a] * (double)x[i + a];
            speed += s->down[a] * (double)u[i + a];
            square += (double)x[i + a] * (double)x[i + a];
        }
        int part = (int)floor(way / s->fall * STREAM_PARTS);
        if (part < 0 || part >= STREAM_PARTS) continue;
        along[left++] = way;
        sums[part][0] += 1.0, sums[part][1] += speed, sums[part][2] += square - way * way;
    }
    qsort(along, (size_t)left, sizeof *along, stream_downwards);
    for (int64_t k = 1; k < left; k++) gap = fmax(gap, (along[k] - along[k - 1]) / s->d);
    free(along);
    return gap;
}

// After its head has fallen more than twice as far as that.
static inline stream_measures stream_measure(const stream* s, lab_setup setup) {
    const double g = 9.81, time = (sqrt(s->speed * s->speed + 4.0 * g * s->fall) - s->speed) / g + 0.25 * sqrt(s->fall),
                 side        = 2.0 * s->fall;
    bool            is_syrup = strcmp(s->material, "syrup") == 0;
    char            text[1024];
    double          sums[STREAM_PARTS][3] = {{0}};
    stream_measures appearances           = {0.0, 0.0};
    snprintf(text, sizeof text,
             "solver: %s\nspacing: %g\nfps: 60\ngravity: [%.9g, %.9g, %.9g]\n%s"
             "domain: {min: [%g, %g, %g], max: [%g, %g, %g], walls: {top: open, bottom: open, left: open, right: open, "
             "front: open, back: open}}\n"
             "emitters: [{material: %s, disc: {radius: %g}, velocity: [%.9g, %.9g, %.9g]}]\n",
             s->solver, s->d, g * s->down[0], g * s->down[1], g * s->down[2],
             is_syrup ? "materials: {syrup: {density: 1000, viscosity: 1}}\n" : "", -side, -side, -side, side, side,
             side, s->material, s->radius, s->speed * s->down[0], s->speed * s->down[1], s->speed * s->down[2]);
    shoal_sim* sim = lab_sim(text, setup);
    lab_run(sim, time, time / 20.0);
    for (int frame = 0; frame < 4; frame++) {
        lab_run(sim, time / 20.0, time / 20.0);
        appearances.gap = fmax(appearances.gap, stream_add(sim, s, sums));
    }
    for (int k = 0; k < STREAM_PARTS; k++) {
        double speed = sums[k][1] / sums[k][0], wanted = s->radius * sqrt(s->speed / speed);
        double width = sqrt(2.0 * sums[k][2] / sums[k][0]) / wanted;
        printf("%s, %s, %g m/s, d = %g m, part %d: %.3f m/s, %.1f d wide, %.3f of Q/v\n", s->solver, s->material,
               s->speed, s->d, k, speed, 2.0 * wanted / s->d, width);
        if (2.0 * wanted >= 3.0 * s->d) appearances.width = fmax(appearances.width, width);
    }
    shoal_sim_destroy(sim);
    return appearances;
}

#endif
