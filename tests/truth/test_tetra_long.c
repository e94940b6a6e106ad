// SPDX-License-Identifier: MIT
// Parts of `tetra` by themselves: angles of stuffed shapes, and what is left of standing waves.
#include "truth/figure.h"
#include "unit/tet/stuffed.h"
#include "unit/tet/swing.h"

static void angles_are_good_on_two_hundred_shapes(void** state) {
    (void)state;
    double least, largest;
    angles_of(200, &two, &least, &largest);
    truth_above("200 random shapes: least angle", "tetra", least, "degrees", 10.7);
    truth_below("200 random shapes: largest angle", "tetra", largest, "degrees", 164.8);
}

static void a_wave_keeps_its_period_and_energy(void** state) {
    (void)state;
    swing s = swing_for(32, 0.02, 5.0, &usual);
    truth_near("standing wave, 32 cells, 5 s: period over the exact one", "tetra", s.period, "", 1.0, 0.015);
    truth_figure("standing wave, 32 cells, 5 s: energy over the first", "tetra", s.energy, "", 0.9, 1.1);
    truth_near("standing wave, 32 cells, 5 s: volume over the first", "tetra", s.volume, "", 1.0, 0.005);
}
static void a_larger_wave_keeps_most_of_its_energy(void** state) {
    (void)state;
    swing s = swing_for(32, 0.08, 3.4, &usual);
    truth_figure("standing wave of 8 cm, 32 cells, 3.4 s: energy over the first", "tetra", s.energy, "", 0.5, 1.1);
    truth_near("standing wave of 8 cm, 32 cells, 3.4 s: volume over the first", "tetra", s.volume, "", 1.0, 0.01);
}
// What the paper says of plain means [Chentanez et al. 2007, 3.1]: they destroy the wave.
static void a_wave_by_plain_means_is_damped(void** state) {
    (void)state;
    shoal_tet_options plain = usual;
    plain.is_sharp          = false;
    swing s                 = swing_for(32, 0.02, 5.0, &plain);
    truth_figure("standing wave by plain means, 32 cells, 5 s: energy over the first", "tetra", s.energy, "", 0.2, 0.6);
}

int main(int argc, char** argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(angles_are_good_on_two_hundred_shapes),
        cmocka_unit_test(a_wave_keeps_its_period_and_energy),
        cmocka_unit_test(a_larger_wave_keeps_most_of_its_energy),
        cmocka_unit_test(a_wave_by_plain_means_is_damped),
    };
    return TRUTH_RUN("tetra", tests, argc, argv);
}
