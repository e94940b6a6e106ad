// SPDX-License-Identifier: MIT
// Every function of math/num.h beside that of math/wide.h, for test_num. Compiled once per instruction set.
#include "math/num.h"
#include "unit/math/num_check.h"

extern const num_check_fn SHOAL_WIDE_NAME(num_check);

#define X(name, by_num, by_wide) num_store(found->name + p, by_num);
static void check_num(const num_given* given, num_found* found) {
    num sums[2 * NUM_PARTS];
    found->any_less = 0;
    for (int p = 0; p < SHOAL_LANES; p += NUM_LANES) {
        const int* index = given->index + p;
        num        a = num_load(given->a + p), b = num_load(given->b + p);
        num4       item = num4_of(&given->four[5]), four = num_gather4(given->four, index);
        NUM_CHECKS(X)
        num_store16(found->stored + p, a);
        found->any_less |= num_any_less(a, b);
        sums[2 * (p / NUM_LANES)] = a, sums[2 * (p / NUM_LANES) + 1] = b;
    }
    for (int c = 0; c < 2; c++) found->sum[c] = wide_sum(num_joined(sums + c, 2));
}
#undef X

#define X(name, by_num, by_wide) wide_store(found->name, by_wide);
static void check_wide(const num_given* given, num_found* found) {
    wide     a = wide_load(given->a), b = wide_load(given->b), zero = wide_set(0.0f), x, y, z, w;
    shoal_v4 item = given->four[5];
    wide_gather4(given->four, given->index, &x, &y, &z, &w);
    NUM_CHECKS(X)
    wide_store16(found->stored, a);
    found->any_less = wide_less(a, b) != 0;
    found->sum[0] = wide_sum(a), found->sum[1] = wide_sum(b);
}
#undef X

static void check(const num_given* given, num_found* by_num, num_found* by_wide) {
    check_num(given, by_num);
    check_wide(given, by_wide);
}
const num_check_fn SHOAL_WIDE_NAME(num_check) = check;
