// SPDX-License-Identifier: MIT
#include "tet/liquid_local.h"

#include "base/clock.h"
#include "exec/pass.h"

#include <math.h>

enum { BLOCK = 256, RIM = 5 };

// Within solids the liquid goes on straight as it is off them, so far from their surface, and ends so deep, in cells of
// the tracked surface: it meets them at any angle, and is not cut along them, where it would be worn down step by step.
#define OFF_WALL 0.25
#define DEPTH_WITHIN 6.0
#define STRIDE_BACK 0.5 // of paths that are held against the solids, in cells
// Nodes so near keep what is carried there: they are corners of cells that the surface passes through, in cells.
#define AT_SURFACE 1.8
#define SLOPE_LEAST 0.5 // less is that of places between two surfaces
// A body whose surface lies along a solid touches it: it goes on there on a straight line from what it is this far off,
// or twice or three times as far, where its other surfaces are nearer than the one along the solid.
#define OFF_BODY 2.0
#define OFF_BODY_TRIES 3
#define LIES_ALONG 0.9 // the cosine of their angle
// Off several walls: how many of them at a time, how often one is looked for, and the square of the sine of the least
// angle between two.
enum { CLEAR_WALLS = 3, CLEAR_TRIES = 6 };
#define CLEAR_ALONE 0.02
#define STRIDE 0.1    // between the places beside the solid at which that is asked, in cells
#define STRAIGHT 0.01 // so near to one a slope is that of one surface
// The most that volume is given back in a step, in cells, and the fraction of the deficit. What thickening has added in
// the last steps it adds in the next, up to 3 % in a step, and that is taken off beforehand. (Without thickening the
// gains of tracking are noise, and to foresee them made a wave of 16 cells 4 % slower.)
#define GROW_MOST 0.2
#define GROW_FRACTION 0.75
#define DRIFT_FRACTION 0.5 // weight of the last step in the mean
// A surface moved by x m^3 changes the volume of thin sheets and drops by up to three times that, since they come and
// go at the size of a cell; as if by x alone, volume swung by 16 %. The gain is measured: normalised least mean squares
// over the steps, blind to less than this fraction of the volume.
#define GAIN_RATE 0.5
#define GAIN_BLIND 0.01
#define GAIN_MOST 4.0
#define GAIN_FORGOTTEN 0.1 // of the excess over one, in a step
// A deficit beyond this fraction of the volume is lost: a puddle does not grow by all that a lake has lost.
#define OWED_MOST 0.25
#define ON_SINK 0.5 // cells off it, vertices at the air are on a sink

void shoal_tet_liquid_free(shoal_tet_liquid* l) {
    for (int k = 0; k < 2; k++) {
        shoal_tet_state* s = &l->states[k];
        shoal_stuffing_free(&s->work);
        shoal_tetmesh_free(&s->mesh);
        shoal_band_free(&s->band);
        shoal_free(s->velocity);
        shoal_free(s->walls.of);
        shoal_free(s->walls.wall);
        shoal_free(s->is_air);
        shoal_free(s->beyond);
    }
    shoal_arena_free(&l->arena);
    shoal_contour_free(&l->surface);
    shoal_tet_flow_free(&l->flow);
    shoal_tet_projection_free(&l->projection);
    shoal_tet_faces_free(&l->faces);
    shoal_tet_thicken_free(&l->thicken);
    shoal_tet_medials_free(&l->thin);
    shoal_free(l->pressure);
    shoal_free(l->solid_octants);
    shoal_free(l->wall);
    shoal_free(l->source);
    shoal_free(l->outflow);
    *l = (shoal_tet_liquid){0};
}

// --- the surface

typedef struct surface_job {
    const shoal_tet_solids*  solids;
    double                   cell;
    shoal_field_fn           field; // of bodies, to begin with; or
    void*                    ctx;
    const shoal_tet_state*   state; // before a step
    const shoal_band*        from;  // its surface, and the flow that carries it
    const shoal_tet_flow*    flow;
    const shoal_tet_drive*   drive;
    double                   dt, grow;
    shoal_d3                 down;
    const shoal_tet_thicken* thicken; // NULL: not
} surface_job;

// How far a point is from the solids, and a unit vector away from them.
static double off_solids(const surface_job* job, shoal_d3 at, shoal_d3* away) {
    shoal_tet_wall wall;
    double         off = job->solids->distance(job->solids->ctx, at, &wall);
    *away              = shoal_d3_from(wall.normal);
    return off;
}
static shoal_d3 along(shoal_d3 at, shoal_d3 way, double length) {
    return shoal_d3_add(at, shoal_d3_scale(way, length));
}
// Positive where the liquid has ended within a solid.
static double ended(const surface_job* job, double off) { return -off - DEPTH_WITHIN * job->cell; }

