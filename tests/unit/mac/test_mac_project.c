// SPDX-License-Identifier: MIT
// Solids, level set, extension and projection on the staggered grid.
#include "unit/mac/tank.h"

#include "mac/mac_density_correction.h"

static shoal_poisson_def tight(shoal_poisson_method method) {
    shoal_poisson_def def = shoal_poisson_def_default();
    def.method            = method;
    def.tolerance         = 1e-9;
    def.iterations        = 1000;
    return def;
}

static void add_obstacle(tank* t, shoal_shape* shape) {
    t->description.obstacles = shoal_alloc(1, sizeof *t->description.obstacles);
    assert_non_null(t->description.obstacles);
    t->description.obstacles[0].shape = shape;
    t->description.obstacle_count     = 1;
    shoal_world_destroy(t->world);
    CHECK_OK(shoal_world_create(&t->description, &t->world));
}

static void walls_close_their_faces_and_no_others(void** state) {
    (void)state;
    // the upper wall cuts cells in the middle
    tank* t = tank_make(shoal_d3_make(0.0, 0.0, 0.0), shoal_d3_make(0.8, 0.85, 0.8), 0.1, 2);
    tank_fill(t, shoal_d3_make(0.0, 0.0, 0.0), shoal_d3_make(0.8, 0.85, 0.8));
    tank_grid(t, 2);
    shoal_mac_solids(&t->mac, &t->exec, t->world, NULL);
    double volume = 0.0, area[3] = {0.0, 0.0, 0.0};
    for (int at = 0; at < tank_samples(t); at++) {
        volume += 0.001 * (double)t->mac.fraction[at];
        for (int axis = 0; axis < 3; axis++) area[axis] += 0.01 * (double)t->mac.open[axis][at];
    }
    CHECK_NEAR(volume, 0.8 * 0.85 * 0.8, 1e-6);
    CHECK_NEAR(area[0], 7 * 0.85 * 0.8, 1e-5); // seven planes between eight cells
    CHECK_NEAR(area[1], 8 * 0.8 * 0.8, 1e-5);
    CHECK_NEAR(area[2], 7 * 0.8 * 0.85, 1e-5);
    tank_free(t);
}

static void a_ball_takes_its_volume_and_lets_the_rest_through(void** state) {
    (void)state;
    tank*        t    = tank_make(shoal_d3_make(0.0, 0.0, 0.0), shoal_d3_make(1.6, 1.6, 1.6), 0.1, 2);
    shoal_shape *ball = NULL, *placed = NULL;
    const double r = 0.43;
    CHECK_OK(shoal_shape_sphere(r, &ball));
    CHECK_OK(shoal_shape_place(ball, shoal_d3_make(1.0, 1.0, 1.0), shoal_quat_identity(),
                               shoal_d3_make(0.77, 0.83, 0.81), &placed));
    add_obstacle(t, placed);
    tank_fill(t, shoal_d3_make(0.0, 0.0, 0.0), shoal_d3_make(1.6, 1.6, 1.6));
    tank_grid(t, 2);
    shoal_mac_solids(&t->mac, &t->exec, t->world, NULL);
    double volume = 0.0, plane = 0.0;
    for (int at = 0; at < tank_samples(t); at++) {
        volume += 0.001 * (double)t->mac.fraction[at];
        shoal_v3 face = shoal_mac_face(&t->mac, at, 0);
        if (fabsf(face.x - 0.8f) < 1e-4f) plane += 0.01 * (double)t->mac.open[0][at];
    }
    double cut = SHOAL_PI * (r * r - 0.03 * 0.03);
    CHECK_NEAR(1.6 * 1.6 * 1.6 - volume, 4.0 / 3.0 * SHOAL_PI * r * r * r, 0.03 * 0.333);
    CHECK_NEAR(1.6 * 1.6 - plane, cut, 0.02 * cut);
    shoal_shape_destroy(placed);
    tank_free(t);
}

