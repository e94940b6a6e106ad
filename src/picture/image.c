// SPDX-License-Identifier: MIT
// Exposure, tone mapping and sRGB.
#include "picture/image.h"

#include "screen/screen_film_pass.h"

#include <string.h>

enum { ROWS = 16, CHUNK = 64 }; // rows of a block, pixels done side by side

typedef struct developing {
    const shoal_image* image;
    float              gain;
    bool               is_filmic;
    uint8_t*           rgb;
    screen_film        film;
} developing;

static void expose(const float* restrict light, float gain, bool is_filmic, float* restrict at) {
    for (int k = 0; k < 3 * CHUNK; k++) at[k] = screen_expose(light[k], gain, is_filmic);
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
        for (size_t i = 0; i < count; i++) screen_print(&d->film, at + 3 * i, first + i, d->rgb + 3 * (first + i));
    }
}

float shoal_image_gain(double stops) { return (float)exp2(stops); }

void shoal_image_develop(const shoal_image* image, double stops, bool is_filmic, const shoal_exec* exec, uint8_t* rgb) {
    developing d = {.image = image, .gain = shoal_image_gain(stops), .is_filmic = is_filmic, .rgb = rgb};
    d.film       = screen_film_make();
    shoal_blocks(exec, image->height, ROWS, develop_rows, &d);
}
