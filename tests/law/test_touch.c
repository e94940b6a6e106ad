// SPDX-License-Identifier: MIT
// The hand of the caller: what it does is what the scene would have done, it is in the saved state and counted, and
// what cannot be is refused.
#include "lab.h"

#define TANK "spacing: 0.05\ndomain: {min: [0, 0, 0], max: [0.8, 0.6, 0.2]}\n"
#define WATER "bodies: [{material: water, box: {min: [0, 0, 0], max: [0.35, 0.3, 0.2]}}]\n"
#define SAND "bodies: [{material: sand, box: {min: [0, 0, 0], max: [0.35, 0.2, 0.2]}}]\n"
#define BALL "obstacles: [{name: ball, sphere: {radius: 0.1}, at: [0.6, 0.15, 0.1], movable: true}]\n"

static const char* const tanks[] = {"solver: minimal\n" TANK WATER, "solver: pbf\n" TANK WATER,
                                    "solver: sph\n" TANK WATER,     "solver: flip\n" TANK WATER,
                                    "solver: flip\n" TANK SAND,     "solver: grains\n" TANK SAND,
                                    "solver: porous\n" TANK SAND,   "solver: tetra-paper\n" TANK WATER};
enum { TANKS = sizeof tanks / sizeof tanks[0], TETRA = TANKS - 1 };

static const double frame = 1.0 / 60.0;

static shoal_sim* sim_of(const char* a, const char* b, int threads) {
    char text[2048];
    snprintf(text, sizeof text, "%s%s", a, b);
    return lab_sim(text, (lab_setup){.threads = threads});
}

// --- obstacles

static void drag(shoal_sim* sim, double x, double degrees) {
    CHECK_OK(shoal_sim_move_obstacle(
        sim, "ball", &(shoal_pose){.at = {x, 0.1, 0.1}, .axis = {0, 0, 1}, .degrees = degrees}, 2.0 * frame));
}

// Two frames as the scene says, then a ball is pushed into the water and drawn back before it has arrived; the state
// is saved in between and goes on in another simulation with another number of threads.
static void a_dragged_obstacle_is_saved_and_resumed_bit_for_bit(void** state) {
    (void)state;
    for (int k = 0; k < TANKS; k++) {
        shoal_sim *straight = sim_of(tanks[k], BALL, 2), *second = sim_of(tanks[k], BALL, 1),
                  *still = sim_of(tanks[k], BALL, 1);
        void*  bytes;
        size_t size;
        lab_run(still, 5.0 * frame, frame);
        lab_run(straight, 2.0 * frame, frame);
        drag(straight, 0.35, 40.0);
        lab_run(straight, frame, frame);
        CHECK_OK(shoal_sim_save(straight, &bytes, &size));
        for (int end = 0; end < 2; end++) {
            shoal_sim* sim = end ? second : straight;
            if (end) CHECK_OK(shoal_sim_load(sim, bytes, size));
            lab_run(sim, frame, frame);
            drag(sim, 0.5, -20.0);
            lab_run(sim, frame, frame);
        }
        assert_true(shoal_sim_hash(straight) == shoal_sim_hash(second));
        assert_true(shoal_sim_hash(straight) != shoal_sim_hash(still));
        shoal_obstacle_view a, b;
        CHECK_OK(shoal_sim_obstacle_at(straight, 0, &a));
        CHECK_OK(shoal_sim_obstacle_at(second, 0, &b));
        assert_memory_equal(&a.pose, &b.pose, sizeof a.pose);
        CHECK_NEAR(a.pose.at[0], 0.425, 1e-9); // half of the way from 0.35 to 0.5
        CHECK_NEAR(a.pose.degrees, 10.0, 1e-9);
        shoal_bytes_free(bytes, size);
        shoal_sim_destroy(still);
        shoal_sim_destroy(second);
        shoal_sim_destroy(straight);
    }
}

