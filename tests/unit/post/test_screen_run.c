// SPDX-License-Identifier: MIT
// Pictures in real time: the same bytes for any number of threads and beside a simulation that goes on, of a run on
// disk as of the simulation, what is under a pixel, and memory that does not grow.
#include "lab.h"

#include "scratch.h"
#include "shoal/screen.h"
#include "shoal/surface.h"

#include <pthread.h>

enum { WIDTH = 160, HEIGHT = 90, BYTES = 3 * WIDTH * HEIGHT };

static const char tank[] = "name: tank\nframes: 4\nfps: 60\nspacing: 0.05\nsolver: flip\n"
                           "materials: {water: {preset: water}, sand: {preset: sand}}\n"
                           "domain: {min: [0, 0, 0], max: [1, 0.8, 0.4]}\n"
                           "bodies:\n"
                           "  - {material: water, box: {min: [0, 0, 0], max: [0.4, 0.5, 0.4]}}\n"
                           "  - {material: sand, box: {min: [0.6, 0, 0], max: [1, 0.2, 0.4]}}\n"
                           "obstacles: [{name: ball, sphere: {radius: 0.1}, at: [0.5, 0.6, 0.2], movable: true}]\n";

static shoal_scene* scene_of(const char* text) {
    shoal_scene* scene = NULL;
    CHECK_OK(shoal_scene_parse(text, strlen(text), "tank.yaml", &scene));
    CHECK_OK(shoal_scene_check(scene));
    return scene;
}

// A screen and a simulation of the tank.
static shoal_screen* screen_of(int threads, const char* draw, shoal_sim** sim) {
    shoal_scene*     scene = scene_of(tank);
    shoal_screen*    screen;
    shoal_screen_def def  = shoal_screen_def_default();
    shoal_sim_def    made = shoal_sim_def_default();
    def.threads = made.threads = threads;
    CHECK_OK(shoal_screen_create(&def, scene, &screen));
    CHECK_OK(shoal_sim_create(&made, scene, sim));
    CHECK_OK(shoal_screen_set_draw(screen, draw));
    shoal_scene_destroy(scene);
    return screen;
}

static void draw(shoal_screen* screen, uint8_t* pixels) {
    shoal_eye eye = shoal_screen_eye(screen, (double)WIDTH / HEIGHT);
    CHECK_OK(shoal_screen_draw(screen, &eye, WIDTH, HEIGHT, pixels));
}

static void pictures_have_the_same_bytes_for_any_number_of_threads(void** state) {
    (void)state;
    static const char* const ways[] = {"spheres", "ellipsoids", "surface"};
    static uint8_t           first[3][BYTES], other[BYTES];
    for (int way = 0; way < 3; way++)
        for (int threads = 1; threads <= 3; threads++) {
            shoal_sim*    sim;
            shoal_screen* screen = screen_of(threads, ways[way], &sim);
            lab_run(sim, 4.0 / 60.0, 1.0 / 60.0);
            CHECK_OK(shoal_screen_take(screen, sim));
            draw(screen, threads == 1 ? first[way] : other);
            if (threads > 1) assert_memory_equal(first[way], other, BYTES);
            shoal_screen_destroy(screen);
            shoal_sim_destroy(sim);
        }
    assert_memory_not_equal(first[0], first[1], BYTES);
    assert_memory_not_equal(first[1], first[2], BYTES);
}

static void* advance(void* sim) {
    lab_run(sim, 6.0 / 60.0, 1.0 / 60.0);
    return NULL;
}

// Two clients of the threads: the simulation goes on while its earlier state is drawn, again and again.
static void a_picture_beside_a_simulation_changes_neither(void** state) {
    (void)state;
    static uint8_t alone[BYTES], beside[BYTES];
    shoal_sim *    sim, *straight;
    shoal_screen * screen = screen_of(2, "surface", &sim), *second = screen_of(2, "surface", &straight);
    CHECK_OK(shoal_screen_take(screen, sim));
    draw(screen, alone);
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, advance, sim), 0);
    for (int k = 0; k < 10; k++) {
        memset(beside, 0, BYTES);
        draw(screen, beside);
        assert_memory_equal(alone, beside, BYTES);
    }
    pthread_join(thread, NULL);
    advance(straight);
    assert_true(shoal_sim_hash(sim) == shoal_sim_hash(straight));
    shoal_screen_destroy(second);
    shoal_screen_destroy(screen);
    shoal_sim_destroy(straight);
    shoal_sim_destroy(sim);
}

