// SPDX-License-Identifier: MIT
// The number in which the physics of a pair of particles is written (*_pairs.h), once for all machines. A `num` is one
// register of the instruction set: 16 floats of AVX-512, 8 of AVX2, 4 of SSE2 and of other machines, and a single float
// on a card. C itself has + - * for it, since gcc and clang know vectors; the rest is here.
//
// No type is wider than a register, because the compiler splits wider ones badly. The sixteen lanes of math/wide.h are
// NUM_PARTS of these. Arithmetic is the same in each lane on every set, and num_joined gives lanes to sums whose order
// is that of wide_sum, so all sets give the same bits. SHOAL_ISA_one makes num a float on the CPU as well: what a card
// computes, for tests.
//
// NUM_EACH(p, count) is a loop over num in an array; it is unrolled, so that they stay in registers.
//
// The compilers have limits: `?:` between two num is an error of gcc, so choose by num_max, num_min, or `if` on a
// plain condition.
#ifndef SHOAL_NUM_H
#define SHOAL_NUM_H

#if defined(__CUDACC__)
#include <stdint.h>
#include <string.h>

#include "math/vec.h"
#define NUM_FN static __device__ __forceinline__
#else
#include <stdbool.h>

#include "math/wide.h"
#define NUM_FN WIDE_FN
#endif

#if defined(SHOAL_ISA_avx512)
typedef __m512 num;
#define NUM_X86(op) _mm512_##op
#elif defined(SHOAL_ISA_avx2)
typedef __m256 num;
#define NUM_X86(op) _mm256_##op
#elif defined(SHOAL_ISA_sse2)
typedef __m128 num;
#define NUM_X86(op) _mm_##op
#elif defined(SHOAL_ISA_one) || defined(__CUDACC__)
typedef float num;
#define NUM_IS_FLOAT 1
#else
typedef float num __attribute__((vector_size(16)));
#endif

typedef struct num4 {
    num x, y, z, w;
} num4;

#if defined(NUM_IS_FLOAT)
enum { NUM_LANES = 1 };

NUM_FN num  num_set(float a) { return a; }
NUM_FN num  num_load(const float* from) { return *from; }
NUM_FN void num_store(float* to, num a) { *to = a; }
NUM_FN num  num_max(num a, num b) { return a > b ? a : b; }
NUM_FN num  num_min(num a, num b) { return a < b ? a : b; }
NUM_FN bool num_any_less(num a, num b) { return a < b; }
NUM_FN num  num_gather1(const float* from, const int* index) { return from[*index]; }
NUM_FN num  num_load16(const int16_t* from) { return (float)*from; }
NUM_FN num  num_rsqrt_guess(num a) {
     unsigned bits;
     memcpy(&bits, &a, sizeof bits);
     bits = 0x5f1ffff9u - (bits >> 1);
     memcpy(&a, &bits, sizeof bits);
     return a;
}

#if defined(__CUDACC__)
// One load of 16 bytes in place of four.
NUM_FN num4 num4_of(const shoal_v4* from) {
    float4 p = *(const float4*)from;
    num4   a = {p.x, p.y, p.z, p.w};
    return a;
}
NUM_FN void num_store16(int16_t* to, num a) {
    int whole = __float2int_rn(a);
    *to       = (int16_t)(whole > INT16_MAX ? INT16_MAX : whole < INT16_MIN ? INT16_MIN : whole);
}
#else
NUM_FN num4 num4_of(const shoal_v4* from) { return (num4){from->x, from->y, from->z, from->w}; }
NUM_FN void num_store16(int16_t* to, num a) { *to = wide_round16_(a); }
#endif
NUM_FN num4 num_gather4(const shoal_v4* from, const int* index) { return num4_of(&from[*index]); }

#else
enum { NUM_LANES = (int)(sizeof(num) / sizeof(float)) };
typedef uint32_t num_bits __attribute__((vector_size(sizeof(num))));

#if defined(NUM_X86)
NUM_FN num       num_set(float a) { return NUM_X86(set1_ps)(a); }
NUM_FN num       num_load(const float* from) { return NUM_X86(loadu_ps)(from); }
NUM_FN void      num_store(float* to, num a) { NUM_X86(storeu_ps)(to, a); }
NUM_FN num       num_max(num a, num b) { return NUM_X86(max_ps)(a, b); }
NUM_FN num       num_min(num a, num b) { return NUM_X86(min_ps)(a, b); }
#else
NUM_FN num num_set(float a) { return (num){a, a, a, a}; }
NUM_FN num num_load(const float* from) {
    num a;
    memcpy(&a, from, sizeof a);
    return a;
}
NUM_FN void num_store(float* to, num a) { memcpy(to, &a, sizeof a); }
NUM_FN num  num_select_(num_bits mask, num a, num b) { return (num)(((num_bits)a & mask) | ((num_bits)b & ~mask)); }
NUM_FN num  num_max(num a, num b) { return num_select_((num_bits)(a > b), a, b); }
NUM_FN num  num_min(num a, num b) { return num_select_((num_bits)(a < b), a, b); }
#endif
NUM_FN num       num_rsqrt_guess(num a) { return (num)(0x5f1ffff9u - ((num_bits)a >> 1)); }

// All lanes of each have one of the four values.
NUM_FN num4 num4_of(const shoal_v4* from) {
    return (num4){num_set(from->x), num_set(from->y), num_set(from->z), num_set(from->w)};
}