typedef double (*place_fn)(const surface_job* job, shoal_d3 at);
// Whether a solid is so thin that what is known at a place beside it, of a surface within it, may be the other side's:
// as far in as distances are known it is not as far to the nearest way out.
static bool is_thin(const surface_job* job, shoal_d3 beside, shoal_d3 away) {
    shoal_d3 out;
    return off_solids(job, along(beside, away, -SHOAL_BAND_RINGS * job->cell), &out) >
           (2.0 * OFF_WALL - SHOAL_BAND_RINGS) * job->cell;
}
// A distance within a solid: on a straight line from what it is at two places off it, a cell apart; it changes by one
// in one at most. Of a thin solid each half is as the liquid beside it. *slope: into the solid.
static double continued(const surface_job* job, place_fn value, shoal_d3 at, shoal_d3 away, double within,
                        double* slope) {
    shoal_d3 beside = along(at, away, within);
    double   near = value(job, beside), far = value(job, along(beside, away, job->cell));
    bool     is_known = fmax(fabs(near), fabs(far)) < SHOAL_BAND_RINGS * job->cell; // beyond it there are only sides
    *slope            = is_known ? fmax(-1.0, fmin(1.0, (near - far) / job->cell)) : 0.0;
    bool is_met       = near * *slope < 0.0 && fabs(near) < fabs(*slope) * within;
    return is_met && is_thin(job, beside, away) ? near : near + *slope * within;
}

static double body_at(const surface_job* job, shoal_d3 at) {
    double value;
    job->field(job->ctx, &at, 1, &value);
    return value;
}
// A place so far off all solids, near to the one given: in a corner it is moved off one wall and then along that off
// the next, however acute the angle between them.
static shoal_d3 clear_of(const surface_job* job, shoal_d3 at, double off) {
    shoal_d3 wall[CLEAR_WALLS]; // normals, each without those before it
    int      count = 0;
    for (int k = 0; k < CLEAR_TRIES; k++) {
        shoal_d3 away;
        double   here = off_solids(job, at, &away), alone;
        if (here >= off) break;
        shoal_d3 way = away;
        for (int w = 0; w < count; w++)
            way = shoal_d3_sub(way,
                               shoal_d3_scale(wall[w], shoal_d3_dot(away, wall[w]) / shoal_d3_dot(wall[w], wall[w])));
        alone = shoal_d3_dot(way, away);
        if (alone < CLEAR_ALONE || count == CLEAR_WALLS) way = away, alone = 1.0, count = 0; // a wall that bends
        at            = along(at, way, (off - here) / alone);
        wall[count++] = way;
    }
    return at;
}
// The slope of the bodies' distance at a place, of length one; false where two of their surfaces are as near, or the
// nearest one lies along a solid.
static bool body_gradient(const surface_job* job, shoal_d3 at, double here, shoal_d3* slope) {
    double   d = 0.5 * STRIDE * job->cell, length;
    shoal_d3 x = {d, 0.0, 0.0}, y = {0.0, d, 0.0}, z = {0.0, 0.0, d}, away;
    slope->x = body_at(job, shoal_d3_add(at, x)) - body_at(job, shoal_d3_sub(at, x));
    slope->y = body_at(job, shoal_d3_add(at, y)) - body_at(job, shoal_d3_sub(at, y));
    slope->z = body_at(job, shoal_d3_add(at, z)) - body_at(job, shoal_d3_sub(at, z));
    *slope   = shoal_d3_scale(*slope, 0.5 / d);
    length   = shoal_d3_length(*slope);
    if (fabs(length - 1.0) > STRAIGHT) return false;
    *slope = shoal_d3_scale(*slope, 1.0 / length);
    return here > 0.0 || off_solids(job, along(at, *slope, -here), &away) > STRIDE * job->cell;
}
// A body whose surface lies along a solid, near that: straight on from a place off it, at which another of its surfaces
// is nearer. A layer that is thin keeps its thickness by this, and a level that meets a wall at an angle is a plane.
static double body_along(const surface_job* job, shoal_d3 at) {
    double first     = body_at(job, clear_of(job, at, OFF_WALL * job->cell));
    bool   has_first = false;
    for (int k = 1; k <= OFF_BODY_TRIES; k++) {
        double   off   = k * OFF_BODY * job->cell;
        shoal_d3 clear = clear_of(job, at, off), slope, away;
        if (off_solids(job, clear, &away) < 0.5 * off) continue; // between solids there is no such place
        double here = body_at(job, clear);
        if (!has_first) first = here, has_first = true;
        if (body_gradient(job, clear, here, &slope)) return here + shoal_d3_dot(slope, shoal_d3_sub(at, clear));
    }
    return first;
}
static void begin_field(void* ctx, const shoal_d3* at, int count, double* value) {
    const surface_job* job = ctx;
    double             h   = job->cell;
    for (int i = 0; i < count; i++) {
        shoal_d3 away;
        double   slope, off = off_solids(job, at[i], &away), within = fmax(0.0, OFF_WALL * h - off);
        double   f = continued(job, body_at, at[i], away, within, &slope);
        if (within > 0.0) { // in a corner, also where that is within the other wall
            shoal_d3 clear = clear_of(job, at[i], OFF_WALL * h), own;
            double   here  = body_at(job, clear);
            if (body_gradient(job, clear, here, &own))
                f = here + shoal_d3_dot(own, shoal_d3_sub(at[i], clear));
            else if (here < 0.0) // it lies along the other wall
                f = fmin(f, body_along(job, at[i]));
        }
        if (off < OFF_BODY * h) {
            shoal_d3 beside = along(at[i], away, 0.5 * STRIDE * h - off);
            double   near   = body_at(job, clear_of(job, beside, 0.5 * STRIDE * h)),
                   next     = body_at(job, clear_of(job, beside, 1.5 * STRIDE * h));
            if (near < 0.0 && near - next > LIES_ALONG * STRIDE * h) f = body_along(job, at[i]);
        }
        value[i] = fmax(f, ended(job, off));
    }
}

