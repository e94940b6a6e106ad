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
    shoal_far     far_found, far_place;
    int           far_room; // of images
    shoal_v4*     own;
    int           own_room;
} shoal_halo;

// Images on a device, as passes.
typedef struct shoal_halo_view {
    const shoal_image* found;
    const int*         order;
    shoal_image*       images;
    int                count; // of the own
    shoal_v4*          field;
    bool               is_place;
    shoal_v4*          lean;
    float*             lean_yz;
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
SHOAL_FN void shoal_halo_show(const shoal_halo_view* v, int k) {
    shoal_image image = v->images[k];
    if (!v->is_place) image.offset = shoal_v3_make(0.0f, 0.0f, 0.0f);
    v->field[v->count + k] = shoal_image_shown(image, v->field);
}
SHOAL_FN void shoal_halo_show_lean(const shoal_halo_view* v, int k) {
    shoal_image image = v->images[k];
    shoal_v4    m     = v->lean[image.source];
    v->lean[v->count + k] =
        shoal_v4_make(m.x, m.y, image.sign.x * image.sign.y * m.z, image.sign.x * image.sign.z * m.w);
    v->lean_yz[v->count + k] = image.sign.y * image.sign.z * v->lean_yz[image.source];
}
// clang-format off
#define SHOAL_HALO_PASSES(X) X(order) X(show) X(show_lean)
// clang-format on
#define X(name) SHOAL_HALO_##name,
enum { SHOAL_HALO_PASSES(X) SHOAL_HALO_PASS_COUNT };
#undef X
extern const shoal_passes shoal_halo_passes;

void shoal_halo_free(shoal_halo* halo);
bool shoal_halo_is_needed(const shoal_world* world);

// Whether smooth closed walls of this copy of the world reflect the liquid; those that rub or stick
// never do.
void shoal_world_reflect(shoal_world* world, bool reflects);

// Finds the images that lie within `reach` of the domain, for particles at `place` inside it, in cell order.
shoal_status shoal_halo_build(shoal_halo* halo, const shoal_exec* exec, const shoal_world* world,
                              const shoal_cells_frame* frame, const shoal_v4* place, int count, float reach);
// Copies field[source], a vector and its companion, to the images at field[count ...]; places are
// shifted by their offset.
void shoal_halo_fill(const shoal_halo* halo, shoal_v4* field, int count, bool is_place);
// The same for a tensor as in lean.h: xx, yy, xy, xz, and yz by itself.
void shoal_halo_fill_lean(const shoal_halo* halo, shoal_v4* lean, float* yz, int count);

#endif
