// SPDX-License-Identifier: MIT
// A run that is killed (SIGKILL) at any moment and resumed leaves the same bytes as one that never
// was: frames, list of frames, tables (but for step_ms, a wall-clock time), checkpoints and the
// hash of the last state.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "small_run.h"

#include <signal.h>
#include <sys/wait.h>
#include <time.h>

enum { MOMENTS = 20 };

static const char* const finer[][2] = {{"spacing", "0.03"}, {"frames", "12"}, {"output.checkpoint", "2"}};

// In a process of its own, so that each run starts from nothing and can be killed.
static pid_t start(const char* folder, bool resume, int threads) {
    pid_t child = fork();
    if (child != 0) return child;
    shoal_scene*  scene;
    shoal_run_def def    = small_def(folder);
    shoal_status  status = shoal_scene_parse(small_scene, sizeof small_scene - 1, "small.yaml", &scene);
    def.resume           = resume;
    def.sim.threads      = threads;
    for (int i = 0; i < 3 && status == SHOAL_OK; i++) status = shoal_scene_set_value(scene, finer[i][0], finer[i][1]);
    if (status == SHOAL_OK) status = shoal_run(&def, scene, "small.yaml");
    if (status != SHOAL_OK) fprintf(stderr, "%s\n", shoal_last_error());
    _exit(status == SHOAL_OK ? 0 : 1);
}

static int finish(pid_t child) {
    int how;
    assert_int_equal(waitpid(child, &how, 0), child);
    return WIFEXITED(how) ? WEXITSTATUS(how) : -1;
}

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void wait_seconds(double seconds) {
    struct timespec t = {(time_t)seconds, (long)((seconds - (double)(time_t)seconds) * 1e9)};
    nanosleep(&t, NULL);
}

static void state_hash(const char* folder, char out[17]) {
    char   path[200];
    char*  bytes;
    size_t size;
    snprintf(path, sizeof path, "%s/run.json", folder);
    assert_int_equal(shoal_file_read(path, &bytes, &size), SHOAL_OK);
    const char* at = strstr(bytes, "\"state\": \"");
    assert_non_null(at);
    snprintf(out, 17, "%.16s", at + 10);
    assert_non_null(strstr(bytes, "\"status\": \"done\""));
    shoal_free(bytes);
}

static void killed_runs_resume_to_the_same_bytes(void** state) {
    (void)state;
    char   straight[100], folder[100], hash[2][17];
    int    resumed = 0;
    double begin   = now();
    snprintf(straight, sizeof straight, "%s/straight", scratch);
    assert_int_equal(finish(start(straight, false, 1)), 0);
    double whole = now() - begin;
    state_hash(straight, hash[0]);

    uint64_t seed = (uint64_t)time(NULL); // any moments will do; those of a failure are printed
    for (int moment = 0; moment < MOMENTS; moment++) {
        double fraction = (double)((seed + (uint64_t)moment * 7919) % 1000) / 1000.0;
        snprintf(folder, sizeof folder, "%s/killed-%d", scratch, moment);
        int   threads = moment % 2 + 1; // other threads, same bits
        pid_t child   = start(folder, false, threads);
        wait_seconds(fraction * whole);
        kill(child, SIGKILL);
        bool was_killed = finish(child) == -1;
        // some are killed twice: a resumed run must be as safe as a first one
        if (moment % 4 == 3 && was_killed) {
            child = start(folder, true, threads);
            wait_seconds(0.5 * (1.0 - fraction) * whole);
            kill(child, SIGKILL);
            finish(child);
        }
        resumed += was_killed;
        if (finish(start(folder, true, 1)) != 0) fail_msg("killed at %.3f of %.3f s: resume failed", fraction, whole);
        const char* difference = small_difference(straight, folder);
        if (difference[0]) fail_msg("killed at %.3f of %.3f s: %s differs", fraction, whole, difference);
        state_hash(folder, hash[1]);
        assert_string_equal(hash[0], hash[1]);
    }
    assert_true(resumed > MOMENTS / 4);
}

static void copy_file(const char* from, const char* to, const char* word, const char* other) {
    char*  bytes;
    size_t size;
    assert_int_equal(shoal_file_read(from, &bytes, &size), SHOAL_OK);
    char* at = word ? strstr(bytes, word) : NULL;
    if (word) assert_non_null(at);
    if (word) memcpy(at, other, strlen(other));
    FILE* file = fopen(to, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    fclose(file);
    shoal_free(bytes);
}

// Moments too short to be met by chance: after the last checkpoint but before an older one is removed, and after the
// end but before the lock is.
static void what_a_kill_leaves_at_the_end_is_taken_away(void** state) {
    (void)state;
    char folder[100], straight[100], from[200], to[200];
    snprintf(straight, sizeof straight, "%s/unbroken", scratch);
    assert_int_equal(finish(start(straight, false, 1)), 0);
    snprintf(folder, sizeof folder, "%s/ended", scratch);
    assert_int_equal(finish(start(folder, false, 1)), 0);
    snprintf(to, sizeof to, "%s/.lock", folder);
    fclose(fopen(to, "wb"));
    assert_int_equal(finish(start(folder, true, 1)), 0);
    assert_false(shoal_path_exists(to));

    snprintf(from, sizeof from, "%s/checkpoints/small_000012.shoal", folder);
    snprintf(to, sizeof to, "%s/checkpoints/small_000008.shoal", folder);
    copy_file(from, to, NULL, NULL);
    snprintf(from, sizeof from, "%s/run.json", folder);
    copy_file(from, from, "\"done\"", "\"lost\"");
    assert_int_equal(finish(start(folder, true, 1)), 0);
    assert_false(shoal_path_exists(to));
    assert_string_equal(small_difference(straight, folder), "");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(killed_runs_resume_to_the_same_bytes),
        cmocka_unit_test(what_a_kill_leaves_at_the_end_is_taken_away),
    };
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
