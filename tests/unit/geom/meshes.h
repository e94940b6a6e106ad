// SPDX-License-Identifier: MIT
// Meshes with known geometry, for the tests.
#ifndef TEST_MESHES_H
#define TEST_MESHES_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "geom/mesh.h"

#define assert_near(a, b, by) near_or_fail((a), (b), (by), __FILE__, __LINE__)
static inline void near_or_fail(double a, double b, double by, const char* file, int line) {
    if (fabs(a - b) <= by) return;
    print_error("%.9g is not within %g of %.9g\n", a, by, b);
    _fail(file, line);
}

// A sheet of rows x columns cells mapped by `place`; both directions close on themselves where the
// places do, and triangles without area (at poles) are left out.
typedef shoal_d3 (*sheet_place)(double u, double v, const double* sizes); // u, v in [0, 1)

static inline shoal_mesh* mesh_sheet(sheet_place place, const double* sizes, int rows, int columns) {
    int    count = (rows + 1) * columns, triangles = 0;
    float* v = malloc((size_t)count * 3 * sizeof *v);
    int*   t = malloc((size_t)rows * (size_t)columns * 6 * sizeof *t);
    for (int r = 0; r <= rows; r++)
        for (int c = 0; c < columns; c++) {
            shoal_v3 p  = shoal_v3_from(place((double)r / rows, (double)c / columns, sizes));
            float*   at = &v[3 * (r * columns + c)];
            at[0] = p.x, at[1] = p.y, at[2] = p.z;
        }
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < columns; c++) {
            int a = r * columns + c, b = r * columns + (c + 1) % columns, d = a + columns, e = b + columns;
            int both[6] = {a, b, e, a, e, d};
            for (int k = 0; k < 6; k++) t[3 * triangles + k] = both[k];
            triangles += 2;
        }
    shoal_mesh* mesh = NULL;
    assert_int_equal(shoal_mesh_create(v, count, t, triangles, &mesh), SHOAL_OK);
    free(t);
    free(v);
    return mesh;
}

// Exact zeros and ones at the poles and the seam, so that welding closes them.
static inline double turn_sin(double u) { return u == 0.0 || u == 0.5 || u == 1.0 ? 0.0 : sin(2.0 * SHOAL_PI * u); }
static inline double turn_cos(double u) { return u == 1.0 ? 1.0 : cos(2.0 * SHOAL_PI * u); }

static inline shoal_d3 sphere_place(double u, double v, const double* sizes) {
    double r = sizes[0] * turn_sin(0.5 * u);
    return shoal_d3_make(r * turn_cos(v), -sizes[0] * turn_cos(0.5 * u), -r * turn_sin(v));
}

static inline shoal_d3 torus_place(double u, double v, const double* sizes) {
    double r = sizes[0] + sizes[1] * turn_cos(u);
    return shoal_d3_make(r * turn_cos(v), sizes[1] * turn_sin(u), -r * turn_sin(v));
}

static inline shoal_mesh* mesh_sphere(double radius, int rows) {
    return mesh_sheet(sphere_place, &radius, rows, 2 * rows);
}

static inline shoal_mesh* mesh_torus(double ring, double tube, int rows, int columns) {
    const double sizes[2] = {ring, tube};
    return mesh_sheet(torus_place, sizes, rows, columns);
}

// 12 triangles, counter-clockwise from outside; the last two are x = high.
static const int box_triangles[36] = {0, 6, 2, 0, 4, 6, 1, 7, 5, 1, 3, 7, 0, 5, 4, 0, 1, 5,
                                      2, 7, 3, 2, 6, 7, 0, 3, 1, 0, 2, 3, 4, 7, 6, 4, 5, 7};

static inline void box_vertices(shoal_d3 low, shoal_d3 high, float out[24]) {
    for (int i = 0; i < 8; i++) {
        out[3 * i]     = (float)(i & 4 ? high.x : low.x);
        out[3 * i + 1] = (float)(i & 1 ? high.y : low.y);
        out[3 * i + 2] = (float)(i & 2 ? high.z : low.z);
    }
}

static inline shoal_mesh* mesh_box(double x, double y, double z) {
    float       v[24];
    shoal_mesh* mesh = NULL;
    box_vertices(shoal_d3_make(0.0, 0.0, 0.0), shoal_d3_make(x, y, z), v);
    assert_int_equal(shoal_mesh_create(v, 8, box_triangles, 12, &mesh), SHOAL_OK);
    return mesh;
}

#endif