// The hand turns round, and the state is saved before a substep has seen it: what was made of where the solids were
// before is still that.
static void a_state_saved_after_a_touch_is_resumed_bit_for_bit(void** state) {
    (void)state;
    for (int k = 0; k < TANKS; k++) {
        shoal_sim *straight = sim_of(tanks[k], BALL, 2), *second = sim_of(tanks[k], BALL, 1);
        void*      bytes;
        size_t     size;
        drag(straight, 0.15, 40.0);
        lab_run(straight, frame, frame);
        drag(straight, 0.5, -20.0);
        CHECK_OK(shoal_sim_save(straight, &bytes, &size));
        CHECK_OK(shoal_sim_load(second, bytes, size));
        for (int end = 0; end < 2; end++) lab_run(end ? second : straight, 2.0 * frame, frame);
        if (shoal_sim_hash(straight) != shoal_sim_hash(second)) fail_msg("not the same: %s", tanks[k]);
        shoal_bytes_free(bytes, size);
        shoal_sim_destroy(second);
        shoal_sim_destroy(straight);
    }
}

// Two stretches of motion: in the scene, and by the caller.
static void an_obstacle_by_the_caller_goes_as_one_of_the_scene(void** state) {
    (void)state;
    static const char motion[] =
        "obstacles: [{name: ball, sphere: {radius: 0.1}, motion: [{t: 0, at: [0.6, 0.15, 0.1]},"
        " {t: 0.1, at: [0.3, 0.1, 0.1]}, {t: 0.2, at: [0.5, 0.1, 0.1]}]}]\n";
    shoal_sim *scene = sim_of(tanks[0], motion, 1), *caller = sim_of(tanks[0], BALL, 1);
    CHECK_OK(shoal_sim_move_obstacle(caller, "ball", &(shoal_pose){.at = {0.3, 0.1, 0.1}}, 0.1));
    lab_run(scene, 0.1, 0.1 / 8);
    lab_run(caller, 0.1, 0.1 / 8);
    CHECK_OK(shoal_sim_move_obstacle(caller, "ball", &(shoal_pose){.at = {0.5, 0.1, 0.1}}, 0.1));
    lab_run(scene, 0.15, 0.1 / 8);
    lab_run(caller, 0.15, 0.1 / 8);
    shoal_field_view a, b;
    CHECK_OK(shoal_sim_field(scene, "position", &a));
    CHECK_OK(shoal_sim_field(caller, "position", &b));
    assert_int_equal(a.count, b.count);
    for (int64_t i = 0; i < 3 * a.count; i++)
        CHECK_NEAR((double)((const float*)b.data)[i], (double)((const float*)a.data)[i], 1e-5);
    shoal_sim_destroy(scene);
    shoal_sim_destroy(caller);
}

static void a_turn_goes_the_shorter_way_round(void** state) {
    (void)state;
    shoal_sim* sim = sim_of(tanks[0], BALL, 1);
    double     far = 0.0;
    for (int k = 0; k < 12; k++) { // twice round in steps of 60 degrees, never far from where it was
        shoal_pose to = {.at = {0.6, 0.3, 0.1}, .axis = {0, 0, -2}, .degrees = 60.0 * (k + 1)};
        CHECK_OK(shoal_sim_move_obstacle(sim, "ball", &to, frame));
        for (int half = 0; half < 2; half++) {
            CHECK_OK(shoal_sim_advance(sim, 0.5 * frame));
            shoal_obstacle_view now;
            CHECK_OK(shoal_sim_obstacle_at(sim, 0, &now));
            double wanted = -(60.0 * k + 30.0 * (half + 1)), is = now.pose.degrees * now.pose.axis[2];
            far = fmax(far, fabs(remainder(is - wanted, 360.0)));
        }
    }
    CHECK_BELOW(far, 1e-9);
    shoal_sim_destroy(sim);
}

// A quarter of a metre within a frame, in steps of at most half a spacing.
static void a_hasty_hand_shortens_the_substeps(void** state) {
    (void)state;
    shoal_sim* sim = sim_of(tanks[0], "minimal: {substeps: 1}\n" BALL, 1);
    CHECK_OK(shoal_sim_advance(sim, frame));
    assert_int_equal(shoal_sim_interval_steps(sim), 1);
    CHECK_OK(shoal_sim_move_obstacle(sim, "ball", &(shoal_pose){.at = {0.35, 0.15, 0.1}}, frame));
    CHECK_OK(shoal_sim_advance(sim, frame));
    assert_int_equal(shoal_sim_interval_steps(sim), 10);
    CHECK_OK(shoal_sim_advance(sim, frame)); // it has arrived
    assert_int_equal(shoal_sim_interval_steps(sim), 1);
    shoal_sim_destroy(sim);
}

