// SPDX-License-Identifier: MIT
#include "mac/mac_beside.h"

#include "mac/mac_solid.h"

// Samples with less weight than this together tell nothing.
static const float least_weight = 1e-3f;
// Particles nearer to a solid than this lie on it, in cells: half a spacing.
static const float touching = 0.25f;
// The solid that turns velocities is not farther than this, in cells.
static const double reach = 2.0;
// The solid has an edge where its normal turns by so much along a cell of the way, more than round ones of ten cells'
// radius do; a particle that slides by less than this fraction of what leaves has no such way.
static const double edge_turn = 0.1, least_slide = 1e-3;

// ---------------------------------------------------------------------------------- to the grid

// Places of sample j of the faces along an axis, relative to the particle, in cells.
static shoal_v3 way_to(const mac_sight* s, int axis, int j) {
    float way[3];
    int   k = mac_sight_cell(axis, j);
    for (int a = 0; a < 3; a++)
        way[a] = (a == axis ? (float)(j & 1) : 0.5f + (float)(k >> a & 1 ? s->way[a] : 0)) - s->part[a];
    return shoal_v3_make(way[0], way[1], way[2]);
}

static int tile_at(const mac_sight* s, int k) {
    int at[3];
    for (int a = 0; a < 3; a++) at[a] = s->at[a] + 1 + (k >> a & 1 ? s->way[a] : 0);
    return at[2] * MAC_LAYER + at[1] * MAC_ROW + at[0];
}

static float centre_weight(const mac_sight* s, int k) {
    float w = 1.0f;
    for (int a = 0; a < 3; a++) w *= k >> a & 1 ? s->next[a] : 1.0f - s->next[a];
    return w;
}

void mac_spread_beside(shoal_mac* m, const shoal_mac_particles* p, int i, int block, const mac_sight* s) {
    static const int stride[3] = {1, MAC_ROW, MAC_LAYER};
    float*           tile      = m->tile + (size_t)SHOAL_MAC_TILE * (size_t)block;
    unsigned         given     = s->seen | s->closed; // what is closed tells how near particles are to it
    for (int axis = 0; axis < 3; axis++)
        for (int j = 0; j < 8; j++) {
            int k = mac_sight_cell(axis, j);
            if (!(given >> k & 1u)) continue;
            float w = mac_sight_weight(s, axis, j), u = shoal_v3_axis(p->velocity[i], axis);
            if (p->affine[axis]) u += m->def.dx * shoal_v3_dot(p->affine[axis][i], way_to(s, axis, j));
            float* pair = tile + axis * SHOAL_MAC_PAIRS + 2 * (tile_at(s, k) + (j & 1) * stride[axis]);
            pair[0] += w;
            pair[1] += w * u;
        }
    for (int k = 0; k < MAC_SIGHT_CELLS; k++) {
        if (!(given >> k & 1u)) continue;
        float *pair = tile + 3 * SHOAL_MAC_PAIRS + 2 * tile_at(s, k), w = centre_weight(s, k);
        pair[0] += w;
        if (p->wetness_of) pair[1] += w * p->wetness_of[p->material[i]];
    }
    uint64_t bit = (uint64_t)1 << (8 * s->at[1] + s->at[0]);
    if (s->seen & 1u) m->marked[8 * block + s->at[2]] |= bit;
    if (s->distance < touching) m->touched[8 * block + s->at[2]] |= bit;
}

// ---------------------------------------------------------------------------------- back to the
// particles

// What the samples of one axis on the particle's side say.
typedef struct side {
    int   face[8];
    float fraction;  // of the weights
    float u, change; // means
    bool  is_open[8];
} side;

// Closed by something else than a thin solid: what the grid has there is right.
static bool is_plain(const shoal_mac* m, int axis, int face) {
    int below = shoal_mac_beside(m, face, axis, -1);
    return m->open[axis][face] == 0.0f && !mac_is_cut(m, face) && (below < 0 || !mac_is_cut(m, below));
}

