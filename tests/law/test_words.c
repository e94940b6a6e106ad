// SPDX-License-Identifier: MIT
// Every word has an effect: under each solver every key of a material, and every key of bodies,
// obstacles, emitters and walls, changes bits of a small run, or is warned of, or refused; and what
// is warned of changes none. And scenes that name no solver get one that takes their materials.
#include "lab.h"

#include "base/hash.h"
#include "scene/blocks.h"
#include "solvers/flip/flip_params.h"
#include "solvers/grains/grains_params.h"
#include "solvers/pbf/pbf_params.h"
#include "solvers/porous/porous_params.h"

#include <ctype.h>

// A block of the material `stuff` that slides over a corner of walls and an obstacle under slanted
// gravity; `other` is a second body, "" or one of another kind above it.
#define SCENE                                                                                                          \
    "solver: %s\nspacing: 0.05\ngravity: [3, -9, 1]\ndomain: {max: [0.5, 0.6, 0.4]}\n"                                 \
    "materials:\n  stuff: {preset: %s}\n"                                                                              \
    "bodies:\n  - {material: stuff, box: {min: [0, 0, 0], max: [0.4, 0.2, 0.4]}}\n%s"                                  \
    "obstacles: [{box: {min: [0.25, 0, 0.1], max: [0.35, 0.15, 0.3]}}]\n"

static const struct {
    const char *solver, *preset, *other;
} cases[] = {
    {"pbf", "water", ""},
    {"sph", "water", ""},
    {"flip", "water", ""},
    {"flip", "sand", ""},
    {"flip", "water", "  - {material: sand, box: {min: [0, 0.2, 0], max: [0.3, 0.3, 0.4]}}\n"},
    {"flip", "sand", "  - {material: water, box: {min: [0, 0.2, 0], max: [0.3, 0.3, 0.4]}}\n"},
    {"grains", "sand", ""},
    {"grains", "sand", "  - {material: water, box: {min: [0, 0.2, 0], max: [0.3, 0.3, 0.4]}}\n"},
    {"grains", "water", "  - {material: sand, box: {min: [0, 0.2, 0], max: [0.3, 0.3, 0.4]}}\n"},
    {"minimal", "water", ""},
    {"minimal", "sand", "  - {material: stuff, box: {min: [0, 0.2, 0], max: [0.3, 0.3, 0.4]}, velocity: [3, -3, 0]}\n"},
    {"tetra", "water", ""},
    {"tetra-paper", "water", ""},
    {"porous", "sand", ""},
    {"porous", "sand, wetness: 0.4", "  - {material: water, box: {min: [0, 0.2, 0], max: [0.3, 0.3, 0.4]}}\n"},
    {"porous", "water", "  - {material: sand, box: {min: [0, 0.2, 0], max: [0.3, 0.3, 0.4]}}\n"},
};
enum { CASES = sizeof cases / sizeof cases[0] };

// Values that are not those of the presets; a key without one here fails the test.
static const struct {
    const char *key, *value;
} values[] = {
    {"density", "1234"},      {"viscosity", "2"},           {"surface_tension", "0.5"}, {"packing", "0.55"},
    {"friction_angle", "20"}, {"boundary_friction", "0.1"}, {"cohesion", "300"},        {"grain_size", "0.004"},
    {"wetness", "0.5"},       {"porosity", "0.3"},          {"permeability", "1e-9"},   {"capillary_height", "0.05"},
    {"cohesion_wet", "90"},   {"ideal_saturation", "0.3"},  {"mud_friction", "0.1"},    {"mud_viscosity", "5"},
    {"stickiness", "0.5"},
};
enum { VALUES = sizeof values / sizeof values[0] };

static shoal_scene* scene_of(int k) {
    char         text[1024];
    shoal_scene* scene = NULL;
    snprintf(text, sizeof text, SCENE, cases[k].solver, cases[k].preset, cases[k].other);
    CHECK_OK(shoal_scene_parse(text, strlen(text), "words", &scene));
    return scene;
}

enum { FRAMES = 4 };

