// SPDX-License-Identifier: MIT
// Memory of a level, and its rows cut into pieces. Stretches without a gap are found by doubling
// steps, so the work follows the number of pieces, not of cells.
#include "grid/poisson_local.h"

#include <string.h>

enum { ROW_BLOCK = 64, FLOAT_ARRAYS = 9 };

// Floats have their rim; what lies behind the last cell is read, times a weight of 0, and so must
// be finite.
shoal_status poisson_level_reserve(poisson_level* l, int count) {
    if (count > l->cell_capacity || !l->floats) {
        size_t capacity  = ((size_t)count + (size_t)count / 4 + SHOAL_LANES) / SHOAL_LANES * SHOAL_LANES;
        size_t step      = POISSON_RIM + capacity + SHOAL_LANES;
        l->cell_capacity = 0;
        SHOAL_TRY(shoal_realloc((void**)&l->floats, 0, FLOAT_ARRAYS * step, sizeof(float)));
        SHOAL_TRY(shoal_realloc((void**)&l->x, 0, capacity, sizeof *l->x));
        SHOAL_TRY(shoal_realloc((void**)&l->is_coupled, 0, capacity, sizeof *l->is_coupled));
        float** arrays[FLOAT_ARRAYS] = {&l->plus_x,  &l->plus_y, &l->plus_z, &l->anchor, &l->diagonal,
                                        &l->inverse, &l->value,  &l->other,  &l->rhs};
        for (int a = 0; a < FLOAT_ARRAYS; a++) *arrays[a] = l->floats + (size_t)a * step + POISSON_RIM;
        l->cell_capacity = (int)capacity;
    }
    memset(l->value + count, 0, SHOAL_LANES * sizeof(float));
    memset(l->other + count, 0, SHOAL_LANES * sizeof(float));
    l->count = count;
    return SHOAL_OK;
}

void poisson_level_free(poisson_level* l) {
    void* all[] = {l->floats, l->x, l->is_coupled, l->rows, l->pieces, l->tasks, l->merges, l->child, l->marks};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) shoal_free(all[k]);
}

// ---- pieces ----

enum { MINUS_Y, PLUS_Y, MINUS_Z, PLUS_Z, SIDES };

