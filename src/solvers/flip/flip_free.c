// SPDX-License-Identifier: MIT
// Bodies that touch no solid keep their momentum. Pressure and friction act on cells, particles take what they do by
// how many of them are around a face: at surfaces and where they are unevenly spread that is not the same, and a
// collision would leave a percent of its impulse behind. What a free body has gained that way, it gives back as a
// whole: a common velocity changes neither its volume nor its shape. Nor does a common spin, by which it gets angular
// momentum back: a body that turns by theta in a substep would keep cos(theta) of it, since velocities do not turn with
// the particles that carry them, and what is viscous would stop, since each component diffuses by itself. A body is
// what hangs together on the grid, liquid and sand alike.
#include <math.h>

#include "mac/mac_sample.h"
#include "base/disjoint.h"
#include "solvers/flip/flip_local.h"

enum { CHUNK = 1024 }; // particles that are summed by themselves

void flip_bodies_free(flip_bodies* b) {
    shoal_free(b->near);
    shoal_free(b->held);
    shoal_free(b->root);
    shoal_free(b->bodies);
    shoal_free(b->owner);
    shoal_free(b->chunks);
    *b = (flip_bodies){0};
}

static shoal_status reserve(flip_bodies* b, int blocks) {
    if (blocks <= b->capacity) return SHOAL_OK;
    size_t n = (size_t)blocks + (size_t)blocks / 4 + 8;
    shoal_free(b->near);
    shoal_free(b->held);
    b->capacity = 0;
    b->near     = shoal_alloc(8 * n, sizeof *b->near);
    b->held     = shoal_alloc(8 * n, sizeof *b->held);
    if (!b->near || !b->held) return SHOAL_ERR_MEMORY;
    b->capacity = (int)n;
    return SHOAL_OK;
}

static shoal_status reserve_particles(flip_bodies* b, int count) {
    if (count <= b->particle_capacity) return SHOAL_OK;
    size_t n = (size_t)count + (size_t)count / 4 + 64;
    shoal_free(b->owner);
    shoal_free(b->chunks);
    b->particle_capacity = 0;
    b->owner             = shoal_alloc(n, sizeof *b->owner);
    b->chunks            = shoal_alloc(n / CHUNK + 1, sizeof *b->chunks);
    if (!b->owner || !b->chunks) return SHOAL_ERR_MEMORY;
    b->particle_capacity = (int)n;
    return SHOAL_OK;
}

static shoal_status reserve_body(flip_bodies* b) {
    if (b->count < b->body_capacity) return SHOAL_OK;
    int capacity = b->body_capacity + b->body_capacity / 2 + 64;
    SHOAL_TRY(shoal_realloc((void**)&b->bodies, (size_t)b->count, (size_t)capacity, sizeof *b->bodies));
    b->body_capacity = capacity;
    return SHOAL_OK;
}

// ---------------------------------------------------------------------------------- what solids hold

static bool is_at_solid(const shoal_mac* m, int at) {
    for (int axis = 0; axis < 3; axis++) {
        int next = shoal_mac_beside(m, at, axis, 1);
        if (m->open[axis][at] < 1.0f || (next >= 0 && m->open[axis][next] < 1.0f)) return true;
    }
    return false;
}

// The words of one grid among those of all.
typedef struct grid_words {
    uint64_t *near, *held;
} grid_words;

// Cells with particles around, and those of them at a solid.
static void visit_block(void* ctx, shoal_mac* m, int block, int worker) {
    (void)worker;
    const grid_words* w = ctx;
    for (int z = 0; z < 8; z++) {
        uint64_t near = 0, held = 0;
        for (int s = 0; s < 64; s++) {
            int at = SHOAL_MAC_SAMPLES * block + 64 * z + s;
            if (!(m->density[at] > 0.0f)) continue;
            near |= (uint64_t)1 << s;
            if (m->has_solid[block] && is_at_solid(m, at)) held |= (uint64_t)1 << s;
        }
        w->near[8 * block + z] = near;
        w->held[8 * block + z] = held;
    }
}

