// SPDX-License-Identifier: MIT
// A settled random packing of spheres that fills all space: one periodic box of a thousand
// (packing_table.h), laid side by side without seams, turned and shifted by the seed so that no
// plane of a scene cuts its boxes alike. It belongs to no solver.
#ifndef SHOAL_PACKING_H
#define SHOAL_PACKING_H

#include "math/vec.h"
#include "shoal/base.h"

// Solid fractions that spheres at rest have; looser ones fall together, closer ones are crystals
// (Scott & Kilgour 1969, Onoda & Liniger 1990). Others are made as the nearest of these.
#define SHOAL_PACKING_LOOSEST 0.55
#define SHOAL_PACKING_CLOSEST 0.63

typedef struct shoal_packing shoal_packing;

// Radii lie evenly within `spread` (a fraction) about half the diameter. The table's own fraction and
// spread, 0.6 and 0.1, touch as they settled; others are the same places with overlaps pushed out,
// so fewer touch.
shoal_status shoal_packing_make(double diameter, double spread, double fraction, uint64_t seed, shoal_packing** out);
void         shoal_packing_free(shoal_packing* packing); // may be NULL

// Calls fn for every sphere whose centre is in the box, lower faces included, until it returns
// false; radius = diameter/2 (1 + spread rank), rank from -1 to 1 and never 0; overlap: of its
// deepest contact, m. Always in the same order.
typedef struct shoal_sphere {
    shoal_d3 at;
    double   rank, overlap;
} shoal_sphere;
typedef bool (*shoal_sphere_fn)(void* user, shoal_sphere sphere);
void shoal_packing_walk(const shoal_packing* packing, shoal_box box, shoal_sphere_fn fn, void* user);

double shoal_packing_number(const shoal_packing* packing); // spheres in a cubic metre; for tests

#endif
