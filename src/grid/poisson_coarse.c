// SPDX-License-Identifier: MIT
// From one level to the next coarser one.
#include "grid/poisson_local.h"

#include <string.h>

enum { ROW_BLOCK = 64 };

// Rows (y, z) of the fine level fall together by y / 2, z / 2. Rows are sorted, so the two layers
// of each coarse layer are two runs that are merged.
static void merges_find(poisson_level* l) {
    const poisson_row* rows = l->rows;
    int                n = l->row_count, count = 0;
    for (int first = 0; first < n;) {
        uint64_t layer = rows[first].key >> 33;
        int      cursor[2], end[2];
        cursor[0] = end[0] = first;
        while (end[0] < n && rows[end[0]].key >> 32 == 2 * layer) end[0]++;
        cursor[1] = end[1] = end[0];
        while (end[1] < n && rows[end[1]].key >> 32 == 2 * layer + 1) end[1]++;
        while (cursor[0] < end[0] || cursor[1] < end[1]) {
            uint64_t y = UINT64_MAX;
            for (int z = 0; z < 2; z++)
                if (cursor[z] < end[z] && (uint32_t)rows[cursor[z]].key >> 1 < y)
                    y = (uint32_t)rows[cursor[z]].key >> 1;
            poisson_merge m = {layer << 32 | y, {-1, -1, -1, -1}};
            for (int z = 0; z < 2; z++)
                for (; cursor[z] < end[z] && (uint32_t)rows[cursor[z]].key >> 1 == y; cursor[z]++)
                    m.from[2 * z + (int)(rows[cursor[z]].key & 1)] = cursor[z];
            l->merges[count++] = m;
        }
        first = end[1];
    }
    l->merge_count = count;
}

typedef struct coarsen_job {
    poisson_level *fine, *coarse;
} coarsen_job;

// Whether the face above a cell leads out of its aggregate. (x & 1 as everywhere; around a periodic
// axis also from the last of an odd number; but where all the axis is one aggregate, nowhere.)
static bool leads_out(const poisson_level* f, int axis, uint32_t at) {
    uint32_t period = f->period[axis];
    if (period == 0) return at & 1;
    return period > 2 && ((at & 1) || at == f->low[axis] + period - 1);
}

// What the children of a coarse cell add up to.
typedef struct family {
    float    plus_x, plus_y, plus_z, anchor;
    uint32_t child[4];
} family;

// One of the four rows of a merge.
typedef struct source {
    int   cursor, end;
    bool  is_out_y, is_out_z;
    float wrap; // from the last cell, out of its aggregate
} source;

static source source_of(const poisson_level* f, int row) {
    if (row < 0) return (source){0};
    uint64_t key = f->rows[row].key;
    return (source){f->rows[row].begin, f->rows[row + 1].begin, leads_out(f, 1, (uint32_t)key),
                    leads_out(f, 2, (uint32_t)(key >> 32)), f->period[0] > 2 ? f->rows[row].wrap : 0.0f};
}

static void family_add(const poisson_level* f, family* sum, const source* from, int row, int i) {
    if (sum->child[row] == 0) sum->child[row] = 4 * (uint32_t)i;
    sum->child[row]++;
    sum->anchor += f->anchor[i];
    if (f->x[i] & 1) sum->plus_x += f->plus_x[i];
    if (i + 1 == from->end) sum->plus_x += from->wrap;
    if (from->is_out_y) sum->plus_y += f->plus_y[i];
    if (from->is_out_z) sum->plus_z += f->plus_z[i];
}

// Walks along the four rows of a merge. Cells without any neighbour have no part in the coarse
// level. Halved sums: an aggregate of constant value is twice as stiff as the smooth function it
// stands for.
static int merge_row(const coarsen_job* c, int merge, int write_at) {
    const poisson_level* f = c->fine;
    source               from[4];
    int                  count = 0;
    for (int r = 0; r < 4; r++) from[r] = source_of(f, f->merges[merge].from[r]);
    for (;; count++) {
        uint64_t x = UINT64_MAX;
        for (int r = 0; r < 4; r++) {
            source* s = &from[r];
            while (s->cursor < s->end && !f->is_coupled[s->cursor]) s->cursor++;
            if (s->cursor < s->end && f->x[s->cursor] >> 1 < x) x = f->x[s->cursor] >> 1;
        }
        if (x == UINT64_MAX) return count;
        family sum = {0};
        for (int r = 0; r < 4; r++)
            for (source* s = &from[r]; s->cursor < s->end && f->x[s->cursor] >> 1 == x; s->cursor++)
                if (f->is_coupled[s->cursor]) family_add(f, &sum, s, r, s->cursor);
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
    coarsen_job* c = ctx;
    for (int m = begin; m < end; m++) c->fine->marks[m] = merge_row(c, m, -1);
}

static void fill_merged(void* ctx, int begin, int end, int worker) {
    (void)worker;
    coarsen_job* c = ctx;
    for (int m = begin; m < end; m++) {
        c->coarse->rows[m] = (poisson_row){.key = c->fine->merges[m].key, .begin = c->fine->marks[m]};
        merge_row(c, m, c->fine->marks[m]);
    }
}

// Leaves coarse->count 0 when no cell has neighbours any more.
shoal_status poisson_coarsen(poisson_level* fine, const shoal_exec* exec, poisson_level* coarse) {
    coarsen_job c = {fine, coarse};
    SHOAL_TRY(poisson_grow((void**)&fine->merges, &fine->merge_capacity, fine->row_count, sizeof *fine->merges));
    merges_find(fine);
    shoal_blocks(exec, fine->merge_count, ROW_BLOCK, count_merged, &c);
    int count = 0;
    for (int m = 0; m < fine->merge_count; m++) {
        int here       = fine->marks[m];
        fine->marks[m] = count;
        count += here;
    }
    SHOAL_TRY(poisson_level_reserve(coarse, count));
    coarse->row_count = fine->merge_count;
    SHOAL_TRY(poisson_grow((void**)&coarse->rows, &coarse->row_capacity, coarse->row_count + 1, sizeof *coarse->rows));
    SHOAL_TRY(poisson_grow((void**)&fine->child, &fine->child_capacity, 4 * count, sizeof *fine->child));
    shoal_blocks(exec, fine->merge_count, ROW_BLOCK, fill_merged, &c);
    coarse->rows[coarse->row_count] = (poisson_row){.key = UINT64_MAX, .begin = count};
    for (int a = 0; a < 3; a++) {
        coarse->low[a]    = fine->low[a] / 2;
        coarse->period[a] = (fine->period[a] + 1) / 2;
    }
    poisson_wrap_find(coarse);
    return poisson_pieces_find(coarse, exec);
}
