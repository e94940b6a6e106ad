// SPDX-License-Identifier: MIT
// The hierarchy of smoothed aggregation: aggregates, how a coarse value is spread over the fine ones, and the
// coarse matrices P^T A P.
#include "base/hash.h"
#include "linalg/amg_local.h"
#include "math/cholesky.h"

#include <math.h>

enum { BLOCK = 256, POWER_STEPS = 10 };

static shoal_status reserve_rows(shoal_arena* arena, amg_matrix* m, int rows, int columns) {
    m->rows    = rows;
    m->columns = columns;
    return shoal_arena_reserve(arena, (void**)&m->start, &m->start_capacity, rows + 1, sizeof *m->start);
}
static shoal_status reserve_entries(shoal_arena* arena, amg_matrix* m, int entries) {
    SHOAL_TRY(shoal_arena_reserve(arena, (void**)&m->column, &m->column_capacity, entries, sizeof *m->column));
    return shoal_arena_reserve(arena, (void**)&m->value, &m->value_capacity, entries, sizeof *m->value);
}
// Lengths of rows become where they start.
shoal_status amg_shape(shoal_arena* arena, amg_matrix* m, int rows, int columns, const int* lengths) {
    SHOAL_TRY(reserve_rows(arena, m, rows, columns));
    int64_t entries = 0;
    for (int i = 0; i < rows; i++) {
        m->start[i] = (int)entries;
        entries += lengths[i];
    }
    if (entries > INT32_MAX) return shoal_fail(SHOAL_ERR_MEMORY, "aggregation: %lld entries", (long long)entries);
    m->start[rows] = (int)entries;
    return reserve_entries(arena, m, (int)entries);
}

static shoal_status reserve_vectors(shoal_arena* arena, amg_level* l) {
    int n = l->a.rows;
    SHOAL_TRY(shoal_arena_reserve(arena, (void**)&l->inverse, &l->inverse_capacity, n, sizeof *l->inverse));
    SHOAL_TRY(shoal_arena_reserve(arena, (void**)&l->x, &l->x_capacity, n, sizeof *l->x));
    SHOAL_TRY(shoal_arena_reserve(arena, (void**)&l->b, &l->b_capacity, n, sizeof *l->b));
    SHOAL_TRY(shoal_arena_reserve(arena, (void**)&l->r, &l->r_capacity, n, sizeof *l->r));
    return shoal_arena_reserve(arena, (void**)&l->d, &l->d_capacity, n, sizeof *l->d);
}

// --- the first level: the matrix without those left out; where none is, its columns are the matrix's own

typedef struct first_job {
    const shoal_csr* from;
    const uint8_t*   held;
    amg_level*       l;
    int*             lengths;
} first_job;

static bool is_held(const first_job* job, int i) { return job->held && job->held[i]; }

// Without a place to write to, counts.
static int copy_row(const first_job* job, int i, int* column, float* value) {
    int count = 0;
    if (is_held(job, i)) return 0;
    for (int64_t k = job->from->start[i]; k < job->from->start[i + 1]; k++) {
        if (is_held(job, job->from->column[k])) continue;
        if (column) column[count] = job->from->column[k];
        if (value) value[count] = (float)job->from->value[k];
        count++;
    }
    return count;
}
static void count_first(void* ctx, int begin, int end, int worker) {
    (void)worker;
    first_job* job = ctx;
    for (int i = begin; i < end; i++) job->lengths[i] = copy_row(job, i, NULL, NULL);
}
static void fill_first(void* ctx, int begin, int end, int worker) {
    (void)worker;
    first_job*  job = ctx;
    amg_matrix* a   = &job->l->a;
    for (int i = begin; i < end; i++)
        copy_row(job, i, a->is_lent ? NULL : a->column + a->start[i], a->value + a->start[i]);
}

