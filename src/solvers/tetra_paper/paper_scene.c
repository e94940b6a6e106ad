// SPDX-License-Identifier: MIT
// What the scene says, as the mesher and the tracked surface ask for it: solids, bodies, forces, and where liquid comes
// and goes. Rain falls in drops that the surface can hold; streams are in paper_taps.c.
#include "solvers/tetra_paper/paper_local.h"

#include "base/hash.h"
#include "state/reach.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// Radius of a drop of rain, in cells of the tracked surface: smaller ones are lost between its nodes.
#define DROP_RADIUS 2.0
// A ball as it is seen has less volume than its distances say, as a stream has (paper_taps.c), by a sixth of a cell for
// each cell of its radius: by so much a drop is laid larger.
#define LAID_DROP (1.0 + 1.0 / (6.0 * DROP_RADIUS * DROP_RADIUS))
// What is beside the edge of a region is asked for, too, in cells.
#define BESIDE 2.0

enum { RAIN_TRIES = 8, OWED_DROPS = 8 };

// --- solids

// How far a place is from a box, squared.
static double off_box2(shoal_box box, shoal_d3 at) {
    double sum = 0.0;
    for (int a = 0; a < 3; a++) {
        double x = shoal_d3_axis(at, a), below = shoal_d3_axis(box.min, a) - x, above = x - shoal_d3_axis(box.max, a);
        double off = below > above ? below : above;
        if (off > 0.0) sum += off * off;
    }
    return sum;
}

// Whether a box is at least so far away; hardly ever is a root needed to tell.
#define SURELY (1.0 + 1e-12)
static bool is_box_beyond(shoal_box box, shoal_d3 at, double off) {
    double square = off_box2(box, at);
    return off <= 0.0 || square > SURELY * off * off || sqrt(square) >= off;
}

// The nearest of the closed walls; the first of equals; -1: there is none.
static int nearest_wall(const shoal_world* world, shoal_d3 at, double* best) {
    const shoal_d3 low = world->domain.min, high = world->domain.max;
    const double   off[SHOAL_WALL_COUNT] = {at.x - low.x,  high.x - at.x, at.y - low.y,
                                            high.y - at.y, at.z - low.z,  high.z - at.z};
    int            wall                  = -1;
    for (int w = 0; w < SHOAL_WALL_COUNT; w++)
        if (world->is_closed[w] && off[w] < *best) *best = off[w], wall = w;
    return wall;
}

// Of all closed walls and obstacles the nearest; the first of equals.
static double off_solids(void* ctx, shoal_d3 at, shoal_tet_wall* wall) {
    const shoal_world* world = ctx;
    double             best  = 1e30;
    int                w     = nearest_wall(world, at, &best);
    if (wall) *wall = (shoal_tet_wall){.is_sticky = false};
    if (wall && w >= 0) {
        const shoal_roughness* rough = &world->rough[w][SHOAL_LIQUID];
        *wall                        = (shoal_tet_wall){.friction = rough->friction, .is_sticky = rough->is_sticky};
        shoal_v3_set_axis(&wall->normal, w / 2, w % 2 ? -1.0f : 1.0f);
    }
    for (int c = 0; c < world->collider_count; c++) {
        const shoal_collider* collider = &world->colliders[c];
        shoal_d3              normal;
        if (is_box_beyond(collider->bounds, at, best)) continue;
        double off = shoal_collider_distance(collider, at, wall ? &normal : NULL);
        if (!(off < best)) continue;
        best = off;
        if (wall)
            *wall = (shoal_tet_wall){.normal    = shoal_v3_from(normal),
                                     .velocity  = shoal_v3_from(shoal_collider_velocity(collider, at)),
                                     .friction  = collider->rough[SHOAL_LIQUID].friction,
                                     .is_sticky = collider->rough[SHOAL_LIQUID].is_sticky};
    }
    return best;
}