// From where what is at a place has come: through no solid, and out of none but for a thin layer, since what is deeper
// may be the other side's. The path is seen from the solid, which moves.
// `off`, `wall`: of the solids at the place.
static shoal_d3 unblocked(const surface_job* job, shoal_d3 at, double off, const shoal_tet_wall* wall, shoal_d3 from) {
    shoal_d3 way = shoal_d3_sub(from, at), seen = along(way, shoal_d3_from(wall->velocity), job->dt), away;
    double   length = shoal_d3_length(seen), gone = 0.0, clear = 0.0, surface = OFF_WALL * job->cell;
    if (off < 0.0) return from; // in a corner, off one wall and within the other
    while (gone + off < length) {
        gone = fmin(length, gone + fmax(off, STRIDE_BACK * job->cell));
        off  = off_solids(job, along(at, seen, gone / length), &away);
        if (off < 0.0 && shoal_d3_dot(away, seen) > 0.0) return along(at, way, clear / length);
        if (off >= 0.0) clear = gone;
        if (gone == length) return off < -surface ? along(from, away, -surface - off) : from;
    }
    return from;
}
// The distance at a place is that of where it has come from, as it goes with the nearest point of the surface. Places
// inside go with the flow there, and where that thins a film, their distances grow, while those outside, where the flow
// is that at the surface, stay: the zero between the two would go outwards, by a sixth of a cell times the strain.
static double moved_beside(const surface_job* job, shoal_d3 at, double off, shoal_d3 from, double value,
                           shoal_d3 slope) {
    shoal_d3 away;
    double   length2 = shoal_d3_dot(slope, slope);
    if (fabs(value) >= AT_SURFACE * job->cell || length2 < SLOPE_LEAST * SLOPE_LEAST) return value;
    // of that point the middle of the way is as far off as that of the place
    shoal_d3 foot = along(at, slope, -value / length2), middle = along(foot, shoal_d3_sub(from, at), 0.5);
    shoal_d3 root    = along(foot, shoal_tet_mean_velocity(job->flow, middle), -job->dt);
    bool     is_near = off <= shoal_d3_length(shoal_d3_sub(foot, at)) + shoal_d3_length(shoal_d3_sub(root, foot));
    if (is_near && (off_solids(job, foot, &away) <= 0.0 || off_solids(job, root, &away) <= 0.0)) return value;
    return shoal_band_distance(job->from, shoal_d3_add(root, shoal_d3_sub(at, foot)));
}
static double carried_beside(const surface_job* job, shoal_d3 at, double off, const shoal_tet_wall* wall) {
    shoal_d3 from  = unblocked(job, at, off, wall, shoal_tet_trace_back(job->flow, at, job->dt)), slope;
    double   value = shoal_band_distance(job->from, from), length;
    if (!shoal_band_gradient(job->from, from, &slope)) return value - job->grow;
    value        = moved_beside(job, at, off, from, value, slope);
    length       = shoal_d3_length(slope);
    bool is_film = job->grow > 0.0 && length > SLOPE_LEAST &&
                   liquid_hangs(job->down, job->cell, off, wall, shoal_d3_scale(slope, 1.0 / length));
    return is_film ? value : value - job->grow;
}
static double carried_to(const surface_job* job, shoal_d3 at) {
    shoal_tet_wall wall;
    double         off = job->solids->distance(job->solids->ctx, at, &wall);
    return carried_beside(job, at, off, &wall);
}
// Whether a place was so deep in the liquid that it still is in it, wherever it has come from.
static bool is_deep(const surface_job* job, shoal_d3 at) {
    double far = job->from->far;
    return shoal_band_distance(job->from, at) <= -far &&
           shoal_d3_length(shoal_tet_mean_velocity(job->flow, at)) * job->dt < far - 2.0 * job->cell;
}
static double flown_to(const surface_job* job, shoal_d3 at) {
    shoal_tet_wall wall;
    if (shoal_band_distance(job->from, at) >= job->from->far && !shoal_tet_is_near(job->flow, at))
        return job->from->far;
    double slope, off = job->solids->distance(job->solids->ctx, at, &wall), within = OFF_WALL * job->cell - off;
    if (within <= 0.0) return carried_beside(job, at, off, &wall);
    double   end  = ended(job, off);
    shoal_d3 away = shoal_d3_from(wall.normal);
    // most nodes within solids are where liquid ends there, far from the air
    if (end > -2.0 * job->cell && is_deep(job, along(at, away, within))) return end;
    return fmax(continued(job, carried_to, at, away, within, &slope), end);
}
static void step_field(void* ctx, const shoal_d3* at, int count, double* value) {
    const surface_job* job = ctx;
    for (int i = 0; i < count; i++) {
        value[i] = flown_to(job, at[i]);
        if (job->thicken) value[i] = shoal_tet_thickened(job->thicken, at[i], value[i]);
        if (job->drive->emit_and_drain) value[i] = job->drive->emit_and_drain(job->drive->ctx, at[i], value[i]);
    }
}
static bool is_off_solids(void* ctx, shoal_d3 at) {
    const surface_job* job = ctx;
    return job->solids->distance(job->solids->ctx, at, NULL) > 0.0;
}
static shoal_d3 carry(void* ctx, shoal_d3 at) {
    const surface_job* job = ctx;
    return shoal_tet_trace_back(job->flow, at, -job->dt);
}
// Roughly, for a place to look: straight on; what is within a solid goes on from what is off it, and goes with the
// solid.
static void go(void* ctx, const shoal_d3* at, int count, shoal_d3* to) {
    const surface_job* job = ctx;
    for (int i = 0; i < count; i++) {
        shoal_tet_wall wall;
        bool           is_within = job->solids->distance(job->solids->ctx, at[i], &wall) < 0.0;
        to[i] =
            along(at[i], is_within ? shoal_d3_from(wall.velocity) : shoal_tet_mean_velocity(job->flow, at[i]), job->dt);
    }
}

