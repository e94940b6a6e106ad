// SPDX-License-Identifier: MIT
// Vessels by FLIP: a bucket of 1.5 spacings that is lifted and tipped, a scoop that lifts, vessels that are turned.
#include "lab.h"
#include "truth/figure.h"

// Where a vessel is: x, y of its origin, and its turn about z in degrees.
typedef struct pose {
    double x, y, degrees;
} pose;

// The place of a particle in the frame of the vessel.
static void own_place(pose p, const float* x, double own[3]) {
    double a = p.degrees * 3.14159265358979323846 / 180, px = (double)x[0] - p.x, py = (double)x[1] - p.y;
    own[0] = cos(a) * px + sin(a) * py;
    own[1] = cos(a) * py - sin(a) * px;
    own[2] = (double)x[2];
}

// Fraction of the load between the walls of the bucket.
static double fraction_in_bucket(const shoal_sim* sim, pose p) {
    const float* x  = lab_field(sim, "position");
    int64_t      in = 0, count = shoal_sim_count(sim);
    for (int64_t i = 0; i < count; i++) {
        double own[3];
        own_place(p, x + 3 * i, own);
        in += hypot(own[0], own[2]) < 0.065 && own[1] > 0.015 && own[1] < 0.16;
    }
    return (double)in / (double)count;
}

// A bucket that has been lifted, and the fraction in it. Walls of the domain, and the cells of the grid with them, are
// `away` cells farther off.
static shoal_sim* lifted_bucket(const char* material, const double away[3], double* fraction) {
    char set[2][96];
    snprintf(set[0], sizeof set[0], "bodies.0.material=%s", material);
    snprintf(set[1], sizeof set[1], "domain.min=[%g, %g, %g]", -0.3 - 0.02 * away[0], -0.02 * away[1],
             -0.15 - 0.02 * away[2]);
    shoal_sim* sim = lab_scene("small/bucket.yaml", (lab_setup){.set = {set[0], set[1]}});
    lab_run(sim, 0.9, 1.0 / 30);
    *fraction = fraction_in_bucket(sim, (pose){-0.15, 0.32, 0});
    return sim;
}

// And what is left in it 0.3 s after it has been tipped.
static double left_in_bucket(shoal_sim* sim) {
    lab_run(sim, 1.1, 1.0 / 30);
    double fraction = fraction_in_bucket(sim, (pose){-0.15, 0.4, -130});
    shoal_sim_destroy(sim);
    return fraction;
}

static void a_bucket_of_water_loses_nothing_until_it_is_tipped(void** state) {
    (void)state;
    double     fraction;
    shoal_sim* sim = lifted_bucket("water", (const double[3]){0.0, 0.0, 0.0}, &fraction);
    truth_near("bucket of water: share in it once it is lifted", "flip", fraction, "", 1, 0);
    truth_below("bucket of water: share left in it 0.3 s after it is tipped", "flip", left_in_bucket(sim), "", 0.02);
}

// A bucket of sand is either empty or keeps a clump of 20 to 30 of its 1127 grains, as its place in the grid has it.
static void buckets_of_sand_lose_nothing_until_they_are_tipped(void** state) {
    (void)state;
    enum { PLACES = 8 };
    static const double places[PLACES][3] = {{0.0, 0.0, 0.0}, {0.3, 0.1, 0.7}, {0.6, 0.4, 0.2}, {0.9, 0.7, 0.5},
                                             {0.2, 0.9, 0.9}, {0.5, 0.2, 0.4}, {0.8, 0.5, 0.8}, {0.1, 0.8, 0.3}};
    double              least = 1.0, most = 0.0, mean = 0.0;
    for (int k = 0; k < PLACES; k++) {
        double     fraction;
        shoal_sim* sim  = lifted_bucket("sand", places[k], &fraction);
        double     left = left_in_bucket(sim);
        least           = fmin(least, fraction);
        most            = fmax(most, left);
        mean += left / PLACES;
    }
    truth_near("buckets of sand at 8 places: least share in one once it is lifted", "flip", least, "", 1, 0);
    truth_below("buckets of sand at 8 places: mean share left 0.3 s after they are tipped", "flip", mean, "", 0.015);
    truth_below("buckets of sand at 8 places: most left in one", "flip", most, "", 0.05);
}

// On the plate of the scoop, and right below it.
static void inspect_scoop(const shoal_sim* sim, pose p, int64_t* on, int64_t* below) {
    const float* x = lab_field(sim, "position");
    *on = *below = 0;
    for (int64_t i = 0; i < shoal_sim_count(sim); i++) {
        double own[3];
        own_place(p, x + 3 * i, own);
        bool is_amid = fabs(own[0]) < 0.06 && fabs(own[2]) < 0.065;
        *on += is_amid && own[1] > 0 && own[1] < 0.2;
        *below += is_amid && own[1] < -0.007 && own[1] > -0.045;
    }
}