// What hangs together with a held cell is held. `twin` is the other grid's block at the same place, or -1.
static bool spread_block(const shoal_mac* m, const grid_words* own, int block, const uint64_t* other, int twin) {
    uint64_t *held = own->held + 8 * block, all = 0;
    for (int z = 0; z < 8; z++) all |= own->near[8 * block + z] & ~held[z];
    for (bool is_more = all != 0, has_spread = false;; has_spread = true) {
        uint64_t add[8] = {0};
        for (int n = 0; is_more && n < 6; n++) {
            uint64_t beside[8];
            shoal_mac_shift(m, own->held, block, n / 2, n % 2 == 0 ? -1 : 1, beside);
            for (int z = 0; z < 8; z++) add[z] |= beside[z];
        }
        is_more = false;
        for (int z = 0; z < 8; z++) {
            if (twin >= 0) add[z] |= other[8 * twin + z];
            add[z] &= own->near[8 * block + z] & ~held[z];
            held[z] |= add[z];
            is_more = is_more || add[z] != 0;
        }
        if (!is_more) return has_spread;
    }
}

// Of two that do not act on each other alike nothing is kept.
static void hold_shared(flip* s, const grid_words words[FLIP_PHASES]) {
    for (int block = 0; block < s->phases[0].mac.block_count; block++)
        for (int z = 0, twin = s->mixture.to_sand[block]; twin >= 0 && z < 8; z++)
            words[0].held[8 * block + z] |= words[0].near[8 * block + z] & words[1].near[8 * twin + z];
}

static void spread(flip* s, const grid_words words[FLIP_PHASES]) {
    for (bool is_more = true, is_back = false; is_more; is_back = !is_back) {
        is_more = false;
        for (int k = 0; k < s->phase_count; k++) {
            const shoal_mac* m    = &s->phases[k].mac;
            const int*       twin = !s->is_mixed ? NULL : k == 0 ? s->mixture.to_sand : s->mixture.to_liquid;
            int              n    = s->phases[k].count > 0 ? m->block_count : 0;
            for (int i = 0; i < n; i++) {
                int block = is_back ? n - 1 - i : i;
                if (spread_block(m, &words[k], block, words[1 - k].held, twin ? twin[block] : -1)) is_more = true;
            }
        }
    }
}

// ---------------------------------------------------------------------------------- which cells hang together

// The free cells of a grid that are joined, with a body that sees `at`, a sample of the grid.
#define FREE_CELLS(words, m, at)                                                                                       \
    for (int block = 0; block < (m)->block_count; block++)                                                             \
        for (int z = 0; z < 8; z++)                                                                                    \
            for (uint64_t left_ = (words)->near[8 * block + z] & ~(words)->held[8 * block + z]; left_;                 \
                 left_ &= left_ - 1)                                                                                   \
                for (int at = SHOAL_MAC_SAMPLES * block + 64 * z + __builtin_ctzll(left_), once_ = 1; once_; once_ = 0)

static bool is_free(const grid_words* w, int at) { return shoal_mac_has(w->near, at) && !shoal_mac_has(w->held, at); }

static void join_cells(int* root, const shoal_mac* m, const grid_words* w, int from) {
    FREE_CELLS(w, m, at)
    for (int axis = 0; axis < 3; axis++) {
        int next = shoal_mac_beside(m, at, axis, 1);
        if (next >= 0 && is_free(w, next)) shoal_disjoint_join(root, from + at, from + next);
    }
}

// Where cells of two grids are one place.
static void join_grids(const flip* s, int* root, const grid_words words[FLIP_PHASES], int from) {
    FREE_CELLS(&words[0], &s->phases[0].mac, at) {
        int twin = s->mixture.to_sand[block], there = SHOAL_MAC_SAMPLES * twin + (at & 511);
        if (twin >= 0 && is_free(&words[1], there)) shoal_disjoint_join(root, at, from + there);
    }
}

// ---------------------------------------------------------------------------------- what they have

// The body that a free cell belongs to.
static int body_of(const flip_bodies* b, int at) {
    while (b->root[at] >= 0) at = b->root[at];
    return -1 - b->root[at];
}

static int cell_of(const shoal_mac* m, int block, shoal_v3 x) {
    mac_f4 g = mac_local(m, m->corner[block], x);
    return SHOAL_MAC_SAMPLES * block + shoal_mac_sample((int)g[0], (int)g[1], (int)g[2]);
}

