// SPDX-License-Identifier: MIT
// The laws that hold for every solver, over the list of solvers: one row of bounds each, and a solver without a row
// fails. Each law says what it needs in a scene of a few hundred particles; what is peculiar to a solver has tests of
// its own.
#include "law/failing.h"

typedef struct bounds {
    const char *solver, *material;
    double fall;     // of free bodies: off the parabola, over g t dt; a step that takes the velocity of its end has 0.5
    double late;     // and their velocity, over g dt; one that is known half a step before the place has 0.5
    double momentum; // of two bodies that meet: change over that of one of them
    double rest;     // fastest of a block that has lain for `settled` seconds, over sqrt(g H)
    double settled;
    double mass; // by how much of it tracking may be off; particles have theirs for ever
} bounds;

static const bounds rows[] = {
    {"pbf", "water", 0.55, 0.0, 1e-6, 0.1, 1.0, 0.0},       {"sph", "water", 0.55, 0.0, 1e-6, 0.1, 1.0, 0.0},
    {"flip", "water", 0.01, 0.51, 1e-6, 0.05, 1.0, 0.0},    {"flip", "sand", 0.6, 0.0, 1e-6, 1e-4, 1.0, 0.0},
    {"grains", "sand", 0.01, 0.01, 1e-6, 1e-3, 1.0, 0.0},   {"grains", "water", 0.55, 0.0, 1e-6, 0.1, 1.0, 0.0},
    {"porous", "sand", 0.55, 0.0, 1e-6, 0.03, 1.0, 0.0},    {"porous", "water", 0.55, 0.0, 1e-6, 0.1, 1.0, 0.0},
    {"minimal", "water", 0.01, 0.0, 1e-6, 1e-6, 1.5, 0.0},  {"minimal", "sand", 0.01, 0.0, 1e-6, 1e-6, 1.5, 0.0},
    {"tetra", "water", 0.55, 0.01, 0.12, 1e-4, 0.25, 0.06},
};
enum { ROWS = sizeof rows / sizeof rows[0] };

static const double frame = 1.0 / 60.0;

static const char* const momenta[] = {"momentum_x_kgmps", "momentum_y_kgmps", "momentum_z_kgmps"};

#define HEAD "solver: %s\nspacing: 0.05\nmaterials: {stuff: {preset: %s}}\n"

static const char falling[] = HEAD "gravity: [1, -9.81, 0]\nbodies: [{material: stuff, box: {min: [0, 0, 0], max: "
                                   "[0.3, 0.3, 0.3]}, velocity: [1, 2, 0]}]\n";

static const char meeting[] =
    HEAD "gravity: [0, 0, 0]\nbodies:\n"
         "  - {material: stuff, box: {min: [0, 0, 0], max: [0.3, 0.3, 0.3]}, velocity: [1, 0, 0.3]}\n"
         "  - {material: stuff, box: {min: [0.35, 0.1, 0], max: [0.65, 0.4, 0.3]}, velocity: [-1, 0.2, 0]}\n";

static const char lying[] =
    HEAD "domain: {max: [0.4, 0.6, 0.4]}\nbodies: [{material: stuff, box: {min: [0, 0, 0], max: [0.4, 0.3, 0.4]}}]\n";

// All that comes and goes and moves: a stream, a sink, a door, a wind.
#define BUSY(walls)                                                                                                    \
    HEAD "domain: {max: [0.8, 0.8, 0.6], walls: {" walls "front: open}}\n"                                             \
         "bodies: [{material: stuff, box: {min: [0, 0, 0], max: [0.4, 0.3, 0.6]}, velocity: [0, -1, -1]}]\n"           \
         "obstacles: [{name: door, box: {min: [0.45, 0, 0], max: [0.55, 0.3, 0.3]}, friction: 0.4, "                   \
         "motion: [{t: 0, at: [0, 0, 0]}, {t: 1, at: [-0.3, 0, 0]}]}]\n"                                               \
         "emitters: [{material: stuff, disc: {radius: 0.12}, at: [0.65, 0.6, 0.3], velocity: [0, -2, 0]}]\n"           \
         "sinks: [{box: {min: [0, 0, 0.45], max: [0.3, 0.2, 0.6]}}]\n"                                                 \
         "forces: [{acceleration: [1, 0, 2]}]\n"
