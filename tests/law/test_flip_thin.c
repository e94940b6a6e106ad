// SPDX-License-Identifier: MIT
// Solids thinner than a cell or some cells thick, under FLIP: what lies on them stays there, what is on one side does
// not feel the other, and nobody comes through.
#include "lab.h"

#include <math.h>

static const double pi = 3.14159265358979323846, spacing = 0.02, frame = 1.0 / 24;
enum { FRAMES = 8 };

// A load on a plate that is tilted about z and moves up or down, between walls.
typedef struct plate {
    const char *material, *friction;
    double      thick; // spacings
    double      tilt;  // degrees
    double      speed; // m/s
} plate;

// Height of the load's centre above the plate in spacings, frame by frame; its lowest particle
// ever.
typedef struct load {
    double centre[FRAMES], lowest, volume_least, volume_most;
} load;

static load lift(plate p) {
    double base = 0.6, angle = p.tilt * pi / 180, rise = 0.12 * tan(angle);
    char   text[1500];
    snprintf(text, sizeof text,
             "solver: flip\nspacing: %g\nflip: {friction: %s}\ndomain: {min: [0, 0, 0], max: "
             "[0.24, 2, 0.24], walls: {top: open}}\n"
             "bodies: [{material: %s, velocity: [0, %g, 0], intersect: [{box: {min: [0, %g, 0], "
             "max: [0.24, %g, 0.24]}}, "
             "{box: {min: [-5, 0, -5], max: [5, 5, 5]}, rotate: {axis: [0, 0, 1], degrees: %g}, "
             "at: [0.12, %g, 0.12]}]}]\n"
             "obstacles: [{box: {min: [-2, %g, -2], max: [2, 0, 2]}, rotate: {axis: [0, 0, 1], "
             "degrees: %g}, "
             "motion: [{t: 0, at: [0.12, %g, 0.12]}, {t: 1, at: [0.12, %g, 0.12]}]}]\n",
             spacing, p.friction, p.material, p.speed, base - rise, base + 0.2, p.tilt, base, -p.thick * spacing,
             p.tilt, base, base + p.speed);
    shoal_sim* sim    = lab_sim(text, (lab_setup){0});
    double     volume = pow(spacing, 3) * (double)shoal_sim_count(sim);
    load       out    = {.lowest = (double)INFINITY, .volume_least = (double)INFINITY};
    for (int f = 0; f < FRAMES; f++) {
        lab_run(sim, frame, frame);
        const float* x = lab_field(sim, "position");
        for (int64_t i = 0; i < shoal_sim_count(sim); i++) {
            double y = (double)x[3 * i + 1] - base - p.speed * frame * (f + 1);
            double h = (cos(angle) * y - sin(angle) * ((double)x[3 * i] - 0.12)) / spacing;
            out.centre[f] += h / (double)shoal_sim_count(sim);
            out.lowest = fmin(out.lowest, h);
        }
        out.volume_least = fmin(out.volume_least, lab_stat(sim, "volume_m3") / volume);
        out.volume_most  = fmax(out.volume_most, lab_stat(sim, "volume_m3") / volume);
    }
    shoal_sim_destroy(sim);
    return out;
}

// As on a plate of twenty spacings, whatever its height within a cell; a load that is dropped sinks
// by a spacing.
static void check_plates(const char* material, const char* friction, int thick_count, int speed_count) {
    static const double thicks[] = {1.3, 1.5, 2.0}, tilts[] = {0, 17, 31}, speeds[] = {0.6, -0.6, 0};
    double              sinks = 0.0, least = 1.0, most = 1.0;
    for (int tilt = 0; tilt < 3; tilt++)
        for (int speed = 0; speed < speed_count; speed++) {
            load thick = lift((plate){material, friction, 20.0, tilts[tilt], speeds[speed]});
            for (int k = 0; k < (speeds[speed] == 0 ? 1 : thick_count); k++) {
                load thin = lift((plate){material, friction, thicks[k], tilts[tilt], speeds[speed]});
                for (int f = 0; f < FRAMES; f++) sinks = fmax(sinks, thick.centre[f] - thin.centre[f]);
                least = fmin(least, thin.volume_least);
                most  = fmax(most, thin.volume_most);
                CHECK_BELOW(-thin.lowest, 0.1);
            }
        }
    printf("%s, %s, on plates of 1.3 spacings and more: at most %.3f spacings below where it is on "
           "a thick one, volume %.3f to %.3f\n",
           material, friction, sinks, least, most);
    CHECK_BELOW(sinks, 0.1);
    CHECK_BELOW(1.0 - least, 0.04);
    CHECK_BELOW(most - 1.0, 0.04);
}

