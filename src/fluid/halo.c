// SPDX-License-Identifier: MIT
#include "fluid/halo.h"

void shoal_halo_free(shoal_halo* halo) {
    shoal_free(halo->images);
    shoal_free(halo->found);
    shoal_free(halo->place);
    shoal_cells_free(&halo->cells);
    *halo = (shoal_halo){0};
}

bool shoal_halo_is_needed(const shoal_world* world) {
    bool is_needed = world->is_periodic[0] || world->is_periodic[1] || world->is_periodic[2];
    for (int wall = 0; wall < SHOAL_WALL_COUNT; wall++) is_needed = is_needed || world->is_mirror[wall];
    return is_needed;
}

void shoal_world_reflect(shoal_world* world, bool reflects) {
    for (int wall = 0; wall < SHOAL_WALL_COUNT; wall++)
        world->is_mirror[wall] =
            reflects && world->is_closed[wall] && world->domain.walls[wall].kind == SHOAL_WALL_SLIP;
}

static shoal_v4 shown(shoal_image image, const shoal_v4* place) {
    shoal_v4 p = place[image.source];
    p.x        = image.sign.x * p.x + image.offset.x;
    p.y        = image.sign.y * p.y + image.offset.y;
    p.z        = image.sign.z * p.z + image.offset.z;
    return p;
}

static shoal_status add(shoal_halo* halo, shoal_image image, int axis, float by) {
    if (halo->count == halo->capacity) {
        int    capacity = halo->capacity * 2 + 1024;
        size_t kept = (size_t)halo->count, room = (size_t)capacity;
        halo->capacity = 0;
        SHOAL_TRY(shoal_realloc((void**)&halo->images, 0, room, sizeof *halo->images));
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
static shoal_status images_along(shoal_halo* halo, const shoal_world* world, int axis, const shoal_v4* place, int count,
                                 float reach) {
    float low = shoal_v3_axis(world->min, axis), high = shoal_v3_axis(world->max, axis);
    int   before = halo->count;
    for (int k = 0; k < count + before; k++) {
        shoal_image image = {k, {1.0f, 1.0f, 1.0f}, {0.0f, 0.0f, 0.0f}};
        if (k >= count) image = halo->found[k - count];
        shoal_v4 p  = shown(image, place);
        float    at = (&p.x)[axis];
        bool is_low = at<low + reach, is_high = at> high - reach;
        if (world->is_periodic[axis] && is_low) SHOAL_TRY(add(halo, image, axis, high - low));
        if (world->is_periodic[axis] && is_high) SHOAL_TRY(add(halo, image, axis, low - high));
        if (world->is_mirror[2 * axis] && is_low) SHOAL_TRY(add(halo, reflected(image, axis), axis, 2.0f * low));
        if (world->is_mirror[2 * axis + 1] && is_high) SHOAL_TRY(add(halo, reflected(image, axis), axis, 2.0f * high));
    }
    return SHOAL_OK;
}

shoal_status shoal_halo_build(shoal_halo* halo, const shoal_exec* exec, const shoal_world* world,
                              const shoal_cells_frame* frame, const shoal_v4* place, int count, float reach) {
    halo->count = 0;
    for (int axis = 0; axis < 3; axis++)
        if (world->is_periodic[axis] || world->is_mirror[2 * axis] || world->is_mirror[2 * axis + 1])
            SHOAL_TRY(images_along(halo, world, axis, place, count, reach));

    int kept = 0;
    for (int k = 0; k < halo->count; k++) {
        shoal_v4 p = shown(halo->found[k], place);
        if (!shoal_cells_frame_holds(frame, p)) continue; // nobody is near
        halo->found[kept]   = halo->found[k];
        halo->place[kept++] = p;
    }
    halo->count = kept;
    SHOAL_TRY(shoal_cells_sort(&halo->cells, exec, frame, halo->place, kept));
    for (int k = 0; k < kept; k++) halo->images[k] = halo->found[halo->cells.order[k]];
    return SHOAL_OK;
}

void shoal_halo_fill(const shoal_halo* halo, shoal_v4* field, int count, bool is_place) {
    for (int k = 0; k < halo->count; k++) {
        shoal_image image = halo->images[k];
        if (!is_place) image.offset = shoal_v3_make(0.0f, 0.0f, 0.0f);
        field[count + k] = shown(image, field);
    }
}

void shoal_halo_fill_lean(const shoal_halo* halo, shoal_v4* lean, float* yz, int count) {
    for (int k = 0; k < halo->count; k++) {
        shoal_image image = halo->images[k];
        shoal_v4    m     = lean[image.source];
        lean[count + k]   = (shoal_v4){m.x, m.y, image.sign.x * image.sign.y * m.z, image.sign.x * image.sign.z * m.w};
        yz[count + k]     = image.sign.y * image.sign.z * yz[image.source];
    }
}
