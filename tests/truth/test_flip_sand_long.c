// SPDX-License-Identifier: MIT
// Sand as a fluid against experiments at the resolutions that are asked for, and along the grid's axes and across.
#include "truth/figure.h"
#include "truth/sand.h"

static void the_column_of_bui_is_good_at_two_resolutions(void** state) {
    (void)state;
    bui_result coarse = bui(40, (lab_setup){0}), fine = bui(56, (lab_setup){0});
    check_bui(&coarse, 40, 0.04);
    check_bui(&fine, 56, 0.04);
    truth_near("Bui's column, 56 cells: front over that of 40", "flip", fine.front / coarse.front, "", 1, 0.05);
}

static void run_out_follows_its_law_at_two_resolutions(void** state) {
    (void)state;
    static const double aspects[] = {0.5, 1, 2};
    for (int k = 0; k < 3; k++) {
        double coarse = run_out(aspects[k], 28, (lab_setup){0}), fine = run_out(aspects[k], 40, (lab_setup){0});
        truth_near(truth_case("run-out, aspect %g, 28 cells: over 1.2 a", aspects[k]), "flip", coarse, "", 1, 0.15);
        truth_near(truth_case("run-out, aspect %g, 40 cells: over 1.2 a", aspects[k]), "flip", fine, "", 1, 0.1);
        double front = 1 + 1.2 * aspects[k] * fine; // over the length
        truth_near(truth_case("run-out, aspect %g, 28 cells: front over that of 40", aspects[k]), "flip",
                   (1 + 1.2 * aspects[k] * coarse) / front, "", 1, 0.05);
    }
}

static void a_heap_leans_along_no_axis_of_the_grid(void** state) {
    (void)state;
    heap_result straight = heap(0, (lab_setup){0}), turned = heap(45, (lab_setup){0});
    truth_near("square column at 45 degrees to the grid: reach along its sides over that at 0", "flip",
               turned.along / straight.along, "", 1, 0.05);
    truth_near("square column at 45 degrees to the grid: reach across over that at 0", "flip",
               turned.across / straight.across, "", 1, 0.05);
    truth_near("square column at 45 degrees to the grid: depth amid over that at 0", "flip",
               turned.depth / straight.depth, "", 1, 0.05);
}

int main(int argc, char** argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_column_of_bui_is_good_at_two_resolutions),
        cmocka_unit_test(run_out_follows_its_law_at_two_resolutions),
        cmocka_unit_test(a_heap_leans_along_no_axis_of_the_grid),
    };
    return TRUTH_RUN("flip", tests, argc, argv);
}
