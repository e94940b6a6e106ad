// SPDX-License-Identifier: MIT
// Every parameter of every solver acts: a value that is not its default changes bits of a small run
// in which it has something to do. How well it acts is for other tests; here no setting may be a
// dead letter.
#include "lab.h"

#include "base/hash.h"
#include "solvers/flip/flip_params.h"
#include "solvers/grains/grains_params.h"
#include "solvers/pbf/pbf_params.h"
#include "solvers/porous/porous_params.h"
#include "solvers/sph/sph_params.h"

// A block that slides over a corner of walls and an obstacle under slanted gravity, fast enough to
// be pressed and torn.
#define SCENE                                                                                                          \
    "solver: %s\nspacing: 0.05\ngravity: [3, -9, 1]\ndomain: {max: [0.5, 0.6, 0.4]}\n"                                 \
    "materials:\n  stuff: {preset: %s}\n"                                                                              \
    "bodies:\n  - {material: stuff, velocity: [2, -1, 0], box: {min: [0, 0, 0], max: [0.4, 0.2, "                      \
    "0.4]}}\n%s"                                                                                                       \
    "obstacles: [{box: {min: [0.25, 0, 0.1], max: [0.35, 0.15, 0.3]}}]\n"

#define UPON(material) "  - {material: " material ", box: {min: [0, 0.2, 0], max: [0.3, 0.3, 0.4]}}\n"

// A parameter, another value, and what it needs to act: settings of the scene, apart by ;
typedef struct row {
    const char *name, *value, *with;
} row;

#define X(name, type, value, min, max, unit, help) #name,
static const char* const pbf_names[]    = {PBF_PARAMS(X)};
static const char* const sph_names[]    = {SPH_PARAMS(X)};
static const char* const flip_names[]   = {FLIP_PARAMS(X)};
static const char* const grains_names[] = {GRAINS_PARAMS(X)};
static const char* const porous_names[] = {POROUS_PARAMS(X)};
#undef X

static void set(shoal_scene* scene, const char* setting, size_t length) {
    char path[128], value[256];
    snprintf(path, sizeof path, "%.*s", (int)strcspn(setting, "="), setting);
    snprintf(value, sizeof value, "%.*s", (int)(length - strlen(path) - 1), strchr(setting, '=') + 1);
    CHECK_OK(shoal_scene_set_value(scene, path, value));
}

// The fields after two frames; the rest of a run follows from them.
static uint64_t seen(const char* text, const char* with, const char* setting) {
    shoal_scene* scene = NULL;
    CHECK_OK(shoal_scene_parse(text, strlen(text), "params", &scene));
    for (const char* at = with; *at; at += strcspn(at, ";") + (at[strcspn(at, ";")] == ';'))
        set(scene, at, strcspn(at, ";"));
    if (setting) set(scene, setting, strlen(setting));
    shoal_sim* sim = lab_start(scene, (lab_setup){.threads = 1});
    lab_run(sim, 0.0334, 1.0 / 60.0);
    uint64_t hash = 0;
    for (int s = 0; s < shoal_sim_set_count(sim); s++) {
        shoal_set_view set;
        CHECK_OK(shoal_sim_set_at(sim, s, &set));
        for (int k = 0; k < set.field_count; k++) {
            static const size_t sizes[] = {4, 12, 16, 4, 1};
            shoal_field_view    view;
            CHECK_OK(shoal_sim_field_at(sim, s, k, &view));
            if ((size_t)view.type < sizeof sizes / sizeof *sizes && view.count > 0)
                hash = shoal_hash(view.data, (size_t)view.count * sizes[view.type], hash);
        }
    }
    shoal_sim_destroy(sim);
    return hash;
}

