// SPDX-License-Identifier: MIT
// Laws of water among grains: momentum is handed on, not made, and not a quantum of water is lost, by the columns and
// by what lies on disk.
#include "law/soaking.h"

// A lump of water runs into a clump of grains, without gravity and walls.
static void check_momentum(const char* setting) {
    static const char text[] =
        "solver: grains\nspacing: 0.02\nfps: 100\ngravity: [0, 0, 0]\n"
        "materials: {sand: {preset: sand}, water: {preset: water}}\n"
        "bodies:\n"
        "  - {material: water, box: {min: [0, 0, 0], max: [0.08, 0.06, 0.06]}, velocity: [1, 0, 0]}\n"
        "  - {material: sand, box: {min: [0.1, 0.02, 0], max: [0.14, 0.06, 0.04]}}\n"
        "grains: {softness: 5}\n";
    shoal_sim* sim  = lab_sim(text, (lab_setup){.set = {setting}});
    double     mass = lab_stat(sim, "momentum_x_kgmps"); // times 1 m/s
    lab_run(sim, 0.08, 0.01);
    CHECK_NEAR(lab_stat(sim, "momentum_x_kgmps") / mass, 1.0, 1e-5);
    CHECK_NEAR(lab_stat(sim, "momentum_y_kgmps") / mass, 0.0, 1e-5);
    CHECK_NEAR(lab_stat(sim, "momentum_z_kgmps") / mass, 0.0, 1e-5);

    // the sand has been moved
    shoal_field_view material, velocity;
    material       = lab_view(sim, "material");
    velocity       = lab_view(sim, "velocity");
    double fastest = 0.0;
    for (int64_t i = 0; i < material.count; i++)
        if (((const uint8_t*)material.data)[i] == 0)
            fastest = fmax(fastest, (double)((const float*)velocity.data)[3 * i]);
    assert_true(fastest > 0.05);
    shoal_sim_destroy(sim);
}

static void water_and_grains_push_each_other_alike(void** state) {
    (void)state;
    check_momentum("grains.absorption=false");
    check_momentum("grains.pressure=wcsph");
}

static void water_that_is_drunk_keeps_its_momentum(void** state) {
    (void)state;
    check_momentum("grains.absorption=true");
}

// m r^2 w of the only grain, r that of the wet grain.
static double turning(const shoal_sim* sim) {
    double r = (double)lab_field(sim, "radius")[0];
    return (double)lab_field(sim, "mass")[0] * r * r * (double)lab_field(sim, "spin")[1];
}

static void a_grain_that_drinks_keeps_its_spin(void** state) {
    (void)state;
    shoal_sim* sim = lab_sim(
        "solver: grains\nspacing: 0.02\nfps: 100\ngravity: [0, 0, 0]\n"
        "materials: {sand: {preset: sand}, water: {preset: water}}\n"
        "bodies:\n"
        "  - {arrangement: lattice, material: sand, box: {min: [0, 0, 0], max: [0.02, 0.02, 0.02]}}\n"
        "  - {material: water, box: {min: [0.02, 0.005, 0.005], max: [0.03, 0.015, 0.015]}, velocity: [-0.2, 0, 0]}\n"
        "grains: {spread: 0, wet_shrink: 0.1}\n",
        (lab_setup){0});
    ((float*)(uintptr_t)lab_field(sim, "grains.spin"))[1] = 5.0f; // about y
    double before = turning(sim), mass = (double)lab_field(sim, "mass")[0];
    lab_run(sim, 0.05, 0.01);
    assert_int_equal(shoal_sim_count(sim), 1);
    assert_true((double)lab_field(sim, "mass")[0] > 1.05 * mass);
    CHECK_NEAR(turning(sim) / before, 1.0, 1e-5);
    assert_true(lab_field(sim, "spin")[1] < 5.0f);
    shoal_sim_destroy(sim);
}

