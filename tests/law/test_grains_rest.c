// SPDX-License-Identifier: MIT
// Sand at rest: bodies of grains begin as dense as their material, touch five others each, and stay
// as they are.
#include "lab.h"

typedef struct bed {
    double bulk;     // kg/m^3 of all, up to twice the height of its centre
    double amid;     // kg/m^3 of the middle, four grains off floor, top and the ends of x
    double contacts; // of a grain
    double height;   // of the centre, m
} bed;

static bed bed_of(shoal_sim* sim, double x0, double width, double depth, double d) {
    bed          b = {0.0, 0.0, lab_stat(sim, "contacts"), lab_stat(sim, "com_y_m")};
    const float *x = lab_field(sim, "position"), *m = lab_field(sim, "mass");
    double far = 4.0 * d, low = far, high = 2.0 * b.height - far, space = (high - low) * (width - 2.0 * far) * depth;
    for (int64_t i = 0; i < shoal_sim_count(sim); i++) {
        double along = (double)x[3 * i] - x0, up = (double)x[3 * i + 1];
        b.bulk += (double)m[i] / (2.0 * b.height * width * depth);
        if (up > low && up < high && along > far && along < width - far) b.amid += (double)m[i] / space;
    }
    return b;
}

// Between two walls, and in a periodic box that is no multiple of anything, twice as fine,
// elsewhere, of another seed.
static void a_bed_lies_as_dense_as_its_material_and_does_not_sink(void** state) {
    (void)state;
    static const struct {
        const char* text;
        double      x0, width, depth, d;
    } beds[] = {{"solver: grains\nspacing: 0.01\nfps: 50\ndomain: {max: [0.2, 0.2, 0.11], walls: {back: "
                 "periodic, front: periodic}}\n"
                 "bodies: [{material: sand, box: {min: [0, 0, 0], max: [0.2, 0.13, 0.11]}}]\n",
                 0.0, 0.2, 0.11, 0.01},
                {"solver: grains\nspacing: 0.005\nfps: 50\nseed: 5\ndomain: {min: [-1.3, 0, 0.2], max: "
                 "[-1.2373, 0.1, 0.2581], "
                 "walls: {left: periodic, right: periodic, back: periodic, front: periodic}}\n"
                 "bodies: [{material: sand, box: {min: [-1.3, 0, 0.2], max: [-1.2373, 0.065, 0.2581]}}]\n",
                 -1.3, 0.0627, 0.0581, 0.005}};
    for (int k = 0; k < 2; k++) {
        shoal_sim* sim   = lab_sim(beds[k].text, (lab_setup){0});
        bed        start = bed_of(sim, beds[k].x0, beds[k].width, beds[k].depth, beds[k].d);
        lab_run(sim, 0.2, 0.02);
        bed rest = bed_of(sim, beds[k].x0, beds[k].width, beds[k].depth, beds[k].d);
        printf("%d grains: %.0f kg/m^3, %.0f amid, at rest %.0f and %.0f; %.2f contacts, sunk by "
               "%.2f %%\n",
               (int)shoal_sim_count(sim), start.bulk, start.amid, rest.bulk, rest.amid, rest.contacts,
               100.0 * (1.0 - rest.height / start.height));
        CHECK_NEAR(start.amid / 1590.0, 1.0, 0.02);
        CHECK_NEAR(rest.bulk / 1590.0, 1.0, 0.02);
        CHECK_NEAR(rest.amid / 1590.0, 1.0, 0.02);
        CHECK_BELOW(5.0, rest.contacts);
        CHECK_BELOW(1.0 - rest.height / start.height,
                    0.02); // of it 1 % are springs that give way, and the roughness of the top
        CHECK_BELOW(lab_stat(sim, "kinetic_j") / (0.5 * rest.bulk * 2.0 * rest.height * beds[k].width * beds[k].depth),
                    0.02 * 0.02);
        shoal_sim_destroy(sim);
    }
}

// Nothing is pressed: without weight a block stays as it is.
static void a_block_in_empty_space_does_not_burst(void** state) {
    (void)state;
    shoal_sim* sim = lab_sim("solver: grains\nspacing: 0.01\nfps: 50\ngravity: [0, 0, 0]\n"
                             "bodies: [{material: sand, sphere: {radius: 0.06}}]\n",
                             (lab_setup){0});
    lab_run(sim, 0.1, 0.02);
    CHECK_BELOW(lab_stat(sim, "speed_max_mps"), 1e-3);
    shoal_sim_destroy(sim);
}

