// SPDX-License-Identifier: MIT
// SPH water: the boundary samples of a substep.
#include <string.h>

#include "fluid/boundary_pass.h"
#include "fluid/water_local.h"

#define X(name) SHOAL_LOOP(name##_loop, shoal_boundary_view, shoal_boundary_##name)
SHOAL_BOUNDARY_PASSES(X)
#undef X
#define X(name) name##_loop,
static const shoal_loop loops[SHOAL_BOUNDARY_PASS_COUNT] = {SHOAL_BOUNDARY_PASSES(X)};
#undef X
const shoal_passes shoal_boundary_passes = {.block     = 4096,
                                            .loops     = {{[SHOAL_ISA_PLAIN] = loops}},
                                            .name      = "boundary",
                                            .view_size = sizeof(shoal_boundary_view)};

// Of a wall (-1 and below) or a collider.
static const shoal_roughness* roughness_of(const shoal_water* w, int body) {
    const shoal_world* world = w->solids.world;
    return &(body < 0 ? world->rough[-1 - body] : world->colliders[body].rough)[w->kind];
}

bool shoal_water_is_smooth(const shoal_water* w, int body) {
    if (!w->params.boundary_layer) return false;
    return roughness_of(w, body)->is_smooth;
}

void shoal_water_bind_samples(shoal_water* w) {
    shoal_set*         set  = w->boundary_set;
    const shoal_exec*  exec = &w->ctx->exec;
    shoal_sample_view* v    = &w->view.sample;
    SHOAL_SAMPLE_FIELDS(SHOAL_FIELD_BIND_TO)
}

void shoal_boundary_free(shoal_boundary* s) {
    shoal_far_free(s->device, s->place);
    shoal_far_free(s->device, s->velocity);
    shoal_far_free(s->device, s->volume);
    shoal_far_free(s->device, s->body);
    shoal_far_free(s->device, s->upto);
    shoal_far_free(s->device, s->found);
    shoal_far_free(s->device, s->from);
    shoal_far_release(&s->far_bodies);
    shoal_free(s->bodies);
    *s = (shoal_boundary){0};
}

// Made of the solids as they stand at the start of the run, whenever that is done: a run that goes on from a saved
// state has the samples of one that never stopped.
static shoal_status make_samples(shoal_water* w) {
    const shoal_exec here = {.threads = w->ctx->exec.threads};
    double           d = w->spacing, h = (double)w->params.support * d;
    shoal_world*     start = NULL;
    shoal_solids     then  = w->solids;
    if (w->samples_h == w->view.h && w->is_sampled == !w->mirrors) return SHOAL_OK;
    shoal_samples_free(&w->samples);
    w->samples_h        = 0.0f;
    w->boundary.is_sent = false;
    SHOAL_TRY(shoal_world_create(w->ctx->description, &start));
    then.world          = start;
    shoal_status status = shoal_samples_make(&w->samples, &here, &then, d, h, shoal_cubic);
    shoal_world_destroy(start);
    if (status != SHOAL_OK) return status;
    w->boundary_factor = shoal_samples_factor(d, h, shoal_cubic);
    w->samples_h       = w->view.h;
    w->is_sampled      = !w->mirrors;
    return SHOAL_OK;
}

static shoal_status reserve(shoal_water* w, int count) {
    shoal_boundary* s      = &w->boundary;
    shoal_device*   device = w->ctx->exec.device;
    if (!s->bodies) {
        s->bodies = shoal_alloc((size_t)(SHOAL_WALL_COUNT + w->solids.world->collider_count), sizeof *s->bodies);
        if (!s->bodies) return SHOAL_ERR_MEMORY;
    }
    s->device = device;
    if (count <= s->capacity) return SHOAL_OK;
    size_t capacity = (size_t)count + (size_t)count / 4;
    s->capacity     = 0;
    s->is_sent      = false;
    SHOAL_TRY(shoal_far_realloc(device, (void**)&s->upto, 0, capacity, sizeof *s->upto));
    SHOAL_TRY(shoal_far_realloc(device, (void**)&s->found, 0, capacity, sizeof *s->found));
    SHOAL_TRY(shoal_far_realloc(device, (void**)&s->from, 0, capacity, sizeof *s->from));
    if (device) {
        SHOAL_TRY(shoal_far_realloc(device, (void**)&s->place, 0, capacity, sizeof *s->place));
        SHOAL_TRY(shoal_far_realloc(device, (void**)&s->velocity, 0, capacity, sizeof *s->velocity));
        SHOAL_TRY(shoal_far_realloc(device, (void**)&s->volume, 0, capacity, sizeof *s->volume));
        SHOAL_TRY(shoal_far_realloc(device, (void**)&s->body, 0, capacity, sizeof *s->body));
    }
    s->capacity = (int)capacity;
    return SHOAL_OK;
}