static const char busy[] = BUSY("left: periodic, right: periodic, ");
// For solvers that do without periodic walls.
static const char busy_between_walls[] = BUSY("");

// For solvers that take both kinds: two wet sands and water that meet, round a post that moves between them, on a floor
// that sticks.
static const char muddy[] =
    "solver: %s\nspacing: 0.02\ndomain: {max: [0.32, 0.3, 0.1], walls: {left: periodic, right: periodic, bottom: "
    "stick}}\nmaterials: {stuff: {preset: %s, wetness: 0.8}, clay: {preset: sand, wetness: 1}, water: "
    "{preset: water}}\n"
    "bodies:\n  - {material: stuff, box: {min: [0, 0, 0], max: [0.12, 0.06, 0.1]}}\n"
    "  - {material: clay, box: {min: [0, 0.06, 0], max: [0.12, 0.1, 0.1]}}\n"
    "  - {material: water, box: {min: [0.14, 0, 0], max: [0.2, 0.1, 0.1]}}\n"
    "obstacles: [{name: post, box: {min: [0.12, 0, 0.04], max: [0.14, 0.1, 0.06]}, motion: [{t: 0, at: [0, 0, 0]}, "
    "{t: 1, at: [0.1, 0, 0]}]}]\n"
    "emitters: [{material: water, rain: {min: [0, 0.2, 0], max: [0.3, 0.28, 0.1], rainfall: 3e5}}]\n"
    "sinks: [{box: {min: [0.2, 0, 0], max: [0.3, 0.02, 0.1]}}]\n";

// What comes by every way there is, and leaves.
#define FED_ROOM "domain: {max: [0.4, 0.4, 0.2], walls: {top: open}}\n"
#define FEEDING(material)                                                                                              \
    "emitters: [{material: " material ", disc: {radius: 0.05}, at: [0.1, 0.3, 0.1], velocity: [0.5, -1, 0]}, "         \
    "{material: " material ", rain: {min: [0.2, 0.3, 0], max: [0.38, 0.38, 0.2], rate: 600}}, "                        \
    "{material: " material ", box: {min: [0.3, 0.2, 0.06], max: [0.38, 0.28, 0.14]}}]\n"                               \
    "sinks: [{box: {min: [0.3, 0, 0], max: [0.4, 0.05, 0.2]}}]\nforces: [{acceleration: [1, 0, 0]}]\n"
static const char fed[] = "solver: %s\nspacing: 0.02\nmaterials: {stuff: {preset: %s}}\n" FED_ROOM FEEDING("stuff");
static const char                                                                                  fed_mud[] =
    "solver: %s\nspacing: 0.02\nmaterials: {stuff: {preset: %s, wetness: 0.8}, water: {preset: water}}\n" FED_ROOM
    "bodies: [{material: stuff, box: {min: [0, 0, 0], max: [0.2, 0.06, 0.2]}}]\n"
    "grains: {softness: 20, water_spacing: 1, drying: 0.3}\n" FEEDING("water");

static bool takes_mud(const bounds* row) {
    return strcmp(row->material, "sand") == 0 &&
           shoal_solver_find(row->solver)->material_kinds == (1u << SHOAL_LIQUID | 1u << SHOAL_GRANULAR);
}

static bool has_particles(const bounds* row) { return shoal_solver_find(row->solver)->sets[0].life == SHOAL_SORTED; }

