// SPDX-License-Identifier: MIT
// Compiled once per instruction set: distances to triangles, sixteen at a time, shoal_bvh_triangle_distance2, operation
// by operation, with a choice in place of every branch; and the cubic of a band.
#include "tet/band_cubic.h"

#include "math/wide.h"

#if defined(__GNUC__)
#pragma GCC diagnostic ignored "-Wpsabi" // how vectors are handed over: they are not seen outside this file
#endif

typedef float   lanes __attribute__((vector_size(4 * SHOAL_LANES)));
typedef int32_t choice __attribute__((vector_size(4 * SHOAL_LANES))); // all bits of a lane, or none
typedef struct lanes3 {
    lanes x, y, z;
} lanes3;

SHOAL_FN lanes load(const float* from) {
    lanes a;
    memcpy(&a, from, sizeof a);
    return a;
}
SHOAL_FN lanes3 load3(float (*from)[BAND_PAIRS], int i) {
    lanes3 a = {load(from[0] + i), load(from[1] + i), load(from[2] + i)};
    return a;
}
SHOAL_FN lanes  pick(choice c, lanes a, lanes b) { return (lanes)(((choice)a & c) | ((choice)b & ~c)); }
SHOAL_FN lanes3 pick3(choice c, lanes3 a, lanes3 b) {
    lanes3 p = {pick(c, a.x, b.x), pick(c, a.y, b.y), pick(c, a.z, b.z)};
    return p;
}
SHOAL_FN lanes3 sub3(lanes3 a, lanes3 b) {
    lanes3 d = {a.x - b.x, a.y - b.y, a.z - b.z};
    return d;
}
SHOAL_FN lanes dot3(lanes3 a, lanes3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

// From the origin.
SHOAL_FN lanes distance2(lanes3 a, lanes3 ab, lanes3 ac) {
    const lanes zero = {0.0f}, one = zero + 1.0f;
    lanes3      ap = {zero - a.x, zero - a.y, zero - a.z}, bp = sub3(ap, ab), cp = sub3(ap, ac), bc = sub3(ac, ab);
    lanes       d1 = dot3(ab, ap), d2 = dot3(ac, ap), d3 = dot3(ab, bp), d4 = dot3(ac, bp), d5 = dot3(ab, cp),
          d6 = dot3(ac, cp);
    lanes vc = d1 * d4 - d3 * d2, vb = d5 * d2 - d1 * d6, va = d3 * d6 - d5 * d4;
    lanes past_b = d4 - d3, past_c = d5 - d6, sum = va + vb + vc;

    // nearest is a corner, a point on an edge, or one within
    choice at_a = (d1 <= zero) & (d2 <= zero), left = ~at_a;
    choice at_b = left & (d3 >= zero) & (d4 <= d3);
    left &= ~at_b;
    choice at_c = left & (d6 >= zero) & (d5 <= d6);
    left &= ~at_c;
    choice on_ab = left & (vc <= zero) & (d1 >= zero) & (d3 <= zero) & (d1 > d3);
    left &= ~on_ab;
    choice on_ac = left & (vb <= zero) & (d2 >= zero) & (d6 <= zero) & (d2 > d6);
    left &= ~on_ac;
    choice has_area = sum > zero;
    choice on_bc  = left & ((va <= zero) | ~has_area) & (past_b >= zero) & (past_c >= zero) & (past_b + past_c > zero);
    choice within = left & ~on_bc & has_area;

    // how far along the first edge, or bc, and along the second
    lanes v = pick(on_ab, d1, pick(on_bc, past_b, vb)) / pick(on_ab, d1 - d3, pick(on_bc, past_b + past_c, sum));
    lanes w = pick(on_ac, d2, vc) / pick(on_ac, d2 - d6, sum);
    v       = pick(on_ab | on_bc | within, pick(v < zero, zero, pick(v > one, one, v)), zero);
    w       = pick(on_ac | within, pick(w < zero, zero, pick(w > one - v, one - v, w)), zero);

    lanes3 from = pick3(at_b | on_bc, bp, pick3(at_c, cp, ap)), along = pick3(on_bc, bc, ab);
    lanes3 q = {from.x + along.x * -v + ac.x * -w, from.y + along.y * -v + ac.y * -w,
                from.z + along.z * -v + ac.z * -w};
    return dot3(q, q);
}

static void measure(band_pairs* pairs) {
    for (int i = 0; i < pairs->count; i += SHOAL_LANES) {
        lanes d = distance2(load3(pairs->a, i), load3(pairs->ab, i), load3(pairs->ac, i));
        memcpy(pairs->distance2 + i, &d, sizeof d);
    }
}

const band_loops SHOAL_WIDE_NAME(band_loops) = {measure, band_cubic};
