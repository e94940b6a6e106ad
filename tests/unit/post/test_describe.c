// SPDX-License-Identifier: MIT
// What `shoal info` says about each kind of path.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "small_run.h"

static void assert_described(const char* path, const char* const* parts) {
    char* text = NULL;
    if (shoal_describe(path, &text) != SHOAL_OK) fail_msg("%s", shoal_last_error());
    for (; *parts; parts++)
        if (!strstr(text, *parts)) fail_msg("\"%s\" is not in:\n%s", *parts, text);
    shoal_bytes_free(text, strlen(text) + 1);
}
#define PARTS(...) ((const char* const[]){__VA_ARGS__, NULL})

static void a_scene_is_described(void** state) {
    (void)state;
    const char* path = scratch_path("small.yaml");
    assert_int_equal(shoal_file_write(path, small_scene, sizeof small_scene - 1), SHOAL_OK);
    assert_described(path, PARTS("scene", "small", "pbf", "0..10", "512", "0.05 m", "memory per particle"));
}

static void a_run_folder_is_described_with_the_way_to_go_on(void** state) {
    (void)state;
    shoal_run_def def = small_def(scratch_path("run"));
    def.last          = 4;
    assert_int_equal(small_run(&def, NULL, NULL), SHOAL_OK);
    assert_described(scratch_path("run"), PARTS("run", "done", "5 (0..4)", "the last at frame 4", "size on disk",
                                                "time_s           0.133333333\n"));
    assert_described(scratch_path("run/run.json"), PARTS(": run\n", "done", "5 (0..4)"));
    assert_int_equal(shoal_file_write(scratch_path("run/run.json"), "{", 1), SHOAL_OK);
    assert_described(scratch_path("run"), PARTS("run.json cannot be read", "5 (0..4)", "--resume"));
    assert_int_equal(shoal_file_write(scratch_path("run/run.json"), "{\"status\": \"running\"}", 21), SHOAL_OK);
    assert_described(scratch_path("run"), PARTS("stopped before its end", "--resume"));
    assert_int_equal(shoal_file_write(scratch_path("run/run.json"), "{\"frames\": 3, \"hashes\": []}", 27), SHOAL_OK);
    assert_described(scratch_path("run"), PARTS("unknown"));
}

static void frames_and_checkpoints_are_described(void** state) {
    (void)state;
    assert_described(scratch_path("run/frames/small_000000.vtp"),
                     PARTS("frame", "512", "position.x", "0.025", "0.375", "velocity.z", "density", "id", "0 to 511"));
    assert_described(scratch_path("run/checkpoints/small_000003.shoal"),
                     PARTS("checkpoint", "frame            3", "particles"));
}

static void a_mesh_is_described_with_its_quality(void** state) {
    (void)state;
    const char closed[] = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n";
    const char open[]   = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
    assert_int_equal(shoal_file_write(scratch_path("closed.obj"), closed, sizeof closed - 1), SHOAL_OK);
    assert_int_equal(shoal_file_write(scratch_path("open.OBJ"), open, sizeof open - 1), SHOAL_OK);
    assert_described(scratch_path("closed.obj"), PARTS("mesh", "triangles          4", "no warnings", "(1, 1, 1)"));
    assert_described(scratch_path("open.OBJ"), PARTS("open edges         3"));
    const char turned[] = "v -0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 2 3 1\nf 4 2 1\nf 4 3 2\nf 4 1 3\n";
    assert_int_equal(shoal_file_write(scratch_path("turned.obj"), turned, sizeof turned - 1), SHOAL_OK);
    assert_described(scratch_path("turned.obj"), PARTS("closed, but inside out", "(0, 0, 0) to"));
}

static void what_cannot_be_read_is_reported(void** state) {
    (void)state;
    char* text;
    assert_int_equal(shoal_describe(scratch_path("none"), &text), SHOAL_ERR_FILE);
    assert_null(text);
    assert_int_equal(shoal_describe(scratch, &text), SHOAL_ERR_INPUT);
    assert_null(text);
    assert_int_equal(shoal_file_write(scratch_path("x.vtp"), "x", 1), SHOAL_OK);
    assert_int_equal(shoal_describe(scratch_path("x.vtp"), &text), SHOAL_ERR_INPUT);
    assert_null(text);
    assert_int_equal(shoal_file_write(scratch_path("x.mp4"), "x", 1), SHOAL_OK);
    assert_int_equal(shoal_describe(scratch_path("x.mp4"), &text), SHOAL_ERR_INPUT);
    assert_null(text);
    assert_int_equal(shoal_file_write(scratch_path("x.yaml"), "spacing: [", 10), SHOAL_OK);
    assert_int_equal(shoal_describe(scratch_path("x.yaml"), &text), SHOAL_ERR_INPUT);
    assert_null(text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_scene_is_described),
        cmocka_unit_test(a_run_folder_is_described_with_the_way_to_go_on),
        cmocka_unit_test(frames_and_checkpoints_are_described),
        cmocka_unit_test(a_mesh_is_described_with_its_quality),
        cmocka_unit_test(what_cannot_be_read_is_reported),
    };
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
