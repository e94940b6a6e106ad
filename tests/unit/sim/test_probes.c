// SPDX-License-Identifier: MIT
// Instruments read on lattices whose answer is known.
#include "by_hand.h"

#include "base/hash.h"

static const shoal_solver_type any = {.name = "any"};

static void tank(by_hand* h, double d, double x, double y, double z) {
    by_hand_tank(h, d, x, y, z);
    h->sim.type = &any;
}

static float* pressures(const by_hand* h) { return shoal_set_data(h->sim.ctx.particles, "pressure"); }

static double read(by_hand* h, shoal_probe probe) {
    h->description.probes      = &probe;
    h->description.probe_count = 1;
    double value               = -1.0;
    shoal_sim_probes(&h->sim, &value);
    h->description.probe_count = 0;
    return value;
}

static double front(by_hand* h, int axis) { return read(h, (shoal_probe){.kind = SHOAL_PROBE_FRONT, .axis = axis}); }
static double height(by_hand* h, double x, double z) {
    return read(h, (shoal_probe){.kind = SHOAL_PROBE_HEIGHT, .at = {x, 0, z}});
}
static double pressure(by_hand* h, double x, double y, double z) {
    return read(h, (shoal_probe){.kind = SHOAL_PROBE_PRESSURE, .at = {x, y, z}});
}

static void probes_are_known_by_count_and_name(void** state) {
    (void)state;
    by_hand     h;
    shoal_probe probes[] = {{.name = "front"}, {.name = "gauge"}};
    tank(&h, 0.1, 1, 1, 1);
    h.description.probes      = probes;
    h.description.probe_count = 2;
    by_hand_open(&h);
    assert_int_equal(shoal_sim_probe_count(&h.sim), 2);
    assert_string_equal(shoal_sim_probe_name(&h.sim, 1), "gauge");
    assert_string_equal(shoal_sim_probe_name(&h.sim, 2), "");
    by_hand_close(&h);
}

// --- front

static void the_front_is_the_end_of_the_bulk_and_not_of_loose_drops(void** state) {
    (void)state;
    by_hand h;
    tank(&h, 0.1, 3, 2, 1);
    by_hand_open(&h);
    assert_true(front(&h, 0) == 0.0);
    by_hand_block(&h, shoal_d3_make(0, 0, 0), 10, 7, 10);
    by_hand_put(&h, 2.5, 0.5, 0.5);                       // a drop
    by_hand_block(&h, shoal_d3_make(1.8, 0, 0), 3, 3, 3); // a splash
    assert_true(fabs(front(&h, 0) - 1.0) < 1e-6);
    assert_true(fabs(front(&h, 1) - 0.7) < 1e-6);
    assert_true(fabs(front(&h, 2) - 1.0) < 1e-6);
    for (int k = 0; k < 6; k++) by_hand_put(&h, 1.08 + 0.14 * k, 0.05, 0.25); // a tongue of links of 1.4 d
    assert_true(fabs(front(&h, 0) - 2.1) < 1e-6);                             // it reaches the splash
    by_hand_close(&h);
}

static void links_are_made_up_to_one_and_a_half_spacings(void** state) {
    (void)state;
    for (int side = 0; side < 2; side++) {
        by_hand h;
        tank(&h, 0.1, 3, 2, 1);
        by_hand_open(&h);
        by_hand_block(&h, shoal_d3_make(0, 0, 0), 5, 5, 5);
        by_hand_put(&h, 0.45 + (side ? 0.151 : 0.149), 0.25, 0.25);
        assert_true(fabs(front(&h, 0) - (side ? 0.5 : 0.649)) < 1e-6);
        by_hand_close(&h);
    }
}

