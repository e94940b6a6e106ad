// SPDX-License-Identifier: MIT
// PNG files: 8 bits per channel, rows from the top. The same pixels give the same bytes.
#ifndef SHOAL_PNG_H
#define SHOAL_PNG_H

#include "base/memory.h"

// A picture of bytes; rows from the top, without gaps.
typedef struct shoal_pixels {
    int      width, height;
    int      channels; // 1 grey, 2 grey and alpha, 3 RGB, 4 RGBA
    uint8_t* bytes;    // [width * height * channels]
} shoal_pixels;
void shoal_pixels_free(shoal_pixels* pixels);

// Appears whole or not at all. A size of zero is refused with SHOAL_ERR_INPUT.
shoal_status shoal_png_write(const char* path, int width, int height, int channels, const uint8_t* pixels);

// Added to `out`, packed for speed; other bytes than those of a file, the same pixels.
shoal_status shoal_png_bytes(int width, int height, int channels, const uint8_t* pixels, shoal_text* out);

// Any PNG as RGB, or RGBA where it has transparency; palettes, grey and 16 bits are converted.
// SHOAL_ERR_INPUT when it is damaged, no PNG, or larger than 64 million pixels.
shoal_status shoal_png_read(const char* path, shoal_pixels* out);
// The same from memory; `name` stands for the file in messages.
shoal_status shoal_png_parse(const char* bytes, size_t size, const char* name, shoal_pixels* out);

#endif
