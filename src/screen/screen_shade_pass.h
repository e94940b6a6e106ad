// SPDX-License-Identifier: MIT
// Light of one pixel; in the common ground of C17 and C++. Water after van der Laan et al. 2009: Fresnel's share is a
// mirror of sky and sun, the rest what lies behind, shifted by refraction and dimmed by what the liquid absorbs on the
// way. Corners between grains are dark by screen-space ambient occlusion [Mittring 2007].
#ifndef SHOAL_SCREEN_SHADE_PASS_H
#define SHOAL_SCREEN_SHADE_PASS_H

#include "screen/screen_filter_pass.h"

typedef struct screen_lights {
    shoal_v3 zenith, horizon, nadir; // radiance
    float    sky_strength;           // of what falls on surfaces
    shoal_v3 sun, sun_light;         // the way there, unit; irradiance on a surface that faces it
} screen_lights;

typedef struct screen_ground {
    int      is_there;
    float    y, tile;     // m; edge of a tile
    shoal_v3 middle;      // of what is looked at
    float    size;        // m; of that; far away the ground becomes sky
    shoal_v3 color, seam; // of tiles, and between them
} screen_ground;

SHOAL_FN shoal_v3 screen_mul(shoal_v3 a, shoal_v3 b) { return shoal_v3_make(a.x * b.x, a.y * b.y, a.z * b.z); }
SHOAL_FN shoal_v3 screen_mix(shoal_v3 a, shoal_v3 b, float t) {
    return shoal_v3_add(shoal_v3_scale(a, 1.0f - t), shoal_v3_scale(b, t));
}
SHOAL_FN float    screen_hold(float a, float low, float high) { return a < low ? low : a > high ? high : a; }
SHOAL_FN shoal_v3 screen_unit(shoal_v3 a) {
    float length = shoal_v3_length(a);
    return length > 0.0f ? shoal_v3_scale(a, 1.0f / length) : shoal_v3_make(0.0f, 1.0f, 0.0f);
}
SHOAL_FN shoal_v3 screen_to_world(const screen_camera* c, shoal_v3 a) {
    return shoal_v3_add_scaled(shoal_v3_add_scaled(shoal_v3_scale(c->right, a.x), c->up, a.y), c->forward, a.z);
}

// Radiance from the sky, without the sun; more of the change is near the horizon.
SHOAL_FN shoal_v3 screen_sky(const screen_lights* l, shoal_v3 way) {
    float    y   = way.y < 0.0f ? -way.y : way.y, t;
    shoal_v3 end = way.y >= 0.0f ? l->zenith : l->nadir;
    y            = y > 1.0f ? 1.0f : y;
    t            = y * (2.0f - y);
    return screen_mix(l->horizon, end, t);
}

// What falls on a surface: half a sky, and the sun.
SHOAL_FN shoal_v3 screen_light_on(const screen_lights* l, shoal_v3 n) {
    shoal_v3 sky = screen_mix(l->nadir, screen_mix(l->horizon, l->zenith, 0.5f), 0.5f + 0.5f * n.y);
    float    sun = shoal_v3_dot(n, l->sun);
    return shoal_v3_add_scaled(shoal_v3_scale(sky, l->sky_strength), l->sun_light,
                               (sun > 0.0f ? sun : 0.0f) / (float)SHOAL_PI);
}

// Sky, or the ground with its tiles.
SHOAL_FN shoal_v3 screen_far(const screen_camera* c, const screen_lights* l, const screen_ground* g, shoal_v3 way) {
    shoal_v3 sky = screen_sky(l, way);
    if (!g->is_there || way.y >= 0.0f || c->eye.y <= g->y) return sky;
    shoal_v3 at = shoal_v3_add_scaled(c->eye, way, (g->y - c->eye.y) / way.y);
    float    ex = at.x - g->middle.x, ez = at.z - g->middle.z, far = sqrtf(ex * ex + ez * ez) / g->size;
    float    u = at.x / g->tile, v = at.z / g->tile;
    u = u - floorf(u + 0.5f), v = v - floorf(v + 0.5f);
    shoal_v3 color   = u * u < 0.012f * 0.012f || v * v < 0.012f * 0.012f ? g->seam : g->color;
    shoal_v3 horizon = screen_sky(l, shoal_v3_make(1.0f, 0.0f, 0.0f));
    return screen_mix(color, horizon, screen_hold((far - 2.0f) / 10.0f, 0.0f, 1.0f));
}

// --- solid things

typedef struct screen_solids {
    const screen_camera* camera;
    int                  width, height;
    const uint64_t*      keys;
    float                spacing; // m
} screen_solids;