static void a_lattice_at_rest_has_density_one_up_to_the_walls(void** state) {
    (void)state;
    tank* t = tank_make(shoal_d3_make(0.0, 0.0, 0.0), shoal_d3_make(1.2, 1.2, 0.9), 0.1, 2);
    tank_fill(t, shoal_d3_make(0.0, 0.0, 0.0), shoal_d3_make(1.2, 0.8, 0.9));
    tank_liquid(t, 3);
    for (int at = 0; at < tank_samples(t); at++) {
        shoal_v3 x = shoal_mac_place(&t->mac, at, 0.5f, 0.5f, 0.5f);
        if (t->mac.fraction[at] < 1.0f || x.y > 0.7f) continue;
        CHECK_NEAR((double)t->mac.density[at], 1.0, 1e-4);
    }
    CHECK_NEAR(shoal_mac_volume(&t->mac, &t->exec), 1.2 * 0.8 * 0.9, 0.01 * 1.2 * 0.8 * 0.9);
    tank_free(t);
}

static void the_level_set_lies_where_the_water_ends(void** state) {
    (void)state;
    double worst = 0.0;
    for (int layers = 12; layers < 16; layers++) {
        tank*  t      = tank_make(shoal_d3_make(0.0, 0.0, 0.0), shoal_d3_make(0.8, 1.6, 0.8), 0.1, 2);
        double height = 0.05 * layers;
        tank_fill(t, shoal_d3_make(0.0, 0.0, 0.0), shoal_d3_make(0.8, height - 1e-6, 0.8));
        tank_liquid(t, 3);
        for (int at = 0; at < tank_samples(t); at++) {
            int above = shoal_mac_beside(&t->mac, at, 1, 1);
            if (t->mac.fraction[at] < 1.0f || above < 0 || !shoal_mac_has(t->mac.liquid, at) ||
                shoal_mac_has(t->mac.liquid, above))
                continue;
            double theta = (double)(t->mac.phi[at] / (t->mac.phi[at] - t->mac.phi[above]));
            double y     = (double)shoal_mac_place(&t->mac, at, 0.5f, 0.5f, 0.5f).y + 0.1 * theta;
            worst        = fmax(worst, fabs(y - height) / 0.1);
        }
        tank_free(t);
    }
    printf("level set of a lattice: off by at most %.3f cells\n", worst);
    CHECK_BELOW(worst, 0.1);
}

// Air cells amid of a box of water from which a box around `middle` was taken, before and after gaps are filled.
static void air_of_hole(shoal_d3 middle, shoal_d3 half, int air[2]) {
    tank* t      = tank_make(shoal_d3_make(0.0, 0.0, 0.0), shoal_d3_make(1.2, 1.2, 1.2), 0.1, 2);
    int   stored = 0;
    tank_fill(t, shoal_d3_make(0.0, 0.0, 0.0), shoal_d3_make(1.2, 0.8, 1.2));
    for (int i = 0; i < t->count; i++) {
        shoal_d3 way = shoal_d3_sub(shoal_d3_from(t->position[i]), middle);
        if (fabs(way.x) > half.x || fabs(way.y) > half.y || fabs(way.z) > half.z)
            t->position[stored++] = t->position[i];
    }
    t->count = stored;
    tank_liquid(t, 3);
    for (int pass = 0; pass < 2; pass++) {
        air[pass] = 0;
        if (pass == 1) shoal_mac_fill_gaps(&t->mac, &t->exec);
        for (int at = 0; at < tank_samples(t); at++)
            air[pass] += t->mac.fraction[at] == 1.0f && !shoal_mac_has(t->mac.liquid, at) &&
                         shoal_mac_place(&t->mac, at, 0.5f, 0.5f, 0.5f).y < 0.8f;
    }
    tank_free(t);
}

