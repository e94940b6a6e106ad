// SPDX-License-Identifier: MIT
// Images of particles across periodic walls. They follow the own particles in every array, so pair loops never
// think of the period; after a pass has changed a field that others read, the images are filled anew.
#ifndef SHOAL_HALO_H
#define SHOAL_HALO_H

#include "exec/exec.h"
#include "grid/cells.h"
#include "state/world.h"

typedef struct shoal_image {
    int      source; // the own particle it shows
    shoal_v3 offset; // where it stands relative to that, m
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

// Finds the images that lie within `reach` of the domain, for particles at `place` inside it, in cell order.
shoal_status shoal_halo_build(shoal_halo* halo, const shoal_exec* exec, const shoal_world* world, const shoal_cells_frame* frame,
                              const shoal_v4* place, int count, float reach);
// Copies field[source] to the images at field[count ...]; places are shifted by their offset.
void shoal_halo_fill(const shoal_halo* halo, shoal_v4* field, int count, bool is_place);

#endif
