// SPDX-License-Identifier: MIT
// The loops of the pressure solver, compiled once per instruction set. Floats by 16; doubles by two
// groups of 8, in the compilers' own vectors, since math/wide.h has floats only.
#include "grid/poisson_local.h"
#include "math/wide.h"

#include <math.h>

#if defined(__GNUC__)
#pragma GCC diagnostic ignored "-Wpsabi" // how vectors are handed over: they are not seen outside this file
#endif

typedef double eight __attribute__((vector_size(64)));
typedef float  eight_floats __attribute__((vector_size(32)));

SHOAL_FN eight eight_load(const double* from) {
    eight a;
    memcpy(&a, from, sizeof a);
    return a;
}
SHOAL_FN eight eight_widen(const float* from) {
    eight_floats a;
    memcpy(&a, from, sizeof a);
    return __builtin_convertvector(a, eight);
}
SHOAL_FN double eight_sum(const eight* a) {
    return ((((*a)[0] + (*a)[4]) + ((*a)[2] + (*a)[6])) + (((*a)[1] + (*a)[5]) + ((*a)[3] + (*a)[7])));
}

// Stores 16 floats, or as many as there are up to the end of the task: what lies behind belongs to
// others.
SHOAL_FN void store_some(float* to, wide a, int count) {
    if (count >= SHOAL_LANES) {
        wide_store(to, a);
        return;
    }
    float all[SHOAL_LANES];
    wide_store(all, a);
    memcpy(to, all, (size_t)count * sizeof *to);
}

SHOAL_FN int task_end(const poisson_level* l, int task) {
    const poisson_piece* last = &l->pieces[l->tasks[task + 1] - 1];
    return last->begin + last->count;
}

// The cells i of task t, `lanes` at a time, and the piece p they lie in.
#define PIECES(lanes)                                                                                                  \
    for (const poisson_piece *p = l->pieces + l->tasks[t], *last_ = l->pieces + l->tasks[t + 1]; p < last_; p++)       \
        for (int i = p->begin; i < p->begin + p->count; i += (lanes))

// Sum over the six neighbours of weight times value.
SHOAL_FN wide neighbours(const poisson_level* l, const poisson_piece* p, const float* v, int i) {
    const float *y = v + i + p->minus_y, *z = v + i + p->minus_z;
    wide         a = wide_add(wide_mul(wide_load(l->plus_x + i), wide_load(v + i + 1)),
                              wide_mul(wide_load(l->plus_x + i - 1), wide_load(v + i - 1)));
    wide         b = wide_add(wide_mul(wide_load(l->plus_y + i), wide_load(v + i + p->plus_y)),
                              wide_mul(wide_load(l->plus_y + i + p->minus_y), wide_load(y)));
    wide         c = wide_add(wide_mul(wide_load(l->plus_z + i), wide_load(v + i + p->plus_z)),
                              wide_mul(wide_load(l->plus_z + i + p->minus_z), wide_load(z)));
    return wide_add(wide_add(a, b), c);
}

static void diagonal(void* ctx, int begin, int end, int worker) {
    (void)worker;
    const poisson_level* l = ((poisson_pass*)ctx)->level;
    for (int k = l->tasks[begin]; k < l->tasks[end]; k++) {
        const poisson_piece* p = &l->pieces[k];
        for (int i = p->begin; i < p->begin + p->count; i++) {
            float x = l->plus_x[i] + l->plus_x[i - 1], y = l->plus_y[i] + l->plus_y[i + p->minus_y];
            float weights = (x + y) + (l->plus_z[i] + l->plus_z[i + p->minus_z]);

            l->is_coupled[i] = weights > 0.0f;
            l->diagonal[i]   = weights + l->anchor[i];
            l->inverse[i]    = l->diagonal[i] > 0.0f ? 1.0f / l->diagonal[i] : 0.0f;
        }
    }
}

// to = weight inverse rhs: the first sweep from zero.
static void begin(void* ctx, int from, int end, int worker) {
    (void)worker;
    const poisson_pass*  s = ctx;
    const poisson_level* l = s->level;
    for (int i = from; i < end; i++) s->to[i] = s->weight * l->inverse[i] * l->rhs[i];
}

// to = from + weight inverse (rhs - matrix from)
static void relax(void* ctx, int begin_task, int end_task, int worker) {
    (void)worker;
    const poisson_pass*  s    = ctx;
    const poisson_level* l    = s->level;
    const wide           keep = wide_set(1.0f - s->weight), take = wide_set(s->weight);
    for (int t = begin_task; t < end_task; t++) {
        const int end = task_end(l, t);
        PIECES(SHOAL_LANES) {
            wide sum = wide_add(wide_load(l->rhs + i), neighbours(l, p, s->from, i));
            wide new = wide_mul(wide_mul(take, wide_load(l->inverse + i)), sum);
            store_some(s->to + i, wide_add(wide_mul(keep, wide_load(s->from + i)), new), end - i);
        }
    }
}

