// SPDX-License-Identifier: MIT
// What porous starts with: bodies that share no place, and no energy that nothing has given.
#include "lab.h"

// The highest that the centre of all rises within `time`, m, and the most kinetic energy, J.
typedef struct leap {
    double rise, energy;
} leap;
static leap leap_of(shoal_sim* sim, double time, double interval) {
    double start = lab_stat(sim, "com_y_m");
    leap   most  = {0.0, 0.0};
    for (int k = 0; k < (int)(time / interval + 0.5); k++) {
        lab_run(sim, interval, interval);
        most.rise   = fmax(most.rise, lab_stat(sim, "com_y_m") - start);
        most.energy = fmax(most.energy, lab_stat(sim, "kinetic_j"));
    }
    return most;
}

// The plane of the slope goes through places of the lattice, which sand and water would both take: half a layer too
// much, which compressed a pool of 42 layers by 0.46 %, and made it leap by 37 mm.
static void sand_and_water_share_no_place(void** state) {
    (void)state;
    shoal_sim* sim =
        lab_sim("solver: porous\nspacing: 0.04\n"
                "domain: {max: [0.8, 2.2, 0.16], walls: {top: open, left: slip, right: slip, back: periodic, "
                "front: periodic}}\n"
                "materials: {water: {preset: water}, sand: {preset: sand, wetness: 1}}\n"
                "bodies:\n"
                "  - {material: sand, intersect: [{box: {min: [0, 0, 0], max: [0.8, 0.32, 0.16]}},\n"
                "      {plane: {normal: [1, 1, 0], offset: 0.2828}}]}\n"
                "  - {material: water, subtract: [{box: {min: [0, 0, 0], max: [0.8, 1.68, 0.16]}},\n"
                "      {intersect: [{box: {min: [0, 0, 0], max: [0.8, 0.32, 0.16]}},\n"
                "      {plane: {normal: [1, 1, 0], offset: 0.2828}}]}]}\n",
                (lab_setup){0});
    double count = (double)shoal_sim_count(sim), compressed = lab_stat(sim, "compression_avg_pct");
    leap   most = leap_of(sim, 0.2, 0.02);
    printf("wedge of sand under a pool: %.0f particles of 3360, compressed by %.3f %%, rises by %.1f mm, %.2f J\n",
           count, compressed, 1e3 * most.rise, most.energy);
    CHECK_NEAR(count, 3360, 2);
    CHECK_BELOW(compressed, 0.03);
    CHECK_BELOW(most.rise, 0.002);
    CHECK_BELOW(most.energy, 10.0);
    shoal_sim_destroy(sim);
}

// Coarse sand takes the room of what touches it: layers of both under a pool start compressed by 0.6 %. Made good in
// the first substep that threw all of it up by 90 mm, with 60 J.
static void what_starts_compressed_is_let_out_gently(void** state) {
    (void)state;
    char scene[2048] = "solver: porous\nspacing: 0.02\n"
                       "domain: {max: [0.2, 2.2, 0.1], walls: {top: open, left: periodic, right: periodic, "
                       "back: periodic, front: periodic}}\n"
                       "materials: {water: {preset: water}, gravel: {preset: gravel, wetness: 1},\n"
                       "            sand: {preset: sand, wetness: 1}}\nbodies:\n";
    for (int k = 0; k < 8; k++) {
        size_t used = strlen(scene);
        snprintf(scene + used, sizeof scene - used, "  - {material: %s, box: {min: [0, %g, 0], max: [0.2, %g, 0.1]}}\n",
                 k % 2 ? "sand" : "gravel", 0.08 * k, 0.08 * (k + 1));
    }
    strcat(scene, "  - {material: water, box: {min: [0, 0.64, 0], max: [0.2, 1.9, 0.1]}}\n");
    shoal_sim* sim        = lab_sim(scene, (lab_setup){0});
    double     compressed = lab_stat(sim, "compression_avg_pct");
    leap       most       = leap_of(sim, 0.1, 0.02);
    printf("layers of sand and gravel under a pool, compressed by %.2f %%: rise by %.1f mm, %.2f J\n", compressed,
           1e3 * most.rise, most.energy);
    assert_true(compressed > 0.2);
    CHECK_BELOW(most.rise, 0.02);
    CHECK_BELOW(most.energy, 5.0);
    shoal_sim_destroy(sim);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sand_and_water_share_no_place),
        cmocka_unit_test(what_starts_compressed_is_let_out_gently),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