// What `shoal check` counts is what a run begins with: bodies that touch, of other fractions, cut by
// obstacles, turned, beside water.
static void as_many_grains_come_as_were_counted(void** state) {
    (void)state;
    static const char text[] =
        "solver: grains\nspacing: 0.01\nfps: 50\ndomain: {max: [0.2, 0.2, 0.1], walls: {back: "
        "periodic, front: periodic}}\n"
        "materials: {sand: {preset: sand}, dense: {preset: sand, packing: 0.63}, water: {preset: "
        "water}}\n"
        "bodies:\n"
        "  - {material: sand, box: {min: [0, 0, 0], max: [0.1, 0.05, 0.1]}}\n"
        "  - {material: dense, box: {min: [0.1, 0, 0], max: [0.2, 0.05, 0.1]}}\n"
        "  - {material: sand, box: {size: [0.06, 0.04, 0.03]}, rotate: {axis: [1, 2, 3], degrees: "
        "37}, at: [0.05, 0.12, 0.05]}\n"
        "  - {material: sand, arrangement: lattice, box: {min: [0, 0.05, 0], max: [0.03, 0.07, "
        "0.1]}}\n"
        "  - {material: water, box: {min: [0.1, 0.05, 0], max: [0.2, 0.09, 0.1]}}\n"
        "obstacles: [{sphere: {radius: 0.03}, at: [0.08, 0.02, 0.05]}]\n";
    shoal_scene* scene = NULL;
    CHECK_OK(shoal_scene_parse(text, strlen(text), "lab", &scene));
    CHECK_OK(shoal_scene_check(scene));
    shoal_scene_facts facts = shoal_scene_get_facts(scene);
    shoal_scene_destroy(scene);
    shoal_sim* sim = lab_sim(text, (lab_setup){0});
    assert_int_equal(shoal_sim_count(sim), facts.particles);
    lab_run(sim, 0.02, 0.02);
    CHECK_BELOW(lab_stat(sim, "speed_max_mps"), 0.5);
    shoal_sim_destroy(sim);
    assert_true(lab_goes_on(text, (lab_setup){0}, 0.02, 0.02));
}

// Whether a scene of one body is faulted with these words.
static bool is_reported(const char* solver, const char* body, const char* material, const char* domain,
                        const char* words) {
    char         text[512];
    shoal_scene* scene = NULL;
    bool         found = false;
    snprintf(text, sizeof text,
             "solver: %s\nspacing: 0.01\ndomain: {max: [0.1, 0.1, %s]}\nmaterials: {a: "
             "{%s}}\nbodies: [{material: a, %sbox: {min: [0, 0, 0], "
             "max: [0.05, 0.05, %s]}}]\n",
             solver, domain, material, body, domain);
    CHECK_OK(shoal_scene_parse(text, strlen(text), "lab", &scene));
    shoal_scene_check(scene);
    for (int k = 0; k < shoal_scene_fault_count(scene); k++)
        found = found || strstr(shoal_scene_fault(scene, k)->message, words);
    shoal_scene_destroy(scene);
    return found;
}

static void words_without_effect_and_what_spheres_cannot_do_are_reported(void** state) {
    (void)state;
    assert_true(is_reported("flip", "arrangement: random, ", "preset: sand", "0.1", "has no effect"));
    assert_true(is_reported("grains", "arrangement: lattice, ", "preset: water", "0.1", "has no effect"));
    assert_true(is_reported("grains", "arrangement: latice, ", "preset: sand", "0.1", "lattice"));
    assert_true(is_reported("grains", "", "preset: sand, packing: 1", "0.1", "spheres lie at"));
    assert_true(is_reported("grains", "", "preset: sand", "0.012", "crowded"));
    assert_false(is_reported("grains", "arrangement: lattice, ", "preset: sand, packing: 1", "0.012", ""));
    assert_false(is_reported("grains", "", "preset: sand", "0.1", ""));
    assert_false(is_reported("flip", "", "preset: sand", "0.1", "has no effect"));
}

// Whichever comes first, and where one of them has a fault of its own.
static void bodies_that_overlap_are_refused(void** state) {
    (void)state;
    static const char* const bodies[][2] = {{"sand", "water"}, {"water", "sand"}, {"sand", "sand"},
                                            {"sand", "dense"}, {"dense", "sand"}, {"sand", "nothing"}};
    for (int k = 0; k < 6; k++) {
        char         text[512];
        shoal_scene* scene = NULL;
        snprintf(text, sizeof text,
                 "solver: grains\nspacing: 0.01\ndomain: {max: [0.1, 0.1, 0.1]}\n"
                 "materials: {sand: {preset: sand}, dense: {preset: sand, packing: 0.63}, water: "
                 "{preset: water}}\n"
                 "bodies:\n  - {material: %s, box: {min: [0, 0, 0], max: [0.05, 0.05, 0.1]}}\n"
                 "  - {material: %s, box: {min: [0.03, 0, 0], max: [0.1, 0.05, 0.1]}}\n",
                 bodies[k][0], bodies[k][1]);
        CHECK_OK(shoal_scene_parse(text, strlen(text), "lab", &scene));
        assert_true(shoal_scene_check(scene) != SHOAL_OK);
        assert_true(k == 5 || strstr(shoal_last_error(), "overlaps"));
        shoal_scene_destroy(scene);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_bed_lies_as_dense_as_its_material_and_does_not_sink),
        cmocka_unit_test(a_block_in_empty_space_does_not_burst),
        cmocka_unit_test(as_many_grains_come_as_were_counted),
        cmocka_unit_test(words_without_effect_and_what_spheres_cannot_do_are_reported),
        cmocka_unit_test(bodies_that_overlap_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
