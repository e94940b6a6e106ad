// SPDX-License-Identifier: MIT
// A step that has done all its work and then fails leaves nothing behind, emission included: the run goes on as one
// that never failed, bit for bit. So does one whose state is to be replaced by another that is no good.
#include "lab.h"

#include "base/hash.h"
#include "sim/sim_local.h"

static const char pbf_scene[] =
    "solver: pbf\nspacing: 0.05\ndomain: {max: [0.6, 0.6, 0.3], walls: {top: open, back: periodic, front: periodic}}\n"
    "bodies: [{material: water, box: {min: [0, 0, 0], max: [0.3, 0.3, 0.3]}}]\n"
    "obstacles: [{name: post, box: {min: [0.4, 0, 0.1], max: [0.45, 0.3, 0.2]}}]\n"
    "forces: [{acceleration: [2, 0, 0]}]\n";

static const char sph_scene[] = "solver: sph\nspacing: 0.05\ndomain: {max: [0.6, 0.6, 0.3], walls: {top: open}}\n"
                                "bodies: [{material: water, box: {min: [0, 0, 0], max: [0.3, 0.3, 0.3]}}]\n"
                                "obstacles: [{name: post, box: {min: [0.35, 0, 0.1], max: [0.45, 0.3, 0.2]}, "
                                "motion: [{t: 0, at: [0, 0, 0]}, {t: 1, at: [-0.2, 0, 0]}]}]\n";

static const char water_scene[] =
    "solver: flip\nspacing: 0.05\ndomain: {max: [0.8, 0.8, 0.4], walls: {top: open}}\n"
    "bodies: [{material: water, box: {min: [0, 0, 0], max: [0.4, 0.4, 0.4]}}]\nforces: [{acceleration: [0, 0, 1]}]\n";

static const char mud_scene[] = "solver: flip\nspacing: 0.02\ndomain: {max: [0.32, 0.32, 0.16], walls: {top: open}}\n"
                                "materials: {sand: {preset: sand}, water: {preset: water}}\n"
                                "bodies: [{material: sand, box: {min: [0, 0, 0], max: [0.16, 0.12, 0.16]}}, {material: "
                                "water, box: {min: [0.16, 0, 0], max: [0.32, 0.1, 0.16]}}]\n";

static const char grains_scene[] = "solver: grains\nspacing: 0.02\ndomain: {max: [0.2, 0.3, 0.1]}\n"
                                   "materials: {sand: {preset: sand, wetness: 0.8}, water: {preset: water}}\n"
                                   "bodies: [{material: sand, box: {min: [0, 0, 0], max: [0.12, 0.1, 0.1]}}, "
                                   "{material: water, box: {min: [0.14, 0, 0], max: [0.2, 0.1, 0.1]}}]\n"
                                   "obstacles: [{name: post, box: {min: [0.12, 0, 0.04], max: [0.14, 0.1, 0.06]}}]\n"
                                   "grains: {softness: 20, drying: 0.3}\n";

// What comes by every way there is, and leaves; at rest enough that the solvers choose their substeps by what is there.
#define FEEDING(material)                                                                                              \
    "emitters: [{material: " material ", disc: {radius: 0.05}, at: [0.1, 0.3, 0.1], velocity: [0.5, -1, 0]}, "         \
    "{material: " material ", rain: {min: [0.2, 0.3, 0], max: [0.38, 0.38, 0.2], rate: 600}}, "                        \
    "{material: " material ", box: {min: [0.3, 0.2, 0.06], max: [0.38, 0.28, 0.14]}}]\n"                               \
    "sinks: [{box: {min: [0.3, 0, 0], max: [0.4, 0.05, 0.2]}}]\nforces: [{acceleration: [1, 0, 0]}]\n"

#define FED "spacing: 0.02\ndomain: {max: [0.4, 0.4, 0.2], walls: {top: open}}\n"