static char* scene_of(const char* form, const bounds* row) {
    static char text[2048];
    if (form == busy && strcmp(row->solver, "tetra") == 0) form = busy_between_walls;
    snprintf(text, sizeof text, form, row->solver, row->material);
    return text;
}

static shoal_sim* start(const char* form, const bounds* row, int threads) {
    return lab_sim(scene_of(form, row), (lab_setup){.threads = threads});
}

// ---------------------------------------------------------------------------------- bodies

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

static void bodies_fall_as_they_do_in_a_vacuum(void** state) {
    (void)state;
    static const char* const coms[] = {"com_x_m", "com_y_m", "com_z_m"};
    const double             g[] = {1.0, -9.81, 0.0}, v[] = {1.0, 2.0, 0.0}, t = 0.5;
    for (int r = 0; r < ROWS; r++) {
        shoal_sim* sim = start(falling, &rows[r], 0);
        double     before[3], off = 0.0, fast = 0.0;
        for (int k = 0; k < 3; k++) before[k] = lab_stat(sim, coms[k]);
        lab_run(sim, t, frame);
        double step = t / (double)shoal_sim_steps(sim);
        for (int k = 0; k < 3; k++) {
            off  = fmax(off, fabs(lab_stat(sim, coms[k]) - before[k] - v[k] * t - 0.5 * g[k] * t * t));
            fast = fmax(fast, fabs(lab_stat(sim, momenta[k]) / shoal_sim_mass(sim, -1) - v[k] - g[k] * t));
        }
        printf("%s, %s: off the parabola by %.2g g t dt, velocity by %.2g g dt\n", rows[r].solver, rows[r].material,
               off / (9.81 * t * step), fast / (9.81 * step));
        CHECK_BELOW(off, rows[r].fall * 9.81 * t * step + 1e-5);
        CHECK_BELOW(fast, rows[r].late * 9.81 * step + 1e-5);
        shoal_sim_destroy(sim);
    }
}

static void bodies_that_meet_keep_their_momentum_and_mass(void** state) {
    (void)state;
    for (int r = 0; r < ROWS; r++) {
        shoal_sim* sim = start(meeting, &rows[r], 0);
        double     before[3], worst = 0.0, mass = shoal_sim_mass(sim, -1);
        for (int k = 0; k < 3; k++) before[k] = lab_stat(sim, momenta[k]);
        for (int f = 0; f < 15; f++) {
            lab_run(sim, frame, frame);
            for (int k = 0; k < 3; k++) worst = fmax(worst, fabs(lab_stat(sim, momenta[k]) - before[k]) / (0.5 * mass));
        }
        printf("%s, %s: momentum off by %.2g of one body's\n", rows[r].solver, rows[r].material, worst);
        CHECK_BELOW(worst, rows[r].momentum);
        CHECK_BELOW(fabs(shoal_sim_mass(sim, -1) / mass - 1.0), rows[r].mass + 1e-30);
        double volume = 2.0 * 0.027 * (double)sim->description->materials[0].density;
        CHECK_NEAR(mass / volume, 1.0, 0.06 + rows[r].mass); // of bodies that are six particles wide
        shoal_sim_destroy(sim);
    }
}

static void a_block_on_the_floor_comes_to_rest(void** state) {
    (void)state;
    for (int r = 0; r < ROWS; r++) {
        shoal_sim* sim = start(lying, &rows[r], 0);
        lab_run(sim, rows[r].settled, frame);
        double fastest = lab_stat(sim, "speed_max_mps") / sqrt(9.81 * 0.3);
        printf("%s, %s: at rest to %.2g sqrt(g H)\n", rows[r].solver, rows[r].material, fastest);
        CHECK_BELOW(fastest, rows[r].rest);
        shoal_sim_destroy(sim);
    }
}

// ---------------------------------------------------------------------------------- runs

