// SPDX-License-Identifier: MIT
// Sixteen floats at a time, on every machine. AVX-512 holds them in one register, AVX2 in two, SSE2 in four,
// plain C in an array; since the number of lanes, the order of every sum and the rounding of every operation are the
// same (no FMA, no estimates by the hardware), all of them give the same bits.
//
// Which one is compiled is said by SHOAL_ISA_avx512, SHOAL_ISA_avx2 or SHOAL_ISA_sse2 (see cmake/shoal.cmake).
#ifndef SHOAL_WIDE_H
#define SHOAL_WIDE_H

#include <stdint.h>
#include <string.h>

#include "math/lanes.h"
#include "math/vec.h"

// name_isa, for the functions of a file that is compiled once per instruction set
#define SHOAL_WIDE_JOIN_(name, isa) name##_##isa
#define SHOAL_WIDE_JOIN(name, isa) SHOAL_WIDE_JOIN_(name, isa)
#define SHOAL_WIDE_NAME(name) SHOAL_WIDE_JOIN(name, SHOAL_ISA_SUFFIX)

// Always inlined: where a file has a dozen copies of a loop, gcc takes these for too costly to inline and calls them,
// with its registers in memory. The loop is then a fifth slower.
#define WIDE_FN static inline __attribute__((always_inline))

#if defined(SHOAL_ISA_avx512) || defined(SHOAL_ISA_avx2) || defined(SHOAL_ISA_sse2)
#include <immintrin.h>
#endif

#if defined(SHOAL_ISA_avx512)

typedef __m512 wide;

WIDE_FN wide     wide_set(float a) { return _mm512_set1_ps(a); }
WIDE_FN wide     wide_load(const float* from) { return _mm512_loadu_ps(from); }
WIDE_FN void     wide_store(float* to, wide a) { _mm512_storeu_ps(to, a); }
WIDE_FN wide     wide_add(wide a, wide b) { return _mm512_add_ps(a, b); }
WIDE_FN wide     wide_sub(wide a, wide b) { return _mm512_sub_ps(a, b); }
WIDE_FN wide     wide_mul(wide a, wide b) { return _mm512_mul_ps(a, b); }
WIDE_FN wide     wide_max(wide a, wide b) { return _mm512_max_ps(a, b); }
WIDE_FN unsigned wide_less(wide a, wide b) { return _mm512_cmp_ps_mask(a, b, _CMP_LT_OQ); }

// First guess of 1/sqrt(a) by halving the exponent, as integers.
WIDE_FN wide wide_rsqrt_guess(wide a) {
    __m512i bits = _mm512_srli_epi32(_mm512_castps_si512(a), 1);
    return _mm512_castsi512_ps(_mm512_sub_epi32(_mm512_set1_epi32(0x5f1ffff9), bits));
}

WIDE_FN float wide_sum(wide a) {
    __m256 b = _mm256_add_ps(_mm512_castps512_ps256(a), _mm512_extractf32x8_ps(a, 1));
    __m128 c = _mm_add_ps(_mm256_castps256_ps128(b), _mm256_extractf128_ps(b, 1));
    __m128 d = _mm_add_ps(c, _mm_movehl_ps(c, c));
    return _mm_cvtss_f32(_mm_add_ss(d, _mm_shuffle_ps(d, d, 1)));
}

// Four sums at once, each in the order of wide_sum.
WIDE_FN shoal_v4 wide_sum4(wide a, wide b, wide c, wide d) {
    __m512 ab = _mm512_add_ps(_mm512_shuffle_f32x4(a, b, 0x44), _mm512_shuffle_f32x4(a, b, 0xEE));
    __m512 cd = _mm512_add_ps(_mm512_shuffle_f32x4(c, d, 0x44), _mm512_shuffle_f32x4(c, d, 0xEE));
    __m512 s  = _mm512_add_ps(_mm512_shuffle_f32x4(ab, cd, 0x88), _mm512_shuffle_f32x4(ab, cd, 0xDD));
    s         = _mm512_add_ps(s, _mm512_permute_ps(s, 0x4E));
    s         = _mm512_add_ps(s, _mm512_permute_ps(s, 0xB1));
    shoal_v4 out;
    _mm_storeu_ps(&out.x, _mm512_castps512_ps128(_mm512_maskz_compress_ps(0x1111, s)));
    return out;
}