// A layer of damp grains under water, which they do not drink: only sand in the air dries.
static void grains_do_not_dry_under_water(void** state) {
    (void)state;
    static const char text[] =
        "solver: grains\nspacing: 0.02\nfps: 50\ndomain: {max: [0.08, 0.16, 0.08]}\n"
        "materials: {damp: {preset: sand, wetness: 0.5}, water: {preset: water}}\n"
        "bodies:\n"
        "  - {material: damp, arrangement: lattice, box: {min: [0, 0, 0], max: [0.08, 0.02, 0.08]}}\n"
        "  - {material: water, box: {min: [0, %s, 0], max: [0.08, %s, 0.08]}}\n"
        "grains: {absorption: false, softness: 20, drying: 1, spread_rate: 0}\n";
    char below[1024], above[1024];
    snprintf(below, sizeof below, text, "0.02", "0.08");
    snprintf(above, sizeof above, text, "0.12", "0.14");
    shoal_sim* sim = lab_sim(below, (lab_setup){0});
    lab_run(sim, 0.1, 0.02);
    CHECK_NEAR(lab_stat(sim, "water_evaporated"), 0, 0);
    shoal_sim_destroy(sim);
    sim = lab_sim(above, (lab_setup){0});
    lab_run(sim, 0.06, 0.02); // before it has fallen on them
    CHECK_BELOW(0, lab_stat(sim, "water_evaporated"));
    shoal_sim_destroy(sim);
}

// A clump that is too wet flies along without gravity, and gives water back: which flies on with it. No particle of it
// is born in another or where there is no room: none bursts.
static void water_that_is_given_back_keeps_its_momentum(void** state) {
    (void)state;
    shoal_sim* sim =
        lab_sim("solver: grains\nspacing: 0.02\nfps: 100\ngravity: [0, 0, 0]\n"
                "materials: {mud: {preset: sand, wetness: 5}, water: {preset: water}}\n"
                "bodies:\n"
                "  - {material: mud, box: {min: [0, 0, 0], max: [0.08, 0.08, 0.08]}, velocity: [1, 0, 0]}\n"
                "  - {material: water, box: {min: [0, 0.3, 0], max: [0.02, 0.32, 0.02]}, velocity: [1, 0, 0]}\n"
                "grains: {softness: 20, absorption: false, regeneration: 50, wet_release: 1.2}\n",
                (lab_setup){0});
    double momentum = lab_stat(sim, "momentum_x_kgmps"), free = lab_stat(sim, "water_free"), nearest = 1, fast = 0;
    for (int f = 0; f < 10; f++) {
        CHECK_OK(shoal_sim_advance(sim, 0.01));
        shoal_field_view at = lab_view(sim, "water.position"), speed = lab_view(sim, "water.velocity");
        const float *    x = at.data, *v = speed.data;
        for (int64_t i = 0; i < at.count; i++) {
            fast = fmax(fast, hypot((double)v[3 * i] - 1, hypot((double)v[3 * i + 1], (double)v[3 * i + 2])));
            for (int64_t j = 0; j < i; j++)
                nearest =
                    fmin(nearest, hypot((double)(x[3 * i] - x[3 * j]), hypot((double)(x[3 * i + 1] - x[3 * j + 1]),
                                                                             (double)(x[3 * i + 2] - x[3 * j + 2]))));
        }
    }
    printf("given back: %.3g of %.3g, momentum %.7f, nearest %.4f m, fastest %.3f m/s\n",
           lab_stat(sim, "water_free") - free, lab_stat(sim, "water_in_grains"),
           lab_stat(sim, "momentum_x_kgmps") / momentum, nearest, fast);
    CHECK_BELOW(free, lab_stat(sim, "water_free"));
    CHECK_NEAR(lab_stat(sim, "momentum_x_kgmps") / momentum, 1, 1e-5);
    CHECK_BELOW(0.0075, nearest); // water lies 0.01 m apart
    CHECK_BELOW(fast, 0.15);
    shoal_sim_destroy(sim);
}

// A liquid as thick as tar at 1 m/s takes a clump along in less than a step: no grain becomes faster than it was.
static void a_thick_liquid_takes_grains_along(void** state) {
    (void)state;
    shoal_sim* sim =
        lab_sim("solver: grains\nspacing: 0.02\nfps: 100\ngravity: [0, 0, 0]\n"
                "materials: {sand: {preset: sand}, tar: {preset: water, viscosity: 100}}\n"
                "bodies:\n"
                "  - {material: tar, box: {min: [0, 0, 0], max: [0.08, 0.06, 0.06]}, velocity: [1, 0, 0]}\n"
                "  - {material: sand, box: {min: [0.085, 0.02, 0.02], max: [0.105, 0.04, 0.04]}}\n"
                "grains: {softness: 5, absorption: false}\n",
                (lab_setup){0});
    double fast = 0;
    for (int f = 0; f < 8; f++) {
        CHECK_OK(shoal_sim_advance(sim, 0.01));
        shoal_field_view v = lab_view(sim, "velocity");
        for (int64_t i = 0; i < 3 * v.count; i++) fast = fmax(fast, fabs((double)((const float*)v.data)[i]));
    }
    printf("in tar of 1 m/s: %.4f m/s at most\n", fast);
    CHECK_BELOW(fast, 1.1);
    shoal_sim_destroy(sim);
}

