// SPDX-License-Identifier: MIT
// libshoal_files: pictures in real time, of a simulation that runs or of a run on disk, into memory of the caller; for
// viewers, games and tests.
#ifndef SHOAL_PUBLIC_SCREEN_H
#define SHOAL_PUBLIC_SCREEN_H

#include "shoal/scene.h"
#include "shoal/sim.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct shoal_screen shoal_screen;

typedef struct shoal_screen_def {
    int threads; // 0: all cores; pictures do not depend on it
    const char* const*
                settings; // "render.draw=spheres", "surface.cell=0.4", as --set has it, ended by NULL; NULL: none
    const char* camera;   // a file with a block `camera`, in place of the scene's; NULL: none
    const char* color;    // paint particles by this field ("velocity": its length); NULL: as they look
    const char* device; // where pictures are drawn, as shoal_sim_def.device; NULL: "cpu". Pictures do not depend on it
    double      color_low, color_high; // what the ends of the colour bar mean; NAN: as what is shown has it
    unsigned    made_by_default;
} shoal_screen_def;
SHOAL_API shoal_screen_def shoal_screen_def_default(void);

// A screen for simulations of a scene, which may be destroyed afterwards.
SHOAL_API shoal_status shoal_screen_create(const shoal_screen_def* def, shoal_scene* scene, shoal_screen** out);
// A screen for the frames of a run on disk.
SHOAL_API shoal_status shoal_screen_open(const shoal_screen_def* def, const char* folder, shoal_screen** out);
SHOAL_API void         shoal_screen_destroy(shoal_screen* screen); // may be NULL

// What is to be drawn from now on: a simulation as it is (copied: it may go on while pictures are drawn), or frame
// number `index` of those of the run that are there, from 0.
SHOAL_API shoal_status shoal_screen_take(shoal_screen* screen, const shoal_sim* sim);
SHOAL_API int          shoal_screen_frame_count(const shoal_screen* screen);
SHOAL_API int shoal_screen_frame_number(const shoal_screen* screen, int index); // within the run; -1: none such
SHOAL_API shoal_status shoal_screen_refresh(shoal_screen* screen);              // looks for frames that have come since
SHOAL_API shoal_status shoal_screen_load(shoal_screen* screen, int index);
SHOAL_API double       shoal_screen_time(const shoal_screen* screen);  // of what was taken or loaded, s
SHOAL_API double       shoal_screen_fps(const shoal_screen* screen);   // frames per second of the scene
SHOAL_API int64_t      shoal_screen_count(const shoal_screen* screen); // particles and points shown

// The eye; y is up.
typedef struct shoal_eye {
    double from[3], at[3]; // m
    double fov;            // degrees from top to bottom
} shoal_eye;
// That of the scene for pictures of a shape (width / height) at the time of the state that is shown.
SHOAL_API shoal_eye shoal_screen_eye(const shoal_screen* screen, double aspect);

// The height of the floor that pictures show, m; false: there is none.
SHOAL_API bool shoal_screen_floor(const shoal_screen* screen, double* height);

// Draws what was taken or loaded: red, green and blue, rows from the top, width * height * 3 bytes. The same bytes for
// any number of threads. Memory is kept from one picture to the next. SHOAL_ERR_PARAM: nothing was taken, no size, no
// eye or no pixels.
SHOAL_API shoal_status shoal_screen_draw(shoal_screen* screen, const shoal_eye* eye, int width, int height,
                                         uint8_t* pixels);

// As draw, but of what the last picture showed, though something newer may have been taken: for an eye that moves while
// frames take long to be made into what can be drawn.
SHOAL_API shoal_status shoal_screen_redraw(shoal_screen* screen, const shoal_eye* eye, int width, int height,
                                           uint8_t* pixels);

// How liquids are drawn ("spheres", "ellipsoids", "surface", "metaballs"), and by which field all is painted (NULL: as
// it looks), from now on. SHOAL_ERR_PARAM or SHOAL_ERR_INPUT: there is no such word or field; it stays as it was. A new
// screen draws as `render.draw` of the settings or the scene says, and a surface where they do not say (in a run on
// disk "spheres" is what scenes have that do not).
SHOAL_API shoal_status shoal_screen_set_draw(shoal_screen* screen, const char* draw);
SHOAL_API const char*  shoal_screen_drawn_as(const shoal_screen* screen);
SHOAL_API shoal_status shoal_screen_set_color(shoal_screen* screen, const char* field);
// A run on disk by the meshes that `shoal surface` has made of its frames (DIR/surface/MATERIAL_000123.vtp), opaque, in
// place of the particles of their materials, where it is not painted by a field. SHOAL_ERR_INPUT: the frame that is
// shown has none; it stays as it was.
SHOAL_API shoal_status shoal_screen_set_meshes(shoal_screen* screen, bool are_shown);
// The fields that what is shown could be painted by, ended by NULL; valid until the next take or load.
SHOAL_API const char* const* shoal_screen_fields(const shoal_screen* screen);

// What the last picture shows at a pixel, as text for people: "particle 12 of water", its place and fields with units,
// or an obstacle; "" where nothing is, and after a change of draw or colour until the next picture.
typedef struct shoal_pick {
    bool        is_there;
    double      at[3];    // m; what is seen there
    int64_t     particle; // its id; -1: none
    const char* obstacle; // its name, valid as long as the screen; NULL: none
} shoal_pick;
SHOAL_API shoal_status shoal_screen_pick(shoal_screen* screen, int x, int y, shoal_pick* out, char* text,
                                         size_t capacity);

// Text over a picture, with a dark ground; lines are parted by \n. (x, y): left and top, pixels; height of a line.
SHOAL_API shoal_status shoal_screen_write(uint8_t* pixels, int width, int height, int x, int y, int size,
                                          const char* text);
// A picture as bytes of a PNG file; free with shoal_bytes_free(*bytes, *size).
SHOAL_API shoal_status shoal_screen_png(const uint8_t* pixels, int width, int height, void** bytes, size_t* size);

#ifdef __cplusplus
}
#endif
#endif