static void thin_plates_carry_water(void** state) {
    (void)state;
    check_plates("water", "global", 3, 3);
}
static void thin_plates_carry_sand(void** state) {
    (void)state;
    check_plates("sand", "global", 3, 3);
}
static void thin_plates_carry_sand_by_the_papers_friction(void** state) {
    (void)state;
    check_plates("sand", "paper", 1, 1);
}

// A cup full of sand goes up, a layer of sand beside its wall was thrown up with it.
static void sand_beside_a_lifted_cup_falls_freely(void** state) {
    (void)state;
    static const struct {
        const char* friction;
        double      wall, turned; // m, degrees
    } cases[] = {
        {"global", 0.04, 0}, {"global", 0.026, 17}, {"global", 0.03, 31}, {"paper", 0.04, 0}, {"paper", 0.026, 31}};
    for (int k = 0; k < 5; k++) {
        double out = 0.12 + cases[k].wall, turned = cases[k].turned, c = cos(turned * pi / 180),
               s = sin(turned * pi / 180), first = ceil(out / 0.02) * 0.02;
        char text[1500];
        snprintf(text, sizeof text,
                 "solver: flip\nspacing: 0.02\nflip: {friction: %s}\ndomain: {min: [-1, 0, -1], "
                 "max: [1, 3, 1], walls: {top: open}}\n"
                 "materials: {load: {preset: sand}, dust: {preset: sand}}\nbodies:\n"
                 "  - {material: load, box: {min: [-0.12, 1.04, -0.12], max: [0.12, 1.24, 0.12]}, "
                 "rotate: {axis: [0, 1, 0], degrees: %g}, velocity: [0, 0.6, 0]}\n"
                 "  - {material: dust, box: {min: [%g, 1.08, -0.08], max: [%g, 1.2, 0.08]}, "
                 "rotate: {axis: [0, 1, 0], degrees: %g}, velocity: [0, 0.6, 0]}\n"
                 "obstacles:\n  - friction: 0.4\n    rotate: {axis: [0, 1, 0], degrees: %g}\n"
                 "    subtract: [{box: {min: [%g, 0, %g], max: [%g, 0.28, %g]}}, {box: {min: "
                 "[-0.12, 0.04, -0.12], max: [0.12, 0.4, 0.12]}}]\n"
                 "    motion: [{t: 0, at: [0, 1.0, 0]}, {t: 2, at: [0, 2.2, 0]}]\n",
                 cases[k].friction, turned, first, first + 0.02, turned, turned, -out, -out, out, out);
        shoal_sim* sim = lab_sim(text, (lab_setup){0});
        lab_run(sim, 3 * frame, frame);
        int64_t steps = shoal_sim_steps(sim);
        lab_run(sim, frame, frame);
        shoal_field_view material;
        CHECK_OK(shoal_sim_field(sim, "material", &material));
        const float *x = lab_field(sim, "position"), *v = lab_field(sim, "velocity");
        double       slowest = -(double)INFINITY, fastest = (double)INFINITY, bottom = 1.04 + 0.6 * 4 * frame,
               substep = frame / (double)(shoal_sim_steps(sim) - steps), // velocities are those of its middle
            free_fall  = 0.6 - 9.81 * (4 * frame - 0.5 * substep);
        for (int64_t i = 0; i < shoal_sim_count(sim); i++) {
            double px = (double)x[3 * i], pz = (double)x[3 * i + 2],
                   across = fmax(fabs(c * px - s * pz), fabs(s * px + c * pz));
            if (((const uint8_t*)material.data)[i] == 0)
                assert_true(across < 0.12 && (double)x[3 * i + 1] > bottom);
            else {
                slowest = fmax(slowest, (double)v[3 * i + 1]);
                fastest = fmin(fastest, (double)v[3 * i + 1]);
            }
        }
        printf("sand beside a cup with walls of %g mm, turned by %g degrees, %s: %.3f to %.3f m/s, "
               "freely %.3f\n",
               1e3 * cases[k].wall, turned, cases[k].friction, fastest, slowest, free_fall);
        CHECK_NEAR(slowest, free_fall, 0.02);
        CHECK_NEAR(fastest, free_fall, 0.02);
        shoal_sim_destroy(sim);
    }
}

