// SPDX-License-Identifier: MIT
// Layout and drawing of a chart: title, note, legend above the data (never over it), panels with
// grid, ticks and series. Colours after Okabe & Ito (2008), told apart by everyone; line styles
// differ too, for print without colour.
#include "base/memory.h"
#include "plot/chart_local.h"
#include "plot/ticks.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const shoal_ink colours[] = {
    {0, 114, 178, 255},   // blue
    {213, 94, 0, 255},    // vermilion
    {0, 158, 115, 255},   // green
    {204, 121, 167, 255}, // purple
    {230, 159, 0, 255},   // orange
    {86, 180, 233, 255},  // sky
    {90, 90, 90, 255},    // grey
};
static const double dashes[][2] = {
    {0, 0},
    {10, 5},
    {4, 4},
    {18, 5},
};
enum {
    COLOUR_COUNT = sizeof colours / sizeof *colours,
    DASH_COUNT   = sizeof dashes / sizeof *dashes,
    MARK_COUNT   = 4,
    DISC_CORNERS = 20
};

static const shoal_ink paper = {255, 255, 255, 255}, text_ink = {34, 34, 34, 255}, note_ink = {105, 105, 105, 255},
                       grid_ink = {228, 228, 228, 255}, axis_ink = {120, 120, 120, 255}, point_ink = {20, 20, 20, 255};

// pixels
static const double title_size = 17, note_size = 12, label_size = 13, tick_size = 12, legend_size = 12, legend_row = 19,
                    swatch = 28, right_margin = 28, panel_gap = 24, foot = 52, line_width = 1.8, mark_size = 4.5;

typedef struct layout {
    const shoal_chart* chart;
    chart_brush*       brush;
    double             width, left, right;
    double             label_x; // of the labels of the y axes
    shoal_axis         x;
    shoal_axis*        y;      // [panels]
    double*            buffer; // pairs of the longest series
} layout;

// --- sizes

static double panel_height(const shoal_chart* c) { return c->count <= 1 ? 400.0 : c->count == 2 ? 250.0 : 185.0; }

// Whether all panels tell the same names in the same styles, so that one legend is enough.
static bool legend_is_shared(const shoal_chart* c) {
    for (int p = 1; p < c->count; p++) {
        if (c->panels[p].count != c->panels[0].count) return false;
        for (int s = 0; s < c->panels[p].count; s++) {
            const chart_series *a = &c->panels[0].series[s], *b = &c->panels[p].series[s];
            if (a->style != b->style || a->kind != b->kind || strcmp(a->name, b->name) != 0) return false;
        }
    }
    return true;
}

// A single line needs no legend: the axis says what it is.
static bool has_legend(const chart_panel* p) { return p->count > 1 || (p->count == 1 && p->series[0].name[0]); }

static double entry_width(const chart_series* s) {
    return swatch + 6.0 + shoal_text_width(legend_size, s->name) + 22.0;
}

// Rows of a legend; draws it when there is a brush.
static int legend_rows(const chart_panel* p, double left, double right, double top, chart_brush* brush);

static double legend_height(const chart_panel* p, double left, double right) {
    return has_legend(p) ? legend_rows(p, left, right, 0.0, NULL) * legend_row + 4.0 : 0.0;
}

static const double plain_left = 76.0; // room for usual tick labels and the label of the axis

static double head_height(const shoal_chart* c, double width) {
    double height = 34.0 + (c->note[0] ? 20.0 : 0.0) + 8.0;
    if (c->count > 1 && legend_is_shared(c)) height += legend_height(&c->panels[0], plain_left, width - right_margin);
    return height;
}

double chart_height(const shoal_chart* c, double width) {
    double height = head_height(c, width) + foot;
    for (int p = 0; p < c->count; p++) {
        height += panel_height(c) + (p ? panel_gap : 0.0);
        if (c->count == 1 || !legend_is_shared(c))
            height += legend_height(&c->panels[p], plain_left, width - right_margin);
    }
    return ceil(height);
}

// --- marks and lines

static shoal_pen pen_of(int style) {
    const double* dash = dashes[style % DASH_COUNT];
    return (shoal_pen){colours[style % COLOUR_COUNT], line_width, dash[0], dash[1]};
}

