// SPDX-License-Identifier: MIT
// SPH in motion: Poiseuille's parabola, and the blow of a dam break on a wall at three resolutions.
#include "truth/figure.h"
#include "truth/impact.h"

static const char* const methods[] = {"sph.pressure=wcsph", "sph.pressure=pcisph", "sph.pressure=dfsph"};

// u = f (a^2 - y^2) / (2 nu), from the scene.
static double parabola(double y) {
    const double a = 0.05, nu = 0.01, from_middle = y - a;
    return (a * a - from_middle * from_middle) / (2.0 * nu);
}

// Layers of a lattice that slide over each other lock and slip in turn, so profiles are means over
// 0.2 s.
static void a_driven_channel_flows_as_poiseuille(void** state) {
    (void)state;
    enum { LAYERS = 20, FRAMES = 20 };
    for (int k = 0; k < 3; k++) {
        shoal_sim* sim         = lab_scene("small/poiseuille.yaml", (lab_setup){.threads = 1, .set = {methods[k]}});
        double     sum[LAYERS] = {0}, mean = 0.0, worst = 0.0;
        int        here[LAYERS] = {0};
        lab_run(sim, 0.5, 0.01);
        for (int f = 0; f < FRAMES; f++) {
            lab_run(sim, 0.01, 0.01);
            const float *x = lab_field(sim, "position"), *v = lab_field(sim, "velocity");
            int64_t      count = shoal_sim_count(sim);
            for (int64_t i = 0; i < count; i++) {
                double y     = (double)x[3 * i + 1];
                int    layer = (int)(y / 0.005);
                mean += (double)v[3 * i] / (double)(count * FRAMES);
                if (layer < 0 || layer >= LAYERS) continue;
                sum[layer] += (double)v[3 * i] - parabola(y);
                here[layer]++;
            }
        }
        printf("poiseuille, %s: mean %.4f of f a^2 / (3 nu); off by layer, %% of the largest:", methods[k],
               mean / (0.125 * 2.0 / 3.0));
        for (int l = 0; l < LAYERS; l++) {
            double off = here[l] > 0 ? sum[l] / here[l] / 0.125 : 0.0;
            printf(" %+.1f", 100.0 * off);
            worst = fmax(worst, fabs(off));
        }
        printf("\n");
        const char* name = strchr(methods[k], '=') + 1;
        truth_near(truth_case("Poiseuille, %s: mean velocity over f a^2 / (3 nu)", name), "sph",
                   mean / (0.125 * 2.0 / 3.0), "", 1.0, 0.03);
        truth_below(truth_case("Poiseuille, %s: largest miss of a layer, of the largest velocity", name), "sph", worst,
                    "", 0.03);
        shoal_sim_destroy(sim);
    }
}

static void the_blow_on_a_wall_is_the_same_at_three_resolutions_and_by_all_methods(void** state) {
    (void)state;
    const double spacings[3] = {0.08, 0.06, 0.04};
    double       blows[3], mean = 0.0;
    for (int k = 0; k < 3; k++) {
        blows[k] = check_impacts(methods[k], spacings, k == 0 ? 1.0 : 0.1);
        mean += blows[k] / 3.0;
    }
    for (int k = 0; k < 3; k++)
        truth_near(truth_case("blow on a wall, %s: over the mean of the methods", strchr(methods[k], '=') + 1), "sph",
                   blows[k] / mean, "", 1.0, 0.10);
}

int main(int argc, char** argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_driven_channel_flows_as_poiseuille),
        TRUTH_LONG(the_blow_on_a_wall_is_the_same_at_three_resolutions_and_by_all_methods),
    };
    return TRUTH_RUN("sph", tests, argc, argv);
}