// All that can be seen of a run now.
static uint64_t seen(shoal_sim* sim) {
    uint64_t       hash = 0; // not that of the state, which knows what the watch allows
    shoal_set_view set;
    CHECK_OK(shoal_sim_set_at(sim, 0, &set));
    for (int k = 0; k < set.field_count; k++) {
        static const size_t sizes[] = {4, 12, 16, 4, 1, 8, 24, 8};
        shoal_field_view    view;
        CHECK_OK(shoal_sim_field_at(sim, 0, k, &view));
        if (strcmp(view.name, "porosity") == 0) continue; // what was said, told again
        hash = shoal_hash(view.data, (size_t)view.count * sizes[view.type], hash);
    }
    double stats[256];
    shoal_sim_stats(sim, stats);
    for (int k = 0; k < shoal_sim_stat_count(sim); k++)
        if (strcmp(shoal_sim_stat_name(sim, k), "step_ms") == 0) stats[k] = 0.0; // of the clock on the wall
    return shoal_hash(stats, (size_t)shoal_sim_stat_count(sim) * sizeof *stats, hash);
}

// A short run, frame by frame.
static void watch(shoal_scene* scene, uint64_t hashes[FRAMES]) {
    shoal_sim* sim = lab_start(scene, (lab_setup){.threads = 1});
    for (int f = 0; f < FRAMES; f++) {
        lab_run(sim, 1.0 / 60.0, 1.0 / 60.0);
        hashes[f] = seen(sim);
    }
    shoal_sim_destroy(sim);
}

// Whether a short run differs from another; it ends where it does.
static bool differs(shoal_scene* scene, const uint64_t other[FRAMES]) {
    shoal_sim* sim  = lab_start(scene, (lab_setup){.threads = 1});
    bool       does = false;
    for (int f = 0; f < FRAMES && !does; f++) {
        lab_run(sim, 1.0 / 60.0, 1.0 / 60.0);
        does = seen(sim) != other[f];
    }
    shoal_sim_destroy(sim);
    return does;
}

// What the check says of a path: 'e' refused, 'w' warned of, ' ' nothing.
static char reported(shoal_scene* scene, const char* path) {
    char how = shoal_scene_check(scene) == SHOAL_OK ? ' ' : 'e';
    for (int k = 0; k < shoal_scene_fault_count(scene) && how == ' '; k++)
        if (strcmp(shoal_scene_fault(scene, k)->path, path) == 0) how = 'w';
    return how;
}

// Sets the path, and returns 'a' where it acts, or what the check says of it.
static char effect(int k, const char* path, const char* value, const uint64_t without[FRAMES]) {
    shoal_scene* scene = scene_of(k);
    CHECK_OK(shoal_scene_set_value(scene, path, value));
    char how = reported(scene, path);
    if (how == 'e') {
        shoal_scene_destroy(scene);
        return how;
    }
    bool acts = differs(scene, without);
    if (acts && how == 'w')
        fail_msg("%s of %s under %s: warned of, but it acts", path, cases[k].preset, cases[k].solver);
    if (!acts && how == ' ')
        fail_msg("%s of %s%s under %s does nothing, silently", path, cases[k].preset,
                 cases[k].other[0] ? " with another" : "", cases[k].solver);
    return acts ? 'a' : how;
}

// Two periods and the densities of two liquids, each with what would mend it; the spacing that is advised mends both.
static void all_that_a_solver_refuses_is_reported_at_once(void** state) {
    (void)state;
    const char* text =
        "solver: flip\nspacing: 0.02\ndomain: {max: [0.48, 0.3, 0.36], walls: {left: periodic, right: "
        "periodic, back: periodic, front: periodic}}\nmaterials: {a: {density: 800}, b: {density: "
        "1200}}\nbodies: [{material: a, box: {min: [0, 0, 0], max: [0.2, 0.1, 0.3]}}, {material: b, box: {min: [0.2, "
        "0, 0], max: [0.4, 0.1, 0.3]}}]\n";
    static const char* const words[] = {"length along x is 0.48 m", "length along z is 0.36 m", "of one density"};
    shoal_scene*             scene   = NULL;
    CHECK_OK(shoal_scene_parse(text, strlen(text), "words", &scene));
    assert_int_equal(shoal_scene_check(scene), SHOAL_ERR_INPUT);
    assert_int_equal(shoal_scene_fault_count(scene), 3);
    for (int k = 0; k < 3; k++) assert_non_null(strstr(shoal_scene_fault(scene, k)->message, words[k]));
    assert_non_null(strstr(shoal_scene_fault(scene, 0)->message, "or the spacing 0.0075 m"));
    CHECK_OK(shoal_scene_set_value(scene, "spacing", "0.0075"));
    CHECK_OK(shoal_scene_set_value(scene, "materials.b.density", "800"));
    CHECK_OK(shoal_scene_check(scene));
    CHECK_OK(shoal_scene_set_value(scene, "domain.max", "[0.46, 0.3, 0.34]"));
    CHECK_OK(shoal_scene_set_value(scene, "spacing", "0.02"));
    assert_int_equal(shoal_scene_check(scene), SHOAL_ERR_INPUT);
    assert_non_null(strstr(shoal_scene_fault(scene, 0)->message, "make it 0.32 or 0.64 m; no spacing near"));
    shoal_scene_destroy(scene);
}

