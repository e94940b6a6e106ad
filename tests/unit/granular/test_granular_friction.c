// SPDX-License-Identifier: MIT
// The global rule for sand: what it carries, what it lets go, what it takes of the energy, and its kept stress as
// bytes.
#include "unit/mac/tank.h"

#include "granular/granular_friction.h"

static const float dt = 0.004f, gravity = 9.81f;

// A block of 8 x 8 x 8 cells on a floor with friction, its left side at `from`; u is set by hand.
static tank* block_on_floor(float floor_friction, double from) {
    tank* t = tank_make(shoal_d3_make(0, 0, 0), shoal_d3_make(0.32, 0.4, 0.16), 0.02, 2);
    t->world->rough[2][t->mac.kind].friction = floor_friction;
    tank_fill(t, shoal_d3_make(from, 0, 0), shoal_d3_make(from + 0.16, 0.16, 0.16));
    tank_liquid(t, 4);
    return t;
}

typedef struct flow {
    double energy, mean_x, mean_down;
} flow;

// Over the faces that move.
static flow flow_of(const tank* t, const shoal_granular_friction* f) {
    flow   sum   = {0};
    double count = 0;
    for (int axis = 0; axis < 3; axis++)
        for (int at = 0; at < tank_samples(t); at++) {
            if (f->inverse_mass[axis][at] == 0.0f) continue;
            double u = (double)t->mac.u[axis][at];
            sum.energy += u * u;
            if (axis == 0) sum.mean_x += u, count++;
        }
    sum.mean_x /= count;
    return sum;
}

static void pull(tank* t, float x, float y) {
    for (int at = 0; at < tank_samples(t); at++) {
        t->mac.u[0][at] += x * dt;
        t->mac.u[1][at] += y * dt;
    }
}

// Steps in which nothing moves: each pulls the sand at rest anew, and the kept stress grows into what carries it.
static flow settle(tank* t, shoal_granular_friction* f, const shoal_granular_sand* sand, float side, int steps) {
    shoal_mac_projection projection = {0};
    shoal_poisson_def    def        = shoal_poisson_def_default();
    flow                 last       = {0};
    def.tolerance                   = 1e-6;
    for (int k = 0; k < steps; k++) {
        for (int axis = 0; axis < 3; axis++) memset(t->mac.u[axis], 0, (size_t)tank_samples(t) * sizeof(float));
        pull(t, side, -gravity);
        CHECK_OK(shoal_granular_solve_friction(f, &projection, &t->mac, &t->exec, t->world, &def, sand,
                                               shoal_v3_make(side, -gravity, 0.0f), dt));
        last = flow_of(t, f);
    }
    shoal_mac_projection_free(&projection);
    return last;
}

static shoal_granular_friction friction_make(void) {
    shoal_granular_friction f = {0};
    CHECK_OK(
        shoal_set_create(&(shoal_set_def){"stress", SHOAL_REBUILT, shoal_granular_stress_fields, 0, NULL}, &f.stored));
    return f;
}

static void friction_free(shoal_granular_friction* f) {
    shoal_set_destroy(f->stored);
    shoal_granular_friction_free(f);
}

static const shoal_granular_sand firm = {.friction = 0.7f, .rounds = 2, .sweeps = 15};

static void a_column_is_carried_by_the_stress_it_has_kept(void** state) {
    (void)state;
    tank*                   t = block_on_floor(0.7f, 0.0);
    shoal_granular_friction f = friction_make(), none = friction_make(), solved = friction_make();
    shoal_granular_sand     water = firm, long_solve = firm;
    water.friction    = 0.0f;
    long_solve.rounds = 10, long_solve.sweeps = 200;
    flow last = settle(t, &f, &firm, 0.0f, 20), liquid = settle(t, &none, &water, 0.0f, 2),
         exact = settle(t, &solved, &long_solve, 0.0f, 2);
    printf("a cliff on the move: %.3f of the energy of a liquid one, %.3f when solved to the end\n",
           last.energy / liquid.energy, exact.energy / liquid.energy);
    // a cliff without cohesion falls at its edge, however well it is solved: that is what remains
    CHECK_NEAR(last.energy / liquid.energy, exact.energy / liquid.energy, 0.01);
    CHECK_BELOW(last.energy / liquid.energy, 0.33);
    friction_free(&f);
    friction_free(&none);
    friction_free(&solved);
    tank_free(t);
}

// Cohesion makes it one piece, so that only the floor decides.
static void a_block_on_the_floor_holds_below_its_friction_and_slides_above(void** state) {
    (void)state;
    for (int k = 0; k < 2; k++) {
        tank*                   t     = block_on_floor(0.5f, 0.08);
        shoal_granular_friction f     = friction_make();
        float                   side  = k == 0 ? 0.2f * gravity : 1.5f * gravity;
        shoal_granular_sand     piece = firm;
        piece.cohesion.dry            = 100.0f;
        flow   moved                  = settle(t, &f, &piece, side, 60);
        double free                   = (double)side * (double)dt;
        printf("pulled by %.1f g: %.3f of free motion\n", (double)(side / gravity), moved.mean_x / free);
        if (k == 0)
            CHECK_BELOW(fabs(moved.mean_x) / free, 0.1);
        else
            assert_true(moved.mean_x / free > 0.3);
        friction_free(&f);
        tank_free(t);
    }
}

