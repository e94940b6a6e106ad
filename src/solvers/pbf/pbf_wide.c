// SPDX-License-Identifier: MIT
// The passes that walk over neighbours, on the CPU: what a pair does is in pbf_pairs.h. Compiled once per instruction
// set; all give the same bits (math/num.h).
#include "fluid/walk.h"
#include "solvers/pbf/pbf_local.h"
#include "solvers/pbf/pbf_pairs.h"

// NAME_one(v, i, kind), with kind a constant, so that each has a loop of its own.
#define X(name, count, add, after)                                                                                     \
    NUM_FN void name##_add(const void* view, const void* self, const num_pair* g, int i, const int* j, size_t slot,    \
                           int kind, num* s) {                                                                         \
        const pbf_view* v   = view;                                                                                    \
        const pbf_own*  own = self;                                                                                    \
        (void)slot, (void)i, (void)v, (void)own, (void)j, (void)kind;                                                  \
        add;                                                                                                           \
    }                                                                                                                  \
    NUM_FN void name##_one(const pbf_view* v, int i, int kind) {                                                       \
        pbf_own own = pbf_own_of(v, i);                                                                                \
        float   s[SHOAL_WALK_SUMS];                                                                                    \
        if (shoal_walk(v, &v->near, v->guess, own.place, v->h, num_pair_limit2(v->h2), i, name##_add, &own, kind,      \
                       count, s))                                                                                      \
            pbf_##name(v, i);                                                                                          \
        else                                                                                                           \
            after;                                                                                                     \
    }
PBF_PAIR_PASSES(X)
#undef X

#define EACH(one, kind)                                                                                                \
    for (int i = begin; i < end; i++) one(v, i, kind)

static void lambda_loop(const void* view, int begin, int end) {
    const pbf_view* v = view;
    if (v->is_mixed)
        EACH(lambda_one, PBF_ASKS_KERNEL | PBF_MIXED);
    else if (v->params.density_kernel == PBF_DENSITY_KERNEL_POLY6)
        EACH(lambda_one, PBF_POLY6);
    else
        EACH(lambda_one, 0);
}

static void correct_loop(const void* view, int begin, int end) {
    const pbf_view* v = view;
    if (v->is_mixed)
        EACH(correct_one, PBF_MIXED);
    else
        EACH(correct_one, 0);
}

NUM_FN void curl_any(const pbf_view* v, int i, int kind) {
    if (v->liquids[v->material[i]].viscous > 0.0f)
        curl_one(v, i, kind | PBF_VISCOUS);
    else
        curl_one(v, i, kind);
}

static void curl_loop(const void* view, int begin, int end) {
    const pbf_view* v = view;
    if (v->is_mixed)
        EACH(curl_any, PBF_ASKS_KERNEL | PBF_MIXED);
    else if (v->params.density_kernel == PBF_DENSITY_KERNEL_POLY6)
        EACH(curl_any, PBF_POLY6);
    else
        EACH(curl_any, 0);
}

static void confine_loop(const void* view, int begin, int end) {
    const pbf_view* v = view;
    if (v->params.vorticity > 0.0f)
        EACH(confine_one, 0);
    else
        for (int i = begin; i < end; i++) pbf_confine(v, i);
}

static void lean_loop(const void* view, int begin, int end) {
    const pbf_view* v = view;
    EACH(lean_one, 0);
}

static void level_loop(const void* view, int begin, int end) {
    const pbf_view* v = view;
    EACH(level_one, 0);
}

const shoal_loop SHOAL_WIDE_NAME(pbf_loops)[PBF_PASS_COUNT] = {
    [PBF_lean] = lean_loop,       [PBF_level] = level_loop, [PBF_lambda] = lambda_loop,
    [PBF_correct] = correct_loop, [PBF_curl] = curl_loop,   [PBF_confine] = confine_loop,
};