static const char fed_scenes[][1200] = {
    "solver: pbf\n" FED  FEEDING("water"),
    "solver: sph\n" FED  FEEDING("water"),
    "solver: flip\n" FED FEEDING("water"),
    "solver: flip\n" FED "materials: {sand: {preset: sand}}\n" FEEDING("sand"),
    "solver: porous\n" FED "materials: {sand: {preset: sand}}\n" FEEDING("sand"),
    "solver: grains\n" FED
    "materials: {sand: {preset: sand, wetness: 0.8}}\ngrains: {softness: 20, drying: 0.3}\n" FEEDING("sand"),
    "solver: grains\n" FED "materials: {sand: {preset: sand, wetness: 0.8}, water: {preset: water}}\ngrains: "
    "{softness: 20, water_spacing: 1}\n"
    "bodies: [{material: sand, box: {min: [0, 0, 0], max: [0.2, 0.06, 0.2]}}]\n" FEEDING("water"),
};

static const char porous_scene[] = "solver: porous\nspacing: 0.03\ndomain: {max: [0.4, 0.4, 0.24], walls: {top: open, "
                                   "back: periodic, front: periodic}}\n"
                                   "bodies: [{material: sand, box: {min: [0, 0, 0], max: [0.18, 0.24, 0.24]}}]\n"
                                   "obstacles: [{name: post, box: {min: [0.25, 0, 0.06], max: [0.31, 0.2, 0.18]}, "
                                   "motion: [{t: 0, at: [0, 0, 0]}, {t: 1, at: [-0.2, 0, 0]}]}]\n"
                                   "forces: [{acceleration: [2, 0, 0]}]\n";

static const shoal_solver_type* whole;

static shoal_status work_in_vain(void* self, double dt) {
    shoal_status status = whole->step(self, dt);
    return status == SHOAL_OK ? shoal_fail(SHOAL_ERR_DIVERGE, "as the test wants it") : status;
}

// All that is saved, so what is only shown, too.
static void check_same(shoal_sim* a, shoal_sim* b) {
    void*  bytes[2] = {NULL, NULL};
    size_t sizes[2];
    CHECK_OK(shoal_sim_save(a, &bytes[0], &sizes[0]));
    CHECK_OK(shoal_sim_save(b, &bytes[1], &sizes[1]));
    assert_int_equal(sizes[0], sizes[1]);
    assert_memory_equal(bytes[0], bytes[1], sizes[0]);
    for (int k = 0; k < 2; k++) shoal_bytes_free(bytes[k], sizes[k]);
}

// Of all fields of all sets, those that are only shown among them.
static uint64_t shown_hash(const shoal_sim* sim) {
    uint64_t hash = 0;
    for (int k = 0; sim->ctx.sets[k]; k++)
        for (int f = 0; f < sim->ctx.sets[k]->field_count; f++) {
            const shoal_field* field = &sim->ctx.sets[k]->fields[f];
            if (field->def.role != SHOAL_SCRATCH)
                hash = shoal_hash(field->data, (size_t)sim->ctx.sets[k]->count * field->size, hash);
        }
    return hash;
}