// To and fro through water at 24 m/s: what it throws about is no explosion.
static void a_wild_hand_is_not_stopped_by_the_watch(void** state) {
    (void)state;
    shoal_sim* sim = sim_of(tanks[1], BALL, 2);
    for (int k = 0; k < 6; k++) {
        CHECK_OK(shoal_sim_move_obstacle(sim, "ball", &(shoal_pose){.at = {k % 2 ? 0.6 : 0.2, 0.12, 0.1}}, frame));
        CHECK_OK(shoal_sim_advance(sim, frame));
    }
    shoal_sim_destroy(sim);
}

// --- forces and gravity

// Ever stronger and the other way round: what it throws about is no explosion.
static void a_shaken_tank_is_not_stopped_by_the_watch(void** state) {
    (void)state;
    shoal_sim* sim = sim_of(tanks[1], "", 2);
    double     g   = -9.81;
    for (int k = 0; k < 8; k++) {
        CHECK_OK(shoal_sim_set_gravity(sim, (double[]){0.0, g *= -1.8, 0.0}));
        lab_run(sim, 6.0 * frame, frame);
    }
    shoal_sim_destroy(sim);
}

static int  asked;
static void blow(const shoal_push* push, void* user) {
    asked++;
    const float* a = user;
    for (int64_t i = 0; i < push->count; i++)
        for (int axis = 0; axis < 3; axis++) push->acceleration[3 * i + axis] += a[axis];
}

// The same bits where only velocities depend on it. pbf smooths by the fastest speed that the scene's own forces can
// give, and grains take those within substeps of their own: near. (Their springs, too, are made for the scene's.)
static void a_force_by_the_caller_is_that_of_the_scene(void** state) {
    (void)state;
    static const struct {
        const char *scene, *steps;
        double      tolerance; // m
    } cases[]     = {{"solver: minimal\n" TANK WATER, "minimal: {substeps: 4}\n", 0.0},
                     {"solver: pbf\n" TANK WATER, "pbf: {substeps: 4, xsph: 0}\n", 1e-4},
                     {"solver: flip\n" TANK WATER, "flip: {substeps: 4}\n", 0.0},
                     {"solver: flip\n" TANK SAND, "flip: {substeps: 4}\n", 0.0},
                     {"solver: porous\n" TANK SAND, "porous: {substeps: 8}\n", 0.0},
                     {"solver: grains\n" TANK SAND, "grains: {stiffness: 2e4}\n", 6e-4}};
    float push[3] = {3.0f, 0.5f, -0.25f};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        char forces[256];
        snprintf(forces, sizeof forces, "%sforces: [{acceleration: [3, 0.5, -0.25]}]\n", cases[k].steps);
        shoal_sim *scene = sim_of(cases[k].scene, forces, 2), *caller = sim_of(cases[k].scene, cases[k].steps, 1),
                  *free = sim_of(cases[k].scene, cases[k].steps, 1);
        CHECK_OK(shoal_sim_set_force(caller, blow, push));
        asked = 0;
        lab_run(scene, 6.0 * frame, frame);
        lab_run(caller, 6.0 * frame, frame);
        lab_run(free, 6.0 * frame, frame);
        assert_int_equal(asked, shoal_sim_steps(caller)); // once in a substep
        double worst = 0.0, moved = 0.0;
        for (int axis = 0; axis < 3; axis++) {
            static const char* const com[] = {"com_x_m", "com_y_m", "com_z_m"};
            worst = fmax(worst, fabs(lab_stat(caller, com[axis]) - lab_stat(scene, com[axis])));
            moved = fmax(moved, fabs(lab_stat(caller, com[axis]) - lab_stat(free, com[axis])));
        }
        printf("%zu: off by %.3g m, moved by %.3g m\n", k, worst, moved);
        assert_true(moved > 2e-3);
        assert_true(worst <= cases[k].tolerance);
        shoal_field_view a, b;
        CHECK_OK(shoal_sim_field(scene, "position", &a));
        CHECK_OK(shoal_sim_field(caller, "position", &b));
        if (cases[k].tolerance == 0.0) assert_memory_equal(a.data, b.data, (size_t)a.count * 3 * sizeof(float));
        shoal_sim_destroy(free);
        shoal_sim_destroy(caller);
        shoal_sim_destroy(scene);
    }
}

static void spoil(const shoal_push* push, void* user) {
    (void)user;
    push->acceleration[4] = NAN;
}