// --- what comes and goes

// The fraction of a cell around a node that is inside.
static double filled(double distance, double cell) { return fmin(1.0, fmax(0.0, 0.5 - distance / cell)); }

typedef struct exchange_job {
    const surface_job* surface;
    int                first, box; // of the drive's, of one kind from the first on
    int                from[3];    // its lowest node, counted from the origin of the lattice
    int                size[3];
    double             reach; // what is beside a box is with it, m
} exchange_job;

// A node of a box; false: it is in one before as well, and counts there.
static bool node_of(const exchange_job* job, int i, shoal_d3* at) {
    const surface_job* s = job->surface;
    int                x = job->from[0] + i % job->size[0], y = job->from[1] + i / job->size[0] % job->size[1],
        z = job->from[2] + i / (job->size[0] * job->size[1]);
    *at   = shoal_d3_add(s->from->grid.origin, shoal_d3_scale(shoal_d3_make(x, y, z), s->cell));
    for (int b = job->first; b < job->box; b++)
        if (shoal_box_holds(shoal_box_grown(s->drive->boxes[b], job->reach), *at)) return false;
    return true;
}

// The volume that `emit_and_drain` adds at the nodes of a box: at each of them what of its cell was inside before and
// is after.
static double emitted_block(void* ctx, int begin, int end) {
    const exchange_job*    job   = ctx;
    const surface_job*     s     = job->surface;
    const shoal_tet_drive* drive = s->drive;
    double                 sum   = 0.0;
    for (int i = begin; i < end; i++) {
        shoal_d3 at;
        if (!node_of(job, i, &at)) continue;
        double here = shoal_band_distance(s->from, at);
        if (fabs(here) >= s->from->far) { // nothing else changes it
            double there = drive->emit_and_drain(drive->ctx, at, here);
            if ((there < 0.0) == (here < 0.0) && fabs(there) >= 0.5 * s->cell) continue;
        }
        double open = filled(-s->solids->distance(s->solids->ctx, at, NULL), s->cell);
        if (!(open > 0.0)) continue;
        double before = flown_to(s, at), after = drive->emit_and_drain(drive->ctx, at, before);
        sum += open * fmax(0.0, filled(after, s->cell) - filled(before, s->cell));
    }
    return sum;
}

// The volume that it removes: of the liquid at the nodes of a box before the step the part that the flow carries to
// where none is kept. Within a sink the same liquid fills less, since the flow is free of divergence outside of it
// alone. (Measured there, a ball of three cells took 0.6 of the volume that had left.)
static double drained_block(void* ctx, int begin, int end) {
    const exchange_job*    job   = ctx;
    const surface_job*     s     = job->surface;
    const shoal_tet_drive* drive = s->drive;
    double                 sum   = 0.0;
    for (int i = begin; i < end; i++) {
        shoal_d3 at;
        if (!node_of(job, i, &at)) continue;
        double here = filled(shoal_band_distance(s->from, at), s->cell);
        if (!(here > 0.0) || drive->emit_and_drain(drive->ctx, at, -1e30) < -job->reach) continue;
        double open = filled(-s->solids->distance(s->solids->ctx, at, NULL), s->cell);
        if (!(open > 0.0)) continue;
        double beyond = drive->emit_and_drain(drive->ctx, shoal_tet_trace_back(s->flow, at, -s->dt), -1e30);
        sum += open * fmax(0.0, here - filled(beyond, s->cell)); // along one surface both have the cell between them
    }
    return sum;
}

// The outflow of the mesh at vertices on a sink or the end of the kept zone, m^3/s, less the one by the means of the
// velocities around them, which carry the surface and are smaller where the flow draws together. By the equations of
// the pressure nothing is lost: the gain at a vertex as of shoal_tet_project is its outflow.
static double outflow_block(void* ctx, int begin, int end) {
    const surface_job*     s    = ctx;
    const shoal_tetmesh*   mesh = s->flow->mesh;
    const shoal_tet_state* from = s->state;
    double                 sum  = 0.0;
    for (int v = begin; v < end; v++) {
        if (!from->is_air[v] || s->drive->emit_and_drain(s->drive->ctx, mesh->position[v], -1e30) < -ON_SINK * s->cell)
            continue;
        shoal_d3 mean = shoal_d3_from(s->flow->mean_velocity[v]);
        for (int i = mesh->incident_first[v]; i < mesh->incident_first[v + 1]; i++) {
            int      t = mesh->incident[i] / 4, own = mesh->incident[i] % 4;
            shoal_d3 area[4];
            shoal_tet_areas(mesh, t, area);
            sum -= shoal_d3_dot(shoal_d3_from(from->velocity[t]), area[own]) / 3.0;
            for (int k = 0; k < 4; k++) {
                int airs = 0;
                for (int c = 0; c < 4; c++) airs += c != k && from->is_air[mesh->tets[t][c]];
                if (k != own && mesh->neighbours[t][k] < 0 && airs == 3) sum -= shoal_d3_dot(mean, area[k]) / 3.0;
            }
        }
    }
    return sum;
}

