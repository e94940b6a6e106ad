// SPDX-License-Identifier: MIT
// Figure 5 of Rungjiratananon et al. 2008, reduced: a slice of dry sand, one grain thick, is watered; the wet front
// sinks, and the surface with it, since wet grains shrink.
#include "lab.h"
#include "truth/figure.h"

static const char slice[] =
    "solver: grains\nspacing: 0.01\nfps: 50\ndomain: {max: [0.2, 0.25, 0.011], walls: {back: slip, front: slip}}\n"
    "materials: {sand: {preset: sand}, water: {preset: water}}\n"
    "bodies: [{material: sand, box: {min: [0, 0, 0], max: [0.2, 0.15, 0.011]}}]\n"
    "emitters: [{material: water, rain: {min: [0.02, 0.2, 0], max: [0.18, 0.24, 0.011], rate: 1500}, velocity: [0, -1, "
    "0], "
    "from: 0.3}]\n"
    "grains: {softness: 20, spread: 0.25, spread_rate: 60, diffusion: 20, drainage: 1, wet_shrink: 0.1}\n";

typedef struct measured {
    double front, top; // mean height of the lowest wet grain, and of the highest grain, over columns of two diameters
} measured;

static measured inspect(const shoal_sim* sim) {
    enum { COLUMNS = 10 };
    double           low[COLUMNS], high[COLUMNS];
    measured         out = {0.0, 0.0};
    shoal_field_view material;
    material       = lab_view(sim, "material");
    const float *x = lab_field(sim, "position"), *w = lab_field(sim, "wetness");
    for (int c = 0; c < COLUMNS; c++) low[c] = 0.15, high[c] = 0.0;
    for (int64_t i = 0; i < material.count; i++) {
        int c = (int)((double)x[3 * i] / 0.02);
        if (((const uint8_t*)material.data)[i] != 0 || c < 0 || c >= COLUMNS) continue;
        high[c] = fmax(high[c], (double)x[3 * i + 1]);
        if (w[i] > 0.1f) low[c] = fmin(low[c], (double)x[3 * i + 1]);
    }
    for (int c = 0; c < COLUMNS; c++) out.front += low[c] / COLUMNS, out.top += high[c] / COLUMNS;
    return out;
}

static void the_wet_front_sinks_and_the_surface_with_it(void** state) {
    (void)state;
    shoal_sim* sim = lab_sim(slice, (lab_setup){0});
    lab_run(sim, 0.3, 0.02);
    double top = inspect(sim).top, front = 0.15;
    for (int k = 0; k < 3; k++) {
        lab_run(sim, 0.3, 0.02);
        measured now = inspect(sim);
        printf("after %.1f s: front at %.3f m, surface at %.3f m (%.3f dry)\n", shoal_sim_time(sim) - 0.3, now.front,
               now.top, top);
        truth_above(truth_case("watered slice, %.1f to %.1f s: way of the wet front down", 0.3 * k, 0.3 * (k + 1)),
                    "grains", 1e3 * (front - now.front), "mm", 5.0);
        front = now.front;
    }
    truth_above("watered slice, 0.9 s: way of the surface down", "grains", 1e3 * (top - inspect(sim).top), "mm", 2.0);
    assert_true(lab_stat(sim, "water_balance") == 0.0);
    shoal_sim_destroy(sim);
}

int main(int argc, char** argv) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_wet_front_sinks_and_the_surface_with_it)};
    return TRUTH_RUN("grains", tests, argc, argv);
}
