// SPDX-License-Identifier: MIT
// 70,000 triangles onto a field of 128^3 samples: less than 1.5 s on 2 cores is promised. Processor
// time is held to the limit, which other work on the machine disturbs less; wall time is printed
// beside it. In builds without optimisation or with sanitizers the figures are printed only.
#include <stdio.h>
#include <time.h>

#include "base/clock.h"
#include "geom/sdf.h"
#include "meshes.h"

#if defined(__has_feature)
#define HAS_FEATURE(x) __has_feature(x)
#else
#define HAS_FEATURE(x) 0
#endif
#if defined(__OPTIMIZE__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) &&                        \
    !HAS_FEATURE(address_sanitizer) && !HAS_FEATURE(thread_sanitizer)
enum { IS_FAST_BUILD = 1 };
#else
enum { IS_FAST_BUILD = 0 };
#endif

enum { CELLS = 121 }; // and 3 beyond each side: 128 samples

static shoal_d3 bumpy_place(double u, double v, const double* sizes) {
    double r = sizes[0] * (1.0 + 0.1 * turn_sin(5.0 * u) * turn_sin(0.5 * u) * turn_cos(7.0 * v));
    return shoal_d3_scale(sphere_place(u, v, sizes), u == 0.0 || u == 1.0 ? 1.0 : r);
}

// Processor seconds of this process, all threads together.
static double processor_seconds(void) { return (double)clock() / CLOCKS_PER_SEC; }

static const double promised = 1.5; // s

// Per core of two; best of up to three, where the first is not good enough.
static double best_seconds(const shoal_mesh* mesh) {
    shoal_box box  = shoal_mesh_bounds(mesh);
    double    size = fmax(box.max.x - box.min.x, fmax(box.max.y - box.min.y, box.max.z - box.min.z));
    double    best = 1e300, wall = 1e300;
    for (int k = 0; k < 3 && best >= promised; k++) {
        shoal_sdf* sdf   = NULL;
        double     start = shoal_seconds(), used = processor_seconds();
        assert_int_equal(shoal_sdf_create(mesh, size / CELLS * (1.0 + 1e-9), 2, &sdf), SHOAL_OK);
        wall = fmin(wall, shoal_seconds() - start);
        best = fmin(best, 0.5 * (processor_seconds() - used));
        if (k == 0) printf("%d triangles onto %d x %d x %d: ", mesh->triangle_count, sdf->nx, sdf->ny, sdf->nz);
        shoal_sdf_destroy(sdf);
    }
    printf("%.3f s of each core, %.3f s in all\n", best, wall);
    return best;
}

static void a_bumpy_ball_takes_less_than_the_promised_time(void** state) {
    (void)state;
    const double radius = 1.0;
    shoal_mesh*  mesh   = mesh_sheet(bumpy_place, &radius, 132, 264);
    assert_in_range(mesh->triangle_count, 69000, 71000);
    double seconds = best_seconds(mesh);
    if (IS_FAST_BUILD) assert_true(seconds < promised);
    mesh->triangle_count -= 3000; // open: winding numbers everywhere
    seconds = best_seconds(mesh);
    if (IS_FAST_BUILD) assert_true(seconds < promised);
    shoal_mesh_destroy(mesh);
}

static void examining_it_takes_less_than_a_second(void** state) {
    (void)state;
    shoal_mesh*        mesh = mesh_torus(1.0, 0.4, 132, 264);
    shoal_mesh_quality q;
    double             start = processor_seconds();
    assert_int_equal(shoal_mesh_examine(mesh, &q), SHOAL_OK);
    double seconds = processor_seconds() - start;
    printf("examined in %.3f s\n", seconds);
    assert_int_equal(q.open_edges + q.nonmanifold_edges + q.flipped_edges + q.degenerate_triangles, 0);
    if (IS_FAST_BUILD) assert_true(seconds < 1.0);
    shoal_mesh_destroy(mesh);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_bumpy_ball_takes_less_than_the_promised_time),
        cmocka_unit_test(examining_it_takes_less_than_a_second),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