// How far the flow carries anything in the step, at most, m.
static double longest_way(const surface_job* s) {
    float most = 0.0f;
    for (int v = 0; v < s->flow->mesh->vertex_count; v++)
        most = fmaxf(most, shoal_v3_dot(s->flow->mean_velocity[v], s->flow->mean_velocity[v]));
    return sqrt((double)most) * s->dt;
}

// The sum over the nodes of a box, within `bounds`, m^3.
static double exchange(exchange_job* job, shoal_box bounds, double (*block)(void*, int, int), const shoal_exec* exec) {
    const surface_job*  s    = job->surface;
    const shoal_sparse* grid = &s->from->grid;
    shoal_box           own  = s->drive->boxes[job->box];
    if (shoal_box_is_empty(own) || shoal_box_is_empty(bounds)) return 0.0;
    own = shoal_box_grown(own, job->reach);
    for (int a = 0; a < 3; a++) {
        double least = fmax(shoal_d3_axis(own.min, a), shoal_d3_axis(bounds.min, a)),
               most  = fmin(shoal_d3_axis(own.max, a), shoal_d3_axis(bounds.max, a));
        double low   = (least - shoal_d3_axis(grid->origin, a)) / s->cell,
               high  = (most - shoal_d3_axis(grid->origin, a)) / s->cell;
        double end   = (double)(SHOAL_SPARSE_EDGE * grid->nx);
        job->from[a] = (int)fmax(0.0, fmin(end, ceil(low)));
        job->size[a] = (int)fmax(0.0, fmin(end, floor(high))) - job->from[a] + 1;
        if (job->size[a] < 0) job->size[a] = 0;
    }
    double nodes = (double)job->size[0] * job->size[1] * job->size[2];
    return nodes > 0.0 ? s->cell * s->cell * s->cell * shoal_sum(exec, (int)fmin(nodes, 2e9), block, job) : 0.0;
}

static void measure_exchange(shoal_tet_liquid* l, const surface_job* s, const shoal_exec* exec) {
    const shoal_tet_drive* drive   = s->drive;
    const shoal_contour*   surface = &s->from->surface;
    shoal_box              wet     = shoal_box_empty();
    double                 reach   = drive->box_count > drive->tap_count ? longest_way(s) + s->cell : 0.0;
    l->emitted = l->drained = 0.0;
    if (!drive->emit_and_drain) return;
    for (int v = 0; v < surface->vertex_count; v++) wet = shoal_box_with(wet, shoal_d3_from(surface->vertices[v]));
    if (!shoal_box_is_empty(wet)) wet = shoal_box_grown(wet, s->cell);
    for (int b = 0; b < drive->box_count; b++) {
        bool         is_tap = b < drive->tap_count;
        exchange_job job    = {.surface = s, .first = is_tap ? 0 : drive->tap_count, .box = b};
        if (is_tap) {
            shoal_tet_tap* tap = &drive->taps[b];
            tap->came          = tap->scale * exchange(&job, drive->boxes[b], emitted_block, exec);
            l->emitted += tap->came;
        } else {
            job.reach = reach;
            l->drained += exchange(&job, wet, drained_block, exec);
        }
    }
    if (l->drained > 0.0) {
        double more = s->dt * shoal_sum(exec, s->flow->mesh->vertex_count, outflow_block, (void*)(uintptr_t)s);
        l->drained  = fmax(0.0, l->drained + more);
    }
}

// --- begin, and step

// Scenes have their floors, walls and levels at round numbers; the lattice does not, or a level surface would lie
// within a plane of its nodes, where rounding decides on which side each of them is.
static shoal_status lay_frame(shoal_octree* tree, shoal_box box, double step) {
    SHOAL_TRY(shoal_octree_frame(tree, box, step, RIM));
    tree->origin = shoal_d3_add(tree->origin, shoal_d3_scale(shoal_d3_make(0.155, 0.185, 0.215), step));
    return SHOAL_OK;
}

shoal_status shoal_tet_liquid_frame(shoal_tet_liquid* l, shoal_box box, double step) {
    for (int k = 0; k < 2; k++) {
        shoal_tet_state* s = &l->states[k];
        SHOAL_TRY(lay_frame(&s->work.tree, box, step));
        shoal_band_frame(&s->band, &s->work.tree);
        s->work.arena = s->mesh.arena = s->band.arena = &l->arena;
    }
    l->projection.arena = l->thin.arena = &l->arena;
    return SHOAL_OK;
}

shoal_status shoal_tet_liquid_remesh(shoal_tet_liquid* l, const shoal_tet_solids* solids, const shoal_exec* exec) {
    l->has_solid_octants = false;
    SHOAL_TRY(liquid_make_mesh(l, &l->states[l->current], solids, exec));
    SHOAL_TRY(liquid_make_surface(l, &l->states[l->current], solids, exec));
    return liquid_find_neighbours(l, &l->states[l->current], false, exec);
}

