// SPDX-License-Identifier: MIT
// What a run is said to take against what it takes. Times are the wall clock of a machine that may
// have other work: of some tries the best counts.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include <cmocka.h>

#include "small_run.h"

static shoal_scene* parse(const char* text) {
    shoal_scene* scene;
    assert_int_equal(shoal_scene_parse(text, strlen(text), "forecast.yaml", &scene), SHOAL_OK);
    return scene;
}

typedef struct sum {
    int    frames;
    double substeps;
} sum;

static void add_up(const shoal_progress* now, void* user) {
    sum* s = user;
    s->frames += now->frame > 0;
    s->substeps += now->substeps;
}

static double bytes_below(const char* folder) {
    double      bytes = 0.0;
    shoal_names names;
    assert_int_equal(shoal_folder_names(folder, &names), SHOAL_OK);
    for (int i = 0; i < names.count; i++) {
        char   path[SHOAL_PATH_SIZE];
        char*  data;
        size_t size;
        snprintf(path, sizeof path, "%s/%s", folder, names.names[i]);
        if (shoal_path_is_folder(path)) {
            bytes += bytes_below(path);
        } else if (shoal_file_read(path, &data, &size) == SHOAL_OK) {
            bytes += (double)size;
            shoal_free(data);
        }
    }
    shoal_names_free(&names);
    return bytes;
}

static void a_run_takes_what_was_foreseen(void** state) {
    (void)state;
    static const struct {
        const char *solver, *scene;
    } cases[] = {
        {"pbf", "bodies: [{material: water, box: {min: [0, 0, 0], max: [0.4, 0.5, 0.3]}}]\n"},
        {"sph", "bodies: [{material: water, box: {min: [0, 0, 0], max: [0.4, 0.5, 0.3]}}]\n"},
        {"flip", "bodies: [{material: water, box: {min: [0, 0, 0], max: [0.4, 0.5, 0.3]}}]\n"
                 "obstacles: [{sphere: {radius: 0.1}, at: [0.8, 0.1, 0.15]}]\nflip: {cfl: 0.5}\n"},
        {"grains", "bodies: [{material: sand, box: {min: [0, 0, 0], max: [0.2, 0.2, 0.3]}}]\n"},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        char        text[1024];
        const char* folder = scratch_path(cases[c].solver);
        snprintf(text, sizeof text,
                 "solver: %s\nspacing: 0.025\nfps: 30\nframes: 20\noutput: {checkpoint: 3}\n"
                 "domain: {min: [0, 0, 0], max: [1.2, 0.8, 0.3]}\n%s",
                 cases[c].solver, cases[c].scene);
        sum            s     = {0};
        shoal_run_def  def   = small_def(folder);
        shoal_scene*   scene = parse(text);
        shoal_forecast f;
        def.progress = add_up;
        def.user     = &s;
        assert_int_equal(shoal_run_forecast(&def, scene, &f), SHOAL_OK);
        clock_t began = clock();
        assert_int_equal(shoal_run(&def, scene, "forecast.yaml"), SHOAL_OK);
        double taken = (double)(clock() - began) / CLOCKS_PER_SEC / s.frames, substeps = s.substeps / s.frames;
        shoal_scene_destroy(scene);
        print_message("%s: %.3g ms per frame foreseen, %.3g taken; substeps %.3g, %.3g\n", cases[c].solver,
                      1e3 * f.seconds_per_frame, 1e3 * taken, f.substeps, substeps);
        assert_true(f.substeps < 2.0 * substeps && f.substeps > 0.5 * substeps);
        // within 2 on a quiet machine; sanitizers and busy cores slow the parts of a step unequally
        assert_true(f.seconds_per_frame < 4.0 * taken && f.seconds_per_frame > 0.25 * taken);
        assert_true(fabs(f.seconds - 20.0 * f.seconds_per_frame) < 1e-9 * f.seconds);
        double disk = bytes_below(folder);
        print_message("%s: %.0f bytes foreseen, %.0f on disk\n", cases[c].solver, f.bytes, disk);
        // contacts of grains come as they settle, and how far the trial gets towards that is the machine's
        assert_true(f.bytes > 0.85 * disk && f.bytes < 1.1 * disk);
    }
}