shoal_tet_solids paper_solids(paper* s, double t, double dt) {
    bool have_moved     = false;
    s->world->obstacles = s->ctx->world->obstacles; // as callers may have moved them
    for (int c = 0; c < s->world->collider_count; c++) {
        const shoal_obstacle* o = &s->world->obstacles[c];
        have_moved |= s->world->colliders[c].moves && o->keys[0].t < t && o->keys[o->key_count - 1].t > t - dt;
    }
    shoal_world_move(s->world, t, dt);
    return (shoal_tet_solids){s->world, off_solids, have_moved};
}

// What a solid may change by as if it had not, in cells of the surface and by angle, in a step.
#define CHANGE_LEAST 1e-4
#define TURN_LEAST 1e-6
const shoal_tet_solids* paper_solids_before(paper* s, double t, double dt) {
    const double* pose        = shoal_set_data(s->ctx->sets[PAPER_SOLIDS], "pose");
    double        cell        = 0.5 * s->step;
    bool          has_changed = false;
    if (s->world->collider_count == 0) return NULL;
    memcpy(s->colliders_before, s->world->colliders, (size_t)s->world->collider_count * sizeof *s->colliders_before);
    s->world_before           = *s->world;
    s->world_before.colliders = s->colliders_before;
    s->world_before.obstacles = s->ctx->world->obstacles; // as callers may have moved them
    shoal_world_move(&s->world_before, t + dt, dt);
    for (int c = 0; c < s->world->collider_count; c++) {
        shoal_collider* collider = &s->colliders_before[c];
        shoal_d3        linear = collider->linear, angular = collider->angular;
        if (!collider->moves) continue;
        shoal_collider_read(collider, pose + (size_t)SHOAL_COLLIDER_NUMBERS * (size_t)c);
        has_changed |= shoal_d3_length(shoal_d3_sub(linear, collider->linear)) * dt > CHANGE_LEAST * cell ||
                       shoal_d3_length(shoal_d3_sub(angular, collider->angular)) * dt > TURN_LEAST;
        collider->linear  = linear;
        collider->angular = angular;
    }
    s->solids_before = (shoal_tet_solids){&s->world_before, off_solids, true};
    return has_changed ? &s->solids_before : NULL;
}

// How far a place is past the end of the kept zone beyond open walls; negative: it is kept.
static double beyond_extent(const paper* s, shoal_d3 at) {
    double most = -1e30;
    for (int w = 0; w < SHOAL_WALL_COUNT; w++)
        if (!s->world->is_closed[w])
            most = fmax(most, w % 2 ? shoal_d3_axis(at, w / 2) - shoal_d3_axis(s->extent.max, w / 2)
                                    : shoal_d3_axis(s->extent.min, w / 2) - shoal_d3_axis(at, w / 2));
    return most;
}

// --- bodies

static void off_bodies(void* ctx, const shoal_d3* at, int count, double* value) {
    const paper*             s = ctx;
    const shoal_description* d = s->ctx->description;
    for (int i = 0; i < count; i++) {
        value[i] = 1e30;
        for (int b = 0; b < d->body_count; b++) {
            const shoal_shape* shape  = d->bodies[b].shape;
            bool               is_off = !shoal_box_holds(shoal_shape_bounds(shape), at[i]);
            if (value[i] > 0.0 || !is_off) value[i] = fmin(value[i], shoal_shape_distance(shape, at[i]));
        }
        value[i] = fmax(value[i], beyond_extent(s, at[i])); // they may reach far past an open wall
    }
}

// That of the body which the place is deepest in.
static shoal_d3 first_velocity(void* ctx, shoal_d3 at, shoal_d3 velocity) {
    const shoal_description* d    = ((const paper*)ctx)->ctx->description;
    double                   best = (double)INFINITY;
    for (int b = 0; b < d->body_count; b++) {
        const shoal_body* body = &d->bodies[b];
        double            off  = shoal_shape_distance(body->shape, at);
        if (!(off < best)) continue;
        shoal_box box    = shoal_shape_bounds(body->shape);
        shoal_d3  centre = shoal_d3_scale(shoal_d3_add(box.min, box.max), 0.5);
        best             = off;
        velocity         = shoal_d3_add(shoal_d3_from(body->velocity),
                                        shoal_d3_cross(shoal_d3_from(body->spin), shoal_d3_sub(at, centre)));
    }
    return velocity;
}

