// SPDX-License-Identifier: MIT
// Openings that lie against walls: slots, pipes, pours across a whole domain. A sample that is cut
// out along a wall has points all the way to it, while no particle can be nearer to it than half a
// spacing: half a spacing of the stream would be lost at each. So those near a wall are pushed off
// it and come to rest again, as many as there were. Across a periodic domain the two ends of the
// cut meet, and rest as neighbours.
#include <string.h>

#include "state/outlet_local.h"

static const double band          = 4.0;  // from walls, in which points move, units
static const double still         = 2.5;  // beyond it, where points are neighbours of those, units
static const double off_wall      = 0.5;  // spacings that they keep, as on the lattice
static const double least         = 0.92; // spacings between two; see SHOAL_FREE_FRACTION in outlet.h
static const double steepest_wall = 0.3;  // of its normal across the flow, that can push aside

typedef struct rest_job {
    const outlet_mouth* mouth;
    double              period[2]; // of the opening across the flow, m; 0: none
    double*             depth;     // [count] where on its line a point must have room, m
} rest_job;

static shoal_d3 place_of(const rest_job* r, int i, shoal_d3 p) {
    double unit = r->mouth->unit;
    return outlet_point(&r->mouth->frame, p.x * unit, p.y * unit, r->depth[i]);
}

static bool is_in_opening(const rest_job* r, int i, shoal_d3 p) {
    const outlet_frame*  f = &r->mouth->frame;
    const shoal_emitter* e = r->mouth->emitter;
    double               u = p.x * r->mouth->unit, w = p.y * r->mouth->unit;
    if (e->kind == SHOAL_EMIT_DISC) return outlet_disc_holds(e, u, w);
    return u >= f->min[0] && u <= f->max[0] && w >= f->min[1] && w <= f->max[1] &&
           shoal_shape_distance(e->shape, place_of(r, i, p)) < 0.0;
}

// Distance of a closed wall, and the direction away from it.
static double wall_distance(const shoal_world* world, int wall, shoal_d3 at, shoal_d3* normal) {
    int    axis = wall / 2, way = wall % 2 ? -1 : 1;
    double x   = (axis == 0   ? at.x
                  : axis == 1 ? at.y
                              : at.z),
           end = (double)shoal_v3_axis(way > 0 ? world->min : world->max, axis);
    *normal    = shoal_d3_make(axis == 0 ? way : 0, axis == 1 ? way : 0, axis == 2 ? way : 0);
    return way * (x - end);
}

// Calls fn for each wall and still obstacle that is nearer than `far`.
typedef void (*solid_fn)(void* user, double distance, shoal_d3 normal);

static void walk_solids(const shoal_world* world, shoal_d3 at, double far, solid_fn fn, void* user) {
    shoal_d3 normal;
    for (int wall = 0; wall < SHOAL_WALL_COUNT; wall++) {
        if (!world->is_closed[wall]) continue;
        double distance = wall_distance(world, wall, at, &normal);
        if (distance < far) fn(user, distance, normal);
    }
    for (int c = 0; c < world->collider_count; c++) {
        const shoal_collider* collider = &world->colliders[c];
        if (collider->moves || !shoal_box_holds(shoal_box_grown(collider->bounds, far), at)) continue;
        double distance = shoal_collider_distance(collider, at, &normal);
        if (distance < far) fn(user, distance, normal);
    }
}

static void note_nearest(void* user, double distance, shoal_d3 normal) {
    (void)normal;
    double* nearest = user;
    *nearest        = fmin(*nearest, distance);
}

typedef struct push {
    const outlet_mouth* mouth;
    shoal_d3            shift;
} push;

static void push_off(void* user, double distance, shoal_d3 normal) {
    push*    p      = user;
    shoal_d3 along  = p->mouth->frame.along,
             across = shoal_d3_sub(normal, shoal_d3_scale(along, shoal_d3_dot(normal, along)));
    double share2   = shoal_d3_dot(across, across),
           missing  = off_wall * p->mouth->d - distance - shoal_d3_dot(p->shift, normal);
    if (missing > 0.0 && share2 > steepest_wall * steepest_wall)
        p->shift = shoal_d3_add(p->shift, shoal_d3_scale(across, missing / share2));
}

// Off all solids; where that is not in the opening, as much of the way as is.
static shoal_d3 keep(void* user, int i, shoal_d3 from, shoal_d3 to) {
    const rest_job*     r = user;
    const outlet_frame* f = &r->mouth->frame;
    for (int k = 0; k < 3; k++) {
        push p = {r->mouth, shoal_d3_make(0.0, 0.0, 0.0)};
        walk_solids(r->mouth->world, place_of(r, i, to), off_wall * r->mouth->d, push_off, &p);
        if (shoal_d3_dot(p.shift, p.shift) == 0.0) break;
        to.x += shoal_d3_dot(p.shift, f->u) / r->mouth->unit;
        to.y += shoal_d3_dot(p.shift, f->w) / r->mouth->unit;
    }
    shoal_d3 home = to; // across the seams it is elsewhere
    for (int axis = 0; axis < 2; axis++) {
        double *x = axis == 0 ? &home.x : &home.y, period = r->period[axis] / r->mouth->unit,
               low = f->min[axis] / r->mouth->unit;
        if (period > 0.0) *x -= period * floor((*x - low) / period);
    }
    if (is_in_opening(r, i, home)) return to;
    if (is_in_opening(r, i, shoal_d3_make(home.x, from.y, to.z))) return shoal_d3_make(to.x, from.y, to.z);
    if (is_in_opening(r, i, shoal_d3_make(from.x, home.y, to.z))) return shoal_d3_make(from.x, to.y, to.z);
    return shoal_d3_make(from.x, from.y, to.z);
}

