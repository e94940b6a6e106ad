// SPDX-License-Identifier: MIT
// The search of one range of cells, in its plain and wide versions; inside of grid/ only.
#ifndef SHOAL_NEAR_LOCAL_H
#define SHOAL_NEAR_LOCAL_H

#include "exec/pass.h"
#include "grid/near.h"

enum { NEAR_ROWS = 18 }; // 9 rows of own cells, 9 of ghosts

// One run of items per row of three cells, found by cursors that only move forward.
typedef struct near_walk {
    const shoal_cells* cells[2]; // own, ghosts (or NULL)
    int                first;    // row that the walk begins with: 0, or 9 for the ghosts alone
    int                offset;   // of the ghosts' items
    int                cursor[NEAR_ROWS];
} near_walk;

typedef struct near_run {
    int begin, end;
} near_run;

// What is left of the groups a worker has taken; on a cache line of its own.
typedef struct near_slab {
    _Alignas(64) size_t next, end;
} near_slab;

typedef struct near_search {
    const shoal_cells* own;
    const shoal_cells* ghosts;
    int                first_row, ghost_offset; // as in near_walk
    const shoal_v4*    place;                   // of the items themselves
    const shoal_v4*    seen;                    // of those that they may be near to, by their numbers in the lists
    shoal_near*        near;
    float              h;
    int                nobody;
    size_t             slab;      // groups a worker takes at a time
    size_t*            next;      // first free group of near->index; taken atomically
    bool*              is_full;   // near->index was too small
    near_slab*         slabs;     // [workers] the one in use
    const float *      x, *y, *z; // of `seen`, read 16 at a time
} near_search;

void near_walk_begin(near_walk* walk, const near_search* search, int cell);
void near_none(near_search* search, int cell); // empty lists for the items of a cell that has no neighbours

// Inline, since they are called for each cell and each item.

// Key of the first of the three cells of a row, for the row-th of the 9 rows around a cell.
SHOAL_FN uint64_t near_row_key(const shoal_cells* cells, uint64_t key, int row) {
    uint64_t dy = (uint64_t)(row % 3), dz = (uint64_t)(row / 3);
    return key + dz * cells->layer + dy * cells->row - cells->layer - cells->row - 1;
}

// Returns how many, empty ones left out.
SHOAL_FN int near_walk_runs(near_walk* walk, int cell, near_run* runs) {
    int      count = 0;
    uint64_t key   = walk->cells[0]->cell_key[cell];
    for (int k = walk->first; k < NEAR_ROWS; k++) {
        const shoal_cells* cells = walk->cells[k / 9];
        if (!cells) break;
        uint64_t first = near_row_key(walk->cells[0], key, k % 9);
        int      c     = walk->cursor[k];
        while (c < cells->cell_count && cells->cell_key[c] < first) c++;
        walk->cursor[k] = c;
        int end         = c;
        while (end < cells->cell_count && cells->cell_key[end] <= first + 2) end++;
        if (end == c) continue;
        int offset    = k < 9 ? 0 : walk->offset;
        runs[count++] = (near_run){offset + cells->cell_start[c], offset + cells->cell_start[end]};
    }
    return count;
}

// The number of an item among those that it may be near to, which is left out; -1: it is not among them.
SHOAL_FN int near_self(const near_search* search, int i) { return search->first_row == 0 ? i : -1; }

// Room for `groups` groups, from the worker's slab or a new one; NULL when the index is full.
SHOAL_FN int* near_take(near_search* search, int worker, size_t groups) {
    size_t at = search->slabs[worker].next;
    if (search->slabs[worker].end - at < groups) {
        size_t slab = groups > search->slab ? groups : search->slab;
        at          = __atomic_fetch_add(search->next, slab, __ATOMIC_RELAXED);
        if (at + slab > search->near->group_capacity) {
            __atomic_store_n(search->is_full, true, __ATOMIC_RELAXED);
            return NULL;
        }
        search->slabs[worker].end = at + slab;
    }
    search->slabs[worker].next = at + groups;
    return search->near->index + SHOAL_LANES * at;
}

SHOAL_FN void near_return_slots(near_search* search, int worker, size_t groups) {
    search->slabs[worker].next -= groups;
}

// The search over a block of cells, once per instruction set.
typedef struct near_loops {
    shoal_block_fn search;
} near_loops;
#define X(kind, name) extern const near_loops name;
SHOAL_ISA_SETS(X, near_loops)
#undef X

#endif
