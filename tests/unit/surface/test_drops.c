// SPDX-License-Identifier: MIT
// Drops of a few particles, at the settings that a user has who sets none.
#include "clouds.h"

#include "exec/exec.h"
#include "surface/surface.h"

static double at_random(int of, int i) { return shoal_random(11, (uint64_t)of, (uint64_t)i); }

// Particles far apart, each at another place between the samples.
static cloud lone_ones(int count) {
    cloud c = {0};
    for (int i = 0; i < count; i++)
        cloud_add(&c, 7 * (i % 5) + at_random(1, i), 7 * (i / 5) + at_random(2, i), at_random(3, i));
    return c;
}

// Pairs `apart` from each other in any direction.
static cloud pairs(int count, double apart) {
    cloud c = {0};
    for (int i = 0; i < count; i++) {
        double x = 11 * (i % 5) + at_random(1, i), y = 11 * (i / 5) + at_random(2, i);
        double a = 6.283 * at_random(4, i), u = 2 * at_random(5, i) - 1, s = sqrt(1 - u * u);
        cloud_add(&c, x, y, at_random(3, i));
        cloud_add(&c, x + apart * s * cos(a), y + apart * s * sin(a), at_random(3, i) + apart * u);
    }
    return c;
}

static int find(int* up, int i) {
    while (up[i] != i) i = up[i] = up[up[i]];
    return i;
}

static int bodies(const shoal_surface_mesh* m) {
    int *up = malloc(((size_t)m->vertex_count + 1) * sizeof *up), count = 0;
    assert_non_null(up);
    for (int i = 0; i < m->vertex_count; i++) up[i] = i;
    for (int k = 0; k < 3 * m->triangle_count; k++)
        if (k % 3 < 2) up[find(up, m->triangles[k])] = find(up, m->triangles[k + 1]);
    for (int i = 0; i < m->vertex_count; i++) count += up[i] == i;
    free(up);
    return count;
}

static void a_lone_particle_is_a_ball_wherever_it_lies(void** state) {
    (void)state;
    enum { COUNT = 40 };
    cloud               c = lone_ones(COUNT);
    shoal_surface_mesh* m = surface_of(&c, 1.0, NULL, 2);
    check_closed(m->positions, m->vertex_count, m->triangles, m->triangle_count, 0.5);
    assert_int_equal(bodies(m), COUNT);
    for (int i = 0; i < m->vertex_count; i++) {
        double near = 1e9;
        for (int k = 0; k < COUNT; k++) {
            double r = 0;
            for (int e = 0; e < 3; e++) r += pow((double)m->positions[3 * i + e] - (double)c.positions[3 * k + e], 2);
            near = fmin(near, sqrt(r));
        }
        // of a ball of the particle's volume 0.62, and what is missing between its corners
        CHECK_NEAR(near, 0.64, 0.03);
    }
    CHECK_NEAR(shoal_surface_mesh_volume(m) / COUNT, 1.0, 0.01);
    shoal_surface_mesh_destroy(m);
    cloud_free(&c);
}

static void parting_drops_leave_nothing_between_them_and_keep_their_size(void** state) {
    (void)state;
    enum { COUNT = 20 };
    for (double apart = 1.2; apart < 3.05; apart += 0.2) {
        cloud               c = pairs(COUNT, apart);
        shoal_surface_mesh* m = surface_of(&c, 1.0, NULL, 2);
        check_closed(m->positions, m->vertex_count, m->triangles, m->triangle_count, 0.5);
        double volume = shoal_surface_mesh_volume(m) / (2 * COUNT);
        if (!(volume > 0.97 && volume < 1.1)) fail_msg("%g d apart: %g of their volume", apart, volume);
        if (!(bodies(m) <= 2 * COUNT)) fail_msg("%g d apart: %d bodies", apart, bodies(m));
        shoal_surface_mesh_destroy(m);
        cloud_free(&c);
    }
}

// Drops of `count` particles each, that of a shaken lattice which are nearest to a point.
static cloud clusters(int drops, int count, double shake) {
    cloud c = {0};
    for (int i = 0; i < drops; i++) {
        double at[3] = {at_random(6, i) - 0.5, at_random(7, i) - 0.5, at_random(8, i) - 0.5};
        double place[125][3], far[125];
        for (int k = 0; k < 125; k++) {
            far[k] = 0;
            for (int e = 0; e < 3; e++) {
                int cell    = (e == 0 ? k : e == 1 ? k / 5 : k / 25) % 5 - 2;
                place[k][e] = cell + shake * (at_random(9 + e, 125 * i + k) - 0.5);
                far[k] += pow(place[k][e] - at[e], 2);
            }
        }
        for (int n = 0; n < count; n++) {
            int best = 0;
            for (int k = 0; k < 125; k++)
                if (far[k] < far[best]) best = k;
            far[best] = 1e9;
            cloud_add(&c, 9 * (i % 4) + place[best][0] + at_random(1, i),
                      9 * (i / 4) + place[best][1] + at_random(2, i), place[best][2]);
        }
    }
    return c;
}