static const char* value_of(const char* key) {
    for (int v = 0; v < VALUES; v++)
        if (strcmp(values[v].key, key) == 0) return values[v].value;
    fail_msg("the key %s of materials has no value in this test", key);
    return NULL;
}

static void every_solver_has_a_case(void** state) {
    (void)state;
    for (const shoal_solver_info* solver = shoal_solvers(); solver->name; solver++) {
        bool is_there = false;
        for (int k = 0; k < CASES; k++) is_there |= strcmp(cases[k].solver, solver->name) == 0;
        if (!is_there) fail_msg("there is no case of %s", solver->name);
    }
}

static void every_key_of_a_material_acts_or_is_reported(void** state) {
    (void)state;
#define X(S, name, ...) #name,
    static const char* const keys[] = {SCENE_MATERIAL_PARAMS(X, )};
#undef X
    for (int k = 0; k < CASES; k++) {
        uint64_t without[FRAMES];
        watch(scene_of(k), without);
        printf("%-7s%-6s%-6s", cases[k].solver, cases[k].preset, cases[k].other[0] ? "mixed" : "");
        for (size_t n = 2; n < sizeof keys / sizeof keys[0]; n++) { // after preset and kind
            char path[64];
            snprintf(path, sizeof path, "materials.stuff.%s", keys[n]);
            printf(" %s:%c", keys[n], effect(k, path, value_of(keys[n]), without));
        }
        printf("\n");
    }
}

#define DISC(radius, x, speed, more)                                                                                   \
    "[{material: stuff, disc: {radius: " radius "}, at: [" x ", 0.4, 0.2], velocity: [0, " speed ", 0]" more "}]"

// Keys that every solver heeds, for liquids and for sand.
static void every_key_of_things_and_walls_acts_or_is_reported(void** state) {
    (void)state;
    static const char* const sets[] = {
        "bodies.0.velocity=[1, 0.5, 0]",
        "bodies.0.spin=[0, 5, 0]",
        "bodies.0.fixed=true",
        "obstacles.0.friction=0.8",
        "obstacles.0.stick=true",
        "obstacles.0.motion=[{t: 0, at: [0, 0, 0]}, {t: 1, at: [1, 0, 0]}]",
        "domain.walls.bottom=stick",
        "domain.walls.bottom={friction: 0.2}",
        "domain.walls.front=open",
        "domain.walls.front=stick",
        "domain.max=[0.4, 0.6, 0.4]",
        "emitters=" DISC("0.1", "0.15", "-2", ""),
        "emitters=[{material: stuff, rain: {min: [0, 0.35, 0], max: [0.4, 0.5, 0.4], rate: 100}}]",
        "sinks=[{sphere: {radius: 0.1}, at: [0.1, 0.1, 0.1]}]",
        "forces=[{acceleration: [0, 4, 0], material: stuff}]",
        "gravity=[3, -8, 1]",
    };
    for (int k = 0; k < CASES; k++) {
        uint64_t without[FRAMES];
        watch(scene_of(k), without);
        for (size_t s = 0; s < sizeof sets / sizeof sets[0]; s++) {
            char path[64];
            snprintf(path, sizeof path, "%.*s", (int)strcspn(sets[s], "="), sets[s]);
            effect(k, path, strchr(sets[s], '=') + 1, without);
        }
    }
}

