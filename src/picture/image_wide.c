// SPDX-License-Identifier: MIT
// From light to bytes, compiled once per instruction set: values by themselves, without branches, that the compiler
// lays into lanes. All sets give the bytes of the pass (screen/screen_film_pass.h).
#include "math/wide.h"
#include "picture/image_local.h"

enum { VALUES = 3 * IMAGE_CHUNK };

static void print(const screen_film* film, const float* restrict light, float gain, bool is_filmic, size_t first,
                  uint8_t* restrict rgb) {
    float at[VALUES], noise[VALUES];
    for (int k = 0; k < VALUES; k++) at[k] = screen_expose(light[k], gain, is_filmic);
    for (size_t i = 0; i < IMAGE_CHUNK; i++) screen_noise(first + i, noise + 3 * i);
    for (int k = 0; k < VALUES; k++) rgb[k] = screen_print(film, at[k], noise[k]);
}

extern const image_loops SHOAL_WIDE_NAME(image_loops);
const image_loops        SHOAL_WIDE_NAME(image_loops) = {print};