// What of the bodies is there at the start. They are cut off at solids and may overlap, so places in them are asked,
// one in each of so many parts of their boxes.
#define BEGUN_LEAST 0.05 // of their volume; if more is missing, or too much, the run says so
enum { BEGUN_PARTS = 110000, BEGUN_PARTS_LEAST = 10, BEGUN_HITS = 50 };

typedef struct begun {
    int    tried, due, held; // places; those that should be in the liquid, and are
    double volume;           // m^3, of all that were tried
} begun;

static begun try_body(const paper* s, const shoal_tet_solids* solids, int body) {
    const shoal_description* d     = s->ctx->description;
    const shoal_band*        band  = &shoal_tet_current(&s->liquid)->band;
    shoal_box                box   = shoal_box_common(shoal_shape_bounds(d->bodies[body].shape), s->extent);
    begun                    sum   = {0};
    int                      parts = (int)fmax(BEGUN_PARTS_LEAST, cbrt((double)BEGUN_PARTS / d->body_count)), drawn = 0;
    if (shoal_box_is_empty(box)) return sum;
    shoal_d3 size = shoal_d3_sub(box.max, box.min);
    sum.volume    = size.x * size.y * size.z;
    for (sum.tried = 0; sum.tried < parts * parts * parts; sum.tried++) {
        int    part[3] = {sum.tried % parts, sum.tried / parts % parts, sum.tried / parts / parts};
        double in[3];
        for (int a = 0; a < 3; a++) in[a] = (part[a] + shoal_random(0, (uint64_t)body, (uint64_t)drawn++)) / parts;
        shoal_d3 at = shoal_d3_add(box.min, shoal_d3_make(in[0] * size.x, in[1] * size.y, in[2] * size.z));
        if (shoal_shape_distance(d->bodies[body].shape, at) >= 0.0 || beyond_extent(s, at) > 0.0 ||
            solids->distance(solids->ctx, at, NULL) <= 0.0)
            continue;
        sum.due++;
        sum.held += shoal_band_distance(band, at) < 0.0;
    }
    return sum;
}

// A surface tracked too coarsely for the bodies has less than they are, or none, and that volume is kept then.
static void report_begun(const paper* s, const shoal_tet_solids* solids) {
    double due = 0.0, hits = 0.0, has = shoal_tet_current(&s->liquid)->surface_volume;
    bool   is_reported = false;
    for (int b = 0; b < s->ctx->description->body_count; b++) {
        begun  sum = try_body(s, solids, b);
        double own = sum.volume * sum.due / fmax(sum.tried, 1.0);
        due += own, hits += sum.due;
        if (sum.due < BEGUN_HITS || sum.held > 0) continue;
        is_reported = true;
        shoal_log(SHOAL_LOG_WARNING,
                  "bodies.%d: of its %.3g m^3 none is there at the start: it is too thin for a surface tracked in "
                  "cells of %.3g m (half of tetra-paper.cell); a smaller cell or spacing shows it",
                  b, own, 0.5 * s->step);
    }
    if (is_reported || hits < BEGUN_HITS || fabs(has - due) <= (BEGUN_LEAST + 1.0 / sqrt(hits)) * due) return;
    shoal_log(SHOAL_LOG_WARNING,
              "at the start there are %.3g m^3 of liquid, where the bodies are %.3g m^3 (%+.0f %%), and that is kept: "
              "they are too thin for a surface tracked in cells of %.3g m (half of tetra-paper.cell); a "
              "smaller cell or spacing comes nearer",
              has, due, 100.0 * (has / due - 1.0), 0.5 * s->step);
}

