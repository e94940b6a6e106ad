// SPDX-License-Identifier: MIT
// Porous sand gives the same bits with every instruction set, and plain and wide passes agree; threads, resuming and
// failed steps are held by the laws of all solvers (tests/law/test_laws.c).
#include "lab.h"

#include "base/memory.h"

// Periodic, with friction, a moving obstacle, a sticky one, emitters, a sink, a force, two sands, one moist
// and one full of water, and two liquids.
static const char busy[] = "solver: porous\n"
                           "spacing: 0.03\n"
                           "domain: {min: [0, 0, 0], max: [0.6, 0.5, 0.24], walls: {top: open, back: periodic, front: "
                           "periodic, left: {friction: 0.3}, bottom: stick}}\n"
                           "materials: {sand: {preset: sand, grain_size: 0.001, wetness: 0.4}, clay: {preset: sand, "
                           "density: 2000, cohesion: 300, wetness: 1}, water: {preset: water}, oil: {preset: water, "
                           "density: 900, viscosity: 1}}\n"
                           "bodies:\n"
                           "  - {material: sand, box: {min: [0, 0, 0], max: [0.24, 0.3, 0.24]}}\n"
                           "  - {material: clay, box: {min: [0.24, 0, 0], max: [0.36, 0.18, 0.24]}}\n"
                           "  - {material: water, box: {min: [0.36, 0, 0], max: [0.45, 0.3, 0.24]}}\n"
                           "  - {material: oil, box: {min: [0, 0.3, 0], max: [0.15, 0.39, 0.24]}}\n"
                           "obstacles:\n"
                           "  - {name: ball, sphere: {radius: 0.06}, friction: 0.2, motion: [{t: 0, at: [0.5, 0.12, "
                           "0.12]}, {t: 1, at: "
                           "[0.1, 0.12, 0.12]}]}\n"
                           "  - {box: {min: [0.5, 0, 0], max: [0.56, 0.06, 0.24]}, stick: true}\n"
                           "emitters: [{material: sand, disc: {radius: 0.05}, at: [0.3, 0.42, 0.12], velocity: [0, -1, "
                           "0]}, {material: water, disc: {radius: 0.05}, at: [0.45, 0.42, 0.12], velocity: [0, -1, "
                           "0]}]\n"
                           "sinks: [{box: {min: [0.4, 0, 0], max: [0.46, 0.03, 0.24]}}]\n"
                           "forces: [{acceleration: [3, 0, 5], box: {min: [0, 0, 0], max: [0.3, 0.2, 0.2]}, until: "
                           "0.2}]\n";

static uint64_t hash_after(lab_setup setup, double seconds) {
    return lab_hash_after(lab_sim(busy, setup), seconds, 1.0 / 60.0);
}

static void every_instruction_set_gives_the_same_bits(void** state) {
    (void)state;
    static const char* const sets[] = {"sse2", "avx2", "avx512", "generic"};
    uint64_t                 best   = hash_after((lab_setup){0}, 0.05);
    int                      found  = 0;
    for (size_t k = 0; k < sizeof sets / sizeof *sets; k++) {
        if (!lab_has_isa(sets[k])) continue;
        assert_true(hash_after((lab_setup){.isa = sets[k]}, 0.05) == best);
        found++;
    }
    assert_true(found > 0);
}

// On the lattice: what packings are made even by would make more of rounding than the passes do.
static const char still[] = "solver: porous\nspacing: 0.03\nporous: {substeps: 4, sweeps: 10}\n"
                            "domain: {max: [0.6, 0.5, 0.24], walls: {back: periodic, front: periodic}}\n"
                            "materials: {sand: {preset: sand, grain_size: 0.001}}\n"
                            "bodies:\n"
                            "  - {material: sand, arrangement: lattice, box: {min: [0, 0, 0], max: [0.3, 0.3, 0.24]}}\n"
                            "  - {material: water, box: {min: [0.3, 0, 0], max: [0.45, 0.24, 0.24]}}\n"
                            "obstacles: [{sphere: {radius: 0.06}, at: [0.5, 0.05, 0.12], friction: 0.2}]\n";

static void plain_and_wide_agree_to_rounding(void** state) {
    (void)state;
    enum { MOST = 1200 };
    static float x[2][MOST][3];
    double       most = 0;
    for (int wide = 0; wide < 2; wide++) {
        shoal_sim* sim = lab_sim(still, (lab_setup){.isa = wide ? NULL : "plain"});
        assert_true(shoal_sim_count(sim) <= MOST);
        CHECK_OK(shoal_sim_advance(sim, 1.0 / 60.0));
        lab_by_id(sim, "position", x[wide]);
        shoal_sim_destroy(sim);
    }
    for (int i = 0; i < MOST; i++)
        for (int c = 0; c < 3; c++) {
            double apart = fabs((double)x[0][i][c] - (double)x[1][i][c]);
            most         = fmax(most, c == 2 ? fmin(apart, fabs(0.24 - apart)) : apart); // periodic along z
        }
    printf("plain against wide after 4 substeps: at most %.2g spacings\n", most / 0.03);
    // sweeps carry rounding on, by more the longer the waves are that they look for: 0.7e-4 for eigenvalues from an
    // 80th on, 1.2e-4 from a 160th
    CHECK_BELOW(most / 0.03, 2e-4);
}

static void a_steady_step_allocates_nothing(void** state) {
    (void)state;
    shoal_sim* sim = lab_sim("solver: porous\nspacing: 0.04\n"
                             "domain: {max: [0.4, 1, 0.32], walls: {back: periodic, front: periodic}}\n"
                             "materials: {sand: {preset: sand, wetness: 0.8}}\n"
                             "bodies:\n  - {material: sand, box: {min: [0, 0, 0], max: [0.4, 0.28, 0.32]}}\n"
                             "  - {material: water, box: {min: [0, 0.28, 0], max: [0.4, 0.4, 0.32]}}\n"
                             "obstacles: [{sphere: {radius: 0.1}, at: [0.2, 0.1, 0.16]}]\n",
                             (lab_setup){0});
    lab_run(sim, 0.3, 1.0 / 60.0);
    int64_t calls = shoal_memory_calls();
    lab_run(sim, 0.1, 1.0 / 60.0);
    assert_int_equal(shoal_memory_calls() - calls, 0);
    shoal_sim_destroy(sim);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_instruction_set_gives_the_same_bits),
        cmocka_unit_test(plain_and_wide_agree_to_rounding),
        cmocka_unit_test(a_steady_step_allocates_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
