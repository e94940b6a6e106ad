// SPDX-License-Identifier: MIT
// Sets of every life: what a step has done to them is undone, whatever it did.
#include "unit/check.h"

#include "exec/device.h"
#include "state/set.h"

static const shoal_field_def particle_fields[] = {SHOAL_FIELD("heat", F1, 1, STATE, "K", ""),
                                                  SHOAL_FIELD("tensor", D1, 6, STATE, "", ""),
                                                  SHOAL_FIELD("shown", F1, 1, OUTPUT, "", ""),
                                                  {0}};
static const shoal_set_def   particles         = {"particles", SHOAL_SORTED, particle_fields, 0, NULL};

static const shoal_field_def block_fields[] = {
    SHOAL_FIELD("corner", I3, 1, STATE, "", ""), SHOAL_FIELD("values", F1, 5, STATE, "", ""), {0}};
static const shoal_set_def blocks = {"blocks", SHOAL_REBUILT, block_fields, 0, NULL};

static const shoal_field_def once_fields[] = {
    SHOAL_FIELD("dt", D1, 1, STATE, "s", ""), SHOAL_FIELD("balance", L1, 4, STATE, "", ""), {0}};
static const shoal_set_def once = {"once", SHOAL_FIXED, once_fields, 0, NULL};

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
    double*  dt      = shoal_set_data(set, "dt");
    int64_t* numbers = shoal_set_data(set, "balance");
    assert_true(*dt == 0.0 && numbers[3] == 0);
    *dt = 0.5, numbers[3] = 12;
    shoal_set_mark(set);
    *dt = 0.25, numbers[3] = 13;
    shoal_set_restore(set);
    assert_true(*dt == 0.5 && numbers[3] == 12);
    assert_ptr_equal(dt, shoal_set_data(set, "dt"));
    shoal_set_destroy(set);
}

// ---------------------------------------------------------------------------------- places in other sets

static const shoal_field_def bead_fields[]   = {SHOAL_FIELD("next", R1, 1, STATE, "beads", ""), {0}};
static const shoal_field_def thread_fields[] = {
    SHOAL_FIELD("ends", R1, 2, STATE, "beads", ""), SHOAL_FIELD("own", R1, 1, STATE, "threads", ""), {0}};
static const shoal_field_def face_fields[] = {SHOAL_FIELD("corners", R3, 1, STATE, "beads", ""), {0}};
static const shoal_set_def   bead_sets[]   = {{"beads", SHOAL_SORTED, bead_fields, 0, NULL},
                                              {"threads", SHOAL_REBUILT, thread_fields, 0, NULL},
                                              {"faces", SHOAL_FIXED, face_fields, 0, NULL}};
enum { BEADS, THREADS, FACES, SET_COUNT };

// A ring of beads, each with the next; a thread for each, and one face.
static void make_ring(shoal_set* sets[SET_COUNT + 1]) {
    for (int k = 0; k < SET_COUNT; k++) CHECK_OK(shoal_set_create(&bead_sets[k], &sets[k]));
    sets[SET_COUNT] = NULL;
    CHECK_OK(shoal_sets_join(sets));
    for (int i = 0; i < COUNT; i++) {
        CHECK_OK(shoal_set_append(sets[BEADS], 10 + i, 0, shoal_v3_make(0, 0, 0), shoal_v3_make(0, 0, 0)));
        assert_int_equal(((int32_t*)shoal_set_data(sets[BEADS], "next"))[i], -1); // nobody, before it is told
        ((int32_t*)shoal_set_data(sets[BEADS], "next"))[i] = (i + 1) % COUNT;
    }
    CHECK_OK(shoal_set_rebuild(sets[THREADS], COUNT));
    CHECK_OK(shoal_set_rebuild(sets[FACES], 1));
    for (int i = 0; i < COUNT; i++) {
        int32_t* ends = (int32_t*)shoal_set_data(sets[THREADS], "ends") + 2 * i;
        ends[0] = i, ends[1] = (i + 1) % COUNT;
        ((int32_t*)shoal_set_data(sets[THREADS], "own"))[i] = i;
    }
    for (int k = 0; k < 3; k++) ((int32_t*)shoal_set_data(sets[FACES], "corners"))[k] = 2 * k;
}