static bool has_free(const uint64_t* near, const uint64_t* held, int words) {
    uint64_t any = 0;
    for (int k = 0; k < words; k++) any |= near[k] & ~held[k];
    return any != 0;
}

typedef struct own_job {
    flip*             s;
    const flip_phase* p;
    grid_words        words;
    int               from; // first sample of the grid among those of all
} own_job;

static void own_block(void* ctx, shoal_mac* m, int block, int worker) {
    (void)worker;
    const own_job* o    = ctx;
    bool           some = has_free(o->words.near + 8 * block, o->words.held + 8 * block, 8);
    for (int i = m->run[block][0]; i < m->run[block][1]; i++) {
        int  cell                           = some ? cell_of(m, block, o->p->view.position[i]) : 0;
        bool is_out                         = some && is_free(&o->words, cell);
        o->s->bodies.owner[o->p->begin + i] = is_out ? body_of(&o->s->bodies, o->from + cell) : -1;
    }
}

typedef struct sum_job {
    flip*           s;
    const uint8_t*  material;
    const shoal_v3 *position, *velocity;
    float           density[FLIP_PHASES]; // of a liquid, of sand
    bool            turns;                // angular momentum, too
} sum_job;

static sum_job summing_of(flip* s, bool turns) {
    const shoal_set* set = s->ctx->particles;
    sum_job          t   = {.s        = s,
                            .material = shoal_set_data(set, "material"),
                            .position = shoal_set_data(set, "position"),
                            .velocity = shoal_set_data(set, "velocity"),
                            .turns    = turns};
    for (int k = 0; k < s->phase_count; k++) t.density[s->phases[k].is_sand] = s->phases[k].material->density;
    return t;
}

