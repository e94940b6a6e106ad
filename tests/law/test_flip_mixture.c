// SPDX-License-Identifier: MIT
// Water and sand in one FLIP scene: a flooded bed rests, sand sinks as a body of its weight
// does, water seeps by Darcy's law, and all that in the same bits for any number of threads.
#include "lab.h"

// Depths in m; pores are full at the start.
static const char bed[] = "solver: flip\n"
                          "spacing: 0.01\n"
                          "domain: {min: [0, 0, 0], max: [0.16, 0.4, 0.08]}\n"
                          "materials: {sand: {preset: sand, wetness: 1, grain_size: 0.001}}\n"
                          "bodies:\n"
                          "  - {material: sand, box: {min: [0, 0, 0], max: [0.16, 0.1, 0.08]}}\n"
                          "  - {material: water, box: {min: [0, 0.1, 0], max: [0.16, 0.2, 0.08]}}\n";

// Mean over particles of a material below a height.
static double mean_below(shoal_sim* sim, int material, const char* field, float height) {
    shoal_field_view materials;
    CHECK_OK(shoal_sim_field(sim, "material", &materials));
    const float *x = lab_field(sim, "position"), *value = lab_field(sim, field);
    double       sum = 0.0, n = 0.0;
    for (int64_t i = 0; i < materials.count; i++) {
        if (((const uint8_t*)materials.data)[i] != material || x[3 * i + 1] > height) continue;
        sum += (double)value[i];
        n += 1.0;
    }
    return sum / n;
}

// Which number the scene gave to sand: bodies are filled in order, and ids count from the first.
static int material_of_first(shoal_sim* sim) {
    shoal_field_view ids, materials;
    CHECK_OK(shoal_sim_field(sim, "id", &ids));
    CHECK_OK(shoal_sim_field(sim, "material", &materials));
    for (int64_t i = 0; i < ids.count; i++)
        if (((const int32_t*)ids.data)[i] == 0) return ((const uint8_t*)materials.data)[i];
    fail_msg("the first particle is gone");
    return 0;
}

static void a_flooded_bed_rests_under_its_own_weight(void** state) {
    (void)state;
    shoal_sim* sim   = lab_sim(bed, (lab_setup){0});
    int        sand  = material_of_first(sim), water = 1 - sand;
    double     level = lab_stat(sim, "com_y_m"), volume = lab_stat(sim, "volume_m3");
    lab_run(sim, 1.0, 1.0 / 30.0);
    // the lowest layer, half a spacing to a cell above the floor: water carries itself, grains the rest
    double depth = 0.2 - 0.01, of_water = mean_below(sim, water, "pressure", 0.02f), of_sand = mean_below(sim, sand, "pressure", 0.02f);
    double hydrostatic = 998.2 * 9.81 * depth, submerged = 0.6 * (2650.0 - 998.2) * 9.81 * (0.1 - 0.01);
    printf("flooded bed after 1 s: water %.3f of hydrostatic, sand %.3f of its weight under water, centre %+.2f mm, speed %.4f m/s, volume "
           "%.4f\n",
           of_water / hydrostatic, of_sand / submerged, 1e3 * (lab_stat(sim, "com_y_m") - level), lab_stat(sim, "speed_max_mps"),
           lab_stat(sim, "volume_m3") / volume);
    CHECK_NEAR(of_water / hydrostatic, 1.0, 0.05);
    CHECK_NEAR(of_sand / submerged, 1.0, 0.15);
    CHECK_NEAR(lab_stat(sim, "com_y_m"), level, 0.002);
    CHECK_NEAR(lab_stat(sim, "volume_m3") / volume, 1.0, 0.02);
    CHECK_BELOW(lab_stat(sim, "speed_max_mps"), 0.05 * sqrt(9.81 * 0.02));
    shoal_sim_destroy(sim);
}

static void sand_sinks_in_water(void** state) {
    (void)state;
    shoal_sim* sim  = lab_sim("solver: flip\n"
                              "spacing: 0.02\n"
                              "domain: {min: [0, 0, 0], max: [0.4, 0.8, 0.4]}\n"
                              "materials: {sand: {preset: sand, wetness: 1, grain_size: 0.001}}\n"
                              "bodies:\n"
                              "  - {material: sand, sphere: {radius: 0.1}, at: [0.2, 0.5, 0.2]}\n"
                              "  - material: water\n"
                              "    subtract: [{box: {min: [0, 0, 0], max: [0.4, 0.7, 0.4]}}, {sphere: {radius: 0.1}, at: [0.2, 0.5, 0.2]}]\n",
                              (lab_setup){0});
    int        sand = material_of_first(sim);
    double     count, from = 0.0, to = 0.0;
    for (int k = 0; k < 2; k++) {
        shoal_field_view materials;
        CHECK_OK(shoal_sim_field(sim, "material", &materials));
        const float* x   = lab_field(sim, "position");
        double       sum = 0.0;
        count            = 0.0;
        for (int64_t i = 0; i < materials.count; i++)
            if (((const uint8_t*)materials.data)[i] == sand) sum += (double)x[3 * i + 1], count += 1.0;
        *(k == 0 ? &from : &to) = sum / count;
        if (k == 0) lab_run(sim, 0.2, 0.05);
    }
    // a ball of 1989 kg/m^3 with the inertia of half its volume of water, before drag slows it
    double mix = 1590.0 + 0.4 * 998.2, wanted = 0.5 * 9.81 * (mix - 998.2) / (mix + 0.5 * 998.2) * 0.2 * 0.2;
    printf("a ball of sand sinks %.1f mm in 0.2 s, %.1f as a solid ball would\n", 1e3 * (from - to), 1e3 * wanted);
    CHECK_NEAR((from - to) / wanted, 1.0, 0.35);
    shoal_sim_destroy(sim);
}