// Number of the bead at a place, -1: nobody.
static int bead_at(const shoal_set* beads, int32_t place) {
    if (place < 0) return -1;
    assert_true(place < beads->count);
    return ((int32_t*)shoal_set_data(beads, "id"))[place];
}

// Every place names who it named at first, or nobody where `gone` is meant.
static void check_ring(shoal_set* const* sets, int gone) {
    const shoal_set* beads = sets[BEADS];
#define NAMES(place, number) assert_int_equal(bead_at(beads, place), (number) == gone ? -1 : (number))
    for (int i = 0; i < beads->count; i++) {
        int id = ((int32_t*)shoal_set_data(beads, "id"))[i];
        NAMES(((int32_t*)shoal_set_data(beads, "next"))[i], 10 + (id - 9) % COUNT);
    }
    for (int i = 0; i < COUNT; i++) {
        NAMES(((int32_t*)shoal_set_data(sets[THREADS], "ends"))[2 * i], 10 + i);
        NAMES(((int32_t*)shoal_set_data(sets[THREADS], "ends"))[2 * i + 1], 10 + (i + 1) % COUNT);
        assert_int_equal(((int32_t*)shoal_set_data(sets[THREADS], "own"))[i], i);
    }
    for (int k = 0; k < 3; k++) NAMES(((int32_t*)shoal_set_data(sets[FACES], "corners"))[k], 10 + 2 * k);
#undef NAMES
}

static void free_ring(shoal_set** sets) {
    for (int k = 0; k < SET_COUNT; k++) shoal_set_destroy(sets[k]);
}

static void places_follow_a_sort_and_forget_who_leaves(void** state) {
    (void)state;
    const int  round[COUNT] = {3, 1, 4, 0, 2};
    shoal_exec exec         = shoal_exec_make(2);
    shoal_set* sets[SET_COUNT + 1];
    make_ring(sets);
    for (int k = 0; k < 3; k++) {
        CHECK_OK(shoal_set_permute(sets[BEADS], &exec, round));
        check_ring(sets, -1);
    }
    CHECK_OK(shoal_set_reserve(sets[BEADS], 5000)); // the table of who has moved grows as well
    CHECK_OK(shoal_set_permute(sets[BEADS], &exec, round));
    check_ring(sets, -1);
    uint8_t marks[COUNT];
    for (int i = 0; i < COUNT; i++) marks[i] = bead_at(sets[BEADS], i) == 12;
    shoal_set_remove(sets[BEADS], &exec, marks);
    assert_int_equal(sets[BEADS]->count, COUNT - 1);
    check_ring(sets, 12);
    free_ring(sets);
}

// Whether the set of the places was written anew in the step, before or after, or stayed where it lies.
static void places_come_back_when_a_step_is_undone(void** state) {
    (void)state;
    const int  round[COUNT] = {3, 1, 4, 0, 2};
    shoal_exec exec         = shoal_exec_make(1);
    for (int way = 0; way < 4; way++) {
        shoal_set* sets[SET_COUNT + 1];
        make_ring(sets);
        for (int step = 0; step < 2; step++) {
            for (int k = 0; k < SET_COUNT; k++) shoal_set_mark(sets[k]);
            if (way == 1) CHECK_OK(shoal_set_rebuild(sets[THREADS], 1));
            CHECK_OK(shoal_set_append(sets[BEADS], 99, 0, shoal_v3_make(0, 0, 0), shoal_v3_make(0, 0, 0)));
            CHECK_OK(shoal_set_permute(sets[BEADS], &exec, (const int[]){5, 3, 1, 4, 0, 2}));
            if (way == 2) CHECK_OK(shoal_set_rebuild(sets[THREADS], 3000));
            if (way == 3) shoal_set_remove(sets[BEADS], &exec, (const uint8_t[]){0, 1, 0, 1, 0, 0});
            for (int k = 0; k < SET_COUNT; k++) shoal_set_restore(sets[k]);
            check_ring(sets, -1);
            for (int k = 0; k < SET_COUNT; k++) shoal_set_mark(sets[k]); // and one that goes well
            CHECK_OK(shoal_set_permute(sets[BEADS], &exec, round));
            check_ring(sets, -1);
        }
        free_ring(sets);
    }
}

