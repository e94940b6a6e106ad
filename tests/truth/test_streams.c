// SPDX-License-Identifier: MIT
// Jets, fountains and falling streams as the solvers carry them: they give their volume, stay on
// the path of a thrown stone, and neither shatter nor break up. Rain is the same water under every
// solver.
#include "stream.h"
#include "truth/figure.h"

static const double g = 9.81, d = 0.02, radius = 0.07, pi = 3.14159265358979;

// A jet from `at`, held over two spacings.
typedef struct jet {
    double at[3], velocity[3];
} jet;

static double speed_of(const jet* j) {
    return sqrt(j->velocity[0] * j->velocity[0] + j->velocity[1] * j->velocity[1] + j->velocity[2] * j->velocity[2]);
}

static shoal_sim* jet_sim_with(const char* solver, const char* material, const jet* j, const char* more,
                               const char* world, lab_setup setup) {
    char text[1024];
    snprintf(text, sizeof text,
             "solver: %s\nspacing: %g\nfps: 60\nframes: 1000\ndomain: {min: [-1, -3, -1], max: [3, "
             "3, 1], walls: {top: open, bottom: open, left: open, right: open}}\n"
             "emitters: [{material: %s, disc: {radius: %g}, at: [%.9g, %.9g, %.9g], velocity: "
             "[%.9g, %.9g, %.9g]%s}]\n%s",
             solver, d, material, radius, j->at[0], j->at[1], j->at[2], j->velocity[0], j->velocity[1], j->velocity[2],
             more, world);
    return lab_sim(text, setup);
}

static shoal_sim* jet_sim(const char* solver, const char* material, const jet* j, const char* more) {
    return jet_sim_with(solver, material, j, more, "", (lab_setup){0});
}

// The time at which the middle of the jet passes nearest to x, and how near.
static double nearest_time(const jet* j, const float* x, double* distance) {
    double best = (double)INFINITY, at = 0.0, held = 2.0 * d / speed_of(j);
    for (int k = 0; k < 800; k++) {
        double t = k * 0.001 - held, sum = 0.0, fall = t > 0.0 ? 0.5 * g * t * t : 0.0;
        for (int a = 0; a < 3; a++) {
            double off = (double)x[a] - (j->at[a] + j->velocity[a] * (t + held) - (a == 1 ? fall : 0.0));
            sum += off * off;
        }
        if (sum < best) best = sum, at = t;
    }
    *distance = sqrt(best);
    return at;
}

typedef struct appearances {
    double outside; // fraction of particles more than a spacing outside the jet
    double gap;     // largest hole along it where it is three spacings wide, spacings
    double top;     // m
} appearances;

static int upwards(const void* a, const void* b) {
    double x = *(const double*)a, y = *(const double*)b;
    return x < y ? -1 : x > y;
}

static appearances inspect(shoal_sim* sim, const jet* j) {
    shoal_field_view view;
    view              = lab_view(sim, "position");
    double *    along = malloc((size_t)(view.count + 1) * sizeof *along), v = speed_of(j);
    appearances out   = {0.0, 0.0, (double)-INFINITY};
    int         count = 0;
    for (int64_t i = 0; i < view.count; i++) {
        const float* x = (const float*)view.data + 3 * i;
        double       off, t = nearest_time(j, x, &off),
                    now = hypot(hypot(j->velocity[0], j->velocity[2]), j->velocity[1] - g * fmax(t, 0.0));
        out.outside += off > radius * fmax(sqrt(v / now), 1.0) + d; // the section is Q/v
        out.top = fmax(out.top, (double)x[1]);
        // where the section Q/v is three spacings wide; the way along the path, summed by Simpson's
        // rule
        if (2.0 * radius * sqrt(v / now) < 3.0 * d) continue;
        double half    = hypot(hypot(j->velocity[0], j->velocity[2]), j->velocity[1] - 0.5 * g * fmax(t, 0.0));
        along[count++] = t * (v + 4.0 * half + now) / 6.0;
    }
    qsort(along, (size_t)count, sizeof *along, upwards);
    for (int k = 1; k < count; k++) out.gap = fmax(out.gap, (along[k] - along[k - 1]) / d);
    out.outside /= fmax((double)view.count, 1.0);
    free(along);
    return out;
}