WIDE_FN __m512 wide_rows_(const shoal_v4* from, const int* index, int k) {
    __m512 row = _mm512_castps128_ps512(_mm_loadu_ps(&from[index[k]].x));
    row        = _mm512_insertf32x4(row, _mm_loadu_ps(&from[index[k + 4]].x), 1);
    row        = _mm512_insertf32x4(row, _mm_loadu_ps(&from[index[k + 8]].x), 2);
    return _mm512_insertf32x4(row, _mm_loadu_ps(&from[index[k + 12]].x), 3);
}

WIDE_FN void wide_gather4(const shoal_v4* from, const int* index, wide* x, wide* y, wide* z, wide* w) {
    __m512 a = wide_rows_(from, index, 0), b = wide_rows_(from, index, 1);
    __m512 c = wide_rows_(from, index, 2), d = wide_rows_(from, index, 3);
    __m512 ab = _mm512_unpacklo_ps(a, b), cd = _mm512_unpacklo_ps(c, d);
    __m512 AB = _mm512_unpackhi_ps(a, b), CD = _mm512_unpackhi_ps(c, d);
    *x = _mm512_shuffle_ps(ab, cd, 0x44);
    *y = _mm512_shuffle_ps(ab, cd, 0xEE);
    *z = _mm512_shuffle_ps(AB, CD, 0x44);
    *w = _mm512_shuffle_ps(AB, CD, 0xEE);
}

WIDE_FN wide wide_gather1(const float* from, const int* index) {
    return _mm512_i32gather_ps(_mm512_loadu_si512(index), from, 4);
}

// Whole numbers in 16 bits: as floats, and back, rounded to the nearest (even) and no farther than 16 bits go.
WIDE_FN wide wide_load16(const int16_t* from) {
    return _mm512_cvtepi32_ps(_mm512_cvtepi16_epi32(_mm256_loadu_si256((const __m256i*)(const void*)from)));
}
WIDE_FN void wide_store16(int16_t* to, wide a) {
    _mm256_storeu_si256((__m256i*)(void*)to, _mm512_cvtsepi32_epi16(_mm512_cvtps_epi32(a)));
}

// Writes the lanes back to the places wide_gather4 takes them from.
WIDE_FN void wide_scatter4(shoal_v4* to, const int* index, wide x, wide y, wide z, wide w) {
    __m512 ab = _mm512_unpacklo_ps(x, y), cd = _mm512_unpacklo_ps(z, w);
    __m512 AB = _mm512_unpackhi_ps(x, y), CD = _mm512_unpackhi_ps(z, w);
    __m512 row[4] = {_mm512_shuffle_ps(ab, cd, 0x44), _mm512_shuffle_ps(ab, cd, 0xEE), _mm512_shuffle_ps(AB, CD, 0x44),
                     _mm512_shuffle_ps(AB, CD, 0xEE)};
    for (int k = 0; k < 4; k++) {
        _mm_storeu_ps(&to[index[k]].x, _mm512_castps512_ps128(row[k]));
        _mm_storeu_ps(&to[index[k + 4]].x, _mm512_extractf32x4_ps(row[k], 1));
        _mm_storeu_ps(&to[index[k + 8]].x, _mm512_extractf32x4_ps(row[k], 2));
        _mm_storeu_ps(&to[index[k + 12]].x, _mm512_extractf32x4_ps(row[k], 3));
    }
}

// Writes the lanes named by mask one after another and returns how many; up to 16 places are overwritten.
WIDE_FN int wide_compress(float* to, wide a, unsigned mask) {
    _mm512_storeu_ps(to, _mm512_maskz_compress_ps((__mmask16)mask, a));
    return __builtin_popcount(mask);
}
WIDE_FN void wide_compress_int(int* to, const int* from, unsigned mask) {
    _mm512_storeu_si512(to, _mm512_maskz_compress_epi32((__mmask16)mask, _mm512_loadu_si512(from)));
}

WIDE_FN void wide_fill(int* to, int value) { _mm512_storeu_si512(to, _mm512_set1_epi32(value)); }

// Lanes whose integer is not `value`.
WIDE_FN unsigned wide_differs(const int* from, int value) {
    return _mm512_cmpneq_epi32_mask(_mm512_loadu_si512(from), _mm512_set1_epi32(value));
}