static uint64_t hash_after(const char* form, const bounds* row, int threads, int frames) {
    shoal_sim* sim = start(form, row, threads);
    lab_run(sim, frames * frame, frame);
    uint64_t hash = shoal_sim_hash(sim);
    shoal_sim_destroy(sim);
    return hash;
}

static void any_number_of_threads_gives_the_same_bits(void** state) {
    (void)state;
    static const int threads[] = {2, 3, 8};
    for (int r = 0; r < ROWS; r++)
        for (int mud = 0; mud <= takes_mud(&rows[r]); mud++) {
            uint64_t one = hash_after(mud ? muddy : busy, &rows[r], 1, 4);
            for (int k = 0; k < 3; k++)
                if (hash_after(mud ? muddy : busy, &rows[r], threads[k], 4) != one)
                    fail_msg("%s, %s: %d threads give other bits", rows[r].solver, rows[r].material, threads[k]);
        }
}

static void a_saved_run_goes_on_bit_for_bit(void** state) {
    (void)state;
    for (int r = 0; r < ROWS; r++)
        for (int mud = 0; mud <= takes_mud(&rows[r]); mud++)
            if (!lab_goes_on(scene_of(mud ? muddy : busy, &rows[r]), (lab_setup){.threads = 2}, 5.0 * frame, frame))
                fail_msg("%s, %s: a run that was saved goes on otherwise", rows[r].solver, rows[r].material);
}

static int by_value(const void* a, const void* b) {
    return (*(const int32_t*)a > *(const int32_t*)b) - (*(const int32_t*)a < *(const int32_t*)b);
}

// The books of a liquid without particles are in volumes.
static void volumes_are_in_the_books(const bounds* row) {
    shoal_sim* sim   = start(busy, row, 0);
    double     first = lab_stat(sim, "volume_m3"), worst = 0.0;
    for (int f = 0; f < 15; f++) {
        lab_run(sim, frame, frame);
        double there = first + lab_stat(sim, "emitted_m3") - lab_stat(sim, "removed_m3");
        worst        = fmax(worst, fabs(lab_stat(sim, "volume_m3") / there - 1.0));
    }
    printf("%s: volume off its books by %.2g, %.2g m^3 sent, %.2g taken of %.2g\n", row->solver, worst,
           lab_stat(sim, "emitted_m3"), lab_stat(sim, "removed_m3"), first);
    CHECK_BELOW(worst, row->mass);
    assert_true(lab_stat(sim, "emitted_m3") > 0.01);
    assert_true(lab_stat(sim, "removed_m3") > 0.005);
    shoal_sim_destroy(sim);
}

static void what_comes_and_goes_is_in_the_books(void** state) {
    (void)state;
    for (int r = 0; r < ROWS; r++) {
        if (!has_particles(&rows[r])) {
            volumes_are_in_the_books(&rows[r]);
            continue;
        }
        shoal_sim* sim   = start(busy, &rows[r], 0);
        int64_t    first = shoal_sim_count(sim);
        for (int f = 0; f < 15; f++) {
            lab_run(sim, frame, frame);
            int64_t now = shoal_sim_count(sim);
            assert_int_equal(now, first + (int64_t)lab_stat(sim, "emitted") - (int64_t)lab_stat(sim, "removed"));
            int32_t* ids = malloc((size_t)now * sizeof *ids);
            assert_non_null(ids);
            memcpy(ids, lab_field(sim, "id"), (size_t)now * sizeof *ids);
            qsort(ids, (size_t)now, sizeof *ids, by_value);
            for (int64_t i = 1; i < now; i++) assert_true(ids[i] > ids[i - 1]);
            free(ids);
        }
        assert_true(lab_stat(sim, "emitted") > 50.0);
        assert_true(lab_stat(sim, "removed") > 20.0);
        shoal_sim_destroy(sim);
    }
}

// ---------------------------------------------------------------------------------- failures