static void gaps_are_liquid_and_bubbles_and_dents_are_air(void** state) {
    (void)state;
    int air[2];
    // four cells, amid of the water and in a corner of the tank
    air_of_hole(shoal_d3_make(0.6, 0.4, 0.55), shoal_d3_make(0.1, 0.1, 0.05), air);
    assert_int_equal(air[0], 4);
    assert_int_equal(air[1], 0);
    air_of_hole(shoal_d3_make(0.0, 0.0, 0.0), shoal_d3_make(0.2, 0.2, 0.1), air);
    assert_int_equal(air[0], 4);
    assert_int_equal(air[1], 0);
    // 27 cells, and a pit of one cell to the open air
    air_of_hole(shoal_d3_make(0.65, 0.45, 0.55), shoal_d3_make(0.17, 0.17, 0.17), air);
    assert_int_equal(air[0], 27);
    assert_int_equal(air[1], 27);
    air_of_hole(shoal_d3_make(0.65, 0.8, 0.55), shoal_d3_make(0.07, 0.32, 0.07), air);
    assert_true(air[0] > 0);
    assert_int_equal(air[1], air[0]);
}

// A column whose surface lies `height` above the floor, exactly; falling for dt.
static double speed_left(double height, shoal_poisson_method method, double* pressure) {
    tank* t = tank_make(shoal_d3_make(0.0, 0.0, 0.0), shoal_d3_make(0.4, 1.6, 0.4), 0.1, 2);
    tank_fill(t, shoal_d3_make(0.0, 0.0, 0.0), shoal_d3_make(0.4, height + 0.05, 0.4));
    for (int i = 0; i < t->count; i++) t->velocity[i] = shoal_v3_make(0.0f, -0.0981f, 0.0f);
    tank_liquid(t, 3);
    for (int at = 0; at < tank_samples(t); at++) {
        t->mac.phi[at] = (shoal_mac_place(&t->mac, at, 0.5f, 0.5f, 0.5f).y - (float)height) / 0.1f;
        uint64_t bit   = (uint64_t)1 << (at & 63);
        if (t->mac.phi[at] < 0.0f && t->mac.fraction[at] > 0.0f)
            t->mac.liquid[at >> 6] |= bit;
        else
            t->mac.liquid[at >> 6] &= ~bit;
    }
    shoal_mac_extend(&t->mac, &t->exec, 2, false);
    shoal_poisson_def    def        = tight(method);
    shoal_mac_projection projection = {0};
    CHECK_OK(shoal_mac_projection_set(&projection, &t->mac, &t->exec, &def));
    CHECK_OK(shoal_mac_project(&projection, &t->mac, &t->exec, &def, false));
    double worst = 0.0;
    *pressure    = 0.0;
    for (int at = 0; at < tank_samples(t); at++) {
        for (int axis = 0; axis < 3; axis++)
            if (shoal_mac_has(t->mac.known[axis], at)) worst = fmax(worst, fabs((double)t->mac.u[axis][at]));
        double depth = height - (double)shoal_mac_place(&t->mac, at, 0.5f, 0.5f, 0.5f).y;
        if (shoal_mac_has(t->mac.liquid, at))
            *pressure = fmax(*pressure, fabs((double)t->mac.pressure[at] - 0.0981 * depth / 0.1));
    }
    CHECK_BELOW(shoal_mac_divergence(&t->mac, &t->exec), 1e-6);
    shoal_mac_projection_free(&projection);
    tank_free(t);
    return worst;
}

static void water_rests_exactly_at_any_height_within_a_cell(void** state) {
    (void)state;
    for (int k = 0; k < 9; k++) {
        double pressure, height = 0.76 + 0.011 * k;
        CHECK_BELOW(speed_left(height, SHOAL_POISSON_MULTIGRID, &pressure), 1e-6);
        CHECK_BELOW(pressure, 1e-5);
    }
    double pressure;
    CHECK_BELOW(speed_left(0.81, SHOAL_POISSON_MIC, &pressure), 1e-6);
}

