// SPDX-License-Identifier: MIT
// Splats: an ellipsoid on the screen, and where the ray of a pixel meets it; in the common ground of C17 and C++.
//
// In coordinates of the camera (right, up, forward, from the eye) the ray of a pixel is t w, w = (px, py, 1), and t is
// the depth. With t = c_z + s and d = c_z w - c, which is no larger than the ellipsoid, (d + s w)^T M (d + s w) = 1 is
//     a s^2 + 2 b s + e = 0,   a = w^T M w,  b = w^T M d,  e = d^T M d - 1,
// all of the order of one: (t w - c)^T M (t w - c) = 1 as it stands loses (distance/radius)^2 of a float's digits.
#ifndef SHOAL_SCREEN_SPLAT_PASS_H
#define SHOAL_SCREEN_SPLAT_PASS_H

#include "math/vec.h"

#include <stdint.h>
#include <string.h>

#define SCREEN_EMPTY 1e30f
#define SCREEN_NOBODY 0xffffffffffffffffull
// Thickness is summed as whole numbers, so that no order matters.
#define SCREEN_THICKNESS_UNIT (1.0f / 1024.0f)
#define SCREEN_CHORD_MOST 65536.0f // of one splat, in these units
// Thickness varies slowly: one value for a cell of so many pixels each way, as in van der Laan et al. 2009.
enum { SCREEN_CELL = 4 };
SHOAL_FN int screen_cells(int pixels) { return (pixels + SCREEN_CELL - 1) / SCREEN_CELL; }

typedef struct screen_camera {
    shoal_v3 eye, right, up, forward; // unit ways
    float    across, along;           // half the width and height of the picture at distance 1
} screen_camera;

// The ellipsoid (x - center)^T shape (x - center) <= 1.
typedef struct screen_splat {
    shoal_v3 center;   // m
    shoal_s6 shape;    // 1/m^2
    float    fraction; // of its chord that is liquid: the volume of its particle over its own
    shoal_v3 color;
    int      body; // metaballs: those of one body flow together; from 0 on
} screen_splat;

SHOAL_FN screen_splat screen_ball(shoal_v3 center, float radius, shoal_v3 color) {
    screen_splat s;
    float        m = 1.0f / (radius * radius);
    s.center       = center;
    s.shape.xx = s.shape.yy = s.shape.zz = m;
    s.shape.xy = s.shape.yz = s.shape.xz = 0.0f;
    s.fraction                           = 1.0f;
    s.color                              = color;
    s.body                               = 0;
    return s;
}

// Pixels or cells [left, right] x [top, bottom], none where right < left.
typedef struct screen_box {
    int32_t left, right, top, bottom;
} screen_box;

// What a splat covers.
typedef struct screen_cover {
    screen_box pixels;
    screen_box cells;   // where it makes the liquid thicker
    float      near;    // no ray meets it at a smaller depth; 0 or more
    float    widening;  // of M for its thickness: it is widened to a cell, and its chord shortened, for the same volume
    float    sx, sy, z; // center: sx = x/z, sy = y/z in coordinates of the camera
    float    xx, yy, zz, xy, yz, xz; // M in coordinates of the camera
    float    fraction;               // of its widened chord that is liquid
    uint32_t number;
} screen_cover;

SHOAL_FN uint64_t screen_key(float depth, uint32_t number) { // a positive depth has the order of its bits
    uint32_t bits;
    memcpy(&bits, &depth, sizeof bits);
    return (uint64_t)bits << 32 | number;
}
SHOAL_FN uint32_t screen_key_number(uint64_t key) { return (uint32_t)key; }
SHOAL_FN float    screen_key_depth(uint64_t key) {
       uint32_t bits = (uint32_t)(key >> 32);
       float    depth;
       memcpy(&depth, &bits, sizeof depth);
       return key == SCREEN_NOBODY ? SCREEN_EMPTY : depth;
}

// Of the middle of a pixel.
SHOAL_FN float screen_ray_x(const screen_camera* c, int width, int x) {
    return (((float)x + 0.5f) * 2.0f / (float)width - 1.0f) * c->across;
}
SHOAL_FN float screen_ray_y(const screen_camera* c, int height, int y) {
    return (1.0f - ((float)y + 0.5f) * 2.0f / (float)height) * c->along;
}
// Of the middle of a cell.
SHOAL_FN float screen_cell_x(const screen_camera* c, int width, int x) {
    return ((float)(SCREEN_CELL * x + SCREEN_CELL / 2) * 2.0f / (float)width - 1.0f) * c->across;
}
SHOAL_FN float screen_cell_y(const screen_camera* c, int height, int y) {
    return (1.0f - (float)(SCREEN_CELL * y + SCREEN_CELL / 2) * 2.0f / (float)height) * c->along;
}
SHOAL_FN float    screen_slant(float px, float py) { return sqrtf(px * px + py * py + 1.0f); } // length of (px, py, 1)
SHOAL_FN shoal_v3 screen_from_eye(const screen_camera* c, shoal_v3 point) {
    shoal_v3 d = shoal_v3_sub(point, c->eye);
    return shoal_v3_make(shoal_v3_dot(d, c->right), shoal_v3_dot(d, c->up), shoal_v3_dot(d, c->forward));
}

