// SPDX-License-Identifier: MIT
// Drawing on RGB bytes: anti-aliased lines, polygons, rectangles, text and scaled pictures. x goes
// right and y down, in pixels; the middle of the first pixel is (0.5, 0.5). Nothing here fails:
// what lies outside, or is not finite, is not drawn. One canvas is drawn on by one thread.
#ifndef SHOAL_CANVAS_H
#define SHOAL_CANVAS_H

#include "picture/png.h"

typedef struct shoal_ink {
    uint8_t r, g, b, a; // a: 255 covers
} shoal_ink;

typedef struct shoal_area {
    int left, top, right, bottom; // right and bottom are the first pixels outside
} shoal_area;

typedef struct shoal_canvas {
    int        width, height;
    uint8_t*   pixels; // RGB, rows from the top: as shoal_png_write takes it with 3 channels
    shoal_area clip;   // what is drawn on; set it freely
    uint8_t*   mask;   // [width * height] coverage of the shape at work, all zero between calls
    float*     row;    // [2 * (width + 2)] changes of winding along a row, and their sum
    bool       owns_pixels;
} shoal_canvas;

// A canvas of one colour. SHOAL_ERR_INPUT when a side is below 1 or above 32767.
shoal_status shoal_canvas_create(int width, int height, shoal_ink background, shoal_canvas* out);
// A canvas on RGB pixels of the caller's, which stay his.
shoal_status shoal_canvas_over(uint8_t* pixels, int width, int height, shoal_canvas* out);
void         shoal_canvas_free(shoal_canvas* canvas);

void shoal_canvas_rect(shoal_canvas* canvas, double x, double y, double width, double height, shoal_ink ink);
// `points` are count pairs x, y. Dashes of `on` and gaps of `off` pixels; off = 0 is a whole line.
typedef struct shoal_pen {
    shoal_ink ink;
    double    width;
    double    on, off;
} shoal_pen;
void shoal_canvas_lines(shoal_canvas* canvas, const double* points, int count, shoal_pen pen);
void shoal_canvas_line(shoal_canvas* canvas, double x0, double y0, double x1, double y1, double width, shoal_ink ink);
// The inside of a closed outline; parts that it runs around twice are inside once.
void shoal_canvas_polygon(shoal_canvas* canvas, const double* points, int count, shoal_ink ink);

// Text in UTF-8 with its baseline at y; `size` is the height of a line's letters with their tails,
// as for a font of that size in pixels. (x, y) is the start, middle or end of the baseline. A
// turned text runs upwards.
typedef enum shoal_align { SHOAL_ALIGN_START, SHOAL_ALIGN_MIDDLE, SHOAL_ALIGN_END } shoal_align;
typedef struct shoal_lettering {
    double      size;
    shoal_ink   ink;
    shoal_align align;
    bool        is_bold, is_turned;
} shoal_lettering;
void   shoal_canvas_text(shoal_canvas* canvas, double x, double y, shoal_lettering how, const char* text);
double shoal_text_width(double size, const char* text); // pixels

// A picture into a rectangle: averaged when it becomes smaller, interpolated when larger.
// Transparent pixels let the canvas through.
void shoal_canvas_picture(shoal_canvas* canvas, double x, double y, double width, double height,
                          const shoal_pixels* picture);

#endif