static void jets_stay_whole_in_free_air(void** state) {
    (void)state;
    static const char* const solvers[] = {"pbf", "sph", "flip"};
    // along x, obliquely upwards, and turned out of all axes
    const jet jets[] = {{{0, 0, 0}, {1.2, 0, 0}}, {{0, 0, 0}, {4, 0, 0}}, {{0.1, -0.2, 0.03}, {1.7, 2.2, -0.6}}};
    for (int k = truth_in_full ? 0 : 3; k < 9; k++) {
        const jet* j   = &jets[k / 3];
        shoal_sim* sim = jet_sim(solvers[k % 3], "water", j, "");
        lab_run(sim, 0.4, 1.0 / 30.0); // frames of films: substeps are for the solver to choose
        appearances l = inspect(sim, j);
        char        what[128];
        snprintf(what, sizeof what, "jet of %.1f m/s: particles more than a spacing outside its path after 0.4 s",
                 speed_of(j));
        truth_below(what, solvers[k % 3], 100.0 * l.outside, "%", 3.0);
        shoal_sim_destroy(sim);
    }
}

// The first of a fountain are pushed by those behind them; then it stands.
static void fountains_rise_as_high_as_they_can(void** state) {
    (void)state;
    static const char* const solvers[] = {"pbf", "sph", "flip"};
    const jet                j         = {{0, 0, 0}, {0, 3, 0}};
    for (int k = 0; k < 3; k++) {
        shoal_sim* sim    = jet_sim(solvers[k], "water", &j, "");
        double     top[2] = {0.0, 0.0}, wanted = 2.0 * d + 3.0 * 3.0 / (2.0 * g);
        for (int frame = 0; frame < 54; frame++) {
            lab_run(sim, 1.0 / 60.0, 1.0 / 60.0);
            double* most = &top[frame >= 36];
            *most        = fmax(*most, inspect(sim, &j).top);
        }
        truth_near("fountain of 3 m/s: height over v^2/2g", solvers[k], top[1] / wanted, "", 1.0, 0.1);
        truth_below("fountain of 3 m/s: height of its first drops over v^2/2g", solvers[k], top[0] / wanted, "", 1.2);
        shoal_sim_destroy(sim);
    }
}

static void falling_streams_have_no_gaps(void** state) {
    (void)state;
    static const char* const cases[][2] = {
        {"pbf", "water"}, {"sph", "water"}, {"flip", "water"}, {"flip", "sand"}, {"grains", "sand"}};
    const jet j = {{0, 0, 0}, {0, -0.8, 0}};
    for (int k = 0; k < 5; k++) {
        shoal_sim* sim = jet_sim(cases[k][0], cases[k][1], &j, "");
        double     gap = 0.0;
        for (int frame = 0; frame < 36; frame++) {
            lab_run(sim, 1.0 / 60.0, 1.0 / 60.0);
            gap = fmax(gap, inspect(sim, &j).gap);
        }
        char what[96];
        snprintf(what, sizeof what, "falling stream of %s: largest hole while three spacings wide", cases[k][1]);
        truth_below(what, cases[k][0], gap, "d", 2.0);
        shoal_sim_destroy(sim);
    }
}

// Sections of a stream between two times of flight, summed over frames.
typedef struct sections {
    double from, until;       // s
    double count, aa, bb, ab; // particles, and their moments across the path, m^2
    double wanted;            // section Q/v, m^2
} sections;

