// SPDX-License-Identifier: MIT
// Emitters that keep a region full. A disc is a nozzle, a cylinder before it that is full of liquid at the stream's
// velocity: as long as the way of the stream so far, later so long that the outflow of a step leaves none of it empty.
// The outflow is not up to the nozzle alone, since a stream that falls draws on the liquid behind it; so the nozzle
// pushes at a pace of its own, set from step to step such that the volume that arrives is the volume due. Under water
// nothing flows out by itself: there the volume due comes into being within it. So it does at a wall that the disc is
// on, since no liquid leaves a wall: there the nozzle begins at the wall, and its stream comes to its velocity within
// the first edge of a tetrahedron, as the volume that comes into being there has it. Shapes with a velocity have the
// same accounts; where theirs is kept full is in paper_shapes.c.
#include "solvers/tetra_paper/paper_local.h"

#include "base/status.h"
#include "state/outlet.h"

#include <math.h>

// A nozzle reaches so far before its disc, in edges of tetrahedra, or as far as its stream comes in a step: fewer, and
// no tetrahedron has its middle in it.
#define NOZZLE_LENGTH 1.5
// At a wall: within so many edges the stream comes into being.
#define SOURCE_LENGTH 1.0
#define FIRST_SOURCE 0.9 // of the volume due next, in the first of a stream: with all of it single tetrahedra had 1.26
// A disc is on a wall if it is so near to it, in cells, or PAPER_BEHIND_WALL within; one that leans, if any of it is.
#define NEAR_WALL 0.5
#define FACES_AWAY 0.5  // the least cosine of its stream and the way off the wall
#define WITHIN_WALL 1.0 // so far into the wall it is laid, in cells
// The first of a stream waits until it is so thick, in cells: what is thinner is lost between the nodes.
#define SLAB_LEAST 1.25
// Its two edges are cut off by the triangles of the surface: by so much in all, times a cell's area, over its radius,
// the first of it is laid longer. (Measured: 0.22 of a cell's area all along each of them.)
#define RIMS 0.88
// The pace of a nozzle: its outflow over that of its stream. Down to a bound that is the speed, below it the section as
// well: a slow and wide stream that falls gains more speed within its first cell than it began with, and is as much
// thinner there. In a step it changes by PACE_GAIN times the volume that is missing, over the volume due, at most by
// PACE_CHANGE. MADE_UP of the volume owed from before counts in it, up to MADE_UP_MOST of the volume due.
#define PACE_LEAST 0.1
#define PACE_FULL 0.7 // at its full section
#define PACE_MOST 1.2
#define PACE_GAIN 0.5
#define PACE_CHANGE 0.2
#define MADE_UP 0.1
#define MADE_UP_MOST 0.2
#define OWED_MOST 20.0   // times the volume due in a step: a tap that was blocked does not make up for all of it
#define GIVEN_LEAST 0.95 // of what was due; less is reported, as for particles

// A space counts as full by so much of a shape's section: between walls the air before a stream has one section and no
// more, less what the triangles cut off.
#define SHAPE_OPENING 0.5

#define PRESSED_MOST 0.01 // of the volume: more is reported

enum { RIM_PLACES = 8 };

// --- where a nozzle is

static double speed_of(const shoal_emitter* e) { return (double)shoal_v3_length(e->velocity); }

// A stream through a shape, of which it is known what is due.
static bool is_shaped(const paper* s, int emitter) { return s->openings[emitter].ray_count > 0; }

// A round stream as it is seen has straight edges within cells, and less volume than its distances say: by a twelfth of
// a cell for each cell of its radius, as the mean of a parabola over a cell is off the chord. So it is laid with more.
static double laid_radius(const paper* s, double radius) {
    double cell = 0.5 * s->step;
    return radius + cell * cell / (12.0 * fmax(radius, cell));
}

// Along the stream, from the plane that the nozzle begins at.
static double ahead_of(const paper_nozzle* n, shoal_d3 at) {
    return shoal_d3_dot(shoal_d3_sub(at, n->at), n->out) / n->lean;
}

