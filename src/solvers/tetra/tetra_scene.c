// SPDX-License-Identifier: MIT
// What the scene says, as the mesher and the tracked surface ask for it: solids, bodies, forces, and where liquid comes
// and goes. A stream comes out of a nozzle, a cylinder behind its disc that is always full and moves with the stream's
// velocity; rain falls in drops that the surface can hold.
#include "solvers/tetra/tetra_local.h"

#include "base/hash.h"
#include "state/reach.h"

#include <math.h>
#include <stdio.h>

// Radius of a drop of rain, in cells of the tracked surface: smaller ones are lost between its nodes.
#define DROP_RADIUS 2.0
// Without a domain: how far liquid may fly, in steps, at most.
#define REACH_MOST 400.0
// What is beside the edge of a region is asked for, too, in cells.
#define BESIDE 2.0

enum { RAIN_TRIES = 8, OWED_DROPS = 8, RIM_PLACES = 8 };

// --- solids

static double off_wall(const shoal_world* world, int wall, shoal_d3 at) {
    int axis = wall / 2;
    return wall % 2 ? shoal_d3_axis(world->domain.max, axis) - shoal_d3_axis(at, axis)
                    : shoal_d3_axis(at, axis) - shoal_d3_axis(world->domain.min, axis);
}

static double off_box(shoal_box box, shoal_d3 at) {
    shoal_d3 d = {fmax(fmax(box.min.x - at.x, at.x - box.max.x), 0.0),
                  fmax(fmax(box.min.y - at.y, at.y - box.max.y), 0.0),
                  fmax(fmax(box.min.z - at.z, at.z - box.max.z), 0.0)};
    return shoal_d3_length(d);
}