static void polygon_mark(chart_brush* b, int style, double x, double y, double radius, shoal_ink ink) {
    // disc, square, diamond, triangle
    static const int    corners[MARK_COUNT] = {DISC_CORNERS, 4, 4, 3};
    static const double first[MARK_COUNT]   = {0.25, 0.125, 0.25, 0.25}; // corner, in turns from x
    const double        turn                = 6.283185307179586;
    double              points[2 * DISC_CORNERS];
    int                 count = corners[style % MARK_COUNT];
    for (int i = 0; i < count; i++) {
        double angle      = turn * ((double)i / count + first[style % MARK_COUNT]);
        points[2 * i]     = x + radius * cos(angle);
        points[2 * i + 1] = y - radius * sin(angle);
    }
    b->polygon(b, points, count, ink);
}

// Open marks: a dark rim around white, seen on any line.
static void draw_mark(chart_brush* b, int style, double x, double y) {
    double grown = style % MARK_COUNT ? 1.15 : 1.0; // corners make the others look smaller
    polygon_mark(b, style, x, y, mark_size * grown, point_ink);
    polygon_mark(b, style, x, y, (mark_size - 1.6) * grown, paper);
}

static int legend_rows(const chart_panel* p, double left, double right, double top, chart_brush* brush) {
    int    rows = 1;
    double x    = left;
    for (int i = 0; i < p->count; i++) {
        const chart_series* s     = &p->series[i];
        double              width = entry_width(s);
        if (x > left && x + width - 22.0 > right) {
            x = left;
            rows++;
        }
        if (brush) {
            double       middle = top + (rows - 0.5) * legend_row;
            const double line[] = {x, middle, x + swatch, middle};
            if (s->kind == SHOAL_SERIES_POINTS)
                draw_mark(brush, s->style, x + 0.5 * swatch, middle);
            else
                brush->lines(brush, line, 2, pen_of(s->style));
            brush->text(brush, x + swatch + 6.0, middle + 4.0, (shoal_lettering){.size = legend_size, .ink = text_ink},
                        s->name);
        }
        x += width;
    }
    return rows;
}

// --- a panel

typedef struct frame {
    double left, top, width, height;
} frame;

static double place_x(const layout* l, frame f, double x) {
    return f.left + (x - l->x.low) / (l->x.high - l->x.low) * f.width;
}

static double place_y(const shoal_axis* a, frame f, double y) {
    return f.top + f.height - (y - a->low) / (a->high - a->low) * f.height;
}

static bool is_drawable(double x, double y) { return isfinite(x) && isfinite(y) && fabs(x) < 1e30 && fabs(y) < 1e30; }

static void range_of(const chart_panel* p, bool is_x, double* low, double* high) {
    for (int s = 0; s < p->count; s++)
        for (int i = 0; i < p->series[s].count; i++) {
            double x = p->series[s].x[i], y = p->series[s].y[i];
            if (!is_drawable(x, y)) continue;
            *low  = fmin(*low, is_x ? x : y);
            *high = fmax(*high, is_x ? x : y);
        }
}

// Points of one pixel column, of which only the first, lowest, highest and last can be seen.
typedef struct column {
    double x;
    double y[4]; // first, lowest, highest, last
} column;

// In an order that never takes more points than there were.
static int column_end(double* to, const column* c) {
    static const int orders[2][4] = {{0, 1, 2, 3}, {0, 2, 1, 3}};
    const int*       order        = orders[c->y[0] > c->y[3]];
    int              count        = 0;
    for (int k = 0; k < 4; k++) {
        double y = c->y[order[k]];
        if (k > 0 && y == to[2 * count - 1]) continue;
        to[2 * count]     = c->x;
        to[2 * count + 1] = y;
        count++;
    }
    return count;
}

// A run of points without gaps, thinned where they are denser than the pixels; gives their number.
static int thin(double* points, int count, double width) {
    if (count <= 4 * width) return count;
    int    left = 0;
    column c    = {(double)NAN, {0}};
    for (int i = 0; i < count; i++) {
        double x = floor(points[2 * i]) + 0.5, y = points[2 * i + 1];
        if (x == c.x) {
            c.y[1] = fmin(c.y[1], y);
            c.y[2] = fmax(c.y[2], y);
            c.y[3] = y;
            continue;
        }
        if (i > 0) left += column_end(points + 2 * left, &c);
        c = (column){x, {y, y, y, y}};
    }
    return left + column_end(points + 2 * left, &c);
}

