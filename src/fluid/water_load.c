// SPDX-License-Identifier: MIT
// SPH water: what solids feel, by collider.
#include <math.h>

#include "fluid/load_pass.h"
#include "fluid/water_local.h"

// Blocks are as long as needed for no more than this many of them, so that room does not grow with particles times
// colliders.
enum { LOAD_BLOCKS = 64, LOAD_LEAST = 512 };

#define X(name) SHOAL_LOOP(name##_loop, shoal_load_view, shoal_load_##name)
SHOAL_LOAD_PASSES(X)
#undef X
#define X(name) name##_loop,
static const shoal_loop loops[SHOAL_LOAD_PASS_COUNT] = {SHOAL_LOAD_PASSES(X)};
#undef X
const shoal_passes shoal_load_passes = {
    .block = 512, .loops = {{[SHOAL_ISA_PLAIN] = loops}}, .name = "load", .view_size = sizeof(shoal_load_view)};

void shoal_loads_free(shoal_loads* l) {
    shoal_far_free(l->device, l->upto);
    shoal_far_free(l->device, l->rows);
    shoal_free(l->rows_here);
    shoal_free(l->sums);
    *l = (shoal_loads){0};
}

static int block_length(int count) {
    int length = (count + LOAD_BLOCKS - 1) / LOAD_BLOCKS;
    return length > LOAD_LEAST ? length : LOAD_LEAST;
}

typedef struct load_task {
    const shoal_load_view* view;
    shoal_water_force*     sums; // [blocks][colliders]
} load_task;

static shoal_water_force* block_of(const load_task* t, int i) {
    return t->sums + (size_t)(i / block_length(t->view->water.count)) * (size_t)t->view->colliders;
}

static void add_row(shoal_water_force* sum, const shoal_load_row* row) {
    shoal_water_force* f = &sum[row->body];
    f->pressure          = shoal_d3_add(f->pressure, row->pressure);
    f->friction          = shoal_d3_add(shoal_d3_add(f->friction, row->coulomb), row->viscous);
}

static void load_block(void* ctx, int begin, int end, int worker) {
    (void)worker;
    load_task*         t   = ctx;
    shoal_water_force* sum = block_of(t, begin);
    for (int i = begin; i < end; i++) {
        shoal_load_row rows[SHOAL_LOAD_MOST];
        int            count = t->view->water.boundary.count[i] > 0 ? shoal_load_of(t->view, i, rows) : 0;
        for (int k = 0; k < count; k++) add_row(sum, &rows[k]);
    }
}

// Where the particles lie on a device: the few that touch colliders are listed there, in their order, and added here.
static shoal_status fetch_rows(shoal_loads* l, const shoal_exec* exec, load_task* t, shoal_load_view* v) {
    shoal_device* device = exec->device;
    int           count = v->water.count, all = 0;
    l->device = device;
    if (count > l->upto_capacity) {
        l->upto_capacity = 0;
        SHOAL_TRY(shoal_far_realloc(device, (void**)&l->upto, 0, (size_t)count + (size_t)count / 4, sizeof *l->upto));
        l->upto_capacity = count + count / 4;
    }
    v->upto = l->upto;
    shoal_pass_run(exec, SHOAL_ISA_PLAIN, &shoal_load_passes, SHOAL_LOAD_number, v, count);
    device->scan(device, l->upto, count);
    device->fetch(device, &all, l->upto + count - 1, sizeof all);
    SHOAL_TRY(shoal_device_check(device));
    if (all == 0) return SHOAL_OK;
    if (all > l->row_capacity) {
        size_t capacity = (size_t)all + (size_t)all / 2;
        l->row_capacity = 0;
        SHOAL_TRY(shoal_far_realloc(device, (void**)&l->rows, 0, capacity, sizeof *l->rows));
        SHOAL_TRY(shoal_realloc((void**)&l->rows_here, 0, capacity, sizeof *l->rows_here));
        l->row_capacity = (int)capacity;
    }
    v->rows = l->rows;
    shoal_pass_run(exec, SHOAL_ISA_PLAIN, &shoal_load_passes, SHOAL_LOAD_list, v, count);
    device->fetch(device, l->rows_here, l->rows, (size_t)all * sizeof *l->rows);
    SHOAL_TRY(shoal_device_check(device));
    for (int k = 0; k < all; k++) add_row(block_of(t, l->rows_here[k].item), &l->rows_here[k]);
    return SHOAL_OK;
}

shoal_status shoal_water_load(shoal_water* w, shoal_water_force* by_collider) {
    const shoal_exec* exec  = &w->ctx->exec;
    shoal_loads*      l     = &w->loads;
    shoal_load_view   v     = {.water     = w->view,
                               .colliders = w->ctx->world->collider_count,
                               .cube      = pow((double)w->view.d, 3.0),
                               .density   = (double)w->liquids[0].density,
                               .volumes   = w->volumes,
                               .masses    = w->masses};
    int               count = v.water.count, length = block_length(count);
    if (v.colliders == 0 || count == 0) return SHOAL_OK;
    size_t capacity = (size_t)LOAD_BLOCKS * (size_t)v.colliders;
    if (capacity > l->sum_capacity) {
        l->sum_capacity = 0;
        SHOAL_TRY(shoal_realloc((void**)&l->sums, 0, capacity, sizeof *l->sums));
        l->sum_capacity = capacity;
    }
    load_task task = {&v, l->sums};
    for (size_t k = 0; k < capacity; k++) l->sums[k] = (shoal_water_force){{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
    if (exec->device)
        SHOAL_TRY(fetch_rows(l, exec, &task, &v));
    else
        shoal_blocks(exec, count, length, load_block, &task);
    for (int b = 0; b * length < count; b++)
        for (int c = 0; c < v.colliders; c++) {
            const shoal_water_force* one = &l->sums[(size_t)b * (size_t)v.colliders + (size_t)c];
            by_collider[c].pressure      = shoal_d3_add(by_collider[c].pressure, one->pressure);
            by_collider[c].friction      = shoal_d3_add(by_collider[c].friction, one->friction);
        }
    return SHOAL_OK;
}
