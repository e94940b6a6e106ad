// SPDX-License-Identifier: MIT
// The liquid rabbit that falls into a pool (scenes/bunny-drop.yaml), the paper's headline, coarser:
// stable with one step of 16 ms per frame, hardly compressed with 4 x 10, and the more so the more
// sweeps.
#include "lab.h"
#include "truth/figure.h"

// 1.6 times coarser than the scene: 20k particles.
#define COARSE "spacing=0.08"

typedef struct fall {
    double mean, peak; // average compression after the impact, %
    double clamped, energy, speed;
    int    substeps;
} fall;

static fall drop(lab_setup setup, double seconds) {
    fall       r     = {0};
    shoal_sim* sim   = lab_scene("bunny-drop.yaml", setup);
    int64_t    count = shoal_sim_count(sim);
    double     start = lab_energy(sim), frame = 0.016;
    int        frames = (int)(seconds / frame), after = 0;
    for (int f = 1; f <= frames; f++) {
        lab_run(sim, frame, frame);
        assert_int_equal(shoal_sim_count(sim), count);
        r.clamped = fmax(r.clamped, lab_stat(sim, "clamped"));
        r.energy  = fmax(r.energy, lab_energy(sim) / start);
        r.speed   = fmax(r.speed, lab_stat(sim, "speed_max_mps"));
        if (f * frame < 0.29) continue; // it falls 0.4 m first
        double now = lab_stat(sim, "compression_avg_pct");
        r.mean += now, after++;
        r.peak = fmax(r.peak, now);
    }
    r.mean /= after;
    r.substeps = (int)shoal_sim_interval_steps(sim);
    printf("drop, %d particles, %s %s: %d substeps; compression after the impact %.3f %% on "
           "average, %.3f %% at most; "
           "clamped at most %.3f %%, energy %.4f of its start, speed %.2f m/s\n",
           (int)count, setup.set[1] ? setup.set[1] : "4 x 10", setup.set[1] && setup.set[2] ? setup.set[2] : "",
           r.substeps, r.mean, r.peak, 100.0 * r.clamped, r.energy, r.speed);
    shoal_sim_destroy(sim);
    return r;
}

static void one_step_of_16_ms_is_stable(void** state) {
    (void)state;
    fall r = drop((lab_setup){.set = {COARSE, "pbf.substeps=1"}}, 2.0);
    truth_below("rabbit falls into a pool, 1 x 10: largest energy over the first", "pbf", r.energy, "", 1.005);
    truth_below("rabbit falls into a pool, 1 x 10: largest speed", "pbf", r.speed, "m/s",
                15.0); // the rabbit's ears fall 3.5 m: 8.3 m/s, and jets may double that
}

static void four_by_ten_compresses_little(void** state) {
    (void)state;
    fall r = drop((lab_setup){.set = {COARSE}}, 1.0);
    truth_below("rabbit falls into a pool, 4 x 10: compression after the impact", "pbf", r.mean, "%", 1.5);
    truth_below("rabbit falls into a pool, 4 x 10: fraction of clamped particles", "pbf", r.clamped, "", 0.01);
    truth_below("rabbit falls into a pool, 4 x 10: largest energy over the first", "pbf", r.energy, "", 1.005);
}

static void automatic_substeps_compress_less_than_one_percent(void** state) {
    (void)state;
    fall r = drop((lab_setup){.set = {COARSE, "pbf.substeps=auto"}}, 1.0);
    truth_below("rabbit falls into a pool, auto x 10: compression after the impact", "pbf", r.mean, "%", 1.0);
    truth_below("rabbit falls into a pool, auto x 10: fraction of clamped particles", "pbf", r.clamped, "", 0.01);
    if (!truth_in_full) return;
    r = drop((lab_setup){.set = {COARSE, "pbf.substeps=auto", "pbf.iterations=3"}}, 1.0);
    truth_below("rabbit falls into a pool, auto x 3: compression after the impact", "pbf", r.mean, "%", 1.0);
}

static void more_sweeps_leave_less_compression(void** state) {
    (void)state;
    static const char* const sweeps[] = {"pbf.iterations=1", "pbf.iterations=2",  "pbf.iterations=3",
                                         "pbf.iterations=5", "pbf.iterations=10", "pbf.iterations=20"};
    double                   last     = 0.0;
    for (size_t k = 0; k < sizeof sweeps / sizeof *sweeps; k++) {
        fall r = drop((lab_setup){.set = {"spacing=0.125", "pbf.substeps=4", sweeps[k]}}, 0.8);
        if (k > 0)
            truth_below(truth_case("rabbit falls into a pool, 4 substeps, %s: compression over "
                                   "that of the fewer sweeps before",
                                   sweeps[k]),
                        "pbf", r.mean / last, "", 1.0);
        last = r.mean;
    }
}

int main(int argc, char** argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_step_of_16_ms_is_stable),
        TRUTH_LONG(four_by_ten_compresses_little),
        cmocka_unit_test(automatic_substeps_compress_less_than_one_percent),
        TRUTH_LONG(more_sweeps_leave_less_compression),
    };
    return TRUTH_RUN("pbf", tests, argc, argv);
}