static side side_of(const shoal_mac* m, const mac_sight* s, int axis, float own, float push) {
    side out = {.fraction = 0.0f};
    for (int j = 0; j < 8; j++) {
        int face       = mac_sight_face(m, s, axis, j);
        out.face[j]    = face;
        out.is_open[j] = face >= 0 && s->seen >> mac_sight_cell(axis, j) & 1u &&
                         (shoal_mac_has(m->known[axis], face) || shoal_mac_has(m->saved[axis], face)) &&
                         (m->open[axis][face] > 0.0f || is_plain(m, axis, face));
        if (!out.is_open[j]) continue;
        float w = mac_sight_weight(s, axis, j);
        out.fraction += w;
        out.u += w * m->u[axis][face];
        out.change += w * m->change[axis][face];
    }
    if (out.fraction > least_weight) {
        out.u /= out.fraction;
        out.change /= out.fraction;
    } else {
        out.fraction = 0.0f;
        out.u        = own + push;
        out.change   = push;
    }
    return out;
}

// Whether the surface of the solid has turned away within the last cell of the way along it: a particle that has gone
// over an edge may leave, and is not drawn around it.
static bool is_over_edge(const shoal_mac* m, const shoal_world* world, shoal_d3 x, shoal_d3 u,
                         const shoal_touch* here) {
    double      dx       = (double)m->def.dx;
    shoal_d3    relative = shoal_d3_sub(u, here->velocity);
    double      leaving  = shoal_d3_dot(relative, here->normal);
    shoal_touch before;
    if (m->kind != SHOAL_LIQUID || here->is_sticky || leaving <= 0.0) return false;
    shoal_d3 slide = shoal_d3_sub(relative, shoal_d3_scale(here->normal, leaving));
    double   speed = shoal_d3_length(slide);
    if (speed < least_slide * leaving) return false;
    shoal_d3 aim = shoal_d3_scale(slide, 1.0 / speed);
    return shoal_touch_at(world, m->kind, shoal_d3_sub(x, shoal_d3_scale(aim, dx)), reach * dx, &before) &&
           shoal_d3_dot(aim, shoal_d3_sub(here->normal, before.normal)) > edge_turn;
}

// By how much the solid turns a velocity: that of the side, or that which the particle has by FLIP.
static void turn_of(const shoal_mac* m, const shoal_world* world, const mac_sight* s, shoal_v3 x, const float own[3],
                    float normal_load, float turn[3]) {
    shoal_touch touch;
    shoal_d3    u = {(double)own[0], (double)own[1], (double)own[2]}, v = u;
    shoal_d3    place     = shoal_d3_from(x);
    bool        may_leave = m->separated && shoal_mac_has(m->separated, s->cell[0]);
    if (shoal_touch_at(world, m->kind, place, reach * (double)m->def.dx, &touch))
        v = shoal_touch_friction(&touch, u, (double)normal_load, may_leave || is_over_edge(m, world, place, u, &touch));
    for (int axis = 0; axis < 3; axis++) turn[axis] = (float)(shoal_d3_axis(v, axis) - shoal_d3_axis(u, axis));
}

// The gradient, per cell, of eight values in the order of the samples of an axis.
static shoal_v3 slope_of(const mac_sight* s, int axis, const float value[8]) {
    float slope[3] = {0.0f, 0.0f, 0.0f};
    for (int j = 0; j < 8; j++) {
        int   k = mac_sight_cell(axis, j), far[3];
        float weight[3];
        for (int a = 0; a < 3; a++) {
            far[a]    = a == axis ? j & 1 : k >> a & 1;
            float w   = a == axis ? s->part[a] : s->next[a];
            weight[a] = far[a] ? w : 1.0f - w;
        }
        for (int a = 0; a < 3; a++) {
            float way = a == axis ? 1.0f : (float)s->way[a];
            slope[a] += (far[a] ? way : -way) * value[j] * weight[(a + 1) % 3] * weight[(a + 2) % 3];
        }
    }
    return shoal_v3_make(slope[0], slope[1], slope[2]);
}

