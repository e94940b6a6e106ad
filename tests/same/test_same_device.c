// SPDX-License-Identifier: MIT
// A device gives the bits of the CPU: `mirror`, whose memory is its own and whose stale sides are poisoned, over every
// kind of thing that pbf, sph and grains take. And a device that fails in the middle: a sentence, and the state of the
// last good substep is not lost where it was saved.
#include "lab.h"

#include "exec/device.h"
#include "sim/shown.h"
#include "sim/sim_local.h"

static uint64_t hash_after(const char* scene, lab_setup setup, double seconds) {
    shoal_sim* sim = lab_scene(scene, setup);
    lab_run(sim, seconds, 1.0 / 60.0);
    uint64_t hash = shoal_sim_hash(sim);
    printf("%s on %s: %lld particles, %lld substeps, %016llx\n", scene, shoal_sim_device(sim),
           (long long)shoal_sim_count(sim), (long long)shoal_sim_steps(sim), (unsigned long long)hash);
    shoal_sim_destroy(sim);
    return hash;
}

typedef struct row {
    const char* scene;
    double      seconds;
    const char* set[6];
} row;

// Of every kind of thing that they take. Each of the lists is a test of its own, so that what is broken is seen soon.
static void have_the_bits_of_the_cpu(const row* rows, size_t count) {
    for (size_t k = 0; k < count; k++) {
        lab_setup here = {0}, there = {.device = "mirror"};
        for (int s = 0; s < 6; s++) here.set[s] = there.set[s] = rows[k].set[s];
        if (hash_after(rows[k].scene, here, rows[k].seconds) != hash_after(rows[k].scene, there, rows[k].seconds))
            fail_msg("%s differs on the mirror", rows[k].scene);
    }
}
#define HAVE_THE_BITS(rows) have_the_bits_of_the_cpu(rows, sizeof(rows) / sizeof *(rows))

// Walls, moving and mesh obstacles, streams, rain and sinks, periodic and reflecting walls, mixtures, thick liquids,
// tension, vorticity, automatic substeps and sweeps.
static void pbf_on_the_mirror_has_the_bits_of_the_cpu(void** state) {
    (void)state;
    static const row rows[] = {
        {"dam-break.yaml", 0.2, {"spacing=0.08"}},
        {"dam-break.yaml", 0.2, {"spacing=0.09", "pbf.vorticity=1", "pbf.iterations=auto", "pbf.warm_start=0.4"}},
        {"dam-break.yaml",
         0.2,
         {"spacing=0.09", "quality=fine", "pbf.density_kernel=poly6", "pbf.chebyshev=0.9", "pbf.iterations=6"}},
        {"splash.yaml", 0.2, {"spacing=0.2"}},
        {"small/column.yaml", 0.1, {NULL}},
        {"small/drop.yaml", 0.15, {NULL}},
        {"small/emitters.yaml", 0.4, {NULL}},
        {"small/tank.yaml", 0.2, {NULL}},
        {"small/poiseuille.yaml", 0.1, {"solver=pbf"}},
        {"small/two-liquids.yaml", 0.2, {"solver=pbf"}},
        {"small/tap.yaml", 0.1, {"solver=pbf"}},
    };
    HAVE_THE_BITS(rows);
}

static void sph_on_the_mirror_has_the_bits_of_the_cpu(void** state) {
    (void)state;
    static const row rows[] = {
        {"dam-break.yaml", 0.1, {"solver=sph", "spacing=0.09", "sph.tension=akinci"}},
        {"dam-break.yaml", 0.06, {"solver=sph", "spacing=0.09", "quality=fine", "sph.pressure=pcisph"}},
        {"splash.yaml", 0.1, {"solver=sph", "spacing=0.3"}},
        {"small/emitters.yaml", 0.2, {"solver=sph", "spacing=0.06"}},
        {"small/tank.yaml", 0.05, {"solver=sph", "spacing=0.09", "sph.pressure=wcsph", "sph.tension=becker"}},
        {"small/tank.yaml", 0.1, {"solver=sph", "spacing=0.09", "materials.water.viscosity=200"}},
        {"small/impact.yaml", 0.1, {"solver=sph", "sph.pressure=pcisph"}},
        {"small/poiseuille.yaml", 0.05, {"solver=sph"}},
        {"small/two-liquids.yaml", 0.4, {"solver=sph"}}, // until films overturn, beside images
        {"small/two-liquids.yaml", 0.03, {"solver=sph", "sph.pressure=wcsph", "sph.pressure_form=mueller"}},
    };
    HAVE_THE_BITS(rows);
}

