// SPDX-License-Identifier: MIT
// Stretched kernels [Yu & Turk 2013] on thin water, on clumps, and with evened centres.
#include "clouds.h"

#include "surface/surface.h"

static const char* const anisotropic[] = {"method=anisotropic", NULL};

// A sheet of `layers` of 20 x 20 particles a spacing apart, each shaken by up to `shake` spacings.
static cloud sheet(int layers, double shake) {
    cloud    c = {0};
    uint64_t n = 0;
    for (int y = 0; y < layers; y++)
        for (int z = 0; z < 20; z++)
            for (int x = 0; x < 20; x++) {
                double p[3] = {x, y, z};
                for (int k = 0; k < 3; k++) p[k] += 2.0 * shake * (shoal_random(4, 9, n++) - 0.5);
                cloud_add(&c, p[0], p[1], p[2]);
            }
    return c;
}

// Triangles whose normals point the other way.
static int against(const shoal_surface_mesh* m) {
    int count = 0;
    for (int t = 0; t < m->triangle_count; t++) {
        const int* c = m->triangles + 3 * t;
        double     u[3], v[3], n[3];
        for (int k = 0; k < 3; k++) {
            double o = (double)m->positions[3 * c[0] + k];
            u[k]     = (double)m->positions[3 * c[1] + k] - o;
            v[k]     = (double)m->positions[3 * c[2] + k] - o;
            n[k] =
                (double)m->normals[3 * c[0] + k] + (double)m->normals[3 * c[1] + k] + (double)m->normals[3 * c[2] + k];
        }
        double dot = n[0] * (u[1] * v[2] - u[2] * v[1]) + n[1] * (u[2] * v[0] - u[0] * v[2]) +
                     n[2] * (u[0] * v[1] - u[1] * v[0]);
        count += dot < 0;
    }
    return count;
}

static void thin_sheets_are_one_body_without_inner_walls(void** state) {
    (void)state;
    for (int layers = 1; layers <= 4; layers++)
        for (int k = 0; k < 2; k++) {
            cloud               c = sheet(layers, 0.15 * k);
            shoal_surface_mesh* m = surface_of(&c, 1.0, anisotropic, 2);
            check_closed(m->positions, m->vertex_count, m->triangles, m->triangle_count, 0.5);
            assert_int_equal(m->vertex_count - m->triangle_count / 2, 2); // no hole, no cave
            assert_int_equal(against(m), 0);
            CHECK_NEAR(shoal_surface_mesh_volume(m) / c.count, 0.9, 0.1);
            shoal_surface_mesh_destroy(m);
            cloud_free(&c);
        }
}

static void clumps_of_many_particles_are_seen(void** state) {
    (void)state;
    for (int count = 30; count <= 240; count *= 2) {
        cloud c = {0};
        for (int i = 0; i < count; i++)
            cloud_add(&c, 0.3 * shoal_random(1, 1, (uint64_t)i), 0.3 * shoal_random(1, 2, (uint64_t)i),
                      0.3 * shoal_random(1, 3, (uint64_t)i));
        shoal_surface_mesh* m      = surface_of(&c, 1.0, anisotropic, 1);
        double              volume = shoal_surface_mesh_volume(m);
        if (!(volume > 0.5 && volume < 6.0)) fail_msg("%d particles: %g d^3", count, volume);
        shoal_surface_mesh_destroy(m);
        cloud_free(&c);
    }
}

// Root of the mean square of the height of the vertices above shaken water.
static double roughness(const char* const* settings) {
    cloud               c   = sheet(8, 0.1);
    shoal_surface_mesh* m   = surface_of(&c, 1.0, settings, 2);
    double              sum = 0, squares = 0;
    int                 count = 0;
    for (int i = 0; i < m->vertex_count; i++) {
        const float* p = m->positions + 3 * i;
        if (p[0] < 4 || p[0] > 15 || p[2] < 4 || p[2] > 15 || p[1] < 4) continue;
        sum += (double)p[1], squares += (double)p[1] * (double)p[1], count++;
    }
    assert_true(count > 300);
    CHECK_NEAR(sum / count, 7.5, 0.06); // and it has not sunk
    CHECK_NEAR(shoal_surface_mesh_volume(m) / c.count, 1.0, 0.05);
    shoal_surface_mesh_destroy(m);
    cloud_free(&c);
    return sqrt(squares / count - sum / count * (sum / count));
}

static void evened_centres_smooth_water_and_keep_its_volume(void** state) {
    (void)state;
    double left = roughness((const char* const[]){"method=anisotropic", "centering=0", NULL});
    double even = roughness((const char* const[]){"method=anisotropic", "centering=0.9", NULL});
    print_message("rough by %.4f d, with evened centres %.4f d\n", left, even);
    CHECK_BELOW(even, 0.95 * left);
}

// Half the height and half the width of an ellipsoid, from its shape.
static void halves(const shoal_surface_ellipsoid* e, double* up, double* across) {
    double xx = (double)e->shape.xx, yy = (double)e->shape.yy, xy = (double)e->shape.xy, zz = (double)e->shape.zz;
    double yz = (double)e->shape.yz, xz = (double)e->shape.xz;
    double det = xx * (yy * zz - yz * yz) - xy * (xy * zz - yz * xz) + xz * (xy * yz - yy * xz);
    *up        = sqrt((xx * zz - xz * xz) / det);
    *across    = sqrt((yy * zz - yz * yz) / det);
}

// In flat water of any spacing: those on top reach the surface and lie flat, those within are round, a lone one is a
// ball.
static void ellipsoids_of_flat_water_reach_its_surface(void** state) {
    (void)state;
    const double spacings[] = {0.003, 0.1, 7.0};
    for (int k = 0; k < 3; k++) {
        double               d = spacings[k], up, across;
        cloud                c = cloud_box(d, 8, 12);
        shoal_surface_params params;
        shoal_exec           exec = shoal_exec_make(1);
        cloud_add(&c, 0.0, 30.0 * d, 0.0);
        shoal_surface_particles  particles = {.count = c.count, .positions = c.positions, .spacing = d};
        shoal_surface_ellipsoid* all       = calloc((size_t)c.count, sizeof *all);
        shoal_params_default(shoal_surface_params_table, &params);
        CHECK_OK(shoal_surface_ellipsoids(&params, &particles, &exec, shoal_isa_best(), all));
        int top = 8 * 16 + 8, within = 6 * 256 + top;
        halves(&all[top], &up, &across);
        CHECK_NEAR((double)all[top].center.y + up, 0.0, 0.03 * d);
        assert_true(across > 1.2 * up);
        halves(&all[within], &up, &across);
        CHECK_NEAR(across / up, 1.0, 0.02);
        CHECK_NEAR((double)all[within].volume, 4.0 / 3.0 * SHOAL_PI * up * across * across,
                   0.01 * up * across * across);
        halves(&all[c.count - 1], &up, &across);
        CHECK_NEAR(across / up, 1.0, 1e-3);
        assert_true(up > 0.2 * d && up < d);
        free(all);
        cloud_free(&c);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(thin_sheets_are_one_body_without_inner_walls),
        cmocka_unit_test(clumps_of_many_particles_are_seen),
        cmocka_unit_test(evened_centres_smooth_water_and_keep_its_volume),
        cmocka_unit_test(ellipsoids_of_flat_water_reach_its_surface),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
