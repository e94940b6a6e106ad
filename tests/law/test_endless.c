// SPDX-License-Identifier: MIT
// Without a domain a run of `tetra-paper` goes on for as long as it is asked; and walls that are far from its liquid
// cost nothing.
#include "lab.h"

#define BALL "solver: tetra-paper\nspacing: 0.04\nbodies: [{sphere: {radius: 0.16}, velocity: [1, 2, -0.5]}]\n"

static void a_run_goes_on_with_more_frames_as_if_unbroken(void** state) {
    (void)state;
    shoal_sim *first = lab_sim(BALL "frames: 6\n", (lab_setup){0}), *on = lab_sim(BALL "frames: 60\n", (lab_setup){0});
    void*      bytes;
    size_t     size;
    lab_run(first, 0.1, 1.0 / 60.0);
    assert_int_equal(shoal_sim_save(first, &bytes, &size), SHOAL_OK);
    assert_int_equal(shoal_sim_load(on, bytes, size), SHOAL_OK);
    shoal_bytes_free(bytes, size);
    lab_run(first, 0.4, 1.0 / 60.0);
    lab_run(on, 0.4, 1.0 / 60.0);
    assert_true(shoal_sim_hash(first) == shoal_sim_hash(on));
    shoal_sim_destroy(first);
    shoal_sim_destroy(on);
}

// A ball that falls onto the floor of a room, whose walls are so far away.
static size_t fall_in_a_domain(double far, double* volume, double* height) {
    char   text[400];
    size_t before = shoal_memory_in_use();
    snprintf(text, sizeof text,
             "solver: tetra-paper\nspacing: 0.02\nbodies: [{sphere: {radius: 0.15}, at: [0, 0.16, 0]}]\n"
             "domain: {min: [%g, 0, %g], max: [%g, %g, %g]}\n",
             -far, -far, far, 2.0 * far, far);
    shoal_sim* sim = lab_sim(text, (lab_setup){0});
    lab_run(sim, 0.1, 1.0 / 60.0);
    size_t held = shoal_memory_in_use() - before;
    *volume     = lab_stat(sim, "volume_m3");
    *height     = lab_stat(sim, "com_y_m");
    shoal_sim_destroy(sim);
    return held;
}

static void floors_far_from_the_liquid_cost_no_memory(void** state) {
    (void)state;
    double volume[2], height[2];
    size_t near = fall_in_a_domain(1.5, &volume[0], &height[0]), far = fall_in_a_domain(150.0, &volume[1], &height[1]);
    print_message("%zu bytes in a room of 3 m, %zu in one of 300 m\n", near, far);
    assert_true(far < 2 * near && near < 2 * far);
    CHECK_NEAR(volume[1] / volume[0], 1.0, 1e-3);
    CHECK_NEAR(height[1] / height[0], 1.0, 1e-3);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_run_goes_on_with_more_frames_as_if_unbroken),
        cmocka_unit_test(floors_far_from_the_liquid_cost_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