// Dry and damp.
static void grains_on_the_mirror_have_the_bits_of_the_cpu(void** state) {
    (void)state;
    static const row rows[] = {
        {"sand-pile.yaml", 0.03, {"solver=grains", "spacing=0.02"}},
        {"small/print.yaml", 0.02, {"solver=grains", "spacing=0.012"}}, // dents, forces on obstacles
        {"../tests/gpu/busy.yaml", 0.04, {"spacing=0.014", "grains.rolling=0"}},
        {"../tests/gpu/busy.yaml",
         0.04,
         {"spacing=0.014", "materials.sand.wetness=1.4", "grains.diffusion=4", "grains.drying=0.5",
          "grains.drainage=1"}},
    };
    HAVE_THE_BITS(rows);
}

static void water_among_grains_on_the_mirror_has_the_bits_of_the_cpu(void** state) {
    (void)state;
    static const row rows[] = {
        {"../tests/gpu/soaking.yaml", 0.06, {NULL}}, // free water: drinks, births, streams, images
        {"../tests/gpu/soaking.yaml",
         0.02,
         {"grains.pressure=wcsph", "grains.coupling=printed", "grains.grain_pressure=20"}},
        {"../tests/gpu/stirred.yaml", 0.02, {"spacing=0.024"}},
    };
    HAVE_THE_BITS(rows);
}

// Saved on one side and loaded on the other, in the middle of emitting and draining, with contacts under load, of damp
// sand and with water among the grains. What is posted sees nothing of the steps after it.
static void a_state_moves_between_cpu_and_device(void** state) {
    (void)state;
    static const row moving[] = {
        {"small/emitters.yaml", 0.4, {NULL}},
        {"small/emitters.yaml", 0.2, {"solver=sph", "spacing=0.06"}},
        {"../tests/gpu/busy.yaml", 0.04, {"spacing=0.014"}},
        {"../tests/gpu/busy.yaml", 0.04, {"spacing=0.014", "materials.sand.wetness=1.4", "grains.diffusion=4"}},
        {"../tests/gpu/soaking.yaml", 0.04, {NULL}},
    };
    const char* const devices[] = {NULL, "mirror", NULL, "mirror"};
    int               posted    = 0; // streams have been here
    for (size_t r = 0; r < sizeof moving / sizeof *moving; r++) {
        lab_setup setup = {0};
        void*     bytes = NULL;
        size_t    size  = 0;
        double    part = moving[r].seconds / 4.0, step = part / 6.0;
        for (int s = 0; s < 6; s++) setup.set[s] = moving[r].set[s];
        shoal_sim* one = lab_scene(moving[r].scene, setup);
        lab_run(one, 4.0 * part, step);
        for (int k = 0; k < 4; k++) {
            shoal_parcels parcels = {0};
            setup.device          = devices[k];
            shoal_sim* sim        = lab_scene(moving[r].scene, setup);
            if (bytes) CHECK_OK(shoal_sim_load(sim, bytes, size));
            shoal_bytes_free(bytes, size);
            lab_run(sim, part, step);
            CHECK_OK(shoal_sim_post(sim, &parcels, &bytes, &size));
            assert_true(parcels.count == 0 || devices[k]);
            posted += parcels.count;
            if (k == 3 && shoal_sim_hash(sim) != shoal_sim_hash(one))
                fail_msg("%s goes on otherwise on another device", moving[r].scene);
            CHECK_OK(shoal_sim_advance(sim, step));
            CHECK_OK(shoal_parcels_receive(&parcels));
            shoal_parcels_drop(&parcels);
            shoal_sim_destroy(sim);
        }
        void*  whole      = NULL;
        size_t whole_size = 0;
        CHECK_OK(shoal_sim_save(one, &whole, &whole_size));
        assert_true(whole_size == size && memcmp(whole, bytes, size) == 0);
        shoal_bytes_free(whole, whole_size);
        shoal_bytes_free(bytes, size);
        shoal_sim_destroy(one);
    }
    assert_true(posted > 0);
}

