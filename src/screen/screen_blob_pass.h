// SPDX-License-Identifier: MIT
// Metaballs by casting rays [Kanamori, Szego & Nishita 2008; Rungjiratananon et al. 2008 section 5]: where the ray of a
// pixel first meets the sum of (1 - s^2)^3 [Blinn 1982] at its level; in the common ground of C17 and C++.
//
// Along a ray 1 - s^2 of a ball is a parabola, so between two places where a ball begins or ends the sum is a
// polynomial of degree 6. In Bernstein's form it lies below the hull of its coefficients: the first place where that
// hull reaches the level is no farther than the surface, and from there the same is asked again (Bezier clipping).
#ifndef SHOAL_SCREEN_BLOB_PASS_H
#define SHOAL_SCREEN_BLOB_PASS_H

#include "screen/screen_splat_pass.h"

enum { SCREEN_CLIPS_MOST = 256 };             // steps are short beside a maximum that stays just below the level
#define SCREEN_OVERFULL 0xfffffffffffffffeull // in the place of a key
#define SCREEN_BLOB_NEAR 1e-4f                // of the level; a field this near to it has met it

// A ball where a ray passes it: 1 - s^2 = peak - bend (t - middle)^2, which is positive from `in` to `out`.
typedef struct screen_span {
    float    in, out, middle; // depths, m
    float    peak, bend;      // 1, 1/m^2
    uint32_t number;          // of its splat
} screen_span;

SHOAL_FN int screen_blob_span(const screen_cover* c, float px, float py, screen_span* out) {
    screen_form_along f    = screen_splat_along(c, 1.0f, px, py);
    float             step = f.b / f.a, half;
    out->peak              = f.b * step - f.e;
    if (!(out->peak > 0.0f)) return 0;
    half        = sqrtf(out->peak / f.a);
    out->middle = c->z - step;
    out->in     = out->middle - half;
    out->out    = out->middle + half;
    out->bend   = f.a;
    out->number = c->number;
    return out->in > 0.0f;
}

// Adds Bernstein's coefficients of (1 - s^2)^3 from depth `from` to depth `to`.
SHOAL_FN void screen_blob_add(const screen_span* b, float from, float to, float sum[7]) {
    float u = from - b->middle, v = to - b->middle;
    float p = b->peak - b->bend * u * u, q = b->peak - b->bend * u * v, r = b->peak - b->bend * v * v;
    p        = p > 0.0f ? p : 0.0f; // rounding at its ends
    r        = r > 0.0f ? r : 0.0f;
    float pp = p * p, rr = r * r, pr = p * r, qq = q * q;
    sum[0] += pp * p;
    sum[1] += pp * q;
    sum[2] += p * (pr + 4.0f * qq) * 0.2f;
    sum[3] += q * (3.0f * pr + 2.0f * qq) * 0.2f;
    sum[4] += r * (pr + 4.0f * qq) * 0.2f;
    sum[5] += rr * q;
    sum[6] += rr * r;
}

// The first x of 0 .. 1 at which the polynomial of these coefficients is 0 from below; 2: none. `near`: as good as 0.
SHOAL_FN float screen_first_root(float c[7], float near) {
    float at = 0.0f;
    for (int round = 0; round < SCREEN_CLIPS_MOST; round++) {
        float steepest = 0.0f, clip;
        if (c[0] >= -near) return at;
        for (int k = 1; k < 7; k++) {
            float slope = (c[k] - c[0]) * (6.0f / (float)k);
            steepest    = slope > steepest ? slope : steepest;
        }
        if (!(-c[0] <= steepest)) return 2.0f;
        clip = -c[0] / steepest;
        at += clip * (1.0f - at);
        for (int end = 6; end > 0; end--) // de Casteljau: what is left of it, from `clip` to 1
            for (int k = 0; k < end; k++) {
                // the k-th of these sums uses the (k + 1)-th before it is changed
                c[k] = c[k] + clip * (c[k + 1] - c[k]);
            }
    }
    return 2.0f; // it only touches the level
}

// Of the balls `list` of `covers`, from the front to the back by `near`: the key of depth and the ball that is
// strongest there; SCREEN_NOBODY where the field does not reach its level before the depth `limit`. `spans` has
// `capacity` entries; SCREEN_OVERFULL: they do not suffice, as `count` always do.
SHOAL_FN uint64_t screen_blob_first(const screen_cover* covers, const int* list, int count, float px, float py,
                                    float level, float limit, screen_span* spans, int capacity) {
    float from = 0.0f;
    int   next = 0, held = 0;
    while (from < limit) {
        float to     = SCREEN_EMPTY, sum[7], x;
        int   active = 0, left = 0;
        for (int k = 0; k < held; k++) {
            float edge = spans[k].in > from ? spans[k].in : spans[k].out;
            to         = edge < to ? edge : to;
        }
        for (; next < count && covers[list[next]].near <= to; next++) {
            if (held == capacity) return SCREEN_OVERFULL;
            if (screen_blob_span(&covers[list[next]], px, py, &spans[held])) {
                to = spans[held].in < to ? spans[held].in : to;
                held++;
            }
        }
        if (held == 0) return SCREEN_NOBODY;
        for (int k = 0; k < 7; k++) sum[k] = -level;
        for (int k = 0; k < held; k++)
            if (spans[k].in <= from) {
                screen_blob_add(&spans[k], from, to, sum);
                active++;
            }
        x = active ? screen_first_root(sum, SCREEN_BLOB_NEAR * level) : 2.0f;
        if (x <= 1.0f) {
            float    depth = from + x * (to - from), best = -1.0f;
            uint32_t number = 0;
            for (int k = 0; k < held; k++) {
                float u = depth - spans[k].middle, own = spans[k].peak - spans[k].bend * u * u;
                if (own > best) best = own, number = spans[k].number;
            }
            return depth < limit ? screen_key(depth, number) : SCREEN_NOBODY;
        }
        for (int k = 0; k < held; k++)
            if (spans[k].out > to) spans[left++] = spans[k];
        held = left;
        from = to;
    }
    return SCREEN_NOBODY;
}

#endif