shoal_status shoal_tet_liquid_begin(shoal_tet_liquid* l, shoal_box box, double step, shoal_field_fn field, void* ctx,
                                    const shoal_tet_solids* solids, const shoal_exec* exec) {
    shoal_tet_state* s    = &l->states[l->current];
    shoal_octree     near = {0};
    SHOAL_TRY(lay_frame(&near, box, step));
    SHOAL_TRY(shoal_tet_liquid_frame(l, box, step));
    surface_job  job   = {.solids = solids, .cell = 0.5 * step, .field = field, .ctx = ctx};
    int          count = 0, capacity = 0;
    uint64_t*    keys   = NULL;
    shoal_status status = shoal_octree_near(&near, begin_field, &job, 2.0, exec, &keys, &capacity, &count);
    shoal_d3*    seeds  = status == SHOAL_OK ? shoal_alloc((size_t)count + 1, sizeof *seeds) : NULL;
    for (int i = 0; i < count && seeds; i++) {
        int at[3];
        shoal_morton_split(keys[i], at);
        seeds[i] = shoal_octree_middle(&near, 0, at);
    }
    if (status == SHOAL_OK)
        status = seeds ? shoal_band_make(&s->band, begin_field, &job, seeds, count, exec) : SHOAL_ERR_MEMORY;
    shoal_free(seeds);
    shoal_free(keys);
    shoal_octree_free(&near);
    SHOAL_TRY(status);
    SHOAL_TRY(liquid_make_mesh(l, s, solids, exec));
    SHOAL_TRY(liquid_make_surface(l, s, solids, exec));
    SHOAL_TRY(liquid_find_neighbours(l, s, false, exec));
    for (int t = 0; t < s->mesh.tet_count; t++) s->velocity[t] = shoal_v3_make(0.0f, 0.0f, 0.0f);
    l->target_volume = s->surface_volume;
    l->drift = l->last_correction = l->last_change = 0.0;
    l->volume_gain                                 = 1.0;
    return SHOAL_OK;
}

typedef struct accelerate_job {
    shoal_tet_state*       state;
    const shoal_tet_drive* drive;
} accelerate_job;

static void accelerate_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    accelerate_job* job = ctx;
    for (int t = begin; t < end; t++) {
        const shoal_tetmesh* mesh = &job->state->mesh;
        shoal_v3*            u    = &job->state->velocity[t];
        *u = shoal_v3_from(job->drive->accelerate(job->drive->ctx, shoal_tet_centroid(mesh, t), shoal_d3_from(*u)));
    }
}

// --- taps under water

typedef struct tap_job {
    const shoal_tet_state* state;
    const shoal_tet_drive* drive;
    const uint8_t*         is_open; // [vertices] as of shoal_tet_projection
    float*                 source;
    int                    tap;
    double                 rate; // by volume
} tap_job;

// In the tap, and in a part that air is at.
static bool is_fed(const tap_job* job, int t) {
    const shoal_tetmesh* mesh = &job->state->mesh;
    return job->is_open[mesh->tets[t][0]] &&
           job->drive->is_in_tap(job->drive->ctx, job->tap, shoal_tet_centroid(mesh, t));
}
// The surface to the air of what hangs together with a tap, m^2, up to `enough`.
static double air_area(const tap_job* job, double enough, uint8_t* is_seen, int* list) {
    const shoal_tet_state* s     = job->state;
    double                 sum   = 0.0;
    int                    count = 0;
    for (int t = 0; t < s->mesh.tet_count; t++) {
        is_seen[t] = is_fed(job, t);
        if (is_seen[t]) list[count++] = t;
    }
    for (int i = 0; i < count && sum < enough; i++) {
        const int* v = s->mesh.tets[list[i]];
        shoal_d3   area[4];
        shoal_tet_areas(&s->mesh, list[i], area);
        for (int k = 0; k < 4; k++) {
            int next = s->mesh.neighbours[list[i]][k], airs = 0;
            if (next >= 0 && !is_seen[next]) is_seen[next] = 1, list[count++] = next;
            for (int c = 0; c < 4 && next < 0; c++) airs += c != k && s->is_air[v[c]];
            if (airs == 3) sum += shoal_d3_length(area[k]);
        }
    }
    return sum;
}
// A part in which the air has less surface than the opening of the tap counts as full: it would leave faster than the
// stream comes, and the last of it at any speed.
static shoal_status is_full(shoal_tet_liquid* l, const tap_job* job, double opening, bool* out) {
    size_t       mark = l->arena.used, tets = (size_t)job->state->mesh.tet_count;
    uint8_t*     is_seen;
    int*         list;
    shoal_status status = shoal_arena_make(&l->arena, (void**)&is_seen, tets, sizeof *is_seen);
    if (status == SHOAL_OK) status = shoal_arena_make(&l->arena, (void**)&list, tets, sizeof *list);
    if (status == SHOAL_OK) *out = air_area(job, opening, is_seen, list) < opening;
    shoal_arena_back(&l->arena, mark);
    return status;
}
static double tap_volume(void* ctx, int begin, int end) {
    const tap_job* job = ctx;
    double         sum = 0.0;
    for (int t = begin; t < end; t++) {
        shoal_d3 area[4];
        if (is_fed(job, t)) sum += shoal_tet_areas(&job->state->mesh, t, area);
    }
    return sum;
}
static void tap_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    tap_job* job = ctx;
    for (int t = begin; t < end; t++)
        if (is_fed(job, t)) job->source[t] += (float)job->rate;
}
// What taps bring is spread over the tetrahedra in them, and counts in the balance; into a part that is full to its
// walls nothing can come.
static shoal_status open_taps(shoal_tet_liquid* l, const shoal_tet_drive* drive, double dt, const shoal_exec* exec) {
    shoal_tet_state* s        = &l->states[l->current];
    bool             has_rate = false;
    l->source_state           = NULL;
    for (int k = 0; k < drive->tap_count; k++) has_rate |= drive->taps[k].rate > 0.0;
    if (!has_rate || s->mesh.tet_count == 0) return SHOAL_OK;
    SHOAL_TRY(shoal_reserve((void**)&l->source, &l->source_capacity, s->mesh.tet_count, sizeof *l->source));
    for (int t = 0; t < s->mesh.tet_count; t++) l->source[t] = 0.0f;
    l->source_state = s;
    for (int k = 0; k < drive->tap_count; k++) {
        tap_job job = {s, drive, l->projection.is_open, l->source, k, 0.0};
        double  all = drive->taps[k].rate > 0.0 ? shoal_sum(exec, s->mesh.tet_count, tap_volume, &job) : 0.0;
        if (!(drive->taps[k].rate > 0.0)) continue;
        drive->taps[k].is_shut = !(all > 0.0);
        if (all > 0.0) SHOAL_TRY(is_full(l, &job, drive->taps[k].opening, &drive->taps[k].is_shut));
        if (drive->taps[k].is_shut) continue;
        double rate = fmax(0.0, drive->taps[k].rate - drive->taps[k].came / dt);
        job.rate    = rate / all;
        shoal_blocks(exec, s->mesh.tet_count, BLOCK, tap_block, &job);
        l->emitted += rate * dt;
    }
    return SHOAL_OK;
}