// Keys of emitters, against one without them.
static void every_key_of_an_emitter_acts(void** state) {
    (void)state;
    static const char* const emitters[] = {
        DISC("0.1", "0.15", "-2", ""),
        DISC("0.15", "0.15", "-2", ""),
        DISC("0.1", "0.2", "-2", ""),
        DISC("0.1", "0.15", "-3", ""),
        DISC("0.1", "0.15", "-2", ", from: 0.05"),
        DISC("0.1", "0.15", "-2", ", until: 0.03"),
    };
    enum { COUNT = sizeof emitters / sizeof emitters[0] };
    for (int k = 0; k < CASES; k++) {
        uint64_t first[FRAMES];
        if (cases[k].other[0]) continue;
        for (int e = 0; e < COUNT; e++) {
            shoal_scene* scene = scene_of(k);
            CHECK_OK(shoal_scene_set_value(scene, "emitters", emitters[e]));
            if (e == 0)
                watch(scene, first);
            else if (!differs(scene, first))
                fail_msg("under %s the emitter %s is that of %s", cases[k].solver, emitters[e], emitters[0]);
        }
    }
}

static void a_scene_without_a_solver_gets_one_for_its_materials(void** state) {
    (void)state;
#define BODY(material, y) "{material: " material ", box: {min: [0, " y ", 0], max: [0.2, " y "1, 0.2]}}"
    static const struct {
        const char *text, *solver;
    } scenes[] = {
        {"bodies: [" BODY("water", "0.") "]", "pbf"},
        {"bodies: [{box: {size: [0.2, 0.2, 0.2]}}]", "pbf"},
        {"bodies: [" BODY("sand", "0.") "]", "flip"},
        {"bodies: [" BODY("water", "0.") ", " BODY("sand", "0.5") "]", "flip"},
        {"bodies: [" BODY("sand", "0.") "]\nemitters: [{material: honey, rain: {min: [0, 1, 0], "
                                        "max: [1, 2, 1], rate: 9}}]",
         "flip"},
        {"materials: {a: {kind: granular}, b: {preset: sand}}\nbodies: [{box: {size: [0.2, 0.2, "
         "0.2]}}]",
         "flip"},
        {"materials: {b: {preset: sand, kind: liquid}}\nbodies: [" BODY("b", "0.") "]", "pbf"},
        {"solver: grains\nbodies: [" BODY("sand", "0.") "]", "grains"},
    };
    for (size_t k = 0; k < sizeof scenes / sizeof scenes[0]; k++) {
        char         text[512];
        shoal_scene* scene = NULL;
        snprintf(text, sizeof text, "spacing: 0.05\n%s\n", scenes[k].text);
        CHECK_OK(shoal_scene_parse(text, strlen(text), "words", &scene));
        CHECK_OK(shoal_scene_check(scene));
        shoal_scene_facts facts = shoal_scene_get_facts(scene);
        assert_string_equal(facts.solver, scenes[k].solver);
        assert_int_equal(facts.solver_is_chosen, strncmp(scenes[k].text, "solver", 6) != 0);
        shoal_scene_destroy(scene);
    }
}

