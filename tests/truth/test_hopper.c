// SPDX-License-Identifier: MIT
// Sand runs out of a hopper through a slot, by Beverloo's law for slots.
#include "lab.h"
#include "truth/figure.h"

static double grains_above(const shoal_sim* sim, double height) {
    const float* x     = lab_field(sim, "position");
    double       count = 0.0;
    for (int64_t i = 0; i < shoal_sim_count(sim); i++) count += (double)x[3 * i + 1] > height;
    return count;
}

// 1.03 rho sqrt(g) L (D - 1.4 d)^1.5 (Myers & Sellers 1978, with Beverloo's k), endless along the
// slot; the bulk density is that of the settled sand. The rate is that from 0.28 to 0.6 s. The law
// is of smooth seeds; default sand, with friction 0.65, is slower.
static void a_hopper_flows_by_beverloos_law(void** state) {
    (void)state;
    const double d = 0.01, slot = 0.06, length = 0.05, low = -0.005;
    shoal_sim*   sim = lab_scene("small/hopper.yaml", (lab_setup){0});
    lab_run(sim, 0.28, 0.04);
    double begun = grains_above(sim, low);
    lab_run(sim, 0.32, 0.04);
    double rate = (begun - grains_above(sim, low)) / 0.32, bulk = 0.6 / (3.14159265358979 / 6.0 * d * d * d * 1.01),
           law = 1.03 * bulk * sqrt(9.81) * length * pow(slot - 1.4 * d, 1.5);
    printf("%.0f grains per second, %.0f by Beverloo\n", rate, law);
    truth_near("hopper with a slot of 6 d: flow over Beverloo's", "grains", rate / law, "", 1.0, 0.3);
    shoal_sim_destroy(sim);
}

int main(int argc, char** argv) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_hopper_flows_by_beverloos_law)};
    return TRUTH_RUN("grains", tests, argc, argv);
}