// A vessel turned about y as a mesh, outside, over the rim and down the inside: walls of 5.2 to 7
// mm, at rest.
enum { AROUND = 24, RINGS = 9 };
static void a_mesh_pitcher_holds_water(void** state) {
    (void)state;
    static const float ring[RINGS][2]                  = {{0.050f, 0.0f},   {0.060f, 0.03f},  {0.060f, 0.08f},
                                                          {0.0505f, 0.12f}, {0.056f, 0.16f},  {0.049f, 0.16f},
                                                          {0.0445f, 0.12f}, {0.0545f, 0.08f}, {0.0445f, 0.007f}}; // radius, height
    float              vertices[AROUND * RINGS + 2][3] = {0};
    int                triangles[2 * AROUND * RINGS][3], count = 0, bottom = AROUND * RINGS, floor = bottom + 1;
    for (int r = 0; r < RINGS; r++)
        for (int a = 0; a < AROUND; a++) {
            vertices[AROUND * r + a][0] = ring[r][0] * (float)cos(2 * pi * a / AROUND);
            vertices[AROUND * r + a][1] = ring[r][1];
            vertices[AROUND * r + a][2] = ring[r][0] * (float)sin(2 * pi * a / AROUND);
        }
    vertices[floor][1] = ring[RINGS - 1][1];
    for (int a = 0; a < AROUND; a++) {
        int b = (a + 1) % AROUND, last = AROUND * (RINGS - 1);
        for (int r = 0; r + 1 < RINGS; r++) {
            int t[2][3] = {{AROUND * r + a, AROUND * (r + 1) + a, AROUND * r + b},
                           {AROUND * r + b, AROUND * (r + 1) + a, AROUND * (r + 1) + b}};
            memcpy(triangles[count], t, sizeof t);
            count += 2;
        }
        int ends[2][3] = {{bottom, a, b}, {floor, last + b, last + a}};
        memcpy(triangles[count], ends, sizeof ends);
        count += 2;
    }
    for (int k = 0; k < 2; k++) {
        double d = k == 0 ? 0.004 : 0.003;
        char   text[600];
        snprintf(text, sizeof text,
                 "solver: flip\nspacing: %g\ndomain: {min: [-0.1, 0, -0.1], max: [0.1, 0.4, 0.1]}\n"
                 "bodies: [{material: water, cylinder: {radius: 0.043, height: 0.09}, at: [0.003, "
                 "0.155, 0.001]}]\nobstacles: [{at: [0.003, 0.1, 0.001], rotate: {axis: [0, 1, 0], "
                 "degrees: 11}}]\n",
                 d);
        shoal_scene* scene = NULL;
        CHECK_OK(shoal_scene_parse(text, strlen(text), "pitcher", &scene));
        CHECK_OK(shoal_scene_set_mesh(scene, "obstacles.0.mesh", vertices[0], AROUND * RINGS + 2, triangles[0], count));
        shoal_sim* sim = lab_start(scene, (lab_setup){0});
        lab_run(sim, k == 0 ? 0.5 : 0.2, frame);
        const float* x    = lab_field(sim, "position");
        int64_t      lost = 0;
        for (int64_t i = 0; i < shoal_sim_count(sim); i++)
            lost +=
                (double)x[3 * i + 1] < 0.1065 || hypot((double)x[3 * i] - 0.003, (double)x[3 * i + 2] - 0.001) > 0.055;
        printf("pitcher with walls of 5.2 to 7 mm, spacing %g mm: %lld of %lld have run out\n", 1e3 * d,
               (long long)lost, (long long)shoal_sim_count(sim));
        assert_int_equal(lost, 0);
        shoal_sim_destroy(sim);
    }
}