// A layer of wet sand on a slight slope, round a periodic axis: sand stays, water seeps down it.
static void water_seeps_through_sand_by_darcys_law(void** state) {
    (void)state;
    const double push = 0.5, n = 0.4, d = 0.002, mu = 1.0016e-3, rho = 998.2;
    shoal_sim*   sim  = lab_sim("solver: flip\n"
                                "spacing: 0.01\n"
                                "gravity: [0.5, -9.81, 0]\n"
                                "domain: {min: [0, 0, 0], max: [0.16, 0.3, 0.16], walls: {left: periodic, right: periodic, back: periodic, front: "
                                "periodic}}\n"
                                "materials: {sand: {preset: sand, wetness: 1, grain_size: 0.002}}\n"
                                "bodies:\n"
                                "  - {material: sand, box: {min: [0, 0, 0], max: [0.16, 0.12, 0.16]}}\n"
                                "  - {material: water, box: {min: [0, 0.12, 0], max: [0.16, 0.13, 0.16]}}\n",
                                (lab_setup){0});
    lab_run(sim, 0.3, 0.05);
    shoal_field_view materials;
    CHECK_OK(shoal_sim_field(sim, "material", &materials));
    const float *x = lab_field(sim, "position"), *v = lab_field(sim, "velocity");
    double       mean[2] = {0.0, 0.0}, count[2] = {0.0, 0.0};
    int          sand    = material_of_first(sim);
    for (int64_t i = 0; i < materials.count; i++) {
        int which = ((const uint8_t*)materials.data)[i] == sand;
        if (x[3 * i + 1] < 0.02f || x[3 * i + 1] > 0.08f) continue;
        mean[which] += (double)v[3 * i];
        count[which] += 1.0;
    }
    double water = mean[0] / count[0], grains = mean[1] / count[1];
    // n rho push = K w with K of Ergun
    double linear = 150.0 * 0.6 * 0.6 * mu / (n * d * d), square = 1.75 * 0.6 * rho / d;
    double wanted = (sqrt(linear * linear + 4.0 * square * n * rho * push) - linear) / (2.0 * square);
    printf("water seeps with %.2f mm/s, %.2f by Ergun; sand creeps with %.3f mm/s\n", 1e3 * water, 1e3 * wanted, 1e3 * grains);
    CHECK_NEAR((water - grains) / wanted, 1.0, 0.2); // the square part sees the noise of particles as slip
    CHECK_BELOW(fabs(grains), 0.1 * wanted);
    shoal_sim_destroy(sim);
}

// A dam of water over dry sand, with more of both coming in.
static const char dam[] = "solver: flip\n"
                          "spacing: 0.02\n"
                          "domain: {min: [0, 0, 0], max: [0.64, 0.6, 0.16]}\n"
                          "materials: {sand: {preset: sand, grain_size: 0.001}}\n"
                          "bodies:\n"
                          "  - {material: sand, box: {min: [0, 0, 0], max: [0.64, 0.1, 0.16]}}\n"
                          "  - {material: water, box: {min: [0, 0.1, 0], max: [0.16, 0.4, 0.16]}}\n"
                          "emitters:\n"
                          "  - {material: sand, disc: {radius: 0.04}, at: [0.5, 0.5, 0.08], velocity: [0, -1, 0]}\n";

static void water_and_sand_give_the_same_bits_for_any_number_of_threads(void** state) {
    (void)state;
    static const char* const options[] = {NULL, "flip.coupling=one-way", "flip.coupling=none", "flip.friction=paper"};
    for (int k = 0; k < 4; k++) {
        uint64_t hash[2];
        for (int t = 0; t < 2; t++) {
            shoal_sim* sim = lab_sim(dam, (lab_setup){.threads = t == 0 ? 1 : 3, .set = {options[k]}});
            lab_run(sim, 0.1, 0.05);
            hash[t] = shoal_sim_hash(sim);
            shoal_sim_destroy(sim);
        }
        if (hash[0] != hash[1]) fail_msg("%s: three threads differ from one", options[k] ? options[k] : "as is");
    }
}

static void a_saved_mixture_goes_on_bit_for_bit(void** state) {
    (void)state;
    assert_true(lab_goes_on(dam, (lab_setup){0}, 0.05, 0.05));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_flooded_bed_rests_under_its_own_weight),
        cmocka_unit_test(sand_sinks_in_water),
        cmocka_unit_test(water_seeps_through_sand_by_darcys_law),
        cmocka_unit_test(water_and_sand_give_the_same_bits_for_any_number_of_threads),
        cmocka_unit_test(a_saved_mixture_goes_on_bit_for_bit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