shoal_status paper_begin_bodies(paper* s, const shoal_tet_solids* solids) {
    shoal_tet_drive drive = {.ctx = s, .accelerate = first_velocity};
    SHOAL_TRY(shoal_tet_liquid_begin(&s->liquid, s->extent, s->step, off_bodies, s, solids, &s->ctx->exec));
    SHOAL_TRY(shoal_tet_liquid_start(&s->liquid, &drive, (double)s->params.tolerance, &s->ctx->exec));
    report_begun(s, solids);
    return SHOAL_OK;
}

// --- where liquid comes and goes

static bool is_open(const paper* s, const shoal_emitter* e) { return e->from < s->until && e->until > s->from; }

static double emit_and_drain(void* ctx, shoal_d3 at, double distance) {
    const paper*             s = ctx;
    const shoal_description* d = s->ctx->description;
    for (int e = 0; e < d->emitter_count; e++)
        if (is_open(s, &d->emitters[e])) distance = fmin(distance, paper_off_emitter(s, e, at));
    for (int k = 0; k < s->drop_count; k++)
        distance = fmin(distance, shoal_d3_length(shoal_d3_sub(at, s->drops[k].at)) - s->drops[k].radius);
    for (int k = 0; k < d->sink_count; k++) distance = fmax(distance, -shoal_shape_distance(d->sinks[k].shape, at));
    return fmax(distance, beyond_extent(s, at));
}

// The fraction of an edge of a tetrahedron around a place that is inside, nearly: so that what has fallen out of a
// region that is kept full has the momentum that its weight has given it. (With a half it had 1.08 of it.)
static double filled(const paper* s, double distance) { return fmin(1.0, fmax(0.0, 0.45 - distance / s->step)); }

// What of the liquid around a place was just added: what is inside there and has come from where none was. (Within a
// region that is kept full the surface is the same before and after, however much has fallen away between.)
static double fraction_new(const paper* s, shoal_d3 at, shoal_d3 velocity) {
    const shoal_band *last = &s->liquid.states[1 - s->liquid.current].band, *now = &shoal_tet_current(&s->liquid)->band;
    shoal_d3          from = shoal_d3_sub(at, shoal_d3_scale(velocity, s->until - s->from));
    double            here = filled(s, shoal_band_distance(now, at)), came = filled(s, shoal_band_distance(last, from));
    return here > came ? 1.0 - came / here : 0.0;
}

// Gravity and forces; what is in a nozzle has its stream's velocity, and what was just added elsewhere is at rest.
static shoal_d3 accelerate(void* ctx, shoal_d3 at, shoal_d3 velocity) {
    const paper*             s       = ctx;
    const shoal_description* d       = s->ctx->description;
    shoal_v3                 gain    = shoal_forces_gain(d, s->material, shoal_v3_from(at), s->from, s->until);
    shoal_d3                 carried = velocity;
    velocity                         = shoal_d3_add(velocity, shoal_d3_scale(d->gravity, s->until - s->from));
    velocity                         = shoal_d3_add(velocity, shoal_d3_from(gain));
    for (int e = 0; e < d->emitter_count; e++) {
        const shoal_emitter* emitter = &d->emitters[e];
        if (!is_open(s, emitter) || s->taps[e].is_shut || paper_off_emitter(s, e, at) > 0.0) continue;
        if (shoal_v3_length(emitter->velocity) > 0.0f)
            velocity = paper_stream_velocity(s, e, at);
        else
            velocity = shoal_d3_scale(velocity, 1.0 - fraction_new(s, at, carried));
    }
    for (int k = 0; k < s->drop_count; k++)
        if (shoal_d3_length(shoal_d3_sub(at, s->drops[k].at)) < s->drops[k].radius)
            velocity = shoal_d3_from(s->drops[k].velocity);
    return velocity;
}

shoal_status paper_add_seed(paper* s, shoal_d3 at) {
    if (s->seed_count == s->seed_capacity) {
        SHOAL_TRY(shoal_realloc((void**)&s->seeds, (size_t)s->seed_count, (size_t)(2 * s->seed_capacity + 64),
                                sizeof *s->seeds));
        s->seed_capacity = 2 * s->seed_capacity + 64;
    }
    s->seeds[s->seed_count++] = at;
    return SHOAL_OK;
}

