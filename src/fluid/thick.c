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
enum { SWEEPS_MOST = 300 };

#define X(name) SHOAL_LOOP(name##_loop, shoal_thick_view, shoal_thick_##name)
SHOAL_THICK_PASSES(X)
#undef X
#define X(name) name##_loop,
static const shoal_loop loops[SHOAL_THICK_PASS_COUNT] = {SHOAL_THICK_PASSES(X)};
#undef X
#define X(name) SHOAL_SUM_LOOP(all_##name, shoal_thick_view, shoal_thick_##name)
SHOAL_THICK_SUMS(X)
#undef X
#define X(name) {.sum = all_##name},
static const shoal_fold sums[SHOAL_THICK_SUM_COUNT] = {SHOAL_THICK_SUMS(X)};
#undef X
const shoal_passes shoal_thick_passes = {.block     = 512,
                                         .loops     = {{[SHOAL_ISA_PLAIN] = loops}},
                                         .folds     = sums,
                                         .name      = "thick",
                                         .view_size = sizeof(shoal_thick_view)};

void shoal_thick_free(shoal_thick* t) {
    shoal_far_free(t->device, t->way);
    shoal_far_free(t->device, t->left);
    shoal_far_free(t->device, t->drawn);
    shoal_far_free(t->device, t->stream);
    shoal_far_free(t->device, t->hold);
    shoal_far_free(t->device, t->suction);
    shoal_far_free(t->device, t->expands);
    *t = (shoal_thick){0};
}

shoal_status shoal_thick_reserve(shoal_thick* t, shoal_device* device, int count) {
    if (count <= t->capacity && t->device == device) return SHOAL_OK;
    size_t capacity = (size_t)count + (size_t)count / 4;
    shoal_thick_free(t);
    t->device  = device;
    t->way     = shoal_far_alloc(device, capacity, sizeof *t->way);
    t->left    = shoal_far_alloc(device, capacity, sizeof *t->left);
    t->drawn   = shoal_far_alloc(device, capacity, sizeof *t->drawn);
    t->stream  = shoal_far_alloc(device, capacity, sizeof *t->stream);
    t->hold    = shoal_far_alloc(device, capacity, sizeof *t->hold);
    t->suction = shoal_far_alloc(device, capacity, sizeof *t->suction);
    t->expands = shoal_far_alloc(device, capacity, sizeof *t->expands);
    if (!t->way || !t->left || !t->drawn || !t->stream || !t->hold || !t->suction || !t->expands)
        return SHOAL_ERR_MEMORY;
    t->capacity = (int)capacity;
    return SHOAL_OK;
}

static void run(const shoal_exec* exec, int pass, const shoal_thick_view* v) {
    shoal_pass_run(exec, SHOAL_ISA_PLAIN, &shoal_thick_passes, pass, v, v->problem.count);
}

static double sum(const shoal_exec* exec, int which, const shoal_thick_view* v) {
    return shoal_pass_fold(exec, &shoal_thick_passes, which, v, v->problem.count);
}

static void draw_on(shoal_thick_view* v, const shoal_exec* exec, shoal_v4* on) {
    SHOAL_FILL_HALO(v->problem.halo, v->problem.count, SHOAL_SHOW(on, VECTOR));
    v->on = on;
    run(exec, SHOAL_THICK_part, v);
    SHOAL_FILL_HALO(v->problem.halo, v->problem.count, SHOAL_SHOW(v->thick.suction, SAME));
    run(exec, SHOAL_THICK_draw, v);
}

void shoal_thick_solve(shoal_thick* t, const shoal_exec* exec, const shoal_thick_problem* problem) {
    shoal_thick_view v = {*t, *problem, problem->motion, 0.0f, true};
    t->sweeps          = 0;
    draw_on(&v, exec, problem->motion);
    run(exec, SHOAL_THICK_begin, &v);
    v.is_first   = false;
    double first = sum(exec, SHOAL_THICK_left, &v), left = first;
    while (left > TOLERANCE * TOLERANCE * first && t->sweeps < SWEEPS_MOST) {
        draw_on(&v, exec, t->way);
        double curved = sum(exec, SHOAL_THICK_curved, &v);
        if (!(curved > 0.0)) break;
        v.length = (float)(left / curved);
        run(exec, SHOAL_THICK_advance, &v);
        double now = sum(exec, SHOAL_THICK_left, &v);
        v.length   = (float)(now / left);
        run(exec, SHOAL_THICK_turn, &v);
        left = now;
        t->sweeps++;
    }
}
