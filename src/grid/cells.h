// SPDX-License-Identifier: MIT
// Items sorted by cubic cells. Only occupied cells exist, as a sorted list of keys, so the domain has no bounds
// and empty space costs nothing.
//
// A key numbers the cells of the box around all items, x first, then y, then z, with a rim of one empty cell, so
// that the keys of a cell's 26 neighbours are its own plus constants. A row of three cells along x is one run of
// items; walking the cells in order, the run of each of the 9 rows only ever moves forward.
#ifndef SHOAL_CELLS_H
#define SHOAL_CELLS_H

#include "exec/exec.h"
#include "math/vec.h"

// Its arrays lie where the exec that sorted it runs passes; on a device cell_count and fullest are not known here.
typedef struct shoal_cells {
    struct shoal_device* device;
    float                size;       // edge of a cell, m
    uint64_t             row, layer; // keys from one row (y + 1) and one layer (z + 1) to the next
    int                  item_count, cell_count;
    int*                 order;        // [item_count] the item that comes k-th
    uint64_t*            keys;         // [item_count] keys before sorting
    uint64_t*            keys_sorted;  // [item_count]
    uint64_t*            cell_key;     // [cell_count] increasing; shares memory with keys
    int*                 cell_start;   // [cell_count + 1] items of cell c are [start[c], start[c + 1]) after sorting
    int*                 cell_of;      // [item_count] on a device: the cell of an item after sorting, from 1
    void*                sort_scratch; // for sorting
    int                  capacity;
    int                  fullest; // most items in one cell
} shoal_cells;

void shoal_cells_free(shoal_cells* cells); // what it points to; zero-initialise before the first use

// Fills order, cell_key and cell_start from the places (w is ignored). Two sets given the same frame
// (shoal_cells_frame) share their keys. Fails with SHOAL_ERR_DIVERGE when places are so far apart that the cells cannot
// be numbered.
typedef struct shoal_cells_frame {
    float    size;
    shoal_v3 low;        // corner of the box
    int64_t  nx, ny, nz; // cells, with the rim
} shoal_cells_frame;
shoal_status shoal_cells_frame_make(const shoal_exec* exec, const shoal_v4* place, int count, float size,
                                    shoal_cells_frame* out);
// Whether a place is in the frame or its rim; what is not has no neighbours there and cannot be sorted.
SHOAL_FN int shoal_cells_frame_holds(const shoal_cells_frame* frame, shoal_v4 p) {
    float x = (p.x - frame->low.x) / frame->size, y = (p.y - frame->low.y) / frame->size,
          z = (p.z - frame->low.z) / frame->size;
    return x >= -1.0f && y >= -1.0f && z >= -1.0f && x < (float)(frame->nx - 1) && y < (float)(frame->ny - 1) &&
           z < (float)(frame->nz - 1);
}
// The number of the cell of a place.
SHOAL_FN uint64_t shoal_cells_key(const shoal_cells_frame* frame, shoal_v4 p) {
    float   inverse = 1.0f / frame->size;
    int64_t x       = (int64_t)floorf((p.x - frame->low.x) * inverse) + 1,
            y       = (int64_t)floorf((p.y - frame->low.y) * inverse) + 1,
            z       = (int64_t)floorf((p.z - frame->low.z) * inverse) + 1;
    return (uint64_t)((z * frame->ny + y) * frame->nx + x);
}
shoal_status shoal_cells_sort(shoal_cells* cells, const shoal_exec* exec, const shoal_cells_frame* frame,
                              const shoal_v4* place, int count);

int shoal_cells_find(const shoal_cells* cells, uint64_t key); // the first cell whose key is not below this one

#endif
