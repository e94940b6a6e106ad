// SPDX-License-Identifier: MIT
// Between the set of grains, which knows nothing of contacts, and the working arrays, in which they move: what wetness
// makes of a grain, growth, the order of the cells, images across periodic walls.
#ifndef SHOAL_GRAINS_STATE_PASS_H
#define SHOAL_GRAINS_STATE_PASS_H

#include "fluid/halo.h"
#include "solvers/grains/grains_pass.h"

// Working arrays in the order of the cells; index of the set's particle in `own`. Where passes run.
typedef struct grains_work {
    int       capacity;
    shoal_v4 *place[2], *fine[2], *speed[2], *spin[2]; // now, next
    shoal_v4* home;                                    // places when the lists were built
    int *     own, *own_swap;
    int32_t*  id; // with images
    shoal_v4* wet;
    int32_t * water, *water_next, *offer, *pending;
    shoal_v4 *outer, *outer_swap; // force of the water, N
    int32_t * first, *history;    // contacts kept of each
    float *   coordination, *overlap, *elastic;
} grains_work;

// What grains of a material are made of.
typedef struct grains_stuff {
    float  friction; // Coulomb's, of dry ones
    float  density;  // kg/m^3, as poured
    double solid;    // kg/m^3, of the grain itself
} grains_stuff;

// All of it, as passes other than those of the contacts see it.
typedef struct grains_state {
    grains_view         view;
    grains_work         work;
    grains_contacts     contacts; // those kept, as the set has them
    grains_params       params;
    const grains_stuff* stuff; // by material
    shoal_near          near;
    const shoal_image*  images;
    const int*          order; // of the cells
    const int32_t*      from;  // an array that is brought into this order
    int32_t*            to;
    bool                has_water;                    // free water
    float               margin;                       // m: lists hold as long as none has moved more than half of it
    float               growth, growth_least;         // m in this step; one pressed deeper waits
    double              spacing, half, water_mass;    // m; m, mean radius; kg of wetness 1
    double              fastest;                      // m/s
    uint64_t            seed, when;                   // of whole quanta by chance
    const int *         seen, *pair_first;            // of free water (grains_water); NULL: there is none
    int32_t             wet_threshold;                // of this step, quanta
    double wet_fraction, wet_seep, wet_loss, wet_out; // of excess, of differences; quanta; of the released water
    SHOAL_PARTICLE_FIELDS(SHOAL_FIELD_MEMBER)
    GRAINS_FIELDS(SHOAL_FIELD_MEMBER)
} grains_state;

// ---------------------------------------------------------------------------------- what wetness does

SHOAL_FN float grains_wetness(int64_t quanta) { return (float)quanta * (1.0f / GRAINS_QUANTA); }

SHOAL_FN int32_t grains_threshold(const grains_params* p) { // quanta
    return (int32_t)((double)p->wet_threshold * GRAINS_QUANTA);
}

// Equation 8.
SHOAL_FN float grains_wet_radius(const grains_params* p, float radius, float w) {
    return radius * (1.0f - p->wet_shrink * fminf(w, p->wet_max));
}

// 1 for sand, 0 for mud: beyond the threshold grains begin to float in their water.
SHOAL_FN float grains_firmness(const grains_params* p, float w) {
    if (p->wet_friction == GRAINS_WET_FRICTION_PAPER || w <= p->wet_threshold) return 1.0f;
    return fmaxf(1.0f - (w - p->wet_threshold) / fmaxf(p->wet_fluid - p->wet_threshold, 1e-6f), 0.0f);
}

// What is left of bridges as pores fill: all of them until the ideal saturation, none where pores are full, as in flip
// and porous. (By equation 13 alone they are gone at `wet_fluid`, twice the water that pores hold: a column of full
// sand stood at 0.92 of its height, which slumps to 0.33 in flip and 0.29 in porous.)
SHOAL_FN float grains_bridges_left(const grains_params* p, float w) {
    const float ideal = 0.4f; // as shoal_granular_bridges
    if (p->wet_friction == GRAINS_WET_FRICTION_PAPER || w <= ideal) return 1.0f;
    return fmaxf((1.0f - w) / (1.0f - ideal), 0.0f);
}

