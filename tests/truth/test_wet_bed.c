// SPDX-License-Identifier: MIT
// Still water on and in a bed of sand: both come to rest, whatever chance has made of the start,
// energy does not grow, and the pressure in the pores is that of the water above where that water
// is free; in sand that holds it, less.
#include "lab.h"
#include "truth/figure.h"

static const char bed[] = "solver: grains\nspacing: 0.01\nfps: 50\ndomain: {max: [0.04, 0.12, 0.04], walls: {left: "
                          "periodic, right: periodic, back: periodic, front: periodic}}\n"
                          "materials: {sand: {preset: sand}, water: {preset: water}}\n"
                          "bodies:\n"
                          "  - {material: sand, box: {min: [0, 0, 0], max: [0.04, 0.04, 0.04]}}\n"
                          "  - {material: water, box: {min: [0, 0.04, 0], max: [0.04, 0.07, 0.04]}}\n";

typedef struct rest {
    double time;        // until the water had been below `calm` for 0.2 s, or the end, s
    double water, sand; // speeds then, rms, m/s
    double gain;        // of energy, all rises from frame to frame together, over that at the start
    double pressure;    // in the pores, over that of the water above
} rest;

static const double calm = 0.01, end = 5.0; // m/s, s

// A pressure acts through the water that is there: its mean over all space, grains included, is that of the liquid.
static double pressure_in(const shoal_sim* sim, double low, double high) {
    shoal_field_view material;
    material       = lab_view(sim, "material");
    const float *x = lab_field(sim, "position"), *p = lab_field(sim, "pressure");
    double       sum = 0.0, top = 0.0, volume = 0.005 * 0.005 * 0.005;
    for (int64_t i = 0; i < material.count; i++) {
        double y = (double)x[3 * i + 1];
        if (((const uint8_t*)material.data)[i] != 1) continue;
        if (y > low && y < high) sum += (double)p[i] * volume;
        top = fmax(top, y + 0.0025);
    }
    return sum / (0.04 * 0.04 * (high - low)) / (1000.0 * 9.81 * (top - 0.5 * (low + high)));
}

static double rms_of(const shoal_sim* sim, int of) {
    shoal_field_view material;
    material           = lab_view(sim, "material");
    const float* u     = lab_field(sim, "velocity");
    double       sum   = 0.0;
    int          count = 0;
    for (int64_t i = 0; i < material.count; i++) {
        if (((const uint8_t*)material.data)[i] != of) continue;
        for (int k = 0; k < 3; k++) sum += (double)u[3 * i + k] * (double)u[3 * i + k];
        count++;
    }
    return sqrt(sum / count);
}

static rest rest_of(const char* first, const char* second) {
    shoal_sim* sim   = lab_sim(bed, (lab_setup){.set = {first, second}});
    double     start = lab_energy(sim), last = start;
    rest       now   = {.gain = 0.0};
    int        still = 0;
    while (still < 10 && shoal_sim_time(sim) < end) {
        CHECK_OK(shoal_sim_advance(sim, 0.02));
        now.gain += fmax(lab_energy(sim) - last, 0.0) / start;
        last  = lab_energy(sim);
        still = rms_of(sim, 1) < calm ? still + 1 : 0;
    }
    now.time     = shoal_sim_time(sim);
    now.water    = rms_of(sim, 1);
    now.sand     = rms_of(sim, 0);
    now.pressure = pressure_in(sim, 0.01, 0.03);
    shoal_sim_destroy(sim);
    printf("%s, %s: %.2f s, water %.4f m/s, sand %.4f m/s, energy up by %.5f, pressure %.2f\n", first, second, now.time,
           now.water, now.sand, now.gain, now.pressure);
    return now;
}

static void check_rest(const char* bed_of, const rest* now, double time, double gain) {
    char what[96];
    snprintf(what, sizeof what, "%s", bed_of);
    // grains move into their places for up to 1.4 s; then the water's motion halves every 0.3 s
    truth_below(truth_case("%s: at rest after", what), "grains", now->time, "s", time);
    truth_below(truth_case("%s: rms speed of the water", what), "grains", now->water, "m/s", calm);
    truth_below(truth_case("%s: rms speed of the sand", what), "grains", now->sand, "m/s", 0.002);
    truth_below(truth_case("%s: gain of energy, of the first", what), "grains", now->gain, "", gain);
}

static void flooded_sand_rests_from_any_start(void** state) {
    (void)state;
    const char* seeds[] = {"seed=1", "seed=2"};
    for (int k = 0; k < 2; k++) {
        rest now = rest_of("grains.absorption=false", seeds[k]);
        check_rest(truth_case("flooded bed, %s", seeds[k]), &now, 2.99, 0.002);
        // A grain is one sample to the water, as wide as its kernel, and pores of a packing are narrow: a miss of the
        // method. Six starts have 0.77 to 0.87 (0.84 to 0.97 in the wide pores of the lattice).
        truth_figure(
            truth_case("flooded bed, %s: pressure in the pores over that of the water above (1 is right)", seeds[k]),
            "grains", now.pressure, "", 0.7, 1.2);
    }
}

static void water_on_full_sand_rests(void** state) {
    (void)state;
    rest now = rest_of("materials.sand.wetness=1.2", "seed=1");
    // what falls in at the start is turned back by pores that are full
    // until single particles have found a pore: four starts took 1.4 to 4.1 s
    check_rest("water on full sand", &now, end - 0.01, 0.03);
    // What grains hold fills the pores of a packing to the last, and has no pressure, only free water has: a miss of
    // the method. Four starts have 0.13 to 0.34 (0.54 to 0.66 on the lattice, whose pores had room for more).
    truth_figure("water on full sand: pressure in the pores over that of the water above (1 is right)", "grains",
                 now.pressure, "", 0.05, 1.2);
}

int main(int argc, char** argv) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(flooded_sand_rests_from_any_start),
                                       cmocka_unit_test(water_on_full_sand_rests)};
    return TRUTH_RUN("grains", tests, argc, argv);
}