static void a_force_that_is_no_number_is_refused_and_nothing_has_changed(void** state) {
    (void)state;
    shoal_sim* sim = sim_of(tanks[1], "", 2);
    lab_run(sim, 2.0 * frame, frame);
    uint64_t before = shoal_sim_hash(sim);
    CHECK_OK(shoal_sim_set_force(sim, spoil, NULL));
    assert_int_equal(shoal_sim_advance(sim, frame), SHOAL_ERR_PARAM);
    assert_non_null(strstr(shoal_last_error(), "force of the caller"));
    CHECK_OK(shoal_sim_set_force(sim, NULL, NULL));
    CHECK_OK(shoal_sim_advance(sim, frame));
    shoal_sim* other = sim_of(tanks[1], "", 1);
    lab_run(other, 2.0 * frame, frame);
    assert_true(before == shoal_sim_hash(other));
    lab_run(other, frame, frame);
    assert_true(shoal_sim_hash(sim) == shoal_sim_hash(other));
    shoal_sim_destroy(other);
    shoal_sim_destroy(sim);
}

// Fallen for 0.1 s without gravity and then with it sideways; after a load as before it.
static void gravity_changes_at_the_next_substep_and_is_saved(void** state) {
    (void)state;
    static const char* const drops[] = {"solver: minimal\n", "solver: pbf\n",    "solver: sph\n",
                                        "solver: flip\n",    "solver: grains\n", "solver: tetra-paper\n"};
    static const char        rest[] =
        "spacing: 0.05\ngravity: [0, 0, 0]\nbodies: [{material: MM, box: {min: [0, 0, 0], max: [0.2, 0.2, 0.2]}}]\n"
        "domain: {min: [-2, -2, -2], max: [2, 2, 2], walls: {left: open, right: open, bottom: open, top: open, back: "
        "open, front: open}}\n";
    for (size_t k = 0; k < sizeof drops / sizeof drops[0]; k++) {
        char text[512];
        snprintf(text, sizeof text, "%s%s", drops[k], rest);
        char* mm = strstr(text, "MM");
        memcpy(mm, "  ", 2);
        char whole[600];
        snprintf(whole, sizeof whole, "%.*s%s%s", (int)(mm - text), text, k == 4 ? "sand" : "water", mm + 2);
        shoal_sim *sim = lab_sim(whole, (lab_setup){0}), *other = lab_sim(whole, (lab_setup){.threads = 1});
        lab_run(sim, 0.1, 0.01);
        CHECK_OK(shoal_sim_set_gravity(sim, (double[]){3.0, 0.0, -1.0}));
        void*  bytes;
        size_t size;
        double x = lab_stat(sim, "com_x_m"), z = lab_stat(sim, "com_z_m");
        CHECK_OK(shoal_sim_save(sim, &bytes, &size));
        CHECK_OK(shoal_sim_load(other, bytes, size));
        shoal_bytes_free(bytes, size);
        lab_run(sim, 0.2, 0.01);
        lab_run(other, 0.2, 0.01);
        double g[3];
        shoal_sim_gravity(other, g);
        CHECK_NEAR(g[0], 3.0, 0.0);
        // the middle of a hundred tetrahedra, made anew in every step, moves by a tenth of a spacing by itself
        double mesh = k == 5 ? 0.1 * 0.05 : 0.0;
        CHECK_NEAR(lab_stat(sim, "com_x_m") - x, 0.5 * 3.0 * 0.04, 0.06 * 0.06 + mesh);
        CHECK_NEAR(lab_stat(sim, "com_z_m") - z, -0.5 * 0.04, 0.02 * 0.06 + mesh);
        assert_true(shoal_sim_hash(sim) == shoal_sim_hash(other));
        shoal_sim_destroy(other);
        shoal_sim_destroy(sim);
    }
}

// --- particles

