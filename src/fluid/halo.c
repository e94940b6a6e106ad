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
    shoal_far_free(halo->device, halo->images);
    shoal_far_release(&halo->far_found);
    shoal_far_release(&halo->far_place);
    shoal_free(halo->own);
    shoal_free(halo->found);
    shoal_free(halo->place);
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

static shoal_status add(shoal_halo* halo, shoal_image image, int axis, float by) {
    if (halo->count == halo->capacity) {
        int    capacity = halo->capacity * 2 + 1024;
        size_t kept = (size_t)halo->count, room = (size_t)capacity;
        halo->capacity = 0;
        if (!halo->device) SHOAL_TRY(shoal_realloc((void**)&halo->images, 0, room, sizeof *halo->images));
        SHOAL_TRY(shoal_realloc((void**)&halo->found, kept, room, sizeof *halo->found));
        SHOAL_TRY(shoal_realloc((void**)&halo->place, 0, room, sizeof *halo->place));
        halo->capacity = capacity;
    }
    shoal_v3_set_axis(&image.offset, axis, shoal_v3_axis(image.offset, axis) + by);
    halo->found[halo->count++] = image;
    return SHOAL_OK;
}

static shoal_image reflected(shoal_image image, int axis) {
    shoal_v3_set_axis(&image.sign, axis, -shoal_v3_axis(image.sign, axis));
    shoal_v3_set_axis(&image.offset, axis, -shoal_v3_axis(image.offset, axis));
    return image;
}

// One axis at a time; images of the axes before are imaged again, which makes edges and corners.
static shoal_status images_along(shoal_halo* halo, const shoal_solids* solids, int axis, const shoal_v4* place,
                                 int count, float reach) {
    const shoal_world* world = solids->world;
    float              low = shoal_v3_axis(world->min, axis), high = shoal_v3_axis(world->max, axis);
    int                before = halo->count;
    for (int k = 0; k < count + before; k++) {
        shoal_image image = {k, {1.0f, 1.0f, 1.0f}, {0.0f, 0.0f, 0.0f}};
        if (k >= count) image = halo->found[k - count];
        shoal_v4 p  = shoal_image_shown(image, place);
        float    at = (&p.x)[axis];
        bool is_low = at<low + reach, is_high = at> high - reach;
        if (world->is_periodic[axis] && is_low) SHOAL_TRY(add(halo, image, axis, high - low));
        if (world->is_periodic[axis] && is_high) SHOAL_TRY(add(halo, image, axis, low - high));
        if (solids->is_mirror[2 * axis] && is_low) SHOAL_TRY(add(halo, reflected(image, axis), axis, 2.0f * low));
        if (solids->is_mirror[2 * axis + 1] && is_high) SHOAL_TRY(add(halo, reflected(image, axis), axis, 2.0f * high));
    }
    return SHOAL_OK;
}

// In the order of their cells, on a device.
static shoal_status order_far(shoal_halo* halo, const shoal_exec* exec, const shoal_cells_frame* frame) {
    shoal_device*   device = exec->device;
    size_t          n      = (size_t)halo->count;
    shoal_halo_view v      = {.count = halo->count};
    if (n == 0) return SHOAL_OK;
    if (halo->count > halo->far_room) {
        halo->far_room = 0;
        SHOAL_TRY(shoal_far_realloc(device, (void**)&halo->images, 0, n + n / 4, sizeof *halo->images));
        halo->far_room = (int)(n + n / 4);
    }
    v.found               = shoal_far_copy(&halo->far_found, device, halo->found, n * sizeof *halo->found);
    const shoal_v4* place = shoal_far_copy(&halo->far_place, device, halo->place, n * sizeof *halo->place);
    SHOAL_TRY(shoal_device_check(device));
    SHOAL_TRY(shoal_cells_sort(&halo->cells, exec, frame, place, halo->count));
    v.order  = halo->cells.order;
    v.images = halo->images;
    shoal_pass_run(exec, SHOAL_ISA_PLAIN, &shoal_halo_passes, SHOAL_HALO_order, &v, halo->count);
    return SHOAL_OK;
}

// The places of the own, here: images are found one axis after the other, each of those before it.
static shoal_status own_places(shoal_halo* halo, shoal_device* device, const shoal_v4** place, int count) {
    if (halo->device != device) shoal_halo_free(halo);
    halo->device = device;
    if (!device) return SHOAL_OK;
    SHOAL_TRY(shoal_make_room((void**)&halo->own, &halo->own_room, count, sizeof *halo->own));
    device->fetch(device, halo->own, *place, (size_t)count * sizeof *halo->own);
    *place = halo->own;
    return shoal_device_check(device);
}

shoal_status shoal_halo_build(shoal_halo* halo, const shoal_exec* exec, const shoal_solids* solids,
                              const shoal_cells_frame* frame, const shoal_v4* place, int count, float reach) {
    SHOAL_TRY(own_places(halo, exec->device, &place, count));
    halo->exec  = *exec;
    halo->count = 0;
    for (int axis = 0; axis < 3; axis++)
        if (solids->world->is_periodic[axis] || solids->is_mirror[2 * axis] || solids->is_mirror[2 * axis + 1])
            SHOAL_TRY(images_along(halo, solids, axis, place, count, reach));

    int kept = 0;
    for (int k = 0; k < halo->count; k++) {
        shoal_v4 p = shoal_image_shown(halo->found[k], place);
        if (!shoal_cells_frame_holds(frame, p)) continue; // nobody is near
        halo->found[kept]   = halo->found[k];
        halo->place[kept++] = p;
    }
    halo->count = kept;
    if (exec->device) return order_far(halo, exec, frame);
    SHOAL_TRY(shoal_cells_sort(&halo->cells, exec, frame, halo->place, kept));
    for (int k = 0; k < kept; k++) halo->images[k] = halo->found[halo->cells.order[k]];
    return SHOAL_OK;
}

void shoal_halo_fill(const shoal_halo* halo, int count, const shoal_halo_field* fields, int field_count) {
    shoal_halo_view v = {.images = halo->images, .count = count};
    SHOAL_ASSERT(field_count <= SHOAL_HALO_FIELDS_MOST);
    if (halo->count == 0) return;
    for (int f = 0; f < field_count; f++) v.fields[v.field_count++] = fields[f];
    shoal_pass_run(&halo->exec, SHOAL_ISA_PLAIN, &shoal_halo_passes, SHOAL_HALO_show, &v, halo->count);
}
