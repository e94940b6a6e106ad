// SPDX-License-Identifier: MIT
// A tank with liquid as a tracked surface and a mesh in it.
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
    double height;
    double end; // up to this x
} water;

static inline void wet(void* ctx, const shoal_d3* at, int count, double* value) {
    const water* w = ctx;
    for (int i = 0; i < count; i++) value[i] = fmax(at[i].y - w->height, at[i].x - w->end);
}
typedef struct fall {
    double dt;
} fall;
static shoal_d3 accelerate(void* ctx, shoal_d3 at, shoal_d3 velocity) {
    (void)at;
    return shoal_d3_add(velocity, shoal_d3_make(0.0, -9.81 * ((fall*)ctx)->dt, 0.0));
}

static const shoal_tet_options usual = {.tolerance = 1e-8};

static inline void begin(shoal_tet_liquid* l, shoal_box box, double step, shoal_field_fn field, void* ctx,
                         const shoal_tet_solids* solids) {
    fall            none  = {0.0};
    shoal_tet_drive drive = {.ctx = &none, .accelerate = accelerate};
    CHECK_OK(shoal_tet_liquid_begin(l, box, step, field, ctx, solids, &drive, 1e-8, &two));
}

static inline void step_on(shoal_tet_liquid* l, const shoal_tet_solids* solids, fall* g) {
    shoal_tet_drive drive = {.ctx = g, .accelerate = accelerate};
    CHECK_OK(shoal_tet_liquid_step(l, g->dt, solids, &drive, &usual, &two));
}

// Of all tetrahedra.
static inline shoal_d3 centre_of(const shoal_tet_liquid* l, double* volume) {
    const shoal_tetmesh* mesh = &shoal_tet_current(l)->mesh;
    shoal_d3             sum  = {0.0, 0.0, 0.0};
    *volume                   = 0.0;
    for (int t = 0; t < mesh->tet_count; t++) {
        shoal_d3 area[4];
        double   v = shoal_tet_areas(mesh, t, area);
        sum        = shoal_d3_add(sum, shoal_d3_scale(shoal_tet_centroid(mesh, t), v));
        *volume += v;
    }
    return shoal_d3_scale(sum, 1.0 / *volume);
}

#endif
