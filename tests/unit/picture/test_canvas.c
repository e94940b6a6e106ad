// SPDX-License-Identifier: MIT
// What is drawn covers what it should, once, and nothing outside the clip.
#include "unit/check.h"

#include "picture/canvas.h"
#include "picture/glyphs.h"

static const shoal_ink white = {255, 255, 255, 255}, black = {0, 0, 0, 255};

// Darkness of the canvas in whole black pixels.
static double ink_on(const shoal_canvas* c) {
    double sum = 0.0;
    for (int i = 0; i < c->width * c->height; i++) sum += (255.0 - c->pixels[3 * i]) / 255.0;
    return sum;
}

static shoal_canvas make(int width, int height) {
    shoal_canvas c;
    CHECK_OK(shoal_canvas_create(width, height, white, &c));
    return c;
}

static void areas_are_as_large_as_they_should_be(void** state) {
    (void)state;
    shoal_canvas c         = make(100, 80);
    const double diamond[] = {50, 10.3, 80.2, 40, 50, 69.7, 19.8, 40};
    shoal_canvas_polygon(&c, diamond, 4, black);
    CHECK_NEAR(ink_on(&c), 2 * 30.2 * 29.7, 3.0);
    shoal_canvas_free(&c);

    c = make(100, 80);
    shoal_canvas_rect(&c, 10.25, 20.5, 30.5, 10.75, black);
    CHECK_NEAR(ink_on(&c), 30.5 * 10.75, 0.5);
    shoal_canvas_free(&c);
}

static void a_line_has_its_width_in_any_direction(void** state) {
    (void)state;
    for (int k = 0; k < 12; k++) {
        shoal_canvas c = make(120, 120);
        double       x = 40.0 * cos(k * 0.3), y = 40.0 * sin(k * 0.3);
        shoal_canvas_line(&c, 60 - x, 60 - y, 60 + x, 60 + y, 3.0, black);
        CHECK_NEAR(ink_on(&c), 80.0 * 3.0 + 3.14159 * 2.25, 6.0);
        shoal_canvas_free(&c);
    }
}

static void half_transparent_lines_are_not_darker_where_they_meet(void** state) {
    (void)state;
    shoal_canvas c        = make(60, 60);
    const double corner[] = {10, 10, 30, 50, 50, 10, 30, 50};
    shoal_canvas_lines(&c, corner, 4, (shoal_pen){{0, 0, 0, 128}, 6.0, 0.0, 0.0});
    for (int i = 0; i < 60 * 60; i++) assert_true(c.pixels[3 * i] >= 127);
    shoal_canvas_free(&c);
}

static void dashes_cover_their_fraction(void** state) {
    (void)state;
    shoal_canvas whole = make(210, 20), dashed = make(210, 20);
    const double line[] = {5, 10, 55, 10, 205, 10};
    shoal_canvas_lines(&whole, line, 3, (shoal_pen){black, 2.0, 0.0, 0.0});
    shoal_canvas_lines(&dashed, line, 3, (shoal_pen){black, 2.0, 6.0, 4.0});
    CHECK_NEAR(ink_on(&dashed) / ink_on(&whole), 0.6, 0.05);
    shoal_canvas_free(&whole);
    shoal_canvas_free(&dashed);
}

static void nothing_is_drawn_outside_the_clip(void** state) {
    (void)state;
    shoal_canvas c      = make(50, 50);
    c.clip              = (shoal_area){10, 12, 30, 33};
    const double wide[] = {-900, -800, 2000, -700, 2500, 3000, -1000, 1e7};
    shoal_canvas_polygon(&c, wide, 4, black);
    shoal_canvas_rect(&c, -10, -10, 1e9, 1e9, black);
    shoal_canvas_line(&c, -1e6, 20, 1e6, 20, 5.0, black);
    shoal_canvas_text(&c, -5, 25, (shoal_lettering){.size = 20, .ink = black}, "Shoal Shoal Shoal");
    for (int y = 0; y < 50; y++)
        for (int x = 0; x < 50; x++) {
            bool is_in = x >= 10 && x < 30 && y >= 12 && y < 33;
            assert_int_equal(c.pixels[3 * (y * 50 + x)], is_in ? 0 : 255);
        }
    shoal_canvas_free(&c);
}

static void what_is_not_finite_is_not_drawn(void** state) {
    (void)state;
    shoal_canvas c     = make(50, 50);
    const double bad[] = {10, 10, (double)NAN, 20, 30, (double)INFINITY, 40, 40};
    shoal_canvas_lines(&c, bad, 4, (shoal_pen){black, 2.0, 0.0, 0.0});
    shoal_canvas_lines(&c, bad, 4, (shoal_pen){black, 2.0, 3.0, 2.0});
    shoal_canvas_polygon(&c, bad, 4, black);
    shoal_canvas_rect(&c, (double)NAN, 1, 10, 10, black);
    shoal_canvas_text(&c, (double)NAN, 20, (shoal_lettering){.size = 12, .ink = black}, "x");
    assert_true(ink_on(&c) == 0.0);
    shoal_canvas_free(&c);
}