static void more_frames_fields_and_particles_are_foreseen_to_cost_more(void** state) {
    (void)state;
    static const char text[] = "solver: pbf\nspacing: 0.05\nframes: 10\ndomain: {max: [1, 1, 0.5]}\n"
                               "bodies: [{material: water, box: {min: [0, 0, 0], max: [0.5, 0.5, 0.5]}}]\n";
    shoal_run_def     def    = small_def(NULL);
    shoal_scene*      scene  = parse(text);
    shoal_forecast    plain, wide, rare, fine;
    assert_int_equal(shoal_run_forecast(&def, scene, &plain), SHOAL_OK);
    assert_int_equal(plain.threads, 1);
    assert_int_equal((int)plain.particles, 1000);
    assert_int_equal(shoal_scene_set_value(scene, "output.fields", "[pressure]"), SHOAL_OK);
    assert_int_equal(shoal_run_forecast(&def, scene, &wide), SHOAL_OK);
    assert_int_equal((int)(wide.bytes_per_frame - plain.bytes_per_frame), 4000);
    assert_int_equal(shoal_scene_set_value(scene, "output.every", "5"), SHOAL_OK);
    assert_int_equal(shoal_run_forecast(&def, scene, &rare), SHOAL_OK);
    assert_true(fabs(wide.bytes - rare.bytes - 8.0 * wide.bytes_per_frame) < 1.0);
    assert_int_equal(shoal_scene_set_value(scene, "spacing", "0.0125"), SHOAL_OK);
    assert_int_equal(shoal_run_forecast(&def, scene, &fine), SHOAL_OK);
    assert_int_equal((int)fine.particles, 64000);
    assert_true(fine.seconds_per_frame > 10.0 * rare.seconds_per_frame);
    shoal_scene_destroy(scene);
}

// Of a mesh what is inside is coarse: 64 times the volume in cubes of a spacing is 16 times the work.
static void a_mesh_is_foreseen_to_cost_as_its_surface_does(void** state) {
    (void)state;
    static const char text[] = "solver: tetra-paper\nspacing: 0.05\nframes: 20\nfps: 60\ndomain: {max: [1.6, 1, 0.5]}\n"
                               "bodies: [{material: water, box: {min: [0, 0, 0], max: [0.5, 0.7, 0.5]}}]\n";
    shoal_run_def     def    = small_def(scratch_path("tetra"));
    shoal_scene*      scene  = parse(text);
    shoal_forecast    now, fine;
    sum               s = {0};
    def.progress        = add_up;
    def.user            = &s;
    assert_int_equal(shoal_run_forecast(&def, scene, &now), SHOAL_OK);
    clock_t began = clock();
    assert_int_equal(shoal_run(&def, scene, "forecast.yaml"), SHOAL_OK);
    double taken = (double)(clock() - began) / CLOCKS_PER_SEC / s.frames;
    assert_int_equal(shoal_scene_set_value(scene, "spacing", "0.0125"), SHOAL_OK);
    assert_int_equal(shoal_run_forecast(&def, scene, &fine), SHOAL_OK);
    shoal_scene_destroy(scene);
    double ratio = fine.seconds_per_frame / fine.substeps / (now.seconds_per_frame / now.substeps);
    print_message("tetra: %.3g ms per frame foreseen, %.3g taken; a substep of 64 times the volume: %.3g times\n",
                  1e3 * now.seconds_per_frame, 1e3 * taken, ratio);
    assert_true(now.seconds_per_frame < 4.0 * taken && now.seconds_per_frame > 0.25 * taken);
    assert_true(ratio > 6.0 && ratio < 40.0);
}

// What comes out of emitters alone meets the floor all the time, with more substeps than a block that slides over it.
static void a_mesh_of_what_falls_is_foreseen_to_meet_solids(void** state) {
    (void)state;
    static const char text[] =
        "solver: tetra-paper\nspacing: 0.05\nframes: 30\nfps: 30\ndomain: {min: [-1, 0, -1], "
        "max: [1, 1.2, 1], walls: {top: open}}\nemitters: [{disc: {radius: 0.15}, at: [0, 1, 0], "
        "velocity: [0, -2, 0]}]\n";
    shoal_run_def  def   = small_def(scratch_path("tap"));
    shoal_scene*   scene = parse(text);
    shoal_forecast f, pool;
    sum            s = {0};
    def.progress     = add_up;
    def.user         = &s;
    assert_int_equal(shoal_run_forecast(&def, scene, &f), SHOAL_OK);
    clock_t began = clock();
    assert_int_equal(shoal_run(&def, scene, "forecast.yaml"), SHOAL_OK);
    double taken = (double)(clock() - began) / CLOCKS_PER_SEC / s.frames;
    assert_int_equal(
        shoal_scene_set_value(scene, "bodies", "[{material: water, box: {min: [-1, 0, -1], max: [1, 0.4, 1]}}]"),
        SHOAL_OK);
    assert_int_equal(shoal_run_forecast(&def, scene, &pool), SHOAL_OK);
    shoal_scene_destroy(scene);
    print_message("tap: %.3g ms per frame foreseen, %.3g taken; substeps %.3g, %.3g\n", 1e3 * f.seconds_per_frame,
                  1e3 * taken, f.substeps, s.substeps / s.frames);
    assert_true(f.seconds_per_frame < 6.0 * taken && f.seconds_per_frame > 0.25 * taken); // 3: it is a coarse one
    assert_true(f.substeps > 1.5 * pool.substeps);
}

