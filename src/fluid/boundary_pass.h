// SPDX-License-Identifier: MIT
// Boundary samples of a substep, as passes over all samples there are and the others behind them: which of them are in
// reach of the particles, and, in the order of their cells, what the water sees of those.
#ifndef SHOAL_BOUNDARY_PASS_H
#define SHOAL_BOUNDARY_PASS_H

#include "exec/pass.h"
#include "fluid/water.h"

// Friction of a solid: walls first, then colliders.
typedef struct shoal_boundary_body {
    float wall_friction; // its friction, -1: it sticks
    float layer;         // 1: it drags by its boundary layer
} shoal_boundary_body;

SHOAL_FN int shoal_boundary_number(int body) { return body < 0 ? -1 - body : SHOAL_WALL_COUNT + body; }

typedef struct shoal_boundary_view {
    shoal_cells_frame          frame;        // of the particles' cells
    int                        count;        // samples and others
    int                        sample_count; // others follow
    const shoal_v4 *           place, *velocity;
    const float*               volume;
    const int*                 body;
    shoal_immersed_bodies      immersed;
    const shoal_boundary_body* bodies; // by shoal_boundary_number
    double                     factor; // on the volumes of samples
    double                     cell;   // V, m^3
    float                      dt;
    int*                       upto;  // [count] 1 where in reach, then how many are up to it
    shoal_v4*                  found; // those in reach, as they come: their places, and which they are
    int*                       from;
    const int*                 order; // those by cell
    int                        found_count;
    shoal_sample_view          to;
} shoal_boundary_view;

SHOAL_FN shoal_v4 shoal_boundary_place(const shoal_boundary_view* v, int k) {
    return k < v->sample_count ? v->place[k] : v->immersed.place[k - v->sample_count];
}

SHOAL_FN void shoal_boundary_reach(const shoal_boundary_view* v, int k) {
    v->upto[k] = shoal_cells_frame_holds(&v->frame, shoal_boundary_place(v, k)) ? 1 : 0;
}

SHOAL_FN void shoal_boundary_take(const shoal_boundary_view* v, int k) {
    int at = v->upto[k] - 1;
    if (at < 0 || (k > 0 && v->upto[k - 1] == at + 1)) return;
    v->found[at] = shoal_boundary_place(v, k);
    v->from[at]  = k;
}

// Behind the last comes "nobody", which fills up lists.
SHOAL_FN void shoal_boundary_show(const shoal_boundary_view* v, int k) {
    const shoal_sample_view* to = &v->to;
    if (k == v->found_count) {
        to->place[k] = to->guess[k] = shoal_v4_make(SHOAL_NOWHERE, SHOAL_NOWHERE, SHOAL_NOWHERE, 0.0f);
        to->motion[k]               = shoal_v4_make(0.0f, 0.0f, 0.0f, 0.0f);
        to->layer[k]                = 0.0f;
        to->body[k]                 = 0;
        return;
    }
    int    from = v->from[v->order[k]], other = from - v->sample_count, body = SHOAL_WATER_OTHER - other;
    float  wall_friction = 0.0f, layer = 0.0f;
    double volume;
    if (other < 0) {
        body                    = v->body[from];
        shoal_boundary_body own = v->bodies[shoal_boundary_number(body)];
        wall_friction           = own.wall_friction;
        layer                   = own.layer;
        volume                  = (double)v->volume[from] * v->factor;
    } else {
        volume = (double)v->immersed.volume[other];
    }
    shoal_v4 x = shoal_boundary_place(v, from), u = other < 0 ? v->velocity[from] : v->immersed.velocity[other];
    x.w           = (float)(volume / v->cell);
    u.w           = wall_friction;
    to->layer[k]  = layer;
    to->body[k]   = body;
    to->place[k]  = x;
    to->motion[k] = u;
    to->guess[k]  = shoal_v4_make(x.x + v->dt * u.x, x.y + v->dt * u.y, x.z + v->dt * u.z, x.w);
}

// clang-format off
#define SHOAL_BOUNDARY_PASSES(X) X(reach) X(take) X(show)
// clang-format on
#define X(name) SHOAL_BOUNDARY_##name,
enum { SHOAL_BOUNDARY_PASSES(X) SHOAL_BOUNDARY_PASS_COUNT };
#undef X

#endif