static void add_sections(sections* s, shoal_sim* sim, const jet* j) {
    shoal_field_view view;
    view = lab_view(sim, "position");
    for (int64_t i = 0; i < view.count; i++) {
        const float* x = (const float*)view.data + 3 * i;
        double       off, t = nearest_time(j, x, &off), held = 2.0 * d / speed_of(j);
        if (t < s->from || t > s->until) continue;
        double now[3] = {j->velocity[0], j->velocity[1] - g * t, j->velocity[2]}, flat = hypot(now[0], now[2]),
               v = hypot(flat, now[1]), way[3];
        for (int a = 0; a < 3; a++)
            way[a] = (double)x[a] - j->at[a] - j->velocity[a] * (t + held) + (a == 1 ? 0.5 * g * t * t : 0.0);
        // level across the path, and across both
        double side[3] = {0.0, 0.0, 1.0}, up[3], a = 0.0, b = 0.0;
        if (flat > 1e-6 * v) side[0] = -now[2] / flat, side[2] = now[0] / flat;
        for (int k = 0; k < 3; k++)
            up[k] = (side[(k + 1) % 3] * now[(k + 2) % 3] - side[(k + 2) % 3] * now[(k + 1) % 3]) / v;
        for (int k = 0; k < 3; k++) a += side[k] * way[k], b += up[k] * way[k];
        s->count += 1.0, s->aa += a * a, s->bb += b * b, s->ab += a * b;
        s->wanted += pi * radius * radius * speed_of(j) / v;
    }
}

// The radius of a disc of the same moments over that of the section Q/v. Of an ellipse the moments
// are a quarter of its axes squared.
static double width_of(const sections* s) {
    double area = 4.0 * pi * sqrt(s->aa * s->bb - s->ab * s->ab) / s->count;
    return sqrt(area / (s->wanted / s->count));
}

// Straight down, and obliquely out of all axes.
static void falling_streams_thin_as_they_fall(void** state) {
    (void)state;
    static const char* const cases[][3] = {
        {"pbf", "pbf", NULL}, {"sph", "sph", NULL}, {"pcisph", "sph", "sph.pressure=pcisph"}, {"flip", "flip", NULL}};
    static const char* const ways[] = {"straight down", "obliquely down"};
    const jet                jets[] = {{{0, 0, 0}, {0, -0.8, 0}}, {{0.1, -0.2, 0.03}, {0.5, -0.9, 0.37}}};
    for (int k = truth_in_full ? 0 : 4; k < 8; k++) {
        const char* const* c   = cases[k % 4];
        const jet*         j   = &jets[k / 4];
        sections           s   = {.from = 0.12, .until = 0.18};
        shoal_sim*         sim = jet_sim_with(c[1], "water", j, "", "", (lab_setup){.set = {c[2]}});
        lab_run(sim, 0.25, 1.0 / 60.0);
        for (int frame = 0; frame < 4; frame++) {
            lab_run(sim, 1.0 / 60.0, 1.0 / 60.0);
            add_sections(&s, sim, j);
        }
        truth_near(truth_case("stream %s after 0.15 s: radius over that of Q/v", ways[k / 4]), c[0], width_of(&s), "",
                   1.0, 0.15);
        shoal_sim_destroy(sim);
    }
}

// At two speeds and spacings, turned out of all axes, and ten times as large.
static void streams_of_thick_liquids_thin_as_they_fall(void** state) {
    (void)state;
    static const stream      cases[]   = {{"", "honey", 0.003, 0.012, 0.25, 0.12, {0, -1, 0}},
                                          {"", "honey", 0.003, 0.012, 0.8, 0.12, {0.36, -0.8, 0.48}},
                                          {"", "honey", 0.002, 0.012, 0.25, 0.12, {0, -1, 0}},
                                          {"", "honey", 0.03, 0.12, 0.8, 1.2, {0, -1, 0}},
                                          {"", "syrup", 0.003, 0.012, 0.25, 0.12, {-0.6, 0, 0.8}},
                                          {"", "oil", 0.003, 0.012, 0.25, 0.12, {0, -1, 0}}};
    static const char* const solvers[] = {"pbf", "sph", "flip"};
    for (int k = 0; k < 18; k++) {
        stream s = cases[k / 3];
        s.solver = solvers[k % 3];
        if (!truth_in_full && k >= 6 && k / 3 != 4) continue; // honey down and askew, and syrup
        stream_measures seen = stream_measure(&s, (lab_setup){0});
        char            what[96];
        snprintf(what, sizeof what, "stream of %s, %g m/s, d = %g m", s.material, s.speed, s.d);
        truth_below(truth_case("%s: largest radius over that of Q/v", what), s.solver, seen.width, "", 1.15);
        truth_below(truth_case("%s: largest hole", what), s.solver, seen.gap, "d", 2.0);
    }
}