static void particles_come_and_go_and_the_run_resumes_bit_for_bit(void** state) {
    (void)state;
    for (int k = 0; k < TETRA; k++) {
        const char* material = strstr(tanks[k], "material: sand") ? "sand" : "water";
        shoal_sim * sim = sim_of(tanks[k], BALL, 2), *other = sim_of(tanks[k], BALL, 1);
        lab_run(sim, frame, frame);
        int64_t     before   = shoal_sim_count(sim), placed, removed;
        const float at[]     = {0.6f,  0.45f, 0.1f, 0.66f, 0.45f, 0.1f,
                                0.61f, 0.45f, 0.1f,                      // the last is too near to the first
                                0.6f,  0.15f, 0.1f, -0.1f, 0.3f,  0.1f}; // in the ball, outside
        float       down[15] = {0};
        for (int i = 0; i < 5; i++) down[3 * i + 1] = -1.0f;
        CHECK_OK(shoal_sim_emit(sim, material, 5, at, down, &placed));
        assert_int_equal(placed, 2);
        assert_int_equal(shoal_sim_count(sim), before + 2);
        CHECK_OK(
            shoal_sim_remove(sim, &(shoal_region){.centre = {0.0, 0.0, 0.1}, .size = {0.2, 0.2, 1.0}}, NULL, &removed));
        assert_true(removed > 0);
        assert_int_equal(shoal_sim_count(sim), before + 2 - removed);
        void*  bytes;
        size_t size;
        CHECK_OK(shoal_sim_save(sim, &bytes, &size));
        CHECK_OK(shoal_sim_load(other, bytes, size));
        shoal_bytes_free(bytes, size);
        lab_run(sim, 4.0 * frame, frame);
        lab_run(other, 4.0 * frame, frame);
        assert_int_equal(shoal_sim_count(sim), before + 2 - removed);
        assert_true(shoal_sim_hash(sim) == shoal_sim_hash(other));
        CHECK_OK(shoal_sim_remove(sim, &(shoal_region){.centre = {0.4, 0.3, 0.1}, .radius = 2.0}, material, &removed));
        assert_int_equal(removed, before + 2 - (before + 2 - shoal_sim_count(sim) - removed));
        assert_int_equal(shoal_sim_count(sim), 0);
        const char* names[16];
        int64_t     counts[16];
        int         count = shoal_sim_touches(sim, names, counts, 16), seen = 0;
        for (int t = 0; t < count; t++) {
            if (strcmp(names[t], "emit") == 0) assert_int_equal(counts[t], 2), seen++;
            if (strcmp(names[t], "remove") == 0) assert_int_equal(counts[t], before + 2), seen++;
            if (strcmp(names[t], "set_force") == 0) assert_int_equal(counts[t], 0), seen++;
        }
        assert_int_equal(seen, 3);
        shoal_sim_destroy(other);
        shoal_sim_destroy(sim);
    }
}

// One that was only listed decides nothing until it is poured, and from then on as if the scene had some of it, in a
// state that is resumed, too, though all of it is gone by then.
static void a_material_that_is_poured_counts_from_then_on(void** state) {
    (void)state;
    static const char* const light = "materials: {water: {preset: water}, light: {density: 300, viscosity: 0.001}}\n";
    for (int k = 1; k < 3; k++) { // pbf and sph
        shoal_sim *sim = sim_of(tanks[k], light, 2), *other = sim_of(tanks[k], light, 1),
                  *dry = sim_of(tanks[k], light, 1), *plain = sim_of(tanks[k], "", 1);
        int64_t     placed, removed;
        const float at[] = {0.6f, 0.45f, 0.1f};
        lab_run(sim, frame, frame);
        CHECK_OK(shoal_sim_emit(sim, "light", 1, at, NULL, &placed));
        assert_int_equal(placed, 1);
        CHECK_OK(shoal_sim_remove(sim, &(shoal_region){.centre = {0.4, 0.3, 0.1}, .radius = 2.0}, "light", &removed));
        assert_int_equal(removed, 1);
        void*  bytes;
        size_t size;
        CHECK_OK(shoal_sim_save(sim, &bytes, &size));
        CHECK_OK(shoal_sim_load(other, bytes, size));
        shoal_bytes_free(bytes, size);
        lab_run(sim, 4.0 * frame, frame);
        lab_run(other, 4.0 * frame, frame);
        lab_run(dry, 5.0 * frame, frame);
        lab_run(plain, 5.0 * frame, frame);
        assert_true(shoal_sim_hash(sim) == shoal_sim_hash(other));
        double poured = lab_stat(sim, "kinetic_j"), listed = lab_stat(dry, "kinetic_j");
        assert_true(lab_stat(plain, "kinetic_j") == listed);
        printf("%.17g J with a light liquid poured, %.17g J with one listed\n", poured, listed);
        if (k == 2) assert_true(poured != listed); // liquids of unlike density begin without a pressure
        shoal_sim_destroy(plain);
        shoal_sim_destroy(dry);
        shoal_sim_destroy(other);
        shoal_sim_destroy(sim);
    }
}

// --- a view that stays

