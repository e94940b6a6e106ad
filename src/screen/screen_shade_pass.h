// SPDX-License-Identifier: MIT
// Light of one pixel; in the common ground of C17 and C++. Water after van der Laan et al. 2009: Fresnel's fraction is
// a mirror of sky and sun, the rest what lies behind, shifted by refraction and dimmed by what the liquid absorbs on
// the way. Corners between grains are dark by screen-space ambient occlusion [Mittring 2007].
#ifndef SHOAL_SCREEN_SHADE_PASS_H
#define SHOAL_SCREEN_SHADE_PASS_H

#include "screen/screen_filter_pass.h"
#include "screen/screen_overhead_pass.h"

typedef struct screen_lights {
    shoal_v3 zenith, horizon, nadir; // radiance
    float    sky_strength;           // of what falls on surfaces
    shoal_v3 sun, sun_light;         // the way there, unit; irradiance on a surface that faces it
} screen_lights;

typedef struct screen_ground {
    int      is_there;
    float    y, tile;     // m; edge of a tile
    shoal_v3 middle;      // of the subject
    float    size;        // m; of that; far away the ground becomes sky
    shoal_v3 color, seam; // of tiles, and between them
} screen_ground;

SHOAL_FN shoal_v3 screen_mul(shoal_v3 a, shoal_v3 b) { return shoal_v3_make(a.x * b.x, a.y * b.y, a.z * b.z); }
SHOAL_FN shoal_v3 screen_mix(shoal_v3 a, shoal_v3 b, float t) {
    return shoal_v3_add(shoal_v3_scale(a, 1.0f - t), shoal_v3_scale(b, t));
}
SHOAL_FN float screen_hold(float a, float low, float high) { return a < low ? low : a > high ? high : a; }
// What has no length looks up. Without a branch, as all that pixels are asked side by side.
SHOAL_FN shoal_v3 screen_unit(shoal_v3 a) {
    float length = shoal_v3_length(a), per = 1.0f / (length > 0.0f ? length : 1.0f);
    return shoal_v3_make(a.x * per, length > 0.0f ? a.y * per : 1.0f, a.z * per);
}
SHOAL_FN shoal_v3 screen_to_world(const screen_camera* c, shoal_v3 a) {
    return shoal_v3_add_scaled(shoal_v3_add_scaled(shoal_v3_scale(c->right, a.x), c->up, a.y), c->forward, a.z);
}

// Radiance from the sky, without the sun; more of the change is near the horizon.
SHOAL_FN shoal_v3 screen_sky(const screen_lights* l, shoal_v3 way) {
    int      is_up = way.y >= 0.0f;
    float    y     = is_up ? way.y : -way.y, t;
    shoal_v3 end   = shoal_v3_make(is_up ? l->zenith.x : l->nadir.x, is_up ? l->zenith.y : l->nadir.y,
                                 is_up ? l->zenith.z : l->nadir.z);
    y = y > 1.0f ? 1.0f : y;
    t = y * (2.0f - y);
    return screen_mix(l->horizon, end, t);
}

// What falls on a surface: half a sky, and the sun. One that looks up has of the sun the fraction that is open above,
// and half of the sky at least.
SHOAL_FN shoal_v3 screen_light_on(const screen_lights* l, shoal_v3 n, float open) {
    shoal_v3 sky = screen_mix(l->nadir, screen_mix(l->horizon, l->zenith, 0.5f), 0.5f + 0.5f * n.y);
    float    sun = shoal_v3_dot(n, l->sun), hidden = (1.0f - open) * screen_hold(2.0f * n.y, 0.0f, 1.0f);
    sun = (sun > 0.0f ? sun : 0.0f) * (1.0f - hidden);
    return shoal_v3_add_scaled(shoal_v3_scale(sky, l->sky_strength * (1.0f - 0.5f * hidden)), l->sun_light,
                               sun / (float)SHOAL_PI);
}

// What all pixels ask of the ground.
typedef struct screen_outlook {
    float rim;   // unit ways whose y is below this meet the ground
    float pixel; // width of a pixel at distance 1
    float dark;  // fraction of its light that the ground has in the shadow
} screen_outlook;

