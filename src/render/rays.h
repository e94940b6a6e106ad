// SPDX-License-Identifier: MIT
// One straight ray: what it meets, what it passes and what that costs. For tracer.c, rays.c and
// paths.c only.
#ifndef SHOAL_RENDER_RAYS_H
#define SHOAL_RENDER_RAYS_H

#include "render/media.h"
#include "render/tracer_local.h"

#define RENDER_FAR 1e30f // m; of a missing hit

typedef struct render_ray {
    shoal_v3 from, way; // unit
    float    time;      // 0 to 1 while the shutter is open
} render_ray;

// What stops a ray.
typedef struct render_strike {
    float                  t;        // m
    const render_geometry* geometry; // NULL: the ground
    unsigned               triangle;
    float                  u, v; // within it
    shoal_v3               flat; // its normal, outwards, of any length
} render_strike;

// A pane on the way.
typedef struct render_glint {
    float    t, fraction; // m; of what it mirrors
    shoal_v3 way;         // mirrored
    bool     is_edge;
} render_glint;

// The first thing on the way of a ray that surfaces bend; false: none.
bool render_ray_meet(const render_tracer* tracer, const render_ray* ray, render_strike* out);
// The same for one that passes water and glass straight. `media` are those of its beginning, and
// then of its end; `transmitted`: what their absorption leaves.
bool render_ray_fall(const render_tracer* tracer, const render_ray* ray, render_media* media, render_strike* out,
                     shoal_v3* transmitted);
// What comes through to its beginning from a light at `far` metres: surfaces dim it by Fresnel,
// seen from the thinner side, for the ray is not bent.
shoal_v3 render_ray_ask(const render_tracer* tracer, const render_ray* ray, float far, const render_media* media);
// What the eye, or anything else whose past is not known, is inside of.
render_media render_media_at(const render_tracer* tracer, const render_ray* ray);
// Panes nearer than `far`, the nearest first; how many.
int render_ray_panes(const render_tracer* tracer, const render_ray* ray, float far,
                     render_glint out[RENDER_PANES_MOST]);

#endif
