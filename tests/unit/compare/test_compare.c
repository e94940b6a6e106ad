// SPDX-License-Identifier: MIT
// A comparison as a program uses it: what it calls back, and a variant that diverges.
#include "unit/check.h"

#include "io/checkpoint.h"
#include "io/file.h"
#include "shoal/compare.h"
#include "unit/io/scratch.h"

static const char scene_text[] = "name: small\nframes: 3\nfps: 60\nspacing: 0.1\n"
                                 "domain: {min: [0, 0, 0], max: [1, 1, 1]}\n"
                                 "bodies: [{material: water, box: {min: [0, 0, 0], max: [0.5, 0.5, 0.5]}}]\n"
                                 "pbf: {substeps: 2}\n";

typedef struct heard {
    int          begun, frames, faults, done;
    shoal_status status[4];
    int          last[4];
    char         table[4096];
} heard;

static void on_begin(int index, const shoal_variant* variant, void* user) {
    heard* h = user;
    assert_int_equal(index, h->begun++);
    assert_non_null(variant->name);
}

static void on_progress(int index, const shoal_progress* now, void* user) {
    heard* h = user;
    assert_int_equal(index, h->begun - 1);
    h->frames += now->frame > 0;
}

static void on_fault(const char* variant, const char* message, void* user) {
    heard* h = user;
    h->faults++;
    assert_true(variant[0] && message[0]);
}

static void on_done(int index, const shoal_compare_row* row, void* user) {
    heard* h         = user;
    h->status[index] = row->status;
    h->last[index]   = row->frames;
    h->done++;
}

static void on_table(const char* text, void* user) {
    heard* h = user;
    snprintf(h->table, sizeof h->table, "%s", text);
}

static const char* const   soft[]     = {"pbf.iterations=2", NULL};
static const shoal_variant variants[] = {
    {"wild", NULL, NULL},
    {"soft", "pbf", soft},
};

static shoal_status compare(int last, heard* h) {
    char scene[SHOAL_PATH_SIZE];
    *h = (heard){0};
    snprintf(scene, sizeof scene, "%s", scratch_path("small.yaml"));
    CHECK_OK(shoal_file_write(scene, scene_text, sizeof scene_text - 1));
    shoal_compare_def def = shoal_compare_def_default();
    def.folder            = scratch_path("made");
    def.variants          = variants;
    def.variant_count     = 2;
    def.last              = last;
    def.threads           = 1;
    def.begin             = on_begin;
    def.progress          = on_progress;
    def.fault             = on_fault;
    def.done              = on_done;
    def.table             = on_table;
    def.user              = h;
    return shoal_compare(&def, scene);
}

// No scene that passes the check diverges for sure, so a particle of a saved state is made absurdly
// fast.
static void make_absurd(const char* path) {
    shoal_checkpoint c;
    const float      absurd = 1e30f;
    CHECK_OK(shoal_checkpoint_load(path, &c));
    char* velocity = memmem(c.state, c.state_size, "velocity", 8);
    assert_non_null(velocity);
    memcpy(velocity + 40 + 12 * 7, &absurd, sizeof absurd); // after the field's head of 40 bytes
    CHECK_OK(shoal_checkpoint_save(&c, path));
    shoal_checkpoint_free(&c);
}

static void a_variant_that_diverges_is_reported_and_the_others_go_on(void** state) {
    (void)state;
    heard h;
    CHECK_OK(compare(3, &h));
    assert_int_equal(h.begun, 2);
    assert_int_equal(h.done, 2);
    assert_int_equal(h.frames, 6);
    assert_int_equal(h.faults, 0);
    assert_non_null(strstr(h.table, "variant"));

    make_absurd(scratch_path("made/runs/wild/checkpoints/small_000003.shoal"));
    assert_int_equal(compare(5, &h), SHOAL_ERR_DIVERGE);
    assert_non_null(strstr(shoal_last_error(), "1 of 2 variants failed"));
    assert_int_equal(h.faults, 1);
    assert_int_equal(h.status[0], SHOAL_ERR_DIVERGE);
    assert_int_equal(h.status[1], SHOAL_OK);
    assert_int_equal(h.last[0], 3);
    assert_int_equal(h.last[1], 5);
    assert_non_null(strstr(h.table, "diverged at frame 3"));
}

static void variants_need_names_of_their_own(void** state) {
    (void)state;
    const shoal_variant twins[] = {{"a", NULL, NULL}, {"a", NULL, NULL}};
    shoal_compare_def   def     = shoal_compare_def_default();
    def.variants                = twins;
    def.variant_count           = 2;
    assert_int_equal(shoal_compare(&def, "none.yaml"), SHOAL_ERR_INPUT);
    assert_non_null(strstr(shoal_last_error(), "two variants of the name \"a\""));
    def.variant_count = 0;
    assert_int_equal(shoal_compare(&def, "none.yaml"), SHOAL_ERR_INPUT);
    def.variant_count = 1;
    assert_int_equal(shoal_compare(&def, "none.yaml"), SHOAL_ERR_FILE);
    def.made_by_default = 0;
    assert_int_equal(shoal_compare(&def, "none.yaml"), SHOAL_ERR_PARAM);
}

static void the_folder_is_named_after_the_scene(void** state) {
    (void)state;
    char              folder[64];
    shoal_compare_def def = shoal_compare_def_default();
    shoal_compare_folder(&def, "scenes/small/drop.yaml", folder, sizeof folder);
    assert_string_equal(folder, "out/drop-compare");
    def.folder = "here";
    shoal_compare_folder(&def, "scenes/small/drop.yaml", folder, sizeof folder);
    assert_string_equal(folder, "here");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_variant_that_diverges_is_reported_and_the_others_go_on),
        cmocka_unit_test(variants_need_names_of_their_own),
        cmocka_unit_test(the_folder_is_named_after_the_scene),
    };
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