static void a_full_closed_box_stays_at_rest(void** state) {
    (void)state;
    tank* t = tank_make(shoal_d3_make(0.0, 0.0, 0.0), shoal_d3_make(0.8, 0.8, 0.8), 0.1, 2);
    tank_fill(t, shoal_d3_make(0.0, 0.0, 0.0), shoal_d3_make(0.8, 0.8, 0.8));
    for (int i = 0; i < t->count; i++) t->velocity[i] = shoal_v3_make(0.1f, -0.5f, 0.3f);
    tank_liquid(t, 3);
    shoal_poisson_def    def        = tight(SHOAL_POISSON_MULTIGRID);
    shoal_mac_projection projection = {0};
    CHECK_OK(shoal_mac_projection_set(&projection, &t->mac, &t->exec, &def));
    CHECK_OK(shoal_mac_project(&projection, &t->mac, &t->exec, &def, false));
    assert_int_equal(projection.report.closed_count, 1);
    for (int axis = 0; axis < 3; axis++)
        for (int at = 0; at < tank_samples(t); at++)
            if (shoal_mac_has(t->mac.known[axis], at)) CHECK_NEAR((double)t->mac.u[axis][at], 0.0, 1e-6);
    shoal_mac_projection_free(&projection);
    tank_free(t);
}

static void projection_leaves_no_divergence_around_a_ball(void** state) {
    (void)state;
    tank*        t    = tank_make(shoal_d3_make(0.0, 0.0, 0.0), shoal_d3_make(1.6, 1.6, 1.6), 0.1, 2);
    shoal_shape *ball = NULL, *placed = NULL;
    CHECK_OK(shoal_shape_sphere(0.33, &ball));
    CHECK_OK(shoal_shape_place(ball, shoal_d3_make(1.0, 1.0, 1.0), shoal_quat_identity(),
                               shoal_d3_make(0.77, 0.63, 0.81), &placed));
    add_obstacle(t, placed);
    for (int i = 0; i < 20000; i++) {
        shoal_v3 x = shoal_v3_make(1.6f * tank_random(1, i), 1.1f * tank_random(2, i), 1.6f * tank_random(3, i));
        if (shoal_shape_distance(placed, shoal_d3_from(x)) < 0.0) continue;
        t->velocity[t->count]   = shoal_v3_make(tank_random(4, i), -1.0f, tank_random(5, i) - 0.5f);
        t->position[t->count++] = x;
    }
    tank_liquid(t, 3);
    shoal_mac_extend(&t->mac, &t->exec, 2, false);
    shoal_poisson_def    def        = tight(SHOAL_POISSON_MULTIGRID);
    shoal_mac_projection projection = {0};
    CHECK_OK(shoal_mac_projection_set(&projection, &t->mac, &t->exec, &def));
    double before = shoal_mac_divergence(&t->mac, &t->exec);
    CHECK_OK(shoal_mac_project(&projection, &t->mac, &t->exec, &def, false));
    double after = shoal_mac_divergence(&t->mac, &t->exec);
    printf("divergence x dx: %.3g m/s before, %.2g after\n", before, after);
    CHECK_BELOW(0.1, before);
    CHECK_BELOW(after, 5e-6); // velocities are single
    shoal_mac_projection_free(&projection);
    shoal_shape_destroy(placed);
    tank_free(t);
}

static void a_constant_velocity_is_extended_as_it_is(void** state) {
    (void)state;
    tank* t = tank_make(shoal_d3_make(0.0, 0.0, 0.0), shoal_d3_make(3.2, 3.2, 3.2), 0.1, 2);
    tank_fill(t, shoal_d3_make(1.4, 1.4, 1.4), shoal_d3_make(1.8, 1.8, 1.8));
    for (int i = 0; i < t->count; i++) t->velocity[i] = shoal_v3_make(1.0f, -2.0f, 0.5f);
    tank_liquid(t, 8);
    int before = 0, after = 0;
    for (int at = 0; at < tank_samples(t); at++) before += shoal_mac_has(t->mac.known[1], at);
    shoal_mac_extend(&t->mac, &t->exec, 6, false);
    for (int at = 0; at < tank_samples(t); at++) {
        if (!shoal_mac_has(t->mac.known[1], at)) continue;
        after++;
        CHECK_NEAR((double)t->mac.u[1][at], -2.0, 1e-5);
    }
    assert_true(after > 4 * before);
    tank_free(t);
}