// 1: nothing near hides the sky; less in corners. Looks at 16 points on a spiral of two and a half spacings' reach;
// what is nearer by more than the reach is not in this corner.
SHOAL_FN float screen_openness(const screen_solids* s, int x, int y, float depth) {
    // r^2 from 1/32 to 31/32, a golden angle further each time
    const float way[16][2] = {{0.177f, 0.0f},     {-0.226f, 0.207f}, {0.035f, -0.394f}, {0.285f, 0.371f},
                              {-0.522f, -0.092f}, {0.495f, -0.315f}, {-0.165f, 0.615f}, {-0.315f, -0.607f},
                              {0.685f, 0.250f},   {-0.712f, 0.294f}, {0.343f, -0.733f}, {0.253f, 0.808f},
                              {-0.764f, -0.443f}, {0.897f, -0.197f}, {-0.547f, 0.778f}, {-0.126f, -0.976f}};
    float       reach = 2.5f * s->spacing, hidden = 0.0f;
    float       px = 2.0f * s->camera->across / (float)s->width * depth,
          py       = 2.0f * s->camera->along / (float)s->height * depth;
    for (int k = 0; k < 16; k++) {
        int i = x + (int)screen_hold(floorf(way[k][0] * reach / px + 0.5f), -1e6f, 1e6f),
            j = y + (int)screen_hold(floorf(way[k][1] * reach / py + 0.5f), -1e6f, 1e6f);
        if (i < 0 || j < 0 || i >= s->width || j >= s->height) continue;
        float nearer = depth - screen_key_depth(s->keys[(size_t)j * (size_t)s->width + (size_t)i]);
        if (nearer > 0.0f && nearer < 4.0f * reach) hidden += nearer < reach ? nearer / reach : 1.0f;
    }
    return 1.0f - 0.8f * hidden / 16.0f;
}

// --- a liquid

typedef struct screen_liquid {
    const screen_camera* camera;
    const screen_lights* lights;
    int                  width, height;
    float                ior, spacing;
    const float*         depth;     // smoothed
    const int32_t*       thickness; // of cells, in SCREEN_THICKNESS_UNIT of a spacing
    const uint64_t*      behind;    // keys of what is solid
    const shoal_v3*      light;     // of what is behind
} screen_liquid;

// In spacings: between the four cells about a pixel, of those that have any, so that a solid in front makes no rim.
SHOAL_FN float screen_thickness(const screen_liquid* s, int x, int y) {
    int   across = screen_cells(s->width), along = screen_cells(s->height);
    float u = ((float)x + 0.5f) / (float)SCREEN_CELL - 0.5f, v = ((float)y + 0.5f) / (float)SCREEN_CELL - 0.5f;
    float i = floorf(u), j = floorf(v), sum = 0.0f, weights = 0.0f;
    for (int k = 0; k < 4; k++) {
        int   ci = (int)i + k % 2, cj = (int)j + k / 2;
        float weight = (k % 2 ? u - i : 1.0f - u + i) * (k / 2 ? v - j : 1.0f - v + j);
        ci           = ci < 0 ? 0 : ci >= across ? across - 1 : ci;
        cj           = cj < 0 ? 0 : cj >= along ? along - 1 : cj;
        int32_t here = s->thickness[(size_t)cj * (size_t)across + (size_t)ci];
        sum += weight * (float)here;
        weights += here > 0 ? weight : 0.0f;
    }
    return weights > 0.0f ? sum / weights * SCREEN_THICKNESS_UNIT : 0.0f;
}

// e^x to 1e-6 for x <= 0: 2^n times a polynomial between -ln(2)/2 and ln(2)/2.
SHOAL_FN float screen_exp(float x) {
    if (!(x > -80.0f)) return 0.0f;
    float n = floorf(x * 1.44269504f + 0.5f), r = (x - n * 0.693359375f) + n * 2.12194440e-4f, power;
    float e = 1.0f + r * (1.0f + r * (0.5f + r * (1.0f / 6 + r * (1.0f / 24 + r * (1.0f / 120 + r * (1.0f / 720))))));
    uint32_t bits = (uint32_t)((int32_t)n + 127) << 23;
    memcpy(&power, &bits, sizeof power);
    return e * power;
}

SHOAL_FN shoal_v3 screen_point(const screen_liquid* s, int x, int y, float depth) {
    return shoal_v3_make(screen_ray_x(s->camera, s->width, x) * depth, screen_ray_y(s->camera, s->height, y) * depth,
                         depth);
}

