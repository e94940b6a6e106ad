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

// Good is a tenth, a pass a fifth. A column half as high as long is good at 56 cells and a pass below, where its height
// is 14 and 20 cells: friction must hold the sand that there is, which slabs know by Coulomb's law. (It was good at 40
// while the rim of the free surface counted as whole cells.)
static void run_out_follows_its_law_at_three_resolutions(void** state) {
    (void)state;
    static const struct { double aspect, at_28, at_40; } columns[] = {{0.5, 0.2, 0.2}, {1, 0.15, 0.1}, {2, 0.15, 0.1}};
    for (int k = 0; k < 3; k++) {
        double aspect = columns[k].aspect, coarse = run_out(aspect, 28, (lab_setup){0}),
               middle = run_out(aspect, 40, (lab_setup){0}), fine = run_out(aspect, 56, (lab_setup){0});
        truth_near(truth_case("run-out, aspect %g, 28 cells: over 1.2 a", aspect), "flip", coarse, "", 1,
                   columns[k].at_28);
        truth_near(truth_case("run-out, aspect %g, 40 cells: over 1.2 a", aspect), "flip", middle, "", 1,
                   columns[k].at_40);
        truth_near(truth_case("run-out, aspect %g, 56 cells: over 1.2 a", aspect), "flip", fine, "", 1, 0.1);
        double front = 1 + 1.2 * aspect * fine; // over the length
        truth_near(truth_case("run-out, aspect %g, 28 cells: front over that of 56", aspect), "flip",
                   (1 + 1.2 * aspect * coarse) / front, "", 1, 0.05);
        truth_near(truth_case("run-out, aspect %g, 40 cells: front over that of 56", aspect), "flip",
                   (1 + 1.2 * aspect * middle) / front, "", 1, 0.05);
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
        cmocka_unit_test(run_out_follows_its_law_at_three_resolutions),
        cmocka_unit_test(a_heap_leans_along_no_axis_of_the_grid),
    };
    return TRUTH_RUN("flip", tests, argc, argv);
}
