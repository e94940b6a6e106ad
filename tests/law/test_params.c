// SPDX-License-Identifier: MIT
// Every parameter of every solver acts: a value that is not its default changes bits of a small run
// in which it has something to do, and where it has nothing to do, a warning names it. How well it
// acts is for other tests; here no setting may be a dead letter.
#include "lab.h"

#include "base/hash.h"

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

static void set(shoal_scene* scene, const char* setting, size_t length) {
    char path[128], value[256];
    snprintf(path, sizeof path, "%.*s", (int)strcspn(setting, "="), setting);
    snprintf(value, sizeof value, "%.*s", (int)(length - strlen(path) - 1), strchr(setting, '=') + 1);
    CHECK_OK(shoal_scene_set_value(scene, path, value));
}

// What the check says of the path of a setting: 'e' refused, 'w' warned of, ' ' nothing.
static char report_on(shoal_scene* scene, const char* setting) {
    size_t length = strcspn(setting, "=");
    if (shoal_scene_check(scene) != SHOAL_OK) return 'e';
    for (int k = 0; k < shoal_scene_fault_count(scene); k++) {
        const char* path = shoal_scene_fault(scene, k)->path;
        if (strlen(path) == length && memcmp(path, setting, length) == 0) return 'w';
    }
    return ' ';
}