static void a_held_field_stays_whatever_the_simulation_does(void** state) {
    (void)state;
    shoal_sim*       sim = sim_of(tanks[1], "", 2);
    shoal_field_view held, now;
    lab_run(sim, frame, frame);
    CHECK_OK(shoal_sim_field_hold(sim, "position", &held));
    CHECK_OK(shoal_sim_field(sim, "position", &now));
    assert_memory_equal(held.data, now.data, (size_t)held.count * 3 * sizeof(float));
    double sum = 0.0, later = 0.0;
    for (int64_t i = 0; i < 3 * held.count; i++) sum += (double)((const float*)held.data)[i];
    CHECK_OK(shoal_sim_remove(sim, &(shoal_region){.centre = {0.4, 0.3, 0.1}, .radius = 0.3}, NULL, NULL));
    lab_run(sim, 5.0 * frame, frame);
    for (int64_t i = 0; i < 3 * held.count; i++) later += (double)((const float*)held.data)[i];
    assert_true(sum == later);
    size_t with = shoal_memory_in_use();
    shoal_sim_field_release(&held);
    shoal_sim_field_release(&held);
    assert_true(shoal_memory_in_use() < with);
    assert_int_equal(shoal_sim_field_hold(sim, "colour", &held), SHOAL_ERR_PARAM);
    shoal_sim_destroy(sim);
}

// --- what cannot be

static void what_cannot_be_is_refused_by_a_sentence(void** state) {
    (void)state;
    shoal_sim *sim  = sim_of(tanks[1], "obstacles: [{name: rock, sphere: {radius: 0.1}, at: [0.6, 0.1, 0.1]}]\n", 1),
              *mesh = sim_of(tanks[TETRA], "", 1), *laid = sim_of(tanks[3], "", 1);
    shoal_pose to     = {.at = {0.5, 0.1, 0.1}};
    float      at[3]  = {0.6f, 0.4f, 0.1f};
    float      bad[3] = {0.6f, NAN, 0.1f};
    assert_int_equal(shoal_sim_move_obstacle(sim, "rock", &to, 0.1), SHOAL_ERR_PARAM);
    assert_non_null(strstr(shoal_last_error(), "movable: true"));
    assert_int_equal(shoal_sim_move_obstacle(sim, "stone", &to, 0.1), SHOAL_ERR_PARAM);
    assert_int_equal(shoal_sim_emit(sim, "mud", 1, at, NULL, NULL), SHOAL_ERR_PARAM);
    assert_int_equal(shoal_sim_emit(sim, "water", 1, bad, NULL, NULL), SHOAL_ERR_PARAM);
    assert_int_equal(shoal_sim_emit(mesh, "water", 1, at, NULL, NULL), SHOAL_ERR_PARAM);
    assert_int_equal(shoal_sim_set_force(mesh, blow, NULL), SHOAL_ERR_PARAM);
    assert_int_equal(shoal_sim_set_gravity(sim, (double[]){0, (double)NAN, 0}), SHOAL_ERR_PARAM);
    assert_int_equal(shoal_sim_remove(sim, &(shoal_region){.radius = -1.0}, NULL, NULL), SHOAL_ERR_PARAM);
    assert_int_equal(shoal_sim_set_param(laid, "seeding", 2.0), SHOAL_ERR_PARAM);
    assert_non_null(strstr(shoal_last_error(), "cannot change while it runs"));
    shoal_sim_destroy(laid);
    shoal_sim_destroy(mesh);
    shoal_sim_destroy(sim);

    sim = sim_of(tanks[1], BALL, 1);
    assert_int_equal(shoal_sim_move_obstacle(sim, "ball", &to, 0.0), SHOAL_ERR_PARAM);
    assert_int_equal(shoal_sim_move_obstacle(sim, "ball", &(shoal_pose){.at = {(double)INFINITY, 0, 0}}, 1.0),
                     SHOAL_ERR_PARAM);
    assert_int_equal(shoal_sim_move_obstacle(sim, "ball", &(shoal_pose){.degrees = 5.0}, 1.0), SHOAL_ERR_PARAM);
    shoal_sim_destroy(sim);
}

