// SPDX-License-Identifier: MIT
// Calm water is even: no dimple between any two particles is seen on it, and what is not calm keeps
// its shape.
#include "clouds.h"

static double at_random(int of, int i) { return shoal_random(31, (uint64_t)of, (uint64_t)i); }

// A pool of 24 x 6 x 24 particles about their places by up to `shake` d, its top at y = 0.
static cloud pool(double d, double shake) {
    cloud c = {0};
    for (int i = 0; i < 24 * 6 * 24; i++) {
        double x = i % 24 - 11.5, y = -(i / 24 % 6) - 0.5, z = i / 144 - 11.5;
        cloud_add(&c, d * (x + shake * (2.0 * at_random(1, i) - 1.0)), d * (y + shake * (2.0 * at_random(2, i) - 1.0)),
                  d * (z + shake * (2.0 * at_random(3, i) - 1.0)));
    }
    return c;
}

// The angle of triangles on its top against level, root of the mean square by area, in degrees,
// away from the rim; *normals: the same of the normals at vertices.
static double roughness(const cloud* c, double d, const char* setting, double* normals) {
    const char* const   settings[] = {setting, NULL};
    shoal_surface_mesh* m          = surface_of(c, d, settings, 2);
    double              sum = 0.0, area = 0.0, turned = 0.0;
    int                 count = 0;
    check_closed(m->positions, m->vertex_count, m->triangles, m->triangle_count, 0.5 * d);
    for (int t = 0; t < m->triangle_count; t++) {
        shoal_d3 p[3];
        for (int k = 0; k < 3; k++) {
            const float* v = m->positions + 3 * (size_t)m->triangles[3 * t + k];
            p[k]           = shoal_d3_make((double)v[0], (double)v[1], (double)v[2]);
        }
        if (fmax(fabs(p[0].x), fabs(p[0].z)) > 8.0 * d || p[0].y < -1.5 * d) continue;
        shoal_d3 n = shoal_d3_cross(shoal_d3_sub(p[1], p[0]), shoal_d3_sub(p[2], p[0]));
        double   a = shoal_d3_length(n), angle = acos(fmin(1.0, n.y / a));
        sum += a * angle * angle;
        area += a;
    }
    for (int i = 0; i < m->vertex_count; i++) {
        const float *v = m->positions + 3 * (size_t)i, *n = m->normals + 3 * (size_t)i;
        if (fmaxf(fabsf(v[0]), fabsf(v[2])) > 8.0f * (float)d || v[1] < -1.5f * (float)d) continue;
        double angle = acos(fmin(1.0, (double)n[1]));
        turned += angle * angle;
        count++;
    }
    assert_true(count > 500);
    shoal_surface_mesh_destroy(m);
    *normals = sqrt(turned / count) * 180.0 / SHOAL_PI;
    return sqrt(sum / area) * 180.0 / SHOAL_PI;
}

static void calm_water_shows_no_dimples_of_single_particles(void** state) {
    (void)state;
    static const struct { double shake, most; } cases[] = {{0.05, 1.0}, {0.25, 3.0}};
    for (int scale = 0; scale < 2; scale++)
        for (int k = 0; k < 2; k++) {
            double d     = scale ? 0.004 : 0.05, normals, plain_normals;
            cloud  c     = pool(d, cases[k].shake);
            double angle = roughness(&c, d, NULL, &normals), plain = roughness(&c, d, "calm=0", &plain_normals);
            print_message("shaken by %.2f d: triangles %.2f degrees (%.2f as they come), normals "
                          "%.2f (%.2f)\n",
                          cases[k].shake, angle, plain, normals, plain_normals);
            CHECK_BELOW(angle, cases[k].most);
            CHECK_BELOW(normals, cases[k].most);
            CHECK_BELOW(1.5 * cases[k].most, plain);
            cloud_free(&c);
        }
}

// Particles anywhere within their cells, as on a grid, make wider ones.
static void strewn_water_is_even_over_two_spacings(void** state) {
    (void)state;
    for (int scale = 0; scale < 2; scale++) {
        double d     = scale ? 0.004 : 0.05, normals, usual_normals;
        cloud  c     = pool(d, 0.4);
        double angle = roughness(&c, d, "calm=2", &normals), usual = roughness(&c, d, "calm=1", &usual_normals);
        print_message(
            "shaken by 0.4 d, evened out over 2 d: triangles %.2f degrees (%.2f over 1 d), normals %.2f (%.2f)\n",
            angle, usual, normals, usual_normals);
        CHECK_BELOW(angle, 2.0);
        CHECK_BELOW(normals, 2.0);
        CHECK_BELOW(2.0, usual);
        cloud_free(&c);
    }
}

// What is round, and thin, is no dimple.
static void balls_and_sheets_keep_their_volume(void** state) {
    (void)state;
    cloud shapes[3] = {cloud_ball(1.0, 5.0, 0.2), cloud_ball(1.0, 10.0, 0.2), {0}};
    for (int i = 0; i < 24 * 24 * 2; i++)
        cloud_add(&shapes[2], i % 24 + 0.4 * at_random(4, i), i / 576 + 0.2 * at_random(5, i),
                  i / 24 % 24 + 0.4 * at_random(6, i));
    for (int k = 0; k < 3; k++) {
        shoal_surface_mesh* m      = surface_of(&shapes[k], 1.0, NULL, 2);
        double              volume = shoal_surface_mesh_volume(m) / shapes[k].count;
        print_message("shape %d: %.3f of its volume\n", k, volume);
        CHECK_NEAR(volume, 1.0, 0.02);
        shoal_surface_mesh_destroy(m);
        cloud_free(&shapes[k]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calm_water_shows_no_dimples_of_single_particles),
        cmocka_unit_test(strewn_water_is_even_over_two_spacings),
        cmocka_unit_test(balls_and_sheets_keep_their_volume),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
