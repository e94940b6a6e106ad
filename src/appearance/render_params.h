// SPDX-License-Identifier: MIT
// How pictures are made: the block `render` of a scene, with those below it. A colour is red, green
// and blue in linear light, 0 to 1.
#ifndef SHOAL_RENDER_PARAMS_H
#define SHOAL_RENDER_PARAMS_H

#include "param/param.h"

// clang-format off
#define SHOAL_GROUND(W, P) W(P, TILES, "tiles") W(P, PLAIN, "plain") W(P, NONE, "none")
#define SHOAL_CONTAINER(W, P) W(P, GLASS, "glass") W(P, NONE, "none")
#define SHOAL_SAND(W, P) W(P, GRAINS, "grains") W(P, MESH, "mesh")
#define SHOAL_DRAW(W, P) W(P, SPHERES, "spheres") W(P, ELLIPSOIDS, "ellipsoids") W(P, SURFACE, "surface") W(P, METABALLS, "metaballs")
#define SHOAL_SMOOTHING(W, P) W(P, NARROW, "narrow") W(P, CURVATURE, "curvature") W(P, NONE, "none")
#define SHOAL_CUT(W, P) W(P, NONE, "none") W(P, X, "x") W(P, Y, "y") W(P, Z, "z")
#define SHOAL_BLUR(W, P) W(P, NONE, "none") W(P, VELOCITY, "velocity") W(P, PARTICLES, "particles")
#define SHOAL_TONE(W, P) W(P, FILMIC, "filmic") W(P, LINEAR, "linear")
#define SHOAL_APPEARANCE(W, P) W(P, AUTO, "auto") W(P, WATER, "water") W(P, SAND, "sand") W(P, MATTE, "matte") W(P, GLASS, "glass")
// clang-format on
SHOAL_WORDS_DECLARE(SHOAL_GROUND)
SHOAL_WORDS_DECLARE(SHOAL_CONTAINER)
SHOAL_WORDS_DECLARE(SHOAL_SAND)
SHOAL_WORDS_DECLARE(SHOAL_DRAW)
SHOAL_WORDS_DECLARE(SHOAL_SMOOTHING)
SHOAL_WORDS_DECLARE(SHOAL_CUT)
SHOAL_WORDS_DECLARE(SHOAL_BLUR)
SHOAL_WORDS_DECLARE(SHOAL_TONE)
SHOAL_WORDS_DECLARE(SHOAL_APPEARANCE)

