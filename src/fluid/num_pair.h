// SPDX-License-Identifier: MIT
// What the physics of pairs of particles has in common, on `num` (math/num.h): the lanes are neighbours j of one
// particle i. Those farther than h, and "nobody", have t = 0 and so add nothing.
#ifndef SHOAL_NUM_PAIR_H
#define SHOAL_NUM_PAIR_H

#include "fluid/lean.h"
#include "math/num.h"

typedef struct num_pair {
    num dx, dy, dz;     // from j to i, m
    num companion;      // the fourth number of the place of j
    num r2, inverse, r; // distance: squared, 1/r, m
    num t;              // h - r, not below zero
} num_pair;

// Of i with several j side by side (num_rsqrt_of).
NUM_FN void num_pair_of_each(num4 i, const num4* j, int count, float h, num_pair* g) {
    num r2[NUM_PARTS], inverse[NUM_PARTS];
    NUM_EACH(p, count) g[p].dx = i.x - j[p].x, g[p].dy = i.y - j[p].y, g[p].dz = i.z - j[p].z;
    NUM_EACH(p, count) r2[p] = (g[p].dx * g[p].dx + g[p].dy * g[p].dy) + g[p].dz * g[p].dz;
    num_rsqrt_of(r2, count, inverse);
    NUM_EACH(p, count) g[p].companion = j[p].w, g[p].r2 = r2[p], g[p].inverse = inverse[p];
    NUM_EACH(p, count) g[p].r = r2[p] * inverse[p], g[p].t = num_positive(h - g[p].r);
}
NUM_FN num_pair num_pair_of(num4 i, num4 j, float h) {
    num_pair g;
    num_pair_of_each(i, &j, 1, h, &g);
    return g;
}

// Nearer than this two have no direction, m^2: passes that need one let the plain pass choose it (fluid/pairs.h).
SHOAL_FN float num_pair_limit2(float h2) { return 1e-12f * h2; }

// sum += f (x, y, z)
NUM_FN void num_pair_add(num* sum, num f, num x, num y, num z) { sum[0] += f * x, sum[1] += f * y, sum[2] += f * z; }

// The slope of the density, and M (fluid/lean.h), where f is the slope of the kernel over r.
enum { NUM_LEAN_SUMS = 9 };
NUM_FN void num_pair_lean(const num_pair* g, num f, num* s) {
    num fx = f * g->dx, fy = f * g->dy, fz = f * g->dz;
    s[0] += fx, s[1] += fy, s[2] += fz;
    s[3] += fx * g->dx, s[4] += fy * g->dy, s[5] += fz * g->dz;
    s[6] += fx * g->dy, s[7] += fx * g->dz, s[8] += fy * g->dz;
}

// Takes the uneven part of the stress away: both of a pair have a traceless tensor xx, yy, xy, xz; yz.
enum { NUM_LEVEL_SUMS = 3 };
NUM_FN void num_pair_level(const num_pair* g, num f, num4 i, num i_yz, num4 j, num j_yz, num* s) {
    num xx = i.x + j.x, yy = i.y + j.y, xy = i.z + j.z, xz = i.w + j.w, yz = i_yz + j_yz;
    num fx = f * g->dx, fy = f * g->dy, fz = f * g->dz;
    s[0] += (xx * fx + xy * fy) + xz * fz;
    s[1] += (xy * fx + yy * fy) + yz * fz;
    s[2] += (xz * fx + yz * fy) - (xx + yy) * fz;
}

// Sums of a walk as what follows from them takes them.
SHOAL_FN shoal_v3   num_sum_v3(const float* s) { return shoal_v3_make(s[0], s[1], s[2]); }
SHOAL_FN shoal_lean num_sum_lean(const float* s) {
    shoal_lean sum = {s[0], s[1], s[2], s[3], s[4], s[5]};
    return sum;
}

#endif
