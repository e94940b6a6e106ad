// SPDX-License-Identifier: MIT
// The volume of a surface is that of its particles, whether they lie still, splash or spray.
#include "clouds.h"

static double at_random(int of, int i) { return shoal_random(23, (uint64_t)of, (uint64_t)i); }

static double volume_of(const cloud* c, double d, const char* setting) {
    const char* const   settings[] = {setting, NULL};
    shoal_surface_mesh* m          = surface_of(c, d, settings, 2);
    check_closed(m->positions, m->vertex_count, m->triangles, m->triangle_count, 0.5 * d);
    double volume = shoal_surface_mesh_volume(m) / (c->count * d * d * d);
    shoal_surface_mesh_destroy(m);
    return volume;
}

// Particles at random in a box of `volume` d^3 for each: 1 is water, 3 a splash, 30 spray.
static cloud cloud_sparse(double d, int count, double volume) {
    cloud  c    = {0};
    double edge = d * cbrt(count * volume);
    for (int i = 0; i < count; i++)
        cloud_add(&c, edge * at_random(1, i), edge * at_random(2, i), edge * at_random(3, i));
    return c;
}

static void surfaces_keep_the_volume_of_their_particles(void** state) {
    (void)state;
    // clang-format off
    static const struct { const char* name; double sparse, within; } cases[] = {
        {"splash", 2.0, 0.05}, {"splash in the air", 4.0, 0.05}, {"spray", 12.0, 0.05}, {"rain", 60.0, 0.03}};
    // clang-format on
    for (int scale = 0; scale < 2; scale++) {
        double d   = scale ? 0.004 : 0.05;
        cloud  box = cloud_box(d, 8, 6), ball = cloud_ball(d, 7 * d, 0.4);
        CHECK_NEAR(volume_of(&box, d, NULL), 1.0, 0.01);
        CHECK_NEAR(volume_of(&ball, d, NULL), 1.0, 0.01);
        cloud_free(&box);
        cloud_free(&ball);
        for (int k = 0; k < 4; k++) {
            cloud  c           = cloud_sparse(d, 1500, cases[k].sparse);
            double volume_left = volume_of(&c, d, NULL), plain = volume_of(&c, d, "volume=0");
            print_message("%s: %.3f, without balance %.3f\n", cases[k].name, volume_left, plain);
            if (!(fabs(volume_left - 1.0) < cases[k].within)) fail_msg("%s: %g", cases[k].name, volume_left);
            cloud_free(&c);
        }
    }
}

// Particles that bring volumes of their own: 0.5 to 2 of the lattice's, in water, splash and spray, and lone ones.
static void surfaces_keep_the_volumes_that_particles_bring(void** state) {
    (void)state;
    static const double sparse[] = {2.0, 12.0, 200.0};
    const double        d        = 0.05;
    for (int k = 0; k < 3; k++) {
        cloud  c       = cloud_sparse(d, 1000, sparse[k]);
        float* volumes = malloc((size_t)c.count * sizeof *volumes);
        double sum     = 0.0;
        assert_non_null(volumes);
        for (int i = 0; i < c.count; i++) {
            volumes[i] = (float)(d * d * d * (c.positions[3 * i] > 0.5f * c.positions[0] ? 1.5 : 0.6));
            sum += (double)volumes[i];
        }
        const shoal_surface_field     field     = {"volume", 1, volumes};
        const shoal_surface_particles particles = {
            .count = c.count, .positions = c.positions, .spacing = d, .field_count = 1, .fields = &field};
        shoal_surface_mesh* m = NULL;
        CHECK_OK(shoal_surface_make(&particles, NULL, 2, &m));
        double volume_left = shoal_surface_mesh_volume(m) / sum;
        print_message("%g d^3 each: %.3f of %.3f d^3 each\n", sparse[k], volume_left, sum / (c.count * d * d * d));
        CHECK_NEAR(volume_left, 1.0, 0.06);
        shoal_surface_mesh_destroy(m);
        free(volumes);
        cloud_free(&c);
    }
}

