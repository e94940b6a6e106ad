// SPDX-License-Identifier: MIT
// Walls, moving colliders and the lattice of bodies.
#include "state/laying.h"

// clang-format off
#include <setjmp.h>
#include <string.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
// clang-format on

static shoal_shape* box(double x0, double y0, double z0, double x1, double y1, double z1) {
    shoal_shape* shape = NULL;
    assert_int_equal(shoal_shape_box(shoal_d3_make(x0, y0, z0), shoal_d3_make(x1, y1, z1), &shape), SHOAL_OK);
    return shape;
}

static shoal_description tank(double spacing, double x, double y, double z) {
    shoal_description d = {0};
    d.spacing           = spacing;
    d.domain.is_given   = true;
    d.domain.max        = shoal_d3_make(x, y, z);
    for (int w = 0; w < SHOAL_WALL_COUNT; w++) d.domain.walls[w].kind = SHOAL_WALL_DEFAULT;
    return d;
}

// --- sites

typedef struct tally {
    int      count, most;
    shoal_d3 first, last, before;
    bool     in_order;
} tally;

static bool add(void* user, int body, shoal_d3 site) {
    (void)body;
    tally* t = user;
    if (t->count == 0) t->first = site, t->in_order = true;
    if (t->count > 0) {
        shoal_d3 a     = t->before;
        bool     after = site.z > a.z || (site.z == a.z && (site.y > a.y || (site.y == a.y && site.x > a.x)));
        t->in_order    = t->in_order && after;
    }
    t->before = t->last = site;
    return ++t->count != t->most;
}

static tally sites(const shoal_description* d, shoal_shape* shape) {
    tally       t = {0};
    shoal_taken taken;
    assert_int_equal(shoal_lattice_sites(d, shape, d->spacing, add, &t, &taken), SHOAL_OK);
    shoal_shape_destroy(shape);
    return t;
}

static void the_dam_break_has_exactly_100000_sites_in_order(void** state) {
    (void)state;
    shoal_description d = tank(0.02, 3, 2, 0.8);
    tally             t = sites(&d, box(0, 0, 0, 1, 1, 0.8));
    assert_int_equal(t.count, 100000);
    assert_true(t.in_order);
    assert_true(fabs(t.first.x - 0.01) < 1e-12 && fabs(t.last.x - 0.99) < 1e-12 && fabs(t.last.z - 0.79) < 1e-12);
}

static void touching_boxes_give_each_site_once_wherever_they_touch(void** state) {
    (void)state;
    // faces at site planes ((n + 1/2) d), between them, and at sums that are not exact in binary
    const double      faces[] = {0.01, 0.09, 0.3, 0.1 + 0.2, 0.31, 0.7, 0.79, 0.1 * 7 + 0.09, 0.99};
    shoal_description d       = tank(0.02, 1, 0.2, 0.2);
    for (size_t f = 0; f < sizeof faces / sizeof *faces; f++)
        for (double away = -1e-15; away <= 1e-15; away += 1e-15) {
            double face = faces[f] + away;
            tally  low = sites(&d, box(0, 0, 0, face, 0.2, 0.2)), high = sites(&d, box(face, 0, 0, 1, 0.2, 0.2));
            assert_int_equal(low.count + high.count, 5000);
            assert_int_equal(low.count % 100, 0);
        }
}

static void a_site_on_a_face_belongs_to_the_side_of_greater_coordinates(void** state) {
    (void)state;
    shoal_description d = tank(0.02, 1, 0.2, 0.2);
    assert_int_equal(sites(&d, box(0, 0, 0, 0.31, 0.2, 0.2)).count, 1500);
    assert_int_equal(sites(&d, box(0.31, 0, 0, 1, 0.2, 0.2)).count, 3500);
}

static void without_a_domain_the_lattice_is_anchored_at_the_origin(void** state) {
    (void)state;
    shoal_description d = {.spacing = 0.1};
    tally             t = sites(&d, box(-0.5, -0.5, -0.5, 0.5, 0.5, 0.5));
    assert_int_equal(t.count, 1000);
    assert_true(fabs(t.first.x + 0.45) < 1e-12);
}

