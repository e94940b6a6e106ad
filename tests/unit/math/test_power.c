// SPDX-License-Identifier: MIT
#include "unit/check.h"

#include "base/hash.h"
#include "math/power.h"

// By how many units in the last place `is` is off.
static double units_off(double is, long double exact) {
    int exponent;
    frexpl(exact, &exponent);
    if (exponent < -1021) exponent = -1021;
    return (double)(fabsl((long double)is - exact) / ldexpl(1.0L, exponent - 53));
}

static double draw(uint64_t stream, uint64_t k, double from, double to) {
    return from + (to - from) * shoal_random(7, stream, k);
}

enum { DRAWS = 200000 };

static void exp_is_right_to_the_last_bit_but_one(void** state) {
    (void)state;
    double most = 0.0;
    for (uint64_t k = 0; k < DRAWS; k++) {
        double x = k % 2 ? draw(1, k, -1.0, 1.0) : draw(1, k, -744.0, 709.7);
        most     = fmax(most, units_off(shoal_exp(x), expl((long double)x)));
    }
    printf("exp: off by %.3f units in the last place at most\n", most);
    assert_true(most < 1.0);
}

static void log_is_right_to_the_last_bit_but_one(void** state) {
    (void)state;
    double most = 0.0;
    for (uint64_t k = 0; k < DRAWS; k++) {
        double x = k % 2 ? draw(2, k, 0.5, 2.0) : ldexp(draw(2, k, 1.0, 2.0), (int)(k % 2040) - 1020);
        most     = fmax(most, units_off(shoal_ln(x), logl((long double)x)));
    }
    printf("log: off by %.3f units in the last place at most\n", most);
    assert_true(most < 1.0);
}

// 80 bits of a long double are too few to judge the largest powers by, so those stay below 1e60.
static void powers_are_right_to_two_units_in_the_last_place(void** state) {
    (void)state;
    double most = 0.0;
    for (uint64_t k = 0; k < DRAWS; k++) {
        double x = k % 2 ? draw(3, k, 0.0, 1.0) : draw(3, k, 0.0, 1000.0), y = draw(4, k, -20.0, 20.0);
        if (k % 3 == 0) y *= 0.05;
        most = fmax(most, units_off(shoal_power(x, y), powl((long double)x, (long double)y)));
    }
    printf("power: off by %.3f units in the last place at most\n", most);
    assert_true(most < 2.0);
}

static void ends_and_whole_powers_are_exact(void** state) {
    (void)state;
    assert_true(shoal_exp(0.0) == 1.0 && shoal_ln(1.0) == 0.0);
    assert_true(isinf(shoal_exp(710.0)) && shoal_exp(-746.0) == 0.0 && isnan(shoal_exp((double)NAN)));
    assert_true(shoal_exp(-744.0) > 0.0 && shoal_exp(-(double)INFINITY) == 0.0 && isinf(shoal_exp((double)INFINITY)));
    assert_true(isinf(shoal_ln(0.0)) && isnan(shoal_ln(-1.0)) && isinf(shoal_ln((double)INFINITY)));
    assert_true(shoal_power(0.0, 0.0) == 1.0 && shoal_power(0.0, 0.3) == 0.0 && isinf(shoal_power(0.0, -1.0)));
    assert_true(isnan(shoal_power(-1.0, 0.5)) && shoal_power(1.0, 1e300) == 1.0);
    assert_true(isinf(shoal_power(2.0, 1024.0)) && shoal_power(2.0, -1080.0) == 0.0);
    for (int k = -1000; k <= 1000; k += 50) assert_true(shoal_power(2.0, k) == ldexp(1.0, k));
    for (int k = 1; k < 100; k++) {
        assert_true(shoal_power(k, 3.0) == (double)k * k * k);
        assert_true(fabs(shoal_power(k, 0.5) - sqrt(k)) <= 0x1p-52 * sqrt(k));
    }
    double tiny = 0x1p-1050;
    assert_true(fabs(shoal_ln(tiny) / (-1050.0 * log(2.0)) - 1.0) < 1e-15);
    assert_true(fabs(shoal_power(tiny, 0.5) / 0x1p-525 - 1.0) < 1e-15);
}

// The bits, as they were first found: another machine must find the same.
static void the_bits_are_the_same_on_every_machine(void** state) {
    (void)state;
    uint64_t hash = 0;
    for (uint64_t k = 0; k < 10000; k++) {
        double found[3] = {shoal_exp(draw(5, k, -700.0, 700.0)), shoal_ln(draw(6, k, 0.0, 1e6)),
                           shoal_power(draw(7, k, 0.0, 1e3), draw(8, k, -30.0, 30.0))};
        hash            = shoal_hash(found, sizeof found, hash);
    }
    assert_true(hash == 0x7cf3d9651ef1846dull);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exp_is_right_to_the_last_bit_but_one),
        cmocka_unit_test(log_is_right_to_the_last_bit_but_one),
        cmocka_unit_test(powers_are_right_to_two_units_in_the_last_place),
        cmocka_unit_test(ends_and_whole_powers_are_exact),
        cmocka_unit_test(the_bits_are_the_same_on_every_machine),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
