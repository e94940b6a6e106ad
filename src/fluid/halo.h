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

#include "exec/exec.h"
#include "grid/cells.h"
#include "state/world.h"

typedef struct shoal_image {
    int      source; // the own particle it shows
    shoal_v3 sign;   // -1 along the axes on which it is reflected
    shoal_v3 offset; // where it stands relative to that (reflected at the origin), m
} shoal_image;

typedef struct shoal_halo {
    int          count, capacity;
    shoal_image* images; // [count] in the order of their cells
    shoal_image* found;  // [count] as found, before sorting
    shoal_v4*    place;  // [count] of those found
    shoal_cells  cells;  // of the images
} shoal_halo;

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
