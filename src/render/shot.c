// SPDX-License-Identifier: MIT
// Samples of one picture. With `blur: particles` each moment has a surface of its own and its fraction
// of the samples, so that a drop that flies further than it is thick stays whole [Zhu & Bridson 2005,
// section 5].
#include "render/shot.h"

#include "picture/denoise.h"
#include "render/optics.h"

#include <string.h>

typedef struct moment {
    const render_shot* shot;
    double             from, to; // of the whole work
} moment;

static bool moment_goes_on(double part, void* user) {
    const moment* m = user;
    return m->shot->go_on(m->from + (m->to - m->from) * part, m->shot->user);
}

static shoal_status take_moment(const render_shot* shot, int step, int steps, render_pixel* pixels) {
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
    SHOAL_TRY(render_scenery_create(contents, job.has_motion ? shot->shutter : 0.0, shot->exec, &scenery));
    shoal_status status = render_tracer_run(render_scenery_tracer(scenery), &job);
    render_scenery_destroy(scenery);
    return status;
}

static shoal_v3 mean_light(const render_pixel* p) {
    shoal_v3 sum = shoal_v3_add(p->half[0].light, p->half[1].light);
    return shoal_v3_scale(sum, 1.0f / (p->half[0].count + p->half[1].count));
}

// Of the mean of both, from the squared distance of one half's from the other's; of a single
// sample, as much as it is itself.
static float variance_of(const render_pixel* p, float apart, float itself) {
    float a = p->half[0].count, b = p->half[1].count, n = a + b;
    return a > 0.0f && b > 0.0f ? apart * a * b / (n * n) : itself;
}

static float squared(shoal_v3 a) { return shoal_v3_dot(a, a); }

enum { DEPTH, LIGHT_VARIANCE, ALBEDO_VARIANCE, NORMAL_VARIANCE, DEPTH_VARIANCE, NUMBERS };

static void take_hints(const render_pixel* p, size_t i, shoal_v3* albedo, shoal_v3* normal, float* of[NUMBERS]) {
    const render_sum *a = &p->half[0], *b = &p->half[1];
    float n = 1.0f / (a->count + b->count), na = 1.0f / fmaxf(a->count, 1.0f), nb = 1.0f / fmaxf(b->count, 1.0f);
    albedo[i]              = shoal_v3_scale(shoal_v3_add(a->albedo, b->albedo), n);
    normal[i]              = shoal_v3_scale(shoal_v3_add(a->normal, b->normal), n);
    of[DEPTH][i]           = n * (a->depth + b->depth);
    float light            = render_luminance(mean_light(p)),
          apart            = na * render_luminance(a->light) - nb * render_luminance(b->light),
          deeper           = na * a->depth - nb * b->depth;
    shoal_v3 paler         = shoal_v3_sub(shoal_v3_scale(a->albedo, na), shoal_v3_scale(b->albedo, nb));
    shoal_v3 turned        = shoal_v3_sub(shoal_v3_scale(a->normal, na), shoal_v3_scale(b->normal, nb));
    of[LIGHT_VARIANCE][i]  = variance_of(p, apart * apart, light * light);
    of[ALBEDO_VARIANCE][i] = variance_of(p, squared(paler), squared(albedo[i]));
    of[NORMAL_VARIANCE][i] = variance_of(p, squared(turned), squared(normal[i]));
    of[DEPTH_VARIANCE][i]  = variance_of(p, deeper * deeper, of[DEPTH][i] * of[DEPTH][i]);
}

// One difference says little of a variance; the mean over 5 x 5 pixels. `scratch` is for one number
// each.
static void steady(float* values, float* scratch, int width, int height) {
    enum { REACH = 2 };
    for (int axis = 0; axis < 2; axis++) {
        int step = axis == 0 ? 1 : width, length = axis == 0 ? width : height;
        for (int i = 0; i < width * height; i++) {
            int   at = axis == 0 ? i % width : i / width, count = 0;
            float sum = 0.0f;
            for (int k = -REACH; k <= REACH; k++) {
                if (at + k < 0 || at + k >= length) continue;
                sum += values[i + k * step];
                count++;
            }
            scratch[i] = sum / (float)count;
        }
        memcpy(values, scratch, (size_t)width * (size_t)height * sizeof *values);
    }
}

static shoal_status denoise(const render_shot* shot, const render_pixel* pixels, shoal_image* image) {
    size_t    count  = (size_t)image->width * (size_t)image->height;
    shoal_v3* albedo = shoal_alloc(count, 2 * sizeof(shoal_v3) + (NUMBERS + 1) * sizeof(float));
    if (!albedo) return SHOAL_ERR_MEMORY;
    shoal_v3* normal = albedo + count;
    float*    of[NUMBERS + 1]; // the last is scratch
    for (int k = 0; k <= NUMBERS; k++) of[k] = (float*)(normal + count) + (size_t)k * count;
    for (size_t i = 0; i < count; i++) take_hints(&pixels[i], i, albedo, normal, of);
    for (int k = LIGHT_VARIANCE; k < NUMBERS; k++) steady(of[k], of[NUMBERS], image->width, image->height);
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
    *out                             = (shoal_image){.width = shot->settings->width, .height = shot->settings->height};
    size_t        count              = (size_t)out->width * (size_t)out->height;
    render_pixel* pixels             = shoal_alloc(count, sizeof *pixels);
    out->light                       = shoal_alloc(count, sizeof *out->light);
    shoal_status status              = pixels && out->light ? SHOAL_OK : SHOAL_ERR_MEMORY;
    if (steps > p->samples) steps = p->samples;
    for (int k = 0; k < steps && status == SHOAL_OK; k++) status = take_moment(shot, k, steps, pixels);
    for (size_t i = 0; i < count && status == SHOAL_OK; i++) out->light[i] = mean_light(&pixels[i]);
    if (status == SHOAL_OK && p->denoise) status = denoise(shot, pixels, out);
    shoal_free(pixels);
    if (status == SHOAL_OK) return SHOAL_OK;
    shoal_free(out->light);
    out->light = NULL;
    return status;
}
