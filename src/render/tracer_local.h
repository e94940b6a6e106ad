// SPDX-License-Identifier: MIT
// Inside of the tracer: things and rays. For tracer.c and paths.c only.
#ifndef SHOAL_RENDER_TRACER_LOCAL_H
#define SHOAL_RENDER_TRACER_LOCAL_H

#include "render/media.h"
#include "render/sampler.h"
#include "render/tracer.h"

#include <embree3/rtcore.h>

typedef struct render_thing {
    bool         is_balls;
    int          look;
    render_mesh  mesh;
    render_balls balls;
} render_thing;

enum { RENDER_THINGS_MOST = 600, RENDER_LOOKS_MOST = 600 };

struct render_tracer {
    RTCDevice    device;
    RTCScene     scene;
    float        shutter, nudge; // s; m: steps off a surface, against rounding
    int          thing_count, look_count;
    render_thing things[RENDER_THINGS_MOST]; // by the number of the geometry
    render_look  looks[RENDER_LOOKS_MOST];
    shoal_box    clear; // around all dielectrics, while the shutter is open
};

// Radiance along one way, and what it meets first.
shoal_v3 render_path(const render_tracer* tracer, const render_job* job, shoal_v3 from,
                     shoal_v3 way, float time, render_sampler* sampler, render_pixel* met);

// A filter of Embree: panes mirror the sky, and let everything else through.
void render_pane_filter(const struct RTCFilterFunctionNArguments* args);

#endif