// Poured for a second into a sealed box that has room for half of it.
// Motions without end, also by time that the clock cannot tell apart: neither a hang nor a state that cannot be loaded.
static void a_hand_that_nothing_could_follow_is_refused(void** state) {
    (void)state;
    shoal_sim*       sim  = sim_of(tanks[1], BALL, 1);
    const shoal_pose away = {.at = {1e300, 0.1, 0.1}}, there = {.at = {0.4, 0.2, 0.1}};
    lab_run(sim, frame, frame);
    uint64_t before = shoal_sim_hash(sim);
    assert_int_equal(shoal_sim_move_obstacle(sim, "ball", &away, frame), SHOAL_ERR_PARAM);
    assert_int_equal(shoal_sim_move_obstacle(sim, "ball", &there, 1e-320), SHOAL_ERR_PARAM);
    assert_int_equal(shoal_sim_move_obstacle(sim, "ball", &there, 1e-20), SHOAL_ERR_PARAM);
    assert_non_null(strstr(shoal_last_error(), "cannot go there"));
    assert_int_equal(shoal_sim_emit(sim, "water", 1, NULL, NULL, NULL), SHOAL_ERR_PARAM);
    assert_true(shoal_sim_hash(sim) == before);
    lab_run(sim, frame, frame);
    shoal_sim_destroy(sim);
}

// Places that are one across a periodic wall, or nearer than 0.9 spacings through it, take one particle.
static void particles_keep_apart_across_periodic_walls(void** state) {
    (void)state;
    shoal_sim* sim =
        sim_of("solver: pbf\nspacing: 0.05\ndomain: {max: [0.8, 0.6, 0.2], walls: {left: periodic, right: periodic}}\n",
               WATER, 1);
    const float at[] = {0.01f, 0.5f, 0.1f, 0.79f, 0.5f, 0.1f, 0.81f, 0.5f, 0.1f, 2.01f, 0.5f, 0.1f};
    int64_t     placed;
    CHECK_OK(shoal_sim_emit(sim, "water", 4, at, NULL, &placed));
    assert_int_equal(placed, 2); // the first, and 2.01, which is at 0.41
    shoal_sim_destroy(sim);
}

static void a_sealed_box_takes_no_more_than_it_holds(void** state) {
    (void)state;
    shoal_sim* sim = lab_sim("solver: minimal\nspacing: 0.1\ndomain: {min: [0, 0, 0], max: [0.5, 0.5, 0.5]}\n"
                             "bodies: [{material: water, box: {min: [0, 0, 0], max: [0.5, 0.2, 0.5]}}]\n",
                             (lab_setup){.threads = 1});
    for (int k = 0; k < 60; k++) {
        float at[25][3];
        for (int i = 0; i < 25; i++)
            at[i][0] = 0.05f + 0.1f * (float)(i % 5), at[i][1] = 0.45f, at[i][2] = 0.05f + 0.1f * (float)(i / 5);
        CHECK_OK(shoal_sim_emit(sim, "water", 25, at[0], NULL, NULL));
        CHECK_OK(shoal_sim_advance(sim, frame));
    }
    assert_in_range(shoal_sim_count(sim), 100, 125);
    shoal_sim_destroy(sim);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_dragged_obstacle_is_saved_and_resumed_bit_for_bit),
        cmocka_unit_test(a_state_saved_after_a_touch_is_resumed_bit_for_bit),
        cmocka_unit_test(an_obstacle_by_the_caller_goes_as_one_of_the_scene),
        cmocka_unit_test(a_turn_goes_the_shorter_way_round),
        cmocka_unit_test(a_hasty_hand_shortens_the_substeps),
        cmocka_unit_test(a_wild_hand_is_not_stopped_by_the_watch),
        cmocka_unit_test(a_shaken_tank_is_not_stopped_by_the_watch),
        cmocka_unit_test(a_force_by_the_caller_is_that_of_the_scene),
        cmocka_unit_test(a_force_that_is_no_number_is_refused_and_nothing_has_changed),
        cmocka_unit_test(gravity_changes_at_the_next_substep_and_is_saved),
        cmocka_unit_test(particles_come_and_go_and_the_run_resumes_bit_for_bit),
        cmocka_unit_test(a_material_that_is_poured_counts_from_then_on),
        cmocka_unit_test(a_held_field_stays_whatever_the_simulation_does),
        cmocka_unit_test(what_cannot_be_is_refused_by_a_sentence),
        cmocka_unit_test(a_hand_that_nothing_could_follow_is_refused),
        cmocka_unit_test(particles_keep_apart_across_periodic_walls),
        cmocka_unit_test(a_sealed_box_takes_no_more_than_it_holds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
