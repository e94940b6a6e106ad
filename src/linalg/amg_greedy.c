// SPDX-License-Identifier: MIT
// Multigrid by greedy coarsening, as Chentanez et al. 2007, 3.5 have it: some unknowns stay on the coarser level, the
// others are plain means of those beside them, sweeps of Gauss and Seidel smooth, full cycles are repeated until what
// is left is small. For comparison: sweeps go row by row, by one thread.
#include "linalg/amg_local.h"

#include <math.h>

// --- unknowns that stay

enum { OPEN = -1, FINE = -2 };

// Unknowns that are open, beside a fine one, by how many open ones are beside them: lists that begin at first[count].
typedef struct greedy_queue {
    int *counts, *next, *before, *first;
    int  top; // no list above it has any
} greedy_queue;

enum { NONE = -1, NOT_IN = -2 };

static void unlink_from(greedy_queue* q, int i) {
    if (q->before[i] == NOT_IN) return;
    if (q->before[i] == NONE)
        q->first[q->counts[i]] = q->next[i];
    else
        q->next[q->before[i]] = q->next[i];
    if (q->next[i] != NONE) q->before[q->next[i]] = q->before[i];
    q->before[i] = NOT_IN;
}
static void link_to(greedy_queue* q, int i) {
    int* first   = &q->first[q->counts[i]];
    q->next[i]   = *first;
    q->before[i] = NONE;
    if (*first != NONE) q->before[*first] = i;
    *first = i;
    if (q->counts[i] > q->top) q->top = q->counts[i];
}
static int take_largest(greedy_queue* q) {
    while (q->top >= 0 && q->first[q->top] == NONE) q->top--;
    return q->top < 0 ? NONE : q->first[q->top];
}

static bool is_beside(const amg_matrix* a, int i, int k) { return a->column[k] != i && a->value[k] != 0.0f; }

// i stays: those beside it are fine, and the open ones beside these have one open neighbour less and are next.
static void keep(const amg_matrix* a, greedy_queue* q, int* to, int i) {
    for (int k = a->start[i]; k < a->start[i + 1]; k++) {
        int fine = a->column[k];
        if (!is_beside(a, i, k) || to[fine] != OPEN) continue;
        unlink_from(q, fine);
        to[fine] = FINE;
        for (int l = a->start[fine]; l < a->start[fine + 1]; l++) {
            int open = a->column[l];
            if (!is_beside(a, fine, l) || to[open] != OPEN) continue;
            unlink_from(q, open);
            q->counts[open] -= q->counts[open] > 0; // of two that are beside each other one may not know, by rounding
            link_to(q, open);
        }
    }
}

// to[i]: the number that an unknown has on the coarser level, FINE: it has none. One without neighbours is solved by
// a sweep.
static shoal_status divide(shoal_amg* amg, const amg_level* l, int* count) {
    const amg_matrix* a = &l->a;
    int               n = a->rows, most = 0, *to = amg->aggregate;
    for (int i = 0; i < n; i++) most = a->start[i + 1] - a->start[i] > most ? a->start[i + 1] - a->start[i] : most;
    SHOAL_TRY(shoal_arena_reserve(amg->arena, (void**)&amg->queue, &amg->queue_capacity, 3 * n + most + 1,
                                  sizeof *amg->queue));
    greedy_queue q = {amg->queue, amg->queue + n, amg->queue + 2 * n, amg->queue + 3 * n, -1};
    for (int k = 0; k <= most; k++) q.first[k] = NONE;
    for (int i = 0; i < n; i++) {
        q.counts[i] = 0;
        q.before[i] = NOT_IN;
        for (int k = a->start[i]; k < a->start[i + 1]; k++) q.counts[i] += is_beside(a, i, k);
        to[i] = l->inverse[i] > 0.0f && q.counts[i] > 0 ? OPEN : FINE;
    }
    *count = 0;
    for (int i, start = 0;;) {
        if ((i = take_largest(&q)) == NONE) { // a part that has none yet
            while (start < n && to[start] != OPEN) start++;
            if ((i = start) == n) return SHOAL_OK;
        }
        unlink_from(&q, i);
        to[i] = (*count)++;
        keep(a, &q, to, i);
    }
}

// --- means

static int mean_row(const amg_matrix* a, const int* to, int i, int* column, float* value) {
    int count = 0;
    if (to[i] >= 0) {
        if (column) column[0] = to[i], value[0] = 1.0f;
        return 1;
    }
    for (int k = a->start[i]; k < a->start[i + 1]; k++) {
        if (!is_beside(a, i, k) || to[a->column[k]] < 0) continue;
        if (column) column[count] = to[a->column[k]];
        count++;
    }
    for (int k = 0; column && k < count; k++) value[k] = 1.0f / (float)count;
    return count;
}

