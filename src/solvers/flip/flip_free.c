// SPDX-License-Identifier: MIT
// Bodies that touch no solid keep their momentum. Pressure and friction act on cells, particles take what they do by how many of
// them are around a face: at surfaces and where they are unevenly spread that is not the same, and a collision would leave a
// percent of its impulse behind. What a free body has gained that way, it gives back as a whole: a common velocity changes neither
// its volume nor its shape. A body is what hangs together on the grid, liquid and sand alike.
#include <math.h>

#include "mac/mac_sample.h"
#include "solvers/flip/flip_local.h"

void flip_bodies_free(flip_bodies* b) {
    shoal_free(b->root);
    shoal_free(b->bodies);
    *b = (flip_bodies){0};
}

// ---------------------------------------------------------------------------------- which cells hang together

static shoal_status reserve(flip_bodies* b, int samples) {
    if (samples <= b->capacity) return SHOAL_OK;
    shoal_free(b->root);
    b->capacity = 0;
    b->root     = shoal_alloc((size_t)samples + (size_t)samples / 4, sizeof *b->root);
    if (!b->root) return SHOAL_ERR_MEMORY;
    b->capacity = samples + samples / 4;
    return SHOAL_OK;
}

static shoal_status reserve_body(flip_bodies* b) {
    if (b->count < b->body_capacity) return SHOAL_OK;
    int room = b->body_capacity + b->body_capacity / 2 + 64;
    SHOAL_TRY(shoal_realloc((void**)&b->bodies, (size_t)b->count, (size_t)room, sizeof *b->bodies));
    b->body_capacity = room;
    return SHOAL_OK;
}

static int root_of(int* root, int at) {
    while (root[at] != at) at = root[at] = root[root[at]];
    return at;
}

static void join(int* root, int a, int b) {
    int first = root_of(root, a), second = root_of(root, b);
    root[first > second ? first : second] = first < second ? first : second;
}

static void begin_block(void* ctx, shoal_mac* m, int block, int worker) {
    (void)worker;
    int* root = ctx;
    for (int at = SHOAL_MAC_SAMPLES * block; at < SHOAL_MAC_SAMPLES * (block + 1); at++) root[at] = m->density[at] > 0.0f ? at : -1;
}

static void join_cells(int* root, const shoal_mac* m, int from) {
    for (int at = 0; at < SHOAL_MAC_SAMPLES * m->block_count; at++) {
        if (root[from + at] < 0) continue;
        for (int axis = 0; axis < 3; axis++) {
            int next = shoal_mac_beside(m, at, axis, 1);
            if (next >= 0 && root[from + next] >= 0) join(root, from + at, from + next);
        }
    }
}

// Where cells of two grids are one place: the second's cell, -1: there is none.
static int shared_cell(const flip* s, const int* root, int at, int from) {
    int block = s->mixture.to_sand[at >> 9], there = from + (block << 9) + (at & 511);
    return block >= 0 && root[at] != -1 && root[there] != -1 ? there : -1;
}

static void join_grids(const flip* s, int* root, int from) {
    for (int at = 0; at < from; at++) {
        int there = shared_cell(s, root, at, from);
        if (there >= 0) join(root, at, there);
    }
}

static bool is_at_solid(const shoal_mac* m, int at) {
    if (!m->has_solid[at >> 9]) return false;
    for (int axis = 0; axis < 3; axis++) {
        int next = shoal_mac_beside(m, at, axis, 1);
        if (m->open[axis][at] < 1.0f || (next >= 0 && m->open[axis][next] < 1.0f)) return true;
    }
    return false;
}

// Roots become numbers of bodies, -2 - number.
static shoal_status number_bodies(flip_bodies* b, int samples) {
    b->count = 0;
    for (int at = 0; at < samples; at++) {
        if (b->root[at] != at) continue;
        SHOAL_TRY(reserve_body(b));
        b->bodies[b->count] = (flip_body){0};
        b->root[at]         = -2 - b->count++;
    }
    return SHOAL_OK;
}

// The body that a cell with particles around belongs to.
static flip_body* body_of(const flip_bodies* b, int at) {
    while (b->root[at] >= 0) at = b->root[at];
    return &b->bodies[-2 - b->root[at]];
}

// ---------------------------------------------------------------------------------- what they have