// What was drawn is drawn again from another place, while something newer waits to be made into splats.
static void an_eye_that_moves_sees_the_last_picture_until_the_next_is_made(void** state) {
    (void)state;
    static uint8_t first[BYTES], again[BYTES], moved[BYTES], next[BYTES];
    shoal_sim*     sim;
    shoal_screen*  screen = screen_of(2, "surface", &sim);
    CHECK_OK(shoal_screen_take(screen, sim));
    draw(screen, first);
    lab_run(sim, 4.0 / 60.0, 1.0 / 60.0);
    CHECK_OK(shoal_screen_take(screen, sim));
    shoal_eye eye = shoal_screen_eye(screen, (double)WIDTH / HEIGHT), aside = eye;
    aside.from[0] += 0.1;
    CHECK_OK(shoal_screen_redraw(screen, &aside, WIDTH, HEIGHT, moved));
    CHECK_OK(shoal_screen_redraw(screen, &eye, WIDTH, HEIGHT, again));
    assert_memory_equal(first, again, BYTES);
    assert_memory_not_equal(first, moved, BYTES);
    CHECK_OK(shoal_screen_draw(screen, &eye, WIDTH, HEIGHT, next));
    assert_memory_not_equal(first, next, BYTES);
    CHECK_OK(shoal_screen_redraw(screen, &eye, WIDTH, HEIGHT, again));
    assert_memory_equal(next, again, BYTES);
    // without a picture to be drawn again the first is made
    shoal_sim*    other_sim;
    shoal_screen* other = screen_of(2, "surface", &other_sim);
    assert_int_equal(shoal_screen_redraw(other, &eye, WIDTH, HEIGHT, again), SHOAL_ERR_PARAM);
    CHECK_OK(shoal_screen_take(other, sim));
    CHECK_OK(shoal_screen_redraw(other, &eye, WIDTH, HEIGHT, again));
    assert_memory_equal(next, again, BYTES);
    assert_int_equal(shoal_screen_draw(other, &eye, WIDTH, HEIGHT, NULL), SHOAL_ERR_PARAM);
    assert_non_null(strstr(shoal_last_error(), "without memory"));
    shoal_screen_destroy(other);
    shoal_screen_destroy(screen);
    shoal_sim_destroy(other_sim);
    shoal_sim_destroy(sim);
}

static void a_run_on_disk_is_seen_as_its_simulation(void** state) {
    (void)state;
    static uint8_t live[BYTES], disk[BYTES];
    char           folder[256];
    shoal_sim*     sim;
    shoal_screen * screen = screen_of(2, "spheres", &sim), *other;
    shoal_scene*   scene  = scene_of(tank);
    shoal_run_def  run    = shoal_run_def_default();
    run.folder            = strcpy(folder, scratch_path("seen"));
    CHECK_OK(shoal_run(&run, scene, "tank.yaml"));
    shoal_scene_destroy(scene);
    shoal_screen_def def = shoal_screen_def_default();
    CHECK_OK(shoal_screen_open(&def, folder, &other));
    assert_string_equal(shoal_screen_drawn_as(other), "surface"); // nobody said how
    CHECK_OK(shoal_screen_set_draw(other, "spheres"));
    assert_int_equal(shoal_screen_frame_count(other), 5);
    for (int k = 0; k < 5; k += 2) {
        if (k > 0) lab_run(sim, 2.0 / 60.0, 1.0 / 60.0);
        CHECK_OK(shoal_screen_take(screen, sim));
        CHECK_OK(shoal_screen_load(other, k));
        draw(screen, live);
        draw(other, disk);
        assert_memory_equal(live, disk, BYTES);
    }
    CHECK_NEAR(shoal_screen_time(other), 4.0 / 60.0, 1e-9);
    assert_int_equal(shoal_screen_load(other, 5), SHOAL_ERR_PARAM);
    assert_int_equal(shoal_screen_take(other, sim), SHOAL_ERR_PARAM);
    // frames that come and go are found when it looks again; a run that is gone leaves those it knew
    char path[300], away[300];
    snprintf(path, sizeof path, "%s/frames/tank_000003.vtp", folder);
    assert_int_equal(remove(path), 0);
    assert_int_equal(shoal_screen_frame_number(other, 3), 3);
    CHECK_OK(shoal_screen_refresh(other));
    assert_int_equal(shoal_screen_frame_count(other), 4);
    assert_int_equal(shoal_screen_frame_number(other, 3), 4);
    assert_int_equal(shoal_screen_frame_number(other, 4), -1);
    assert_int_equal(shoal_screen_set_meshes(other, true), SHOAL_ERR_INPUT); // of the one that is still shown
    assert_non_null(strstr(shoal_last_error(), "frame 4 has no mesh"));
    CHECK_OK(shoal_screen_load(other, 3));
    draw(other, disk);
    assert_memory_equal(live, disk, BYTES);
    snprintf(away, sizeof away, "%s/away", folder);
    snprintf(path, sizeof path, "%s/frames", folder);
    assert_int_equal(rename(path, away), 0);
    assert_int_not_equal(shoal_screen_refresh(other), SHOAL_OK);
    assert_int_equal(shoal_screen_frame_count(other), 4);
    assert_int_equal(shoal_screen_refresh(screen), SHOAL_ERR_PARAM);
    shoal_screen_destroy(other);
    shoal_screen_destroy(screen);
    shoal_sim_destroy(sim);
}

