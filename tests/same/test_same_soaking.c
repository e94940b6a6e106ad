// SPDX-License-Identifier: MIT
// Water among grains, with everything that moves it: who drinks which particle, and who is born where, is the same for
// any number of threads and every instruction set, and from a saved state.
#include "law/soaking.h"

static uint64_t after(const char* scene, int threads, const char* isa) {
    shoal_sim* sim = lab_sim(scene, (lab_setup){.threads = threads, .isa = isa});
    lab_run(sim, 0.1, 0.02);
    uint64_t hash = shoal_sim_hash(sim);
    shoal_sim_destroy(sim);
    return hash;
}

static void water_among_grains_is_the_same_for_any_number_of_threads_and_every_set(void** state) {
    (void)state;
    uint64_t one = after(soaking, 1, NULL);
    assert_true(after(soaking, 2, NULL) == one);
    assert_true(after(soaking, 5, NULL) == one);
    static const char* const sets[] = {"generic", "sse2", "avx2", "avx512"};
    for (int k = 0; k < 4; k++)
        if (lab_has_isa(sets[k])) assert_true(after(soaking, 2, sets[k]) == one);
}

static void a_tap_is_the_same_for_any_number_of_threads_and_from_a_saved_state(void** state) {
    (void)state;
    assert_true(after(tap, 1, NULL) == after(tap, 3, NULL));
    assert_true(lab_goes_on(tap, (lab_setup){0}, 0.06, 0.02));
}

static void soaking_goes_on_from_a_saved_state(void** state) {
    (void)state;
    assert_true(lab_goes_on(soaking, (lab_setup){0}, 0.06, 0.02));
    assert_true(lab_goes_on(soaking, (lab_setup){.set = {"grains.pressure=wcsph"}}, 0.04, 0.02));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(water_among_grains_is_the_same_for_any_number_of_threads_and_every_set),
        cmocka_unit_test(soaking_goes_on_from_a_saved_state),
        cmocka_unit_test(a_tap_is_the_same_for_any_number_of_threads_and_from_a_saved_state),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
