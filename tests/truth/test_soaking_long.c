// SPDX-License-Identifier: MIT
// Ten thousand steps with everything that moves water: the balance is zero after each.
#include "law/soaking.h"
#include "truth/figure.h"

static void ten_thousand_steps_lose_no_quantum(void** state) {
    (void)state;
    // rates that do not overfill the box in five seconds
    shoal_sim* sim =
        lab_sim(soaking, (lab_setup){.set = {"emitters.1.rain.rate=10", "emitters.0.until=1.5", "grains.softness=10"}});
    double off = 0.0;
    while (shoal_sim_steps(sim) < 10000) {
        CHECK_OK(shoal_sim_advance(sim, 5e-4));
        off = fmax(off, fabs(lab_stat(sim, "water_balance")));
    }
    printf("%.0f dry, %.0f wet, %.0f overwet; quanta emitted %.0f, free %.0f, in grains %.0f, pending %.0f, evaporated "
           "%.0f, removed %.0f\n",
           lab_stat(sim, "dry"), lab_stat(sim, "wet"), lab_stat(sim, "overwet"), lab_stat(sim, "water_emitted"),
           lab_stat(sim, "water_free"), lab_stat(sim, "water_in_grains"), lab_stat(sim, "water_pending"),
           lab_stat(sim, "water_evaporated"), lab_stat(sim, "water_removed"));
    truth_near("ten thousand steps of soaking: largest imbalance of water", "grains", off, "quanta", 0.0, 0.0);
    shoal_sim_destroy(sim);
}

int main(int argc, char** argv) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(ten_thousand_steps_lose_no_quantum)};
    return TRUTH_RUN("grains", tests, argc, argv);
}