// A run is seen by the meshes that were made of it, in place of particles, and painted by them no more.
static void a_run_is_seen_by_its_meshes(void** state) {
    (void)state;
    static uint8_t plain[BYTES], meshed[BYTES], again[BYTES];
    char           folder[256];
    shoal_scene*   scene = scene_of(tank);
    shoal_screen*  screen;
    shoal_run_def  run = shoal_run_def_default();
    run.folder         = strcpy(folder, scratch_path("meshed"));
    run.last           = 1;
    CHECK_OK(shoal_run(&run, scene, "tank.yaml"));
    shoal_scene_destroy(scene);
    shoal_screen_def def = shoal_screen_def_default();
    CHECK_OK(shoal_screen_open(&def, folder, &screen));
    assert_int_equal(shoal_screen_set_meshes(screen, true), SHOAL_ERR_PARAM); // nothing was loaded
    CHECK_OK(shoal_screen_load(screen, 1));
    draw(screen, plain);
    assert_int_equal(shoal_screen_set_meshes(screen, true), SHOAL_ERR_INPUT);
    assert_non_null(strstr(shoal_last_error(), "shoal surface makes them"));
    draw(screen, again);
    assert_memory_equal(plain, again, BYTES);
    shoal_surface_def surface = shoal_surface_def_default();
    CHECK_OK(shoal_surface_run(&surface, folder));
    CHECK_OK(shoal_screen_set_meshes(screen, true));
    draw(screen, meshed);
    assert_memory_not_equal(plain, meshed, BYTES);
    CHECK_OK(shoal_screen_set_draw(screen, "spheres")); // of no particles
    draw(screen, again);
    assert_memory_equal(meshed, again, BYTES);
    CHECK_OK(shoal_screen_set_draw(screen, "surface"));
    CHECK_OK(shoal_screen_load(screen, 0)); // the next has its own
    draw(screen, again);
    assert_memory_not_equal(meshed, again, BYTES);
    CHECK_OK(shoal_screen_set_meshes(screen, false));
    CHECK_OK(shoal_screen_load(screen, 1));
    draw(screen, again);
    assert_memory_equal(plain, again, BYTES);
    shoal_screen_destroy(screen);
}

// Where a place is in the picture.
static void pixel_of(const shoal_eye* eye, const double at[3], int* x, int* y) {
    double f[3], r[3], u[3], d[3], length = 0.0;
    for (int k = 0; k < 3; k++) f[k] = eye->at[k] - eye->from[k], d[k] = at[k] - eye->from[k];
    for (int k = 0; k < 3; k++) length += f[k] * f[k];
    for (int k = 0; k < 3; k++) f[k] /= sqrt(length);
    r[0] = -f[2], r[1] = 0.0, r[2] = f[0];
    length = hypot(r[0], r[2]);
    r[0] /= length, r[2] /= length;
    u[0] = r[1] * f[2] - r[2] * f[1], u[1] = r[2] * f[0] - r[0] * f[2], u[2] = r[0] * f[1] - r[1] * f[0];
    double z = d[0] * f[0] + d[1] * f[1] + d[2] * f[2], along = tan(0.5 * eye->fov * 3.14159265358979 / 180.0);
    double px = (d[0] * r[0] + d[1] * r[1] + d[2] * r[2]) / z, py = (d[0] * u[0] + d[1] * u[1] + d[2] * u[2]) / z;
    *x = (int)floor((px / (along * WIDTH / HEIGHT) + 1.0) * 0.5 * WIDTH);
    *y = (int)floor((1.0 - py / along) * 0.5 * HEIGHT);
}

