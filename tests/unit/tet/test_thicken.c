// SPDX-License-Identifier: MIT
// Thin parts of a tracked surface: where they are found, where they are carried, and which others get their radius.
#include "unit/tet/tracked.h"

enum { CELLS = 32 };
static const shoal_exec three = {.threads = 3};

// A sheet through the middle of the cube that is 0.5 cells thick at x = 0.3 and 1.3 at x = 0.7.
static double wedge(const shape* s, shoal_d3 at) {
    double half = (0.25 + (at.x - 0.3)) / CELLS;
    return fmax(fabs(at.y - s->middle.y) - half, ball(s, at));
}

typedef struct drift {
    shoal_d3 way;
} drift;
static bool     is_left(void* ctx, shoal_d3 at) { return ctx && at.z < 0.5; }
static shoal_d3 drifted(void* ctx, shoal_d3 at) { return shoal_d3_add(at, ((const drift*)ctx)->way); }

static void find(shoal_tet_thicken* t, shoal_tet_thicken_def def, shoal_d3 way, shoal_tet_wet_fn is_wet) {
    shape        s    = {wedge, {0.5, 0.5, 0.5}, 0.2};
    shoal_band   band = {0};
    drift        d    = {way};
    shoal_octree tree = frame(&band, CELLS);
    begin_with(&band, &s, shoal_d3_make(0.7, 0.5, 0.5), &three);
    CHECK_OK(shoal_tet_thicken_make(t, &band, &tree, &def, is_wet, drifted, &d, &three));
    shoal_band_free(&band);
}

static const shoal_tet_thicken_def plain = {.thin = 1.2};

static void thin_parts_are_found_half_way_through(void** state) {
    (void)state;
    shoal_tet_thicken all = {0}, some = {0};
    find(&all, plain, shoal_d3_make(0.0, 0.0, 0.0), everywhere);
    find(&some, plain, shoal_d3_make(0.0, 0.0, 0.0), is_left);
    assert_in_range(all.count, 100, 4000);
    assert_in_range(some.count, all.count / 3,
                    2 * all.count / 3); // places that do not count are left out
    for (int i = 0; i < all.count; i++) {
        const shoal_tet_medial* m = &all.items[i];
        CHECK_NEAR(m->at.y * CELLS, 0.5 * CELLS, 0.5);
        CHECK_BELOW(m->radius * CELLS, 0.6 + 1e-9);
        if (fabs(m->at.x - 0.5) > 0.1 || fabs(m->at.z - 0.5) > 0.1) continue; // at its rim
        CHECK_NEAR(m->at.y * CELLS, 0.5 * CELLS, 0.1);
        CHECK_NEAR(m->radius * CELLS, 0.25 + m->at.x - 0.3, 0.12);
    }
    shoal_tet_thicken_free(&all);
    shoal_tet_thicken_free(&some);
}

static void thin_parts_go_with_the_flow(void** state) {
    (void)state;
    shoal_tet_thicken rest = {0}, moved = {0};
    double            sums[2] = {0};
    find(&rest, plain, shoal_d3_make(0.0, 0.0, 0.0), everywhere);
    find(&moved, plain, shoal_d3_make(0.0, 0.07, 0.0), everywhere);
    assert_int_equal(rest.count, moved.count);
    for (int i = 0; i < rest.count; i++) sums[0] += rest.items[i].at.y, sums[1] += moved.items[i].at.y;
    CHECK_NEAR((sums[1] - sums[0]) / rest.count, 0.07, 1e-9);
    shoal_tet_thicken_free(&rest);
    shoal_tet_thicken_free(&moved);
}

// All that the thinnest have goes to others, and nothing more; both grow by what they should.
static void the_thinnest_give_their_radius_to_those_less_thin(void** state) {
    (void)state;
    shoal_tet_thicken     before = {0}, after = {0}, grown = {0};
    shoal_tet_thicken_def def  = plain;
    const double          cell = 1.0 / CELLS;
    double                had = 0.0, got = 0.0;
    int                   gone = 0;
    find(&before, def, shoal_d3_make(0.0, 0.0, 0.0), everywhere);
    def.redistribute = 1.0;
    find(&after, def, shoal_d3_make(0.0, 0.0, 0.0), everywhere);
    def.more_big = 0.25, def.more_small = 0.15;
    find(&grown, def, shoal_d3_make(0.0, 0.0, 0.0), everywhere);
    assert_int_equal(before.count, after.count);
    for (int i = 0; i < after.count; i++) {
        const shoal_tet_medial *a = &after.items[i], *g = &grown.items[i];
        double                  most = fmin(before.items[i].radius + after.given[i], 0.6 * cell);
        if (a->near > 0) had += before.items[i].radius, gone++;
        got += after.given[i];
        CHECK_NEAR(a->radius, a->near > 0 ? 0.0 : a->near < 0 ? most : before.items[i].radius, 1e-12);
        CHECK_NEAR(g->radius, a->near > 0 ? 0.0 : a->radius + (a->near < 0 ? 0.25 : 0.15) * cell, 1e-12);
    }
    assert_in_range(gone, 5, after.count / 2);
    CHECK_NEAR(got / had, 1.0, 1e-9);
    shoal_tet_thicken_free(&before);
    shoal_tet_thicken_free(&after);
    shoal_tet_thicken_free(&grown);
}

// Half way through, a ball reaches as far as its radius; beyond the reach of all of them nothing changes.
static void balls_are_joined_to_the_distance(void** state) {
    (void)state;
    shoal_tet_thicken     t   = {0};
    shoal_tet_thicken_def def = plain;
    def.more_big = def.more_small = 0.5;
    find(&t, def, shoal_d3_make(0.0, 0.0, 0.0), everywhere);
    double far = shoal_tet_thickened(&t, shoal_d3_make(0.5, 0.7, 0.5), 0.19);
    CHECK_NEAR(far, 0.19, 0.0);
    double near = shoal_tet_thickened(&t, shoal_d3_make(0.5, 0.5, 0.5), -0.1 / CELLS) * CELLS;
    CHECK_BELOW(near, -0.7); // 0.45 and 0.5
    CHECK_BELOW(-1.1, near);
    shoal_tet_thicken_free(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(thin_parts_are_found_half_way_through),
        cmocka_unit_test(thin_parts_go_with_the_flow),
        cmocka_unit_test(the_thinnest_give_their_radius_to_those_less_thin),
        cmocka_unit_test(balls_are_joined_to_the_distance),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