static void send(shoal_device* device, void* far, const void* near, int first, int end, size_t size) {
    if (end > first)
        device->send(device, (char*)far + (size_t)first * size, (const char*)near + (size_t)first * size,
                     (size_t)(end - first) * size);
}

// Where passes see the samples: those that stand still are sent once.
static void show_samples(shoal_water* w, shoal_boundary_view* v) {
    const shoal_samples* from   = &w->samples;
    shoal_boundary*      s      = &w->boundary;
    shoal_device*        device = w->ctx->exec.device;
    v->place                    = from->place;
    v->velocity                 = from->velocity;
    v->volume                   = from->volume;
    v->body                     = from->body;
    if (!device) return;
    int first = s->is_sent ? from->still_count : 0;
    send(device, s->place, from->place, first, from->count, sizeof *s->place);
    send(device, s->velocity, from->velocity, first, from->count, sizeof *s->velocity);
    send(device, s->volume, from->volume, first, from->count, sizeof *s->volume);
    send(device, s->body, from->body, first, from->count, sizeof *s->body);
    s->is_sent  = true;
    v->place    = s->place;
    v->velocity = s->velocity;
    v->volume   = s->volume;
    v->body     = s->body;
}

// How each solid rubs, and whether any does, or sticks, drags or moves.
static void survey_solids(shoal_water* w, shoal_boundary_view* v) {
    const shoal_world* world         = w->solids.world;
    bool               wall_friction = w->immersed.count > 0;
    int                all           = SHOAL_WALL_COUNT + world->collider_count;
    for (int k = 0; k < all; k++) {
        int                    collider = k - SHOAL_WALL_COUNT, body = collider < 0 ? -1 - k : collider;
        const shoal_roughness* rough = roughness_of(w, body);
        w->boundary.bodies[k]        = (shoal_boundary_body){rough->is_sticky ? -1.0f : rough->friction,
                                                      shoal_water_is_smooth(w, body) ? 1.0f : 0.0f};
        wall_friction = wall_friction || rough->is_sticky || rough->friction != 0.0f ||
                        w->boundary.bodies[k].layer > 0.0f || (collider >= 0 && world->colliders[collider].moves);
    }
    w->view.has_wall_drag = wall_friction;
    v->bodies             = shoal_far_copy(&w->boundary.far_bodies, w->ctx->exec.device, w->boundary.bodies,
                                           (size_t)all * sizeof *w->boundary.bodies);
}

static void run(const shoal_water* w, int pass, const shoal_boundary_view* v, int count) {
    shoal_pass_run(&w->ctx->exec, SHOAL_ISA_PLAIN, &shoal_boundary_passes, pass, v, count);
}

// The samples in reach of a particle's cell, sorted, in their set. They move with their colliders; the world stands at
// the end of the substep already, and they are put to its begin, where particles are, and so are the others.
shoal_status shoal_water_find_boundary(shoal_water* w) {
    const shoal_exec* exec = &w->ctx->exec;
    SHOAL_TRY(make_samples(w));
    shoal_samples_move(&w->samples, exec, w->solids.world, (double)w->view.dt);
    SHOAL_TRY(reserve(w, w->samples.count + w->immersed.count));
    shoal_boundary_view v = {.frame        = w->frame,
                             .count        = w->samples.count + w->immersed.count,
                             .sample_count = w->samples.count,
                             .immersed     = w->immersed,
                             .factor       = w->boundary_factor,
                             .cell         = w->lattice.volume,
                             .dt           = w->view.dt,
                             .upto         = w->boundary.upto,
                             .found        = w->boundary.found,
                             .from         = w->boundary.from};
    show_samples(w, &v);
    survey_solids(w, &v);
    run(w, SHOAL_BOUNDARY_reach, &v, v.count);
    v.found_count = (int)shoal_pass_scan(exec, v.upto, v.count); // each is known by its number among them
    run(w, SHOAL_BOUNDARY_take, &v, v.count);
    SHOAL_TRY(shoal_device_check(exec->device));
    SHOAL_TRY(shoal_cells_sort(&w->boundary_cells, exec, &w->frame, v.found, v.found_count));
    SHOAL_TRY(shoal_set_rebuild(w->boundary_set, v.found_count));
    shoal_water_bind_samples(w);
    v.order = w->boundary_cells.order;
    v.to    = w->view.sample;
    run(w, SHOAL_BOUNDARY_show, &v, v.found_count + 1);
    return shoal_device_check(exec->device);
}
