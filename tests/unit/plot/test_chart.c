// SPDX-License-Identifier: MIT
// Charts of any content are well-formed SVG and PNG, and show what they were given.
#include "unit/check.h"

#include "base/hash.h"
#include "base/memory.h"
#include "io/file.h"
#include "picture/png.h"
#include "plot/chart.h"
#include "unit/io/scratch.h"

enum { COUNT = 200 };

static double xs[COUNT], ys[COUNT];

static shoal_chart* chart_of(const char* title, const char* name) {
    shoal_chart* c = shoal_chart_create(title, "a note", "time", "s");
    shoal_chart_panel(c, "height", "m", true);
    shoal_chart_series(c, name, 0, SHOAL_SERIES_LINE, xs, ys, COUNT);
    shoal_chart_series(c, "other", 1, SHOAL_SERIES_POINTS, xs, ys, 5);
    return c;
}

static char* svg_of(const shoal_chart* c) {
    char*  bytes;
    size_t size;
    CHECK_OK(shoal_chart_write_svg(c, 640, scratch_path("c.svg")));
    CHECK_OK(shoal_file_read(scratch_path("c.svg"), &bytes, &size));
    return bytes;
}

// Every tag is closed in order, attributes are in quotes, & begins an entity we write.
static void check_xml(const char* at) {
    char names[32][16];
    int  depth = 0, elements = 0;
    for (; *at; at++) {
        if (*at == '&') assert_true(!strncmp(at, "&amp;", 5) || !strncmp(at, "&lt;", 4) || !strncmp(at, "&gt;", 4));
        assert_true((unsigned char)*at >= 0x20 || *at == '\n');
        if (*at != '<') continue;
        bool   is_end = at[1] == '/';
        size_t length = strcspn(at + 1 + is_end, " />");
        char   name[16];
        snprintf(name, sizeof name, "%.*s", (int)length, at + 1 + is_end);
        for (at += 1 + length; *at != '>'; at++) {
            assert_true(*at && *at != '<');
            if (*at == '"') {
                at += strcspn(at + 1, "\"<&") + 1;
                assert_true(*at == '"');
            }
        }
        elements++;
        if (is_end)
            assert_string_equal(names[--depth], name);
        else if (at[-1] != '/')
            memcpy(names[depth++], name, sizeof name);
        assert_true(depth < 32);
    }
    assert_int_equal(depth, 0);
    assert_true(elements > 10);
}

static void svg_is_well_formed_whatever_the_words(void** state) {
    (void)state;
    shoal_chart* c   = chart_of("a < b & \"c\" > 'd' \x01\xff\xc3", "x]]>&<y>");
    char*        svg = svg_of(c);
    check_xml(svg);
    assert_non_null(strstr(svg, "a &lt; b &amp;"));
    assert_non_null(strstr(svg, "height (m)"));
    assert_non_null(strstr(svg, "time (s)"));
    shoal_free(svg);
    shoal_chart_destroy(c);
}

static void png_opens_and_is_not_blank(void** state) {
    (void)state;
    shoal_chart* c = chart_of("Title", "line");
    shoal_pixels p;
    CHECK_OK(shoal_chart_write_png(c, 640, scratch_path("c.png")));
    CHECK_OK(shoal_png_read(scratch_path("c.png"), &p));
    assert_int_equal(p.width, 640);
    int blue = 0;
    for (int i = 0; i < p.width * p.height; i++) blue += p.bytes[3 * i] < 40 && p.bytes[3 * i + 2] > 150;
    assert_true(blue > 300);
    shoal_pixels_free(&p);
    shoal_chart_destroy(c);
}

static int count_of(const char* text, const char* part) {
    int count = 0;
    for (; (text = strstr(text, part)); text += strlen(part)) count++;
    return count;
}

static void gaps_break_lines(void** state) {
    (void)state;
    double y[COUNT];
    memcpy(y, ys, sizeof y);
    y[50]          = (double)NAN;
    y[90]          = HUGE_VAL;
    shoal_chart* c = shoal_chart_create("gaps", "", "time", "s");
    shoal_chart_panel(c, "y", "", false);
    shoal_chart_series(c, "", 0, SHOAL_SERIES_LINE, xs, y, COUNT);
    char* svg = svg_of(c);
    assert_int_equal(count_of(svg, "<polyline"), 3);
    shoal_free(svg);
    shoal_chart_destroy(c);
}