// A frame is on its way while the next step runs: what comes is what was there when it set out.
static void what_is_posted_comes_as_it_was(void** state) {
    (void)state;
    shoal_device* device;
    shoal_set*    set = some_particles();
    CHECK_OK(shoal_device_open("mirror", &device));
    shoal_exec    exec    = {.threads = 1, .device = device};
    shoal_field*  heat    = shoal_set_find(set, "heat");
    shoal_parcels parcels = {0}, unwanted   = {0};
    float         came[COUNT], other[COUNT] = {0};
    shoal_set_move_to(set, device);
    shoal_field_copy(set, heat, came, &parcels); // it is here
    assert_true(parcels.count == 0 && memcmp(came, heat->data, sizeof came) == 0);
    float* far = shoal_set_bind(set, &exec, "heat");
    for (int i = 0; i < COUNT; i++) far[i] = 7.0f * (float)i;
    shoal_field_copy(set, heat, came, &parcels);
    shoal_field_copy(set, heat, other, &unwanted);
    assert_true(parcels.count == 1 && unwanted.count == 1);
    for (int i = 0; i < COUNT; i++) far[i] = -1.0f;
    shoal_parcels_drop(&unwanted);
    assert_true(other[1] == 0.0f);
    CHECK_OK(shoal_parcels_receive(&parcels));
    for (int i = 0; i < COUNT; i++) assert_true(came[i] == 7.0f * (float)i);
    shoal_parcels_drop(&parcels);
    // it is no fetch: here it is as stale as before
    assert_true(((const float*)shoal_field_read(set, heat))[1] == -1.0f);
    for (int i = 0; i < COUNT; i++) ((float*)shoal_set_bind(set, &exec, "heat"))[i] = 3.0f;
    shoal_field_copy(set, heat, came, NULL); // fetched
    assert_true(came[1] == 3.0f);
    shoal_set_destroy(set);
    shoal_device_close(device);
}

// What was asked of a set is known until somebody writes: a pass, or the host.
static void the_fastest_is_asked_anew_after_whoever_writes(void** state) {
    (void)state;
    shoal_device* device;
    shoal_set*    set = some_particles();
    CHECK_OK(shoal_device_open("mirror", &device));
    shoal_exec exec = {.threads = 1, .device = device};
    shoal_set_move_to(set, device);
    for (int k = 1; k < 4; k++) {
        shoal_v3* far = shoal_set_bind(set, &exec, "velocity");
        for (int i = 0; i < COUNT; i++) far[i] = shoal_v3_make(0.0f, (float)k, 0.0f);
        assert_true(shoal_set_fastest(set, &exec) == (double)k);
        shoal_v3* here  = shoal_set_data(set, "velocity");
        here[COUNT / 2] = shoal_v3_make(10.0f * (float)k, 0.0f, 0.0f);
        assert_true(shoal_set_fastest(set, &exec) == 10.0 * k);
    }
    shoal_set_destroy(set);
    shoal_device_close(device);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sort_moves_every_kind_of_field),
        cmocka_unit_test(several_sorts_of_one_step_are_undone),
        cmocka_unit_test(rebuilt_sets_come_back_also_after_several_rebuilds),
        cmocka_unit_test(what_is_there_once_comes_back_to_its_place),
        cmocka_unit_test(places_follow_a_sort_and_forget_who_leaves),
        cmocka_unit_test(places_come_back_when_a_step_is_undone),
        cmocka_unit_test(what_is_posted_comes_as_it_was),
        cmocka_unit_test(the_fastest_is_asked_anew_after_whoever_writes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