// Whether a drop at a place would be whole: off the liquid, the solids and the drops that fall with it.
static bool is_free(const paper* s, shoal_d3 at, double radius) {
    if (shoal_band_distance(&shoal_tet_current(&s->liquid)->band, at) < radius) return false;
    for (int k = 0; k < s->drop_count; k++)
        if (shoal_d3_length(shoal_d3_sub(at, s->drops[k].at)) < radius + s->drops[k].radius) return false;
    return off_solids(s->world, at, NULL) >= radius;
}

// A drop, and places on its surface: all six, since a sink may cut off some.
static shoal_status add_drop(paper* s, paper_drop drop) {
    if (s->drop_count == s->drop_capacity) {
        SHOAL_TRY(shoal_realloc((void**)&s->drops, (size_t)s->drop_count, (size_t)(2 * s->drop_capacity + 16),
                                sizeof *s->drops));
        s->drop_capacity = 2 * s->drop_capacity + 16;
    }
    s->drops[s->drop_count++] = drop;
    for (int k = 0; k < 6; k++) {
        double way = k % 2 ? drop.radius : -drop.radius;
        SHOAL_TRY(paper_add_seed(s, shoal_d3_add(drop.at, shoal_d3_make(k / 2 == 0 ? way : 0.0, k / 2 == 1 ? way : 0.0,
                                                                        k / 2 == 2 ? way : 0.0))));
    }
    return SHOAL_OK;
}

// The volume of a drop over what nodes measure: a ball that is cut at its side in each cell, as filled() of
// tet/liquid_exchange.c does, has as much more as a quarter of a cell's area has to the square of its radius.
double paper_drop_scale(void) {
    double r = DROP_RADIUS, laid = LAID_DROP * DROP_RADIUS;
    return r * r * r / (laid * (laid * laid + 0.25));
}

// Drops that are due, at random places that are free, whole ones only: the first at once, so that what has fallen is
// ahead of what should have by a drop at most. What finds no place within a step is made up for later, but no more of
// it than a few drops.
shoal_status paper_let_rain(paper* s, double t, double dt) {
    const shoal_description* d = s->ctx->description;
    double * due = shoal_set_data(s->ctx->sets[PAPER_EMITTERS], "due"), radius = DROP_RADIUS * 0.5 * s->step;
    double   laid   = radius * LAID_DROP;
    int64_t* drawn  = shoal_set_data(s->ctx->sets[PAPER_EMITTERS], "drawn");
    double   volume = 4.0 / 3.0 * SHOAL_PI * radius * radius * radius;
    s->drop_count   = 0;
    for (int e = 0; e < d->emitter_count; e++) {
        const shoal_emitter* rain = &d->emitters[e];
        double               wet  = fmin(t + dt, rain->until) - fmax(t, rain->from);
        if (rain->kind != SHOAL_EMIT_RAIN || !(wet > 0.0)) continue;
        shoal_box box = shoal_rain_box(&s->world->domain, rain);
        due[e] += rain->rate * wet * d->spacing * d->spacing * d->spacing;
        for (int tries = 0; due[e] > 0.0 && tries < RAIN_TRIES && !shoal_box_is_empty(box); tries++) {
            double fraction[3];
            for (int a = 0; a < 3; a++) fraction[a] = shoal_random(d->seed, (uint64_t)e, (uint64_t)drawn[e]++);
            shoal_d3 size = shoal_d3_sub(box.max, box.min),
                     at   = shoal_d3_add(box.min,
                                         shoal_d3_make(fraction[0] * size.x, fraction[1] * size.y, fraction[2] * size.z));
            if (!is_free(s, at, laid)) continue;
            SHOAL_TRY(add_drop(s, (paper_drop){at, laid, rain->velocity}));
            due[e] -= volume;
            tries = 0;
        }
        due[e] = fmin(due[e], OWED_DROPS * volume);
    }
    return SHOAL_OK;
}