// A warning names the solver, those that heed the word, and why it is idle; presets and zeros give
// none.
static void words_without_effect_are_reported_with_the_way_out(void** state) {
    (void)state;
    static const struct {
        const char *solver, *material, *says;
    } rows[] = {
        {"flip", "{preset: water, surface_tension: 0.07}", "flip does without it; of the solvers pbf, sph heed it"},
        {"flip", "{preset: water, surface_tension: 0}", NULL},
        {"flip", "{preset: water}", NULL},
        {"flip", "{preset: honey}", NULL},
        {"tetra-paper", "{preset: water}", NULL},
        {"tetra-paper", "{preset: honey}", "stuff is thick, 10 Pa s, and flows like water"},
        {"tetra-paper", "{preset: honey, viscosity: 5}", "tetra-paper does without it"},
        {"flip", "{preset: sand, viscosity: 1}", "it is not for sand"},
        {"flip", "{preset: sand, packing: 0.6}", "only where a liquid is in the scene"},
        {"grains", "{preset: sand, grain_size: 1e-3}", "grains are as large as the spacing"},
        {"grains", "{preset: sand, cohesion: 10}", "grains.cohesion"},
        {"pbf", "{preset: water, surface_tension: 0.07}", "pbf.surface_tension is off"},
        {"pbf", "{preset: water, friction_angle: 30}", "it is not for liquids"},
    };
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) {
        char         text[512];
        shoal_scene* scene = NULL;
        snprintf(text, sizeof text,
                 "spacing: 0.05\nsolver: %s\nmaterials: {stuff: %s}\nbodies: [{box: {size: [0.2, "
                 "0.2, 0.2]}}]\n",
                 rows[k].solver, rows[k].material);
        CHECK_OK(shoal_scene_parse(text, strlen(text), "words", &scene));
        CHECK_OK(shoal_scene_check(scene));
        assert_int_equal(shoal_scene_fault_count(scene), rows[k].says != NULL);
        if (rows[k].says && !strstr(shoal_scene_fault(scene, 0)->message, rows[k].says))
            fail_msg("%s, not %s", shoal_scene_fault(scene, 0)->message, rows[k].says);
        shoal_scene_destroy(scene);
    }
}

// A liquid on a mesh has no particles to speak of.
static void of_a_mesh_no_particles_are_told(void** state) {
    (void)state;
    static const struct {
        const char *things, *says;
    } rows[] = {
        {"bodies: [{material: water, box: {size: [0.01, 0.01, 0.01]}}]", "has no liquid: it is smaller"},
        {"emitters: [{material: water, disc: {radius: 0.02}, velocity: [1, 0, 0]}]", "narrower than two spacings"},
        {"bodies: [{material: water, box: {size: [0.5, 0.5, 0.5]}}]\n"
         "obstacles: [{box: {min: [-1, -1, -1], max: [1, -0.9, 1]}}]",
         "the liquid may pass through"},
    };
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) {
        char         text[512];
        shoal_scene* scene = NULL;
        snprintf(text, sizeof text, "spacing: 0.05\nsolver: tetra-paper\n%s\n", rows[k].things);
        CHECK_OK(shoal_scene_parse(text, strlen(text), "words", &scene));
        CHECK_OK(shoal_scene_check(scene));
        assert_int_equal(shoal_scene_fault_count(scene), 1);
        if (!strstr(shoal_scene_fault(scene, 0)->message, rows[k].says))
            fail_msg("%s, not %s", shoal_scene_fault(scene, 0)->message, rows[k].says);
        shoal_scene_destroy(scene);
    }
}

// What a solver refuses is marked where it stands, in lists as well; a field that several sets have is named once; and
// a mesh lays no particles.
static void what_a_mesh_refuses_is_reported_at_its_place(void** state) {
    (void)state;
    static const struct {
        const char *things, *path, *says;
    } rows[] = {
        {"bodies: [{sphere: {radius: 1}}]\ndomain: {min: [-1, -1, -1], max: [2, 2, 2], walls: {left: periodic, right: "
         "periodic}}",
         "domain.walls", "a tetrahedral mesh does not go on across periodic walls"},
        {"bodies: [{sphere: {radius: 1}}, {material: oil, sphere: {radius: 1}, at: [5, 0, 0]}]", "bodies.1",
         "oil beside water; tetra-paper takes one liquid"},
        {"bodies: [{sphere: {radius: 1}}]\nemitters: [{box: {size: [1, 1, 1]}, velocity: [1, 0, 0]}]", "emitters.0",
         "takes discs that do not move"},
        {"bodies: [{sphere: {radius: 1}}]\nsinks: [{box: {size: [1, 1, 1]}}]", "sinks", "tetra-paper has none"},
        {"bodies: [{sphere: {radius: 1}}]\noutput: {fields: [bogusname]}", "output.fields",
         "it has position, velocity, pressure, material, volume"},
        {"bodies: [{sphere: {radius: 1}, arrangement: lattice}]", "bodies.0.arrangement",
         "the solver tetra-paper fills bodies with a mesh"},
    };
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) {
        char         text[512];
        shoal_scene* scene = NULL;
        snprintf(text, sizeof text, "spacing: 0.1\nsolver: tetra-paper\n%s\n", rows[k].things);
        CHECK_OK(shoal_scene_parse(text, strlen(text), "words", &scene));
        (void)shoal_scene_check(scene);
        assert_int_equal(shoal_scene_fault_count(scene), 1);
        const shoal_fault* fault = shoal_scene_fault(scene, 0);
        if (!strstr(fault->message, rows[k].says)) fail_msg("%s, not %s", fault->message, rows[k].says);
        if (strncmp(fault->path, rows[k].path, strlen(rows[k].path)) != 0)
            fail_msg("%s, not %s", fault->path, rows[k].path);
        assert_true(fault->line > 2);
        shoal_scene_destroy(scene);
    }
}

