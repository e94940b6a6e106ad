// SPDX-License-Identifier: MIT
// A tank with liquid as a tracked surface and a mesh in it: still water, and waves.
#ifndef SHOAL_TEST_TANK_H
#define SHOAL_TEST_TANK_H

#include "unit/check.h"

#include "tet/liquid.h"

static const shoal_exec two = {2};

// --- a box as a tank, which may be turned; gravity is along -y

typedef struct tank {
    shoal_quat turn;
    shoal_d3   middle, half;
    bool       is_none; // no solids at all
} tank;

static double off_tank(void* ctx, shoal_d3 at, shoal_tet_wall* wall) {
    const tank* t    = ctx;
    shoal_d3    p    = shoal_quat_rotate(shoal_quat_conjugate(t->turn), shoal_d3_sub(at, t->middle));
    double      best = 1e9;
    shoal_d3    out  = {0.0, 0.0, 0.0};
    for (int a = 0; a < 3 && !t->is_none; a++) {
        double x = shoal_d3_axis(p, a), off = shoal_d3_axis(t->half, a) - fabs(x);
        if (off < best) {
            best                                            = off;
            out                                             = shoal_d3_make(0.0, 0.0, 0.0);
            (a == 0 ? &out.x : a == 1 ? &out.y : &out.z)[0] = x > 0.0 ? -1.0 : 1.0;
        }
    }
    if (wall) *wall = (shoal_tet_wall){.normal = shoal_v3_from(shoal_quat_rotate(t->turn, out))};
    return best;
}

// --- water, negative inside

typedef struct water {
    double height, wave, number; // surface at height + wave cos(number x)
    double end;                  // and up to this x
} water;

static void wet(void* ctx, const shoal_d3* at, int count, double* value) {
    const water* w = ctx;
    for (int i = 0; i < count; i++)
        value[i] = fmax(at[i].y - w->height - w->wave * cos(w->number * at[i].x), at[i].x - w->end);
}
typedef struct fall {
    double dt;
} fall;
static shoal_d3 push(void* ctx, shoal_d3 at) {
    (void)at;
    return shoal_d3_make(0.0, -9.81 * ((fall*)ctx)->dt, 0.0);
}

static const shoal_tet_options usual = {.sharpness = 0.5, .is_sharp = true, .tolerance = 1e-8, .is_kept = true};

// Of its motion, by density; and its centre.
static double energy_of(const shoal_tet_liquid* l, shoal_d3* centre) {
    const shoal_tet_stage* s = shoal_tet_now(l);
    double                 e = 0.0, all = 0.0;
    *centre = shoal_d3_make(0.0, 0.0, 0.0);
    for (int t = 0; t < s->mesh.tet_count; t++) {
        shoal_d3 area[4], at = {0.0, 0.0, 0.0};
        double   v = shoal_tet_areas(&s->mesh, t, area);
        for (int k = 0; k < 4; k++) at = shoal_d3_add(at, shoal_d3_scale(s->mesh.place[s->mesh.tets[t][k]], 0.25));
        e += 0.5 * v * (double)shoal_v3_dot(s->velocity[t], s->velocity[t]);
        *centre = shoal_d3_add(*centre, shoal_d3_scale(at, v));
        all += v;
    }
    *centre = shoal_d3_scale(*centre, 1.0 / all);
    return e;
}

// What is left of a standing wave in a tank of 1 m x 0.3 m, 0.5 m deep, after some swings: omega^2 = g k tanh(k depth).
typedef struct swing {
    double period, amplitude, energy, volume; // over the exact one, over those of the begin
} swing;

static swing swing_for(int cells, double height, double until) {
    tank             t      = {.turn = {1.0, 0.0, 0.0, 0.0}, .middle = {0.5, 0.5, 0.15}, .half = {0.5, 0.5, 0.15}};
    water            w      = {.height = 0.5, .wave = height, .number = SHOAL_PI, .end = 9.0};
    shoal_tet_solids solids = {&t, off_tank, false};
    shoal_tet_liquid l      = {0};
    fall             g      = {1.0 / 60.0};
    shoal_box        box    = {{0.0, 0.0, 0.0}, {1.0, 1.0, 0.3}};
    double   omega = sqrt(9.81 * SHOAL_PI * tanh(SHOAL_PI * 0.5)), before = 0.0, first = 0.0, last = 0.0, most = 0.0;
    int      crossings = 0;
    shoal_d3 centre;
    CHECK_OK(shoal_tet_liquid_begin(&l, box, 1.0 / cells, wet, &w, &solids, &two));
    double volume = shoal_tet_now(&l)->volume, kinetic = 0.0, begin, flow;
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
        CHECK_OK(shoal_tet_liquid_step(&l, g.dt, &solids, push, &g, &usual, &two));
    }
    // all of the energy is height at the begin: g / 4 times the square of it by area
    swing s = {(last - first) * omega / (SHOAL_PI * (crossings - 1)), most / begin,
               kinetic / (9.81 * 0.25 * height * height * 0.3), shoal_tet_now(&l)->volume / volume};
    print_message(
        "%d cells, wave of %g m, %g s: period %+.2f %%, amplitude %.3f, energy %.3f, volume %+.3f %%, %d tets\n", cells,
        height, until, 100.0 * (s.period - 1.0), s.amplitude, s.energy, 100.0 * (s.volume - 1.0),
        shoal_tet_now(&l)->mesh.tet_count);
    shoal_tet_liquid_free(&l);
    return s;
}

#endif
