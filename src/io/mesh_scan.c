// SPDX-License-Identifier: MIT
// Words, numbers and growing meshes. Numbers are read by hand: strtod follows the locale, and is
// slow.
#include "io/mesh_scan.h"

#include "io/mesh_file.h"

#include <ctype.h>
#include <limits.h>
#include <string.h>
#include <strings.h>

#include "base/memory.h"

bool mesh_scan_is_done(const mesh_scan* s) { return s->at == s->end; }

void mesh_scan_next_line(mesh_scan* s) {
    const char* newline = memchr(s->at, '\n', (size_t)(s->end - s->at));
    s->at               = newline ? newline + 1 : s->end;
    if (newline) s->line++;
}

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f'; }

// The length of a backslash and the line end after it; 0 when there is none here.
static size_t joint(const mesh_scan* s) {
    size_t left = (size_t)(s->end - s->at);
    if (left >= 2 && s->at[0] == '\\' && s->at[1] == '\n') return 2;
    if (left >= 3 && s->at[0] == '\\' && s->at[1] == '\r' && s->at[2] == '\n') return 3;
    return 0;
}

mesh_word mesh_scan_word(mesh_scan* s) {
    for (size_t length; s->at < s->end;) {
        if (is_blank(*s->at)) {
            s->at++;
        } else if ((length = joint(s)) > 0) {
            s->at += length;
            s->line++;
        } else {
            break;
        }
    }
    mesh_word w = {s->at, 0};
    while (s->at < s->end && !is_blank(*s->at) && *s->at != '\n' && joint(s) == 0) s->at++;
    w.length = (size_t)(s->at - w.text);
    return w;
}

mesh_word mesh_scan_any_word(mesh_scan* s) {
    mesh_word w = mesh_scan_word(s);
    while (w.length == 0 && !mesh_scan_is_done(s)) {
        mesh_scan_next_line(s);
        w = mesh_scan_word(s);
    }
    return w;
}

bool mesh_word_is(mesh_word w, const char* text) {
    return strlen(text) == w.length && strncasecmp(w.text, text, w.length) == 0;
}

static bool take_sign(mesh_word* w) {
    bool minus = w->length > 0 && *w->text == '-';
    if (minus || (w->length > 0 && *w->text == '+')) w->text++, w->length--;
    return minus;
}

static bool next_is_digit(const mesh_word* w) { return w->length > 0 && *w->text >= '0' && *w->text <= '9'; }

static int take_digit(mesh_word* w) {
    w->length--;
    return *w->text++ - '0';
}

bool mesh_word_whole(mesh_word* w, int64_t* out) {
    bool    minus = take_sign(w);
    int64_t value = 0;
    if (!next_is_digit(w)) return false;
    while (next_is_digit(w)) {
        int digit = take_digit(w);
        if (value < INT64_MAX / 10 - 1) value = value * 10 + digit; // beyond that too large in any case
    }
    *out = minus ? -value : value;
    return true;
}

// 10^exponent times value, within an ulp or two of a double: plenty for coordinates kept in single
// precision.
static double scaled(double value, int exponent) {
    static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                    1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    for (; exponent > 22; exponent -= 22) value *= 1e22;
    for (; exponent < -22; exponent += 22) value /= 1e22;
    return exponent >= 0 ? value * powers[exponent] : value / powers[-exponent];
}

bool mesh_word_number(mesh_word w, double* out) {
    bool     minus = take_sign(&w), has_digits = false;
    uint64_t digits   = 0;
    int      exponent = 0;
    for (bool after_point = false; w.length > 0; has_digits = true) {
        if (!after_point && *w.text == '.') {
            after_point = true;
            w.text++, w.length--;
            if (!next_is_digit(&w)) break;
        }
        if (!next_is_digit(&w)) break;
        int digit = take_digit(&w);
        if (digits < UINT64_MAX / 10 - 1) {
            digits = digits * 10 + (uint64_t)digit;
            exponent -= after_point;
        } else {
            exponent += !after_point;
        }
    }
    if (!has_digits) return false;
    if (w.length > 0 && (*w.text == 'e' || *w.text == 'E')) {
        w.text++, w.length--;
        int64_t power = 0;
        if (!mesh_word_whole(&w, &power)) return false;
        if (exponent > 100000 || exponent < -100000) exponent = exponent > 0 ? 100000 : -100000;
        exponent += power > 10000 ? 10000 : power < -10000 ? -10000 : (int)power;
    }
    if (w.length > 0) return false;
    double value = digits == 0 ? 0.0 : scaled((double)digits, exponent > 400 ? 400 : exponent < -400 ? -400 : exponent);
    *out         = minus ? -value : value;
    return true;
}