static void draw_run(const layout* l, frame f, const chart_series* s, int count) {
    if (count == 1) { // a line of one point
        polygon_mark(l->brush, 0, l->buffer[0], l->buffer[1], 2.2, pen_of(s->style).ink);
        return;
    }
    count = thin(l->buffer, count, f.width);
    l->brush->lines(l->brush, l->buffer, count, pen_of(s->style));
}

static void draw_series(const layout* l, frame f, const shoal_axis* y, const chart_series* s) {
    int count = 0;
    for (int i = 0; i <= s->count; i++) {
        bool is_gap = i == s->count || !is_drawable(s->x[i], s->y[i]);
        if (is_gap) {
            if (count > 0) draw_run(l, f, s, count);
            count = 0;
            continue;
        }
        double px = place_x(l, f, s->x[i]), py = place_y(y, f, s->y[i]);
        if (s->kind == SHOAL_SERIES_POINTS) {
            draw_mark(l->brush, s->style, px, py);
            continue;
        }
        l->buffer[2 * count]     = px;
        l->buffer[2 * count + 1] = py;
        count++;
    }
}

static void draw_grid(const layout* l, frame f, const shoal_axis* y, bool is_last) {
    chart_brush*    b   = l->brush;
    shoal_lettering how = {.size = tick_size, .ink = text_ink, .align = SHOAL_ALIGN_END};
    for (int i = 0; i < y->count; i++) {
        double at = floor(place_y(y, f, y->ticks[i]));
        b->rect(b, f.left, at, f.width, 1.0, grid_ink);
        b->text(b, f.left - 8.0, at + 5.0, how, y->labels[i]);
    }
    how.align = SHOAL_ALIGN_MIDDLE;
    for (int i = 0; i < l->x.count; i++) {
        double at = floor(place_x(l, f, l->x.ticks[i]));
        b->rect(b, at, f.top, 1.0, f.height, grid_ink);
        if (is_last) b->text(b, at, f.top + f.height + 18.0, how, l->x.labels[i]);
    }
    b->rect(b, f.left, f.top, 1.0, f.height, axis_ink);
    b->rect(b, f.left, f.top + f.height - 1.0, f.width, 1.0, axis_ink);
    if (y->low < 0.0 && y->high > 0.0) // zero, where it is inside
        b->rect(b, f.left, floor(place_y(y, f, 0.0)), f.width, 1.0, axis_ink);
}

static void draw_labels(const layout* l, frame f, int panel, bool is_last) {
    const chart_panel* p   = &l->chart->panels[panel];
    const shoal_axis*  y   = &l->y[panel];
    shoal_lettering    how = {.size = label_size, .ink = text_ink, .align = SHOAL_ALIGN_MIDDLE};
    char               text[256];
    snprintf(text, sizeof text, y->unit[0] ? "%.180s (%s)" : "%.180s", p->label, y->unit);
    how.is_turned = true;
    if (shoal_text_width(how.size, text) > f.height + panel_gap) how.size = 11.0;
    l->brush->text(l->brush, l->label_x, f.top + 0.5 * f.height, how, text);
    if (!is_last) return;
    how.is_turned = false;
    how.size      = label_size;
    snprintf(text, sizeof text, l->x.unit[0] ? "%.180s (%s)" : "%.180s", l->chart->x_label, l->x.unit);
    l->brush->text(l->brush, f.left + 0.5 * f.width, f.top + f.height + 40.0, how, text);
}