// A pool, and drops over its one end: the other end does not rise or sink for them.
static void calm_water_does_not_notice_a_splash_elsewhere(void** state) {
    (void)state;
    double height[2] = {0.0, 0.0};
    for (int splash = 0; splash < 2; splash++) {
        cloud c = {0};
        for (int i = 0; i < 40 * 6 * 10; i++) cloud_add(&c, i % 40 + 0.5, i / 40 % 6 + 0.5, i / 240 + 0.5);
        for (int i = 0; splash && i < 150; i++)
            cloud_add(&c, 10 * at_random(4, i), 6.5 + 8 * at_random(5, i), 10 * at_random(6, i));
        shoal_surface_mesh* m = surface_of(&c, 1.0, NULL, 2);
        int                 n = 0;
        for (int i = 0; i < m->vertex_count; i++) {
            const float* p = m->positions + 3 * (size_t)i;
            if (p[0] < 29.0f || p[0] > 33.0f || p[1] < 5.0f || p[2] < 3.0f || p[2] > 7.0f) continue;
            height[splash] += (double)p[1];
            n++;
        }
        assert_true(n > 20);
        height[splash] /= n;
        shoal_surface_mesh_destroy(m);
        cloud_free(&c);
    }
    CHECK_NEAR(height[0], 6.0, 0.06);
    CHECK_NEAR(height[1], height[0], 1e-5);
}

// One particle goes a spacing up through a splash in small steps: the volume never jumps.
static void nothing_pops_while_a_drop_joins_a_pool(void** state) {
    (void)state;
    double before = 0.0, most = 0.0;
    for (int step = 0; step <= 40; step++) {
        cloud c = {0};
        for (int i = 0; i < 12 * 4 * 12; i++) cloud_add(&c, i % 12 + 0.5, i / 12 % 4 + 0.5, i / 48 + 0.5);
        for (int i = 0; i < 27; i++) // a drop of 27 comes down
            cloud_add(&c, 5 + i % 3, 8.5 - 0.1 * step + i / 3 % 3, 5 + i / 9);
        double volume = volume_of(&c, 1.0, NULL) * c.count;
        if (step > 0) most = fmax(most, fabs(volume - before));
        before = volume;
        cloud_free(&c);
    }
    print_message("most per step: %.2f d^3\n", most);
    CHECK_BELOW(most, 4.0);
}

// Water that is a little too thin or too dense all the way down: its surface may give way, but
// nothing opens inside.
static void deep_water_has_no_holes_whatever_its_density(void** state) {
    (void)state;
    for (int k = 0; k < 3; k++) {
        const double apart = 0.97 + 0.03 * k;
        const int    edge  = 26;
        cloud        c     = {0};
        for (int i = 0; i < edge * edge * edge; i++)
            cloud_add(&c, apart * (i % edge + 0.25 + 0.5 * at_random(7, i)),
                      apart * (i / edge % edge + 0.25 + 0.5 * at_random(8, i)),
                      apart * (i / edge / edge + 0.25 + 0.5 * at_random(9, i)));
        shoal_surface_mesh* m    = surface_of(&c, 1.0, NULL, 2);
        double              deep = 0.0;
        for (int i = 0; i < m->vertex_count; i++) {
            double least = 1e9;
            for (int a = 0; a < 3; a++) {
                double x = (double)m->positions[3 * i + a];
                least    = fmin(least, fmin(x, apart * edge - x));
            }
            deep = fmax(deep, least);
        }
        print_message("%.2f d apart: the deepest vertex lies %.3f d below the faces\n", apart, deep);
        CHECK_BELOW(deep, 1.0);
        shoal_surface_mesh_destroy(m);
        cloud_free(&c);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(surfaces_keep_the_volume_of_their_particles),
        cmocka_unit_test(surfaces_keep_the_volumes_that_particles_bring),
        cmocka_unit_test(calm_water_does_not_notice_a_splash_elsewhere),
        cmocka_unit_test(nothing_pops_while_a_drop_joins_a_pool),
        cmocka_unit_test(deep_water_has_no_holes_whatever_its_density),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
