// SPDX-License-Identifier: MIT
// Dry sand of the default kind against experiments: angle of repose, run-out of columns, flow from a silo.
#include "lab.h"
#include "truth/figure.h"

static const double d = 0.01, pi = 3.14159265358979;

// Steepness of one side of a heap about x = centre, `thick` across: how deep the sand lies in bins of two grains, by
// its volume and the packing amid the heap, from a fifth to four fifths of its height.
static double steepness_of(const shoal_sim* sim, double centre, double side, double thick) {
    enum { BINS = 60, AMID = 6 };
    const float *x = lab_field(sim, "position"), *r = lab_field(sim, "radius");
    double       deep[BINS] = {0}, top[BINS] = {0}, solid = 0.0, space = 0.0, n = 0.0, sx = 0.0, sy = 0.0, sxx = 0.0,
           sxy = 0.0, high = 0.0;
    for (int64_t i = 0; i < shoal_sim_count(sim); i++) {
        double along = side * ((double)x[3 * i] - centre), size = (double)r[i];
        if (along < 0.0 || along >= BINS * 2.0 * d) continue;
        int bin = (int)(along / (2.0 * d));
        deep[bin] += 4.0 / 3.0 * pi * size * size * size / (2.0 * d * thick);
        top[bin] = fmax(top[bin], (double)x[3 * i + 1]);
    }
    for (int b = 0; b < AMID; b++) solid += deep[b], space += top[b];
    for (int b = 0; b < BINS; b++) deep[b] *= space / solid, high = fmax(high, deep[b]);
    for (int b = 0; b < BINS; b++) {
        if (deep[b] < 0.2 * high || deep[b] > 0.8 * high) continue;
        double at = (b + 0.5) * 2.0 * d;
        n += 1.0, sx += at, sy += deep[b], sxx += at * at, sxy += at * deep[b];
    }
    return atan(-(n * sxy - sx * sy) / (n * sxx - sx * sx)) * 180.0 / pi;
}

static double steepness(const shoal_sim* sim) {
    return 0.5 * (steepness_of(sim, 0.6, -1.0, 0.08) + steepness_of(sim, 0.6, 1.0, 0.08));
}

// Poured in a line onto a rough floor, then left alone. One heap differs from the next by a degree or two: the mean of
// three.
static void heaps_rest_at_thirty_to_thirty_five_degrees_and_stay(void** state) {
    (void)state;
    enum { HEAPS = 3 };
    static const char* const seeds[HEAPS] = {"seed=1", "seed=2", "seed=3"};
    static const char        text[] =
        "solver: grains\nspacing: 0.01\nfps: 20\n"
        "domain: {max: [1.2, 0.6, 0.08], walls: {bottom: stick, back: periodic, front: periodic}}\n"
        "emitters: [{material: sand, rain: {min: [0.57, 0.4, 0], max: [0.63, 0.42, 0.08], rate: 1000}, velocity: [0, "
        "-0.5, 0], "
        "until: 6}]\n";
    double before = 0.0, after = 0.0;
    for (int k = 0; k < HEAPS; k++) {
        shoal_sim* sim = lab_sim(text, (lab_setup){.set = {"grains.softness=4", seeds[k]}});
        lab_run(sim, 7.0, 0.05);
        before += steepness(sim) / HEAPS;
        lab_run(sim, 1.0, 0.05);
        double angle = steepness(sim);
        printf("angle of repose %.1f degrees\n", angle);
        after += angle / HEAPS;
        // the mean square: a single grain that still rolls down a flank, at 0.2 m/s, is no heap that moves
        const float* v   = lab_field(sim, "velocity");
        double       sum = 0.0;
        for (int64_t i = 0; i < 3 * shoal_sim_count(sim); i++) sum += (double)v[i] * (double)v[i];
        truth_below(truth_case("poured heap, %s: rms speed after 2 s", seeds[k]), "grains",
                    sqrt(sum / (double)shoal_sim_count(sim)), "m/s", 0.005);
        shoal_sim_destroy(sim);
    }
    truth_near("poured heaps, mean of three: angle of repose", "grains", after, "degrees", 32.5, 2.5);
    truth_near("poured heaps, mean of three: change of the angle in a second", "grains", after - before, "degrees", 0.0,
               0.2);
}

