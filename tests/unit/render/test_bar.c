// SPDX-License-Identifier: MIT
// Numbers on colour bars.
#include "unit/check.h"

#include "render/bar.h"
#include "render/paint.h"

static void ticks_are_round_differ_and_lie_within_the_ends(void** state) {
    (void)state;
    static const double ends[][2] = {{0.0, 5.1},    {1000.0, 1001.0}, {101325., 101625.}, {-3e38, 0.0}, {1e-9, 3e-9},
                                     {-0.25, 0.25}, {0.0, 1.0},       {1e6, 1e6 + 1.},    {-7e5, 2e5}};
    for (size_t e = 0; e < sizeof ends / sizeof ends[0]; e++) {
        double at[RENDER_TICKS_MOST], low = ends[e][0], high = ends[e][1];
        char   texts[RENDER_TICKS_MOST][RENDER_TICK_SIZE];
        render_paint_round(&low, &high);
        double span = ends[e][1] - ends[e][0];
        assert_true(low <= ends[e][0] + 1e-6 * span && high >= ends[e][1] - 1e-6 * span && high - low < 1.2 * span);
        int count = render_bar_ticks(low, high, at, texts);
        assert_true(count >= 3 && count <= 6);
        for (int k = 0; k < count; k++) {
            double step = at[1] - at[0], read = strtod(texts[k], NULL);
            CHECK_NEAR(read, at[k], 1e-3 * step);
            assert_true(at[k] >= low - 1e-6 * step && at[k] <= high + 1e-6 * step);
            if (k > 0) assert_string_not_equal(texts[k], texts[k - 1]);
            assert_true(strlen(texts[k]) <= 10);
        }
    }
}

static void a_constant_field_has_one_number(void** state) {
    (void)state;
    static const double values[] = {0.0, 0.5, 1000.0, -3.25e7};
    for (size_t k = 0; k < sizeof values / sizeof values[0]; k++) {
        double at[RENDER_TICKS_MOST], low = values[k], high = values[k];
        char   texts[RENDER_TICKS_MOST][RENDER_TICK_SIZE];
        render_paint_round(&low, &high);
        assert_true(low == values[k] && high == values[k]);
        assert_int_equal(render_bar_ticks(low, high, at, texts), 1);
        CHECK_NEAR(strtod(texts[0], NULL), values[k], 1e-6 * fabs(values[k]));
        shoal_v3 a = render_paint_value(values[k], low, high), b = render_paint(0.5);
        assert_memory_equal(&a, &b, sizeof a);
    }
}

static void what_has_no_number_is_grey(void** state) {
    (void)state;
    shoal_v3 blank = render_paint_value((double)NAN, 0.0, 1.0);
    assert_true(blank.x == blank.y && blank.y == blank.z);
    blank = render_paint_value((double)NAN, 2.0, 2.0);
    assert_true(blank.x == blank.y && blank.y == blank.z);
}

// The last column of the picture, where a number that runs out of it would leave ink.
static void bars_stay_within_the_picture(void** state) {
    (void)state;
    static uint8_t     pixels[480 * 270 * 3], colors[RENDER_BAR_COLORS][3];
    static const char* names[] = {"a material with a very long name that goes on and on and on", "b"};
    for (int kind = 0; kind < 4; kind++)
        for (int size = 1; size <= 4; size++) {
            int width = 480 / size, height = 270 / size;
            memset(pixels, 255, sizeof pixels);
            render_bar bar = {.title      = kind == 2 ? "a title that is far longer than the bar itself, kg/m2" : "q",
                              .low        = kind == 1 ? -3e38 : 101325.0,
                              .high       = kind == 1 ? 0.0 : 101625.0,
                              .colors     = (const uint8_t(*)[3])colors,
                              .name_count = kind == 3 ? 2 : 0,
                              .names      = names,
                              .has_blank  = kind == 0};
            CHECK_OK(render_bar_draw(pixels, width, height, &bar));
            int ink = 0;
            for (int y = 0; y < height; y++) {
                assert_int_equal(pixels[3 * (y * width + width - 1)], 255);
                for (int x = 0; x < width; x++) ink += pixels[3 * (y * width + x)] < 100;
            }
            assert_true(ink > 10);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ticks_are_round_differ_and_lie_within_the_ends),
        cmocka_unit_test(a_constant_field_has_one_number),
        cmocka_unit_test(what_has_no_number_is_grey),
        cmocka_unit_test(bars_stay_within_the_picture),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