// What differs from set to set: whether a < b in any lane; the items `index` names, turned into lanes; whole numbers of
// 16 bits, written as the nearest (even) that 16 bits can hold.
#if defined(SHOAL_ISA_avx512)
NUM_FN bool num_any_less(num a, num b) { return wide_less(a, b) != 0; }
NUM_FN num4 num_gather4(const shoal_v4* from, const int* index) {
    num4 a;
    wide_gather4(from, index, &a.x, &a.y, &a.z, &a.w);
    return a;
}
NUM_FN num  num_gather1(const float* from, const int* index) { return wide_gather1(from, index); }
NUM_FN num  num_load16(const int16_t* from) { return wide_load16(from); }
NUM_FN void num_store16(int16_t* to, num a) { wide_store16(to, a); }
#elif defined(SHOAL_ISA_avx2)
NUM_FN bool num_any_less(num a, num b) { return _mm256_movemask_ps(_mm256_cmp_ps(a, b, _CMP_LT_OQ)) != 0; }
NUM_FN num4 num_gather4(const shoal_v4* from, const int* index) {
    num4 a;
    wide_gather_half_(from, index, &a.x, &a.y, &a.z, &a.w);
    return a;
}
NUM_FN num num_gather1(const float* from, const int* index) {
    return _mm256_i32gather_ps(from, _mm256_loadu_si256((const __m256i*)(const void*)index), 4);
}
NUM_FN num  num_load16(const int16_t* from) { return wide_load16_half_(from); }
NUM_FN void num_store16(int16_t* to, num a) { wide_store16_half_(to, a); }
#elif defined(SHOAL_ISA_sse2)
NUM_FN bool num_any_less(num a, num b) { return four_less_(a, b) != 0; }
NUM_FN num4 num_gather4(const shoal_v4* from, const int* index) {
    num4 a;
    four_gather4_(from, index, &a.x, &a.y, &a.z, &a.w);
    return a;
}
NUM_FN num num_gather1(const float* from, const int* index) {
    return (num){from[index[0]], from[index[1]], from[index[2]], from[index[3]]};
}
NUM_FN num  num_load16(const int16_t* from) { return four_load16_(from); }
NUM_FN void num_store16(int16_t* to, num a) { four_store16_(to, a); }
#else
NUM_FN bool num_any_less(num a, num b) {
    for (int k = 0; k < NUM_LANES; k++)
        if (a[k] < b[k]) return true;
    return false;
}
NUM_FN num4 num_gather4(const shoal_v4* from, const int* index) {
    shoal_v4 p = from[index[0]], q = from[index[1]], r = from[index[2]], s = from[index[3]];
    return (num4){{p.x, q.x, r.x, s.x}, {p.y, q.y, r.y, s.y}, {p.z, q.z, r.z, s.z}, {p.w, q.w, r.w, s.w}};
}
NUM_FN num num_gather1(const float* from, const int* index) {
    return (num){from[index[0]], from[index[1]], from[index[2]], from[index[3]]};
}
NUM_FN num num_load16(const int16_t* from) {
    return (num){(float)from[0], (float)from[1], (float)from[2], (float)from[3]};
}
NUM_FN void num_store16(int16_t* to, num a) {
    for (int k = 0; k < NUM_LANES; k++) to[k] = wide_round16_(a[k]);
}
#endif
#endif

#if defined(__CUDACC__)
enum { NUM_PARTS = 1 }; // a thread has one at a time
#define NUM_UNROLL _Pragma("unroll")
#else
enum { NUM_PARTS = SHOAL_LANES / NUM_LANES };
#if !defined(__clang__)
#define NUM_UNROLL _Pragma("GCC unroll 80")
#elif __has_feature(undefined_behavior_sanitizer)
#define NUM_UNROLL // with a check at every step it takes minutes to compile
#else
#define NUM_UNROLL _Pragma("unroll")
#endif
#endif
#define NUM_EACH(p, count) NUM_UNROLL for (int p = 0; p < (count); p++)

NUM_FN num num_positive(num a) { return num_max(a, num_set(0.0f)); }
NUM_FN num num_negative(num a) { return num_max(0.0f - a, num_set(0.0f)); } // how far it is below zero

// out = 1/sqrt(a), as wide_rsqrt finds it, of several num side by side: each waits for its own products, and some
// machines look ahead too little to fill the time with the next (16 % of a walk on AVX2 of AMD).
NUM_FN void num_rsqrt_of(const num* a, int count, num* out) {
    num e[NUM_PARTS];
    NUM_EACH(p, count) out[p] = num_rsqrt_guess(a[p]);
    NUM_EACH(p, count) out[p] = (out[p] * 0.703952253f) * (2.38924456f - (a[p] * out[p]) * out[p]);
    NUM_EACH(p, count) e[p]   = ((a[p] * 0.5f) * out[p]) * out[p];
    NUM_EACH(p, count) out[p] = out[p] * (1.5f - e[p]);
}
NUM_FN num num_rsqrt(num a) {
    num y;
    num_rsqrt_of(&a, 1, &y);
    return y;
}

#if !defined(__CUDACC__)
// Sixteen lanes of the num of the same meaning in each part: parts lie `stride` apart.
NUM_FN wide num_joined(const num* parts, int stride) {
#if defined(SHOAL_ISA_avx512)
    (void)stride;
    return parts[0];
#elif defined(SHOAL_ISA_avx2)
    return wide_make_(parts[0], parts[stride]);
#else
    wide all;
    for (int p = 0; p < NUM_PARTS; p++) memcpy((float*)(void*)&all + p * NUM_LANES, &parts[p * stride], sizeof(num));
    return all;
#endif
}
#endif

#endif
