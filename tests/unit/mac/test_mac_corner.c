// SPDX-License-Identifier: MIT
// Where surfaces meet at an inner edge each cuts by itself: what runs along both of them is no flux.
#include "unit/mac/tank.h"

static shoal_d3 unit(double x, double y, double z) {
    double length = sqrt(x * x + y * y + z * z);
    return shoal_d3_make(x / length, y / length, z / length);
}

// A floor and a wall on it, and the way along both, which is that of no axis.
typedef struct groove {
    shoal_d3     floor, wall, along, middle;
    shoal_shape *low, *side, *both;
} groove;

static groove groove_at(shoal_d3 floor, shoal_d3 along, shoal_d3 middle) {
    groove g = {.floor = floor, .middle = middle};
    double d = shoal_d3_dot(floor, along);
    g.along  = unit(along.x - floor.x * d, along.y - floor.y * d, along.z - floor.z * d);
    g.wall   = shoal_d3_cross(floor, g.along);
    CHECK_OK(shoal_shape_plane(g.floor, shoal_d3_dot(g.floor, g.middle), &g.low));
    CHECK_OK(shoal_shape_plane(g.wall, shoal_d3_dot(g.wall, g.middle), &g.side));
    return g;
}

static groove groove_make(shoal_d3 floor, shoal_d3 along) {
    return groove_at(floor, along, shoal_d3_make(0.8, 0.8, 0.8));
}

static void groove_free(groove* g) {
    shoal_shape_destroy(g->both);
    shoal_shape_destroy(g->low);
    shoal_shape_destroy(g->side);
}

static tank* tank_around(int count, shoal_shape* const shapes[]) {
    tank* t                  = tank_make(shoal_d3_make(0.0, 0.0, 0.0), shoal_d3_make(1.6, 1.6, 1.6), 0.1, 1);
    t->description.obstacles = shoal_alloc((size_t)count, sizeof *t->description.obstacles);
    assert_non_null(t->description.obstacles);
    for (int k = 0; k < count; k++) t->description.obstacles[k].shape = shapes[k];
    t->description.obstacle_count = count;
    shoal_world_destroy(t->world);
    CHECK_OK(shoal_world_create(&t->description, &t->world));
    tank_fill(t, shoal_d3_make(0.4, 0.4, 0.4), shoal_d3_make(1.2, 1.2, 1.2));
    tank_grid(t, 2);
    return t;
}

static bool is_amid(const shoal_mac* m, int at) {
    shoal_v3 x = shoal_mac_place(m, at, 0.5f, 0.5f, 0.5f);
    return fabsf(x.x - 0.8f) <= 0.4f && fabsf(x.y - 0.8f) <= 0.4f && fabsf(x.z - 0.8f) <= 0.4f;
}

// What leaves a cell by the open part of its faces, or is pushed out of it by the closed one, at the most; `u` NULL:
// the solids' own velocity.
static double most_flux(tank* t, const shoal_d3* u) {
    const shoal_mac* m     = &t->mac;
    double           worst = 0.0;
    int              cut   = 0;
    shoal_mac_solids(&t->mac, &t->exec, t->world, NULL);
    for (int at = 0; at < tank_samples(t); at++) {
        double out = 0.0, open = 0.0;
        if (!is_amid(m, at)) continue;
        for (int n = 0; n < 6; n++) {
            int    axis = n / 2, face = n % 2 == 0 ? at : shoal_mac_beside(m, at, axis, 1);
            double fraction = (double)m->open[axis][face],
                   flux = u ? fraction * shoal_d3_axis(*u, axis) : (1.0 - fraction) * (double)m->solid_u[axis][face];
            out += n % 2 == 0 ? -flux : flux;
            open += fraction;
        }
        if (open == 0.0 || open == 6.0) continue;
        worst = fmax(worst, fabs(out));
        cut++;
    }
    printf("%d cells are cut, flux at most %.4f of the speed\n", cut, worst);
    assert_true(cut > 50);
    return worst;
}