static void every_sign_has_its_own_letter(void** state) {
    (void)state;
    const char* signs   = "²³µ°·×±−–…";
    const char* missing = shoal_glyph_find(0xfffd)->path;
    for (uint32_t code = 32; code < 127; code++) {
        assert_int_equal(shoal_glyph_find(code)->code, code);
        assert_ptr_not_equal(shoal_glyph_find(code)->path, missing);
    }
    while (*signs) assert_ptr_not_equal(shoal_glyph_find(shoal_utf8_next(&signs))->path, missing);
    assert_ptr_equal(shoal_glyph_find(0x4e2d)->path, missing);
}

static void bytes_that_are_no_text_do_no_harm(void** state) {
    (void)state;
    for (int first = 1; first < 256; first++) {
        const char  text[] = {(char)first, (char)0x80, 'a', 0};
        const char* at     = text;
        while (*at) shoal_utf8_next(&at);
        assert_ptr_equal(at, text + 3);
    }
    const char  cut[] = {(char)0xe2, 0};
    const char* at    = cut;
    assert_int_equal(shoal_utf8_next(&at), 0xfffd);
    assert_ptr_equal(at, cut + 1);
}

static void text_stays_within_its_width(void** state) {
    (void)state;
    const char* text = "Density 1000 kg/m³";
    for (double size = 9; size < 40; size += 1.5) {
        shoal_canvas c = make(600, 60);
        shoal_canvas_text(&c, 300, 40, (shoal_lettering){.size = size, .ink = black, .align = SHOAL_ALIGN_MIDDLE},
                          text);
        double half = 0.5 * shoal_text_width(size, text) + 2.0;
        for (int y = 0; y < 60; y++)
            for (int x = 0; x < 600; x++)
                if (fabs(x + 0.5 - 300.0) > half) assert_int_equal(c.pixels[3 * (y * 600 + x)], 255);
        assert_true(ink_on(&c) > 10.0 * size);
        shoal_canvas_free(&c);
    }
}

static void turned_text_is_the_same_text(void** state) {
    (void)state;
    shoal_canvas    flat = make(200, 60), tall = make(60, 200);
    shoal_lettering how = {.size = 14, .ink = black};
    shoal_canvas_text(&flat, 20, 40, how, "Energy (J)");
    how.is_turned = true;
    shoal_canvas_text(&tall, 40, 180, how, "Energy (J)");
    for (int y = 0; y < 60; y++)
        for (int x = 0; x < 200; x++)
            assert_int_equal(flat.pixels[3 * (y * 200 + x)], tall.pixels[3 * ((199 - x) * 60 + y)]);
    shoal_canvas_free(&flat);
    shoal_canvas_free(&tall);
}

static void pictures_keep_their_mean_when_scaled(void** state) {
    (void)state;
    uint8_t      bytes[20 * 30];
    double       mean = 0.0;
    shoal_pixels p    = {20, 30, 1, bytes};
    for (int i = 0; i < 20 * 30; i++) {
        bytes[i] = (uint8_t)(i * 37 % 256);
        mean += bytes[i] / 600.0;
    }
    const int sizes[][2] = {{20, 30}, {7, 11}, {200, 300}, {1, 1}};
    for (int k = 0; k < 4; k++) {
        shoal_canvas c = make(sizes[k][0], sizes[k][1]);
        shoal_canvas_picture(&c, 0, 0, sizes[k][0], sizes[k][1], &p);
        double seen = 255.0 - 255.0 * ink_on(&c) / (c.width * c.height);
        CHECK_NEAR(seen, mean, 2.0);
        shoal_canvas_free(&c);
    }
}

static void transparent_pixels_let_the_canvas_through(void** state) {
    (void)state;
    uint8_t      bytes[] = {0, 0, 0, 0, 0, 0, 0, 255};
    shoal_pixels p       = {2, 1, 4, bytes};
    shoal_canvas c       = make(2, 1);
    shoal_canvas_picture(&c, 0, 0, 2, 1, &p);
    assert_int_equal(c.pixels[0], 255);
    assert_int_equal(c.pixels[3], 0);
    shoal_canvas_free(&c);
}

static void sizes_without_pixels_are_refused(void** state) {
    (void)state;
    shoal_canvas c;
    assert_int_equal(shoal_canvas_create(0, 10, white, &c), SHOAL_ERR_INPUT);
    assert_int_equal(shoal_canvas_create(10, 40000, white, &c), SHOAL_ERR_INPUT);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(areas_are_as_large_as_they_should_be),
        cmocka_unit_test(a_line_has_its_width_in_any_direction),
        cmocka_unit_test(half_transparent_lines_are_not_darker_where_they_meet),
        cmocka_unit_test(dashes_cover_their_fraction),
        cmocka_unit_test(nothing_is_drawn_outside_the_clip),
        cmocka_unit_test(what_is_not_finite_is_not_drawn),
        cmocka_unit_test(every_sign_has_its_own_letter),
        cmocka_unit_test(bytes_that_are_no_text_do_no_harm),
        cmocka_unit_test(text_stays_within_its_width),
        cmocka_unit_test(turned_text_is_the_same_text),
        cmocka_unit_test(pictures_keep_their_mean_when_scaled),
        cmocka_unit_test(transparent_pixels_let_the_canvas_through),
        cmocka_unit_test(sizes_without_pixels_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
