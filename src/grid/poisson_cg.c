// SPDX-License-Identifier: MIT
// Conjugate gradients in double. The preconditioner works in float and so is a little different
// each time: the flexible formula (Polak-Ribiere) forgives that. Sums are added in the order of
// their blocks.
#include "grid/poisson_local.h"

#include <math.h>
#include <string.h>

enum { STARTS = 4 };

typedef struct solve_job {
    shoal_poisson*       p;
    const shoal_exec*    exec;
    const poisson_loops* loops;
    const double*        given; // right-hand side
    double*              pressure;
    double               scale; // rhs is kept times this
    bool                 has_guess;
    double               square, most; // of the residual
} solve_job;

static double sum_parts(const shoal_poisson* p, int count, int which) {
    double sum = 0;
    for (int k = 0; k < count; k++) sum += p->parts[(size_t)k * POISSON_SUMS + (size_t)which];
    return sum;
}

static int block_count(const shoal_poisson* p) { return (p->levels[0].count + POISSON_BLOCK - 1) / POISSON_BLOCK; }

// image = matrix times vector; returns vector . image
static double apply(solve_job* s, const double* vector) {
    poisson_level* l    = &s->p->levels[0];
    poisson_pass   pass = {.level = l, .poisson = s->p, .multiply = vector};
    shoal_blocks(s->exec, l->task_count, 1, s->loops->apply, &pass);
    return sum_parts(s->p, l->task_count, 0) + poisson_wrap_apply(l, vector, s->p->image);
}

// solution += step search, residual -= step image
static void advance(solve_job* s, double step) {
    poisson_pass pass = {.poisson = s->p, .step = step};
    shoal_blocks(s->exec, s->p->levels[0].count, POISSON_BLOCK, s->loops->advance, &pass);
    s->square = sum_parts(s->p, block_count(s->p), 0);
    s->most   = 0;
    for (int k = 0; k < block_count(s->p); k++) s->most = fmax(s->most, s->p->parts[(size_t)k * POISSON_SUMS + 1]);
}

static void precondition(solve_job* s, double* residual_value, double* image_value) {
    if (s->p->method == SHOAL_POISSON_MIC)
        mic_apply(s->p);
    else
        multigrid_apply(s->p, s->exec, s->loops);
    poisson_pass pass = {.poisson = s->p};
    shoal_blocks(s->exec, s->p->levels[0].count, POISSON_BLOCK, s->loops->products, &pass);
    *residual_value = sum_parts(s->p, block_count(s->p), 0);
    *image_value    = sum_parts(s->p, block_count(s->p), 1);
}

static double largest(void* ctx, int begin, int end) {
    const double* v    = ctx;
    double        most = 0;
    for (int i = begin; i < end; i++) {
        double size = fabs(v[i]);
        if (!(size <= 1.0e300)) return (double)INFINITY;
        most = size > most ? size : most;
    }
    return most;
}

static double square_sum(void* ctx, int begin, int end) {
    const double* v   = ctx;
    double        sum = 0;
    for (int i = begin; i < end; i++) sum += v[i] * v[i];
    return sum;
}

static void take(void* ctx, int begin, int end, int worker) {
    (void)worker;
    solve_job*     s = ctx;
    shoal_poisson* p = s->p;
    // pressure = solution / rhs scale * weight scale
    double to_solution = s->scale / p->scale;
    for (int k = begin; k < end; k++) {
        p->rhs[k]      = s->scale * s->given[p->order[k]];
        p->solution[k] = s->has_guess ? to_solution * s->pressure[p->order[k]] : 0.0;
        p->search[k]   = 0;
    }
}

static void return_result(void* ctx, int begin, int end, int worker) {
    (void)worker;
    solve_job*     s           = ctx;
    shoal_poisson* p           = s->p;
    double         to_pressure = p->scale / s->scale;
    for (int k = begin; k < end; k++) s->pressure[p->order[k]] = to_pressure * p->solution[k];
}

