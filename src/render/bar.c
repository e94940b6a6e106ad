// SPDX-License-Identifier: MIT
// The colour bar: title, colours, numbers.
#include "render/bar.h"

#include "picture/canvas.h"

#include <math.h>
#include <stdio.h>

shoal_status render_bar_draw(uint8_t* rgb, int width, int height,
                             const uint8_t colors[RENDER_BAR_COLORS][3], const char* title,
                             double low, double high) {
    shoal_canvas canvas;
    SHOAL_TRY(shoal_canvas_over(rgb, width, height, &canvas));
    double    letter = fmax(9.0, 0.028 * height), tall = 0.5 * height, wide = 0.9 * letter;
    double    right = width - 5.2 * letter, top = 0.25 * height;
    shoal_ink dark = {25, 28, 32, 255}, paper = {255, 255, 255, 175};
    double    from = right - wide, room = shoal_text_width(letter, title);
    double    left = fmin(from, width - room - letter) - 0.6 * letter;
    shoal_canvas_rect(&canvas, left, top - 2.6 * letter, width - left - 0.3 * letter,
                      tall + 3.8 * letter, paper);
    shoal_canvas_text(&canvas, width - 0.8 * letter, top - 1.1 * letter,
                      (shoal_lettering){.size = letter, .ink = dark, .align = SHOAL_ALIGN_END},
                      title);
    for (int k = 0; k < RENDER_BAR_COLORS; k++) {
        const uint8_t* c    = colors[RENDER_BAR_COLORS - 1 - k];
        double         step = tall / RENDER_BAR_COLORS;
        shoal_canvas_rect(&canvas, from, top + k * step, wide, step + 0.5,
                          (shoal_ink){c[0], c[1], c[2], 255});
    }
    for (int k = 0; k <= RENDER_BAR_STEPS; k++) {
        char   text[32];
        double part = (double)k / RENDER_BAR_STEPS, y = top + (1.0 - part) * tall;
        snprintf(text, sizeof text, "%.4g", low + part * (high - low));
        shoal_canvas_line(&canvas, right, y, right + 0.3 * letter, y, 1.0, dark);
        shoal_canvas_text(&canvas, right + 0.5 * letter, y + 0.33 * letter,
                          (shoal_lettering){.size = letter, .ink = dark}, text);
    }
    shoal_canvas_free(&canvas);
    return SHOAL_OK;
}