static shoal_status take_matrix(shoal_amg* amg, const shoal_exec* exec, const shoal_csr* matrix, const uint8_t* held) {
    amg_matrix* a = &amg->levels[0].a;
    if (a->is_lent) a->column = NULL, a->column_capacity = 0;
    a->is_lent = !held;
    if (a->is_lent) {
        shoal_free(a->column);
        a->column = matrix->column, a->column_capacity = INT32_MAX; // room for all that it may ask for
    }
    SHOAL_TRY(shoal_arena_reserve(amg->arena, (void**)&amg->lengths, &amg->length_capacity, matrix->rows,
                                  sizeof *amg->lengths));
    first_job job = {matrix, held, &amg->levels[0], amg->lengths};
    shoal_blocks(exec, matrix->rows, BLOCK, count_first, &job);
    SHOAL_TRY(amg_shape(amg->arena, a, matrix->rows, matrix->rows, amg->lengths));
    shoal_blocks(exec, matrix->rows, BLOCK, fill_first, &job);
    return SHOAL_OK;
}

static void invert_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    amg_level* l = ctx;
    for (int i = begin; i < end; i++) {
        float diagonal = 0.0f;
        for (int k = l->a.start[i]; k < l->a.start[i + 1]; k++)
            if (l->a.column[k] == i) diagonal += l->a.value[k];
        l->inverse[i] = diagonal > 0.0f ? 1.0f / diagonal : 0.0f;
    }
}

// --- the largest eigenvalue of D^-1 A, by powers from a start that favours none

static double squares_of(void* ctx, int begin, int end) {
    const float* x   = ctx;
    double       sum = 0.0;
    for (int i = begin; i < end; i++) sum += (double)x[i] * (double)x[i];
    return sum;
}

static float radius_of(amg_level* l, const shoal_exec* exec) {
    int    n     = l->a.rows;
    double ratio = 1.0;
    for (int i = 0; i < n; i++)
        l->x[i] = l->inverse[i] > 0.0f ? (float)(2.0 * shoal_random(1, 2, (uint64_t)i) - 1.0) : 0.0f;
    for (int step = 0; step < POWER_STEPS; step++) {
        double before = shoal_sum(exec, n, squares_of, l->x);
        if (!(before > 0.0)) break;
        amg_times(&l->a, exec, l->x, l->r);
        for (int i = 0; i < n; i++) l->x[i] = l->inverse[i] * l->r[i];
        double after = shoal_sum(exec, n, squares_of, l->x);
        ratio        = sqrt(after / before);
        float less   = after > 0.0 ? (float)(1.0 / sqrt(after)) : 0.0f;
        for (int i = 0; i < n; i++) l->x[i] *= less;
    }
    return (float)(1.1 * ratio); // powers come from below
}

// --- aggregates

static bool is_strong(const amg_level* l, int i, int k, double least) {
    int    j = l->a.column[k];
    double v = (double)l->a.value[k];
    return j != i && v * v * (double)l->inverse[i] * (double)l->inverse[j] >= least * least;
}

enum { ALONE = -1 };

// Greedy, in the order of the rows. Gives their number; those without strong neighbours stay alone, smoothing does for
// them.
static int aggregate(const amg_level* l, double least, int* to) {
    int n = l->a.rows, count = 0;
    for (int i = 0; i < n; i++) to[i] = ALONE;
    for (int i = 0; i < n; i++) { // whole neighbourhoods of which nothing is taken
        bool is_free = to[i] == ALONE, has_any = false;
        for (int k = l->a.start[i]; is_free && k < l->a.start[i + 1]; k++)
            if (is_strong(l, i, k, least)) has_any = true, is_free = to[l->a.column[k]] == ALONE;
        if (!is_free || !has_any) continue;
        to[i] = count;
        for (int k = l->a.start[i]; k < l->a.start[i + 1]; k++)
            if (is_strong(l, i, k, least)) to[l->a.column[k]] = count;
        count++;
    }
    for (int i = 0; i < n;
         i++) { // the rest joins its strongest neighbour's; marked, so that none joins one that has just joined
        double most = 0.0;
        int    best = ALONE;
        if (to[i] != ALONE) continue;
        for (int k = l->a.start[i]; k < l->a.start[i + 1]; k++) {
            int j = l->a.column[k];
            if (!is_strong(l, i, k, least) || to[j] < 0) continue;
            double v = fabs((double)l->a.value[k]) * sqrt((double)l->inverse[j]);
            if (v > most) most = v, best = to[j];
        }
        if (best != ALONE) to[i] = -2 - best;
    }
    for (int i = 0; i < n; i++)
        if (to[i] <= -2) to[i] = -2 - to[i];
    for (int i = 0; i < n; i++) { // the remainder between, with its remaining neighbours
        bool has_any = false;
        if (to[i] != ALONE) continue;
        for (int k = l->a.start[i]; k < l->a.start[i + 1]; k++) has_any |= is_strong(l, i, k, least);
        if (!has_any) continue;
        to[i] = count;
        for (int k = l->a.start[i]; k < l->a.start[i + 1]; k++)
            if (is_strong(l, i, k, least) && to[l->a.column[k]] == ALONE) to[l->a.column[k]] = count;
        count++;
    }
    return count;
}

