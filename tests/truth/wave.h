// SPDX-License-Identifier: MIT
// A standing wave in a tank: its period against linear theory, T = 2 pi / sqrt(g k tanh k H) with k
// = pi / L, and what is left of its amplitude. The surface starts tilted; the centre of mass tells
// the first mode within 2 %.
#ifndef SHOAL_TRUTH_WAVE_H
#define SHOAL_TRUTH_WAVE_H

#include "lab.h"
#include "math/kernels.h"
#include "truth/figure.h"

typedef struct wave {
    double period; // over that of theory
    double left;   // fraction of the amplitude after the last whole period
} wave;

// `across` and `deep` in spacings; rises by `tilt` spacings from the middle to a wall.
static inline wave wave_in(double d, int across, int deep, double tilt, double periods, lab_setup setup) {
    const double g = 9.81, length = across * d, depth = deep * d, k = SHOAL_PI / length;
    double       theory = 2.0 * SHOAL_PI / sqrt(g * k * tanh(k * depth)), slope = 2.0 * tilt / across;
    char         text[768];
    snprintf(text, sizeof text,
             "spacing: %.9g\n"
             "fps: %.9g\n"
             "domain: {min: [0, 0, 0], max: [%.9g, %.9g, %.9g], walls: {top: open, back: periodic, "
             "front: periodic}}\n"
             "bodies:\n"
             "  - {material: water, intersect: [{box: {min: [0, 0, 0], max: [%.9g, %.9g, %.9g]}}, "
             "{plane: {normal: [%.9g, 1, 0], offset: %.9g}}]}\n",
             d, 40.0 / theory, length, 2.0 * depth, 5.0 * d, length, 2.0 * depth, 5.0 * d, slope,
             depth + 0.5 * slope * length);
    shoal_sim* sim   = lab_sim(text, setup);
    double     start = lab_stat(sim, "com_x_m") - 0.5 * length, before = start, first = 0.0, last = 0.0, most = 0.0;
    wave       w         = {0.0, 0.0};
    int        crossings = 0;
    for (int frame = 1; frame <= (int)(40.0 * (periods + 0.3)); frame++) {
        CHECK_OK(shoal_sim_advance(sim, theory / 40.0));
        double x = lab_stat(sim, "com_x_m") - 0.5 * length;
        if (x * before < 0.0) {
            last = (frame - x / (x - before)) / 40.0;
            if (crossings++ == 0) first = last;
            most = 0.0;
        }
        most   = fmax(most, fabs(x));
        before = x;
        if (crossings == 2 * (int)periods) w.left = most / fabs(start);
    }
    shoal_sim_destroy(sim);
    assert_true(crossings > 2);
    w.period = 2.0 * (last - first) / (crossings - 1);
    return w;
}

static inline void keeps_its_pace(const char* what, const char* solver, double d, int across, int deep, double tilt,
                                  double periods, double left, lab_setup setup) {
    wave w = wave_in(d, across, deep, tilt, periods, setup);
    truth_figure(truth_case("standing wave, %s, %d deep: period over that of linear theory", what, deep), solver,
                 w.period, "", 0.97, 1.03);
    truth_above(truth_case("standing wave, %s, %d deep: amplitude left after %g periods", what, deep, periods), solver,
                w.left, "", left);
}

static inline lab_setup fine(const char* solver) {
    lab_setup setup = {.threads = 1, .set = {"quality=fine", solver}};
    return setup;
}

#endif
