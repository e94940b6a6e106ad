// SPDX-License-Identifier: MIT
// Standing waves 20 particles deep with `quality: fine`, see wave.h.
#include "truth/wave.h"

static void waves_of_pbf_keep_their_pace(void** state) {
    (void)state;
    keeps_its_pace("tank of 1 m", "pbf", 0.025, 40, 20, 2.0, 5.0, 0.5, fine("solver=pbf"));
}

static void waves_of_pbf_keep_their_pace_in_a_cup(void** state) {
    (void)state;
    keeps_its_pace("cup of 6 cm", "pbf", 0.002, 30, 16, 2.0, 2.0, 0.6, fine("solver=pbf"));
}

static void waves_of_sph_keep_their_pace(void** state) {
    (void)state;
    keeps_its_pace("dfsph, tank of 1 m", "sph", 0.025, 40, 20, 2.0, 2.0, 0.8, fine("solver=sph"));
}

int main(int argc, char** argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(waves_of_pbf_keep_their_pace),
        TRUTH_LONG(waves_of_pbf_keep_their_pace_in_a_cup),
        TRUTH_LONG(waves_of_sph_keep_their_pace),
    };
    return TRUTH_RUN("pbf sph", tests, argc, argv);
}
