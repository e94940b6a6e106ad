// SPDX-License-Identifier: MIT
// Where two solids meet each cuts by itself: what one does that runs along the other is no flux.
#include "unit/mac/tank.h"

static shoal_d3 unit(double x, double y, double z) {
    double length = sqrt(x * x + y * y + z * z);
    return shoal_d3_make(x / length, y / length, z / length);
}

// A belt runs along a wall that stands, and along no axis. Shares below 0.02 are closed, so a cell
// may lack that of a few faces; by the nearest distance it were a quarter of the belt's speed.
static void a_belt_along_a_wall_pumps_nothing(void** state) {
    (void)state;
    tank*    t     = tank_make(shoal_d3_make(0.0, 0.0, 0.0), shoal_d3_make(1.6, 1.6, 1.6), 0.1, 1);
    shoal_d3 floor = unit(-0.4, 0.8, 0.45), along = unit(0.9, 0.39, 0.17), wall, middle = {0.8, 0.8, 0.8};
    along = unit(along.x - floor.x * shoal_d3_dot(floor, along), along.y - floor.y * shoal_d3_dot(floor, along),
                 along.z - floor.z * shoal_d3_dot(floor, along));
    wall  = shoal_d3_make(floor.y * along.z - floor.z * along.y, floor.z * along.x - floor.x * along.z,
                          floor.x * along.y - floor.y * along.x);
    t->description.obstacles = shoal_alloc(2, sizeof *t->description.obstacles);
    assert_non_null(t->description.obstacles);
    shoal_shape *belt = NULL, *side = NULL;
    CHECK_OK(shoal_shape_plane(floor, shoal_d3_dot(floor, middle), &belt));
    CHECK_OK(shoal_shape_plane(wall, shoal_d3_dot(wall, middle), &side));
    t->description.obstacles[0].shape = belt;
    t->description.obstacles[1].shape = side;
    t->description.obstacle_count     = 2;
    shoal_world_destroy(t->world);
    CHECK_OK(shoal_world_create(&t->description, &t->world));
    t->world->colliders[0].moves  = true;
    t->world->colliders[0].linear = along; // 1 m/s
    tank_fill(t, shoal_d3_make(0.4, 0.4, 0.4), shoal_d3_make(1.2, 1.2, 1.2));
    tank_grid(t, 2);
    shoal_mac_solids(&t->mac, &t->exec, t->world, NULL);
    const shoal_mac* m     = &t->mac;
    double           worst = 0.0;
    int              cut   = 0;
    for (int at = 0; at < tank_samples(t); at++) {
        shoal_v3 x   = shoal_mac_place(m, at, 0.5f, 0.5f, 0.5f);
        double   out = 0.0, open = 0.0;
        if (fabsf(x.x - 0.8f) > 0.4f || fabsf(x.y - 0.8f) > 0.4f || fabsf(x.z - 0.8f) > 0.4f) continue;
        for (int n = 0; n < 6; n++) {
            int   axis = n / 2, face = n % 2 == 0 ? at : shoal_mac_beside(m, at, axis, 1);
            float solid = (1.0f - m->open[axis][face]) * m->solid_u[axis][face];
            out += (double)(n % 2 == 0 ? -solid : solid);
            open += (double)m->open[axis][face];
        }
        if (open == 0.0 || open == 6.0) continue;
        worst = fmax(worst, fabs(out));
        cut++;
    }
    printf("%d cells are cut, flux of the solids at most %.4f of the belt's speed\n", cut, worst);
    assert_true(cut > 50);
    CHECK_BELOW(worst, 0.04);
    shoal_shape_destroy(belt);
    shoal_shape_destroy(side);
    tank_free(t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_belt_along_a_wall_pumps_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