// --- places, once

shoal_box paper_region_box(const paper* s, shoal_box box) {
    if (shoal_box_is_empty(box)) return box;
    return shoal_box_common(shoal_box_grown(box, BESIDE * 0.5 * s->step), shoal_box_grown(s->extent, 5.0 * s->step));
}

static void add_box(paper* s, shoal_box box) { s->boxes[s->box_count++] = paper_region_box(s, box); }

static void off_region(void* ctx, const shoal_d3* at, int count, double* value) {
    const shoal_shape* shape = ctx;
    for (int i = 0; i < count; i++) value[i] = shoal_shape_distance(shape, at[i]);
}

// The middles of octants on the surface of a shape that is kept full.
static shoal_status add_region(paper* s, const shoal_shape* shape) {
    const shoal_octree* frame    = &s->liquid.states[0].work.tree;
    shoal_octree        near     = {.origin = frame->origin, .step = frame->step, .levels = frame->levels};
    uint64_t*           keys     = NULL;
    int                 capacity = 0, count = 0;
    void*               ctx = (void*)(uintptr_t)shape;
    shoal_status status     = shoal_octree_near(&near, off_region, ctx, 2.0, &s->ctx->exec, &keys, &capacity, &count);
    for (int k = 0; k < count && status == SHOAL_OK; k++) {
        int at[3];
        shoal_morton_split(keys[k], at);
        status = paper_add_seed(s, shoal_octree_middle(&near, 0, at));
    }
    shoal_free(keys);
    shoal_octree_free(&near);
    SHOAL_TRY(status);
    add_box(s, shoal_shape_bounds(shape));
    return SHOAL_OK;
}

static shoal_status add_emitter(paper* s, int k) {
    const shoal_emitter* e = &s->ctx->description->emitters[k];
    SHOAL_TRY(paper_lay_stream(s, k));
    if (e->kind == SHOAL_EMIT_SHAPE) return add_region(s, e->shape);
    if (e->kind == SHOAL_EMIT_RAIN)
        add_box(s, shoal_box_grown(shoal_rain_box(&s->world->domain, e), 1.25 * DROP_RADIUS * 0.5 * s->step));
    else
        add_box(s, shoal_box_empty()); // that of a nozzle is of a step
    return e->kind == SHOAL_EMIT_DISC ? shoal_disc_check(e, s->ctx->description->spacing) : SHOAL_OK;
}

static shoal_status add_regions(paper* s) {
    const shoal_description* d = s->ctx->description;
    for (int e = 0; e < d->emitter_count; e++) SHOAL_TRY(add_emitter(s, e));
    s->emitter_seeds = s->seed_count;
    for (int k = 0; k < d->sink_count; k++) add_box(s, shoal_shape_bounds(d->sinks[k].shape));
    for (int w = 0; w < SHOAL_WALL_COUNT; w++) {
        shoal_box box = shoal_box_grown(s->extent, 5.0 * s->step);
        double    end = shoal_d3_axis(w % 2 ? s->extent.max : s->extent.min, w / 2);
        shoal_d3* cut = w % 2 ? &box.min : &box.max;
        if (s->world->is_closed[w]) continue;
        (w / 2 == 0 ? &cut->x : w / 2 == 1 ? &cut->y : &cut->z)[0] = end;
        add_box(s, box);
    }
    return SHOAL_OK;
}

// One box and one tap for each emitter, then one box for each sink and open wall.
static shoal_status reserve_places(paper* s) {
    const shoal_description* d    = s->ctx->description;
    size_t                   taps = (size_t)d->emitter_count + 1;
    s->boxes                      = shoal_alloc(taps + (size_t)d->sink_count + SHOAL_WALL_COUNT, sizeof *s->boxes);
    s->openings                   = shoal_alloc(taps, sizeof *s->openings);
    s->nozzles                    = shoal_alloc(taps, sizeof *s->nozzles);
    s->taps                       = shoal_alloc(taps, sizeof *s->taps);
    s->is_shut_reported           = shoal_alloc(taps, sizeof *s->is_shut_reported);
    s->is_given_reported          = shoal_alloc(taps, sizeof *s->is_given_reported);
    return s->boxes && s->openings && s->nozzles && s->taps && s->is_shut_reported && s->is_given_reported
               ? SHOAL_OK
               : SHOAL_ERR_MEMORY;
}

