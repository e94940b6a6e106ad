// SPDX-License-Identifier: MIT
// What one particle of SPH water gives to the solids near it.
#ifndef SHOAL_LOAD_PASS_H
#define SHOAL_LOAD_PASS_H

#include "fluid/water_pass.h"

// A solid near a particle: a collider, or all walls of one number. A particle has rarely more than three.
enum { SHOAL_LOAD_MOST = 8 };

typedef struct shoal_load_neighbour {
    int      body;
    shoal_d3 away;             // sum of V_b slope/r x_ib: where its pressure pushes
    double   push;             // its part in the contact: touch = sum of push times away
    double   coulomb, viscous; // its part in friction, the first with that of boundary layers
} shoal_load_neighbour;

// Impulses that a particle gives to a collider.
typedef struct shoal_load_row {
    int      item, body;
    shoal_d3 pressure, coulomb, viscous;
} shoal_load_row;

typedef struct shoal_load_view {
    shoal_water_view water;
    int              colliders;
    double           cube, density;    // m^3 of a particle, where it has none of its own; kg/m^3 of the first liquid
    const float *    volumes, *masses; // NULL: those of the material
    int*             upto;             // on a device: rows of each particle, then how many are up to it
    shoal_load_row*  rows;
} shoal_load_view;

SHOAL_FN int shoal_load_neighbours(const shoal_water_view* v, int i, shoal_load_neighbour* near) {
    const shoal_sample_view* s     = &v->sample;
    int                      count = 0;
    SHOAL_FOR_NEAR(v->boundary, i, b) {
        float    r;
        shoal_v3 d      = shoal_displacement(v->place[i], s->place[b], i, b, v->h, &r);
        double   volume = (double)s->place[b].w, wall_friction = (double)s->motion[b].w;
        int      body = s->body[b], k = 0;
        if (body < SHOAL_WATER_OTHER) body = SHOAL_WATER_OTHER; // all of the others as one
        while (k < count && near[k].body != body) k++;
        if (k == SHOAL_LOAD_MOST) continue;
        if (k == count) {
            shoal_load_neighbour none = {body, {0.0, 0.0, 0.0}, 0.0, 0.0, 0.0};
            near[count++]             = none;
        }
        near[k].away = shoal_d3_add(
            near[k].away, shoal_d3_scale(shoal_d3_from(d), volume * (double)shoal_water_slope(v->h, r) / (double)r));
        near[k].coulomb +=
            volume * (double)shoal_water_kernel(v->h, r) * (fmax(wall_friction, 0.0) + (double)s->layer[b]);
        if (wall_friction < 0.0 && r < v->h) near[k].viscous += volume * (double)(v->h - r);
    }
    return count;
}

// Parts of the contact: the non-negative ones whose sum comes nearest to it. In a corner each solid gets what is along
// its own normal. Returns what is left: within a vessel, which is one solid, its normal points out of the corner, and
// contact with the floor alone does not.
SHOAL_FN shoal_d3 shoal_load_split_contact(shoal_load_neighbour* near, int count, shoal_d3 touch) {
    enum { ROUNDS = 20 };
    shoal_d3 left = touch;
    for (int round = 0; round < ROUNDS; round++)
        for (int k = 0; k < count; k++) {
            double length2 = shoal_d3_dot(near[k].away, near[k].away);
            if (!(length2 > 0.0)) continue;
            double push  = fmax(near[k].push + shoal_d3_dot(left, near[k].away) / length2, 0.0);
            left         = shoal_d3_add(left, shoal_d3_scale(near[k].away, near[k].push - push));
            near[k].push = push;
        }
    return left;
}

// How many colliders feel it.
SHOAL_FN int shoal_load_count_colliders(const shoal_load_view* v, const shoal_load_neighbour* near, int count) {
    int found = 0;
    for (int k = 0; k < count; k++) found += near[k].body >= 0 && near[k].body < v->colliders;
    return found;
}

// What a particle gives the solids near: its pressure, m_i light K V_b grad W, its contact and its friction; returns
// the number of rows.
SHOAL_FN int shoal_load_of(const shoal_load_view* view, int i, shoal_load_row* rows) {
    const shoal_water_view* v = &view->water;
    shoal_load_neighbour    near[SHOAL_LOAD_MOST];
    int                     count = shoal_load_neighbours(v, i, near), row = 0;
    double                  coulomb = 0.0, viscous = 0.0;
    if (shoal_load_count_colliders(view, near, count) == 0) return 0;
    for (int k = 0; k < count; k++) coulomb += near[k].coulomb, viscous += near[k].viscous;

    double cube   = view->volumes ? (double)view->volumes[i] : view->cube;
    double mass   = view->masses ? (double)view->masses[i] : (double)v->liquids[v->material[i]].density * cube;
    double spread = (double)v->motion[i].w,
           k_i    = (double)v->pressure_scale * (double)v->pressure[i] * (spread * spread);
    double   apply_pressure = view->density * cube * k_i * (double)v->slope;
    shoal_d3 by_friction    = shoal_d3_sub(shoal_d3_from(v->velocity[i]), shoal_d3_from(v->course[i]));
    shoal_d3 none = {0.0, 0.0, 0.0}, drag = v->hold[i] > 0.0f ? shoal_d3_from(v->drag[i]) : none;
    shoal_d3 left = shoal_load_split_contact(near, count, shoal_d3_from(v->course_touch[i]));
    double   all  = 0.0;
    for (int k = 0; k < count; k++) all += shoal_d3_length(near[k].away);
    for (int k = 0; k < count; k++) {
        if (near[k].body < 0 || near[k].body >= view->colliders) continue;
        shoal_load_row* to = &rows[row++];
        to->item           = i;
        to->body           = near[k].body;
        to->pressure       = shoal_d3_scale(near[k].away, -apply_pressure - mass * near[k].push);
        if (all > 0.0)
            to->pressure =
                shoal_d3_add(to->pressure, shoal_d3_scale(left, -mass * shoal_d3_length(near[k].away) / all));
        to->coulomb = coulomb > 0.0 ? shoal_d3_scale(by_friction, -mass * near[k].coulomb / coulomb) : none;
        to->viscous = viscous > 0.0 ? shoal_d3_scale(drag, -mass * near[k].viscous / viscous) : none;
    }
    return row;
}

SHOAL_FN void shoal_load_number(const shoal_load_view* v, int i) {
    shoal_load_neighbour near[SHOAL_LOAD_MOST];
    v->upto[i] = v->water.boundary.count[i] > 0
                     ? shoal_load_count_colliders(v, near, shoal_load_neighbours(&v->water, i, near))
                     : 0;
}
SHOAL_FN void shoal_load_list(const shoal_load_view* v, int i) {
    int first = i > 0 ? v->upto[i - 1] : 0;
    if (v->upto[i] > first) shoal_load_of(v, i, v->rows + first);
}

// clang-format off
#define SHOAL_LOAD_PASSES(X) X(number) X(list)
// clang-format on
#define X(name) SHOAL_LOAD_##name,
enum { SHOAL_LOAD_PASSES(X) SHOAL_LOAD_PASS_COUNT };
#undef X

#endif
