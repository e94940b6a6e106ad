// SPDX-License-Identifier: MIT
// Sets of every life: what a step has done to them is undone, whatever it did.
#include "unit/check.h"

#include "state/set.h"

static const shoal_field_def particle_fields[] = {SHOAL_FIELD("heat", F1, 1, STATE, "K", ""),
                                                  SHOAL_FIELD("tensor", D1, 6, STATE, "", ""),
                                                  SHOAL_FIELD("shown", F1, 1, OUTPUT, "", ""),
                                                  {0}};
static const shoal_set_def   particles         = {"particles", SHOAL_SORTED, particle_fields, 0};

static const shoal_field_def block_fields[] = {
    SHOAL_FIELD("corner", I3, 1, STATE, "", ""), SHOAL_FIELD("values", F1, 5, STATE, "", ""), {0}};
static const shoal_set_def blocks = {"blocks", SHOAL_REBUILT, block_fields, 0};

static const shoal_field_def once_fields[] = {
    SHOAL_FIELD("dt", D1, 1, STATE, "s", ""), SHOAL_FIELD("books", L1, 4, STATE, "", ""), {0}};
static const shoal_set_def once = {"once", SHOAL_FIXED, once_fields, 0};

enum { COUNT = 5 };

static shoal_set* some_particles(void) {
    shoal_set* set;
    CHECK_OK(shoal_set_create(&particles, &set));
    for (int i = 0; i < COUNT; i++) {
        CHECK_OK(shoal_set_append(set, i, 0, shoal_v3_make((float)i, 0.0f, 0.0f), shoal_v3_make(0.0f, 0.0f, 0.0f)));
        ((float*)shoal_set_data(set, "heat"))[i] = 10.0f * (float)i;
        for (int k = 0; k < 6; k++) ((double*)shoal_set_data(set, "tensor"))[6 * i + k] = 100.0 * i + k;
    }
    return set;
}

// Particle `id` at place i, with all that it has.
static void check_particle(const shoal_set* set, int i, int id) {
    assert_int_equal(((int32_t*)shoal_set_data(set, "id"))[i], id);
    assert_true(((shoal_v3*)shoal_set_data(set, "position"))[i].x == (float)id);
    assert_true(((float*)shoal_set_data(set, "heat"))[i] == 10.0f * (float)id);
    for (int k = 0; k < 6; k++) assert_true(((double*)shoal_set_data(set, "tensor"))[6 * i + k] == 100.0 * id + k);
}

static void a_sort_moves_every_kind_of_field(void** state) {
    (void)state;
    const int  back[COUNT] = {4, 3, 2, 1, 0};
    shoal_exec exec        = shoal_exec_make(2);
    shoal_set* set         = some_particles();
    shoal_set_mark(set);
    CHECK_OK(shoal_set_permute(set, &exec, back));
    for (int i = 0; i < COUNT; i++) check_particle(set, i, 4 - i);
    shoal_set_destroy(set);
}

static void several_sorts_of_one_step_are_undone(void** state) {
    (void)state;
    const int  back[COUNT] = {4, 3, 2, 1, 0}, round[COUNT] = {1, 2, 3, 4, 0};
    shoal_exec exec = shoal_exec_make(1);
    for (int sorts = 1; sorts <= 3; sorts++) {
        shoal_set* set = some_particles();
        for (int step = 0; step < 2; step++) { // the second begins with buffers that the first has turned over
            shoal_set_mark(set);
            for (int k = 0; k < sorts; k++) {
                CHECK_OK(shoal_set_permute(set, &exec, k % 2 ? back : round));
                ((float*)shoal_set_data(set, "heat"))[0]    = -1.0f;
                ((double*)shoal_set_data(set, "tensor"))[7] = -1.0;
            }
            shoal_set_restore(set);
            assert_int_equal(set->count, COUNT);
            for (int i = 0; i < COUNT; i++) check_particle(set, i, i);
        }
        shoal_set_restore(set); // without a sort it stays as it is
        for (int i = 0; i < COUNT; i++) check_particle(set, i, i);
        shoal_set_destroy(set);
    }
}

static void fill_blocks(shoal_set* set, int count, int first) {
    CHECK_OK(shoal_set_rebuild(set, count));
    assert_int_equal(set->count, count);
    for (int b = 0; b < count; b++) {
        for (int k = 0; k < 3; k++) ((int32_t*)shoal_set_data(set, "corner"))[3 * b + k] = first + b + k;
        for (int k = 0; k < 5; k++) ((float*)shoal_set_data(set, "values"))[5 * b + k] = (float)(first * b + k);
    }
}

static void check_blocks(const shoal_set* set, int count, int first) {
    assert_int_equal(set->count, count);
    for (int b = 0; b < count; b++) {
        for (int k = 0; k < 3; k++)
            assert_int_equal(((int32_t*)shoal_set_data(set, "corner"))[3 * b + k], first + b + k);
        for (int k = 0; k < 5; k++)
            assert_true(((float*)shoal_set_data(set, "values"))[5 * b + k] == (float)(first * b + k));
    }
}

// More, then fewer, so that buffers grow between; what was there before the step stays through it.
static void rebuilt_sets_come_back_also_after_several_rebuilds(void** state) {
    (void)state;
    shoal_set* set;
    CHECK_OK(shoal_set_create(&blocks, &set));
    assert_int_equal(set->count, 0);
    fill_blocks(set, 3, 7);
    for (int rebuilds = 1; rebuilds <= 3; rebuilds++) {
        shoal_set_mark(set);
        for (int k = 0; k < rebuilds; k++) fill_blocks(set, k % 2 ? 1 : 3000 * rebuilds, 20 + k);
        shoal_set_restore(set);
        check_blocks(set, 3, 7);
    }
    shoal_set_mark(set);
    fill_blocks(set, 4, 9);
    shoal_set_mark(set); // a step that went well
    check_blocks(set, 4, 9);
    shoal_set_restore(set);
    check_blocks(set, 4, 9);
    shoal_set_destroy(set);
}

static void what_is_there_once_comes_back_to_its_place(void** state) {
    (void)state;
    shoal_set* set;
    CHECK_OK(shoal_set_create(&once, &set));
    CHECK_OK(shoal_set_rebuild(set, 1));
    double*  dt    = shoal_set_data(set, "dt");
    int64_t* books = shoal_set_data(set, "books");
    assert_true(*dt == 0.0 && books[3] == 0);
    *dt = 0.5, books[3] = 12;
    shoal_set_mark(set);
    *dt = 0.25, books[3] = 13;
    shoal_set_restore(set);
    assert_true(*dt == 0.5 && books[3] == 12);
    assert_ptr_equal(dt, shoal_set_data(set, "dt"));
    shoal_set_destroy(set);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sort_moves_every_kind_of_field),
        cmocka_unit_test(several_sorts_of_one_step_are_undone),
        cmocka_unit_test(rebuilt_sets_come_back_also_after_several_rebuilds),
        cmocka_unit_test(what_is_there_once_comes_back_to_its_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