// A scene that is too long for the lattice is refused with a spacing at which it is not, with a domain and without.
static void a_scene_too_long_for_a_mesh_is_told_a_spacing_that_serves(void** state) {
    (void)state;
    static const char* const scenes[] = {
        "bodies: [{sphere: {radius: 1}}, {sphere: {radius: 1}, at: [3000, 0, 0]}]",
        "domain: {max: [20000, 10, 10]}\nbodies: [{box: {min: [0, 0, 0], max: [3, 3, 3]}}]",
        "domain: {max: [10000, 10, 10], walls: {right: open}}\nbodies: [{box: {min: [0, 0, 0], max: [3, 3, 3]}}]"};
    for (size_t k = 0; k < sizeof scenes / sizeof *scenes; k++)
        for (int is_second = 0; is_second < 2; is_second++) {
            char         text[512], wanted[32];
            shoal_scene* scene = NULL;
            snprintf(text, sizeof text, "spacing: 0.1\nsolver: tetra-paper\ntetra-paper: {cell: 2.3}\n%s\n", scenes[k]);
            CHECK_OK(shoal_scene_parse(text, strlen(text), "words", &scene));
            assert_int_equal(shoal_scene_check(scene), SHOAL_ERR_INPUT);
            const char* least = strstr(shoal_last_error(), "make the spacing at least ");
            assert_non_null(least);
            double spacing = strtod(least + strlen("make the spacing at least "), NULL);
            if (is_second) spacing *= 0.98; // and one that is much less does not
            snprintf(wanted, sizeof wanted, "%.9g", spacing);
            CHECK_OK(shoal_scene_set_value(scene, "spacing", wanted));
            shoal_status status = shoal_scene_check(scene);
            if (status != (is_second ? SHOAL_ERR_INPUT : SHOAL_OK)) fail_msg("%s: %s", wanted, shoal_last_error());
            shoal_scene_destroy(scene);
        }
}

// The smoothing of XSPH is told as the viscosity that it acts as, where that hides the one of the material by more than
// four times: 0.01 of the differences in a stride of 0.4 d at the fastest speed of the scene.
static void a_viscosity_that_smoothing_hides_is_reported(void** state) {
    (void)state;
    static const struct {
        const char *solver, *xsph;
        double      viscosity, spacing;
        bool        is_reported;
    } rows[] = {
        {"sph", "0.01", 0.02, 0.05, true},  {"sph", "0.01", 0.02, 0.0005, false}, {"sph", "0", 0.02, 0.05, false},
        {"sph", "0.01", 10.0, 0.05, false}, {"sph", "0.01", 0.001, 0.05, false},  {"sph", "0.1", 1.0, 0.05, true},
        {"pbf", "0.01", 0.02, 0.05, true},  {"pbf", "0.01", 0.02, 0.0005, false}, {"pbf", "0", 0.02, 0.05, false},
        {"pbf", "0.01", 10.0, 0.05, false}, {"pbf", "0.01", 0.001, 0.05, false},  {"pbf", "0.1", 1.0, 0.05, true},
    };
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) {
        char         text[512];
        shoal_scene* scene = NULL;
        double       d     = rows[k].spacing;
        snprintf(
            text, sizeof text,
            "spacing: %g\nsolver: %s\nmaterials: {stuff: {density: 1000, viscosity: %g}}\ndomain: {max: [%g, %g, %g]}\n"
            "bodies: [{box: {min: [0, 0, 0], max: [%g, %g, %g]}}]\n%s: {xsph: %s}\n",
            d, rows[k].solver, rows[k].viscosity, 20 * d, 20 * d, 20 * d, 20 * d, 20 * d, 20 * d, rows[k].solver,
            rows[k].xsph);
        CHECK_OK(shoal_scene_parse(text, strlen(text), "words", &scene));
        CHECK_OK(shoal_scene_check(scene));
        const char* words = shoal_scene_fault_count(scene) > 0 ? shoal_scene_fault(scene, 0)->message : "";
        const char* about = strstr(words, "acts as one of about ");
        if ((about != NULL) != rows[k].is_reported) fail_msg("%s: %s", text, words);
        // sqrt(2 g h) of a tank of a metre through 0.4 d: 4.4 m/s, at c = 0.01 some 0.9 Pa s under sph
        if (about) CHECK_NEAR(strtod(about + 21, NULL) / (90.0 * atof(rows[k].xsph)), 1.0, 0.35);
        shoal_scene_destroy(scene);
    }
}