// Half of the friction of a pair: equation 12, mu (1 + w_i + w_j), by the water of bridges; full pores leave mu, and
// beyond the threshold it fades to that of mud.
SHOAL_FN float grains_wet_friction(const grains_params* p, float mu, float w) {
    float firm = grains_firmness(p, w);
    if (p->wet_friction == GRAINS_WET_FRICTION_PAPER) return mu * (0.5f + fminf(w, p->wet_max));
    return firm * mu * (0.5f + fminf(w, p->wet_threshold) * grains_bridges_left(p, w)) +
           (1.0f - firm) * 0.5f * p->mud_friction;
}

// A trace of water is no full bridge yet. Of a pair both count, each by its root.
SHOAL_FN shoal_v4 grains_wet_lanes(const grains_params* p, float w) {
    const float trace = 0.05f;
    return shoal_v4_make(fminf(w, p->wet_max), fminf(w / trace, 1.0f) * sqrtf(grains_bridges_left(p, w)),
                         grains_firmness(p, w), 0.0f);
}

// ---------------------------------------------------------------------------------- the set and the working arrays

// The radius that a grain of this rank grows into, m.
SHOAL_FN float grains_radius_of(double spacing, const grains_params* p, float rank) {
    return (float)(0.5 * spacing * (1.0 + (double)p->spread * (double)rank));
}

SHOAL_FN double grains_ball(double density, double radius) { // kg
    return density * 4.0 / 3.0 * SHOAL_PI * radius * radius * radius;
}

// What an opening holds goes on as one piece, whatever is in its way, so it is heavier than by itself. Four times:
// where the way is blocked it then presses twice as deep as a grain of its speed does. (As light as others it is pushed
// aside, and a tenth of the stream finds no place; a hundred times as heavy it crushes what blocks it.)
SHOAL_FN float grains_moved_mass(const grains_state* s, int i) {
    const float held = 4.0f;
    return s->holder[i] > 0 ? held * s->mass[i] : s->mass[i];
}

// Wetness, state, radius and mass of grain i of the set, from its water.
SHOAL_FN void grains_show_one(const grains_state* s, int i) {
    const grains_stuff* of = &s->stuff[s->material[i]];
    float               w  = grains_wetness(s->water[i]);
    float solid   = (float)grains_ball(of->solid, (double)grains_radius_of(s->spacing, &s->params, s->rank[i]));
    s->density[i] = of->density;
    s->wetness[i] = w;
    s->radius[i]  = grains_wet_radius(&s->params, s->size[i], w);
    s->state[i]   = (uint8_t)(s->water[i] == 0 ? 0 : w <= s->params.wet_threshold ? 1 : 2);
    s->mass[i]    = solid + grains_wetness((int64_t)s->water[i] + s->pending[i]) * (float)s->water_mass;
}

// Where grain i of the set is, ahead of the sort.
SHOAL_FN void grains_wrap(const grains_state* s, int i) {
    shoal_v3 x          = shoal_world_wrap(s->view.world, s->position[i]);
    s->work.place[0][i] = shoal_v4_make(x.x, x.y, x.z, 0.0f);
}

