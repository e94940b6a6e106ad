// SPDX-License-Identifier: MIT
// What must not go wrong when something goes wrong, under every solver: steps that fail, memory that is refused, states
// and scenes that are no good. And a solver without a row of bounds fails.
#include "law/every.h"
#include "law/failing.h"
#include "sim/shown.h"

// What comes by every way there is, and leaves.
#define FED_DOMAIN "domain: {max: [0.4, 0.4, 0.2], walls: {top: open}}\n"
#define FEEDING(material)                                                                                              \
    "emitters: [{material: " material ", disc: {radius: 0.05}, at: [0.1, 0.3, 0.1], velocity: [0.5, -1, 0]}, "         \
    "{material: " material ", rain: {min: [0.2, 0.3, 0], max: [0.38, 0.38, 0.2], rate: 600}}, "                        \
    "{material: " material ", box: {min: [0.3, 0.2, 0.06], max: [0.38, 0.28, 0.14]}}]\n"                               \
    "sinks: [{box: {min: [0.3, 0, 0], max: [0.4, 0.05, 0.2]}}]\nforces: [{acceleration: [1, 0, 0]}]\n"
static const char fed[] = "solver: %s\nspacing: 0.02\nmaterials: {stuff: {preset: %s}}\n" FED_DOMAIN FEEDING("stuff");
static const char                                                                                    fed_mud[] =
    "solver: %s\nspacing: 0.02\nmaterials: {stuff: {preset: %s, wetness: 0.8}, water: {preset: water}}\n" FED_DOMAIN
    "bodies: [{material: stuff, box: {min: [0, 0, 0], max: [0.2, 0.06, 0.2]}}]\n"
    "grains: {softness: 20, water_spacing: 1, drying: 0.3}\n" FEEDING("water");

static void every_solver_and_kind_of_material_has_a_row(void** state) {
    (void)state;
    static const char* const kinds[] = {[SHOAL_LIQUID] = "water", [SHOAL_GRANULAR] = "sand"};
    for (int k = 0; shoal_solver_types[k]; k++)
        for (int kind = 0; kind < 2; kind++) {
            bool is_there = false;
            for (int r = 0; r < ROWS; r++)
                is_there |= strcmp(rows[r].solver, shoal_solver_types[k]->name) == 0 &&
                            strcmp(rows[r].material, kinds[kind]) == 0;
            bool is_taken = shoal_solver_types[k]->material_kinds >> kind & 1;
            if (is_taken && !is_there) fail_msg("%s has no row for %s", shoal_solver_types[k]->name, kinds[kind]);
        }
}

// ---------------------------------------------------------------------------------- failures

// Calls `what` with every scene of a row in which something comes, goes or moves.
static void each_busy(const bounds* row, void (*what)(const char* text, const char* name)) {
    bool              is_fed  = strcmp(row->solver, "tetra-paper") != 0; // that takes discs alone
    const char* const forms[] = {busy, is_fed ? fed : NULL, takes_mud(row) ? muddy : NULL,
                                 takes_mud(row) ? fed_mud : NULL};
    char              name[64];
    snprintf(name, sizeof name, "%s, %s", row->solver, row->material);
    for (size_t k = 0; k < sizeof forms / sizeof *forms; k++)
        if (forms[k]) what(scene_of(forms[k], row), name);
}

static void fails(const char* text, const char* name) {
    (void)name;
    failing_steps_leave_nothing(text, NULL);
}

static void fails_far(const char* text, const char* name) {
    (void)name;
    failing_steps_leave_nothing(text, "mirror");
}

static void a_step_that_fails_leaves_nothing(void** state) {
    (void)state;
    for (int r = first_row; r < end_row; r++) {
        each_busy(&rows[r], fails);
        if (shoal_solver_find(rows[r].solver)->device_passes) each_busy(&rows[r], fails_far);
    }
}

static void a_run_without_memory_says_so_and_goes_on_when_there_is_some(void** state) {
    (void)state;
    for (int r = first_row; r < end_row; r++) each_busy(&rows[r], failing_memory_is_borne);
}

static void a_run_without_any_memory_is_as_it_was(void** state) {
    (void)state;
    for (int r = first_row; r < end_row; r++) each_busy(&rows[r], failing_memory_is_missed);
}

static void numbers_that_are_none_are_refused_in_every_field(void** state) {
    (void)state;
    for (int r = first_row; r < end_row; r++) {
        failing_states_are_refused(scene_of(busy, &rows[r]));
        if (takes_mud(&rows[r])) failing_states_are_refused(scene_of(muddy, &rows[r]));
    }
}