static void the_front_agrees_with_brute_force_on_random_crowds(void** state) {
    (void)state;
    enum { COUNT = 700 };
    for (uint64_t seed = 0; seed < 12; seed++) {
        by_hand h;
        tank(&h, 0.1, 2, 2, 2);
        for (int axis = 0; axis < 3; axis++)
            if (seed >> axis & 1) by_hand_periodic(&h, axis);
        by_hand_open(&h);
        for (uint64_t i = 0; i < COUNT; i++)
            by_hand_put(&h, 2 * shoal_random(seed, 0, 3 * i), 2 * shoal_random(seed, 0, 3 * i + 1),
                        2 * shoal_random(seed, 0, 3 * i + 2));
        const shoal_v3* p = by_hand_position(&h);
        int             cluster[COUNT], size[COUNT] = {0}, best = 0;
        for (int i = 0; i < COUNT; i++) cluster[i] = i;
        for (bool changed = true; changed;) {
            changed = false;
            for (int i = 0; i < COUNT; i++)
                for (int j = 0; j < COUNT; j++) {
                    double r2 = 0;
                    for (int axis = 0; axis < 3; axis++) {
                        double away = (double)shoal_v3_axis(p[i], axis) - (double)shoal_v3_axis(p[j], axis);
                        if (seed >> axis & 1) away -= 2 * nearbyint(away / 2);
                        r2 += away * away;
                    }
                    if (r2 <= 0.15 * 0.15 && cluster[j] < cluster[i]) cluster[i] = cluster[j], changed = true;
                }
        }
        for (int i = 0; i < COUNT; i++) size[cluster[i]]++;
        for (int i = 0; i < COUNT; i++)
            if (size[i] > size[best]) best = i;
        for (int axis = 0; axis < 3; axis++) {
            double far = 0;
            for (int i = 0; i < COUNT; i++)
                if (cluster[i] == best) far = fmax(far, (double)shoal_v3_axis(p[i], axis) + 0.05);
            assert_true(fabs(front(&h, axis) - far) < 1e-6);
        }
        by_hand_close(&h);
    }
}

// --- height

static void a_column_reads_its_height_wherever_the_line_stands(void** state) {
    (void)state;
    const double d = 0.05;
    for (int periodic = 0; periodic < 2; periodic++) {
        by_hand h;
        tank(&h, d, 1, 2, 0.5);
        if (periodic) by_hand_periodic(&h, 0), by_hand_periodic(&h, 2);
        by_hand_open(&h);
        by_hand_block(&h, shoal_d3_make(0, 0, 0), 20, 12, 10);
        double before = height(&h, 0.0, 0.2);
        for (int k = 0; k <= 100; k++) {
            double now = height(&h, 0.01 * k, 0.2 + 0.003 * k);
            assert_true(fabs(now - 0.6) < 0.1 * d); // walls included
            assert_true(fabs(now - before) < 0.1 * d);
            before = now;
        }
        by_hand_close(&h);
    }
}

static void a_line_without_liquid_reads_zero(void** state) {
    (void)state;
    by_hand h;
    tank(&h, 0.05, 2, 2, 0.5);
    by_hand_open(&h);
    assert_true(height(&h, 1, 0.25) == 0.0);
    by_hand_block(&h, shoal_d3_make(0, 0, 0), 20, 12, 10);
    assert_true(height(&h, 1.2, 0.25) == 0.0);
    by_hand_put(&h, 1.2, 0.5, 0.25); // a lone drop is no liquid column
    assert_true(height(&h, 1.2, 0.25) == 0.0);
    by_hand_close(&h);
}

static void layers_with_air_between_add_up(void** state) {
    (void)state;
    by_hand h;
    tank(&h, 0.05, 1, 2, 0.5);
    by_hand_open(&h);
    by_hand_block(&h, shoal_d3_make(0, 0, 0), 20, 6, 10);
    by_hand_block(&h, shoal_d3_make(0, 1, 0), 20, 4, 10);
    by_hand_block(&h, shoal_d3_make(0, 1.6, 0), 20, 1, 10);
    assert_true(fabs(height(&h, 0.5, 0.25) - 0.55) < 0.025);
    by_hand_close(&h);
}

static void the_reading_follows_a_rising_surface_smoothly(void** state) {
    (void)state;
    by_hand h;
    tank(&h, 0.05, 1, 2, 0.5);
    by_hand_open(&h);
    by_hand_block(&h, shoal_d3_make(0, 0, 0), 20, 12, 10);
    shoal_v3* p     = by_hand_position(&h);
    double    first = height(&h, 0.33, 0.21);
    for (int k = 1; k <= 10; k++) {
        for (int i = 0; i < by_hand_count(&h); i++) p[i].y *= 1.005f;
        double grown = first * pow(1.005, k);
        assert_true(fabs(height(&h, 0.33, 0.21) - grown) < 0.01);
    }
    by_hand_close(&h);
}

static void a_jumbled_column_reads_its_height_too(void** state) {
    (void)state;
    by_hand h;
    tank(&h, 0.05, 1, 2, 0.5);
    by_hand_open(&h);
    by_hand_block(&h, shoal_d3_make(0, 0, 0), 20, 12, 10);
    shoal_v3* p = by_hand_position(&h);
    for (int i = 0; i < by_hand_count(&h); i++) {
        float* x = &p[i].x;
        for (int a = 0; a < 3; a++) x[a] += 0.02f * ((float)shoal_random(3, (uint64_t)a, (uint64_t)i) - 0.5f);
    }
    for (int k = 0; k < 50; k++) assert_true(fabs(height(&h, 0.02 * k, 0.01 * k) - 0.6) < 0.025);
    by_hand_close(&h);
}