double paper_off_emitter(const paper* s, int emitter, shoal_d3 at) {
    const shoal_emitter* e = &s->ctx->description->emitters[emitter];
    const paper_nozzle*  n = &s->nozzles[emitter];
    if (e->kind == SHOAL_EMIT_SHAPE)
        return is_shaped(s, emitter) ? paper_off_stream(s, emitter, at) : shoal_shape_distance(e->shape, at);
    if (e->kind == SHOAL_EMIT_RAIN || !(n->front > n->rear)) return 1e30;
    shoal_d3 to    = shoal_d3_sub(at, n->at);
    double   ahead = ahead_of(n, at);
    shoal_d3 side  = shoal_d3_sub(to, shoal_d3_scale(n->way, shoal_d3_dot(to, n->way)));
    return fmax(shoal_d3_length(side) - n->radius, n->lean * fmax(ahead - n->front, n->rear - ahead));
}

bool paper_is_in_tap(const paper* s, int emitter, shoal_d3 at) {
    const paper_nozzle* n = &s->nozzles[emitter];
    if (is_shaped(s, emitter)) return paper_is_in_stream_source(s, emitter, at);
    return paper_off_emitter(s, emitter, at) < 0.0 && !(n->source > 0.0 && ahead_of(n, at) > n->source);
}

// With the tap's own, where it moves.
shoal_d3 paper_stream_velocity(const paper* s, int emitter, shoal_d3 at) {
    const shoal_emitter* e = &s->ctx->description->emitters[emitter];
    const paper_nozzle*  n = &s->nozzles[emitter];
    shoal_d3             u = shoal_d3_scale(shoal_d3_from(e->velocity), fmax(n->pace, PACE_FULL));
    if (is_shaped(s, emitter)) return shoal_d3_scale(u, paper_stream_rise(s, emitter, at));
    if (n->source > 0.0) u = shoal_d3_scale(u, fmax(0.0, fmin(1.0, ahead_of(n, at) / n->source)));
    if (e->key_count == 0) return u;
    return shoal_d3_add(shoal_quat_rotate(n->pose.rotation, u), shoal_motion_velocity(&n->pose, at));
}

double paper_tap_speed(const paper* s, int emitter, double from, double until) {
    const shoal_emitter* e = &s->ctx->description->emitters[emitter];
    double               u = PACE_MOST * speed_of(e);
    if (e->key_count == 0) return u;
    shoal_box own = e->kind == SHOAL_EMIT_DISC ? shoal_box_grown((shoal_box){e->at, e->at}, e->radius + 2.0 * s->step)
                                               : shoal_shape_bounds(e->shape);
    return u + shoal_motion_speed(e->keys, e->key_count, shoal_box_radius(own), from, until);
}

// --- under water

// Whether there is water around more than half of a disc, so far before it: beside it where it is off the solids, if it
// is anywhere.
static bool is_rim_wet(const paper* s, const paper_nozzle* n, double radius, double ahead) {
    const shoal_band* band = &shoal_tet_current(&s->liquid)->band;
    shoal_d3          way  = n->way, side, up;
    int               open = 0, wet = 0;
    side            = fabs(way.x) < 0.6 ? shoal_d3_make(1.0, 0.0, 0.0) : shoal_d3_make(0.0, 1.0, 0.0);
    side            = shoal_d3_cross(way, side);
    side            = shoal_d3_scale(side, 1.0 / shoal_d3_length(side));
    up              = shoal_d3_cross(way, side);
    shoal_d3 middle = shoal_d3_add(n->at, shoal_d3_scale(way, ahead));
    for (int k = 0; k < RIM_PLACES; k++) {
        double   turn = 2.0 * SHOAL_PI * k / RIM_PLACES, reach = radius + 0.5 * s->step;
        shoal_d3 at = shoal_d3_add(
            middle, shoal_d3_add(shoal_d3_scale(side, reach * cos(turn)), shoal_d3_scale(up, reach * sin(turn))));
        bool is_open = s->solids.distance(s->solids.ctx, at, NULL) > 0.0;
        open += is_open;
        wet += is_open && shoal_band_distance(band, at) < 0.0;
    }
    return 2 * wet > open;
}

// Whether a nozzle of so much length is under water, its mouth, some of it behind that, or what is next to its rear:
// water would be drawn through that, as by a pump, in place of its own.
static bool is_under_water(const paper* s, const paper_nozzle* n, double radius, double length) {
    shoal_d3 behind = shoal_d3_sub(n->at, shoal_d3_scale(n->way, s->step));
    if (shoal_band_distance(&shoal_tet_current(&s->liquid)->band, behind) < 0.0 &&
        s->solids.distance(s->solids.ctx, behind, NULL) > 0.0)
        return true;
    for (double ahead = 0.0; ahead < length; ahead += 0.5 * s->step)
        if (is_rim_wet(s, n, radius, ahead)) return true;
    return is_rim_wet(s, n, radius, length);
}