static void a_period_that_flip_cannot_do_is_reported_with_those_it_can(void** state) {
    (void)state;
    static const char* const rows[][2] = {
        {"1", "make it 0.8 or 1.6 m, or the spacing 0.0625 m"},
        {"0.5", "make it 0.8 m, or the spacing 0.03125 m"},
    };
    for (int k = 0; k < 2; k++) {
        char         text[512];
        shoal_scene* scene = NULL;
        snprintf(text, sizeof text,
                 "solver: flip\nspacing: 0.05\ndomain: {max: [%s, 1, 1], walls: {left: periodic, "
                 "right: periodic}}\n"
                 "bodies: [{box: {min: [0, 0, 0], max: [0.3, 0.3, 0.3]}}]\n",
                 rows[k][0]);
        CHECK_OK(shoal_scene_parse(text, strlen(text), "words", &scene));
        assert_int_equal(shoal_scene_check(scene), SHOAL_ERR_INPUT);
        if (!strstr(shoal_last_error(), rows[k][1])) fail_msg("%s, not %s", shoal_last_error(), rows[k][1]);
        shoal_scene_destroy(scene);
    }
}

static void quality_acts_or_is_reported_and_explicit_keys_win(void** state) {
    (void)state;
    for (int k = 0; k < CASES; k++) {
        uint64_t fast[FRAMES];
        watch(scene_of(k), fast);
        bool has_two = strcmp(cases[k].solver, "pbf") == 0 || strcmp(cases[k].solver, "sph") == 0;
        assert_int_equal(effect(k, "quality", "fine", fast), has_two ? 'a' : 'w');
        if (!has_two) continue;
        char         path[32];
        shoal_scene* scene = scene_of(k);
        CHECK_OK(shoal_scene_set_value(scene, "quality", "fine"));
        snprintf(path, sizeof path, "%s.support", cases[k].solver);
        CHECK_OK(shoal_scene_set_value(scene, path, "2"));
        snprintf(path, sizeof path, "%s.melt", cases[k].solver);
        CHECK_OK(shoal_scene_set_value(scene, path, "0"));
        snprintf(path, sizeof path, "%s.mirror", cases[k].solver);
        CHECK_OK(shoal_scene_set_value(scene, path, "false"));
        assert_false(differs(scene, fast));
    }
}

// Who strews its particles within a cell has wider dimples: meshes are evened out over it, unless the scene says.
static void calm_water_is_evened_out_as_its_solver_wants(void** state) {
    (void)state;
    const struct {
        const char *solver, *said, *wanted;
    } all[] = {{"pbf", "", "\"calm\": 1,"},
               {"flip", "", "\"calm\": 2,"},
               {"flip", "surface: {calm: 1}\n", "\"calm\": 1,"},
               {"flip", "surface: {calm: 0}\n", "\"calm\": 0,"}};
    for (int k = 0; k < 4; k++) {
        char         text[400], *json = NULL;
        shoal_scene* scene = NULL;
        snprintf(text, sizeof text,
                 "solver: %s\nspacing: 0.1\ndomain: {max: [3, 3, 3]}\nbodies: [{box: {min: [0, 0, 0], max: [1, 1, "
                 "1]}}]\n%s",
                 all[k].solver, all[k].said);
        CHECK_OK(shoal_scene_parse(text, strlen(text), "lab", &scene));
        CHECK_OK(shoal_scene_resolved(scene, &json));
        assert_non_null(strstr(json, all[k].wanted));
        shoal_bytes_free(json, strlen(json) + 1);
        shoal_scene_destroy(scene);
    }
}