static void add_particle(const sum_job* t, shoal_rigid* sum, double* square, int i) {
    double          mass = (double)t->density[t->s->is_sand[t->material[i]] != 0];
    const shoal_v3 *x = &t->position[i], *v = &t->velocity[i];
    const double at[3] = {(double)x->x, (double)x->y, (double)x->z}, u[3] = {(double)v->x, (double)v->y, (double)v->z};
    *square += mass * (u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
    for (int axis = 0; axis < 3; axis++) {
        if (t->turns)
            shoal_rigid_add(sum, axis, at, mass, u[axis]);
        else {
            sum->mass[axis] += mass;
            sum->push[axis] += mass * u[axis];
        }
    }
}

static void add_sum(shoal_rigid* to, const shoal_rigid* from) {
    double*       a = (double*)to;
    const double* b = (const double*)from;
    for (size_t k = 0; k < sizeof *to / sizeof *a; k++) a[k] += b[k];
}

// Most chunks are of one body: it is summed here, what others have there after all.
static void sum_chunk(void* ctx, int begin, int end, int worker) {
    (void)worker;
    const sum_job* t     = ctx;
    const int*     owner = t->s->bodies.owner;
    flip_chunk     chunk = {.body = -1};
    for (int i = begin; i < end; i++) {
        if (owner[i] < 0) continue;
        if (chunk.body < 0) chunk.body = owner[i];
        if (owner[i] == chunk.body)
            add_particle(t, &chunk.sum, &chunk.square, i);
        else
            chunk.has_other_materials = true;
    }
    t->s->bodies.chunks[begin / CHUNK] = chunk;
}

static void sum_bodies(flip* s, bool turns) {
    flip_bodies* b     = &s->bodies;
    sum_job      t     = summing_of(s, turns);
    int          count = s->ctx->particles->count;
    for (int k = 0; k < b->count; k++) {
        b->bodies[k].now    = (shoal_rigid){0};
        b->bodies[k].square = 0.0;
    }
    shoal_blocks(&s->ctx->exec, count, CHUNK, sum_chunk, &t);
    for (int c = 0; c * CHUNK < count; c++) {
        const flip_chunk* chunk = &b->chunks[c];
        if (chunk->body < 0) continue;
        add_sum(&b->bodies[chunk->body].now, &chunk->sum);
        b->bodies[chunk->body].square += chunk->square;
        for (int i = CHUNK * c; chunk->has_other_materials && i < CHUNK * (c + 1) && i < count; i++)
            if (b->owner[i] >= 0 && b->owner[i] != chunk->body)
                add_particle(&t, &b->bodies[b->owner[i]].now, &b->bodies[b->owner[i]].square, i);
    }
}

// The motion of each body is added to its particles.
static void move_particles(void* ctx, int begin, int end, int worker) {
    (void)worker;
    flip*           s        = ctx;
    const shoal_v3* position = shoal_set_data(s->ctx->particles, "position");
    shoal_v3*       velocity = shoal_set_data(s->ctx->particles, "velocity");
    for (int i = begin; i < end; i++) {
        if (s->bodies.owner[i] < 0) continue;
        const flip_body* body  = &s->bodies.bodies[s->bodies.owner[i]];
        const double     at[3] = {(double)position[i].x, (double)position[i].y, (double)position[i].z};
        shoal_v3*        v     = &velocity[i];
        *v                     = shoal_v3_make(v->x + (float)shoal_rigid_at(&body->motion, 0, at),
                                               v->y + (float)shoal_rigid_at(&body->motion, 1, at),
                                               v->z + (float)shoal_rigid_at(&body->motion, 2, at));
    }
}

// Bodies of the free cells, none with anything gained yet.
static shoal_status find_bodies(flip* s, const grid_words words[FLIP_PHASES], const int from[FLIP_PHASES + 1]) {
    flip_bodies* b = &s->bodies;
    SHOAL_TRY(
        shoal_reserve((void**)&b->root, &b->root_capacity, SHOAL_MAC_SAMPLES * from[s->phase_count], sizeof *b->root));
    for (int k = 0; k < s->phase_count; k++)
        if (from[k + 1] > from[k]) FREE_CELLS(&words[k], &s->phases[k].mac, at)
    b->root[SHOAL_MAC_SAMPLES * from[k] + at] = SHOAL_MAC_SAMPLES * from[k] + at;
    for (int k = 0; k < s->phase_count; k++)
        if (from[k + 1] > from[k]) join_cells(b->root, &s->phases[k].mac, &words[k], SHOAL_MAC_SAMPLES * from[k]);
    if (s->is_mixed) join_grids(s, b->root, words, SHOAL_MAC_SAMPLES * from[1]);
    b->count = 0;
    for (int k = 0; k < s->phase_count; k++)
        if (from[k + 1] > from[k]) FREE_CELLS(&words[k], &s->phases[k].mac, at) {
                int cell = SHOAL_MAC_SAMPLES * from[k] + at;
                if (b->root[cell] != cell) continue;
                SHOAL_TRY(reserve_body(b));
                b->bodies[b->count] = (flip_body){0};
                b->root[cell]       = -1 - b->count++;
            }
    return SHOAL_OK;
}

shoal_status flip_free_begin(flip* s) {
    flip_bodies* b                     = &s->bodies;
    int          from[FLIP_PHASES + 1] = {0}; // blocks
    for (int k = 0; k < s->phase_count; k++)
        from[k + 1] = from[k] + (s->phases[k].count > 0 ? s->phases[k].mac.block_count : 0);
    SHOAL_TRY(reserve(b, from[s->phase_count]));
    grid_words words[FLIP_PHASES];
    for (int k = 0; k < FLIP_PHASES; k++) words[k] = (grid_words){b->near + 8 * from[k], b->held + 8 * from[k]};
    for (int k = 0; k < s->phase_count; k++)
        if (s->phases[k].count > 0) shoal_mac_each(&s->phases[k].mac, &s->ctx->exec, visit_block, &words[k]);
    if (s->is_mixed && s->params.coupling == FLIP_COUPLING_ONE_WAY) hold_shared(s, words);
    spread(s, words);
    b->has_free = has_free(b->near, b->held, 8 * from[s->phase_count]);
    if (!b->has_free) return SHOAL_OK;
    SHOAL_TRY(find_bodies(s, words, from));
    SHOAL_TRY(reserve_particles(b, s->ctx->particles->count));
    for (int k = 0; k < s->phase_count; k++) {
        flip_phase* p = &s->phases[k];
        own_job     o = {s, p, words[k], SHOAL_MAC_SAMPLES * from[k]};
        if (p->count > 0) shoal_mac_each_full(&p->mac, &s->ctx->exec, own_block, &o);
    }
    sum_bodies(s, true);
    for (int k = 0; k < b->count; k++) {
        b->bodies[k].before        = b->bodies[k].now;
        b->bodies[k].square_before = b->bodies[k].square;
    }
    return SHOAL_OK;
}

void flip_free_pushed(flip* s, double dt) {
    flip_bodies* b = &s->bodies;
    if (!b->has_free) return;
    sum_bodies(s, false);
    for (int k = 0; k < b->count; k++) {
        flip_body* body = &b->bodies[k];
        body->motion    = (shoal_rigid_motion){0};
        for (int axis = 0; axis < 3 && body->now.mass[axis] > 0.0; axis++)
            body->motion.velocity[axis] = dt * shoal_d3_axis(s->ctx->description->gravity, axis) -
                                          (body->now.push[axis] - body->before.push[axis]) / body->now.mass[axis];
    }
    shoal_blocks(&s->ctx->exec, s->ctx->particles->count, CHUNK, move_particles, s);
}

// Mass x velocity^2 about the centre of mass.
static double inner_square(const shoal_rigid* sum, double square) {
    double mass = sum->mass[0];
    return square - (sum->push[0] * sum->push[0] + sum->push[1] * sum->push[1] + sum->push[2] * sum->push[2]) / mass;
}

// Moments of the velocity about the centre of mass.
static void inner_turn(const shoal_rigid* sum, double turn[3][3]) {
    for (int axis = 0; axis < 3; axis++)
        for (int n = 0; n < 3; n++)
            turn[axis][n] = sum->turn[axis][n] - sum->push[axis] * sum->place[axis][n] / sum->mass[0];
}

static double spin_times(const double spin[3], double turn[3][3]) {
    double sum = 0.0;
    for (int k = 0; k < 3; k++) sum += spin[k] * (turn[(k + 2) % 3][(k + 1) % 3] - turn[(k + 1) % 3][(k + 2) % 3]);
    return sum;
}

// The largest fraction c <= 1 of a spin w that missing angular momentum M asks for, with c w . L + c^2 w . M / 2 within
// the energy lost.
static double fraction_of(double lost, double with, double missing) {
    if (with + 0.5 * missing <= lost) return 1.0;
    if (!(lost > 0.0) || !(missing > 0.0)) return 0.0;
    return (sqrt(with * with + 2.0 * missing * lost) - with) / missing;
}

// The spin that a body is to get: what it lacks of angular momentum, but no energy that it did not have at the start of
// the substep.
static shoal_rigid_motion spin_of(const flip_body* body) {
    shoal_rigid lack = body->now;
    double      before[3][3], now[3][3];
    if (!(lack.mass[0] > 0.0)) return (shoal_rigid_motion){0};
    double lost = 0.5 * (inner_square(&body->before, body->square_before) - inner_square(&body->now, body->square));
    inner_turn(&body->before, before);
    inner_turn(&body->now, now);
    for (int axis = 0; axis < 3; axis++) {
        lack.push[axis] = 0.0;
        for (int n = 0; n < 3; n++) lack.turn[axis][n] = before[axis][n] - now[axis][n];
    }
    shoal_rigid_motion motion   = shoal_rigid_fit(&lack);
    double             fraction = fraction_of(lost, spin_times(motion.spin, now), spin_times(motion.spin, lack.turn));
    for (int k = 0; k < 3; k++) motion.spin[k] *= fraction;
    return motion;
}

// Places of a body that lies across a seam have no common centre.
void flip_free_moved(flip* s) {
    flip_bodies* b           = &s->bodies;
    const bool*  is_periodic = s->ctx->world->is_periodic;
    if (!b->has_free || is_periodic[0] || is_periodic[1] || is_periodic[2]) return;
    sum_bodies(s, true);
    for (int k = 0; k < b->count; k++) b->bodies[k].motion = spin_of(&b->bodies[k]);
    shoal_blocks(&s->ctx->exec, s->ctx->particles->count, CHUNK, move_particles, s);
}