// How high water over a bed lies on average that the bed does not drink, m.
static double level_over(double wetness) {
    char text[1024];
    snprintf(text, sizeof text,
             "solver: grains\nspacing: 0.02\nfps: 50\ndomain: {max: [0.12, 0.3, 0.12]}\n"
             "materials: {sand: {preset: sand, wetness: %g}, water: {preset: water}}\n"
             "bodies:\n  - {material: sand, box: {min: [0, 0, 0], max: [0.12, 0.08, 0.12]}}\n"
             "  - {material: water, box: {min: [0, 0.08, 0], max: [0.12, 0.16, 0.12]}}\n"
             "grains: {absorption: false, softness: 20, wet_shrink: 0}\n",
             wetness);
    shoal_sim* sim = lab_sim(text, (lab_setup){0});
    lab_run(sim, 0.6, 0.02);
    shoal_field_view at  = lab_view(sim, "water.position");
    double           sum = 0;
    for (int64_t i = 0; i < at.count; i++) sum += (double)((const float*)at.data)[3 * i + 1] / (double)at.count;
    shoal_sim_destroy(sim);
    return sum;
}

// Pores that are full have no room for free water: 1 mm higher (without their water 1 mm lower, since damp sand is
// heavier).
static void full_pores_take_in_no_water(void** state) {
    (void)state;
    double dry = level_over(0), full = level_over(1);
    printf("water over dry sand at %.4f m, over full pores at %.4f m\n", dry, full);
    CHECK_BELOW(dry, full);
}

// Whatever grains, water and the thin water between a grain and the slab do to it: a slab bears the weight of all that
// is on it.
static void a_slab_bears_the_weight_of_grains_and_water(void** state) {
    (void)state;
    shoal_sim* sim =
        lab_sim("solver: grains\nspacing: 0.02\nfps: 50\ndomain: {min: [0, -0.04, 0], max: [0.08, 0.12, 0.08]}\n"
                "materials: {sand: {preset: sand}, water: {preset: water}}\n"
                "bodies:\n"
                "  - {material: sand, box: {min: [0.02, 0, 0.02], max: [0.06, 0.02, 0.06]}}\n"
                "  - {material: water, box: {min: [0, 0.02, 0], max: [0.08, 0.08, 0.08]}}\n"
                "obstacles: [{name: slab, box: {min: [-0.04, -0.04, -0.04], max: [0.12, 0, 0.12]}}]\n"
                "grains: {absorption: false, softness: 10}\n",
                (lab_setup){0});
    shoal_field_view mass;
    mass          = lab_view(sim, "mass");
    double weight = 0.0, push = 0.0;
    for (int64_t i = 0; i < mass.count; i++) weight += 9.81 * (double)((const float*)mass.data)[i];
    lab_run(sim, 0.5, 0.02);
    for (int frame = 0; frame < 25; frame++) {
        CHECK_OK(shoal_sim_advance(sim, 0.02));
        push += lab_stat(sim, "slab_force_y_n") / 25.0;
    }
    printf("the slab bears %.4f of the weight\n", -push / weight);
    CHECK_NEAR(-push / weight, 1.0, 0.08); // samples of a box that meets walls push by 4 to 6 % too much
    shoal_sim_destroy(sim);
}

static void not_a_quantum_is_lost_on_the_way_from_water_to_grains_and_back(void** state) {
    (void)state;
    shoal_sim* sim  = lab_sim(soaking, (lab_setup){0});
    bool       bore = false;
    for (int frame = 0; frame < 20; frame++) {
        CHECK_OK(shoal_sim_advance(sim, 0.02));
        assert_true(lab_stat(sim, "water_balance") == 0.0);
        bore = bore || lab_stat(sim, "water_pending") > 0.0;
    }
    assert_true(bore);
    assert_true(lab_stat(sim, "water_evaporated") > 0.0);
    assert_true(lab_stat(sim, "water_removed") > 0.0);
    assert_true(lab_stat(sim, "water_in_grains") > 0.0);
    assert_true(lab_stat(sim, "water_free") > 0.0);
    shoal_sim_destroy(sim);
}