static int cell_of(const shoal_mac* m, int block, shoal_v3 x) {
    mac_f4 g = mac_local(m, m->corner[block], x);
    return SHOAL_MAC_SAMPLES * block + shoal_mac_sample((int)g[0], (int)g[1], (int)g[2]);
}

// The particles of free bodies, one after another.
typedef void (*particle_fn)(const flip_phase* p, flip_body* body, int i);
static void each_free(flip* s, particle_fn fn) {
    int from = 0;
    for (int k = 0; k < s->phase_count; k++) {
        const flip_phase* p = &s->phases[k];
        if (p->count == 0) continue;
        for (int n = 0; n < p->mac.full_count; n++) {
            int block = p->mac.full[n];
            for (int i = p->mac.run[block][0]; i < p->mac.run[block][1]; i++) {
                flip_body* body = body_of(&s->bodies, from + cell_of(&p->mac, block, p->view.position[i]));
                if (!body->is_held) fn(p, body, i);
            }
        }
        from += SHOAL_MAC_SAMPLES * p->mac.block_count;
    }
}

static void add_before(const flip_phase* p, flip_body* body, int i) {
    double mass = (double)p->material->density;
    body->mass += mass;
    for (int axis = 0; axis < 3; axis++) body->gained[axis] -= mass * (double)shoal_v3_axis(p->view.velocity[i], axis);
}

static void add_after(const flip_phase* p, flip_body* body, int i) {
    for (int axis = 0; axis < 3; axis++) body->gained[axis] += (double)p->material->density * (double)shoal_v3_axis(p->view.velocity[i], axis);
}

static void give_back(const flip_phase* p, flip_body* body, int i) {
    shoal_v3* v = &p->view.velocity[i];
    *v          = shoal_v3_sub(*v, shoal_v3_make((float)body->gained[0], (float)body->gained[1], (float)body->gained[2]));
}

shoal_status flip_free_begin(flip* s) {
    flip_bodies* b = &s->bodies;
    int          from[FLIP_PHASES + 1] = {0};
    for (int k = 0; k < s->phase_count; k++) from[k + 1] = from[k] + (s->phases[k].count > 0 ? SHOAL_MAC_SAMPLES * s->phases[k].mac.block_count : 0);
    b->has_free = false;
    SHOAL_TRY(reserve(b, from[s->phase_count]));
    for (int k = 0; k < s->phase_count; k++) {
        if (s->phases[k].count == 0) continue;
        shoal_mac_each(&s->phases[k].mac, &s->ctx->exec, begin_block, b->root + from[k]);
        for (int at = from[k]; from[k] > 0 && at < from[k + 1]; at++) b->root[at] += b->root[at] >= 0 ? from[k] : 0;
    }
    for (int k = 0; k < s->phase_count; k++)
        if (s->phases[k].count > 0) join_cells(b->root, &s->phases[k].mac, from[k]);
    if (s->is_mixed) join_grids(s, b->root, from[1]);
    SHOAL_TRY(number_bodies(b, from[s->phase_count]));
    for (int k = 0; k < s->phase_count; k++)
        for (int at = 0; at < from[k + 1] - from[k]; at++)
            if (b->root[from[k] + at] != -1 && is_at_solid(&s->phases[k].mac, at)) body_of(b, from[k] + at)->is_held = true;
    // of two that do not act on each other alike nothing is kept
    for (int at = 0; s->is_mixed && s->params.coupling == FLIP_ONE_WAY && at < from[1]; at++)
        if (shared_cell(s, b->root, at, from[1]) >= 0) body_of(b, at)->is_held = true;
    for (int k = 0; k < b->count; k++) b->has_free = b->has_free || !b->bodies[k].is_held;
    if (b->has_free) each_free(s, add_before);
    return SHOAL_OK;
}

void flip_free_end(flip* s, double dt) {
    flip_bodies* b = &s->bodies;
    if (!b->has_free) return;
    each_free(s, add_after);
    for (int k = 0; k < b->count; k++)
        for (int axis = 0; axis < 3 && b->bodies[k].mass > 0.0; axis++)
            b->bodies[k].gained[axis] = b->bodies[k].gained[axis] / b->bodies[k].mass - dt * shoal_d3_axis(s->ctx->description->gravity, axis);
    each_free(s, give_back);
}
