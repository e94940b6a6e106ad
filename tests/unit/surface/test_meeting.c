// SPDX-License-Identifier: MIT
// Two materials that touch: their surfaces meet, nothing gapes between them.
#include "clouds.h"

// A box of 14 x 10 x 14 shaken particles, the lower half of one material, the upper of another.
static void two_liquids(cloud half[2]) {
    uint64_t n = 0;
    for (int y = 0; y < 10; y++)
        for (int z = 0; z < 14; z++)
            for (int x = 0; x < 14; x++) {
                double p[3] = {x, y, z};
                for (int k = 0; k < 3; k++) p[k] += 0.4 * (shoal_random(5, 6, n++) - 0.5);
                cloud_add(&half[y / 5], p[0], p[1], p[2]);
            }
}

// Whether a point lies inside: crossings of the line upwards from it.
static bool holds(const shoal_surface_mesh* m, double x, double y, double z) {
    bool is_inside = false;
    for (int t = 0; t < m->triangle_count; t++) {
        double p[3][3];
        if (fabs((double)m->positions[3 * m->triangles[3 * t]] - x) > 1.0) continue; // longer than a cell
        for (int k = 0; k < 9; k++) p[k / 3][k % 3] = (double)m->positions[3 * m->triangles[3 * t + k / 3] + k % 3];
        double s[3], total;
        for (int k = 0; k < 3; k++) {
            const double *a = p[k], *b = p[(k + 1) % 3];
            s[k] = (a[0] - x) * (b[2] - z) - (b[0] - x) * (a[2] - z);
        }
        total = s[0] + s[1] + s[2];
        if (total == 0 || s[0] * total < 0 || s[1] * total < 0 || s[2] * total < 0) continue;
        is_inside ^= (s[1] * p[0][1] + s[2] * p[1][1] + s[0] * p[2][1]) / total > y;
    }
    return is_inside;
}

static void nothing_gapes_between_two_materials(void** state) {
    (void)state;
    static const char* const methods[] = {"method=zhu-bridson", "method=anisotropic", "method=color-field"};
    cloud                    half[2]   = {{0}, {0}};
    two_liquids(half);
    for (int k = 0; k < 3; k++) {
        shoal_surface_mesh* m[2];
        for (int h = 0; h < 2; h++) {
            shoal_surface_particles p = {.count           = half[h].count,
                                         .positions       = half[h].positions,
                                         .spacing         = 1.0,
                                         .other_count     = half[1 - h].count,
                                         .other_positions = half[1 - h].positions};
            CHECK_OK(shoal_surface_make(&p, (const char* const[]){methods[k], NULL}, 2, &m[h]));
            check_closed(m[h]->positions, m[h]->vertex_count, m[h]->triangles, m[h]->triangle_count, 0.5);
            CHECK_NEAR(shoal_surface_mesh_volume(m[h]) / half[h].count, 1.0, 0.08);
        }
        int twice = 0, points = 0;
        for (double x = 0.113; x < 13; x += 2.13)
            for (double z = 0.071; z < 13; z += 2.91)
                for (double y = 3.503; y < 5.5; y += 0.0737, points++) {
                    bool low = holds(m[0], x, y, z), high = holds(m[1], x, y, z);
                    if (!low && !high) fail_msg("%s: a gap at %g %g %g", methods[k], x, y, z);
                    twice += low && high;
                }
        cloud all = {0};
        for (int i = 0; i < 2 * half[0].count; i++) {
            const float* p = half[i / half[0].count].positions + 3 * (i % half[0].count);
            cloud_add(&all, (double)p[0], (double)p[1], (double)p[2]);
        }
        // along the line where the two meet outside, 0.2 d below the surface of both together
        shoal_surface_mesh* both = surface_of(&all, 1.0, (const char* const[]){methods[k], NULL}, 2);
        int                 open = 0;
        for (double z = 1.171; z < 12; z += 0.622)
            for (double y = 3.5; y < 5.5; y += 0.0737)
                open += holds(both, -0.27, y, z) && holds(both, -0.47, y, z) && !holds(m[0], -0.27, y, z) &&
                        !holds(m[1], -0.27, y, z);
        if (open > (k == 1 ? 20 : 0)) fail_msg("%s: %d points of a groove", methods[k], open);
        shoal_surface_mesh_destroy(both);
        cloud_free(&all);
        print_message("%s: %.3f d in both\n", methods[k], 2.0 * twice / points);
        CHECK_BELOW(2.0 * twice / points, 0.35); // over the 2 d looked at
        shoal_surface_mesh_destroy(m[0]);
        shoal_surface_mesh_destroy(m[1]);
    }
    cloud_free(&half[0]);
    cloud_free(&half[1]);
}