// By the nearest distance it were a quarter of the belt's speed.
static void a_belt_along_a_wall_pumps_nothing(void** state) {
    (void)state;
    groove g                      = groove_make(unit(-0.4, 0.8, 0.45), unit(0.9, 0.39, 0.17));
    tank*  t                      = tank_around(2, (shoal_shape*[]){g.low, g.side});
    t->world->colliders[0].moves  = true;
    t->world->colliders[0].linear = g.along; // 1 m/s
    CHECK_BELOW(most_flux(t, NULL), 0.04);
    tank_free(t);
    groove_free(&g);
}

// What slides in a groove meets no bumps, be it of two solids or of one, whatever its direction: by the nearest
// distance 0.08 of it.
static void what_slides_in_a_groove_meets_nothing(void** state) {
    (void)state;
    const shoal_d3 floors[] = {unit(0.4, 0.78, 0.48), unit(-0.4, 0.8, 0.45), unit(0.5, -0.1, 0.8)},
                   ways[]   = {unit(0.91, -0.4, -0.1), unit(0.9, 0.39, 0.17), unit(0.2, 0.9, 0.3)};
    const double most[]     = {0.001, 0.005, 0.025}; // the first is 0.0012 if fractions below 0.002 are closed
    for (int k = 0; k < 6; k++) {
        groove       g           = groove_make(floors[k / 2], ways[k / 2]);
        shoal_shape* children[2] = {g.low, g.side}; // a combination takes them
        if (k % 2 == 1) {
            CHECK_OK(shoal_shape_combined(SHOAL_UNION, children, 2, &g.both));
            g.low = g.side = NULL;
        }
        tank* t = g.both ? tank_around(1, &g.both) : tank_around(2, children);
        CHECK_BELOW(most_flux(t, &g.along), most[k / 2]);
        tank_free(t);
        groove_free(&g);
    }
}

// Nor does it anywhere else in the grid: 0.09 while cells of one plane closed what those of two had left open.
static void so_it_does_at_forty_places(void** state) {
    (void)state;
    for (int k = 0; k < 40; k++) {
        double r[9];
        for (int n = 0; n < 9; n++) r[n] = (double)tank_random((uint64_t)k, n) - 0.5;
        groove g = groove_at(unit(0.6 * r[0], 0.5 + r[1], 0.8 * r[2]), unit(0.7 + r[3], r[4], r[5]),
                             shoal_d3_make(0.8 + 0.1 * r[6], 0.8 + 0.1 * r[7], 0.8 + 0.1 * r[8]));
        tank*  t = tank_around(2, (shoal_shape*[]){g.low, g.side});
        CHECK_BELOW(most_flux(t, &g.along), 0.05);
        tank_free(t);
        groove_free(&g);
    }
}

// Cells that have a single open face.
static int dead_ends(tank* t) {
    const shoal_mac* m     = &t->mac;
    int              count = 0;
    shoal_mac_solids(&t->mac, &t->exec, t->world, NULL);
    for (int at = 0; at < tank_samples(t); at++) {
        int open = 0;
        for (int n = 0; is_amid(m, at) && n < 6; n++)
            open += m->open[n / 2][n % 2 == 0 ? at : shoal_mac_beside(m, at, n / 2, 1)] > 0.0f;
        count += open == 1;
    }
    return count;
}

// Small fractions of faces are closed; what that leaves of a cell must not be a pocket. (20 without that.)
static void no_cell_along_a_groove_is_a_dead_end(void** state) {
    (void)state;
    int count = 0;
    for (int k = 0; k < 40; k++) {
        shoal_d3 middle = shoal_d3_make(0.75 + 0.1 * (double)tank_random(1, k), 0.75 + 0.1 * (double)tank_random(2, k),
                                        0.75 + 0.1 * (double)tank_random(3, k));
        groove   g      = groove_at(unit(-0.129, 0.987, -0.092), unit(0.816, 0.053, -0.576), middle);
        tank*    t      = tank_around(2, (shoal_shape*[]){g.low, g.side});
        count += dead_ends(t);
        tank_free(t);
        groove_free(&g);
    }
    printf("%d dead ends\n", count);
    assert_int_equal(count, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_belt_along_a_wall_pumps_nothing),
        cmocka_unit_test(what_slides_in_a_groove_meets_nothing),
        cmocka_unit_test(so_it_does_at_forty_places),
        cmocka_unit_test(no_cell_along_a_groove_is_a_dead_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
