// SPDX-License-Identifier: MIT
// The local rule for sand: rigid motions in double, groups on the grid, friction that only slows, and a block on an
// incline.
#include "unit/mac/tank.h"

#include "granular/granular_plastic.h"

static double random_signed(uint64_t stream, int n) { return 2.0 * shoal_random(11, stream, (uint64_t)n) - 1.0; }

// Momentum, angular momentum about the origin, and twice the energy of samples.
typedef struct balance {
    double push[3], turn[3], energy;
} balance;

static void balance_add(balance* b, int axis, const double x[3], double mass, double u) {
    int major = (axis + 1) % 3, minor = (axis + 2) % 3;
    b->push[axis] += mass * u;
    b->turn[major] += mass * u * x[minor];
    b->turn[minor] -= mass * u * x[major];
    b->energy += mass * u * u;
}

enum { SAMPLES = 600 };

static void the_nearest_rigid_motion_keeps_momentum_and_angular_momentum(void** state) {
    (void)state;
    for (int run = 0; run < 50; run++) {
        shoal_rigid sum   = {0};
        balance     given = {0}, fitted = {0}, left = {0};
        double      x[SAMPLES][3], u[SAMPLES], mass[SAMPLES], size = 0;
        for (int i = 0; i < SAMPLES; i++) {
            for (int k = 0; k < 3; k++) x[i][k] = 40.0 + 30.0 * random_signed((uint64_t)(10 * run + k), i);
            u[i]    = random_signed((uint64_t)(10 * run + 5), i) + 3.0;
            mass[i] = 0.5 + 0.5 * (i % 2);
            shoal_rigid_add(&sum, i % 3, x[i], mass[i], u[i]);
            balance_add(&given, i % 3, x[i], mass[i], u[i]);
            size += mass[i] * fabs(u[i]);
        }
        shoal_rigid_motion motion = shoal_rigid_fit(&sum);
        for (int i = 0; i < SAMPLES; i++) {
            double v = shoal_rigid_at(&motion, i % 3, x[i]);
            balance_add(&fitted, i % 3, x[i], mass[i], v);
            balance_add(&left, i % 3, x[i], mass[i], u[i] - v);
        }
        for (int k = 0; k < 3; k++) {
            CHECK_NEAR(fitted.push[k] / size, given.push[k] / size, 1e-12);
            CHECK_NEAR(fitted.turn[k] / (70 * size), given.turn[k] / (70 * size), 1e-12);
        }
        CHECK_NEAR((fitted.energy + left.energy) / given.energy, 1, 1e-12); // a projection
    }
}

static void a_rigid_motion_is_found_again_and_a_single_cell_does_not_turn(void** state) {
    (void)state;
    const shoal_rigid_motion wanted = {{3, -2, 5}, {0.3, -0.7, 1.1}, {0.2, 0.05, -0.4}};
    shoal_rigid              sum = {0}, cell = {0};
    for (int i = 0; i < 90; i++) {
        double x[3] = {random_signed(1, i) * 6, random_signed(2, i) * 6, random_signed(3, i) * 6};
        shoal_rigid_add(&sum, i % 3, x, 1, shoal_rigid_at(&wanted, i % 3, x));
    }
    shoal_rigid_motion found = shoal_rigid_fit(&sum);
    for (int i = 0; i < 30; i++) {
        double x[3] = {random_signed(4, i) * 9, random_signed(5, i) * 9, random_signed(6, i) * 9};
        CHECK_NEAR(shoal_rigid_at(&found, i % 3, x), shoal_rigid_at(&wanted, i % 3, x), 1e-12);
    }
    for (int f = 0; f < 6; f++) {
        double x[3] = {0.5, 0.5, 0.5};
        x[f / 2]    = f % 2;
        shoal_rigid_add(&cell, f / 2, x, 1, f + 1);
    }
    shoal_rigid_motion still = shoal_rigid_fit(&cell);
    for (int k = 0; k < 3; k++) {
        CHECK_NEAR(still.velocity[k], 2 * k + 1.5, 1e-12);
        assert_true(still.spin[k] == 0);
    }
}