// to = rhs - matrix from
static void residual(void* ctx, int begin_task, int end_task, int worker) {
    (void)worker;
    const poisson_pass*  s = ctx;
    const poisson_level* l = s->level;
    for (int t = begin_task; t < end_task; t++) {
        const int end = task_end(l, t);
        PIECES(SHOAL_LANES) {
            wide sum  = wide_add(wide_load(l->rhs + i), neighbours(l, p, s->from, i));
            wide left = wide_mul(wide_load(l->diagonal + i), wide_load(s->from + i));
            store_some(s->to + i, wide_sub(sum, left), end - i);
        }
    }
}

// ---- doubles ----

// Through the face of weights plus[face...] from the eight cells at i to those `way` further.
#define FLOW(plus, face, way) (eight_widen(l->plus + i + (face)) * (here - eight_load(v + i + (way))))

static void apply(void* ctx, int begin_task, int end_task, int worker) {
    (void)worker;
    const poisson_pass*  s     = ctx;
    const poisson_level* l     = s->level;
    const double*        v     = s->multiply;
    double*              image = s->poisson->image;
    enum { HALF = SHOAL_LANES / 2 };
    for (int t = begin_task; t < end_task; t++) {
        const int end = task_end(l, t);
        PIECES(HALF) {
            eight here = eight_load(v + i);
            eight a    = FLOW(plus_x, 0, 1) + FLOW(plus_x, -1, -1);
            eight b    = FLOW(plus_y, 0, p->plus_y) + FLOW(plus_y, p->minus_y, p->minus_y);
            eight c    = FLOW(plus_z, 0, p->plus_z) + FLOW(plus_z, p->minus_z, p->minus_z);
            eight out  = ((a + b) + c) + eight_widen(l->anchor + i) * here;
            if (end - i >= HALF)
                memcpy(image + i, &out, sizeof out);
            else
                memcpy(image + i, &out, (size_t)(end - i) * sizeof(double));
        }
        eight  sums = {0};
        double sum  = 0;
        int    i    = l->pieces[l->tasks[t]].begin;
        for (; i + HALF <= end; i += HALF) sums += eight_load(v + i) * eight_load(image + i);
        for (; i < end; i++) sum += v[i] * image[i];
        s->poisson->parts[(size_t)t * POISSON_SUMS] = sum + eight_sum(&sums);
    }
}

static void advance(void* ctx, int from, int end, int worker) {
    (void)worker;
    const poisson_pass* s       = ctx;
    shoal_poisson*      p       = s->poisson;
    float*              f       = p->levels[0].rhs;
    double              sums[8] = {0}, most[8] = {0};
    for (int i = from; i < end; i += 8)
        for (int k = 0, n = end - i < 8 ? end - i : 8; k < n; k++) {
            double r = p->residual[i + k] - s->step * p->image[i + k];
            p->solution[i + k] += s->step * p->search[i + k];
            p->residual[i + k] = r;
            f[i + k]           = (float)r;
            sums[k] += r * r;
            most[k] = fabs(r) > most[k] ? fabs(r) : most[k];
        }
    for (int k = 1; k < 8; k++) {
        sums[0] += sums[k];
        most[0] = most[k] > most[0] ? most[k] : most[0];
    }
    p->parts[(size_t)(from / POISSON_BLOCK) * POISSON_SUMS]     = sums[0];
    p->parts[(size_t)(from / POISSON_BLOCK) * POISSON_SUMS + 1] = most[0];
}

static void products(void* ctx, int from, int end, int worker) {
    (void)worker;
    const poisson_pass* s = ctx;
    shoal_poisson*      p = s->poisson;
    const float*        v = p->levels[0].value;
    eight               a = {0}, b = {0};
    double              rest_a = 0, rest_b = 0;
    int                 i = from;
    for (; i + 8 <= end; i += 8) {
        eight z = eight_widen(v + i);
        a += z * eight_load(p->residual + i);
        b += z * eight_load(p->image + i);
    }
    for (; i < end; i++) {
        rest_a += (double)v[i] * p->residual[i];
        rest_b += (double)v[i] * p->image[i];
    }
    p->parts[(size_t)(from / POISSON_BLOCK) * POISSON_SUMS]     = eight_sum(&a) + rest_a;
    p->parts[(size_t)(from / POISSON_BLOCK) * POISSON_SUMS + 1] = eight_sum(&b) + rest_b;
}

static void turn(void* ctx, int from, int end, int worker) {
    (void)worker;
    const poisson_pass* s = ctx;
    const float*        v = s->poisson->levels[0].value;
    double*             d = s->poisson->search;
    for (int i = from; i < end; i++) d[i] = (double)v[i] + s->step * d[i];
}

#define X(name) name,
const poisson_loops SHOAL_WIDE_NAME(poisson_loops) = {POISSON_LOOPS(X)};
#undef X