#elif defined(SHOAL_ISA_avx2)

typedef struct wide {
    __m256 a, b;
} wide;

WIDE_FN wide wide_make_(__m256 a, __m256 b) {
    wide w;
    w.a = a;
    w.b = b;
    return w;
}
WIDE_FN wide wide_set(float a) { return wide_make_(_mm256_set1_ps(a), _mm256_set1_ps(a)); }
WIDE_FN wide wide_load(const float* from) { return wide_make_(_mm256_loadu_ps(from), _mm256_loadu_ps(from + 8)); }
WIDE_FN void wide_store(float* to, wide a) {
    _mm256_storeu_ps(to, a.a);
    _mm256_storeu_ps(to + 8, a.b);
}
WIDE_FN wide     wide_add(wide a, wide b) { return wide_make_(_mm256_add_ps(a.a, b.a), _mm256_add_ps(a.b, b.b)); }
WIDE_FN wide     wide_sub(wide a, wide b) { return wide_make_(_mm256_sub_ps(a.a, b.a), _mm256_sub_ps(a.b, b.b)); }
WIDE_FN wide     wide_mul(wide a, wide b) { return wide_make_(_mm256_mul_ps(a.a, b.a), _mm256_mul_ps(a.b, b.b)); }
WIDE_FN wide     wide_max(wide a, wide b) { return wide_make_(_mm256_max_ps(a.a, b.a), _mm256_max_ps(a.b, b.b)); }
WIDE_FN unsigned wide_less(wide a, wide b) {
    unsigned low  = (unsigned)_mm256_movemask_ps(_mm256_cmp_ps(a.a, b.a, _CMP_LT_OQ));
    unsigned high = (unsigned)_mm256_movemask_ps(_mm256_cmp_ps(a.b, b.b, _CMP_LT_OQ));
    return low | high << 8;
}

WIDE_FN __m256 wide_rsqrt_guess_half_(__m256 a) {
    __m256i bits = _mm256_srli_epi32(_mm256_castps_si256(a), 1);
    return _mm256_castsi256_ps(_mm256_sub_epi32(_mm256_set1_epi32(0x5f1ffff9), bits));
}
WIDE_FN wide wide_rsqrt_guess(wide a) { return wide_make_(wide_rsqrt_guess_half_(a.a), wide_rsqrt_guess_half_(a.b)); }

WIDE_FN float wide_sum(wide a) {
    __m256 b = _mm256_add_ps(a.a, a.b);
    __m128 c = _mm_add_ps(_mm256_castps256_ps128(b), _mm256_extractf128_ps(b, 1));
    __m128 d = _mm_add_ps(c, _mm_movehl_ps(c, c));
    return _mm_cvtss_f32(_mm_add_ss(d, _mm_shuffle_ps(d, d, 1)));
}

WIDE_FN shoal_v4 wide_sum4(wide a, wide b, wide c, wide d) {
    __m256 a8 = _mm256_add_ps(a.a, a.b), b8 = _mm256_add_ps(b.a, b.b);
    __m256 c8 = _mm256_add_ps(c.a, c.b), d8 = _mm256_add_ps(d.a, d.b);
    __m256 ac = _mm256_add_ps(_mm256_permute2f128_ps(a8, c8, 0x20), _mm256_permute2f128_ps(a8, c8, 0x31));
    __m256 bd = _mm256_add_ps(_mm256_permute2f128_ps(b8, d8, 0x20), _mm256_permute2f128_ps(b8, d8, 0x31));
    // lanes 0 + 2 and 1 + 3 of a (c) and b (d): [a02 a13 b02 b13 | c02 c13 d02 d13]
    __m256 s     = _mm256_add_ps(_mm256_shuffle_ps(ac, bd, 0x44), _mm256_shuffle_ps(ac, bd, 0xEE));
    s            = _mm256_add_ps(s, _mm256_permute_ps(s, 0xB1));
    __m128   low = _mm256_castps256_ps128(s), high = _mm256_extractf128_ps(s, 1);
    shoal_v4 out;
    _mm_storeu_ps(&out.x, _mm_shuffle_ps(low, high, 0x88));
    return out;
}

WIDE_FN __m256 wide_rows_(const shoal_v4* from, const int* index, int k) {
    return _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(&from[index[k]].x)),
                                _mm_loadu_ps(&from[index[k + 4]].x), 1);
}