// At any of its calls: the step fails with a sentence that names the device, and nothing is told of a state that could
// not be fetched.
static void a_device_that_fails_says_so(void** state) {
    (void)state;
    int failed = 0;
    for (int call = 1; call < 4000; call += 97) {
        bool is_sph = call % 2 == 0; // an obstacle's load, samples and sweeps
        char name[32];
        snprintf(name, sizeof name, "mirror:%d", call);
        shoal_scene* scene = NULL;
        shoal_sim*   sim   = NULL;
        char         path[512];
        snprintf(path, sizeof path, "%s/scenes/small/%s.yaml", getenv("SHOAL_SOURCE") ? getenv("SHOAL_SOURCE") : ".",
                 is_sph ? "tank" : "drop");
        CHECK_OK(shoal_scene_load(path, &scene));
        if (is_sph) lab_apply(scene, &(lab_setup){.set = {"solver=sph", "spacing=0.08"}});
        shoal_sim_def def   = shoal_sim_def_default();
        def.device          = name;
        shoal_status status = shoal_sim_create(&def, scene, &sim);
        for (int f = 0; f < 6 && status == SHOAL_OK; f++) status = shoal_sim_advance(sim, 1.0 / 60.0);
        if (status != SHOAL_OK) {
            failed++;
            void*  bytes = NULL;
            size_t size  = 0;
            if (!strstr(shoal_last_error(), "mirror")) fail_msg("call %d: %s", call, shoal_last_error());
            if (sim) assert_true(shoal_sim_save(sim, &bytes, &size) != SHOAL_OK);
        }
        shoal_sim_destroy(sim);
        shoal_scene_destroy(scene);
    }
    assert_true(failed > 10);
}

// What a step has left is looked at there as it is here: a speed that is no number ends it, and is told alike.
static const shoal_solver_type* whole;
static shoal_set*               ailing;

static shoal_status step_badly(void* self, double dt) {
    CHECK_OK(whole->step(self, dt));
    ((shoal_v3*)shoal_set_data(ailing, "velocity"))[7].y = NAN;
    return SHOAL_OK;
}

static void the_verdict_is_that_of_the_cpu(void** state) {
    (void)state;
    for (int k = 0; k < 2; k++) {
        char said[2][1024];
        for (int far = 0; far < 2; far++) {
            shoal_sim* sim = lab_scene("small/drop.yaml", (lab_setup){.device = far ? "mirror" : NULL,
                                                                      .set    = {k ? "solver=sph" : "solver=pbf"}});
            lab_run(sim, 1.0 / 60.0, 1.0 / 60.0);
            shoal_solver_type broken = *sim->type;
            whole                    = sim->type;
            ailing                   = sim->ctx.particles;
            broken.step              = step_badly;
            sim->type                = &broken;
            assert_int_equal(shoal_sim_advance(sim, 1.0 / 60.0), SHOAL_ERR_DIVERGE);
            snprintf(said[far], sizeof said[far], "%s", shoal_last_error());
            sim->type = whole;
            shoal_sim_destroy(sim);
        }
        assert_non_null(strstr(said[0], "finite"));
        assert_string_equal(said[0], said[1]);
    }
}

static void what_cannot_run_on_a_device_is_refused(void** state) {
    (void)state;
    static const struct {
        const char *device, *set, *said;
    } wrong[] = {{"mirror", "solver=flip", "solver flip has no passes for a device"},
                 {"mirror", "pbf.sweep=gauss_seidel", "gauss_seidel"},
                 {"cuda:77", "spacing=0.2", "cuda:77 is not available"},
                 {"gpu", "spacing=0.2", "unknown device 'gpu'"},
                 {"mirror:", "spacing=0.2", "unknown device 'mirror:'"},
                 {"cuda:x", "spacing=0.2", "unknown device 'cuda:x'"}};
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        shoal_scene* scene = NULL;
        shoal_sim*   sim   = NULL;
        char         path[512];
        snprintf(path, sizeof path, "%s/scenes/small/drop.yaml", getenv("SHOAL_SOURCE") ? getenv("SHOAL_SOURCE") : ".");
        CHECK_OK(shoal_scene_load(path, &scene));
        lab_apply(scene, &(lab_setup){.set = {wrong[k].set}});
        shoal_sim_def def = shoal_sim_def_default();
        def.device        = wrong[k].device;
        assert_int_equal(shoal_sim_create(&def, scene, &sim), SHOAL_ERR_PARAM);
        if (!strstr(shoal_last_error(), wrong[k].said)) fail_msg("%s: %s", wrong[k].device, shoal_last_error());
        shoal_scene_destroy(scene);
    }
    // nor may it come to that while it runs
    shoal_sim* far = lab_scene("small/drop.yaml", (lab_setup){.device = "mirror"});
    assert_int_equal(shoal_sim_set_param(far, "sweep", 1.0), SHOAL_ERR_PARAM);
    assert_non_null(strstr(shoal_last_error(), "gauss_seidel"));
    shoal_sim_destroy(far);
    // auto takes what is there
    shoal_sim* sim = lab_scene("small/drop.yaml", (lab_setup){.device = "auto", .set = {"solver=flip"}});
    assert_string_equal(shoal_sim_device(sim), "cpu");
    shoal_sim_destroy(sim);
}

