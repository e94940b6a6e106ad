// SPDX-License-Identifier: MIT
// The filter of Dammertz et al. (Edge-Avoiding A-Trous Wavelet Transform, 2010) with the variance
// of Schied et al. (SVGF, 2017): a 5 x 5 kernel, four times, its steps doubling. The albedo is
// divided out first, so that the pattern of a floor is not smoothed. What is known of a pixel is
// noisy itself where things move: differences count as far as that noise does not explain them
// [Rousselle et al., Robust Denoising using Feature and Color Information, 2013]. Light is compared
// by its means over 3 x 3 pixels, which know edges from noise three times better than pixels do.
#include "picture/denoise.h"

#include <string.h>

enum { PASSES = 4, ALBEDO_PASSES = 2, ROWS = 8, REACH = 2 };
#define ALBEDO_LEAST 0.05f
#define NORMAL_WIDTH 0.35f
#define ALBEDO_WIDTH 0.20f
#define DEPTH_WIDTH 0.02f // of the depth itself, per pixel of distance
#define LIGHT_WIDTH 1.45f // standard deviations of a mean
#define SHARED 0.6f       // of the variance stays in a mean of pixels that share their noise
#define NOISE_MOST 1.0f   // variances of a difference that are taken for noise
#define UNLIKE_MOST 16.0f // what is less like than this has no weight: e^-16 is 1e-7

typedef struct smooth_job {
    int                width, height, step;
    const shoal_hints* hints;
    const shoal_v3*    light;
    const float*       variance;
    float *            mean, *mean_variance; // of the luminance over 3 x 3 pixels
    shoal_v3*          light_out;
    float*             variance_out;
} smooth_job;

static float luminance(shoal_v3 a) { return 0.2126f * a.x + 0.7152f * a.y + 0.0722f * a.z; }

static float square(shoal_v3 a) { return shoal_v3_dot(a, a); }

// The variance of few samples is noisy itself; that of a mean, from that of nine, is less so.
static void mean_rows(void* ctx, int begin, int end, int worker) {
    (void)worker;
    const smooth_job* s = ctx;
    for (int y = begin; y < end; y++)
        for (int x = 0; x < s->width; x++) {
            float sum = 0.0f, weight = 0.0f, variance = 0.0f, squares = 0.0f;
            for (int k = 0; k < 9; k++) {
                int dx = k % 3 - 1, dy = k / 3 - 1, i = x + dx, j = y + dy;
                if (i < 0 || j < 0 || i >= s->width || j >= s->height) continue;
                size_t q = (size_t)j * (size_t)s->width + (size_t)i;
                float  w = (float)((2 - dx * dx) * (2 - dy * dy));
                sum += w * luminance(s->light[q]);
                variance += w * s->variance[q];
                weight += w;
                squares += w * w;
            }
            size_t p   = (size_t)y * (size_t)s->width + (size_t)x;
            s->mean[p] = sum / weight;
            // after the first pass neighbours share their noise
            s->mean_variance[p] = variance / weight * (s->step == 1 ? squares / (weight * weight) : SHARED);
        }
}

// What the noise of both leaves of the square of a difference.
static float sure(float squared, const float* variance, size_t p, size_t q) {
    float left = variance ? squared - NOISE_MOST * (variance[p] + variance[q]) : squared;
    return left > 0.0f ? left : 0.0f;
}

// How much pixel q says about pixel p, light apart.
static float likeness(const shoal_hints* h, size_t p, size_t q, float distance) {
    float normal = sure(square(shoal_v3_sub(h->normal[p], h->normal[q])), h->normal_variance, p, q);
    float albedo = sure(square(shoal_v3_sub(h->albedo[p], h->albedo[q])), h->albedo_variance, p, q);
    float apart  = h->depth[p] - h->depth[q];
    float depth  = sqrtf(sure(apart * apart, h->depth_variance, p, q));
    float scale  = DEPTH_WIDTH * distance * fmaxf(h->depth[p], h->depth[q]) + 1e-12f;
    return normal / (NORMAL_WIDTH * NORMAL_WIDTH) + albedo / (ALBEDO_WIDTH * ALBEDO_WIDTH) + depth / scale;
}

static void smooth_pixel(const smooth_job* s, int x, int y) {
    static const float kernel[REACH + 1] = {3.0f / 8.0f, 1.0f / 4.0f, 1.0f / 16.0f};
    size_t             p                 = (size_t)y * (size_t)s->width + (size_t)x;
    float              lit = s->mean[p], narrow = s->mean_variance[p];
    shoal_v3           sum    = shoal_v3_make(0.0f, 0.0f, 0.0f);
    float              weight = 0.0f, variance = 0.0f;
    for (int dy = -REACH; dy <= REACH; dy++)
        for (int dx = -REACH; dx <= REACH; dx++) {
            int i = x + dx * s->step, j = y + dy * s->step;
            if (i < 0 || j < 0 || i >= s->width || j >= s->height) continue;
            size_t q        = (size_t)j * (size_t)s->width + (size_t)i;
            float  distance = (float)s->step * sqrtf((float)(dx * dx + dy * dy));
            float  apart = s->mean[q] - lit, both = narrow + s->mean_variance[q];
            float  unlike = apart * apart / (LIGHT_WIDTH * LIGHT_WIDTH * both + 1e-8f);
            if (unlike > UNLIKE_MOST) continue;
            unlike += likeness(s->hints, p, q, distance);
            if (unlike > UNLIKE_MOST) continue;
            float w = kernel[dx < 0 ? -dx : dx] * kernel[dy < 0 ? -dy : dy] * expf(-unlike);
            sum     = shoal_v3_add_scaled(sum, s->light[q], w);
            variance += w * w * s->variance[q];
            weight += w;
        }
    s->light_out[p]    = shoal_v3_scale(sum, 1.0f / weight);
    s->variance_out[p] = variance / (weight * weight);
}

