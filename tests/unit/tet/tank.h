// SPDX-License-Identifier: MIT
// A tank with liquid as a tracked surface and a mesh in it: still water, and waves.
#ifndef SHOAL_TEST_TANK_H
#define SHOAL_TEST_TANK_H

#include "unit/check.h"

#include "tet/liquid.h"

static const shoal_exec two = {.threads = 2};

// --- a box as a tank, which may be turned; gravity is along -y

typedef struct tank {
    shoal_quat turn;
    shoal_d3   middle, half;
    bool       is_not_finite; // no solids at all
} tank;

static double off_tank(void* ctx, shoal_d3 at, shoal_tet_wall* wall) {
    const tank* t    = ctx;
    shoal_d3    p    = shoal_quat_rotate(shoal_quat_conjugate(t->turn), shoal_d3_sub(at, t->middle));
    double      best = 1e9;
    shoal_d3    out  = {0.0, 0.0, 0.0};
    for (int a = 0; a < 3 && !t->is_not_finite; a++) {
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
static shoal_d3 accelerate(void* ctx, shoal_d3 at, shoal_d3 velocity) {
    (void)at;
    return shoal_d3_add(velocity, shoal_d3_make(0.0, -9.81 * ((fall*)ctx)->dt, 0.0));
}

static const shoal_tet_options usual = {
    .sharpness = 0.5, .core = 1.0, .is_sharp = true, .tolerance = 1e-8, .keeps_volume = true};

static inline void step_on(shoal_tet_liquid* l, const shoal_tet_solids* solids, fall* g) {
    shoal_tet_drive drive = {.ctx = g, .accelerate = accelerate};
    CHECK_OK(shoal_tet_liquid_step(l, g->dt, solids, &drive, &usual, &two));
}

// Of its motion, by density; and its centre.
static inline double energy_of(const shoal_tet_liquid* l, shoal_d3* centre) {
    const shoal_tet_state* s = shoal_tet_current(l);
    double                 e = 0.0, all = 0.0;
    *centre = shoal_d3_make(0.0, 0.0, 0.0);
    for (int t = 0; t < s->mesh.tet_count; t++) {
        shoal_d3 area[4], at = {0.0, 0.0, 0.0};
        double   v = shoal_tet_areas(&s->mesh, t, area);
        for (int k = 0; k < 4; k++) at = shoal_d3_add(at, shoal_d3_scale(s->mesh.position[s->mesh.tets[t][k]], 0.25));
        e += 0.5 * v * (double)shoal_v3_dot(s->velocity[t], s->velocity[t]);
        *centre = shoal_d3_add(*centre, shoal_d3_scale(at, v));
        all += v;
    }
    *centre = shoal_d3_scale(*centre, 1.0 / all);
    return e;
}

#endif