SHOAL_FN bool is_not_finite(const shoal_v3* velocity, int t) {
    return !isfinite(shoal_d3_dot(shoal_d3_from(velocity[t]), shoal_d3_from(velocity[t])));
}
SHOAL_FIRST_LOOP(first_not_finite, shoal_v3, is_not_finite)

static shoal_status check_velocities(const shoal_tet_state* s, const shoal_exec* exec) {
    int t = shoal_first(exec, s->mesh.tet_count, first_not_finite, s->velocity);
    if (t < 0) return SHOAL_OK;
    shoal_d3 at = shoal_tet_centroid(&s->mesh, t);
    return shoal_fail(SHOAL_ERR_DIVERGE, "the velocity of the liquid at (%.4g, %.4g, %.4g) m stopped being finite",
                      at.x, at.y, at.z);
}

// Pushes the liquid of the state that is now, and lets pressure act.
static shoal_status accelerate_and_project(shoal_tet_liquid* l, const shoal_tet_drive* drive, double tolerance,
                                           const shoal_exec* exec) {
    shoal_tet_state*   s   = &l->states[l->current];
    accelerate_job     job = {s, drive};
    shoal_tet_boundary boundary;
    if (l->flow.mesh == &s->mesh) l->flow.mesh = NULL;
    shoal_blocks(exec, s->mesh.tet_count, BLOCK, accelerate_block, &job);
    SHOAL_TRY(shoal_reserve((void**)&l->pressure, &l->pressure_capacity, s->mesh.vertex_count, sizeof *l->pressure));
    for (int v = 0; v < s->mesh.vertex_count; v++) l->pressure[v] = 0.0;
    SHOAL_TRY(shoal_tet_liquid_boundary(l, exec, &boundary));
    SHOAL_TRY(liquid_hold_films(l, drive, exec, &boundary.air));
    SHOAL_TRY(shoal_tet_project(&l->projection, &s->mesh, &boundary, tolerance, exec, s->velocity, l->pressure));
    return check_velocities(s, exec);
}

// The same with velocities through faces, which `flow` of the mesh before brings.
static shoal_status advect_faces_and_project(shoal_tet_liquid* l, double dt, const shoal_tet_drive* drive,
                                             const shoal_tet_options* options, const shoal_exec* exec) {
    shoal_tet_state*   s = &l->states[l->current];
    shoal_tet_boundary boundary;
    SHOAL_TRY(shoal_tet_faces_assemble(&l->faces, &s->mesh, s->is_air, exec));
    shoal_tet_faces_advect(&l->faces, &s->mesh, &l->flow, dt, options->is_sharp, drive->accelerate, drive->ctx, exec);
    SHOAL_TRY(shoal_reserve((void**)&l->pressure, &l->pressure_capacity, s->mesh.vertex_count, sizeof *l->pressure));
    SHOAL_TRY(shoal_tet_liquid_boundary(l, exec, &boundary));
    SHOAL_TRY(
        shoal_tet_faces_project(&l->faces, &s->mesh, &boundary, options->tolerance, exec, s->velocity, l->pressure));
    l->projection.end = (shoal_cg_end){l->faces.end.cycles, l->faces.end.residual, l->faces.end.is_solved};
    return check_velocities(s, exec);
}

shoal_status shoal_tet_liquid_start(shoal_tet_liquid* l, const shoal_tet_drive* drive, double tolerance,
                                    const shoal_exec* exec) {
    const shoal_tet_state* s = shoal_tet_current(l);
    shoal_arena_back(&l->arena, 0);
    SHOAL_TRY(shoal_tet_projection_assemble(&l->projection, &s->mesh, s->is_air, exec));
    SHOAL_TRY(accelerate_and_project(l, drive, tolerance, exec));
    shoal_arena_back(&l->arena, 0);
    return SHOAL_OK;
}

shoal_status shoal_tet_liquid_flow(shoal_tet_liquid* l, double sharpness, const shoal_exec* exec) {
    const shoal_tet_state* s = shoal_tet_current(l);
    if (l->flow.mesh == &s->mesh && l->sharpness == sharpness) return SHOAL_OK; // it is that of now
    l->flow.mesh = NULL;
    SHOAL_TRY(liquid_find_neighbours(l, &l->states[l->current], false, exec));
    l->sharpness = sharpness;
    l->flow.band = &s->band;
    return shoal_tet_flow_make(&l->flow, &s->work, &s->mesh, s->velocity, &s->walls, s->is_air, sharpness, exec);
}

