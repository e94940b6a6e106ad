// SPDX-License-Identifier: MIT
// Triangles on the screen, and the light of balls and triangles; in the common ground of C17 and C++.
#ifndef SHOAL_SCREEN_SOLID_PASS_H
#define SHOAL_SCREEN_SOLID_PASS_H

#include "screen/screen_shade_pass.h"

// A triangle of something solid; glass takes every other pixel.
typedef struct screen_triangle {
    shoal_v3 corner[3], normal[3]; // m; unit, outwards
    shoal_v3 color;                // share of light that it reflects
    int      is_clear;
} screen_triangle;

// A triangle in the picture; corners hold x and y in pixels, and 1/depth.
typedef struct screen_facet {
    shoal_v3   corner[3];
    screen_box pixels;
    uint32_t   source; // its triangle
    int32_t    is_clear;
} screen_facet;

// Of what is before the eye: a triangle that reaches behind it loses that corner, or two.
SHOAL_FN int screen_clip_near(const shoal_v3 in[3], float near, shoal_v3 out[4]) {
    int count = 0;
    for (int k = 0; k < 3; k++) {
        shoal_v3 a = in[k], b = in[(k + 1) % 3];
        if (a.z > near) out[count++] = a;
        if ((a.z > near) != (b.z > near)) out[count++] = screen_mix(a, b, (near - a.z) / (b.z - a.z));
    }
    return count;
}

SHOAL_FN shoal_v3 screen_to_pixels(const screen_camera* c, int width, int height, shoal_v3 p) {
    return shoal_v3_make((p.x / (p.z * c->across) + 1.0f) * 0.5f * (float)width,
                         (1.0f - p.y / (p.z * c->along)) * 0.5f * (float)height, 1.0f / p.z);
}

SHOAL_FN int32_t screen_pixel_within(float at, int count) { return (int32_t)screen_hold(at, -1.0f, (float)count); }

// Corners are in the picture by now.
SHOAL_FN void screen_facet_bound(screen_facet* f, int width, int height) {
    float low_x = (float)width, high_x = -1.0f, low_y = (float)height, high_y = -1.0f;
    for (int k = 0; k < 3; k++) {
        low_x  = f->corner[k].x < low_x ? f->corner[k].x : low_x;
        high_x = f->corner[k].x > high_x ? f->corner[k].x : high_x;
        low_y  = f->corner[k].y < low_y ? f->corner[k].y : low_y;
        high_y = f->corner[k].y > high_y ? f->corner[k].y : high_y;
    }
    // rounded down, and up
    int left = screen_pixel_within(floorf(low_x), width), right = screen_pixel_within(-floorf(-high_x), width);
    int top = screen_pixel_within(floorf(low_y), height), bottom = screen_pixel_within(-floorf(-high_y), height);
    f->pixels.left   = left < 0 ? 0 : left;
    f->pixels.right  = right > width - 1 ? width - 1 : right;
    f->pixels.top    = top < 0 ? 0 : top;
    f->pixels.bottom = bottom > height - 1 ? height - 1 : bottom;
}

// Two, since a clipped one may become two; those that are not there cover nothing.
SHOAL_FN void screen_facets_of(const screen_camera* c, int width, int height, float near, const screen_triangle* t,
                               int number, screen_facet out[2]) {
    shoal_v3 at[3], clipped[4];
    for (int k = 0; k < 3; k++) at[k] = screen_from_eye(c, t->corner[k]);
    int count = screen_clip_near(at, near, clipped);
    for (int k = 0; k < 2; k++) {
        screen_facet* f = &out[k];
        f->pixels.left = f->pixels.top = 0;
        f->pixels.right = f->pixels.bottom = -1;
        if (k + 2 >= count) continue;
        f->corner[0] = screen_to_pixels(c, width, height, clipped[0]);
        f->corner[1] = screen_to_pixels(c, width, height, clipped[k + 1]);
        f->corner[2] = screen_to_pixels(c, width, height, clipped[k + 2]);
        f->source    = (uint32_t)number;
        f->is_clear  = t->is_clear;
        screen_facet_bound(f, width, height);
    }
}

// Depth at the middle of a pixel; false outside, where there is no area, and in every other pixel of glass.
SHOAL_FN int screen_facet_hit(const screen_facet* f, int x, int y, float* depth) {
    const shoal_v3* c  = f->corner;
    float           px = (float)x + 0.5f, py = (float)y + 0.5f;
    if (f->is_clear && (x + y) % 2) return 0;
    float area = (c[1].x - c[0].x) * (c[2].y - c[0].y) - (c[2].x - c[0].x) * (c[1].y - c[0].y);
    float b    = ((px - c[0].x) * (c[2].y - c[0].y) - (c[2].x - c[0].x) * (py - c[0].y)) / area;
    float d    = ((c[1].x - c[0].x) * (py - c[0].y) - (px - c[0].x) * (c[1].y - c[0].y)) / area;
    float a    = 1.0f - b - d;
    *depth     = 1.0f / (a * c[0].z + b * c[1].z + d * c[2].z);
    return a >= 0.0f && b >= 0.0f && d >= 0.0f;
}

// Between those of its corners.
SHOAL_FN shoal_v3 screen_facet_normal(const screen_triangle* t, shoal_v3 at) {
    shoal_v3 e = shoal_v3_sub(t->corner[1], t->corner[0]), f = shoal_v3_sub(t->corner[2], t->corner[0]);
    shoal_v3 n = shoal_v3_cross(e, f), d = shoal_v3_sub(at, t->corner[0]);
    float    area = shoal_v3_dot(n, n);
    if (!(area > 0.0f)) return t->normal[0];
    float b = shoal_v3_dot(shoal_v3_cross(d, f), n) / area, c = shoal_v3_dot(shoal_v3_cross(e, d), n) / area;
    n = shoal_v3_scale(t->normal[0], 1.0f - b - c);
    return screen_unit(shoal_v3_add_scaled(shoal_v3_add_scaled(n, t->normal[1], b), t->normal[2], c));
}

// What keys name: balls, then triangles.
typedef struct screen_matter {
    int                    ball_count;
    const screen_cover*    covers;
    const screen_splat*    balls;
    const screen_triangle* triangles;
} screen_matter;

// Of the ball or triangle that a key names, in the open; w is the ray of the pixel.
SHOAL_FN shoal_v3 screen_solid_light(const screen_matter* m, const screen_camera* c, const screen_lights* l,
                                     uint64_t key, shoal_v3 w) {
    float    depth  = screen_key_depth(key);
    int      number = (int)screen_key_number(key);
    shoal_v3 normal, color;
    if (number < m->ball_count) {
        normal = screen_unit(screen_to_world(c, screen_splat_normal(&m->covers[number], w.x, w.y, depth)));
        color  = m->balls[number].color;
    } else {
        const screen_triangle* t = &m->triangles[number - m->ball_count];
        normal                   = screen_facet_normal(t, shoal_v3_add_scaled(c->eye, screen_to_world(c, w), depth));
        color                    = t->color;
    }
    return screen_mul(color, screen_light_on(l, normal));
}

#endif
