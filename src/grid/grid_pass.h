// SPDX-License-Identifier: MIT
// Sorting by cell and the search for neighbours as passes over items, for devices; cells.c and near.c do the same by
// threads, and are their oracle. The lists are the same, wherever they lie.
#ifndef SHOAL_GRID_PASS_H
#define SHOAL_GRID_PASS_H

#include "exec/pass.h"
#include "grid/near.h"

enum { SHOAL_GRID_ROWS = 9, SHOAL_BOUND_BLOCK = 256, SHOAL_BOUND_PARTS = 64 };

typedef struct shoal_grid_run {
    int begin, end;
} shoal_grid_run;

typedef struct shoal_grid_box {
    float low[3], high[3];
} shoal_grid_box;

typedef struct shoal_grid_view {
    int               count;
    const shoal_v4*   place;
    shoal_cells_frame frame;
    shoal_grid_box*   boxes; // [SHOAL_BOUND_PARTS], of all, then those of the blocks
    shoal_cells       own;
    shoal_cells       ghosts;      // item_count 0: there are none
    const shoal_v4*   seen;        // places of the ghosts
    int               first_ghost; // number of the first of them in the lists
    bool              is_apart;    // ghosts are others, with numbers of their own, and they alone are looked for
    shoal_near        near;
    shoal_grid_run*   runs; // [run_capacity][SHOAL_GRID_ROWS] of the cells of own; lists of cells beyond are left out
    int               run_capacity;
    shoal_grid_run*   ghost_runs;
    float             h2;
    int               nobody;
} shoal_grid_view;

SHOAL_FN shoal_grid_box shoal_grid_no_box(void) {
    shoal_grid_box box = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    return box;
}

SHOAL_FN void shoal_grid_widen(shoal_grid_box* box, const float low[3], const float high[3]) {
    for (int axis = 0; axis < 3; axis++) {
        box->low[axis]  = low[axis] < box->low[axis] ? low[axis] : box->low[axis];
        box->high[axis] = high[axis] > box->high[axis] ? high[axis] : box->high[axis];
    }
}

SHOAL_FN int shoal_grid_blocks(const shoal_grid_view* v) {
    return (v->count + SHOAL_BOUND_BLOCK - 1) / SHOAL_BOUND_BLOCK;
}

// The box around a block of places; an item of this pass is a block.
SHOAL_FN void shoal_grid_bound(const shoal_grid_view* v, int block) {
    int            begin = block * SHOAL_BOUND_BLOCK, left = v->count - begin;
    shoal_grid_box box = shoal_grid_no_box();
    for (int i = begin; i < begin + (left < SHOAL_BOUND_BLOCK ? left : SHOAL_BOUND_BLOCK); i++) {
        shoal_v4 p    = v->place[i];
        float    x[3] = {p.x, p.y, p.z};
        shoal_grid_widen(&box, x, x);
    }
    v->boxes[SHOAL_BOUND_PARTS + block] = box;
}

// Around every SHOAL_BOUND_PARTS-th of those.
SHOAL_FN void shoal_grid_join(const shoal_grid_view* v, int part) {
    shoal_grid_box box = shoal_grid_no_box();
    for (int b = part; b < shoal_grid_blocks(v); b += SHOAL_BOUND_PARTS)
        shoal_grid_widen(&box, v->boxes[SHOAL_BOUND_PARTS + b].low, v->boxes[SHOAL_BOUND_PARTS + b].high);
    v->boxes[part] = box;
}

SHOAL_FN void shoal_grid_key(const shoal_grid_view* v, int i) {
    v->own.keys[i] = shoal_cells_key(&v->frame, v->place[i]);
}

// 1 at the first item of a cell; summed up, the number of the cell, from 1.
SHOAL_FN void shoal_grid_mark(const shoal_grid_view* v, int i) {
    v->own.cell_of[i] = i == 0 || v->own.keys_sorted[i] != v->own.keys_sorted[i - 1];
}

SHOAL_FN void shoal_grid_cell(const shoal_grid_view* v, int i) {
    int c = v->own.cell_of[i];
    if (i == v->count - 1) v->own.cell_start[c] = v->count;
    if (i > 0 && v->own.cell_of[i - 1] == c) return;
    v->own.cell_key[c - 1]   = v->own.keys_sorted[i];
    v->own.cell_start[c - 1] = i;
}