// The time since the last part of a step has ended.
static void part(shoal_tet_liquid* l, int which, double* began) {
    double now = shoal_seconds();
    l->seconds[which] += now - *began;
    *began = now;
}

// What thickening adds in a step, and the gain of volume, from `correction` that the surface was moved by and `change`.
static void find_drift(shoal_tet_liquid* l, bool is_thick, double correction, double change) {
    double blind = GAIN_BLIND * l->target_volume, more = correction - l->last_correction,
           answer      = change - l->last_change;
    l->last_correction = correction, l->last_change = change;
    if (is_thick) {
        l->volume_gain -= GAIN_FORGOTTEN * (l->volume_gain - 1.0);
        double off = answer - l->volume_gain * more;
        l->volume_gain =
            fmax(1.0, fmin(GAIN_MOST, l->volume_gain + GAIN_RATE * more * off / (more * more + blind * blind)));
        l->drift += DRIFT_FRACTION * (change - l->volume_gain * correction - l->drift);
    } else {
        l->volume_gain = 1.0, l->drift = 0.0;
    }
}

shoal_status shoal_tet_liquid_step(shoal_tet_liquid* l, double dt, const shoal_tet_solids* solids,
                                   const shoal_tet_drive* drive, const shoal_tet_options* options,
                                   const shoal_exec* exec) {
    shoal_tet_state *from = &l->states[l->current], *to = &l->states[1 - l->current];
    double           cell = from->band.grid.cell, most = GROW_MOST * cell, began = shoal_seconds();
    bool             is_thick = options->thicken.thin > 0.0;
    double           target   = fmin(l->target_volume, (1.0 + OWED_MOST) * from->surface_volume);
    double           deficit  = GROW_FRACTION * (target - from->surface_volume) - l->drift;
    double           area     = deficit > 0.0 ? from->area - from->hanging : from->area; // that grows, or shrinks
    double           grow     = options->keeps_volume && area > 0.0 ? deficit / (l->volume_gain * area) : 0.0;
    shoal_arena_back(&l->arena, 0); // what a step that failed has left
    for (int k = 0; k < SHOAL_TET_PARTS; k++) l->seconds[k] = 0.0;
    SHOAL_TRY(shoal_tet_liquid_flow(l, options->sharpness, exec));
    if (!from->band.has_surface) SHOAL_TRY(shoal_band_contour(&from->band, exec)); // a step that failed has taken it
    l->flow.core    = options->core;
    surface_job job = {.solids = solids,
                       .cell   = cell,
                       .state  = from,
                       .from   = &from->band,
                       .flow   = &l->flow,
                       .drive  = drive,
                       .dt     = dt,
                       .grow   = fmax(-most, fmin(most, grow)),
                       .down   = l->down};
    measure_exchange(l, &job, exec);
    if (is_thick) {
        SHOAL_TRY(shoal_tet_thicken_make(&l->thicken, &from->band, l->flow.tree, &options->thicken, is_off_solids,
                                         carry, &job, exec));
        job.thicken = &l->thicken;
    }
    to->band.is_redistanced = options->is_redistanced;
    SHOAL_TRY(shoal_band_follow(&from->band, step_field, go, &job, drive->seeds, drive->seed_count, exec, &to->band));
    part(l, SHOAL_TET_TRACK, &began);
    SHOAL_TRY(liquid_make_mesh(l, to, solids, exec));
    part(l, SHOAL_TET_MESH, &began);
    SHOAL_TRY(liquid_make_surface(l, to, solids, exec));
    part(l, SHOAL_TET_TRACK, &began);
    if (!options->has_face_velocities) shoal_tet_advect(&l->flow, &to->mesh, dt, options->is_sharp, exec, to->velocity);
    part(l, SHOAL_TET_ADVECT, &began);
    SHOAL_TRY(liquid_find_neighbours(l, to, options->has_face_velocities, exec));
    part(l, SHOAL_TET_MESH, &began);
    l->current = 1 - l->current;
    SHOAL_TRY(shoal_tet_projection_assemble(&l->projection, &to->mesh, to->is_air, exec));
    SHOAL_TRY(open_taps(l, drive, dt, exec));
    find_drift(l, is_thick, job.grow * area, to->surface_volume - from->surface_volume - (l->emitted - l->drained));
    l->target_volume = target + l->emitted - l->drained;
    SHOAL_TRY(options->has_face_velocities ? advect_faces_and_project(l, dt, drive, options, exec)
                                           : accelerate_and_project(l, drive, options->tolerance, exec));
    shoal_arena_back(&l->arena, 0);
    part(l, SHOAL_TET_PRESSURE, &began);
    return SHOAL_OK;
}

static double fastest_block(void* ctx, int begin, int end) {
    const shoal_tet_state* s    = ctx;
    double                 most = 0.0;
    for (int t = begin; t < end; t++) most = fmax(most, (double)shoal_v3_dot(s->velocity[t], s->velocity[t]));
    return most;
}
double shoal_tet_fastest(const shoal_tet_liquid* l, const shoal_exec* exec) {
    const shoal_tet_state* s = shoal_tet_current(l);
    return s->mesh.tet_count == 0 ? 0.0 : sqrt(shoal_max(exec, s->mesh.tet_count, fastest_block, (void*)(uintptr_t)s));
}