void mac_return_beside(const shoal_mac* m, const shoal_mac_particles* p, const shoal_mac_motion* motion, int i,
                       const mac_sight* s) {
    side  sides[3];
    float sum = 0.0f, pressure = 0.0f, density = 0.0f, wetness = 0.0f;
    for (int k = 0; k < MAC_SIGHT_CELLS; k++) {
        if (!(s->seen >> k & 1u)) continue;
        float w = centre_weight(s, k);
        sum += w;
        pressure += w * m->pressure[s->cell[k]];
        density += w * m->density[s->cell[k]];
        wetness += w * m->density[s->cell[k]] * m->wetness[s->cell[k]];
    }
    pressure = sum > least_weight ? pressure / sum : 0.0f;
    float  grid[3], flip_u[3], turn_grid[3], turn_flip[3], touched = shoal_mac_touching(motion, pressure);
    float  flip = shoal_mac_flip_fraction(motion, p->velocity[i]), loss = shoal_mac_damped(motion, flip, touched);
    float* v = &p->velocity[i].x;
    for (int axis = 0; axis < 3; axis++) {
        sides[axis]  = side_of(m, s, axis, v[axis], shoal_v3_axis(motion->push, axis));
        grid[axis]   = sides[axis].u;
        flip_u[axis] = v[axis] + sides[axis].change;
    }
    // each by itself: what the solid does to water that falls a cell above is no push on water that lies on it already
    turn_of(m, p->world, s, p->position[i], grid, motion->normal_load, turn_grid);
    turn_of(m, p->world, s, p->position[i], flip_u, motion->normal_load, turn_flip);
    for (int axis = 0; axis < 3; axis++) {
        const side* own    = &sides[axis];
        float       turn   = flip * turn_flip[axis] + (1.0f - flip) * turn_grid[axis];
        float       beyond = flip * own->change + (1.0f - flip) * own->u + turn, value[8];
        v[axis]            = flip * flip_u[axis] + (1.0f - flip) * own->u + (1.0f - own->fraction) * turn;
        if (!p->affine[axis]) continue;
        for (int j = 0; j < 8; j++) {
            int face = own->face[j];
            value[j] = own->is_open[j] ? flip * m->change[axis][face] + (1.0f - flip) * m->u[axis][face] : beyond;
        }
        shoal_v3 now       = shoal_v3_scale(slope_of(s, axis, value), m->inverse);
        p->affine[axis][i] = shoal_v3_scale(shoal_v3_add_scaled(now, p->affine[axis][i], flip), 1.0f - loss);
    }
    if (p->pressure) p->pressure[i] = pressure * p->pressure_scale;
    if (p->wetness) p->wetness[i] = density > 0.0f ? wetness / density : 0.0f;
    if (p->density) p->density[i] = (sum > least_weight ? density / sum : 1.0f) * p->density_scale;
}

bool mac_flow_beside(const shoal_mac* m, const shoal_mac_particles* p, const shoal_mac_motion* motion, int i, int from,
                     mac_f4 g, int block, mac_f4 there, mac_f4* out) {
    mac_sight sight;
    side      sides[3];
    float     grid[3], turn[3];
    mac_f4    gone = g - mac_local(m, m->corner[from], p->position[i]);
    shoal_v3  x    = shoal_v3_add_scaled(p->position[i], shoal_v3_make(gone[0], gone[1], gone[2]), m->def.dx);
    for (int axis = 0; axis < 3; axis++)
        there[axis] = there[axis] < 0.0f ? 0.0f : there[axis] > 7.9999995f ? 7.9999995f : there[axis];
    if (!mac_sight_from(m, p->world, block, there, x, &sight)) return false;
    for (int axis = 0; axis < 3; axis++) {
        sides[axis] = side_of(m, &sight, axis, shoal_v3_axis(p->velocity[i], axis), 0.0f);
        grid[axis]  = sides[axis].u;
    }
    turn_of(m, p->world, &sight, x, grid, motion->normal_load, turn);
    *out = mac_all(0.0f);
    for (int axis = 0; axis < 3; axis++) (*out)[axis] = sides[axis].u + (1.0f - sides[axis].fraction) * turn[axis];
    return true;
}
