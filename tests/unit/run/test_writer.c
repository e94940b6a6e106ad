// SPDX-License-Identifier: MIT
// The background thread: order, rotation, failures.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "run/run_local.h"
#include "scratch.h"

#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>

static run_csv csvs[RUN_CSV_COUNT];

static run_job* file_job(const char* name, const char* text) {
    run_job* job = run_job_create(RUN_JOB_FILE);
    snprintf(job->path, sizeof job->path, "%s", scratch_path(name));
    shoal_text_add(&job->text, "%s", text);
    return job;
}

static run_job* row_job(const char* text) {
    run_job* job = run_job_create(RUN_JOB_ROW);
    job->csv     = &csvs[RUN_STATS];
    shoal_text_add(&job->text, "%s", text);
    return job;
}

static run_job* checkpoint_job(int frame) {
    run_job* job               = run_job_create(RUN_JOB_CHECKPOINT);
    job->checkpoint.frame      = frame;
    job->checkpoint.scene      = shoal_strdup("spacing = 1\n");
    job->checkpoint.state      = shoal_alloc(100, 1);
    job->checkpoint.state_size = 100;
    snprintf(job->path, sizeof job->path, "%s/checkpoints/s_%06d.shoal", scratch, frame);
    return job;
}

static void csv_begin(const char* name) {
    csvs[RUN_PROBES].file = -1;
    snprintf(csvs[RUN_STATS].path, SHOAL_PATH_SIZE, "%s", scratch_path(name));
    csvs[RUN_STATS].length = 0;
    csvs[RUN_STATS].file   = open(csvs[RUN_STATS].path, O_WRONLY | O_CREAT | O_APPEND, 0666);
    assert_true(csvs[RUN_STATS].file >= 0);
}

static void assert_content(const char* path, const char* text) {
    char*  bytes;
    size_t size;
    assert_int_equal(shoal_file_read(path, &bytes, &size), SHOAL_OK);
    assert_string_equal(bytes, text);
    shoal_free(bytes);
}

static void jobs_are_done_in_the_order_they_came(void** state) {
    (void)state;
    run_writer* writer;
    csv_begin("order.csv");
    assert_int_equal(run_writer_create(csvs, &writer), SHOAL_OK);
    for (int i = 0; i < 50; i++) {
        char text[16];
        snprintf(text, sizeof text, "%d\n", i);
        assert_int_equal(run_writer_push(writer, row_job(text)), SHOAL_OK);
        assert_int_equal(run_writer_push(writer, file_job("last", text)), SHOAL_OK);
    }
    assert_int_equal(run_writer_drain(writer), SHOAL_OK);
    assert_content(scratch_path("last"), "49\n");
    char*  bytes;
    size_t size;
    assert_int_equal(shoal_file_read(csvs[RUN_STATS].path, &bytes, &size), SHOAL_OK);
    assert_int_equal(size, 10 * 2 + 40 * 3);
    assert_memory_equal(bytes, "0\n1\n2\n", 6);
    assert_int_equal((int64_t)size, csvs[RUN_STATS].length);
    shoal_free(bytes);
    run_writer_destroy(writer);
    close(csvs[RUN_STATS].file);
}

static void the_two_newest_checkpoints_are_kept(void** state) {
    (void)state;
    run_writer* writer;
    shoal_names names;
    csv_begin("rotation.csv");
    assert_int_equal(shoal_folder_make(scratch_path("checkpoints")), SHOAL_OK);
    assert_int_equal(shoal_file_write(scratch_path("checkpoints/other_000001.shoal"), "", 0), SHOAL_OK);
    assert_int_equal(shoal_file_write(scratch_path("checkpoints/s_diverged.shoal"), "", 0), SHOAL_OK);
    assert_int_equal(run_writer_create(csvs, &writer), SHOAL_OK);
    for (int frame = 5; frame <= 30; frame += 5)
        assert_int_equal(run_writer_push(writer, checkpoint_job(frame)), SHOAL_OK);
    assert_int_equal(run_writer_drain(writer), SHOAL_OK);
    assert_int_equal(shoal_folder_names(scratch_path("checkpoints"), &names), SHOAL_OK);
    assert_int_equal(names.count, 4);
    assert_string_equal(names.names[0], "other_000001.shoal");
    assert_string_equal(names.names[1], "s_000025.shoal");
    assert_string_equal(names.names[2], "s_000030.shoal");
    shoal_names_free(&names);
    run_writer_destroy(writer);
    close(csvs[RUN_STATS].file);
}

static void after_a_failure_nothing_newer_appears_and_the_path_is_reported(void** state) {
    (void)state;
    run_writer* writer;
    csv_begin("fail.csv");
    assert_int_equal(run_writer_create(csvs, &writer), SHOAL_OK);
    assert_int_equal(run_writer_push(writer, file_job("before", "x")), SHOAL_OK);
    assert_int_equal(run_writer_push(writer, file_job("no/folder/here", "x")), SHOAL_OK);
    run_writer_push(writer, file_job("after", "x"));
    assert_int_equal(run_writer_drain(writer), SHOAL_ERR_OUTPUT);
    assert_non_null(strstr(shoal_last_error(), "no/folder/here"));
    assert_int_equal(run_writer_push(writer, file_job("after", "x")), SHOAL_ERR_OUTPUT);
    assert_non_null(strstr(shoal_last_error(), "No such file"));
    assert_true(shoal_path_exists(scratch_path("before")));
    assert_false(shoal_path_exists(scratch_path("after")));
    run_writer_destroy(writer);
    close(csvs[RUN_STATS].file);
}

// A limit on file sizes stands for a full disk.
static void a_row_that_does_not_fit_on_the_disk_is_taken_back(void** state) {
    (void)state;
    run_writer*   writer;
    struct rlimit before, small;
    csv_begin("full.csv");
    getrlimit(RLIMIT_FSIZE, &before);
    small = (struct rlimit){.rlim_cur = 10, .rlim_max = before.rlim_max};
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(run_writer_create(csvs, &writer), SHOAL_OK);
    assert_int_equal(run_writer_push(writer, row_job("1,2,3\n")), SHOAL_OK);
    assert_int_equal(run_writer_drain(writer), SHOAL_OK);
    setrlimit(RLIMIT_FSIZE, &small);
    run_writer_push(writer, row_job("4,5,6\n"));
    shoal_status status = run_writer_drain(writer);
    setrlimit(RLIMIT_FSIZE, &before);
    assert_int_equal(status, SHOAL_ERR_OUTPUT);
    assert_content(scratch_path("full.csv"), "1,2,3\n");
    run_writer_destroy(writer);
    close(csvs[RUN_STATS].file);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(jobs_are_done_in_the_order_they_came),
        cmocka_unit_test(the_two_newest_checkpoints_are_kept),
        cmocka_unit_test(after_a_failure_nothing_newer_appears_and_the_path_is_reported),
        cmocka_unit_test(a_row_that_does_not_fit_on_the_disk_is_taken_back),
    };
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
