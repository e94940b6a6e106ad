// SPDX-License-Identifier: MIT
// Exposure, tone mapping and sRGB.
#include "picture/image.h"

#include "base/hash.h"

enum { ROWS = 16 };

// The film curve of the ACES reference as fitted by K. Narkowicz (2015), at an exposure at which a
// white wall in the sun is just white.
static float filmic(float x) {
    x *= 0.75f;
    return fminf(1.0f, x * (2.51f * x + 0.03f) / (x * (2.43f * x + 0.59f) + 0.14f));
}

static float srgb(float x) { return x <= 0.0031308f ? 12.92f * x : 1.055f * powf(x, 1.0f / 2.4f) - 0.055f; }

typedef struct developing {
    const shoal_image* image;
    float              gain;
    bool               is_filmic;
    uint8_t*           rgb;
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
            x                         = srgb(d->is_filmic ? filmic(x) : fminf(x, 1.0f));
            float byte                = 255.0f * x + (float)(noise & 0xffff) * 0x1p-16f;
            d->rgb[3 * i + (size_t)k] = (uint8_t)fminf(byte, 255.0f);
        }
    }
}

void shoal_image_develop(const shoal_image* image, double stops, bool is_filmic, const shoal_exec* exec, uint8_t* rgb) {
    developing d = {image, (float)exp2(stops), is_filmic, rgb};
    shoal_blocks(exec, image->height, ROWS, develop_rows, &d);
}
