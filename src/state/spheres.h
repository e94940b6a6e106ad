// SPDX-License-Identifier: MIT
// Spheres that overlap are pushed apart, without friction and without time: for packings that meet
// walls, obstacles, each other or their own image, and for spheres of other sizes than those they
// settled with; and points are spread evenly.
#ifndef SHOAL_SPHERES_H
#define SHOAL_SPHERES_H

#include "math/vec.h"
#include "shoal/base.h"

typedef struct shoal_spheres {
    int            count;
    double         diameter; // the mean one, m
    shoal_d3*      at;       // [count] m
    const double*  radius;   // [count] m
    const uint8_t* moves;    // [count] 0: stays where it is; NULL: all move
    double*        overlap;  // [count] what is left of its deepest overlap, those with solids twice, m; 0
                             // for those that stay
    double period[3];        // m; 0: none. At least two diameters.
    // NULL, or the place nearest to p that no solid covers for sphere i; *depth becomes how deep it
    // was in one, 0 in none.
    shoal_d3 (*hold)(void* user, int i, shoal_d3 p, double* depth);
    void* user;
} shoal_spheres;

// In sweeps, until no overlap is more than a thousandth of the diameter or enough are done. The
// same bits everywhere.
shoal_status shoal_spheres_part(shoal_spheres* spheres);

// Points that stand for a cube of the diameter each, or for `fraction` [count] of it, go where all around them is
// alike: each is pushed by those that its radius and theirs reach, the more the nearer. Those that stay speak for what
// goes on beyond. `overlap` is not touched.
shoal_status shoal_spheres_even(shoal_spheres* spheres, const double* fraction);

// Marks in gone [count], zero before, those that move and are nearer than `least`, m, no more than two diameters, to
// one that is not marked.
shoal_status shoal_spheres_thin(const shoal_spheres* spheres, double least, uint8_t* gone);

#endif