// Up to five cells in a substep: neither a jet nor a plate is on the other side at its end.
static void nobody_jumps_over_a_thin_plate(void** state) {
    (void)state;
    static const struct {
        const char *water, *plate;
    } cases[] = {{"[10, 0, 0]", "[{t: 0, at: [0.5, 0, 0]}]"},
                 {"[0, 0, 0]", "[{t: 0, at: [0.5, 0, 0]}, {t: 0.2, at: [-1.5, 0, 0]}]"}};
    for (int k = 0; k < 2; k++) {
        char text[700];
        snprintf(text, sizeof text,
                 "solver: flip\nspacing: 0.02\ngravity: [0, 0, 0]\nbodies: [{material: water, box: "
                 "{min: [0, -0.1, -0.1], max: [0.4, 0.1, 0.1]}, velocity: %s}]\n"
                 "obstacles: [{box: {size: [0.026, 3, 3]}, rotate: {axis: [0, 0, 1], degrees: 13}, "
                 "motion: %s}]\n",
                 cases[k].water, cases[k].plate);
        shoal_sim* sim = lab_sim(text, (lab_setup){0});
        double     at  = 0.5;
        for (int f = 0; f < 5; f++) {
            lab_run(sim, 1.0 / 60, 1.0 / 60);
            if (k == 1) at -= 10.0 / 60;
            const float* x = lab_field(sim, "position");
            for (int64_t i = 0; i < shoal_sim_count(sim); i++)
                assert_true(((double)x[3 * i] - at) * cos(13 * pi / 180) + (double)x[3 * i + 1] * sin(13 * pi / 180) <
                            0.0);
        }
        shoal_sim_destroy(sim);
    }
}

static void thin_walls_have_the_same_bits_for_any_threads_and_resumed(void** state) {
    (void)state;
    static const char text[] =
        "solver: flip\nspacing: 0.02\ndomain: {min: [-0.3, 0, -0.3], max: [0.3, 1, 0.3]}\nbodies:\n"
        "  - {material: water, box: {min: [-0.1, 0.2, -0.1], max: [0.1, 0.4, 0.1]}, rotate: {axis: "
        "[0, 1, 0], degrees: 20}}\n"
        "  - {material: sand, box: {min: [-0.3, 0, -0.3], max: [0.3, 0.1, 0.3]}}\n"
        "obstacles: [{rotate: {axis: [0, 1, 0], degrees: 20}, subtract: [{box: {min: [-0.13, 0, "
        "-0.13], max: [0.13, 0.4, 0.13]}}, "
        "{box: {min: [-0.1, 0.03, -0.1], max: [0.1, 0.5, 0.1]}}], motion: [{t: 0, at: [0, 0.16, "
        "0]}, {t: 1, at: [0, 0.06, 0]}]}]\n";
    assert_true(lab_goes_on(text, (lab_setup){.threads = 1}, 0.1, 1.0 / 30));
}

static int faults_in(const char* text, char said[300]) {
    shoal_scene* scene = NULL;
    CHECK_OK(shoal_scene_parse(text, strlen(text), "lab", &scene));
    CHECK_OK(shoal_scene_check(scene));
    int count = shoal_scene_fault_count(scene);
    snprintf(said, 300, "%s", count > 0 ? shoal_scene_fault(scene, 0)->message : "");
    shoal_scene_destroy(scene);
    return count;
}
static int faults_of(const char* solver, const char* obstacle, char said[300]) {
    char text[500];
    snprintf(text, sizeof text,
             "solver: %s\nspacing: 0.1\nbodies: [{sphere: {radius: 1}}]\nobstacles: [{%s, rotate: "
             "{axis: [1, 0, 2], degrees: 31}, at: [0, 5, 0]}]\n",
             solver, obstacle);
    return faults_in(text, said);
}

