// SPDX-License-Identifier: MIT
// Keys, sort, list of occupied cells.
#include "grid/cells.h"

#include <math.h>
#include <string.h>

#include "exec/device.h"
#include "grid/grid_far.h"
#include "grid/grid_pass.h"

enum { KEY_BLOCK = 4096, AXIS_BITS = 20 };

void shoal_cells_free(shoal_cells* cells) {
    shoal_device* device = cells->device;
    shoal_far_free(device, cells->order);
    shoal_far_free(device, cells->keys);
    shoal_far_free(device, cells->keys_sorted);
    shoal_far_free(device, cells->cell_start);
    shoal_far_free(device, cells->cell_of);
    shoal_free(cells->sort_scratch);
    *cells = (shoal_cells){0};
}

int shoal_cells_find(const shoal_cells* cells, uint64_t key) {
    return shoal_grid_find(cells, 0, cells->cell_count, key);
}

static shoal_status reserve(shoal_cells* cells, shoal_device* device, int count) {
    if (count < cells->capacity && cells->device == device) return SHOAL_OK;
    int capacity = count + count / (device ? 32 : 4) + 64;
    shoal_cells_free(cells);
    size_t n            = (size_t)capacity;
    cells->device       = device;
    cells->order        = shoal_far_alloc(device, n, sizeof(int));
    cells->keys         = shoal_far_alloc(device, n, sizeof(uint64_t));
    cells->keys_sorted  = shoal_far_alloc(device, n, sizeof(uint64_t));
    cells->cell_start   = shoal_far_alloc(device, n + 1, sizeof(int));
    cells->cell_of      = device ? shoal_far_alloc(device, n, sizeof(int)) : NULL;
    cells->sort_scratch = device ? NULL : shoal_alloc(1, shoal_sort_scratch(capacity));
    if (!cells->order || !cells->keys || !cells->keys_sorted || !cells->cell_start ||
        !(device ? (void*)cells->cell_of : cells->sort_scratch)) {
        shoal_cells_free(cells);
        return SHOAL_ERR_MEMORY;
    }
    cells->capacity = capacity;
    return SHOAL_OK;
}

// The box around all places, in a fixed number of parts.
enum { PARTS = 64 };

typedef struct bounds {
    const shoal_v4* place;
    int             part; // places in each part
    float           low[PARTS][3], high[PARTS][3];
} bounds;

static void bound_part(void* ctx, int begin, int end, int worker) {
    (void)worker;
    bounds* b      = ctx;
    float   low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (int i = begin; i < end; i++) {
        const float* x = &b->place[i].x;
        for (int axis = 0; axis < 3; axis++) {
            low[axis]  = x[axis] < low[axis] ? x[axis] : low[axis];
            high[axis] = x[axis] > high[axis] ? x[axis] : high[axis];
        }
    }
    memcpy(b->low[begin / b->part], low, sizeof low);
    memcpy(b->high[begin / b->part], high, sizeof high);
}

shoal_status shoal_cells_frame_make(const shoal_exec* exec, const shoal_v4* place, int count, float size,
                                    shoal_cells_frame* out) {
    bounds b = {.place = place, .part = count / PARTS + 1};
    if (exec->device) {
        b.part = count + 1;
        SHOAL_TRY(shoal_grid_bounds(exec, place, count, b.low[0], b.high[0]));
    } else {
        shoal_blocks(exec, count, b.part, bound_part, &b);
    }
    int64_t cells[3] = {0};
    float   from[3]  = {0.0f, 0.0f, 0.0f};
    for (int axis = 0; axis < 3; axis++) {
        float to = 0.0f;
        for (int part = 0; part * b.part < count; part++) {
            from[axis] = part == 0 ? b.low[0][axis] : fminf(from[axis], b.low[part][axis]);
            to         = part == 0 ? b.high[0][axis] : fmaxf(to, b.high[part][axis]);
        }
        double width = (double)to - (double)from[axis], span = width / (double)size;
        if (!(span < (double)((1 << AXIS_BITS) - 4)))
            return shoal_fail(SHOAL_ERR_DIVERGE,
                              "particles are spread over %.3g m along %c, too far for cells of %.3g m", width,
                              "xyz"[axis], (double)size);
        cells[axis] = (int64_t)span + 4; // a rim on both sides, and one for rounding
    }
    *out = (shoal_cells_frame){size, shoal_v3_make(from[0], from[1], from[2]), cells[0], cells[1], cells[2]};
    return SHOAL_OK;
}

typedef struct key_job {
    const shoal_cells_frame* frame;
    const shoal_v4*          place;
    uint64_t*                keys;
} key_job;

static void key_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    key_job*                 k = ctx;
    const shoal_cells_frame* f = k->frame;
    for (int i = begin; i < end; i++) k->keys[i] = shoal_cells_key(f, k->place[i]);
}

shoal_status shoal_cells_sort(shoal_cells* cells, const shoal_exec* exec, const shoal_cells_frame* frame,
                              const shoal_v4* place, int count) {
    SHOAL_TRY(reserve(cells, exec->device, count));
    cells->size       = frame->size;
    cells->row        = (uint64_t)frame->nx;
    cells->layer      = (uint64_t)(frame->nx * frame->ny);
    cells->item_count = count;

    int bits        = 64 - __builtin_clzll((uint64_t)(frame->nx * frame->ny * frame->nz));
    cells->cell_key = cells->keys; // the unsorted keys are done with by then
    if (exec->device) {
        shoal_grid_sort(cells, exec, frame, place, bits);
        return shoal_device_check(exec->device);
    }

    key_job k = {frame, place, cells->keys};
    shoal_blocks(exec, count, KEY_BLOCK, key_block, &k);
    shoal_sort_keys(exec, cells->keys, count, bits, cells->order, cells->keys_sorted, cells->sort_scratch);

    cells->cell_count = 0;
    cells->fullest    = 0;
    for (int i = 0; i < count; i++) {
        if (i > 0 && cells->keys_sorted[i] == cells->keys_sorted[i - 1]) continue;
        cells->cell_key[cells->cell_count]     = cells->keys_sorted[i];
        cells->cell_start[cells->cell_count++] = i;
    }
    cells->cell_start[cells->cell_count] = count;
    for (int c = 0; c < cells->cell_count; c++) {
        int here       = cells->cell_start[c + 1] - cells->cell_start[c];
        cells->fullest = here > cells->fullest ? here : cells->fullest;
    }
    return SHOAL_OK;
}