static double off_sink(void* ctx, shoal_d3 at) { return shoal_shape_distance(ctx, at); }

// A sink has a surface only where there is liquid. What comes there in a step brings its own, found from where it was.
static shoal_status seed_sinks(paper* s) {
    const shoal_description* d   = s->ctx->description;
    const shoal_tet_state*   now = shoal_tet_current(&s->liquid);
    s->seed_count                = s->emitter_seeds;
    for (int sink = 0; sink < d->sink_count; sink++) {
        shoal_tet_near near = {(void*)(uintptr_t)d->sinks[sink].shape, off_sink, 2.0, now->band.grid.cell};
        SHOAL_TRY(shoal_tet_wet_octants(&s->liquid, now, &near, &s->ctx->exec, &s->sink_octants));
        for (int k = 0; k < s->sink_octants.count; k++) {
            int at[3];
            shoal_morton_split(s->sink_octants.keys[k], at);
            shoal_d3 middle = shoal_octree_middle(&now->work.tree, 0, at);
            if (fabs(off_sink(near.ctx, middle)) < s->step) SHOAL_TRY(paper_add_seed(s, middle));
        }
    }
    return SHOAL_OK;
}

static shoal_box with_box(shoal_box a, shoal_box b) {
    return shoal_box_is_empty(b) ? a : shoal_box_with(shoal_box_with(a, b.min), b.max);
}

// Where liquid is kept: within the domain, and as far beyond its open walls as particles are; without one as far as the
// lattice goes, whatever moves it and for however long.
static shoal_box extent_of(const shoal_description* d, double step) {
    shoal_box box = shoal_box_empty();
    if (d->domain.is_given) return shoal_domain_extent(&d->domain);
    for (int b = 0; b < d->body_count; b++) box = with_box(box, shoal_shape_bounds(d->bodies[b].shape));
    for (int e = 0; e < d->emitter_count; e++) box = with_box(box, shoal_emitter_box(&d->emitters[e]));
    if (shoal_box_is_empty(box)) box = shoal_box_with(box, shoal_d3_make(0.0, 0.0, 0.0));
    return shoal_box_grown(box, PAPER_REACH * step);
}

shoal_box paper_wet_box(const paper* s) {
    const shoal_sparse* grid = &shoal_tet_current(&s->liquid)->band.grid;
    shoal_box           box  = shoal_box_empty();
    double              edge = SHOAL_SPARSE_EDGE * grid->cell;
    for (int b = 0; b < grid->block_count; b++) {
        shoal_d3 corner = shoal_sparse_corner(grid, b);
        box             = shoal_box_with(box, corner);
        box             = shoal_box_with(box, shoal_d3_add(corner, shoal_d3_make(edge, edge, edge)));
    }
    return shoal_box_is_empty(box) ? box : shoal_box_common(box, s->extent);
}

void paper_count_lost(paper* s) {
    paper_once once = paper_once_of(s);
    if (s->liquid.lost > 0.0 && !(*once.past_end > 0.0)) *once.past_end_since = s->until;
    *once.past_end += s->liquid.lost;
}

shoal_status paper_lay(paper* s) {
    s->extent = extent_of(s->ctx->description, s->step);
    SHOAL_TRY(shoal_tet_liquid_frame(&s->liquid, s->extent, s->step));
    for (int k = 0; k < 2; k++) shoal_band_use(&s->liquid.states[k].band, s->ctx->isa);
    SHOAL_TRY(reserve_places(s));
    return add_regions(s);
}

// Past the end of the lattice, which no domain stands for, and not in a sink.
static bool is_lost(void* ctx, shoal_d3 at) { return beyond_extent(ctx, at) >= emit_and_drain(ctx, at, -1e30); }

