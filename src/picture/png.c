// SPDX-License-Identifier: MIT
// libpng, with our memory, our files and our messages. Only pixels are read and written: no time,
// gamma or text chunk, so nothing but the pixels decides the bytes.
#include "picture/png.h"

#include "io/file.h"

#include <errno.h>
#include <png.h>
#include <setjmp.h>
#include <stdio.h>
#include <string.h>

enum {
    SIDE_MOST  = 65535,
    PIXEL_MOST = 64000000,
    // deflate packs at most 1032 bytes into one: a picture that claims more than that is cut off
    PACKED_MOST = 1032,
    CHUNK_MOST  = 1 << 20, // bytes; larger chunks beside the pixels are dropped
    LEVEL       = 6        // of zlib
};

void shoal_pixels_free(shoal_pixels* pixels) {
    shoal_free(pixels->bytes);
    *pixels = (shoal_pixels){0};
}

// What the callbacks of libpng see.
typedef struct job {
    shoal_out*  out;
    shoal_text* text;  // in its place: memory
    const char* bytes; // to read
    size_t      size, at;
    char        why[128];
} job;

static void* png_take(png_structp png, png_alloc_size_t size) {
    (void)png;
    return shoal_alloc(1, size);
}

static void png_release(png_structp png, void* memory) {
    (void)png;
    shoal_free(memory);
}

static void on_error(png_structp png, const char* text) {
    job* j = png_get_error_ptr(png);
    snprintf(j->why, sizeof j->why, "%s", text);
    png_longjmp(png, 1);
}

static void on_warning(png_structp png, const char* text) {
    (void)png;
    (void)text;
}

// --- writing

static void put_bytes(png_structp png, png_bytep bytes, size_t size) {
    job* j = png_get_io_ptr(png);
    if (j->text)
        shoal_text_add_bytes(j->text, bytes, size);
    else
        shoal_out_add(j->out, bytes, size);
}

static void put_nothing(png_structp png) { (void)png; }

// Charts and diagrams repeat their pixels, and pack better without filters; photographs do not.
static bool is_flat(int width, int height, int channels, const uint8_t* pixels) {
    size_t size = (size_t)channels, count = (size_t)width * (size_t)height, same = 0;
    for (size_t i = 1; i < count; i++) same += memcmp(pixels + i * size, pixels + (i - 1) * size, size) == 0;
    return same * 2 > count;
}