static void check(const char* solver, const char* material, const char* other, const row* rows, size_t count,
                  const char* const* names, size_t name_count) {
    char text[1024];
    snprintf(text, sizeof text, SCENE, solver, material, other);
    for (size_t n = 0; n < name_count; n++) {
        size_t k = 0;
        while (k < count && strcmp(rows[k].name, names[n]) != 0) k++;
        if (k == count) fail_msg("%s.%s has no row in this test", solver, names[n]);
    }
    const char* last    = NULL;
    uint64_t    without = 0;
    for (size_t k = 0; k < count; k++) {
        char setting[128];
        snprintf(setting, sizeof setting, "%s.%s=%s", solver, rows[k].name, rows[k].value);
        if (!last || strcmp(last, rows[k].with) != 0) without = seen(text, rows[k].with, NULL);
        last = rows[k].with;
        if (seen(text, rows[k].with, setting) == without) fail_msg("%s with '%s' does nothing", setting, rows[k].with);
    }
}
#define CHECK_ROWS(solver, material, other)                                                                            \
    check(#solver, material, other, rows, sizeof rows / sizeof rows[0], solver##_names,                                \
          sizeof solver##_names / sizeof solver##_names[0])

// clang-format off
static void every_parameter_of_pbf_acts(void** state) {
    (void)state;
    static const row rows[] = {
        {"substeps",          "7",            ""},
        {"iterations",        "5",            ""},
        {"tolerance",         "0.5",          ""},
        {"support",           "2.5",          ""},
        {"density_kernel",    "poly6",        ""},
        {"relaxation",        "precomputed",  ""},
        {"cfm",               "0.5",          ""},
        {"under_relaxation",  "0.4",          ""},
        {"negative_pressure", "0.5",          ""},
        {"compliance",        "1e-5",         ""},
        {"anti_clumping",     "none",         ""},
        {"clump_strength",    "0.3",          ""},
        {"correction_limit",  "0.01",         ""},
        {"vorticity",         "1",            ""},
        {"xsph",              "0.1",          ""},
        {"melt",              "0.5",          ""},
        {"mirror",            "true",         ""},
        {"sweep",             "gauss_seidel", ""},
        {"warm_start",        "0.5",          ""},
        {"surface_tension",   "true",         "materials.stuff.surface_tension=0.07"},
        {"clump_power",       "2",            "pbf.anti_clumping=paper"},
        {"clump_distance",    "0.4",          "pbf.anti_clumping=paper"},
        {"chebyshev",         "0.9",          "pbf.iterations=10"},
        {"overturn",          "false",        "bodies=[{material: oil, box: {min: [0, 0, 0], max: [0.4, 0.05, 0.4]}}, {box: {min: [0, 0.05, 0], max: [0.4, 0.2, 0.4]}}]"},
    };
    CHECK_ROWS(pbf, "water", "");
}

static void every_parameter_of_sph_acts(void** state) {
    (void)state;
    static const row rows[] = {
        {"pressure",             "pcisph",  ""},
        {"substeps",             "30",      ""},
        {"melt",                 "0.5",     ""},
        {"mirror",               "true",    ""},
        {"support",              "2.5",     ""},
        {"cfl",                  "0.2",     ""},
        {"iterations",           "7",       ""},
        {"tolerance",            "1",       ""},
        {"divergence_tolerance", "10",      ""},
        {"warm_start",           "0",       ""},
        {"xsph",                 "0.1",     ""},
        {"skin",                 "false",   ""},
        {"sound_speed",          "60",      "sph.pressure=wcsph"},
        {"negative_pressure",    "0.5",     "sph.pressure=wcsph"},
        {"pressure_form",        "mueller", "sph.pressure=wcsph"},
        {"artificial_viscosity", "0.5",     "sph.pressure=wcsph"},
        {"tension",              "akinci",  "materials.stuff.surface_tension=0.07"},
        {"overturn",             "false",   "bodies=[{material: oil, box: {min: [0, 0, 0], max: [0.4, 0.05, 0.4]}}, {box: {min: [0, 0.05, 0], max: [0.4, 0.2, 0.4]}}]"},
    };
    CHECK_ROWS(sph, "water", "");
}

static void every_parameter_of_flip_acts(void** state) {
    (void)state;
    static const row rows[] = {
        {"substeps",       "9",            ""},
        {"cfl",            "0.1",          ""},
        {"transfer",       "pic",          ""},
        {"seeding",        "lattice",      ""},
        {"surface",        "marked",       ""},
        {"advection",      "rk3",          ""},
        {"pressure",       "mic",          ""},
        {"tolerance",      "1",            ""},
        {"skin",           "false",        ""},
        {"volume_control", "0",            ""},
        {"friction",       "none",         ""},
        {"yield",          "paper",        ""},
        {"rounds",         "4",            ""},
        {"sweeps",         "30",           ""},
        {"rest_speed",     "0.5",          ""},
        {"coupling",       "one-way",      ""},
        {"blend",          "0.5",          "flip.transfer=flip"},
        {"iterations",     "1",            "flip.pressure=mic"},
        {"viscosity",      "false",        "bodies=[{material: honey, box: {min: [0, 0, 0], max: [0.4, 0.2, 0.4]}}]"},
        {"flow",           "printed",      "flip.friction=paper"},
    };
    CHECK_ROWS(flip, "sand", UPON("water"));
}

static void every_parameter_of_grains_acts(void** state) {
    (void)state;
    static const row rows[] = {
        {"restitution",          "0.6",     ""},
        {"friction",             "0.3",     ""},
        {"rolling",              "0.5",     ""},
        {"rotation",             "false",   ""},
        {"spread",               "0.2",     ""},
        {"max_overlap",          "0.05",    ""},
        {"impact_speed",         "9",       ""},
        {"stiffness",            "2e4",     ""},
        {"softness",             "2",       ""},
        {"tangential_stiffness", "0.5",     ""},
        {"steps_per_contact",    "40",      ""},
        {"water_spacing",        "1",       ""},
        {"pressure",             "wcsph",   ""},
        {"coupling",             "printed", ""},
        {"drag",                 "none",    ""},
        {"absorption",           "false",   ""},
        {"support",              "2.5",     ""},
        {"cfl",                  "0.1",     ""},
        {"iterations",           "7",       ""},
        {"tolerance",            "0.01",    ""},
        {"divergence_tolerance", "10",      ""},
        {"warm_start",           "0",       ""},
        {"xsph",                 "0.1",     ""},
        {"skin",                 "false",   ""},
        {"wet_threshold",        "0.5",     "materials.stuff.wetness=1.8"},
        {"wet_max",              "1.2",     "materials.stuff.wetness=1.8"},
        {"wet_fluid",            "3",       "materials.stuff.wetness=1.8"},
        {"wet_shrink",           "0.1",     "materials.stuff.wetness=1.8"},
        {"wet_friction",         "paper",   "materials.stuff.wetness=1.8"},
        {"mud_friction",         "0.2",     "materials.stuff.wetness=1.8"},
        {"bridge",               "3",       "materials.stuff.wetness=1.8"},
        {"bridge_reach",         "0.1",     "materials.stuff.wetness=1.8"},
        {"cohesion",             "20",      "materials.stuff.wetness=1.8"},
        {"drainage",             "1",       "materials.stuff.wetness=1.8"},
        {"drying",               "2",       "materials.stuff.wetness=1.8"},
        {"regeneration",         "9",       "materials.stuff.wetness=1.8"},
        {"wet_release",          "1.1",     "materials.stuff.wetness=1.8;grains.regeneration=50"},
        {"fresh_time",           "0",       "materials.stuff.wetness=1.8;grains.regeneration=50"},
        {"spread_rate",          "9",       "materials.stuff.wetness=1.8;bodies.1.material=sand"},
        {"diffusion",            "9",       "materials.stuff.wetness=1.8;bodies.1.material=sand"},
        {"grain_pressure",       "900",     "grains.coupling=printed"},
        {"sound_speed",          "60",      "grains.pressure=wcsph"},
        {"negative_pressure",    "0.5",     "grains.pressure=wcsph"},
        {"pressure_form",        "mueller", "grains.pressure=wcsph"},
        {"artificial_viscosity", "0.5",     "grains.pressure=wcsph"},
        {"tension",              "akinci",  "materials.water.surface_tension=0.07"},
    };
    CHECK_ROWS(grains, "sand", UPON("water"));
}

static void every_parameter_of_porous_acts(void** state) {
    (void)state;
    static const row rows[] = {
        {"support",   "2.5", ""},
        {"cfl",       "0.2", ""},
        {"substeps",  "30",  ""},
        {"sweeps",    "30",  ""},
        {"tolerance", "1",   ""},
    };
    CHECK_ROWS(porous, "sand", "");
}
// clang-format on

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_parameter_of_pbf_acts),    cmocka_unit_test(every_parameter_of_sph_acts),
        cmocka_unit_test(every_parameter_of_flip_acts),   cmocka_unit_test(every_parameter_of_grains_acts),
        cmocka_unit_test(every_parameter_of_porous_acts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
