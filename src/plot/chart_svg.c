// SPDX-License-Identifier: MIT
// Charts as SVG 1.1: plain elements, no script, no style sheet, so that every program reads them.
#include "base/memory.h"
#include "io/file.h"
#include "picture/glyphs.h"
#include "plot/chart_local.h"

typedef struct svg {
    chart_brush brush;
    shoal_text  text;
    int         clips;
    bool        is_clipped;
} svg;

static void add_ink(shoal_text* t, const char* name, shoal_ink ink) {
    shoal_text_add(t, " %s=\"#%02x%02x%02x\"", name, ink.r, ink.g, ink.b);
    if (ink.a < 255) shoal_text_add(t, " %s-opacity=\"%.3g\"", name, ink.a / 255.0);
}

static void add_utf8(shoal_text* t, uint32_t c) {
    if (c < 0x80)
        shoal_text_add(t, "%c", (int)c);
    else if (c < 0x800)
        shoal_text_add(t, "%c%c", (int)(0xc0 | c >> 6), (int)(0x80 | (c & 0x3f)));
    else if (c < 0x10000)
        shoal_text_add(t, "%c%c%c", (int)(0xe0 | c >> 12), (int)(0x80 | (c >> 6 & 0x3f)), (int)(0x80 | (c & 0x3f)));
    else
        shoal_text_add(t, "%c%c%c%c", (int)(0xf0 | c >> 18), (int)(0x80 | (c >> 12 & 0x3f)),
                       (int)(0x80 | (c >> 6 & 0x3f)), (int)(0x80 | (c & 0x3f)));
}

// What XML 1.0 cannot hold becomes U+FFFD.
static void add_escaped(shoal_text* t, const char* text) {
    while (*text) {
        uint32_t c       = shoal_utf8_next(&text);
        bool     is_good = c >= 0x20 && (c < 0xd800 || c > 0xdfff) && c != 0xfffe && c != 0xffff && c <= 0x10ffff;
        if (c == '&')
            shoal_text_add(t, "&amp;");
        else if (c == '<')
            shoal_text_add(t, "&lt;");
        else if (c == '>')
            shoal_text_add(t, "&gt;");
        else
            add_utf8(t, is_good ? c : 0xfffd);
    }
}

static void add_points(shoal_text* t, const double* points, int count) {
    for (int i = 0; i < count; i++) shoal_text_add(t, "%s%.7g %.7g", i ? " " : "", points[2 * i], points[2 * i + 1]);
}

static void svg_rect(chart_brush* b, double x, double y, double width, double height, shoal_ink ink) {
    shoal_text* t = &((svg*)b)->text;
    shoal_text_add(t, "<rect x=\"%.6g\" y=\"%.6g\" width=\"%.6g\" height=\"%.6g\"", x, y, width, height);
    add_ink(t, "fill", ink);
    shoal_text_add(t, "/>\n");
}

static void svg_lines(chart_brush* b, const double* points, int count, shoal_pen pen) {
    shoal_text* t = &((svg*)b)->text;
    shoal_text_add(t, "<polyline points=\"");
    add_points(t, points, count);
    shoal_text_add(t, "\" fill=\"none\" stroke-width=\"%.3g\" stroke-linejoin=\"round\"", pen.width);
    if (pen.off > 0.0) shoal_text_add(t, " stroke-dasharray=\"%.3g %.3g\"", pen.on, pen.off);
    add_ink(t, "stroke", pen.ink);
    shoal_text_add(t, "/>\n");
}

static void svg_polygon(chart_brush* b, const double* points, int count, shoal_ink ink) {
    shoal_text* t = &((svg*)b)->text;
    shoal_text_add(t, "<polygon points=\"");
    add_points(t, points, count);
    shoal_text_add(t, "\"");
    add_ink(t, "fill", ink);
    shoal_text_add(t, "/>\n");
}

static void svg_words(chart_brush* b, double x, double y, shoal_lettering how, const char* text) {
    static const char* const anchors[] = {"start", "middle", "end"};
    shoal_text*              t         = &((svg*)b)->text;
    if (!*text) return;
    shoal_text_add(t, "<text x=\"%.6g\" y=\"%.6g\" font-size=\"%.3g\" text-anchor=\"%s\"", x, y, how.size,
                   anchors[how.align]);
    if (how.is_bold) shoal_text_add(t, " font-weight=\"bold\"");
    if (how.is_turned) shoal_text_add(t, " transform=\"rotate(-90 %.6g %.6g)\"", x, y);
    add_ink(t, "fill", how.ink);
    shoal_text_add(t, ">");
    add_escaped(t, text);
    shoal_text_add(t, "</text>\n");
}

static void svg_clip(chart_brush* b, double x, double y, double width, double height) {
    svg* s = (svg*)b;
    if (s->is_clipped) shoal_text_add(&s->text, "</g>\n");
    s->is_clipped = width >= 0.0;
    if (!s->is_clipped) return;
    shoal_text_add(&s->text,
                   "<clipPath id=\"panel%d\"><rect x=\"%.6g\" y=\"%.6g\" width=\"%.6g\" "
                   "height=\"%.6g\"/></clipPath>\n<g clip-path=\"url(#panel%d)\">\n",
                   s->clips, x, y, width, height, s->clips);
    s->clips++;
}

shoal_status shoal_chart_write_svg(const shoal_chart* chart, int width, const char* path) {
    svg s = {.brush = {svg_rect, svg_lines, svg_polygon, svg_words, svg_clip}};
    if (width < 320) width = 320;
    double height = chart->has_failed ? 0.0 : chart_height(chart, width);
    shoal_text_add(&s.text,
                   "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%.6g\" "
                   "viewBox=\"0 0 %d %.6g\" font-family=\"Helvetica, Arial, sans-serif\">\n<title>",
                   width, height, width, height);
    add_escaped(&s.text, chart->has_failed ? "" : chart->title);
    shoal_text_add(&s.text, "</title>\n");
    shoal_status status = chart_draw(chart, width, &s.brush);
    shoal_text_add(&s.text, "</svg>\n");
    if (status == SHOAL_OK && s.text.failed) status = SHOAL_ERR_MEMORY;
    if (status == SHOAL_OK) status = shoal_file_write(path, s.text.bytes, s.text.length);
    shoal_text_free(&s.text);
    return status;
}
