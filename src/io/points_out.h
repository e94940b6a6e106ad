// SPDX-License-Identifier: MIT
// Frames in the formats of other programs: one function per format, chosen by its word.
#ifndef SHOAL_POINTS_OUT_H
#define SHOAL_POINTS_OUT_H

#include "io/frame.h"

typedef struct shoal_points_format {
    const char* name;   // "ply"; NULL ends the list
    const char* suffix; // ".ply"
    shoal_status (*save)(const shoal_frame* frame, const char* path);
} shoal_points_format;

const shoal_points_format* shoal_points_formats(void);

#endif