static void closed_walls_cut_bodies_off_and_open_ones_do_not(void** state) {
    (void)state;
    shoal_description d            = tank(0.1, 1, 1, 1);
    d.domain.walls[SHOAL_TOP].kind = SHOAL_WALL_OPEN;
    assert_int_equal(sites(&d, box(-1, -1, 0, 2, 1.5, 1)).count, 10 * 15 * 10);
    assert_int_equal(sites(&d, box(0, 0, 0, 1, 9, 1)).count,
                     10 * 20 * 10); // one domain length beyond
}

// At 2 km floats are 0.12 mm apart, more than a layer at a wall has room to spare.
static void a_tank_far_from_the_origin_has_all_of_its_sites(void** state) {
    (void)state;
    static const double places[] = {2000.05, 2000.07, -1999.93, 8000.01};
    for (int k = 0; k < 4; k++) {
        shoal_description d = tank(0.02, places[k] + 0.28, 0.5, places[k] + 0.28);
        d.domain.min        = shoal_d3_make(places[k], 0, places[k]);
        assert_int_equal(sites(&d, box(places[k], 0, places[k], places[k] + 0.28, 0.16, places[k] + 0.28)).count, 1568);
    }
}

static void obstacles_keep_their_space_free_of_bodies(void** state) {
    (void)state;
    shoal_motion_key  key  = {.at = {0.5, 0, 0}, .axis = {0, 1, 0}};
    shoal_obstacle    rock = {.shape = box(0, 0, 0, 0.3, 1, 1), .key_count = 1, .keys = &key};
    shoal_description d    = tank(0.1, 1, 1, 1);
    d.obstacle_count       = 1;
    d.obstacles            = &rock;
    assert_int_equal(sites(&d, box(0, 0, 0, 1, 1, 1)).count, 700);
    shoal_shape_destroy(rock.shape);
}

static void a_walk_stops_when_reported_to_and_refuses_what_has_no_end(void** state) {
    (void)state;
    shoal_description d     = tank(0.02, 3, 2, 0.8);
    shoal_shape*      shape = box(0, 0, 0, 1, 1, 0.8);
    tally             t     = {.most = 7};
    shoal_taken       taken;
    assert_int_equal(shoal_lattice_sites(&d, shape, d.spacing, add, &t, &taken), SHOAL_OK);
    assert_int_equal(t.count, 7);
    shoal_shape_destroy(shape);

    d.domain.is_given = false;
    assert_int_equal(shoal_shape_plane(shoal_d3_make(0, 1, 0), 0, &shape), SHOAL_OK);
    assert_int_equal(shoal_lattice_sites(&d, shape, d.spacing, add, &t, &taken), SHOAL_ERR_INPUT);
    shoal_shape_destroy(shape);
    d.spacing = 1e-9; // place 1e17 of the lattice cannot be told from its neighbours
    shape     = box(1e8, 0, 0, 1e8 + 1e-6, 1e-6, 1e-6);
    assert_int_equal(shoal_lattice_sites(&d, shape, d.spacing, add, &t, &taken), SHOAL_ERR_INPUT);
    shoal_shape_destroy(shape);
}

// --- walls