// A card that has nearly no memory left, which is a mirror that says so.
static void little_memory(const shoal_device* device, size_t* free, size_t* all, size_t* used) {
    (void)device;
    *free = 1000000, *all = 2000000, *used = 0;
}
static shoal_status open_small(int abi, int number, shoal_device** out, char* why, size_t size) {
    (void)abi, (void)number, (void)why, (void)size;
    CHECK_OK(shoal_device_open("mirror", out));
    (*out)->memory = little_memory;
    return SHOAL_OK;
}

// Before anything is computed; and what is foreseen is about what is taken.
static void memory_of_a_device_is_foreseen(void** state) {
    (void)state;
    shoal_scene* scene = NULL;
    shoal_sim*   none  = NULL;
    char         path[512];
    snprintf(path, sizeof path, "%s/scenes/small/drop.yaml", getenv("SHOAL_SOURCE") ? getenv("SHOAL_SOURCE") : ".");
    CHECK_OK(shoal_scene_load(path, &scene));
    shoal_sim_def def = shoal_sim_def_default();
    def.device        = "cuda";
    shoal_device_plug(open_small);
    assert_int_equal(shoal_sim_create(&def, scene, &none), SHOAL_ERR_MEMORY);
    shoal_device_plug(NULL);
    assert_non_null(strstr(shoal_last_error(), "are wanted for 2952 particles, and 0.001 of 0.002 GB are free"));
    shoal_scene_destroy(scene);
    static const char* const solvers[] = {"solver=pbf", "solver=sph", "solver=grains"};
    for (int k = 0; k < 3; k++) {
        const char* name;
        size_t      free, all, used;
        shoal_sim*  sim =
            lab_scene(k < 2 ? "dam-break.yaml" : "sand-pile.yaml",
                      (lab_setup){.device = "mirror", .set = {solvers[k], k < 2 ? "spacing=0.04" : "spacing=0.01"}});
        lab_run(sim, k < 2 ? 1.0 / 60.0 : 1e-3, k < 2 ? 1.0 / 60.0 : 1e-3);
        assert_true(shoal_sim_far_memory(sim, &name, &free, &all, &used));
        double wanted = shoal_sim_far_bytes(sim, (double)shoal_sim_count(sim));
        printf("%s: %lld particles, %.0f bytes each on the device, %.0f foreseen\n", solvers[k],
               (long long)shoal_sim_count(sim), (double)used / (double)shoal_sim_count(sim),
               wanted / (double)shoal_sim_count(sim));
        assert_true(wanted > 0.9 * (double)used && wanted < 1.6 * (double)used);
        shoal_sim_destroy(sim);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(pbf_on_the_mirror_has_the_bits_of_the_cpu),
                                       cmocka_unit_test(sph_on_the_mirror_has_the_bits_of_the_cpu),
                                       cmocka_unit_test(grains_on_the_mirror_have_the_bits_of_the_cpu),
                                       cmocka_unit_test(water_among_grains_on_the_mirror_has_the_bits_of_the_cpu),
                                       cmocka_unit_test(a_state_moves_between_cpu_and_device),
                                       cmocka_unit_test(a_device_that_fails_says_so),
                                       cmocka_unit_test(the_verdict_is_that_of_the_cpu),
                                       cmocka_unit_test(what_cannot_run_on_a_device_is_refused),
                                       cmocka_unit_test(memory_of_a_device_is_foreseen)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
