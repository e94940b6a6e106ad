// SPDX-License-Identifier: MIT
// What there will be to look at in a scene.
#include "unit/check.h"

#include "base/memory.h"
#include "run/subject.h"

static shoal_shape* box(double x0, double y0, double z0, double x1, double y1, double z1) {
    shoal_shape* shape = NULL;
    CHECK_OK(shoal_shape_box(shoal_d3_make(x0, y0, z0), shoal_d3_make(x1, y1, z1), &shape));
    return shape;
}

// A domain of 4 x 3 x 2 with a column of 1 x 1 x 2 at its left end.
static shoal_material material;
static shoal_body     body;

static shoal_description tank(shoal_material_kind kind) {
    shoal_description d = {.gravity = {0.0, -9.81, 0.0}};
    d.domain.is_given   = true;
    d.domain.max        = shoal_d3_make(4, 3, 2);
    for (int w = 0; w < SHOAL_WALL_COUNT; w++) d.domain.walls[w].kind = SHOAL_WALL_DEFAULT;
    material         = (shoal_material){.kind = kind};
    body             = (shoal_body){.shape = box(0, 0, 0, 1, 1, 2)};
    d.materials      = &material;
    d.material_count = 1;
    d.bodies         = &body;
    d.body_count     = 1;
    return d;
}

static void check_box(shoal_box got, double x0, double y0, double z0, double x1, double y1, double z1) {
    double is[]     = {got.min.x, got.min.y, got.min.z, got.max.x, got.max.y, got.max.z},
           wanted[] = {x0, y0, z0, x1, y1, z1};
    for (int k = 0; k < 6; k++)
        if (!(fabs(is[k] - wanted[k]) < 1e-9)) fail_msg("side %d is %g, not %g", k, is[k], wanted[k]);
}

static void a_liquid_fills_the_floor_and_splashes(void** state) {
    (void)state;
    shoal_description d = tank(SHOAL_LIQUID);
    check_box(shoal_subject_box(&d), 0, 0, 0, 4, 1.3, 2);
    shoal_shape_destroy(body.shape);
}

static void sand_runs_out_by_its_height(void** state) {
    (void)state;
    shoal_description d = tank(SHOAL_GRANULAR);
    check_box(shoal_subject_box(&d), 0, 0, 0, 1 + 1.25 * 1.05, 1.05, 2);
    shoal_shape_destroy(body.shape);
}

static void what_is_thrown_up_is_seen_as_far_as_the_top_lets_it(void** state) {
    (void)state;
    shoal_description d = tank(SHOAL_LIQUID);
    body.velocity       = shoal_v3_make(0.0f, 10.0f, 0.0f); // 5.1 m
    assert_true(shoal_subject_box(&d).max.y == 3.0);
    d.domain.walls[SHOAL_TOP].kind = SHOAL_WALL_OPEN;
    assert_true(shoal_subject_box(&d).max.y > 6.0);
    shoal_shape_destroy(body.shape);
}

static void obstacles_in_the_domain_are_seen(void** state) {
    (void)state;
    shoal_description d = tank(SHOAL_GRANULAR);
    shoal_obstacle    o = {.shape = box(3, 1, 0.5, 3.5, 2, 9)};
    d.obstacles         = &o;
    d.obstacle_count    = 1;
    check_box(shoal_subject_box(&d), 0, 0, 0, 3.5, 2, 2);
    shoal_shape_destroy(o.shape);
    shoal_shape_destroy(body.shape);
}

static void without_weight_all_of_the_domain_is_seen(void** state) {
    (void)state;
    shoal_description d = tank(SHOAL_LIQUID);
    d.gravity           = shoal_d3_make(0, 0, 0);
    check_box(shoal_subject_box(&d), 0, 0, 0, 4, 3, 2);
    shoal_shape_destroy(body.shape);
}

static void without_a_domain_the_bodies_are_seen(void** state) {
    (void)state;
    shoal_description d = tank(SHOAL_LIQUID);
    d.domain            = (shoal_domain){0};
    shoal_box seen      = shoal_subject_box(&d);
    assert_true(seen.min.x < 0.0 && seen.max.x > 1.0 && seen.max.x < 4.0 && seen.min.y == 0.0);
    d.body_count = 0;
    assert_true(shoal_box_is_empty(shoal_subject_box(&d)));
    shoal_shape_destroy(body.shape);
}

// What flies without weight is followed for the time of the run, within some sides of where it begins: a body at 1 m/s
// was framed with half a kilometre of nothing around it.
static void without_weight_and_domain_the_flight_is_seen(void** state) {
    (void)state;
    shoal_description d = tank(SHOAL_LIQUID);
    d.domain            = (shoal_domain){0};
    d.gravity           = shoal_d3_make(0, 0, 0);
    d.frames            = 60;
    d.fps               = 60.0;
    body.velocity       = shoal_v3_make(1.0f, 0.0f, -0.5f);
    check_box(shoal_subject_box(&d), 0, 0, -0.5, 2, 1, 2);
    body.velocity = shoal_v3_make(0.0f, 300.0f, 0.0f);
    check_box(shoal_subject_box(&d), 0, 0, 0, 1, 5, 2);
    body.velocity = shoal_v3_make(0.0f, 0.0f, 0.0f);
    d.gravity     = shoal_d3_make(2, 0, 0);
    check_box(shoal_subject_box(&d), 0, 0, 0, 2, 1, 2);
    shoal_shape_destroy(body.shape);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_liquid_fills_the_floor_and_splashes),
        cmocka_unit_test(sand_runs_out_by_its_height),
        cmocka_unit_test(what_is_thrown_up_is_seen_as_far_as_the_top_lets_it),
        cmocka_unit_test(obstacles_in_the_domain_are_seen),
        cmocka_unit_test(without_weight_all_of_the_domain_is_seen),
        cmocka_unit_test(without_a_domain_the_bodies_are_seen),
        cmocka_unit_test(without_weight_and_domain_the_flight_is_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