// --- at a wall

// Where the disc is on a wall, or within one that its stream comes out of, moves the nozzle to begin at its surface.
static bool is_on_wall(const paper* s, paper_nozzle* n, double radius) {
    shoal_tet_wall wall;
    shoal_d3       at   = n->at;
    double         cell = 0.5 * s->step, off = s->solids.distance(s->solids.ctx, at, &wall);
    bool           is_within = off <= 0.0;
    for (double gone = 0.0; off <= 0.0 && gone < PAPER_BEHIND_WALL * s->step; gone += 0.5 * cell) {
        at  = shoal_d3_add(at, shoal_d3_scale(n->way, 0.5 * cell));
        off = s->solids.distance(s->solids.ctx, at, &wall);
    }
    shoal_d3 out  = shoal_d3_from(wall.normal);
    double   lean = shoal_d3_dot(out, n->way), slant = sqrt(fmax(0.0, 1.0 - lean * lean));
    if (off <= 0.0 || lean < FACES_AWAY || (!is_within && off > NEAR_WALL * cell + radius * slant)) return false;
    n->at   = shoal_d3_sub(at, shoal_d3_scale(n->way, off / lean));
    n->out  = out;
    n->lean = lean;
    return true;
}

// --- a step

// The volume due from one time to another. A stream that ends with a step does not begin the next by rounding.
static double due_in(const paper* s, int emitter, double from, double until) {
    const shoal_emitter* e       = &s->ctx->description->emitters[emitter];
    double               seconds = fmin(until, e->until) - fmax(from, e->from);
    return seconds > 1e-6 * (until - from) ? seconds * s->openings[emitter].section * speed_of(e) : 0.0;
}

static shoal_box shape_box(const paper* s, int emitter) {
    const paper_nozzle* n   = &s->nozzles[emitter];
    shoal_box           own = shoal_shape_bounds(s->ctx->description->emitters[emitter].shape), box = shoal_box_empty();
    if (!(n->front > n->rear)) return box;
    shoal_d3 longer = shoal_d3_scale(n->way, n->longer);
    box             = shoal_box_with(shoal_box_with(own, shoal_d3_add(own.min, longer)), shoal_d3_add(own.max, longer));
    return shoal_box_grown(box, 0.5 * s->step);
}

// A shape fills from its rear on, at the speed of its stream.
static void lay_shape(paper* s, int emitter, double t, double dt) {
    const shoal_emitter* e       = &s->ctx->description->emitters[emitter];
    const paper_opening* opening = &s->openings[emitter];
    const shoal_set*     set     = s->ctx->sets[PAPER_EMITTERS];
    paper_nozzle*        n       = &s->nozzles[emitter];
    shoal_tet_tap*       tap     = &s->taps[emitter];
    double               owed = ((const double*)shoal_set_data(set, "due"))[emitter], speed = speed_of(e), end = t + dt;
    n->way            = opening->way;
    s->boxes[emitter] = shoal_box_empty();
    if (!(n->due > 0.0)) return;
    paper_rear behind = paper_find_rear(s, emitter);
    double     open = behind.open, closed = behind.closed;
    n->due *= open;
    n->next *= open;
    double least =
        closed > 0.0 ? SOURCE_LENGTH * s->step + fmax(speed * dt, s->step) : fmax(speed * dt, NOZZLE_LENGTH * s->step);
    bool has_come = owed < (1.0 - 1e-9) * open * opening->section * speed * (t - e->from);
    n->longer     = fmax(0.0, least - opening->mean);
    n->copies     = (int)ceil(n->longer / fmax(opening->mean, 0.25 * s->step));
    n->rear       = speed * fmax(0.0, end - e->until);
    n->at         = behind.rear;
    n->front      = speed * (end - e->from) + (has_come ? owed / opening->section : 0.0);
    if (closed >= open) n->front = fmin(n->front, least);
    if (2.0 * behind.wet > open) n->front = fmax(n->front, opening->longest + n->longer);
    n->is_first  = !has_come;
    bool is_last = closed >= open && has_come && !(n->next > 0.0);
    if (n->front < SLAB_LEAST * 0.5 * s->step || !(open > 0.0) || is_last) n->front = 0.0;
    s->boxes[emitter] = paper_region_box(s, shape_box(s, emitter));
    if (!(closed > 0.0) || !(n->front > 0.0)) return;
    n->pace      = 1.0;
    n->source    = fmin(SOURCE_LENGTH * s->step, n->front);
    tap->rate    = closed / open * (has_come ? 1.0 : FIRST_SOURCE) * n->next / dt;
    tap->owed    = owed + n->due - tap->flowing * dt;
    tap->opening = SHAPE_OPENING * opening->section;
}

