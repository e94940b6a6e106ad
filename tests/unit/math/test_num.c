// SPDX-License-Identifier: MIT
// A `num` has the bits of the sixteen lanes, on every instruction set, and as a single float.
#include "unit/check.h"

#include "exec/exec.h"
#include "unit/math/num_check.h"

#define ROW(kind, name) extern const num_check_fn name;
SHOAL_ISA_SETS(ROW, num_check)
#undef ROW
extern const num_check_fn num_check_one, num_check_generic;

static uint32_t state = 1;

static float draw(void) { // of either sign, over many sizes
    state        = state * 1664525u + 1013904223u;
    float number = (float)(int32_t)state / 2147483648.0f;
    state        = state * 1664525u + 1013904223u;
    return number * (float)(1u << (state >> 27)) * 1e-4f;
}

static num_given drawn(int round) {
    num_given given;
    for (int k = 0; k < NUM_CHECK_ITEMS; k++) {
        given.one[k]  = draw();
        given.four[k] = shoal_v4_make(draw(), draw(), draw(), draw());
    }
    for (int k = 0; k < SHOAL_LANES; k++) {
        given.a[k] = draw(), given.b[k] = draw(), given.above_zero[k] = fabsf(draw());
        given.index[k] = (int)(state >> 8) % NUM_CHECK_ITEMS, given.whole[k] = (int16_t)(state >> 16);
    }
    // no lane below, and one of them
    if (round % 3 == 1)
        for (int k = 0; k < SHOAL_LANES; k++) given.b[k] = given.a[k];
    if (round % 6 == 1) given.a[round % SHOAL_LANES] -= 1.0f;
    // two in one spot, and the distance to "nobody"
    given.above_zero[round % SHOAL_LANES]       = 0.0f;
    given.above_zero[(round + 1) % SHOAL_LANES] = 3e18f;
    // halves go to the even number; beyond 16 bits to the last that they hold
    static const float edge[] = {0.5f, 1.5f, -2.5f, 32767.4f, 32768.0f, -32768.6f, 1e6f, -1e6f};
    if (round % 2 == 0) given.a[round % SHOAL_LANES] = edge[round / 2 % 8];
    return given;
}

static void is_the_same(const char* set, const num_found* found, const num_found* wanted) {
#define X(name, by_num, by_wide)                                                                                       \
    if (memcmp(found->name, wanted->name, sizeof found->name) != 0) fail_msg("%s: %s differs", set, #name);
    NUM_CHECKS(X)
#undef X
    for (int c = 0; c < 2; c++) assert_memory_equal(&found->sum[c], &wanted->sum[c], sizeof found->sum[c]);
    if (found->any_less != wanted->any_less) fail_msg("%s: any_less differs", set);
    assert_memory_equal(found->stored, wanted->stored, sizeof found->stored);
}

static void every_set_has_the_bits_of_its_lanes_and_of_one_float(void** test_state) {
    (void)test_state;
    const struct {
        const char*  name; // NULL: runs everywhere
        num_check_fn check;
    } sets[] = {
#if defined(__x86_64__)
        {"sse2", num_check_sse2},
        {"avx2", num_check_avx2},
        {"avx512", num_check_avx512},
#endif
        {NULL, num_check_generic},
        {NULL, num_check_one}
    };
    int seen = 0, less = 0;
    for (int round = 0; round < 500; round++) {
        num_given given = drawn(round);
        num_found one, wide;
        num_check_one(&given, &one, &wide);
        less += one.any_less;
        for (size_t k = 0; k < sizeof sets / sizeof *sets; k++) {
            shoal_isa_kind kind;
            if (sets[k].name && shoal_isa_by_name(sets[k].name, &kind) != SHOAL_OK) continue;
            num_found by_num, by_wide;
            sets[k].check(&given, &by_num, &by_wide);
            const char* name = sets[k].name ? sets[k].name : "without intrinsics";
            is_the_same(name, &by_num, &by_wide);
            is_the_same(name, &by_num, &one);
            seen++;
        }
    }
    printf("sets compared: %d\n", seen / 500);
    assert_true(seen >= 1000 && less > 100 && less < 500); // both answers of any_less
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_set_has_the_bits_of_its_lanes_and_of_one_float)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
