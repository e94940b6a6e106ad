// SPDX-License-Identifier: MIT
// Shapes are drawn into a mask of coverage first and blended once, so that the joints of a line or
// a letter are not darker than its rest.
#include "picture/canvas.h"

#include "base/memory.h"
#include "picture/glyphs.h"

#include <math.h>
#include <string.h>

enum { SIDE_MOST = 32767, SUBROWS = 8 };

// --- the canvas

static shoal_status canvas_prepare(int width, int height, shoal_canvas* out) {
    *out = (shoal_canvas){.width = width, .height = height, .clip = {0, 0, width, height}};
    if (width < 1 || height < 1 || width > SIDE_MOST || height > SIDE_MOST)
        return shoal_fail(SHOAL_ERR_INPUT, "a picture of %d x %d pixels cannot be drawn; each side is 1 to %d", width,
                          height, SIDE_MOST);
    out->mask = shoal_alloc((size_t)width, (size_t)height);
    out->row  = shoal_alloc(2 * ((size_t)width + 2), sizeof *out->row);
    if (out->mask && out->row) return SHOAL_OK;
    shoal_canvas_free(out);
    return SHOAL_ERR_MEMORY;
}

shoal_status shoal_canvas_create(int width, int height, shoal_ink background, shoal_canvas* out) {
    SHOAL_TRY(canvas_prepare(width, height, out));
    size_t count     = (size_t)width * (size_t)height;
    out->pixels      = shoal_alloc(count, 3);
    out->owns_pixels = true;
    if (!out->pixels) {
        shoal_canvas_free(out);
        return SHOAL_ERR_MEMORY;
    }
    for (size_t i = 0; i < count; i++)
        memcpy(out->pixels + 3 * i, (uint8_t[3]){background.r, background.g, background.b}, 3);
    return SHOAL_OK;
}

shoal_status shoal_canvas_over(uint8_t* pixels, int width, int height, shoal_canvas* out) {
    SHOAL_TRY(canvas_prepare(width, height, out));
    out->pixels = pixels;
    return SHOAL_OK;
}

void shoal_canvas_free(shoal_canvas* canvas) {
    shoal_free(canvas->mask);
    shoal_free(canvas->row);
    if (canvas->owns_pixels) shoal_free(canvas->pixels);
    *canvas = (shoal_canvas){0};
}

// --- the mask

// Whole pixels that hold the rectangle, within the clip.
static shoal_area box_around(const shoal_canvas* c, double left, double top, double right, double bottom) {
    shoal_area b = c->clip;
    if (b.left < 0) b.left = 0;
    if (b.top < 0) b.top = 0;
    if (b.right > c->width) b.right = c->width;
    if (b.bottom > c->height) b.bottom = c->height;
    if (!(left <= right && top <= bottom)) return (shoal_area){0, 0, 0, 0}; // also NaN
    b.left   = (int)fmin(fmax(floor(left), b.left), SIDE_MOST);
    b.top    = (int)fmin(fmax(floor(top), b.top), SIDE_MOST);
    b.right  = (int)fmax(fmin(ceil(right), b.right), 0);
    b.bottom = (int)fmax(fmin(ceil(bottom), b.bottom), 0);
    return b;
}

static void box_join(shoal_area* all, shoal_area b) {
    if (b.left >= b.right || b.top >= b.bottom) return;
    if (all->left >= all->right) {
        *all = b;
        return;
    }
    if (b.left < all->left) all->left = b.left;
    if (b.top < all->top) all->top = b.top;
    if (b.right > all->right) all->right = b.right;
    if (b.bottom > all->bottom) all->bottom = b.bottom;
}

static uint8_t mixed(uint8_t under, uint8_t over, unsigned fraction) { // fraction of 255 * 255
    unsigned full = 255u * 255u;
    return (uint8_t)((under * (full - fraction) + over * fraction + full / 2) / full);
}

static void blend(shoal_canvas* c, size_t at, shoal_ink ink, uint8_t coverage) {
    uint8_t* p        = c->pixels + 3 * at;
    unsigned fraction = (unsigned)ink.a * coverage;
    p[0]              = mixed(p[0], ink.r, fraction);
    p[1]              = mixed(p[1], ink.g, fraction);
    p[2]              = mixed(p[2], ink.b, fraction);
}

