// SPDX-License-Identifier: MIT
// One scene gives one result: the hash of the state does not depend on threads or instruction set,
// whatever the scene does and however it is solved; the readable passes stay near it; a saved state
// goes on as if nothing had been.
#include "lab.h"

// Everything at once: a splash between periodic walls, a moving ball, a fixed one, a jet, rain and
// a sink.
static const char busy[] =
    "spacing: 0.06\n"
    "domain: {min: [0, 0, 0], max: [1.2, 1, 0.6], walls: {top: open, back: periodic, front: "
    "periodic}}\n"
    "bodies:\n"
    "  - {material: water, box: {min: [0, 0, 0], max: [0.3, 0.6, 0.6]}}\n"
    "  - {material: water, box: {min: [0.42, 0, 0], max: [1.2, 0.12, 0.6]}}\n"
    "obstacles:\n"
    "  - {sphere: {radius: 0.12}, friction: 0.2, motion: [{t: 0, at: [1, 0.5, 0.3]}, {t: 0.3, at: "
    "[0.7, 0.1, 0.3], rotate: {axis: [0, 0, 1], degrees: 200}}]}\n"
    "  - {sphere: {radius: 0.1}, at: [0.36, 0.05, 0.3]}\n"
    "emitters:\n"
    "  - {material: water, disc: {radius: 0.1}, at: [0.1, 0.8, 0.3], velocity: [2, 0, 0]}\n"
    "  - {material: water, rain: {min: [0.6, 0.8, 0], max: [1.2, 1, 0.6], rate: 300}, velocity: "
    "[0, -2, 0]}\n"
    "sinks: [{box: {min: [1.1, 0, 0], max: [1.2, 0.1, 0.6]}}]\n"
    "forces: [{acceleration: [3, 0, 5], box: {min: [0.5, 0, 0], max: [1.1, 0.5, 0.4]}, from: 0.02, until: 0.2}]\n"
    "pbf: {substeps: 4, iterations: 4, vorticity: 0.5}\n";
// Water that splashes in a tank, for solvers that know no periodic walls.
static const char plain_tank[] = "spacing: 0.06\n"
                                 "domain: {min: [0, 0, 0], max: [1.2, 1, 0.6]}\n"
                                 "bodies: [{material: water, box: {min: [0, 0, 0], max: [0.48, 0.72, 0.6]}}]\n"
                                 "obstacles: [{sphere: {radius: 0.12}, at: [0.9, 0.1, 0.3]}]\n"
                                 "pbf: {substeps: 4, iterations: 5, vorticity: 0.3}\n";

static uint64_t hash_after(const char* text, lab_setup setup, double seconds) {
    return lab_hash_after(lab_sim(text, setup), seconds, 1.0 / 60.0);
}

static void is_same_for(const char* what, const char* text, lab_setup setup, double seconds, const int* threads) {
    setup.threads = 1;
    uint64_t one  = hash_after(text, setup, seconds);
    for (; *threads; threads++) {
        setup.threads = *threads;
        if (hash_after(text, setup, seconds) != one) fail_msg("%s: %d threads differ from one", what, setup.threads);
    }
}

static void one_two_three_and_eight_threads_give_the_same_bits(void** state) {
    (void)state;
    is_same_for("busy", busy, (lab_setup){0}, 0.3, (int[]){2, 3, 8, 0});
}

static void every_option_gives_the_same_bits_on_one_thread_and_on_three(void** state) {
    (void)state;
    static const char* const options[] = {
        "pbf.sweep=gauss_seidel",     "pbf.chebyshev=0.9",        "pbf.warm_start=0.5",      "pbf.surface_tension=true",
        "pbf.relaxation=precomputed", "pbf.compliance=1e-6",      "pbf.iterations=auto",     "pbf.substeps=auto",
        "pbf.anti_clumping=paper",    "pbf.density_kernel=poly6", "bodies.0.material=honey", "quality=fine"};
    for (size_t k = 0; k < sizeof options / sizeof *options; k++)
        is_same_for(options[k], plain_tank, (lab_setup){.set = {options[k]}}, 0.15, (int[]){3, 0});
}

static const char* const sets[] = {"sse2", "avx2", "avx512", "generic"};

