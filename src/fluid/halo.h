// SPDX-License-Identifier: MIT
// Images of particles across periodic walls, and in walls that reflect them. They follow the own
// particles in every array, so pair loops never think of the period; after a pass has changed a
// field that others read, the images are filled anew.
//
// Mirrored liquid is what a smooth flat wall is: pressure along the wall pushes those beside it as
// it pushes all others, and density changes by the flow alone. A density of the wall's own knows
// neither, and the layer beside it bears a load like a plate, in which most of a wave's energy is
// lost.
#ifndef SHOAL_HALO_H
#define SHOAL_HALO_H

#include "exec/device.h"
#include "grid/cells.h"
#include "state/world.h"

typedef struct shoal_image {
    int      source; // the own particle it shows
    shoal_v3 sign;   // -1 along the axes on which it is reflected
    shoal_v3 offset; // where it stands relative to that (reflected at the origin), m
} shoal_image;

typedef struct shoal_halo {
    int          count, capacity;
    shoal_image* images; // [count] in the order of their cells, where exec runs passes
    shoal_image* found;  // [count] as found, before sorting
    shoal_v4*    place;  // [count] of those found
    shoal_cells  cells;  // of the images
    // where it was built for a device: that, what was found and its places there, and the places of the own here
    shoal_device* device;
    shoal_exec    exec; // with which it was built; images are filled by it
    shoal_far     far_found, far_place;
    int           far_room; // of images
    shoal_v4*     own;
    int           own_room;
} shoal_halo;

// How images show a field.
typedef enum shoal_shown_as {
    SHOAL_SHOWN_SAME,   // as it is: numbers of 1, 4 or 16 bytes
    SHOAL_SHOWN_VECTOR, // V4: reflected, its companion as it is
    SHOAL_SHOWN_PLACE,  // V4: reflected and moved, its companion as it is
    SHOAL_SHOWN_LEAN,   // V4: xx, yy, xy, xz of a tensor as in lean.h
    SHOAL_SHOWN_LEAN_YZ // float: yz of such a tensor
} shoal_shown_as;

// Every field is laid out in one way: own items, images, and at the end nobody, whose values are the solver's.
typedef struct shoal_halo_field {
    void*          data;
    int            size; // of an item, bytes
    shoal_shown_as as;
} shoal_halo_field;

enum { SHOAL_HALO_FIELDS_MOST = 4 };

// Images as passes.
typedef struct shoal_halo_view {
    const shoal_image* found;
    const int*         order;
    shoal_image*       images;
    int                count; // of the own
    int                field_count;
    shoal_halo_field   fields[SHOAL_HALO_FIELDS_MOST];
} shoal_halo_view;

// Where an image of a place, or of a vector, stands.
SHOAL_FN shoal_v4 shoal_image_shown(shoal_image image, const shoal_v4* place) {
    shoal_v4 p = place[image.source];
    p.x        = image.sign.x * p.x + image.offset.x;
    p.y        = image.sign.y * p.y + image.offset.y;
    p.z        = image.sign.z * p.z + image.offset.z;
    return p;
}

SHOAL_FN void shoal_halo_order(const shoal_halo_view* v, int k) { v->images[k] = v->found[v->order[k]]; }
SHOAL_FN void shoal_halo_show_field(shoal_halo_field field, shoal_image image, int to) {
    shoal_v4* v    = (shoal_v4*)field.data;
    float*    f    = (float*)field.data;
    int       from = image.source;
    shoal_v3  sign = image.sign;
    switch (field.as) {
    case SHOAL_SHOWN_VECTOR:
        image.offset = shoal_v3_make(0.0f, 0.0f, 0.0f);
        v[to]        = shoal_image_shown(image, v);
        break;
    case SHOAL_SHOWN_PLACE:
        v[to] = shoal_image_shown(image, v);
        break;
    case SHOAL_SHOWN_LEAN:
        v[to] = shoal_v4_make(v[from].x, v[from].y, sign.x * sign.y * v[from].z, sign.x * sign.z * v[from].w);
        break;
    case SHOAL_SHOWN_LEAN_YZ:
        f[to] = sign.y * sign.z * f[from];
        break;
    default:
        if (field.size == (int)sizeof *v) v[to] = v[from];
        if (field.size == (int)sizeof(int32_t)) ((int32_t*)field.data)[to] = ((const int32_t*)field.data)[from];
        if (field.size == (int)sizeof(uint8_t)) ((uint8_t*)field.data)[to] = ((const uint8_t*)field.data)[from];
    }
}
SHOAL_FN void shoal_halo_show(const shoal_halo_view* v, int k) {
    for (int f = 0; f < v->field_count; f++) shoal_halo_show_field(v->fields[f], v->images[k], v->count + k);
}
// clang-format off
#define SHOAL_HALO_PASSES(X) X(order) X(show)
// clang-format on
#define X(name) SHOAL_HALO_##name,
enum { SHOAL_HALO_PASSES(X) SHOAL_HALO_PASS_COUNT };
#undef X
extern const shoal_passes shoal_halo_passes;

void shoal_halo_free(shoal_halo* halo);
bool shoal_halo_is_needed(const shoal_solids* solids);

// Whether smooth closed walls reflect the liquid; those that rub or stick never do.
void shoal_solids_reflect(shoal_solids* solids, bool reflects);

// Finds the images that lie within `reach` of the domain, for particles at `place` inside it, in cell order.
shoal_status shoal_halo_build(shoal_halo* halo, const shoal_exec* exec, const shoal_solids* solids,
                              const shoal_cells_frame* frame, const shoal_v4* place, int count, float reach);
// Fills the images of fields, which follow `count` own items in each.
void shoal_halo_fill(const shoal_halo* halo, int count, const shoal_halo_field* fields, int field_count);

// SHOAL_SHARE(halo, count, SHOAL_SHOW(place, PLACE), SHOAL_SHOW(id, SAME));
#define SHOAL_SHOW(field, how)                                                                                         \
    { (field), (int)sizeof *(field), SHOAL_SHOWN_##how }
#define SHOAL_SHARE(halo, count, ...)                                                                                  \
    shoal_halo_fill(halo, count, (const shoal_halo_field[]){__VA_ARGS__},                                              \
                    (int)(sizeof((const shoal_halo_field[]){__VA_ARGS__}) / sizeof(shoal_halo_field)))

#endif