// Blends the mask and clears it.
static void mask_pour(shoal_canvas* c, shoal_area b, shoal_ink ink) {
    for (int y = b.top; y < b.bottom; y++)
        for (int x = b.left; x < b.right; x++) {
            size_t at = (size_t)y * (size_t)c->width + (size_t)x;
            if (c->mask[at] == 0) continue;
            blend(c, at, ink, c->mask[at]);
            c->mask[at] = 0;
        }
}

// A thick segment with round ends: coverage falls from 1 to 0 over one pixel across its edge.
static shoal_area mask_segment(shoal_canvas* c, const double a[2], const double b[2], double width) {
    if (!isfinite(a[0] + a[1] + b[0] + b[1] + width)) return (shoal_area){0, 0, 0, 0};
    double     reach = 0.5 * width + 0.5;
    shoal_area box   = box_around(c, fmin(a[0], b[0]) - reach, fmin(a[1], b[1]) - reach, fmax(a[0], b[0]) + reach,
                                  fmax(a[1], b[1]) + reach);
    double     dx = b[0] - a[0], dy = b[1] - a[1], length2 = dx * dx + dy * dy;
    double     most = fmin(width, 1.0); // a hairline is paler, not thinner than a pixel
    for (int y = box.top; y < box.bottom; y++)
        for (int x = box.left; x < box.right; x++) {
            double px = x + 0.5 - a[0], py = y + 0.5 - a[1];
            double along = length2 > 0.0 ? (px * dx + py * dy) / length2 : 0.0;
            along        = fmin(fmax(along, 0.0), 1.0);
            double ex = px - along * dx, ey = py - along * dy;
            double near = reach - sqrt(ex * ex + ey * ey);
            if (near <= 0.0) continue;
            uint8_t  value = (uint8_t)(fmin(near, most) * 255.0 + 0.5);
            uint8_t* m     = &c->mask[(size_t)y * (size_t)c->width + (size_t)x];
            if (value > *m) *m = value;
        }
    return box;
}

// --- lines

// One segment of a dashed line; `walked` is the length of the line before it.
static void mask_dashes(shoal_canvas* c, const double a[2], const double b[2], shoal_pen pen, double walked,
                        shoal_area* all) {
    double length = hypot(b[0] - a[0], b[1] - a[1]), period = pen.on + pen.off;
    if (!(length > 0.0) || length > 1e5) return;
    double on    = fmax(pen.on - pen.width, 0.1); // round ends add the rest
    double begin = floor(walked / period) * period - walked;
    for (double at = begin; at < length; at += period) {
        double from = fmax(at, 0.0) / length, to = fmin(at + on, length) / length;
        if (to <= from) continue;
        const double p[2] = {a[0] + from * (b[0] - a[0]), a[1] + from * (b[1] - a[1])};
        const double q[2] = {a[0] + to * (b[0] - a[0]), a[1] + to * (b[1] - a[1])};
        box_join(all, mask_segment(c, p, q, pen.width));
    }
}

void shoal_canvas_lines(shoal_canvas* canvas, const double* points, int count, shoal_pen pen) {
    shoal_area all       = {0, 0, 0, 0};
    bool       is_dashed = pen.off > 0.0 && pen.on > 0.0 && pen.on + pen.off >= 1.0;
    double     walked    = 0.0;
    for (int i = 0; i + 1 < count; i++) {
        const double *a = points + 2 * i, *b = a + 2;
        if (is_dashed)
            mask_dashes(canvas, a, b, pen, walked, &all);
        else
            box_join(&all, mask_segment(canvas, a, b, pen.width));
        double length = hypot(b[0] - a[0], b[1] - a[1]);
        if (isfinite(length)) walked += length;
    }
    mask_pour(canvas, all, pen.ink);
}

void shoal_canvas_line(shoal_canvas* canvas, double x0, double y0, double x1, double y1, double width, shoal_ink ink) {
    const double points[] = {x0, y0, x1, y1};
    shoal_canvas_lines(canvas, points, 2, (shoal_pen){ink, width, 0.0, 0.0});
}

// --- areas