// clang-format off
// name, type, default, min, max, unit, help
#define SHOAL_RENDER_PARAMS(X, S)                                                                                      \
    X(S, size,       OTHER, 0,    0,     0,     "[number]",   "width and height in pixels; 1280 x 720 when not given") \
    X(S, samples,    INT,   16,   1,     65536, "",           "rays through each pixel")                               \
    X(S, bounces,    INT,   16,   0,     64,    "",           "how often a ray may be scattered, bent or reflected")   \
    X(S, camera,     OTHER, 0,    0,     0,     "camera",     "where it is seen from")                                 \
    X(S, lights,     OTHER, 0,    0,     0,     "lights",     "sun, sky and lamps")                                    \
    X(S, background, OTHER, 0,    0,     0,     "background", "the colours of the sky")                                \
    X(S, materials,  OTHER, 0,    0,     0,     "{appearance}", "appearances by name: of a material, an obstacle, all `obstacles`, the `ground`") \
    X(S, ground,     WORD,  0,    0,     0,     SHOAL_WORDS(SHOAL_GROUND), "what a closed bottom of the domain looks like")   \
    X(S, container,  WORD,  0,    0,     0,     SHOAL_WORDS(SHOAL_CONTAINER), "what its closed sides look like")                       \
    X(S, sand,       WORD,  0,    0,     0,     SHOAL_WORDS(SHOAL_SAND), "sand as many small grains, or as a surface with a texture that its particles carry", "sand") \
    X(S, grains,     INT,   0,    0,     100,   "",           "grains drawn for each particle of sand; 0: itself, where frames hold its radius, or ten", "sand and sand: grains") \
    X(S, draw,       WORD,  0,    0,     0,     SHOAL_WORDS(SHOAL_DRAW), "previews: liquids as balls, as ellipsoids stretched along their neighbours, as a surface that is seen through, or as balls that flow together") \
    X(S, smoothing,  WORD,  0,    0,     0,     SHOAL_WORDS(SHOAL_SMOOTHING), "previews: how the depth of a surface that is seen through is smoothed: narrow-range filter, curvature flow") \
    X(S, occlusion,  BOOL,  1,    0,     1,     "",           "previews: corners between grains, balls and solids are darker") \
    X(S, cut,        WORD,  0,    0,     0,     SHOAL_WORDS(SHOAL_CUT), "cutaway of frames with tetrahedra: those beyond a plane across this axis are left out, the others are shown one by one, painted by their size") \
    X(S, cut_at,     DOUBLE, INFINITY, -1e6, 1e6, "m",        "where the plane is along its axis; when not given, in the middle of the domain", "cut: x|y|z") \
    X(S, blur,       WORD,  0,    0,     0,     SHOAL_WORDS(SHOAL_BLUR), "motion blur: along the velocities, or of surfaces remade at times between frames") \
    X(S, shutter,    FLOAT, 0.5,  0,     1,     "frames",     "how long the shutter is open, from the time of the frame on", "blur: velocity|particles") \
    X(S, blur_steps, INT,   5,    2,     64,    "",           "blur: particles: surfaces made while the shutter is open", "blur: particles") \
    X(S, exposure,   FLOAT, 0,    -20,   20,    "stops",      "brighter or darker")                                    \
    X(S, tone,       WORD,  0,    0,     0,     SHOAL_WORDS(SHOAL_TONE), "how bright light is held within the picture")        \
    X(S, denoise,    BOOL,  1,    0,     1,     "",           "smooth what is left of the noise; from 64 samples on better without")

#define SHOAL_CAMERA_PARAMS(X, S)                                                                                      \
    X(S, from,     D3,         INFINITY, -1e6, 1e6, "m",       "where the eye is; when not given, where all of the domain is seen") \
    X(S, at,       D3,         INFINITY, -1e6, 1e6, "m",       "what it looks at; when not given, the domain")         \
    X(S, fov,      FLOAT,      30,       1,    150, "degrees", "field of view from top to bottom")                     \
    X(S, aperture, FLOAT,      0,        0,    1e3, "m",       "width of the lens; 0: everything is sharp")            \
    X(S, focus,    AUTO_FLOAT, 0,        0,    1e6, "m",       "distance that is sharp; auto: that of `at`", "aperture: >0") \
    X(S, motion,   OTHER,      0,        0,    0,   "[view]",  "where it is when; linear between, still before and after")

#define SHOAL_VIEW_PARAMS(X, S)                                                                                        \
    X(S, t,    DOUBLE,     NAN,      -1e9, 1e9, "s",       "time of this place")                                       \
    X(S, from, D3,         INFINITY, -1e6, 1e6, "m",       "where the eye is; when not given, as before, first as the camera has it") \
    X(S, at,   D3,         INFINITY, -1e6, 1e6, "m",       "what it looks at; the same")                               \
    X(S, fov,  AUTO_FLOAT, 0,        0,    150, "degrees", "field of view from top to bottom; auto: the same")

#define SHOAL_LIGHTS_PARAMS(X, S)                                                                                      \
    X(S, sun,          D3,    INFINITY, -1e6, 1e6, "",        "the way to the sun, any length; [-0.6, 0.65, -0.65] when not given") \
    X(S, sun_strength, FLOAT, 1,        0,    1e6, "",        "0: no sun")                                             \
    X(S, sun_size,     FLOAT, 3,        0.05, 90,  "degrees", "as seen from here; larger makes softer shadows", "sun_strength: >0") \
    X(S, sun_color,    V3,    INFINITY, 0,    1e3, "",        "a warm white when not given", "sun_strength: >0") \
    X(S, sky_strength, FLOAT, 1,        0,    1e6, "",        "0: a sky that gives no light, but is seen")             \
    X(S, lamps,        OTHER, 0,        0,    0,   "[lamp]",  "square lamps")