static int row_at_least(const poisson_level* l, uint64_t key) {
    int low = 0, high = l->row_count;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (l->rows[middle].key < key)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static int row_with(const poisson_level* l, uint32_t y, uint32_t z) {
    uint64_t key = (uint64_t)z << 32 | y;
    int      row = row_at_least(l, key);
    return row < l->row_count && l->rows[row].key == key ? row : -1;
}

// The rows beside each row, found by cursors that only move forward.
typedef struct row_walk {
    const poisson_level* level;
    int                  minus_z, plus_z;
} row_walk;

static const uint64_t LAYER = (uint64_t)1 << 32;

static row_walk row_walk_begin(const poisson_level* l, int row) {
    uint64_t key  = l->rows[row].key;
    row_walk walk = {l, row_at_least(l, key - LAYER), row_at_least(l, key + LAYER)};
    return walk;
}

static void row_walk_near(row_walk* w, int row, int near[SIDES]) {
    const poisson_level* l    = w->level;
    const poisson_row*   rows = l->rows;
    int                  last = l->row_count;
    uint64_t             key  = rows[row].key;
    while (w->minus_z < last && rows[w->minus_z].key < key - LAYER) w->minus_z++;
    while (w->plus_z < last && rows[w->plus_z].key < key + LAYER) w->plus_z++;
    near[MINUS_Y] = row > 0 && rows[row - 1].key == key - 1 ? row - 1 : -1;
    near[PLUS_Y]  = row + 1 < last && rows[row + 1].key == key + 1 ? row + 1 : -1;
    near[MINUS_Z] = w->minus_z < last && rows[w->minus_z].key == key - LAYER ? w->minus_z : -1;
    near[PLUS_Z]  = w->plus_z < last && rows[w->plus_z].key == key + LAYER ? w->plus_z : -1;

    uint32_t y = (uint32_t)key, z = (uint32_t)(key >> 32), last_y = l->low[1] + l->period[1] - 1,
             last_z = l->low[2] + l->period[2] - 1;
    if (l->period[1] > 0 && y == l->low[1]) near[MINUS_Y] = row_with(l, last_y, z);
    if (l->period[1] > 0 && y == last_y) near[PLUS_Y] = row_with(l, l->low[1], z);
    if (l->period[2] > 0 && z == l->low[2]) near[MINUS_Z] = row_with(l, y, last_z);
    if (l->period[2] > 0 && z == last_z) near[PLUS_Z] = row_with(l, y, l->low[2]);
}

// How many of the cells from i on, below end, follow each other without a gap.
static int stretch(const uint32_t* x, int i, int end) {
    int most = end - i, sure = 1, step = 1;
    while (sure < most) { // doubling, then halving
        int next = most - sure < step ? most : sure + step;
        if (x[i + next - 1] - x[i] != (uint32_t)(next - 1)) break;
        sure = next;
        step *= 2;
    }
    int low = sure, high = most - sure < step ? most : sure + step;
    while (low < high) {
        int middle = high - (high - low) / 2;
        if (x[i + middle - 1] - x[i] == (uint32_t)(middle - 1))
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

// Cuts a row into pieces; only counts them when out is NULL.
static int row_pieces(const poisson_level* l, int row, const int near[SIDES], poisson_piece* out) {
    int cursor[SIDES], end[SIDES], way[SIDES], count = 0, last = l->rows[row + 1].begin;
    for (int s = 0; s < SIDES; s++) {
        cursor[s] = near[s] < 0 ? 0 : l->rows[near[s]].begin;
        end[s]    = near[s] < 0 ? 0 : l->rows[near[s] + 1].begin;
    }
    for (int i = l->rows[row].begin, length; i < last; i += length) {
        length = last - i < POISSON_PIECE_MOST ? last - i : POISSON_PIECE_MOST;
        length = stretch(l->x, i, i + length);
        for (int s = 0; s < SIDES; s++) {
            int c = cursor[s];
            while (c < end[s] && l->x[c] < l->x[i]) c++;
            cursor[s] = c;
            way[s]    = -POISSON_RIM - i;
            if (c == end[s]) continue;
            uint32_t distance = l->x[c] - l->x[i];
            if (distance == 0) {
                way[s] = c - i;
                length = stretch(l->x, c, end[s] - c < length ? end[s] : c + length);
            } else if (distance < (uint32_t)length)
                length = (int)distance;
        }
        if (out) out[count] = (poisson_piece){i, length, way[MINUS_Y], way[PLUS_Y], way[MINUS_Z], way[PLUS_Z]};
        count++;
    }
    return count;
}

static void count_pieces(void* ctx, int row_begin, int row_end, int worker) {
    (void)worker;
    poisson_level* l    = ctx;
    row_walk       walk = row_walk_begin(l, row_begin);
    int            near[SIDES];
    for (int r = row_begin; r < row_end; r++) {
        row_walk_near(&walk, r, near);
        l->marks[r] = row_pieces(l, r, near, NULL);
    }
}

static void fill_pieces(void* ctx, int row_begin, int row_end, int worker) {
    (void)worker;
    poisson_level* l    = ctx;
    row_walk       walk = row_walk_begin(l, row_begin);
    int            near[SIDES];
    for (int r = row_begin; r < row_end; r++) {
        row_walk_near(&walk, r, near);
        row_pieces(l, r, near, l->pieces + l->marks[r]);
    }
}

static shoal_status tasks_find(poisson_level* l) {
    SHOAL_TRY(poisson_grow((void**)&l->tasks, &l->task_capacity, l->count / POISSON_TASK + 3, sizeof *l->tasks));
    int tasks = 0, cells = POISSON_TASK;
    for (int k = 0; k < l->piece_count; k++) {
        if (cells >= POISSON_TASK) {
            l->tasks[tasks++] = k;
            cells             = 0;
        }
        cells += l->pieces[k].count;
    }
    l->tasks[tasks] = l->piece_count;
    l->task_count   = tasks;
    return SHOAL_OK;
}

shoal_status poisson_pieces_find(poisson_level* l, const shoal_exec* exec) {
    SHOAL_TRY(poisson_grow((void**)&l->marks, &l->mark_capacity, l->row_count + 1, sizeof *l->marks));
    shoal_blocks(exec, l->row_count, ROW_BLOCK, count_pieces, l);
    l->piece_count = 0;
    for (int r = 0; r < l->row_count; r++) {
        int here    = l->marks[r];
        l->marks[r] = l->piece_count;
        l->piece_count += here;
    }
    l->marks[l->row_count] = l->piece_count;
    SHOAL_TRY(poisson_grow((void**)&l->pieces, &l->piece_capacity, l->piece_count + 1, sizeof *l->pieces));
    shoal_blocks(exec, l->row_count, ROW_BLOCK, fill_pieces, l);
    return tasks_find(l);
}

static double row_astray(void* ctx, int row_begin, int row_end) {
    const poisson_level* l   = ctx;
    int                  bad = -1;
    for (int r = row_begin; r < row_end; r++)
        for (int k = l->marks[r]; k < l->marks[r + 1]; k++) {
            const poisson_piece* p       = &l->pieces[k];
            int                  end     = p->begin + p->count;
            bool                 is_last = end == l->rows[r + 1].begin || l->x[end] != l->x[end - 1] + 1;
            if (is_last && l->plus_x[end - 1] > 0.0f) bad = end - 1;
            if (p->begin + p->plus_y < 0)
                for (int i = p->begin; i < end; i++) bad = l->plus_y[i] > 0.0f ? i : bad;
            if (p->begin + p->plus_z < 0)
                for (int i = p->begin; i < end; i++) bad = l->plus_z[i] > 0.0f ? i : bad;
        }
    return bad;
}

int poisson_weight_astray(const poisson_level* l, const shoal_exec* exec) {
    return l->row_count == 0 ? -1 : (int)shoal_max(exec, l->row_count, row_astray, (void*)(uintptr_t)l);
}