// Adds `sign` to everything right of x in a row of differences; the pixel of x by the fraction of it.
static void row_step(float* row, shoal_area b, double x, double sign) {
    x         = fmin(fmax(x, b.left), b.right);
    double at = floor(x), in = x - at;
    int    i = (int)at - b.left;
    row[i] += (float)(sign * (1.0 - in));
    row[i + 1] += (float)(sign * in);
}

// One row of pixels by SUBROWS lines across it, each exact along x.
static void mask_polygon_row(shoal_canvas* c, const double* points, int count, shoal_area b, int y) {
    int    width    = b.right - b.left;
    size_t capacity = (size_t)c->width + 2;
    float *changes = c->row, *cover = c->row + capacity;
    memset(cover, 0, capacity * sizeof *cover);
    for (int s = 0; s < SUBROWS; s++) {
        double line = y + (s + 0.5) / SUBROWS;
        memset(changes, 0, capacity * sizeof *changes);
        for (int i = 0; i < count; i++) {
            const double *p = points + 2 * i, *q = points + 2 * ((i + 1) % count);
            if ((p[1] <= line) == (q[1] <= line)) continue;
            double x = p[0] + (line - p[1]) / (q[1] - p[1]) * (q[0] - p[0]);
            row_step(changes, b, x, q[1] > p[1] ? 1.0 : -1.0);
        }
        float winding = 0.0f;
        for (int x = 0; x < width; x++) {
            winding += changes[x];
            cover[x] += fminf(fabsf(winding), 1.0f);
        }
    }
    uint8_t* mask = c->mask + (size_t)y * (size_t)c->width + (size_t)b.left;
    for (int x = 0; x < width; x++) mask[x] = (uint8_t)(cover[x] * (255.0f / SUBROWS) + 0.5f);
}

void shoal_canvas_polygon(shoal_canvas* canvas, const double* points, int count, shoal_ink ink) {
    double left = HUGE_VAL, right = -HUGE_VAL, top = HUGE_VAL, bottom = -HUGE_VAL;
    for (int i = 0; i < count; i++) {
        if (!isfinite(points[2 * i] + points[2 * i + 1])) return;
        left   = fmin(left, points[2 * i]);
        right  = fmax(right, points[2 * i]);
        top    = fmin(top, points[2 * i + 1]);
        bottom = fmax(bottom, points[2 * i + 1]);
    }
    shoal_area b = box_around(canvas, left, top, right, bottom);
    if (b.left >= b.right) return;
    for (int y = b.top; y < b.bottom; y++) mask_polygon_row(canvas, points, count, b, y);
    mask_pour(canvas, b, ink);
}

void shoal_canvas_rect(shoal_canvas* canvas, double x, double y, double width, double height, shoal_ink ink) {
    shoal_area b = box_around(canvas, x, y, x + width, y + height);
    for (int j = b.top; j < b.bottom; j++) {
        double high = fmin(j + 1.0, y + height) - fmax(j, y);
        for (int i = b.left; i < b.right; i++) {
            double wide = fmin(i + 1.0, x + width) - fmax(i, x);
            blend(canvas, (size_t)j * (size_t)canvas->width + (size_t)i, ink, (uint8_t)(high * wide * 255.0 + 0.5));
        }
    }
}

// --- text

// Font units to pixels. Baseline, height of small letters, height of capitals and the sides of each
// letter fall on middles of pixels, which keeps small text crisp.
typedef struct face {
    double unit;           // pixels per font unit
    double small, capital; // pixels between the middles of the strokes
    double gap;            // between letters
    double stroke;
} face;

static face face_make(double size, bool is_bold) {
    face f;
    size      = fmin(fmax(size, 4.0), 1000.0);
    f.unit    = 0.72 * size / SHOAL_GLYPH_CAPITAL;
    f.stroke  = fmax(1.0, size * (is_bold ? 0.145 : 0.092));
    f.capital = fmax(round(0.72 * size - 0.5), 3.0);
    f.small   = fmax(round(f.capital * SHOAL_GLYPH_SMALL / SHOAL_GLYPH_CAPITAL), 2.0);
    f.gap     = fmax(2.0, round(f.unit * SHOAL_GLYPH_GAP + (is_bold ? 0.7 : 0.3)));
    return f;
}