static void lay_nozzle(paper* s, int emitter, double t, double dt) {
    const shoal_emitter* e   = &s->ctx->description->emitters[emitter];
    paper_nozzle*        n   = &s->nozzles[emitter];
    const shoal_set*     set = s->ctx->sets[PAPER_EMITTERS];
    const double *       due = shoal_set_data(set, "due"), *pace = shoal_set_data(set, "pace"),
                 *source = shoal_set_data(set, "source");
    double speed = speed_of(e), end = t + dt, cell = 0.5 * s->step;
    *n = (paper_nozzle){.pace = 1.0, .lean = 1.0};
    s->taps[emitter] =
        (shoal_tet_tap){.scale = e->kind == SHOAL_EMIT_RAIN ? paper_drop_scale() : 1.0, .flowing = source[emitter]};
    if (e->key_count > 0) n->pose = shoal_motion_at(e->keys, e->key_count, end);
    n->due  = due_in(s, emitter, t, end);
    n->next = due_in(s, emitter, end, end + dt);
    n->pace = 1.0 + pace[emitter];
    if (is_shaped(s, emitter)) lay_shape(s, emitter, t, dt);
    if (e->kind != SHOAL_EMIT_DISC) return;
    shoal_d3 along             = shoal_d3_scale(shoal_d3_from(e->velocity), 1.0 / speed);
    n->at                      = e->key_count > 0 ? shoal_motion_place(&n->pose, e->at) : e->at;
    n->way                     = e->key_count > 0 ? shoal_quat_rotate(n->pose.rotation, along) : along;
    n->out                     = n->way;
    n->radius                  = laid_radius(s, e->radius * sqrt(fmin(1.0, n->pace / PACE_FULL)));
    double area                = s->openings[emitter].section;
    s->taps[emitter].place     = shoal_d3_add(n->at, shoal_d3_scale(n->way, 0.5 * s->step));
    s->taps[emitter].has_place = true;
    if (!(n->due > 0.0)) return;
    double length = fmax(speed * dt, NOZZLE_LENGTH * s->step), owed = due[emitter] + n->due - source[emitter] * dt;
    n->front          = length;
    bool is_at_wall   = is_on_wall(s, n, e->radius);
    n->is_under_water = is_under_water(s, n, e->radius, length);
    if (n->is_under_water) {
        s->taps[emitter].rate    = n->next / dt;
        s->taps[emitter].owed    = owed;
        s->taps[emitter].opening = area;
        return;
    }
    if (is_at_wall) {
        n->pace   = 1.0;
        n->radius = laid_radius(s, e->radius);
        length    = SOURCE_LENGTH * s->step + fmax(speed * dt, s->step);
    }
    bool has_come = due[emitter] < (1.0 - 1e-9) * area * speed * (t - e->from);
    n->rear       = speed * fmax(0.0, end - e->until);
    n->front      = fmin(length, speed * (end - e->from) + (has_come ? due[emitter] / area : 0.0));
    bool is_last  = is_at_wall && has_come && !(n->next > 0.0); // the source of the step before has brought the rest
    if (n->front < SLAB_LEAST * cell || is_last) n->front = 0.0;
    n->is_first = !has_come;
    // what is measured by the nodes of cells that its side passes through is more than what is seen
    double seen = e->radius * sqrt(fmin(1.0, n->pace / PACE_FULL)), length_seen = n->front;
    if (!has_come && n->front > 0.0) n->front += RIMS * cell * cell / fmax(e->radius, cell);
    s->taps[emitter].scale = seen * seen / (n->radius * n->radius + cell * cell / 12.0);
    if (n->front > 0.0) s->taps[emitter].scale *= length_seen / n->front;
    if (!is_at_wall || !(n->front > 0.0)) return;
    n->source = fmin(SOURCE_LENGTH * s->step, n->front);
    n->rear -= WITHIN_WALL * cell / n->lean;
    s->taps[emitter].rate    = (has_come ? 1.0 : FIRST_SOURCE) * n->next / dt;
    s->taps[emitter].owed    = owed;
    s->taps[emitter].opening = area;
}

