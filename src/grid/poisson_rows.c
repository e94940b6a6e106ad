// SPDX-License-Identifier: MIT
// From sorted cells to rows and pieces, and from one level to the next coarser one.
#include "grid/poisson_local.h"

#include <string.h>

enum { ROW_BLOCK = 64, FLOAT_ARRAYS = 9 };

shoal_status poisson_grow(void** memory, int* room, int count, size_t size) {
    if (count <= *room) return SHOAL_OK;
    size_t more = (size_t)count + (size_t)count / 4 + 64;
    *room       = 0;
    SHOAL_TRY(shoal_realloc(memory, 0, more, size));
    *room = (int)(more < INT32_MAX ? more : INT32_MAX);
    return SHOAL_OK;
}

// Floats have their rim; what lies behind the last cell is read, times a weight of 0, and so must
// be finite.
shoal_status poisson_level_reserve(poisson_level* l, int count) {
    if (count > l->cell_room || !l->floats) {
        size_t room = ((size_t)count + (size_t)count / 4 + SHOAL_LANES) / SHOAL_LANES * SHOAL_LANES;
        size_t step = POISSON_RIM + room + SHOAL_LANES;
        l->cell_room = 0;
        SHOAL_TRY(shoal_realloc((void**)&l->floats, 0, FLOAT_ARRAYS * step, sizeof(float)));
        SHOAL_TRY(shoal_realloc((void**)&l->x, 0, room, sizeof *l->x));
        SHOAL_TRY(shoal_realloc((void**)&l->is_coupled, 0, room, sizeof *l->is_coupled));
        float** arrays[FLOAT_ARRAYS] = {&l->plus_x, &l->plus_y,   &l->plus_z,
                                        &l->anchor, &l->diagonal, &l->inverse,
                                        &l->value,  &l->other,    &l->rhs};
        for (int a = 0; a < FLOAT_ARRAYS; a++)
            *arrays[a] = l->floats + (size_t)a * step + POISSON_RIM;
        l->cell_room = (int)room;
    }
    memset(l->value + count, 0, SHOAL_LANES * sizeof(float));
    memset(l->other + count, 0, SHOAL_LANES * sizeof(float));
    l->count = count;
    return SHOAL_OK;
}

void poisson_level_free(poisson_level* l) {
    void* all[] = {l->floats, l->x,      l->is_coupled, l->rows, l->pieces,
                   l->tasks,  l->merges, l->child,      l->marks};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        shoal_free(all[k]);
}

// ---- pieces ----

enum { MINUS_Y, PLUS_Y, MINUS_Z, PLUS_Z, SIDES, NOBODY = INT32_MIN };

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
    const poisson_row* rows = w->level->rows;
    int                last = w->level->row_count;
    uint64_t           key  = rows[row].key;
    while (w->minus_z < last && rows[w->minus_z].key < key - LAYER)
        w->minus_z++;
    while (w->plus_z < last && rows[w->plus_z].key < key + LAYER)
        w->plus_z++;
    near[MINUS_Y] = row > 0 && rows[row - 1].key == key - 1 ? row - 1 : -1;
    near[PLUS_Y]  = row + 1 < last && rows[row + 1].key == key + 1 ? row + 1 : -1;
    near[MINUS_Z] = w->minus_z < last && rows[w->minus_z].key == key - LAYER ? w->minus_z : -1;
    near[PLUS_Z]  = w->plus_z < last && rows[w->plus_z].key == key + LAYER ? w->plus_z : -1;
}

static int offset_of(int way, int begin) { return way == NOBODY ? -POISSON_RIM - begin : way; }