// Also where nothing moves, as far as they are beyond the band of what may stay.
static double densest_after(int steps, const shoal_mac_density_correction* how) {
    tank* t = tank_make(shoal_d3_make(0.0, 0.0, 0.0), shoal_d3_make(1.6, 1.6, 1.6), 0.1, 2);
    tank_fill(t, shoal_d3_make(0.0, 0.0, 0.0), shoal_d3_make(1.6, 0.8, 1.6));
    tank_fill(t, shoal_d3_make(0.7, 0.3, 0.7), shoal_d3_make(0.9, 0.5, 0.9)); // eight cells twice as full
    shoal_poisson_def    def        = tight(SHOAL_POISSON_MULTIGRID);
    shoal_mac_projection projection = {0};
    double               most       = 0.0;
    for (int k = 0; k <= steps; k++) {
        tank_liquid(t, 3);
        most = 0.0;
        for (int at = 0; at < tank_samples(t); at++)
            if (t->mac.fraction[at] == 1.0f) most = fmax(most, (double)t->mac.density[at]);
        for (int axis = 0; axis < 3; axis++) memset(t->mac.u[axis], 0, (size_t)tank_samples(t) * sizeof(float));
        CHECK_OK(shoal_mac_projection_set(&projection, &t->mac, &t->exec, &def));
        CHECK_OK(shoal_mac_correct_density(&projection, &t->mac, &t->exec, &def, how));
        for (int axis = 0; axis < 3; axis++) memset(t->mac.change[axis], 0, (size_t)tank_samples(t) * sizeof(float));
        memset(t->mac.pressure, 0, (size_t)tank_samples(t) * sizeof(float));
        shoal_mac_motion motion = {.dt = 0.01f, .order = 2, .move_most = 2.0f};
        shoal_mac_move(&t->mac, &t->exec, &t->view, &motion);
        shoal_mac_push_out(&t->exec, t->world, SHOAL_GRANULAR, &t->view, t->count, 0.005f, NULL);
    }
    shoal_mac_projection_free(&projection);
    tank_free(t);
    return most;
}

static void clumps_are_moved_apart(void** state) {
    (void)state;
    static const shoal_mac_density_correction flowing = {
        .gain = 0.5f, .most = 0.5f, .of_way = INFINITY, .band = INFINITY, .dt = 0.01f};
    static const shoal_mac_density_correction at_rest = {
        .gain = 0.5f, .most = 0.1f, .of_way = 0.25f, .band = 0.15f, .dt = 0.01f};
    double before = densest_after(0, &flowing), after = densest_after(20, &flowing), rest = densest_after(20, &at_rest);
    printf("densest cell: %.2f before, %.2f after 20 steps, %.2f at rest with a band of 0.15\n", before, after, rest);
    CHECK_BELOW(1.5, before);
    CHECK_BELOW(after, 1.2);
    CHECK_BELOW(rest, 1.25);
}