static void a_scoop_keeps_its_sand(void** state) {
    (void)state;
    shoal_sim* sim = lab_scene("small/scoop.yaml", (lab_setup){0});
    int64_t    before, after, below;
    lab_run(sim, 1.6, 1.0 / 30);
    inspect_scoop(sim, (pose){0.09, 0.275, 20}, &before, &below);
    truth_near("scoop: grains right below its plate at 1.6 s", "flip", (double)below, "", 0, 0);
    lab_run(sim, 0.4, 1.0 / 30);
    inspect_scoop(sim, (pose){0.09, 0.45, 20}, &after, &below);
    truth_near("scoop: grains right below its plate at 2 s", "flip", (double)below, "", 0, 0);
    truth_above("scoop: grains on it at 2 s", "flip", (double)after, "", 800);
    truth_above("scoop: load at 2 s over that at 1.6 s, while a heap runs off its open end", "flip",
                (double)after / (double)before, "", 0.9);
    shoal_sim_destroy(sim);
}

// A box of 12 x 8 x 12 spacings in a vessel that fits it, all of it turned about (1, 2, 3) and moved. What weighs does
// so towards the bottom of the vessel.
static shoal_sim* in_a_vessel(const char* material, double degrees, double move, const double gravity[3]) {
    char text[1024];
    snprintf(text, sizeof text,
             "solver: flip\nspacing: 0.02\nfps: 24\nframes: 12\ngravity: [%.9g, %.9g, %.9g]\n"
             "bodies: [{material: %s, box: {min: [-0.12, 0, -0.12], max: [0.12, 0.16, 0.12]}, at: [%g, %g, %g], "
             "rotate: {axis: [1, 2, 3], degrees: %g}}]\n"
             "obstacles: [{at: [%g, %g, %g], rotate: {axis: [1, 2, 3], degrees: %g}, subtract: [{box: {min: [-0.22, "
             "-0.1, -0.22], "
             "max: [0.22, 0.4, 0.22]}}, {box: {min: [-0.12, 0, -0.12], max: [0.12, 0.5, 0.12]}}]}]\n",
             gravity[0], gravity[1], gravity[2], material, move, move, move, degrees, move, move, move, degrees);
    return lab_sim(text, (lab_setup){0});
}

static void what_is_in_a_tilted_vessel_has_its_volume(void** state) {
    (void)state;
    const struct { double degrees, move; } cases[] = {{0, 0}, {0, 0.01}, {17, 0}, {40, 0.003}};
    static const char* const materials[]           = {"water", "sand"};
    for (int k = 0; k < 8; k++) {
        const char* material = materials[k / 4];
        double      degrees = cases[k % 4].degrees, move = cases[k % 4].move;
        shoal_sim*  sim = in_a_vessel(material, degrees, move, (const double[3]){0, 0, 0});
        truth_near(truth_case("%s in a vessel turned by %g degrees, moved by %g spacings: volume", material, degrees,
                              move / 0.02),
                   "flip", (double)shoal_sim_count(sim) / 1152, "", 1, 0.02);
        const float* x      = lab_field(sim, "position"); // none is moved into a wall, nor all of it to one side
        double       middle = lab_stat(sim, "com_y_m") - move;
        if (degrees == 0) assert_true(fabs(middle - 0.08) < 1e-3);
        for (int64_t i = 0; degrees == 0 && i < shoal_sim_count(sim); i++)
            for (int a = 0; a < 3; a++)
                assert_true(fabs((double)x[3 * i + a] - move - (a == 1 ? 0.25 : 0)) <= (a == 1 ? 0.25 : 0.12) + 1e-6);
        shoal_sim_destroy(sim);
    }
}

// What turns (0, 1, 0) about (1, 2, 3).
static void up_of(double degrees, double up[3]) {
    const double a = degrees * 3.14159265358979323846 / 180, k[3] = {1 / sqrt(14), 2 / sqrt(14), 3 / sqrt(14)};
    up[0] = k[1] * k[0] * (1 - cos(a)) - k[2] * sin(a);
    up[1] = k[1] * k[1] * (1 - cos(a)) + cos(a);
    up[2] = k[1] * k[2] * (1 - cos(a)) + k[0] * sin(a);
}