// A channel 0.4 columns wide with walls of the sand's own friction; the column settles behind a wall, which is then
// gone. Lube et al. 2005, Lajeunesse et al. 2005: (L - L0) / L0 = 1.2 a below 2.3. The front is that of the grains
// within 1.5 d of each other: a fringe of single ones counts, some 3 d of the 17 to 70 d that columns run.
static void columns_run_out_as_measured(void** state) {
    (void)state;
    static const double aspects[] = {0.5, 1.0, 2.0};
    static const char   form[]    = "solver: grains\nspacing: 0.01\nfps: 20\ndomain: {max: [%.9g, %.9g, 0.12]}\n"
                                    "bodies: [{material: sand, box: {min: [0, 0, 0], max: [0.3, %.9g, 0.12]}}]\n"
                                    "probes: [{name: front, kind: front, axis: x}]\n";
    for (int k = 0; k < 3; k++) {
        char   text[512];
        void*  bytes;
        size_t size;
        double height = 0.3 * aspects[k], middle = 0.0;
        snprintf(text, sizeof text, form, 0.3, 1.2 * height + 0.04, height);
        shoal_sim* sim = lab_sim(text, (lab_setup){0});
        lab_run(sim, 0.6, 0.05);
        middle = lab_stat(sim, "com_y_m");
        CHECK_OK(shoal_sim_save(sim, &bytes, &size));
        shoal_sim_destroy(sim);
        snprintf(text, sizeof text, form, 0.6 + 0.9 * aspects[k], 1.2 * height + 0.04, height);
        sim = lab_sim(text, (lab_setup){0});
        CHECK_OK(shoal_sim_load(sim, bytes, size));
        lab_run(sim, 1.5, 0.05);
        double out = (lab_probe(sim, "front") - 0.3) / 0.3, wanted = 1.2 * 2.0 * middle / 0.3;
        printf("aspect %g: run-out %.3f, measured %.3f\n", aspects[k], out, wanted);
        truth_near(truth_case("run-out, aspect %g, 30 d long: over 1.2 a", aspects[k]), "grains", out / wanted, "", 1.0,
                   0.2); // goal: 0.1
        shoal_bytes_free(bytes, size);
        shoal_sim_destroy(sim);
    }
}

typedef struct silo {
    double rate, law; // grains per second through the hole: counted, and by Beverloo
} silo;

// Grains per second through a hole in the floor of a square silo, steady. The floor is half a grain thin and made of
// twelve boxes around a polygon of the hole's area: their distances are exact, while a hole cut by `subtract` has a rim
// that is not round. A lid holds the sand until it has settled; the rate is that of 0.4 s, from `begin` on after the
// lid has begun to fall. Soft grains squeeze through small holes: softness 4 lets 8 % more through 8 d than 0.5 does, 5
// % through 12 d.
static silo silo_of(const char* kind, double begin, double hole, double width, double height, double softness) {
    enum { SIDES = 12, CAPACITY = 8192 };
    char   text[CAPACITY];
    double apothem = 0.5 * hole * sqrt(pi / (SIDES * tan(pi / SIDES))), half = 0.5 * width, inside[2];
    int    at = snprintf(
           text, CAPACITY,
           "solver: grains\nspacing: 0.01\nfps: 20\n"
              "domain: {min: [%.4f, -0.05, %.4f], max: [%.4f, %.4f, %.4f], walls: {bottom: open, left: {friction: 0.5}, "
              "right: {friction: 0.5}, back: {friction: 0.5}, front: {friction: 0.5}}}\n"
              "bodies: [{material: sand, box: {min: [%.4f, 0, %.4f], max: [%.4f, %.4f, %.4f]}}]\n"
              "grains: {softness: %g, impact_speed: 1%s}\n"
              "obstacles: [{box: {size: [%.4f, 0.02, %.4f]}, motion: [{t: 0, at: [0, -0.015, 0]}, {t: 0.25, at: [0, -0.015, "
              "0]}, "
              "{t: 0.35, at: [0, -0.215, 0]}]}, {friction: 0.5, union: [",
           -half, -half, half, height + 0.05, half, -half, -half, half, height, half, softness, kind, hole + 0.1,
           hole + 0.1);
    for (int k = 0; k < SIDES; k++) {
        double angle = 2.0 * pi * k / SIDES, out = apothem + half;
        at += snprintf(
            text + at, (size_t)(CAPACITY - at),
            "%s{box: {size: [%.4f, 0.005, %.4f]}, at: [%.6f, -0.0025, %.6f], rotate: {axis: [0, 1, 0], degrees: %.6f}}",
            k > 0 ? ", " : "", width, 2.0 * width, out * cos(angle), -out * sin(angle), angle * 180.0 / pi);
    }
    snprintf(text + at, (size_t)(CAPACITY - at), "]}]\n");
    shoal_sim* sim = lab_sim(text, (lab_setup){0});
    lab_run(sim, 0.25, 0.05);
    // as many in a volume as have settled, which stands twice as high as its centre
    double bulk = (double)shoal_sim_count(sim) / (width * width * 2.0 * lab_stat(sim, "com_y_m"));
    for (int k = 0; k < 2; k++) {
        lab_run(sim, k == 0 ? begin : 0.4, 0.05);
        const float* x = lab_field(sim, "position");
        inside[k]      = 0.0;
        for (int64_t i = 0; i < shoal_sim_count(sim); i++) inside[k] += x[3 * i + 1] > -0.005f;
    }
    shoal_sim_destroy(sim);
    silo r = {.rate = (inside[0] - inside[1]) / 0.4, .law = 0.58 * bulk * sqrt(9.81) * pow(hole - 1.4 * d, 2.5)};
    printf("hole of %.0f d: %.0f grains per second, %.0f by Beverloo\n", hole / d, r.rate, r.law);
    return r;
}

