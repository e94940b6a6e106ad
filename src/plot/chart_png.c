// SPDX-License-Identifier: MIT
// Charts as PNG, on a canvas.
#include "plot/chart_local.h"

#include "base/status.h"

#include <math.h>

typedef struct png_brush {
    chart_brush  brush;
    shoal_canvas canvas;
} png_brush;

static shoal_canvas* canvas_of(chart_brush* b) { return &((png_brush*)b)->canvas; }

static void png_rect(chart_brush* b, double x, double y, double width, double height, shoal_ink ink) {
    shoal_canvas_rect(canvas_of(b), x, y, width, height, ink);
}

static void png_lines(chart_brush* b, const double* points, int count, shoal_pen pen) {
    shoal_canvas_lines(canvas_of(b), points, count, pen);
}

static void png_polygon(chart_brush* b, const double* points, int count, shoal_ink ink) {
    shoal_canvas_polygon(canvas_of(b), points, count, ink);
}

static void png_words(chart_brush* b, double x, double y, shoal_lettering how, const char* text) {
    shoal_canvas_text(canvas_of(b), x, y, how, text);
}

static void png_clip(chart_brush* b, double x, double y, double width, double height) {
    shoal_canvas* c = canvas_of(b);
    c->clip         = width < 0.0 ? (shoal_area){0, 0, c->width, c->height}
                                  : (shoal_area){(int)floor(x), (int)floor(y), (int)ceil(x + width), (int)ceil(y + height)};
}

shoal_status shoal_chart_write_png(const shoal_chart* chart, int width, const char* path) {
    png_brush b = {.brush = {png_rect, png_lines, png_polygon, png_words, png_clip}};
    if (width < 320) width = 320;
    if (chart->has_failed) return SHOAL_ERR_MEMORY;
    SHOAL_TRY(shoal_canvas_create(width, (int)chart_height(chart, width), (shoal_ink){255, 255, 255, 255}, &b.canvas));
    shoal_status status = chart_draw(chart, width, &b.brush);
    if (status == SHOAL_OK) status = shoal_png_write(path, b.canvas.width, b.canvas.height, 3, b.canvas.pixels);
    shoal_canvas_free(&b.canvas);
    return status;
}
