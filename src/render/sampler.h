// SPDX-License-Identifier: MIT
// Well spread random numbers for the samples of a pixel: pairs of the Sobol sequence, shuffled and
// scrambled anew for each pair of dimensions [Burley, Practical Hash-based Owen Scrambling, JCGT
// 2020]. A number is a function of (seed, pixel, sample, dimension), so threads do not matter.
#ifndef SHOAL_RENDER_SAMPLER_H
#define SHOAL_RENDER_SAMPLER_H

#include "base/hash.h"

typedef struct render_sampler {
    uint64_t pixel;     // seed and place of the pixel, mixed
    uint32_t sample;    // its bits reversed
    uint32_t dimension; // of the next pair
} render_sampler;

static inline uint32_t render_reverse(uint32_t x) {
    x = __builtin_bswap32(x);
    x = ((x & 0x0f0f0f0fu) << 4) | ((x & 0xf0f0f0f0u) >> 4);
    x = ((x & 0x33333333u) << 2) | ((x & 0xccccccccu) >> 2);
    return ((x & 0x55555555u) << 1) | ((x & 0xaaaaaaaau) >> 1);
}

static inline render_sampler render_sampler_make(uint64_t seed, int pixel, int sample) {
    return (render_sampler){shoal_mix64(seed ^ shoal_mix64((uint64_t)pixel)), render_reverse((uint32_t)sample), 0};
}

// Owen scrambling of reversed bits, by the hash of Laine and Karras with Burley's constants.
static inline uint32_t render_scramble(uint32_t x, uint32_t seed) {
    x += seed;
    x ^= x * 0x6c50b47cu;
    x ^= x * 0xb82f1e52u;
    x ^= x * 0xc7afe638u;
    x ^= x * 0x8d22f6e6u;
    return x;
}

static inline float render_unit(uint32_t bits) { return (float)(bits >> 8) * 0x1p-24f; }

// The second dimension of the sequence, bits reversed: bit j is the parity of the bits k of n whose
// number holds all of j (its matrix is Pascal's triangle modulo 2).
static inline uint32_t render_sobol_reversed(uint32_t n) {
    n ^= n >> 16;
    n ^= (n & 0xff00ff00u) >> 8;
    n ^= (n & 0xf0f0f0f0u) >> 4;
    n ^= (n & 0xccccccccu) >> 2;
    return n ^ ((n & 0xaaaaaaaau) >> 1);
}

// The next pair, each in [0, 1).
static inline void render_sample2(render_sampler* s, float* u, float* v) {
    uint64_t key   = shoal_mix64(s->pixel ^ ((uint64_t)s->dimension++ << 40));
    uint32_t order = (uint32_t)key, seed = (uint32_t)(key >> 32);
    uint32_t n = render_reverse(render_scramble(s->sample, order));
    // the first dimension is n with its bits reversed, and scrambling wants them reversed again
    *u = render_unit(render_reverse(render_scramble(n, seed)));
    *v = render_unit(render_reverse(render_scramble(render_sobol_reversed(n), seed * 0x9e3779b9u + 1u)));
}

static inline float render_sample1(render_sampler* s) {
    float u, v;
    render_sample2(s, &u, &v);
    return u;
}

#endif
