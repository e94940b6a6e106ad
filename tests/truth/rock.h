// SPDX-License-Identifier: MIT
// A dam break through a block of crushed rock: Liu, Lin, Chang & Sakakiyama, J. Waterway, Port, Coastal, Ocean Eng.
// 125, 1999.
#ifndef SHOAL_TRUTH_ROCK_H
#define SHOAL_TRUTH_ROCK_H

#include "lab.h"
#include "truth/figure.h"

enum { ROCK_TIMES = 6, ROCK_PLACES = 10 };
static const double rock_times[ROCK_TIMES]   = {0.2, 0.4, 0.8, 1.2, 1.6, 2.0};
static const double rock_places[ROCK_PLACES] = {0.02, 0.10, 0.20, 0.27, 0.35, 0.45, 0.55, 0.65, 0.75, 0.85};
// Height of the surface there, mm.
static const double rock_heights[ROCK_TIMES][ROCK_PLACES] = {
    {217, 212, 201, 194, 169, 69, 26, 25, 25, 26},  {186, 186, 192, 206, 182, 99, 51, 25, 24, 24},
    {189, 170, 166, 166, 173, 129, 84, 31, 30, 25}, {161, 155, 166, 172, 164, 133, 93, 35, 38, 47},
    {156, 150, 151, 149, 142, 126, 89, 50, 56, 52}, {148, 143, 142, 139, 140, 119, 91, 58, 63, 60},
};

typedef struct rock_result {
    double outside, inside, all; // rms of the surface, m
    double drift;                // of the volume of the water, relative
} rock_result;

static inline double rock_porosity(double x) { return x > 0.3 && x < 0.59 ? 0.49 : 1.0; }

// Height of the water within a centimetre to both sides of x, by its volume: outside of the rock, or in its pores, m.
static inline double rock_height(const shoal_sim* sim, double x, double thick) {
    const double     half   = 0.01;
    shoal_field_view at     = lab_view(sim, "water.position");
    const float*     volume = lab_view(sim, "water.volume").data;
    double           low = x - half > 0 ? x - half : 0, sum = 0;
    for (int64_t i = 0; i < at.count; i++) {
        double p = (double)((const float*)at.data)[3 * i];
        if (p > low && p < x + half) sum += (double)volume[i];
    }
    return sum / ((x + half - low) * thick * rock_porosity(x));
}

// Runs the scene with a spacing of d to the first of the times; `late`: by which the gate was open later than time zero
// of the measurement, s.
static inline rock_result rock_dam(double d, double late, int times) {
    double      thick = 4 * d;
    char        text[2048];
    rock_result r = {0};
    snprintf(text, sizeof text,
             "solver: porous\nspacing: %g\n"
             "domain: {min: [0, 0, 0], max: [0.89, 0.4, %g], walls: {left: slip, right: slip, bottom: slip, top: open, "
             "back: periodic, front: periodic}}\n"
             "materials: {water: {preset: water}, dry: {preset: gravel, grain_size: 0.0159, porosity: 0.49}, wet: "
             "{preset: gravel, grain_size: 0.0159, porosity: 0.49, wetness: 1}}\n"
             "bodies:\n  - {material: water, box: {min: [0, 0, 0], max: [0.28, 0.24, %g]}}\n"
             "  - {material: water, box: {min: [0.28, 0, 0], max: [0.3, 0.025, %g]}}\n"
             "  - {material: water, box: {min: [0.59, 0, 0], max: [0.89, 0.025, %g]}}\n"
             "  - {material: wet, fixed: true, box: {min: [0.3, 0, 0], max: [0.59, 0.025, %g]}}\n"
             "  - {material: dry, fixed: true, box: {min: [0.3, 0.025, 0], max: [0.59, 0.37, %g]}}\n",
             d, thick, thick, thick, thick, thick, thick);
    shoal_sim* sim  = lab_sim(text, (lab_setup){0});
    double     time = 0, start = lab_stat(sim, "water_free_kg") + lab_stat(sim, "water_in_sand_kg");
    for (int t = 0; t < times; t++) {
        double until = rock_times[t] + late;
        for (; time < until - 1e-6; time += 0.01) lab_run(sim, 0.01, 0.01);
        printf("%.1f s:", rock_times[t]);
        for (int p = 0; p < ROCK_PLACES; p++) {
            double off = rock_height(sim, rock_places[p], thick) - 1e-3 * rock_heights[t][p];
            bool   in  = rock_porosity(rock_places[p]) < 1.0;
            printf(" %s%+.0f", in ? "in " : "", 1e3 * off);
            *(in ? &r.inside : &r.outside) += off * off / (times * (in ? 3.0 : 7.0));
            r.all += off * off / (times * ROCK_PLACES);
        }
        printf(" mm\n");
    }
    r.outside = sqrt(r.outside), r.inside = sqrt(r.inside), r.all = sqrt(r.all);
    r.drift = (lab_stat(sim, "water_free_kg") + lab_stat(sim, "water_in_sand_kg")) / start - 1.0;
    printf("spacing %g mm, gate %g s late: surface off by %.1f mm outside, %.1f inside, %.1f in all (rms); coarse %.0f "
           "%%, "
           "compression %.3f and %.2f %%, water off by %.1e\n",
           1e3 * d, late, 1e3 * r.outside, 1e3 * r.inside, 1e3 * r.all, lab_stat(sim, "coarse_pct"),
           lab_stat(sim, "compression_avg_pct"), lab_stat(sim, "compression_99_pct"), r.drift);
    shoal_sim_destroy(sim);
    return r;
}

#endif
