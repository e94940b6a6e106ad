// SPDX-License-Identifier: MIT
// Conjugate gradients for the viscosity of thick liquids, in the inner product of the masses, in
// which the operator is symmetric: the drag of a pair is the harmonic mean of both. Without a
// preconditioner: then no residual and no direction has momentum, and that of all is kept to
// rounding however early the solve ends.
#include "fluid/thick.h"

#include "base/memory.h"

// The residual falls by so much; of the change that viscosity makes in the substep, not of the
// velocity.
#define TOLERANCE 1e-3
enum { THICK_BLOCK = 512, SWEEPS_MOST = 300 };

void shoal_thick_free(shoal_thick* t) {
    shoal_free(t->way);
    shoal_free(t->left);
    shoal_free(t->drawn);
    shoal_free(t->stream);
    shoal_free(t->hold);
    *t = (shoal_thick){0};
}

shoal_status shoal_thick_reserve(shoal_thick* t, int count) {
    if (count <= t->room) return SHOAL_OK;
    size_t room = (size_t)count + (size_t)count / 4;
    t->room     = 0;
    SHOAL_TRY(shoal_realloc((void**)&t->way, 0, room, sizeof *t->way));
    SHOAL_TRY(shoal_realloc((void**)&t->left, 0, room, sizeof *t->left));
    SHOAL_TRY(shoal_realloc((void**)&t->drawn, 0, room, sizeof *t->drawn));
    SHOAL_TRY(shoal_realloc((void**)&t->stream, 0, room, sizeof *t->stream));
    SHOAL_TRY(shoal_realloc((void**)&t->hold, 0, room, sizeof *t->hold));
    t->room = (int)room;
    return SHOAL_OK;
}

typedef struct solve {
    shoal_thick*               thick;
    const shoal_thick_problem* problem;
    const shoal_v4*            on;     // what the operator acts on
    float                      length; // of the step along a direction
} solve;

static void each(solve* s, const shoal_exec* exec, void (*pass)(void*, int, int, int)) {
    shoal_blocks(exec, s->problem->count, THICK_BLOCK, pass, s);
}

static shoal_v4 scaled_sum(shoal_v4 a, shoal_v4 b, float f) {
    return (shoal_v4){a.x + f * b.x, a.y + f * b.y, a.z + f * b.z, a.w};
}

// What a pair has of its own drag: the harmonic mean of the viscosities, so that both feel the same
// force
static float pair_share(shoal_thickness i, shoal_thickness j) {
    float own = i.share * i.mass, other = j.share * j.mass;
    return own > 0.0f ? 2.0f * i.share * other / (own + other) : 0.0f;
}

// drawn_i = u_i + sum_j share (h - r) (u_i - u_j) + share hold_i u_i
static void draw(void* ctx, int begin, int end, int worker) {
    (void)worker;
    solve*                     s = ctx;
    const shoal_thick_problem* p = s->problem;
    for (int i = begin; i < end; i++) {
        shoal_thickness own = p->liquids[p->material[i]];
        shoal_v4        u = s->on[i], sum = {0.0f, 0.0f, 0.0f, 0.0f};
        float           all = own.share * p->hold[i];
        SHOAL_FOR_NEAR(p->near, i, j) {
            float r;
            shoal_apart(p->place, i, j, p->h, &r);
            if (r >= p->h) continue;
            float f = (p->h - r) * pair_share(own, p->liquids[p->material[j]]);
            sum     = scaled_sum(sum, s->on[j], f);
            all += f;
        }
        s->thick->drawn[i] =
            (shoal_v4){u.x + all * u.x - sum.x, u.y + all * u.y - sum.y, u.z + all * u.z - sum.z, 0.0f};
    }
}

// left = u* + share hold stream - drawn; the first direction
static void begin_with(void* ctx, int begin, int end, int worker) {
    (void)worker;
    solve*                     s = ctx;
    const shoal_thick_problem* p = s->problem;
    for (int i = begin; i < end; i++) {
        shoal_v4 b          = scaled_sum(p->motion[i], p->stream[i], p->liquids[p->material[i]].share * p->hold[i]);
        s->thick->left[i]   = scaled_sum(b, s->thick->drawn[i], -1.0f);
        s->thick->left[i].w = 0.0f;
        s->thick->way[i]    = s->thick->left[i];
    }
}

static void advance(void* ctx, int begin, int end, int worker) {
    (void)worker;
    solve* s = ctx;
    for (int i = begin; i < end; i++) {
        s->problem->motion[i] = scaled_sum(s->problem->motion[i], s->thick->way[i], s->length);
        s->thick->left[i]     = scaled_sum(s->thick->left[i], s->thick->drawn[i], -s->length);
    }
}

static void turn(void* ctx, int begin, int end, int worker) {
    (void)worker;
    solve* s = ctx;
    for (int i = begin; i < end; i++) s->thick->way[i] = scaled_sum(s->thick->left[i], s->thick->way[i], s->length);
}

static double dot(shoal_v4 a, shoal_v4 b) {
    return (double)a.x * (double)b.x + (double)a.y * (double)b.y + (double)a.z * (double)b.z;
}

SHOAL_FN double mass_of(const solve* s, int i) { return (double)s->problem->liquids[s->problem->material[i]].mass; }
SHOAL_FN double left_of(const solve* s, int i) { return mass_of(s, i) * dot(s->thick->left[i], s->thick->left[i]); }
SHOAL_FN double curved_of(const solve* s, int i) { return mass_of(s, i) * dot(s->thick->way[i], s->thick->drawn[i]); }
SHOAL_SUM_LOOP(all_left, solve, left_of)
SHOAL_SUM_LOOP(all_curved, solve, curved_of)

static void draw_on(solve* s, const shoal_exec* exec, shoal_v4* on) {
    shoal_halo_fill(s->problem->halo, on, s->problem->count, false);
    s->on = on;
    each(s, exec, draw);
}

void shoal_thick_solve(shoal_thick* t, const shoal_exec* exec, const shoal_thick_problem* problem) {
    solve s   = {t, problem, problem->motion, 0.0f};
    t->sweeps = 0;
    draw_on(&s, exec, problem->motion);
    each(&s, exec, begin_with);
    double first = shoal_sum(exec, problem->count, all_left, &s), left = first;
    while (left > TOLERANCE * TOLERANCE * first && t->sweeps < SWEEPS_MOST) {
        draw_on(&s, exec, t->way);
        double curved = shoal_sum(exec, problem->count, all_curved, &s);
        if (!(curved > 0.0)) break;
        s.length = (float)(left / curved);
        each(&s, exec, advance);
        double now = shoal_sum(exec, problem->count, all_left, &s);
        s.length   = (float)(now / left);
        each(&s, exec, turn);
        left = now;
        t->sweeps++;
    }
}