// The last value of a column of stats.csv.
static double column_of(const char* folder, int frame, const char* name) {
    char path[512], head[4096], row[4096];
    snprintf(path, sizeof path, "%s/stats.csv", folder);
    FILE* file = fopen(path, "r");
    assert_non_null(file);
    assert_non_null(fgets(head, sizeof head, file));
    for (int k = 0; k <= frame; k++) assert_non_null(fgets(row, sizeof row, file));
    fclose(file);
    char *rest_head = head, *rest_row = row;
    for (;;) {
        char *word = strtok_r(rest_head, ",\n", &rest_head), *value = strtok_r(rest_row, ",\n", &rest_row);
        if (!word || !value) break;
        if (strcmp(word, name) == 0) return strtod(value, NULL);
    }
    fail_msg("stats.csv has no column '%s'", name);
    return 0.0;
}

static double sum_of(const shoal_frame* frame, const char* name) {
    shoal_field_view field;
    double           sum = 0.0;
    CHECK_OK(shoal_frame_field(frame, name, &field));
    for (int64_t i = 0; i < field.count; i++) sum += ((const int32_t*)field.data)[i];
    return sum;
}

static void the_files_of_a_run_give_the_same_balance(void** state) {
    (void)state;
    char          folder[] = "/tmp/shoal-soaking-XXXXXX", path[512], out[600];
    shoal_scene*  scene    = NULL;
    shoal_run_def def      = shoal_run_def_default();
    assert_non_null(mkdtemp(folder));
    snprintf(out, sizeof out, "%s/run", folder);
    def.folder = out;
    CHECK_OK(shoal_scene_parse(soaking, sizeof soaking - 1, "soaking.yaml", &scene));
    CHECK_OK(shoal_run(&def, scene, "soaking.yaml"));
    shoal_scene_destroy(scene);
    for (int k = 0; k <= 8; k += 4) {
        shoal_frame *grains = NULL, *water = NULL;
        snprintf(path, sizeof path, "%.256s/frames/soaking_%06d.grains.vtp", out, k);
        CHECK_OK(shoal_frame_load(path, &grains));
        snprintf(path, sizeof path, "%.256s/frames/soaking_%06d.water.vtp", out, k);
        CHECK_OK(shoal_frame_load(path, &water));
        double now = sum_of(grains, "water") + sum_of(grains, "pending") + sum_of(water, "quanta");
        assert_true(now + column_of(out, k, "water_evaporated") + column_of(out, k, "water_removed") ==
                    column_of(out, k, "water_emitted"));
        assert_true(now == column_of(out, k, "water_free") + column_of(out, k, "water_in_grains") +
                               column_of(out, k, "water_pending"));
        shoal_frame_destroy(grains);
        shoal_frame_destroy(water);
    }
    snprintf(path, sizeof path, "rm -r '%s'", folder);
    assert_int_equal(system(path), 0);
}

// A slab of mud, seven grains wide and three high, gives back what it holds beyond wet_release.
static void check_mud(const char* wetness, const char* spacing, double least) {
    static const char text[] = "solver: grains\nspacing: 0.02\nfps: 50\ndomain: {max: [0.2, 0.2, 0.2]}\n"
                               "materials: {mud: {preset: sand, wetness: 1.8}, water: {preset: water}}\n"
                               "bodies: [{material: mud, box: {min: [0.02, 0, 0.02], max: [0.16, 0.06, 0.16]}}]\n"
                               "grains: {regeneration: 20}\n";
    shoal_sim*        sim    = lab_sim(text, (lab_setup){.set = {wetness, spacing}});
    for (int frame = 0; frame < 15; frame++) {
        CHECK_OK(shoal_sim_advance(sim, 0.02));
        assert_true(lab_stat(sim, "water_balance") == 0.0);
        CHECK_BELOW(lab_stat(sim, "speed_max_mps"), 4.0);
    }
    CHECK_BELOW(least, lab_stat(sim, "water_free") / lab_stat(sim, "water_emitted"));
    shoal_sim_destroy(sim);
}

static void overwet_grains_pool_what_they_give_back(void** state) {
    (void)state;
    check_mud("materials.mud.wetness=1.8", "grains.water_spacing=0.5", 0.08); // 0.3 of 1.8, from open grains
    check_mud("materials.mud.wetness=2.5", "grains.water_spacing=1", 0.1);
}

static void very_wet_mud_does_not_burst(void** state) {
    (void)state;
    check_mud("materials.mud.wetness=3", "grains.water_spacing=0.5", 0.1);
}

