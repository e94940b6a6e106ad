// SPDX-License-Identifier: MIT
// Images of particles across periodic walls, and in walls that reflect them. They follow a set's own
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
#include "grid/near.h"
#include "state/world.h"

typedef struct shoal_image {
    int      source; // the particle of the set that it shows
    shoal_v3 sign;   // -1 along the axes on which it is reflected
    shoal_v3 offset; // where it stands relative to that (reflected at the origin), m
} shoal_image;

typedef struct shoal_halo {
    int          count;
    shoal_image* images; // [count] in the order of their cells, where exec runs passes, as all that follows
    shoal_cells  cells;  // of the images
    // as found, axis by axis; those of them that are near, and where these stand; scratch of the search
    shoal_image *found, *unsorted;
    shoal_v4*    place;
    int*         upto;
    int          image_capacity, found_capacity, unsorted_capacity, upto_capacity;
    shoal_exec   exec; // with which it was built; images are filled by it
} shoal_halo;

// How images show a field.
typedef enum shoal_shown_as {
    SHOAL_SHOWN_SAME,   // as it is: numbers of 1, 4 or 16 bytes
    SHOAL_SHOWN_VECTOR, // V4: reflected, its companion as it is
    SHOAL_SHOWN_PLACE,  // V4: reflected and moved, its companion as it is; in two floats where there is a `fine`
    SHOAL_SHOWN_LEAN,   // V4: xx, yy, xy, xz of a tensor as in lean.h
    SHOAL_SHOWN_LEAN_YZ // float: yz of such a tensor
} shoal_shown_as;

// Every field is laid out in one way: own items, images, and at the end "nobody", which fills up the neighbour lists
// and touches no one: nowhere, without motion.
typedef struct shoal_halo_field {
    void*          data;
    shoal_v4*      fine; // of a place in two floats: what the first leaves of it; NULL: there is none
    int            size; // of an item, bytes
    shoal_shown_as as;
    bool           is_later; // images are filled by others, later
    float          nobody;   // of a float: that of "nobody"
} shoal_halo_field;

enum { SHOAL_HALO_FIELDS_MOST = 8 };

// Images as passes.
typedef struct shoal_halo_view {
    shoal_image*      found; // [before] of the axes before this one, and behind them those of this one
    shoal_image*      unsorted;
    shoal_v4*         unsorted_place;
    const int*        order;
    shoal_image*      images; // [shown]
    int               count;  // of particles of the set
    int               shown;
    int               field_count;
    shoal_halo_field  fields[SHOAL_HALO_FIELDS_MOST];
    const shoal_v4*   place; // [count] of these
    int               axis, before;
    float             low, high, reach; // walls along the axis, m
    bool              is_periodic, is_mirror[2];
    int*              upto; // [count + before] images of an item, then of all up to it
    shoal_cells_frame frame;
} shoal_halo_view;

// Where an image of a place, or of a vector, stands.
SHOAL_FN shoal_v4 shoal_image_shown(shoal_image image, const shoal_v4* place) {
    shoal_v4 p = place[image.source];
    p.x        = image.sign.x * p.x + image.offset.x;
    p.y        = image.sign.y * p.y + image.offset.y;
    p.z        = image.sign.z * p.z + image.offset.z;
    return p;
}

// One axis at a time; images of the axes before are imaged again, which makes edges and corners.
SHOAL_FN shoal_image shoal_halo_item(const shoal_halo_view* v, int k) {
    shoal_image image;
    if (k >= v->count) return v->found[k - v->count];
    image.source = k;
    image.sign   = shoal_v3_make(1.0f, 1.0f, 1.0f);
    image.offset = shoal_v3_make(0.0f, 0.0f, 0.0f);
    return image;
}

SHOAL_FN shoal_image shoal_image_moved(shoal_image image, int axis, bool is_reflected, float by) {
    float turn = is_reflected ? -1.0f : 1.0f;
    shoal_v3_set_axis(&image.sign, axis, turn * shoal_v3_axis(image.sign, axis));
    shoal_v3_set_axis(&image.offset, axis, turn * shoal_v3_axis(image.offset, axis) + by);
    return image;
}