static void default_walls_slip_for_liquids_and_rub_for_sand(void** state) {
    (void)state;
    shoal_material    materials[]     = {{.kind = SHOAL_LIQUID}, {.kind = SHOAL_GRANULAR, .boundary_friction = 0.4f}};
    shoal_description d               = tank(0.1, 1, 2, 3);
    d.materials                       = materials;
    d.material_count                  = 1;
    d.domain.walls[SHOAL_TOP].kind    = SHOAL_WALL_OPEN;
    d.domain.walls[SHOAL_LEFT].kind   = SHOAL_WALL_PERIODIC;
    d.domain.walls[SHOAL_RIGHT].kind  = SHOAL_WALL_PERIODIC;
    d.domain.walls[SHOAL_BOTTOM].kind = SHOAL_WALL_STICK;
    shoal_world* world                = NULL;
    assert_int_equal(shoal_world_create(&d, &world), SHOAL_OK);
    const shoal_roughness *back = world->rough[SHOAL_BACK], *bottom = world->rough[SHOAL_BOTTOM];
    assert_true(back[SHOAL_LIQUID].is_smooth && !back[SHOAL_LIQUID].is_sticky && back[SHOAL_LIQUID].friction == 0.0f);
    assert_true(bottom[SHOAL_LIQUID].is_sticky && bottom[SHOAL_GRANULAR].is_sticky && !bottom[SHOAL_LIQUID].is_smooth);
    assert_true(world->is_closed[SHOAL_BACK] && world->is_closed[SHOAL_BOTTOM]);
    assert_false(world->is_closed[SHOAL_TOP] || world->is_closed[SHOAL_LEFT]);
    assert_true(world->is_periodic[0] && !world->is_periodic[1] && !world->is_periodic[2]);
    assert_true(world->max.y == 2.0f);
    shoal_world_destroy(world);

    d.material_count = 2;
    assert_int_equal(shoal_world_create(&d, &world), SHOAL_OK);
    back = world->rough[SHOAL_BACK];
    assert_true(back[SHOAL_LIQUID].is_smooth && back[SHOAL_LIQUID].friction == 0.0f);
    assert_true(!back[SHOAL_GRANULAR].is_smooth && back[SHOAL_GRANULAR].friction == 0.4f);
    shoal_world_destroy(world);

    d.domain.is_given = false;
    assert_int_equal(shoal_world_create(&d, &world), SHOAL_OK);
    for (int w = 0; w < SHOAL_WALL_COUNT; w++) assert_false(world->is_closed[w]);
    shoal_world_destroy(world);
}

// --- motion

typedef struct rig {
    shoal_obstacle    obstacle;
    shoal_description description;
    shoal_world*      world;
} rig;

static void rig_open(rig* s, shoal_motion_key* keys, int count) {
    *s = (rig){.obstacle = {.shape = box(-0.1, -0.2, -0.3, 0.1, 0.2, 0.3), .keys = keys, .key_count = count}};
    s->description.obstacle_count = 1;
    s->description.obstacles      = &s->obstacle;
    assert_int_equal(shoal_world_create(&s->description, &s->world), SHOAL_OK);
}

static void rig_close(rig* s) {
    shoal_world_destroy(s->world);
    shoal_shape_destroy(s->obstacle.shape);
}

// Where a point of the collider's own frame is in the world.
static shoal_d3 carried(const shoal_collider* c, shoal_d3 own) {
    return shoal_d3_add(shoal_quat_rotate(c->rotation, own), c->at);
}

static void assert_near(shoal_d3 a, shoal_d3 b, double tolerance) {
    if (!(shoal_d3_length(shoal_d3_sub(a, b)) <= tolerance))
        fail_msg("(%g, %g, %g) is not (%g, %g, %g)", a.x, a.y, a.z, b.x, b.y, b.z);
}

static void colliders_rest_before_the_first_key_and_after_the_last(void** state) {
    (void)state;
    shoal_motion_key keys[] = {{.t = 1, .at = {1, 2, 3}, .axis = {0, 1, 0}},
                               {.t = 2, .at = {2, 2, 3}, .axis = {0, 1, 0}, .degrees = 90}};
    rig              s;
    rig_open(&s, keys, 2);
    const shoal_collider* c      = &s.world->colliders[0];
    const double          when[] = {0.0, 1.0, 2.0, 5.0};
    for (int k = 0; k < 4; k++) {
        shoal_world_move(s.world, when[k], k == 2 ? 0.0 : 0.1);
        assert_near(c->at, shoal_d3_make(k < 2 ? 1 : 2, 2, 3), 1e-15);
        assert_near(c->linear, shoal_d3_make(0, 0, 0), 0);
        assert_near(c->angular, shoal_d3_make(0, 0, 0), 1e-14);
    }
    assert_near(carried(c, shoal_d3_make(1, 0, 0)), shoal_d3_make(2, 2, 2),
                1e-12); // +x turned by 90 about y is -z
    rig_close(&s);
}