static void every_instruction_set_gives_the_same_bits(void** state) {
    (void)state;
    int found = 0;
    for (int scene = 0; scene < 4; scene++) {
        const char* text  = scene == 0 ? busy : plain_tank;
        lab_setup   setup = {.set = {scene == 2 ? "pbf.density_kernel=poly6" : scene == 3 ? "quality=fine" : NULL}};
        uint64_t    best  = hash_after(text, setup, 0.2);
        for (size_t k = 0; k < sizeof sets / sizeof *sets; k++) {
            if (!lab_has_isa(sets[k])) continue;
            setup.isa = sets[k];
            if (hash_after(text, setup, 0.2) != best) fail_msg("scene %d: %s differs from the best", scene, sets[k]);
            found++;
        }
    }
    printf("instruction sets compared: %d\n", found / 4);
    assert_true(found > 0);
}

// Rounding grows with time in a splash, so few steps, and the mean beside the largest difference.
static void stays_near_the_wide_passes(lab_setup other, lab_setup wide, const char* what) {
    enum { MOST = 4000 };
    static float x[2][MOST][3];
    for (int k = 0; k < 2; k++) {
        shoal_sim* sim = lab_sim(plain_tank, k == 0 ? other : wide);
        assert_true(shoal_sim_count(sim) <= MOST);
        lab_run(sim, 0.1, 1.0 / 60.0); // 24 substeps, the column has slumped
        lab_by_id(sim, "position", x[k]);
        if (k == 0) assert_true(lab_stat(sim, "speed_max_mps") > 0.5);
        shoal_sim_destroy(sim);
    }
    double most = 0.0;
    for (int i = 0; i < MOST; i++)
        for (int c = 0; c < 3; c++) most = fmax(most, fabs((double)x[0][i][c] - (double)x[1][i][c]));
    printf("%s against wide after 24 substeps: at most %.2g spacings\n", what, most / 0.06);
    CHECK_BELOW(most / 0.06, 1e-3);
}

static void the_readable_passes_stay_near_the_wide_ones(void** state) {
    (void)state;
    stays_near_the_wide_passes((lab_setup){.isa = "plain"}, (lab_setup){0}, "plain");
    stays_near_the_wide_passes((lab_setup){.isa = "plain", .set = {"quality=fine"}},
                               (lab_setup){.set = {"quality=fine"}}, "plain, fine");
}

static void a_saved_state_goes_on_bit_for_bit(void** state) {
    (void)state;
    static const char* const options[] = {NULL, "pbf.warm_start=0.5", "pbf.substeps=auto", "quality=fine"};
    for (size_t k = 0; k < sizeof options / sizeof *options; k++)
        assert_true(lab_goes_on(busy, (lab_setup){.set = {options[k]}}, 0.2, 1.0 / 60.0));
}

static void the_hash_tells_different_states_apart(void** state) {
    (void)state;
    assert_true(hash_after(plain_tank, (lab_setup){0}, 0.1) !=
                hash_after(plain_tank, (lab_setup){.set = {"pbf.xsph=0.011"}}, 0.1));
}

static void a_steady_step_allocates_nothing(void** state) {
    (void)state;
    static const char* const options[] = {NULL, "pbf.sweep=gauss_seidel", "pbf.surface_tension=true",
                                          "domain.walls={back: periodic, front: periodic}"};
    for (size_t k = 0; k < sizeof options / sizeof *options; k++) {
        shoal_sim* sim = lab_sim("spacing: 0.06\n"
                                 "domain: {min: [0, 0, 0], max: [0.6, 1, 0.6]}\n"
                                 "bodies: [{material: water, box: {min: [0, 0, 0], max: [0.6, 0.48, 0.6]}}]\n"
                                 "pbf: {substeps: 2, iterations: 4}\n",
                                 (lab_setup){.set = {options[k]}});
        lab_run(sim, 1.5, 1.0 / 60.0);
        int64_t calls = shoal_memory_calls();
        size_t  held  = shoal_memory_in_use();
        lab_run(sim, 20.0 / 120.0, 1.0 / 60.0);
        if (shoal_memory_calls() != calls)
            fail_msg("%s: %d allocations in 20 steps", options[k] ? options[k] : "as is",
                     (int)(shoal_memory_calls() - calls));
        assert_true(shoal_memory_in_use() == held);
        shoal_sim_destroy(sim);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_two_three_and_eight_threads_give_the_same_bits),
        cmocka_unit_test(every_option_gives_the_same_bits_on_one_thread_and_on_three),
        cmocka_unit_test(every_instruction_set_gives_the_same_bits),
        cmocka_unit_test(the_readable_passes_stay_near_the_wide_ones),
        cmocka_unit_test(a_saved_state_goes_on_bit_for_bit),
        cmocka_unit_test(the_hash_tells_different_states_apart),
        cmocka_unit_test(a_steady_step_allocates_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