SHOAL_FN screen_outlook screen_outlook_of(const screen_camera* c, const screen_lights* l, const screen_ground* g,
                                          int width) {
    screen_outlook o;
    shoal_v3       up = shoal_v3_make(0.0f, 1.0f, 0.0f), all = screen_light_on(l, up, 1.0f);
    shoal_v3       sky = screen_light_on(l, up, 0.0f);
    float          sum = all.x + all.y + all.z;
    o.rim              = g->is_there && c->eye.y > g->y ? 0.0f : -2.0f;
    o.pixel            = 2.0f * c->across / (float)width;
    o.dark             = sum > 0.0f ? (sky.x + sky.y + sky.z) / sum : 1.0f;
    return o;
}

// Fraction of a footprint that a seam takes whose middle is `far` away, all in tiles.
SHOAL_FN float screen_seam(float far, float footprint) {
    const float half = 0.012f;
    float       more = (half - (far < 0.0f ? -far : far)) / footprint + 0.5f, most = 2.0f * half / footprint;
    return screen_hold(more, 0.0f, most < 1.0f ? most : 1.0f);
}

// Where a way meets the ground; of no use where it does not.
SHOAL_FN shoal_v3 screen_ground_at(const screen_camera* c, const screen_ground* g, screen_outlook o, shoal_v3 way) {
    float down = way.y < o.rim ? way.y : -1.0f;
    return shoal_v3_add_scaled(c->eye, way, (g->y - c->eye.y) / down);
}

// Sky, or the ground with its tiles, which is open above by a fraction.
SHOAL_FN shoal_v3 screen_far(const screen_camera* c, const screen_lights* l, const screen_ground* g, screen_outlook o,
                             shoal_v3 way, float open) {
    shoal_v3 sky = screen_sky(l, way), horizon = screen_sky(l, shoal_v3_make(1.0f, 0.0f, 0.0f));
    int      is_ground = way.y < o.rim;
    float    down = is_ground ? way.y : -1.0f, distance = (g->y - c->eye.y) / down;
    shoal_v3 at = screen_ground_at(c, g, o, way);
    float    ex = at.x - g->middle.x, ez = at.z - g->middle.z, far = sqrtf(ex * ex + ez * ez) / g->size;
    float    u = at.x / g->tile, v = at.z / g->tile, footprint = o.pixel * distance / (-down * g->tile);
    u = u - floorf(u + 0.5f), v = v - floorf(v + 0.5f);
    float    a = screen_seam(u, footprint), b = screen_seam(v, footprint);
    shoal_v3 color  = shoal_v3_scale(screen_mix(g->color, g->seam, a + b - a * b), o.dark + (1.0f - o.dark) * open);
    shoal_v3 ground = screen_mix(color, horizon, screen_hold((far - 2.0f) / 10.0f, 0.0f, 1.0f));
    return shoal_v3_make(is_ground ? ground.x : sky.x, is_ground ? ground.y : sky.y, is_ground ? ground.z : sky.z);
}

// --- solid things

typedef struct screen_solids {
    const screen_camera* camera;
    int                  width, height;
    const float*         depth;   // SCREEN_EMPTY: nothing solid
    float                spacing; // m
} screen_solids;

enum { SCREEN_OCCLUSION_SAMPLES = 16 };

// Where the k-th look goes, of the reach: on a spiral, r^2 from 1/32 to 31/32, a golden angle further each time.
typedef struct screen_spiral {
    float x[SCREEN_OCCLUSION_SAMPLES], y[SCREEN_OCCLUSION_SAMPLES];
} screen_spiral;
SHOAL_FN screen_spiral screen_spiral_make(void) {
    screen_spiral s = {{0.177f, -0.226f, 0.035f, 0.285f, -0.522f, 0.495f, -0.165f, -0.315f, 0.685f, -0.712f, 0.343f,
                        0.253f, -0.764f, 0.897f, -0.547f, -0.126f},
                       {0.0f, 0.207f, -0.394f, 0.371f, -0.092f, -0.315f, 0.615f, -0.607f, 0.250f, 0.294f, -0.733f,
                        0.808f, -0.443f, -0.197f, 0.778f, -0.976f}};
    return s;
}

SHOAL_FN float screen_occlusion_reach(const screen_solids* s) { return 2.5f * s->spacing; }

