// SPDX-License-Identifier: MIT
// FLIP gives one result, of water and of sand: the hash of the state does not depend on threads or instruction set; a
// saved state goes on as if nothing had been; a steady step allocates nothing.
#include "lab.h"

// Everything at once: a splash between periodic walls, a moving ball, a fixed one, a jet, rain and a sink.
static const char busy[] =
    "solver: flip\n"
    "spacing: 0.05\n"
    "domain: {min: [0, 0, 0], max: [1.2, 1, 0.8], walls: {top: open, back: periodic, front: periodic}}\n"
    "bodies:\n"
    "  - {material: water, box: {min: [0, 0, 0], max: [0.3, 0.6, 0.8]}}\n"
    "  - {material: water, box: {min: [0.4, 0, 0], max: [1.2, 0.12, 0.8]}}\n"
    "obstacles:\n"
    "  - {sphere: {radius: 0.12}, friction: 0.2, motion: [{t: 0, at: [1, 0.5, 0.4]}, {t: 0.3, at: [0.7, 0.1, 0.4], "
    "rotate: {axis: [0, 0, "
    "1], degrees: 200}}]}\n"
    "  - {sphere: {radius: 0.1}, at: [0.36, 0.05, 0.4], stick: true}\n"
    "emitters:\n"
    "  - {material: water, disc: {radius: 0.1}, at: [0.1, 0.8, 0.4], velocity: [2, 0, 0]}\n"
    "  - {material: water, rain: {min: [0.6, 0.8, 0], max: [1.2, 1, 0.8], rate: 300}, velocity: [0, -2, 0]}\n"
    "sinks: [{box: {min: [1.1, 0, 0], max: [1.2, 0.1, 0.8]}}]\n"
    "flip: {cfl: 2}\n";

static uint64_t hash_after(lab_setup setup, double seconds) {
    return lab_hash_after(lab_sim(busy, setup), seconds, 1.0 / 30.0);
}

static const char* const options[] = {NULL,
                                      "flip.transfer=apic",
                                      "flip.transfer=pic",
                                      "flip.surface=marked",
                                      "flip.advection=rk3",
                                      "materials={water: {viscosity: 30}}",
                                      "flip.pressure=mic",
                                      "flip.volume_control=0"};
enum { OPTIONS = sizeof options / sizeof *options };

static void any_number_of_threads_gives_the_same_bits(void** state) {
    (void)state;
    for (int k = 0; k < OPTIONS; k++) {
        lab_setup setup = {.threads = 1, .set = {options[k]}};
        uint64_t  one   = hash_after(setup, 0.2);
        for (int threads = 2; threads <= 5; threads += 3) {
            setup.threads = threads;
            if (hash_after(setup, 0.2) != one)
                fail_msg("%s: %d threads differ from one", options[k] ? options[k] : "as is", threads);
        }
    }
}

static void every_instruction_set_gives_the_same_bits(void** state) {
    (void)state;
    static const char* const sets[] = {"sse2", "avx2", "avx512", "generic"};
    uint64_t                 best   = hash_after((lab_setup){0}, 0.2);
    int                      found  = 0;
    for (size_t k = 0; k < sizeof sets / sizeof *sets; k++) {
        if (!lab_has_isa(sets[k])) continue;
        found++;
        if (hash_after((lab_setup){.isa = sets[k]}, 0.2) != best) fail_msg("%s differs from the best", sets[k]);
    }
    assert_true(found > 0);
}

static void a_saved_state_goes_on_bit_for_bit(void** state) {
    (void)state;
    for (int k = 0; k < 2; k++) assert_true(lab_goes_on(busy, (lab_setup){.set = {options[k]}}, 0.2, 1.0 / 30.0));
}

