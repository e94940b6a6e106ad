// SPDX-License-Identifier: MIT
// The tracked surface after a step: each node takes the distance that was where it has come from [Chentanez et al.
// 2007, 3.3]. Off solids paths are traced back, as the nearest point of the surface goes, and end where they meet a
// solid; within solids the distance goes on straight from what it is beside them, so that nothing is worn down along a
// wall.
#include "tet/liquid_field_local.h"

#define STRIDE_BACK 0.5 // of paths that are held against the solids, in cells
enum { ENTRY_HALVINGS = 5 };
#define SAME_FACE 0.7 // the cosine between ways out of a solid: less, and they lead to two faces beside an edge
// Nodes so near keep what is carried there: they are corners of cells that the surface passes through, in cells.
#define AT_SURFACE 1.8
#define SLOPE_LEAST 0.5 // less is that of places between two surfaces
// Points of the surface so near tell the part that a place is beside, in cells.
#define PART_REACH 2.5

// Where a path enters a solid, between two fractions of it of which one is off the solids and the other is not: the
// last off them, and the way out there.
static double entry_of(const liquid_field* job, shoal_d3 at, shoal_d3 path, double off, double in, shoal_d3* out) {
    for (int k = 0; k <= ENTRY_HALVINGS; k++) {
        shoal_d3 away;
        double   half = k == 0 ? off : 0.5 * (off + in);
        if (liquid_off_solids(job, liquid_along(at, path, half), &away) >= 0.0)
            off = half, *out = away;
        else
            in = half;
    }
    return off;
}
// From where what is at a place has come: through no solid, and out of none but for a thin layer, since what is deeper
// may be the other side's. The path is seen from the solid, which moves. `off`, `wall`: of the solids at the place.
// *edge: not 0: it comes in by one face of the solid, and is so far within another, beside an edge; then from a place a
// cell off the former, where no node within the solid, which may be the other's, has a part in what is known.
static shoal_d3 unblocked(const liquid_field* job, shoal_d3 at, double off, const shoal_tet_wall* wall, shoal_d3 from,
                          double* edge) {
    shoal_d3 way = shoal_d3_sub(from, at), seen = liquid_along(way, shoal_d3_from(wall->velocity), job->dt), away,
             face = shoal_d3_from(wall->normal);
    double length = shoal_d3_length(seen), gone = 0.0, clear = 0.0, surface = LIQUID_OFF_WALL * job->cell;
    bool   is_in = false;
    *edge        = 0.0;
    if (off < 0.0) return from; // in a corner, off one wall and within the other
    while (gone + off < length) {
        gone = fmin(length, gone + fmax(off, STRIDE_BACK * job->cell));
        off  = liquid_off_solids(job, liquid_along(at, seen, gone / length), &away);
        if (off < 0.0 && !is_in) clear = length * entry_of(job, at, seen, clear / length, gone / length, &face);
        if (off >= 0.0) clear = gone;
        is_in = off < 0.0;
        if (is_in && shoal_d3_dot(away, face) <= SAME_FACE && shoal_d3_dot(away, face) > LIQUID_OTHER_SIDE) {
            double   deep = fmax(0.0, -shoal_d3_dot(seen, face) * (gone - clear) / length);
            shoal_d3 in   = liquid_along(at, seen, gone / length);
            *edge         = -off;
            return liquid_along(liquid_along(in, face, deep + job->cell), shoal_d3_from(wall->velocity), -job->dt);
        }
        if (is_in && shoal_d3_dot(away, seen) > 0.0) return liquid_along(at, way, clear / length);
        if (gone == length) return off < -surface ? liquid_along(from, away, -surface - off) : from;
    }
    return from;
}
typedef double (*band_fn)(const shoal_band* band, shoal_d3 at);
// The distance at a place is that of where it has come from, as it goes with the nearest point of the surface. Places
// inside go with the flow there, and where that thins a film, their distances grow, while those outside, where the flow
// is that at the surface, stay: the zero between the two would go outwards, by a sixth of a cell times the strain.
static double moved_beside(const liquid_field* job, band_fn distance, shoal_d3 at, double off, shoal_d3 from,
                           double value, shoal_d3 slope) {
    shoal_d3 away;
    double   length2 = shoal_d3_dot(slope, slope);
    if (fabs(value) >= AT_SURFACE * job->cell || length2 < SLOPE_LEAST * SLOPE_LEAST) return value;
    // of that point the middle of the way is as far off as that of the place
    shoal_d3 foot = liquid_along(at, slope, -value / length2), middle = liquid_along(foot, shoal_d3_sub(from, at), 0.5);
    double   outward;
    shoal_d3 root    = liquid_along(foot, shoal_tet_surface_velocity(job->flow, middle, &outward), -job->dt);
    bool     is_near = off <= shoal_d3_length(shoal_d3_sub(foot, at)) + shoal_d3_length(shoal_d3_sub(root, foot));
    if (is_near && (liquid_off_solids(job, foot, &away) <= 0.0 || liquid_off_solids(job, root, &away) <= 0.0))
        return value;
    return distance(job->from, shoal_d3_add(root, shoal_d3_sub(at, foot))) - outward * job->dt;
}
// By how much the surface is moved where the distance and its slope are these, beside a solid `off`.
static double growth_at(const liquid_field* job, shoal_d3 at, double value, shoal_d3 slope, double off,
                        const shoal_tet_wall* wall) {
    double length2   = shoal_d3_dot(slope, slope);
    bool is_at       = fabs(value)<AT_SURFACE * job->cell, is_sloped = length2> SLOPE_LEAST * SLOPE_LEAST;
    shoal_d3 foot    = is_at && is_sloped ? liquid_along(at, slope, -value / length2) : at;
    int      balance = !job->places ? job->balance
                       : is_at      ? liquid_balance_near(job->liquid, job->places, foot, PART_REACH)
                                    : -1;
    if (balance < 0) return 0.0;
    const shoal_tet_sum* sum = &job->liquid->sums[balance];
    if (sum->grow == sum->grow_thin) return sum->grow;
    shoal_d3 out   = shoal_d3_scale(slope, is_at && is_sloped ? 1.0 / sqrt(length2) : 0.0);
    double   thick = liquid_thickness(job->from, job->solids, job->down, foot, off, wall, out);
    return sum->grow_thin + thick * (sum->grow - sum->grow_thin);
}
// The distance at a place in a film that has come off a solid: that of where it has come from, or air.
static double carried_off(const liquid_field* job, shoal_d3 at, shoal_d3 normal, double by) {
    shoal_d3 away, from = shoal_tet_trace_back(job->flow, liquid_along(at, normal, -by), job->dt);
    return fmax(shoal_band_distance(job->from, from), -liquid_off_solids(job, from, &away));
}
static double carried_along(const liquid_field* job, band_fn distance, shoal_d3 at, double off,
                            const shoal_tet_wall* wall) {
    double   edge;
    shoal_d3 from  = unblocked(job, at, off, wall, shoal_tet_trace_back(job->flow, at, job->dt), &edge), slope;
    double   value = distance(job->from, from), length;
    // Beside the edge of a hole in a plate water would come out of the plate, and the jet be wider than the hole by as
    // much as it falls in a step. It leaves the edge.
    if (edge > 0.0) return value < -AT_SURFACE * job->cell ? value : fmax(value, edge);
    if (!shoal_band_gradient(job->from, from, &slope))
        return job->places ? value : value - growth_at(job, from, value, slope, off, wall);
    double grow  = growth_at(job, from, value, slope, off, wall);
    value        = moved_beside(job, distance, at, off, from, value, slope);
    length       = shoal_d3_length(slope);
    bool is_film = grow > 0.0 && length > SLOPE_LEAST &&
                   liquid_hangs(job->down, job->cell, off, wall, shoal_d3_scale(slope, 1.0 / length));
    return is_film ? value : value - grow;
}
static double carried_beside(const liquid_field* job, band_fn distance, shoal_d3 at, double off,
                             const shoal_tet_wall* wall) {
    double gap;
    bool   hangs;
    if (!liquid_comes_off(job->state, job->flow, job->down, at, off, wall, job->dt, &gap, &hangs))
        return carried_along(job, distance, at, off, wall);
    return hangs ? carried_off(job, at, shoal_d3_from(wall->normal), gap)
                 : fmax(carried_along(job, distance, at, off, wall), gap - off);
}
// For what is continued from there. Nodes in the solid are made of nodes beside them, and those around a place beside a
// solid are in it, too: with cubic weights, which fall slowly from a node, a part in 1e8 grew to 0.1 m/s in a hundred
// steps on a still pool around a ball.
static double carried_to(const liquid_field* job, shoal_d3 at) {
    shoal_tet_wall wall;
    double         off = job->solids->distance(job->solids->ctx, at, &wall);
    return carried_beside(job, shoal_band_linear, at, off, &wall);
}
// Whether a place was so deep in the liquid that it still is in it, wherever it has come from.
static bool is_deep(const liquid_field* job, shoal_d3 at) {
    double far = job->from->far;
    return shoal_band_distance(job->from, at) <= -far &&
           shoal_d3_length(shoal_tet_mean_velocity(job->flow, at)) * job->dt < far - 2.0 * job->cell;
}
double liquid_flown_to(const liquid_field* job, shoal_d3 at) {
    shoal_tet_wall wall;
    if (shoal_band_distance(job->from, at) >= job->from->far && !shoal_tet_is_near(job->flow, at))
        return job->from->far;
    double slope, off = job->solids->distance(job->solids->ctx, at, &wall), within = LIQUID_OFF_WALL * job->cell - off;
    if (within <= 0.0) return carried_beside(job, shoal_band_distance, at, off, &wall);
    double   end  = liquid_ended(job, off);
    shoal_d3 away = shoal_d3_from(wall.normal);
    // most nodes within solids are where liquid ends there, far from the air
    if (end > -2.0 * job->cell && is_deep(job, liquid_along(at, away, within))) return end;
    return fmax(liquid_continued(job, carried_to, at, away, within, &slope), end);
}
void liquid_carried(void* ctx, const shoal_d3* at, int count, double* value) {
    const liquid_field* job = ctx;
    for (int i = 0; i < count; i++) {
        value[i] = liquid_flown_to(job, at[i]);
        if (job->thicken) value[i] = shoal_tet_thickened(job->thicken, at[i], value[i]);
        if (job->drive->emit_and_drain) value[i] = job->drive->emit_and_drain(job->drive->ctx, at[i], value[i]);
    }
}
bool liquid_is_off_solids(void* ctx, shoal_d3 at) {
    const liquid_field* job = ctx;
    return job->solids->distance(job->solids->ctx, at, NULL) > 0.0;
}
shoal_d3 liquid_carry(void* ctx, shoal_d3 at) {
    const liquid_field* job = ctx;
    return shoal_tet_trace_back(job->flow, at, -job->dt);
}
// Roughly, for a place to look: straight on; what is within a solid goes on from what is off it, and goes with the
// solid.
void liquid_go(void* ctx, const shoal_d3* at, int count, shoal_d3* to) {
    const liquid_field* job = ctx;
    for (int i = 0; i < count; i++) {
        shoal_tet_wall wall;
        bool           is_within = job->solids->distance(job->solids->ctx, at[i], &wall) < 0.0;
        to[i]                    = liquid_along(
                               at[i], is_within ? shoal_d3_from(wall.velocity) : shoal_tet_mean_velocity(job->flow, at[i]), job->dt);
    }
}
