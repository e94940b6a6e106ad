// SPDX-License-Identifier: MIT
// What is in a picture as splats and triangles of a screen: taken once, drawn as often as the camera moves. Previews
// draw it at twice their width and height, against jagged edges; the viewer as it is.
#ifndef SHOAL_RENDER_PREVIEW_H
#define SHOAL_RENDER_PREVIEW_H

#include "exec/device.h"
#include "picture/image.h"
#include "render/scenery.h"
#include "screen/screen.h"

// Keeps its memory from one picture to the next.
typedef struct render_sheet render_sheet;
// On `device`, or the CPU where that is NULL; both must outlive it.
shoal_status render_sheet_create(const shoal_exec* exec, shoal_device* device, render_sheet** out);
void         render_sheet_destroy(render_sheet* sheet); // may be NULL
// Parts without paint get the colours of their looks. `contents` may go afterwards.
shoal_status render_sheet_take(render_sheet* sheet, const render_contents* contents);
// How light becomes bytes.
typedef struct render_film {
    double stops; // of exposure
    bool   is_filmic;
} render_film;
// Red, green and blue into pixels[3 * width * height]; the same bytes for any number of threads, and on any device.
shoal_status render_sheet_draw(render_sheet* sheet, int width, int height, const render_camera* camera,
                               const render_lights* lights, render_film film, uint8_t* pixels);
// What was drawn at a pixel of the last picture.
typedef struct render_seen {
    int      part, particle; // of the contents; -1: no particle
    int      solid;          // likewise; -1: none
    float    depth;          // m along the axis of the camera; SCREEN_EMPTY: nothing is there
    shoal_v3 at;             // where, m
} render_seen;
render_seen render_sheet_pick(const render_sheet* sheet, int x, int y);

// out->light is made; free with shoal_free.
shoal_status render_preview_take(const render_contents* contents, const render_camera* camera,
                                 const render_lights* lights, const shoal_exec* exec, shoal_image* out);

#endif
