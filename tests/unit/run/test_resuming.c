// SPDX-License-Identifier: MIT
// Resume case by case; killed at random moments: tests/same/test_resume.c.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "io/checkpoint.h"
#include "small_run.h"

#include <math.h>

static const char* straight(void) {
    static char folder[128];
    if (folder[0]) return folder;
    snprintf(folder, sizeof folder, "%s/straight", scratch);
    shoal_run_def def = small_def(folder);
    assert_int_equal(small_run(&def, NULL, NULL), SHOAL_OK);
    return folder;
}

// Runs to a frame, and stands there as a killed run would: with newer leftovers.
static shoal_run_def stopped_at(const char* folder, int last) {
    shoal_run_def def = small_def(folder);
    def.last          = last;
    assert_int_equal(small_run(&def, NULL, NULL), SHOAL_OK);
    def.last   = -1;
    def.resume = true;
    return def;
}

static bool stop_after(void* user) { return --*(int*)user < 0; }

static void an_interrupted_run_goes_on_in_the_middle_of_a_frame(void** state) {
    (void)state;
    for (int substeps = 0; substeps < 30; substeps += 4) {
        char folder[128];
        snprintf(folder, sizeof folder, "%s/cut-%d", scratch, substeps);
        shoal_run_def def  = small_def(folder);
        int           left = substeps;
        def.stop           = stop_after;
        def.user           = &left;
        assert_int_equal(small_run(&def, NULL, NULL), SHOAL_ERR_INTERRUPTED);
        assert_non_null(strstr(shoal_last_error(), "--resume"));
        def.stop   = NULL;
        def.resume = true;
        assert_int_equal(small_run(&def, NULL, NULL), SHOAL_OK);
        assert_non_null(strstr(small_notes, "resumed"));
        // the checkpoint of the interruption may be among the last two: it is not in the straight
        // run
        if (substeps < 20) assert_string_equal(small_difference(straight(), folder), "");
    }
}

static void leftovers_and_later_rows_are_dropped(void** state) {
    (void)state;
    char                     folder[128], path[200];
    shoal_run_def            def     = stopped_at(strcpy(folder, scratch_path("left")), 6);
    static const char* const extra[] = {"frames/small_000007.vtp", "frames/small_000008.vtp.tmp", "run.json.tmp",
                                        "checkpoints/small_000009.shoal.tmp", "small.pvd.tmp"};
    for (int i = 0; i < 5; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, extra[i]);
        assert_int_equal(shoal_file_write(path, "rubbish", 7), SHOAL_OK);
    }
    FILE* stats  = fopen(scratch_path("left/stats.csv"), "a");
    FILE* probes = fopen(scratch_path("left/probes.csv"), "a");
    fprintf(stats, "7,0.233333333,3,9999\n8,0.26,3,99"); // a whole row too many, and half a row
    fprintf(probes, "0.233333333,1,2\n0.2");
    fclose(stats), fclose(probes);
    assert_int_equal(small_run(&def, NULL, NULL), SHOAL_OK);
    assert_string_equal(small_difference(straight(), folder), "");
}

static void a_damaged_newest_checkpoint_gives_way_to_the_older_one(void** state) {
    (void)state;
    char          folder[128];
    shoal_run_def def  = stopped_at(strcpy(folder, scratch_path("damaged")), 6); // checkpoints 3 and 6
    const char*   path = scratch_path("damaged/checkpoints/small_000006.shoal");
    char*         bytes;
    size_t        size;
    assert_int_equal(shoal_file_read(path, &bytes, &size), SHOAL_OK);
    assert_int_equal(shoal_file_write(path, bytes, size / 2), SHOAL_OK);
    shoal_free(bytes);
    assert_int_equal(small_run(&def, NULL, NULL), SHOAL_OK);
    assert_non_null(strstr(small_notes, "small_000006.shoal"));
    assert_non_null(strstr(small_notes, "resumed at frame 3"));
    assert_string_equal(small_difference(straight(), folder), "");
}

static void without_a_good_checkpoint_nothing_is_touched(void** state) {
    (void)state;
    char          folder[128];
    shoal_run_def def = stopped_at(strcpy(folder, scratch_path("bad")), 6);
    assert_int_equal(shoal_file_write(scratch_path("bad/checkpoints/small_000003.shoal"), "x", 1), SHOAL_OK);
    assert_int_equal(shoal_file_write(scratch_path("bad/checkpoints/small_000006.shoal"), "x", 1), SHOAL_OK);
    assert_int_equal(small_run(&def, NULL, NULL), SHOAL_ERR_INPUT);
    assert_non_null(strstr(shoal_last_error(), "--force"));
    assert_true(shoal_path_exists(scratch_path("bad/frames/small_000006.vtp")));
}

