// SPDX-License-Identifier: MIT
// libshoal_files: pictures of the frames of a run, path traced or as a quick preview.
#ifndef SHOAL_RENDER_H
#define SHOAL_RENDER_H

#include "shoal/base.h"

#ifdef __cplusplus
extern "C" {
#endif

// A picture that is done: FOLDER/pictures/NAME_000123.png (or .exr).
typedef struct shoal_render_row {
    int         frame;
    double      time_s;
    const char* file;
    bool        was_there; // made earlier with the same settings, and left as it is
    double      seconds;   // wall clock, read to written
} shoal_render_row;

typedef struct shoal_render_progress {
    int    frame;        // being made
    int    index, count; // its place among the pictures asked for, from 0
    double part;         // of this picture, 0 to 1
    double seconds_spent;
    double seconds_left_picture, seconds_left; // estimates: this picture, all of them
} shoal_render_progress;

typedef struct shoal_render_def {
    const char* const* settings; // "render.samples=16", "surface.cell=0.4", as --set has it, ended by NULL; NULL: as
                                 // the scene says
    const char* camera;          // a file with a block `camera`, in place of the scene's; NULL: none
    int         width, height;   // 0: as the scene says
    int         samples;         // per pixel; 0: as the scene says
    int         first, last;     // frames; first < 0: the first there is, last < 0: the last
    const char* frames;          // which of these, as shoal_frames_read takes them; NULL: all
    int         threads;         // 0: all cores; pictures do not depend on it
    const char* format;          // "png", or "exr" for linear light
    const char* name;            // of the files; NULL: that of the frames, with -preview or -FIELD
    bool        is_preview;      // particles as shaded balls, in a fraction of a second
    const char* color;           // paint particles by this field ("velocity": its length); NULL: no
    double      color_low, color_high; // what the ends of the colour bar mean; NAN: as the frames have it
    bool        is_forced;             // pictures that are there are made anew
    void (*done)(const shoal_render_row* row, void* user); // after each picture; NULL: silent
    void (*progress)(const shoal_render_progress* now,
                     void*                        user);                   // a few times a second; NULL: silent
    void (*fault)(const char* message, void* user); // a frame that could not be used; NULL: silent
    bool (*stop)(void* user);                       // asked a few times a second; NULL: never
    void*    user;
    unsigned made_by_default;
} shoal_render_def;
SHOAL_API shoal_render_def shoal_render_def_default(void);

// The frames of a run into pictures. Surfaces are made in memory. Pictures that are there already,
// made of the same frames with the same settings, are kept, so a render that was killed goes on
// where it stopped. A frame that is damaged or missing is reported to `fault` and the others are still
// made; the status is then that of the first one. SHOAL_ERR_INTERRUPTED: stopped.
SHOAL_API shoal_status shoal_render_run(const shoal_render_def* def, const char* folder);

// One frame into memory, nothing is written.
typedef struct shoal_render_image {
    int      width, height;
    float*   linear; // [3 * width * height] red, green, blue; rows from the top
    uint8_t* pixels; // [3 * width * height] the same, exposed and tone mapped
} shoal_render_image;
SHOAL_API shoal_status shoal_render_frame(const shoal_render_def* def, const char* folder, int frame,
                                          shoal_render_image** out);
SHOAL_API void         shoal_render_image_destroy(shoal_render_image* image); // may be NULL

// The formats there are, ended by NULL.
SHOAL_API const char* const* shoal_render_formats(void);

#ifdef __cplusplus
}
#endif
#endif
