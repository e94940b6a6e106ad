// SPDX-License-Identifier: MIT
#include "unit/check.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>

#include "base/hash.h"
#include "exec/pass.h"
#include "exec/pool.h"
#include "math/vec.h"

static double ragged_sum(void* ctx, int begin, int end) {
    (void)ctx;
    double sum = 0.0;
    for (int i = begin; i < end; i++) sum += (shoal_random(5, 0, (uint64_t)i) - 0.5) * pow(10.0, i % 30);
    return sum;
}

// Three of them at once, the last a constant.
static void ragged_sums(void* ctx, int begin, int end, double* sums) {
    (void)ctx;
    for (int i = begin; i < end; i++) {
        double one = (shoal_random(5, 0, (uint64_t)i) - 0.5) * pow(10.0, i % 30);
        sums[0] += one, sums[1] -= one, sums[2] += 1.0;
    }
}

static void sums_in_one_walk_have_the_bits_of_each_by_itself(void** state) {
    (void)state;
    static const int counts[] = {0, 1, 2049, 300001};
    for (int threads = 1; threads <= 4; threads += 3)
        for (int k = 0; k < 4; k++) {
            shoal_exec exec = shoal_exec_make(threads);
            double     want = shoal_sum(&exec, counts[k], ragged_sum, NULL), got[4] = {7.0, 7.0, 7.0, 7.0};
            shoal_sums(&exec, counts[k], 3, ragged_sums, NULL, got);
            assert_memory_equal(&got[0], &want, sizeof want);
            assert_true(got[1] == -want && got[2] == counts[k] && got[3] == 7.0);
        }
}

static void a_sum_has_the_same_bits_for_any_number_of_threads(void** state) {
    (void)state;
    shoal_exec one  = shoal_exec_make(1);
    double     want = shoal_sum(&one, 3000001, ragged_sum, NULL);
    for (int threads = 2; threads <= 8; threads += 3) {
        shoal_exec many = shoal_exec_make(threads);
        double     got  = shoal_sum(&many, 3000001, ragged_sum, NULL);
        assert_memory_equal(&got, &want, sizeof got);
    }
}

static double as_it_is(void* ctx, int begin, int end) {
    double most = (double)-INFINITY;
    for (int i = begin; i < end; i++) most = fmax(most, ((double*)ctx)[i]);
    return most;
}

static void a_maximum_is_found_and_of_nothing_it_is_minus_infinity(void** state) {
    (void)state;
    shoal_exec exec = shoal_exec_make(3);
    double     values[5000];
    for (int i = 0; i < 5000; i++) values[i] = -1.0 - shoal_random(6, 0, (uint64_t)i);
    values[4321] = -0.5;
    CHECK_NEAR(shoal_max(&exec, 5000, as_it_is, values), -0.5, 0.0);
    assert_true(shoal_max(&exec, 0, as_it_is, values) < -1e300);
}

SHOAL_FN bool is_even(const int* values, int i) { return values[i] % 2 == 0; }
SHOAL_FIRST_LOOP(first_even, int, is_even)
SHOAL_FN double third_of(const int* values, int i) { return values[i] / 3.0; }
SHOAL_SUM_LOOP(thirds, int, third_of)
SHOAL_MAX_LOOP(most_thirds, int, third_of)