SHOAL_FN double screen_form(shoal_s6 m, shoal_v3 a, shoal_v3 b) { // a^T M b
    return (double)a.x * ((double)m.xx * (double)b.x + (double)m.xy * (double)b.y + (double)m.xz * (double)b.z) +
           (double)a.y * ((double)m.xy * (double)b.x + (double)m.yy * (double)b.y + (double)m.yz * (double)b.z) +
           (double)a.z * ((double)m.xz * (double)b.x + (double)m.yz * (double)b.y + (double)m.zz * (double)b.z);
}

// Where planes x = s z touch the ellipsoid: (c_x - s c_z)^2 = A_xx - 2 s A_xz + s^2 A_zz, A = M^-1 [Sigg et al. 2006].
SHOAL_FN void screen_tangents(double cx, double cz, double axx, double axz, double azz, double* low, double* high) {
    double k = cz * cz - azz, b = cx * cz - axz, root = b * b - k * (cx * cx - axx);
    root  = sqrt(root > 0.0 ? root : 0.0);
    *low  = (b - root) / k;
    *high = (b + root) / k;
}

SHOAL_FN int32_t screen_pixel(double at, int count) { // whole pixels, held within one beyond the picture
    double whole = floor(at);
    return !(whole >= -1.0) ? -1 : // also where it is not a number
               whole > (double)count ? count
                                     : (int32_t)whole;
}

// What lies between the planes that touch an ellipsoid of this A: the middles of squares of `side` pixels.
SHOAL_FN screen_box screen_box_of(const screen_camera* c, int width, int height, int side, shoal_d3 at,
                                  const double a[5]) {
    screen_box box;
    double     low, high, half = 0.5 * side;
    int        across = (width + side - 1) / side, along = (height + side - 1) / side;
    screen_tangents(at.x, at.z, a[0], a[2], a[4], &low, &high);
    box.left  = screen_pixel(((low / (double)c->across + 1.0) * 0.5 * width - half) / side + 1.0, across);
    box.right = screen_pixel(((high / (double)c->across + 1.0) * 0.5 * width - half) / side, across);
    screen_tangents(at.y, at.z, a[1], a[3], a[4], &low, &high);
    box.top    = screen_pixel(((1.0 - high / (double)c->along) * 0.5 * height - half) / side + 1.0, along);
    box.bottom = screen_pixel(((1.0 - low / (double)c->along) * 0.5 * height - half) / side, along);
    box.left   = box.left < 0 ? 0 : box.left;
    box.top    = box.top < 0 ? 0 : box.top;
    box.right  = box.right > across - 1 ? across - 1 : box.right;
    box.bottom = box.bottom > along - 1 ? along - 1 : box.bottom;
    return box;
}

