// SPDX-License-Identifier: MIT
// A step that has done all its work and then fails leaves nothing behind: the run goes on as one that never failed, bit for bit.
#include "lab.h"

#include "sim/sim_local.h"

static const char pbf_scene[] = "solver: pbf\nspacing: 0.05\ndomain: {max: [0.6, 0.6, 0.3], walls: {top: open, back: periodic, front: periodic}}\n"
                                "bodies: [{material: water, box: {min: [0, 0, 0], max: [0.3, 0.3, 0.3]}}]\n"
                                "obstacles: [{name: post, box: {min: [0.4, 0, 0.1], max: [0.45, 0.3, 0.2]}}]\n"
                                "forces: [{acceleration: [2, 0, 0]}]\n";

static const char sph_scene[] = "solver: sph\nspacing: 0.05\ndomain: {max: [0.6, 0.6, 0.3], walls: {top: open}}\n"
                                "bodies: [{material: water, box: {min: [0, 0, 0], max: [0.3, 0.3, 0.3]}}]\n"
                                "obstacles: [{name: post, box: {min: [0.35, 0, 0.1], max: [0.45, 0.3, 0.2]}, "
                                "motion: [{t: 0, at: [0, 0, 0]}, {t: 1, at: [-0.2, 0, 0]}]}]\n";

static const char water_scene[] = "solver: flip\nspacing: 0.05\ndomain: {max: [0.8, 0.8, 0.4], walls: {top: open}}\n"
                                  "bodies: [{material: water, box: {min: [0, 0, 0], max: [0.4, 0.4, 0.4]}}]\nforces: [{acceleration: [0, 0, 1]}]\n";

static const char mud_scene[] = "solver: flip\nspacing: 0.02\ndomain: {max: [0.32, 0.32, 0.16], walls: {top: open}}\n"
                                "materials: {sand: {preset: sand}, water: {preset: water}}\n"
                                "bodies: [{material: sand, box: {min: [0, 0, 0], max: [0.16, 0.12, 0.16]}}, {material: water, box: {min: [0.16, 0, 0], max: [0.32, 0.1, 0.16]}}]\n";

static const char grains_scene[] = "solver: grains\nspacing: 0.02\ndomain: {max: [0.2, 0.3, 0.1]}\n"
                                   "materials: {sand: {preset: sand, wetness: 0.8}, water: {preset: water}}\n"
                                   "bodies: [{material: sand, box: {min: [0, 0, 0], max: [0.12, 0.1, 0.1]}}, {material: water, box: {min: [0.14, 0, 0], max: [0.2, 0.1, 0.1]}}]\n"
                                   "obstacles: [{name: post, box: {min: [0.12, 0, 0.04], max: [0.14, 0.1, 0.06]}}]\n"
                                   "grains: {softness: 20, drying: 0.3}\n";

static const shoal_solver_type* whole;

static shoal_status work_in_vain(void* self, double dt) {
    shoal_status status = whole->step(self, dt);
    return status == SHOAL_OK ? shoal_fail(SHOAL_ERR_DIVERGE, "as the test wants it") : status;
}

static void check_scene(const char* scene) {
    const double      frame    = 1.0 / 60.0;
    shoal_sim *       unbroken = lab_sim(scene, (lab_setup){0}), *broken = lab_sim(scene, (lab_setup){0});
    shoal_solver_type failing = *broken->type;
    whole                     = broken->type;
    failing.step              = work_in_vain;
    lab_run(unbroken, 3.0 * frame, frame);
    for (int f = 0; f < 3; f++) {
        broken->type = &failing;
        assert_int_equal(shoal_sim_advance(broken, frame), SHOAL_ERR_DIVERGE);
        assert_int_equal(shoal_sim_advance(broken, frame), SHOAL_ERR_DIVERGE); // and again, from where it stands
        broken->type = whole;
        CHECK_OK(shoal_sim_advance(broken, frame)); // the interval that was begun
    }
    assert_true(shoal_sim_hash(broken) == shoal_sim_hash(unbroken));
    shoal_sim_destroy(unbroken);
    shoal_sim_destroy(broken);
}

static void a_failed_step_of_pbf_leaves_nothing(void** state) {
    (void)state;
    check_scene(pbf_scene);
}

static void a_failed_step_of_sph_leaves_nothing(void** state) {
    (void)state;
    check_scene(sph_scene);
}

static void a_failed_step_of_flip_leaves_nothing(void** state) {
    (void)state;
    check_scene(water_scene);
    check_scene(mud_scene);
}

static void a_failed_step_of_grains_leaves_nothing(void** state) {
    (void)state;
    check_scene(grains_scene);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_failed_step_of_pbf_leaves_nothing),
        cmocka_unit_test(a_failed_step_of_sph_leaves_nothing),
        cmocka_unit_test(a_failed_step_of_flip_leaves_nothing),
        cmocka_unit_test(a_failed_step_of_grains_leaves_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