// One-sided: towards the neighbour whose depth is nearer, so that silhouettes do not bend normals.
SHOAL_FN shoal_v3 screen_slope(const screen_liquid* s, int x, int y, int way_x, int way_y) {
    float z        = s->depth[(size_t)y * (size_t)s->width + (size_t)x], side[2];
    int   at[2][2] = {{x - way_x, y - way_y}, {x + way_x, y + way_y}};
    for (int k = 0; k < 2; k++) {
        int is_in = at[k][0] >= 0 && at[k][1] >= 0 && at[k][0] < s->width && at[k][1] < s->height;
        side[k]   = is_in ? s->depth[(size_t)at[k][1] * (size_t)s->width + (size_t)at[k][0]] : SCREEN_EMPTY;
    }
    float    back = side[0] - z, ahead = side[1] - z;
    int      which = (ahead < 0.0f ? -ahead : ahead) <= (back < 0.0f ? -back : back);
    shoal_v3 here  = screen_point(s, x, y, z), there;
    if (!(side[which] < SCREEN_EMPTY)) // alone: as if it faced the eye
        return shoal_v3_sub(screen_point(s, x + way_x, y + way_y, z), here);
    there = screen_point(s, at[which][0], at[which][1], side[which]);
    return which ? shoal_v3_sub(there, here) : shoal_v3_sub(here, there);
}

// Unit, towards the eye, in coordinates of the camera.
SHOAL_FN shoal_v3 screen_liquid_normal(const screen_liquid* s, int x, int y) {
    shoal_v3 n = screen_unit(shoal_v3_cross(screen_slope(s, x, y, 1, 0), screen_slope(s, x, y, 0, 1)));
    shoal_v3 w = screen_point(s, x, y, 1.0f);
    return shoal_v3_dot(n, w) > 0.0f ? shoal_v3_scale(n, -1.0f) : n;
}

// Of unpolarised light that meets a smooth surface from outside; *beyond: cosine of the refracted way.
SHOAL_FN float screen_fresnel(float cosine, float ior, float* beyond) {
    float sine2 = (1.0f - cosine * cosine) / (ior * ior), c = sqrtf(1.0f - screen_hold(sine2, 0.0f, 1.0f));
    float s = (cosine - ior * c) / (cosine + ior * c), p = (c - ior * cosine) / (c + ior * cosine);
    *beyond = c;
    return 0.5f * (s * s + p * p);
}

SHOAL_FN shoal_v3 screen_liquid_light(const screen_liquid* s, int x, int y, shoal_v3 absorption) {
    size_t   at    = (size_t)y * (size_t)s->width + (size_t)x;
    float    depth = s->depth[at], thick = screen_thickness(s, x, y) * s->spacing, beyond;
    shoal_v3 way = screen_unit(screen_point(s, x, y, 1.0f)), n = screen_liquid_normal(s, x, y);
    float    cosine = screen_hold(-shoal_v3_dot(way, n), 0.0f, 1.0f);
    float    share  = screen_fresnel(cosine, s->ior, &beyond);

    // a mirror of the sky, and of a sun that ripples smear
    shoal_v3 mirror = screen_to_world(s->camera, shoal_v3_add_scaled(way, n, 2.0f * cosine));
    float    glint  = shoal_v3_dot(mirror, s->lights->sun);
    shoal_v3 sky    = screen_sky(s->lights, mirror);
    glint           = glint > 0.0f ? glint : 0.0f;
    for (int k = 0; k < 8; k++) glint *= glint; // to the 256th
    sky = shoal_v3_add_scaled(sky, s->lights->sun_light, 20.0f * glint);

    // what is behind, where the refracted way leads; if that stands in front of the liquid, straight on
    shoal_v3 inside = shoal_v3_add_scaled(shoal_v3_scale(way, 1.0f / s->ior), n, cosine / s->ior - beyond);
    float    run    = thick / (inside.z > 0.2f ? inside.z : 0.2f);
    shoal_v3 end    = shoal_v3_add_scaled(screen_point(s, x, y, depth), inside, run);
    int      i = x, j = y;
    if (end.z > 0.0f) {
        float u = floorf((end.x / (end.z * s->camera->across) + 1.0f) * 0.5f * (float)s->width);
        float v = floorf((1.0f - end.y / (end.z * s->camera->along)) * 0.5f * (float)s->height);
        i       = u >= 0.0f ? (int)screen_hold(u, 0.0f, (float)(s->width - 1)) : 0;
        j       = v >= 0.0f ? (int)screen_hold(v, 0.0f, (float)(s->height - 1)) : 0;
    }
    size_t   seen = (size_t)j * (size_t)s->width + (size_t)i;
    shoal_v3 rest = s->light[screen_key_depth(s->behind[seen]) > depth ? seen : at];
    rest.x *= screen_exp(-absorption.x * run);
    rest.y *= screen_exp(-absorption.y * run);
    rest.z *= screen_exp(-absorption.z * run);
    return screen_mix(rest, sky, share);
}

#endif