static void sums_maxima_and_the_first_are_those_of_a_plain_loop(void** state) {
    (void)state;
    enum { COUNT = 20001 };
    int* values = calloc(COUNT, sizeof *values);
    for (int threads = 1; threads <= 5; threads++) {
        shoal_exec exec = shoal_exec_make(threads);
        for (int i = 0; i < COUNT; i++) values[i] = 2 * (int)(shoal_random(8, 0, (uint64_t)i) * 1000.0) - 999;
        assert_int_equal(shoal_first(&exec, COUNT, first_even, values), -1);
        assert_int_equal(shoal_first(&exec, 0, first_even, values), -1);
        static const int places[] = {COUNT - 1, 17000, 2048, 2047, 1};
        for (int k = 0; k < 5; k++) { // the later ones stay
            values[places[k]] = 4;
            assert_int_equal(shoal_first(&exec, COUNT, first_even, values), places[k]);
        }
        double most = -1e300, sum = 0.0;
        for (int i = 0; i < COUNT; i++) most = fmax(most, values[i] / 3.0), sum += values[i] / 3.0;
        CHECK_NEAR(shoal_max(&exec, COUNT, most_thirds, values), most, 0.0);
        CHECK_NEAR(shoal_sum(&exec, COUNT, thirds, values), sum, 1e-6);
    }
    free(values);
}

typedef struct shelf {
    int    wanted[3000000];
    size_t at[3000000];
} shelf;

static size_t total_wanted(void* ctx, int begin, int end) {
    size_t total = 0;
    for (int i = begin; i < end; i++) total += (size_t)((shelf*)ctx)->wanted[i];
    return total;
}

static void put_on_shelf(void* ctx, int begin, int end, size_t at) {
    shelf* s = ctx;
    for (int i = begin; i < end; at += (size_t)s->wanted[i++]) s->at[i] = at;
}

// More items than one window of blocks.
static void items_are_laid_out_one_after_the_other(void** state) {
    (void)state;
    enum { COUNT = 2500000 };
    shelf* s = calloc(1, sizeof *s);
    for (int i = 0; i < COUNT; i++) s->wanted[i] = (int)(shoal_random(4, 1, (uint64_t)i) * 5.0);
    for (int threads = 1; threads <= 3; threads += 2) {
        shoal_exec exec = shoal_exec_make(threads);
        size_t     at = 7, end = shoal_lay_out(&exec, COUNT, (shoal_layout){total_wanted, put_on_shelf, NULL}, s, 7);
        for (int i = 0; i < COUNT; at += (size_t)s->wanted[i++]) assert_int_equal(s->at[i], at);
        assert_int_equal(end, at);
        assert_int_equal(shoal_lay_out(&exec, 0, (shoal_layout){total_wanted, put_on_shelf, NULL}, s, 3), 3);
    }
    free(s);
}

static bool has_capacity_for_1000(void* ctx, size_t end) {
    (void)ctx;
    return end <= 1000;
}

static void nothing_is_put_where_there_is_no_room(void** state) {
    (void)state;
    shelf*       s      = calloc(1, sizeof *s);
    shoal_exec   exec   = shoal_exec_make(2);
    shoal_layout layout = {total_wanted, put_on_shelf, has_capacity_for_1000};
    for (int i = 0; i < 2000; i++) s->wanted[i] = 1;
    assert_int_equal(shoal_lay_out(&exec, 1000, layout, s, 0), 1000);
    assert_int_equal(s->at[999], 999);
    memset(s->at, 0, 1000 * sizeof *s->at);
    assert_int_equal(shoal_lay_out(&exec, 1001, layout, s, 0), 1001);
    assert_int_equal(s->at[999], 0);
    free(s);
}

static void a_scan_adds_up_to_each(void** state) {
    (void)state;
    enum { COUNT = 300000 };
    int* values = calloc(COUNT, sizeof *values);
    for (int threads = 1; threads <= 4; threads += 3) {
        shoal_exec exec = shoal_exec_make(threads);
        int        sum  = 0;
        for (int i = 0; i < COUNT; i++) values[i] = (int)(shoal_random(9, 1, (uint64_t)i) * 4.0);
        size_t last = shoal_pass_scan(&exec, values, COUNT);
        for (int i = 0; i < COUNT; i++)
            assert_int_equal(values[i], sum += (int)(shoal_random(9, 1, (uint64_t)i) * 4.0));
        assert_int_equal(last, sum);
        assert_int_equal(shoal_pass_scan(&exec, values, 0), 0);
    }
    free(values);
}

