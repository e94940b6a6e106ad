// SPDX-License-Identifier: MIT
// Inside of the tracer: geometries. For tracer.c, rays.c and paths.c only.
#ifndef SHOAL_RENDER_TRACER_LOCAL_H
#define SHOAL_RENDER_TRACER_LOCAL_H

#include "render/sampler.h"
#include "render/tracer.h"

#include <embree3/rtcore.h>

typedef struct render_geometry {
    bool         is_balls;
    int          appearance;
    render_mesh  mesh;
    render_balls balls;
} render_geometry;

typedef struct render_pane {
    shoal_v3 corner, along, up, normal; // unit ways
    float    length, height;            // m
    int      appearance;
} render_pane;

enum { RENDER_GEOMETRIES_MOST = 600, RENDER_APPEARANCES_MOST = 600, RENDER_PANES_MOST = 8 };

struct render_tracer {
    RTCDevice         device;
    RTCScene          scene;
    float             shutter, nudge; // s; m: steps off a surface, against rounding
    int               thing_count, appearance_count;
    render_geometry   geometries[RENDER_GEOMETRIES_MOST]; // by the number of the geometry
    render_appearance appearances[RENDER_APPEARANCES_MOST];
    shoal_v3          low, high;             // around all that Embree has, while the shutter is open
    shoal_box         clear;                 // around all dielectrics
    int               ground;                // its look; -1: none
    float             ground_y, ground_half; // m
    int               pane_count;
    render_pane       panes[RENDER_PANES_MOST];
};

// Radiance along one way, and what it meets first.
shoal_v3 render_path(const render_tracer* tracer, const render_job* job, shoal_v3 from, shoal_v3 way, float time,
                     render_sampler* sampler, render_sum* met);

#endif