static double face_width(const face* f, const shoal_glyph* g) { return round(g->width * f->unit); }

static double face_height(const face* f, double y) {
    if (y <= 0.0) return y * f->unit;
    if (y <= SHOAL_GLYPH_SMALL) return y / SHOAL_GLYPH_SMALL * f->small;
    const double upper = SHOAL_GLYPH_CAPITAL - SHOAL_GLYPH_SMALL;
    return f->small + (y - SHOAL_GLYPH_SMALL) / upper * (f->capital - f->small);
}

double shoal_text_width(double size, const char* text) {
    face   f     = face_make(size, false);
    double width = 0.0;
    while (*text) width += face_width(&f, shoal_glyph_find(shoal_utf8_next(&text))) + f.gap;
    return fmax(width - f.gap + f.stroke, 0.0);
}

// A letter at work: its place, and the last point of its path.
typedef struct scribe {
    shoal_canvas* canvas;
    face          face;
    double        x, y;   // middle of the stroke at the start of the baseline
    double        across; // pixels per font unit
    bool          is_turned;
    double        at[2];
    shoal_area*   all;
} scribe;

static void scribe_map(const scribe* s, double x, double y, double out[2]) {
    double along = x * s->across, up = face_height(&s->face, y);
    out[0] = s->is_turned ? s->x - up : s->x + along;
    out[1] = s->is_turned ? s->y - along : s->y - up;
}

static void scribe_line(scribe* s, const double to[2]) {
    box_join(s->all, mask_segment(s->canvas, s->at, to, s->face.stroke));
    memcpy(s->at, to, sizeof s->at);
}

static void scribe_curve(scribe* s, const double control[2], const double to[2]) {
    enum { PIECES = 8 };
    const double from[2] = {s->at[0], s->at[1]};
    for (int i = 1; i <= PIECES; i++) {
        double t = (double)i / PIECES, a = (1 - t) * (1 - t), b = 2 * t * (1 - t), c = t * t;
        double next[2] = {a * from[0] + b * control[0] + c * to[0], a * from[1] + b * control[1] + c * to[1]};
        scribe_line(s, next);
    }
}

// The next number of a path, with the space before it or after it. Not strtod: the program that we
// are part of may have chosen a decimal comma.
static double path_number(const char** at) {
    const char* c    = *at;
    double      sign = 1.0, value = 0.0, place = 0.0;
    for (; *c == ' ' || *c == '-'; c++)
        if (*c == '-') sign = -1.0;
    for (; (*c >= '0' && *c <= '9') || *c == '.'; c++) {
        if (*c == '.') {
            place = 1.0;
            continue;
        }
        value = value * 10.0 + (*c - '0');
        place *= 10.0;
    }
    while (*c == ' ') c++;
    *at = c;
    return sign * value / (place > 0.0 ? place : 1.0);
}

static void scribe_letter(scribe* s, const shoal_glyph* g) {
    s->across = g->width > 0.0 ? face_width(&s->face, g) / g->width : s->face.unit;
    for (const char* at = g->path; *at;) {
        char   command = *at++;
        double values[4], points[2][2];
        int    count = command == 'Q' ? 2 : 1;
        for (int i = 0; i < 2 * count; i++) values[i] = path_number(&at);
        for (int i = 0; i < count; i++) scribe_map(s, values[2 * i], values[2 * i + 1], points[i]);
        if (command == 'M')
            memcpy(s->at, points[0], sizeof s->at);
        else if (command == 'L')
            scribe_line(s, points[0]);
        else
            scribe_curve(s, points[0], points[1]);
    }
}