WIDE_FN void wide_gather_half_(const shoal_v4* from, const int* index, __m256* x, __m256* y, __m256* z, __m256* w) {
    __m256 a = wide_rows_(from, index, 0), b = wide_rows_(from, index, 1);
    __m256 c = wide_rows_(from, index, 2), d = wide_rows_(from, index, 3);
    __m256 ab = _mm256_unpacklo_ps(a, b), cd = _mm256_unpacklo_ps(c, d);
    __m256 AB = _mm256_unpackhi_ps(a, b), CD = _mm256_unpackhi_ps(c, d);
    *x = _mm256_shuffle_ps(ab, cd, 0x44);
    *y = _mm256_shuffle_ps(ab, cd, 0xEE);
    *z = _mm256_shuffle_ps(AB, CD, 0x44);
    *w = _mm256_shuffle_ps(AB, CD, 0xEE);
}

WIDE_FN void wide_gather4(const shoal_v4* from, const int* index, wide* x, wide* y, wide* z, wide* w) {
    wide_gather_half_(from, index, &x->a, &y->a, &z->a, &w->a);
    wide_gather_half_(from, index + 8, &x->b, &y->b, &z->b, &w->b);
}

WIDE_FN wide wide_gather1(const float* from, const int* index) {
    return wide_make_(_mm256_i32gather_ps(from, _mm256_loadu_si256((const __m256i*)(const void*)index), 4),
                      _mm256_i32gather_ps(from, _mm256_loadu_si256((const __m256i*)(const void*)(index + 8)), 4));
}

WIDE_FN __m256 wide_load16_half_(const int16_t* from) {
    return _mm256_cvtepi32_ps(_mm256_cvtepi16_epi32(_mm_loadu_si128((const __m128i*)(const void*)from)));
}
WIDE_FN void wide_store16_half_(int16_t* to, __m256 a) {
    __m256i all = _mm256_cvtps_epi32(a);
    _mm_storeu_si128((__m128i*)(void*)to,
                     _mm_packs_epi32(_mm256_castsi256_si128(all), _mm256_extracti128_si256(all, 1)));
}
WIDE_FN wide wide_load16(const int16_t* from) {
    return wide_make_(wide_load16_half_(from), wide_load16_half_(from + 8));
}
WIDE_FN void wide_store16(int16_t* to, wide a) {
    wide_store16_half_(to, a.a);
    wide_store16_half_(to + 8, a.b);
}

// For each mask of 8 lanes, the numbers of its set lanes, one byte each, lowest first.
#define WIDE_LANE_(m, k) (((m) >> (k)) & 1 ? (uint64_t)(k) << (8 * __builtin_popcount((m) & ((1u << (k)) - 1))) : 0)
#define WIDE_ORDER_(m)                                                                                                 \
    (WIDE_LANE_(m, 0) | WIDE_LANE_(m, 1) | WIDE_LANE_(m, 2) | WIDE_LANE_(m, 3) | WIDE_LANE_(m, 4) | WIDE_LANE_(m, 5) | \
     WIDE_LANE_(m, 6) | WIDE_LANE_(m, 7))
#define WIDE_ORDER4_(m) WIDE_ORDER_(m), WIDE_ORDER_(m + 1), WIDE_ORDER_(m + 2), WIDE_ORDER_(m + 3)
#define WIDE_ORDER16_(m) WIDE_ORDER4_(m), WIDE_ORDER4_(m + 4), WIDE_ORDER4_(m + 8), WIDE_ORDER4_(m + 12)
#define WIDE_ORDER64_(m) WIDE_ORDER16_(m), WIDE_ORDER16_(m + 16), WIDE_ORDER16_(m + 32), WIDE_ORDER16_(m + 48)
static const uint64_t wide_orders_[256] = {WIDE_ORDER64_(0u), WIDE_ORDER64_(64u), WIDE_ORDER64_(128u),
                                           WIDE_ORDER64_(192u)};

WIDE_FN __m256i wide_compress_order_(unsigned mask) {
    return _mm256_cvtepu8_epi32(_mm_cvtsi64_si128((long long)wide_orders_[mask]));
}

