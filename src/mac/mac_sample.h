// SPDX-License-Identifier: MIT
// Trilinear weights of a place inside a tile, four floats at a time: two samples along x, each a pair. Vector
// extensions of the compiler, no fused operations: the same bits everywhere.
#ifndef SHOAL_MAC_SAMPLE_H
#define SHOAL_MAC_SAMPLE_H

#include <string.h>

#include "mac/mac.h"

typedef float mac_f4 __attribute__((vector_size(16)));

static inline mac_f4 mac_load(const float* from) {
    mac_f4 v;
    memcpy(&v, from, sizeof v);
    return v;
}
static inline void   mac_store(float* to, mac_f4 v) { memcpy(to, &v, sizeof v); }
static inline mac_f4 mac_all(float a) { return (mac_f4){a, a, a, a}; }

// Floats from one row and layer of pairs to the next.
enum { MAC_ROW = 20, MAC_LAYER = 200 };

// Along each axis: the sample below and how far beyond it, for samples on faces and at centres.
typedef struct mac_spot {
    int   face[3], centre[3]; // tile coordinates, 0 is the rim
    float face_part[3], centre_part[3];
} mac_spot;

// `g` is the place in cells from the block's corner, in [0, 8).
static inline mac_spot mac_spot_at(const float g[3]) {
    mac_spot s;
    for (int axis = 0; axis < 3; axis++) {
        int   whole            = (int)g[axis];
        float late             = g[axis] + 0.5f;
        int   half             = (int)late;
        s.face[axis]           = whole + 1;
        s.face_part[axis]      = g[axis] - (float)whole;
        s.centre[axis]         = half;
        s.centre_part[axis]    = late - (float)half;
    }
    return s;
}

// The eight samples around a spot for quantity q: 0..2 faces along x, y, z, 3 centres.
typedef struct mac_stencil {
    int   offset; // of the first pair
    float x, y, z;
} mac_stencil;

static inline mac_stencil mac_stencil_of(const mac_spot* s, int q) {
    int ix = q == 0 ? s->face[0] : s->centre[0], iy = q == 1 ? s->face[1] : s->centre[1], iz = q == 2 ? s->face[2] : s->centre[2];
    mac_stencil t;
    t.offset = q * SHOAL_MAC_PAIRS + 2 * ((iz * 10 + iy) * 10 + ix);
    t.x      = q == 0 ? s->face_part[0] : s->centre_part[0];
    t.y      = q == 1 ? s->face_part[1] : s->centre_part[1];
    t.z      = q == 2 ? s->face_part[2] : s->centre_part[2];
    return t;
}

// Both members of the pair: out[0] of the first, out[1] of the second.
static inline void mac_sample(const float* tile, mac_stencil t, float out[2]) {
    const float* p  = tile + t.offset;
    float        y0 = 1.0f - t.y, z0 = 1.0f - t.z, x0 = 1.0f - t.x;
    mac_f4       sum = mac_load(p) * mac_all(y0 * z0) + mac_load(p + MAC_ROW) * mac_all(t.y * z0) +
                 (mac_load(p + MAC_LAYER) * mac_all(y0 * t.z) + mac_load(p + MAC_LAYER + MAC_ROW) * mac_all(t.y * t.z));
    sum *= (mac_f4){x0, x0, t.x, t.x};
    out[0] = sum[0] + sum[2];
    out[1] = sum[1] + sum[3];
}

// Where a particle is in its block, in cells; the sort put it there, so only rounding can be cut off.
static inline void mac_local(const shoal_mac* m, const int corner[3], shoal_v3 x, float g[3]) {
    const float below = 7.9999995f; // the last float before 8
    for (int axis = 0; axis < 3; axis++) {
        float at = (shoal_v3_axis(x, axis) - shoal_v3_axis(m->def.origin, axis)) * m->inverse - (float)corner[axis];
        g[axis]  = at < 0.0f ? 0.0f : at > below ? below : at;
    }
}

#endif
