// SPDX-License-Identifier: MIT
// What walls add in closed form against quadrature, alone and where they meet, and contact with
// friction.
#include "unit/check.h"

#include "fluid/boundary.h"

enum { POINTS = 120 };

// Fraction of the kernel (h = 1) that lies behind any of the walls x, y, z < 0 that are closed.
static double behind(const double at[3], int walls, bool is_poly6) {
    double sum = 0.0, cell = 2.0 / POINTS;
    for (int z = 0; z < POINTS; z++)
        for (int y = 0; y < POINTS; y++)
            for (int x = 0; x < POINTS; x++) {
                double p[3] = {(x + 0.5) * cell - 1.0, (y + 0.5) * cell - 1.0, (z + 0.5) * cell - 1.0};
                bool   in   = false;
                for (int k = 0; k < walls; k++) in = in || at[k] + p[k] < 0.0;
                double r = sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]);
                if (in) sum += (is_poly6 ? shoal_poly6(r, 1.0) : shoal_spiky(r, 1.0)) * cell * cell * cell;
            }
    return sum;
}

static shoal_world corner(int walls) {
    shoal_world world = {.max = {10.0f, 10.0f, 10.0f}};
    for (int k = 0; k < walls; k++) world.is_closed[2 * k] = true;
    return world;
}

static double worst_fraction(int walls, bool is_poly6) {
    static const double at[][3] = {
        {0.25, 0.25, 0.25}, {0.25, 0.5, 0.75}, {0.0, 0.25, 0.5}, {0.4, 0.4, 0.2}, {0.25, 0.9, 0.9}};
    shoal_world world = corner(walls);
    double      worst = 0.0;
    for (size_t k = 0; k < sizeof at / sizeof *at; k++) {
        shoal_v3 x = shoal_v3_make((float)at[k][0], (float)at[k][1], (float)at[k][2]);
        worst      = fmax(worst,
                          fabs((double)shoal_solid_fraction_at(&(shoal_solids){.world = &world}, x, 1.0f, is_poly6).density -
                               behind(at[k], walls, is_poly6)));
    }
    printf("%s, %d walls: fraction off by at most %.4f\n", is_poly6 ? "poly6" : "spiky", walls, worst);
    return worst;
}

static void the_share_behind_a_wall_is_exact(void** state) {
    (void)state;
    CHECK_BELOW(worst_fraction(1, false), 5e-4); // the quadrature's own error
    CHECK_BELOW(worst_fraction(1, true), 5e-4);
}

static void the_share_in_an_edge_and_a_corner_is_near(void** state) {
    (void)state;
    CHECK_BELOW(worst_fraction(2, true), 0.004);
    CHECK_BELOW(worst_fraction(3, true), 0.008);
    CHECK_BELOW(worst_fraction(2, false), 0.02);
    CHECK_BELOW(worst_fraction(3, false), 0.04);
}

static void the_gradient_is_the_slope_of_spikys_share(void** state) {
    (void)state;
    shoal_world world = corner(3);
    shoal_v3    x     = {0.3f, 0.5f, 0.7f};
    shoal_v3    slope = shoal_solid_fraction_at(&(shoal_solids){.world = &world}, x, 1.0f, false).gradient;
    for (int axis = 0; axis < 3; axis++) {
        double side[2];
        for (int s = 0; s < 2; s++) {
            shoal_v3 y = x;
            shoal_v3_set_axis(&y, axis, shoal_v3_axis(x, axis) + (s == 0 ? -1e-3f : 1e-3f));
            side[s] = (double)shoal_solid_fraction_at(&(shoal_solids){.world = &world}, y, 1.0f, false).density;
        }
        CHECK_NEAR((double)shoal_v3_axis(slope, axis), (side[1] - side[0]) / 2e-3, 1e-3);
    }
}

static void far_from_walls_nothing_is_added(void** state) {
    (void)state;
    shoal_world          world = corner(3);
    shoal_solid_fraction fraction =
        shoal_solid_fraction_at(&(shoal_solids){.world = &world}, shoal_v3_make(1.0f, 2.0f, 5.0f), 1.0f, false);
    assert_true(fraction.density == 0.0f && shoal_v3_length(fraction.gradient) == 0.0f);
    assert_false(shoal_solids_are_near(&world, shoal_v3_make(1.0f, 2.0f, 5.0f), 1.0f));
    assert_true(shoal_solids_are_near(&world, shoal_v3_make(1.0f, 2.0f, 0.9f), 1.0f));
}

// A particle that has come from above, 0.3 along x and 0.1 into the wall's half spacing.
static shoal_v3 landed(shoal_roughness wall) {
    shoal_world  world                      = corner(0);
    shoal_solids solids                     = {.world = &world, .kind = SHOAL_LIQUID};
    world.is_closed[SHOAL_BOTTOM]           = true;
    world.rough[SHOAL_BOTTOM][SHOAL_LIQUID] = wall;
    return shoal_solid_contact(&solids, shoal_v3_make(0.3f, 0.4f, 0.0f), shoal_v3_make(0.3f, -0.6f, 0.0f), 0.5f, 0.0f,
                               0.1f, true);
}

static void contact_stops_at_half_a_spacing_and_friction_holds_back(void** state) {
    (void)state;
    shoal_v3 slip       = landed((shoal_roughness){.is_smooth = true});
    shoal_v3 rough      = landed((shoal_roughness){.friction = 0.5f}); // Coulomb: at most 0.5 of the 0.1 pushed out
    shoal_v3 rough_most = landed((shoal_roughness){.friction = 9.0f});
    shoal_v3 stick      = landed((shoal_roughness){.is_sticky = true});
    assert_true(slip.y == 0.5f && rough.y == 0.5f && rough_most.y == 0.5f && stick.y == 0.5f);
    CHECK_NEAR((double)slip.x, 0.3, 1e-6);
    CHECK_NEAR((double)rough.x, 0.25, 1e-6);
    CHECK_NEAR((double)rough_most.x, 0.0, 1e-6);
    CHECK_NEAR((double)stick.x, 0.0, 1e-6);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_share_behind_a_wall_is_exact),
        cmocka_unit_test(the_share_in_an_edge_and_a_corner_is_near),
        cmocka_unit_test(the_gradient_is_the_slope_of_spikys_share),
        cmocka_unit_test(far_from_walls_nothing_is_added),
        cmocka_unit_test(contact_stops_at_half_a_spacing_and_friction_holds_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