// The nozzle, all of it, however long it is in a step.
static shoal_box nozzle_box(const paper* s, int emitter) {
    const paper_nozzle* n   = &s->nozzles[emitter];
    shoal_box           box = shoal_box_empty();
    if (!(n->front > n->rear)) return box;
    box = shoal_box_with(box, shoal_d3_add(n->at, shoal_d3_scale(n->way, n->rear)));
    box = shoal_box_with(box, shoal_d3_add(n->at, shoal_d3_scale(n->way, n->front)));
    return shoal_box_grown(box, n->radius / n->lean);
}

// Places on its surface, no farther apart than cells.
static shoal_status seed_nozzle(paper* s, int emitter) {
    const paper_nozzle* n      = &s->nozzles[emitter];
    double              radius = n->radius, cell = 0.5 * s->step;
    if (!(n->front > n->rear)) return SHOAL_OK;
    shoal_d3 side = fabs(n->way.x) < 0.6 ? shoal_d3_make(1.0, 0.0, 0.0) : shoal_d3_make(0.0, 1.0, 0.0);
    side          = shoal_d3_cross(n->way, side);
    side          = shoal_d3_scale(side, 1.0 / shoal_d3_length(side));
    shoal_d3 up   = shoal_d3_cross(n->way, side);
    int      rows = (int)ceil((n->front - n->rear) / cell), rings = (int)ceil(radius / cell);
    for (int row = 0; row <= rows; row++) {
        double ahead = n->rear + (n->front - n->rear) * row / rows;
        for (int ring = row == 0 || row == rows ? 0 : rings; ring <= rings; ring++) {
            double off    = radius * ring / rings;
            int    places = (int)ceil(2.0 * SHOAL_PI * off / cell) + 1;
            for (int k = 0; k < places; k++) {
                double   turn = 2.0 * SHOAL_PI * k / places;
                shoal_d3 out = shoal_d3_add(shoal_d3_scale(side, off * cos(turn)), shoal_d3_scale(up, off * sin(turn)));
                double   on  = ahead - shoal_d3_dot(out, n->out) / n->lean;
                SHOAL_TRY(paper_add_seed(s, shoal_d3_add(shoal_d3_add(n->at, out), shoal_d3_scale(n->way, on))));
            }
        }
    }
    return SHOAL_OK;
}

shoal_status paper_open_taps(paper* s, double t, double dt) {
    const shoal_description* d = s->ctx->description;
    for (int k = 0; k < d->emitter_count; k++) {
        lay_nozzle(s, k, t, dt);
        if (d->emitters[k].kind != SHOAL_EMIT_DISC) continue;
        s->boxes[k] = paper_region_box(s, nozzle_box(s, k));
        SHOAL_TRY(seed_nozzle(s, k));
    }
    return SHOAL_OK;
}

// Takes the volume that arrived off the volume due; where it was more or less, the nozzle takes another pace.
static void set_pace(const paper* s, int emitter) {
    const paper_nozzle* n   = &s->nozzles[emitter];
    double *            due = shoal_set_data(s->ctx->sets[PAPER_EMITTERS], "due"),
           *pace            = shoal_set_data(s->ctx->sets[PAPER_EMITTERS], "pace");
    double came = s->taps[emitter].brought, most = MADE_UP_MOST * n->due;
    if (!(n->due > 0.0) || s->taps[emitter].is_shut) return;
    due[emitter] += n->due - came;
    due[emitter] = fmax(-OWED_MOST * n->due, fmin(OWED_MOST * n->due, due[emitter]));
    // the first of a nozzle that is laid under water is more than is due, and not taken back but for a step
    if (n->is_under_water) due[emitter] = fmax(-n->due, due[emitter]);
    if (n->is_first || n->source > 0.0 || n->is_under_water) return; // it had pushed nothing yet, or a source does
    double owed   = fmax(-most, fmin(most, MADE_UP * due[emitter]));
    double change = PACE_GAIN * (n->due + owed - came) / n->due;
    change        = fmax(-PACE_CHANGE, fmin(PACE_CHANGE, change));
    pace[emitter] = fmax(PACE_LEAST, fmin(PACE_MOST, 1.0 + pace[emitter] + change)) - 1.0;
}