// Fraction of the sky that what is seen (across, down) pixels beside hides. What is nearer by more than four times the
// reach is not in this corner.
SHOAL_FN float screen_hidden(const screen_solids* s, float reach, int x, int y, float depth, float across, float down) {
    float i = (float)x + floorf(across + 0.5f), j = (float)y + floorf(down + 0.5f);
    float u = screen_hold(i, 0.0f, (float)(s->width - 1)), v = screen_hold(j, 0.0f, (float)(s->height - 1));
    float nearer = depth - s->depth[(int)v * s->width + (int)u], fraction = nearer / reach;
    fraction = fraction < 1.0f ? fraction : 1.0f;
    fraction = nearer < 4.0f * reach ? fraction : 0.0f;
    fraction = fraction > 0.0f ? fraction : 0.0f;
    return ((u == i) & (v == j)) ? fraction : 0.0f; // beyond the edge of the picture is nothing
}

// How far a look of the whole reach goes at a depth, in pixels across; down likewise.
SHOAL_FN float screen_reach_x(const screen_solids* s, float reach, float depth) {
    return reach / (2.0f * s->camera->across / (float)s->width * depth);
}
SHOAL_FN float screen_reach_y(const screen_solids* s, float reach, float depth) {
    return reach / (2.0f * s->camera->along / (float)s->height * depth);
}

// 1: nothing near hides the sky; less in corners. Looks at 16 points of two and a half spacings' reach.
SHOAL_FN float screen_open(float hidden) { return 1.0f - 0.8f * hidden / (float)SCREEN_OCCLUSION_SAMPLES; }
SHOAL_FN float screen_openness(const screen_solids* s, int x, int y, float depth) {
    screen_spiral spiral = screen_spiral_make();
    float         reach = screen_occlusion_reach(s), hidden = 0.0f;
    float         across = screen_reach_x(s, reach, depth), down = screen_reach_y(s, reach, depth);
    for (int k = 0; k < SCREEN_OCCLUSION_SAMPLES; k++)
        hidden += screen_hidden(s, reach, x, y, depth, spiral.x[k] * across, spiral.y[k] * down);
    return screen_open(hidden);
}

// --- a liquid

typedef struct screen_liquid {
    const screen_camera* camera;
    const screen_lights* lights;
    int                  width, height;
    float                ior, spacing;
    const float*         depth;     // smoothed
    const int32_t*       thickness; // of cells, in SCREEN_THICKNESS_UNIT of a spacing
    const float*         behind;    // depth of the solids
    const shoal_v3*      light;     // of the scene behind
} screen_liquid;

// The two rows of cells about a row of pixels.
typedef struct screen_cell_rows {
    int   above, below; // first cells
    float fraction;     // of the row below
} screen_cell_rows;

SHOAL_FN screen_cell_rows screen_cells_about(const screen_liquid* s, int y) {
    int              across = screen_cells(s->width), along = screen_cells(s->height);
    float            v = ((float)y + 0.5f) / (float)SCREEN_CELL - 0.5f, j = floorf(v);
    int              row = (int)j;
    screen_cell_rows r;
    r.above    = (row < 0 ? 0 : row) * across;
    r.below    = (row + 1 > along - 1 ? along - 1 : row + 1) * across;
    r.fraction = v - j;
    return r;
}

// In spacings: between the four cells about a pixel, of those that have any, so that a solid in front makes no rim.
SHOAL_FN float screen_thickness(const int32_t* cells, int across, screen_cell_rows r, int x) {
    float   u = ((float)x + 0.5f) / (float)SCREEN_CELL - 0.5f, i = floorf(u), fraction = u - i;
    int     left = (int)i < 0 ? 0 : (int)i, right = (int)i + 1 > across - 1 ? across - 1 : (int)i + 1;
    int32_t a = cells[r.above + left], b = cells[r.above + right], c = cells[r.below + left],
            d = cells[r.below + right];
    float wa = (1.0f - fraction) * (1.0f - r.fraction), wb = fraction * (1.0f - r.fraction);
    float wc = (1.0f - fraction) * r.fraction, wd = fraction * r.fraction;
    float sum     = wa * (float)a + wb * (float)b + (wc * (float)c + wd * (float)d);
    float weights = (a > 0 ? wa : 0.0f) + (b > 0 ? wb : 0.0f) + ((c > 0 ? wc : 0.0f) + (d > 0 ? wd : 0.0f));
    return weights > 0.0f ? sum / weights * SCREEN_THICKNESS_UNIT : 0.0f;
}

