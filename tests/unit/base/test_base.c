// SPDX-License-Identifier: MIT
#include "unit/check.h"

#include <limits.h>

#include "base/arena.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/words.h"

static void memory_is_zero_aligned_and_counted(void** state) {
    (void)state;
    size_t before = shoal_memory_in_use();
    char*  bytes  = shoal_alloc(1000, 3);
    assert_non_null(bytes);
    assert_int_equal((uintptr_t)bytes % 64, 0);
    for (int k = 0; k < 3000; k++) assert_int_equal(bytes[k], 0);
    assert_true(shoal_memory_in_use() >= before + 3000);
    shoal_free(bytes);
    assert_int_equal(shoal_memory_in_use(), before);
}

static void a_product_that_overflows_is_refused(void** state) {
    (void)state;
    assert_null(shoal_alloc(SIZE_MAX / 2, 8));
    assert_non_null(strstr(shoal_last_error(), "out of memory"));
}

static void realloc_keeps_what_was_there(void** state) {
    (void)state;
    void* numbers = shoal_alloc(4, sizeof(int));
    for (int k = 0; k < 4; k++) ((int*)numbers)[k] = k;
    CHECK_OK(shoal_realloc(&numbers, 4, 400, sizeof(int)));
    for (int k = 0; k < 400; k++) assert_int_equal(((int*)numbers)[k], k < 4 ? k : 0);
    shoal_free(numbers);
}

static void room_grows_with_some_to_spare_and_stays_until_it_is_short(void** state) {
    (void)state;
    void* numbers  = NULL;
    int   capacity = 0;
    CHECK_OK(shoal_reserve(&numbers, &capacity, 100, sizeof(int)));
    assert_true(capacity > 100);
    for (int k = 0; k < capacity; k++) assert_int_equal(((int*)numbers)[k], 0);
    ((int*)numbers)[capacity - 1] = 7;
    CHECK_OK(shoal_reserve(&numbers, &capacity, capacity, sizeof(int)));
    assert_int_equal(((int*)numbers)[capacity - 1], 7);
    assert_int_equal(shoal_reserve(&numbers, &capacity, INT_MAX, SIZE_MAX / 8), SHOAL_ERR_MEMORY);
    assert_null(numbers);
    assert_int_equal(capacity, 0);
}

// What an array of an arena is for: as many numbers as are asked for, the same as those of the heap.
static int64_t sum_in(shoal_arena* arena, int count) {
    size_t  mark     = arena->used;
    void*   numbers  = NULL;
    int     capacity = 0;
    int64_t sum      = 0;
    CHECK_OK(shoal_arena_reserve(arena, &numbers, &capacity, count, sizeof(int)));
    for (int k = 0; k < count; k++) ((int*)numbers)[k] = k;
    CHECK_OK(shoal_arena_grow(arena, &numbers, (size_t)count, (size_t)(2 * count), sizeof(int)));
    for (int k = count; k < 2 * count; k++) ((int*)numbers)[k] = k;
    for (int k = 0; k < 2 * count; k++) sum += ((int*)numbers)[k];
    shoal_arena_back(arena, mark);
    return sum;
}

static void an_arena_is_one_block_that_its_users_take_turns_in(void** state) {
    (void)state;
    shoal_arena arena    = {0};
    size_t      before   = shoal_memory_in_use();
    int         count[3] = {100, 40000, 3000}; // the largest decides
    for (int round = 0; round < 2; round++)
        for (int k = 0; k < 3; k++) assert_int_equal(sum_in(&arena, count[k]), (int64_t)count[k] * (2 * count[k] - 1));
    size_t  held  = shoal_memory_in_use() - before;
    int64_t calls = shoal_memory_calls();
    assert_true(held >= 3 * 40000 * sizeof(int) && held < 3 * 45000 * sizeof(int));
    for (int k = 0; k < 3; k++) sum_in(&arena, count[k]);
    assert_int_equal(shoal_memory_calls(), calls);
    // pieces are aligned and keep off each other, in the block and beside it
    char *a = shoal_arena_take(&arena, 1, 1), *b = shoal_arena_take(&arena, 1000000, 1), *c;
    assert_non_null(a);
    assert_non_null(b);
    CHECK_OK(shoal_arena_make(&arena, (void**)&c, 0, 8));
    assert_int_equal(((uintptr_t)a | (uintptr_t)b | (uintptr_t)c) % 64, 0);
    *a = 1, *c = 3;
    memset(b, 2, 1000000);
    assert_true(*a == 1 && *c == 3);
    assert_null(shoal_arena_take(&arena, SIZE_MAX / 2, 8));
    // a block that was asked for is there, and stays where there is no memory for a larger one
    shoal_arena_back(&arena, 0);
    CHECK_OK(shoal_arena_hold(&arena, 3000000));
    assert_true(arena.size >= 3000000);
    const char* block = arena.block;
    assert_int_equal(shoal_arena_hold(&arena, SIZE_MAX / 2), SHOAL_ERR_MEMORY);
    assert_true(arena.block == block && shoal_arena_take(&arena, 2999000, 1) == block);
    shoal_arena_free(&arena);
    assert_int_equal(shoal_memory_in_use(), before);
}

