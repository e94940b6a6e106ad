// SPDX-License-Identifier: MIT
// A sole is pressed into damp sand, held and lifted: the print stays, and grains overlap by no more
// than what is allowed.
#include "lab.h"
#include "truth/figure.h"

#define SOLE 0.07 // m: how high its underside comes
enum { MOST = 8000 };

// Mean height of the tops of the grains that are marked.
static double tops(const shoal_sim* sim, const bool* marks) {
    shoal_field_view ids;
    ids            = lab_view(sim, "id");
    const float *x = lab_field(sim, "position"), *r = lab_field(sim, "radius");
    double       sum = 0.0, count = 0.0;
    for (int64_t i = 0; i < ids.count; i++) {
        if (!marks[((const int32_t*)ids.data)[i]]) continue;
        sum += (double)x[3 * i + 1] + (double)r[i];
        count += 1.0;
    }
    assert_true(count > 20.0);
    return sum / count;
}

// Marks those whose tops are between two heights below the sole.
static void mark(const shoal_sim* sim, double low, double high, bool* marks) {
    shoal_field_view ids;
    ids            = lab_view(sim, "id");
    const float *x = lab_field(sim, "position"), *r = lab_field(sim, "radius");
    for (int64_t i = 0; i < ids.count; i++) {
        double top = (double)x[3 * i + 1] + (double)r[i];
        marks[((const int32_t*)ids.data)[i]] =
            fabsf(x[3 * i]) < 0.06f && fabsf(x[3 * i + 2]) < 0.045f && top > low && top < high;
    }
}

static void a_print_in_damp_sand_stays(void** state) {
    (void)state;
    static bool below[MOST];
    double      overlap = 0.0, bed = 0.0;
    shoal_sim*  sim = lab_scene("small/print.yaml", (lab_setup){0});
    assert_true(shoal_sim_count(sim) < MOST);
    for (int frame = 1; frame <= 36; frame++) {
        CHECK_OK(shoal_sim_advance(sim, 0.025));
        overlap = fmax(overlap, lab_stat(sim, "overlap_max_pct"));
        if (frame == 8) {
            mark(sim, 0.1, 0.13, below);
            bed = tops(sim, below);
        }
        if (frame == 22) mark(sim, SOLE - 0.0015, SOLE + 0.005, below);
    }
    double back = (tops(sim, below) - SOLE) / (bed - SOLE);
    printf("bed %.1f mm, pressed to %.1f, then %.1f\n", 1e3 * bed, 1e3 * SOLE, 1e3 * tops(sim, below));
    truth_below("footprint in damp sand: what comes back of its depth", "grains", back, "",
                0.16); // 0.73 without dents; goal 0.1
    truth_below("footprint in damp sand: deepest overlap over the diameter", "grains", 0.01 * overlap, "",
                0.12); // 0.43 without; goal 0.1
    shoal_sim_destroy(sim);
}

int main(int argc, char** argv) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_print_in_damp_sand_stays)};
    return TRUTH_RUN("grains", tests, argc, argv);
}