static void a_second_liquid_is_refused(void** state) {
    (void)state;
    static const char text[] =
        "solver: grains\nspacing: 0.02\ndomain: {max: [0.2, 0.2, 0.2]}\n"
        "materials: {sand: {preset: sand}, water: {preset: water}, oil: {preset: water, density: 300}}\n"
        "bodies: [{material: sand, box: {min: [0, 0, 0], max: [0.1, 0.1, 0.1]}}]\n";
    shoal_scene*  scene  = NULL;
    shoal_sim*    sim    = NULL;
    shoal_sim_def def    = shoal_sim_def_default();
    shoal_status  status = shoal_scene_parse(text, sizeof text - 1, "oil.yaml", &scene);
    if (status == SHOAL_OK) status = shoal_sim_create(&def, scene, &sim);
    assert_true(status != SHOAL_OK);
    assert_non_null(strstr(shoal_last_error(), "2 liquids"));
    shoal_sim_destroy(sim);
    shoal_scene_destroy(scene);
}

static void as_printed_water_lies_on_a_bed(void** state) {
    (void)state;
    static const char text[] = "solver: grains\nspacing: 0.02\nfps: 30\ndomain: {max: [0.1, 0.3, 0.1]}\n"
                               "materials: {sand: {preset: sand, wetness: 1.2}, water: {preset: water}}\n"
                               "bodies:\n"
                               "  - {material: sand, box: {min: [0, 0, 0], max: [0.1, 0.06, 0.1]}}\n"
                               "  - {material: water, box: {min: [0, 0.06, 0], max: [0.1, 0.12, 0.1]}}\n"
                               "grains: {coupling: printed, grain_pressure: 500}\n";
    shoal_sim*        sim    = lab_sim(text, (lab_setup){0});
    for (int frame = 0; frame < 8; frame++) {
        CHECK_OK(shoal_sim_advance(sim, 1.0 / 30.0));
        CHECK_BELOW(lab_stat(sim, "speed_max_mps"), 2.5);
    }
    shoal_sim_destroy(sim);
}

// Water lies half as far apart as grains; 0.1 m of it beside a heap of dry sand behind a wall.
static void probes_read_the_water(void** state) {
    (void)state;
    static const char tank[] = "solver: grains\nspacing: 0.02\nfps: 50\ndomain: {max: [0.16, 0.2, 0.06]}\n"
                               "materials: {sand: {preset: sand}, water: {preset: water}}\n"
                               "obstacles: [{box: {min: [0.08, 0, 0], max: [0.1, 0.2, 0.06]}}]\n"
                               "bodies:\n"
                               "  - {material: water, box: {min: [0, 0, 0], max: [0.08, 0.1, 0.06]}}\n"
                               "  - {material: sand, box: {min: [0.1, 0, 0], max: [0.16, 0.06, 0.06]}}\n"
                               "probes:\n"
                               "  - {name: deep, kind: height, at: [0.04, 0.03]}\n"
                               "  - {name: floor, kind: pressure, at: [0.04, 0, 0.03]}\n"
                               "  - {name: sand, kind: pressure, at: [0.13, 0, 0.03]}\n"
                               "grains: {softness: 5}\n";
    shoal_sim*        sim    = lab_sim(tank, (lab_setup){0});
    CHECK_NEAR(lab_probe(sim, "deep"), 0.1, 0.002);
    lab_run(sim, 0.3, 0.02);
    CHECK_NEAR(lab_probe(sim, "floor") / (998.2 * 9.81 * 0.1), 1.0, 0.05);
    assert_true(lab_probe(sim, "sand") == 0.0); // the pressure is the water's, and there is none
    shoal_sim_destroy(sim);
}

static int by_number(const void* a, const void* b) {
    int32_t p = *(const int32_t*)a, q = *(const int32_t*)b;
    return (p > q) - (p < q);
}

// Whatever came, was drunk and born: each lives with its kind, has a number of its own, and no field of the other's.
static void grains_and_water_are_two_sets_with_one_count_of_numbers(void** state) {
    (void)state;
    shoal_sim*       sim = lab_sim(soaking, (lab_setup){0});
    shoal_field_view view;
    lab_run(sim, 0.16, 0.02);
    for (int k = 0; k < 2; k++) {
        const char* word = k == 0 ? "grains.material" : "water.material";
        CHECK_OK(shoal_sim_field(sim, word, &view));
        assert_true(view.count > 0);
        for (int64_t i = 0; i < view.count; i++) assert_true((((const uint8_t*)view.data)[i] == 2) == (k == 1));
    }
    assert_int_not_equal(shoal_sim_field(sim, "grains.pressure", &view), SHOAL_OK);
    assert_int_not_equal(shoal_sim_field(sim, "water.spin", &view), SHOAL_OK);
    view         = lab_view(sim, "id");
    int32_t* ids = malloc((size_t)view.count * sizeof *ids);
    assert_non_null(ids);
    memcpy(ids, view.data, (size_t)view.count * sizeof *ids);
    qsort(ids, (size_t)view.count, sizeof *ids, by_number);
    for (int64_t i = 1; i < view.count; i++) assert_true(ids[i] > ids[i - 1]);
    free(ids);
    shoal_sim_destroy(sim);
}