static void check_warns_of_what_flip_cannot_hold(void** state) {
    (void)state;
    static const char sheet[] = "box: {size: [2, 0.12, 2]}", wall[] = "box: {size: [2, 0.13, 2]}";
    static const char cup[] = "subtract: [{cylinder: {radius: 0.5, height: 1}}, {cylinder: {radius: "
                              "0.38, height: 1}, at: [0, 0.2, 0]}]";
    char              said[300];
    assert_int_equal(faults_of("flip", sheet, said), 1);
    assert_non_null(strstr(said, "is 0.12 m thin, less than 1.3 spacings, 0.13 m, at ("));
    assert_int_equal(faults_of("flip", cup, said), 1);
    assert_non_null(strstr(said, "is 0.12 m thin, less than 1.3 spacings, 0.13 m, at ("));
    assert_int_equal(faults_of("flip", wall, said), 0);
    assert_int_equal(faults_of("tetra-paper", "box: {size: [2, 0.29, 2]}", said), 1);
    assert_non_null(strstr(said, "is 0.29 m thin, less than 3 spacings, 0.3 m, at ("));
    assert_int_equal(faults_of("tetra-paper", "box: {size: [2, 0.3, 2]}", said), 0);
    // particles leave a slot at a far wall that is off their lattice, a mesh fits the liquid
#define TANK "spacing: 0.1\ndomain: {max: [1.04, 1, 1]}\nbodies: [{box: {min: [0, 0, 0], max: [1.04, 0.5, 1]}}]\n"
    assert_int_equal(faults_in("solver: sph\n" TANK, said), 1);
    assert_non_null(strstr(said, "a slot of"));
    assert_int_equal(faults_in("solver: tetra-paper\n" TANK, said), 0);
    assert_int_equal(faults_of("sph", sheet, said), 0);
    assert_int_equal(faults_of("sph", cup, said), 0);
}

// Without gravity a jet of 2 m/s that meets a plate spreads over it at no more than its own speed (Bernoulli), but for
// its flat head, which splashes at up to 2.8 m/s; a thick plate has 2.5. A plate of one and a half cells threw what lay
// on it back at 4.1. Nor does it have more energy than it came with.
static void a_jet_on_a_thin_plate_gets_no_faster(void** state) {
    (void)state;
    static const char jet[] =
        "solver: flip\nspacing: 0.02\ngravity: [0, 0, 0]\n"
        "domain: {min: [0, -0.6, -0.6], max: [1, 0.6, 0.6], walls: {left: open, top: open, bottom: open, front: open, "
        "back: open}}\n"
        "emitters: [{material: water, disc: {radius: 0.07}, at: [0.5, 0, 0], velocity: [2, 0, 0]}]\n"
        "obstacles: [{box: {size: [0.06, 1.2, 1.2]}, at: [0.97, 0, 0]}]\n";
    shoal_sim* sim  = lab_sim(jet, (lab_setup){0});
    double     most = 0.0, energy = 0.0;
    for (int f = 0; f < 18; f++) {
        lab_run(sim, 1.0 / 30.0, 1.0 / 30.0);
        most   = fmax(most, lab_stat(sim, "speed_max_mps"));
        energy = fmax(energy, lab_stat(sim, "kinetic_j") / (0.008 * (double)shoal_sim_count(sim))); // by kg
    }
    printf("jet of 2 m/s on a thin plate: fastest %.2f m/s, at most %.2f J/kg\n", most, energy);
    assert_true(shoal_sim_count(sim) > 1000);
    CHECK_BELOW(most, 3.0);
    CHECK_BELOW(energy, 2.001);
    shoal_sim_destroy(sim);
}