// What a scene calls a choice is what the code calls it.
static void words_of_scenes_are_names_of_the_code(void** state) {
    (void)state;
#define PAIR(P, name, word) {#name, word},
    static const struct {
        const char *name, *word;
    } pairs[] = {FLIP_TRANSFER(PAIR, ) FLIP_SEEDING(PAIR, ) FLIP_SURFACE(PAIR, ) FLIP_ADVECTION(PAIR, ) FLIP_PRESSURE(
        PAIR, ) FLIP_FRICTION(PAIR, ) FLIP_YIELD(PAIR, ) FLIP_FLOW(PAIR, ) FLIP_COUPLING(PAIR, ) POROUS_FRICTION(PAIR, )
                     POROUS_PRESSURE(PAIR, ) GRAINS_WET_FRICTION(PAIR, ) GRAINS_PRESSURE(PAIR, ) GRAINS_COUPLING(PAIR, )
                         GRAINS_DRAG(PAIR, ) PBF_DENSITY_KERNEL(PAIR, ) PBF_RELAXATION(PAIR, ) PBF_ANTI_CLUMPING(PAIR, )
                             PBF_SWEEP(PAIR, ) SHOAL_WATER_PRESSURE_FORM(PAIR, ) SHOAL_WATER_TENSION(PAIR, )};
#undef PAIR
    for (size_t k = 0; k < sizeof pairs / sizeof *pairs; k++) {
        assert_int_equal(strlen(pairs[k].name), strlen(pairs[k].word));
        for (size_t i = 0; pairs[k].word[i]; i++)
            assert_int_equal(pairs[k].name[i], pairs[k].word[i] == '-' ? '_' : toupper(pairs[k].word[i]));
    }
}

// The cells of a surface have no fields of their own.
static void fields_of_cells_are_told_to_be_at_their_points(void** state) {
    (void)state;
    const char text[] =
        "solver: tetra-paper\nspacing: 0.1\nbodies: [{sphere: {radius: 1}}]\noutput: {fields: [surface.speed]}\n";
    shoal_scene* scene = NULL;
    CHECK_OK(shoal_scene_parse(text, strlen(text), "lab", &scene));
    assert_int_equal(shoal_scene_check(scene), SHOAL_ERR_INPUT);
    assert_non_null(strstr(shoal_scene_fault(scene, 0)->message, "fields are at its points: surface_vertices.speed"));
    shoal_scene_destroy(scene);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_a_mesh_refuses_is_reported_at_its_place),
        cmocka_unit_test(a_scene_too_long_for_a_mesh_is_told_a_spacing_that_serves),
        cmocka_unit_test(words_of_scenes_are_names_of_the_code),
        cmocka_unit_test(all_that_a_solver_refuses_is_reported_at_once),
        cmocka_unit_test(every_solver_has_a_case),
        cmocka_unit_test(every_key_of_a_material_acts_or_is_reported),
        cmocka_unit_test(every_key_of_things_and_walls_acts_or_is_reported),
        cmocka_unit_test(every_key_of_an_emitter_acts),
        cmocka_unit_test(quality_acts_or_is_reported_and_explicit_keys_win),
        cmocka_unit_test(a_scene_without_a_solver_gets_one_for_its_materials),
        cmocka_unit_test(a_period_that_flip_cannot_do_is_reported_with_those_it_can),
        cmocka_unit_test(words_without_effect_are_reported_with_the_way_out),
        cmocka_unit_test(of_a_mesh_no_particles_are_told),
        cmocka_unit_test(a_viscosity_that_smoothing_hides_is_reported),
        cmocka_unit_test(calm_water_is_evened_out_as_its_solver_wants),
        cmocka_unit_test(fields_of_cells_are_told_to_be_at_their_points),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
