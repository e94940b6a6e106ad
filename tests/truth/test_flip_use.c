// SPDX-License-Identifier: MIT
// What sand and water are used for, by FLIP: a funnel, a chute, a footprint, a tap, an edge. Small scenes
// with a number each.
#include "lab.h"
#include "truth/figure.h"

static const double g = 9.81, radian = 3.14159265358979323846 / 180;

// ---------------------------------------------------------------------------------- funnel

static int64_t below(const shoal_sim* sim, double y) {
    const float* x     = lab_field(sim, "position");
    int64_t      count = 0;
    for (int64_t i = 0; i < shoal_sim_count(sim); i++) count += (double)x[3 * i + 1] < y;
    return count;
}

// Beverloo's law for a hole of diameter D, 0.58 rho sqrt(g) D^2.5: the same while it empties, once all of it moves,
// after four times sqrt(D/g), and while sand stands higher over the hole than it is wide: as the scene fills it, that
// is 0.8 D after 0.4 s and D/2 after 0.8 s, from when on the flow falls by 0.13. So it is filled twice as high here,
// which leaves 1.5 D at the end. Single starts scatter, so the means of three count in full.
static void a_funnel_runs_at_a_constant_rate(void** state) {
    (void)state;
    const double d = 0.01, law = 0.58 * sqrt(g) * pow(0.08, 2.5) / (d * d * d); // particles/s
    const int    starts = truth_in_full ? 3 : 1, spans = truth_in_full ? 3 : 2;
    double       flow[3] = {0, 0, 0}; // particles/s in each 0.2 s
    for (int start = 1; start <= starts; start++) {
        char seed[16];
        snprintf(seed, sizeof seed, "seed=%d", start);
        shoal_sim* sim = lab_scene(
            "small/funnel.yaml",
            (lab_setup){.set = {seed, "domain.max=[0.25, 0.8, 0.25]", "obstacles.0.subtract.0.cylinder.height=0.4",
                                "obstacles.0.subtract.0.at=[0, 0.4, 0]", "obstacles.0.subtract.1.cylinder.height=0.26",
                                "obstacles.0.subtract.1.at=[0, 0.48, 0]", "bodies.0.cylinder.height=0.2",
                                "bodies.0.at=[0, 0.46, 0]"}});
        lab_run(sim, 0.4, 1.0 / 30);
        for (int k = 0; k < spans; k++) {
            int64_t before = below(sim, 0.25);
            lab_run(sim, 0.2, 1.0 / 30);
            flow[k] += (double)(below(sim, 0.25) - before) / 0.2 / starts;
        }
        shoal_sim_destroy(sim);
    }
    truth_near("funnel, 0.4 to 0.8 s: flow over Beverloo's without k", "flip", 0.5 * (flow[0] + flow[1]) / law, "", 1.0,
               0.25);
    truth_near("funnel: flow of 0.6 to 0.8 s over that of 0.4 to 0.6 s", "flip", flow[1] / flow[0], "", 1, 0.1);
    if (truth_in_full)
        truth_near("funnel: flow of 0.8 to 1 s over that of 0.6 to 0.8 s", "flip", flow[2] / flow[1], "", 1, 0.05);
}

// ---------------------------------------------------------------------------------- chute

// Way of the middle of the sand along the chute, m, from 0.1 to 0.3 s, and of a slab by Coulomb: as wide as two of its
// heights, it presses on both sides by K = 1/2 of its weight, as sand does at rest by 1 - sin(phi) [Jaky 1944].
static void slide(double turned, double* way, double* wanted) {
    char       body[128], chute[128];
    const char form[] = "%s.0.rotate=[{axis: [0, 0, 1], degrees: -35}, {axis: [0, 1, 0], degrees: %g}]";
    snprintf(body, sizeof body, form, "bodies", turned);
    snprintf(chute, sizeof chute, form, "obstacles", turned);
    shoal_sim* sim     = lab_scene("small/chute.yaml", (lab_setup){.set = {body, chute}});
    double     mean[2] = {0, 0}, a = 35 * radian, b = turned * radian;
    for (int k = 0; k < 2; k++) {
        lab_run(sim, k == 0 ? 0.1 : 0.2, 1.0 / 30);
        const float* x = lab_field(sim, "position");
        for (int64_t i = 0; i < shoal_sim_count(sim); i++)
            mean[k] += ((double)x[3 * i] * cos(b) * cos(a) - (double)x[3 * i + 1] * sin(a) -
                        (double)x[3 * i + 2] * sin(b) * cos(a)) /
                       (double)shoal_sim_count(sim);
    }
    *way               = mean[1] - mean[0];
    const double sides = 0.5 * 0.06 / 0.12; // of what presses on the floor
    *wanted            = 0.5 * g * (sin(a) - 0.3 * (1 + sides) * cos(a)) * (0.3 * 0.3 - 0.1 * 0.1);
    shoal_sim_destroy(sim);
}