// v turned by an angle about (1, 2, 3).
static void turn(double degrees, const double v[3], double out[3]) {
    const double u[3] = {1.0 / sqrt(14.0), 2.0 / sqrt(14.0), 3.0 / sqrt(14.0)};
    double       c = cos(degrees * pi / 180), s = sin(degrees * pi / 180), along = 0.0;
    for (int a = 0; a < 3; a++) along += u[a] * v[a];
    for (int a = 0; a < 3; a++) {
        int b = (a + 1) % 3, d = (a + 2) % 3;
        out[a] = v[a] * c + (u[b] * v[d] - u[d] * v[b]) * s + u[a] * along * (1.0 - c);
    }
}

// A dam breaks in a turned box, at one substep a frame, which is several cells: whoever comes more than half through a
// wall is nearer to its outer side.
static void nobody_leaves_a_turned_box_through_its_thick_walls(void** state) {
    (void)state;
    const struct {
        double degrees, thick, fps;
    } boxes[] = {{23.0, 5.0, 30.0}, {40.0, 5.0, 30.0}, {23.0, 4.2, 24.0}, {52.0, 5.0, 20.0}};
    for (int k = 0; k < 4; k++) {
        double degrees = boxes[k].degrees, w = boxes[k].thick * spacing, g[3];
        turn(degrees, (const double[3]){0.0, -9.81, 0.0}, g);
        char text[1500];
        snprintf(text, sizeof text,
                 "solver: flip\nspacing: %g\ngravity: [%.6f, %.6f, %.6f]\n"
                 "bodies: [{material: water, box: {min: [0, 0, 0], max: [0.2, 0.3, 0.24]}, rotate: {axis: [1, 2, 3], "
                 "degrees: %g}}]\n"
                 "obstacles: [{rotate: {axis: [1, 2, 3], degrees: %g}, subtract: [{box: {min: [%g, %g, %g], max: [%g, "
                 "0.8, %g]}}, {box: {min: [0, 0, 0], max: [0.6, 1, 0.24]}}]}]\n",
                 spacing, g[0], g[1], g[2], degrees, degrees, -w, -w, -w, 0.6 + w, 0.24 + w);
        shoal_sim* sim    = lab_sim(text, (lab_setup){0});
        int64_t    before = shoal_sim_count(sim), inside = 0;
        lab_run(sim, 0.8, 1.0 / boxes[k].fps);
        const float* x = lab_field(sim, "position");
        for (int64_t i = 0; i < shoal_sim_count(sim); i++) {
            double at[3], near = 0.5 * spacing;
            turn(-degrees, (const double[3]){(double)x[3 * i], (double)x[3 * i + 1], (double)x[3 * i + 2]}, at);
            inside += at[0] > -near && at[0] < 0.6 + near && at[1] > -near && at[2] > -near && at[2] < 0.24 + near;
        }
        printf("dam break in a box turned by %g degrees with walls of %g spacings, %g frames/s: %d of %d outside\n",
               degrees, boxes[k].thick, boxes[k].fps, (int)(before - inside), (int)before);
        assert_int_equal(inside, before);
        shoal_sim_destroy(sim);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(thin_plates_carry_water),
        cmocka_unit_test(thin_plates_carry_sand),
        cmocka_unit_test(thin_plates_carry_sand_by_the_papers_friction),
        cmocka_unit_test(sand_beside_a_lifted_cup_falls_freely),
        cmocka_unit_test(a_mesh_pitcher_holds_water),
        cmocka_unit_test(nobody_jumps_over_a_thin_plate),
        cmocka_unit_test(nobody_leaves_a_turned_box_through_its_thick_walls),
        cmocka_unit_test(a_jet_on_a_thin_plate_gets_no_faster),
        cmocka_unit_test(thin_walls_have_the_same_bits_for_any_threads_and_resumed),
        cmocka_unit_test(check_warns_of_what_flip_cannot_hold),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
