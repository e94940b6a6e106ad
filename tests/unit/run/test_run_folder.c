// SPDX-License-Identifier: MIT
// Whose folder it is, and what may be removed there.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "run/run_local.h"
#include "scratch.h"

#include <string.h>

static void put(const char* name) { assert_int_equal(shoal_file_write(scratch_path(name), "x", 1), SHOAL_OK); }
static bool has(const char* name) { return shoal_path_exists(scratch_path(name)); }

static void stems_come_from_scene_paths(void** state) {
    (void)state;
    char stem[RUN_STEM_SIZE];
    run_stem("scenes/dam-break.yaml", stem), assert_string_equal(stem, "dam-break");
    run_stem("dam.break.json", stem), assert_string_equal(stem, "dam.break");
    run_stem("../plain", stem), assert_string_equal(stem, "plain");
    run_stem(".hidden", stem), assert_string_equal(stem, ".hidden");
    run_stem("folder/", stem), assert_string_equal(stem, "scene");
    shoal_run_def def = shoal_run_def_default();
    char          folder[100];
    shoal_run_folder(&def, "scenes/dam-break.yaml", folder, sizeof folder);
    assert_string_equal(folder, "out/dam-break");
}

static void force_removes_only_what_shoal_wrote(void** state) {
    (void)state;
    static const char* const ours[]    = {"f/frames/a_000001.vtp",
                                          "f/frames/a_000002.vtp.tmp",
                                          "f/checkpoints/a_000005.shoal",
                                          "f/checkpoints/a_diverged.shoal",
                                          "f/surface/water_000001.ply",
                                          "f/stats.csv",
                                          "f/probes.csv",
                                          "f/run.json",
                                          "f/run.json.tmp",
                                          "f/a.pvd",
                                          "f/b.pvd",
                                          "f/frames/b_000001.vtp"};
    static const char* const theirs[]  = {"f/frames/notes.txt", "f/frames/a_1.vtp",         "f/other.pvd",
                                          "f/film.mp4",         "f/checkpoints/mine.shoal", "f/export/a_000001.ply"};
    const char*              folders[] = {"f/frames", "f/checkpoints", "f/export", "f/surface"};
    for (int i = 0; i < 4; i++) assert_int_equal(shoal_folder_make(scratch_path(folders[i])), SHOAL_OK);
    for (size_t i = 0; i < sizeof ours / sizeof *ours; i++) put(ours[i]);
    for (size_t i = 0; i < sizeof theirs / sizeof *theirs; i++) put(theirs[i]);
    assert_int_equal(run_folder_clear(scratch_path("f"), "a"), SHOAL_OK);
    for (size_t i = 0; i < sizeof ours / sizeof *ours; i++)
        if (has(ours[i])) fail_msg("%s is still there", ours[i]);
    for (size_t i = 0; i < sizeof theirs / sizeof *theirs; i++)
        if (!has(theirs[i])) fail_msg("%s is gone", theirs[i]);
}

static void a_folder_tells_whose_run_it_holds(void** state) {
    (void)state;
    run_survey survey;
    assert_int_equal(run_folder_survey(scratch_path("nowhere"), "a", &survey), SHOAL_OK);
    assert_false(survey.holds_run);
    assert_int_equal(shoal_folder_make(scratch_path("g/frames")), SHOAL_OK);
    put("g/frames/readme.txt");
    assert_int_equal(run_folder_survey(scratch_path("g"), "a", &survey), SHOAL_OK);
    assert_false(survey.holds_run);
    put("g/frames/a_000000.vtp");
    assert_int_equal(run_folder_survey(scratch_path("g"), "a", &survey), SHOAL_OK);
    assert_true(survey.holds_run);
    assert_string_equal(survey.other_stem, "");
    assert_int_equal(run_folder_survey(scratch_path("g"), "b", &survey), SHOAL_OK);
    assert_string_equal(survey.other_stem, "a");
}

static void a_table_without_a_run_is_a_stranger(void** state) {
    (void)state;
    run_survey survey;
    assert_int_equal(shoal_folder_make(scratch_path("s")), SHOAL_OK);
    put("s/stats.csv");
    assert_int_equal(run_folder_survey(scratch_path("s"), "a", &survey), SHOAL_OK);
    assert_false(survey.holds_run);
    assert_string_equal(survey.stranger, "stats.csv");
    put("s/run.json");
    assert_int_equal(run_folder_survey(scratch_path("s"), "a", &survey), SHOAL_OK);
    assert_true(survey.holds_run);
    assert_null(survey.stranger);
}

static void cutting_drops_what_lies_after_the_checkpoint(void** state) {
    (void)state;
    run* r = shoal_alloc(1, sizeof *r);
    snprintf(r->folder, sizeof r->folder, "%s", scratch_path("h"));
    snprintf(r->stem, sizeof r->stem, "a");
    assert_int_equal(shoal_folder_make(scratch_path("h/frames")), SHOAL_OK);
    assert_int_equal(shoal_folder_make(scratch_path("h/checkpoints")), SHOAL_OK);
    put("h/frames/a_000005.vtp"), put("h/frames/a_000006.vtp"), put("h/frames/a_000003.vtp.tmp");
    put("h/checkpoints/a_000005.shoal"), put("h/checkpoints/a_000010.shoal"), put("h/stats.csv"), put("h/a.pvd.tmp");
    assert_int_equal(run_folder_cut(r, 5), SHOAL_OK);
    assert_true(has("h/frames/a_000005.vtp") && has("h/checkpoints/a_000005.shoal") && has("h/stats.csv"));
    assert_false(has("h/frames/a_000006.vtp") || has("h/frames/a_000003.vtp.tmp") ||
                 has("h/checkpoints/a_000010.shoal") || has("h/a.pvd.tmp"));
    shoal_free(r);
}

static void two_runs_cannot_write_one_folder(void** state) {
    (void)state;
    run *a = shoal_alloc(1, sizeof *a), *b = shoal_alloc(1, sizeof *b);
    a->lock = b->lock = -1;
    snprintf(a->folder, sizeof a->folder, "%s", scratch_path("l/deep"));
    snprintf(b->folder, sizeof b->folder, "%s", scratch_path("l/deep"));
    assert_false(run_folder_is_busy(a->folder));
    assert_int_equal(run_folder_open(a), SHOAL_OK);
    assert_true(run_folder_is_busy(a->folder));
    assert_int_equal(run_folder_open(b), SHOAL_ERR_INPUT);
    assert_non_null(strstr(shoal_last_error(), "another run"));
    run_folder_close(a);
    assert_int_equal(run_folder_open(b), SHOAL_OK);
    run_folder_close(b);
    assert_false(has("l/deep/.lock"));
    shoal_free(b);
    shoal_free(a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stems_come_from_scene_paths),
        cmocka_unit_test(force_removes_only_what_shoal_wrote),
        cmocka_unit_test(a_folder_tells_whose_run_it_holds),
        cmocka_unit_test(a_table_without_a_run_is_a_stranger),
        cmocka_unit_test(cutting_drops_what_lies_after_the_checkpoint),
        cmocka_unit_test(two_runs_cannot_write_one_folder),
    };
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
