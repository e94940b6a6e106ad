// SPDX-License-Identifier: MIT
// Sums of teams of threads have the bits of the sixteen lanes.
#include "unit/check.h"

#include <string.h>

#include "math/fold.h"
#include "math/wide.h"

static uint32_t state = 1;

static float draw(void) { // of either sign, over many sizes
    state        = state * 1664525u + 1013904223u;
    float number = (float)(int32_t)state / 2147483648.0f;
    state        = state * 1664525u + 1013904223u;
    return number * (float)(1u << (state >> 28));
}

// What a team of `threads` makes of a list that is padded to 16: each thread walks its lanes, folds them, and what it
// has is exchanged as __shfl_xor_sync does.
static void team_sum(const float* list, int count, int threads, float* out) {
    float now[SHOAL_LANES], next[SHOAL_LANES];
    int   own = SHOAL_LANES / threads;
    for (int q = 0; q < threads; q++) {
        float lanes[SHOAL_LANES] = {0};
        for (int k = 0; k < count; k += SHOAL_LANES)
            for (int m = 0; m < own; m++) lanes[m] += list[k + q + threads * m];
        now[q] = shoal_fold_lanes(lanes, own);
    }
    for (int step = threads / 2; step > 0; step /= 2) {
        for (int q = 0; q < threads; q++) next[q] = now[q] + now[q ^ step];
        memcpy(now, next, sizeof now);
    }
    memcpy(out, now, (size_t)threads * sizeof *out);
}

static void teams_have_the_bits_of_the_lanes(void** test_state) {
    (void)test_state;
    int differs_from_plain = 0;
    for (int length = 0; length <= 80; length++)
        for (int round = 0; round < 20; round++) {
            float list[96] = {0}, plain = 0.0f;
            wide  sum   = wide_set(0.0f);
            int   count = (length + SHOAL_LANES - 1) / SHOAL_LANES * SHOAL_LANES;
            for (int k = 0; k < length; k++) plain += list[k] = draw();
            for (int k = 0; k < count; k += SHOAL_LANES) sum = wide_add(sum, wide_load(list + k));
            float wanted = wide_sum(sum);
            differs_from_plain += memcmp(&wanted, &plain, sizeof plain) != 0;
            for (int threads = 1; threads <= SHOAL_LANES; threads *= 2) {
                float got[SHOAL_LANES];
                team_sum(list, count, threads, got);
                for (int q = 0; q < threads; q++) assert_memory_equal(&got[q], &wanted, sizeof wanted);
            }
        }
    assert_true(differs_from_plain > 1000); // the order counts
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(teams_have_the_bits_of_the_lanes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