static void smooth_rows(void* ctx, int begin, int end, int worker) {
    (void)worker;
    const smooth_job* s = ctx;
    for (int y = begin; y < end; y++)
        for (int x = 0; x < s->width; x++) smooth_pixel(s, x, y);
}

// The albedo of what moves is as noisy as its light, and would bring the noise back; a sharp one
// has no noise and stays.
static void albedo_rows(void* ctx, int begin, int end, int worker) {
    (void)worker;
    const smooth_job* s = ctx;
    for (int y = begin; y < end; y++)
        for (int x = 0; x < s->width; x++) {
            size_t   p      = (size_t)y * (size_t)s->width + (size_t)x;
            shoal_v3 sum    = shoal_v3_make(0.0f, 0.0f, 0.0f);
            float    weight = 0.0f;
            for (int k = 0; k < (2 * REACH + 1) * (2 * REACH + 1); k++) {
                int dx = k % (2 * REACH + 1) - REACH, dy = k / (2 * REACH + 1) - REACH;
                int i = x + dx * s->step, j = y + dy * s->step;
                if (i < 0 || j < 0 || i >= s->width || j >= s->height) continue;
                size_t q        = (size_t)j * (size_t)s->width + (size_t)i;
                float  distance = (float)s->step * sqrtf((float)(dx * dx + dy * dy));
                float  unlike   = likeness(s->hints, p, q, distance);
                if (unlike > UNLIKE_MOST) continue;
                float w = expf(-unlike);
                sum     = shoal_v3_add_scaled(sum, s->light[q], w);
                weight += w;
            }
            s->light_out[p] = shoal_v3_scale(sum, 1.0f / weight);
        }
}

static shoal_v3 floored(shoal_v3 a) {
    return shoal_v3_make(fmaxf(a.x, ALBEDO_LEAST), fmaxf(a.y, ALBEDO_LEAST), fmaxf(a.z, ALBEDO_LEAST));
}

shoal_status shoal_denoise(shoal_image* image, const shoal_hints* hints, const shoal_exec* exec) {
    size_t    count  = (size_t)image->width * (size_t)image->height;
    shoal_v3* lights = shoal_alloc(4 * count, sizeof *lights);
    float*    spread = shoal_alloc(4 * count, sizeof *spread);
    if (!lights || !spread) {
        shoal_free(spread);
        shoal_free(lights);
        return SHOAL_ERR_MEMORY;
    }
    shoal_v3*  albedos = lights + 2 * count;
    smooth_job s       = {.width         = image->width,
                          .height        = image->height,
                          .hints         = hints,
                          .mean          = spread + 2 * count,
                          .mean_variance = spread + 3 * count};
    for (int pass = 0; pass < ALBEDO_PASSES; pass++) {
        s.step      = 1 << pass;
        s.light     = pass == 0 ? hints->albedo : albedos + count;
        s.light_out = pass == ALBEDO_PASSES - 1 ? albedos : albedos + count;
        shoal_blocks(exec, s.height, ROWS, albedo_rows, &s);
    }
    for (size_t i = 0; i < count; i++) {
        shoal_v3 a = floored(albedos[i]), l = image->light[i];
        lights[i]  = shoal_v3_make(l.x / a.x, l.y / a.y, l.z / a.z);
        float mean = luminance(a);
        spread[i]  = hints->variance[i] / (mean * mean);
    }
    for (int pass = 0; pass < PASSES; pass++) {
        size_t from = pass % 2 ? count : 0, to = count - from;
        s.step         = 1 << pass;
        s.light        = lights + from;
        s.variance     = spread + from;
        s.light_out    = lights + to;
        s.variance_out = spread + to;
        shoal_blocks(exec, s.height, ROWS, mean_rows, &s);
        shoal_blocks(exec, s.height, ROWS, smooth_rows, &s);
    }
    const shoal_v3* last = lights + (PASSES % 2 ? count : 0);
    for (size_t i = 0; i < count; i++) {
        shoal_v3 a      = floored(albedos[i]);
        image->light[i] = shoal_v3_make(last[i].x * a.x, last[i].y * a.y, last[i].z * a.z);
    }
    shoal_free(spread);
    shoal_free(lights);
    return SHOAL_OK;
}