// Its centre is halfway up: walls across the grid take no more room than they have.
static void what_is_in_a_tilted_vessel_stands_no_higher(void** state) {
    (void)state;
    static const char* const materials[] = {"water", "sand"};
    for (int k = 0; k < 4; k++) {
        double up[3], gravity[3], height = 0, degrees = k % 2 == 0 ? 17 : 40, move = k % 2 == 0 ? 0 : 0.003;
        up_of(degrees, up);
        for (int a = 0; a < 3; a++) gravity[a] = -9.81 * up[a];
        shoal_sim* sim = in_a_vessel(materials[k / 2], degrees, move, gravity);
        lab_run(sim, 0.75, 1.0 / 24);
        const float* x     = lab_field(sim, "position");
        double       count = (double)shoal_sim_count(sim);
        for (int64_t i = 0; i < shoal_sim_count(sim); i++)
            for (int a = 0; a < 3; a++) height += up[a] * ((double)x[3 * i + a] - move) / count;
        truth_near(truth_case("%s in a vessel turned by %g degrees: height of its centre over half its depth",
                              materials[k / 2], degrees),
                   "flip", height / (0.08 * count / 1152), "", 1, 0.015);
        shoal_sim_destroy(sim);
    }
}

// How far the centre of a column of 0.16 x 0.24 x 0.24 m in one end of a box of 0.4 m goes along the box, all of it
// turned about (1, 2, 3).
static double way_in_box(double degrees, double friction, double spacing, double time) {
    const double a = degrees * 3.14159265358979323846 / 180, k[3] = {1 / sqrt(14), 2 / sqrt(14), 3 / sqrt(14)};
    double       up[3], along[3] = {k[0] * k[0] * (1 - cos(a)) + cos(a), k[0] * k[1] * (1 - cos(a)) + k[2] * sin(a),
                                    k[0] * k[2] * (1 - cos(a)) - k[1] * sin(a)};
    char         text[1024];
    up_of(degrees, up);
    snprintf(
        text, sizeof text,
        "solver: flip\nspacing: %g\nfps: 40\nframes: 20\ngravity: [%.9g, %.9g, %.9g]\n"
        "bodies: [{material: sand, box: {min: [-0.2, 0, -0.12], max: [-0.04, 0.24, 0.12]}, rotate: {axis: [1, 2, 3], "
        "degrees: %g}}]\n"
        "obstacles: [{friction: %g, rotate: {axis: [1, 2, 3], degrees: %g}, subtract: [{box: {min: [-0.26, -0.06, "
        "-0.18], max: [0.26, 0.5, 0.18]}}, {box: {min: [-0.2, 0, -0.12], max: [0.2, 0.6, 0.12]}}]}]\n",
        spacing, -9.81 * up[0], -9.81 * up[1], -9.81 * up[2], degrees, friction, degrees);
    shoal_sim*               sim       = lab_sim(text, (lab_setup){0});
    double                   way       = 0;
    static const char* const columns[] = {"com_x_m", "com_y_m", "com_z_m"};
    for (int c = 0; c < 3; c++) way -= along[c] * lab_stat(sim, columns[c]);
    lab_run(sim, time, 1.0 / 40);
    for (int c = 0; c < 3; c++) way += along[c] * lab_stat(sim, columns[c]);
    shoal_sim_destroy(sim);
    return way;
}

static void collapse_in_a_turned_box(double friction, double spacing, double time, double within) {
    truth_near(
        truth_case("column of sand in a box of friction %g turned by 37 degrees, %g cells high: way in %g s over "
                   "that unturned",
                   friction, 0.12 / spacing, time),
        "flip", way_in_box(37, friction, spacing, time) / way_in_box(0, friction, spacing, time), "", 1, within);
}

// (0.92 while tractions of turned floors leaked, which made up for what smooth boxes lack: 0.74.)
static void a_column_collapses_in_a_turned_box_as_in_any(void** state) {
    (void)state;
    collapse_in_a_turned_box(0.5, 0.02, 0.3, 0.2);
}

static void so_it_does_on_a_finer_grid(void** state) {
    (void)state;
    collapse_in_a_turned_box(0.5, 0.01, 0.5, 0.05);
    collapse_in_a_turned_box(0, 0.01, 0.3, 0.15);
}

int main(int argc, char** argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_bucket_of_water_loses_nothing_until_it_is_tipped),
        cmocka_unit_test(what_is_in_a_tilted_vessel_has_its_volume),
        cmocka_unit_test(what_is_in_a_tilted_vessel_stands_no_higher),
        cmocka_unit_test(a_column_collapses_in_a_turned_box_as_in_any),
        TRUTH_LONG(buckets_of_sand_lose_nothing_until_they_are_tipped),
        TRUTH_LONG(so_it_does_on_a_finer_grid),
        TRUTH_LONG(a_scoop_keeps_its_sand),
    };
    return TRUTH_RUN("flip", tests, argc, argv);
}
