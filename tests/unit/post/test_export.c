// SPDX-License-Identifier: MIT
// Frames of a run in other formats.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "small_run.h"

static int  reported;
static void on_file(const char* file, void* user) {
    (void)user;
    assert_true(shoal_path_exists(file));
    reported++;
}

static shoal_status exported(const char* folder, const char* format, void (*done)(const char* file, void* user)) {
    shoal_export_def def = shoal_export_def_default();
    def.format           = format;
    def.done             = done;
    return shoal_export(&def, folder);
}

static int  faults;
static void on_fault(const char* message, void* user) {
    (void)user;
    assert_non_null(strstr(message, "small_000001.vtp"));
    faults++;
}

static void a_bad_frame_is_reported_and_the_others_are_exported(void** state) {
    (void)state;
    shoal_run_def run = small_def(scratch_path("bad"));
    run.last          = 3;
    assert_int_equal(small_run(&run, NULL, NULL), SHOAL_OK);
    assert_int_equal(shoal_file_write(scratch_path("bad/frames/small_000001.vtp"), "<VTKFile", 8), SHOAL_OK);
    for (const char* const* format = shoal_export_formats(); *format; format++) {
        shoal_export_def def  = shoal_export_def_default();
        bool             usda = strcmp(*format, "usda") == 0;
        def.format            = *format;
        def.last              = 2;
        def.done              = on_file;
        def.fault             = on_fault;
        reported = faults = 0;
        assert_int_equal(shoal_export(&def, scratch_path("bad")), SHOAL_ERR_INPUT);
        assert_int_equal(reported, usda ? 3 : 2); // 0 and 2, and the stage over them
        assert_int_equal(faults, 1);
    }
}

static void a_run_is_exported_frame_by_frame(void** state) {
    (void)state;
    shoal_run_def def = small_def(scratch_path("run"));
    def.last          = 2;
    assert_int_equal(small_run(&def, NULL, NULL), SHOAL_OK);
    for (const char* const* format = shoal_export_formats(); *format; format++) {
        char name[64];
        reported = 0;
        assert_int_equal(exported(scratch_path("run"), *format, on_file), SHOAL_OK);
        assert_int_equal(reported, strcmp(*format, "usda") == 0 ? 4 : 3); // and the stage of the layers
        snprintf(name, sizeof name, "run/export/small_000002.%s", *format);
        assert_true(shoal_path_exists(scratch_path(name)));
    }
    char*  bytes;
    size_t size;
    assert_int_equal(shoal_file_read(scratch_path("run/export/small_000000.csv"), &bytes, &size), SHOAL_OK);
    assert_memory_equal(bytes, "x,y,z,id,material,velocity_x,velocity_y,velocity_z,density\n0.025", 64);
    shoal_free(bytes);
}

static void a_single_frame_goes_to_its_run_or_beside_itself(void** state) {
    (void)state;
    assert_int_equal(exported(scratch_path("run/frames/small_000001.vtp"), "obj", NULL), SHOAL_OK);
    assert_true(shoal_path_exists(scratch_path("run/export/small_000001.obj")));
    char*  bytes;
    size_t size;
    assert_int_equal(shoal_file_read(scratch_path("run/frames/small_000001.vtp"), &bytes, &size), SHOAL_OK);
    assert_int_equal(shoal_folder_make(scratch_path("alone/frames")), SHOAL_OK);
    assert_int_equal(shoal_file_write(scratch_path("alone/frames/one.vtp"), bytes, size), SHOAL_OK);
    shoal_free(bytes);
    assert_int_equal(exported(scratch_path("alone/frames/one.vtp"), "csv", NULL), SHOAL_OK);
    assert_true(shoal_path_exists(scratch_path("alone/frames/one.csv")));
}

static void wrong_formats_and_places_are_reported(void** state) {
    (void)state;
    assert_int_equal(exported(scratch_path("run"), "plx", NULL), SHOAL_ERR_INPUT);
    assert_non_null(strstr(shoal_last_error(), "did you mean ply?"));
    assert_int_equal(exported(scratch_path("none"), "ply", NULL), SHOAL_ERR_FILE);
    assert_int_equal(exported(scratch, "ply", NULL), SHOAL_ERR_INPUT);
    assert_int_equal(exported(scratch_path("run/stats.csv"), "ply", NULL), SHOAL_ERR_INPUT);
    assert_int_equal(shoal_file_write(scratch_path("run/frames/small_000002.vtp"), "x", 1), SHOAL_OK);
    assert_int_equal(exported(scratch_path("run"), "ply", NULL), SHOAL_ERR_INPUT);
    assert_non_null(strstr(shoal_last_error(), "not all of its frames"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_run_is_exported_frame_by_frame),
        cmocka_unit_test(a_bad_frame_is_reported_and_the_others_are_exported),
        cmocka_unit_test(a_single_frame_goes_to_its_run_or_beside_itself),
        cmocka_unit_test(wrong_formats_and_places_are_reported),
    };
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