static void a_drop_of_a_few_particles_keeps_their_volume(void** state) {
    (void)state;
    enum { DROPS = 8 };
    static const int counts[] = {2, 3, 4, 6, 8, 12, 20};
    for (int k = 0; k < 7; k++) {
        cloud               c = clusters(DROPS, counts[k], 0.2);
        shoal_surface_mesh* m = surface_of(&c, 1.0, NULL, 2);
        check_closed(m->positions, m->vertex_count, m->triangles, m->triangle_count, 0.5);
        double volume_left = shoal_surface_mesh_volume(m) / (DROPS * counts[k]);
        if (!(volume_left > 0.95 && volume_left < 1.05))
            fail_msg("%d particles: %g of their volume", counts[k], volume_left);
        shoal_surface_mesh_destroy(m);
        cloud_free(&c);
    }
}

static void taubin_leaves_the_volume_of_a_ball_of_a_few_triangles(void** state) {
    (void)state;
    cloud               c     = lone_ones(1);
    shoal_surface_mesh* plain = surface_of(&c, 1.0, (const char* const[]){"drops=0", NULL}, 1);
    shoal_surface_mesh* fair  = surface_of(&c, 1.0, (const char* const[]){"drops=0", "taubin=200", NULL}, 1);
    assert_in_range(plain->triangle_count, 8, 64);
    CHECK_BELOW(0.3, shoal_surface_mesh_volume(plain)); // nor is spray smoothed
    CHECK_NEAR(shoal_surface_mesh_volume(fair) / shoal_surface_mesh_volume(plain), 1.0, 0.01);
    shoal_surface_mesh_destroy(fair);
    shoal_surface_mesh_destroy(plain);
    cloud_free(&c);
}

static void threads_do_not_change_drops(void** state) {
    (void)state;
    static const char* const settings[][2] = {{"method=zhu-bridson", NULL}, {"method=anisotropic", NULL}};
    cloud                    c             = pairs(12, 1.7);
    for (int k = 0; k < 2; k++) {
        shoal_surface_mesh *a = surface_of(&c, 1.0, settings[k], 1), *b = surface_of(&c, 1.0, settings[k], 3);
        assert_int_equal(a->vertex_count, b->vertex_count);
        assert_memory_equal(a->positions, b->positions, (size_t)a->vertex_count * 12);
        assert_memory_equal(a->normals, b->normals, (size_t)a->vertex_count * 12);
        assert_memory_equal(a->triangles, b->triangles, (size_t)a->triangle_count * 12);
        shoal_surface_mesh_destroy(a);
        shoal_surface_mesh_destroy(b);
    }
    cloud_free(&c);
}

static void far_from_the_origin_triangles_keep_an_area_or_it_is_reported(void** state) {
    (void)state;
    const double d = 0.05;
    for (int k = 0; k < 2; k++) {
        const char* const settings[] = {k ? "method=anisotropic" : "method=zhu-bridson", NULL};
        cloud             c          = {0};
        for (int i = 0; i < 216; i++) cloud_add(&c, 1e4 + d * (i % 6), d * (i / 6 % 6), d * (i / 36));
        shoal_surface_mesh* m = surface_of(&c, d, settings, 2);
        assert_true(m->triangle_count > 500);
        check_closed(m->positions, m->vertex_count, m->triangles, m->triangle_count, 0.5 * d);
        shoal_surface_mesh_destroy(m);
        for (int i = 0; i < c.count; i++) c.positions[3 * i] += 1e9f;
        shoal_surface_particles p = {.count = c.count, .positions = c.positions, .spacing = d};
        assert_int_equal(shoal_surface_make(&p, settings, 1, &m), SHOAL_ERR_INPUT);
        assert_non_null(strstr(shoal_last_error(), "too far away"));
        cloud_free(&c);
    }
}

static void a_field_that_is_not_a_number_is_reported(void** state) {
    (void)state;
    cloud                   c        = lone_ones(3);
    float                   speed[9] = {0, 0, 0, 0, NAN, 0, 0, 0, 0};
    shoal_surface_field     field    = {"velocity", 3, speed};
    shoal_surface_particles p        = {
               .count = c.count, .positions = c.positions, .spacing = 1.0, .field_count = 1, .fields = &field};
    shoal_surface_mesh* m = NULL;
    assert_int_equal(shoal_surface_make(&p, NULL, 1, &m), SHOAL_ERR_INPUT);
    assert_string_equal(shoal_last_error(), "particle 1 has a velocity that is not a number");
    cloud_free(&c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_lone_particle_is_a_ball_wherever_it_lies),
        cmocka_unit_test(parting_drops_leave_nothing_between_them_and_keep_their_size),
        cmocka_unit_test(a_drop_of_a_few_particles_keeps_their_volume),
        cmocka_unit_test(taubin_leaves_the_volume_of_a_ball_of_a_few_triangles),
        cmocka_unit_test(threads_do_not_change_drops),
        cmocka_unit_test(far_from_the_origin_triangles_keep_an_area_or_it_is_reported),
        cmocka_unit_test(a_field_that_is_not_a_number_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
