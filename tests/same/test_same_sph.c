// SPDX-License-Identifier: MIT
// SPH gives the same bits for any number of threads, every instruction set, and after a checkpoint.
#include "lab.h"

#include "base/memory.h"

// Periodic, with friction and a moving obstacle, an emitter and two liquids.
static const char busy[] =
    "solver: sph\n"
    "spacing: 0.06\n"
    "domain: {min: [0, 0, 0], max: [1, 1, 0.48], walls: {back: periodic, front: periodic, left: {friction: 0.3}, "
    "bottom: stick}}\n"
    "bodies:\n"
    "  - {material: water, box: {min: [0, 0, 0], max: [0.4, 0.6, 0.48]}}\n"
    "  - {material: oil, box: {min: [0.4, 0, 0], max: [0.6, 0.3, 0.48]}}\n"
    "obstacles: [{sphere: {radius: 0.1}, motion: [{t: 0, at: [0.8, 0.3, 0.24]}, {t: 1, at: [0.4, 0.3, 0.24]}]}]\n"
    "emitters: [{material: water, disc: {radius: 0.08}, at: [0.5, 0.8, 0.24], velocity: [0, -2, 0]}]\n";

static const char tank[] = "solver: sph\n"
                           "spacing: 0.06\n"
                           "domain: {min: [0, 0, 0], max: [1, 1, 0.5]}\n"
                           "bodies: [{material: water, box: {min: [0, 0, 0], max: [0.5, 0.6, 0.5]}}]\n";

static const char* const options[] = {"sph.pressure=wcsph", "sph.pressure=pcisph", "sph.pressure=dfsph",
                                      "quality=fine",       "sph.tension=akinci",  "sph.tension=becker"};
enum { OPTIONS = sizeof options / sizeof *options };

static uint64_t hash_after(const char* text, lab_setup setup, double seconds) {
    return lab_hash_after(lab_sim(text, setup), seconds, 1.0 / 60.0);
}

static void one_two_and_three_threads_give_the_same_bits(void** state) {
    (void)state;
    for (int k = 0; k < OPTIONS; k++) {
        uint64_t one = hash_after(busy, (lab_setup){.threads = 1, .set = {options[k]}}, 0.1);
        for (int threads = 2; threads <= 3; threads++)
            if (hash_after(busy, (lab_setup){.threads = threads, .set = {options[k]}}, 0.1) != one)
                fail_msg("%s: %d threads differ from one", options[k], threads);
    }
}

static void every_instruction_set_gives_the_same_bits(void** state) {
    (void)state;
    static const char* const sets[] = {"sse2", "avx2", "avx512", "generic"};
    int                      found  = 0;
    for (int k = 0; k < OPTIONS; k++)
        for (int scene = 0; scene < 2; scene++) {
            const char* text = scene == 0 ? busy : tank;
            uint64_t    best = hash_after(text, (lab_setup){.set = {options[k]}}, 0.05);
            for (size_t s = 0; s < sizeof sets / sizeof *sets; s++) {
                if (!lab_has_isa(sets[s])) continue;
                if (hash_after(text, (lab_setup){.isa = sets[s], .set = {options[k]}}, 0.05) != best)
                    fail_msg("%s: %s differs from the best", options[k], sets[s]);
                found++;
            }
        }
    assert_true(found > 0);
}

static void the_readable_passes_stay_near_the_wide_ones(void** state) {
    (void)state;
    enum { MOST = 1000 };
    static float             x[2][MOST][3];
    static const char* const more[] = {"sph.pressure=wcsph", "sph.pressure=pcisph", "sph.pressure=dfsph",
                                       "quality=fine", "bodies.0.material=honey"};
    for (size_t k = 0; k < sizeof more / sizeof *more; k++) {
        double most = 0.0;
        for (int wide = 0; wide < 2; wide++) {
            shoal_sim* sim =
                lab_sim(tank, (lab_setup){.isa = wide ? NULL : "plain", .set = {more[k], "sph.substeps=4"}});
            assert_true(shoal_sim_count(sim) <= MOST);
            CHECK_OK(shoal_sim_advance(sim, 1.0 / 60.0));
            lab_by_id(sim, "position", x[wide]);
            shoal_sim_destroy(sim);
        }
        for (int i = 0; i < MOST; i++)
            for (int c = 0; c < 3; c++) most = fmax(most, fabs((double)x[0][i][c] - (double)x[1][i][c]));
        printf("%s: plain against wide after 4 substeps: at most %.2g spacings\n", more[k], most / 0.06);
        CHECK_BELOW(most / 0.06, 1e-4);
    }
}