static void more_than_a_turn_is_made_at_a_constant_rate(void** state) {
    (void)state;
    shoal_motion_key keys[] = {{.t = 0, .axis = {0, 0, 1}, .degrees = 30},
                               {.t = 2, .axis = {0, 0, 1}, .degrees = 30 + 720},
                               {.t = 3, .axis = {0, 0, -1}, .degrees = -750}};
    rig              s;
    rig_open(&s, keys, 3);
    const shoal_collider* c = &s.world->colliders[0];
    for (double t = 0.0; t < 2.0; t += 0.07) {
        shoal_world_move(s.world, t, 0.0);
        double angle = (30 + 360 * t) * SHOAL_PI / 180;
        assert_near(carried(c, shoal_d3_make(1, 0, 0)), shoal_d3_make(cos(angle), sin(angle), 0), 1e-12);
        assert_near(c->angular, shoal_d3_make(0, 0, 2 * SHOAL_PI), 1e-12);
    }
    shoal_world_move(s.world, 2.5, 0.0); // the same angle about the opposite axis is no motion
    assert_near(c->angular, shoal_d3_make(0, 0, 0), 1e-12);
    rig_close(&s);
}

static void turns_about_different_axes_meet_their_keys_by_the_shortest_way(void** state) {
    (void)state;
    shoal_motion_key keys[] = {{.t = 0, .axis = {1, 0, 0}, .degrees = 90}, {.t = 1, .axis = {0, 1, 0}, .degrees = 90}};
    rig              s;
    rig_open(&s, keys, 2);
    const shoal_collider* c = &s.world->colliders[0];
    shoal_world_move(s.world, 0.0, 0.0);
    assert_near(carried(c, shoal_d3_make(0, 1, 0)), shoal_d3_make(0, 0, 1), 1e-12);
    shoal_d3 rate = c->angular;
    shoal_world_move(s.world, 1.0 - 1e-12, 0.0);
    assert_near(carried(c, shoal_d3_make(0, 0, 1)), shoal_d3_make(1, 0, 0), 1e-9);
    assert_near(c->angular, rate, 1e-12);
    assert_true(shoal_d3_length(rate) <= SHOAL_PI);
    rig_close(&s);
}

static void velocities_agree_with_finite_differences(void** state) {
    (void)state;
    shoal_motion_key keys[] = {{.t = 0, .at = {0, 1, 0}, .axis = {0, 0.6, 0.8}, .degrees = 10},
                               {.t = 1, .at = {1, 0, 2}, .axis = {0, 0.6, 0.8}, .degrees = 200},
                               {.t = 1.5, .at = {1, 1, 1}, .axis = {1, 0, 0}, .degrees = -50}};
    shoal_d3         own    = {0.3, -0.2, 0.5};
    rig              s;
    rig_open(&s, keys, 3);
    const shoal_collider* c = &s.world->colliders[0];
    for (double t = 0.05; t < 1.5; t += 0.1) {
        const double h = 1e-6;
        shoal_world_move(s.world, t - h, 0.0);
        shoal_d3 before = carried(c, own);
        shoal_world_move(s.world, t + h, 0.0);
        shoal_d3 after = carried(c, own);
        shoal_world_move(s.world, t, 0.0);
        shoal_d3 measured = shoal_d3_scale(shoal_d3_sub(after, before), 0.5 / h);
        assert_near(shoal_collider_velocity(c, carried(c, own)), measured, 1e-6);
    }
    rig_close(&s);
}

