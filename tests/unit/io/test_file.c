// SPDX-License-Identifier: MIT
// Files appear whole or not at all, and reading takes nothing for granted.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "io/file.h"
#include "scratch.h"

#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static void assert_content(const char* path, const char* text) {
    char*  bytes;
    size_t size;
    assert_int_equal(shoal_file_read(path, &bytes, &size), SHOAL_OK);
    assert_int_equal(size, strlen(text));
    assert_string_equal(bytes, text);
    shoal_free(bytes);
}

static void what_is_written_is_read_back(void** state) {
    (void)state;
    const char* path = scratch_path("a.txt");
    assert_int_equal(shoal_file_write(path, "hello", 5), SHOAL_OK);
    assert_content(path, "hello");
    assert_int_equal(shoal_file_write(path, "", 0), SHOAL_OK);
    assert_content(path, "");
    assert_false(shoal_path_exists(scratch_path("a.txt.tmp")));
}

static void large_pieces_and_small_ones_keep_their_order(void** state) {
    (void)state;
    size_t     size  = 300000;
    char*      bytes = shoal_alloc(size, 1);
    shoal_out* out   = shoal_alloc(1, sizeof *out);
    for (size_t i = 0; i < size; i++) bytes[i] = (char)(i * 2654435761u >> 13);
    shoal_out_begin(out, scratch_path("big"));
    for (size_t at = 0, step = 1; at < size; step = step * 3 % 70001 + 1) {
        size_t piece = step < size - at ? step : size - at;
        shoal_out_add(out, bytes + at, piece);
        at += piece;
    }
    assert_int_equal(shoal_out_end(out), SHOAL_OK);
    char*  back;
    size_t back_size;
    assert_int_equal(shoal_file_read(scratch_path("big"), &back, &back_size), SHOAL_OK);
    assert_int_equal(back_size, size);
    assert_memory_equal(back, bytes, size);
    shoal_free(back);
    shoal_free(out);
    shoal_free(bytes);
}

// A limit on the size of files stands for a full disk: write fails in the same way, with part of it
// written.
static void a_full_disk_leaves_the_old_file_and_nothing_else(void** state) {
    (void)state;
    const char*   path = scratch_path("kept.bin");
    struct rlimit before, small = {.rlim_cur = 4096, .rlim_max = RLIM_INFINITY};
    assert_int_equal(shoal_file_write(path, "old", 3), SHOAL_OK);
    char* many = shoal_alloc(200000, 1);
    getrlimit(RLIMIT_FSIZE, &before);
    small.rlim_max = before.rlim_max;
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &small);
    shoal_status status = shoal_file_write(path, many, 200000);
    setrlimit(RLIMIT_FSIZE, &before);
    assert_int_equal(status, SHOAL_ERR_OUTPUT);
    assert_non_null(strstr(shoal_last_error(), path));
    assert_non_null(strstr(shoal_last_error(), "too large"));
    assert_content(path, "old");
    assert_false(shoal_path_exists(scratch_path("kept.bin.tmp")));
    shoal_free(many);
}

static void a_place_that_cannot_be_written_is_named(void** state) {
    (void)state;
    assert_int_equal(shoal_file_write(scratch_path("no/such/folder"), "x", 1), SHOAL_ERR_OUTPUT);
    assert_non_null(strstr(shoal_last_error(), "no/such/folder"));
    assert_int_equal(shoal_file_write(scratch_path("plain"), "x", 1), SHOAL_OK);
    assert_int_equal(shoal_folder_make(scratch_path("plain/below")), SHOAL_ERR_OUTPUT);
    assert_int_equal(shoal_folder_make("/proc/shoal"), SHOAL_ERR_OUTPUT);
    if (geteuid() == 0) return; // root writes everywhere
    assert_int_equal(shoal_folder_make(scratch_path("shut")), SHOAL_OK);
    assert_int_equal(chmod(scratch_path("shut"), 0555), 0);
    assert_int_equal(shoal_file_write(scratch_path("shut/file"), "x", 1), SHOAL_ERR_OUTPUT);
}

static void an_aside_that_is_a_link_is_not_followed(void** state) {
    (void)state;
    assert_int_equal(shoal_file_write(scratch_path("target"), "safe", 4), SHOAL_OK);
    assert_int_equal(symlink(scratch_path("target"), scratch_path("new.tmp")), 0);
    assert_int_equal(shoal_file_write(scratch_path("new"), "other", 5), SHOAL_ERR_OUTPUT);
    assert_content(scratch_path("target"), "safe");
}

static void only_regular_files_are_read(void** state) {
    (void)state;
    char*  bytes;
    size_t size;
    assert_int_equal(shoal_file_read(scratch, &bytes, &size), SHOAL_ERR_FILE);
    assert_non_null(strstr(shoal_last_error(), "is a folder"));
    assert_int_equal(shoal_file_read("/dev/zero", &bytes, &size), SHOAL_ERR_FILE);
    assert_int_equal(mkfifo(scratch_path("pipe"), 0600), 0);
    assert_int_equal(shoal_file_read(scratch_path("pipe"), &bytes, &size), SHOAL_ERR_FILE);
    assert_int_equal(shoal_file_read(scratch_path("none"), &bytes, &size), SHOAL_ERR_FILE);
    assert_null(bytes);
}

