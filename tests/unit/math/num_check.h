// SPDX-License-Identifier: MIT
// What test_num gives to each instruction set, and what comes back.
#ifndef NUM_CHECK_H
#define NUM_CHECK_H

#include <stdint.h>

#include "math/lanes.h"
#include "math/vec.h"

enum { NUM_CHECK_ITEMS = 64 };
typedef struct num_given {
    float    a[SHOAL_LANES], b[SHOAL_LANES], above_zero[SHOAL_LANES];
    int      index[SHOAL_LANES]; // of items
    shoal_v4 four[NUM_CHECK_ITEMS];
    float    one[NUM_CHECK_ITEMS];
    int16_t  whole[SHOAL_LANES];
} num_given;

// clang-format off
// name, by math/num.h, by math/wide.h
#define NUM_CHECKS(X)                                                                                                  \
    X(set,         num_set(2.5f),                             wide_set(2.5f))                                          \
    X(sum_of_two,  a + b,                                     wide_add(a, b))                                          \
    X(difference,  a - b,                                     wide_sub(a, b))                                          \
    X(product,     a * b,                                     wide_mul(a, b))                                          \
    X(scaled,      3.0f * a,                                  wide_mul(wide_set(3.0f), a))                             \
    X(larger,      num_max(a, b),                             wide_max(a, b))                                          \
    X(smaller,     num_min(a, b),                             wide_sub(zero, wide_max(wide_sub(zero, a), wide_sub(zero, b)))) \
    X(positive,    num_positive(a),                           wide_max(a, zero))                                       \
    X(negative,    num_negative(a),                           wide_max(wide_sub(zero, a), zero))                       \
    X(rsqrt,       num_rsqrt(num_load(given->above_zero + p)), wide_rsqrt(wide_load(given->above_zero)))               \
    X(gathered_x,  four.x,                                    x)                                                       \
    X(gathered_y,  four.y,                                    y)                                                       \
    X(gathered_z,  four.z,                                    z)                                                       \
    X(gathered_w,  four.w,                                    w)                                                       \
    X(item_x,      item.x,                                    wide_set(item.x))                                        \
    X(item_y,      item.y,                                    wide_set(item.y))                                        \
    X(item_z,      item.z,                                    wide_set(item.z))                                        \
    X(item_w,      item.w,                                    wide_set(item.w))                                        \
    X(gathered,    num_gather1(given->one, index),            wide_gather1(given->one, given->index))                  \
    X(whole,       num_load16(given->whole + p),              wide_load16(given->whole))
// clang-format on

#define X(name, by_num, by_wide) float name[SHOAL_LANES];
typedef struct num_found {
    NUM_CHECKS(X)
    float   sum[2]; // of a and of b
    int     any_less;
    int16_t stored[SHOAL_LANES]; // a
} num_found;
#undef X

typedef void (*num_check_fn)(const num_given* given, num_found* by_num, num_found* by_wide);

#endif