// A client that stays in its loop until it is told to leave.
typedef struct guest {
    atomic_bool is_in, may_leave;
} guest;

static void stay(void* ctx, int begin, int end, int worker) {
    guest* g = ctx;
    (void)begin, (void)end, (void)worker;
    atomic_store(&g->is_in, true);
    while (!atomic_load(&g->may_leave)) sched_yield();
}

static void* visit(void* ctx) {
    shoal_exec exec = {.threads = 64};
    shoal_blocks(&exec, 1000, 1, stay, ctx);
    return NULL;
}

static void clients_of_the_pool_have_their_shares(void** state) {
    (void)state;
    enum { ALL = 64 }; // more than there are cores
    guest           g = {false, false};
    pthread_t       other;
    struct timespec over = {0, 5000000};
    nanosleep(&over, NULL); // the lease of the tests before
    assert_int_equal(shoal_pool_seats(ALL), ALL);
    assert_int_equal(pthread_create(&other, NULL, visit, &g), 0);
    while (!atomic_load(&g.is_in)) sched_yield();
    assert_int_equal(shoal_pool_seats(ALL), ALL / 2);
    assert_int_equal(shoal_pool_seats(1), 1);
    atomic_store(&g.may_leave, true);
    pthread_join(other, NULL);
    nanosleep(&over, NULL);
    assert_int_equal(shoal_pool_seats(ALL), ALL);
}

static void sort_of(int count, int bits, int threads) {
    shoal_exec exec = shoal_exec_make(threads);
    size_t     n    = (size_t)count + 1;
    uint64_t * keys = calloc(n, 8), *sorted = calloc(n, 8);
    int*       order   = calloc(n, 4);
    char*      seen    = calloc(n, 1);
    void*      scratch = shoal_alloc(1, shoal_sort_scratch(count));
    uint64_t   mask    = bits == 64 ? ~0ull : (1ull << bits) - 1;
    for (int i = 0; i < count; i++) keys[i] = shoal_mix64((uint64_t)i / 3) & mask; // equal keys in threes
    shoal_sort_keys(&exec, keys, count, bits, order, sorted, scratch);
    for (int k = 0; k < count; k++) {
        assert_true(keys[order[k]] == sorted[k]);
        assert_int_equal(seen[order[k]]++, 0);
        if (k > 0) assert_true(sorted[k - 1] < sorted[k] || (sorted[k - 1] == sorted[k] && order[k - 1] < order[k]));
    }
    free(keys), free(sorted), free(order), free(seen), shoal_free(scratch);
}

static void keys_are_sorted_and_equal_ones_keep_their_order(void** state) {
    (void)state;
    for (int threads = 1; threads <= 4; threads++)
        for (int bits = 1; bits <= 64; bits += 7) sort_of(5000, bits, threads);
    sort_of(0, 10, 2);
    sort_of(1, 10, 2);
    sort_of(17, 33, 8);
}

typedef struct tally {
    int        threads;
    atomic_int taken, strangers;
    uint8_t    marks[4096];
} tally;

static void mark_block(void* ctx, int begin, int end, int worker) {
    tally* t = ctx;
    if (worker < 0 || worker >= t->threads) atomic_fetch_add(&t->strangers, 1);
    for (int i = begin; i < end; i++) t->marks[i]++;
    atomic_fetch_add(&t->taken, end - begin);
}

// More threads than cores, so that many come when their loop is over and the next has begun, which may be for fewer.
static void loops_are_whole_and_for_those_who_were_asked_however_late_they_come(void** state) {
    (void)state;
    static const int threads[] = {8, 2, 5, 1, 3};
    for (int round = 0; round < 4000; round++) {
        tally t     = {.threads = threads[round % 5]};
        int   count = 1 + round % 4096;
        shoal_blocks(&(shoal_exec){.threads = t.threads}, count, 16 + round % 64, mark_block, &t);
        assert_int_equal(atomic_load(&t.taken), count);
        assert_int_equal(atomic_load(&t.strangers), 0);
        for (int i = 0; i < 4096; i++) assert_int_equal(t.marks[i], i < count);
    }
}