static void without_folder_or_checkpoint_it_starts_at_frame_0_with_a_note(void** state) {
    (void)state;
    char          folder[128];
    shoal_run_def def = small_def(strcpy(folder, scratch_path("fresh")));
    def.resume        = true;
    assert_int_equal(small_run(&def, NULL, NULL), SHOAL_OK);
    assert_non_null(strstr(small_notes, "frame 0"));
    assert_string_equal(small_difference(straight(), folder), "");
}

// In frame 5 the obstacle is sent away, and gravity turns.
static void touch(shoal_sim* sim, int frame, void* user) {
    (void)user;
    if (frame != 5) return;
    assert_int_equal(shoal_sim_move_obstacle(sim, "obstacles.0", &(shoal_pose){.at = {0.7, 0.4, 0.2}}, 0.1), SHOAL_OK);
    assert_int_equal(shoal_sim_set_gravity(sim, (double[]){2.0, -9.0, 0.0}), SHOAL_OK);
}

// Stopped after what was done, it goes on without it being done again.
static void a_touched_run_says_so_and_resumes_with_what_was_done(void** state) {
    (void)state;
    char          whole[128], folder[128];
    shoal_run_def def = small_def(strcpy(whole, scratch_path("touched")));
    def.touch         = touch;
    assert_int_equal(small_run(&def, NULL, NULL), SHOAL_OK);
    def.folder = strcpy(folder, scratch_path("touched-twice"));
    assert_int_equal(small_run(&def, "frames", "6"), SHOAL_OK);
    def.touch  = NULL;
    def.resume = true;
    assert_int_equal(small_run(&def, NULL, NULL), SHOAL_OK);
    assert_string_equal(small_difference(whole, folder), "");
    assert_string_not_equal(small_difference(straight(), folder), "");
    char*  bytes;
    size_t size;
    assert_int_equal(shoal_file_read(scratch_path("touched-twice/run.json"), &bytes, &size), SHOAL_OK);
    assert_non_null(strstr(bytes, "\"touched\": {\"set_gravity\": 1, \"move_obstacle\": 1}"));
    shoal_free(bytes);
}

static void lose(const char* folder, int frame) {
    char path[200];
    snprintf(path, sizeof path, "%s/frames/small_%06d.vtp", folder, frame);
    assert_int_equal(remove(path), 0);
}

// Stopped at any moment on its way to a lost frame, it makes that again all the same.
static void what_was_lost_is_made_again_however_often_that_is_stopped(void** state) {
    (void)state;
    char          folder[128];
    shoal_run_def def = small_def(strcpy(folder, scratch_path("lost")));
    assert_int_equal(small_run(&def, NULL, NULL), SHOAL_OK);
    lose(folder, 4);
    def.resume = true;
    def.stop   = stop_after;
    for (int substeps = 0; substeps < 12; substeps += 5) {
        int left   = substeps;
        def.folder = folder;
        def.user   = &left;
        assert_int_equal(small_run(&def, NULL, NULL), SHOAL_ERR_INTERRUPTED);
        assert_non_null(strstr(shoal_last_error(), "lost are made again; go on with --resume"));
    }
    def.stop = NULL;
    assert_int_equal(small_run(&def, NULL, NULL), SHOAL_OK);
    assert_string_equal(small_difference(straight(), folder), "");
}

// What hands did cannot be done again: it goes on without what is lost, unless the caller does it anew.
static void a_touched_run_makes_nothing_up(void** state) {
    (void)state;
    char          whole[128], folder[128];
    shoal_run_def def = small_def(strcpy(whole, scratch_path("hand")));
    def.touch         = touch;
    assert_int_equal(small_run(&def, NULL, NULL), SHOAL_OK);
    def.folder = strcpy(folder, scratch_path("hand-lost"));
    assert_int_equal(small_run(&def, NULL, NULL), SHOAL_OK);
    lose(folder, 6);
    def.resume = true;
    assert_int_equal(small_run(&def, NULL, NULL), SHOAL_OK);
    assert_string_equal(small_difference(whole, folder), "");
    lose(folder, 6);
    def.touch = NULL;
    assert_int_equal(small_run(&def, NULL, NULL), SHOAL_OK);
    char path[200];
    snprintf(path, sizeof path, "%s/frames/small_000006.vtp", folder);
    assert_false(shoal_path_exists(path));
}