typedef struct emitter_view {
    PAPER_EMITTER_FIELDS(SHOAL_FIELD_MEMBER)
} emitter_view;
static emitter_view emitters_of(const paper* s) {
    const shoal_set* set = s->ctx->sets[PAPER_EMITTERS];
    emitter_view     view, *v = &view;
    PAPER_EMITTER_FIELDS(SHOAL_FIELD_BIND)
    return view;
}

// What a stream has given of what it should have, at its end, if that is in this call. One that had no room has been
// reported.
static void report_fraction(paper* s, int emitter, bool is_over) {
    const shoal_description* d   = s->ctx->description;
    const shoal_emitter*     e   = &d->emitters[emitter];
    emitter_view             v   = emitters_of(s);
    double                   due = v.wanted[emitter], given = v.given[emitter];
    double                   end = fmin(e->until, d->frames / d->fps), least = s->openings[emitter].section * s->step;
    bool has_ended = s->until > s->from && s->from < end - 1e-9 && (is_over || s->until >= end - 1e-9);
    if (!(due > 0.0) || !has_ended || s->is_given_reported[emitter] || s->is_shut_reported[emitter]) return;
    s->is_given_reported[emitter] = 1;
    if (given >= GIVEN_LEAST * due || due - given < least) return;
    shoal_log(
        SHOAL_LOG_WARNING,
        "emitters.%d has given %.0f %% of what was due from t = %.4g s to %.4g s: a wall or an obstacle is in its "
        "way",
        emitter, 100.0 * given / due, fmax(0.0, e->from), fmin(end, s->until));
}

void paper_report_given(paper* s, bool is_over) {
    for (int k = 0; k < s->ctx->description->emitter_count; k++)
        if (s->openings[k].section > 0.0) report_fraction(s, k, is_over);
}

// For as long as its stream takes through a nozzle: the first of it may find no tetrahedron yet.
static bool has_been_shut(const paper* s, int emitter) {
    double seconds = NOZZLE_LENGTH * s->step / speed_of(&s->ctx->description->emitters[emitter]);
    return s->taps[emitter].is_shut && emitters_of(s).shut[emitter] >= seconds;
}

void paper_close_taps(paper* s) {
    emitter_view v = emitters_of(s);
    for (int k = 0; k < s->ctx->description->emitter_count; k++) {
        if (!(s->openings[k].section > 0.0)) continue;
        v.source[k] = s->taps[k].sent;
        set_pace(s, k);
        v.wanted[k] += due_in(s, k, s->from, s->until);
        v.given[k] += s->taps[k].brought;
        if (s->taps[k].is_shut) v.shut[k] += s->until - s->from;
        if (s->is_shut_reported[k] || !has_been_shut(s, k)) continue;
        s->is_shut_reported[k] = 1;
        shoal_log(SHOAL_LOG_WARNING,
                  "emitters.%d sends nothing at t = %.4g s: the space around it is closed and full, without air that "
                  "could give way",
                  k, s->until);
    }
}

// Liquid without air cannot give way to solids: what they take of its room vanishes, and what they leave is filled.
void paper_report_pressed(paper* s, double dt) {
    double  volume  = shoal_tet_current(&s->liquid)->surface_volume;
    double* pressed = paper_once_of(s).pressed;
    *pressed += s->liquid.projection.surplus * dt;
    if (s->is_pressed_reported || fabs(*pressed) <= PRESSED_MOST * volume) return;
    s->is_pressed_reported = true;
    shoal_log(
        SHOAL_LOG_WARNING,
        "by t = %.4g s obstacles that move have %s %.3g m^3 of room %s liquid that is closed in and full, without "
        "air that could give way: so much of it %s, as volume_m3 in stats.csv tells",
        s->until, *pressed > 0.0 ? "taken" : "left", fabs(*pressed), *pressed > 0.0 ? "from" : "to",
        *pressed > 0.0 ? "vanishes" : "comes of nothing");
}
