// SPDX-License-Identifier: MIT
// Cells and lists of items that lie on a device, by the passes of grid_pass.h.
#include "grid/grid_far.h"

#include <string.h>

#include "exec/device.h"
#include "grid/grid_pass.h"

#define X(name) SHOAL_LOOP(name##_loop, shoal_grid_view, shoal_grid_##name)
SHOAL_GRID_PASSES(X)
#undef X
#define X(name) name##_loop,
static const shoal_loop loops[SHOAL_GRID_PASS_COUNT] = {SHOAL_GRID_PASSES(X)};
#undef X
SHOAL_SUM_LOOP(all_neighbours, shoal_grid_view, shoal_grid_neighbours)
static const shoal_fold folds[]           = {[SHOAL_GRID_neighbours] = {.sum = all_neighbours}};
const shoal_passes      shoal_grid_passes = {.block     = 64,
                                             .loops     = {{[SHOAL_ISA_PLAIN] = loops}},
                                             .folds     = folds,
                                             .name      = "grid",
                                             .view_size = sizeof(shoal_grid_view)};

static void run(const shoal_exec* exec, int pass, const shoal_grid_view* v, int count) {
    shoal_pass_run(exec, SHOAL_ISA_PLAIN, &shoal_grid_passes, pass, v, count);
}

shoal_status shoal_grid_bounds(const shoal_exec* exec, const shoal_v4* place, int count, float low[3], float high[3]) {
    shoal_grid_view v      = {.count = count, .place = place};
    int             blocks = shoal_grid_blocks(&v);
    shoal_grid_box  parts[SHOAL_BOUND_PARTS], box = shoal_grid_no_box();
    v.boxes = shoal_device_scratch(exec->device, (size_t)(SHOAL_BOUND_PARTS + blocks) * sizeof *v.boxes);
    if (!v.boxes) return SHOAL_ERR_MEMORY;
    run(exec, SHOAL_GRID_bound, &v, blocks);
    run(exec, SHOAL_GRID_join, &v, SHOAL_BOUND_PARTS);
    exec->device->fetch(exec->device, parts, v.boxes, sizeof parts);
    SHOAL_TRY(shoal_device_check(exec->device));
    for (int k = 0; k < SHOAL_BOUND_PARTS; k++) shoal_grid_widen(&box, parts[k].low, parts[k].high);
    memcpy(low, box.low, sizeof box.low);
    memcpy(high, box.high, sizeof box.high);
    return SHOAL_OK;
}

void shoal_grid_sort(shoal_cells* cells, const shoal_exec* exec, const shoal_cells_frame* frame, const shoal_v4* place,
                     int bits) {
    shoal_device*   device = exec->device;
    shoal_grid_view v      = {.count = cells->item_count, .place = place, .frame = *frame, .own = *cells};
    if (cells->item_count == 0) return;
    run(exec, SHOAL_GRID_key, &v, v.count);
    device->sort(device, cells->keys, v.count, bits, cells->order, cells->keys_sorted);
    run(exec, SHOAL_GRID_mark, &v, v.count);
    device->scan(device, cells->cell_of, v.count);
    run(exec, SHOAL_GRID_cell, &v, v.count);
}

static shoal_status reserve(shoal_near* near, shoal_device* device, int count) {
    if (near->device != device) shoal_near_free(near);
    near->device = device;
    if (!near->next && !(near->next = shoal_far_alloc(device, 2, sizeof *near->next))) return SHOAL_ERR_MEMORY;
    if (count > near->capacity) {
        int    capacity = count + count / 32 + 64;
        size_t n        = (size_t)capacity;
        near->capacity  = 0;
        SHOAL_TRY(shoal_far_realloc(device, (void**)&near->start, 0, n, sizeof *near->start));
        SHOAL_TRY(shoal_far_realloc(device, (void**)&near->count, 0, n, sizeof *near->count));
        near->capacity = capacity;
    }
    return SHOAL_OK;
}

// Runs of each cell; there may be as many as items, but most hold several.
static shoal_status reserve_runs(shoal_near* near, int cells, bool has_own, bool has_ghosts) {
    size_t one = SHOAL_GRID_ROWS * sizeof(shoal_grid_run);
    if (cells > near->run_capacity || (has_ghosts && !near->ghost_runs)) {
        int capacity       = cells > near->run_capacity ? cells + cells / 8 + 64 : near->run_capacity;
        near->run_capacity = 0;
        if (has_own) SHOAL_TRY(shoal_far_realloc(near->device, &near->runs, 0, (size_t)capacity, one));
        if (has_ghosts) {
            SHOAL_TRY(shoal_far_realloc(near->device, &near->ghost_runs, 0, (size_t)capacity, one));
        } else if (near->ghost_runs) { // of the room before
            shoal_far_free(near->device, near->ghost_runs);
            near->ghost_runs = NULL;
        }
        near->run_capacity = capacity;
    }
    return SHOAL_OK;
}

