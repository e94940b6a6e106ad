// SPDX-License-Identifier: MIT
// From the caller's order to sorted rows. Stretches of cells that already follow each other along x
// are moved as a whole, so callers whose cells come in rows or blocks pay for few keys.
#include "grid/poisson_local.h"

#include <string.h>

enum { STRETCH_BLOCK = 128, COORDINATE_MOST = 1 << 30 };

typedef struct survey {
    uint32_t low[3], high[3];
    int      stretches;
} survey;

struct poisson_sort_job {
    const shoal_poisson_system* system;
    shoal_poisson*              poisson;
    // coordinates are made unsigned by adding 2^31; keys hold z, y, x above the lowest in as many
    // bits as they need
    uint32_t  low[3];
    int       bits[3];
    survey*   surveys; // [blocks]
    int       count;   // stretches
    uint64_t *keys, *keys_sorted;
    int *     first, *order,
        *begin; // in the caller's order; stretch that comes k-th; where it goes, [count + 1]
    void* sort_scratch;
    int   survey_capacity, stretch_capacity;
};

void poisson_sorting_free(poisson_sort_job* s) {
    if (!s) return;
    void* all[] = {s->surveys, s->keys, s->keys_sorted, s->first, s->order, s->begin, s->sort_scratch, s};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) shoal_free(all[k]);
}

static uint32_t biased(int coordinate) { return (uint32_t)coordinate ^ 0x80000000u; }

// A stretch ends with its block, so that blocks are independent.
static bool is_first(const int (*cell)[3], int i, int block_begin) {
    return i == block_begin || cell[i][0] != cell[i - 1][0] + 1 || cell[i][1] != cell[i - 1][1] ||
           cell[i][2] != cell[i - 1][2];
}

static void survey_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    poisson_sort_job* s = ctx;
    const int(*cell)[3] = s->system->cell;
    int low[3] = {INT32_MAX, INT32_MAX, INT32_MAX}, high[3] = {INT32_MIN, INT32_MIN, INT32_MIN}, stretches = 0;
    for (int i = begin; i < end; i++)
        for (int a = 0; a < 3; a++) {
            low[a]  = cell[i][a] < low[a] ? cell[i][a] : low[a];
            high[a] = cell[i][a] > high[a] ? cell[i][a] : high[a];
        }
    bool is_near = true; // so that adding 1 cannot overflow
    for (int a = 0; a < 3; a++) is_near = is_near && low[a] > -COORDINATE_MOST && high[a] < COORDINATE_MOST;
    for (int i = begin; i < end && is_near; i++) stretches += is_first(cell, i, begin);
    survey* out = &s->surveys[begin / POISSON_BLOCK];
    *out        = (survey){{biased(low[0]), biased(low[1]), biased(low[2])},
                           {biased(high[0]), biased(high[1]), biased(high[2])},
                           stretches};
}

static void name_stretches(void* ctx, int begin, int end, int worker) {
    (void)worker;
    poisson_sort_job* s = ctx;
    const int(*cell)[3] = s->system->cell;
    int k               = s->surveys[begin / POISSON_BLOCK].stretches;
    for (int i = begin; i < end; i++) {
        if (!is_first(cell, i, begin)) continue;
        uint64_t x = biased(cell[i][0]) - s->low[0], y = biased(cell[i][1]) - s->low[1],
                 z    = biased(cell[i][2]) - s->low[2];
        s->keys[k]    = (z << s->bits[1] | y) << s->bits[0] | x;
        s->first[k++] = i;
    }
}

static shoal_status box_find(poisson_sort_job* s, int blocks) {
    uint32_t low[3] = {UINT32_MAX, UINT32_MAX, UINT32_MAX}, high[3] = {0};
    s->count = 0;
    for (int b = 0; b < blocks; b++) {
        int here                = s->surveys[b].stretches;
        s->surveys[b].stretches = s->count;
        s->count += here;
        for (int a = 0; a < 3; a++) {
            low[a]  = s->surveys[b].low[a] < low[a] ? s->surveys[b].low[a] : low[a];
            high[a] = s->surveys[b].high[a] > high[a] ? s->surveys[b].high[a] : high[a];
        }
    }
    int all = 0;
    for (int a = 0; a < 3 && blocks > 0; a++) {
        int period = s->system->period[a];
        if (low[a] <= biased(-COORDINATE_MOST) || high[a] >= biased(COORDINATE_MOST))
            return shoal_fail(SHOAL_ERR_DIVERGE, "pressure: a cell has a coordinate beyond +-2^30");
        if (period < 0 || (period > 0 && (low[a] < biased(0) || high[a] >= biased(0) + (uint32_t)period)))
            return shoal_fail(SHOAL_ERR_INPUT, "pressure: a cell lies outside of [0, %d) of the periodic axis %c",
                              period, 'x' + a);
        s->low[a]  = low[a];
        s->bits[a] = high[a] > low[a] ? 32 - __builtin_clz(high[a] - low[a]) : 0;
        all += s->bits[a];
    }
    if (all > 63)
        return shoal_fail(SHOAL_ERR_DIVERGE,
                          "pressure: the cells are so far apart that they cannot be numbered (2^%d "
                          "x 2^%d x 2^%d)",
                          s->bits[0], s->bits[1], s->bits[2]);
    return SHOAL_OK;
}