// The images of an item along the axis, at most four.
SHOAL_FN int shoal_halo_images_of(const shoal_halo_view* v, int k, shoal_image* out) {
    shoal_image image                                       = shoal_halo_item(v, k);
    shoal_v4    p                                           = shoal_image_shown(image, v->place);
    float       at                                          = shoal_v3_axis(shoal_v4_xyz(p), v->axis);
    bool is_low                                             = at<v->low + v->reach, is_high = at> v->high - v->reach;
    int                                               count = 0;
    if (v->is_periodic && is_low) out[count++] = shoal_image_moved(image, v->axis, false, v->high - v->low);
    if (v->is_periodic && is_high) out[count++] = shoal_image_moved(image, v->axis, false, v->low - v->high);
    if (v->is_mirror[0] && is_low) out[count++] = shoal_image_moved(image, v->axis, true, 2.0f * v->low);
    if (v->is_mirror[1] && is_high) out[count++] = shoal_image_moved(image, v->axis, true, 2.0f * v->high);
    return count;
}

SHOAL_FN void shoal_halo_count(const shoal_halo_view* v, int k) {
    shoal_image images[4];
    v->upto[k] = shoal_halo_images_of(v, k, images);
}
SHOAL_FN void shoal_halo_find(const shoal_halo_view* v, int k) {
    shoal_image images[4];
    int         count = shoal_halo_images_of(v, k, images);
    for (int n = 0; n < count; n++) v->found[v->before + v->upto[k] - count + n] = images[n];
}

// Of those found, the ones that have a neighbour.
SHOAL_FN void shoal_halo_near(const shoal_halo_view* v, int k) {
    v->upto[k] = shoal_cells_frame_holds(&v->frame, shoal_image_shown(v->found[k], v->place));
}
SHOAL_FN void shoal_halo_keep(const shoal_halo_view* v, int k) {
    shoal_v4 p = shoal_image_shown(v->found[k], v->place);
    if (!shoal_cells_frame_holds(&v->frame, p)) return;
    v->unsorted[v->upto[k] - 1]       = v->found[k];
    v->unsorted_place[v->upto[k] - 1] = p;
}
SHOAL_FN void shoal_halo_order(const shoal_halo_view* v, int k) { v->images[k] = v->unsorted[v->order[k]]; }

// A place that is moved by a part of the period, in both of its floats: rounded to one, two partners across a periodic
// wall would differ on how deep they overlap.
SHOAL_FN void shoal_halo_move_fine(shoal_v4* place, shoal_v4* fine, shoal_v3 by) {
    shoal_v3 at = shoal_v4_xyz(*place), lo = shoal_v4_xyz(*fine);
    for (int axis = 0; axis < 3; axis++) {
        double to   = (double)shoal_v3_axis(at, axis) + (double)shoal_v3_axis(by, axis);
        float  near = (float)to;
        shoal_v3_set_axis(&at, axis, near);
        shoal_v3_set_axis(&lo, axis, shoal_v3_axis(lo, axis) + (float)(to - (double)near));
    }
    // whole: with the companions left alone gcc 12 (-O2, its vectors) takes the differences for 0
    *place = shoal_v4_make(at.x, at.y, at.z, place->w);
    *fine  = shoal_v4_make(lo.x, lo.y, lo.z, fine->w);
}

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
        if (field.fine) {
            shoal_v3 by    = image.offset;
            image.offset   = shoal_v3_make(0.0f, 0.0f, 0.0f);
            v[to]          = shoal_image_shown(image, v);
            field.fine[to] = shoal_image_shown(image, field.fine);
            shoal_halo_move_fine(&v[to], &field.fine[to], by);
        } else {
            v[to] = shoal_image_shown(image, v);
        }
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
SHOAL_FN void shoal_halo_nobody(shoal_halo_field field, int at) {
    bool  is_place = field.as == SHOAL_SHOWN_PLACE;
    float where    = is_place ? SHOAL_NOWHERE : 0.0f;
    if (field.size == (int)sizeof(shoal_v4)) ((shoal_v4*)field.data)[at] = shoal_v4_make(where, where, where, 0.0f);
    if (field.fine) field.fine[at] = shoal_v4_make(0.0f, 0.0f, 0.0f, 0.0f);
    if (field.size == (int)sizeof(float)) ((float*)field.data)[at] = field.nobody;
    if (field.size == (int)sizeof(uint8_t)) ((uint8_t*)field.data)[at] = 0;
}
// Over the images, and "nobody" behind them where that is wanted.
SHOAL_FN void shoal_halo_show(const shoal_halo_view* v, int k) {
    for (int f = 0; f < v->field_count; f++) {
        if (k == v->shown)
            shoal_halo_nobody(v->fields[f], v->count + k);
        else if (!v->fields[f].is_later)
            shoal_halo_show_field(v->fields[f], v->images[k], v->count + k);
    }
}
// clang-format off
#define SHOAL_HALO_PASSES(X) X(count) X(find) X(near) X(keep) X(order) X(show)
// clang-format on
#define X(name) SHOAL_HALO_##name,
enum { SHOAL_HALO_PASSES(X) SHOAL_HALO_PASS_COUNT };
#undef X
extern const shoal_passes shoal_halo_passes;

