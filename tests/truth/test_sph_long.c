// SPDX-License-Identifier: MIT
// SPH against the same truths at finer spacings, by hand.
#include "truth/figure.h"
#include "truth/front.h"
#include "truth/impact.h"

static curve c;

static void fronts_stay_in_the_good_band_at_a_finer_spacing(void** state) {
    (void)state;
    static const char* const methods[] = {"sph.pressure=wcsph", "sph.pressure=pcisph", "sph.pressure=dfsph"};
    for (int k = 0; k < 3; k++) {
        char what[96];
        run_curve(&c, 0.05715, 32, 4.3, (lab_setup){.set = {"solver=sph", methods[k]}});
        snprintf(what, sizeof what, "%s, 57 mm, 32 per width", strchr(methods[k], '=') + 1);
        check_front(what, "sph", &c);
    }
}

static void the_blow_on_a_wall_is_the_same_at_three_fine_resolutions(void** state) {
    (void)state;
    const double spacings[3] = {0.06, 0.04, 0.03};
    check_impacts("sph.pressure=wcsph", spacings, 1.0);
    check_impacts("sph.pressure=pcisph", spacings, 0.1);
    check_impacts("sph.pressure=dfsph", spacings, 0.1);
}

int main(int argc, char** argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fronts_stay_in_the_good_band_at_a_finer_spacing),
        cmocka_unit_test(the_blow_on_a_wall_is_the_same_at_three_fine_resolutions),
    };
    return TRUTH_RUN("sph", tests, argc, argv);
}
