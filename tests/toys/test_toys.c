// SPDX-License-Identifier: MIT
// The toys under what every solver is put to: threads, resuming, steps that fail, memory that is refused, odd states.
#include "law/failing.h"

static const char* const scenes[] = {
    "solver: mesh\nspacing: 0.1\ndomain: {max: [1, 1, 1]}\n"
    "bodies: [{material: water, box: {min: [0.3, 0.1, 0.3], max: [0.6, 0.3, 0.5]}, velocity: [0.5, 0, 0]}]\n",
    "solver: pair\nspacing: 0.1\ndomain: {max: [1, 1, 1], walls: {top: open}}\n"
    "materials: {stones: {preset: sand}, water: {preset: water}}\n"
    "bodies:\n  - {material: stones, box: {min: [0.3, 0.2, 0.3], max: [0.6, 0.4, 0.5]}, velocity: [2, 0, 0]}\n"
    "  - {material: water, box: {min: [0.3, 0.4, 0.3], max: [0.6, 0.6, 0.5]}}\n"
    "emitters: [{material: water, disc: {radius: 0.1}, at: [0.5, 0.7, 0.4], velocity: [0, -2, 0]}]\n"
    "sinks: [{box: {min: [0.58, 0, 0], max: [1, 1, 1]}}]\nforces: [{acceleration: [0, 0, 1]}]\n",
};
enum { SCENES = sizeof scenes / sizeof *scenes };

static void toys_go_on_bit_for_bit(void** state) {
    (void)state;
    for (int k = 0; k < SCENES; k++)
        assert_true(lab_goes_on(scenes[k], (lab_setup){.threads = 1}, 5.0 * failing_frame, failing_frame));
}

static void a_failed_step_of_a_toy_leaves_nothing(void** state) {
    (void)state;
    for (int k = 0; k < SCENES; k++) failing_steps_leave_nothing(scenes[k], NULL);
}

static void toys_bear_memory_that_is_refused(void** state) {
    (void)state;
    for (int k = 0; k < SCENES; k++) failing_memory_is_borne(scenes[k], k == 0 ? "mesh" : "pair");
}

static void odd_states_of_toys_are_refused(void** state) {
    (void)state;
    for (int k = 0; k < SCENES; k++) failing_states_are_refused(scenes[k]);
}

// A drop hangs on the same stone as long as both are there, however they are put in order, and on none after that.
static void drops_stay_on_their_stones(void** state) {
    (void)state;
    enum { IDS = 4000 };
    static int32_t stone_of[IDS]; // number of the stone plus one; 0: not seen yet
    shoal_sim*     sim     = lab_sim(scenes[1], (lab_setup){0});
    int            hanging = 0, most = 0, least = IDS;
    for (int f = 0; f < 12; f++) {
        const shoal_set *stones = sim->ctx.sets[0], *drops = sim->ctx.sets[1];
        const int32_t*   place = shoal_set_data(drops, "stone");
        hanging                = 0;
        for (int i = 0; i < drops->count; i++) {
            int32_t id = ((int32_t*)shoal_set_data(drops, "id"))[i];
            assert_true(id < IDS && place[i] < stones->count);
            if (place[i] < 0) continue;
            int32_t stone = ((int32_t*)shoal_set_data(stones, "id"))[place[i]];
            assert_true(stone_of[id] == 0 || stone_of[id] == stone + 1);
            stone_of[id] = stone + 1;
            hanging++;
        }
        most  = hanging > most ? hanging : most;
        least = hanging < least ? hanging : least;
        lab_run(sim, failing_frame, failing_frame);
    }
    assert_true(most > 90 && least < most); // some stones were taken out
    shoal_sim_destroy(sim);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(toys_go_on_bit_for_bit),           cmocka_unit_test(a_failed_step_of_a_toy_leaves_nothing),
        cmocka_unit_test(toys_bear_memory_that_is_refused), cmocka_unit_test(odd_states_of_toys_are_refused),
        cmocka_unit_test(drops_stay_on_their_stones),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