static void sand_slides_down_a_chute(void** state) {
    (void)state;
    static const double turned[] = {0, 31};
    double              ways[2];
    for (int k = 0; k < 2; k++) {
        double wanted;
        slide(turned[k], &ways[k], &wanted);
        truth_near(truth_case("chute turned by %.0f degrees: way over Coulomb's with sides", turned[k]), "flip",
                   ways[k] / wanted, "", 1, 0.1);
    }
    truth_near("chute: way turned over unturned", "flip", ways[1] / ways[0], "", 1, 0.1);
}

// ---------------------------------------------------------------------------------- footprint

// Mean height of the sand amid the sole, m.
static double height_amid(const shoal_sim* sim) {
    enum { LONG = 5, WIDE = 3 };
    const float* x                = lab_field(sim, "position");
    double       top[LONG * WIDE] = {0}, cell = 0.024, mean = 0.0;
    for (int64_t i = 0; i < shoal_sim_count(sim); i++) {
        int k = (int)floor((double)x[3 * i] / cell + 0.5 * LONG),
            n = (int)floor((double)x[3 * i + 2] / cell + 0.5 * WIDE);
        if (k < 0 || k >= LONG || n < 0 || n >= WIDE) continue;
        top[k * WIDE + n] = fmax(top[k * WIDE + n], (double)x[3 * i + 1]);
    }
    for (int k = 0; k < LONG * WIDE; k++) mean += top[k] / (LONG * WIDE);
    return mean;
}

static void a_footprint_in_damp_sand_stays(void** state) {
    (void)state;
    static const char* const rules[] = {"flip.friction=global", "flip.friction=paper"};
    for (int k = 0; k < (truth_in_full ? 2 : 1); k++) {
        shoal_sim* sim = lab_scene("small/footprint.yaml", (lab_setup){.set = {rules[k]}});
        double     bed = height_amid(sim);
        lab_run(sim, 0.8, 1.0 / 30);
        double loaded = height_amid(sim);
        lab_run(sim, 0.7, 1.0 / 30);
        truth_near(truth_case("footprint in damp sand, %s: depth pressed", rules[k] + 5), "flip", 1e3 * (bed - loaded),
                   "mm", 50, 5);
        truth_near(truth_case("footprint in damp sand, %s: what comes back of it", rules[k] + 5), "flip",
                   (height_amid(sim) - loaded) / (bed - loaded), "", 0, 0.1);
        shoal_sim_destroy(sim);
    }
}

// ---------------------------------------------------------------------------------- tap

static void a_tap_fills_a_glass(void** state) {
    (void)state;
    const double d = 0.004, radius = 0.012, speed = 0.5;
    shoal_sim*   sim = lab_scene("small/tap.yaml", (lab_setup){0});
    // the stream has about a hundred particles in the window: over a second, its width hardly depends on where they are
    double width = 0.0, in = 0.0, count = 0.0;
    lab_run(sim, 1.0, 1.0 / 30);
    for (int frame = 0; frame < 30; frame++) {
        lab_run(sim, 1.0 / 30, 1.0 / 30);
        const float* x = lab_field(sim, "position");
        in             = 0.0;
        for (int64_t i = 0; i < shoal_sim_count(sim); i++) {
            double r = hypot((double)x[3 * i], (double)x[3 * i + 2]), y = (double)x[3 * i + 1];
            in += r < 0.042 && y > 0.01;
            if (y < 0.16 || y > 0.2) continue;
            width += r * r;
            count++;
        }
    }
    // a disc of radius R has a mean square of R^2/2; its section is Q/v
    double fallen = sqrt(speed * speed + 2 * g * (0.26 - 0.18)), thin = radius * sqrt(speed / fallen);
    truth_near("tap: radius of its stream 8 cm below over that of Q/v, in the second second", "flip",
               sqrt(2 * width / count) / thin, "", 1, 0.15);
    truth_near("tap: what has run over section times way", "flip",
               (double)shoal_sim_count(sim) * d * d * d / (radian * 180 * radius * radius * speed * 2), "", 1, 0.02);
    // one drop of the first splash is thrown as high as the rim and flies over it
    truth_near("tap: fraction of it above and in the glass", "flip", in / (double)shoal_sim_count(sim), "", 1, 5e-4);
    shoal_sim_destroy(sim);
}

