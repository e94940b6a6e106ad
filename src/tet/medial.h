// SPDX-License-Identifier: MIT
// Thin parts of a liquid, as particles near its medial axis [Chentanez et al. 2007, 3.4.1]: where a ray inwards from a
// vertex of the surface leaves the liquid again at once, a particle is put half way.
#ifndef SHOAL_MEDIAL_H
#define SHOAL_MEDIAL_H

#include "tet/band.h"
#include "tet/clear.h"

// A place half way through a thin part, and half of its thickness.
typedef struct shoal_tet_medial {
    shoal_d3 at;
    double   radius;
    int      near; // tet/thicken.c: less thin ones that it has given to; -1: it is one of those
} shoal_tet_medial;

typedef struct shoal_tet_medial_def {
    // Half way through a sheet the tracked distance, which is smooth there, is less than half of the thickness; less
    // than this fraction of it is the edge of something else.
    double shortest;
    double thin;                                                   // m; what is no thicker is thin
    double (*distance)(void* ctx, shoal_d3 at, shoal_clear* last); // m; negative within the liquid
    bool (*is_wet)(void* ctx, shoal_d3 at);                        // false for places that do not count, within solids
    // Where a particle goes from half way through, and the radius that it has then; 0: it is none. `way`: of the ray
    // through the thin part, of length one.
    void (*place)(void* ctx, shoal_d3 way, shoal_tet_medial* medial);
    void* ctx;
} shoal_tet_medial_def;

typedef struct shoal_tet_medials {
    shoal_tet_medial *items, *found;   // [count] in the order of the octants that they are in; of each vertex
    shoal_morton_set  octants, around; // finest octants with particles; those beside them too
    double            cell;            // m; of the tracked surface, half an octant
    shoal_d3          origin;
    int *             first, *order; // [octants + 1] of each octant
    uint64_t *        keys, *sorted;
    void*             sort_scratch;
    int count, bits, item_capacity, found_capacity, first_capacity, order_capacity, key_capacity, sorted_capacity,
        sort_capacity;
    shoal_arena* arena; // for all but the octants; NULL: they are kept
} shoal_tet_medials;

void shoal_tet_medials_free(shoal_tet_medials* m);   // what it points to; zero-initialise before the first use
void shoal_tet_medials_forget(shoal_tet_medials* m); // what was given back with the arena: there are none then

// Finds the thin parts of a surface. The same bits for any number of threads.
shoal_status shoal_tet_medials_find(shoal_tet_medials* m, const shoal_band* band, const shoal_octree* tree,
                                    const shoal_tet_medial_def* def, const shoal_exec* exec);

// Calls `fn` for those within `reach` of a place, in their order, with the square of the distance.
typedef void (*shoal_tet_medial_fn)(void* ctx, int medial, double square);
void shoal_tet_medials_near(const shoal_tet_medials* m, shoal_d3 at, double reach, shoal_tet_medial_fn fn, void* ctx);
// False: none is within two cells of a place.
bool shoal_tet_medials_are_near(const shoal_tet_medials* m, shoal_d3 at);

#endif