// Grains are born as small as the lattice needs and grow into their own size where there is room for it.
SHOAL_FN void grains_take(const grains_state* s, int i) {
    const grains_params* p      = &s->params;
    const grains_work*   to     = &s->work;
    float                target = grains_radius_of(s->spacing, p, s->rank[i]), w = grains_wetness(s->water[i]);
    if (s->size[i] < target && s->holder[i] == 0 && s->overlap[i] <= s->growth_least)
        s->size[i] = fminf(s->size[i] + s->growth, target);
    grains_show_one(s, i);
    shoal_v3 x = shoal_world_wrap(s->view.world, s->position[i]), f = s->fine[i], u = s->velocity[i];
    shoal_v3 q      = p->rotation ? s->spin[i] : shoal_v3_make(0.0f, 0.0f, 0.0f);
    float    mu     = grains_wet_friction(p, s->stuff[s->material[i]].friction, w);
    to->place[0][i] = shoal_v4_make(x.x, x.y, x.z, s->radius[i]);
    to->fine[0][i]  = shoal_v4_make(f.x, f.y, f.z, mu);
    to->speed[0][i] = shoal_v4_make(u.x, u.y, u.z, sqrtf(s->mass[i]));
    to->spin[0][i]  = shoal_v4_make(q.x, q.y, q.z, 1.0f / grains_moved_mass(s, i));
    to->wet[i]      = grains_wet_lanes(p, w);
    to->own[i]      = i;
    to->id[i]       = s->id[i];
    to->water[i]    = s->water[i];
    to->pending[i]  = s->pending[i];
    to->first[i]    = s->contact_first[i];
    to->history[i]  = s->contact_count[i];
}

// And back.
SHOAL_FN void grains_put(const grains_state* s, int k) {
    const grains_work* w = &s->work;
    int                i = w->own[k];
    s->position[i]       = shoal_world_wrap(s->view.world, grains_xyz(w->place[0][k]));
    s->fine[i]           = grains_xyz(w->fine[0][k]);
    s->velocity[i]       = grains_xyz(w->speed[0][k]);
    s->spin[i]           = grains_xyz(w->spin[0][k]);
    s->contact_first[i]  = w->first[k];
    s->contact_count[i]  = w->history[k];
    s->water[i]          = w->water[k];
    s->pending[i]        = w->pending[k];
    grains_show_one(s, i);
    s->coordination[i] = w->coordination[k];
    s->overlap[i]      = w->overlap[k];
    s->elastic[i]      = w->elastic[k];
}

// ---------------------------------------------------------------------------------- order and images

// A grain that has left across a periodic wall comes back on the other side: images are those of the domain, and one
// beyond it would lack partners that do not lack it.
SHOAL_FN void grains_come_back(const grains_state* s, int i) {
    const shoal_world* world = s->view.world;
    shoal_v3           x = grains_xyz(s->work.place[0][i]), home = shoal_world_wrap(world, x), by = {0.0f, 0.0f, 0.0f};
    for (int axis = 0; axis < 3; axis++) {
        float way    = shoal_v3_axis(home, axis) - shoal_v3_axis(x, axis),
              period = shoal_v3_axis(world->max, axis) - shoal_v3_axis(world->min, axis), turns = way / period;
        if (way != 0.0f) // to the nearest whole number, halves away from zero
            shoal_v3_set_axis(&by, axis, period * (turns < 0.0f ? -floorf(-turns + 0.5f) : floorf(turns + 0.5f)));
    }
    shoal_halo_move_fine(&s->work.place[0][i], &s->work.fine[0][i], by);
}

// The k-th in the order of the cells.
SHOAL_FN void grains_resort(const grains_state* s, int k) {
    const grains_work* w = &s->work;
    int                i = s->order[k];
    w->place[1][k]       = w->place[0][i];
    w->fine[1][k]        = w->fine[0][i];
    w->speed[1][k]       = w->speed[0][i];
    w->spin[1][k]        = w->spin[0][i];
    w->home[k]           = w->wet[i];
    if (s->has_water) w->outer_swap[k] = w->outer[i];
}
SHOAL_FN void grains_bring(const grains_state* s, int k) { s->to[k] = s->from[s->order[k]]; }

// Square of the way since the lists were made, m^2.
SHOAL_FN double grains_moved_of(const grains_state* s, int i) {
    shoal_v4 a = s->work.place[0][i], b = s->work.home[i];
    float    dx = a.x - b.x, dy = a.y - b.y, dz = a.z - b.z;
    return (double)(dx * dx + dy * dy + dz * dz);
}

// In one grain, quanta.
SHOAL_FN double grains_present_of(const grains_state* s, int i) {
    return (double)((int64_t)s->water[i] + s->pending[i]);
}

#endif