// --- pressure

static void hydrostatic(by_hand* h) {
    const shoal_v3* p = by_hand_position(h);
    for (int i = 0; i < by_hand_count(h); i++) pressures(h)[i] = 9810.0f * (0.6f - p[i].y);
}

static shoal_material water = {.density = 1000.0f};

// A tank of water with gravity: pressures are carried to the probe by its weight.
static void wet_tank(by_hand* h) {
    tank(h, 0.02, 1, 1, 0.4);
    h->description.materials      = &water;
    h->description.material_count = 1;
    h->description.gravity        = shoal_d3_make(0, -9.81, 0);
}

static void pressure_is_that_of_the_layers_behind_the_first_carried_to_the_wall(void** state) {
    (void)state;
    by_hand h;
    wet_tank(&h);
    by_hand_periodic(&h, 2);
    by_hand_open(&h);
    by_hand_block(&h, shoal_d3_make(0, 0, 0), 50, 30, 20);
    hydrostatic(&h);
    assert_true(fabs(pressure(&h, 1, 0.3, 0.2) - 9810 * 0.3) < 30);
    assert_true(fabs(pressure(&h, 1, 0.3, 0.0) - 9810 * 0.3) < 30); // across the periodic wall
    assert_true(fabs(pressure(&h, 0.5, 0, 0.2) - 9810 * 0.6) < 30); // at the floor itself
    assert_true(pressure(&h, 1, 0.9, 0.2) == 0.0);                  // dry
    // the layer at the wall does not count, nor what is farther than 2.5 d
    const shoal_v3* p = by_hand_position(&h);
    for (int i = 0; i < by_hand_count(&h); i++) pressures(&h)[i] = p[i].x > 0.98f || p[i].x < 0.94f ? 1e6f : 100.0f;
    assert_true(fabs(pressure(&h, 1, 0.3, 0.2) - 100.0) < 1.0);
    by_hand_close(&h);
}

static void pressure_of_a_film_is_that_of_its_only_layer(void** state) {
    (void)state;
    by_hand h;
    wet_tank(&h);
    by_hand_open(&h);
    by_hand_block(&h, shoal_d3_make(0, 0, 0), 50, 1, 20);
    for (int i = 0; i < by_hand_count(&h); i++) pressures(&h)[i] = 100.0f;
    assert_true(fabs(pressure(&h, 0.5, 0, 0.2) - (100.0 + 9810 * 0.01)) < 1.0);
    by_hand_close(&h);
}

static void pressure_is_read_at_colliders_too(void** state) {
    (void)state;
    shoal_obstacle rock = {0};
    assert_int_equal(shoal_shape_box(shoal_d3_make(0, 0, 0), shoal_d3_make(0.5, 1, 0.4), &rock.shape), SHOAL_OK);
    by_hand h;
    wet_tank(&h);
    h.description.obstacles      = &rock;
    h.description.obstacle_count = 1;
    by_hand_open(&h);
    by_hand_block(&h, shoal_d3_make(0.5, 0, 0), 25, 30, 20);
    hydrostatic(&h);
    assert_true(fabs(pressure(&h, 0.5, 0.3, 0.2) - 9810 * 0.3) < 30);
    by_hand_close(&h);
    shoal_shape_destroy(rock.shape);
}

static void a_solver_without_pressure_reads_nan(void** state) {
    (void)state;
    static const shoal_field_def none[] = {{0}};
    static const shoal_set_def   bare   = {"particles", SHOAL_SORTED, none, 0, NULL};
    by_hand                      h;
    tank(&h, 0.02, 1, 1, 0.4);
    h.set = &bare;
    by_hand_open(&h);
    assert_true(isnan(pressure(&h, 1, 0.3, 0.2)));
    by_hand_close(&h);
}

