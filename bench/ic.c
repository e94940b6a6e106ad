// SPDX-License-Identifier: MIT
#include "ic.h"

#include <math.h>

// A pivot below this fraction of the diagonal is none.
#define LEAST_PIVOT 1e-3

void shoal_ic_free(shoal_ic* ic) {
    shoal_free(ic->start);
    shoal_free(ic->column);
    shoal_free(ic->value);
    shoal_free(ic->inverse);
    *ic = (shoal_ic){0};
}

static bool is_left(const shoal_csr* m, const uint8_t* held, int i, int64_t k) {
    return m->column[k] < i && !(held && held[m->column[k]]);
}

// The entries of a row left of the diagonal, in order; gives how many.
static int take_row(const shoal_csr* m, const uint8_t* held, int i, int* column, double* value) {
    int count = 0;
    for (int64_t k = m->start[i]; k < m->start[i + 1]; k++) {
        if (!is_left(m, held, i, k)) continue;
        int at = count++;
        for (; at > 0 && column[at - 1] > m->column[k]; at--) column[at] = column[at - 1], value[at] = value[at - 1];
        column[at] = m->column[k], value[at] = m->value[k];
    }
    return count;
}

// What two rows have in common left of a column.
static double common(const shoal_ic* ic, int64_t i, int64_t i_end, int64_t j, int64_t j_end) {
    double sum = 0.0;
    while (i < i_end && j < j_end) {
        if (ic->column[i] == ic->column[j])
            sum += ic->value[i++] * ic->value[j++];
        else if (ic->column[i] < ic->column[j])
            i++;
        else
            j++;
    }
    return sum;
}

static void factor_row(shoal_ic* ic, int i, double diagonal) {
    double pivot = diagonal;
    for (int64_t k = ic->start[i]; k < ic->start[i + 1]; k++) {
        int    j     = ic->column[k];
        double v     = ic->value[k] - common(ic, ic->start[i], k, ic->start[j], ic->start[j + 1]);
        ic->value[k] = v * ic->inverse[j];
        pivot -= ic->value[k] * ic->value[k];
    }
    ic->inverse[i] = diagonal > 0.0 ? 1.0 / sqrt(pivot > LEAST_PIVOT * diagonal ? pivot : diagonal) : 0.0;
}

shoal_status shoal_ic_setup(shoal_ic* ic, const shoal_csr* m, const uint8_t* held) {
    int64_t entries = 0;
    ic->rows        = 0;
    SHOAL_TRY(shoal_reserve((void**)&ic->start, &ic->start_capacity, m->rows + 1, sizeof *ic->start));
    SHOAL_TRY(shoal_reserve((void**)&ic->inverse, &ic->inverse_capacity, m->rows, sizeof *ic->inverse));
    for (int i = 0; i < m->rows; i++) {
        ic->start[i] = entries;
        if (held && held[i]) continue;
        for (int64_t k = m->start[i]; k < m->start[i + 1]; k++) entries += is_left(m, held, i, k);
    }
    ic->start[m->rows] = entries;
    if (entries > INT32_MAX) return shoal_fail(SHOAL_ERR_MEMORY, "factors: %lld entries", (long long)entries);
    SHOAL_TRY(shoal_reserve((void**)&ic->column, &ic->column_capacity, (int)entries, sizeof *ic->column));
    SHOAL_TRY(shoal_reserve((void**)&ic->value, &ic->value_capacity, (int)entries, sizeof *ic->value));
    ic->rows = m->rows;
    for (int i = 0; i < m->rows; i++) {
        bool is_held = held && held[i];
        if (!is_held) take_row(m, held, i, ic->column + ic->start[i], ic->value + ic->start[i]);
        factor_row(ic, i, is_held ? 0.0 : shoal_csr_at(m, i, i));
    }
    return SHOAL_OK;
}

void shoal_ic_apply(void* factors, const shoal_exec* exec, const double* residual, double* out) {
    const shoal_ic* ic = factors;
    (void)exec;
    for (int i = 0; i < ic->rows; i++) {
        double sum = residual[i];
        for (int64_t k = ic->start[i]; k < ic->start[i + 1]; k++) sum -= ic->value[k] * out[ic->column[k]];
        out[i] = sum * ic->inverse[i];
    }
    for (int i = ic->rows - 1; i >= 0; i--) {
        out[i] *= ic->inverse[i];
        for (int64_t k = ic->start[i]; k < ic->start[i + 1]; k++) out[ic->column[k]] -= ic->value[k] * out[i];
    }
}