static void a_step_moves_exactly_as_far_as_its_velocity_says(void** state) {
    (void)state;
    // steps that straddle keys, begin before the first and end after the last
    shoal_motion_key keys[] = {{.t = 0.1, .axis = {0, 1, 0}},
                               {.t = 0.5, .at = {1, 0, 0}, .axis = {0, 1, 0}, .degrees = 120},
                               {.t = 0.7, .at = {1, 3, 0}, .axis = {0, 1, 0}, .degrees = 90}};
    const double     dt     = 0.037;
    shoal_d3         at     = {0, 0, 0};
    shoal_quat       turned = shoal_quat_identity();
    rig              s;
    rig_open(&s, keys, 3);
    const shoal_collider* c = &s.world->colliders[0];
    for (int k = 1; k <= 25; k++) {
        shoal_world_move(s.world, k * dt, dt);
        at          = shoal_d3_add(at, shoal_d3_scale(c->linear, dt));
        double rate = shoal_d3_length(c->angular);
        if (rate > 0.0)
            turned = shoal_quat_mul(shoal_quat_turn(shoal_d3_scale(c->angular, 1 / rate), rate * dt), turned);
        assert_near(at, c->at, 1e-12);
        assert_near(shoal_quat_rotate(turned, shoal_d3_make(1, 0, 0)),
                    shoal_quat_rotate(c->rotation, shoal_d3_make(1, 0, 0)), 1e-12);
    }
    assert_near(at, shoal_d3_make(1, 3, 0), 1e-12);
    rig_close(&s);
}

static void distance_normal_and_bounds_move_with_the_collider(void** state) {
    (void)state;
    shoal_motion_key keys[] = {{.t = 0, .axis = {0, 1, 0}},
                               {.t = 1, .at = {5, 0, 0}, .axis = {0, 1, 0}, .degrees = 90}};
    rig              s;
    rig_open(&s, keys, 2);
    const shoal_collider* c = &s.world->colliders[0];
    shoal_world_move(s.world, 1.0, 0.5);
    shoal_d3 normal;
    // its half width along z, 0.3, lies along x now
    assert_true(fabs(shoal_collider_distance(c, shoal_d3_make(5.5, 0, 0), &normal) - 0.2) < 1e-12);
    assert_near(normal, shoal_d3_make(1, 0, 0), 1e-12);
    assert_true(fabs(shoal_collider_distance(c, shoal_d3_make(5, 0, 0.5), NULL) - 0.4) < 1e-12);
    assert_near(c->bounds.min, shoal_d3_make(4.7, -0.2, -0.1), 1e-12);
    assert_near(c->bounds.max, shoal_d3_make(5.3, 0.2, 0.1), 1e-12);
    rig_close(&s);
}

// Between keys, and across a turn of more than half a circle.
static void at_any_time_within_a_step_solids_are_where_their_motion_has_them(void** state) {
    (void)state;
    shoal_motion_key keys[] = {{.t = 0, .axis = {0, 1, 0}},
                               {.t = 1, .at = {5, 1, -2}, .axis = {0, 1, 0}, .degrees = 400}};
    rig              s, other;
    rig_open(&s, keys, 2);
    rig_open(&other, keys, 2);
    const double    dt      = 0.1;
    shoal_collider* scratch = shoal_alloc((size_t)s.world->collider_count, sizeof *scratch);
    for (double t = 0.2; t < 0.95; t += 0.1)
        for (double ago = 0.0; ago <= dt; ago += 0.25 * dt) {
            shoal_world_move(s.world, t, dt);
            shoal_world_move(other.world, t - ago, dt);
            shoal_world           then = shoal_world_ago(s.world, ago, scratch);
            const shoal_collider *a = &then.colliders[0], *b = &other.world->colliders[0];
            assert_near(carried(a, shoal_d3_make(0.3, -0.2, 0.5)), carried(b, shoal_d3_make(0.3, -0.2, 0.5)), 1e-12);
            assert_near(a->bounds.min, b->bounds.min, 1e-12);
            assert_near(shoal_collider_velocity(a, a->at), shoal_collider_velocity(b, b->at), 1e-9);
            shoal_d3 p = {1.0, 0.3, 0.2};
            assert_true(fabs(shoal_collider_distance(a, p, NULL) - shoal_collider_distance(b, p, NULL)) < 1e-12);
        }
    shoal_free(scratch);
    rig_close(&s);
    rig_close(&other);
}

