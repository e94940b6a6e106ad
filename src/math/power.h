// SPDX-License-Identifier: MIT
// exp, log and powers of our own: the library's differ from one machine to the next in the last
// bits. Only additions, multiplications and divisions of doubles, so the same bits wherever those
// are IEEE 754's. exp and log are off by less than one unit in the last place, powers by less than
// two.
#ifndef SHOAL_POWER_H
#define SHOAL_POWER_H

#include <stdint.h>
#include <string.h>

#include "math/vec.h"

// ln 2 in two parts; the first has 21 bits at the end that are zero, so that whole numbers up to
// 2^21 times it are exact.
#define SHOAL_LN2_HIGH 0x1.62e42fee00000p-1
#define SHOAL_LN2_LOW 0x1.a39ef35793c76p-33

// 2^k for k from -1022 to 1023.
SHOAL_FN double shoal_two_to(int k) {
    uint64_t bits = (uint64_t)(k + 1023) << 52;
    double   value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

// e^(x + low), |low| far below |x|.
SHOAL_FN double shoal_exp_of(double x, double low) {
    // 1/n! from n = 13 down: with |r| <= ln(2)/2 the next term is below 5e-18
    const double terms[] = {1.0 / 6227020800.0, 1.0 / 479001600.0, 1.0 / 39916800.0, 1.0 / 3628800.0,
                            1.0 / 362880.0,     1.0 / 40320.0,     1.0 / 5040.0,     1.0 / 720.0,
                            1.0 / 120.0,        1.0 / 24.0,        1.0 / 6.0,        1.0 / 2.0};
    if (x != x) return x;
    if (x > 709.79) return (double)INFINITY;
    if (x < -745.2) return 0.0;
    double turns = x / 0.693147180559945309, k = floor(turns + 0.5);
    double high = x - k * SHOAL_LN2_HIGH, rest = low - k * SHOAL_LN2_LOW, r = high + rest;
    double small = (high - r) + rest; // what r has lost
    double sum   = terms[0];
    for (int n = 1; n < 12; n++) sum = sum * r + terms[n];
    double value = 1.0 + (r + (small + r * r * sum));
    // in two steps, since the result may be smaller than the smallest normal number, or 2^k larger
    // than the largest
    int whole = (int)k, half = whole / 2;
    return value * shoal_two_to(half) * shoal_two_to(whole - half);
}

// For tests.
SHOAL_FN double shoal_exp(double x) { return shoal_exp_of(x, 0.0); }

// A number as a sum of two, the second at most half a unit in the last place of the first.
typedef struct shoal_pair {
    double high, low;
} shoal_pair;

SHOAL_FN shoal_pair shoal_pair_sum(double a, double b) { // |a| >= |b|
    shoal_pair s;
    s.high = a + b;
    s.low  = b - (s.high - a);
    return s;
}

// a b exactly [Dekker 1971]; neither above 2^990.
SHOAL_FN shoal_pair shoal_pair_product(double a, double b) {
    const double splitter = 134217729.0; // 2^27 + 1
    double       pa = a * splitter, pb = b * splitter;
    double       ah = pa - (pa - a), bh = pb - (pb - b), al = a - ah, bl = b - bh;
    shoal_pair   p;
    p.high = a * b;
    p.low  = ((ah * bh - p.high) + ah * bl + al * bh) + al * bl;
    return p;
}

// log x of a normal number above 0, to 70 bits or so: x = 2^k m with m from sqrt(1/2) to sqrt(2),
// and log m = 2 (s + s^3/3 + s^5/5 ...), s = (m - 1) / (m + 1), its first term as a pair.
SHOAL_FN shoal_pair shoal_ln_pair(double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    int k = (int)(bits >> 52) - 1023;
    bits  = (bits & 0xfffffffffffffull) | 0x3ff0000000000000ull;
    double m;
    memcpy(&m, &bits, sizeof m);
    if (m > 1.41421356237309504880) m *= 0.5, k++;

    double     over = m - 1.0, under = m + 1.0, s = over / under; // over is exact, under may be rounded
    shoal_pair back = shoal_pair_product(s, under);
    double     lost = (m - (under - 1.0)); // of under
    double     rest = ((over - back.high) - back.low - s * lost) / under, s2 = s * s, sum = 0.0;
    for (int n = 21; n >= 3; n -= 2) sum = sum * s2 + 1.0 / n;
    double     series = 2.0 * (rest + s * s2 * sum);
    shoal_pair log    = shoal_pair_sum(2.0 * s, series);
    if (k == 0) return log;
    shoal_pair all = shoal_pair_sum(k * SHOAL_LN2_HIGH, log.high);
    return shoal_pair_sum(all.high, all.low + (log.low + k * SHOAL_LN2_LOW));
}

// x >= 2^-1022; of 0 minus infinity, below it no number.
SHOAL_FN double shoal_ln(double x) {
    if (!(x > 0.0)) return x == 0.0 ? -(double)INFINITY : (double)NAN;
    if (x > 1.7976931348623157e308) return x;
    if (x < 2.2250738585072014e-308) return shoal_ln_pair(x * 0x1p60).high - 41.588830833596718565;
    return shoal_ln_pair(x).high;
}

// x^y for a normal x above 0.
SHOAL_FN double shoal_power_of_normal(double x, double y) {
    shoal_pair log = shoal_ln_pair(x);
    if (y * log.high > 710.0) return (double)INFINITY;
    if (y * log.high < -746.0) return 0.0;
    shoal_pair all = shoal_pair_product(log.high, y);
    return shoal_exp_of(all.high, all.low + log.low * y);
}

// x^y for x >= 0; below that no number. 0^0 is 1.
SHOAL_FN double shoal_power(double x, double y) {
    if (y == 0.0 || x == 1.0) return 1.0;
    if (x == 0.0) return y > 0.0 ? 0.0 : (double)INFINITY;
    if (!(x > 0.0) || y != y) return (double)NAN;
    if (x > 1.7976931348623157e308) return y > 0.0 ? x : 0.0;
    if (x < 2.2250738585072014e-308) return shoal_power_of_normal(x * 0x1p60, y) * shoal_power_of_normal(0x1p-60, y);
    return shoal_power_of_normal(x, y);
}

#endif
