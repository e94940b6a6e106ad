// SPDX-License-Identifier: MIT
// Checkpoints: round trips, and no damage unnoticed.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/hash.h"
#include "io/checkpoint.h"
#include "io/file.h"
#include "scratch.h"

#include <string.h>

static shoal_checkpoint example(void) {
    static char scene[] = "spacing = 0.02\nfps = 60\n", bytes[] = "any bytes \0 will do";
    return (shoal_checkpoint){.scene_hash  = 0x123456789abcdef0u,
                              .frame       = 35,
                              .is_mid      = true,
                              .frame_steps = 140,
                              .time        = 35.0 / 60.0,
                              .particles   = 12345,
                              .scene       = scene,
                              .state       = bytes,
                              .state_size  = sizeof bytes};
}

static void a_checkpoint_comes_back_as_it_went(void** state) {
    (void)state;
    shoal_checkpoint c = example(), back;
    assert_int_equal(shoal_checkpoint_save(&c, scratch_path("a.shoal")), SHOAL_OK);
    assert_int_equal(shoal_checkpoint_load(scratch_path("a.shoal"), &back), SHOAL_OK);
    assert_true(back.scene_hash == c.scene_hash && back.frame == 35 && back.is_mid && back.frame_steps == 140);
    assert_true(back.time == c.time && back.particles == 12345);
    assert_string_equal(back.scene, c.scene);
    assert_int_equal(back.state_size, c.state_size);
    assert_memory_equal(back.state, c.state, c.state_size);
    shoal_checkpoint_free(&back);
}

static void any_cut_and_any_changed_bit_is_noticed(void** state) {
    (void)state;
    shoal_checkpoint c = example(), back;
    char*            bytes;
    size_t           size;
    assert_int_equal(shoal_checkpoint_save(&c, scratch_path("b.shoal")), SHOAL_OK);
    assert_int_equal(shoal_file_read(scratch_path("b.shoal"), &bytes, &size), SHOAL_OK);
    for (size_t cut = 0; cut < size; cut++) {
        char* piece = shoal_alloc(cut, 1);
        memcpy(piece, bytes, cut);
        assert_int_equal(shoal_checkpoint_parse(piece, cut, "b.shoal", &back), SHOAL_ERR_INPUT);
        assert_memory_equal(shoal_last_error(), "b.shoal: ", 9);
        shoal_free(piece);
    }
    for (size_t bit = 0; bit < size * 8; bit++) {
        bytes[bit / 8] = (char)(bytes[bit / 8] ^ (1 << bit % 8));
        assert_int_equal(shoal_checkpoint_parse(bytes, size, "b.shoal", &back), SHOAL_ERR_INPUT);
        bytes[bit / 8] = (char)(bytes[bit / 8] ^ (1 << bit % 8));
    }
    assert_int_equal(shoal_checkpoint_parse(bytes, size, "b.shoal", &back), SHOAL_OK);
    shoal_checkpoint_free(&back);
    shoal_free(bytes);
}

// Gives the bytes a good checksum again, as a program of another version would.
static void sum_again(char* bytes, size_t size, size_t scene_size) {
    uint64_t sum = shoal_hash(bytes, 72, 0);
    sum          = shoal_hash(bytes + 72, scene_size, sum);
    sum          = shoal_hash(bytes + 72 + scene_size, size - 80 - scene_size, sum);
    memcpy(bytes + size - 8, &sum, 8);
}

static void another_version_is_named_and_impossible_values_refused(void** state) {
    (void)state;
    shoal_checkpoint c = example(), back;
    char*            bytes;
    size_t           size;
    assert_int_equal(shoal_checkpoint_save(&c, scratch_path("c.shoal")), SHOAL_OK);
    assert_int_equal(shoal_file_read(scratch_path("c.shoal"), &bytes, &size), SHOAL_OK);
    bytes[8] = 7;
    sum_again(bytes, size, strlen(c.scene));
    assert_int_equal(shoal_checkpoint_parse(bytes, size, "c", &back), SHOAL_ERR_INPUT);
    assert_non_null(strstr(shoal_last_error(), "version 7"));
    bytes[8]  = SHOAL_CHECKPOINT_VERSION;
    bytes[31] = (char)0x80; // frame below zero
    sum_again(bytes, size, strlen(c.scene));
    assert_int_equal(shoal_checkpoint_parse(bytes, size, "c", &back), SHOAL_ERR_INPUT);
    assert_non_null(strstr(shoal_last_error(), "cannot be"));
    shoal_free(bytes);
}

static void what_is_no_checkpoint_is_said_so(void** state) {
    (void)state;
    shoal_checkpoint back;
    char             bytes[200] = "SHOALXXX";
    assert_int_equal(shoal_checkpoint_parse(bytes, sizeof bytes, "x", &back), SHOAL_ERR_INPUT);
    assert_string_equal(shoal_last_error(), "x: not a checkpoint of Shoal");
    assert_int_equal(shoal_checkpoint_load(scratch_path("none.shoal"), &back), SHOAL_ERR_FILE);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_checkpoint_comes_back_as_it_went),
        cmocka_unit_test(any_cut_and_any_changed_bit_is_noticed),
        cmocka_unit_test(another_version_is_named_and_impossible_values_refused),
        cmocka_unit_test(what_is_no_checkpoint_is_said_so),
    };
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
