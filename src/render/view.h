// SPDX-License-Identifier: MIT
// The eye and the lights of a picture, made once from the block `render`.
#ifndef SHOAL_RENDER_VIEW_H
#define SHOAL_RENDER_VIEW_H

#include "appearance/render_params.h"

typedef struct render_camera {
    shoal_v3 eye, right, up, forward; // unit ways
    float    across, along;           // half the width and height of the picture at distance 1
    float    lens, focus;             // m; radius, and the distance that is sharp
} render_camera;

typedef struct render_lamp {
    shoal_v3 at, right, up, forward; // it shines forward
    float    half;                   // m; half an edge
    shoal_v3 light;                  // radiance
} render_lamp;

typedef struct render_lights {
    shoal_v3    zenith, horizon, nadir; // radiance
    float       sky_strength;           // of what falls on surfaces
    shoal_v3    sun;                    // the way there, unit
    float       sun_cosine;             // of half its width
    shoal_v3    sun_light;              // irradiance on a surface that faces it
    int         lamp_count;
    render_lamp lamps[SHOAL_LAMPS_MOST];
    float       most; // single samples of light that came over mirrors are held below it; 0: not at all
} render_lights;

// The camera at a time; `seen` is what a camera without a place frames; aspect: width / height. `is_open`: there is no
// domain, and such a camera looks more from above.
render_camera render_camera_make(const shoal_render_settings* settings, double time, shoal_box seen, double aspect,
                                 bool is_open);
render_lights render_lights_make(const shoal_render_settings* settings);

// Radiance from the sky, without the sun.
static inline shoal_v3 render_sky(const render_lights* lights, shoal_v3 way) {
    // more of the change is near the horizon, as in the real sky
    float    y   = fminf(1.0f, fabsf(way.y));
    float    t   = y * (2.0f - y);
    shoal_v3 end = way.y >= 0.0f ? lights->zenith : lights->nadir;
    return shoal_v3_add_scaled(shoal_v3_scale(lights->horizon, 1.0f - t), end, t);
}

#endif
