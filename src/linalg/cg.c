// SPDX-License-Identifier: MIT
#include "linalg/cg.h"

#include <math.h>

void shoal_cg_free(shoal_cg* cg) {
    double* const all[] = {cg->residual, cg->way, cg->image, cg->inverse, cg->preconditioned};
    for (int k = 0; k < 5 && !cg->arena; k++) shoal_free(all[k]);
    *cg = (shoal_cg){.arena = cg->arena};
}

static shoal_status reserve(shoal_cg* cg, int rows) {
    double** const all[] = {&cg->residual, &cg->way, &cg->image, &cg->inverse, &cg->preconditioned};
    if (rows <= cg->capacity) return SHOAL_OK;
    int capacity = cg->arena ? rows : rows + rows / 4;
    cg->capacity = 0;
    for (int k = 0; k < 5; k++)
        SHOAL_TRY(shoal_arena_grow(cg->arena, (void**)all[k], 0, (size_t)capacity, sizeof **all[k]));
    cg->capacity = capacity;
    return SHOAL_OK;
}

typedef struct cg_job {
    const shoal_csr*  matrix;
    const shoal_exec* exec;
    const double*     b;
    double*           x;
    const uint8_t*    held;
    shoal_cg*         workspace;
    double            step;
} cg_job;

enum { BLOCK = 1024 };

static void each(cg_job* job, shoal_block_fn fn) { shoal_blocks(job->exec, job->matrix->rows, BLOCK, fn, job); }

// Inverse of the diagonal, 0 for those that do not move; the way is where those stand, for what
// they give to the others.
static void begin_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    cg_job* job = ctx;
    for (int i = begin; i < end; i++) {
        double diagonal            = shoal_csr_at(job->matrix, i, i);
        bool   moves               = !(job->held && job->held[i]) && diagonal > 0.0;
        job->workspace->inverse[i] = moves ? 1.0 / diagonal : 0.0;
        job->workspace->way[i]     = moves ? 0.0 : job->x[i];
    }
}

// The right side of those that move, then their fraction of x as the way.
static void right_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    cg_job*   job = ctx;
    shoal_cg* cg  = job->workspace;
    for (int i = begin; i < end; i++) {
        bool moves      = cg->inverse[i] > 0.0;
        cg->residual[i] = moves ? job->b[i] - cg->image[i] : 0.0;
        cg->way[i]      = moves ? job->x[i] : 0.0;
    }
}

static void first_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    cg_job*   job = ctx;
    shoal_cg* cg  = job->workspace;
    for (int i = begin; i < end; i++) {
        if (cg->inverse[i] > 0.0) cg->residual[i] -= cg->image[i];
        cg->way[i] = cg->inverse[i] * cg->residual[i];
    }
}

static void step_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    cg_job*   job = ctx;
    shoal_cg* cg  = job->workspace;
    for (int i = begin; i < end; i++) {
        if (!(cg->inverse[i] > 0.0)) continue;
        job->x[i] += job->step * cg->way[i];
        cg->residual[i] -= job->step * cg->image[i];
    }
}

static void turn_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    cg_job*   job = ctx;
    shoal_cg* cg  = job->workspace;
    for (int i = begin; i < end; i++) cg->way[i] = cg->inverse[i] * cg->residual[i] + job->step * cg->way[i];
}

// Where nothing pulls, nothing is moved.
static void rest_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    cg_job* job = ctx;
    for (int i = begin; i < end; i++)
        if (job->workspace->inverse[i] > 0.0) job->x[i] = 0.0;
}

// Two vectors of the solve.
typedef struct product {
    const double *a, *b;
} product;

static double product_of(void* ctx, int begin, int end) {
    const product* p   = ctx;
    double         sum = 0.0;
    for (int i = begin; i < end; i++) sum += p->a[i] * p->b[i];
    return sum;
}

static double dot(const cg_job* job, const double* a, const double* b) {
    product p = {a, b};
    return shoal_sum(job->exec, job->matrix->rows, product_of, &p);
}

static double length(const cg_job* job, const double* a) { return sqrt(dot(job, a, a)); }

