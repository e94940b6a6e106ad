// SPDX-License-Identifier: MIT
// Pictures in real time: ellipsoids and triangles by the nearest of a pixel, liquids smoothed and seen through, after
// Macklin & Mueller 2013 section 7 and van der Laan, Green & Sainz 2009. What happens to one splat or one pixel is a
// pass (screen_*_pass.h), without a library function but sqrt, floor and the like, so that a picture has the same bits
// on any number of threads and can have them on other devices.
#ifndef SHOAL_SCREEN_H
#define SHOAL_SCREEN_H

#include "exec/exec.h"
#include "screen/screen_solid_pass.h"

// How the depth of a liquid is smoothed.
typedef enum screen_smoothing {
    SCREEN_SMOOTH_NONE,
    SCREEN_SMOOTH_NARROW,   // narrow-range filter [Truong & Yuksel 2018]
    SCREEN_SMOOTH_CURVATURE // curvature flow [van der Laan et al. 2009]
} screen_smoothing;

typedef struct screen_scene {
    screen_camera camera;
    screen_lights lights;
    screen_ground ground;
    float         spacing; // m; of the particles
    int           ball_count, triangle_count, liquid_count;
    // where passes of the screen run: on its device, if it has one
    const screen_splat*    balls;      // seen as they are
    const screen_triangle* triangles;  // likewise
    const screen_splat*    liquid;     // seen through; color: what a metre of it absorbs, 1/m
    float                  level;      // 0: the nearest splat is seen; more: where the sum of (1 - s^2)^3 is this
    int                    body_count; // metaballs of one body make one surface
    float                  ior;        // of the liquid
    screen_smoothing       smoothing;
    float                  smooth_radius; // spacings; how far the narrow-range filter looks
    int                    smooth_steps;  // of the curvature flow
    int                    has_occlusion; // corners between balls and solids are darker
    int                    has_shadows;   // balls and solids cast them, on each other and on the ground
} screen_scene;

// A screen keeps its memory from one picture to the next.
typedef struct screen screen;
// On the device of exec, if it has one, with the same bits; exec must outlive it.
shoal_status screen_create(const shoal_exec* exec, int width, int height, screen** out);
void         screen_destroy(screen* s); // may be NULL
// Linear light, rows from the top; light has width * height entries, where passes run. SHOAL_ERR_MEMORY leaves it as it
// was.
shoal_status screen_draw(screen* s, const screen_scene* scene, shoal_v3* light);
// From light on its device to bytes here, as shoal_image_develop does it without one.
shoal_status screen_develop(screen* s, shoal_v3* light, float gain, bool is_filmic, uint8_t* rgb);
// Keys of a pixel of the last picture.
void screen_keys_at(const screen* s, int x, int y, uint64_t* solid, uint64_t* liquid);

// What the last picture is made of, for tests; where passes run; [width * height] each but the last, valid until the
// next.
typedef struct screen_layers {
    const uint64_t*
        solid; // key of the nearest ball or triangle: screen_key_depth, screen_key_number (triangles follow balls)
    const uint64_t* liquid; // the same of the liquid's splats
    const float*    depth;  // m; of the liquid, smoothed; SCREEN_EMPTY: none
    // of the liquid in cells of SCREEN_CELL pixels, screen_cells(width) in a row, in SCREEN_THICKNESS_UNIT of a spacing
    const int32_t* thickness;
} screen_layers;
screen_layers screen_seen(const screen* s);

#endif