static void a_saved_state_goes_on_bit_for_bit(void** state) {
    (void)state;
    for (int k = 0; k < 4; k++)
        if (!lab_goes_on(busy, (lab_setup){.set = {options[k]}}, 0.05, 1.0 / 60.0))
            fail_msg("%s: goes on differently", options[k]);
}

static void a_steady_step_allocates_nothing(void** state) {
    (void)state;
    for (int k = 0; k < 3; k++) {
        shoal_sim* sim =
            lab_sim("solver: sph\n"
                    "spacing: 0.06\n"
                    "domain: {min: [0, 0, 0], max: [0.48, 1, 0.48], walls: {back: periodic, front: periodic}}\n"
                    "bodies: [{material: water, box: {min: [0, 0, 0], max: [0.48, 0.48, 0.48]}}]\n"
                    "obstacles: [{sphere: {radius: 0.1}, at: [0.24, 0.2, 0.24]}]\n",
                    (lab_setup){.set = {options[k]}});
        lab_run(sim, 0.5, 1.0 / 60.0);
        int64_t calls = shoal_memory_calls();
        lab_run(sim, 0.1, 1.0 / 60.0);
        if (shoal_memory_calls() != calls)
            fail_msg("%s: %d allocations", options[k], (int)(shoal_memory_calls() - calls));
        shoal_sim_destroy(sim);
    }
}

// Light under heavy: pairs change places by draws that depend on nothing but where everybody is.
static void liquids_that_overturn_are_the_same_on_any_number_of_threads_and_after_a_pause(void** state) {
    (void)state;
    static const char text[] =
        "solver: sph\nspacing: 0.02\n"
        "domain: {min: [0, 0, 0], max: [0.24, 0.2, 0.08], walls: {top: open, back: periodic, front: periodic}}\n"
        "materials: {light: {density: 500}, heavy: {density: 1000}}\n"
        "bodies:\n"
        "  - {material: light, box: {min: [0, 0, 0], max: [0.24, 0.06, 0.08]}}\n"
        "  - {material: heavy, box: {min: [0, 0.06, 0], max: [0.24, 0.14, 0.08]}}\n";
    uint64_t hash[2];
    for (int k = 0; k < 2; k++) {
        shoal_sim* sim   = lab_sim(text, (lab_setup){.threads = 1 + 2 * k});
        double     count = 0.0, before = lab_energy(sim);
        for (int f = 0; f < 10; f++) {
            lab_run(sim, 1.0 / 60.0, 1.0 / 60.0);
            count += lab_stat(sim, "overturned");
            CHECK_BELOW(lab_energy(sim), before);
        }
        CHECK_BELOW(5.0, count);
        hash[k] = shoal_sim_hash(sim);
        shoal_sim_destroy(sim);
    }
    assert_true(hash[0] == hash[1]);
    assert_true(lab_goes_on(text, (lab_setup){.threads = 1}, 0.1, 1.0 / 60.0));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_two_and_three_threads_give_the_same_bits),
        cmocka_unit_test(every_instruction_set_gives_the_same_bits),
        cmocka_unit_test(the_readable_passes_stay_near_the_wide_ones),
        cmocka_unit_test(a_saved_state_goes_on_bit_for_bit),
        cmocka_unit_test(liquids_that_overturn_are_the_same_on_any_number_of_threads_and_after_a_pause),
        cmocka_unit_test(a_steady_step_allocates_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
