// SPDX-License-Identifier: MIT
// Velocities on the closed faces of solids: nothing goes in, and friction acts along.
#include "mac/mac_solid.h"

#include <math.h>

#include "mac/mac_level.h"

// A surface turns away towards a place a cell on where its normal points this much more that way: round ones of three
// cells' radius do by a third.
static const double edge_turn = 0.5;

typedef struct constrain_job {
    const shoal_world* world;
    double             normal_load; // m/s that the step presses onto solids at rest
} constrain_job;

double shoal_mac_across(const shoal_mac* m, float* const u[3], int at, int own, int axis) {
    double sum   = 0.0;
    int    count = 0, below = shoal_mac_beside(m, at, own, -1);
    int    cells[2] = {at, below};
    for (int k = 0; k < 2; k++) {
        if (cells[k] < 0) continue;
        int faces[2] = {cells[k], shoal_mac_beside(m, cells[k], axis, 1)};
        for (int f = 0; f < 2; f++) {
            if (faces[f] < 0 || !shoal_mac_has(m->known[axis], faces[f])) continue;
            sum += (double)u[axis][faces[f]];
            count++;
        }
    }
    return count > 0 ? sum / count : 0.0;
}

// Between a solid and sand that falls to it: few grains at the face, and none that press on it, but a body behind.
static bool is_gap(const shoal_mac* m, int axis, int at) {
    int below = shoal_mac_beside(m, at, axis, -1);
    if (!m->separated || below < 0 || shoal_mac_has(m->liquid, at) || shoal_mac_has(m->liquid, below)) return false;
    float fall  = shoal_v3_axis(m->gravity_direction, axis);
    int   solid = fall < 0.0f ? below : at,
        behind  = shoal_mac_beside(m, fall < 0.0f ? at : below, axis, fall < 0.0f ? 1 : -1);
    int own     = fall < 0.0f ? at : below;
    return fabsf(fall) > 0.5f && behind >= 0 && shoal_mac_has(m->liquid, behind) &&
           !shoal_mac_is_met(m, own, solid, axis);
}

// Closed faces that have a velocity, also those of cells that are closed all around.
static bool is_constrained(const shoal_mac* m, int axis, int at) {
    return m->open[axis][at] == 0.0f && (shoal_mac_has(m->known[axis], at) || shoal_mac_has(m->saved[axis], at)) &&
           !is_gap(m, axis, at);
}

// Every solid that holds the place has its say, so that edges are right; outside of all, the nearest has.
static shoal_d3 velocity_at(const constrain_job* c, const shoal_mac* m, shoal_d3 p, shoal_d3 v, bool may_leave) {
    double      dx = (double)m->def.dx;
    shoal_touch touch;
    bool        is_inside = false;
    for (int solid = 0; solid < SHOAL_WALL_COUNT + c->world->collider_count; solid++) {
        if (!mac_touch_of(c->world, m->kind, solid, p, 1e-3 * dx, &touch)) continue;
        v         = shoal_touch_friction(&touch, v, c->normal_load, may_leave);
        is_inside = true;
    }
    if (!is_inside && shoal_touch_at(c->world, m->kind, p, dx, &touch))
        v = shoal_touch_friction(&touch, v, c->normal_load, may_leave);
    return v;
}

// Beside a cell that is torn.
static bool is_torn(const shoal_mac* m, int axis, int at) {
    int below = shoal_mac_beside(m, at, axis, -1);
    return m->separated && (shoal_mac_has(m->separated, at) || (below >= 0 && shoal_mac_has(m->separated, below)));
}

// At an edge that goes outwards: towards an open face beside this one the surface turns away. What flows over the edge
// sees this face, which is below it, by up to half, and would be held by it in every substep.
static bool is_edge(const constrain_job* c, const shoal_mac* m, int axis, int at, shoal_d3 p) {
    double      dx = (double)m->def.dx;
    shoal_touch here, there;
    for (int n = 0; n < 6 && m->kind == SHOAL_LIQUID; n++) {
        int    beside = n / 2 == axis ? -1 : shoal_mac_beside(m, at, n / 2, n % 2 == 0 ? -1 : 1);
        double way[3] = {0.0, 0.0, 0.0};
        if (beside < 0 || m->open[axis][beside] == 0.0f) continue;
        way[n / 2]   = n % 2 == 0 ? -1.0 : 1.0;
        shoal_d3 aim = shoal_d3_make(way[0], way[1], way[2]);
        if (!shoal_touch_at(c->world, m->kind, p, dx, &here) || here.is_sticky) return false;
        if (shoal_touch_at(c->world, m->kind, shoal_d3_add(p, shoal_d3_scale(aim, dx)), dx, &there) &&
            shoal_d3_dot(aim, shoal_d3_sub(there.normal, here.normal)) > edge_turn)
            return true;
    }
    return false;
}

static void constrain_block(void* ctx, shoal_mac* m, int block, int worker) {
    (void)worker;
    const constrain_job* c      = ctx;
    float*               result = m->tile + (size_t)SHOAL_MAC_TILE * (size_t)block;
    if (!m->has_solid[block]) return;
    for (int axis = 0; axis < 3; axis++)
        for (int s = 0; s < SHOAL_MAC_SAMPLES; s++) {
            int at = SHOAL_MAC_SAMPLES * block + s;
            if (!is_constrained(m, axis, at)) continue;
            double u[3];
            for (int a = 0; a < 3; a++)
                u[a] = a == axis ? (double)m->u[axis][at] : shoal_mac_across(m, m->u, at, axis, a);
            shoal_d3 v = {u[0], u[1], u[2]}, p = shoal_d3_from(shoal_mac_face(m, at, axis));
            v = velocity_at(c, m, p, v, is_torn(m, axis, at) || is_edge(c, m, axis, at, p));
            result[SHOAL_MAC_SAMPLES * axis + s] = (float)shoal_d3_axis(v, axis);
        }
}

static void apply_block(void* ctx, shoal_mac* m, int block, int worker) {
    (void)ctx;
    (void)worker;
    const float* result = m->tile + (size_t)SHOAL_MAC_TILE * (size_t)block;
    if (!m->has_solid[block]) return;
    for (int axis = 0; axis < 3; axis++)
        for (int s = 0; s < SHOAL_MAC_SAMPLES; s++) {
            int at = SHOAL_MAC_SAMPLES * block + s;
            if (!is_constrained(m, axis, at)) continue;
            m->u[axis][at]      = result[SHOAL_MAC_SAMPLES * axis + s];
            m->change[axis][at] = shoal_mac_has(m->saved[axis], at) ? m->u[axis][at] - m->old[axis][at] : 0.0f;
        }
}

void shoal_mac_constrain(shoal_mac* m, const shoal_exec* exec, const shoal_world* world, double normal_load) {
    constrain_job s = {.world = world, .normal_load = normal_load};
    shoal_mac_each(m, exec, constrain_block, &s);
    shoal_mac_each(m, exec, apply_block, &s);
}