// --- how a coarse value is spread: P = (I - 4/(3 radius) D^-1 A_F) P_0, with weak entries of A_F put on its diagonal

typedef struct spread_job {
    amg_level* l;
    const int* to;
    int*       lengths;
    double     least;
} spread_job;

enum { ROW_MOST = 512 };

static int spread_row(const spread_job* job, int i, int* column, float* value) {
    const amg_level* l     = job->l;
    int              count = 0, own[ROW_MOST];
    double           part[ROW_MOST], diagonal = 0.0, fraction;
    if (!(l->inverse[i] > 0.0f)) return 0;
    for (int k = l->a.start[i]; k < l->a.start[i + 1]; k++)
        if (!is_strong(l, i, k, job->least)) diagonal += (double)l->a.value[k]; // its own too
    if (!(diagonal > 0.0)) diagonal = 1.0 / (double)l->inverse[i];
    fraction = 4.0 / (3.0 * (double)l->radius) / diagonal;
    for (int k = l->a.start[i]; k < l->a.start[i + 1]; k++) {
        int  j       = l->a.column[k];
        bool is_self = j == i;
        if ((!is_self && !is_strong(l, i, k, job->least)) || job->to[j] < 0) continue;
        double v  = is_self ? 1.0 - fraction * diagonal : -fraction * (double)l->a.value[k];
        int    at = 0;
        while (at < count && own[at] != job->to[j]) at++;
        if (at == count) {
            if (count == ROW_MOST) continue;
            own[count] = job->to[j], part[count++] = 0.0;
        }
        part[at] += v;
    }
    for (int k = 0; column && k < count; k++) column[k] = own[k], value[k] = (float)part[k];
    return count;
}
static void count_spread(void* ctx, int begin, int end, int worker) {
    (void)worker;
    spread_job* job = ctx;
    for (int i = begin; i < end; i++) job->lengths[i] = spread_row(job, i, NULL, NULL);
}
static void fill_spread(void* ctx, int begin, int end, int worker) {
    (void)worker;
    spread_job* job = ctx;
    amg_matrix* p   = &job->l->up;
    for (int i = begin; i < end; i++) spread_row(job, i, p->column + p->start[i], p->value + p->start[i]);
}

static shoal_status transpose(shoal_arena* arena, const amg_matrix* m, amg_matrix* to) {
    int entries = m->start[m->rows];
    SHOAL_TRY(reserve_rows(arena, to, m->columns, m->rows));
    SHOAL_TRY(reserve_entries(arena, to, entries));
    for (int j = 0; j <= to->rows; j++) to->start[j] = 0;
    for (int k = 0; k < entries; k++) to->start[m->column[k] + 1]++;
    for (int j = 0; j < to->rows; j++) to->start[j + 1] += to->start[j];
    for (int i = 0; i < m->rows; i++)
        for (int k = m->start[i]; k < m->start[i + 1]; k++) {
            int at         = to->start[m->column[k]]++;
            to->column[at] = i;
            to->value[at]  = m->value[k];
        }
    for (int j = to->rows; j > 0; j--) to->start[j] = to->start[j - 1];
    to->start[0] = 0;
    return SHOAL_OK;
}

// --- products of sparse matrices, row by row