shoal_status mesh_scan_fail(const mesh_scan* s, const char* what, mesh_word w) {
    char   shown[41];
    size_t length = w.length < sizeof shown ? w.length : sizeof shown - 1;
    for (size_t i = 0; i < length; i++) shown[i] = isprint((unsigned char)w.text[i]) ? w.text[i] : '?';
    shown[length] = 0;
    if (length == 0) return shoal_fail(SHOAL_ERR_INPUT, "%s:%d: %s, but the line or file ends", s->name, s->line, what);
    return shoal_fail(SHOAL_ERR_INPUT, "%s:%d: %s, not '%s'", s->name, s->line, what, shown);
}

bool mesh_build_takes(double coordinate) { return fabs(coordinate) <= (double)SHOAL_MESH_FAR; }

// Room for one more of `size` bytes each; `most` of them at the very most.
static shoal_status grow(void** memory, int count, int* capacity, int most, size_t size) {
    if (count < *capacity) return SHOAL_OK;
    if (count >= most) return shoal_fail(SHOAL_ERR_INPUT, "a mesh may have at most %d of these", most);
    int more = *capacity > most / 2 ? most : *capacity * 2 < 1024 ? 1024 : *capacity * 2;
    SHOAL_TRY(shoal_realloc(memory, (size_t)count, (size_t)more, size));
    *capacity = more;
    return SHOAL_OK;
}

shoal_status mesh_build_vertex(mesh_build* b, double x, double y, double z) {
    SHOAL_TRY(grow((void**)&b->vertices, b->vertex_count, &b->vertex_capacity, INT_MAX, sizeof *b->vertices));
    b->vertices[b->vertex_count++] = shoal_v3_make((float)x, (float)y, (float)z);
    return SHOAL_OK;
}

shoal_status mesh_build_triangle(mesh_build* b, int i, int j, int k) {
    SHOAL_TRY(grow((void**)&b->triangles, b->triangle_count, &b->triangle_capacity, INT_MAX / 3, 3 * sizeof(int)));
    int* corner = &b->triangles[3 * b->triangle_count++];
    corner[0] = i, corner[1] = j, corner[2] = k;
    return SHOAL_OK;
}

shoal_status mesh_build_corner(mesh_build* b, int i) {
    SHOAL_TRY(grow((void**)&b->corners, b->corner_count, &b->corner_capacity, INT_MAX / 3, sizeof *b->corners));
    b->corners[b->corner_count++] = i;
    return SHOAL_OK;
}

// The corners from `first` to `last` without the edge between these two.
static shoal_status halve(mesh_build* b, int first, int last) {
    if (last - first < 2) return SHOAL_OK;
    int middle = first + (last - first) / 2;
    SHOAL_TRY(mesh_build_triangle(b, b->corners[first], b->corners[middle], b->corners[last]));
    SHOAL_TRY(halve(b, first, middle));
    return halve(b, middle, last);
}

shoal_status mesh_build_face(mesh_build* b) {
    enum { FAN_MOST = 64 };
    int count       = b->corner_count;
    b->corner_count = 0;
    if (count > FAN_MOST) return halve(b, 0, count - 1);
    for (int k = 2; k < count; k++) SHOAL_TRY(mesh_build_triangle(b, b->corners[0], b->corners[k - 1], b->corners[k]));
    return SHOAL_OK;
}

shoal_status mesh_build_end(mesh_build* b, const char* name, shoal_mesh** out) {
    if (b->triangle_count == 0) return shoal_fail(SHOAL_ERR_INPUT, "%s: " SHOAL_MESH_EMPTY, name);
    return shoal_mesh_create(&b->vertices[0].x, b->vertex_count, b->triangles, b->triangle_count, out);
}

void mesh_build_free(mesh_build* b) {
    shoal_free(b->corners);
    shoal_free(b->triangles);
    shoal_free(b->vertices);
    *b = (mesh_build){0};
}
