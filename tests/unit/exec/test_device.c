// SPDX-License-Identifier: MIT
// What every device promises, asked of `mirror`: parcels are what was there when they set out, and answers that are
// asked for come with the next that is waited for, not before, and to the right place.
#include "unit/check.h"

#include <string.h>

#include "base/clock.h"
#include "exec/device.h"

enum { COUNT = 1000 };

typedef struct particles {
    const int* values;
} particles;
static double value_of(const particles* v, int i) { return v->values[i]; }
SHOAL_SUM_LOOP(all_values, particles, value_of)
SHOAL_MAX_LOOP(most_value, particles, value_of)
static const shoal_fold   folds[] = {{.sum = all_values}, {.most = most_value}};
static const shoal_passes passes  = {.block = 64, .folds = folds, .name = "particles", .view_size = sizeof(particles)};

typedef struct there {
    shoal_device* device;
    int*          far;
} there;

// On a device lie the numbers from `first` on.
static void write_from(const there* t, int first) {
    int values[COUNT];
    for (int k = 0; k < COUNT; k++) values[k] = first + k;
    t->device->send(t->device, t->far, values, sizeof values);
}

static there open_mirror(void) {
    there t = {0};
    assert_int_equal(shoal_device_open("mirror", &t.device), SHOAL_OK);
    t.far = shoal_far_alloc(t.device, COUNT, sizeof *t.far);
    assert_non_null(t.far);
    write_from(&t, 0);
    return t;
}

static void close_mirror(there t) {
    assert_int_equal(shoal_device_check(t.device), SHOAL_OK);
    shoal_far_free(t.device, t.far);
    shoal_device_close(t.device);
}

static void a_parcel_holds_what_was_there_when_it_set_out(void** state) {
    (void)state;
    there         t           = open_mirror();
    int           here[COUNT] = {0};
    shoal_parcel *wanted      = t.device->post(t.device, t.far, sizeof here), *other;
    assert_non_null(wanted);
    write_from(&t, 5000);
    other = t.device->post(t.device, t.far, sizeof here);
    assert_non_null(other);
    assert_true(t.device->receive(t.device, wanted, here));
    for (int k = 0; k < COUNT; k++) assert_int_equal(here[k], k);
    assert_true(t.device->receive(t.device, other, NULL)); // not wanted any more
    assert_int_equal(here[COUNT - 1], COUNT - 1);
    close_mirror(t);
}

static void a_parcel_that_has_set_out_arrives_after_a_fault(void** state) {
    (void)state;
    there         t           = open_mirror();
    int           here[COUNT] = {0};
    shoal_parcel* parcel      = t.device->post(t.device, t.far, sizeof here);
    shoal_device_fail(t.device, SHOAL_ERR_INTERNAL, "as it was asked to");
    assert_null(t.device->post(t.device, t.far, sizeof here));
    assert_true(t.device->receive(t.device, parcel, here));
    assert_int_equal(here[7], 7);
    t.device->status = SHOAL_OK;
    close_mirror(t);
}

static void the_first_fault_is_reported_not_what_follows_from_it(void** state) {
    (void)state;
    there t = open_mirror();
    shoal_device_fail(t.device, SHOAL_ERR_MEMORY, "no room");
    shoal_device_fail(t.device, SHOAL_ERR_INTERNAL, "nothing there");
    assert_int_equal(shoal_device_check(t.device), SHOAL_ERR_MEMORY);
    assert_string_equal(shoal_last_error(), "device mirror: no room");
    t.device->status = SHOAL_OK;
    close_mirror(t);
}

static void what_is_asked_for_comes_with_the_next_answer(void** state) {
    (void)state;
    there     t      = open_mirror();
    int       few[2] = {0}, one = 0;
    double    sums[2] = {0.0, 0.0};
    particles view    = {t.far};
    t.device->ask(t.device, few, t.far + 3, sizeof few);
    t.device->ask_fold(t.device, &passes, 3, &view, COUNT, sums);
    write_from(&t, 100); // what was asked for is that of before
    assert_true(few[0] != 3);
    t.device->fetch(t.device, &one, t.far, sizeof one);
    assert_int_equal(one, 100);
    assert_int_equal(few[0], 3);
    assert_int_equal(few[1], 4);
    assert_true(sums[0] == 499500.0 && sums[1] == 999.0);
    t.device->ask(t.device, few, t.far + 3, sizeof few);
    t.device->settle(t.device);
    assert_int_equal(few[1], 104);
    sums[0] = shoal_pass_fold(&(shoal_exec){.device = t.device}, &passes, 0, &view, COUNT);
    assert_true(sums[0] == 599500.0);
    close_mirror(t);
}

static void all_parcels_of_a_list_come_to_their_places(void** state) {
    (void)state;
    there         t          = open_mirror();
    shoal_parcels parcels    = {0};
    int           first[100] = {0}, later[100] = {0};
    assert_true(shoal_parcels_post(&parcels, t.device, first, t.far, sizeof first));
    write_from(&t, 7000);
    assert_true(shoal_parcels_post(&parcels, t.device, later, t.far + 50, sizeof later));
    write_from(&t, 0);
    assert_int_equal(later[0], 0);
    assert_int_equal(shoal_parcels_receive(&parcels), SHOAL_OK);
    assert_int_equal(parcels.count, 0);
    for (int k = 0; k < 100; k++) assert_true(first[k] == k && later[k] == 7050 + k);
    assert_true(shoal_parcels_post(&parcels, t.device, first, t.far + 1, sizeof first));
    shoal_parcels_drop(&parcels);
    assert_int_equal(first[0], 0);
    close_mirror(t);
}

static void times_between_marks_are_reported_by_tally(void** state) {
    (void)state;
    there  t    = open_mirror();
    double slow = 1.0, quick[2] = {0.0, 0.0};
    t.device->mark(t.device, NULL);
    for (double began = shoal_seconds(); shoal_seconds() < began + 0.02;)
        ;
    t.device->mark(t.device, &slow);
    t.device->mark(t.device, &quick[0]);
    assert_true(slow == 1.0);
    t.device->tally(t.device);
    assert_true(slow >= 1.02);
    t.device->tally(t.device); // none of them twice
    for (int k = 0; k < 1000; k++) t.device->mark(t.device, &quick[1]);
    t.device->tally(t.device);
    assert_true(quick[0] >= 0.0 && quick[1] > 0.0);
    double so_far = slow;
    t.device->mark(t.device, NULL); // nobody's
    t.device->tally(t.device);
    assert_true(slow == so_far);
    close_mirror(t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_parcel_holds_what_was_there_when_it_set_out),
        cmocka_unit_test(a_parcel_that_has_set_out_arrives_after_a_fault),
        cmocka_unit_test(the_first_fault_is_reported_not_what_follows_from_it),
        cmocka_unit_test(what_is_asked_for_comes_with_the_next_answer),
        cmocka_unit_test(all_parcels_of_a_list_come_to_their_places),
        cmocka_unit_test(times_between_marks_are_reported_by_tally),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