static void draw_panel(const layout* l, int panel, double top) {
    const chart_panel* p       = &l->chart->panels[panel];
    bool               is_last = panel + 1 == l->chart->count;
    frame              f       = {l->left, top, l->right - l->left, panel_height(l->chart)};
    chart_brush*       b       = l->brush;
    draw_grid(l, f, &l->y[panel], is_last);
    draw_labels(l, f, panel, is_last);
    b->clip(b, f.left - mark_size, f.top - mark_size, f.width + 2.0 * mark_size, f.height + 2.0 * mark_size);
    double low = (double)INFINITY, high = -(double)INFINITY;
    range_of(p, false, &low, &high);
    for (int pass = 0; pass < 2; pass++) // points lie on lines
        for (int s = 0; s < p->count; s++)
            if ((p->series[s].kind == SHOAL_SERIES_POINTS) == (pass == 1))
                draw_series(l, f, &l->y[panel], &p->series[s]);
    b->clip(b, 0.0, 0.0, -1.0, -1.0);
    if (low > high) // nothing, or nothing that can be drawn
        b->text(b, f.left + 0.5 * f.width, f.top + 0.5 * f.height,
                (shoal_lettering){.size = label_size, .ink = note_ink, .align = SHOAL_ALIGN_MIDDLE}, "no data");
}

// --- the whole

static void make_axes(layout* l) {
    const shoal_chart* c   = l->chart;
    double             low = HUGE_VAL, high = -HUGE_VAL, widest = 0.0;
    for (int p = 0; p < c->count; p++) range_of(&c->panels[p], true, &low, &high);
    for (int p = 0; p < c->count; p++) {
        double bottom = c->panels[p].has_zero ? 0.0 : HUGE_VAL, top = c->panels[p].has_zero ? 0.0 : -HUGE_VAL;
        range_of(&c->panels[p], false, &bottom, &top);
        int wanted = (int)(panel_height(c) / 48.0);
        l->y[p]    = shoal_axis_make(bottom, top, wanted, true, c->panels[p].unit);
        for (int i = 0; i < l->y[p].count; i++) widest = fmax(widest, shoal_text_width(tick_size, l->y[p].labels[i]));
    }
    l->left    = fmax(plain_left, widest + 42.0);
    l->label_x = l->left - widest - 22.0;
    l->right   = l->width - right_margin;
    l->x       = shoal_axis_make(low, high, (int)((l->right - l->left) / 90.0), false, c->x_unit);
}

static void draw_all(layout* l) {
    const shoal_chart* c      = l->chart;
    chart_brush*       b      = l->brush;
    bool               shared = c->count > 1 && legend_is_shared(c);
    double             height = chart_height(c, l->width), top = head_height(c, l->width);
    b->rect(b, 0.0, 0.0, l->width, height, paper);
    make_axes(l);
    b->text(b, l->left, 31.0, (shoal_lettering){.size = title_size, .ink = text_ink, .is_bold = true}, c->title);
    b->text(b, l->left, 51.0, (shoal_lettering){.size = note_size, .ink = note_ink}, c->note);
    if (shared && has_legend(&c->panels[0]))
        legend_rows(&c->panels[0], l->left, l->right, 42.0 + (c->note[0] ? 20.0 : 0.0) - 2.0, b);
    for (int p = 0; p < c->count; p++) {
        if (p > 0) top += panel_gap;
        if (!shared && has_legend(&c->panels[p])) {
            legend_rows(&c->panels[p], l->left, l->right, top - 2.0, b);
            top += legend_height(&c->panels[p], plain_left, l->width - right_margin);
        }
        draw_panel(l, p, top);
        top += panel_height(c);
    }
}

shoal_status chart_draw(const shoal_chart* chart, double width, chart_brush* brush) {
    if (chart->has_failed) return shoal_fail(SHOAL_ERR_MEMORY, "out of memory for a chart");
    layout l     = {.chart = chart, .brush = brush, .width = width};
    int    count = 1;
    for (int p = 0; p < chart->count; p++)
        for (int s = 0; s < chart->panels[p].count; s++)
            if (chart->panels[p].series[s].count > count) count = chart->panels[p].series[s].count;
    l.y      = shoal_alloc((size_t)chart->count + 1, sizeof *l.y);
    l.buffer = shoal_alloc(2 * (size_t)count, sizeof *l.buffer);
    if (l.y && l.buffer) draw_all(&l);
    shoal_status status = l.y && l.buffer ? SHOAL_OK : SHOAL_ERR_MEMORY;
    shoal_free(l.buffer);
    shoal_free(l.y);
    return status;
}