WIDE_FN int wide_compress(float* to, wide a, unsigned mask) {
    unsigned low = mask & 255u, high = mask >> 8;
    _mm256_storeu_ps(to, _mm256_permutevar8x32_ps(a.a, wide_compress_order_(low)));
    to += __builtin_popcount(low);
    _mm256_storeu_ps(to, _mm256_permutevar8x32_ps(a.b, wide_compress_order_(high)));
    return __builtin_popcount(mask);
}
WIDE_FN void wide_compress_int(int* to, const int* from, unsigned mask) {
    __m256i low  = _mm256_loadu_si256((const __m256i*)(const void*)from);
    __m256i high = _mm256_loadu_si256((const __m256i*)(const void*)(from + 8));
    _mm256_storeu_si256((__m256i*)(void*)to, _mm256_permutevar8x32_epi32(low, wide_compress_order_(mask & 255u)));
    to += __builtin_popcount(mask & 255u);
    _mm256_storeu_si256((__m256i*)(void*)to, _mm256_permutevar8x32_epi32(high, wide_compress_order_(mask >> 8)));
}

WIDE_FN void wide_fill(int* to, int value) {
    _mm256_storeu_si256((__m256i*)(void*)to, _mm256_set1_epi32(value));
    _mm256_storeu_si256((__m256i*)(void*)(to + 8), _mm256_set1_epi32(value));
}

WIDE_FN unsigned wide_differs(const int* from, int value) {
    __m256i  same = _mm256_set1_epi32(value);
    __m256i  low  = _mm256_cmpeq_epi32(_mm256_loadu_si256((const __m256i*)(const void*)from), same);
    __m256i  high = _mm256_cmpeq_epi32(_mm256_loadu_si256((const __m256i*)(const void*)(from + 8)), same);
    unsigned mask = (unsigned)_mm256_movemask_ps(_mm256_castsi256_ps(low)) |
                    (unsigned)_mm256_movemask_ps(_mm256_castsi256_ps(high)) << 8;
    return ~mask & 0xffffu;
}

#else

// Four groups of four lanes: SSE2 intrinsics where they exist, arrays elsewhere.
#if defined(SHOAL_ISA_sse2)
typedef __m128     wide_four_;
WIDE_FN wide_four_ four_set_(float a) { return _mm_set1_ps(a); }
WIDE_FN wide_four_ four_load_(const float* from) { return _mm_loadu_ps(from); }
WIDE_FN void       four_store_(float* to, wide_four_ a) { _mm_storeu_ps(to, a); }
WIDE_FN wide_four_ four_add_(wide_four_ a, wide_four_ b) { return _mm_add_ps(a, b); }
WIDE_FN wide_four_ four_sub_(wide_four_ a, wide_four_ b) { return _mm_sub_ps(a, b); }
WIDE_FN wide_four_ four_mul_(wide_four_ a, wide_four_ b) { return _mm_mul_ps(a, b); }
WIDE_FN wide_four_ four_max_(wide_four_ a, wide_four_ b) { return _mm_max_ps(a, b); }
WIDE_FN unsigned   four_less_(wide_four_ a, wide_four_ b) { return (unsigned)_mm_movemask_ps(_mm_cmplt_ps(a, b)); }
WIDE_FN wide_four_ four_rsqrt_guess_(wide_four_ a) {
    return _mm_castsi128_ps(_mm_sub_epi32(_mm_set1_epi32(0x5f1ffff9), _mm_srli_epi32(_mm_castps_si128(a), 1)));
}
WIDE_FN void four_gather4_(const shoal_v4* from, const int* index, wide_four_* x, wide_four_* y, wide_four_* z,
                           wide_four_* w) {
    *x = _mm_loadu_ps(&from[index[0]].x);
    *y = _mm_loadu_ps(&from[index[1]].x);
    *z = _mm_loadu_ps(&from[index[2]].x);
    *w = _mm_loadu_ps(&from[index[3]].x);
    _MM_TRANSPOSE4_PS(*x, *y, *z, *w);
}
WIDE_FN wide_four_ four_load16_(const int16_t* from) {
    __m128i twice = _mm_loadl_epi64((const __m128i*)(const void*)from);
    return _mm_cvtepi32_ps(_mm_srai_epi32(_mm_unpacklo_epi16(twice, twice), 16));
}
WIDE_FN void four_store16_(int16_t* to, wide_four_ a) {
    __m128i all = _mm_cvtps_epi32(a);
    _mm_storel_epi64((__m128i*)(void*)to, _mm_packs_epi32(all, all));
}
#else
typedef struct wide_four_ {
    float v[4];
} wide_four_;
WIDE_FN int16_t wide_round16_(float a) {
    const float even = 12582912.0f; // 1.5 2^23: adding it rounds to whole numbers
    float       most = a < 32767.0f ? a : 32767.0f, clamped = most > -32768.0f ? most : -32768.0f;
    return (int16_t)((clamped + even) - even);
}
#define WIDE_FOUR_(expression)                                                                                         \
    wide_four_ out;                                                                                                    \
    for (int k = 0; k < 4; k++) out.v[k] = (expression);                                                               \
    return out
