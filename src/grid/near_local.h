// SPDX-License-Identifier: MIT
// The search of one range of cells, in its plain and wide versions; inside of grid/ only.
#ifndef SHOAL_NEAR_LOCAL_H
#define SHOAL_NEAR_LOCAL_H

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

typedef struct near_search {
    const shoal_cells* own;
    const shoal_cells* ghosts;
    int                first_row, ghost_offset; // as in near_walk
    const shoal_v4*    place;
    shoal_near*        near;
    float              h;
    int                nobody;
    size_t             slab;    // groups a worker takes at a time
    size_t*            next;    // first free group of near->index; taken atomically
    bool*              is_full; // near->index was too small
    size_t*            worker_next;
    size_t*            worker_end; // [workers] the slab in use
} near_search;

void near_walk_begin(near_walk* walk, const near_search* search, int cell);
int  near_walk_runs(near_walk* walk, int cell, near_run* runs); // returns how many, empty ones left out
// Room for `groups` groups, from the worker's slab or a new one; NULL when the index is full.
int* near_take(near_search* search, int worker, size_t groups);
void near_give_back(near_search* search, int worker, size_t groups);
void near_none(near_search* search, int cell); // empty lists for the items of a cell that has nobody near

typedef void (*near_search_fn)(void* search, int cell_begin, int cell_end, int worker);
void near_search_plain(void* search, int cell_begin, int cell_end, int worker);
#define X(kind, suffix) void near_search_##suffix(void* search, int cell_begin, int cell_end, int worker);
SHOAL_ISA_SETS(X)
#undef X

#endif