static void a_drop_of_one_material_in_another_keeps_its_size(void** state) {
    (void)state;
    cloud one = {0}, sea = {0};
    cloud_add(&one, 4, 4, 4);
    for (int i = 0; i < 729; i++)
        if (i != 364) cloud_add(&sea, i % 9, i / 9 % 9, i / 81);
    shoal_surface_particles p = {.count           = 1,
                                 .positions       = one.positions,
                                 .spacing         = 1.0,
                                 .other_count     = sea.count,
                                 .other_positions = sea.positions};
    shoal_surface_mesh*     m = NULL;
    CHECK_OK(shoal_surface_make(&p, NULL, 1, &m));
    CHECK_NEAR(shoal_surface_mesh_volume(m), 1.0, 0.05);
    shoal_surface_mesh_destroy(m);
    cloud_free(&sea);
    cloud_free(&one);
}

// A finger of one liquid, torn rags and a ball of it within another, and single particles, one of five and, as an
// emulsion, three of ten: both meshes have the volume of their particles, and next to nothing gapes between them.
static void a_liquid_within_another_keeps_its_volume(void** state) {
    (void)state;
    enum { EDGE = 16, EMULSION = 4 };
    for (int kind = 0; kind <= EMULSION; kind++) {
        cloud    part[2] = {{0}, {0}};
        uint64_t n       = 0;
        for (int i = 0; i < EDGE * EDGE * EDGE; i++) {
            double p[3] = {i % EDGE, i / EDGE % EDGE, i / EDGE / EDGE};
            double side = hypot(p[0] - 7.6, p[2] - 7.3), rag = sin(1.1 * p[0]) * sin(0.9 * p[1]) * sin(1.3 * p[2]);
            bool   is_in = kind == 0   ? side < 2.3 && p[1] > 3.0
                           : kind == 1 ? rag > 0.45
                           : kind == 2 ? hypot(side, p[1] - 8.0) < 3.2
                                       : shoal_random(9, 1, (uint64_t)i) < 0.1 * kind - 0.1;
            for (int k = 0; k < 3; k++) p[k] += 0.3 * (shoal_random(5, 6, n++) - 0.5);
            cloud_add(&part[is_in], p[0], p[1], p[2]);
        }
        shoal_surface_mesh* m[2];
        double              fraction[2];
        for (int h = 0; h < 2; h++) {
            shoal_surface_particles p = {.count           = part[h].count,
                                         .positions       = part[h].positions,
                                         .spacing         = 1.0,
                                         .other_count     = part[1 - h].count,
                                         .other_positions = part[1 - h].positions};
            CHECK_OK(shoal_surface_make(&p, NULL, 2, &m[h]));
            fraction[h] = shoal_surface_mesh_volume(m[h]) / part[h].count;
        }
        int gaps = 0, points = 0;
        for (double x = 1.113; x < 14; x += 0.93)
            for (double z = 1.071; z < 14; z += 1.11)
                for (double y = 1.03; y < 14; y += 0.37, points++)
                    gaps += !holds(m[0], x, y, z) && !holds(m[1], x, y, z);
        print_message("kind %d: %.3f around, %.3f within (%d), %d gaps of %d\n", kind, fraction[0], fraction[1],
                      part[1].count, gaps, points);
        CHECK_NEAR(fraction[0], 1.0, kind < EMULSION ? 0.05 : 0.1);
        CHECK_NEAR(fraction[1], 1.0, kind < EMULSION ? 0.05 : 0.1);
        CHECK_BELOW(gaps, kind < 3 ? 0.002 * points : 0.03 * points);
        for (int h = 0; h < 2; h++) {
            shoal_surface_mesh_destroy(m[h]);
            cloud_free(&part[h]);
        }
    }
}