// Cuts a row into pieces; only counts them when out is NULL.
static int row_pieces(const poisson_level* l, int row, const int near[SIDES], poisson_piece* out) {
    int cursor[SIDES], end[SIDES], way[SIDES] = {0}, count = 0, begin = l->rows[row].begin;
    int last = l->rows[row + 1].begin;
    for (int s = 0; s < SIDES; s++) {
        cursor[s] = near[s] < 0 ? 0 : l->rows[near[s]].begin;
        end[s]    = near[s] < 0 ? 0 : l->rows[near[s] + 1].begin;
    }
    for (int i = begin; i < last; i++) {
        bool is_same = i > begin && i - begin < POISSON_PIECE_MOST;
        for (int s = 0; s < SIDES; s++) {
            while (cursor[s] < end[s] && l->x[cursor[s]] < l->x[i])
                cursor[s]++;
            int here = cursor[s] < end[s] && l->x[cursor[s]] == l->x[i] ? cursor[s] - i : NOBODY;
            is_same  = is_same && here == way[s];
            way[s]   = here;
        }
        if (!is_same) {
            begin = i;
            if (out)
                out[count] = (poisson_piece){i,
                                             0,
                                             offset_of(way[MINUS_Y], i),
                                             offset_of(way[PLUS_Y], i),
                                             offset_of(way[MINUS_Z], i),
                                             offset_of(way[PLUS_Z], i)};
            count++;
        }
        if (out) out[count - 1].count++;
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

// marks[k] = sum of the marks before k; returns the sum of all.
static int marks_scan(int* marks, int count) {
    int total = 0;
    for (int k = 0; k < count; k++) {
        int here = marks[k];
        marks[k] = total;
        total += here;
    }
    return total;
}

static shoal_status tasks_find(poisson_level* l) {
    SHOAL_TRY(poisson_grow((void**)&l->tasks, &l->task_room, l->count / POISSON_TASK + 3,
                           sizeof *l->tasks));
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
    SHOAL_TRY(poisson_grow((void**)&l->marks, &l->mark_room, l->row_count + 1, sizeof *l->marks));
    shoal_blocks(exec, l->row_count, ROW_BLOCK, count_pieces, l);
    l->piece_count = marks_scan(l->marks, l->row_count);
    SHOAL_TRY(
        poisson_grow((void**)&l->pieces, &l->piece_room, l->piece_count + 1, sizeof *l->pieces));
    shoal_blocks(exec, l->row_count, ROW_BLOCK, fill_pieces, l);
    return tasks_find(l);
}

int poisson_weight_astray(const poisson_level* l) {
    for (int r = 0; r < l->row_count; r++)
        for (int i = l->rows[r].begin, end = l->rows[r + 1].begin; i < end; i++)
            if (l->plus_x[i] > 0 && (i + 1 == end || l->x[i + 1] != l->x[i] + 1)) return i;
    for (int k = 0; k < l->piece_count; k++) {
        const poisson_piece* p = &l->pieces[k];
        for (int i = p->begin; i < p->begin + p->count; i++)
            if ((p->begin + p->plus_y < 0 && l->plus_y[i] > 0) ||
                (p->begin + p->plus_z < 0 && l->plus_z[i] > 0))
                return i;
    }
    return -1;
}

// ---- the next level ----

// Rows (y, z) of the fine level fall together by y / 2, z / 2. Rows are sorted, so the two layers
// of each coarse layer are two runs that are merged.
static void merges_find(poisson_level* l) {
    const poisson_row* rows = l->rows;
    int                n = l->row_count, count = 0;
    for (int first = 0; first < n;) {
        uint64_t layer = rows[first].key >> 33;
        int      cursor[2], end[2];
        cursor[0] = end[0] = first;
        while (end[0] < n && rows[end[0]].key >> 32 == 2 * layer)
            end[0]++;
        cursor[1] = end[1] = end[0];
        while (end[1] < n && rows[end[1]].key >> 32 == 2 * layer + 1)
            end[1]++;
        while (cursor[0] < end[0] || cursor[1] < end[1]) {
            uint64_t y = UINT64_MAX;
            for (int z = 0; z < 2; z++)
                if (cursor[z] < end[z] && (uint32_t)rows[cursor[z]].key >> 1 < y)
                    y = (uint32_t)rows[cursor[z]].key >> 1;
            poisson_merge m = {
                layer << 32 | y, {-1, -1, -1, -1}
            };
            for (int z = 0; z < 2; z++)
                for (; cursor[z] < end[z] && (uint32_t)rows[cursor[z]].key >> 1 == y; cursor[z]++)
                    m.from[2 * z + (int)(rows[cursor[z]].key & 1)] = cursor[z];
            l->merges[count++] = m;
        }
        first = end[1];
    }
    l->merge_count = count;
}

typedef struct coarsening {
    poisson_level *fine, *coarse;
} coarsening;

// What the children of a coarse cell add up to.
typedef struct family {
    float    plus_x, plus_y, plus_z, anchor;
    uint32_t child[4];
} family;

static void family_add(const poisson_level* f, family* sum, int row, int i) {
    if (sum->child[row] == 0) sum->child[row] = 4 * (uint32_t)i;
    sum->child[row]++;
    sum->anchor += f->anchor[i];
    if (f->x[i] & 1) sum->plus_x += f->plus_x[i];
    if (row & 1) sum->plus_y += f->plus_y[i];
    if (row & 2) sum->plus_z += f->plus_z[i];
}

// Walks along the four rows of a merge. Cells without any neighbour have no part in the coarse
// level. Halved sums: an aggregate of constant value is twice as stiff as the smooth function it
// stands for.
static int merge_row(const coarsening* c, int merge, int write_at) {
    const poisson_level* f = c->fine;
    int                  cursor[4], end[4], count = 0;
    for (int r = 0; r < 4; r++) {
        int row   = f->merges[merge].from[r];
        cursor[r] = row < 0 ? 0 : f->rows[row].begin;
        end[r]    = row < 0 ? 0 : f->rows[row + 1].begin;
    }
    for (;; count++) {
        uint64_t x = UINT64_MAX;
        for (int r = 0; r < 4; r++) {
            while (cursor[r] < end[r] && !f->is_coupled[cursor[r]])
                cursor[r]++;
            if (cursor[r] < end[r] && f->x[cursor[r]] >> 1 < x) x = f->x[cursor[r]] >> 1;
        }
        if (x == UINT64_MAX) return count;
        family sum = {0};
        for (int r = 0; r < 4; r++)
            for (; cursor[r] < end[r] && f->x[cursor[r]] >> 1 == x; cursor[r]++)
                if (f->is_coupled[cursor[r]]) family_add(f, &sum, r, cursor[r]);
        if (write_at < 0) continue;
        poisson_level* to = c->coarse;
        int            i  = write_at + count;
        to->x[i]          = (uint32_t)x;
        to->plus_x[i]     = 0.5f * sum.plus_x;
        to->plus_y[i]     = 0.5f * sum.plus_y;
        to->plus_z[i]     = 0.5f * sum.plus_z;
        to->anchor[i]     = 0.5f * sum.anchor;
        memcpy(f->child + 4 * (size_t)i, sum.child, sizeof sum.child);
    }
}

static void count_merged(void* ctx, int begin, int end, int worker) {
    (void)worker;
    coarsening* c = ctx;
    for (int m = begin; m < end; m++)
        c->fine->marks[m] = merge_row(c, m, -1);
}

static void fill_merged(void* ctx, int begin, int end, int worker) {
    (void)worker;
    coarsening* c = ctx;
    for (int m = begin; m < end; m++) {
        c->coarse->rows[m].key   = c->fine->merges[m].key;
        c->coarse->rows[m].begin = c->fine->marks[m];
        merge_row(c, m, c->fine->marks[m]);
    }
}

// Leaves coarse->count 0 when no cell has neighbours any more.
shoal_status poisson_coarsen(poisson_level* fine, const shoal_exec* exec, poisson_level* coarse) {
    coarsening c = {fine, coarse};
    SHOAL_TRY(poisson_grow((void**)&fine->merges, &fine->merge_room, fine->row_count,
                           sizeof *fine->merges));
    merges_find(fine);
    shoal_blocks(exec, fine->merge_count, ROW_BLOCK, count_merged, &c);
    int count = marks_scan(fine->marks, fine->merge_count);
    SHOAL_TRY(poisson_level_reserve(coarse, count));
    coarse->row_count = fine->merge_count;
    SHOAL_TRY(poisson_grow((void**)&coarse->rows, &coarse->row_room, coarse->row_count + 1,
                           sizeof *coarse->rows));
    SHOAL_TRY(
        poisson_grow((void**)&fine->child, &fine->child_room, 4 * count, sizeof *fine->child));
    shoal_blocks(exec, fine->merge_count, ROW_BLOCK, fill_merged, &c);
    coarse->rows[coarse->row_count] = (poisson_row){UINT64_MAX, count};
    return poisson_pieces_find(coarse, exec);
}
