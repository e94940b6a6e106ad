// SPDX-License-Identifier: MIT
// The first tracked surface, of the bodies of a scene. Bodies touch solids, and often lie along them; within a solid
// their distance is not taken as it is, but goes on from off the solid, as that of later steps does, so that a level is
// a plane up to a wall and a layer on a floor keeps its thickness.
#include "tet/liquid_field_local.h"

#define STRIDE 0.1    // between the places beside the solid at which a slope is asked, in cells
#define STRAIGHT 0.01 // so near to one a slope is that of one surface
// A body whose surface lies along a solid touches it: it goes on there on a straight line from what it is this far off,
// or twice or three times as far, where its other surfaces are nearer than the one along the solid.
#define OFF_BODY 2.0
#define OFF_BODY_TRIES 3
#define LIES_ALONG 0.9 // the cosine of their angle
// Off several walls: how many of them at a time, how often one is looked for, and the square of the sine of the least
// angle between two.
enum { CLEAR_WALLS = 3, CLEAR_TRIES = 6 };
#define CLEAR_ALONE 0.02
enum { ROOT_TRIES = 30 }; // to find where bodies end along a way, so exactly, in cells
#define ROOT_WITHIN 1e-9

static double body_at(const liquid_field* job, shoal_d3 at) {
    double value;
    job->field(job->ctx, &at, 1, &value);
    return value;
}
// A place so far off all solids, near to the one given: in a corner it is moved off one wall and then along that off
// the next, however acute the angle between them.
static shoal_d3 clear_of(const liquid_field* job, shoal_d3 at, double off) {
    shoal_d3 wall[CLEAR_WALLS]; // normals, each without those before it
    int      count = 0;
    for (int k = 0; k < CLEAR_TRIES; k++) {
        shoal_d3 away;
        double   here = liquid_off_solids(job, at, &away), alone;
        if (here >= off) break;
        shoal_d3 way = away;
        for (int w = 0; w < count; w++)
            way = shoal_d3_sub(way,
                               shoal_d3_scale(wall[w], shoal_d3_dot(away, wall[w]) / shoal_d3_dot(wall[w], wall[w])));
        alone = shoal_d3_dot(way, away);
        if (alone < CLEAR_ALONE || count == CLEAR_WALLS) way = away, alone = 1.0, count = 0; // a wall that bends
        at            = liquid_along(at, way, (off - here) / alone);
        wall[count++] = way;
    }
    return at;
}
// The slope of the bodies' distance at a place, of length one; false where two of their surfaces are as near, or the
// nearest one lies along a solid.
static bool body_gradient(const liquid_field* job, shoal_d3 at, double here, shoal_d3* slope) {
    double   d = 0.5 * STRIDE * job->cell, length;
    shoal_d3 x = {d, 0.0, 0.0}, y = {0.0, d, 0.0}, z = {0.0, 0.0, d};
    slope->x = body_at(job, shoal_d3_add(at, x)) - body_at(job, shoal_d3_sub(at, x));
    slope->y = body_at(job, shoal_d3_add(at, y)) - body_at(job, shoal_d3_sub(at, y));
    slope->z = body_at(job, shoal_d3_add(at, z)) - body_at(job, shoal_d3_sub(at, z));
    *slope   = shoal_d3_scale(*slope, 0.5 / d);
    length   = shoal_d3_length(*slope);
    if (fabs(length - 1.0) > STRAIGHT) return false;
    *slope = shoal_d3_scale(*slope, 1.0 / length);
    // as the level of a pool below a ramp is: it goes on out of that
    return here > 0.0 ||
           liquid_is_seen(job, body_at, liquid_along(at, *slope, -here), *slope, LIQUID_SEEN_OFF * job->cell);
}
// Along a way from a place in the bodies: how far it is to where they end, m; `most`: not before that. Their distance
// is a step that leads to no other side of them. Then by regula falsi [Anderson & Bjorck 1973], at once for a plane.
static double bodies_end(const liquid_field* job, shoal_d3 from, shoal_d3 way, double most) {
    double in = 0.0, at_in = body_at(job, from), out = 0.0, at_out = at_in;
    while (at_out < 0.0 && out < most) {
        in = out, at_in = at_out;
        out    = in + fmax(0.5 * job->cell, -at_in);
        at_out = body_at(job, liquid_along(from, way, out));
    }
    if (at_out < 0.0 || out == 0.0) return most;
    int last = 0; // the end that moved last
    for (int b = 0; b < ROOT_TRIES && out - in > ROOT_WITHIN * job->cell; b++) {
        double root = in + (out - in) * at_in / (at_in - at_out), there = body_at(job, liquid_along(from, way, root));
        if (fabs(there) < ROOT_WITHIN * job->cell) return root;
        int    end  = there < 0.0 ? -1 : 1;
        double less = end == last ? fmax(0.5, 1.0 - there / (end < 0 ? at_in : at_out)) : 1.0;
        if (end < 0)
            in = root, at_in = there, at_out *= less;
        else
            out = root, at_out = there, at_in *= less;
        last = end;
    }
    return in;
}
// From a place in the bodies: straight on from the nearest of their surfaces that is seen along the axes and between
// two of them. False: there is none.
static bool body_beside(const liquid_field* job, shoal_d3 clear, shoal_d3 at, double* value) {
    double nearest = LIQUID_SEEN_WITHIN * job->cell;
    bool   is_any  = false;
    for (int k = 0; k < 27; k++) {
        shoal_d3 way     = {k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1}, slope, away;
        double   length2 = shoal_d3_dot(way, way);
        if (length2 == 0.0 || length2 > 2.0) continue;
        way            = shoal_d3_scale(way, 1.0 / sqrt(length2));
        double   gone  = bodies_end(job, clear, way, nearest);
        shoal_d3 there = liquid_along(clear, way, gone);
        if (gone >= nearest || liquid_off_solids(job, there, &away) < STRIDE * job->cell ||
            !body_gradient(job, there, 0.0, &slope))
            continue;
        *value  = shoal_d3_dot(slope, shoal_d3_sub(at, there));
        nearest = gone;
        is_any  = true;
    }
    return is_any;
}
// A body whose surface lies along a solid, near that: straight on from a place off it, at which another of its surfaces
// is nearer. A layer that is thin keeps its thickness by this, and a level that meets a wall at an angle is a plane.
static double body_along(const liquid_field* job, shoal_d3 at) {
    shoal_d3 beside    = clear_of(job, at, LIQUID_OFF_WALL * job->cell);
    double   first     = body_at(job, beside), seen;
    bool     has_first = false;
    for (int k = 1; k <= OFF_BODY_TRIES; k++) {
        double   off   = k * OFF_BODY * job->cell;
        shoal_d3 clear = clear_of(job, at, off), slope, away;
        if (liquid_off_solids(job, clear, &away) < 0.5 * off) continue; // between solids there is no such place
        double here = body_at(job, clear);
        if (!has_first) first = here, has_first = true;
        if (body_gradient(job, clear, here, &slope)) return here + shoal_d3_dot(slope, shoal_d3_sub(at, clear));
    }
    return body_beside(job, beside, at, &seen) ? seen : first;
}
void liquid_of_bodies(void* ctx, const shoal_d3* at, int count, double* value) {
    const liquid_field* job = ctx;
    double              h   = job->cell;
    for (int i = 0; i < count; i++) {
        shoal_d3 away;
        double   slope, off = liquid_off_solids(job, at[i], &away), within = fmax(0.0, LIQUID_OFF_WALL * h - off);
        double   f = liquid_continued(job, body_at, at[i], away, within, &slope);
        if (within > 0.0) { // in a corner, also where that is within the other wall
            shoal_d3 clear = clear_of(job, at[i], LIQUID_OFF_WALL * h), own;
            double   here  = body_at(job, clear);
            if (body_gradient(job, clear, here, &own))
                f = here + shoal_d3_dot(own, shoal_d3_sub(at[i], clear));
            else if (here < 0.0) // it lies along the other wall
                f = fmin(f, body_along(job, at[i]));
        }
        if (off < OFF_BODY * h) {
            shoal_d3 beside = liquid_along(at[i], away, 0.5 * STRIDE * h - off);
            double   near   = body_at(job, clear_of(job, beside, 0.5 * STRIDE * h)),
                   next     = body_at(job, clear_of(job, beside, 1.5 * STRIDE * h));
            if (near < 0.0 && near - next > LIES_ALONG * STRIDE * h) f = body_along(job, at[i]);
        }
        value[i] = fmax(f, liquid_ended(job, off));
    }
}
