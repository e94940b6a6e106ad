// SPDX-License-Identifier: MIT
// The hot loops over pixels, sixteen at a time, compiled once per instruction set: rows of fixed length, without
// branches, that the compiler lays into lanes. What happens to one pixel is that of the passes, in the same order and
// without fused operations, so all sets, and the passes by themselves, give the same bits.
#include "math/wide.h"
#include "screen/screen_local.h"

enum { LANES = SCREEN_LANES };

static bool hit_row(const screen_cover* c, const float* restrict across, float py, const float* restrict limit,
                    float* restrict depth) {
    int near = 0;
    for (int i = 0; i < LANES; i++) {
        float at, chord;
        int   is_hit = screen_splat_hit(c, 1.0f, across[i], py, &at, &chord);
        depth[i]     = is_hit ? at : 2.0f * SCREEN_EMPTY; // beyond any limit
    }
    for (int i = 0; i < LANES; i++) near += depth[i] <= limit[i] ? 1 : 0;
    return near > 0;
}

static void thicken_row(const screen_cover* c, const float* restrict across, float py, const float* restrict slant,
                        const float* restrict solid, float unit, int32_t* restrict thickness) {
    for (int i = 0; i < LANES; i++) {
        float depth, chord;
        int   is_seen = screen_splat_hit(c, c->widening, across[i], py, &depth, &chord) & (depth < solid[i]);
        float more    = chord * slant[i] * unit;
        more          = more < SCREEN_CHORD_MOST ? more : SCREEN_CHORD_MOST; // also where it is not a number
        thickness[i] += -is_seen & (int32_t)more;
    }
}

// screen_narrow of LANES pixels; `side[s][k]` is where the first of them has its k-th neighbour to side s.
static void narrow_lanes(const screen_depths* v, float pixel, const float* restrict from,
                         const float* side[2][SCREEN_REACH_MOST], float* restrict to) {
    float reach[LANES], per2[LANES], low[LANES], high[LANES], sum[LANES], weights[LANES], most = 0.0f;
    for (int i = 0; i < LANES; i++) {
        float z = from[i], far = v->radius / (pixel * z);
        reach[i]   = far > (float)SCREEN_REACH_MOST ? (float)SCREEN_REACH_MOST : far;
        reach[i]   = z < SCREEN_EMPTY ? reach[i] : 0.0f;
        per2[i]    = 1.0f / (reach[i] * reach[i]);
        low[i]     = z - v->narrow;
        high[i]    = z + v->narrow;
        sum[i]     = z;
        weights[i] = 1.0f;
    }
    for (int i = 0; i < LANES; i++) most = reach[i] > most ? reach[i] : most;
    for (int k = 1; (float)k < most; k++) {
        const float* restrict back = side[0][k], * restrict on = side[1][k];
        for (int i = 0; i < LANES; i++) {
            // who is left out weighs nothing, which leaves the sums as they are
            float z = from[i], a = back[i], b = on[i], l = low[i], h = high[i], far = z + v->behind;
            float t = 1.0f - (float)(k * k) * per2[i], weight = t > 0.0f ? t * t * t : 0.0f;
            weight      = a < l ? 0.0f : weight;
            weight      = b < l ? 0.0f : weight;
            weight      = (float)k < reach[i] ? weight : 0.0f;
            float a_low = a > h ? l : a - v->narrow, a_high = a > h ? h : a + v->narrow;
            float b_low = b > h ? l : b - v->narrow, b_high = b > h ? h : b + v->narrow;
            float lower = a_low < l ? a_low : l, upper = a_high > h ? a_high : h;
            lower      = b_low < lower ? b_low : lower;
            upper      = b_high > upper ? b_high : upper;
            sum[i]     = sum[i] + weight * (a > h ? far : a);
            sum[i]     = sum[i] + weight * (b > h ? far : b);
            weights[i] = weights[i] + 2.0f * weight;
            low[i]     = weight > 0.0f ? lower : l;
            high[i]    = weight > 0.0f ? upper : h;
        }
    }
    for (int i = 0; i < LANES; i++) to[i] = sum[i] / weights[i];
}

static bool has_any(const float* from) {
    int any = 0;
    for (int i = 0; i < LANES; i++) any |= from[i] < SCREEN_EMPTY;
    return any;
}

// A row; beyond the edges of the picture there is nothing.
static void narrow_row(const screen_depths* v, int y, int way, float* row, float* to) {
    static const float nothing[LANES] = {
        SCREEN_EMPTY, SCREEN_EMPTY, SCREEN_EMPTY, SCREEN_EMPTY, SCREEN_EMPTY, SCREEN_EMPTY, SCREEN_EMPTY, SCREEN_EMPTY,
        SCREEN_EMPTY, SCREEN_EMPTY, SCREEN_EMPTY, SCREEN_EMPTY, SCREEN_EMPTY, SCREEN_EMPTY, SCREEN_EMPTY, SCREEN_EMPTY};
    const float* from = v->from + (size_t)y * (size_t)v->width;
    const float* side[2][SCREEN_REACH_MOST];
    int          x = 0;
    if (way == 0) {
        for (int k = 0; k < SCREEN_REACH_MOST; k++) row[k] = row[SCREEN_REACH_MOST + v->width + k] = SCREEN_EMPTY;
        memcpy(row + SCREEN_REACH_MOST, from, (size_t)v->width * sizeof *row);
    }
    for (; x + LANES <= v->width; x += LANES) {
        if (!has_any(from + x)) {
            memcpy(to + x, from + x, LANES * sizeof *to);
            continue;
        }
        for (int k = 1; k < SCREEN_REACH_MOST; k++) {
            size_t step = (size_t)k * (size_t)v->width;
            side[0][k]  = way == 0 ? row + SCREEN_REACH_MOST + x - k : y - k >= 0 ? from + x - step : nothing;
            side[1][k]  = way == 0 ? row + SCREEN_REACH_MOST + x + k : y + k < v->height ? from + x + step : nothing;
        }
        narrow_lanes(v, way == 0 ? v->pixel_x : v->pixel_y, from + x, side, to + x);
    }
    for (; x < v->width; x++) to[x] = screen_narrow(v, x, y, way == 0, way == 1);
}

extern const screen_loops SHOAL_WIDE_NAME(screen_loops);
const screen_loops        SHOAL_WIDE_NAME(screen_loops) = {hit_row, thicken_row, narrow_row};