// Of all closed walls and obstacles the nearest; the first of equals.
static double off_solids(void* ctx, shoal_d3 at, shoal_tet_wall* wall) {
    const shoal_world* world = ctx;
    double             best  = 1e30;
    if (wall) *wall = (shoal_tet_wall){.is_sticky = false};
    for (int w = 0; w < SHOAL_WALL_COUNT; w++) {
        double off = world->is_closed[w] ? off_wall(world, w, at) : best;
        if (!(off < best)) continue;
        best = off;
        if (!wall) continue;
        const shoal_roughness* rough = &world->rough[w][SHOAL_LIQUID];
        *wall                        = (shoal_tet_wall){.friction = rough->friction, .is_sticky = rough->is_sticky};
        shoal_v3_set_axis(&wall->normal, w / 2, w % 2 ? -1.0f : 1.0f);
    }
    for (int c = 0; c < world->collider_count; c++) {
        const shoal_collider* collider = &world->colliders[c];
        shoal_d3              normal;
        if (off_box(collider->bounds, at) >= best) continue;
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

shoal_tet_solids tetra_solids(tetra* s, double t, double dt) {
    bool have_moved     = false;
    s->world->obstacles = s->ctx->world->obstacles; // as callers may have moved them
    for (int c = 0; c < s->world->collider_count; c++) {
        const shoal_obstacle* o = &s->world->obstacles[c];
        have_moved |= s->world->colliders[c].moves && o->keys[0].t < t && o->keys[o->key_count - 1].t > t - dt;
    }
    shoal_world_move(s->world, t, dt);
    return (shoal_tet_solids){s->world, off_solids, have_moved};
}

// How far a place is past the end of the kept zone beyond open walls; negative: it is kept.
static double beyond_extent(const tetra* s, shoal_d3 at) {
    double most = -1e30;
    for (int w = 0; w < SHOAL_WALL_COUNT; w++)
        if (!s->world->is_closed[w])
            most = fmax(most, w % 2 ? shoal_d3_axis(at, w / 2) - shoal_d3_axis(s->extent.max, w / 2)
                                    : shoal_d3_axis(s->extent.min, w / 2) - shoal_d3_axis(at, w / 2));
    return most;
}

// --- bodies

static void off_bodies(void* ctx, const shoal_d3* at, int count, double* value) {
    const tetra*             s = ctx;
    const shoal_description* d = s->ctx->description;
    for (int i = 0; i < count; i++) {
        value[i] = 1e30;
        for (int b = 0; b < d->body_count; b++)
            value[i] = fmin(value[i], shoal_shape_distance(d->bodies[b].shape, at[i]));
        value[i] = fmax(value[i], beyond_extent(s, at[i])); // they may reach far past an open wall
    }
}

// That of the body which the place is deepest in.
static shoal_d3 first_velocity(void* ctx, shoal_d3 at, shoal_d3 velocity) {
    const shoal_description* d    = ((const tetra*)ctx)->ctx->description;
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

shoal_status tetra_begin_bodies(tetra* s, const shoal_tet_solids* solids) {
    shoal_tet_drive drive = {.ctx = s, .accelerate = first_velocity};
    SHOAL_TRY(shoal_tet_liquid_begin(&s->liquid, s->extent, s->step, off_bodies, s, solids, &s->ctx->exec));
    return shoal_tet_liquid_start(&s->liquid, &drive, (double)s->params.tolerance, &s->ctx->exec);
}

// --- where liquid comes and goes

// A nozzle reaches as far behind its disc as a stream comes in a step, and a step before it, so that there is some of
// it in front of a wall that the disc is on.
static double nozzle_length(const tetra* s, const shoal_emitter* e) {
    double speed = (double)shoal_v3_length(e->velocity), steps = fmax(1.0, (double)s->params.substeps);
    double way = s->params.substeps > 0 ? speed / (s->ctx->description->fps * steps) : (double)s->params.cfl * s->step;
    return way + s->step;
}

static double off_emitter(const tetra* s, const shoal_emitter* e, shoal_d3 at) {
    if (e->kind == SHOAL_EMIT_SHAPE) return shoal_shape_distance(e->shape, at);
    if (e->kind == SHOAL_EMIT_RAIN) return 1e30;
    shoal_d3 way = shoal_d3_from(e->velocity), to = shoal_d3_sub(at, e->at);
    way            = shoal_d3_scale(way, 1.0 / shoal_d3_length(way));
    double   ahead = shoal_d3_dot(to, way);
    shoal_d3 side  = shoal_d3_sub(to, shoal_d3_scale(way, ahead));
    return fmax(shoal_d3_length(side) - e->radius, fmax(ahead - s->step, -ahead - nozzle_length(s, e)));
}

static bool is_open(const tetra* s, const shoal_emitter* e) { return e->from < s->until && e->until > s->from; }

static double emit_and_drain(void* ctx, shoal_d3 at, double distance) {
    const tetra*             s = ctx;
    const shoal_description* d = s->ctx->description;
    for (int e = 0; e < d->emitter_count; e++)
        if (is_open(s, &d->emitters[e])) distance = fmin(distance, off_emitter(s, &d->emitters[e], at));
    for (int k = 0; k < s->drop_count; k++)
        distance = fmin(distance, shoal_d3_length(shoal_d3_sub(at, s->drops[k].at)) - s->drops[k].radius);
    for (int k = 0; k < d->sink_count; k++) distance = fmax(distance, -shoal_shape_distance(d->sinks[k].shape, at));
    return fmax(distance, beyond_extent(s, at));
}

// Gravity and forces; what is in a nozzle has its stream's velocity, and so has liquid that was just added.
static shoal_d3 accelerate(void* ctx, shoal_d3 at, shoal_d3 velocity) {
    const tetra*             s    = ctx;
    const shoal_description* d    = s->ctx->description;
    shoal_v3                 gain = shoal_forces_gain(d, s->material, shoal_v3_from(at), s->from, s->until);
    velocity                      = shoal_d3_add(velocity, shoal_d3_scale(d->gravity, s->until - s->from));
    velocity                      = shoal_d3_add(velocity, shoal_d3_from(gain));
    for (int e = 0; e < d->emitter_count; e++) {
        const shoal_emitter* emitter = &d->emitters[e];
        if (!is_open(s, emitter) || off_emitter(s, emitter, at) > 0.0) continue;
        bool is_new = shoal_band_distance(&s->liquid.states[1 - s->liquid.current].band, at) > 0.0;
        if (is_new || shoal_v3_length(emitter->velocity) > 0.0f) velocity = shoal_d3_from(emitter->velocity);
    }
    for (int k = 0; k < s->drop_count; k++)
        if (shoal_d3_length(shoal_d3_sub(at, s->drops[k].at)) < s->drops[k].radius)
            velocity = shoal_d3_from(s->drops[k].velocity);
    return velocity;
}

static shoal_status add_seed(tetra* s, shoal_d3 at) {
    if (s->seed_count == s->seed_capacity) {
        SHOAL_TRY(shoal_realloc((void**)&s->seeds, (size_t)s->seed_count, (size_t)(2 * s->seed_capacity + 64),
                                sizeof *s->seeds));
        s->seed_capacity = 2 * s->seed_capacity + 64;
    }
    s->seeds[s->seed_count++] = at;
    return SHOAL_OK;
}

// Whether a drop at a place would be whole: off the liquid, the solids and the drops that fall with it.
static bool is_free(const tetra* s, shoal_d3 at, double radius) {
    if (shoal_band_distance(&shoal_tet_current(&s->liquid)->band, at) < radius) return false;
    for (int k = 0; k < s->drop_count; k++)
        if (shoal_d3_length(shoal_d3_sub(at, s->drops[k].at)) < radius + s->drops[k].radius) return false;
    return off_solids(s->world, at, NULL) >= radius;
}

// A drop, and places on its surface: all six, since a sink may cut off some.
static shoal_status add_drop(tetra* s, tetra_drop drop) {
    if (s->drop_count == s->drop_capacity) {
        SHOAL_TRY(shoal_realloc((void**)&s->drops, (size_t)s->drop_count, (size_t)(2 * s->drop_capacity + 16),
                                sizeof *s->drops));
        s->drop_capacity = 2 * s->drop_capacity + 16;
    }
    s->drops[s->drop_count++] = drop;
    for (int k = 0; k < 6; k++) {
        double way = k % 2 ? drop.radius : -drop.radius;
        SHOAL_TRY(add_seed(s, shoal_d3_add(drop.at, shoal_d3_make(k / 2 == 0 ? way : 0.0, k / 2 == 1 ? way : 0.0,
                                                                  k / 2 == 2 ? way : 0.0))));
    }
    return SHOAL_OK;
}

// Drops that are due, at random places that are free, whole ones only: the first at once, so that what has fallen is
// ahead of what should have by a drop at most. What finds no place within a step is made up for later, but no more of
// it than a few drops.
shoal_status tetra_let_rain(tetra* s, double t, double dt) {
    const shoal_description* d = s->ctx->description;
    double * due = shoal_set_data(s->ctx->sets[TETRA_EMITTERS], "due"), radius = DROP_RADIUS * 0.5 * s->step;
    int64_t* drawn  = shoal_set_data(s->ctx->sets[TETRA_EMITTERS], "drawn");
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
            if (!is_free(s, at, radius)) continue;
            SHOAL_TRY(add_drop(s, (tetra_drop){at, radius, rain->velocity}));
            due[e] -= volume;
            tries = 0;
        }
        due[e] = fmin(due[e], OWED_DROPS * volume);
    }
    return SHOAL_OK;
}

// --- places, once

static shoal_status add_box(tetra* s, shoal_box box) {
    box = shoal_box_common(shoal_box_grown(box, BESIDE * 0.5 * s->step), shoal_box_grown(s->extent, 5.0 * s->step));
    if (shoal_box_is_empty(box)) return SHOAL_OK;
    if (s->box_count == s->box_capacity) {
        SHOAL_TRY(shoal_realloc((void**)&s->boxes, (size_t)s->box_count, (size_t)(2 * s->box_capacity + 16),
                                sizeof *s->boxes));
        s->box_capacity = 2 * s->box_capacity + 16;
    }
    s->boxes[s->box_count++] = box;
    return SHOAL_OK;
}

typedef struct region_job {
    const tetra*         s;
    const shoal_emitter* emitter; // or
    const shoal_shape*   sink;
} region_job;

static void off_region(void* ctx, const shoal_d3* at, int count, double* value) {
    const region_job* job = ctx;
    for (int i = 0; i < count; i++)
        value[i] = job->emitter ? off_emitter(job->s, job->emitter, at[i]) : shoal_shape_distance(job->sink, at[i]);
}

// The middles of octants on the surface of a region.
static shoal_status add_region(tetra* s, region_job job, shoal_box box) {
    const shoal_octree* frame    = &s->liquid.states[0].work.tree;
    shoal_octree        near     = {.origin = frame->origin, .step = frame->step, .levels = frame->levels};
    uint64_t*           keys     = NULL;
    int                 capacity = 0, count = 0;
    shoal_status status = shoal_octree_near(&near, off_region, &job, 2.0, &s->ctx->exec, &keys, &capacity, &count);
    for (int k = 0; k < count && status == SHOAL_OK; k++) {
        int    at[3];
        double off;
        shoal_morton_split(keys[k], at);
        shoal_d3 middle = shoal_octree_middle(&near, 0, at);
        off_region(&job, &middle, 1, &off);
        if (job.emitter || fabs(off) < near.step) status = add_seed(s, middle);
    }
    shoal_free(keys);
    shoal_octree_free(&near);
    SHOAL_TRY(status);
    return add_box(s, box);
}

static shoal_box nozzle_box(const tetra* s, const shoal_emitter* e) {
    shoal_d3  way = shoal_d3_from(e->velocity);
    shoal_box box = shoal_box_empty();
    way           = shoal_d3_scale(way, 1.0 / shoal_d3_length(way));
    box           = shoal_box_with(box, shoal_d3_add(e->at, shoal_d3_scale(way, s->step)));
    box           = shoal_box_with(box, shoal_d3_sub(e->at, shoal_d3_scale(way, nozzle_length(s, e))));
    return shoal_box_grown(box, e->radius);
}

static shoal_status add_regions(tetra* s) {
    const shoal_description* d = s->ctx->description;
    for (int e = 0; e < d->emitter_count; e++) {
        const shoal_emitter* emitter = &d->emitters[e];
        if (emitter->kind == SHOAL_EMIT_RAIN) {
            SHOAL_TRY(
                add_box(s, shoal_box_grown(shoal_rain_box(&s->world->domain, emitter), DROP_RADIUS * 0.5 * s->step)));
            continue;
        }
        if (emitter->kind == SHOAL_EMIT_DISC) SHOAL_TRY(shoal_disc_check(emitter, d->spacing));
        bool is_disc = emitter->kind == SHOAL_EMIT_DISC;
        SHOAL_TRY(add_region(s, (region_job){.s = s, .emitter = emitter},
                             is_disc ? nozzle_box(s, emitter) : shoal_shape_bounds(emitter->shape)));
    }
    s->emitter_box_count = s->box_count;
    s->emitter_seeds     = s->seed_count;
    for (int k = 0; k < d->sink_count; k++)
        SHOAL_TRY(
            add_region(s, (region_job){.s = s, .sink = d->sinks[k].shape}, shoal_shape_bounds(d->sinks[k].shape)));
    for (int w = 0; w < SHOAL_WALL_COUNT; w++) {
        shoal_box box = shoal_box_grown(s->extent, 5.0 * s->step);
        double    end = shoal_d3_axis(w % 2 ? s->extent.max : s->extent.min, w / 2);
        shoal_d3* cut = w % 2 ? &box.min : &box.max;
        if (s->world->is_closed[w]) continue;
        (w / 2 == 0 ? &cut->x : w / 2 == 1 ? &cut->y : &cut->z)[0] = end;
        SHOAL_TRY(add_box(s, box));
    }
    return SHOAL_OK;
}

// Those of sinks apart.
static shoal_status part_seeds(tetra* s) {
    s->sink_seed_count = s->seed_count - s->emitter_seeds;
    s->sink_seeds      = shoal_alloc((size_t)s->sink_seed_count + 1, sizeof *s->sink_seeds);
    if (!s->sink_seeds) return SHOAL_ERR_MEMORY;
    for (int k = 0; k < s->sink_seed_count; k++) s->sink_seeds[k] = s->seeds[s->emitter_seeds + k];
    s->seed_count = s->emitter_seeds;
    return SHOAL_OK;
}
// A sink has a surface only where there is liquid. What comes there in a step brings its own, found from where it was.
static shoal_status seed_sinks(tetra* s) {
    const shoal_band* band = &shoal_tet_current(&s->liquid)->band;
    s->seed_count          = s->emitter_seeds;
    for (int k = 0; k < s->sink_seed_count; k++)
        if (shoal_band_distance(band, s->sink_seeds[k]) < band->grid.cell) SHOAL_TRY(add_seed(s, s->sink_seeds[k]));
    return SHOAL_OK;
}

// Where liquid is kept: within the domain, and as far beyond its open walls as particles are; without one as far as
// bodies may fly.
static shoal_box extent_of(const shoal_description* d, double step) {
    shoal_box box   = shoal_box_empty();
    double    speed = 0.0, time = d->frames / d->fps;
    if (d->domain.is_given) return shoal_domain_extent(&d->domain);
    for (int b = 0; b < d->body_count; b++) {
        shoal_box own = shoal_shape_bounds(d->bodies[b].shape);
        speed         = fmax(speed, (double)shoal_v3_length(d->bodies[b].velocity));
        box           = shoal_box_with(shoal_box_with(box, own.min), own.max);
    }
    for (int e = 0; e < d->emitter_count; e++) {
        shoal_box own = shoal_emitter_box(&d->emitters[e]);
        speed         = fmax(speed, (double)shoal_v3_length(d->emitters[e].velocity));
        box           = shoal_box_with(shoal_box_with(box, own.min), own.max);
    }
    double way = speed * time + 0.5 * shoal_forces_most(d, 0.0, time) * time * time;
    return shoal_box_grown(box, fmin(way + 4.0 * step, REACH_MOST * step));
}

shoal_status tetra_lay(tetra* s) {
    s->extent = extent_of(s->ctx->description, s->step);
    SHOAL_TRY(shoal_tet_liquid_frame(&s->liquid, s->extent, s->step));
    for (int k = 0; k < 2; k++) s->liquid.states[k].band.isa = s->ctx->isa;
    SHOAL_TRY(add_regions(s));
    return part_seeds(s);
}

// --- taps under water
//
// A nozzle that is always full brings in what flows out of it into the air. Under water nothing flows out by itself:
// what the disc should send comes into being within it.

// Whether there is water all around a disc, so far before it: beside it where it is off the solids, if it is anywhere.
static bool is_rim_wet(const tetra* s, const shoal_emitter* e, double ahead) {
    const shoal_band* band = &shoal_tet_current(&s->liquid)->band;
    shoal_d3          way  = shoal_d3_from(e->velocity), side, up;
    int               open = 0;
    way                    = shoal_d3_scale(way, 1.0 / shoal_d3_length(way));
    side                   = fabs(way.x) < 0.6 ? shoal_d3_make(1.0, 0.0, 0.0) : shoal_d3_make(0.0, 1.0, 0.0);
    side                   = shoal_d3_cross(way, side);
    side                   = shoal_d3_scale(side, 1.0 / shoal_d3_length(side));
    up                     = shoal_d3_cross(way, side);
    shoal_d3 middle        = shoal_d3_add(e->at, shoal_d3_scale(way, ahead));
    for (int k = 0; k < RIM_PLACES; k++) {
        double   turn = 2.0 * SHOAL_PI * k / RIM_PLACES, reach = e->radius + s->step;
        shoal_d3 at = shoal_d3_add(
            middle, shoal_d3_add(shoal_d3_scale(side, reach * cos(turn)), shoal_d3_scale(up, reach * sin(turn))));
        bool is_open = s->solids.distance(s->solids.ctx, at, NULL) > 0.0;
        if (is_open && shoal_band_distance(band, at) >= 0.0) return false;
        open += is_open;
    }
    return open > 0;
}

// Whether a disc is under water, all of its mouth or some of the nozzle behind it: water would be drawn through that,
// as by a pump, in place of its own.
static bool is_under_water(const tetra* s, const shoal_emitter* e) {
    double   length = nozzle_length(s, e);
    shoal_d3 way    = shoal_d3_from(e->velocity);
    shoal_d3 before = shoal_d3_add(e->at, shoal_d3_scale(way, 2.0 * s->step / shoal_d3_length(way)));
    if (shoal_band_distance(&shoal_tet_current(&s->liquid)->band, before) < 0.0 && is_rim_wet(s, e, s->step))
        return true;
    for (double behind = s->step; behind < length + s->step; behind += s->step)
        if (is_rim_wet(s, e, -fmin(behind, length))) return true;
    return false;
}

static bool is_in_tap(void* ctx, int tap, shoal_d3 at) {
    const tetra* s = ctx;
    return off_emitter(s, &s->ctx->description->emitters[tap], at) < 0.0;
}

static shoal_status list_taps(tetra* s, double t, double dt) {
    const shoal_description* d = s->ctx->description;
    SHOAL_TRY(shoal_reserve((void**)&s->taps, &s->tap_capacity, d->emitter_count, sizeof *s->taps));
    for (int k = 0; k < d->emitter_count; k++) {
        const shoal_emitter* e        = &d->emitters[k];
        double               fraction = (fmin(t + dt, e->until) - fmax(t, e->from)) / dt;
        bool                 is_tap   = e->kind == SHOAL_EMIT_DISC && fraction > 0.0 && is_under_water(s, e);
        s->taps[k] = is_tap ? fraction * SHOAL_PI * e->radius * e->radius * (double)shoal_v3_length(e->velocity) : 0.0;
    }
    return SHOAL_OK;
}

shoal_status tetra_drive(tetra* s, double t, double dt, shoal_tet_drive* out) {
    s->from  = t;
    s->until = t + dt;
    SHOAL_TRY(seed_sinks(s));
    SHOAL_TRY(tetra_let_rain(s, t, dt));
    SHOAL_TRY(list_taps(s, t, dt));
    bool has_taps = false;
    for (int k = 0; k < s->ctx->description->emitter_count; k++) has_taps |= s->taps[k] > 0.0;
    *out = (shoal_tet_drive){.ctx               = s,
                             .accelerate        = accelerate,
                             .emit_and_drain    = s->box_count > 0 ? emit_and_drain : NULL,
                             .boxes             = s->boxes,
                             .box_count         = s->box_count,
                             .emitter_box_count = s->emitter_box_count,
                             .seeds             = s->seeds,
                             .seed_count        = s->seed_count,
                             .taps              = s->taps,
                             .tap_count         = has_taps ? s->ctx->description->emitter_count : 0,
                             .is_in_tap         = is_in_tap};
    return SHOAL_OK;
}

// --- what cannot be done

static const shoal_material* used_material(const shoal_description* d, int k) {
    return &d->materials[k < d->body_count ? d->bodies[k].material : d->emitters[k - d->body_count].material];
}

bool tetra_refuses(const shoal_description* d, char* buffer, size_t size) {
    for (int w = 0; w < SHOAL_WALL_COUNT && d->domain.is_given; w++)
        if (d->domain.walls[w].kind == SHOAL_WALL_PERIODIC) {
            shoal_add_line(
                buffer, size,
                "periodic walls: a tetrahedral mesh does not go on across them; close or open them, or take pbf, "
                "sph or flip");
            break;
        }
    for (int e = 0; e < d->emitter_count; e++)
        if (d->emitters[e].key_count > 0) {
            shoal_add_line(buffer, size, "emitters.%d moves: taps of tetra stand still; take pbf, sph or flip", e);
            break;
        }
    for (int k = 1; k < d->body_count + d->emitter_count; k++)
        if (used_material(d, k) != used_material(d, 0)) {
            shoal_add_line(
                buffer, size,
                "%s and %s: tetra takes one liquid, with one surface to the air; of the solvers pbf, sph and flip "
                "take several",
                used_material(d, 0)->name, used_material(d, k)->name);
            break;
        }
    double step = (double)((const tetra_params*)d->solver_params)->cell * d->spacing, most = 1 << SHOAL_OCTREE_LEVELS;
    shoal_box box   = extent_of(d, step);
    shoal_d3  edge  = shoal_d3_sub(box.max, box.min);
    double    cells = ceil(fmax(edge.x, fmax(edge.y, edge.z)) / step) + 10.0;
    if (cells > most)
        shoal_add_line(
            buffer, size,
            "the scene is %.0f cells of %g m long, where tetra takes at most %.0f, open walls with a domain length "
            "beyond them; make the spacing at least %.3g m",
            cells, step, most, d->spacing * cells / most);
    return buffer[0] != '\0';
}
