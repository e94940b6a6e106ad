// SPDX-License-Identifier: MIT
// The front of Martin & Moyce by SPH, with what each way to the pressure compresses.
#include "truth/figure.h"
#include "truth/front.h"

static curve c;

static void front_of(const char* method, int per_width, double compression) {
    char what[96];
    run_curve(&c, 0.05715, per_width, 4.3, (lab_setup){.threads = 1, .set = {"solver=sph", method}});
    snprintf(what, sizeof what, "%s, 57 mm, %d per width", strchr(method, '=') + 1, per_width);
    check_front(what, "sph", &c);
    truth_below(truth_case("front of Martin & Moyce, %s: average compression of the worst frame", what), "sph",
                c.compression, "%", compression);
}

static void wcsph_meets_the_front_of_martin_and_moyce(void** state) {
    (void)state;
    front_of("sph.pressure=wcsph", 20, 1.0);
}

static void pcisph_meets_the_front_of_martin_and_moyce(void** state) {
    (void)state;
    front_of("sph.pressure=pcisph", 20, 0.1);
}

static void dfsph_meets_the_front_of_martin_and_moyce(void** state) {
    (void)state;
    front_of("sph.pressure=dfsph", 20, 0.1);
}

int main(int argc, char** argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wcsph_meets_the_front_of_martin_and_moyce),
        cmocka_unit_test(pcisph_meets_the_front_of_martin_and_moyce),
        cmocka_unit_test(dfsph_meets_the_front_of_martin_and_moyce),
    };
    return TRUTH_RUN("sph", tests, argc, argv);
}
