// SPDX-License-Identifier: MIT
// The cycle of smoothed aggregation.
#include "linalg/amg_local.h"
#include "math/cholesky.h"

#include <math.h>

enum { BLOCK = 1024 };

static void free_matrix(amg_matrix* m) {
    shoal_free(m->start);
    if (!m->is_lent) shoal_free(m->column);
    shoal_free(m->value);
}

void shoal_amg_free(shoal_amg* amg) {
    if (amg && amg->arena) *amg = (shoal_amg){0};
    if (!amg) return;
    for (amg_level* l = amg->levels; l < amg->levels + AMG_LEVELS; l++) {
        free_matrix(&l->a);
        free_matrix(&l->up);
        free_matrix(&l->down);
        shoal_free(l->inverse);
        shoal_free(l->x);
        shoal_free(l->b);
        shoal_free(l->r);
        shoal_free(l->d);
    }
    free_matrix(&amg->product);
    shoal_free(amg->factor);
    shoal_free(amg->solved);
    shoal_free(amg->aggregate);
    shoal_free(amg->marker);
    shoal_free(amg->lengths);
    shoal_free(amg->queue);
    shoal_free(amg->residual);
    shoal_free(amg);
}

int shoal_amg_levels(const shoal_amg* amg) { return amg->level_count; }

double shoal_amg_complexity(const shoal_amg* amg) {
    double sum = 0.0, first = 0.0;
    for (int k = 0; k < amg->level_count; k++) {
        double entries = (double)amg->levels[k].a.start[amg->levels[k].a.rows];
        sum += entries;
        if (k == 0) first = entries;
    }
    return first > 0.0 ? sum / first : 0.0;
}

// --- loops over rows

typedef struct row_job {
    const amg_matrix* a;
    amg_level*        l;
    const float*      x;
    float*            y;
    float             old, fresh; // fractions of the last way and of the new residual
} row_job;

static float row_times(const amg_matrix* a, int i, const float* x) {
    float sum = 0.0f;
    for (int k = a->start[i]; k < a->start[i + 1]; k++) sum += a->value[k] * x[a->column[k]];
    return sum;
}

static void times_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    row_job* job = ctx;
    for (int i = begin; i < end; i++) job->y[i] = row_times(job->a, i, job->x);
}
static void add_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    row_job* job = ctx;
    for (int i = begin; i < end; i++) job->y[i] += row_times(job->a, i, job->x);
}
void amg_times(const amg_matrix* a, const shoal_exec* exec, const float* x, float* y) {
    row_job job = {.a = a, .x = x, .y = y};
    shoal_blocks(exec, a->rows, BLOCK, times_block, &job);
}

// r = b - A x
static void residual_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    amg_level* l = ((row_job*)ctx)->l;
    for (int i = begin; i < end; i++) l->r[i] = l->b[i] - row_times(&l->a, i, l->x);
}
// r -= A d, by rows: d is read, r is written
static void lessen_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    amg_level* l = ((row_job*)ctx)->l;
    for (int i = begin; i < end; i++) l->r[i] -= row_times(&l->a, i, l->d);
}
// d = old d + fresh D^-1 r, x += d
static void step_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    const row_job* job = ctx;
    amg_level*     l   = job->l;
    for (int i = begin; i < end; i++) {
        l->d[i] = job->old * l->d[i] + job->fresh * l->inverse[i] * l->r[i];
        l->x[i] += l->d[i];
    }
}
static void start_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    amg_level* l = ((row_job*)ctx)->l;
    for (int i = begin; i < end; i++) l->x[i] = l->d[i] = 0.0f, l->r[i] = l->b[i];
}

// Chebyshev's polynomial of degree two for eigenvalues from a sixth of the largest on.
static void smooth(amg_level* l, const shoal_exec* exec, bool from_zero) {
    double  high = (double)l->radius, low = high / 6.0, middle = 0.5 * (high + low), half = 0.5 * (high - low);
    double  first = half / middle, second = 1.0 / (2.0 * middle / half - first);
    row_job job = {.l = l, .old = 0.0f, .fresh = (float)(1.0 / middle)};
    shoal_blocks(exec, l->a.rows, BLOCK, from_zero ? start_block : residual_block, &job);
    shoal_blocks(exec, l->a.rows, BLOCK, step_block, &job);
    shoal_blocks(exec, l->a.rows, BLOCK, lessen_block, &job);
    job.old = (float)(second * first), job.fresh = (float)(2.0 * second / half);
    shoal_blocks(exec, l->a.rows, BLOCK, step_block, &job);
}

// --- the coarsest

void amg_solve_coarsest(shoal_amg* amg, const amg_level* l) {
    int     n = l->a.rows;
    double* y = amg->solved;
    for (int i = 0; i < n; i++) y[i] = (double)l->b[i];
    shoal_cholesky_solve(amg->factor, n, n, y);
    for (int i = 0; i < n; i++) l->x[i] = (float)y[i];
}

// --- the cycle

static void cycle(shoal_amg* amg, int k, const shoal_exec* exec) {
    amg_level* l = &amg->levels[k];
    if (k == amg->level_count - 1 && amg->is_factored) {
        amg_solve_coarsest(amg, l);
        return;
    }
    smooth(l, exec, true);
    if (k < amg->level_count - 1) {
        amg_level* next = &amg->levels[k + 1];
        row_job    job  = {.a = &l->up, .l = l, .x = next->x, .y = l->x};
        shoal_blocks(exec, l->a.rows, BLOCK, residual_block, &job);
        amg_times(&l->down, exec, l->r, next->b);
        cycle(amg, k + 1, exec);
        shoal_blocks(exec, l->a.rows, BLOCK, add_block, &job);
    }
    smooth(l, exec, false);
}

static double largest_of(void* ctx, int begin, int end) {
    const double* r    = ctx;
    double        most = 0.0;
    for (int i = begin; i < end; i++) most = fmax(most, fabs(r[i]));
    return most;
}

typedef struct apply_job {
    amg_level*    l;
    const double* residual;
    double*       out;
    double        most, scale;
} apply_job;

static void take_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    const apply_job* job = ctx;
    amg_level*       l   = job->l;
    for (int i = begin; i < end; i++) l->b[i] = l->inverse[i] > 0.0f ? (float)(job->scale * job->residual[i]) : 0.0f;
}
static void scale_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    const apply_job* job = ctx;
    const amg_level* l   = job->l;
    for (int i = begin; i < end; i++) job->out[i] = l->inverse[i] > 0.0f ? job->most * (double)l->x[i] : 0.0;
}

// Scaled to a largest of one, which floats hold whatever the units are.
void shoal_amg_apply(void* of, const shoal_exec* exec, const double* residual, double* out) {
    shoal_amg* amg   = of;
    amg_level* l     = &amg->levels[0];
    int        rows  = l->a.rows;
    double     most  = shoal_max(exec, rows, largest_of, (void*)(uintptr_t)residual);
    double     scale = most > 0.0 ? 1.0 / most : 0.0;
    apply_job  job   = {l, residual, out, most, scale};
    shoal_blocks(exec, rows, BLOCK, take_block, &job);
    cycle(amg, 0, exec);
    shoal_blocks(exec, rows, BLOCK, scale_block, &job);
}
