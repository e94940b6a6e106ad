// SPDX-License-Identifier: MIT
// libshoal_files: the pictures of a run into a film, and some of them side by side.
#ifndef SHOAL_FILM_H
#define SHOAL_FILM_H

#include "shoal/base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct shoal_film_def {
    const char* format;      // "mp4", "webm" or "gif"
    const char* name;        // of the pictures and the film; NULL: that of the frames
    int         first, last; // frames; first < 0: the first there is, last < 0: the last
    int         pictures;    // > 0: pictures 0 to this - 1 of NAME, which are of no run; name and fps are needed then
    const char* frames;      // which of these, as shoal_frames_read takes them; NULL: all
    double      fps;         // 0: that of the run, so that the film runs at its own pace
    int         threads;     // 0: all cores
    void (*progress)(int done, int count, double seconds_left, void* user); // NULL: silent
    bool (*stop)(void* user);                                               // asked between pictures; NULL: never
    void*    user;
    unsigned made_by_default;
} shoal_film_def;
SHOAL_API shoal_film_def shoal_film_def_default(void);

// FOLDER/NAME.mp4 of FOLDER/pictures/NAME_000123.png by the program ffmpeg, which must be
// installed. A film that is newer than its pictures and made of the same ones is left alone. It
// appears whole or not at all. `path` gets its name. SHOAL_ERR_OUTPUT: there is no ffmpeg, or it
// failed.
enum { SHOAL_FILM_PATH_SIZE = 4096 };
SHOAL_API shoal_status shoal_film_encode(const shoal_film_def* def, const char* folder,
                                         char path[SHOAL_FILM_PATH_SIZE]);
// FOLDER/NAME-sheet.png: six of the pictures, evenly spread over the film, with their times.
SHOAL_API shoal_status shoal_film_sheet(const shoal_film_def* def, const char* folder, char path[SHOAL_FILM_PATH_SIZE]);

// The formats there are, ended by NULL.
SHOAL_API const char* const* shoal_film_formats(void);

#ifdef __cplusplus
}
#endif
#endif