static void check_scene(const char* scene) {
    const double      frame    = 1.0 / 60.0;
    shoal_sim *       unbroken = lab_sim(scene, (lab_setup){0}), *broken = lab_sim(scene, (lab_setup){0});
    shoal_solver_type failing = *broken->type;
    whole                     = broken->type;
    failing.step              = work_in_vain;
    lab_run(unbroken, 3.0 * frame, frame);
    for (int f = 0; f < 3; f++) {
        int64_t  count = shoal_sim_count(broken);
        uint64_t shown = shown_hash(broken);
        broken->type   = &failing;
        assert_int_equal(shoal_sim_advance(broken, frame), SHOAL_ERR_DIVERGE);
        uint64_t hash = shoal_sim_hash(broken);
        assert_int_equal(shoal_sim_advance(broken, frame), SHOAL_ERR_DIVERGE); // and again, from where it stands
        assert_int_equal(shoal_sim_count(broken), count);
        assert_true(shoal_sim_hash(broken) == hash);
        assert_true(shown_hash(broken) == shown);
        broken->type = whole;
        CHECK_OK(shoal_sim_advance(broken, frame)); // the interval that was begun
    }
    check_same(broken, unbroken);
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

static void a_failed_step_takes_back_what_was_emitted(void** state) {
    (void)state;
    for (size_t k = 0; k < sizeof fed_scenes / sizeof *fed_scenes; k++) check_scene(fed_scenes[k]);
}

static void a_failed_step_of_porous_leaves_nothing(void** state) {
    (void)state;
    check_scene(porous_scene);
}

// Where a field begins in a saved state: behind its name, in 32 bytes, type and width.
static char* find_field(char* bytes, size_t size, const char* name) {
    char head[32] = {0};
    snprintf(head, sizeof head, "%s", name);
    for (size_t at = 0; at + sizeof head + 2 * sizeof(int32_t) < size; at++)
        if (memcmp(bytes + at, head, sizeof head) == 0) return bytes + at + sizeof head + 2 * sizeof(int32_t);
    fail_msg("the saved state has no field %s", name);
    return NULL;
}

// The state of the scene with `size` bytes of a field replaced is refused by a sentence with `why`, and nothing has
// changed.
static void check_refused(const char* scene, const char* field, const void* value, size_t length, const char* why) {
    shoal_sim* sim   = lab_sim(scene, (lab_setup){0});
    void*      bytes = NULL;
    size_t     size  = 0;
    lab_run(sim, 3.0 / 60.0, 1.0 / 60.0);
    CHECK_OK(shoal_sim_save(sim, &bytes, &size));
    lab_run(sim, 1.0 / 60.0, 1.0 / 60.0);
    uint64_t hash = shoal_sim_hash(sim);
    memcpy(find_field(bytes, size, field), value, length);
    assert_int_equal(shoal_sim_load(sim, bytes, size), SHOAL_ERR_INPUT);
    if (!strstr(shoal_last_error(), why)) fail_msg("\"%s\" does not say \"%s\"", shoal_last_error(), why);
    assert_true(shoal_sim_hash(sim) == hash);
    lab_run(sim, 1.0 / 60.0, 1.0 / 60.0);
    shoal_bytes_free(bytes, size);
    shoal_sim_destroy(sim);
}

static void states_that_cannot_be_are_refused_and_change_nothing(void** state) {
    (void)state;
    const float   nan = NAN, below = -1.0f;
    const double  endless = (double)INFINITY, long_ago = -1.0;
    const int64_t astray = INT64_MAX / 2, back = -1;
    const int32_t far[3] = {1 << 20, 1 << 20, 1 << 20};
    check_refused(pbf_scene, "velocity", &nan, sizeof nan, "a velocity of particles that is not a number");
    check_refused(sph_scene, "impulse", &endless, sizeof endless, "impulse of loads that is not a number");
    check_refused(mud_scene, "values", &nan, sizeof nan, "a values of stress that is not a number");
    check_refused(mud_scene, "corner", far, sizeof far, "blocks of stress are out of order");
    check_refused(mud_scene, "dt_before", &long_ago, sizeof long_ago, "no time");
    check_refused(grains_scene, "held", &below, sizeof below, "an overlap that is out of order");
    check_refused(grains_scene, "roll", &nan, sizeof nan, "a roll of contacts that is not a number");
    check_refused(grains_scene, "books", &astray, sizeof astray, "books of the water");
    check_refused(grains_scene, "dem_steps", &back, sizeof back, "substeps of contacts");
    check_refused(porous_scene, "steps", &back, sizeof back, "substeps");
    check_refused(porous_scene, "shear_stress", &nan, sizeof nan, "a shear_stress of particles that is not a number");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_failed_step_of_pbf_leaves_nothing),
        cmocka_unit_test(a_failed_step_of_sph_leaves_nothing),
        cmocka_unit_test(a_failed_step_of_flip_leaves_nothing),
        cmocka_unit_test(a_failed_step_of_grains_leaves_nothing),
        cmocka_unit_test(a_failed_step_takes_back_what_was_emitted),
        cmocka_unit_test(a_failed_step_of_porous_leaves_nothing),
        cmocka_unit_test(states_that_cannot_be_are_refused_and_change_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