void shoal_halo_free(shoal_halo* halo);
bool shoal_halo_is_needed(const shoal_solids* solids);

// Whether smooth closed walls reflect the liquid; those with friction, or that stick, never do.
void shoal_solids_reflect(shoal_solids* solids, bool reflects);

// Finds the images that lie within `reach` of the domain, for particles at `place` inside it, in cell order.
shoal_status shoal_halo_build(shoal_halo* halo, const shoal_exec* exec, const shoal_solids* solids,
                              const shoal_cells_frame* frame, const shoal_v4* place, int count, float reach);
// Fills the images of fields, which follow `count` own items in each.
void shoal_halo_fill(const shoal_halo* halo, int count, const shoal_halo_field* fields, int field_count);
// The same at the start of a substep, with "nobody" behind them, also where there are no images.
void shoal_halo_lay(const shoal_halo* halo, const shoal_exec* exec, int count, const shoal_halo_field* fields,
                    int field_count);

// SHOAL_FILL_HALO(halo, count, SHOAL_SHOW(place, PLACE), SHOAL_SHOW(id, SAME));
#define SHOAL_SHOW(field, how)                                                                                         \
    { .data = (field), .size = (int)sizeof *(field), .as = SHOAL_SHOWN_##how }
// A place in two floats; a field that only "nobody" has now; one of floats of which "nobody" has another than 0.
#define SHOAL_SHOW_FINE(field, lower)                                                                                  \
    { .data = (field), .fine = (lower), .size = (int)sizeof *(field), .as = SHOAL_SHOWN_PLACE }
#define SHOAL_SHOW_LATER(field, how)                                                                                   \
    { .data = (field), .size = (int)sizeof *(field), .as = SHOAL_SHOWN_##how, .is_later = true }
#define SHOAL_SHOW_WITH(field, how, value)                                                                             \
    { .data = (field), .size = (int)sizeof *(field), .as = SHOAL_SHOWN_##how, .nobody = (value) }
#define SHOAL_SHOWN(...)                                                                                               \
    (const shoal_halo_field[]){__VA_ARGS__},                                                                           \
        (int)(sizeof(const shoal_halo_field[]){__VA_ARGS__} / sizeof(shoal_halo_field))
#define SHOAL_FILL_HALO(halo, count, ...) shoal_halo_fill(halo, count, SHOAL_SHOWN(__VA_ARGS__))
#define SHOAL_LAY(halo, exec, count, ...) shoal_halo_lay(halo, exec, count, SHOAL_SHOWN(__VA_ARGS__))

#endif