// Calls `what` with every scene of a row in which something comes, goes or moves.
static void each_busy(const bounds* row, void (*what)(const char* text, const char* name)) {
    const char* const forms[] = {busy, fed, takes_mud(row) ? muddy : NULL, takes_mud(row) ? fed_mud : NULL};
    char              name[64];
    snprintf(name, sizeof name, "%s, %s", row->solver, row->material);
    for (size_t k = 0; k < sizeof forms / sizeof *forms; k++)
        if (forms[k]) what(scene_of(forms[k], row), name);
}

static void fails(const char* text, const char* name) {
    (void)name;
    failing_steps_leave_nothing(text);
}

static void a_step_that_fails_leaves_nothing(void** state) {
    (void)state;
    for (int r = 0; r < ROWS; r++) each_busy(&rows[r], fails);
}

static void a_run_without_memory_says_so_and_goes_on_when_there_is_some(void** state) {
    (void)state;
    for (int r = 0; r < ROWS; r++) each_busy(&rows[r], failing_memory_is_borne);
}

static void numbers_that_are_none_are_refused_in_every_field(void** state) {
    (void)state;
    for (int r = 0; r < ROWS; r++) {
        failing_states_are_refused(scene_of(busy, &rows[r]));
        if (takes_mud(&rows[r])) failing_states_are_refused(scene_of(muddy, &rows[r]));
    }
}

// What only the solver can tell.
static void states_that_cannot_be_are_refused_and_change_nothing(void** state) {
    (void)state;
    static const float   below    = -1.0f;
    static const double  long_ago = -1.0;
    static const int64_t astray = INT64_MAX / 2, back = -1;
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
        {"grains", "once", "books", &astray, sizeof astray, "books of the water"},
        {"grains", "once", "dem_steps", &back, sizeof back, "substeps of contacts"},
        {"porous", "once", "steps", &back, sizeof back, "substeps"},
        {"porous", "water", "content", &long_ago, sizeof long_ago, "a volume that is out of order"},
        {"tetra", "band", "key", &back, sizeof back, "blocks of the surface are out of order"},
        {"tetra", "band", "known", &no_bits, sizeof no_bits, "sides of the surface are out of order"},
        {"tetra", "once", "span", &long_ago, sizeof long_ago, "a mesh of no time"},
        {"tetra", "tets", "corners", &elsewhere, sizeof elsewhere, "not those of its surface"},
    };
    for (size_t k = 0; k < sizeof odd / sizeof *odd; k++) {
        bounds     row   = {.solver = odd[k].solver, .material = strcmp(odd[k].solver, "tetra") ? "sand" : "water"};
        shoal_sim* sim   = start(takes_mud(&row) && strcmp(row.solver, "flip") != 0 ? muddy : busy, &row, 0);
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

// ---------------------------------------------------------------------------------- scenes

static void bad_values_of_parameters_are_refused_by_name(void** state) {
    (void)state;
    for (int r = 0; r < ROWS; r++)
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
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_solver_and_kind_of_material_has_a_row),
        cmocka_unit_test(bodies_fall_as_they_do_in_a_vacuum),
        cmocka_unit_test(bodies_that_meet_keep_their_momentum_and_mass),
        cmocka_unit_test(a_block_on_the_floor_comes_to_rest),
        cmocka_unit_test(any_number_of_threads_gives_the_same_bits),
        cmocka_unit_test(a_saved_run_goes_on_bit_for_bit),
        cmocka_unit_test(what_comes_and_goes_is_in_the_books),
        cmocka_unit_test(a_step_that_fails_leaves_nothing),
        cmocka_unit_test(a_run_without_memory_says_so_and_goes_on_when_there_is_some),
        cmocka_unit_test(numbers_that_are_none_are_refused_in_every_field),
        cmocka_unit_test(states_that_cannot_be_are_refused_and_change_nothing),
        cmocka_unit_test(bad_values_of_parameters_are_refused_by_name),
        cmocka_unit_test(materials_that_a_solver_does_not_take_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
