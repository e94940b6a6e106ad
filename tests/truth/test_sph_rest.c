// SPDX-License-Identifier: MIT
// SPH at rest: hydrostatics by all three ways to the pressure, and liquids of unlike weight.
#include "truth/column.h"
#include "truth/figure.h"

static const char* const methods[] = {"sph.pressure=wcsph", "sph.pressure=pcisph", "sph.pressure=dfsph"};

static void check_column(int k, double off, double most) {
    column_rest r    = column_at_rest((lab_setup){.threads = 1, .set = {"solver=sph", methods[k]}});
    const char* name = strchr(methods[k], '=') + 1;
    truth_below(truth_case("column at rest, %s: largest miss of rho g z", name), "sph", r.off, "", off);
    truth_below(truth_case("column at rest, %s: average compression of the worst frame", name), "sph", r.compression,
                "%", most);
}

static void a_column_is_hydrostatic_and_hardly_compressed(void** state) {
    (void)state;
    if (truth_in_full) check_column(1, 0.02, 0.1);
    check_column(2, 0.02, 0.1);
}

static void a_column_of_wcsph_is_hydrostatic(void** state) {
    (void)state;
    check_column(0, 0.025, 1.0); // 2.3 % in one layer: docs/measured/sph.md
}

// --- two liquids

typedef struct layer_job {
    double misplaced; // fraction of particles more than a spacing inside the other liquid
    double film;      // fraction of particles that are light and lie on the floor
    double fullness;  // particles in the two layers around the middle, over those of full layers
    double nearest;   // mean distance of a particle next to the other liquid to it, in spacings
} layer_job;

static layer_job layers_of(const shoal_sim* sim, double d, double middle) {
    shoal_field_view material;
    CHECK_OK(shoal_sim_field(sim, "material", &material));
    const float*   x     = lab_field(sim, "position");
    const uint8_t* kind  = material.data;
    int            count = (int)shoal_sim_count(sim), near = 0, next = 0;
    layer_job      l = {0};
    for (int i = 0; i < count; i++) {
        double y = (double)x[3 * i + 1], best = 3.0 * d;
        // `light` is the first material of the scene
        bool is_light = kind[i] == 0, is_floor = y < d;
        if (is_light && is_floor) l.film += 1.0 / count;
        if (is_light ? y < middle - d && !is_floor : y > middle + d) l.misplaced += 1.0 / count;
        if (fabs(y - middle) < d) near++;
        if (fabs(y - middle) > 1.2 * d) continue;
        for (int j = 0; j < count; j++) {
            if (kind[j] == kind[i]) continue;
            double dx = (double)x[3 * j] - (double)x[3 * i], dy = (double)x[3 * j + 1] - y,
                   dz = (double)x[3 * j + 2] - (double)x[3 * i + 2];
            dz -= 4.0 * d * rint(dz / (4.0 * d)); // periodic across
            best = fmin(best, sqrt(dx * dx + dy * dy + dz * dz));
        }
        l.nearest += best / d;
        next++;
    }
    l.nearest /= next > 0 ? next : 1;
    l.fullness = near / (2.0 * 0.48 / d * 4.0);
    return l;
}

static void two_liquids_separate_without_a_gap(void** state) {
    (void)state;
    const double seconds[] = {3.0, 4.0, 5.0}; // waves die sooner in wcsph
    for (int k = truth_in_full ? 0 : 2; k < 3; k++) {
        shoal_sim* sim    = lab_scene("small/two-liquids.yaml", (lab_setup){.threads = 1, .set = {methods[k]}});
        double     before = lab_energy(sim), most = 0.0, exchanged = 0.0;
        for (int f = 0; f < (int)(seconds[k] * 60.0); f++) {
            lab_run(sim, 1.0 / 60.0, 1.0 / 60.0);
            most = fmax(most, lab_energy(sim) / before);
            exchanged += lab_stat(sim, "overturned");
        }
        layer_job l = layers_of(sim, 0.02, 0.12);
        printf("two liquids, %s: %.2f %% misplaced, %.2f %% as a film on the floor, layers at the "
               "interface %.3f full, the other "
               "liquid %.3f spacings away; %.0f pairs overturned, energy at most %.4f of the first\n",
               methods[k], 100.0 * l.misplaced, 100.0 * l.film, l.fullness, l.nearest, exchanged, most);
        const char* name = strchr(methods[k], '=') + 1;
        truth_below(truth_case("two liquids, %s: share in the other liquid", name), "sph", l.misplaced, "", 0.01);
        // 0.5 % of the light liquid; 3 % of all without `overturn`
        truth_below(truth_case("two liquids, %s: share that is a light film on the floor", name), "sph", l.film, "",
                    0.0025);
        truth_below(truth_case("two liquids, %s: largest energy over the first", name), "sph", most, "", 1.01);
        truth_near(truth_case("two liquids, %s: fullness of the layers at the interface", name), "sph", l.fullness, "",
                   1.0, 0.10);
        truth_below(truth_case("two liquids, %s: distance of the other liquid", name), "sph", l.nearest, "d", 1.25);
        shoal_sim_destroy(sim);
    }
}

// Nothing is harder on the sweeps: no free surface, and the light liquid bears the heavy one.
static void heavy_liquid_over_light_in_a_full_box_gains_no_energy(void** state) {
    (void)state;
    const char* const densities[] = {"materials.light.density=1000", "materials.light.density=100",
                                     "materials.light.density=2"};
    const int         frames[]    = {8, 8, 3};
    const double      bound[]     = {1.0, 1.0, 1.1}; // 1.05 at a ratio of 1000: docs/measured/sph.md
    for (int k = 0; k < (truth_in_full ? 3 : 2); k++) {
        shoal_sim* sim    = lab_sim("solver: sph\n"
                                       "spacing: 0.03\n"
                                       "domain: {max: [0.3, 0.6, 0.3]}\n"
                                       "materials: {light: {viscosity: 0.001}, heavy: {density: 2000, viscosity: 0.001}}\n"
                                       "bodies:\n"
                                       "  - {material: heavy, box: {min: [0, 0.3, 0], max: [0.3, 0.6, 0.3]}}\n"
                                       "  - {material: light, box: {min: [0, 0, 0], max: [0.3, 0.3, 0.3]}}\n"
                                       "sph: {pressure: dfsph}\n",
                                    (lab_setup){.threads = 1, .set = {densities[k]}});
        double     before = lab_energy(sim), most = 0.0;
        for (int f = 0; f < frames[k]; f++) {
            lab_run(sim, 1.0 / 60.0, 1.0 / 60.0);
            most = fmax(most, lab_energy(sim) / before);
        }
        truth_below(
            truth_case("heavy liquid over light in a full box, %s: largest energy over the first", densities[k]), "sph",
            most, "", bound[k]);
        shoal_sim_destroy(sim);
    }
}

int main(int argc, char** argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(heavy_liquid_over_light_in_a_full_box_gains_no_energy),
        cmocka_unit_test(a_column_is_hydrostatic_and_hardly_compressed),
        TRUTH_LONG(a_column_of_wcsph_is_hydrostatic),
        cmocka_unit_test(two_liquids_separate_without_a_gap),
    };
    return TRUTH_RUN("sph", tests, argc, argv);
}
