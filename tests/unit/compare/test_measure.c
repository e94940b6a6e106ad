// SPDX-License-Identifier: MIT
// Rows of the report against numbers worked out by hand.
#include "unit/check.h"

#include "compare/compare_local.h"
#include "unit/io/scratch.h"

static compare_result result; // too large for the stack

static void measure(const char* stats) {
    char path[SHOAL_PATH_SIZE];
    snprintf(path, sizeof path, "%s", scratch_path("stats.csv"));
    CHECK_OK(shoal_file_write(path, stats, strlen(stats)));
    *strrchr(path, '/') = 0;
    CHECK_OK(post_data_read(path, &result.data));
    result.row = (shoal_compare_row){.energy_change_pct = (double)NAN, .steps = (double)NAN, .frame_ms = (double)NAN};
    compare_measure(&result);
    post_data_free(&result.data);
}

static void rows_are_as_worked_out_by_hand(void** state) {
    (void)state;
    measure("frame,time_s,substeps,particles,step_ms,compression_avg_pct,compression_max_pct,"
            "kinetic_j,potential_j\n"
            "0,0,0,100,0,9,9,0,200\n"
            "1,0.1,2,100,10,1,3,50,140\n"
            "2,0.2,6,90,20,2,12,60,90\n");
    assert_int_equal(result.row.frames, 2);
    CHECK_NEAR(result.row.particles, 90, 0);
    CHECK_NEAR(result.row.steps, 8, 0);
    CHECK_NEAR(result.row.compression_avg_pct, 1.5, 1e-12); // frame 0 is no result
    CHECK_NEAR(result.row.compression_peak_pct, 9, 0);
    CHECK_NEAR(result.row.compression_max_pct, 12, 0);
    CHECK_NEAR(result.row.energy_start_j, 200, 0);
    CHECK_NEAR(result.row.energy_end_j, 150, 0);
    CHECK_NEAR(result.row.energy_change_pct, -25, 1e-12);
    CHECK_NEAR(result.row.total_s, 0.14, 1e-12);
    CHECK_NEAR(result.row.frame_ms, 70, 1e-12);
    CHECK_NEAR(result.row.step_ms, 17.5, 1e-12);
}

static void what_a_table_does_not_tell_is_not_known(void** state) {
    (void)state;
    measure("frame,time_s,kinetic_j,compression_avg_pct\n0,0,0,nan\n1,0.1,1,nan\n");
    assert_int_equal(result.row.frames, 1);
    assert_true(isnan(result.row.particles));
    assert_true(isnan(result.row.compression_avg_pct));
    assert_true(isnan(result.row.energy_change_pct));
    assert_true(isnan(result.row.frame_ms));
    measure("frame,time_s\n");
    assert_int_equal(result.row.frames, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_as_worked_out_by_hand),
        cmocka_unit_test(what_a_table_does_not_tell_is_not_known),
    };
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