// Without gravity and with a force in its place, it thins as in free fall; where a force ahead of
// the opening bears its weight, it does not.
static void streams_thin_by_what_draws_them_out(void** state) {
    (void)state;
    static const char* const drawn = "gravity: [0, 0, 0]\nforces: [{acceleration: [0, -9.81, 0]}]\n";
    static const char* const borne =
        "forces: [{acceleration: [0, 9.81, 0], box: {min: [-1, -3, -1], max: [1, -0.04, 1]}}]\n";
    const jet j = {{0, 0, 0}, {0, -0.8, 0}};
    for (int k = 0; k < 4; k++) {
        bool        is_drawn = k < 2;
        const char* solver   = k % 2 ? "sph" : "pbf";
        shoal_sim*  sim      = jet_sim_with(solver, "water", &j, "", is_drawn ? drawn : borne, (lab_setup){0});
        double      moment = 0.0, count = 0.0;
        lab_run(sim, is_drawn ? 0.3 : 0.5, 1.0 / 60.0);
        const float* x = lab_field(sim, "position");
        for (int64_t i = 0; i < shoal_sim_count(sim); i++) {
            double below = -2.0 * d - (double)x[3 * i + 1], v = sqrt(0.64 + 2.0 * g * below);
            if (below < 0.08 || below > 0.16) continue;
            moment += (double)(x[3 * i] * x[3 * i] + x[3 * i + 2] * x[3 * i + 2]) * (is_drawn ? v / 0.8 : 1.0);
            count++;
        }
        truth_near(is_drawn ? "stream drawn out by a force: radius over that of Q/v"
                            : "stream borne by a force: radius over that of its opening",
                   solver, sqrt(2.0 * moment / count) / radius, "", 1.0, is_drawn ? 0.15 : 0.05);
        shoal_sim_destroy(sim);
    }
}

// Sand of grains that hangs back in the opening would keep others from coming: slowly, and where it is thrown up and
// its own weight holds it, for longer.
static void streams_deliver_their_volume(void** state) {
    (void)state;
    static const struct {
        const char *solver, *material;
        jet         j;
        double      time, drop_volume; // s; of a particle, d^3: water of grains is finer
    } cases[]         = {{"pbf", "water", {{0, 0, 0}, {1.1, 0.4, 0.3}}, 0.2, 1},
                         {"sph", "water", {{0, 0, 0}, {1.1, 0.4, 0.3}}, 0.2, 1},
                         {"flip", "water", {{0, 0, 0}, {1.1, 0.4, 0.3}}, 0.2, 1},
                         {"flip", "sand", {{0, 0, 0}, {1.1, 0.4, 0.3}}, 0.2, 1},
                         {"grains", "sand", {{0, 0, 0}, {1.1, 0.4, 0.3}}, 0.2, 0},
                         {"grains", "water", {{0, 0, 0}, {1.1, 0.4, 0.3}}, 0.2, 0.125},
                         {"grains", "sand", {{0, 0, 0}, {0, -0.6, 0}}, 0.3, 0},
                         {"grains", "sand", {{0, 0, 0}, {1.4095, 0.513, 0}}, 0.8, 0}};
    const double ball = pi / 6.0 / 0.6 * 1.01; // of which 0.6 is solid, their radii spread by a tenth
    for (int k = 0; k < (truth_in_full ? 8 : 7); k++) {
        const jet* j = &cases[k].j;
        char       more[32], what[96];
        double     drop_volume = d * d * d * (cases[k].drop_volume > 0.0 ? cases[k].drop_volume : ball);
        snprintf(more, sizeof more, ", until: %g", cases[k].time);
        shoal_sim* sim = jet_sim(cases[k].solver, cases[k].material, j, more);
        lab_run(sim, cases[k].time + 0.05, 1.0 / 40.0);
        snprintf(what, sizeof what, "stream of %s, %.1f m/s%s: volume over section times way", cases[k].material,
                 speed_of(j), j->velocity[1] < 0.0 ? " down" : "");
        truth_near(what, cases[k].solver,
                   lab_stat(sim, "emitted") * drop_volume / (pi * radius * radius * speed_of(j) * cases[k].time), "",
                   1.0, 0.01);
        shoal_sim_destroy(sim);
    }
}