// The residual squared, by Jacobi's preconditioner.
static double weighed_of(void* ctx, int begin, int end) {
    const shoal_cg* cg  = ((cg_job*)ctx)->workspace;
    double          sum = 0.0;
    for (int i = begin; i < end; i++) sum += cg->residual[i] * cg->inverse[i] * cg->residual[i];
    return sum;
}

static double weigh(cg_job* job) { return shoal_sum(job->exec, job->matrix->rows, weighed_of, job); }

static void image(cg_job* job) { shoal_csr_times(job->matrix, job->exec, job->workspace->way, job->workspace->image); }

static void iterate(cg_job* job, double whole, const shoal_cg_def* def, shoal_cg_end* end) {
    double weighed = weigh(job);
    end->residual  = length(job, job->workspace->residual) / whole;
    while (!(end->is_solved = end->residual <= def->tolerance) && end->iterations < def->most) {
        image(job);
        double bent = dot(job, job->workspace->way, job->workspace->image);
        if (!(bent > 0.0)) return; // no minimum along this way
        job->step = weighed / bent;
        each(job, step_block);
        double before = weighed;
        weighed       = weigh(job);
        job->step     = weighed / before;
        each(job, turn_block);
        end->residual = length(job, job->workspace->residual) / whole;
        end->iterations++;
    }
}

// --- with a preconditioner. Smoothed aggregation rounds and so is not quite the same matrix every time: the way is
// turned by the rule of Polak and Ribiere, which bears that.

static void way_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    cg_job*   job = ctx;
    shoal_cg* cg  = job->workspace;
    for (int i = begin; i < end; i++) cg->way[i] = cg->preconditioned[i] + job->step * cg->way[i];
}

static void precondition(const cg_job* job, const shoal_cg_def* def) {
    def->precondition(def->preconditioner, job->exec, job->workspace->residual, job->workspace->preconditioned);
}

static void iterate_preconditioned(cg_job* job, double whole, const shoal_cg_def* def, shoal_cg_end* end) {
    shoal_cg* cg  = job->workspace;
    end->residual = length(job, job->workspace->residual) / whole;
    if ((end->is_solved = end->residual <= def->tolerance)) return;
    precondition(job, def);
    for (int i = 0; i < job->matrix->rows; i++) cg->way[i] = cg->preconditioned[i];
    while (!(end->is_solved = end->residual <= def->tolerance) && end->iterations < def->most) {
        double weighed =
            dot(job, cg->residual, cg->preconditioned); // of the preconditioned residual that this way began with
        image(job);
        double bent = dot(job, job->workspace->way, job->workspace->image);
        if (!(bent > 0.0)) return; // no minimum along this way
        double step = dot(job, cg->residual, cg->way) / bent;
        job->step   = step;
        each(job, step_block);
        end->residual = length(job, job->workspace->residual) / whole;
        end->iterations++;
        precondition(job, def);
        job->step = weighed > 0.0 ? -step * dot(job, cg->image, cg->preconditioned) / weighed : 0.0;
        each(job, way_block);
    }
}

shoal_status shoal_cg_solve(shoal_cg* cg, const shoal_exec* exec, const shoal_csr* matrix, const double* b, double* x,
                            const shoal_cg_def* def, shoal_cg_end* end) {
    *end = (shoal_cg_end){.is_solved = true};
    if (matrix->rows == 0) return SHOAL_OK;
    SHOAL_TRY(reserve(cg, matrix->rows));
    cg_job job = {matrix, exec, b, x, def->held, cg, 0.0};

    // what held ones give belongs to the right side
    each(&job, begin_block);
    image(&job);
    each(&job, right_block);
    double whole = length(&job, cg->residual);
    if (!(whole > 0.0)) {
        each(&job, rest_block);
        end->is_solved = whole == 0.0; // not of values that are no numbers
        return SHOAL_OK;
    }
    image(&job);
    each(&job, first_block);
    if (def->precondition)
        iterate_preconditioned(&job, whole, def, end);
    else
        iterate(&job, whole, def, end);
    return SHOAL_OK;
}
