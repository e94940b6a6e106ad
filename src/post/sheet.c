// SPDX-License-Identifier: MIT
#include "post/sheet.h"

#include "param/param.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

double sheet_plain(double value) { return value == 0.0 ? 0.0 : value; }

void sheet_value(post_sheet* s, double value) {
    if (!s->is_json) return;
    if (!isfinite(value))
        shoal_text_add(s->out, "null");
    else
        shoal_text_add(s->out, value == trunc(value) && fabs(value) < 1e15 ? "%.0f" : "%.9g", sheet_plain(value));
}

void sheet_key(post_sheet* s, const char* label) {
    if (!s->is_json) return;
    shoal_text_add(s->out, ",\"");
    for (; *label; label++) shoal_text_add(s->out, "%c", *label == ' ' || *label == '-' ? '_' : *label);
    shoal_text_add(s->out, "\":");
}

void sheet_begin(post_sheet* s, const char* path, const char* kind, int label_width) {
    s->label_width = label_width;
    if (s->is_json) {
        shoal_text_add(s->out, "{\"event\":\"info\",\"path\":");
        shoal_json_string(s->out, path);
        sheet_key(s, "kind");
        shoal_json_string(s->out, kind);
    } else {
        shoal_text_add(s->out, "%s: %s\n", path, kind);
    }
}

void sheet_end(post_sheet* s) {
    if (s->is_json) shoal_text_add(s->out, "}\n");
}

void sheet_words(post_sheet* s, const char* format, ...) {
    char    buffer[512];
    va_list args;
    if (s->is_json) return;
    va_start(args, format);
    vsnprintf(buffer, sizeof buffer, format, args);
    va_end(args);
    shoal_text_add(s->out, "%s", buffer);
}

void sheet_text(post_sheet* s, const char* label, const char* text) {
    sheet_key(s, label);
    if (s->is_json)
        shoal_json_string(s->out, text);
    else
        shoal_text_add(s->out, "  %-*s %s\n", s->label_width, label, text);
}

void sheet_number(post_sheet* s, const char* label, double value, const char* format, ...) {
    char    buffer[256];
    va_list args;
    sheet_key(s, label);
    sheet_value(s, value);
    va_start(args, format);
    vsnprintf(buffer, sizeof buffer, format, args);
    va_end(args);
    if (!s->is_json) shoal_text_add(s->out, "  %-*s %s\n", s->label_width, label, buffer);
}

void sheet_bytes(post_sheet* s, const char* label, double bytes) {
    static const char* const units[] = {"bytes", "kB", "MB", "GB", "TB"};
    int                      unit    = 0;
    double                   shown   = bytes;
    for (; shown >= 1000 && unit < 4; unit++) shown /= 1000;
    sheet_number(s, label, bytes, "%.4g %s", shown, units[unit]);
}

static void add_vector(post_sheet* s, shoal_d3 v) {
    for (int k = 0; k < 3; k++) {
        shoal_text_add(s->out, k ? "," : "[");
        sheet_value(s, shoal_d3_axis(v, k));
    }
    shoal_text_add(s->out, "]");
}

void sheet_box(post_sheet* s, const char* label, shoal_d3 min, shoal_d3 max) {
    sheet_words(s, "  %-*s (%.6g, %.6g, %.6g) to (%.6g, %.6g, %.6g) m\n", s->label_width, label, sheet_plain(min.x),
                sheet_plain(min.y), sheet_plain(min.z), sheet_plain(max.x), sheet_plain(max.y), sheet_plain(max.z));
    sheet_key(s, label);
    if (!s->is_json) return;
    shoal_text_add(s->out, "[");
    add_vector(s, min);
    shoal_text_add(s->out, ",");
    add_vector(s, max);
    shoal_text_add(s->out, "]");
}

void sheet_place(post_sheet* s, const char* label, int count, shoal_d3 at) {
    if (count > 0)
        sheet_words(s, "  %-*s %d, one at (%.6g, %.6g, %.6g)\n", s->label_width, label, count, sheet_plain(at.x),
                    sheet_plain(at.y), sheet_plain(at.z));
    sheet_key(s, label);
    sheet_value(s, count);
}
