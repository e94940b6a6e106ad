// SPDX-License-Identifier: MIT
// Exposure, tone mapping and sRGB.
#include "picture/image.h"

#include "base/hash.h"
#include "math/power.h"

enum { ROWS = 16 };

// The film curve of the ACES reference as fitted by K. Narkowicz (2015), at an exposure at which a
// white wall in the sun is just white.
static float filmic(float x) {
    x *= 0.75f;
    return fminf(1.0f, x * (2.51f * x + 0.03f) / (x * (2.43f * x + 0.59f) + 0.14f));
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

static float srgb(const float table[STEPS + 1], float x) {
    float at = sqrtf(x) * STEPS;
    int   k  = at < STEPS ? (int)at : STEPS - 1;
    return table[k] + (at - (float)k) * (table[k + 1] - table[k]);
}

typedef struct developing {
    const shoal_image* image;
    float              gain;
    bool               is_filmic;
    uint8_t*           rgb;
    float              srgb[STEPS + 1];
} developing;

static void develop_rows(void* ctx, int begin, int end, int worker) {
    (void)worker;
    const developing* d     = ctx;
    size_t            width = (size_t)d->image->width;
    for (size_t i = (size_t)begin * width; i < (size_t)end * width; i++) {
        uint64_t noise = shoal_mix64(i);
        for (int k = 0; k < 3; k++, noise >>= 16) {
            float x                   = d->gain * shoal_v3_axis(d->image->light[i], k);
            x                         = x > 0.0f ? fminf(x, 1e6f) : 0.0f; // also where it is not a number
            x                         = srgb(d->srgb, d->is_filmic ? filmic(x) : fminf(x, 1.0f));
            float byte                = 255.0f * x + (float)(noise & 0xffff) * 0x1p-16f;
            d->rgb[3 * i + (size_t)k] = (uint8_t)fminf(byte, 255.0f);
        }
    }
}

void shoal_image_develop(const shoal_image* image, double stops, bool is_filmic, const shoal_exec* exec, uint8_t* rgb) {
    developing d = {.image = image, .gain = (float)exp2(stops), .is_filmic = is_filmic, .rgb = rgb};
    srgb_fill(d.srgb);
    shoal_blocks(exec, image->height, ROWS, develop_rows, &d);
}
