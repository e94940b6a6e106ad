// SPDX-License-Identifier: MIT
// The passes of SPH water that walk over neighbours, on the CPU: what a pair does is in water_pairs.h. Compiled once
// per instruction set; all give the same bits (math/num.h).
#include "fluid/walk.h"
#include "fluid/water_local.h"
#include "fluid/water_pairs.h"

#define EACH(one)                                                                                                      \
    for (int i = begin; i < end; i++) one

// The slopes of a group lie behind one another: sixteen x, then y, then z.
static inline int16_t* kept_at(const shoal_water_view* v, size_t slot) {
    const size_t lane = slot % SHOAL_LANES;
    return v->pairs + 3 * (slot - lane) + lane;
}

// NAME_one(v, i, kind), with kind a constant, so that each has a loop of its own.
#define X(name, needs, count, add, after, plain)                                                                       \
    NUM_FN void name##_add(const void* view, const void* self, const num_pair* g, int i, const int* j, size_t slot,    \
                           int kind, num* s) {                                                                         \
        const shoal_water_view* v   = view;                                                                            \
        const water_own*        own = self;                                                                            \
        (void)slot, (void)i, (void)own, (void)j, (void)kind;                                                           \
        add;                                                                                                           \
    }                                                                                                                  \
    NUM_FN void name##_one(const shoal_water_view* v, int i, int kind) {                                               \
        water_own own = water_own_of(v, i, needs);                                                                     \
        float     s[SHOAL_WALK_SUMS];                                                                                  \
        if (shoal_walk(v, &v->near, v->place, own.place, v->h, num_pair_limit2(v->h2), i, name##_add, &own, kind,      \
                       count, s))                                                                                      \
            plain;                                                                                                     \
        else                                                                                                           \
            after;                                                                                                     \
    }
WATER_PAIR_PASSES(X)
#undef X

static void lean_loop(const void* view, int begin, int end) {
    const shoal_water_view* v = view;
    EACH(lean_one(v, i, 0));
}

static void level_loop(const void* view, int begin, int end) {
    const shoal_water_view* v = view;
    EACH(level_one(v, i, 0));
}

static void weigh_loop(const void* view, int begin, int end) {
    const shoal_water_view* v = view;
    if (!v->pairs)
        EACH(shoal_water_weigh(v, i));
    else if (v->is_mixed)
        EACH(weigh_one(v, i, WATER_MIXED));
    else if (v->is_begun && v->is_viscous)
        EACH(weigh_one(v, i, WATER_BEGUN | WATER_VISCOUS));
    else if (v->is_begun)
        EACH(weigh_one(v, i, WATER_BEGUN));
    else
        EACH(weigh_one(v, i, 0));
}

#define EACH_BY_ARTIFICIAL(kind)                                                                                       \
    if (v->artificial > 0.0f)                                                                                          \
        EACH(forces_one(v, i, (kind) | WATER_ARTIFICIAL));                                                             \
    else                                                                                                               \
        EACH(forces_one(v, i, (kind)))

static void forces_loop(const void* view, int begin, int end) {
    const shoal_water_view* v = view;
    if (v->is_sized) {
        EACH(forces_one(v, i, WATER_SIZED | WATER_ASKS));
    } else if (v->is_mixed) {
        EACH(forces_one(v, i, WATER_MIXED | WATER_VISCOUS | WATER_ASKS));
    } else if (v->is_viscous) {
        EACH_BY_ARTIFICIAL(WATER_VISCOUS);
    } else {
        EACH_BY_ARTIFICIAL(0);
    }
}

static void act_loop(const void* view, int begin, int end) {
    const shoal_water_view* v = view;
    if (v->is_viscous) {
        EACH_BY_ARTIFICIAL(WATER_EXPLICIT | WATER_VISCOUS);
    } else {
        EACH_BY_ARTIFICIAL(WATER_EXPLICIT);
    }
}

// ---------------------------------------------------------------------------------- solids

NUM_FN void solids_add(const void* view, const void* own, const num_pair* g, int i, const int* b, size_t slot, int kind,
                       num* s) {
    (void)own, (void)i, (void)slot, (void)kind;
    water_solids_pair(view, g, b, s);
}

// Most particles have no solid near.
static void solids_loop(const void* view, int begin, int end) {
    const shoal_water_view* v = view;
    for (int i = begin; i < end; i++) {
        float s[SHOAL_WALK_SUMS] = {0.0f};
        if (v->boundary.count[i] > 0)
            shoal_walk(v, &v->boundary, v->sample.place, num4_of(&v->place[i]), v->h, 0.0f, i, solids_add, NULL, 0,
                       WATER_SOLIDS_SUMS, s);
        shoal_water_solids_from(v, i, water_solids_sum(s));
    }
}

