// SPDX-License-Identifier: MIT
// Inside of a chart, and the brush it is drawn with: two backends, one drawing. For plot/ only.
#ifndef SHOAL_CHART_LOCAL_H
#define SHOAL_CHART_LOCAL_H

#include "picture/canvas.h"
#include "plot/chart.h"

typedef struct chart_series {
    char*             name;
    int               style;
    shoal_series_kind kind;
    int               count;
    double *          x, *y; // one piece of memory, x first
} chart_series;

typedef struct chart_panel {
    char *        label, *unit;
    bool          has_zero;
    int           count, capacity;
    chart_series* series;
} chart_panel;

struct shoal_chart {
    char *       title, *note, *x_label, *x_unit;
    int          count, capacity;
    chart_panel* panels;
    bool         has_failed; // out of memory
};

// Coordinates as on a canvas.
typedef struct chart_brush {
    void (*rect)(struct chart_brush* b, double x, double y, double width, double height, shoal_ink ink);
    void (*lines)(struct chart_brush* b, const double* points, int count, shoal_pen pen);
    void (*polygon)(struct chart_brush* b, const double* points, int count, shoal_ink ink);
    void (*text)(struct chart_brush* b, double x, double y, shoal_lettering how, const char* text);
    // Draws only within the rectangle from now on; width < 0: everywhere again.
    void (*clip)(struct chart_brush* b, double x, double y, double width, double height);
} chart_brush;

double       chart_height(const shoal_chart* chart, double width); // of the whole, in pixels
shoal_status chart_draw(const shoal_chart* chart, double width, chart_brush* brush);

#endif