#define SHOAL_LAMP_PARAMS(X, S)                                                                                        \
    X(S, at,       D3,    NAN,      -1e6, 1e6, "m", "its middle")                                                      \
    X(S, toward,   D3,    NAN,      -1e6, 1e6, "m", "the point it shines at")                                          \
    X(S, edge,     FLOAT, 1,        1e-6, 1e6, "m", "length of its sides")                                             \
    X(S, strength, FLOAT, 10,       0,    1e9, "",  "light per area, where a white sky is 1")                          \
    X(S, color,    V3,    INFINITY, 0,    1e3, "",  "white when not given")

#define SHOAL_BACKGROUND_PARAMS(X, S)                                                                                  \
    X(S, zenith,  V3, INFINITY, 0, 1e3, "", "straight up; light blue when not given")                                  \
    X(S, horizon, V3, INFINITY, 0, 1e3, "", "where the ground ends; a pale white when not given")                      \
    X(S, nadir,   V3, INFINITY, 0, 1e3, "", "straight down, where there is no ground; a light grey when not given")

#define SHOAL_APPEARANCE_PARAMS(X, S)                                                                                        \
    X(S, kind,  WORD,       0,        0,     0,   SHOAL_WORDS(SHOAL_APPEARANCE), "auto: water for liquids, sand for sand, matte for obstacles") \
    X(S, color, V3,         INFINITY, 0,     1,   "",  "matte, sand: of the surface; water, glass: of light that went through `depth` of it") \
    X(S, depth, AUTO_FLOAT, 0,        0,     1e6, "m", "water, glass: see color; auto: half of the domain's shortest side, at most") \
    X(S, ior,   AUTO_FLOAT, 0,        0,     4,   "",  "water, glass: index of refraction; auto: 1.333, glass 1.5")
// clang-format on

SHOAL_PARAMS_DECLARE(shoal_render_params, SHOAL_RENDER_PARAMS)
SHOAL_PARAMS_DECLARE(shoal_camera_params, SHOAL_CAMERA_PARAMS)
SHOAL_PARAMS_DECLARE(shoal_view_params, SHOAL_VIEW_PARAMS)
SHOAL_PARAMS_DECLARE(shoal_lights_params, SHOAL_LIGHTS_PARAMS)
SHOAL_PARAMS_DECLARE(shoal_lamp_params, SHOAL_LAMP_PARAMS)
SHOAL_PARAMS_DECLARE(shoal_background_params, SHOAL_BACKGROUND_PARAMS)
SHOAL_PARAMS_DECLARE(shoal_appearance_params, SHOAL_APPEARANCE_PARAMS)

enum {
    SHOAL_LAMPS_MOST           = 8,
    SHOAL_VIEWS_MOST           = 256,
    SHOAL_APPEARANCES_MOST     = 32,
    SHOAL_APPEARANCE_NAME_SIZE = 64,
    SHOAL_PICTURE_EDGE_MOST    = 16384
};

// The whole block, as read.
typedef struct shoal_render_settings {
    shoal_render_params     params;
    int                     width, height;
    shoal_camera_params     camera;
    int                     view_count;              // 0: the camera stands still
    shoal_view_params       views[SHOAL_VIEWS_MOST]; // t increasing; what is not given filled in from before
    shoal_lights_params     lights;
    int                     lamp_count;
    shoal_lamp_params       lamps[SHOAL_LAMPS_MOST];
    shoal_background_params background;
    int                     appearance_count;
    struct shoal_named_appearance {
        char                    name[SHOAL_APPEARANCE_NAME_SIZE];
        shoal_appearance_params appearance;
    } appearances[SHOAL_APPEARANCES_MOST];
} shoal_render_settings;

#endif