// residual = rhs - matrix solution, from scratch; its rounded copy is the right-hand side of level
// 0
static void residual_anew(solve_job* s) {
    apply(s, s->p->solution);
    memcpy(s->p->residual, s->p->rhs, (size_t)s->p->levels[0].count * sizeof *s->p->rhs);
    memset(s->p->search, 0, (size_t)s->p->levels[0].count * sizeof *s->p->search);
    advance(s, 1.0);
}

typedef struct goal {
    double square, most;
} goal;

static bool is_reached(const solve_job* s, goal g) { return s->square <= g.square || s->most <= g.most; }

// From the present solution until the goal, or no further. Returns the iterations used.
static int iterate(solve_job* s, goal g, int most) {
    double before = 0, step = 0;
    for (int k = 0; k < most; k++) {
        double here, turned;
        precondition(s, &here, &turned);
        if (!(here > 0) || !isfinite(here)) return k;
        poisson_pass pass = {.poisson = s->p, .step = k == 0 ? 0.0 : -step * turned / before};
        shoal_blocks(s->exec, s->p->levels[0].count, POISSON_BLOCK, s->loops->turn, &pass);
        double bend = apply(s, s->p->search);
        if (!(bend > 0) || !isfinite(bend)) return k;
        before = here;
        step   = here / bend;
        advance(s, step);
        if (is_reached(s, g)) return k + 1;
    }
    return most;
}

// What is reported is the true residual. Where rounding has led the running one away from it, once
// more from there.
static void reach(solve_job* s, goal g, int most, shoal_poisson_report* report) {
    residual_anew(s);
    for (int k = 0; k < STARTS && !is_reached(s, g) && report->iterations < most; k++) {
        int used = iterate(s, g, most - report->iterations);
        report->iterations += used;
        residual_anew(s);
        if (used == 0) break;
    }
    report->is_converged = is_reached(s, g);
}

shoal_status shoal_poisson_solve(shoal_poisson* p, const shoal_exec* exec, const shoal_poisson_def* def,
                                 const double* rhs, double* pressure, bool has_guess, shoal_poisson_report* report) {
    if (p->level_count == 0) return shoal_fail(SHOAL_ERR_INTERNAL, "pressure: no system is set");
    int                  n       = p->levels[0].count;
    shoal_poisson_report unheard = {0};
    if (!report) report = &unheard;
    *report = (shoal_poisson_report){
        .levels = p->level_count, .closed_count = p->closed_count, .closed_cells = p->closed_cells};

    double most = shoal_max(exec, n, largest, (void*)(uintptr_t)rhs);
    if (isinf(most) && n > 0) return shoal_fail(SHOAL_ERR_DIVERGE, "pressure: a right-hand side is not finite");
    if (has_guess && n > 0 && isinf(shoal_max(exec, n, largest, pressure)))
        return shoal_fail(SHOAL_ERR_DIVERGE, "pressure: a first guess is not finite");
    solve_job s = {.p         = p,
                   .exec      = exec,
                   .loops     = poisson_loops_for(def->isa),
                   .given     = rhs,
                   .pressure  = pressure,
                   .has_guess = has_guess};
    s.scale     = n > 0 ? poisson_scale(most) : 1.0;
    shoal_blocks(exec, n, POISSON_BLOCK, take, &s);
    report->closed_excess = poisson_closed_mean(p, p->rhs) / s.scale;

    double norm = sqrt(shoal_sum(exec, n, square_sum, p->rhs));
    if (norm > 0) {
        goal g = {def->tolerance * norm * def->tolerance * norm, def->tolerance_max * s.scale};
        reach(&s, g, def->iterations, report);
        if (!isfinite(s.square)) return shoal_fail(SHOAL_ERR_DIVERGE, "pressure: the solution is not finite");
        report->residual     = sqrt(s.square) / norm;
        report->residual_max = s.most / s.scale;
        poisson_closed_mean(p, p->solution);
    } else {
        memset(p->solution, 0, (size_t)n * sizeof *p->solution);
        report->is_converged = true;
    }
    shoal_blocks(exec, n, POISSON_BLOCK, return_result, &s);
    return SHOAL_OK;
}
