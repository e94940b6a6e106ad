// SPDX-License-Identifier: MIT
// Frames of a run in other formats.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "small_run.h"

static int  told;
static void on_file(const char* file, void* user) {
    (void)user;
    assert_true(shoal_path_exists(file));
    told++;
}

static void a_run_is_exported_frame_by_frame(void** state) {
    (void)state;
    shoal_run_def def = small_def(scratch_path("run"));
    def.last          = 2;
    assert_int_equal(small_run(&def, NULL, NULL), SHOAL_OK);
    for (const char* const* format = shoal_export_formats(); *format; format++) {
        char name[64];
        told = 0;
        assert_int_equal(shoal_export(scratch_path("run"), *format, on_file, NULL), SHOAL_OK);
        assert_int_equal(told, strcmp(*format, "usda") == 0 ? 4 : 3); // and the stage of the layers
        snprintf(name, sizeof name, "run/export/small_000002.%s", *format);
        assert_true(shoal_path_exists(scratch_path(name)));
    }
    char*  bytes;
    size_t size;
    assert_int_equal(shoal_file_read(scratch_path("run/export/small_000000.csv"), &bytes, &size),
                     SHOAL_OK);
    assert_memory_equal(bytes, "x,y,z,id,material,velocity_x,velocity_y,velocity_z,density\n0.025",
                        64);
    shoal_free(bytes);
}

static void a_single_frame_goes_to_its_run_or_beside_itself(void** state) {
    (void)state;
    assert_int_equal(shoal_export(scratch_path("run/frames/small_000001.vtp"), "obj", NULL, NULL),
                     SHOAL_OK);
    assert_true(shoal_path_exists(scratch_path("run/export/small_000001.obj")));
    char*  bytes;
    size_t size;
    assert_int_equal(shoal_file_read(scratch_path("run/frames/small_000001.vtp"), &bytes, &size),
                     SHOAL_OK);
    assert_int_equal(shoal_folder_make(scratch_path("alone/frames")), SHOAL_OK);
    assert_int_equal(shoal_file_write(scratch_path("alone/frames/one.vtp"), bytes, size), SHOAL_OK);
    shoal_free(bytes);
    assert_int_equal(shoal_export(scratch_path("alone/frames/one.vtp"), "csv", NULL, NULL),
                     SHOAL_OK);
    assert_true(shoal_path_exists(scratch_path("alone/frames/one.csv")));
}

static void wrong_formats_and_places_are_told(void** state) {
    (void)state;
    assert_int_equal(shoal_export(scratch_path("run"), "plx", NULL, NULL), SHOAL_ERR_INPUT);
    assert_non_null(strstr(shoal_last_error(), "did you mean ply?"));
    assert_int_equal(shoal_export(scratch_path("none"), "ply", NULL, NULL), SHOAL_ERR_FILE);
    assert_int_equal(shoal_export(scratch, "ply", NULL, NULL), SHOAL_ERR_INPUT);
    assert_int_equal(shoal_export(scratch_path("run/stats.csv"), "ply", NULL, NULL),
                     SHOAL_ERR_INPUT);
    assert_int_equal(shoal_file_write(scratch_path("run/frames/small_000002.vtp"), "x", 1),
                     SHOAL_OK);
    assert_int_equal(shoal_export(scratch_path("run"), "ply", NULL, NULL), SHOAL_ERR_INPUT);
    assert_non_null(strstr(shoal_last_error(), "small_000002.vtp"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_run_is_exported_frame_by_frame),
        cmocka_unit_test(a_single_frame_goes_to_its_run_or_beside_itself),
        cmocka_unit_test(wrong_formats_and_places_are_told),
    };
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
