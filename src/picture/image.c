// SPDX-License-Identifier: MIT
// Exposure, tone mapping and sRGB.
#include "picture/image.h"

#include "exec/pass.h"
#include "picture/image_local.h"

#include <string.h>

enum { ROWS = 16 }; // of a block

#define X(kind, name) extern const image_loops name;
SHOAL_ISA_SETS(X, image_loops)
#undef X

typedef struct develop_job {
    const shoal_image* image;
    const image_loops* loops;
    float              gain;
    bool               is_filmic;
    uint8_t*           rgb;
    screen_film        film;
} develop_job;

static void develop_rows(void* ctx, int begin, int end, int worker) {
    (void)worker;
    const develop_job* d    = ctx;
    size_t             last = (size_t)end * (size_t)d->image->width;
    for (size_t first = (size_t)begin * (size_t)d->image->width; first < last; first += IMAGE_CHUNK) {
        size_t  count                  = last - first < IMAGE_CHUNK ? last - first : IMAGE_CHUNK;
        float   light[3 * IMAGE_CHUNK] = {0};
        uint8_t rgb[3 * IMAGE_CHUNK];
        memcpy(light, d->image->light + first, count * sizeof *d->image->light);
        d->loops->print(&d->film, light, d->gain, d->is_filmic, first, rgb);
        memcpy(d->rgb + 3 * first, rgb, 3 * count);
    }
}

float shoal_image_gain(double stops) { return (float)exp2(stops); }

void shoal_image_develop(const shoal_image* image, double stops, bool is_filmic, const shoal_exec* exec, uint8_t* rgb) {
    static const shoal_by_isa loops = {{SHOAL_WIDE_ROWS(image_loops)}};
    develop_job               d     = {.image     = image,
                                       .loops     = shoal_isa_choose(&loops, shoal_isa_best()),
                                       .gain      = shoal_image_gain(stops),
                                       .is_filmic = is_filmic,
                                       .rgb       = rgb};
    d.film                          = screen_film_make();
    shoal_blocks(exec, image->height, ROWS, develop_rows, &d);
}
