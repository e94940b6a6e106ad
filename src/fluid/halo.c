// SPDX-License-Identifier: MIT
#include "fluid/halo.h"

#define X(name) SHOAL_LOOP(name##_loop, shoal_halo_view, shoal_halo_##name)
SHOAL_HALO_PASSES(X)
#undef X
#define X(name) name##_loop,
static const shoal_loop loops[SHOAL_HALO_PASS_COUNT] = {SHOAL_HALO_PASSES(X)};
#undef X
const shoal_passes shoal_halo_passes = {
    .block = 512, .loops = {{[SHOAL_ISA_PLAIN] = loops}}, .name = "halo", .view_size = sizeof(shoal_halo_view)};

void shoal_halo_free(shoal_halo* halo) {
    shoal_device* device = halo->exec.device;
    shoal_far_free(device, halo->images);
    shoal_far_free(device, halo->found);
    shoal_far_free(device, halo->unsorted);
    shoal_far_free(device, halo->place);
    shoal_far_free(device, halo->upto);
    shoal_cells_free(&halo->cells);
    *halo = (shoal_halo){0};
}

bool shoal_halo_is_needed(const shoal_solids* solids) {
    bool is_needed = shoal_world_is_periodic(solids->world);
    for (int wall = 0; wall < SHOAL_WALL_COUNT; wall++) is_needed = is_needed || solids->is_mirror[wall];
    return is_needed;
}

void shoal_solids_reflect(shoal_solids* solids, bool reflects) {
    const shoal_world* world = solids->world;
    for (int wall = 0; wall < SHOAL_WALL_COUNT; wall++)
        solids->is_mirror[wall] =
            reflects && world->is_closed[wall] &&
            (world->domain.walls[wall].kind == SHOAL_WALL_SLIP || world->rough[wall][solids->kind].is_smooth);
}

// Room for `count` items at *far, of which the first `unsorted` stay.
static shoal_status reserve(shoal_halo* halo, void** far, int* capacity, int unsorted, int count, size_t size) {
    if (count <= *capacity) return SHOAL_OK;
    size_t wanted = (size_t)count + (size_t)count / 4 + 64;
    *capacity     = 0;
    SHOAL_TRY(shoal_far_realloc(halo->exec.device, far, (size_t)unsorted, wanted, size));
    *capacity = (int)wanted;
    return SHOAL_OK;
}

static void run(const shoal_halo* halo, int pass, const shoal_halo_view* v, int count) {
    shoal_pass_run(&halo->exec, SHOAL_ISA_PLAIN, &shoal_halo_passes, pass, v, count);
}

static shoal_status images_along(shoal_halo* halo, const shoal_solids* solids, int axis, shoal_halo_view* v) {
    const shoal_world* world = solids->world;
    int                items = v->count + v->before;
    v->axis                  = axis;
    v->low                   = shoal_v3_axis(world->min, axis);
    v->high                  = shoal_v3_axis(world->max, axis);
    v->is_periodic           = world->is_periodic[axis];
    v->is_mirror[0]          = solids->is_mirror[2 * axis];
    v->is_mirror[1]          = solids->is_mirror[2 * axis + 1];
    if (!v->is_periodic && !v->is_mirror[0] && !v->is_mirror[1]) return SHOAL_OK;
    SHOAL_TRY(reserve(halo, (void**)&halo->upto, &halo->upto_capacity, 0, items, sizeof *halo->upto));
    v->upto = halo->upto;
    run(halo, SHOAL_HALO_count, v, items);
    int all = v->before + (int)shoal_pass_scan(&halo->exec, v->upto, items);
    SHOAL_TRY(reserve(halo, (void**)&halo->found, &halo->found_capacity, v->before, all, sizeof *halo->found));
    v->found = halo->found;
    run(halo, SHOAL_HALO_find, v, items);
    v->before = all;
    return shoal_device_check(halo->exec.device);
}

static shoal_status keep_near(shoal_halo* halo, shoal_halo_view* v) {
    int all = v->before, place_capacity = halo->unsorted_capacity;
    SHOAL_TRY(reserve(halo, (void**)&halo->upto, &halo->upto_capacity, 0, all, sizeof *halo->upto));
    SHOAL_TRY(reserve(halo, (void**)&halo->place, &place_capacity, 0, all, sizeof *halo->place));
    SHOAL_TRY(reserve(halo, (void**)&halo->unsorted, &halo->unsorted_capacity, 0, all, sizeof *halo->unsorted));
    v->upto           = halo->upto;
    v->unsorted       = halo->unsorted;
    v->unsorted_place = halo->place;
    run(halo, SHOAL_HALO_near, v, all);
    halo->count = (int)shoal_pass_scan(&halo->exec, v->upto, all);
    run(halo, SHOAL_HALO_keep, v, all);
    return shoal_device_check(halo->exec.device);
}

shoal_status shoal_halo_build(shoal_halo* halo, const shoal_exec* exec, const shoal_solids* solids,
                              const shoal_cells_frame* frame, const shoal_v4* place, int count, float reach) {
    if (halo->exec.device != exec->device) shoal_halo_free(halo);
    halo->exec        = *exec;
    halo->count       = 0;
    shoal_halo_view v = {.place = place, .count = count, .reach = reach, .frame = *frame, .found = halo->found};
    for (int axis = 0; axis < 3; axis++) SHOAL_TRY(images_along(halo, solids, axis, &v));
    if (v.before == 0) return SHOAL_OK;
    SHOAL_TRY(keep_near(halo, &v));
    if (halo->count == 0) return SHOAL_OK;
    SHOAL_TRY(reserve(halo, (void**)&halo->images, &halo->image_capacity, 0, halo->count, sizeof *halo->images));
    SHOAL_TRY(shoal_cells_sort(&halo->cells, exec, frame, halo->place, halo->count));
    v.order  = halo->cells.order;
    v.images = halo->images;
    run(halo, SHOAL_HALO_order, &v, halo->count);
    return SHOAL_OK;
}

static void fill(const shoal_halo* halo, const shoal_exec* exec, int count, const shoal_halo_field* fields,
                 int field_count, int items) {
    shoal_halo_view v = {.images = halo->images, .count = count, .shown = halo->count};
    SHOAL_ASSERT(field_count <= SHOAL_HALO_FIELDS_MOST);
    for (int f = 0; f < field_count; f++) v.fields[v.field_count++] = fields[f];
    if (items > 0) shoal_pass_run(exec, SHOAL_ISA_PLAIN, &shoal_halo_passes, SHOAL_HALO_show, &v, items);
}

void shoal_halo_fill(const shoal_halo* halo, int count, const shoal_halo_field* fields, int field_count) {
    fill(halo, &halo->exec, count, fields, field_count, halo->count);
}

void shoal_halo_lay(const shoal_halo* halo, const shoal_exec* exec, int count, const shoal_halo_field* fields,
                    int field_count) {
    fill(halo, exec, count, fields, field_count, halo->count + 1);
}
