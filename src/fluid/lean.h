// SPDX-License-Identifier: MIT
// What the arrangement of particles bears of a shear. Pairs pass pressure on along the line between
// them, so that the stress is
//     sigma = -p M,    M = -sum_j V grad W (x) x_ij + the same of the solids
// and M is the identity, but for a factor, only where neighbours stand evenly around. Where flow
// has pressed them together in one direction and drawn them apart in another, more pressure goes
// the one way than the other: under load the particles are a soft crystal with a shear modulus of
// about p/5, in which waves are a tenth too fast at a kernel radius of two spacings, and die as
// layers slip. What is lopsided, p (M - tr M/3), is a stress of its own, and taken away it leaves a
// liquid. It is the first order of what corrected gradients (Randles & Libersky 1996) do in every
// sum, in one walk per substep, and it keeps momentum to rounding.
#ifndef SHOAL_LEAN_H
#define SHOAL_LEAN_H

#include "math/vec.h"

// A symmetric tensor.
typedef struct shoal_lean {
    float xx, yy, zz, xy, xz, yz;
} shoal_lean;

// What the lattice behind a wall adds to M across and along it, to s, and to its slope (1/m), for
// the layers before the wall; the first is half a spacing away. No kernel reaches farther than four
// spacings.
enum { SHOAL_LAYERS = 5 };
typedef struct shoal_layers {
    float across[SHOAL_LAYERS], along[SHOAL_LAYERS], fraction[SHOAL_LAYERS], slope[SHOAL_LAYERS];
} shoal_layers;

// m += f d (x) d
SHOAL_FN void shoal_lean_add(shoal_lean* m, shoal_v3 d, float f) {
    m->xx += f * d.x * d.x, m->yy += f * d.y * d.y, m->zz += f * d.z * d.z;
    m->xy += f * d.x * d.y, m->xz += f * d.x * d.z, m->yz += f * d.y * d.z;
}

// How much of it counts. At a free surface half of the neighbours are missing, and M tells nothing:
// a slope of s as steep as there (1/d) counts as none, half as steep as all. The layer beside a
// solid is held by contact and by a pressure that differs from that of its neighbours: what is
// lopsided there is not made by flow, and taking it away drove currents along walls for ever.
SHOAL_FN float shoal_lean_fraction(float slant, float surface_slant, float solids, const shoal_layers* layers) {
    float open = 2.0f - 2.0f * slant / surface_slant, away = 1.0f - solids / layers->fraction[0];
    open = open < 0.0f ? 0.0f : open < 1.0f ? open : 1.0f;
    return away > 0.0f ? open * away : 0.0f;
}

SHOAL_FN shoal_lean shoal_lean_sum(shoal_lean a, float f, shoal_lean b) {
    shoal_lean sum = {f * a.xx + b.xx, f * a.yy + b.yy, f * a.zz + b.zz,
                      f * a.xy + b.xy, f * a.xz + b.xz, f * a.yz + b.yz};
    return sum;
}

// A traceless tensor, kept as xx, yy, xy, xz and yz, times a vector.
SHOAL_FN shoal_v3 shoal_lean_times(shoal_v4 q, float yz, shoal_v3 a) {
    return shoal_v3_make(q.x * a.x + q.z * a.y + q.w * a.z, q.z * a.x + q.y * a.y + yz * a.z,
                         q.w * a.x + yz * a.y - (q.x + q.y) * a.z);
}

// The lopsided part of m, over its mean, times p.
SHOAL_FN shoal_lean shoal_lean_of(shoal_lean m, float p) {
    float      mean = (m.xx + m.yy + m.zz) / 3.0f, q = mean > 0.0f ? p / mean : 0.0f;
    shoal_lean lean = {q * (m.xx - mean), q * (m.yy - mean), q * (m.zz - mean), q * m.xy, q * m.xz, q * m.yz};
    return lean;
}

#endif