// e^x to 1e-6 for x <= 0: 2^n times a polynomial between -ln(2)/2 and ln(2)/2.
SHOAL_FN float screen_exp(float x) {
    float held = x > -80.0f ? x : -80.0f;
    float n = floorf(held * 1.44269504f + 0.5f), r = (held - n * 0.693359375f) + n * 2.12194440e-4f, power;
    float e = 1.0f + r * (1.0f + r * (0.5f + r * (1.0f / 6 + r * (1.0f / 24 + r * (1.0f / 120 + r * (1.0f / 720))))));
    uint32_t bits = (uint32_t)((int32_t)n + 127) << 23;
    memcpy(&power, &bits, sizeof power);
    return x > -80.0f ? e * power : 0.0f;
}

// Depth of a pixel and of the four beside it; SCREEN_EMPTY where there is none.
typedef struct screen_beside {
    float here, left, right, above, below;
} screen_beside;

SHOAL_FN screen_beside screen_beside_at(const screen_liquid* s, int x, int y) {
    size_t        at = (size_t)y * (size_t)s->width + (size_t)x;
    screen_beside b;
    b.here  = s->depth[at];
    b.left  = x > 0 ? s->depth[at - 1] : SCREEN_EMPTY;
    b.right = x < s->width - 1 ? s->depth[at + 1] : SCREEN_EMPTY;
    b.above = y > 0 ? s->depth[at - (size_t)s->width] : SCREEN_EMPTY;
    b.below = y < s->height - 1 ? s->depth[at + (size_t)s->width] : SCREEN_EMPTY;
    return b;
}

// Change of the place seen from one pixel to the next, of rays w and depth z; `w_back` and `back` are the pixel before,
// `w_on` and `on` the one after. One-sided: towards the neighbour whose depth is nearer, so that silhouettes do not
// bend normals; where there is none, as if it faced the eye.
SHOAL_FN shoal_v3 screen_slope(shoal_v3 w, float z, shoal_v3 w_back, float back, shoal_v3 w_on, float on) {
    float    less = back - z, more = on - z;
    int      is_on    = (more < 0.0f ? -more : more) <= (less < 0.0f ? -less : less);
    float    side     = is_on ? on : back, sign;
    int      is_alone = !(side < SCREEN_EMPTY);
    shoal_v3 other;
    is_on   = is_on | is_alone;
    side    = is_alone ? z : side;
    sign    = is_on ? 1.0f : -1.0f;
    other.x = is_on ? w_on.x : w_back.x;
    other.y = is_on ? w_on.y : w_back.y;
    return shoal_v3_make(sign * (other.x * side - w.x * z), sign * (other.y * side - w.y * z), sign * (side - z));
}

SHOAL_FN shoal_v3 screen_ray(const screen_camera* c, int width, int height, int x, int y) {
    return shoal_v3_make(screen_ray_x(c, width, x), screen_ray_y(c, height, y), 1.0f);
}

// Unit, towards the eye, in coordinates of the camera.
SHOAL_FN shoal_v3 screen_liquid_normal(const screen_liquid* s, int x, int y, screen_beside b) {
    const screen_camera* c      = s->camera;
    shoal_v3             w      = screen_ray(c, s->width, s->height, x, y);
    shoal_v3             across = screen_slope(w, b.here, screen_ray(c, s->width, s->height, x - 1, y), b.left,
                                               screen_ray(c, s->width, s->height, x + 1, y), b.right);
    shoal_v3             down   = screen_slope(w, b.here, screen_ray(c, s->width, s->height, x, y - 1), b.above,
                                               screen_ray(c, s->width, s->height, x, y + 1), b.below);
    shoal_v3             n      = screen_unit(shoal_v3_cross(across, down));
    return shoal_v3_scale(n, shoal_v3_dot(n, w) > 0.0f ? -1.0f : 1.0f);
}