// A ball of sand in the air with velocities and pressures at random.
static tank* ball_of_sand(int threads, double noise, double pressure) {
    tank* t = tank_make(shoal_d3_make(-(double)INFINITY, -(double)INFINITY, -(double)INFINITY),
                        shoal_d3_make((double)INFINITY, (double)INFINITY, (double)INFINITY), 0.1, threads);
    tank_fill(t, shoal_d3_make(-0.8, -0.8, -0.8), shoal_d3_make(0.8, 0.8, 0.8));
    int stored = 0;
    for (int i = 0; i < t->count; i++)
        if (shoal_v3_dot(t->position[i], t->position[i]) < 0.6f) t->position[stored++] = t->position[i];
    t->count = stored;
    tank_liquid(t, 3);
    shoal_mac* m = &t->mac;
    for (int axis = 0; axis < 3; axis++)
        for (int block = 0; block < m->block_count; block++) {
            uint64_t faces[8];
            shoal_mac_liquid_faces(m, block, axis, faces);
            memcpy(m->known[axis] + 8 * block, faces, sizeof faces);
        }
    for (int at = 0; at < tank_samples(t); at++) {
        shoal_v3 x = shoal_mac_place(m, at, 0.5f, 0.5f, 0.5f);
        int      n = (int)lrintf(1e4f * x.x) * 7919 + (int)lrintf(1e4f * x.y) * 104729 +
                (int)lrintf(1e4f * x.z); // of the place, not of the order
        m->pressure[at] = (float)(pressure * (0.5 + 0.5 * random_signed(9, n)));
        for (int axis = 0; axis < 3; axis++)
            m->u[axis][at] = (float)(1.0 + axis + noise * random_signed((uint64_t)axis, n));
    }
    return t;
}

static balance balance_of(const tank* t) {
    balance b = {0};
    for (int axis = 0; axis < 3; axis++)
        for (int at = 0; at < tank_samples(t); at++) {
            if (!shoal_mac_has(t->mac.known[axis], at)) continue;
            shoal_v3 x    = shoal_mac_face(&t->mac, at, axis);
            double   y[3] = {(double)x.x, (double)x.y, (double)x.z};
            balance_add(&b, axis, y, 1, (double)t->mac.u[axis][at]);
        }
    return b;
}

static int rigid_cells(const tank* t, const shoal_granular_plastic* p) {
    int count = 0;
    for (int k = 0; k < 8 * t->mac.block_count; k++) count += __builtin_popcountll(p->rigid[k]);
    return count;
}

static void friction_keeps_momentum_and_never_adds_energy(void** state) {
    (void)state;
    static const double pressures[] = {0, 0.3, 1, 3, 100, 0.3, 1};
    for (int k = 0; k < 7; k++) {
        float                  flow    = k < 5 ? 1.0f : 2.12132f; // on the yield surface, or as printed
        tank*                  t       = ball_of_sand(2, 0.5, pressures[k]);
        shoal_granular_plastic plastic = {0};
        for (int round = 0; round < 3; round++) {
            balance before = balance_of(t), after;
            CHECK_OK(shoal_granular_solve_plastic(&plastic, &t->mac, &t->exec, t->world, 0.5f, flow,
                                                  (shoal_granular_cohesion){0}, 0.01f));
            after = balance_of(t);
            if (round == 0)
                printf("pressure %g: %d cells rigid in %d groups, energy %.4f of what was\n", pressures[k],
                       rigid_cells(t, &plastic), plastic.group_count, after.energy / before.energy);
            CHECK_BELOW(after.energy, before.energy * (1 + 1e-9) + (k > 0 ? -1e-9 : 1e-9));
            for (int a = 0; a < 3; a++) {
                CHECK_NEAR(after.push[a], before.push[a], 1e-6 * fabs(before.push[2]));
                CHECK_NEAR(after.turn[a], before.turn[a], 1e-6 * fabs(before.push[2]));
            }
        }
        shoal_granular_plastic_free(&plastic);
        tank_free(t);
    }
}

static void sand_under_high_pressure_moves_as_one_body(void** state) {
    (void)state;
    tank*                  t       = ball_of_sand(2, 0.5, 100);
    shoal_granular_plastic plastic = {0};
    for (int at = 0; at < tank_samples(t); at++) t->mac.pressure[at] = 100;
    CHECK_OK(shoal_granular_solve_plastic(&plastic, &t->mac, &t->exec, t->world, 0.5f, 1, (shoal_granular_cohesion){0},
                                          0.01f));
    assert_int_equal(plastic.group_count, 1);
    // a second time there is nothing left to stop
    balance before = balance_of(t);
    CHECK_OK(shoal_granular_solve_plastic(&plastic, &t->mac, &t->exec, t->world, 0.5f, 1, (shoal_granular_cohesion){0},
                                          0.01f));
    CHECK_NEAR(balance_of(t).energy, before.energy, 1e-6 * before.energy);
    shoal_granular_plastic_free(&plastic);
    tank_free(t);
}

