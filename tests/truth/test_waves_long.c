// SPDX-License-Identifier: MIT
// Waves with `quality: fine` at the size that people try first: five periods in a tank of 2 m, and
// waves of a piston that travel.
#include "truth/wave.h"

static void a_wave_of_pbf_keeps_half_of_its_height_over_five_periods(void** state) {
    (void)state;
    keeps_its_pace("tank of 2 m", "pbf", 0.025, 80, 20, 2.4, 5.0, 0.5, fine("solver=pbf"));
}

static void a_wave_of_sph_keeps_half_of_its_height_over_five_periods(void** state) {
    (void)state;
    keeps_its_pace("dfsph, tank of 2 m", "sph", 0.025, 80, 20, 2.4, 5.0, 0.5, fine("solver=sph"));
}

// A piston that goes 0.14 m to and fro once a second, in water 0.4 m = 16 spacings deep; linear
// theory of wave makers (Dean & Dalrymple) has waves 0.21 m high and 1.48 m long. Those would be above the highest that
// do not break, 0.142 L tanh(kh) = 0.196 m [Miche 1944], so that, not the theory, is held against, from a fifth below
// to 0.08 above, as sharp as before. (Half the stroke does not break, but waves of four spacings lose a quarter on two
// metres.) A beach takes them.
static void write_tank(char* text, size_t size) {
    int n = snprintf(text, size,
                     "spacing: 0.025\nfps: 30\n"
                     "domain: {min: [0, 0, 0], max: [5.2, 1, 0.125], walls: {top: open, back: "
                     "periodic, front: periodic}}\n"
                     "bodies: [{material: water, box: {min: [0.16, 0, 0], max: [5.2, 0.4, 0.125]}}]\n"
                     "probes: [{name: near, kind: height, at: [1, 0.06]}, {name: far, kind: height, "
                     "at: [3, 0.06]}]\n"
                     "obstacles:\n"
                     "  - {box: {min: [0, -1, -0.2], max: [3, 0, 0.4]}, rotate: {axis: [0, 0, 1], "
                     "degrees: 14.04}, at: [3.2, 0, 0]}\n"
                     "  - box: {size: [0.1, 0.94, 0.4]}\n"
                     "    motion:\n");
    for (int k = 0; k <= 72; k++)
        n += snprintf(text + n, size - (size_t)n, "      - {t: %.6f, at: [%.6f, 0.45, 0.0625]}\n", k / 12.0,
                      0.17 - 0.07 * cos(2.0 * SHOAL_PI * k / 12.0));
    assert_true((size_t)n < size);
}

static void a_piston_s_wave_travels(const char* solver, const char* name) {
    static char text[8192];
    write_tank(text, sizeof text);
    shoal_sim* sim    = lab_sim(text, fine(solver));
    double     low[2] = {1.0, 1.0}, high[2] = {0.0, 0.0};
    for (int frame = 1; frame <= 165; frame++) { // the last second: it has passed both, the beach has sent little back
        CHECK_OK(shoal_sim_advance(sim, 1.0 / 30.0));
        for (int k = 0; k < 2 && frame > 135; k++) {
            double y = lab_probe(sim, k == 0 ? "near" : "far");
            low[k] = fmin(low[k], y), high[k] = fmax(high[k], y);
        }
    }
    double near = high[0] - low[0], far = high[1] - low[1];
    shoal_sim_destroy(sim);
    truth_figure("waves of a piston: height 1 m on", name, near, "m", 0.157, 0.212);
    truth_above("waves of a piston: height 3 m on over that 1 m on", name, far / near, "", 0.8);
}

static void a_piston_s_wave_of_pbf_travels(void** state) {
    (void)state;
    a_piston_s_wave_travels("solver=pbf", "pbf");
}

static void a_piston_s_wave_of_sph_travels(void** state) {
    (void)state;
    a_piston_s_wave_travels("solver=sph", "sph");
}

int main(int argc, char** argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_wave_of_pbf_keeps_half_of_its_height_over_five_periods),
        cmocka_unit_test(a_wave_of_sph_keeps_half_of_its_height_over_five_periods),
        cmocka_unit_test(a_piston_s_wave_of_pbf_travels),
        cmocka_unit_test(a_piston_s_wave_of_sph_travels),
    };
    return TRUTH_RUN("pbf sph", tests, argc, argv);
}