// An opening `wide` spacings across between what bounds it: closed walls, a periodic domain, two
// boxes askew to all axes, a pipe around a disc.
static double slot_volume(const char* solver, const char* material, double wide, int bounds) {
    char         text[2048], walls[256] = "", solids[512] = "", opening[256];
    const double speed = 1.6, time = 0.1, slot = wide * d, half = 0.5 * slot, tube = 0.04,
                 drop_volume = strcmp(solver, "grains") == 0 ? d * d * d * pi / 6.0 / 0.6 * 1.01 : d * d * d;
    snprintf(opening, sizeof opening, "box: {min: [-0.1, -0.04, %.9g], max: [0.1, 0, %.9g]}", -half, half);
    if (bounds == 1) snprintf(walls, sizeof walls, ", back: periodic, front: periodic");
    if (bounds == 2) {
        const char* turned = "rotate: {axis: [0, 1, 0], degrees: 23}";
        snprintf(solids, sizeof solids,
                 "obstacles: [{union: [{box: {size: [0.8, 0.3, 0.1]}, at: [0, 0, %.9g]}, {box: "
                 "{size: [0.8, 0.3, 0.1]}, at: [0, 0, %.9g]}], %s}]\n",
                 half + 0.05, -half - 0.05, turned);
        snprintf(opening, sizeof opening, "box: {size: [0.2, 0.04, %.9g]}, %s", slot, turned);
    }
    if (bounds == 3) {
        snprintf(opening, sizeof opening, "disc: {radius: %.9g}", half);
        snprintf(solids, sizeof solids,
                 "obstacles: [{subtract: [{cylinder: {height: 0.3, radius: "
                 "%.9g}}, {cylinder: {height: 0.5, radius: %.9g}}]}]\n",
                 half + tube, half);
    }
    double side = bounds < 2 ? half : 0.5, area = bounds == 3 ? pi * half * half : 0.2 * slot;
    snprintf(text, sizeof text,
             "solver: %s\nspacing: %g\nfps: 50\nframes: 1000\ndomain: {min: [-0.5, -0.5, %.9g], "
             "max: [0.5, 0.5, %.9g], walls: {top: open, bottom: open%s}}\n%s"
             "emitters: [{material: %s, %s, velocity: [0, %g, 0], until: %g}]\n",
             solver, d, -side, side, walls, solids, material, opening, -speed, time);
    shoal_sim* sim = lab_sim(text, (lab_setup){0});
    lab_run(sim, time + 0.02, 0.01);
    double volume = lab_stat(sim, "emitted") * drop_volume / (area * speed * time);
    printf("%s %s, %g d, bounds %d: %.3f\n", solver, material, wide, bounds, volume);
    shoal_sim_destroy(sim);
    return volume;
}

