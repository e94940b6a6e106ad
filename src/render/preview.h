// SPDX-License-Identifier: MIT
// Particles as shaded balls, and obstacles, by a depth buffer, in a fraction of a second.
#ifndef SHOAL_RENDER_PREVIEW_H
#define SHOAL_RENDER_PREVIEW_H

#include "picture/image.h"
#include "render/scenery.h"

// Parts without paint get the colours of their looks. out->light is made; free with shoal_free. The
// same bits for any number of threads.
shoal_status render_preview_take(const render_contents* contents, const render_camera* camera,
                                 const render_lights* lights, const shoal_exec* exec, shoal_image* out);

#endif