static void threads_change_no_bit_of_it(void** state) {
    (void)state;
    tank *                 one = ball_of_sand(1, 0.5, 1), *three = ball_of_sand(3, 0.5, 1);
    shoal_granular_plastic plastic = {0};
    CHECK_OK(shoal_granular_solve_plastic(&plastic, &one->mac, &one->exec, one->world, 0.5f, 1,
                                          (shoal_granular_cohesion){0}, 0.01f));
    CHECK_OK(shoal_granular_solve_plastic(&plastic, &three->mac, &three->exec, three->world, 0.5f, 1,
                                          (shoal_granular_cohesion){0}, 0.01f));
    for (int axis = 0; axis < 3; axis++)
        for (int at = 0; at < tank_samples(one); at++)
            if (shoal_mac_has(one->mac.known[axis], at)) assert_true(one->mac.u[axis][at] == three->mac.u[axis][at]);
    shoal_granular_plastic_free(&plastic);
    tank_free(one);
    tank_free(three);
}

// Gravity tilted by an angle whose tangent is `slope`, on a floor with friction 0.5: what is left of the step along it.
static double along_the_incline(double slope) {
    const double step = 0.1, down = step / sqrt(1 + slope * slope), along = slope * down;
    tank*        t                           = tank_make(shoal_d3_make(-(double)INFINITY, 0.0, -(double)INFINITY),
                                                         shoal_d3_make((double)INFINITY, 1.6, (double)INFINITY), 0.1, 2);
    t->world->rough[2][t->mac.kind].friction = 0.5f;
    tank_fill(t, shoal_d3_make(-0.4, 0.0, -0.4), shoal_d3_make(0.4, 0.6, 0.4));
    for (int i = 0; i < t->count; i++) t->velocity[i] = shoal_v3_make((float)along, (float)-down, 0.0f);
    tank_liquid(t, 3);
    shoal_mac* m = &t->mac;
    for (int at = 0; at < tank_samples(t); at++) { // what the projection of a wide layer leaves
        double depth    = 0.6 - (double)shoal_mac_place(m, at, 0.5f, 0.5f, 0.5f).y;
        m->pressure[at] = (float)(down * depth / 0.1);
        m->u[1][at]     = 0;
    }
    for (int axis = 0; axis < 3; axis++)
        for (int block = 0; block < m->block_count; block++) {
            uint64_t faces[8];
            shoal_mac_liquid_faces(m, block, axis, faces);
            memcpy(m->known[axis] + 8 * block, faces, sizeof faces);
        }
    shoal_granular_plastic plastic = {0};
    CHECK_OK(
        shoal_granular_solve_plastic(&plastic, m, &t->exec, t->world, 0.8f, 1, (shoal_granular_cohesion){0}, 0.01f));
    double sum   = 0;
    int    count = 0;
    for (int at = 0; at < tank_samples(t); at++)
        if (shoal_mac_has(m->known[0], at)) {
            sum += (double)m->u[0][at];
            count++;
        }
    shoal_granular_plastic_free(&plastic);
    tank_free(t);
    return sum / count / down;
}

static void a_block_on_an_incline_sticks_or_slides_at_the_right_angle(void** state) {
    (void)state;
    CHECK_NEAR(along_the_incline(0.0), 0, 1e-6);
    CHECK_NEAR(along_the_incline(0.495), 0, 1e-6);
    CHECK_NEAR(along_the_incline(0.505), 0.005, 1e-5);
    CHECK_NEAR(along_the_incline(1.0), 0.5, 1e-5);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_nearest_rigid_motion_keeps_momentum_and_angular_momentum),
        cmocka_unit_test(a_rigid_motion_is_found_again_and_a_single_cell_does_not_turn),
        cmocka_unit_test(friction_keeps_momentum_and_never_adds_energy),
        cmocka_unit_test(sand_under_high_pressure_moves_as_one_body),
        cmocka_unit_test(threads_change_no_bit_of_it),
        cmocka_unit_test(a_block_on_an_incline_sticks_or_slides_at_the_right_angle),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