static void what_is_under_a_pixel_is_reported(void** state) {
    (void)state;
    static uint8_t pixels[BYTES];
    char           text[1024];
    shoal_sim*     sim;
    shoal_screen*  screen = screen_of(1, "surface", &sim);
    shoal_pick     pick;
    int            x, y;
    // the ball is taken aside by the caller, and seen there
    CHECK_OK(shoal_sim_move_obstacle(sim, "ball", &(shoal_pose){.at = {0.7, 0.55, 0.25}}, 1.0 / 60.0));
    lab_run(sim, 1.0 / 60.0, 1.0 / 60.0);
    CHECK_OK(shoal_screen_take(screen, sim));
    draw(screen, pixels);
    shoal_eye eye = shoal_screen_eye(screen, (double)WIDTH / HEIGHT);
    pixel_of(&eye, (double[]){0.7, 0.55, 0.25}, &x, &y);
    CHECK_OK(shoal_screen_pick(screen, x, y, &pick, text, sizeof text));
    assert_string_equal(pick.obstacle, "ball");
    assert_string_equal(text, "obstacle ball");
    CHECK_NEAR(sqrt((pick.at[0] - 0.7) * (pick.at[0] - 0.7) + (pick.at[1] - 0.55) * (pick.at[1] - 0.55) +
                    (pick.at[2] - 0.25) * (pick.at[2] - 0.25)),
               0.1, 0.01);
    static const struct {
        double      at[3];
        const char* name;
    } bodies[] = {{{0.2, 0.25, 0.4}, "of water"}, {{0.8, 0.1, 0.4}, "of sand"}};
    for (int k = 0; k < 2; k++) {
        pixel_of(&eye, bodies[k].at, &x, &y);
        CHECK_OK(shoal_screen_pick(screen, x, y, &pick, text, sizeof text));
        assert_true(pick.particle >= 0);
        assert_non_null(strstr(text, bodies[k].name));
        assert_non_null(strstr(text, "velocity"));
        assert_non_null(strstr(text, "m/s"));
    }
    CHECK_OK(shoal_screen_pick(screen, 0, 0, &pick, text, sizeof text));
    assert_false(pick.is_there);
    CHECK_OK(shoal_screen_pick(screen, -5, 1000, &pick, text, sizeof text));
    assert_false(pick.is_there);
    shoal_screen_destroy(screen);
    shoal_sim_destroy(sim);
}

static void colours_show_a_field_and_wrong_words_leave_all_as_it_was(void** state) {
    (void)state;
    static uint8_t plain[BYTES], painted[BYTES], again[BYTES];
    shoal_sim*     sim;
    shoal_screen*  screen = screen_of(1, "spheres", &sim);
    lab_run(sim, 2.0 / 60.0, 1.0 / 60.0);
    CHECK_OK(shoal_screen_take(screen, sim));
    draw(screen, plain);
    CHECK_OK(shoal_screen_set_color(screen, "velocity"));
    draw(screen, painted);
    assert_memory_not_equal(plain, painted, BYTES);
    assert_int_equal(shoal_screen_set_color(screen, "velocty"), SHOAL_ERR_INPUT);
    assert_non_null(strstr(shoal_last_error(), "velocity"));
    assert_int_equal(shoal_screen_set_draw(screen, "sphere"), SHOAL_ERR_PARAM);
    assert_int_equal(shoal_screen_set_draw(screen, NULL), SHOAL_ERR_PARAM);
    draw(screen, again);
    assert_memory_equal(painted, again, BYTES);
    CHECK_OK(shoal_screen_set_color(screen, NULL));
    draw(screen, again);
    assert_memory_equal(plain, again, BYTES);
    shoal_eye eye = shoal_screen_eye(screen, 1.0), bad = eye;
    memcpy(bad.from, bad.at, sizeof bad.at);
    assert_int_equal(shoal_screen_draw(screen, &bad, WIDTH, HEIGHT, again), SHOAL_ERR_PARAM);
    bad     = eye;
    bad.fov = (double)NAN;
    assert_int_equal(shoal_screen_draw(screen, &bad, WIDTH, HEIGHT, again), SHOAL_ERR_PARAM);
    assert_int_equal(shoal_screen_draw(screen, &eye, 0, HEIGHT, again), SHOAL_ERR_PARAM);
    shoal_screen_destroy(screen);
    shoal_sim_destroy(sim);
}

// Memory that is refused once.
typedef struct miser {
    int calls, refuse; // refuse: which of them; 0: none
} miser;

static void* allocate(size_t bytes, void* user) {
    miser* m = user;
    return ++m->calls == m->refuse ? NULL : aligned_alloc(64, (bytes + 63) / 64 * 64);
}

static void take_back(void* memory, size_t bytes, void* user) {
    (void)bytes, (void)user;
    free(memory);
}

