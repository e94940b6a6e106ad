// SPDX-License-Identifier: MIT
// Columns of sand let go: the dry one collapses, the wet one stands, the overwet one flows away as mud.
#include "lab.h"
#include "truth/figure.h"

static double height_after_a_second(const char* wetness) {
    char text[512];
    snprintf(text, sizeof text,
             "solver: grains\nspacing: 0.01\nfps: 50\ndomain: {max: [0.5, 0.3, 0.5]}\n"
             "materials: {sand: {preset: sand, wetness: %s}}\n"
             "bodies: [{material: sand, box: {min: [0.2, 0, 0.2], max: [0.3, 0.2, 0.3]}}]\ngrains: {softness: 4}\n",
             wetness);
    shoal_sim* sim = lab_sim(text, (lab_setup){0});
    lab_run(sim, 1.0, 0.02);
    assert_true(lab_stat(sim, "water_balance") == 0.0);
    const float* x   = lab_field(sim, "position");
    double       top = 0.0;
    for (int64_t i = 0; i < shoal_sim_count(sim); i++) top = fmax(top, (double)x[3 * i + 1]);
    shoal_sim_destroy(sim);
    return top;
}

static void wet_stands_dry_collapses_overwet_flows(void** state) {
    (void)state;
    double dry = height_after_a_second("0"), wet = height_after_a_second("0.5"), mud = height_after_a_second("1.9");
    truth_near("column of 0.2 m, wet: height after a second", "grains", wet, "m", 0.18,
               0.02); // of 0.2 m on the lattice
    truth_figure("column of 0.2 m, dry: height after a second", "grains", dry, "m", 0.03, 0.07);
    truth_below("column of 0.2 m, overwet: height after a second", "grains", mud, "m",
                0.025); // two layers
}

int main(int argc, char** argv) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(wet_stands_dry_collapses_overwet_flows)};
    return TRUTH_RUN("grains", tests, argc, argv);
}
