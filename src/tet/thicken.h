// SPDX-License-Identifier: MIT
// Thickening [Chentanez et al. 2007, 3.4]: sheets and tendrils that are about to fall between the nodes of a tracked
// surface. Where a ray inwards from a vertex of the surface leaves the liquid again at once, a particle is put half
// way. The flow carries the particles, and balls around them are joined to the surface of the next step.
#ifndef SHOAL_TET_THICKEN_H
#define SHOAL_TET_THICKEN_H

#include "tet/band.h"

// In cells of the tracked surface.
typedef struct shoal_tet_thicken_def {
    double thin;         // what is no thicker is thin; 0: nothing is
    double redistribute; // so near, thin parts give what they are to those less thin: how easily sheets tear
    double more_big;     // radii grow by so much in a step, of the less thin,
    double more_small;   // and of the thin
} shoal_tet_thicken_def;

// A place half way through a thin part, and half of its thickness.
typedef struct shoal_tet_medial {
    shoal_d3 at;
    double   radius;
    int      near; // less thin ones that it has given to; -1: it is one of those
} shoal_tet_medial;

typedef struct shoal_tet_thicken {
    shoal_tet_medial *items, *found;   // [count] in the order of the octants that they are in; of each vertex
    shoal_morton_set  octants, around; // finest octants with particles; those beside them too
    double            cell;            // m; of the tracked surface, half an octant
    shoal_d3          origin;
    double*           given;         // [count] to the radius, m
    int *             first, *order; // [octants + 1] of each octant
    uint64_t *        keys, *sorted;
    void*             sort_scratch;
    int count, bits, item_capacity, found_capacity, first_capacity, order_capacity, key_capacity, sorted_capacity,
        sort_capacity, given_capacity;
} shoal_tet_thicken;

void shoal_tet_thicken_free(shoal_tet_thicken* t); // what it points to; zero-initialise before the first use

// Finds the parts of a surface that are no thicker than `thin`, m. `is_wet`: false for places that do not count, within
// solids. `carry`: the place where the flow takes a place in the step; NULL: they stay. The same bits for any number of
// threads.
typedef bool (*shoal_tet_wet_fn)(void* ctx, shoal_d3 at);
typedef shoal_d3 (*shoal_tet_carry_fn)(void* ctx, shoal_d3 at);
shoal_status shoal_tet_thin_find(shoal_tet_thicken* t, const shoal_band* band, const shoal_octree* tree, double thin,
                                 shoal_tet_wet_fn is_wet, shoal_tet_carry_fn carry, void* ctx, const shoal_exec* exec);
// The same, and shares out their radii.
shoal_status shoal_tet_thicken_make(shoal_tet_thicken* t, const shoal_band* band, const shoal_octree* tree,
                                    const shoal_tet_thicken_def* def, shoal_tet_wet_fn is_wet, shoal_tet_carry_fn carry,
                                    void* ctx, const shoal_exec* exec);
// The distance to the surface at a place, joined with the balls around it.
double shoal_tet_thickened(const shoal_tet_thicken* t, shoal_d3 at, double distance);
// What is added to the depth at a place so that a mesh encloses the thin parts around it.
double shoal_tet_thin_offset(const shoal_tet_thicken* t, shoal_d3 at);

#endif
