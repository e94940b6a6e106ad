// SPDX-License-Identifier: MIT
// Small laws of light: mirrors, refraction, Fresnel, and directions about a normal.
#ifndef SHOAL_RENDER_OPTICS_H
#define SHOAL_RENDER_OPTICS_H

#include "math/vec.h"

#include <stdbool.h>

static inline shoal_v3 render_mul(shoal_v3 a, shoal_v3 b) { return shoal_v3_make(a.x * b.x, a.y * b.y, a.z * b.z); }
// The library's fminf and fmaxf are calls, because of values that are not numbers.
static inline float render_min(float a, float b) { return a < b ? a : b; }
static inline float render_max(float a, float b) { return a > b ? a : b; }
static inline float render_most(shoal_v3 a) { return render_max(a.x, render_max(a.y, a.z)); }
static inline float render_luminance(shoal_v3 a) { return 0.2126f * a.x + 0.7152f * a.y + 0.0722f * a.z; }
// Sand of this colour, 0 dry to 1 wet and no darker beyond. Of light that leaves wet grains water
// throws a fraction back in, 1 - (1 - 0.066) / 1.333^2 [Angstrom 1925]: bright colours lose less by it
// than dark ones, so wet sand is browner as well. What is left is lost in the grains, which scatter
// less in water; a grey of 0.5 becomes 0.45 of itself in all [Lekner & Dorf, Applied Optics 27,
// 1988].
#define RENDER_WET_INNER 0.475f
#define RENDER_WET_LOSS 0.35f
static inline shoal_v3 render_wetted(shoal_v3 color, float wetness) {
    float wet   = render_min(render_max(wetness, 0.0f), 1.0f); // not a number: dry
    float inner = RENDER_WET_INNER * wet, left = (1.0f - RENDER_WET_LOSS * wet) * (1.0f - inner);
    return shoal_v3_make(left * color.x / (1.0f - inner * color.x), left * color.y / (1.0f - inner * color.y),
                         left * color.z / (1.0f - inner * color.z));
}
static inline shoal_v3 render_unit_of(shoal_v3 a) {
    float length = shoal_v3_length(a);
    return length > 0.0f ? shoal_v3_scale(a, 1.0f / length) : shoal_v3_make(0.0f, 1.0f, 0.0f);
}
static inline shoal_v3 render_mirror(shoal_v3 way, shoal_v3 normal) {
    return shoal_v3_add_scaled(way, normal, -2.0f * shoal_v3_dot(way, normal));
}
// What is left of light after `depth` metres.
static inline shoal_v3 render_absorbed(shoal_v3 per_metre, float depth) {
    return shoal_v3_make(expf(-per_metre.x * depth), expf(-per_metre.y * depth), expf(-per_metre.z * depth));
}

// Fraction that is reflected of unpolarised light; cosine on its own side, eta = n there / n beyond.
// *beyond: cosine of the refracted way, 0 when all is reflected.
static inline float render_fresnel(float cosine, float eta, float* beyond) {
    float sine2 = eta * eta * render_max(0.0f, 1.0f - cosine * cosine);
    *beyond     = 0.0f;
    if (sine2 >= 1.0f) return 1.0f;
    float c = sqrtf(1.0f - sine2);
    float s = (eta * cosine - c) / (eta * cosine + c);
    float p = (cosine - eta * c) / (cosine + eta * c);
    *beyond = c;
    return 0.5f * (s * s + p * p);
}

// A pane is seen through twice: the light between its faces adds up to 2 F / (1 + F).
static inline float render_pane_fresnel(float cosine, float ior) {
    float beyond, once = render_fresnel(cosine, 1.0f / ior, &beyond);
    return 2.0f * once / (1.0f + once);
}

// Two directions that make a frame with a unit one [Duff et al. 2017].
static inline void render_frame(shoal_v3 n, shoal_v3* a, shoal_v3* b) {
    float sign = copysignf(1.0f, n.z), k = -1.0f / (sign + n.z), m = n.x * n.y * k;
    *a = shoal_v3_make(1.0f + sign * n.x * n.x * k, sign * m, -sign * n.x);
    *b = shoal_v3_make(m, sign + n.y * n.y * k, -n.y);
}
static inline shoal_v3 render_in_frame(shoal_v3 n, float x, float y, float z) {
    shoal_v3 a, b;
    render_frame(n, &a, &b);
    return shoal_v3_add_scaled(shoal_v3_add(shoal_v3_scale(a, x), shoal_v3_scale(b, y)), n, z);
}
// A point of the unit disc, evenly; circles stay near where they were [Shirley & Chiu 1997]. Sine
// and cosine up to an eighth of a turn, by their series, are right to 4e-7.
static inline void render_disc(float u, float v, float* x, float* y) {
    float a = 2.0f * u - 1.0f, b = 2.0f * v - 1.0f;
    bool  is_wide = fabsf(a) > fabsf(b);
    float r = is_wide ? a : b, other = is_wide ? b : a;
    float turn = r != 0.0f ? (float)SHOAL_PI / 4.0f * (other / r) : 0.0f, t = turn * turn;
    float sine   = turn * (1.0f - t / 6.0f * (1.0f - t / 20.0f * (1.0f - t / 42.0f)));
    float cosine = 1.0f - t / 2.0f * (1.0f - t / 12.0f * (1.0f - t / 30.0f * (1.0f - t / 56.0f)));
    *x           = r * (is_wide ? cosine : sine);
    *y           = r * (is_wide ? sine : cosine);
}
// A way about the normal, as often as its cosine is large.
static inline shoal_v3 render_cosine_way(shoal_v3 n, float u, float v) {
    float x, y;
    render_disc(u, v, &x, &y);
    return render_in_frame(n, x, y, sqrtf(render_max(0.0f, 1.0f - x * x - y * y)));
}
// A way within a cone about `axis`, evenly; `cosine` of half its opening.
static inline shoal_v3 render_cone_way(shoal_v3 axis, float cosine, float u, float v) {
    float z = 1.0f - u * (1.0f - cosine), r = sqrtf(render_max(0.0f, 1.0f - z * z));
    float turn = 2.0f * (float)SHOAL_PI * v;
    return render_in_frame(axis, r * cosf(turn), r * sinf(turn), z);
}

#endif