// ---------------------------------------------------------------------------------- density

// The kernel, of samples by what they stand for.
enum { PARTICLES, SAMPLES };
NUM_FN void kernel_add(const void* view, const void* own, const num_pair* g, int i, const int* j, size_t slot, int kind,
                       num* s) {
    const shoal_water_view* v = view;
    (void)own, (void)i, (void)j, (void)slot;
    num w = water_kernel(g, v->h);
    if (kind == SAMPLES) w *= g->companion;
    s[0] += w;
}

NUM_FN float kernel_sum(const shoal_water_view* v, const shoal_near* near, const shoal_v4* place, const shoal_v4* here,
                        int i, int kind) {
    float sum;
    shoal_walk(v, near, place, num4_of(here), v->h, 0.0f, i, kernel_add, NULL, kind, 1, &sum);
    return sum;
}

static void predict_loop(const void* view, int begin, int end) {
    const shoal_water_view* v = view;
    for (int i = begin; i < end; i++) {
        float sum = kernel_sum(v, &v->near, v->guess, &v->guess[i], i, PARTICLES);
        if (v->boundary.count[i] > 0) sum += kernel_sum(v, &v->boundary, v->sample.guess, &v->guess[i], i, SAMPLES);
        shoal_water_predict_from(v, i, sum);
    }
}

// Where pairs are kept, it is this pass that comes first.
static void density_loop(const void* view, int begin, int end) {
    const shoal_water_view* v = view;
    if (v->pairs)
        weigh_loop(v, begin, end);
    else
        EACH(shoal_water_density_from(v, i, kernel_sum(v, &v->near, v->place, &v->place[i], i, PARTICLES)));
}

// ---------------------------------------------------------------------------------- sweeps

NUM_FN void rate_add(const void* view, const void* own, const num_pair* g, int i, const int* j, size_t slot, int kind,
                     num* s) {
    const shoal_water_view* v = view;
    (void)g, (void)i, (void)kind;
    water_rate_pair(*(const num4*)own, num_gather4(v->motion, j), water_kept(kept_at(v, slot)), s);
}

NUM_FN float rate_one(const shoal_water_view* v, int i) {
    if (!v->pairs) return shoal_water_rate(v, i);
    num4  own = num4_of(&v->motion[i]);
    float sum;
    shoal_walk_kept(v, &v->near, i, rate_add, &own, 0, WATER_RATE_SUMS, &sum);
    return shoal_water_rate_from(v, i, sum * v->grain);
}

static void diverge_loop(const void* view, int begin, int end) {
    const shoal_water_view* v = view;
    EACH(shoal_water_diverge_from(v, i, rate_one(v, i)));
}

static void compress_loop(const void* view, int begin, int end) {
    const shoal_water_view* v = view;
    EACH(shoal_water_compress_from(v, i, rate_one(v, i)));
}

NUM_FN void push_add(const void* view, const void* own, const num_pair* g, int i, const int* j, size_t slot, int kind,
                     num* s) {
    const shoal_water_view* v = view;
    (void)g, (void)i, (void)kind;
    water_push_pair(*(const num*)own, num_gather1(v->kappa, j), water_kept(kept_at(v, slot)), s);
}

NUM_FN void apply_pressure_one(const shoal_water_view* v, int i) {
    num   own = num_set(v->kappa[i]);
    float s[WATER_PUSH_SUMS];
    shoal_walk_kept(v, &v->near, i, push_add, &own, 0, WATER_PUSH_SUMS, s);
    shoal_water_apply_pressure_from(v, i, shoal_v3_scale(num_sum_v3(s), v->grain));
}

// The form for comparison has no loop of its own.
static void apply_pressure_loop(const void* view, int begin, int end) {
    const shoal_water_view* v = view;
    if (v->is_mueller || !v->pairs)
        EACH(shoal_water_apply_pressure(v, i));
    else
        EACH(apply_pressure_one(v, i));
}

const shoal_loop SHOAL_WIDE_NAME(shoal_water_loops)[SHOAL_WATER_PASS_COUNT] = {
    [SHOAL_WATER_lean]           = lean_loop,
    [SHOAL_WATER_level]          = level_loop,
    [SHOAL_WATER_density]        = density_loop,
    [SHOAL_WATER_weigh]          = weigh_loop,
    [SHOAL_WATER_forces]         = forces_loop,
    [SHOAL_WATER_diverge]        = diverge_loop,
    [SHOAL_WATER_compress]       = compress_loop,
    [SHOAL_WATER_predict]        = predict_loop,
    [SHOAL_WATER_apply_pressure] = apply_pressure_loop,
    [SHOAL_WATER_solids]         = solids_loop,
    [SHOAL_WATER_act]            = act_loop,
};
