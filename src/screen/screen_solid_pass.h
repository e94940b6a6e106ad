// SPDX-License-Identifier: MIT
// Triangles on the screen, and the light of balls and triangles; in the common ground of C17 and C++.
#ifndef SHOAL_SCREEN_SOLID_PASS_H
#define SHOAL_SCREEN_SOLID_PASS_H

#include "screen/screen_shade_pass.h"

// A triangle of something solid; glass takes every other pixel.
typedef struct screen_triangle {
    shoal_v3 corner[3], normal[3]; // m; unit, outwards
    shoal_v3 color;                // fraction of light that it reflects
    int      is_clear;
} screen_triangle;

// A triangle as the eye sees it [Olano & Greer 1997]: the ray w = (px, py, 1) of a pixel meets it where w . edge >= 0
// for the planes through the eye and its three edges, at a depth of 1 / (w . slope). So nothing is lost of what lies
// far away in a triangle that begins at the eye.
typedef struct screen_facet {
    shoal_v3   edge[3], slope;
    screen_box pixels;
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
                         (1.0f - p.y / (p.z * c->along)) * 0.5f * (float)height, p.z);
}

#define SCREEN_FACET_NEAR 0.01f // spacings; what of a triangle is nearer to the eye has no part in its box

SHOAL_FN int32_t screen_pixel_within(float at, int count) { return (int32_t)screen_hold(at, -1.0f, (float)count); }

// Around what is left of it before the eye.
SHOAL_FN screen_box screen_facet_box(const screen_camera* c, int width, int height, const shoal_v3 at[3], float near) {
    shoal_v3   clipped[4];
    screen_box box   = {0, -1, 0, -1};
    float      low_x = (float)width, high_x = -1.0f, low_y = (float)height, high_y = -1.0f;
    int        count = screen_clip_near(at, near, clipped);
    if (count == 0) return box;
    for (int k = 0; k < count; k++) {
        shoal_v3 p = screen_to_pixels(c, width, height, clipped[k]);
        low_x      = p.x < low_x ? p.x : low_x;
        high_x     = p.x > high_x ? p.x : high_x;
        low_y      = p.y < low_y ? p.y : low_y;
        high_y     = p.y > high_y ? p.y : high_y;
    }
    // rounded down, and up
    int left = screen_pixel_within(floorf(low_x), width), right = screen_pixel_within(-floorf(-high_x), width);
    int top = screen_pixel_within(floorf(low_y), height), bottom = screen_pixel_within(-floorf(-high_y), height);
    box.left   = left < 0 ? 0 : left;
    box.right  = right > width - 1 ? width - 1 : right;
    box.top    = top < 0 ? 0 : top;
    box.bottom = bottom > height - 1 ? height - 1 : bottom;
    return box;
}

SHOAL_FN screen_facet screen_facet_of(const screen_camera* c, int width, int height, float near,
                                      const screen_triangle* t) {
    screen_facet f;
    shoal_v3     at[3];
    shoal_d3     p[3], edge[3];
    for (int k = 0; k < 3; k++) {
        at[k] = screen_from_eye(c, t->corner[k]);
        p[k]  = shoal_d3_from(at[k]);
    }
    for (int k = 0; k < 3; k++) edge[k] = shoal_d3_cross(p[(k + 1) % 3], p[(k + 2) % 3]);
    // its volume with the eye: zero where it is seen from its edge. Neighbours have the same edge, bit by bit, with the
    // other sign.
    double   volume = shoal_d3_dot(p[0], edge[0]), sign = volume < 0.0 ? -1.0 : 1.0;
    shoal_d3 slope = shoal_d3_scale(shoal_d3_add(edge[0], shoal_d3_add(edge[1], edge[2])), 1.0 / volume);
    for (int k = 0; k < 3; k++) f.edge[k] = shoal_v3_from(shoal_d3_scale(edge[k], sign));
    f.slope    = shoal_v3_from(slope);
    f.is_clear = t->is_clear;
    f.pixels   = screen_facet_box(c, width, height, at, near);
    if (!(volume != 0.0)) f.pixels.right = f.pixels.left - 1;
    return f;
}

// Depth behind a pixel whose ray is (px, py, 1); false outside, and in every other pixel of glass.
SHOAL_FN int screen_facet_hit(const screen_facet* f, int x, int y, float px, float py, float* depth) {
    float steep = px * f->slope.x + py * f->slope.y + f->slope.z;
    int   is_in = steep > 0.0f;
    for (int k = 0; k < 3; k++) is_in = is_in & (px * f->edge[k].x + py * f->edge[k].y + f->edge[k].z >= 0.0f);
    *depth = 1.0f / steep;
    return is_in && !(f->is_clear && (x + y) % 2);
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

// Outwards at the depth of a key, of a ball or a triangle; that of a ball as the camera has it, of any length.
SHOAL_FN shoal_v3 screen_ball_normal(const screen_matter* m, uint64_t key, shoal_v3 w) {
    return screen_splat_normal(&m->covers[screen_key_number(key)], w.x, w.y, screen_key_depth(key));
}
SHOAL_FN shoal_v3 screen_triangle_normal(const screen_matter* m, const screen_camera* c, uint64_t key, shoal_v3 w) {
    const screen_triangle* t = &m->triangles[(int)screen_key_number(key) - m->ball_count];
    return screen_facet_normal(t, shoal_v3_add_scaled(c->eye, screen_to_world(c, w), screen_key_depth(key)));
}

// Of the ball or triangle that a key names, in the open; w is the ray of the pixel.
SHOAL_FN float screen_solid_open(const screen_camera* c, const screen_overhead* over, uint64_t key, shoal_v3 w) {
    shoal_v3 at = shoal_v3_add_scaled(c->eye, screen_to_world(c, w), screen_key_depth(key));
    return over->is_there ? screen_open_above(over, at) : 1.0f;
}
SHOAL_FN shoal_v3 screen_solid_light(const screen_matter* m, const screen_camera* c, const screen_lights* l,
                                     const screen_overhead* over, uint64_t key, shoal_v3 w) {
    int      number  = (int)screen_key_number(key);
    int      is_ball = number < m->ball_count;
    shoal_v3 normal =
        is_ball ? screen_unit(screen_to_world(c, screen_ball_normal(m, key, w))) : screen_triangle_normal(m, c, key, w);
    shoal_v3 color = is_ball ? m->balls[number].color : m->triangles[number - m->ball_count].color;
    return screen_mul(color, screen_light_on(l, normal, screen_solid_open(c, over, key, w)));
}

#endif