static bool is_in_tap(void* ctx, int tap, shoal_d3 at) { return paper_is_in_tap(ctx, tap, at); }

shoal_status paper_drive(paper* s, double t, double dt, shoal_tet_drive* out) {
    s->from  = t;
    s->until = t + dt;
    SHOAL_TRY(seed_sinks(s));
    SHOAL_TRY(paper_let_rain(s, t, dt));
    SHOAL_TRY(paper_open_taps(s, t, dt));
    *out = (shoal_tet_drive){.ctx            = s,
                             .accelerate     = accelerate,
                             .emit_and_drain = s->box_count > 0 ? emit_and_drain : NULL,
                             .boxes          = s->boxes,
                             .box_count      = s->box_count,
                             .seeds          = s->seeds,
                             .seed_count     = s->seed_count,
                             .taps           = s->taps,
                             .tap_count      = s->ctx->description->emitter_count,
                             .is_lost        = s->world->domain.is_given ? NULL : is_lost,
                             .is_in_tap      = is_in_tap};
    return SHOAL_OK;
}

// --- what cannot be done

static const shoal_material* used_material(const shoal_description* d, int k) {
    return &d->materials[k < d->body_count ? d->bodies[k].material : d->emitters[k - d->body_count].material];
}

// To three digits, and no less.
static double rounded_up(double x) {
    double unit = pow(10.0, floor(log10(x)) - 2.0);
    return ceil(x / unit * (1.0 - 1e-9)) * unit;
}

// The lattice has an end; without a domain what liquid may fly takes a part of it that is of no spacing.
static void refuse_size(const shoal_description* d, char* buffer, size_t size) {
    double    step   = (double)((const paper_params*)d->solver_params)->cell * d->spacing;
    double    flight = d->domain.is_given ? 0.0 : 2.0 * PAPER_REACH, most = (1 << SHOAL_OCTREE_LEVELS) - 10.0 - flight;
    shoal_box box   = extent_of(d, step);
    shoal_d3  edge  = shoal_d3_sub(box.max, box.min);
    double    cells = ceil(fmax(edge.x, fmax(edge.y, edge.z)) / step - flight);
    if (cells > most)
        shoal_add_line(
            buffer, size,
            "the scene is %.0f cells of %g m long%s, where tetra-paper takes at most %.0f; make the spacing at "
            "least %.3g m",
            cells, step, d->domain.is_given ? ", open walls with a domain length beyond them" : "", most,
            rounded_up(d->spacing * cells / most));
}

bool paper_refuses(const shoal_description* d, char* buffer, size_t size) {
    for (int w = 0; w < SHOAL_WALL_COUNT && d->domain.is_given; w++)
        if (d->domain.walls[w].kind == SHOAL_WALL_PERIODIC) {
            shoal_add_line(
                buffer, size,
                "domain.walls: a tetrahedral mesh does not go on across periodic walls; close or open them, or take "
                "pbf, sph or flip");
            break;
        }
    for (int e = 0; e < d->emitter_count; e++)
        if (d->emitters[e].key_count > 0 && d->emitters[e].kind != SHOAL_EMIT_DISC) {
            shoal_add_line(
                buffer, size,
                "emitters.%d: moves and is a shape; of taps that move tetra-paper takes discs: take one, or pbf, "
                "sph or flip",
                e);
            break;
        }
    for (int k = 1; k < d->body_count + d->emitter_count; k++)
        if (used_material(d, k) != used_material(d, 0)) {
            shoal_add_line(buffer, size,
                           "%s.%d: %s beside %s; tetra-paper takes one liquid, with one surface to the air; of the "
                           "solvers pbf, sph and "
                           "flip take several",
                           k < d->body_count ? "bodies" : "emitters", k < d->body_count ? k : k - d->body_count,
                           used_material(d, k)->name, used_material(d, 0)->name);
            break;
        }
    refuse_size(d, buffer, size);
    return buffer[0] != '\0';
}
