// SPDX-License-Identifier: MIT
// A wave eats a sandcastle (scenes/sandcastle-waves.yaml, coarse): the towers that it meets fall, those behind stand
// longer, and the sand is wetter than before by what the water has lost.
#include "lab.h"
#include "truth/figure.h"

// Grains above 6 cm of the two corner towers at this side, -1 where the wave comes from.
static int standing(const shoal_sim* sim, float side) {
    shoal_field_view material, position;
    material  = lab_view(sim, "material");
    position  = lab_view(sim, "position");
    int count = 0;
    for (int64_t i = 0; i < material.count; i++) {
        const float* x = (const float*)position.data + 3 * i;
        count += ((const uint8_t*)material.data)[i] == 0 && side * x[0] > 0.1f && fabsf(x[2]) > 0.1f && x[1] > 0.06f;
    }
    return count;
}

static void the_wave_takes_the_towers_that_it_meets(void** state) {
    (void)state;
    shoal_sim* sim    = lab_scene("sandcastle-waves.yaml", (lab_setup){.set = {"spacing=0.02"}});
    int        before = standing(sim, -1.0f), behind = standing(sim, 1.0f);
    lab_run(sim, 0.2, 0.05);
    int dry = standing(sim, -1.0f);
    for (int frame = 0; frame < 12; frame++) {
        CHECK_OK(shoal_sim_advance(sim, 0.05));
        assert_true(lab_stat(sim, "water_balance") == 0.0);
    }
    truth_above("sandcastle: windward towers that stand before the wave", "grains", (double)dry / before, "", 0.9);
    truth_below("sandcastle: windward towers that stand after the wave", "grains",
                (double)standing(sim, -1.0f) / before, "", 0.3);
    truth_above("sandcastle: lee towers that stand after the wave", "grains", (double)standing(sim, 1.0f) / behind, "",
                0.7);
    shoal_sim_destroy(sim);
}

int main(int argc, char** argv) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_wave_takes_the_towers_that_it_meets)};
    return TRUTH_RUN("grains", tests, argc, argv);
}