static void slots_and_pipes_give_their_volume(void** state) {
    (void)state;
    static const char* const bounds[] = {"between walls", "across a periodic domain", "between boxes askew",
                                         "in a pipe"};
    static const struct {
        const char *solver, *material;
        int         bounds;
        double      wide; // spacings
    } cases[] = {{"pbf", "water", 0, 3},   {"pbf", "water", 0, 10},   {"pbf", "water", 1, 6},  {"pbf", "water", 2, 4},
                 {"pbf", "water", 3, 6},   {"sph", "water", 0, 4},    {"flip", "water", 0, 4}, {"flip", "sand", 0, 6},
                 {"grains", "sand", 0, 4}, {"grains", "sand", 0, 10}, {"grains", "sand", 3, 6}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char what[128];
        snprintf(what, sizeof what, "stream of %s %g d wide %s: volume over section times way", cases[k].material,
                 cases[k].wide, bounds[cases[k].bounds]);
        truth_near(what, cases[k].solver,
                   slot_volume(cases[k].solver, cases[k].material, cases[k].wide, cases[k].bounds), "", 1.0, 0.01);
    }
}

// A tap in a pool, 10 spacings deep: what is ahead makes room as before a piston, however slow.
typedef struct tap {
    const char* where;
    jet         j;
} tap;

static void taps_under_water_give_their_volume(void** state) {
    (void)state;
    static const char* const solvers[] = {"pbf", "sph", "flip"};
    const tap                taps[]    = {{"in the middle", {{0.12, 0.1, 0.15}, {0.2, 0, 0}}},
                                          {"in the floor", {{0.17, 0, 0.15}, {0, 0.2, 0}}},
                                          {"obliquely down", {{0.13, 0.13, 0.17}, {0.4, -0.3, -0.2}}}};
    // what fills the opening at the start is pushed out first, and delays the first by a layer
    const double start = 0.2, time = 0.5, opening = 0.05;
    for (int k = truth_in_full ? 0 : 6; k < 9; k++) {
        const char* solver = solvers[k % 3];
        const tap*  t      = &taps[k / 3];
        char        text[1024];
        snprintf(text, sizeof text,
                 "solver: %s\nspacing: %g\nfps: 60\nframes: 1000\ndomain: {max: [0.36, 0.6, 0.3], "
                 "walls: {top: open}}\nbodies: [{material: water, box: {min: [0, 0, 0], max: [0.36, "
                 "0.2, 0.3]}}]\n"
                 "emitters: [{material: water, disc: {radius: %g}, at: [%g, %g, %g], velocity: [%g, "
                 "%g, %g]}]\n",
                 solver, d, opening, t->j.at[0], t->j.at[1], t->j.at[2], t->j.velocity[0], t->j.velocity[1],
                 t->j.velocity[2]);
        shoal_sim* sim  = lab_sim(text, (lab_setup){0});
        double     most = 0.0, asked = pi * opening * opening * speed_of(&t->j) * time;
        lab_run(sim, start, 1.0 / 60.0);
        double before = lab_stat(sim, "emitted");
        for (int frame = 0; frame < (int)(time * 60.0 + 0.5); frame++) {
            lab_run(sim, 1.0 / 60.0, 1.0 / 60.0);
            most = fmax(most, lab_stat(sim, "speed_max_mps"));
        }
        truth_near(
            truth_case("tap of %.1f m/s under water, %s: volume over section times way", speed_of(&t->j), t->where),
            solver, (lab_stat(sim, "emitted") - before) * d * d * d / asked, "", 1.0, 0.05);
        truth_below(truth_case("tap of %.1f m/s under water, %s: fastest of all", speed_of(&t->j), t->where), solver,
                    most, "m/s", 1.5);
        shoal_sim_destroy(sim);
    }
}

int main(int argc, char** argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(jets_stay_whole_in_free_air),
        cmocka_unit_test(fountains_rise_as_high_as_they_can),
        cmocka_unit_test(falling_streams_have_no_gaps),
        cmocka_unit_test(falling_streams_thin_as_they_fall),
        cmocka_unit_test(streams_of_thick_liquids_thin_as_they_fall),
        cmocka_unit_test(streams_thin_by_what_draws_them_out),
        cmocka_unit_test(streams_deliver_their_volume),
        cmocka_unit_test(slots_and_pipes_give_their_volume),
        cmocka_unit_test(taps_under_water_give_their_volume),
    };
    return TRUTH_RUN("pbf sph flip grains", tests, argc, argv);
}