WIDE_FN wide_four_ four_set_(float a) { WIDE_FOUR_(a); }
WIDE_FN wide_four_ four_load_(const float* from) { WIDE_FOUR_(from[k]); }
WIDE_FN void       four_store_(float* to, wide_four_ a) { memcpy(to, a.v, sizeof a.v); }
WIDE_FN wide_four_ four_add_(wide_four_ a, wide_four_ b) { WIDE_FOUR_(a.v[k] + b.v[k]); }
WIDE_FN wide_four_ four_sub_(wide_four_ a, wide_four_ b) { WIDE_FOUR_(a.v[k] - b.v[k]); }
WIDE_FN wide_four_ four_mul_(wide_four_ a, wide_four_ b) { WIDE_FOUR_(a.v[k] * b.v[k]); }
WIDE_FN wide_four_ four_max_(wide_four_ a, wide_four_ b) { WIDE_FOUR_(a.v[k] > b.v[k] ? a.v[k] : b.v[k]); }
WIDE_FN unsigned   four_less_(wide_four_ a, wide_four_ b) {
      unsigned mask = 0;
      for (int k = 0; k < 4; k++) mask |= (unsigned)(a.v[k] < b.v[k]) << k;
    return mask;
}
WIDE_FN wide_four_ four_rsqrt_guess_(wide_four_ a) {
    wide_four_ out;
    for (int k = 0; k < 4; k++) {
        uint32_t bits;
        memcpy(&bits, &a.v[k], sizeof bits);
        bits = 0x5f1ffff9u - (bits >> 1);
        memcpy(&out.v[k], &bits, sizeof bits);
    }
    return out;
}
WIDE_FN void four_gather4_(const shoal_v4* from, const int* index, wide_four_* x, wide_four_* y, wide_four_* z,
                           wide_four_* w) {
    for (int k = 0; k < 4; k++) {
        x->v[k] = from[index[k]].x;
        y->v[k] = from[index[k]].y;
        z->v[k] = from[index[k]].z;
        w->v[k] = from[index[k]].w;
    }
}
WIDE_FN wide_four_ four_load16_(const int16_t* from) { WIDE_FOUR_((float)from[k]); }
WIDE_FN void       four_store16_(int16_t* to, wide_four_ a) {
          const float even = 12582912.0f; // 1.5 2^23: adding it rounds to whole numbers
          for (int k = 0; k < 4; k++) {
              float most = a.v[k] < 32767.0f ? a.v[k] : 32767.0f, clamped = most > -32768.0f ? most : -32768.0f;
              to[k] = (int16_t)((clamped + even) - even);
    }
}
#undef WIDE_FOUR_
#endif

typedef struct wide {
    wide_four_ g[4];
} wide;

#define WIDE_EACH_(expression)                                                                                         \
    wide out;                                                                                                          \
    for (int k = 0; k < 4; k++) out.g[k] = (expression);                                                               \
    return out
