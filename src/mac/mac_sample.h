// SPDX-License-Identifier: MIT
// Trilinear weights of a place inside a tile, four floats at a time: two samples along x and two along y, or two
// pairs along x. Vector extensions of the compiler, no fused operations: the same bits everywhere.
#ifndef SHOAL_MAC_SAMPLE_H
#define SHOAL_MAC_SAMPLE_H

#include <string.h>

#include "mac/mac.h"

typedef float  mac_f4 __attribute__((vector_size(16)));
typedef int    mac_i4 __attribute__((vector_size(16)));
typedef double mac_d2 __attribute__((vector_size(16)));

static inline mac_f4 mac_load(const float* from) {
    mac_f4 v;
    memcpy(&v, from, sizeof v);
    return v;
}
static inline void   mac_store(float* to, mac_f4 v) { memcpy(to, &v, sizeof v); }
static inline mac_f4 mac_all(float a) { return (mac_f4){a, a, a, a}; }

// Samples, and floats of pairs, from one row and layer of a tile to the next.
enum { MAC_ROW = 10, MAC_LAYER = 100, MAC_PAIR_ROW = 20, MAC_PAIR_LAYER = 200 };

// The sample below and how far beyond it, along each axis, for samples on faces and at centres.
typedef struct mac_spot {
    mac_i4 face, centre; // tile coordinates, 0 is the rim
    mac_f4 face_part, centre_part;
} mac_spot;

// `g` is the place in cells from the block's corner, in [0, 8).
static inline mac_spot mac_spot_at(mac_f4 g) {
    mac_spot s;
    mac_f4   late  = g + mac_all(0.5f);
    mac_i4   whole = __builtin_convertvector(g, mac_i4);
    s.centre       = __builtin_convertvector(late, mac_i4);
    s.face         = whole + (mac_i4){1, 1, 1, 1};
    s.face_part    = g - __builtin_convertvector(whole, mac_f4);
    s.centre_part  = late - __builtin_convertvector(s.centre, mac_f4);
    return s;
}

// The eight samples around a spot for quantity q: 0..2 faces along x, y, z, 3 centres.
typedef struct mac_stencil {
    int   offset; // of the first sample
    float x, y, z;
} mac_stencil;

static inline mac_stencil mac_stencil_of(const mac_spot* s, int q) {
    int ix = q == 0 ? s->face[0] : s->centre[0], iy = q == 1 ? s->face[1] : s->centre[1],
        iz = q == 2 ? s->face[2] : s->centre[2];
    mac_stencil t;
    t.offset = (iz * 10 + iy) * 10 + ix;
    t.x      = q == 0 ? s->face_part[0] : s->centre_part[0];
    t.y      = q == 1 ? s->face_part[1] : s->centre_part[1];
    t.z      = q == 2 ? s->face_part[2] : s->centre_part[2];
    return t;
}

// Two samples along x and two along y, as they follow each other.
static inline mac_f4 mac_four(const float* from) {
    double a, b;
    memcpy(&a, from, sizeof a);
    memcpy(&b, from + MAC_ROW, sizeof b);
    return (mac_f4)(mac_d2){a, b};
}

// The same with z done, and the weights along x and y of four: sums of the products are values.
static inline mac_f4 mac_between(const float* tile, int offset, float z) {
    mac_f4 low = mac_four(tile + offset), high = mac_four(tile + offset + MAC_LAYER);
    return low + (high - low) * mac_all(z);
}
static inline mac_f4 mac_along(mac_f4 part, mac_f4 rest) { return __builtin_shufflevector(rest, part, 0, 4, 0, 4); }
static inline mac_f4 mac_across(mac_f4 part, mac_f4 rest) { return __builtin_shufflevector(rest, part, 1, 1, 5, 5); }

// Sums of a, b and c, each over its four.
static inline mac_f4 mac_sums(mac_f4 a, mac_f4 b, mac_f4 c) {
    mac_f4 ab = __builtin_shufflevector(a, b, 0, 4, 1, 5) + __builtin_shufflevector(a, b, 2, 6, 3, 7);
    mac_f4 cc = __builtin_shufflevector(c, c, 0, 4, 1, 5) + __builtin_shufflevector(c, c, 2, 6, 3, 7);
    return __builtin_shufflevector(ab, cc, 0, 1, 4, 5) + __builtin_shufflevector(ab, cc, 2, 3, 6, 7);
}

// Values of the three face quantities of a tile, one after another.
static inline mac_f4 mac_flow(const float* tile, const mac_spot* s) {
    mac_f4 one = mac_all(1.0f), face_rest = one - s->face_part, centre_rest = one - s->centre_part;
    mac_f4 x = mac_along(s->centre_part, centre_rest), y = mac_across(s->centre_part, centre_rest);
    mac_i4 face = s->face, centre = s->centre;
    int    plane = centre[2] * MAC_LAYER, row = centre[1] * MAC_ROW;
    mac_f4 u = mac_between(tile, plane + row + face[0], s->centre_part[2]);
    mac_f4 v = mac_between(tile + SHOAL_MAC_RIMMED_CELLS, plane + face[1] * MAC_ROW + centre[0], s->centre_part[2]);
    mac_f4 w = mac_between(tile + 2 * SHOAL_MAC_RIMMED_CELLS, face[2] * MAC_LAYER + row + centre[0], s->face_part[2]);
    return mac_sums(u * mac_along(s->face_part, face_rest) * y, v * x * mac_across(s->face_part, face_rest), w * x * y);
}

// Where a particle is in its block, in cells; the sort put it there, so only rounding can be cut off.
static inline mac_f4 mac_local(const shoal_mac* m, const int corner[3], shoal_v3 x) {
    const float below = 7.9999995f; // the last float before 8
    mac_f4      g = (mac_f4){x.x, x.y, x.z, 0.0f} - (mac_f4){m->def.origin.x, m->def.origin.y, m->def.origin.z, 0.0f};
    g             = g * mac_all(m->inverse) - (mac_f4){(float)corner[0], (float)corner[1], (float)corner[2], 0.0f};
    for (int axis = 0; axis < 3; axis++) g[axis] = g[axis] < 0.0f ? 0.0f : g[axis] > below ? below : g[axis];
    return g;
}

#endif
