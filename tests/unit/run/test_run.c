// SPDX-License-Identifier: MIT
// What a run leaves on disk, and how it fails.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "small_run.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>

static bool has(const char* name) { return shoal_path_exists(scratch_path(name)); }

static int files_in(const char* name) {
    shoal_names names;
    assert_int_equal(shoal_folder_names(scratch_path(name), &names), SHOAL_OK);
    int count = names.count;
    shoal_names_free(&names);
    return count;
}

static char* content(const char* name) {
    char*  bytes;
    size_t size;
    assert_int_equal(shoal_file_read(scratch_path(name), &bytes, &size), SHOAL_OK);
    return bytes;
}

static int lines_in(const char* name) {
    char* bytes = content(name);
    int   count = 0;
    for (const char* c = bytes; *c; c++) count += *c == '\n';
    shoal_free(bytes);
    return count;
}

static void a_run_leaves_frames_tables_checkpoints_and_its_story(void** state) {
    (void)state;
    shoal_run_def def = small_def(scratch_path("a/b"));
    assert_int_equal(small_run(&def, NULL, NULL), SHOAL_OK);
    assert_int_equal(files_in("a/b/frames"), 11);
    assert_true(has("a/b/frames/small_000000.vtp") && has("a/b/frames/small_000010.vtp") && has("a/b/small.pvd"));
    assert_int_equal(files_in("a/b/checkpoints"), 2);
    assert_true(has("a/b/checkpoints/small_000009.shoal") && has("a/b/checkpoints/small_000010.shoal"));
    assert_int_equal(lines_in("a/b/stats.csv"), 12);
    assert_int_equal(lines_in("a/b/probes.csv"), 12);
    assert_false(has("a/b/.lock"));

    char*             stats    = content("a/b/stats.csv");
    static const char header[] = "frame,time_s,substeps,particles,emitted,removed,step_ms,compression_avg_pct,"
                                 "compression_max_pct,kinetic_j,potential_j,momentum_x_kgmps,momentum_y_kgmps,"
                                 "momentum_z_kgmps,com_x_m,com_y_m,com_z_m,speed_max_mps,"
                                 "centre_of_mass_residual_m";
    assert_memory_equal(stats, header, sizeof header - 1);
    assert_non_null(strstr(stats, "\n0,0,0,512,0,0,"));
    assert_non_null(strstr(stats, "\n3,0.1,3,"));
    shoal_free(stats);
    char* probes = content("a/b/probes.csv");
    assert_memory_equal(probes, "time_s,front,gauge\n0,", 21);
    shoal_free(probes);

    char*                    json   = content("a/b/run.json");
    static const char* const says[] = {"\"version\": \"" SHOAL_VERSION "\"",
                                       "\"status\": \"done\"",
                                       "\"hashes\"",
                                       "\"machine\"",
                                       "\"threads\": 1",
                                       "\"timings\"",
                                       "\"removed\": {",
                                       "\"scene\": {"};
    for (size_t i = 0; i < sizeof says / sizeof *says; i++)
        if (!strstr(json, says[i])) fail_msg("run.json without %s", says[i]);
    shoal_scene* parsed; // it is JSON
    assert_int_equal(shoal_scene_parse(json, strlen(json), "run.json", &parsed), SHOAL_OK);
    shoal_scene_destroy(parsed);
    shoal_free(json);
}

static void frames_are_in_id_order_with_the_fields_asked_for(void** state) {
    (void)state;
    shoal_run_def def = small_def(scratch_path("fields"));
    def.last          = 1;
    assert_int_equal(small_run(&def, "output.fields", "[pressure, density]"), SHOAL_OK);
    shoal_frame*     frame;
    shoal_field_view id, view;
    assert_int_equal(shoal_frame_load(scratch_path("fields/frames/small_000001.vtp"), &frame), SHOAL_OK);
    assert_int_equal(shoal_frame_field(frame, "id", &id), SHOAL_OK);
    for (int64_t i = 1; i < id.count; i++) assert_true(((const int32_t*)id.data)[i - 1] < ((const int32_t*)id.data)[i]);
    static const char* const names[] = {"position", "id", "material", "velocity", "density", "pressure"};
    assert_int_equal(shoal_frame_field_count(frame), 6);
    for (int i = 0; i < 6; i++) {
        assert_int_equal(shoal_frame_field_at(frame, i, &view), SHOAL_OK);
        assert_string_equal(view.name, names[i]);
    }
    assert_true(shoal_frame_time(frame) == 1.0 / 30.0);
    shoal_frame_destroy(frame);
}

