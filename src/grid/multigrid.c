// SPDX-License-Identifier: MIT
// One symmetric V-cycle on aggregates of 2 x 2 x 2 cells. Pieces of liquid that touch no other fall
// together on coarser levels, cells without neighbours drop out, so thin sheets and spray cost no
// more than their cells.
//
// Smoothing is weighted Jacobi with the weights of a Chebyshev polynomial: a matrix whose diagonal
// dominates has, scaled by it, no eigenvalue above 2, so the polynomial is below 1 on all of (0, 2]
// and the cycle is positive definite for any weights. The sweeps before and after are the same
// polynomial, so it is symmetric. Two such sweeps reduce what the coarse level cannot see by 0.34,
// against 0.51 for two of plain damped Jacobi, and need no colours.
#include "grid/poisson_local.h"
#include "math/cholesky.h"

#include <math.h>
#include <string.h>

enum { FAMILY_BLOCK = 1024 };

// Lower end of the eigenvalues the smoother takes care of.
static const double SMOOTH_FROM = 2.0 / 6.0;

// Inverse of the k-th root of the Chebyshev polynomial of degree POISSON_SWEEPS on [SMOOTH_FROM,
// 2].
static float sweep_weight(int k) {
    double middle = 0.5 * (2.0 + SMOOTH_FROM), half = 0.5 * (2.0 - SMOOTH_FROM);
    return (float)(1.0 / (middle + half * cos(3.14159265358979323846 * (k + 0.5) / POISSON_SWEEPS)));
}

// ---- the coarsest level: Cholesky ----

static void dense_factor(shoal_poisson* p) {
    const poisson_level* l = &p->levels[p->level_count - 1];
    int                  n = l->count;
    for (int i = 0; i < n; i++) memset(p->dense[i], 0, sizeof p->dense[i]);
    for (int k = 0; k < l->piece_count; k++) {
        const poisson_piece* s = &l->pieces[k];
        for (int i = s->begin; i < s->begin + s->count; i++) {
            p->dense[i][i] += (double)l->anchor[i];
            const float weight[3] = {l->plus_x[i], l->plus_y[i], l->plus_z[i]};
            const int   there[3]  = {i + 1, i + s->plus_y, i + s->plus_z};
            for (int a = 0; a < 3; a++) {
                if (!(weight[a] > 0.0f)) continue;
                double w = (double)weight[a];
                p->dense[i][i] += w;
                p->dense[there[a]][there[a]] += w;
                p->dense[there[a] > i ? there[a] : i][there[a] > i ? i : there[a]] -= w;
            }
        }
    }
    for (int r = 0; r < l->row_count; r++) {
        double w = (double)l->rows[r].wrap;
        if (!(w > 0)) continue;
        int first = l->rows[r].begin, last = l->rows[r + 1].begin - 1;
        p->dense[first][first] += w;
        p->dense[last][last] += w;
        p->dense[last][first] -= w;
    }
    shoal_cholesky_factor(p->dense[0], n, POISSON_COARSEST, 1e-13, 0.0);
}

static void dense_solve(const shoal_poisson* p) {
    const poisson_level* l = &p->levels[p->level_count - 1];
    double               v[POISSON_COARSEST];
    for (int i = 0; i < l->count; i++) v[i] = (double)l->rhs[i];
    shoal_cholesky_solve(p->dense[0], l->count, POISSON_COARSEST, v);
    for (int i = 0; i < l->count; i++) l->value[i] = (float)v[i];
}

shoal_status multigrid_build(shoal_poisson* p, const shoal_exec* exec, const poisson_loops* loops) {
    int count = 1;
    for (;; count++) {
        poisson_level* l    = &p->levels[count - 1];
        poisson_pass   pass = {.level = l};
        shoal_blocks(exec, l->task_count, 1, loops->diagonal, &pass);
        poisson_wrap_diagonal(l);
        if (l->count <= POISSON_COARSEST || count == POISSON_LEVELS) break;
        SHOAL_TRY(poisson_coarsen(l, exec, l + 1));
        if (l[1].count == 0) break;
    }
    p->level_count = count;
    if (p->levels[count - 1].count <= POISSON_COARSEST) dense_factor(p);
    return SHOAL_OK;
}

// ---- the cycle ----

static void restrict_families(void* ctx, int begin, int end, int worker) {
    (void)worker;
    const poisson_level *fine = ctx, *coarse = fine + 1;
    for (int i = begin; i < end; i++) {
        float sum = 0;
        for (int r = 0; r < 4; r++) {
            uint32_t     child = fine->child[4 * (size_t)i + (size_t)r];
            const float* from  = fine->other + child / 4;
            if (child & 3) sum += (child & 3) == 2 ? from[0] + from[1] : from[0];
        }
        coarse->rhs[i] = sum;
    }
}

static void prolong_families(void* ctx, int begin, int end, int worker) {
    (void)worker;
    const poisson_level *fine = ctx, *coarse = fine + 1;
    for (int i = begin; i < end; i++)
        for (int r = 0; r < 4; r++) {
            uint32_t child = fine->child[4 * (size_t)i + (size_t)r];
            float*   to    = fine->value + child / 4;
            if (child & 3) to[0] += coarse->value[i];
            if ((child & 3) == 2) to[1] += coarse->value[i];
        }
}

static void sweep(poisson_level* l, const shoal_exec* exec, const poisson_loops* loops, int k) {
    poisson_pass pass = {.level = l, .from = l->value, .to = l->other, .weight = sweep_weight(k)};
    shoal_blocks(exec, l->task_count, 1, loops->relax, &pass);
    poisson_wrap_add(l, pass.from, pass.to, pass.weight);
    l->other = l->value;
    l->value = pass.to;
}

static void cycle(shoal_poisson* p, int level, const shoal_exec* exec, const poisson_loops* loops) {
    poisson_level* l       = &p->levels[level];
    bool           is_last = level + 1 == p->level_count;
    if (is_last && l->count <= POISSON_COARSEST) {
        dense_solve(p);
        return;
    }
    poisson_pass pass = {.level = l, .to = l->value, .weight = is_last ? 1.0f : sweep_weight(0)};
    shoal_blocks(exec, l->count, POISSON_BLOCK, loops->begin, &pass);
    if (is_last) return; // no cell has neighbours: done

    for (int k = 1; k < POISSON_SWEEPS; k++) sweep(l, exec, loops, k);
    pass.from = l->value;
    pass.to   = l->other;
    shoal_blocks(exec, l->task_count, 1, loops->residual, &pass);
    poisson_wrap_add(l, pass.from, pass.to, 0.0f);
    shoal_blocks(exec, l[1].count, FAMILY_BLOCK, restrict_families, l);

    cycle(p, level + 1, exec, loops);

    shoal_blocks(exec, l[1].count, FAMILY_BLOCK, prolong_families, l);
    for (int k = 0; k < POISSON_SWEEPS; k++) sweep(l, exec, loops, k);
}

void multigrid_apply(shoal_poisson* p, const shoal_exec* exec, const poisson_loops* loops) { cycle(p, 0, exec, loops); }
