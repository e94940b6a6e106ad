// SPDX-License-Identifier: MIT
#include "linalg/csr.h"

#include <math.h>

void shoal_csr_free(shoal_csr* m) {
    if (!m->arena) {
        shoal_free(m->start);
        shoal_free(m->column);
        shoal_free(m->value);
    }
    *m = (shoal_csr){.arena = m->arena};
}

// A quarter to spare, so that a matrix that grows a little every step seldom asks; none in an arena.
static shoal_status reserve(shoal_csr* m, int rows, int64_t entries) {
    int slack = m->arena ? 0 : rows / 4;
    if (rows + 1 > m->row_capacity) {
        int capacity    = rows + slack + 1;
        m->row_capacity = 0;
        SHOAL_TRY(shoal_arena_grow(m->arena, (void**)&m->start, 0, (size_t)capacity, sizeof *m->start));
        m->row_capacity = capacity;
    }
    if (entries > m->entry_capacity) {
        size_t capacity   = (size_t)(entries + (m->arena ? 0 : entries / 4));
        m->entry_capacity = 0;
        SHOAL_TRY(shoal_arena_grow(m->arena, (void**)&m->column, 0, capacity, sizeof *m->column));
        SHOAL_TRY(shoal_arena_grow(m->arena, (void**)&m->value, 0, capacity, sizeof *m->value));
        m->entry_capacity = (int64_t)capacity;
    }
    return SHOAL_OK;
}

shoal_status shoal_csr_shape(shoal_csr* m, int rows, const int* lengths) {
    int64_t entries = 0;
    for (int i = 0; i < rows; i++) entries += lengths[i];
    m->rows = 0, m->entries = 0;
    SHOAL_TRY(reserve(m, rows, entries));
    m->rows     = rows;
    m->entries  = entries;
    m->start[0] = 0;
    for (int i = 0; i < rows; i++) m->start[i + 1] = m->start[i] + lengths[i];
    return SHOAL_OK;
}

typedef struct times_job {
    const shoal_csr* matrix;
    const double*    x;
    double*          y;
} times_job;

// In four sums side by side: one alone would wait for each of its additions.
static double row_times(const shoal_csr* m, int row, const double* x) {
    const double* value  = m->value + m->start[row];
    const int*    column = m->column + m->start[row];
    int64_t       count = m->start[row + 1] - m->start[row], k = 0;
    double        a = 0.0, b = 0.0, c = 0.0, d = 0.0;
    for (; k + 4 <= count; k += 4) {
        a += value[k] * x[column[k]];
        b += value[k + 1] * x[column[k + 1]];
        c += value[k + 2] * x[column[k + 2]];
        d += value[k + 3] * x[column[k + 3]];
    }
    for (; k < count; k++) a += value[k] * x[column[k]];
    return (a + b) + (c + d);
}

static void times_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    const times_job* job = ctx;
    const shoal_csr* m   = job->matrix;
    for (int i = begin; i < end; i++) job->y[i] = row_times(m, i, job->x);
}

void shoal_csr_times(const shoal_csr* m, const shoal_exec* exec, const double* x, double* y) {
    enum { BLOCK = 1024 };
    times_job job = {m, x, y};
    shoal_blocks(exec, m->rows, BLOCK, times_block, &job);
}

double shoal_csr_at(const shoal_csr* m, int row, int column) {
    double sum = 0.0;
    for (int64_t k = m->start[row]; k < m->start[row + 1]; k++)
        if (m->column[k] == column) sum += m->value[k];
    return sum;
}

double shoal_csr_skew(const shoal_csr* m) {
    double most = 0.0;
    for (int i = 0; i < m->rows; i++)
        for (int64_t k = m->start[i]; k < m->start[i + 1]; k++)
            most = fmax(most, fabs(shoal_csr_at(m, i, m->column[k]) - shoal_csr_at(m, m->column[k], i)));
    return most;
}
