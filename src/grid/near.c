// SPDX-License-Identifier: MIT
// Memory of the lists, and the plain search.
#include "exec/device.h"
#include "grid/grid_far.h"
#include "grid/near_local.h"

enum { CELL_BLOCK = 64, SLAB = 4096, FIRST_CAPACITY = 3, SPLIT_BLOCK = 4096 };

void shoal_near_free(shoal_near* near) {
    shoal_far_free(near->device, near->start);
    shoal_far_free(near->device, near->count);
    shoal_far_free(near->device, near->index);
    shoal_far_free(near->device, near->next);
    shoal_far_free(near->device, near->runs);
    shoal_far_free(near->device, near->ghost_runs);
    shoal_free(near->candidates);
    shoal_free(near->apart);
    *near = (shoal_near){0};
}

void near_walk_begin(near_walk* walk, const near_search* search, int cell) {
    walk->cells[0] = search->own;
    walk->cells[1] = search->ghosts;
    walk->first    = search->first_row;
    walk->offset   = search->ghost_offset;
    for (int k = walk->first; k < NEAR_ROWS; k++) {
        const shoal_cells* cells = walk->cells[k / 9];
        if (cells)
            walk->cursor[k] = shoal_cells_find(cells, near_row_key(search->own, search->own->cell_key[cell], k % 9));
    }
}

void near_none(near_search* search, int cell) {
    for (int i = search->own->cell_start[cell]; i < search->own->cell_start[cell + 1]; i++)
        search->near->start[i] = 0, search->near->count[i] = 0;
}

static void search_plain(void* ctx, int cell_begin, int cell_end, int worker) {
    near_search*    s     = ctx;
    const shoal_v4 *place = s->place, *seen = s->seen;
    float           h2 = s->h * s->h;
    near_walk       walk;
    near_run        runs[NEAR_ROWS];
    near_walk_begin(&walk, s, cell_begin);
    for (int c = cell_begin; c < cell_end; c++) {
        int    run_count = near_walk_runs(&walk, c, runs);
        size_t most      = 0;
        if (run_count == 0) {
            near_none(s, c);
            continue;
        }
        for (int r = 0; r < run_count; r++) most += (size_t)(runs[r].end - runs[r].begin);
        size_t groups_most = most / SHOAL_LANES + 1;

        for (int i = s->own->cell_start[c]; i < s->own->cell_start[c + 1]; i++) {
            int* list = near_take(s, worker, groups_most);
            if (!list) return;
            int found = 0, self = near_self(s, i);
            for (int r = 0; r < run_count; r++)
                for (int j = runs[r].begin; j < runs[r].end; j++) {
                    float dx = place[i].x - seen[j].x, dy = place[i].y - seen[j].y, dz = place[i].z - seen[j].z;
                    if (dx * dx + dy * dy + dz * dz < h2 && j != self) list[found++] = j;
                }
            s->near->start[i] = (uint32_t)((size_t)(list - s->near->index) / SHOAL_LANES);
            s->near->count[i] = found;
            while (found % SHOAL_LANES != 0) list[found++] = s->nobody;
            near_return_slots(s, worker, groups_most - (size_t)found / SHOAL_LANES);
        }
    }
}

static const near_loops   plain = {search_plain};
static const shoal_by_isa loops = {{[SHOAL_ISA_PLAIN] = &plain, SHOAL_WIDE_ROWS(near_loops)}};

static shoal_status reserve(shoal_near* near, int count, int workers, int candidates, int apart) {
    if (count > near->capacity) {
        int capacity   = count + count / 4 + 64;
        near->capacity = 0;
        SHOAL_TRY(shoal_realloc((void**)&near->start, 0, (size_t)capacity, sizeof *near->start));
        SHOAL_TRY(shoal_realloc((void**)&near->count, 0, (size_t)capacity, sizeof *near->count));
        near->capacity = capacity;
    }
    if (workers > near->workers || candidates > near->candidate_capacity) {
        int capacity  = candidates > near->candidate_capacity ? candidates + candidates / 2 : near->candidate_capacity;
        near->workers = near->candidate_capacity = 0;
        SHOAL_TRY(shoal_realloc((void**)&near->candidates, 0, (size_t)workers * 4 * (size_t)capacity, sizeof(float)));
        near->workers            = workers;
        near->candidate_capacity = capacity;
    }
    if (apart > near->apart_capacity) {
        int capacity         = apart + apart / 4;
        near->apart_capacity = 0;
        SHOAL_TRY(shoal_realloc((void**)&near->apart, 0, 3 * (size_t)capacity, sizeof *near->apart));
        near->apart_capacity = capacity;
    }
    return SHOAL_OK;
}