static shoal_status stretches_reserve(poisson_sort_job* s) {
    if (s->count + 1 <= s->stretch_capacity) return SHOAL_OK;
    int capacity        = 0;
    s->stretch_capacity = 0;
    SHOAL_TRY(poisson_grow((void**)&s->keys, &capacity, s->count + 1, sizeof *s->keys));
    SHOAL_TRY(shoal_realloc((void**)&s->keys_sorted, 0, (size_t)capacity, sizeof *s->keys_sorted));
    SHOAL_TRY(shoal_realloc((void**)&s->first, 0, (size_t)capacity, sizeof *s->first));
    SHOAL_TRY(shoal_realloc((void**)&s->order, 0, (size_t)capacity, sizeof *s->order));
    SHOAL_TRY(shoal_realloc((void**)&s->begin, 0, (size_t)capacity, sizeof *s->begin));
    SHOAL_TRY(shoal_realloc((void**)&s->sort_scratch, 0, shoal_sort_scratch(capacity), 1));
    s->stretch_capacity = capacity;
    return SHOAL_OK;
}

// Where the sorted stretches go, and the rows they make up.
static shoal_status rows_find(poisson_sort_job* s) {
    poisson_level* l    = &s->poisson->levels[0];
    int            rows = 0, total = 0;
    for (int k = 0; k < s->count; k++) {
        int length  = s->first[s->order[k] + 1] - s->first[s->order[k]];
        s->begin[k] = total;
        total += length;
        if (k + 1 < s->count && s->keys_sorted[k] + (uint64_t)length > s->keys_sorted[k + 1]) {
            const int* c = s->system->cell[s->first[s->order[k + 1]]];
            return shoal_fail(SHOAL_ERR_INPUT, "pressure: cell (%d, %d, %d) is given twice", c[0], c[1], c[2]);
        }
        rows += k == 0 || s->keys_sorted[k] >> s->bits[0] != s->keys_sorted[k - 1] >> s->bits[0];
    }
    s->begin[s->count] = total;
    SHOAL_TRY(poisson_grow((void**)&l->rows, &l->row_capacity, rows + 1, sizeof *l->rows));
    l->row_count = 0;
    for (int k = 0; k < s->count; k++) {
        uint64_t row = s->keys_sorted[k] >> s->bits[0];
        if (k > 0 && row == s->keys_sorted[k - 1] >> s->bits[0]) continue;
        uint64_t z = row >> s->bits[1], y = row - (z << s->bits[1]);
        l->rows[l->row_count++] = (poisson_row){.key = (z + s->low[2]) << 32 | (y + s->low[1]), .begin = s->begin[k]};
    }
    l->rows[l->row_count] = (poisson_row){.key = UINT64_MAX, .begin = total};
    return SHOAL_OK;
}

static void take_stretches(void* ctx, int begin, int end, int worker) {
    (void)worker;
    const poisson_sort_job*     s     = ctx;
    const shoal_poisson_system* from  = s->system;
    poisson_level*              l     = &s->poisson->levels[0];
    const double                scale = s->poisson->scale;
    for (int k = begin; k < end; k++) {
        int      at = s->begin[k], length = s->begin[k + 1] - at, i = s->first[s->order[k]];
        uint32_t x = biased(from->cell[i][0]);
        for (int j = 0; j < length; j++) {
            l->x[at + j]              = x + (uint32_t)j;
            s->poisson->order[at + j] = i + j;
            l->plus_x[at + j]         = (float)(scale * (double)from->plus_x[i + j]);
            l->plus_y[at + j]         = (float)(scale * (double)from->plus_y[i + j]);
            l->plus_z[at + j]         = (float)(scale * (double)from->plus_z[i + j]);
            l->anchor[at + j]         = (float)(scale * (double)from->anchor[i + j]);
        }
    }
}

shoal_status poisson_sort(shoal_poisson* p, const shoal_exec* exec, const shoal_poisson_system* system) {
    if (!p->sorting) p->sorting = shoal_alloc(1, sizeof *p->sorting);
    if (!p->sorting) return SHOAL_ERR_MEMORY;
    poisson_sort_job* s      = p->sorting;
    int               blocks = (system->count + POISSON_BLOCK - 1) / POISSON_BLOCK;
    s->system                = system;
    s->poisson               = p;
    memset(s->bits, 0, sizeof s->bits);
    SHOAL_TRY(poisson_grow((void**)&s->surveys, &s->survey_capacity, blocks, sizeof *s->surveys));
    shoal_blocks(exec, system->count, POISSON_BLOCK, survey_block, s);
    SHOAL_TRY(box_find(s, blocks));
    SHOAL_TRY(stretches_reserve(s));
    shoal_blocks(exec, system->count, POISSON_BLOCK, name_stretches, s);
    s->first[s->count] = system->count;
    shoal_sort_keys(exec, s->keys, s->count, s->bits[0] + s->bits[1] + s->bits[2], s->order, s->keys_sorted,
                    s->sort_scratch);
    SHOAL_TRY(rows_find(s));
    shoal_blocks(exec, s->count, STRETCH_BLOCK, take_stretches, s);
    float* const plus[3] = {p->levels[0].plus_x, p->levels[0].plus_y, p->levels[0].plus_z};
    for (int a = 0; a < 3; a++) {
        p->levels[0].low[a]    = biased(0);
        p->levels[0].period[a] = (uint32_t)system->period[a];
        // a single cell around has no neighbour but itself
        if (system->period[a] == 1) memset(plus[a], 0, (size_t)system->count * sizeof **plus);
    }
    return SHOAL_OK;
}