static void particles_are_put_outside_of_solids_and_rub_on_them(void** state) {
    (void)state;
    tank*        t    = tank_make(shoal_d3_make(0.0, 0.0, 0.0), shoal_d3_make(1.0, 1.0, 1.0), 0.1, 2);
    shoal_shape *ball = NULL, *placed = NULL;
    CHECK_OK(shoal_shape_sphere(0.2, &ball));
    CHECK_OK(shoal_shape_place(ball, shoal_d3_make(1.0, 1.0, 1.0), shoal_quat_identity(), shoal_d3_make(0.5, 0.5, 0.5),
                               &placed));
    add_obstacle(t, placed);
    t->description.obstacles[0].friction                  = 0.5f;
    t->world->colliders[0].rough[SHOAL_GRANULAR].friction = 0.5f;
    t->count                                              = 2000;
    for (int i = 0; i < t->count; i++) {
        t->position[i] = shoal_v3_make(1.2f * tank_random(1, i) - 0.1f, 1.2f * tank_random(2, i) - 0.1f,
                                       1.2f * tank_random(3, i) - 0.1f);
        t->velocity[i] = shoal_v3_make(1.0f, 0.0f, 0.0f);
    }
    t->position[0] = shoal_v3_make(0.5f, 0.69f, 0.5f); // in the top of the ball, falling slantwise
    t->velocity[0] = shoal_v3_make(2.0f, -1.0f, 0.0f);
    shoal_mac_push_out(&t->exec, t->world, SHOAL_GRANULAR, &t->view, t->count, 0.005f, NULL);
    for (int i = 0; i < t->count; i++) {
        shoal_v3 x = t->position[i];
        assert_true(x.x > 0.0049f && x.x < 0.9951f && x.y > 0.0049f && x.y < 0.9951f && x.z > 0.0049f && x.z < 0.9951f);
        assert_true(shoal_shape_distance(placed, shoal_d3_from(x)) > 0.0049);
    }
    CHECK_NEAR((double)t->velocity[0].y, 0.0, 1e-4);
    CHECK_NEAR((double)t->velocity[0].x, 1.5, 1e-4); // 2 - 0.5 x 1
    shoal_shape_destroy(placed);
    tank_free(t);
}

// Who rests deep inside has no way that could be followed.
static void who_rests_in_a_thin_solid_is_put_outside_of_it(void** state) {
    (void)state;
    tank*        t    = tank_make(shoal_d3_make(0.0, 0.0, 0.0), shoal_d3_make(1.0, 1.0, 1.0), 0.1, 2);
    shoal_shape *ball = NULL, *placed = NULL;
    CHECK_OK(shoal_shape_sphere(0.2, &ball));
    CHECK_OK(shoal_shape_place(ball, shoal_d3_make(1.0, 1.0, 1.0), shoal_quat_identity(), shoal_d3_make(0.5, 0.5, 0.5),
                               &placed));
    add_obstacle(t, placed);
    t->world->colliders[0].is_thin = true;
    t->count                       = 1;
    t->position[0]                 = shoal_v3_make(0.53f, 0.6f, 0.47f);
    shoal_v3          from         = t->position[0];
    shoal_mac_passage passage      = {&from, t->world->colliders, 0.015, 0.05};
    shoal_mac_push_out(&t->exec, t->world, SHOAL_GRANULAR, &t->view, t->count, 0.005f, &passage);
    CHECK_NEAR(shoal_shape_distance(placed, shoal_d3_from(t->position[0])), 0.005, 1e-4);
    shoal_shape_destroy(placed);
    tank_free(t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(walls_close_their_faces_and_no_others),
        cmocka_unit_test(a_ball_takes_its_volume_and_lets_the_rest_through),
        cmocka_unit_test(a_lattice_at_rest_has_density_one_up_to_the_walls),
        cmocka_unit_test(the_level_set_lies_where_the_water_ends),
        cmocka_unit_test(gaps_are_liquid_and_bubbles_and_dents_are_air),
        cmocka_unit_test(water_rests_exactly_at_any_height_within_a_cell),
        cmocka_unit_test(a_full_closed_box_stays_at_rest),
        cmocka_unit_test(projection_leaves_no_divergence_around_a_ball),
        cmocka_unit_test(a_constant_velocity_is_extended_as_it_is),
        cmocka_unit_test(clumps_are_moved_apart),
        cmocka_unit_test(particles_are_put_outside_of_solids_and_rub_on_them),
        cmocka_unit_test(who_rests_in_a_thin_solid_is_put_outside_of_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
