// SPDX-License-Identifier: MIT
// The paper's friction with rigid clusters, its pressure by Tait's equation, and clusters as a field of both frictions.
#include "lab.h"

// A cohesive body that flies, turns and does not touch anybody is one cluster, and keeps momentum, turning and shape.
// On a lattice of its own axes, so that it begins without a strain.
static void a_free_body_is_one_cluster_and_keeps_momentum_turning_and_shape(void** state) {
    (void)state;
    enum { MOST = 400 };
    static float x[MOST][3];
    shoal_sim*   sim        = lab_sim("solver: porous\nporous: {friction: paper}\nspacing: 0.02\ngravity: [0, 0, 0]\n"
                                               "materials: {sand: {preset: sand, cohesion: 1e4}}\n"
                                               "bodies: [{material: sand, arrangement: lattice, box: {size: [0.16, 0.1, 0.12]}, rotate: "
                                               "{axis: [1, 2, 3], degrees: 25}, velocity: [0.3, 0, 0.1], spin: [0.5, 0, 3]}]\n",
                                      (lab_setup){0});
    int64_t      count      = shoal_sim_count(sim);
    double       sums[2][6] = {{0}}, size = 0, apart[2];
    assert_true(count > 200 && count < MOST);
    for (int k = 0; k < 2; k++) {
        if (k == 1) lab_run(sim, 0.5, 0.02);
        const float *at = lab_field(sim, "position"), *v = lab_field(sim, "velocity");
        for (int64_t i = 0; i < count; i++)
            for (int a = 0; a < 3; a++) {
                int b = (a + 1) % 3, c = (a + 2) % 3;
                sums[k][a] += (double)v[3 * i + a];
                sums[k][3 + a] +=
                    (double)at[3 * i + b] * (double)v[3 * i + c] - (double)at[3 * i + c] * (double)v[3 * i + b];
                if (k == 0) size += fabs((double)v[3 * i + a]);
            }
        lab_by_id(sim, "position", x);
        apart[k] = 0;
        for (int a = 0; a < 3; a++) apart[k] += pow((double)(x[count - 1][a] - x[0][a]), 2);
    }
    const int32_t* cluster = (const int32_t*)lab_view(sim, "cluster").data;
    for (int64_t i = 0; i < count; i++) assert_int_equal(cluster[i], 0);
    for (int a = 0; a < 6; a++) CHECK_NEAR(sums[1][a], sums[0][a], (a < 3 ? 1e-5 : 1e-4 * 0.2) * size);
    CHECK_NEAR(sqrt(apart[1] / apart[0]), 1, 1e-4);
    CHECK_NEAR(lab_stat(sim, "clusters"), 1, 0);
    shoal_sim_destroy(sim);
}

// A body that slides on a floor is stopped by Coulomb's friction, above it, and does not tip over or sink.
static double slides(const char* floor) {
    char text[512];
    snprintf(text, sizeof text,
             "solver: porous\nporous: {friction: paper}\nspacing: 0.02\n"
             "domain: {min: [0, 0, 0], max: [2, 0.3, 0.4], walls: {bottom: %s, top: open}}\n"
             "materials: {sand: {preset: sand, cohesion: 1e4}}\n"
             "bodies: [{material: sand, arrangement: lattice, box: {min: [0.2, 0, 0.1], max: [0.4, 0.08, 0.3]}, "
             "velocity: [1, 0, 0]}]\n",
             floor);
    shoal_sim* sim = lab_sim(text, (lab_setup){0});
    lab_run(sim, 0.1, 0.02);
    const float *x = lab_field(sim, "position"), *v = lab_field(sim, "velocity");
    double       mean = 0;
    for (int64_t i = 0; i < shoal_sim_count(sim); i++) {
        mean += (double)v[3 * i] / (double)shoal_sim_count(sim);
        CHECK_BELOW(0.0095, (double)x[3 * i + 1]);
    }
    CHECK_BELOW(0.5, lab_stat(sim, "clusters"));
    shoal_sim_destroy(sim);
    return mean;
}

static void a_cluster_slides_on_a_floor_as_coulomb_says(void** state) {
    (void)state;
    double smooth = slides("slip"), rough = slides("{friction: 0.5}");
    printf("after 0.1 s at %.3f m/s on a smooth floor, %.3f on one of friction 0.5 (0.51)\n", smooth, rough);
    CHECK_NEAR(smooth, 1, 0.02);
    CHECK_NEAR(rough, 1 - 0.5 * 9.81 * 0.1, 0.1);
}