// A change of look that finds no memory is told, and the next picture is whole.
static void a_look_without_memory_leaves_a_screen_that_draws(void** state) {
    (void)state;
    static uint8_t        wanted[BYTES], got[BYTES];
    static miser          m;
    const shoal_allocator allocator = {allocate, take_back, &m};
    shoal_set_allocator(&allocator);
    for (int k = 0; k <= 12; k++) {
        shoal_sim*    sim;
        shoal_screen* screen = screen_of(1, "spheres", &sim);
        shoal_pick    pick;
        char          text[64];
        CHECK_OK(shoal_screen_take(screen, sim));
        draw(screen, k == 0 ? wanted : got);
        m.refuse            = k > 0 ? m.calls + k : 0;
        shoal_status status = shoal_screen_set_draw(screen, "surface");
        assert_true(status == SHOAL_OK || status == SHOAL_ERR_MEMORY);
        m.refuse = 0;
        CHECK_OK(shoal_screen_pick(screen, WIDTH / 2, HEIGHT / 2, &pick, text, sizeof text));
        assert_false(pick.is_there); // the picture is that of another look
        draw(screen, k == 0 ? wanted : got);
        if (k > 0) assert_memory_equal(wanted, got, BYTES);
        shoal_screen_destroy(screen);
        shoal_sim_destroy(sim);
    }
    shoal_set_allocator(NULL);
}

static void a_thousand_pictures_take_no_more_memory_than_ten(void** state) {
    (void)state;
    static uint8_t pixels[3 * 32 * 18];
    shoal_sim*     sim;
    shoal_screen*  screen = screen_of(1, "surface", &sim);
    size_t         before = 0;
    CHECK_OK(shoal_sim_advance(sim, 1.0 / 60.0));
    shoal_eye eye = shoal_screen_eye(screen, 1.0);
    for (int k = 0; k < 1000; k++) {
        if (k % 100 == 0) CHECK_OK(shoal_screen_take(screen, sim));
        eye.from[0] += 1e-3;
        CHECK_OK(shoal_screen_draw(screen, &eye, 32, 18, pixels));
        if (k == 10) before = shoal_memory_in_use();
    }
    assert_int_equal(shoal_memory_in_use(), before);
    shoal_screen_destroy(screen);
    shoal_sim_destroy(sim);
}

// scenes/sandbox-live.yaml: the blade, on the mouse, ploughs through the sand; water is poured and drunk.
static void the_blade_of_the_sandbox_pushes_sand_and_sand_drinks(void** state) {
    (void)state;
    const double        frame    = 1.0 / 30.0;
    shoal_sim*          sim      = lab_scene("sandbox-live.yaml", (lab_setup){.threads = 2});
    double              x        = lab_stat(sim, "com_x_m");
    static const double way[][2] = {{-0.2, 0.02}, {-0.1, 0.02}, {0.0, 0.02}, {0.1, 0.02}};
    int64_t             placed = 0, all = 0;
    for (int k = 0; k < 4; k++) {
        CHECK_OK(shoal_sim_move_obstacle(sim, "blade", &(shoal_pose){.at = {way[k][0], way[k][1], 0.0}}, 4.0 * frame));
        float at[9][3];
        for (int i = 0; i < 9; i++)
            at[i][0] = 0.2f + 0.02f * (float)(i % 3), at[i][1] = 0.3f, at[i][2] = 0.1f + 0.02f * (float)(i / 3);
        for (int f = 0; f < 4; f++) {
            CHECK_OK(shoal_sim_emit(sim, "water", 9, at[0], NULL, &placed));
            all += placed;
            CHECK_OK(shoal_sim_advance(sim, frame));
        }
    }
    double moved = lab_stat(sim, "com_x_m") - x;
    printf("sand and water went %.1f mm along, %lld drops\n", 1e3 * moved, (long long)all);
    CHECK_BELOW(0.02, moved);
    assert_true(all >= 9);
    shoal_sim_destroy(sim);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pictures_have_the_same_bytes_for_any_number_of_threads),
        cmocka_unit_test(a_picture_beside_a_simulation_changes_neither),
        cmocka_unit_test(an_eye_that_moves_sees_the_last_picture_until_the_next_is_made),
        cmocka_unit_test(a_run_on_disk_is_seen_as_its_simulation),
        cmocka_unit_test(a_run_is_seen_by_its_meshes),
        cmocka_unit_test(what_is_under_a_pixel_is_reported),
        cmocka_unit_test(colours_show_a_field_and_wrong_words_leave_all_as_it_was),
        cmocka_unit_test(a_look_without_memory_leaves_a_screen_that_draws),
        cmocka_unit_test(a_thousand_pictures_take_no_more_memory_than_ten),
        cmocka_unit_test(the_blade_of_the_sandbox_pushes_sand_and_sand_drinks),
    };
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