// What only the solver can tell.
static void states_that_cannot_be_are_refused_and_change_nothing(void** state) {
    (void)state;
    static const float   below    = -1.0f;
    static const double  long_ago = -1.0;
    static const int64_t astray = INT64_MAX / 2, back = -1, last = INT64_MAX;
    static const int32_t far[3] = {1 << 20, 1 << 20, 1 << 20}, elsewhere[4] = {3, 2, 1, 0};
    static const int64_t no_bits[8] = {0};
    static const struct {
        const char *solver, *set, *field;
        const void* value;
        size_t      size;
        const char* why;
    } odd[] = {
        {"flip", "stress", "corner", far, sizeof far, "blocks of stress are out of order"},
        {"flip", "once", "dt_before", &long_ago, sizeof long_ago, "no time"},
        {"grains", "contacts", "held", &below, sizeof below, "an overlap that is out of order"},
        {"grains", "once", "balance", &astray, sizeof astray, "balance of the water"},
        {"grains", "once", "dem_steps", &back, sizeof back, "substeps of contacts"},
        {"porous", "once", "steps", &back, sizeof back, "substeps"},
        {"porous", "once", "steps", &last, sizeof last, "substeps"},
        {"porous", "once", "wait", &long_ago, sizeof long_ago, "has waited for -1 s"},
        {"porous", "sand", "water", &long_ago, sizeof long_ago, "less than no water"},
        {"porous", "sand", "pending", &long_ago, sizeof long_ago, "less than no water"},
        {"porous", "water", "content", &long_ago, sizeof long_ago, "a volume that is out of order"},
        {"tetra-paper", "band", "key", &back, sizeof back, "blocks of the surface are out of order"},
        {"tetra-paper", "band", "known", &no_bits, sizeof no_bits, "sides of the surface are out of order"},
        {"tetra-paper", "once", "span", &long_ago, sizeof long_ago, "a mesh of no time"},
        {"tetra-paper", "tets", "corners", &elsewhere, sizeof elsewhere, "not those of its surface"},
    };
    for (size_t k = 0; k < sizeof odd / sizeof *odd; k++) {
        if (!is_asked(odd[k].solver)) continue;
        bounds     row = {.solver = odd[k].solver, .material = strcmp(odd[k].solver, "tetra-paper") ? "sand" : "water"};
        shoal_sim* sim = start(takes_mud(&row) && strcmp(row.solver, "flip") != 0 ? muddy : busy, &row, 0);
        void*      bytes = NULL;
        size_t     size  = 0;
        lab_run(sim, 3.0 * frame, frame);
        CHECK_OK(shoal_sim_save(sim, &bytes, &size));
        lab_run(sim, frame, frame);
        failing_state(sim, bytes, size, odd[k].set, odd[k].field, odd[k].value, odd[k].size, odd[k].why);
        lab_run(sim, frame, frame);
        shoal_bytes_free(bytes, size);
        shoal_sim_destroy(sim);
    }
}

// What a step that failed has left where the next one writes before it reads, and behind the last particle, where
// nobody stands.
static void scratch_of_before_does_not_matter(void** state) {
    (void)state;
    if (!is_asked("porous")) return;
    bounds     row     = {.solver = "porous", .material = "sand"};
    shoal_sim* sims[2] = {start(muddy, &row, 0), start(muddy, &row, 0)};
    for (int f = 0; f < 4; f++) {
        for (int k = 0; sims[1]->ctx.sets[k]; k++)
            for (int n = 0; n < sims[1]->ctx.sets[k]->field_count; n++) {
                const shoal_field* field = &sims[1]->ctx.sets[k]->fields[n];
                if (field->def.role == SHOAL_SCRATCH)
                    memset(field->data, 0xff, (size_t)sims[1]->ctx.sets[k]->capacity * field->size); // no numbers
            }
        for (int k = 0; k < 2; k++) lab_run(sims[k], frame, frame);
    }
    assert_true(failing_are_same(sims[0], sims[1]));
    for (int k = 0; k < 2; k++) shoal_sim_destroy(sims[k]);
}

// ---------------------------------------------------------------------------------- scenes

static void bad_values_of_parameters_are_refused_by_name(void** state) {
    (void)state;
    for (int r = first_row; r < end_row; r++)
        for (const shoal_param_def* p = shoal_solver_find(rows[r].solver)->params; p->name; p++) {
            char         path[96];
            shoal_scene* scene = NULL;
            const char*  text  = scene_of(lying, &rows[r]);
            snprintf(path, sizeof path, "%s.%s", rows[r].solver, p->name);
            CHECK_OK(shoal_scene_parse(text, strlen(text), "laws", &scene));
            CHECK_OK(shoal_scene_set_value(scene, path, "[nonsense, 7]"));
            assert_int_equal(shoal_scene_check(scene), SHOAL_ERR_INPUT);
            if (!strstr(shoal_last_error(), p->name)) fail_msg("%s: %s", path, shoal_last_error());
            shoal_scene_destroy(scene);
        }
}

static void materials_that_a_solver_does_not_take_are_refused(void** state) {
    (void)state;
    static const char* const kinds[] = {[SHOAL_LIQUID] = "water", [SHOAL_GRANULAR] = "sand"};
    for (int k = 0; shoal_solver_types[k]; k++)
        for (int kind = 0; kind < 2; kind++) {
            bounds       row   = {.solver = shoal_solver_types[k]->name, .material = kinds[kind]};
            shoal_scene* scene = NULL;
            const char*  text  = scene_of(lying, &row);
            CHECK_OK(shoal_scene_parse(text, strlen(text), "laws", &scene));
            bool is_taken = shoal_solver_types[k]->material_kinds >> kind & 1;
            assert_int_equal(shoal_scene_check(scene), is_taken ? SHOAL_OK : SHOAL_ERR_INPUT);
            shoal_scene_destroy(scene);
        }
}

int main(void) {
    ask_for(getenv("SHOAL_SOLVER"));
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_solver_and_kind_of_material_has_a_row),
        cmocka_unit_test(a_step_that_fails_leaves_nothing),
        cmocka_unit_test(a_run_without_memory_says_so_and_goes_on_when_there_is_some),
        cmocka_unit_test(a_run_without_any_memory_is_as_it_was),
        cmocka_unit_test(numbers_that_are_none_are_refused_in_every_field),
        cmocka_unit_test(states_that_cannot_be_are_refused_and_change_nothing),
        cmocka_unit_test(scratch_of_before_does_not_matter),
        cmocka_unit_test(bad_values_of_parameters_are_refused_by_name),
        cmocka_unit_test(materials_that_a_solver_does_not_take_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
