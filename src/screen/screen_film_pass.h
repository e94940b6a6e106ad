// SPDX-License-Identifier: MIT
// From light to bytes: exposure, tone mapping, sRGB; in the common ground of C17 and C++.
#ifndef SHOAL_SCREEN_FILM_PASS_H
#define SHOAL_SCREEN_FILM_PASS_H

#include "base/hash.h"
#include "math/power.h"

SHOAL_FN float screen_at_most(float x, float most) { return x < most ? x : most; } // fminf is a call

// The film curve of the ACES reference as fitted by K. Narkowicz (2015), at an exposure at which a
// white wall in the sun is just white.
SHOAL_FN float screen_filmic(float x) {
    x *= 0.75f;
    return screen_at_most(x * (2.51f * x + 0.03f) / (x * (2.43f * x + 0.59f) + 0.14f), 1.0f);
}

// sRGB of x in [0, 1], linear between values over its root: within 2e-6, a thousandth of a byte, and of a power of our
// own, so that a picture has the same bytes with any library of mathematics.
enum { SCREEN_FILM_STEPS = 4096 };
typedef struct screen_film {
    float srgb[SCREEN_FILM_STEPS + 1];
} screen_film;

SHOAL_FN screen_film screen_film_make(void) {
    screen_film film;
    for (int k = 0; k <= SCREEN_FILM_STEPS; k++) {
        double x     = (double)k / SCREEN_FILM_STEPS * ((double)k / SCREEN_FILM_STEPS);
        film.srgb[k] = (float)(x <= 0.0031308 ? 12.92 * x : 1.055 * shoal_power(x, 1.0 / 2.4) - 0.055);
    }
    return film;
}

// SCREEN_FILM_STEPS times the root of what the film has of a value. Without a branch or a call.
SHOAL_FN float screen_expose(float light, float gain, int is_filmic) {
    float x     = gain * light;
    x           = x > 0.0f ? screen_at_most(x, 1e6f) : 0.0f; // also where it is not a number
    float curve = screen_filmic(x), line = screen_at_most(x, 1.0f);
    return sqrtf(is_filmic ? curve : line) * SCREEN_FILM_STEPS;
}

// Noise of a pixel by its number, for each of its three values, in [0, 1).
SHOAL_FN void screen_noise(size_t pixel, float noise[3]) {
    uint64_t bits = shoal_mix64(pixel);
    for (int c = 0; c < 3; c++) noise[c] = (float)(int)(bits >> 16 * c & 0xffff) * 0x1p-16f;
}

// A byte from what was exposed, dithered.
SHOAL_FN uint8_t screen_print(const screen_film* film, float at, float noise) {
    int   k    = at < SCREEN_FILM_STEPS ? (int)at : SCREEN_FILM_STEPS - 1;
    float srgb = film->srgb[k] + (at - (float)k) * (film->srgb[k + 1] - film->srgb[k]);
    return (uint8_t)(int)screen_at_most(255.0f * srgb + noise, 255.0f);
}

#endif