// Coarse particles below, fine ones above, each of the volume that its field says: the line reads the height of both.
static void particles_of_unequal_volume_fill_what_they_have(void** state) {
    (void)state;
    static const shoal_field_def fields[] = {SHOAL_FIELD("volume", F1, 1, STATE, "m^3", "of its own"), {0}};
    static const shoal_set_def   own      = {"particles", SHOAL_SORTED, fields, 0, NULL};
    by_hand                      h;
    tank(&h, 0.1, 2, 2, 2);
    h.set = &own;
    by_hand_open(&h);
    for (int layer = 0; layer < 2; layer++) {
        double d = layer == 0 ? 0.1 : 0.05, low = layer == 0 ? 0.0 : 0.4;
        int    wide = (int)lround(2.0 / d), high = (int)lround(0.4 / d);
        for (int k = 0; k < wide * wide * high; k++) {
            by_hand_put(&h, (k % wide + 0.5) * d, low + (k / wide % high + 0.5) * d, (k / wide / high + 0.5) * d);
            ((float*)shoal_set_data(h.sim.ctx.particles, "volume"))[by_hand_count(&h) - 1] = (float)(d * d * d);
        }
    }
    assert_true(fabs(height(&h, 1.03, 0.97) - 0.8) < 0.01);
    assert_true(fabs(front(&h, 1) - 0.8) < 1e-6);
    by_hand_close(&h);
}

// --- places

static void phi_is_a_distance_near_the_surface_and_bounded_away_from_it(void** state) {
    (void)state;
    by_hand h;
    tank(&h, 0.1, 2, 2, 2);
    by_hand_open(&h);
    by_hand_block(&h, shoal_d3_make(0, 0, 0), 20, 8, 20);
    // out of order, and in the corner of two walls
    const double places[] = {1.03, 0.83, 0.97, 1.03, 0.77, 0.97, 0.0, 0.8, 2.0, 1.0, 0.3, 1.0, 1.0, 1.7, 1.0};
    double       phi[5], one;
    shoal_sim_sample(&h.sim, places, 5, phi, NULL, NULL);
    assert_true(fabs(phi[0] - 0.03) < 0.004 && fabs(phi[1] + 0.03) < 0.004);
    assert_true(fabs(phi[2]) < 1e-3);
    assert_true(fabs(phi[3] + 0.5 * 0.1 / 0.7) < 1e-3 && fabs(phi[4] - 0.5 * 0.1 / 0.7) < 1e-9);
    for (int k = 0; k < 5; k++) {
        shoal_sim_sample(&h.sim, places + 3 * k, 1, &one, NULL, NULL);
        assert_true(one == phi[k]);
    }
    by_hand_close(&h);
}

static void velocity_is_that_of_the_particles_and_none_through_a_wall(void** state) {
    (void)state;
    by_hand h;
    tank(&h, 0.1, 2, 2, 2);
    by_hand_open(&h);
    by_hand_block(&h, shoal_d3_make(0, 0, 0), 20, 8, 20);
    shoal_v3* v = shoal_set_data(h.sim.ctx.particles, "velocity");
    for (int i = 0; i < by_hand_count(&h); i++) v[i] = shoal_v3_make(0.3f, -0.2f, 0.1f);
    const double places[] = {1.03, 0.4, 0.97, 1.0, 0.0, 1.0, 0.0, 0.4, 1.0, 1.0, 0.4, 2.0, 1.0, 1.7, 1.0};
    const double wanted[] = {0.3, -0.2, 0.1, 0.3, 0.0, 0.1, 0.0, -0.2, 0.1, 0.3, -0.2, 0.0, 0.0, 0.0, 0.0};
    double       found[15];
    shoal_sim_sample(&h.sim, places, 5, NULL, NULL, found);
    for (int k = 0; k < 15; k++) assert_true(fabs(found[k] - wanted[k]) < 1e-6);
    by_hand_close(&h);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(probes_are_known_by_count_and_name),
        cmocka_unit_test(the_front_is_the_end_of_the_bulk_and_not_of_loose_drops),
        cmocka_unit_test(links_are_made_up_to_one_and_a_half_spacings),
        cmocka_unit_test(the_front_agrees_with_brute_force_on_random_crowds),
        cmocka_unit_test(a_column_reads_its_height_wherever_the_line_stands),
        cmocka_unit_test(a_line_without_liquid_reads_zero),
        cmocka_unit_test(layers_with_air_between_add_up),
        cmocka_unit_test(the_reading_follows_a_rising_surface_smoothly),
        cmocka_unit_test(a_jumbled_column_reads_its_height_too),
        cmocka_unit_test(pressure_is_that_of_the_layers_behind_the_first_carried_to_the_wall),
        cmocka_unit_test(pressure_of_a_film_is_that_of_its_only_layer),
        cmocka_unit_test(pressure_is_read_at_colliders_too),
        cmocka_unit_test(a_solver_without_pressure_reads_nan),
        cmocka_unit_test(particles_of_unequal_volume_fill_what_they_have),
        cmocka_unit_test(phi_is_a_distance_near_the_surface_and_bounded_away_from_it),
        cmocka_unit_test(velocity_is_that_of_the_particles_and_none_through_a_wall),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
