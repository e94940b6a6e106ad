// SPDX-License-Identifier: MIT
// One picture: scenery at one or more moments while the shutter is open, samples, mean, denoise.
#ifndef SHOAL_RENDER_SHOT_H
#define SHOAL_RENDER_SHOT_H

#include "picture/image.h"
#include "render/scenery.h"

typedef struct render_shot {
    const shoal_render_settings* settings;
    render_camera                camera;
    render_lights                lights;
    double                       shutter; // s
    uint64_t                     seed;
    const shoal_exec*            exec;
    // What there is when `part` of the shutter's time is over, 0 to 1; valid until asked again.
    shoal_status (*contents_at)(double part, void* user, const render_contents** out);
    bool (*go_on)(double part, void* user); // as in render_job
    void* user;
} render_shot;

// out->light is made; free with shoal_free.
shoal_status render_shot_take(const render_shot* shot, shoal_image* out);

#endif
