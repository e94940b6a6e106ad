// SPDX-License-Identifier: MIT
// Liquid on a mesh that breaks and splashes.
#include "tank.h"

// The column of Martin and Moyce [1952], two of its widths high: the front over the width, by t sqrt(2 g / a).
static void a_dam_breaks_as_measured(void** state) {
    (void)state;
    static const double measured[][2] = {{0.83, 1.22}, {1.22, 1.47}, {2.00, 2.29}, {2.55, 3.00}};
    tank                t      = {.turn = {1.0, 0.0, 0.0, 0.0}, .middle = {0.4, 0.3, 0.05}, .half = {0.4, 0.3, 0.05}};
    water               w      = {.height = 0.4, .end = 0.2};
    shoal_tet_solids    solids = {&t, off_tank, false};
    shoal_tet_liquid    l      = {0};
    shoal_box           box    = {{0.0, 0.0, 0.0}, {0.8, 0.6, 0.1}};
    double              now = 0.0, step = 1.0 / 48.0, before = 0.2, earlier = 0.0, scale = sqrt(2.0 * 9.81 / 0.2);
    int                 next  = 0;
    double              worst = 0.0;
    CHECK_OK(shoal_tet_liquid_begin(&l, box, step, wet, &w, &solids, &two));
    double volume = shoal_tet_current(&l)->surface_volume;
    while (next < 4) {
        fall g = {fmin(1.0 / 120.0, 2.0 * step / (shoal_tet_fastest(&l, &two) + 1e-9))};
        step_on(&l, &solids, &g);
        now += g.dt;
        double                 front = 0.0;
        const shoal_tet_state* s     = shoal_tet_current(&l);
        for (int v = 0; v < s->mesh.vertex_count; v++) front = fmax(front, s->mesh.position[v].x);
        for (; next < 4 && now * scale >= measured[next][0]; next++) {
            double fraction = (measured[next][0] / scale - earlier) / (now - earlier),
                   found    = (before + fraction * (front - before)) / 0.2;
            assert_true(found > 0.92 * measured[next][1] && found < 1.15 * measured[next][1]);
            print_message("T %.2f: front %.2f, measured %.2f, %+.0f %%; volume %+.2f %%, %d tets\n", measured[next][0],
                          found, measured[next][1], 100.0 * (found / measured[next][1] - 1.0),
                          100.0 * (s->surface_volume / volume - 1.0), s->mesh.tet_count);
        }
        worst  = fmax(worst, fabs(s->surface_volume / volume - 1.0));
        before = front, earlier = now;
        assert_true(now < 1.0);
    }
    CHECK_BELOW(worst, 0.01);
    shoal_tet_liquid_free(&l);
}

static void pool_and_drop(void* ctx, const shoal_d3* at, int count, double* value) {
    (void)ctx;
    for (int i = 0; i < count; i++) {
        double to_drop = shoal_d3_length(shoal_d3_sub(at[i], shoal_d3_make(0.52, 0.6, 0.47))) - 0.15;
        value[i]       = fmin(at[i].y - 0.3, to_drop);
    }
}

// With the splash and its sheets meshes keep their angles, and the volume is kept.
static void a_drop_falls_into_a_pool(void** state) {
    (void)state;
    tank             t      = {.turn = {1.0, 0.0, 0.0, 0.0}, .middle = {0.5, 0.5, 0.5}, .half = {0.5, 0.5, 0.5}};
    shoal_tet_solids solids = {&t, off_tank, false};
    shoal_tet_liquid l      = {0};
    shoal_box        box    = {{0.0, 0.0, 0.0}, {1.0, 1.0, 1.0}};
    double           step = 0.05, now = 0.0, worst = 0.0, least = 90.0, largest = 90.0;
    CHECK_OK(shoal_tet_liquid_begin(&l, box, step, pool_and_drop, NULL, &solids, &two));
    double volume = shoal_tet_liquid_volume(&l, &two);
    while (now < 0.8) {
        fall g = {fmin(1.0 / 60.0, 2.0 * step / (shoal_tet_fastest(&l, &two) + 1e-9))};
        step_on(&l, &solids, &g);
        now += g.dt;
        CHECK_OK(shoal_tet_liquid_flow(&l, 0.5, &two)); // finds the neighbours, which a step lets go
        shoal_tet_quality q = shoal_tetmesh_quality(&shoal_tet_current(&l)->mesh, &two);
        worst               = fmax(worst, fabs(shoal_tet_liquid_volume(&l, &two) / volume - 1.0));
        least               = fmin(least, q.least_angle);
        largest             = fmax(largest, q.largest_angle);
    }
    print_message("a drop into a pool: volume off by %.2f %%, angles %.1f to %.1f degrees\n", 100.0 * worst, least,
                  largest);
    assert_true(least > 10.7 && largest < 164.8);
    CHECK_BELOW(worst, 0.015);
    shoal_tet_liquid_free(&l);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_dam_breaks_as_measured),
        cmocka_unit_test(a_drop_falls_into_a_pool),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
