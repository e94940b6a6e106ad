// SPDX-License-Identifier: MIT
// Bodies that touch no solid keep their momentum. Pressure and friction act on cells, particles take what they do by how many of
// them are around a face: at surfaces and where they are unevenly spread that is not the same, and a collision would leave a
// percent of its impulse behind. What a free body has gained that way, it gives back as a whole: a common velocity changes neither
// its volume nor its shape. A body is what hangs together on the grid, liquid and sand alike.
#include <math.h>

#include "mac/mac_sample.h"
#include "solvers/flip/flip_local.h"

void flip_bodies_free(flip_bodies* b) {
    shoal_free(b->near);
    shoal_free(b->held);
    shoal_free(b->root);
    shoal_free(b->bodies);
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

static shoal_status reserve_roots(flip_bodies* b, int samples) {
    if (samples <= b->root_capacity) return SHOAL_OK;
    shoal_free(b->root);
    b->root_capacity = 0;
    b->root          = shoal_alloc((size_t)samples + (size_t)samples / 4, sizeof *b->root);
    if (!b->root) return SHOAL_ERR_MEMORY;
    b->root_capacity = samples + samples / 4;
    return SHOAL_OK;
}

static shoal_status reserve_body(flip_bodies* b) {
    if (b->count < b->body_capacity) return SHOAL_OK;
    int room = b->body_capacity + b->body_capacity / 2 + 64;
    SHOAL_TRY(shoal_realloc((void**)&b->bodies, (size_t)b->count, (size_t)room, sizeof *b->bodies));
    b->body_capacity = room;
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
static void look_block(void* ctx, shoal_mac* m, int block, int worker) {
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
        for (int z = 0, twin = s->mixture.to_sand[block]; twin >= 0 && z < 8; z++) words[0].held[8 * block + z] |= words[0].near[8 * block + z] & words[1].near[8 * twin + z];
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

static int root_of(int* root, int at) {
    while (root[at] != at) at = root[at] = root[root[at]];
    return at;
}

static void join(int* root, int a, int b) {
    int first = root_of(root, a), second = root_of(root, b);
    root[first > second ? first : second] = first < second ? first : second;
}

// The free cells of a grid that are joined, with a body that sees `at`, a sample of the grid.
#define FREE_CELLS(words, m, at)                                                                            \
    for (int block = 0; block < (m)->block_count; block++)                                                  \
        for (int z = 0; z < 8; z++)                                                                         \
            for (uint64_t left_ = (words)->near[8 * block + z] & ~(words)->held[8 * block + z]; left_; left_ &= left_ - 1) \
                for (int at = SHOAL_MAC_SAMPLES * block + 64 * z + __builtin_ctzll(left_), once_ = 1; once_; once_ = 0)

static bool is_free(const grid_words* w, int at) { return shoal_mac_has(w->near, at) && !shoal_mac_has(w->held, at); }

static void join_cells(int* root, const shoal_mac* m, const grid_words* w, int from) {
    FREE_CELLS(w, m, at)
        for (int axis = 0; axis < 3; axis++) {
            int next = shoal_mac_beside(m, at, axis, 1);
            if (next >= 0 && is_free(w, next)) join(root, from + at, from + next);
        }
}

// Where cells of two grids are one place.
static void join_grids(const flip* s, int* root, const grid_words words[FLIP_PHASES], int from) {
    FREE_CELLS(&words[0], &s->phases[0].mac, at) {
        int twin = s->mixture.to_sand[block], there = SHOAL_MAC_SAMPLES * twin + (at & 511);
        if (twin >= 0 && is_free(&words[1], there)) join(root, at, from + there);
    }
}

// The body that a free cell belongs to.
static flip_body* body_of(const flip_bodies* b, int at) {
    while (b->root[at] >= 0) at = b->root[at];
    return &b->bodies[-1 - b->root[at]];
}

// ---------------------------------------------------------------------------------- what they have

static int cell_of(const shoal_mac* m, int block, shoal_v3 x) {
    mac_f4 g = mac_local(m, m->corner[block], x);
    return SHOAL_MAC_SAMPLES * block + shoal_mac_sample((int)g[0], (int)g[1], (int)g[2]);
}

static bool has_free(const uint64_t* near, const uint64_t* held, int words) {
    uint64_t any = 0;
    for (int k = 0; k < words; k++) any |= near[k] & ~held[k];
    return any != 0;
}

// The particles of free bodies, one after another.
typedef void (*particle_fn)(const flip_phase* p, flip_body* body, int i);
static void each_free(flip* s, particle_fn fn) {
    int from = 0; // blocks
    for (int k = 0; k < s->phase_count; k++) {
        const flip_phase* p = &s->phases[k];
        if (p->count == 0) continue;
        for (int n = 0; n < p->mac.full_count; n++) {
            int       block = p->mac.full[n];
            uint64_t *near = s->bodies.near + 8 * (from + block), *held = s->bodies.held + 8 * (from + block);
            if (!has_free(near, held, 8)) continue;
            for (int i = p->mac.run[block][0]; i < p->mac.run[block][1]; i++) {
                int cell = cell_of(&p->mac, block, p->view.position[i]), in = cell & 511;
                if (!(held[in >> 6] >> (in & 63) & 1u)) fn(p, body_of(&s->bodies, SHOAL_MAC_SAMPLES * from + cell), i);
            }
        }
        from += p->mac.block_count;
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

// Bodies of the free cells, none with anything gained yet.
static shoal_status find_bodies(flip* s, const grid_words words[FLIP_PHASES], const int from[FLIP_PHASES + 1]) {
    flip_bodies* b = &s->bodies;
    SHOAL_TRY(reserve_roots(b, SHOAL_MAC_SAMPLES * from[s->phase_count]));
    for (int k = 0; k < s->phase_count; k++)
        if (from[k + 1] > from[k]) FREE_CELLS(&words[k], &s->phases[k].mac, at) b->root[SHOAL_MAC_SAMPLES * from[k] + at] = SHOAL_MAC_SAMPLES * from[k] + at;
    for (int k = 0; k < s->phase_count; k++)
        if (from[k + 1] > from[k]) join_cells(b->root, &s->phases[k].mac, &words[k], SHOAL_MAC_SAMPLES * from[k]);
    if (s->is_mixed) join_grids(s, b->root, words, SHOAL_MAC_SAMPLES * from[1]);
    b->count = 0;
    for (int k = 0; k < s->phase_count; k++)
        if (from[k + 1] > from[k])
            FREE_CELLS(&words[k], &s->phases[k].mac, at) {
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
    for (int k = 0; k < s->phase_count; k++) from[k + 1] = from[k] + (s->phases[k].count > 0 ? s->phases[k].mac.block_count : 0);
    SHOAL_TRY(reserve(b, from[s->phase_count]));
    grid_words words[FLIP_PHASES];
    for (int k = 0; k < FLIP_PHASES; k++) words[k] = (grid_words){b->near + 8 * from[k], b->held + 8 * from[k]};
    for (int k = 0; k < s->phase_count; k++)
        if (s->phases[k].count > 0) shoal_mac_each(&s->phases[k].mac, &s->ctx->exec, look_block, &words[k]);
    if (s->is_mixed && s->params.coupling == FLIP_ONE_WAY) hold_shared(s, words);
    spread(s, words);
    b->has_free = has_free(b->near, b->held, 8 * from[s->phase_count]);
    if (!b->has_free) return SHOAL_OK;
    SHOAL_TRY(find_bodies(s, words, from));
    each_free(s, add_before);
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