void shoal_canvas_text(shoal_canvas* canvas, double x, double y, shoal_lettering how, const char* text) {
    if (!isfinite(x + y + how.size)) return;
    shoal_area all  = {0, 0, 0, 0};
    face       f    = face_make(how.size, how.is_bold);
    double     back = shoal_text_width(how.size, text) * (how.align == SHOAL_ALIGN_START    ? 0.0
                                                          : how.align == SHOAL_ALIGN_MIDDLE ? 0.5
                                                                                            : 1.0);
    scribe     s    = {.canvas    = canvas,
                       .face      = f,
                       .x         = round(how.is_turned ? x : x - back) + (how.is_turned ? -0.5 : 0.5),
                       .y         = round(how.is_turned ? y + back : y) - 0.5,
                       .is_turned = how.is_turned,
                       .all       = &all};
    while (*text) {
        const shoal_glyph* g = shoal_glyph_find(shoal_utf8_next(&text));
        scribe_letter(&s, g);
        double step = face_width(&f, g) + f.gap;
        if (how.is_turned)
            s.y -= step;
        else
            s.x += step;
    }
    mask_pour(canvas, all, how.ink);
}

// --- pictures

// What one pixel of the canvas sees of a picture: RGB and alpha, 0 to 255. Colours count by alpha.
typedef struct seen {
    double colour[3], alpha, weight;
} seen;

static void see(seen* s, const shoal_pixels* p, int x, int y, double weight) {
    const uint8_t* at      = p->bytes + ((size_t)y * (size_t)p->width + (size_t)x) * (size_t)p->channels;
    bool           is_grey = p->channels < 3;
    double         alpha   = p->channels % 2 == 0 ? at[p->channels - 1] : 255.0;
    for (int k = 0; k < 3; k++) s->colour[k] += weight * alpha * at[is_grey ? 0 : k];
    s->alpha += weight * alpha;
    s->weight += weight;
}

// Weights of the source pixels along one axis for [from, to): its fraction of each when it spans more
// than one, else of the two nearest middles. Gives the first and the number of pixels.
typedef struct reach {
    int    first, count;
    double from, to, middle;
    bool   is_smaller;
} reach;

static reach reach_make(double from, double to, int size) {
    reach r    = {.from = from, .to = to, .middle = 0.5 * (from + to), .is_smaller = to - from > 1.0};
    int   last = (int)(r.is_smaller ? ceil(to) - 1.0 : floor(r.middle - 0.5) + 1.0);
    r.first    = (int)(r.is_smaller ? floor(from) : floor(r.middle - 0.5));
    if (r.first < 0) r.first = 0;
    if (r.first > size - 1) r.first = size - 1;
    if (last > size - 1) last = size - 1;
    r.count = last < r.first ? 1 : last - r.first + 1;
    return r;
}

static double reach_weight(const reach* r, int i) {
    if (r->count == 1) return 1.0;
    int at = r->first + i;
    if (r->is_smaller) return fmin(at + 1.0, r->to) - fmax(at, r->from);
    return 1.0 - fabs(r->middle - (at + 0.5));
}

void shoal_canvas_picture(shoal_canvas* canvas, double x, double y, double width, double height,
                          const shoal_pixels* picture) {
    if (!(width > 0.0 && height > 0.0) || picture->width < 1 || picture->height < 1) return;
    // whole pixels: an edge that is half a pixel would show as a line
    double     left = round(x), top = round(y), right = round(x + width), bottom = round(y + height);
    shoal_area b      = box_around(canvas, left, top, right, bottom);
    double     across = picture->width / (right - left), down = picture->height / (bottom - top);
    for (int j = b.top; j < b.bottom; j++) {
        reach rows = reach_make((j - top) * down, (j + 1 - top) * down, picture->height);
        for (int i = b.left; i < b.right; i++) {
            reach columns = reach_make((i - left) * across, (i + 1 - left) * across, picture->width);
            seen  s       = {{0.0, 0.0, 0.0}, 0.0, 0.0};
            for (int v = 0; v < rows.count; v++)
                for (int u = 0; u < columns.count; u++)
                    see(&s, picture, columns.first + u, rows.first + v,
                        reach_weight(&rows, v) * reach_weight(&columns, u));
            if (!(s.alpha > 0.0)) continue;
            shoal_ink ink = {(uint8_t)(s.colour[0] / s.alpha + 0.5), (uint8_t)(s.colour[1] / s.alpha + 0.5),
                             (uint8_t)(s.colour[2] / s.alpha + 0.5), 255};
            blend(canvas, (size_t)j * (size_t)canvas->width + (size_t)i, ink, (uint8_t)(s.alpha / s.weight + 0.5));
        }
    }
}
