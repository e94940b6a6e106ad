// SPDX-License-Identifier: MIT
// Frames that are asked for, as text: the one grammar of --frames.
#ifndef SHOAL_FRAMES_H
#define SHOAL_FRAMES_H

#include "shoal/files.h"

enum { RUN_FRAME_MOST = 999999, RUN_RANGES_MOST = 64 }; // six digits: names sort as numbers do

// first, first + step, ... up to last.
typedef struct run_frame_range {
    int first, last, step;
} run_frame_range;

typedef struct run_frames {
    int             count; // 0: all
    run_frame_range ranges[RUN_RANGES_MOST];
} run_frames;

// False: the text is not of the grammar (see shoal_frames_read).
bool run_frames_parse(const char* text, run_frames* out);
bool run_frames_hold(const run_frames* frames, int number);

#endif
