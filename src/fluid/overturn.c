// SPDX-License-Identifier: MIT
// Films that are too thin to be resolved change places with what lies on them (see overturn.h).
#include "fluid/overturn.h"

#include "base/hash.h"

// As far as two may be apart to change places, in spacings: next neighbours, askew too.
#define PARTNER_FARTHEST 1.5f

typedef struct overturn {
    const shoal_overturn* v;
    shoal_v3              up;
    double                gravity;
    uint64_t              seed;
} overturn;

static float height_over(const overturn* o, int i, int j) {
    return shoal_v3_dot(shoal_v3_sub(o->v->position[j], o->v->position[i]), o->up);
}

static float density_of(const overturn* o, int i) { return o->v->materials[o->v->material[i]].density; }

// In the layer beside a solid, or with less than a third of its own kind around.
static bool is_unresolved(const overturn* o, int i) {
    const shoal_overturn* v    = o->v;
    int                   like = 0, all = 0;
    if (v->is_beside_solid(v->user, i)) return true;
    SHOAL_FOR_NEAR(v->near, i, j) {
        all++;
        like += v->material[j] == v->material[i];
    }
    return 3 * like < all;
}

// The heavier one that is most above it; -1: none. Images stay where they are.
static int partner_of(const overturn* o, int i) {
    const shoal_overturn* v    = o->v;
    float                 most = 0.5f * v->d;
    int                   best = -1;
    SHOAL_FOR_NEAR(v->near, i, j) {
        if (j >= v->count || !(density_of(o, j) > density_of(o, i))) continue;
        shoal_v3 apart  = shoal_v3_sub(v->position[j], v->position[i]);
        float    height = height_over(o, i, j);
        if (height <= most || shoal_v3_length(apart) > PARTNER_FARTHEST * v->d) continue;
        most = height;
        best = j;
    }
    return best;
}

// Chance of a substep: its part of the time in which Atwood's machine of the two falls by their
// distance.
static double chance_of(const overturn* o, int i, int j) {
    double light = (double)density_of(o, i), heavy = (double)density_of(o, j);
    double pull = o->gravity * (heavy - light) / (heavy + light), way = (double)height_over(o, i, j);
    return (double)o->v->dt * sqrt(pull / (2.0 * way));
}

// --- candidates

typedef struct draw_job {
    const shoal_overturn*   v;
    shoal_overturn_scratch* capacity;
    uint64_t                seed;
    double                  most; // no chance is larger, so few need to be looked at
    shoal_status            status;
} draw_job;

static double draw_of(const draw_job* d, int i) { return shoal_random(d->seed, 0, (uint64_t)d->v->id[i]); }

static size_t drawn_total(void* ctx, int begin, int end) {
    const draw_job* d     = ctx;
    size_t          count = 0;
    for (int i = begin; i < end; i++) count += draw_of(d, i) < d->most;
    return count;
}

static void drawn_put(void* ctx, int begin, int end, size_t at) {
    const draw_job* d = ctx;
    for (int i = begin; i < end; i++)
        if (draw_of(d, i) < d->most) d->capacity->who[at++] = i;
}

static bool drawn_capacity(void* ctx, size_t end) {
    draw_job* d = ctx;
    d->status   = shoal_reserve((void**)&d->capacity->who, &d->capacity->capacity, (int)end, sizeof *d->capacity->who);
    return d->status == SHOAL_OK;
}

shoal_status shoal_overturn_films(const shoal_overturn* v, const shoal_exec* exec, shoal_overturn_scratch* scratch,
                                  double* pairs) {
    double g = shoal_d3_length(v->gravity);
    if (!(g > 0.0) || v->count == 0) return SHOAL_OK;
    // another draw in each substep, the same on every machine: by all positions
    overturn o = {v, shoal_v3_scale(shoal_v3_from(v->gravity), (float)(-1.0 / g)), g,
                  shoal_hash(v->position, (size_t)v->count * sizeof *v->position, 1)};
    draw_job d = {v, scratch, o.seed, (double)v->dt * sqrt(g / (double)v->d), SHOAL_OK};
    int      n = (int)shoal_lay_out(exec, v->count, (shoal_layout){drawn_total, drawn_put, drawn_capacity}, &d, 0);
    SHOAL_TRY(d.status);
    for (int k = 0; k < n; k++) {
        int i = scratch->who[k], j = partner_of(&o, i);
        if (j >= 0 && draw_of(&d, i) < chance_of(&o, i, j) && (is_unresolved(&o, i) || is_unresolved(&o, j))) {
            v->change_places(v->user, i, j);
            *pairs += 1.0;
        }
    }
    return SHOAL_OK;
}