static void a_part_of_the_frames_can_be_asked_for(void** state) {
    (void)state;
    shoal_run_def def = small_def(scratch_path("part"));
    def.first = 4, def.last = 6;
    assert_int_equal(small_run(&def, NULL, NULL), SHOAL_OK);
    assert_int_equal(files_in("part/frames"), 3);
    assert_true(has("part/frames/small_000004.vtp") && has("part/frames/small_000006.vtp"));
    assert_int_equal(lines_in("part/stats.csv"), 4);
    def.first = 7, def.folder = scratch_path("part2");
    assert_int_equal(small_run(&def, NULL, NULL), SHOAL_ERR_INPUT);
    assert_false(has("part2"));
}

static void every_leaves_frames_out_but_no_rows(void** state) {
    (void)state;
    shoal_run_def def = small_def(scratch_path("every"));
    assert_int_equal(small_run(&def, "output.every", "4"), SHOAL_OK);
    assert_int_equal(files_in("every/frames"), 3);
    assert_true(has("every/frames/small_000008.vtp"));
    assert_int_equal(lines_in("every/stats.csv"), 12);
    char* pvd = content("every/small.pvd");
    assert_non_null(strstr(pvd, "file=\"frames/small_000008.vtp\""));
    assert_null(strstr(pvd, "000001"));
    shoal_free(pvd);
}

static void a_taken_folder_is_refused_and_force_starts_anew(void** state) {
    (void)state;
    shoal_run_def def = small_def(scratch_path("taken"));
    def.last          = 2;
    assert_int_equal(small_run(&def, NULL, NULL), SHOAL_OK);
    assert_int_equal(small_run(&def, NULL, NULL), SHOAL_ERR_INPUT);
    assert_non_null(strstr(shoal_last_error(), "--resume"));
    assert_int_equal(shoal_file_write(scratch_path("taken/film.mp4"), "x", 1), SHOAL_OK);
    def.force = true;
    def.last  = 1;
    assert_int_equal(small_run(&def, NULL, NULL), SHOAL_OK);
    assert_int_equal(files_in("taken/frames"), 2);
    assert_true(has("taken/film.mp4"));
    def.resume = true;
    assert_int_equal(small_run(&def, NULL, NULL), SHOAL_ERR_INPUT);
}

static void wrong_settings_leave_no_folder(void** state) {
    (void)state;
    shoal_run_def def = small_def(scratch_path("wrong"));
    assert_int_not_equal(small_run(&def, "spacing", "-1"), SHOAL_OK);
    assert_int_not_equal(small_run(&def, "output.fields", "[colour]"), SHOAL_OK);
    def.made_by_default = 0;
    assert_int_equal(small_run(&def, NULL, NULL), SHOAL_ERR_PARAM);
    assert_false(has("wrong"));
}

static void a_place_that_cannot_be_written_is_an_output_error(void** state) {
    (void)state;
    assert_int_equal(shoal_file_write(scratch_path("file"), "x", 1), SHOAL_OK);
    shoal_run_def def = small_def(scratch_path("file/below"));
    assert_int_equal(small_run(&def, NULL, NULL), SHOAL_ERR_OUTPUT);
    assert_non_null(strstr(shoal_last_error(), "file"));
}

// Frames grow with what is emitted: under a limit between the first and the last of them the disk
// is "full".
static void a_full_disk_stops_the_run_and_keeps_whole_frames(void** state) {
    (void)state;
    shoal_run_def def = small_def(scratch_path("full"));
    struct rlimit before, small;
    getrlimit(RLIMIT_FSIZE, &before);
    small = (struct rlimit){.rlim_cur = 26000, .rlim_max = before.rlim_max};
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &small);
    shoal_status status = small_run(&def, NULL, NULL);
    setrlimit(RLIMIT_FSIZE, &before);
    assert_int_equal(status, SHOAL_ERR_OUTPUT);
    assert_non_null(strstr(shoal_last_error(), scratch));
    shoal_names names;
    assert_int_equal(shoal_folder_names(scratch_path("full/frames"), &names), SHOAL_OK);
    assert_true(names.count > 0 && names.count < 11);
    for (int i = 0; i < names.count; i++) {
        shoal_frame* frame;
        char         path[300];
        snprintf(path, sizeof path, "%s/%s", scratch_path("full/frames"), names.names[i]);
        assert_int_equal(shoal_frame_load(path, &frame), SHOAL_OK);
        shoal_frame_destroy(frame);
    }
    shoal_names_free(&names);

    // with room again it goes on to the end
    shoal_run_def straight = small_def(scratch_path("full-straight"));
    def.folder             = scratch_path("full");
    def.resume             = true;
    assert_int_equal(small_run(&def, NULL, NULL), SHOAL_OK);
    assert_int_equal(small_run(&straight, NULL, NULL), SHOAL_OK);
    assert_string_equal(small_difference(scratch_path("full-straight"), scratch_path("full")), "");
}

