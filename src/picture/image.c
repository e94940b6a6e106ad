// SPDX-License-Identifier: MIT
// Exposure, tone mapping and sRGB.
#include "picture/image.h"

#include "base/hash.h"
#include "math/power.h"

#include <string.h>

enum { ROWS = 16, CHUNK = 64 }; // rows of a block, pixels done side by side

static float at_most(float x, float most) { return x < most ? x : most; } // fminf is a call

// The film curve of the ACES reference as fitted by K. Narkowicz (2015), at an exposure at which a
// white wall in the sun is just white.
static float filmic(float x) {
    x *= 0.75f;
    return at_most(x * (2.51f * x + 0.03f) / (x * (2.43f * x + 0.59f) + 0.14f), 1.0f);
}

// sRGB of x in [0, 1], linear between STEPS + 1 values over its root: within 2e-6, a thousandth of a byte, and of a
// power of our own, so that a picture has the same bytes with any library of mathematics.
enum { STEPS = 4096 };

static void srgb_fill(float table[STEPS + 1]) {
    for (int k = 0; k <= STEPS; k++) {
        double x = (double)k / STEPS * ((double)k / STEPS);
        table[k] = (float)(x <= 0.0031308 ? 12.92 * x : 1.055 * shoal_power(x, 1.0 / 2.4) - 0.055);
    }
}

static float srgb(const float table[STEPS + 1], float at) { // at: STEPS times the root
    int k = at < STEPS ? (int)at : STEPS - 1;
    return table[k] + (at - (float)k) * (table[k + 1] - table[k]);
}

typedef struct developing {
    const shoal_image* image;
    float              gain;
    bool               is_filmic;
    uint8_t*           rgb;
    float              srgb[STEPS + 1];
} developing;

// STEPS times the root of what the film has of each value: side by side, without a branch or a call.
static void expose(const float* restrict light, float gain, bool is_filmic, float* restrict at) {
    for (int k = 0; k < 3 * CHUNK; k++) {
        float x     = gain * light[k];
        x           = x > 0.0f ? at_most(x, 1e6f) : 0.0f; // also where it is not a number
        float curve = filmic(x), line = at_most(x, 1.0f);
        at[k] = sqrtf(is_filmic ? curve : line) * STEPS;
    }
}

static void develop_rows(void* ctx, int begin, int end, int worker) {
    (void)worker;
    const developing* d    = ctx;
    size_t            last = (size_t)end * (size_t)d->image->width;
    for (size_t first = (size_t)begin * (size_t)d->image->width; first < last; first += CHUNK) {
        size_t count            = last - first < CHUNK ? last - first : CHUNK;
        float  light[3 * CHUNK] = {0}, at[3 * CHUNK];
        memcpy(light, d->image->light + first, count * sizeof *d->image->light);
        expose(light, d->gain, d->is_filmic, at);
        for (size_t i = 0; i < count; i++) {
            uint64_t noise = shoal_mix64(first + i);
            for (size_t k = 0; k < 3; k++, noise >>= 16) {
                float byte = 255.0f * srgb(d->srgb, at[3 * i + k]) + (float)(noise & 0xffff) * 0x1p-16f;
                d->rgb[3 * (first + i) + k] = (uint8_t)at_most(byte, 255.0f);
            }
        }
    }
}

void shoal_image_develop(const shoal_image* image, double stops, bool is_filmic, const shoal_exec* exec, uint8_t* rgb) {
    developing d = {.image = image, .gain = (float)exp2(stops), .is_filmic = is_filmic, .rgb = rgb};
    srgb_fill(d.srgb);
    shoal_blocks(exec, image->height, ROWS, develop_rows, &d);
}