// ---------------------------------------------------------------------------------- overfall

static int by_size(const void* a, const void* b) {
    double x = *(const double*)a, y = *(const double*)b;
    return (x > y) - (x < y);
}

// A sheet of water, h thick, runs at u = 1 m/s over a smooth plate and shoots over its edge. Where pressure ends it
// gains g h / 2u, by the balance of momentum, and flies freely. The median of the ways of its middle beyond the edge,
// where it has fallen by 0.2 to 0.25 m, over that way. All is turned about y, the plate `thick` and moved in the grid
// by `shift` along the sheet and half of it upwards. (It spreads aside on the plate, and gains less. While the face
// below the edge held what flowed over it: 0.03 along the grid, 0.49 on the thin plate.)
static double overfall(double h, double thick, double shift, double turned) {
    enum { CAPACITY = 4096 };
    static double way[CAPACITY];
    char          text[768];
    double        a = turned * radian, top = 0.4 + 0.5 * shift;
    int           n = 0;
    snprintf(text, sizeof text,
             "spacing: 0.02\nsolver: flip\nflip: {boundary_layer: false}\nemitters:\n"
             "  - {material: water, box: {min: [-0.56, %g, -0.16], max: [-0.5, %g, 0.16]}, "
             "rotate: {axis: [0, 1, 0], degrees: %g}, velocity: [%.9g, 0, %.9g]}\nobstacles:\n"
             "  - {box: {min: [-0.8, %g, -0.5], max: [%g, %g, 0.5]}, rotate: {axis: [0, 1, 0], degrees: %g}}\n",
             top, top + h, turned, cos(a), -sin(a), top - thick, shift, top, turned);
    shoal_sim* sim = lab_sim(text, (lab_setup){0});
    lab_run(sim, 0.8, 1.0 / 30);
    for (int frame = 0; frame < 6; frame++) {
        lab_run(sim, 1.0 / 30, 1.0 / 30);
        const float* x = lab_field(sim, "position");
        for (int64_t i = 0; i < shoal_sim_count(sim) && n < CAPACITY; i++) {
            double along  = (double)x[3 * i] * cos(a) - (double)x[3 * i + 2] * sin(a),
                   aside  = (double)x[3 * i] * sin(a) + (double)x[3 * i + 2] * cos(a),
                   fallen = top - (double)x[3 * i + 1];
            if (fallen > 0.2 && fallen < 0.25 && fabs(aside) < 0.06) way[n++] = along - shift;
        }
    }
    shoal_sim_destroy(sim);
    assert_true(n > 30 && n < CAPACITY);
    qsort(way, (size_t)n, sizeof *way, by_size);
    return way[n / 2] / ((1 + 0.5 * g * h) * sqrt(2 * (0.225 + 0.5 * h) / g));
}

static void a_sheet_shoots_over_an_edge(void** state) {
    (void)state;
    static const struct {
        const char* name;
        double      h, thick, shift, turned;
    } cases[] = {{"2 spacings, along the grid", 0.04, 0.4, 0, 0},
                 {"3 spacings, along the grid", 0.06, 0.4, 0, 0},
                 {"2 spacings, between faces", 0.04, 0.4, 0.009, 0},
                 {"3 spacings, thin plate", 0.06, 0.04, 0, 0},
                 {"3 spacings, thin plate turned by 31 degrees", 0.06, 0.04, 0, 31}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char name[128];
        snprintf(name, sizeof name, "sheet over an edge, %s: its way over that of a free one", cases[k].name);
        truth_near(name, "flip", overfall(cases[k].h, cases[k].thick, cases[k].shift, cases[k].turned), "", 1, 0.25);
    }
}

int main(int argc, char** argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_funnel_runs_at_a_constant_rate), cmocka_unit_test(sand_slides_down_a_chute),
        cmocka_unit_test(a_footprint_in_damp_sand_stays),   cmocka_unit_test(a_tap_fills_a_glass),
        cmocka_unit_test(a_sheet_shoots_over_an_edge),
    };
    return TRUTH_RUN("flip", tests, argc, argv);
}