// A column that slumps on a slope, over a step and past a turning paddle; both rules of friction.
static const char sand[] =
    "solver: flip\n"
    "spacing: 0.02\n"
    "domain: {min: [0, 0, 0], max: [0.8, 0.5, 0.32], walls: {top: open, back: periodic, front: periodic}}\n"
    "materials: {sand: {preset: sand, grain_size: 0.001}}\n"
    "bodies: [{material: sand, box: {min: [0, 0, 0], max: [0.2, 0.3, 0.32]}}]\n"
    "obstacles:\n"
    "  - {plane: {normal: [0.3, 1, 0], offset: 0.06}, friction: 0.3}\n"
    "  - {box: {min: [0.3, 0, 0.1], max: [0.34, 0.06, 0.2]}, friction: 0.6}\n"
    "  - {box: {size: [0.04, 0.1, 0.1]}, stick: true, motion: [{t: 0, at: [0.6, 0.06, 0.16]}, {t: 0.3, at: [0.4, 0.06, "
    "0.16], rotate: {axis: [0, 1, "
    "0], degrees: 40}}]}\n";

static void sand_has_one_result_on_any_threads_and_after_a_save(void** state) {
    (void)state;
    static const char* const rules[] = {"flip.friction=global", "flip.friction=paper"};
    for (int k = 0; k < 2; k++) {
        uint64_t hash[2];
        for (int run = 0; run < 2; run++) {
            shoal_sim* sim = lab_sim(sand, (lab_setup){.threads = run + 1, .set = {rules[k]}});
            lab_run(sim, 0.2, 1.0 / 60.0);
            hash[run] = shoal_sim_hash(sim);
            shoal_sim_destroy(sim);
        }
        if (hash[1] != hash[0]) fail_msg("%s: two threads differ from one", rules[k]);
        if (!lab_goes_on(sand, (lab_setup){.threads = 1, .set = {rules[k]}}, 0.1, 1.0 / 60.0))
            fail_msg("%s: a saved state goes on differently", rules[k]);
    }
}

// Substeps are as short as the fastest obstacle asks for. One that comes to rest when the state is saved is at rest for
// whoever goes on, loaded or not.
static void an_obstacle_that_ends_its_way_at_the_save_shortens_no_substep_after_it(void** state) {
    (void)state;
    static const char scene[] =
        "solver: flip\n"
        "spacing: 0.02\n"
        "domain: {min: [0, 0, 0], max: [0.6, 0.6, 0.3]}\n"
        "bodies: [{material: water, box: {min: [0, 0, 0], max: [0.2, 0.1, 0.3]}}]\n"
        "obstacles: [{box: {size: [0.1, 0.1, 0.1]}, motion: [{t: 0, at: [0.1, 0.5, 0.15]}, {t: 0.1, at: [0.5, 0.5, "
        "0.15]}]}]\n";
    assert_true(lab_goes_on(scene, (lab_setup){.threads = 1}, 0.1, 0.1));
}

static void a_steady_step_allocates_nothing(void** state) {
    (void)state;
    for (int k = 0; k < OPTIONS; k++) {
        shoal_sim* sim = lab_sim("solver: flip\n"
                                 "spacing: 0.05\n"
                                 "domain: {min: [0, 0, 0], max: [0.6, 1, 0.6]}\n"
                                 "bodies: [{material: water, box: {min: [0, 0, 0], max: [0.6, 0.48, 0.6]}}]\n",
                                 (lab_setup){.set = {options[k]}});
        lab_run(sim, 1.0, 1.0 / 30.0);
        int64_t calls = shoal_memory_calls();
        size_t  held  = shoal_memory_in_use();
        lab_run(sim, 0.5, 1.0 / 30.0);
        if (shoal_memory_calls() != calls)
            fail_msg("%s: %d allocations in 15 steps", options[k] ? options[k] : "as is",
                     (int)(shoal_memory_calls() - calls));
        assert_true(shoal_memory_in_use() == held);
        shoal_sim_destroy(sim);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_number_of_threads_gives_the_same_bits),
        cmocka_unit_test(every_instruction_set_gives_the_same_bits),
        cmocka_unit_test(a_saved_state_goes_on_bit_for_bit),
        cmocka_unit_test(sand_has_one_result_on_any_threads_and_after_a_save),
        cmocka_unit_test(an_obstacle_that_ends_its_way_at_the_save_shortens_no_substep_after_it),
        cmocka_unit_test(a_steady_step_allocates_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