// Pulled up from the floor, all of it moves freely, and its velocities are known.
static void sand_in_tension_is_torn_off(void** state) {
    (void)state;
    tank*                   t          = block_on_floor(0.5f, 0.0);
    shoal_granular_friction f          = friction_make();
    shoal_mac_projection    projection = {0};
    shoal_poisson_def       def        = shoal_poisson_def_default();
    pull(t, 0.0f, gravity);
    CHECK_OK(shoal_granular_solve_friction(&f, &projection, &t->mac, &t->exec, t->world, &def, &firm,
                                           shoal_v3_make(0.0f, gravity, 0.0f), dt));
    int    torn = 0, count = 0;
    double mean = 0;
    for (int at = 0; at < tank_samples(t); at++) {
        torn += shoal_mac_has(t->mac.separated, at);
        if (f.inverse_mass[1][at] == 0.0f) continue;
        assert_true(shoal_mac_has(t->mac.known[1], at));
        mean += (double)t->mac.u[1][at];
        count++;
    }
    printf("pulled up: %d of 512 cells torn, %.4f of free motion\n", torn, mean / count / (double)(gravity * dt));
    assert_true(torn > 400);
    CHECK_NEAR(mean / count, (double)(gravity * dt), 0.05 * (double)(gravity * dt));
    shoal_mac_projection_free(&projection);
    friction_free(&f);
    tank_free(t);
}

static void friction_only_takes_energy_away(void** state) {
    (void)state;
    tank* t = block_on_floor(0.5f, 0.0);
    for (int axis = 0; axis < 3; axis++)
        for (int at = 0; at < tank_samples(t); at++) t->mac.u[axis][at] = tank_random((uint64_t)axis, at) - 0.5f;
    float* before[3];
    for (int axis = 0; axis < 3; axis++) {
        before[axis] = malloc((size_t)tank_samples(t) * sizeof(float));
        assert_non_null(before[axis]);
        memcpy(before[axis], t->mac.u[axis], (size_t)tank_samples(t) * sizeof(float));
    }
    shoal_mac_projection    projection = {0};
    shoal_poisson_def       def        = shoal_poisson_def_default();
    shoal_granular_friction f = friction_make(), slick = friction_make();
    shoal_granular_sand     water = firm;
    water.friction                = 0.0f;
    CHECK_OK(shoal_granular_solve_friction(&slick, &projection, &t->mac, &t->exec, t->world, &def, &water,
                                           shoal_v3_make(0.0f, -gravity, 0.0f), dt));
    double liquid = flow_of(t, &slick).energy;
    for (int axis = 0; axis < 3; axis++) memcpy(t->mac.u[axis], before[axis], (size_t)tank_samples(t) * sizeof(float));
    CHECK_OK(shoal_granular_solve_friction(&f, &projection, &t->mac, &t->exec, t->world, &def, &firm,
                                           shoal_v3_make(0.0f, -gravity, 0.0f), dt));
    assert_true(flow_of(t, &f).energy < liquid);
    for (int axis = 0; axis < 3; axis++) free(before[axis]);
    shoal_mac_projection_free(&projection);
    friction_free(&slick);
    friction_free(&f);
    tank_free(t);
}

static void kept_blocks_are_found_by_their_corners_and_must_be_in_order(void** state) {
    (void)state;
    tank*                   t = block_on_floor(0.5f, 0.0);
    shoal_granular_friction f = friction_make();
    settle(t, &f, &firm, 0.0f, 2);
    assert_true(f.stored->count > 1);
    int32_t* corner = shoal_set_data(f.stored, "corner");
    float*   values = shoal_set_data(f.stored, "values");
    assert_ptr_equal(shoal_mac_stored_at(f.stored, corner + 3, 2),
                     values + (SHOAL_GRANULAR_STORED + 2) * SHOAL_MAC_SAMPLES);
    assert_null(shoal_mac_stored_at(f.stored, (int[3]){8000, 0, 0}, 0));
    CHECK_OK(shoal_mac_stored_check(f.stored));
    memcpy(corner + 3, corner, 3 * sizeof *corner);
    assert_int_equal(shoal_mac_stored_check(f.stored), SHOAL_ERR_INPUT);
    friction_free(&f);
    tank_free(t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_column_is_carried_by_the_stress_it_has_kept),
        cmocka_unit_test(a_block_on_the_floor_holds_below_its_friction_and_slides_above),
        cmocka_unit_test(sand_in_tension_is_torn_off),
        cmocka_unit_test(friction_only_takes_energy_away),
        cmocka_unit_test(kept_blocks_are_found_by_their_corners_and_must_be_in_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
