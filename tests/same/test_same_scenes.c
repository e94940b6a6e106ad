// SPDX-License-Identifier: MIT
// The small scenes of the house give the same bits for 1, 2, 3 and 8 threads and every instruction
// set, late in a splash. Each set runs on another number of threads than the one before.
#include "lab.h"

static uint64_t hash_after(const char* scene, lab_setup setup) {
    return lab_hash_after(lab_scene(scene, setup), 0.4, 1.0 / 60.0);
}

static void small_scenes_are_the_same_on_any_threads_and_any_instruction_set(void** state) {
    (void)state;
    static const char* const scenes[]  = {"small/tank.yaml", "small/emitters.yaml", "small/hose.yaml",
                                          "small/column.yaml", "small/drop.yaml"};
    static const char* const sets[]    = {"sse2", "avx2", "avx512", "generic"};
    static const int         threads[] = {2, 3, 8, 2};
    for (size_t s = 0; s < sizeof scenes / sizeof *scenes; s++) {
        uint64_t one = hash_after(scenes[s], (lab_setup){.threads = 1});
        for (size_t k = 0; k < sizeof sets / sizeof *sets; k++) {
            lab_setup other = {.threads = threads[k], .isa = lab_has_isa(sets[k]) ? sets[k] : NULL};
            if (hash_after(scenes[s], other) != one)
                fail_msg("%s: %s on %d threads differs from the best on one", scenes[s], sets[k], threads[k]);
        }
        printf("%s: %016llx\n", scenes[s], (unsigned long long)one);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_scenes_are_the_same_on_any_threads_and_any_instruction_set)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