// Volumes of the bodies of a mesh, at their first vertices.
static double* body_volumes(const shoal_surface_mesh* m) {
    int*    up     = malloc((size_t)m->vertex_count * sizeof *up);
    double* volume = calloc((size_t)m->vertex_count, sizeof *volume);
    assert_true(up && volume);
    for (int i = 0; i < m->vertex_count; i++) up[i] = i;
    for (int k = 0; k < 3 * m->triangle_count; k++) {
        int a = m->triangles[k], b = m->triangles[k % 3 == 2 ? k - 2 : k + 1];
        while (up[a] != a) a = up[a] = up[up[a]];
        while (up[b] != b) b = up[b] = up[up[b]];
        up[a > b ? a : b] = a > b ? b : a;
    }
    for (int t = 0; t < m->triangle_count; t++) {
        int    root = m->triangles[3 * t];
        double p[3][3];
        while (up[root] != root) root = up[root];
        for (int k = 0; k < 9; k++)
            p[k / 3][k % 3] =
                (double)m->positions[3 * m->triangles[3 * t + k / 3] + k % 3] - (double)m->positions[3 * root + k % 3];
        volume[root] +=
            (p[0][0] * (p[1][1] * p[2][2] - p[1][2] * p[2][1]) + p[0][1] * (p[1][2] * p[2][0] - p[1][0] * p[2][2]) +
             p[0][2] * (p[1][0] * p[2][1] - p[1][1] * p[2][0])) /
            6.0;
    }
    free(up);
    return volume;
}

// Spray of two materials, so dense that most drops touch one of the other.
static void no_drop_that_touches_another_material_is_inside_out(void** state) {
    (void)state;
    static const char* const methods[] = {"method=zhu-bridson", "method=anisotropic"};
    cloud                    part[2]   = {{0}, {0}};
    for (uint64_t i = 0; i < 600; i++)
        cloud_add(&part[i % 2], 16 * shoal_random(8, 1, i), 16 * shoal_random(8, 2, i), 16 * shoal_random(8, 3, i));
    for (int k = 0; k < 4; k++) {
        const cloud *           own = &part[k % 2], *other = &part[1 - k % 2];
        shoal_surface_mesh*     m = NULL;
        shoal_surface_particles p = {.count           = own->count,
                                     .positions       = own->positions,
                                     .spacing         = 1.0,
                                     .other_count     = other->count,
                                     .other_positions = other->positions};
        CHECK_OK(shoal_surface_make(&p, (const char* const[]){methods[k / 2], NULL}, 1, &m));
        double* volumes = body_volumes(m);
        for (int i = 0; i < m->vertex_count; i++) // those of other vertices are zero
            if (volumes[i] < 0.0 && volumes[i] > -1.0) fail_msg("%s: a body of %g d^3", methods[k / 2], volumes[i]);
        free(volumes);
        shoal_surface_mesh_destroy(m);
    }
    cloud_free(&part[0]);
    cloud_free(&part[1]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_gapes_between_two_materials),
        cmocka_unit_test(a_drop_of_one_material_in_another_keeps_its_size),
        cmocka_unit_test(a_liquid_within_another_keeps_its_volume),
        cmocka_unit_test(no_drop_that_touches_another_material_is_inside_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
