// SPDX-License-Identifier: MIT
// The laws that hold for every solver, over the list of solvers; what is peculiar to a solver has tests of its own.
#include "law/every.h"

#include "base/clock.h"

static const char* const momenta[] = {"momentum_x_kgmps", "momentum_y_kgmps", "momentum_z_kgmps"};

static const char falling[] = HEAD "gravity: [1, -9.81, 0]\nbodies: [{material: stuff, box: {min: [0, 0, 0], max: "
                                   "[0.3, 0.3, 0.3]}, velocity: [1, 2, 0]}]\n";

static const char meeting[] =
    HEAD "gravity: [0, 0, 0]\nbodies:\n"
         "  - {material: stuff, box: {min: [0, 0, 0], max: [0.3, 0.3, 0.3]}, velocity: [1, 0, 0.3]}\n"
         "  - {material: stuff, box: {min: [0.35, 0.1, 0], max: [0.65, 0.4, 0.3]}, velocity: [-1, 0.2, 0]}\n";

static bool has_particles(const bounds* row) { return shoal_solver_find(row->solver)->sets[0].life == SHOAL_SORTED; }

// ---------------------------------------------------------------------------------- bodies

static void bodies_fall_as_they_do_in_a_vacuum(void** state) {
    (void)state;
    static const char* const coms[] = {"com_x_m", "com_y_m", "com_z_m"};
    const double             g[] = {1.0, -9.81, 0.0}, v[] = {1.0, 2.0, 0.0}, t = 0.5;
    for (int r = first_row; r < end_row; r++) {
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
    for (int r = first_row; r < end_row; r++) {
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
    for (int r = first_row; r < end_row; r++) {
        shoal_sim* sim = start(lying, &rows[r], 0);
        lab_run(sim, rows[r].settled, frame);
        double fastest = lab_stat(sim, "speed_max_mps") / sqrt(9.81 * 0.3);
        printf("%s, %s: at rest to %.2g sqrt(g H)\n", rows[r].solver, rows[r].material, fastest);
        CHECK_BELOW(fastest, rows[r].rest);
        shoal_sim_destroy(sim);
    }
}

// ---------------------------------------------------------------------------------- centre of mass

static const char tumbling[] = HEAD "domain: {max: [1, 1, 1]}\n"
                                    "bodies: [{material: stuff, sphere: {radius: 0.2}, at: [0.5, 0.5, 0.5]}]\n";
static const char breaking[] = HEAD "domain: {max: [1.2, 0.8, 0.4]}\n"
                                    "bodies: [{material: stuff, box: {min: [0, 0, 0], max: [0.4, 0.6, 0.4]}}]\n";
// In the air, so that nothing but the law is asked: what comes, falls and goes again.
static const char flowing[] =
    HEAD "emitters: [{material: stuff, disc: {radius: 0.12}, at: [0.5, 1.6, 0.5], velocity: [0, -2, 0]}]\n"
         "sinks: [{box: {min: [0, 0.4, 0], max: [1, 0.8, 1]}}]\n";
static const char rounding[] =
    HEAD "gravity: [3, -1, 0]\ndomain: {max: [0.8, 0.8, 0.8], walls: {left: periodic, right: periodic}}\n"
         "bodies: [{material: stuff, box: {min: [0.2, 0.5, 0.2], max: [0.5, 0.8, 0.5]}, velocity: [2, 0, 0]}]\n";

static void the_centre_of_mass_goes_where_momentum_says(void** state) {
    (void)state;
    static const char* const scenes[] = {falling, flowing, rounding, tumbling, breaking};
    for (int r = first_row; r < end_row; r++)
        for (int k = 0; k < 5; k++) {
            bool is_free = k < 3, is_mesh = !has_particles(&rows[r]);
            if (is_mesh && (scenes[k] == flowing || scenes[k] == rounding)) continue; // it does without sinks and seams
            shoal_sim* sim = start(scenes[k], &rows[r], 0);
            lab_run(sim, is_free ? 0.5 : 1.0, frame);
            double off = lab_stat(sim, "centre_of_mass_residual_m");
            printf("%s, %s, scene %d: centre of mass off by %.2g m\n", rows[r].solver, rows[r].material, k, off);
            CHECK_BELOW(off, scenes[k] == flowing ? rows[r].streamed : is_free ? rows[r].flown : rows[r].thrown);
            shoal_sim_destroy(sim);
        }
}

// A step that lifts every other particle by a millimetre, and gives none of them a velocity.
static const shoal_solver_type* honest;
static shoal_sim*               lifted;
static const float              lift = 1e-3f; // m

static shoal_status lifting_step(void* self, double dt) {
    SHOAL_TRY(honest->step(self, dt));
    SHOAL_EACH_PARTICLE_SET(&lifted->ctx, set) {
        shoal_v3* x = shoal_set_data(set, "position");
        for (int i = 0; i < set->count; i += 2) x[i].y += lift;
    }
    return SHOAL_OK;
}

static void what_moves_without_momentum_is_seen(void** state) {
    (void)state;
    for (int r = first_row; r < end_row; r++) {
        if (!has_particles(&rows[r])) continue;
        shoal_sim*        sim  = start(falling, &rows[r], 0);
        shoal_solver_type type = *sim->type;
        honest = sim->type, lifted = sim;
        type.step = lifting_step;
        sim->type = &type;
        lab_run(sim, 6.0 * frame, frame);
        double off   = lab_stat(sim, "centre_of_mass_residual_m"),
               given = 0.5 * (double)lift * (double)shoal_sim_steps(sim);
        printf("%s, %s: %.4g m seen of %.4g\n", rows[r].solver, rows[r].material, off, given);
        CHECK_NEAR(off, given, 0.02 * given + rows[r].flown);
        sim->type = honest;
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
    for (int r = first_row; r < end_row; r++)
        for (int mud = 0; mud <= takes_mud(&rows[r]); mud++) {
            uint64_t one = hash_after(mud ? muddy : busy, &rows[r], 1, 4);
            for (int k = 0; k < 3; k++)
                if (hash_after(mud ? muddy : busy, &rows[r], threads[k], 4) != one)
                    fail_msg("%s, %s: %d threads give other bits", rows[r].solver, rows[r].material, threads[k]);
        }
}

// Which materials may be listed without a body and change nothing. Grains know one liquid, and what is listed under
// `porous` fills pores, with or without a body of it; to `minimal` walls are what they are to sand.
static bool may_list(const bounds* row, bool is_sand, bool is_muddy) {
    unsigned kinds = shoal_solver_find(row->solver)->material_kinds;
    if (!(kinds & 1u << (is_sand ? SHOAL_GRANULAR : SHOAL_LIQUID))) return false;
    if (strcmp(row->solver, "grains") == 0) return is_sand;
    if (strcmp(row->solver, "porous") == 0) return is_sand || is_muddy;
    return !is_sand || strcmp(row->solver, "minimal") != 0;
}

static void materials_of_which_there_is_nothing_change_no_bits(void** state) {
    (void)state;
    static const char* const presets[] = {"honey", "sand"};
    static const char* const values[]  = {"density: 300, viscosity: 0.7, surface_tension: 3",
                                          "density: 400, friction_angle: 12, boundary_friction: 0.9, wetness: 0.5"};
    for (int r = first_row; r < end_row; r++)
        for (int k = 0; k < 2 * (1 + takes_mud(&rows[r])); k++) {
            bool is_muddy = k >= 2;
            char text[2][2400], *plain = scene_of(is_muddy ? muddy : busy, &rows[r]), *at = strstr(plain, "{stuff:");
            if (!may_list(&rows[r], k % 2 == 1, is_muddy)) continue;
            char none[256];
            snprintf(none, sizeof none, "none: {preset: %s, %s}", presets[k % 2], values[k % 2]);
            char* end = strstr(at, "}\n");
            snprintf(text[0], sizeof text[0], "%.*s, %s%s", (int)(end - plain), plain, none, end);
            snprintf(text[1], sizeof text[1], "%.*s{%s, %s", (int)(at - plain), plain, none, at + 1);
            shoal_sim* sims[3];
            double     sums[3];
            for (int n = 0; n < 3; n++) {
                sims[n] = lab_sim(n == 0 ? scene_of(is_muddy ? muddy : busy, &rows[r]) : text[n - 1], (lab_setup){0});
                lab_run(sims[n], 6.0 * frame, frame);
                sums[n] = lab_stat(sims[n], "kinetic_j") + lab_stat(sims[n], "potential_j");
            }
            printf("%s, %s, %s listed: %.17g J\n", rows[r].solver, rows[r].material, presets[k % 2], sums[0]);
            // numbers of materials are part of the state, and so is a row for each of them under porous
            bool is_same = strcmp(rows[r].solver, "porous") == 0 || shoal_sim_hash(sims[1]) == shoal_sim_hash(sims[0]);
            if (!is_same || sums[1] != sums[0] || sums[2] != sums[0])
                fail_msg("%s, %s: %s that is only listed changes bits (%.17g, %.17g of %.17g J)", rows[r].solver,
                         rows[r].material, presets[k % 2], sums[1], sums[2], sums[0]);
            for (int n = 0; n < 3; n++) shoal_sim_destroy(sims[n]);
        }
}

static void a_saved_run_goes_on_bit_for_bit(void** state) {
    (void)state;
    for (int r = first_row; r < end_row; r++)
        for (int mud = 0; mud <= takes_mud(&rows[r]); mud++)
            if (!lab_goes_on(scene_of(mud ? muddy : busy, &rows[r]), (lab_setup){.threads = 2}, 5.0 * frame, frame))
                fail_msg("%s, %s: a run that was saved goes on otherwise", rows[r].solver, rows[r].material);
}

// On the CPU and, where it can, on a device, whose times are told late.
static void stages_are_the_time_of_a_step(void** state) {
    (void)state;
    for (int r = first_row; r < end_row; r++)
        for (int far = 0; far < 2; far++) {
            const shoal_solver_type* type = shoal_solver_find(rows[r].solver);
            shoal_stage_time         stages[16];
            double                   sum = 0.0, began;
            if (far && !type->device_passes) continue;
            double     made = shoal_seconds();
            shoal_sim* sim  = lab_sim(scene_of(busy, &rows[r]), (lab_setup){.device = far ? "mirror" : NULL});
            lab_run(sim, frame, frame);
            for (int k = 0, count = shoal_sim_stages(sim, stages, 16); k < count; k++) sum += stages[k].seconds;
            assert_true(sum > 0.0 && sum <= shoal_seconds() - made);
            shoal_sim_stages_reset(sim);
            sum   = 0.0;
            began = shoal_seconds();
            lab_run(sim, 2.0 * frame, frame);
            double wall  = shoal_seconds() - began;
            int    count = shoal_sim_stages(sim, stages, 16), busy_ones = 0;
            for (int k = 0; k < count; k++) {
                assert_true(stages[k].seconds >= 0.0);
                sum += stages[k].seconds;
                busy_ones += stages[k].seconds > 0.0;
            }
            printf("%s, %s on %s: %.3g ms of %.3g, %d stages\n", rows[r].solver, rows[r].material,
                   shoal_sim_device(sim), 1e3 * sum, 1e3 * wall, busy_ones);
            assert_true(sum <= wall && sum > 0.7 * wall);
            assert_true(busy_ones >= (strcmp(rows[r].solver, "minimal") == 0 ? 1 : 4));
            shoal_sim_destroy(sim);
        }
}

static int by_value(const void* a, const void* b) {
    return (*(const int32_t*)a > *(const int32_t*)b) - (*(const int32_t*)a < *(const int32_t*)b);
}

// The books of a liquid without particles are in volumes.
static void volumes_are_in_the_balance(const bounds* row) {
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
    assert_true(lab_stat(sim, "removed_m3") > 0.005 || !strstr(scene_of(busy, row), "sinks"));
    shoal_sim_destroy(sim);
}

static void what_comes_and_goes_is_in_the_balance(void** state) {
    (void)state;
    for (int r = first_row; r < end_row; r++) {
        if (!has_particles(&rows[r])) {
            volumes_are_in_the_balance(&rows[r]);
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

// A plate beside a block, still for three frames, then quick: it shortens substeps only while it moves.
static void obstacles_set_the_pace_only_while_they_move(void** state) {
    (void)state;
    static const char        text[]    = "solver: %s\nspacing: 0.02\nfps: 60\ndomain: {max: [0.4, 0.3, 0.2]}\n"
                                         "materials: {stuff: {preset: %s}}\n"
                                         "bodies: [{material: stuff, box: {min: [0, 0, 0], max: [0.2, 0.1, 0.2]}}]\n"
                                         "obstacles: [{name: plate, box: {min: [0.3, 0, 0], max: [0.34, 0.1, 0.2]}, "
                                         "motion: [{t: 0.1, at: [0, 0, 0]}, {t: 0.11, at: [0, %g, 0]}]}]\n";
    static const char* const by_pace[] = {"sph", "tetra-paper"}; // others have steps of their own
    for (int k = 0; k < 2; k++) {
        if (!is_asked(by_pace[k])) continue;
        double steps[2][2]; // still and quick, of a plate that goes nowhere and of one that rises
        for (int rises = 0; rises < 2; rises++) {
            char scene[1024];
            snprintf(scene, sizeof scene, text, by_pace[k], "water", 0.1 * rises);
            shoal_sim* sim = lab_sim(scene, (lab_setup){0});
            lab_run(sim, 3.0 * frame, frame);
            steps[rises][0] = (double)shoal_sim_steps(sim);
            lab_run(sim, 4.0 * frame, frame);
            steps[rises][1] = (double)shoal_sim_steps(sim) - steps[rises][0];
            shoal_sim_destroy(sim);
        }
        printf("%s: substeps of still frames %g, %g, of quick ones %g, %g\n", by_pace[k], steps[0][0], steps[1][0],
               steps[0][1], steps[1][1]);
        CHECK_NEAR(steps[1][0], steps[0][0], 0.0);
        assert_true(steps[1][1] > 1.3 * steps[0][1]);
    }
}

int main(void) {
    ask_for(getenv("SHOAL_SOLVER"));
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bodies_fall_as_they_do_in_a_vacuum),
        cmocka_unit_test(bodies_that_meet_keep_their_momentum_and_mass),
        cmocka_unit_test(a_block_on_the_floor_comes_to_rest),
        cmocka_unit_test(the_centre_of_mass_goes_where_momentum_says),
        cmocka_unit_test(what_moves_without_momentum_is_seen),
        cmocka_unit_test(any_number_of_threads_gives_the_same_bits),
        cmocka_unit_test(materials_of_which_there_is_nothing_change_no_bits),
        cmocka_unit_test(a_saved_run_goes_on_bit_for_bit),
        cmocka_unit_test(what_comes_and_goes_is_in_the_balance),
        cmocka_unit_test(obstacles_set_the_pace_only_while_they_move),
        cmocka_unit_test(stages_are_the_time_of_a_step),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