typedef struct split_job {
    const shoal_v4* from;
    float *         x, *y, *z;
} split_job;

static void split_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    const split_job* s = ctx;
    for (int k = begin; k < end; k++) s->x[k] = s->from[k].x, s->y[k] = s->from[k].y, s->z[k] = s->from[k].z;
}

static shoal_status build(shoal_near* near, const shoal_exec* exec, shoal_isa_kind isa, const shoal_cells* own,
                          const shoal_cells* ghosts, int first_row, const shoal_v4* place, const shoal_v4* seen,
                          int nobody, float h) {
    int count      = own->item_count;
    int fullest    = own->fullest + (ghosts ? ghosts->fullest : 0);
    int all        = count + (ghosts ? ghosts->item_count : 0);
    int candidates = (fullest < all / 27 ? 27 * fullest : all) + 2 * SHOAL_LANES;
    int apart      = first_row == 0 ? all : all - count;
    SHOAL_TRY(reserve(near, count, exec->threads, candidates, apart + SHOAL_LANES));
    split_job split = {seen, near->apart, near->apart + near->apart_capacity,
                       near->apart + 2 * (size_t)near->apart_capacity};
    if (isa != SHOAL_ISA_PLAIN) shoal_blocks(exec, apart, SPLIT_BLOCK, split_block, &split);

    const near_loops* chosen = shoal_isa_choose(&loops, isa);
    enum { WORKERS_MOST = 1024 };
    SHOAL_ASSERT(exec->threads <= WORKERS_MOST);
    near_slab slabs[WORKERS_MOST];
    size_t    slack = (size_t)exec->threads * (SLAB + 8 * (size_t)candidates / SHOAL_LANES);
    size_t    need =
        near->group_capacity > 0 ? near->group_capacity : (first_row == 0 ? FIRST_CAPACITY * (size_t)count : 0) + slack;
    for (;;) {
        if (need > near->group_capacity) {
            shoal_free(near->index); // first: the lists are most of the memory, and two of them may not fit
            near->group_capacity = 0;
            near->index          = shoal_alloc(need * SHOAL_LANES, sizeof *near->index);
            if (!near->index) return SHOAL_ERR_MEMORY;
            near->group_capacity = need;
        }
        size_t      next    = 0;
        bool        is_full = false;
        near_search search  = {own,    ghosts,  first_row, first_row == 0 ? count : 0,
                               place,  seen,    near,      h,
                               nobody, SLAB,    &next,     &is_full,
                               slabs,  split.x, split.y,   split.z};
        for (int w = 0; w < exec->threads; w++) slabs[w] = (near_slab){0, 0};
        shoal_blocks(exec, own->cell_count, CELL_BLOCK, chosen->search, &search);
        if (!is_full) return SHOAL_OK;
        need = near->group_capacity + near->group_capacity / 2 + slack;
        if (need > UINT32_MAX)
            return shoal_fail(SHOAL_ERR_DIVERGE, "the neighbour lists have outgrown all bounds: "
                                                 "the particles have collapsed onto each other");
    }
}

shoal_status shoal_near_build(shoal_near* near, const shoal_exec* exec, shoal_isa_kind isa, const shoal_cells* own,
                              const shoal_cells* ghosts, const shoal_v4* place, int nobody, float h) {
    if (exec->device) return shoal_grid_near(near, exec, own, ghosts, place, NULL, nobody, h, false);
    return build(near, exec, isa, own, ghosts, 0, place, place, nobody, h);
}

shoal_status shoal_near_build_ahead(shoal_near* near, const shoal_exec* exec, shoal_isa_kind isa,
                                    const shoal_cells* own, const shoal_cells* ghosts, const shoal_v4* place,
                                    int nobody, float h) {
    if (exec->device) return shoal_grid_near(near, exec, own, ghosts, place, NULL, nobody, h, true);
    return build(near, exec, isa, own, ghosts, 0, place, place, nobody, h);
}

shoal_status shoal_near_build_between(shoal_near* near, const shoal_exec* exec, shoal_isa_kind isa,
                                      const shoal_cells* own, const shoal_v4* place, const shoal_cells* second,
                                      const shoal_v4* other_place, float h) {
    if (exec->device) return shoal_grid_near(near, exec, own, second, place, other_place, second->item_count, h, false);
    return build(near, exec, isa, own, second, NEAR_ROWS / 2, place, other_place, second->item_count, h);
}