static void dense_series_are_thinned_but_keep_their_peaks(void** state) {
    (void)state;
    enum { MANY = 200000 };
    double* x = shoal_alloc(2 * MANY, sizeof *x);
    for (int i = 0; i < MANY; i++) {
        x[i]        = i;
        x[MANY + i] = shoal_random(3, 0, (uint64_t)i);
    }
    x[MANY + 123456] = 9.0;
    shoal_chart* c   = shoal_chart_create("dense", "", "time", "s");
    shoal_chart_panel(c, "y", "", true);
    shoal_chart_series(c, "", 0, SHOAL_SERIES_LINE, x, x + MANY, MANY);
    char* svg = svg_of(c);
    assert_true(strlen(svg) < 100000);
    // 9 of an axis that ends at 10 is a tenth below the top of the panel
    const char* points = strstr(svg, "<polyline points=\"");
    double      least  = 1e9;
    for (const char* at = points + 18; *at != '"';) {
        char* end;
        strtod(at, &end);
        least = fmin(least, strtod(end, &end));
        at    = *end == ' ' ? end + 1 : end;
    }
    CHECK_NEAR(least, 42.0 + 40.0, 1.0);
    shoal_free(svg);
    shoal_chart_destroy(c);
    shoal_free(x);
}

static void empty_charts_say_so(void** state) {
    (void)state;
    shoal_chart* c = shoal_chart_create("nothing", "", "time", "s");
    shoal_chart_panel(c, "y", "m", true);
    shoal_chart_series(c, "", 0, SHOAL_SERIES_LINE, xs, ys, 0);
    char* svg = svg_of(c);
    check_xml(svg);
    assert_non_null(strstr(svg, ">no data<"));
    shoal_free(svg);
    CHECK_OK(shoal_chart_write_png(c, 400, scratch_path("empty.png")));
    shoal_chart_destroy(c);
}

static void equal_panels_share_one_legend(void** state) {
    (void)state;
    shoal_chart* c = shoal_chart_create("two", "", "time", "s");
    for (int p = 0; p < 3; p++) {
        shoal_chart_panel(c, "y", "", true);
        shoal_chart_series(c, "alpha", 0, SHOAL_SERIES_LINE, xs, ys, COUNT);
        shoal_chart_series(c, "beta", 1, SHOAL_SERIES_LINE, xs, xs, COUNT);
    }
    char* svg = svg_of(c);
    assert_int_equal(count_of(svg, ">alpha<"), 1);
    shoal_free(svg);
    shoal_chart_destroy(c);
}

static void a_place_that_cannot_be_written_is_reported(void** state) {
    (void)state;
    shoal_chart* c = chart_of("t", "n");
    assert_int_equal(shoal_chart_write_svg(c, 640, scratch_path("no/c.svg")), SHOAL_ERR_OUTPUT);
    assert_int_equal(shoal_chart_write_png(c, 640, scratch_path("no/c.png")), SHOAL_ERR_OUTPUT);
    shoal_chart_destroy(c);
}

static int prepare(void** state) {
    for (int i = 0; i < COUNT; i++) {
        xs[i] = 0.01 * i;
        ys[i] = sin(xs[i] * 6.0) + 1.0;
    }
    return scratch_make(state);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(svg_is_well_formed_whatever_the_words),
        cmocka_unit_test(png_opens_and_is_not_blank),
        cmocka_unit_test(gaps_break_lines),
        cmocka_unit_test(dense_series_are_thinned_but_keep_their_peaks),
        cmocka_unit_test(empty_charts_say_so),
        cmocka_unit_test(equal_panels_share_one_legend),
        cmocka_unit_test(a_place_that_cannot_be_written_is_reported),
    };
    return cmocka_run_group_tests(tests, prepare, scratch_remove);
}