static void add_one_to(int* const* view, int i) { (*view)[i] += 1; }
static void add_two(const void* view, int begin, int end) {
    for (int i = begin; i < end; i++) (*(int* const*)view)[i] += 2;
}

static void instruction_sets_are_known_by_name(void** state) {
    (void)state;
    shoal_isa_kind kind;
    CHECK_OK(shoal_isa_by_name(shoal_isa(), &kind));
    assert_int_equal(kind, shoal_isa_best());
    CHECK_OK(shoal_isa_by_name("plain", &kind));
    assert_int_equal(shoal_isa_by_name("mmx", &kind), SHOAL_ERR_PARAM);
}

typedef int* numbers;
SHOAL_LOOP(add_one, numbers, add_one_to)

static const shoal_loop plain[] = {add_one, add_one}, wide[] = {NULL, add_two};

static void a_pass_without_a_wide_loop_takes_the_plain_one(void** state) {
    (void)state;
    const shoal_passes passes     = {.block = 3, .loops = {{[SHOAL_ISA_PLAIN] = plain, [SHOAL_ISA_SSE2] = wide}}};
    int                values[10] = {0}, *view = values;
    shoal_exec         exec = shoal_exec_make(2);
    const struct {
        shoal_isa_kind isa;
        int            pass, adds;
    } cases[] = {{SHOAL_ISA_PLAIN, 0, 1}, {SHOAL_ISA_PLAIN, 1, 1},  {SHOAL_ISA_SSE2, 0, 1},
                 {SHOAL_ISA_SSE2, 1, 2},  {SHOAL_ISA_AVX512, 1, 1}, {SHOAL_ISA_AVX2, 0, 1}};
    for (int k = 0, sum = 0; k < 6; k++) {
        sum += cases[k].adds;
        shoal_pass_run(&exec, cases[k].isa, &passes, cases[k].pass, &view, 10);
        for (int i = 0; i < 10; i++) assert_int_equal(values[i], sum);
    }
}

static void where_there_is_no_plain_row_that_of_the_best_set_serves(void** state) {
    (void)state;
    const int    best = 1, other = 2;
    shoal_by_isa rows         = {.of = {NULL}};
    rows.of[shoal_isa_best()] = &best;
    assert_ptr_equal(shoal_isa_choose(&rows, SHOAL_ISA_PLAIN), &best);
    rows.of[SHOAL_ISA_SSE2] = &other;
    assert_ptr_equal(shoal_isa_choose(&rows, SHOAL_ISA_SSE2), &other);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sum_has_the_same_bits_for_any_number_of_threads),
        cmocka_unit_test(sums_in_one_walk_have_the_bits_of_each_by_itself),
        cmocka_unit_test(a_maximum_is_found_and_of_nothing_it_is_minus_infinity),
        cmocka_unit_test(sums_maxima_and_the_first_are_those_of_a_plain_loop),
        cmocka_unit_test(items_are_laid_out_one_after_the_other),
        cmocka_unit_test(nothing_is_put_where_there_is_no_room),
        cmocka_unit_test(a_scan_adds_up_to_each),
        cmocka_unit_test(clients_of_the_pool_have_their_shares),
        cmocka_unit_test(keys_are_sorted_and_equal_ones_keep_their_order),
        cmocka_unit_test(loops_are_whole_and_for_those_who_were_asked_however_late_they_come),
        cmocka_unit_test(instruction_sets_are_known_by_name),
        cmocka_unit_test(a_pass_without_a_wide_loop_takes_the_plain_one),
        cmocka_unit_test(where_there_is_no_plain_row_that_of_the_best_set_serves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
