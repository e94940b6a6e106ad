// SPDX-License-Identifier: MIT
// A sole is pressed into damp sand, held and lifted: the print stays, at two resolutions and however all is turned, and
// grains overlap by no more than what is allowed.
#include "lab.h"
#include "truth/figure.h"

#define SOLE 0.07 // m: how high its underside comes
enum { MOST = 20000 };

// The same with its vessel as an obstacle, turned by 37 degrees about (1, 2, 3).
static const char turned_print[] =
    "solver: grains\nspacing: 0.016\nfps: 40\nframes: 36\ngravity: [4.4513771, -8.3990103, -2.4244522]\n"
    "materials: {damp: {preset: sand, wetness: 0.5}}\n"
    "bodies: [{material: damp, box: {min: [-0.16, 0, -0.144], max: [0.16, 0.112, 0.144]}, rotate: {axis: [1, 2, 3], "
    "degrees: 37}}]\n"
    "obstacles:\n"
    "  - friction: 0.5\n    rotate: {axis: [1, 2, 3], degrees: 37}\n    subtract:\n"
    "      - {box: {min: [-0.2, -0.04, -0.184], max: [0.2, 0.3, 0.184]}}\n"
    "      - {box: {min: [-0.16, 0, -0.144], max: [0.16, 0.4, 0.144]}}\n"
    "  - friction: 0.5\n    rotate: {axis: [1, 2, 3], degrees: 37}\n"
    "    box: {min: [-0.06, 0, -0.045], max: [0.06, 0.08, 0.045]}\n    motion:\n"
    "      - {t: 0.2, at: [-0.0589886, 0.1113020, 0.0321286]}\n"
    "      - {t: 0.45, at: [-0.0317631, 0.0599318, 0.0173000]}\n"
    "      - {t: 0.55, at: [-0.0317631, 0.0599318, 0.0173000]}\n"
    "      - {t: 0.75, at: [-0.1134396, 0.2140421, 0.0617855]}\n";

// The axes of the scene in those of the simulation: along the sole, up, across it.
typedef struct axes {
    double along[3], up[3], across[3];
} axes;

static const axes straight = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, turned = {{0.8130187, 0.5112918, -0.2785341},
                                                                          {-0.4537591, 0.8561682, 0.2471409},
                                                                          {0.3648332, -0.0745428, 0.9280841}};

static double part(const float* x, const double axis[3]) {
    return (double)x[0] * axis[0] + (double)x[1] * axis[1] + (double)x[2] * axis[2];
}

// Mean height of the tops of the grains that are marked.
static double tops(const shoal_sim* sim, const axes* a, const bool* marks) {
    shoal_field_view ids;
    ids            = lab_view(sim, "id");
    const float *x = lab_field(sim, "position"), *r = lab_field(sim, "radius");
    double       sum = 0.0, count = 0.0;
    for (int64_t i = 0; i < ids.count; i++) {
        if (!marks[((const int32_t*)ids.data)[i]]) continue;
        sum += part(x + 3 * i, a->up) + (double)r[i];
        count += 1.0;
    }
    assert_true(count > 20.0);
    return sum / count;
}

// Marks those whose tops are between two heights below the sole.
static void mark(const shoal_sim* sim, const axes* a, double low, double high, bool* marks) {
    shoal_field_view ids;
    ids            = lab_view(sim, "id");
    const float *x = lab_field(sim, "position"), *r = lab_field(sim, "radius");
    for (int64_t i = 0; i < ids.count; i++) {
        double top                           = part(x + 3 * i, a->up) + (double)r[i];
        marks[((const int32_t*)ids.data)[i]] = fabs(part(x + 3 * i, a->along)) < 0.06 &&
                                               fabs(part(x + 3 * i, a->across)) < 0.045 && top > low && top < high;
    }
}

static void stays(const char* what, shoal_sim* sim, const axes* a, double spacing) {
    static bool below[MOST];
    double      overlap = 0.0, bed = 0.0;
    assert_true(shoal_sim_count(sim) < MOST);
    for (int frame = 1; frame <= 36; frame++) {
        CHECK_OK(shoal_sim_advance(sim, 0.025));
        overlap = fmax(overlap, lab_stat(sim, "overlap_max_pct"));
        if (frame == 8) {
            mark(sim, a, 0.1, 0.13, below);
            bed = tops(sim, a, below);
        }
        if (frame == 22) mark(sim, a, SOLE - 0.1 * spacing, SOLE + 0.3 * spacing, below);
    }
    double back = (tops(sim, a, below) - SOLE) / (bed - SOLE);
    printf("%s: bed %.1f mm, pressed to %.1f, then %.1f\n", what, 1e3 * bed, 1e3 * SOLE, 1e3 * tops(sim, a, below));
    // 0.73 and 0.43 without dents, 0.14 and 0.113 where friction beyond them does not give in
    truth_below(truth_case("footprint in damp sand, %s: what comes back of its depth", what), "grains", back, "", 0.1);
    truth_below(truth_case("footprint in damp sand, %s: deepest overlap over the diameter", what), "grains",
                0.01 * overlap, "", 0.1);
    shoal_sim_destroy(sim);
}

static void a_print_in_damp_sand_stays(void** state) {
    (void)state;
    stays("d = 16 mm", lab_scene("small/print.yaml", (lab_setup){0}), &straight, 0.016);
}

static void a_print_in_finer_sand_stays(void** state) {
    (void)state;
    stays("d = 12 mm", lab_scene("small/print.yaml", (lab_setup){.set = {"spacing=0.012"}}), &straight, 0.012);
}

static void a_print_stays_however_all_is_turned(void** state) {
    (void)state;
    stays("turned", lab_sim(turned_print, (lab_setup){0}), &turned, 0.016);
}

int main(int argc, char** argv) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_print_in_damp_sand_stays),
                                       TRUTH_LONG(a_print_in_finer_sand_stays),
                                       TRUTH_LONG(a_print_stays_however_all_is_turned)};
    return TRUTH_RUN("grains", tests, argc, argv);
}