WIDE_FN wide wide_set(float a) { WIDE_EACH_(four_set_(a)); }
WIDE_FN wide wide_load(const float* from) { WIDE_EACH_(four_load_(from + 4 * k)); }
WIDE_FN void wide_store(float* to, wide a) {
    for (int k = 0; k < 4; k++) four_store_(to + 4 * k, a.g[k]);
}
WIDE_FN wide     wide_add(wide a, wide b) { WIDE_EACH_(four_add_(a.g[k], b.g[k])); }
WIDE_FN wide     wide_sub(wide a, wide b) { WIDE_EACH_(four_sub_(a.g[k], b.g[k])); }
WIDE_FN wide     wide_mul(wide a, wide b) { WIDE_EACH_(four_mul_(a.g[k], b.g[k])); }
WIDE_FN wide     wide_max(wide a, wide b) { WIDE_EACH_(four_max_(a.g[k], b.g[k])); }
WIDE_FN wide     wide_rsqrt_guess(wide a) { WIDE_EACH_(four_rsqrt_guess_(a.g[k])); }
#undef WIDE_EACH_
WIDE_FN unsigned wide_less(wide a, wide b) {
    unsigned mask = 0;
    for (int k = 0; k < 4; k++) mask |= four_less_(a.g[k], b.g[k]) << (4 * k);
    return mask;
}
WIDE_FN float wide_sum(wide a) {
    float v[4];
    four_store_(v, four_add_(four_add_(a.g[0], a.g[2]), four_add_(a.g[1], a.g[3])));
    return (v[0] + v[2]) + (v[1] + v[3]);
}
WIDE_FN shoal_v4 wide_sum4(wide a, wide b, wide c, wide d) {
    shoal_v4 out;
    out.x = wide_sum(a), out.y = wide_sum(b), out.z = wide_sum(c), out.w = wide_sum(d);
    return out;
}
WIDE_FN void wide_gather4(const shoal_v4* from, const int* index, wide* x, wide* y, wide* z, wide* w) {
    for (int k = 0; k < 4; k++) four_gather4_(from, index + 4 * k, &x->g[k], &y->g[k], &z->g[k], &w->g[k]);
}
WIDE_FN wide wide_gather1(const float* from, const int* index) {
    float v[SHOAL_LANES];
    for (int k = 0; k < SHOAL_LANES; k++) v[k] = from[index[k]];
    return wide_load(v);
}
WIDE_FN wide wide_load16(const int16_t* from) {
    wide out;
    for (int k = 0; k < 4; k++) out.g[k] = four_load16_(from + 4 * k);
    return out;
}
WIDE_FN void wide_store16(int16_t* to, wide a) {
    for (int k = 0; k < 4; k++) four_store16_(to + 4 * k, a.g[k]);
}
WIDE_FN int wide_compress(float* to, wide a, unsigned mask) {
    float v[SHOAL_LANES];
    wide_store(v, a);
    int count = 0;
    for (unsigned m = mask; m; m &= m - 1) to[count++] = v[__builtin_ctz(m)];
    return count;
}
WIDE_FN void wide_compress_int(int* to, const int* from, unsigned mask) {
    int count = 0;
    for (unsigned m = mask; m; m &= m - 1) to[count++] = from[__builtin_ctz(m)];
}

WIDE_FN void wide_fill(int* to, int value) {
    for (int k = 0; k < SHOAL_LANES; k++) to[k] = value;
}

WIDE_FN unsigned wide_differs(const int* from, int value) {
    unsigned mask = 0;
    for (int k = 0; k < SHOAL_LANES; k++) mask |= (unsigned)(from[k] != value) << k;
    return mask;
}

#endif

#if !defined(SHOAL_ISA_avx512)
WIDE_FN void wide_scatter4(shoal_v4* to, const int* index, wide x, wide y, wide z, wide w) {
    float lanes[4][SHOAL_LANES];
    wide_store(lanes[0], x), wide_store(lanes[1], y), wide_store(lanes[2], z), wide_store(lanes[3], w);
    for (int k = 0; k < SHOAL_LANES; k++) {
        shoal_v4* at = to + index[k];
        at->x = lanes[0][k], at->y = lanes[1][k], at->z = lanes[2][k], at->w = lanes[3][k];
    }
}
#endif

// 1/sqrt(a) to 1e-6 for a > 0; finite for a = 0. A first guess with a step of its own constants [Kadlec 2010] is right
// to 7e-4, one Newton step does the rest: quicker than the divider on every set, and the same bits on all.
WIDE_FN wide wide_rsqrt(wide a) {
    wide y = wide_rsqrt_guess(a);
    y = wide_mul(wide_mul(y, wide_set(0.703952253f)), wide_sub(wide_set(2.38924456f), wide_mul(wide_mul(a, y), y)));
    wide e = wide_mul(wide_mul(wide_mul(a, wide_set(0.5f)), y), y);
    return wide_mul(y, wide_sub(wide_set(1.5f), e));
}

#endif