typedef struct product_job {
    const amg_matrix *a, *b;
    amg_matrix*       to;
    int *             lengths, *marker; // marker: [threads][columns of b]
} product_job;

static void count_product(void* ctx, int begin, int end, int worker) {
    product_job* job    = ctx;
    int*         marker = job->marker + (size_t)worker * (size_t)job->b->columns;
    for (int i = begin; i < end; i++) {
        int count = 0;
        for (int k = job->a->start[i]; k < job->a->start[i + 1]; k++)
            for (int j = job->a->column[k], l = job->b->start[j]; l < job->b->start[j + 1]; l++)
                if (marker[job->b->column[l]] != i) marker[job->b->column[l]] = i, count++;
        job->lengths[i] = count;
    }
}
// The marker holds where in the row an entry is; what is before the row, or after what it has, is of another row.
static void fill_product(void* ctx, int begin, int end, int worker) {
    product_job* job    = ctx;
    int*         marker = job->marker + (size_t)worker * (size_t)job->b->columns;
    for (int i = begin; i < end; i++) {
        int first = job->to->start[i], next = first;
        for (int k = job->a->start[i]; k < job->a->start[i + 1]; k++)
            for (int j = job->a->column[k], l = job->b->start[j]; l < job->b->start[j + 1]; l++) {
                int   c = job->b->column[l], at = marker[c];
                float v = job->a->value[k] * job->b->value[l];
                if (at >= first && at < next && job->to->column[at] == c) {
                    job->to->value[at] += v;
                } else {
                    marker[c] = next, job->to->column[next] = c, job->to->value[next++] = v;
                }
            }
    }
}

static shoal_status multiply(shoal_amg* amg, const shoal_exec* exec, const amg_matrix* a, const amg_matrix* b,
                             amg_matrix* to) {
    SHOAL_TRY(
        shoal_arena_reserve(amg->arena, (void**)&amg->lengths, &amg->length_capacity, a->rows, sizeof *amg->lengths));
    SHOAL_TRY(shoal_arena_reserve(amg->arena, (void**)&amg->marker, &amg->marker_capacity, b->columns * exec->threads,
                                  sizeof *amg->marker));
    product_job job = {a, b, to, amg->lengths, amg->marker};
    for (int k = 0; k < b->columns * exec->threads; k++) amg->marker[k] = -1;
    shoal_blocks(exec, a->rows, BLOCK, count_product, &job);
    SHOAL_TRY(amg_shape(amg->arena, to, a->rows, b->columns, amg->lengths));
    for (int k = 0; k < b->columns * exec->threads; k++) amg->marker[k] = -1;
    shoal_blocks(exec, a->rows, BLOCK, fill_product, &job);
    return SHOAL_OK;
}

// --- the coarsest, by Cholesky; a row that hangs on others alone (a region closed on all sides) is left out

static shoal_status factor(shoal_amg* amg) {
    const amg_matrix* a = &amg->levels[amg->level_count - 1].a;
    int               n = a->rows;
    amg->is_factored    = n <= AMG_COARSEST;
    if (!amg->is_factored) return SHOAL_OK;
    SHOAL_TRY(shoal_arena_reserve(amg->arena, (void**)&amg->factor, &amg->factor_capacity, n * n, sizeof *amg->factor));
    SHOAL_TRY(shoal_arena_reserve(amg->arena, (void**)&amg->solved, &amg->solved_capacity, n, sizeof *amg->solved));
    double* f = amg->factor;
    for (int k = 0; k < n * n; k++) f[k] = 0.0;
    for (int i = 0; i < n; i++)
        for (int k = a->start[i]; k < a->start[i + 1]; k++) f[i * n + a->column[k]] += (double)a->value[k];
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++) f[i * n + j] = 0.5 * (f[i * n + j] + f[j * n + i]); // rounding made them differ
    shoal_cholesky_factor(f, n, n, 1e-5, 0.0);
    return SHOAL_OK;
}

// --- all of it

static shoal_status begin_level(shoal_arena* arena, amg_level* l, const shoal_exec* exec) {
    SHOAL_TRY(reserve_vectors(arena, l));
    shoal_blocks(exec, l->a.rows, BLOCK, invert_block, l);
    l->radius = radius_of(l, exec);
    return SHOAL_OK;
}