static void threads_of_the_machine_do_not_hasten_a_device(void** state) {
    (void)state;
    static const char text[] = "solver: pbf\nspacing: 0.05\nframes: 10\ndomain: {max: [1, 1, 0.5]}\n"
                               "bodies: [{material: water, box: {min: [0, 0, 0], max: [0.5, 0.5, 0.5]}}]\n";
    shoal_scene*      scene  = parse(text);
    shoal_run_def     def    = small_def(NULL);
    shoal_forecast    one, many;
    def.sim.device = "mirror";
    assert_int_equal(shoal_run_forecast(&def, scene, &one), SHOAL_OK);
    def.sim.threads = 64;
    assert_int_equal(shoal_run_forecast(&def, scene, &many), SHOAL_OK);
    assert_string_equal(many.device, "mirror");
    assert_true(many.seconds_per_frame > 0.4 * one.seconds_per_frame); // a tenth, were they shared
    shoal_scene_destroy(scene);
}

static void a_scene_without_bodies_has_a_forecast_by_its_emitters(void** state) {
    (void)state;
    static const char text[] = "spacing: 0.05\nframes: 60\nemitters:\n  - {material: water, disc: "
                               "{radius: 0.1}, velocity: [0, -1, 0]}\n";
    shoal_run_def     def    = small_def(NULL);
    shoal_scene*      scene  = parse(text);
    shoal_forecast    f;
    assert_int_equal(shoal_run_forecast(&def, scene, &f), SHOAL_OK);
    assert_true(f.particles > 100.0 && f.seconds > 0.0 && f.bytes > 0.0);
    assert_int_equal(shoal_scene_set_value(scene, "emitters.0.from", "100"), SHOAL_OK);
    assert_int_equal(shoal_run_forecast(&def, scene, &f), SHOAL_ERR_INPUT);
    assert_non_null(strstr(shoal_last_error(), "nothing to simulate"));
    shoal_scene_destroy(scene);
}

// Nothing is there yet whose step could be tried, and solids are not laid out for that.
static void a_scene_without_bodies_is_foreseen_without_its_solids(void** state) {
    (void)state;
    static const char text[] =
        "solver: porous\nspacing: 0.012\nframes: 60\ndomain: {max: [2, 2, 2]}\n"
        "emitters: [{material: sand, disc: {radius: 0.1}, at: [1, 1.8, 1], velocity: [0, -1, 0]}]\n"
        "obstacles: [{union: [{sphere: {radius: 0.4}, at: [1, 0.5, 1]}, {sphere: {radius: 0.4}, at: [1.3, 0.5, "
        "1]}]}]\n";
    shoal_run_def  def   = small_def(NULL);
    shoal_scene*   scene = parse(text);
    shoal_sim*     sim;
    shoal_forecast f;
    clock_t        began = clock();
    assert_int_equal(shoal_run_forecast(&def, scene, &f), SHOAL_OK);
    double foreseen = (double)(clock() - began) / CLOCKS_PER_SEC;
    began           = clock();
    assert_int_equal(shoal_sim_create(&def.sim, scene, &sim), SHOAL_OK);
    double made = (double)(clock() - began) / CLOCKS_PER_SEC;
    shoal_sim_destroy(sim);
    shoal_scene_destroy(scene);
    print_message("foreseen within %.3g s, made within %.3g s of processor time\n", foreseen, made);
    assert_true(f.seconds > 0.0 && foreseen < 0.5 * made);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_run_takes_what_was_foreseen),
        cmocka_unit_test(more_frames_fields_and_particles_are_foreseen_to_cost_more),
        cmocka_unit_test(a_mesh_is_foreseen_to_cost_as_its_surface_does),
        cmocka_unit_test(a_mesh_of_what_falls_is_foreseen_to_meet_solids),
        cmocka_unit_test(threads_of_the_machine_do_not_hasten_a_device),
        cmocka_unit_test(a_scene_without_bodies_has_a_forecast_by_its_emitters),
        cmocka_unit_test(a_scene_without_bodies_is_foreseen_without_its_solids),
    };
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
