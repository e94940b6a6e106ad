// SPDX-License-Identifier: MIT
// The blow of a dam break on a wall (scenes/small/impact.yaml) at several resolutions: pressure
// over time at a point.
#ifndef SHOAL_IMPACT_H
#define SHOAL_IMPACT_H

#include "lab.h"
#include "truth/figure.h"

typedef struct impact {
    double blow;        // Pa s, over 1.25 s
    double compression; // average over particles, of the worst frame, %
} impact;

static inline impact impact_of(const char* method, double spacing) {
    char d[32], domain[64], body[64];
    snprintf(d, sizeof d, "spacing=%g", spacing);
    snprintf(domain, sizeof domain, "domain.max=[2.4, 2.4, %g]", 4.0 * spacing);
    snprintf(body, sizeof body, "bodies.0.box.max=[1.2, 1.2, %g]", 4.0 * spacing);
    shoal_sim*   sim   = lab_scene("small/impact.yaml", (lab_setup){.threads = 1, .set = {method, d, domain, body}});
    impact       r     = {0};
    const double frame = 1.0 / 240.0;
    for (int f = 0; f < 300; f++) {
        lab_run(sim, frame, frame);
        r.blow += lab_probe(sim, "wall") * frame;
        r.compression = fmax(r.compression, lab_stat(sim, "compression_avg_pct"));
    }
    shoal_sim_destroy(sim);
    return r;
}

// Gives the mean of the three, Pa s.
static inline double check_impacts(const char* method, const double spacings[3], double compression) {
    impact r[3];
    double mean = 0.0;
    for (int s = 0; s < 3; s++) {
        r[s] = impact_of(method, spacings[s]);
        mean += r[s].blow / 3.0;
    }
    printf("impact, %s: %.0f, %.0f, %.0f Pa s at d = %g, %g, %g; average compression at most %.3f, "
           "%.3f, %.3f %%\n",
           method, r[0].blow, r[1].blow, r[2].blow, spacings[0], spacings[1], spacings[2], r[0].compression,
           r[1].compression, r[2].compression);
    for (int s = 0; s < 3; s++) {
        const char* name = strchr(method, '=') + 1;
        truth_near(truth_case("blow on a wall, %s, d = %g m of %g to %g: over the mean", name, spacings[s], spacings[0],
                              spacings[2]),
                   "sph", r[s].blow / mean, "", 1.0, 0.10);
        truth_below(
            truth_case("blow on a wall, %s, d = %g m: average compression of the worst frame", name, spacings[s]),
            "sph", r[s].compression, "%", compression);
    }
    return mean;
}

#endif