// The limit of the paper's rule: nothing of the stress is kept, so a heap goes on flowing where the global one rests.
static void the_papers_friction_does_not_rest_and_the_global_one_does(void** state) {
    (void)state;
    double creep[3];
    for (int k = 0; k < 3; k++) {
        static const char* const ways[] = {"friction: global", "friction: paper", "friction: paper, pressure: wcsph"};
        char                     text[512];
        snprintf(text, sizeof text,
                 "solver: porous\nporous: {%s}\nspacing: 0.01\n"
                 "domain: {max: [0.3, 0.15, 0.04], walls: {top: open, left: slip, back: periodic, front: periodic}}\n"
                 "materials: {sand: {preset: sand, boundary_friction: 0.6}}\n"
                 "bodies: [{material: sand, box: {min: [0, 0, 0], max: [0.1, 0.1, 0.04]}}]\n",
                 ways[k]);
        shoal_sim* sim = lab_sim(text, (lab_setup){0});
        lab_run(sim, 0.6, 1.0 / 60);
        creep[k]        = 0;
        double clusters = 0;
        for (int f = 0; f < 12; f++) {
            lab_run(sim, 1.0 / 60, 1.0 / 60);
            creep[k] += lab_stat(sim, "creep_mps") / 12;
            clusters += lab_stat(sim, "clusters") / 12;
        }
        printf("%s: creep %.1f mm/s, %.1f clusters, %.1f sweeps, compression %.2f and %.1f %%\n", ways[k],
               1e3 * creep[k], clusters, lab_stat(sim, "sweeps"), lab_stat(sim, "compression_avg_pct"),
               lab_stat(sim, "compression_99_pct"));
        CHECK_BELOW(0, clusters);
        if (k == 1) CHECK_BELOW(lab_stat(sim, "compression_avg_pct"), 1.7); // 2.7 where compressed clusters stay rigid
        if (k == 2) CHECK_NEAR(lab_stat(sim, "sweeps"), 0, 0);
        if (k < 2) CHECK_BELOW(4.5, lab_stat(sim, "sweeps"));
        shoal_sim_destroy(sim);
    }
    CHECK_BELOW(creep[0], 2e-3);
    CHECK_BELOW(3 * creep[0], creep[1]);
    CHECK_BELOW(3 * creep[0], creep[2]);
}

// Two blocks apart are two clusters, each named by the smallest id in it.
static void clusters_are_what_is_connected(void** state) {
    (void)state;
    shoal_sim* sim = lab_sim("solver: porous\nspacing: 0.02\n"
                             "domain: {max: [0.5, 0.2, 0.2], walls: {top: open, bottom: stick}}\n"
                             "materials: {sand: {preset: sand, cohesion: 2000}}\nbodies:\n"
                             "  - {material: sand, arrangement: lattice, box: {min: [0.04, 0, 0.04], max: [0.16, 0.06, "
                             "0.16]}}\n"
                             "  - {material: sand, arrangement: lattice, box: {min: [0.3, 0, 0.04], max: [0.42, 0.06, "
                             "0.16]}}\n",
                             (lab_setup){0});
    lab_run(sim, 0.1, 0.02);
    shoal_field_view cluster = lab_view(sim, "cluster"), id = lab_view(sim, "id");
    const float*     x        = lab_field(sim, "position");
    int32_t          least[2] = {INT32_MAX, INT32_MAX};
    CHECK_NEAR(lab_stat(sim, "clusters"), 2, 0);
    for (int64_t i = 0; i < id.count; i++) {
        int side = x[3 * i] > 0.23f;
        if (((const int32_t*)id.data)[i] < least[side]) least[side] = ((const int32_t*)id.data)[i];
    }
    for (int64_t i = 0; i < id.count; i++)
        if (((const int32_t*)cluster.data)[i] >= 0)
            assert_int_equal(((const int32_t*)cluster.data)[i], least[x[3 * i] > 0.23f]);
    shoal_sim_destroy(sim);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_free_body_is_one_cluster_and_keeps_momentum_turning_and_shape),
        cmocka_unit_test(a_cluster_slides_on_a_floor_as_coulomb_says),
        cmocka_unit_test(the_papers_friction_does_not_rest_and_the_global_one_does),
        cmocka_unit_test(clusters_are_what_is_connected),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
