// SPDX-License-Identifier: MIT
// Pixels to PNG and back; damaged files give a message.
#include "unit/check.h"

#include "base/memory.h"
#include "io/file.h"
#include "picture/png.h"
#include "unit/io/scratch.h"

enum { WIDTH = 37, HEIGHT = 23 };

static void fill(uint8_t* bytes, size_t size) {
    for (size_t i = 0; i < size; i++) bytes[i] = (uint8_t)(i * 97 + i / 11);
}

static void pixels_come_back_as_they_were(void** state) {
    (void)state;
    uint8_t bytes[WIDTH * HEIGHT * 4];
    fill(bytes, sizeof bytes);
    for (int channels = 3; channels <= 4; channels++) {
        shoal_pixels back;
        CHECK_OK(shoal_png_write(scratch_path("a.png"), WIDTH, HEIGHT, channels, bytes));
        CHECK_OK(shoal_png_read(scratch_path("a.png"), &back));
        assert_int_equal(back.width, WIDTH);
        assert_int_equal(back.height, HEIGHT);
        assert_int_equal(back.channels, channels);
        assert_memory_equal(back.bytes, bytes, (size_t)(WIDTH * HEIGHT * channels));
        shoal_pixels_free(&back);
    }
}

static void grey_comes_back_as_colour(void** state) {
    (void)state;
    uint8_t bytes[WIDTH * HEIGHT * 2];
    fill(bytes, sizeof bytes);
    for (int channels = 1; channels <= 2; channels++) {
        shoal_pixels back;
        CHECK_OK(shoal_png_write(scratch_path("g.png"), WIDTH, HEIGHT, channels, bytes));
        CHECK_OK(shoal_png_read(scratch_path("g.png"), &back));
        assert_int_equal(back.channels, channels + 2);
        for (int i = 0; i < WIDTH * HEIGHT; i++)
            for (int k = 0; k < 3; k++) assert_int_equal(back.bytes[i * back.channels + k], bytes[i * channels]);
        shoal_pixels_free(&back);
    }
}

static void the_same_pixels_give_the_same_bytes(void** state) {
    (void)state;
    uint8_t bytes[WIDTH * HEIGHT * 3];
    char *  a, *b;
    size_t  a_size, b_size;
    fill(bytes, sizeof bytes);
    CHECK_OK(shoal_png_write(scratch_path("one.png"), WIDTH, HEIGHT, 3, bytes));
    CHECK_OK(shoal_png_write(scratch_path("two.png"), WIDTH, HEIGHT, 3, bytes));
    CHECK_OK(shoal_file_read(scratch_path("one.png"), &a, &a_size));
    CHECK_OK(shoal_file_read(scratch_path("two.png"), &b, &b_size));
    assert_int_equal(a_size, b_size);
    assert_memory_equal(a, b, a_size);
    shoal_free(a);
    shoal_free(b);
}

static void a_picture_cut_off_anywhere_is_refused(void** state) {
    (void)state;
    uint8_t bytes[WIDTH * HEIGHT * 3];
    char*   file;
    size_t  size;
    fill(bytes, sizeof bytes);
    CHECK_OK(shoal_png_write(scratch_path("c.png"), WIDTH, HEIGHT, 3, bytes));
    CHECK_OK(shoal_file_read(scratch_path("c.png"), &file, &size));
    for (size_t length = 0; length + 12 < size; length += 7) {
        shoal_pixels back;
        assert_int_equal(shoal_png_parse(file, length, "c.png", &back), SHOAL_ERR_INPUT);
        assert_null(back.bytes);
        assert_non_null(strstr(shoal_last_error(), "c.png: cannot be read as PNG: "));
    }
    shoal_free(file);
}

// Width and height of 7936, with the right checksum, in the head of a file of a few bytes.
static void a_head_that_claims_too_much_takes_no_memory(void** state) {
    (void)state;
    uint8_t      bytes[3 * 4] = {0};
    char*        file;
    size_t       size;
    shoal_pixels back;
    CHECK_OK(shoal_png_write(scratch_path("h.png"), 2, 2, 3, bytes));
    CHECK_OK(shoal_file_read(scratch_path("h.png"), &file, &size));
    const uint8_t head[] = {0x00, 0x00, 0x1f, 0x00, 0x00, 0x00, 0x1f, 0x00, 8, 2, 0, 0, 0, 0x18, 0x71, 0x37, 0x6f};
    memcpy(file + 16, head, sizeof head);
    size_t before = shoal_memory_in_use();
    assert_int_equal(shoal_png_parse(file, size, "h.png", &back), SHOAL_ERR_INPUT);
    assert_non_null(strstr(shoal_last_error(), "too short for its size"));
    assert_int_equal(shoal_memory_in_use(), before);
    shoal_free(file);
}

static void empty_pictures_and_bad_places_are_refused(void** state) {
    (void)state;
    uint8_t      byte[3] = {0};
    shoal_pixels back;
    assert_int_equal(shoal_png_write(scratch_path("e.png"), 0, 1, 3, byte), SHOAL_ERR_INPUT);
    assert_int_equal(shoal_png_write(scratch_path("e.png"), 1, -1, 3, byte), SHOAL_ERR_INPUT);
    assert_int_equal(shoal_png_write(scratch_path("none/e.png"), 1, 1, 3, byte), SHOAL_ERR_OUTPUT);
    assert_int_equal(shoal_png_read(scratch_path("none.png"), &back), SHOAL_ERR_FILE);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pixels_come_back_as_they_were),
        cmocka_unit_test(grey_comes_back_as_colour),
        cmocka_unit_test(the_same_pixels_give_the_same_bytes),
        cmocka_unit_test(a_picture_cut_off_anywhere_is_refused),
        cmocka_unit_test(a_head_that_claims_too_much_takes_no_memory),
        cmocka_unit_test(empty_pictures_and_bad_places_are_refused),
    };
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
