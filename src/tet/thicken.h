// SPDX-License-Identifier: MIT
// Thickening [Chentanez et al. 2007, 3.4]: sheets and tendrils that are about to fall between the nodes of a tracked
// surface. The flow carries the particles half way through them, and balls around the particles are joined to the
// surface of the next step.
#ifndef SHOAL_TET_THICKEN_H
#define SHOAL_TET_THICKEN_H

#include "tet/medial.h"

// In cells of the tracked surface.
typedef struct shoal_tet_thicken_def {
    double thin;         // what is no thicker is thin; 0: nothing is
    double redistribute; // so near, thin parts give what they are to those less thin: how easily sheets tear
    double more_big;     // radii grow by so much in a step, of the less thin,
    double more_small;   // and of the thin
} shoal_tet_thicken_def;

typedef struct shoal_tet_thicken {
    shoal_tet_medials medials; // thin parts, where the flow takes them
    double*           given;   // [count] to the radius, m
    int               given_capacity;
} shoal_tet_thicken;

void shoal_tet_thicken_free(shoal_tet_thicken* t); // what it points to; zero-initialise before the first use

// Finds the thin parts of a surface, carries them on for a step, and shares out their radii. `is_wet`: false for places
// that do not count, within solids. `carry`: the place where the flow takes a place in the step. The same bits for any
// number of threads.
typedef bool (*shoal_tet_wet_fn)(void* ctx, shoal_d3 at);
typedef shoal_d3 (*shoal_tet_carry_fn)(void* ctx, shoal_d3 at);
shoal_status shoal_tet_thicken_make(shoal_tet_thicken* t, const shoal_band* band, const shoal_octree* tree,
                                    const shoal_tet_thicken_def* def, shoal_tet_wet_fn is_wet, shoal_tet_carry_fn carry,
                                    void* ctx, const shoal_exec* exec);
// The distance to the surface at a place, joined with the balls around it.
double shoal_tet_thickened(const shoal_tet_thicken* t, shoal_d3 at, double distance);

#endif