shoal_status shoal_grid_near(shoal_near* near, const shoal_exec* exec, const shoal_cells* own,
                             const shoal_cells* ghosts, const shoal_v4* place, const shoal_v4* second, int nobody,
                             float h, bool is_ahead) {
    enum { FIRST_CAPACITY = 3, CELL_AT_FIRST = 6 }; // groups of each; items in a cell
    shoal_device* device = exec->device;
    int count = own->item_count, cells = near->run_capacity > 0 ? near->run_capacity : count / CELL_AT_FIRST + 64;
    SHOAL_TRY(reserve(near, device, count));
    if (count == 0) return SHOAL_OK;
    shoal_grid_view v = {
        .count = count, .place = place, .own = *own, .h2 = h * h, .nobody = nobody, .is_apart = second != NULL};
    size_t need = near->group_capacity > 0 ? near->group_capacity : (second ? 1 : FIRST_CAPACITY) * (size_t)count + 64;
    v.seen      = second ? second : place + count;
    v.first_ghost = second ? 0 : count;
    if (ghosts) v.ghosts = *ghosts;
    for (;;) {
        if (near->used[0] > near->group_capacity) need = near->used[0] + near->used[0] / 16;
        if (near->used[1] > (uint64_t)cells) cells = (int)near->used[1];
        if (need > UINT32_MAX)
            return shoal_fail(SHOAL_ERR_DIVERGE, "the neighbour lists have outgrown all bounds: "
                                                 "the particles have collapsed onto each other");
        SHOAL_TRY(reserve_runs(near, cells, second == NULL, ghosts != NULL));
        if (need > near->group_capacity) {
            near->group_capacity = 0;
            SHOAL_TRY(shoal_far_realloc(device, (void**)&near->index, 0, need * SHOAL_LANES, sizeof *near->index));
            near->group_capacity = need;
        }
        v.near         = *near;
        v.runs         = near->runs;
        v.ghost_runs   = near->ghost_runs;
        v.run_capacity = near->run_capacity;
        run(exec, SHOAL_GRID_runs, &v, SHOAL_GRID_ROWS * near->run_capacity);
        run(exec, SHOAL_GRID_search, &v, count);
        (is_ahead ? device->ask : device->fetch)(device, near->used, near->next, sizeof near->used);
        SHOAL_TRY(shoal_device_check(device));
        if (is_ahead || shoal_near_fits(near)) return SHOAL_OK;
    }
}

bool shoal_near_fits(const shoal_near* near) {
    return !near->device || (near->used[0] <= near->group_capacity && near->used[1] <= (uint64_t)near->run_capacity);
}

double shoal_near_mean(const shoal_near* near, const shoal_exec* exec, int count) {
    shoal_grid_view v = {.count = count, .near = *near};
    if (count == 0 || !near->count) return 0.0;
    return shoal_pass_fold(exec, &shoal_grid_passes, SHOAL_GRID_neighbours, &v, count) / count;
}

shoal_status shoal_near_fetch(shoal_near* here, const shoal_near* near, int count) {
    shoal_device* device = near->device;
    uint64_t      groups = 0;
    device->fetch(device, &groups, near->next, sizeof groups);
    SHOAL_TRY(shoal_device_check(device));
    if (count > here->capacity) {
        here->capacity = 0;
        SHOAL_TRY(shoal_realloc((void**)&here->start, 0, (size_t)count + (size_t)count / 4, sizeof *here->start));
        SHOAL_TRY(shoal_realloc((void**)&here->count, 0, (size_t)count + (size_t)count / 4, sizeof *here->count));
        here->capacity = count + count / 4;
    }
    if (groups > here->group_capacity) {
        size_t capacity      = groups + groups / 4;
        here->group_capacity = 0;
        SHOAL_TRY(shoal_realloc((void**)&here->index, 0, capacity * SHOAL_LANES, sizeof *here->index));
        here->group_capacity = capacity;
    }
    device->fetch(device, here->start, near->start, (size_t)count * sizeof *here->start);
    device->fetch(device, here->count, near->count, (size_t)count * sizeof *here->count);
    device->fetch(device, here->index, near->index, SHOAL_LANES * (size_t)groups * sizeof *here->index);
    SHOAL_TRY(shoal_device_check(device));
    for (size_t k = 0; k < SHOAL_LANES * (size_t)groups && device->is_woven; k += SHOAL_LANES) {
        int group[SHOAL_LANES];
        memcpy(group, here->index + k, sizeof group);
        for (int lane = 0; lane < SHOAL_LANES; lane++) here->index[k + (size_t)lane] = group[shoal_near_woven(lane)];
    }
    return SHOAL_OK;
}
