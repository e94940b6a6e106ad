// SPDX-License-Identifier: MIT
// The colour bar: title, colours, numbers or names.
#include "render/bar.h"

#include "picture/canvas.h"

#include <math.h>
#include <stdio.h>

enum { TICKS_FEW = 6 }; // 1, 2, 5 times a power of ten: between 3 and this many

static double round_step(double span) {
    static const double nice[] = {1.0, 2.0, 5.0, 10.0};
    double              least = span / (TICKS_FEW - 1), ten = pow(10.0, floor(log10(least)));
    int                 k = 0;
    while (k < 3 && nice[k] * ten < least * (1.0 - 1e-9)) k++;
    return nice[k] * ten;
}

// Digits that tell numbers apart which differ by `step`.
static void write_tick(char* text, double value, double step, double most) {
    int last = (int)floor(log10(step) + 1e-9), first = most > 0.0 ? (int)floor(log10(most) + 1e-9) : 0;
    if (fabs(value) < 1e-6 * step) value = 0.0; // no -0
    if (first > 6 || last < -5)
        snprintf(text, RENDER_TICK_SIZE, "%.*e", first > last ? (first - last > 15 ? 15 : first - last) : 0, value);
    else
        snprintf(text, RENDER_TICK_SIZE, "%.*f", last < 0 ? -last : 0, value);
}

int render_bar_ticks(double low, double high, double at[RENDER_TICKS_MOST],
                     char texts[RENDER_TICKS_MOST][RENDER_TICK_SIZE]) {
    double step = round_step(high - low), most = fmax(fabs(low), fabs(high));
    int    count = 0;
    // numbers that a float cannot tell apart are one
    if (!(high - low > 1e-7 * most) || !isfinite(step) || !(step > 0.0)) {
        at[0] = low;
        snprintf(texts[0], RENDER_TICK_SIZE, "%.7g", low);
        return 1;
    }
    for (double k = ceil(low / step - 1e-6); k * step <= high + 1e-6 * step && count < RENDER_TICKS_MOST; k += 1.0) {
        at[count] = k * step;
        write_tick(texts[count++], k * step, step, most);
    }
    return count;
}

// --- drawing

typedef struct layout {
    double letter, from, wide, top, tall, left; // the strip is [from, from + wide]
} layout;

static double widest(const render_bar* bar, char texts[][RENDER_TICK_SIZE], int count, double letter) {
    double most = bar->has_blank ? shoal_text_width(letter, "no number") : 0.0;
    for (int k = 0; k < count; k++) most = fmax(most, shoal_text_width(letter, texts[k]));
    for (int k = 0; k < bar->name_count; k++) most = fmax(most, shoal_text_width(letter, bar->names[k]));
    return most;
}

// Letters as large as is pleasant, or as fit into two fifths of the picture.
static layout place(const render_bar* bar, int width, int height, char texts[][RENDER_TICK_SIZE], int count) {
    layout l          = {.letter = fmax(9.0, 0.028 * height)};
    double bar_margin = fmax(widest(bar, texts, count, l.letter) + 2.5 * l.letter,
                             shoal_text_width(l.letter, bar->title) + 1.6 * l.letter);
    l.letter *= fmin(1.0, 0.4 * width / bar_margin);
    double label = widest(bar, texts, count, l.letter), title = shoal_text_width(l.letter, bar->title);
    l.wide = 0.9 * l.letter;
    l.tall = bar->name_count > 0 ? 1.5 * l.letter * bar->name_count : 0.5 * height;
    l.top  = bar->name_count > 0 ? 0.12 * height + 2.6 * l.letter : 0.25 * height;
    l.from = width - label - 1.3 * l.letter - l.wide;
    l.left = fmin(l.from, width - title - 0.8 * l.letter) - 0.6 * l.letter;
    return l;
}

static void put(shoal_canvas* canvas, const layout* l, double y, const char* text) {
    shoal_ink dark = {25, 28, 32, 255};
    shoal_canvas_text(canvas, l->from + l->wide + 0.5 * l->letter, y + 0.33 * l->letter,
                      (shoal_lettering){.size = l->letter, .ink = dark}, text);
}

static void swatch(shoal_canvas* canvas, const layout* l, double y, const uint8_t color[3], const char* text) {
    shoal_canvas_rect(canvas, l->from, y - 0.5 * l->wide, l->wide, l->wide,
                      (shoal_ink){color[0], color[1], color[2], 255});
    put(canvas, l, y, text);
}

static void draw_numbers(shoal_canvas* canvas, const layout* l, const render_bar* bar, const double* at,
                         char texts[][RENDER_TICK_SIZE], int count) {
    shoal_ink dark = {25, 28, 32, 255};
    for (int k = 0; k < RENDER_BAR_COLORS; k++) {
        const uint8_t* c    = bar->colors[RENDER_BAR_COLORS - 1 - k];
        double         step = l->tall / RENDER_BAR_COLORS;
        shoal_canvas_rect(canvas, l->from, l->top + k * step, l->wide, step + 0.5, (shoal_ink){c[0], c[1], c[2], 255});
    }
    for (int k = 0; k < count; k++) {
        double y = l->top + (1.0 - (at[k] - bar->low) / (bar->high - bar->low)) * l->tall, end = l->from + l->wide;
        shoal_canvas_line(canvas, end, y, end + 0.3 * l->letter, y, 1.0, dark);
        put(canvas, l, y, texts[k]);
    }
}

shoal_status render_bar_draw(uint8_t* rgb, int width, int height, const render_bar* bar) {
    shoal_canvas canvas;
    double       at[RENDER_TICKS_MOST];
    char         texts[RENDER_TICKS_MOST][RENDER_TICK_SIZE];
    int          count = bar->name_count > 0 ? 0 : render_bar_ticks(bar->low, bar->high, at, texts);
    SHOAL_TRY(shoal_canvas_over(rgb, width, height, &canvas));
    layout    l    = place(bar, width, height, texts, count);
    shoal_ink dark = {25, 28, 32, 255}, paper = {255, 255, 255, 175};
    bool      is_one = count == 1; // everywhere the same: one colour and its number
    if (is_one) l.tall = l.letter;
    double bottom = l.top + l.tall + (bar->has_blank ? 2.6 : 1.2) * l.letter;
    shoal_canvas_rect(&canvas, l.left, l.top - 2.6 * l.letter, width - l.left - 0.3 * l.letter,
                      bottom - l.top + 2.6 * l.letter, paper);
    shoal_canvas_text(&canvas, width - 0.8 * l.letter, l.top - 1.1 * l.letter,
                      (shoal_lettering){.size = l.letter, .ink = dark, .align = SHOAL_ALIGN_END}, bar->title);
    for (int k = 0; k < bar->name_count; k++)
        swatch(&canvas, &l, l.top + 1.5 * l.letter * (k + 0.4), bar->colors[k], bar->names[k]);
    if (is_one) swatch(&canvas, &l, l.top + 0.5 * l.letter, bar->colors[RENDER_BAR_COLORS / 2], texts[0]);
    if (count > 1) draw_numbers(&canvas, &l, bar, at, texts, count);
    if (bar->has_blank) swatch(&canvas, &l, l.top + l.tall + 1.5 * l.letter, bar->blank, "no number");
    shoal_canvas_free(&canvas);
    return SHOAL_OK;
}