// What is smaller than a pixel is widened to a pixel; what reaches behind the eye is not drawn.
SHOAL_FN screen_cover screen_splat_cover(const screen_camera* c, int width, int height, const screen_splat* s,
                                         uint32_t number) {
    const double least = 0.7; // pixels; half an axis
    screen_cover out;
    shoal_v3     at = screen_from_eye(c, s->center);
    double       xx = screen_form(s->shape, c->right, c->right), yy = screen_form(s->shape, c->up, c->up);
    double       zz = screen_form(s->shape, c->forward, c->forward), xy = screen_form(s->shape, c->right, c->up);
    double       yz = screen_form(s->shape, c->up, c->forward), xz = screen_form(s->shape, c->right, c->forward);
    double       det = xx * (yy * zz - yz * yz) - xy * (xy * zz - yz * xz) + xz * (xy * yz - yy * xz);
    double       axx = (yy * zz - yz * yz) / det, ayy = (xx * zz - xz * xz) / det, azz = (xx * yy - xy * xy) / det;
    double       axz = (xy * yz - xz * yy) / det, ayz = (xy * xz - yz * xx) / det;
    double       cx = (double)at.x, cy = (double)at.y, cz = (double)at.z;
    double       pixel = 2.0 * (double)c->across / (double)width * cz * least, least_a, grow, broad;
    out.pixels.left = out.cells.left = out.pixels.top = out.cells.top = 0;
    out.pixels.right = out.cells.right = out.pixels.bottom = out.cells.bottom = -1;
    out.number                                                                = number;
    out.fraction = out.near = out.widening = 0.0f;
    out.sx = out.sy = out.z = out.xx = out.yy = out.zz = out.xy = out.yz = out.xz = 0.0f;
    if (!(det > 0.0) || !(cz > 0.0) || !(cz * cz > azz)) return out;
    least_a = axx < ayy ? axx : ayy;
    grow    = least_a < pixel * pixel ? pixel * pixel / least_a : 1.0; // of A
    if (!(cz * cz > azz * grow)) return out;
    pixel *= SCREEN_CELL;
    broad            = least_a < pixel * pixel ? pixel * pixel / least_a : 1.0;
    broad            = cz * cz > azz * broad ? broad : grow;
    double   size[5] = {axx * grow, ayy * grow, axz * grow, ayz * grow, azz * grow};
    shoal_d3 center  = shoal_d3_make(cx, cy, cz);
    out.pixels       = screen_box_of(c, width, height, 1, center, size);
    for (int k = 0; k < 5; k++) size[k] *= broad / grow;
    out.cells    = screen_box_of(c, width, height, SCREEN_CELL, center, size);
    out.fraction = (float)((double)s->fraction / (broad * sqrt(broad)));
    out.widening = (float)(grow / broad);
    // less what rounding may do to a hit
    double near = cz - 1.001 * sqrt(azz * grow) - 4e-7 * cz;
    out.near    = near > 0.0 ? (float)near : 0.0f;
    out.sx = (float)(cx / cz), out.sy = (float)(cy / cz), out.z = (float)cz;
    out.xx = (float)(xx / grow), out.yy = (float)(yy / grow), out.zz = (float)(zz / grow);
    out.xy = (float)(xy / grow), out.yz = (float)(yz / grow), out.xz = (float)(xz / grow);
    return out;
}

// a, b and e of the ray of a pixel. `widening`: of M; 1 for the splat as it is seen.
typedef struct screen_form_along {
    float a, b, e;
} screen_form_along;
SHOAL_FN screen_form_along screen_splat_along(const screen_cover* c, float widening, float px, float py) {
    screen_form_along f;
    float             dx = c->z * (px - c->sx), dy = c->z * (py - c->sy);
    float             mx = c->xx * px + c->xy * py + c->xz, my = c->xy * px + c->yy * py + c->yz;
    f.a = widening * (px * mx + py * my + (c->xz * px + c->yz * py + c->zz));
    f.b = widening * (dx * mx + dy * my);
    f.e = widening * (dx * (c->xx * dx + 2.0f * c->xy * dy) + c->yy * dy * dy) - 1.0f;
    return f;
}

// Depth where the ray enters, and how much deeper it leaves; false where it misses. Without a branch, so that a row of
// pixels is done several at a time.
SHOAL_FN int screen_splat_hit(const screen_cover* c, float widening, float px, float py, float* depth, float* chord) {
    screen_form_along f    = screen_splat_along(c, widening, px, py);
    float             disc = f.b * f.b - f.a * f.e, root = sqrtf(disc > 0.0f ? disc : 0.0f), per = 1.0f / f.a;
    *depth = c->z - (f.b + root) * per;
    *chord = 2.0f * root * per;
    return (disc > 0.0f) & (*depth > 0.0f);
}

// What a splat adds to the thickness of a cell whose middle is (px, py), where it is before the depth `solid`. `unit`:
// its screen_thickness_fraction.
SHOAL_FN float screen_thickness_fraction(const screen_cover* c, float spacing) {
    return c->fraction / (SCREEN_THICKNESS_UNIT * spacing);
}
SHOAL_FN int32_t screen_chord(const screen_cover* c, float px, float py, float slant, float solid, float unit) {
    float depth, chord;
    int   is_hit = screen_splat_hit(c, c->widening, px, py, &depth, &chord);
    float more   = chord * slant * unit;
    more         = more < SCREEN_CHORD_MOST ? more : SCREEN_CHORD_MOST; // also where it is not a number
    return -(is_hit & (depth < solid)) & (int32_t)more;
}

// Outwards at a depth, in coordinates of the camera; not of unit length.
SHOAL_FN shoal_v3 screen_splat_normal(const screen_cover* c, float px, float py, float depth) {
    float x = depth * px - c->sx * c->z, y = depth * py - c->sy * c->z, z = depth - c->z;
    return shoal_v3_make(c->xx * x + c->xy * y + c->xz * z, c->xy * x + c->yy * y + c->yz * z,
                         c->xz * x + c->yz * y + c->zz * z);
}

#endif
