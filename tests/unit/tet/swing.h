// SPDX-License-Identifier: MIT
// A standing wave in a tank, and what is left of it.
#ifndef SHOAL_TEST_SWING_H
#define SHOAL_TEST_SWING_H

#include "tank.h"

// What is left of a standing wave in a tank of 1 m x 0.3 m, 0.5 m deep, after some swings: omega^2 = g k tanh(k depth).
typedef struct swing {
    double period, amplitude, energy, volume; // over the exact one, over those of the begin
} swing;

static swing swing_for(int cells, double height, double until, const shoal_tet_options* options) {
    tank             t      = {.turn = {1.0, 0.0, 0.0, 0.0}, .middle = {0.5, 0.5, 0.15}, .half = {0.5, 0.5, 0.15}};
    water            w      = {.height = 0.5, .wave = height, .number = SHOAL_PI, .end = 9.0};
    shoal_tet_solids solids = {&t, off_tank, false};
    shoal_tet_liquid l      = {0};
    fall             g      = {1.0 / 60.0};
    shoal_tet_drive  drive  = {.ctx = &g, .accelerate = accelerate};
    shoal_box        box    = {{0.0, 0.0, 0.0}, {1.0, 1.0, 0.3}};
    double   omega = sqrt(9.81 * SHOAL_PI * tanh(SHOAL_PI * 0.5)), before = 0.0, first = 0.0, last = 0.0, most = 0.0;
    int      crossings = 0;
    shoal_d3 centre;
    CHECK_OK(shoal_tet_liquid_begin(&l, box, 1.0 / cells, wet, &w, &solids, &two));
    double volume = shoal_tet_current(&l)->surface_volume, kinetic = 0.0, begin, flow;
    energy_of(&l, &centre);
    begin = fabs(centre.x - 0.5);
    for (int k = 0; k * g.dt < until; k++) {
        flow     = energy_of(&l, &centre);
        double x = centre.x - 0.5;
        if (k > 0 && before * x < 0.0) {
            last = (k - x / (x - before)) * g.dt;
            if (crossings++ == 0) first = last;
        }
        if (k * g.dt > until - SHOAL_PI / omega) { // of the last half swing
            most    = fmax(most, fabs(x));
            kinetic = fmax(kinetic, flow);
        }
        before = x;
        CHECK_OK(shoal_tet_liquid_step(&l, g.dt, &solids, &drive, options, &two));
    }
    // all of the energy is height at the begin: g / 4 times the square of it by area
    swing s = {(last - first) * omega / (SHOAL_PI * (crossings - 1)), most / begin,
               kinetic / (9.81 * 0.25 * height * height * 0.3), shoal_tet_current(&l)->surface_volume / volume};
    print_message(
        "%d cells, wave of %g m, %g s: period %+.2f %%, amplitude %.3f, energy %.3f, volume %+.3f %%, %d tets\n", cells,
        height, until, 100.0 * (s.period - 1.0), s.amplitude, s.energy, 100.0 * (s.volume - 1.0),
        shoal_tet_current(&l)->mesh.tet_count);
    shoal_tet_liquid_free(&l);
    return s;
}

#endif
