// SPDX-License-Identifier: MIT
// Dry sand as a continuum of particles against experiments and laws.
#include "truth/continuum.h"

static void the_column_of_bui_comes_to_rest_where_it_did(void** state) {
    (void)state;
    bui_slab b = bui_porous(20, 1.6, (lab_setup){0});
    truth_near("Bui's column, 20 spacings: front over the measured one", "porous", b.front / 0.442, "", 1, 0.04);
    truth_below("Bui's column, 20 spacings: surface off, rms", "porous", 1e3 * b.rms, "mm", 4);
    truth_below("Bui's column, 20 spacings: steepest part", "porous", b.steepest, "degrees", 21);
    truth_figure("Bui's column, 20 spacings: share that has not moved", "porous", b.r.unmoved, "", 0.45, 0.60);
    truth_below("Bui's column, 20 spacings: creep at rest", "porous", 1e3 * b.r.creep, "mm/s", 0.3);
    truth_below("Bui's column, 20 spacings: mean compression", "porous", b.r.compression, "%", 0.1);
    truth_below("Bui's column, 20 spacings: compression of 99 %", "porous", b.r.compression_99, "%", 1);
}

int main(int argc, char** argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_column_of_bui_comes_to_rest_where_it_did),
    };
    return TRUTH_RUN("porous", tests, argc, argv);
}