static void assert_same_frame(const char* a, const char* b, int frame) {
    const char* folders[2] = {a, b};
    char*       bytes[2];
    size_t      size[2];
    for (int k = 0; k < 2; k++) {
        char path[200];
        snprintf(path, sizeof path, "%s/frames/small_%06d.vtp", folders[k], frame);
        assert_int_equal(shoal_file_read(path, &bytes[k], &size[k]), SHOAL_OK);
    }
    assert_int_equal(size[0], size[1]);
    assert_memory_equal(bytes[0], bytes[1], size[0]);
    shoal_free(bytes[0]);
    shoal_free(bytes[1]);
}

// A frame is lost between its two checkpoints, at frames 3 and 6, and hands have acted in frame 5: the older one would
// make that frame again, and forget what they did.
static void what_hands_did_outweighs_a_lost_frame(void** state) {
    (void)state;
    char          whole[128], folder[128], path[200];
    shoal_run_def def = small_def(strcpy(whole, scratch_path("hands")));
    def.touch         = touch;
    assert_int_equal(small_run(&def, NULL, NULL), SHOAL_OK);
    def.folder = strcpy(folder, scratch_path("hands-lost"));
    assert_int_equal(small_run(&def, "frames", "6"), SHOAL_OK);
    lose(folder, 4);
    def.touch  = NULL;
    def.resume = true;
    assert_int_equal(small_run(&def, NULL, NULL), SHOAL_OK);
    assert_non_null(strstr(small_notes, "resumed at frame 6"));
    assert_same_frame(whole, folder, 10);
    snprintf(path, sizeof path, "%s/frames/small_000004.vtp", folder);
    assert_false(shoal_path_exists(path));
}

// Nothing was done after the older checkpoint, of frame 6: it makes what is lost again.
static void a_lost_frame_after_the_last_touch_is_made_again(void** state) {
    (void)state;
    char          whole[128], folder[128];
    shoal_run_def def = small_def(strcpy(whole, scratch_path("hands-early")));
    def.touch         = touch;
    assert_int_equal(small_run(&def, NULL, NULL), SHOAL_OK);
    def.folder = strcpy(folder, scratch_path("hands-early-lost"));
    assert_int_equal(small_run(&def, "frames", "9"), SHOAL_OK);
    lose(folder, 8);
    def.touch  = NULL;
    def.resume = true;
    assert_int_equal(small_run(&def, NULL, NULL), SHOAL_OK);
    assert_string_equal(small_difference(whole, folder), "");
}

static void touch_of_a_hand(shoal_sim* sim, int frame, void* user) {
    (void)user;
    assert_true(frame > 8);
    assert_int_equal(shoal_sim_set_gravity(sim, (double[]){2.0, -9.0, 0.0}), SHOAL_OK);
}

// Frames that were lost are made again without a hand, which acts from where the run goes on.
static void a_hand_does_not_touch_what_is_made_again(void** state) {
    (void)state;
    char          folder[128];
    shoal_run_def def = small_def(strcpy(folder, scratch_path("hand-again")));
    assert_int_equal(small_run(&def, "frames", "8"), SHOAL_OK);
    lose(folder, 4);
    def.resume          = true;
    def.touch           = touch_of_a_hand;
    def.touch_is_a_hand = true;
    assert_int_equal(small_run(&def, NULL, NULL), SHOAL_OK);
    char path[200];
    snprintf(path, sizeof path, "%s/frames/small_000004.vtp", folder);
    assert_true(shoal_path_exists(path));
    // now it is a touched one
    lose(folder, 4);
    assert_int_equal(small_run(&def, "frames", "12"), SHOAL_OK);
    assert_false(shoal_path_exists(path));
}

static void a_finished_run_says_so(void** state) {
    (void)state;
    shoal_run_def def = small_def(straight());
    def.resume        = true;
    assert_int_equal(small_run(&def, NULL, NULL), SHOAL_OK);
    assert_non_null(strstr(small_notes, "finished"));
    def.last = 5;
    assert_int_equal(small_run(&def, NULL, NULL), SHOAL_OK);
    assert_non_null(strstr(small_notes, "finished"));
    assert_true(shoal_path_exists(scratch_path("straight/frames/small_000010.vtp")));
}