// Where the tap's water is that is still in the air, in the order in which it came; 0 of the others.
static void falls(const shoal_sim* sim, int first_id, float (*place)[3], int capacity) {
    shoal_field_view id = lab_view(sim, "id"), material = lab_view(sim, "material"), at = lab_view(sim, "position");
    memset(place, 0, (size_t)capacity * sizeof *place);
    for (int64_t i = 0; i < id.count; i++) {
        int          k = ((const int32_t*)id.data)[i] - first_id;
        const float* x = (const float*)at.data + 3 * i;
        if (((const uint8_t*)material.data)[i] == 0 || k < 0 || k >= capacity || x[1] < 0.25f) continue;
        memcpy(place[k], x, sizeof *place);
    }
}

// Sorting the grains costs as much as many substeps of theirs, and the water takes a dozen steps in such a frame. Sand
// near the opening is put out of its way at the end of a step: there a step is one of the water. The stream is the
// same.
static void a_tap_is_held_in_each_step_of_the_water(void** state) {
    (void)state;
    enum { CAPACITY = 4096 };
    static float place[2][CAPACITY][3];
    const double volume = 1e-6, way = 0.3, area = 3.14159265 * 0.03 * 0.03, d = 0.01;
    int          most[2] = {0, 0};
    for (int is_near = 0; is_near < 2; is_near++) {
        shoal_sim* sim   = lab_sim(tap, (lab_setup){.set = {is_near ? "bodies.1.at=[0, 0.4, 0]" : NULL}});
        int        first = (int)shoal_sim_count(sim);
        for (int k = 0; k < 15; k++) {
            lab_run(sim, 0.02, 0.02);
            most[is_near] = (int)fmax(most[is_near], (double)shoal_sim_interval_steps(sim));
        }
        CHECK_NEAR(lab_stat(sim, "emitted") * volume / (area * way), 1.0, 0.02);
        assert_true(lab_stat(sim, "water_balance") == 0.0);
        falls(sim, first, place[is_near], CAPACITY);
        shoal_sim_destroy(sim);
    }
    double off  = 0.0;
    int    both = 0;
    for (int k = 0; k < CAPACITY; k++) {
        const float *a = place[0][k], *b = place[1][k];
        if (a[1] == 0.0f || b[1] == 0.0f) continue;
        double apart = hypot(hypot((double)(a[0] - b[0]), (double)(a[1] - b[1])), (double)(a[2] - b[2])) / d;
        both++;
        off += apart;
    }
    assert_true(most[0] <= 3 && most[1] >= 6);
    assert_true(both > 400);
    assert_true(off < 0.04 * both); // 0.026; without being held in between 0.063
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(water_and_grains_push_each_other_alike),
        cmocka_unit_test(water_that_is_drunk_keeps_its_momentum),
        cmocka_unit_test(a_grain_that_drinks_keeps_its_spin),
        cmocka_unit_test(grains_do_not_dry_under_water),
        cmocka_unit_test(full_pores_take_in_no_water),
        cmocka_unit_test(a_thick_liquid_takes_grains_along),
        cmocka_unit_test(water_that_is_given_back_keeps_its_momentum),
        cmocka_unit_test(a_slab_bears_the_weight_of_grains_and_water),
        cmocka_unit_test(not_a_quantum_is_lost_on_the_way_from_water_to_grains_and_back),
        cmocka_unit_test(the_files_of_a_run_give_the_same_balance),
        cmocka_unit_test(overwet_grains_pool_what_they_give_back),
        cmocka_unit_test(very_wet_mud_does_not_burst),
        cmocka_unit_test(a_second_liquid_is_refused),
        cmocka_unit_test(as_printed_water_lies_on_a_bed),
        cmocka_unit_test(probes_read_the_water),
        cmocka_unit_test(grains_and_water_are_two_sets_with_one_count_of_numbers),
        cmocka_unit_test(a_tap_is_held_in_each_step_of_the_water),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