// How far a point is from what it has to rest against; negative in a solid.
static double distance_of(const rest_job* r, int i, shoal_d3 p, bool* is_at_wall) {
    const outlet_frame* f    = &r->mouth->frame;
    double              unit = r->mouth->unit, far = (band + still) * unit, nearest = far;
    walk_solids(r->mouth->world, place_of(r, i, p), far, note_nearest, &nearest);
    *is_at_wall = nearest >= 0.0 && nearest < off_wall * r->mouth->d;
    for (int axis = 0; axis < 2; axis++) {
        double x = (axis == 0 ? p.x : p.y) * unit, seam = fmin(x - f->min[axis], f->max[axis] - x);
        if (!(r->period[axis] > 0.0) || nearest < 0.0) continue;
        *is_at_wall = *is_at_wall || seam < off_wall * r->mouth->d;
        nearest     = fmin(nearest, seam);
    }
    return nearest;
}

double outlet_period(const outlet_mouth* m, int axis) {
    shoal_d3 way   = axis == 0 ? m->frame.u : m->frame.w;
    double   on[3] = {fabs(way.x), fabs(way.y), fabs(way.z)}, size = m->frame.max[axis] - m->frame.min[axis];
    for (int k = 0; k < 3; k++) {
        double period = (double)shoal_v3_axis(m->world->max, k) - (double)shoal_v3_axis(m->world->min, k);
        if (m->world->is_periodic[k] && on[k] > 1.0 - 1e-9 && fabs(size - period) < 1e-3 * m->d) return size;
    }
    return 0.0;
}

// Where its line leaves the opening, a little before.
static bool find_depth(const rest_job* r, int i, shoal_d3 p) {
    const outlet_mouth* m = r->mouth;
    outlet_span         spans[OUTLET_SPANS];
    int                 count = outlet_spans(m->emitter, &m->frame, p.x * m->unit, p.y * m->unit, 0.1 * m->d, spans);
    if (count == 0) return false;
    outlet_span last = spans[count - 1];
    r->depth[i]      = last.end - fmin(0.1 * m->d, 0.5 * (last.end - last.begin));
    return true;
}

// Those near walls to the front, with those that move; their number.
static int gather(rest_job* r, const shoal_settled* cut, shoal_d3* points, int* own, uint8_t* moves, bool* any) {
    int count = 0;
    for (int i = 0; i < cut->count; i++) {
        bool is_at_wall;
        if (!find_depth(r, count, cut->points[i])) continue;
        double distance = distance_of(r, count, cut->points[i], &is_at_wall);
        if (distance < 0.0 || distance >= (band + still) * r->mouth->unit) continue;
        *any          = *any || is_at_wall;
        moves[count]  = distance < band * r->mouth->unit;
        points[count] = cut->points[i];
        own[count++]  = i;
    }
    return count;
}

static shoal_status rest(rest_job* r, double touch, shoal_settled* cut, shoal_d3* points, int* own, uint8_t* moves) {
    const outlet_frame* f       = &r->mouth->frame;
    double              unit    = r->mouth->unit;
    bool                any     = false;
    shoal_settled       near    = {.length = cut->length, .points = points};
    shoal_section       section = {.moves = moves, .keep = keep, .user = r};
    for (int axis = 0; axis < 2; axis++) {
        section.min[axis] = f->min[axis] / unit, section.max[axis] = f->max[axis] / unit;
        near.wide[axis] = r->period[axis] / unit;
    }
    near.count = gather(r, cut, points, own, moves, &any);
    if (!any) return SHOAL_OK;
    SHOAL_TRY(shoal_settled_again(&near, touch, least * r->mouth->d / unit, &section));
    for (int k = 0; k < near.count; k++) cut->points[own[k]] = points[k];
    return SHOAL_OK;
}

shoal_status outlet_rest_at_walls(const outlet_mouth* mouth, double touch, shoal_settled* cut) {
    size_t       count    = (size_t)cut->count + 1;
    rest_job     r        = {.mouth  = mouth,
                             .period = {outlet_period(mouth, 0), outlet_period(mouth, 1)},
                             .depth  = shoal_alloc(count, sizeof *r.depth)};
    shoal_d3*    points   = shoal_alloc(count, sizeof *points);
    int*         own      = shoal_alloc(count, sizeof *own);
    uint8_t*     moves    = shoal_alloc(count, sizeof *moves);
    bool         is_there = r.depth && points && own && moves;
    shoal_status status   = is_there ? rest(&r, touch, cut, points, own, moves) : SHOAL_ERR_MEMORY;
    shoal_free(r.depth);
    shoal_free(points);
    shoal_free(own);
    shoal_free(moves);
    return status;
}