// What a pass asks of solids is one block, which needs neither the scene nor the world it came from.
static void the_block_of_colliders_lives_wherever_it_is_copied(void** state) {
    (void)state;
    shoal_motion_key keys[] = {{.t = 0, .axis = {0, 1, 0}},
                               {.t = 1, .at = {5, 0, 0}, .axis = {0, 1, 0}, .degrees = 90}};
    rig              s;
    rig_open(&s, keys, 2);
    shoal_world_move(s.world, 0.7, 0.5);
    shoal_d3        at[3] = {{5.5, 0, 0}, {4, 0.1, 0.2}, {3.5, 0, 0}}, normal[3], again;
    double          wanted[3];
    shoal_collider* block = shoal_alloc(s.world->bytes, 1);
    for (int k = 0; k < 3; k++) wanted[k] = shoal_collider_distance(&s.world->colliders[0], at[k], &normal[k]);
    memcpy(block, s.world->colliders, s.world->bytes);
    shoal_world_settle(s.world, block);
    memset(s.world->colliders, 0xff, s.world->bytes);
    rig_close(&s);
    for (int k = 0; k < 3; k++) {
        double got = shoal_collider_distance(block, at[k], &again);
        assert_memory_equal(&got, &wanted[k], sizeof got);
        assert_memory_equal(&again, &normal[k], sizeof again);
    }
    shoal_free(block);
}

static bool crosses_x(shoal_shape* shape) {
    shoal_description d        = tank(0.1, 2, 2, 2);
    shoal_obstacle    obstacle = {.shape = shape};
    assert_false(shoal_obstacle_crosses(&d, &obstacle, 0));
    d.domain.walls[0].kind = d.domain.walls[1].kind = SHOAL_WALL_PERIODIC;
    bool result                                     = shoal_obstacle_crosses(&d, &obstacle, 0);
    shoal_shape_destroy(shape);
    return result;
}

static shoal_shape* plane(double x, double y, double z, double offset) {
    shoal_shape* shape = NULL;
    assert_int_equal(shoal_shape_plane(shoal_d3_make(x, y, z), offset, &shape), SHOAL_OK);
    return shape;
}

static void an_obstacle_crosses_a_seam_unless_it_is_alike_on_both_sides(void** state) {
    (void)state;
    assert_true(crosses_x(box(-0.3, 0, 0, 0.3, 1, 1)));
    assert_false(crosses_x(box(0.2, 0, 0, 0.8, 1, 1)));
    assert_false(crosses_x(box(-1, 0, 0, 3, 0.5, 1)));
    assert_false(crosses_x(plane(0, 1, 0, 0.2)));
    assert_true(crosses_x(plane(-0.9, 0.436, 0, -1.2))); // without bounds, solid at the right and hollow at the left
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_dam_break_has_exactly_100000_sites_in_order),
        cmocka_unit_test(touching_boxes_give_each_site_once_wherever_they_touch),
        cmocka_unit_test(a_site_on_a_face_belongs_to_the_side_of_greater_coordinates),
        cmocka_unit_test(without_a_domain_the_lattice_is_anchored_at_the_origin),
        cmocka_unit_test(closed_walls_cut_bodies_off_and_open_ones_do_not),
        cmocka_unit_test(a_tank_far_from_the_origin_has_all_of_its_sites),
        cmocka_unit_test(obstacles_keep_their_space_free_of_bodies),
        cmocka_unit_test(a_walk_stops_when_reported_to_and_refuses_what_has_no_end),
        cmocka_unit_test(default_walls_slip_for_liquids_and_rub_for_sand),
        cmocka_unit_test(colliders_rest_before_the_first_key_and_after_the_last),
        cmocka_unit_test(more_than_a_turn_is_made_at_a_constant_rate),
        cmocka_unit_test(turns_about_different_axes_meet_their_keys_by_the_shortest_way),
        cmocka_unit_test(velocities_agree_with_finite_differences),
        cmocka_unit_test(a_step_moves_exactly_as_far_as_its_velocity_says),
        cmocka_unit_test(distance_normal_and_bounds_move_with_the_collider),
        cmocka_unit_test(at_any_time_within_a_step_solids_are_where_their_motion_has_them),
        cmocka_unit_test(the_block_of_colliders_lives_wherever_it_is_copied),
        cmocka_unit_test(an_obstacle_crosses_a_seam_unless_it_is_alike_on_both_sides),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
