// SPDX-License-Identifier: MIT
// Samples of one picture. With `blur: particles` each moment has a surface of its own and its share
// of the samples, so that a drop that flies further than it is thick stays whole [paper 004,
// section 5].
#include "render/shot.h"

#include "picture/denoise.h"
#include "render/optics.h"

typedef struct moment {
    const render_shot* shot;
    double             from, to; // of the whole work
} moment;

static bool moment_goes_on(double part, void* user) {
    const moment* m = user;
    return m->shot->go_on(m->from + (m->to - m->from) * part, m->shot->user);
}

static shoal_status take_moment(const render_shot* shot, int step, int steps,
                                render_pixel* pixels) {
    const shoal_render_settings* s       = shot->settings;
    int                          samples = s->params.samples;
    const render_contents*       contents;
    render_scenery*              scenery;
    moment                       m   = {shot, (double)step / steps, (double)(step + 1) / steps};
    render_job                   job = {.camera     = &shot->camera,
                                        .lights     = &shot->lights,
                                        .width      = s->width,
                                        .height     = s->height,
                                        .bounces    = s->params.bounces,
                                        .seed       = shot->seed,
                                        .first      = (int)((int64_t)samples * step / steps),
                                        .last       = (int)((int64_t)samples * (step + 1) / steps),
                                        .has_motion = s->params.blur == SHOAL_BLUR_VELOCITY,
                                        .pixels     = pixels,
                                        .exec       = shot->exec,
                                        .go_on      = shot->go_on ? moment_goes_on : NULL,
                                        .user       = &m};
    if (job.first == job.last) return SHOAL_OK;
    SHOAL_TRY(shot->contents_at(steps > 1 ? (step + 0.5) / steps : 0.0, shot->user, &contents));
    SHOAL_TRY(render_scenery_create(contents, job.has_motion ? shot->shutter : 0.0, shot->exec,
                                    &scenery));
    shoal_status status = render_tracer_run(render_scenery_tracer(scenery), &job);
    render_scenery_destroy(scenery);
    return status;
}

// Of a mean of n, from the sum of squares.
static float variance_of(float squares, float mean_square, float n) {
    return fmaxf(0.0f, squares / n - mean_square) / n;
}

static shoal_status denoise(const render_shot* shot, const render_pixel* pixels,
                            shoal_image* image) {
    enum { DEPTH, LIGHT_VARIANCE, ALBEDO_VARIANCE, NORMAL_VARIANCE, DEPTH_VARIANCE, NUMBERS };
    size_t    count  = (size_t)image->width * (size_t)image->height;
    float     n      = (float)shot->settings->params.samples;
    shoal_v3* albedo = shoal_alloc(count, 2 * sizeof(shoal_v3) + NUMBERS * sizeof(float));
    if (!albedo) return SHOAL_ERR_MEMORY;
    shoal_v3* normal = albedo + count;
    float*    of[NUMBERS];
    for (int k = 0; k < NUMBERS; k++)
        of[k] = (float*)(normal + count) + (size_t)k * count;
    for (size_t i = 0; i < count; i++) {
        const render_pixel* p    = &pixels[i];
        float               mean = render_luminance(p->light) / n;
        albedo[i]                = shoal_v3_scale(p->albedo, 1.0f / n);
        normal[i]                = shoal_v3_scale(p->normal, 1.0f / n);
        of[DEPTH][i]             = p->depth / n;
        of[LIGHT_VARIANCE][i]    = variance_of(p->square, mean * mean, n);
        of[ALBEDO_VARIANCE][i] =
            variance_of(p->albedo_square, shoal_v3_dot(albedo[i], albedo[i]), n);
        of[NORMAL_VARIANCE][i] =
            variance_of(p->normal_square, shoal_v3_dot(normal[i], normal[i]), n);
        of[DEPTH_VARIANCE][i] = variance_of(p->depth_square, of[DEPTH][i] * of[DEPTH][i], n);
    }
    shoal_hints  hints  = {.albedo          = albedo,
                           .normal          = normal,
                           .depth           = of[DEPTH],
                           .variance        = of[LIGHT_VARIANCE],
                           .albedo_variance = of[ALBEDO_VARIANCE],
                           .normal_variance = of[NORMAL_VARIANCE],
                           .depth_variance  = of[DEPTH_VARIANCE]};
    shoal_status status = shoal_denoise(image, &hints, shot->exec);
    shoal_free(albedo);
    return status;
}

shoal_status render_shot_take(const render_shot* shot, shoal_image* out) {
    const shoal_render_params* p     = &shot->settings->params;
    int                        steps = p->blur == SHOAL_BLUR_PARTICLES ? p->blur_steps : 1;
    *out = (shoal_image){.width = shot->settings->width, .height = shot->settings->height};
    size_t        count  = (size_t)out->width * (size_t)out->height;
    render_pixel* pixels = shoal_alloc(count, sizeof *pixels);
    out->light           = shoal_alloc(count, sizeof *out->light);
    shoal_status status  = pixels && out->light ? SHOAL_OK : SHOAL_ERR_MEMORY;
    if (steps > p->samples) steps = p->samples;
    for (int k = 0; k < steps && status == SHOAL_OK; k++)
        status = take_moment(shot, k, steps, pixels);
    for (size_t i = 0; i < count && status == SHOAL_OK; i++)
        out->light[i] = shoal_v3_scale(pixels[i].light, 1.0f / (float)p->samples);
    if (status == SHOAL_OK && p->denoise) status = denoise(shot, pixels, out);
    shoal_free(pixels);
    if (status == SHOAL_OK) return SHOAL_OK;
    shoal_free(out->light);
    out->light = NULL;
    return status;
}