// Beverloo's law with his own constants, C = 0.58 and k = 1.4 for round grains, and the bulk
// density as it is in the silo: nothing is fitted. Experiments scatter by some 10 % about it, and
// its form fits a small range of holes only (Mankoc et al. 2007); with k = 1.4 the exponent is
// known to come out too steep here (2.4 to 2.6 is good): docs/measured/grains.md. Silos are 2.5 holes wide
// or more, and filled to 1.2 widths, beyond which neither counts.
static void a_silo_flows_by_beverloos_law_whatever_its_fill(void** state) {
    (void)state;
    const double hard = 0.5, soft = 4.0;
    const char*  seeds = ", friction: 0.3, rolling: 0"; // smooth and round, as in Beverloo's experiment
    silo small = silo_of(seeds, 0.2, 0.08, 0.24, 0.29, hard), large = silo_of(seeds, 0.2, 0.12, 0.3, 0.36, hard);
    truth_near("silo, hole of 8 d: flow over Beverloo's", "grains", small.rate / small.law, "", 1.0, 0.15);
    truth_near("silo, hole of 12 d: flow over Beverloo's", "grains", large.rate / large.law, "", 1.0, 0.15);
    truth_near("silo, holes of 8 and 12 d: exponent with k = 1.4", "grains",
               log(large.rate / small.rate) / log(10.6 / 6.6), "", 2.5, 0.25);
    // where pressure would show most
    silo low = silo_of(seeds, 0.2, 0.08, 0.24, 0.29, soft), full = silo_of(seeds, 0.2, 0.08, 0.24, 0.43, soft);
    truth_near("silo, hole of 8 d: flow at a fill of 43 d over that at 29", "grains", full.rate / low.rate, "", 1.0,
               0.05);
}

// Default sand rubs and hardly rolls, and lies denser than it flows: it loosens for a third of a second, at half of the
// rate, and flows then. The hole is cut out of a floor of three grains: 0.52 where grains rest on the air before its
// rim.
static void default_sand_flows_through_a_hole_that_is_cut(void** state) {
    (void)state;
    const double size = 0.0125, floor = 0.3, hole = 0.1;
    shoal_sim*   sim      = lab_sim("solver: grains\nspacing: 0.0125\nfps: 20\ngrains: {impact_speed: 1}\n"
                                           "domain: {min: [-0.1, 0, -0.1], max: [0.1, 0.8, 0.1], walls: {top: open}}\n"
                                           "bodies: [{material: sand, box: {min: [-0.1, 0.3375, -0.1], max: [0.1, 0.52, 0.1]}}]\n"
                                           "obstacles: [{friction: 0.5, subtract: [{box: {min: [-0.2, 0.3, -0.2], max: [0.2, 0.3375, "
                                           "0.2]}}, {cylinder: {radius: 0.05, height: 0.4}, at: [0, 0.32, 0]}]}]\n",
                                    (lab_setup){0});
    double       above[2] = {0.0, 0.0}, bulk = 0.6 / (pi / 6.0 * size * size * size * 1.01);
    for (int k = 0; k < 2; k++) {
        lab_run(sim, k == 0 ? 0.35 : 0.25, 0.05);
        const float* x = lab_field(sim, "position");
        for (int64_t i = 0; i < shoal_sim_count(sim); i++) above[k] += (double)x[3 * i + 1] > floor;
    }
    double law = 0.58 * bulk * sqrt(9.81) * pow(hole - 1.4 * size, 2.5);
    truth_figure("default sand through a hole of 8 d that is cut, 0.35 to 0.6 s: flow over Beverloo's", "grains",
                 (above[0] - above[1]) / 0.25 / law, "", 0.65, 1.1);
    shoal_sim_destroy(sim);
}

int main(int argc, char** argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(heaps_rest_at_thirty_to_thirty_five_degrees_and_stay),
        cmocka_unit_test(columns_run_out_as_measured),
        cmocka_unit_test(a_silo_flows_by_beverloos_law_whatever_its_fill),
        cmocka_unit_test(default_sand_flows_through_a_hole_that_is_cut),
    };
    return TRUTH_RUN("grains", tests, argc, argv);
}