static shoal_status spread_smoothly(shoal_amg* amg, amg_level* l, const shoal_exec* exec, int* count) {
    double least   = 0.08 * pow(0.5, (double)(l - amg->levels));
    *count         = aggregate(l, least, amg->aggregate);
    spread_job job = {l, amg->aggregate, amg->lengths, least};
    shoal_blocks(exec, l->a.rows, BLOCK, count_spread, &job);
    SHOAL_TRY(amg_shape(amg->arena, &l->up, l->a.rows, *count, amg->lengths));
    shoal_blocks(exec, l->a.rows, BLOCK, fill_spread, &job);
    return SHOAL_OK;
}

// The coarse matrix, of a product that is not kept.
static shoal_status multiply_twice(shoal_amg* amg, amg_level* l, const shoal_exec* exec, amg_matrix* to) {
    shoal_arena* arena    = amg->arena;
    void** const pieces[] = {(void**)&to->start, (void**)&to->column, (void**)&to->value};
    size_t       from     = arena ? arena->used : 0;
    SHOAL_TRY(multiply(amg, exec, &l->a, &l->up, &amg->product));
    size_t end = arena ? arena->used : 0;
    SHOAL_TRY(multiply(amg, exec, &l->down, &amg->product, to));
    if (!arena) return SHOAL_OK;
    shoal_arena_drop(arena, from, end, pieces, 3);
    amg->product = (amg_matrix){0};
    amg->marker = NULL, amg->marker_capacity = 0;
    return SHOAL_OK;
}

// False where a coarser level would not be worth its while.
static shoal_status coarsen(shoal_amg* amg, amg_spread_fn spread, const shoal_exec* exec, bool* is_coarser) {
    amg_level *l = &amg->levels[amg->level_count - 1], *next = l + 1;
    int        n = l->a.rows, count;
    SHOAL_TRY(
        shoal_arena_reserve(amg->arena, (void**)&amg->aggregate, &amg->aggregate_capacity, n, sizeof *amg->aggregate));
    SHOAL_TRY(shoal_arena_reserve(amg->arena, (void**)&amg->lengths, &amg->length_capacity, n, sizeof *amg->lengths));
    SHOAL_TRY(spread(amg, l, exec, &count));
    *is_coarser = count > 0 && count < 0.8 * n;
    if (!*is_coarser) return SHOAL_OK;
    SHOAL_TRY(transpose(amg->arena, &l->up, &l->down));
    SHOAL_TRY(multiply_twice(amg, l, exec, &next->a));
    amg->level_count++;
    return begin_level(amg->arena, next, exec);
}

static shoal_status setup(shoal_amg** out, const shoal_exec* exec, const shoal_csr* matrix, const uint8_t* held,
                          amg_spread_fn spread) {
    if (!*out && !(*out = shoal_alloc(1, sizeof **out))) return SHOAL_ERR_MEMORY;
    shoal_amg* amg = *out;
    amg->arena     = matrix->arena;
    if (amg->arena) *amg = (shoal_amg){.arena = amg->arena}; // what it had was given back
    amg->level_count = 0;
    SHOAL_TRY(take_matrix(amg, exec, matrix, held));
    amg->level_count = 1;
    SHOAL_TRY(begin_level(amg->arena, &amg->levels[0], exec));
    bool is_coarser = true;
    while (is_coarser && amg->level_count < AMG_LEVELS && amg->levels[amg->level_count - 1].a.rows > AMG_COARSEST)
        SHOAL_TRY(coarsen(amg, spread, exec, &is_coarser));
    return factor(amg);
}

shoal_status shoal_amg_setup(shoal_amg** out, const shoal_exec* exec, const shoal_csr* matrix, const uint8_t* held) {
    return setup(out, exec, matrix, held, spread_smoothly);
}
shoal_status shoal_amg_setup_greedy(shoal_amg** out, const shoal_exec* exec, const shoal_csr* matrix,
                                    const uint8_t* held) {
    return setup(out, exec, matrix, held, amg_spread_greedily);
}