static void folders_are_made_with_those_above(void** state) {
    (void)state;
    assert_int_equal(shoal_folder_make(scratch_path("a/b//c/")), SHOAL_OK);
    assert_true(shoal_path_is_folder(scratch_path("a/b/c")));
    assert_int_equal(shoal_folder_make(scratch_path("a/b/c")), SHOAL_OK);
}

static void names_come_sorted(void** state) {
    (void)state;
    shoal_names names;
    assert_int_equal(shoal_folder_make(scratch_path("list")), SHOAL_OK);
    assert_int_equal(shoal_file_write(scratch_path("list/b"), "", 0), SHOAL_OK);
    assert_int_equal(shoal_file_write(scratch_path("list/a"), "", 0), SHOAL_OK);
    assert_int_equal(shoal_folder_names(scratch_path("list"), &names), SHOAL_OK);
    assert_int_equal(names.count, 2);
    assert_string_equal(names.names[0], "a");
    shoal_names_free(&names);
    assert_int_equal(shoal_folder_names(scratch_path("nowhere"), &names), SHOAL_OK);
    assert_int_equal(names.count, 0);
}

static void numbered_names_are_known(void** state) {
    (void)state;
    size_t stem;
    int    number;
    assert_true(shoal_name_is_numbered("dam-break_000123.vtp", ".vtp", &stem, &number));
    assert_int_equal(stem, 9);
    assert_int_equal(number, 123);
    assert_false(shoal_name_is_numbered("dam-break_123.vtp", ".vtp", &stem, &number));
    assert_false(shoal_name_is_numbered("_000123.vtp", ".vtp", &stem, &number));
    assert_false(shoal_name_is_numbered("a_000123.vtp.tmp", ".vtp", &stem, &number));
    assert_false(shoal_name_is_numbered("a_0000000000000123.vtp", ".vtp", &stem, &number));
    assert_false(shoal_name_is_numbered("", ".vtp", &stem, &number));
}

static void what_another_process_is_writing_is_left_to_it(void** state) {
    (void)state;
    const char* path = scratch_path("both");
    char        aside[SHOAL_PATH_SIZE];
    struct stat info;
    snprintf(aside, sizeof aside, "%s.tmp", path);
    int other = open(aside, O_WRONLY | O_CREAT, 0666);
    assert_int_equal(write(other, "half", 4), 4);
    assert_int_equal(flock(other, LOCK_EX), 0);
    assert_int_equal(shoal_file_write(path, "mine", 4), SHOAL_ERR_OUTPUT);
    assert_non_null(strstr(shoal_last_error(), "another process is writing it"));
    assert_int_equal(stat(aside, &info), 0);
    assert_int_equal(info.st_size, 4);
    close(other);
    assert_int_equal(shoal_file_write(path, "mine", 4), SHOAL_OK); // left behind by one that was killed
    assert_content(path, "mine");
}

static void frames_of_scenes_with_dots_in_their_names_are_known(void** state) {
    (void)state;
    size_t      stem;
    int         number;
    const char* ending;
    assert_true(shoal_name_is_frame("plate_0.03_000012.vtp", &stem, &number, &ending));
    assert_int_equal(stem, 10);
    assert_int_equal(number, 12);
    assert_string_equal(ending, ".vtp");
    assert_true(shoal_name_is_frame("plate_0.03_000012.water.vtu", &stem, &number, &ending));
    assert_int_equal(stem, 10);
    assert_int_equal(number, 12);
    assert_string_equal(ending, ".water.vtu");
    assert_false(shoal_name_is_frame("plate_0.03_12.vtp", &stem, &number, &ending));
}

static void a_path_too_long_is_reported(void** state) {
    (void)state;
    char path[SHOAL_PATH_SIZE], *name = shoal_alloc(SHOAL_PATH_SIZE + 1, 1);
    memset(name, 'x', SHOAL_PATH_SIZE);
    assert_int_equal(shoal_path_make(path, "%s", name), SHOAL_ERR_INPUT);
    assert_int_equal(shoal_file_write(name, "", 0), SHOAL_ERR_OUTPUT);
    shoal_free(name);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_is_read_back),
        cmocka_unit_test(large_pieces_and_small_ones_keep_their_order),
        cmocka_unit_test(a_full_disk_leaves_the_old_file_and_nothing_else),
        cmocka_unit_test(a_place_that_cannot_be_written_is_named),
        cmocka_unit_test(an_aside_that_is_a_link_is_not_followed),
        cmocka_unit_test(only_regular_files_are_read),
        cmocka_unit_test(folders_are_made_with_those_above),
        cmocka_unit_test(names_come_sorted),
        cmocka_unit_test(numbered_names_are_known),
        cmocka_unit_test(what_another_process_is_writing_is_left_to_it),
        cmocka_unit_test(frames_of_scenes_with_dots_in_their_names_are_known),
        cmocka_unit_test(a_path_too_long_is_reported),
    };
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
