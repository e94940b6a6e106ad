// SPDX-License-Identifier: MIT
// Within tet/: the distance that a new tracked surface is made of, from the bodies of a scene or from the step before.
#ifndef SHOAL_TET_LIQUID_FIELD_LOCAL_H
#define SHOAL_TET_LIQUID_FIELD_LOCAL_H

#include "tet/liquid_local.h"

#include <math.h>

// Within solids the liquid goes on straight as it is off them, so far from their surface, and ends so deep, in cells of
// the tracked surface: it meets them at any angle, and is not cut along them, where it would be worn down step by step.
#define LIQUID_OFF_WALL 0.25
#define LIQUID_DEPTH_WITHIN 6.0
#define LIQUID_OTHER_SIDE -0.1 // the cosine between ways out of a solid: less, and they lead to different sides of it

typedef struct liquid_field {
    const shoal_tet_solids*  solids;
    double                   cell;
    shoal_field_fn           field; // of bodies, to begin with; or
    void*                    ctx;
    const shoal_tet_state*   state; // before a step
    const shoal_band*        from;  // its surface, and the flow that carries it
    const shoal_tet_flow*    flow;
    const shoal_tet_drive*   drive;
    double                   dt;
    const shoal_tet_liquid*  liquid;  // its balances
    const liquid_places*     places;  // of its parts; NULL: all are of
    int                      balance; // this one; -1: there is none
    shoal_d3                 down;
    const shoal_tet_thicken* thicken; // NULL: not
} liquid_field;

// How far a point is from the solids, and a unit vector away from them.
SHOAL_FN double liquid_off_solids(const liquid_field* job, shoal_d3 at, shoal_d3* away) {
    shoal_tet_wall wall;
    double         off = job->solids->distance(job->solids->ctx, at, &wall);
    *away              = shoal_d3_from(wall.normal);
    return off;
}
SHOAL_FN shoal_d3 liquid_along(shoal_d3 at, shoal_d3 way, double length) {
    return shoal_d3_add(at, shoal_d3_scale(way, length));
}
// Positive where the liquid has ended within a solid.
SHOAL_FN double liquid_ended(const liquid_field* job, double off) { return -off - LIQUID_DEPTH_WITHIN * job->cell; }

typedef double (*liquid_place_fn)(const liquid_field* job, shoal_d3 at);
// Whether a solid is so thin that what is known at a place beside it, of a surface within it, may be the other side's:
// as far in as distances are known it is not as far to the nearest way out, and that leads to the other side, not to
// one beside an edge.
SHOAL_FN bool liquid_is_thin(const liquid_field* job, shoal_d3 beside, shoal_d3 away) {
    shoal_d3 out;
    double   off = liquid_off_solids(job, liquid_along(beside, away, -SHOAL_BAND_RINGS * job->cell), &out);
    return off > 0.0 || (off > (2.0 * LIQUID_OFF_WALL - SHOAL_BAND_RINGS) * job->cell &&
                         shoal_d3_dot(out, away) < LIQUID_OTHER_SIDE);
}
// Whether a surface goes on off the solids: at a place of it, with that slope, of length one, or along it nearby, where
// what value() tells is no farther off than `near`. Else it is hidden within a solid, or lies along it.
#define LIQUID_SEEN_WITHIN 12.0 // cells, along the surface
#define LIQUID_SEEN_OFF 0.1     // cells off the solid, where it is looked for
enum { LIQUID_SEEN_TRIES = 4 }; // as the solid may bend
SHOAL_FN bool liquid_is_seen(const liquid_field* job, liquid_place_fn value, shoal_d3 at, shoal_d3 slope, double near) {
    double cell = job->cell;
    for (int k = 0; k < LIQUID_SEEN_TRIES; k++) {
        shoal_d3 away, way;
        double   off = liquid_off_solids(job, at, &away), out, more = 2.0 * LIQUID_SEEN_OFF * cell - off;
        if (off > LIQUID_SEEN_OFF * cell) return k == 0 || fabs(value(job, at)) <= near;
        way = liquid_along(away, slope, -shoal_d3_dot(away, slope));
        out = shoal_d3_dot(way, way);
        if (more > LIQUID_SEEN_WITHIN * cell * sqrt(out)) return false;
        at = liquid_along(at, way, more / out);
    }
    return false;
}
// Whether the surface nearest to a place beside a solid is hidden within that, and goes on out of it nowhere near: it
// is that of liquid beyond the solid, as beyond the corner between the wall and the floor of a glass.
#define LIQUID_SEEN_NEAR 0.5 // cells; it is there if it is so near
SHOAL_FN double liquid_from_at(const liquid_field* job, shoal_d3 at) { return shoal_band_distance(job->from, at); }
SHOAL_FN bool   liquid_is_hidden(const liquid_field* job, shoal_d3 beside) {
      shoal_d3 slope;
      if (!job->from || !shoal_band_gradient(job->from, beside, &slope)) return false;
    double length = shoal_d3_length(slope);
      if (length < 0.5) return false; // between two surfaces
    shoal_d3 at = liquid_along(beside, slope, -shoal_band_distance(job->from, beside) / (length * length));
      return !liquid_is_seen(job, liquid_from_at, at, shoal_d3_scale(slope, 1.0 / length), LIQUID_SEEN_NEAR * job->cell);
}
// A distance within a solid: on a straight line from what it is at two places off it, a cell apart; it changes by one
// in one at most. Of a thin solid each half is as the liquid beside it. *slope: into the solid.
SHOAL_FN double liquid_continued(const liquid_field* job, liquid_place_fn value, shoal_d3 at, shoal_d3 away,
                                 double within, double* slope) {
    shoal_d3 beside = liquid_along(at, away, within);
    double   near = value(job, beside), far = value(job, liquid_along(beside, away, job->cell));
    bool     is_known = fmax(fabs(near), fabs(far)) < SHOAL_BAND_RINGS * job->cell; // beyond it there are only sides
    *slope            = is_known ? fmax(-1.0, fmin(1.0, (near - far) / job->cell)) : 0.0;
    bool is_met       = near * *slope < 0.0 && fabs(near) < fabs(*slope) * within;
    // liquid that is hidden stays where it is; air, as a bubble's in a corner, goes on
    bool is_other = is_met && (liquid_is_thin(job, beside, away) || (near > 0.0 && liquid_is_hidden(job, beside)));
    return is_other ? near : near + *slope * within;
}

// liquid_body.c: that of the bodies of a scene (`field`); a shoal_field_fn.
void liquid_of_bodies(void* ctx, const shoal_d3* at, int count, double* value);

// liquid_carry.c: that of the step before, as the flow has carried it, with taps and sinks; a shoal_field_fn.
void liquid_carried(void* ctx, const shoal_d3* at, int count, double* value);
// The same at one place, without taps and sinks.
double liquid_flown_to(const liquid_field* job, shoal_d3 at);
// Where places go, roughly, for a place to look; and where one does, as thickening asks.
void     liquid_go(void* ctx, const shoal_d3* at, int count, shoal_d3* to);
shoal_d3 liquid_carry(void* ctx, shoal_d3 at);
bool     liquid_is_off_solids(void* ctx, shoal_d3 at);

// liquid_exchange.c: what taps bring through their surface (came, brought) and sinks take, of the volume and of
// balances.
void liquid_measure_exchange(shoal_tet_liquid* liquid, const liquid_field* job, const shoal_exec* exec);

// liquid_taps.c: the sources of taps under water (l->source).
shoal_status liquid_open_taps(shoal_tet_liquid* liquid, const shoal_tet_drive* drive, double dt,
                              const shoal_exec* exec);

#endif