static void only_frames_threads_and_output_may_change(void** state) {
    (void)state;
    shoal_run_def            def          = stopped_at(scratch_path("change"), 4);
    static const char* const changes[][2] = {{"pbf.iterations", "4"},
                                             {"spacing", "0.1"},
                                             {"gravity", "[0, -1, 0]"},
                                             {"bodies.0.velocity", "[1, 0, 0]"},
                                             {"fps", "25"}};
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        def.folder = scratch_path("change");
        assert_int_equal(small_run(&def, changes[i][0], changes[i][1]), SHOAL_ERR_INPUT);
        if (!strstr(shoal_last_error(), changes[i][0])) fail_msg("%s: %s", changes[i][0], shoal_last_error());
    }
    def.folder      = scratch_path("change");
    def.sim.threads = 2;
    assert_int_equal(small_run(&def, "output", "{checkpoint: 2, fields: [pressure]}"), SHOAL_OK);
    def.folder = scratch_path("change");
    assert_int_equal(small_run(&def, "frames", "12"), SHOAL_OK);
    assert_true(shoal_path_exists(scratch_path("change/frames/small_000012.vtp")));
    // and a finished run is not finished for another scene
    def.folder = scratch_path("change");
    assert_int_equal(small_run(&def, "seed", "5"), SHOAL_ERR_INPUT);
}

static void more_frames_continue_a_finished_run(void** state) {
    (void)state;
    char          folder[128];
    shoal_run_def def = stopped_at(strcpy(folder, scratch_path("more")), 7);
    assert_int_equal(small_run(&def, NULL, NULL), SHOAL_OK);
    assert_string_equal(small_difference(straight(), folder), "");
}

static void frames_before_the_checkpoints_are_not_bought_with_later_ones(void** state) {
    (void)state;
    shoal_run_def def = small_def(scratch_path("later"));
    def.first = 8, def.last = 10;
    assert_int_equal(small_run(&def, NULL, NULL), SHOAL_OK);
    def.folder = scratch_path("later");
    def.resume = true;
    def.first = 2, def.last = 4;
    assert_int_equal(small_run(&def, NULL, NULL), SHOAL_ERR_INPUT);
    assert_true(shoal_path_exists(scratch_path("later/frames/small_000009.vtp")));
    def.folder = scratch_path("later");
    def.first = 9, def.last = 12; // from the checkpoint of frame 10
    assert_int_equal(small_run(&def, NULL, NULL), SHOAL_OK);
    assert_true(shoal_path_exists(scratch_path("later/frames/small_000012.vtp")));
}

static void output_may_be_denser_or_sparser_after_a_resume(void** state) {
    (void)state;
    shoal_run_def def = small_def(scratch_path("denser"));
    def.last          = 6;
    assert_int_equal(small_run(&def, "output.every", "4"), SHOAL_OK);
    def.folder = scratch_path("denser");
    def.last   = 8;
    def.resume = true;
    assert_int_equal(small_run(&def, NULL, NULL), SHOAL_OK);
    shoal_names names;
    assert_int_equal(shoal_folder_names(scratch_path("denser/frames"), &names), SHOAL_OK);
    assert_int_equal(names.count, 5); // 0, 4, then 6 (its checkpoint is at hand), 7, 8
    shoal_names_free(&names);
}

static void a_run_that_began_later_is_not_finished_for_one_from_the_start(void** state) {
    (void)state;
    shoal_run_def def = small_def(scratch_path("began"));
    def.first         = 8;
    assert_int_equal(small_run(&def, NULL, NULL), SHOAL_OK);
    def.folder = scratch_path("began");
    def.first  = -1;
    def.resume = true;
    assert_int_equal(small_run(&def, NULL, NULL), SHOAL_ERR_INPUT);
    assert_non_null(strstr(shoal_last_error(), "0..10"));
}

static void a_folder_of_another_scene_is_refused(void** state) {
    (void)state;
    assert_int_equal(shoal_folder_make(scratch_path("other/frames")), SHOAL_OK);
    assert_int_equal(shoal_file_write(scratch_path("other/frames/tank_000000.vtp"), "x", 1), SHOAL_OK);
    shoal_run_def def = small_def(scratch_path("other"));
    def.resume        = true;
    assert_int_equal(small_run(&def, NULL, NULL), SHOAL_ERR_INPUT);
    assert_non_null(strstr(shoal_last_error(), "tank"));
}

