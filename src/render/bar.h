// SPDX-License-Identifier: MIT
// The colour bar of a picture that shows numbers, or the colours of names.
#ifndef SHOAL_RENDER_BAR_H
#define SHOAL_RENDER_BAR_H

#include "base/status.h"

enum { RENDER_BAR_COLORS = 256, RENDER_TICKS_MOST = 8, RENDER_TICK_SIZE = 40 };

typedef struct render_bar {
    const char* title;
    double      low, high;         // equal: all that is painted has this value
    const uint8_t (*colors)[3];    // RENDER_BAR_COLORS from low to high, as they are on the screen; of
                                   // names: one each
    int                name_count; // 0: numbers
    const char* const* names;
    bool               has_blank; // something has no number; it is painted in
    uint8_t            blank[3];
} render_bar;

// Draws it at the right of RGB pixels, within the picture.
shoal_status render_bar_draw(uint8_t* rgb, int width, int height, const render_bar* bar);

// Round numbers from low to high, no two written alike; one if the ends are equal. How many there
// are.
int render_bar_ticks(double low, double high, double at[RENDER_TICKS_MOST],
                     char texts[RENDER_TICKS_MOST][RENDER_TICK_SIZE]);

#endif