// What is dropped is there for others, and what was taken since keeps what is in it: in the block, beside it, and
// where the block ends between them.
static void an_arena_drops_what_lies_below(void** state) {
    (void)state;
    size_t before = shoal_memory_in_use();
    for (int block = 0; block <= 1200; block += 200) {
        shoal_arena arena = {0};
        shoal_arena_take(&arena, (size_t)block, sizeof(int));
        shoal_arena_back(&arena, 0); // the block is so large now
        int *still = shoal_arena_take(&arena, 100, sizeof(int)), *moved[2];
        for (int k = 0; k < 100; k++) still[k] = k;
        size_t from = arena.used;
        shoal_arena_take(&arena, 150, sizeof(int));
        shoal_arena_take(&arena, 300, sizeof(int));
        size_t to = arena.used;
        for (int m = 0; m < 2; m++) {
            moved[m] = shoal_arena_take(&arena, 200, sizeof(int));
            for (int k = 0; k < 200; k++) moved[m][k] = 1000 * m + k;
        }
        size_t all = arena.used - to;
        shoal_arena_drop(&arena, from, to, (void** const[]){(void**)&moved[0], (void**)&moved[1]}, 2);
        assert_int_equal(arena.used, from + all);
        memset(shoal_arena_take(&arena, 400, sizeof(int)), 0xff, 400 * sizeof(int)); // where it was, or behind it
        for (int k = 0; k < 200; k++) assert_true(moved[0][k] == k && moved[1][k] == 1000 + k && still[k / 2] == k / 2);
        shoal_arena_back(&arena, 0);
        shoal_arena_free(&arena);
        assert_int_equal(shoal_memory_in_use(), before);
    }
}

static void a_failure_keeps_its_sentence(void** state) {
    (void)state;
    assert_int_equal(shoal_fail(SHOAL_ERR_FILE, "%s: %d", "a.yaml", 7), SHOAL_ERR_FILE);
    assert_string_equal(shoal_last_error(), "a.yaml: 7");
    shoal_fail(SHOAL_ERR_FILE, "again, %s", shoal_last_error());
    assert_string_equal(shoal_last_error(), "again, a.yaml: 7");
}

static void the_nearest_word_is_found_and_nonsense_is_not(void** state) {
    (void)state;
    static const char* const words[] = {"iterations", "substeps", "vorticity", NULL};
    assert_string_equal(shoal_nearest_word("itertaions", words), "iterations");
    assert_string_equal(shoal_nearest_word("substep", words), "substeps");
    assert_string_equal(shoal_nearest_word("Vorticty", words), "vorticity");
    assert_null(shoal_nearest_word("gravity_of_moon", words));
    // a slip is nearer than another ending, and words that break off are found
    static const char* const keys[] = {"cohesion", "cohesion_wet", "mud_friction", "mud_viscosity", NULL};
    assert_string_equal(shoal_nearest_word("cohesion_wett", keys), "cohesion_wet");
    assert_string_equal(shoal_nearest_word("cohesions", keys), "cohesion");
    assert_string_equal(shoal_nearest_word("mud_visc", keys), "mud_viscosity");
    assert_null(shoal_nearest_word("", words));
}

static void the_hash_sees_every_byte_and_the_length(void** state) {
    (void)state;
    unsigned char bytes[100] = {0};
    uint64_t      plain      = shoal_hash(bytes, 100, 0);
    for (int k = 0; k < 100; k++) {
        bytes[k] = 1;
        assert_true(shoal_hash(bytes, 100, 0) != plain);
        bytes[k] = 0;
    }
    assert_true(shoal_hash(bytes, 99, 0) != plain);
    assert_true(shoal_hash(bytes, 100, 1) != plain);
}

static void random_numbers_fill_the_unit_interval_evenly(void** state) {
    (void)state;
    int    bins[10] = {0};
    double sum      = 0.0;
    for (uint64_t n = 0; n < 100000; n++) {
        double r = shoal_random(1, 2, n);
        assert_true(r >= 0.0 && r < 1.0);
        bins[(int)(10.0 * r)]++;
        sum += r;
    }
    CHECK_NEAR(sum / 100000.0, 0.5, 0.005);
    for (int k = 0; k < 10; k++) CHECK_NEAR(bins[k], 10000.0, 500.0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_is_zero_aligned_and_counted),
        cmocka_unit_test(a_product_that_overflows_is_refused),
        cmocka_unit_test(realloc_keeps_what_was_there),
        cmocka_unit_test(room_grows_with_some_to_spare_and_stays_until_it_is_short),
        cmocka_unit_test(an_arena_is_one_block_that_its_users_take_turns_in),
        cmocka_unit_test(an_arena_drops_what_lies_below),
        cmocka_unit_test(a_failure_keeps_its_sentence),
        cmocka_unit_test(the_nearest_word_is_found_and_nonsense_is_not),
        cmocka_unit_test(the_hash_sees_every_byte_and_the_length),
        cmocka_unit_test(random_numbers_fill_the_unit_interval_evenly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