// The first cell whose key is not below this one.
SHOAL_FN int shoal_grid_find(const shoal_cells* cells, int low, int high, uint64_t key) {
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (cells->cell_key[middle] < key)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

// The items in the three cells of a row, the row-th of the 9 around a cell.
SHOAL_FN shoal_grid_run shoal_grid_row(const shoal_cells* own, const shoal_cells* cells, int cell, int row) {
    int      count = cells->cell_of[cells->item_count - 1];
    uint64_t first = own->cell_key[cell] + (uint64_t)(row / 3) * own->layer + (uint64_t)(row % 3) * own->row -
                     own->layer - own->row - 1;
    int c = shoal_grid_find(cells, 0, count, first), end = c;
    while (end < count && cells->cell_key[end] <= first + 2) end++;
    shoal_grid_run run = {end > c ? cells->cell_start[c] : 0, end > c ? cells->cell_start[end] : 0};
    return run;
}

// A pass over 9 rows of as many cells as there is room for; those beyond the cells have nothing to do. The search,
// which follows, takes groups from none on.
SHOAL_FN void shoal_grid_runs(const shoal_grid_view* v, int item) {
    int cells = v->own.cell_of[v->own.item_count - 1], cell = item / SHOAL_GRID_ROWS, row = item % SHOAL_GRID_ROWS;
    if (item == 0) v->near.next[0] = 0, v->near.next[1] = (uint64_t)cells;
    if (cell >= cells) return;
    if (!v->is_apart) v->runs[item] = shoal_grid_row(&v->own, &v->own, cell, row);
    if (v->ghosts.item_count > 0) v->ghost_runs[item] = shoal_grid_row(&v->own, &v->ghosts, cell, row);
}

// Which of [run.begin, run.end) of `seen` are near to p, but for `self`; counts from `found` on, and writes numbers
// from `first` on where there is a list.
SHOAL_FN int shoal_grid_search_run(const shoal_grid_view* v, shoal_v4 p, const shoal_v4* seen, shoal_grid_run run,
                                   int self, int first, int found, int* list) {
    for (int k = run.begin; k < run.end; k++) {
        shoal_v4 q  = seen[k];
        float    dx = p.x - q.x, dy = p.y - q.y, dz = p.z - q.z;
        if (dx * dx + dy * dy + dz * dz < v->h2 && k != self) {
            if (list) list[SHOAL_NEAR_PLACE(found)] = first + k;
            found++;
        }
    }
    return found;
}

SHOAL_FN int shoal_grid_list(const shoal_grid_view* v, int i, int* list) {
    int      found = 0;
    size_t   rows  = SHOAL_GRID_ROWS * (size_t)(v->own.cell_of[i] - 1);
    shoal_v4 p     = v->place[i];
    for (size_t k = 0; k < SHOAL_GRID_ROWS && !v->is_apart; k++)
        found = shoal_grid_search_run(v, p, v->place, v->runs[rows + k], i, 0, found, list);
    for (size_t k = 0; k < SHOAL_GRID_ROWS && v->ghosts.item_count > 0; k++)
        found = shoal_grid_search_run(v, p, v->seen, v->ghost_runs[rows + k], -1, v->first_ghost, found, list);
    return found;
}

#if defined(__CUDA_ARCH__) && !defined(__clang__)
#define SHOAL_TAKE(next, more) atomicAdd((unsigned long long*)(next), (unsigned long long)(more))
#else
#define SHOAL_TAKE(next, more) __atomic_fetch_add(next, more, __ATOMIC_RELAXED)
#endif

// Where the list does not fit it is left out: the caller compares `next` with the room.
SHOAL_FN void shoal_grid_search(const shoal_grid_view* v, int i) {
    v->near.start[i] = 0;
    v->near.count[i] = 0;
    if (v->own.cell_of[i] > v->run_capacity) return;
    int      count  = shoal_grid_list(v, i, NULL);
    uint64_t groups = (uint64_t)(count + SHOAL_LANES - 1) / SHOAL_LANES, start = SHOAL_TAKE(v->near.next, groups);
    bool     fits    = start + groups <= v->near.group_capacity;
    v->near.start[i] = fits ? (uint32_t)start : 0;
    v->near.count[i] = fits ? count : 0;
    if (!fits) return;
    int* list = v->near.index + SHOAL_LANES * (size_t)start;
    shoal_grid_list(v, i, list);
    for (int k = count; k % SHOAL_LANES != 0; k++) list[SHOAL_NEAR_PLACE(k)] = v->nobody;
}

SHOAL_FN double shoal_grid_neighbours(const shoal_grid_view* v, int i) { return v->near.count[i]; }

// clang-format off
#define SHOAL_GRID_PASSES(X) X(bound) X(join) X(key) X(mark) X(cell) X(runs) X(search)
// clang-format on
#define X(name) SHOAL_GRID_##name,
enum { SHOAL_GRID_PASSES(X) SHOAL_GRID_PASS_COUNT };
#undef X
enum { SHOAL_GRID_neighbours };

extern const shoal_passes shoal_grid_passes;

#endif