// Of unpolarised light that meets a smooth surface from outside; *beyond: cosine of the refracted way.
SHOAL_FN float screen_fresnel(float cosine, float ior, float* beyond) {
    float sine2 = (1.0f - cosine * cosine) / (ior * ior), c = sqrtf(1.0f - screen_hold(sine2, 0.0f, 1.0f));
    float s = (cosine - ior * c) / (cosine + ior * c), p = (c - ior * cosine) / (c + ior * cosine);
    *beyond = c;
    return 0.5f * (s * s + p * p);
}

// What a ray does at a liquid.
typedef struct screen_bend {
    float    fraction; // of it that is mirrored
    shoal_v3 mirror;   // light from there
    float    run;      // m; how far the rest goes in the liquid
    int      x, y;     // the pixel behind which it comes out
} screen_bend;

SHOAL_FN screen_bend screen_bend_of(const screen_liquid* s, int x, int y, screen_beside b, float thick) {
    screen_bend out;
    float       beyond;
    shoal_v3    w = screen_ray(s->camera, s->width, s->height, x, y), way = screen_unit(w);
    shoal_v3    n      = screen_liquid_normal(s, x, y, b);
    float       cosine = screen_hold(-shoal_v3_dot(way, n), 0.0f, 1.0f);
    out.fraction       = screen_fresnel(cosine, s->ior, &beyond);

    // a mirror of the sky, and of a sun that ripples smear
    shoal_v3 mirror = screen_to_world(s->camera, shoal_v3_add_scaled(way, n, 2.0f * cosine));
    float    glint  = shoal_v3_dot(mirror, s->lights->sun);
    glint           = glint > 0.0f ? glint : 0.0f;
    for (int k = 0; k < 8; k++) glint *= glint; // to the 256th
    out.mirror = shoal_v3_add_scaled(screen_sky(s->lights, mirror), s->lights->sun_light, 20.0f * glint);

    // where the refracted way leads
    shoal_v3 inside = shoal_v3_add_scaled(shoal_v3_scale(way, 1.0f / s->ior), n, cosine / s->ior - beyond);
    out.run         = thick / (inside.z > 0.2f ? inside.z : 0.2f);
    shoal_v3 end    = shoal_v3_add_scaled(shoal_v3_scale(w, b.here), inside, out.run);
    float    z      = end.z > 0.0f ? end.z : 1.0f;
    float    u      = floorf((end.x / (z * s->camera->across) + 1.0f) * 0.5f * (float)s->width);
    float    v      = floorf((1.0f - end.y / (z * s->camera->along)) * 0.5f * (float)s->height);
    u               = u >= 0.0f ? u : 0.0f; // also where it is not a number
    v               = v >= 0.0f ? v : 0.0f;
    u               = u < (float)(s->width - 1) ? u : (float)(s->width - 1);
    v               = v < (float)(s->height - 1) ? v : (float)(s->height - 1);
    out.x           = end.z > 0.0f ? (int)u : x;
    out.y           = end.z > 0.0f ? (int)v : y;
    return out;
}

// Light of the scene behind the liquid; if that stands in front of the liquid, of the scene straight on.
SHOAL_FN shoal_v3 screen_light_behind(const screen_liquid* s, int x, int y, float depth, int bent_x, int bent_y) {
    size_t at = (size_t)y * (size_t)s->width + (size_t)x, bent = (size_t)bent_y * (size_t)s->width + (size_t)bent_x;
    return s->light[s->behind[bent] > depth ? bent : at];
}

SHOAL_FN float screen_through(float behind, float absorption, float run, float mirror, float fraction) {
    return behind * screen_exp(-absorption * run) * (1.0f - fraction) + mirror * fraction;
}

SHOAL_FN shoal_v3 screen_liquid_light(const screen_liquid* s, int x, int y, shoal_v3 absorption) {
    screen_beside b     = screen_beside_at(s, x, y);
    float         thick = screen_thickness(s->thickness, screen_cells(s->width), screen_cells_about(s, y), x);
    screen_bend   bend  = screen_bend_of(s, x, y, b, thick * s->spacing);
    shoal_v3      rest  = screen_light_behind(s, x, y, b.here, bend.x, bend.y);
    return shoal_v3_make(screen_through(rest.x, absorption.x, bend.run, bend.mirror.x, bend.fraction),
                         screen_through(rest.y, absorption.y, bend.run, bend.mirror.y, bend.fraction),
                         screen_through(rest.z, absorption.z, bend.run, bend.mirror.z, bend.fraction));
}

#endif