shoal_status amg_spread_greedily(shoal_amg* amg, amg_level* l, const shoal_exec* exec, int* count) {
    (void)exec;
    int n = l->a.rows;
    SHOAL_TRY(divide(amg, l, count));
    for (int i = 0; i < n; i++) amg->lengths[i] = mean_row(&l->a, amg->aggregate, i, NULL, NULL);
    SHOAL_TRY(amg_shape(amg->arena, &l->up, n, *count, amg->lengths));
    for (int i = 0; i < n; i++)
        mean_row(&l->a, amg->aggregate, i, l->up.column + l->up.start[i], l->up.value + l->up.start[i]);
    return SHOAL_OK;
}

// --- cycles

enum { SWEEPS = 2, SWEEPS_OF_LAST = 40 }; // of a coarsest level that is too large to be factored

static void relax(amg_level* l, int i) {
    float sum = l->b[i];
    for (int k = l->a.start[i]; k < l->a.start[i + 1]; k++) sum -= l->a.value[k] * l->x[l->a.column[k]];
    l->x[i] += l->inverse[i] * sum;
}
static void sweep(amg_level* l, int times) {
    for (; times > 0; times--)
        for (int i = 0; i < l->a.rows; i++) relax(l, i);
}
static void sweep_back(amg_level* l, int times) {
    for (; times > 0; times--)
        for (int i = l->a.rows - 1; i >= 0; i--) relax(l, i);
}

static void solve_last(shoal_amg* amg, amg_level* l) {
    if (amg->is_factored) {
        amg_solve_coarsest(amg, l);
        return;
    }
    for (int i = 0; i < l->a.rows; i++) l->x[i] = 0.0f;
    sweep(l, SWEEPS_OF_LAST);
    sweep_back(l, SWEEPS_OF_LAST);
}

// On from the x that is there.
static void cycle(shoal_amg* amg, int k, const shoal_exec* exec) {
    amg_level *l = &amg->levels[k], *next = l + 1;
    if (k == amg->level_count - 1) {
        solve_last(amg, l);
        return;
    }
    sweep(l, SWEEPS);
    amg_times(&l->a, exec, l->x, l->r);
    for (int i = 0; i < l->a.rows; i++) l->r[i] = l->inverse[i] > 0.0f ? l->b[i] - l->r[i] : 0.0f;
    amg_times(&l->down, exec, l->r, next->b);
    for (int i = 0; i < next->a.rows; i++) next->x[i] = 0.0f;
    cycle(amg, k + 1, exec);
    amg_times(&l->up, exec, next->x, l->d);
    for (int i = 0; i < l->a.rows; i++) l->x[i] += l->d[i];
    sweep_back(l, SWEEPS);
}

// Down to the coarsest level, and up with a cycle from each.
static void full_cycle(shoal_amg* amg, const shoal_exec* exec) {
    for (int k = 0; k + 1 < amg->level_count; k++)
        amg_times(&amg->levels[k].down, exec, amg->levels[k].b, amg->levels[k + 1].b);
    solve_last(amg, &amg->levels[amg->level_count - 1]);
    for (int k = amg->level_count - 2; k >= 0; k--) {
        amg_times(&amg->levels[k].up, exec, amg->levels[k + 1].x, amg->levels[k].x);
        cycle(amg, k, exec);
    }
}

static double length(const double* v, int n) {
    double sum = 0.0;
    for (int i = 0; i < n; i++) sum += v[i] * v[i];
    return sqrt(sum);
}

// residual = b - A x for those that move; the largest of it.
static double left_of(const shoal_amg* amg, const shoal_csr* m, const shoal_exec* exec, const double* b,
                      const double* x, double* residual) {
    double most = 0.0;
    shoal_csr_times(m, exec, x, residual);
    for (int i = 0; i < m->rows; i++) {
        residual[i] = amg->levels[0].inverse[i] > 0.0f ? b[i] - residual[i] : 0.0;
        most        = fmax(most, fabs(residual[i]));
    }
    return most;
}

shoal_status shoal_amg_full_cycles(shoal_amg* amg, const shoal_exec* exec, const shoal_csr* m, const double* b,
                                   double* x, double tolerance, int cycles_most, shoal_amg_end* end) {
    amg_level* first = &amg->levels[0];
    int        n     = m->rows;
    *end             = (shoal_amg_end){0};
    SHOAL_TRY(
        shoal_arena_reserve(amg->arena, (void**)&amg->residual, &amg->residual_capacity, n, sizeof *amg->residual));
    for (int i = 0; i < n; i++) amg->residual[i] = first->inverse[i] > 0.0f ? b[i] : 0.0;
    double whole = length(amg->residual, n);
    for (;; end->cycles++) {
        double most   = left_of(amg, m, exec, b, x, amg->residual);
        end->residual = whole > 0.0 ? length(amg->residual, n) / whole : 0.0;
        if ((end->is_solved = end->residual <= tolerance) || end->cycles == cycles_most || !(most > 0.0))
            return SHOAL_OK;
        for (int i = 0; i < n; i++)
            first->b[i] = (float)(amg->residual[i] / most); // floats hold it, whatever the units are
        full_cycle(amg, exec);
        for (int i = 0; i < n; i++)
            if (first->inverse[i] > 0.0f) x[i] += most * (double)first->x[i];
    }
}