// No scene that passes the check diverges for sure, so a particle of a saved state is made absurdly fast.
static void a_diverged_run_keeps_its_frames_and_its_last_good_state(void** state) {
    (void)state;
    shoal_run_def    def = stopped_at(scratch_path("diverge"), 6);
    shoal_checkpoint c;
    char             path[200];
    snprintf(path, sizeof path, "%s", scratch_path("diverge/checkpoints/small_000006.shoal"));
    assert_int_equal(shoal_checkpoint_load(path, &c), SHOAL_OK);
    char* velocity = memmem(c.state, c.state_size, "velocity", 8);
    assert_non_null(velocity);
    const float absurd = 1e30f;
    memcpy(velocity + 40 + 12 * 7, &absurd, sizeof absurd); // after the field's head of 40 bytes
    assert_int_equal(shoal_checkpoint_save(&c, path), SHOAL_OK);
    shoal_checkpoint_free(&c);

    def.folder = scratch_path("diverge");
    assert_int_equal(small_run(&def, NULL, NULL), SHOAL_ERR_DIVERGE);
    assert_non_null(strstr(shoal_last_error(), "t = 0.2"));
    assert_non_null(strstr(shoal_last_error(), "particle"));
    assert_true(shoal_path_exists(scratch_path("diverge/checkpoints/small_diverged.shoal")));
    assert_true(shoal_path_exists(scratch_path("diverge/frames/small_000006.vtp")));
    assert_false(shoal_path_exists(scratch_path("diverge/frames/small_000007.vtp")));
    char*  json;
    size_t size;
    assert_int_equal(shoal_file_read(scratch_path("diverge/run.json"), &json, &size), SHOAL_OK);
    assert_non_null(strstr(json, "\"status\": \"diverged\""));
    shoal_free(json);
}

static void a_mesh_file_changed_under_its_name_is_noticed(void** state) {
    (void)state;
    static const char* const shapes[] = {
        "v 0 0 0\nv 0.2 0 0\nv 0 0.2 0\nv 0 0 0.2\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n",
        "v 0 0 0\nv 0.3 0 0\nv 0 0.2 0\nv 0 0 0.2\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n"};
    char value[200];
    snprintf(value, sizeof value, "[{mesh: %s, at: [0.7, 0, 0.1]}]", scratch_path("rock.obj"));
    shoal_run_def def = small_def(scratch_path("mesh"));
    def.last          = 1;
    for (int i = 0; i < 2; i++) {
        assert_int_equal(shoal_file_write(scratch_path("rock.obj"), shapes[i], strlen(shapes[i])), SHOAL_OK);
        def.folder = scratch_path("mesh");
        assert_int_equal(small_run(&def, "obstacles", value), i == 0 ? SHOAL_OK : SHOAL_ERR_INPUT);
        def.resume = true;
        def.last   = 2;
    }
    assert_non_null(strstr(shoal_last_error(), "obstacles.0.mesh.content"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_interrupted_run_goes_on_in_the_middle_of_a_frame),
        cmocka_unit_test(leftovers_and_later_rows_are_dropped),
        cmocka_unit_test(a_damaged_newest_checkpoint_gives_way_to_the_older_one),
        cmocka_unit_test(without_a_good_checkpoint_nothing_is_touched),
        cmocka_unit_test(without_folder_or_checkpoint_it_starts_at_frame_0_with_a_note),
        cmocka_unit_test(a_touched_run_says_so_and_resumes_with_what_was_done),
        cmocka_unit_test(what_was_lost_is_made_again_however_often_that_is_stopped),
        cmocka_unit_test(a_touched_run_makes_nothing_up),
        cmocka_unit_test(what_hands_did_outweighs_a_lost_frame),
        cmocka_unit_test(a_lost_frame_after_the_last_touch_is_made_again),
        cmocka_unit_test(a_hand_does_not_touch_what_is_made_again),
        cmocka_unit_test(a_finished_run_says_so),
        cmocka_unit_test(only_frames_threads_and_output_may_change),
        cmocka_unit_test(more_frames_continue_a_finished_run),
        cmocka_unit_test(frames_before_the_checkpoints_are_not_bought_with_later_ones),
        cmocka_unit_test(output_may_be_denser_or_sparser_after_a_resume),
        cmocka_unit_test(a_run_that_began_later_is_not_finished_for_one_from_the_start),
        cmocka_unit_test(a_folder_of_another_scene_is_refused),
        cmocka_unit_test(a_diverged_run_keeps_its_frames_and_its_last_good_state),
        cmocka_unit_test(a_mesh_file_changed_under_its_name_is_noticed),
    };
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