// The fields after some frames; the rest of a run follows from them. 0: refused.
static uint64_t seen(const char* text, int frames, const char* with, const char* setting, char* reported) {
    shoal_scene* scene = NULL;
    CHECK_OK(shoal_scene_parse(text, strlen(text), "params", &scene));
    for (const char* at = with; *at; at += strcspn(at, ";") + (at[strcspn(at, ";")] == ';'))
        set(scene, at, strcspn(at, ";"));
    if (setting) set(scene, setting, strlen(setting));
    if (setting && (*reported = report_on(scene, setting)) == 'e') {
        shoal_scene_destroy(scene);
        return 0;
    }
    shoal_sim* sim = lab_start(scene, (lab_setup){.threads = 1});
    for (int frame = 0; frame < frames && shoal_sim_advance(sim, 1.0 / 60.0) == SHOAL_OK;)
        frame++; // or the watch stops it
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

// clang-format off
static const row pbf_rows[] = {
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

static const row sph_rows[] = {
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
    {"boundary_layer",       "false",   ""},
    {"sound_speed",          "60",      "sph.pressure=wcsph"},
    {"negative_pressure",    "0.5",     "sph.pressure=wcsph"},
    {"pressure_form",        "mueller", "sph.pressure=wcsph"},
    {"artificial_viscosity", "0.5",     "sph.pressure=wcsph"},
    {"tension",              "akinci",  "materials.stuff.surface_tension=0.07"},
    {"overturn",             "false",   "bodies=[{material: oil, box: {min: [0, 0, 0], max: [0.4, 0.05, 0.4]}}, {box: {min: [0, 0.05, 0], max: [0.4, 0.2, 0.4]}}]"},
};

static const row flip_rows[] = {
    {"substeps",       "9",            ""},
    {"cfl",            "0.1",          ""},
    {"transfer",       "pic",          ""},
    {"seeding",        "lattice",      ""},
    {"surface",        "marked",       ""},
    {"advection",      "rk3",          ""},
    {"pressure",       "mic",          ""},
    {"tolerance",      "1",            ""},
    {"boundary_layer", "false",        ""},
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

static const row grains_rows[] = {
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
    {"tolerance",            "0.001",   ""},
    {"divergence_tolerance", "0.001",   ""},
    {"warm_start",           "0",       ""},
    {"xsph",                 "0.1",     ""},
    {"boundary_layer",       "false",   ""},
    {"wet_threshold",        "0.5",     "materials.stuff.wetness=1.8"},
    {"wet_max",              "1.2",     "materials.stuff.wetness=1.8"},
    {"wet_fluid",            "3",       "materials.stuff.wetness=1.8"},
    {"wet_shrink",           "0.1",     "materials.stuff.wetness=1.8"},
    {"wet_friction",         "paper",   "materials.stuff.wetness=1.8"},
    {"mud_friction",         "0.2",     "materials.stuff.wetness=1.8"},
    {"bridge",               "3",       "materials.stuff.wetness=0.8"},
    {"bridge_reach",         "0.1",     "materials.stuff.wetness=0.8"},
    {"cohesion",             "20",      "materials.stuff.wetness=0.8"},
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

static const row porous_rows[] = {
    {"friction",  "paper", ""},
    {"pressure",  "wcsph", "porous.friction=paper"},
    {"cluster_reach", "1.0", "porous.friction=paper"},
    {"support",   "2.5", ""},
    {"cfl",       "0.2", ""},
    {"substeps",  "30",  ""},
    {"sweeps",    "30",  ""},
    {"tolerance", "1",   ""},
};

// Sheets of 1.2 cells, thinner at its edges, and of 0.8.
#define SHEET "tetra-paper.thicken=2;bodies.0.box.min=[0.02, 0.3, 0.02];bodies.0.box.max=[0.4, 0.36, 0.38]"
#define THIN_SHEET "tetra-paper.thicken=2;bodies.0.box.min=[0.02, 0.3, 0.02];bodies.0.box.max=[0.4, 0.34, 0.38]"
static const row tetra_rows[] = {
    {"cell",           "3",     ""},
    {"cfl",            "0.3",   ""},
    {"substeps",       "7",     ""},
    {"volume_control", "0.05",  ""},
    {"boundary_layer", "false", ""},
    {"mesh",           "false", ""},
    {"tolerance",      "1e-2",  "spacing=0.02"}, // coarser meshes are solved exactly
    {"viscosity",      "false", "materials.stuff.viscosity=200"},
};

static const row tetra_paper_rows[] = {
    {"cell",        "3",     ""},
    {"cfl",         "0.3",   ""},
    {"substeps",    "3",     ""},
    {"tolerance",   "1e-9",  ""},
    {"thicken",     "2",     ""},
    {"thicken_redistribute",  "3",   SHEET},
    {"thicken_more",          "0.5", SHEET},
    {"thicken_more_thinnest", "0.5", THIN_SHEET},
};

static const row minimal_rows[] = {
    {"restitution", "0.9", ""},
    {"substeps",    "9",   ""},
};
// clang-format on

// A solver with what it simulates, its rows, and settings that leave some parameters nothing to do.
typedef struct subject {
    const char *solver, *material, *other, *with;
    const row*  rows;
    size_t      count;
} subject;
#define NAMED(name, solver, material, other, with)                                                                     \
    { name, material, other, with, solver##_rows, sizeof solver##_rows / sizeof *solver##_rows }
#define OF(solver, material, other, with) NAMED(#solver, solver, material, other, with)

// In these each row acts, with what it needs.
static const subject whole[] = {
    OF(pbf, "water", "", ""),
    OF(sph, "water", "", ""),
    OF(flip, "sand", UPON("water"), ""),
    OF(grains, "sand", UPON("water"), ""),
    OF(porous, "sand", "", ""),
    OF(minimal, "sand", "", ""),
    OF(tetra, "water", "", ""),
    NAMED("tetra-paper", tetra_paper, "water", "", ""),
};

#define STICK "{left: stick, right: stick, bottom: stick, top: open, back: stick, front: stick}"
// In these, some do nothing.
static const subject partial[] = {
    OF(pbf, "water", "", ""),
    OF(pbf, "water", "", "pbf.substeps=5;pbf.iterations=2;domain.walls=" STICK),
    OF(pbf, "water", "",
       "pbf.relaxation=precomputed;pbf.under_relaxation=0.3;pbf.anti_clumping=none;materials.stuff.surface_tension=0"),
    OF(sph, "water", "", ""),
    OF(sph, "water", "", "sph.pressure=wcsph"),
    OF(sph, "water", "", "sph.iterations=5;materials.stuff.surface_tension=0"),
    OF(sph, "water", "",
       "sph.pressure=pcisph;obstacles.0.stick=true;sph.substeps=30;sph.iterations=5;domain.walls=" STICK),
    OF(flip, "water", "", "flip.transfer=apic;flip.pressure=mic;flip.tolerance=1e-8"),
    OF(flip, "sand", "", "flip.substeps=3;flip.pressure=mic;flip.tolerance=1e-8"),
    OF(flip, "sand", "", "flip.friction=paper;flip.pressure=mic;flip.tolerance=1e-8"),
    OF(flip, "sand", UPON("water"), "flip.friction=none;flip.pressure=mic;flip.tolerance=1e-8"),
    OF(grains, "sand", "", ""),
    OF(grains, "water", "", "grains.pressure=wcsph"),
    OF(grains, "sand", UPON("water"), "grains.absorption=false"),
    OF(porous, "sand", "", "porous.sweeps=10;porous.substeps=4"),
    OF(minimal, "water", "", ""),
    OF(tetra, "water", "", "tetra.substeps=2;spacing=0.02"),
    NAMED("tetra-paper", tetra_paper, "water", "", "tetra-paper.substeps=2"),
};

#define EACH(list, s) (const subject* s = list; s < list + sizeof list / sizeof *list; s++)

static const char* text_of(const subject* s, char buffer[1024]) {
    snprintf(buffer, 1024, SCENE, s->solver, s->material, s->other);
    return buffer;
}

static const char* setting_of(const subject* s, size_t k, char buffer[128]) {
    snprintf(buffer, 128, "%s.%s=%s", s->solver, s->rows[k].name, s->rows[k].value);
    return buffer;
}

static void every_parameter_of_every_solver_has_a_row(void** state) {
    (void)state;
    for (const shoal_solver_info* solver = shoal_solvers(); solver->name; solver++) {
        const subject*           s     = whole;
        const shoal_param_block* block = shoal_param_blocks();
        while (s < whole + sizeof whole / sizeof *whole && strcmp(s->solver, solver->name) != 0) s++;
        if (s == whole + sizeof whole / sizeof *whole) fail_msg("there are no rows of %s", solver->name);
        while (strcmp(block->name, solver->name) != 0) block++;
        for (const shoal_param_def* def = block->params; def->name; def++) {
            size_t k = 0;
            while (k < s->count && strcmp(s->rows[k].name, def->name) != 0) k++;
            if (k == s->count) fail_msg("%s.%s has no row in this test", solver->name, def->name);
        }
    }
}

static void every_parameter_acts_where_it_can(void** state) {
    (void)state;
    for
        EACH(whole, s) {
            char        text[1024], setting[128];
            const char* last    = NULL;
            uint64_t    without = 0;
            for (size_t k = 0; k < s->count; k++) {
                const char* with = s->rows[k].with;
                if (!last || strcmp(last, with) != 0) without = seen(text_of(s, text), 2, with, NULL, NULL);
                last          = with;
                char reported = ' ';
                if (seen(text_of(s, text), 2, with, setting_of(s, k, setting), &reported) == without)
                    fail_msg("%s with '%s' does nothing", setting, with);
                if (reported == 'w') fail_msg("%s with '%s' acts, but is warned of", setting, with);
            }
        }
}

static void a_parameter_that_does_nothing_is_warned_of(void** state) {
    (void)state;
    int faults = 0;
    for
        EACH(partial, s) {
            char     text[1024], setting[128];
            uint64_t without = seen(text_of(s, text), 1, s->with, NULL, NULL);
            for (size_t k = 0; k < s->count; k++) {
                char reported = ' ';
                if (strstr(s->with, setting_of(s, k, setting))) continue; // as it is already
                bool acts = seen(text_of(s, text), 1, s->with, setting_of(s, k, setting), &reported) != without;
                if (acts == (reported == ' ') || reported == 'e') continue;
                faults++;
                print_error("%s with '%s', %s%s: %s\n", setting, s->with, s->material,
                            s->other[0] ? " and another" : "",
                            acts ? "acts, but is warned of" : "does nothing, silently");
            }
        }
    assert_int_equal(faults, 0);
}

// A key or a word in what a parameter needs that is misspelt would never hold.
static void what_parameters_need_are_keys_and_words_that_exist(void** state) {
    (void)state;
    for (const shoal_param_block* block = shoal_param_blocks(); block->name; block++)
        for (const shoal_param_def* def = block->params; def->name; def++)
            for (const char* at = def->needs; at && (at = strstr(at, ": ")); at++) {
                const char* key = at;
                while (key > def->needs && key[-1] != ' ') key--;
                const shoal_param_def* other = block->params;
                while (other->name && (strncmp(other->name, key, (size_t)(at - key)) != 0 || other->name[at - key]))
                    other++;
                if (!other->name || other->type != SHOAL_PARAM_WORD) continue; // of a list that blocks share
                char words[128], needed[128];
                snprintf(words, sizeof words, "|%s|", other->unit);
                bool is_one = false; // of blocks that share a list, each has some of the words
                for (const char* word = at + 2; *word && *word != ' '; word += *word == '|') {
                    size_t length = strcspn(word, "| ");
                    snprintf(needed, sizeof needed, "|%.*s|", (int)length, word);
                    is_one |= strstr(words, needed) != NULL;
                    word += length;
                }
                if (!is_one) fail_msg("%s.%s needs %s", block->name, def->name, def->needs);
            }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_parameter_of_every_solver_has_a_row),
        cmocka_unit_test(what_parameters_need_are_keys_and_words_that_exist),
        cmocka_unit_test(every_parameter_acts_where_it_can),
        cmocka_unit_test(a_parameter_that_does_nothing_is_warned_of),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