static int    progress_calls;
static double progress_left;
static void   on_progress(const shoal_progress* now, void* user) {
      (void)user;
      assert_int_equal(now->frame, progress_calls);
      assert_int_equal(now->frame_last, 4);
      assert_true(now->particles >= 512 && now->seconds_left >= 0 && now->seconds_spent >= 0);
      assert_int_equal(now->substeps, now->frame == 0 ? 0 : 3);
      progress_left = now->seconds_left;
      progress_calls++;
}

static void progress_is_reported_after_each_frame(void** state) {
    (void)state;
    shoal_run_def def = small_def(scratch_path("progress"));
    def.progress      = on_progress;
    def.last          = 4;
    assert_int_equal(small_run(&def, NULL, NULL), SHOAL_OK);
    assert_int_equal(progress_calls, 5);
    assert_true(progress_left == 0);
}

static int64_t reported_tetrahedra;
static void    on_mesh(const shoal_progress* now, void* user) {
       (void)user;
       assert_int_equal(now->particles, 0);
       reported_tetrahedra = now->tetrahedra;
}

// A run without particles tells its tetrahedra, in run.json too.
static void tetrahedra_are_reported(void** state) {
    (void)state;
    static const char ball[] =
        "spacing: 0.05\nfps: 60\nframes: 1\nsolver: tetra-paper\nbodies: [{sphere: {radius: 0.4}}]\n";
    char          text[64];
    char*         bytes = NULL;
    size_t        size;
    shoal_run_def def   = small_def(scratch_path("mesh"));
    shoal_scene*  scene = NULL;
    def.progress        = on_mesh;
    assert_int_equal(shoal_scene_parse(ball, strlen(ball), "ball.yaml", &scene), SHOAL_OK);
    assert_int_equal(shoal_run(&def, scene, "ball.yaml"), SHOAL_OK);
    shoal_scene_destroy(scene);
    assert_true(reported_tetrahedra > 1000);
    assert_int_equal(shoal_file_read(scratch_path("mesh/run.json"), &bytes, &size), SHOAL_OK);
    snprintf(text, sizeof text, "\"tetrahedra\": %lld,", (long long)reported_tetrahedra);
    assert_non_null(strstr(bytes, text));
    shoal_free(bytes);
}

static bool is_empty_mesh;
static void on_empty_mesh(const shoal_progress* now, void* user) {
    (void)user;
    is_empty_mesh = now->has_mesh && now->tetrahedra == 0;
}

// Also while there are none, before a tap opens; and what is counted of no liquid is zero.
static void a_mesh_without_tetrahedra_is_reported(void** state) {
    (void)state;
    static const char text[] =
        "spacing: 0.1\nfps: 60\nframes: 1\nsolver: tetra-paper\ndomain: {max: [1, 1, 1]}\nemitters: "
        "[{material: water, disc: {radius: 0.2}, at: [0.5, 0.5, 0.5], velocity: [1, 0, 0], from: "
        "0.01666}]\n";
    char*         bytes = NULL;
    size_t        size;
    shoal_run_def def   = small_def(scratch_path("dry"));
    shoal_scene*  scene = NULL;
    def.progress        = on_empty_mesh;
    def.last            = 0;
    assert_int_equal(shoal_scene_parse(text, strlen(text), "dry.yaml", &scene), SHOAL_OK);
    assert_int_equal(shoal_run(&def, scene, "dry.yaml"), SHOAL_OK);
    shoal_scene_destroy(scene);
    assert_true(is_empty_mesh);
    assert_int_equal(shoal_file_read(scratch_path("dry/run.json"), &bytes, &size), SHOAL_OK);
    assert_non_null(strstr(bytes, "\"tetrahedra\": 0,"));
    shoal_free(bytes);
    assert_int_equal(shoal_describe(scratch_path("dry"), &bytes), SHOAL_OK);
    assert_non_null(strstr(bytes, "tetrahedra       0"));
    assert_null(strstr(bytes, "particles "));
    shoal_free(bytes);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tetrahedra_are_reported),
        cmocka_unit_test(a_mesh_without_tetrahedra_is_reported),
        cmocka_unit_test(a_run_leaves_frames_tables_checkpoints_and_its_story),
        cmocka_unit_test(frames_are_in_id_order_with_the_fields_asked_for),
        cmocka_unit_test(a_part_of_the_frames_can_be_asked_for),
        cmocka_unit_test(every_leaves_frames_out_but_no_rows),
        cmocka_unit_test(a_taken_folder_is_refused_and_force_starts_anew),
        cmocka_unit_test(wrong_settings_leave_no_folder),
        cmocka_unit_test(a_place_that_cannot_be_written_is_an_output_error),
        cmocka_unit_test(a_full_disk_stops_the_run_and_keeps_whole_frames),
        cmocka_unit_test(progress_is_reported_after_each_frame),
    };
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