// `is_quick`: for a stream, where time counts more than size.
static bool write_all(png_structp png, png_infop info, job* j, int width, int height, int channels,
                      const uint8_t* pixels, bool is_quick) {
    static const int kinds[] = {PNG_COLOR_TYPE_GRAY, PNG_COLOR_TYPE_GRAY_ALPHA, PNG_COLOR_TYPE_RGB,
                                PNG_COLOR_TYPE_RGB_ALPHA};
    if (setjmp(png_jmpbuf(png))) return false;
    png_set_write_fn(png, j, put_bytes, put_nothing);
    png_set_compression_level(png, is_quick ? 1 : LEVEL);
    png_set_filter(png, PNG_FILTER_TYPE_BASE,
                   is_quick                                   ? PNG_FILTER_SUB
                   : is_flat(width, height, channels, pixels) ? PNG_FILTER_NONE
                                                              : PNG_ALL_FILTERS);
    png_set_IHDR(png, info, (png_uint_32)width, (png_uint_32)height, 8, kinds[channels - 1], PNG_INTERLACE_NONE,
                 PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_write_info(png, info);
    for (int y = 0; y < height; y++) png_write_row(png, pixels + (size_t)y * (size_t)width * (size_t)channels);
    png_write_end(png, info);
    return true;
}

shoal_status shoal_png_write(const char* path, int width, int height, int channels, const uint8_t* pixels) {
    SHOAL_ASSERT(channels >= 1 && channels <= 4);
    if (width < 1 || height < 1 || width > SIDE_MOST || height > SIDE_MOST)
        return shoal_fail(SHOAL_ERR_INPUT, "%s: a picture of %d x %d pixels cannot be written; each side is 1 to %d",
                          path, width, height, SIDE_MOST);
    job         j    = {.out = shoal_alloc(1, sizeof *j.out)};
    png_infop   info = NULL;
    png_structp png =
        png_create_write_struct_2(PNG_LIBPNG_VER_STRING, &j, on_error, on_warning, NULL, png_take, png_release);
    if (png) info = png_create_info_struct(png);
    shoal_status status = j.out && info ? SHOAL_OK : SHOAL_ERR_MEMORY;
    if (status == SHOAL_OK) {
        shoal_out_begin(j.out, path);
        bool is_whole = write_all(png, info, &j, width, height, channels, pixels, false);
        if (!is_whole && j.out->error == 0) j.out->error = EIO;
        status = shoal_out_end(j.out);
    }
    png_destroy_write_struct(&png, &info);
    shoal_free(j.out);
    return status;
}

shoal_status shoal_png_bytes(int width, int height, int channels, const uint8_t* pixels, shoal_text* out) {
    SHOAL_ASSERT(channels >= 1 && channels <= 4 && width > 0 && height > 0 && width <= SIDE_MOST &&
                 height <= SIDE_MOST);
    job         j    = {.text = out};
    png_infop   info = NULL;
    png_structp png =
        png_create_write_struct_2(PNG_LIBPNG_VER_STRING, &j, on_error, on_warning, NULL, png_take, png_release);
    if (png) info = png_create_info_struct(png);
    bool is_whole = info && write_all(png, info, &j, width, height, channels, pixels, true);
    png_destroy_write_struct(&png, &info);
    return is_whole && !out->failed ? SHOAL_OK : shoal_fail(SHOAL_ERR_MEMORY, "no memory for a picture: %s", j.why);
}

// --- reading

static void get_bytes(png_structp png, png_bytep bytes, size_t size) {
    job* j = png_get_io_ptr(png);
    if (size > j->size - j->at) png_error(png, "the file ends too soon");
    memcpy(bytes, j->bytes + j->at, size);
    j->at += size;
}

// The head: checks what it claims before memory is taken, and asks for RGB or RGBA of 8 bits.
static bool read_head(png_structp png, png_infop info, job* j, shoal_pixels* out) {
    if (setjmp(png_jmpbuf(png))) return false;
    png_set_read_fn(png, j, get_bytes);
    png_set_user_limits(png, SIDE_MOST, SIDE_MOST);
    png_set_chunk_malloc_max(png, CHUNK_MOST);
    png_set_keep_unknown_chunks(png, PNG_HANDLE_CHUNK_NEVER, NULL, 0);
    png_read_info(png, info);
    png_uint_32 width = png_get_image_width(png, info), height = png_get_image_height(png, info);
    if ((uint64_t)width * height > PIXEL_MOST) png_error(png, "more than 64 million pixels");
    if (png_get_rowbytes(png, info) * (uint64_t)height > (uint64_t)j->size * PACKED_MOST)
        png_error(png, "the file is too short for its size in pixels");
    png_set_expand(png);
    png_set_scale_16(png);
    png_set_gray_to_rgb(png);
    png_set_interlace_handling(png);
    png_read_update_info(png, info);
    out->width    = (int)width;
    out->height   = (int)height;
    out->channels = png_get_channels(png, info);
    if (png_get_rowbytes(png, info) != (size_t)width * (size_t)out->channels)
        png_error(png, "an unusual kind of pixels");
    return true;
}

static bool read_rows(png_structp png, png_infop info, shoal_pixels* out) {
    if (setjmp(png_jmpbuf(png))) return false;
    int    passes = png_get_interlace_type(png, info) == PNG_INTERLACE_NONE ? 1 : 7;
    size_t row    = (size_t)out->width * (size_t)out->channels;
    for (int pass = 0; pass < passes; pass++)
        for (int y = 0; y < out->height; y++) png_read_row(png, out->bytes + row * (size_t)y, NULL);
    png_read_end(png, NULL);
    return true;
}

shoal_status shoal_png_parse(const char* bytes, size_t size, const char* name, shoal_pixels* out) {
    *out             = (shoal_pixels){0};
    job         j    = {.bytes = bytes, .size = size};
    png_infop   info = NULL;
    png_structp png =
        png_create_read_struct_2(PNG_LIBPNG_VER_STRING, &j, on_error, on_warning, NULL, png_take, png_release);
    if (png) info = png_create_info_struct(png);
    shoal_status status  = info ? SHOAL_OK : SHOAL_ERR_MEMORY;
    bool         is_good = status == SHOAL_OK && read_head(png, info, &j, out);
    if (is_good) {
        out->bytes = shoal_alloc((size_t)out->width * (size_t)out->height, (size_t)out->channels);
        status     = out->bytes ? SHOAL_OK : SHOAL_ERR_MEMORY;
        is_good    = out->bytes && read_rows(png, info, out);
    }
    if (status == SHOAL_OK && !is_good)
        status = shoal_fail(SHOAL_ERR_INPUT, "%s: cannot be read as PNG: %s", name, j.why);
    png_destroy_read_struct(&png, &info, NULL);
    if (status != SHOAL_OK) shoal_pixels_free(out);
    return status;
}

shoal_status shoal_png_read(const char* path, shoal_pixels* out) {
    char*  bytes;
    size_t size;
    *out = (shoal_pixels){0};
    SHOAL_TRY(shoal_file_read(path, &bytes, &size));
    shoal_status status = shoal_png_parse(bytes, size, path, out);
    shoal_free(bytes);
    return status;
}
