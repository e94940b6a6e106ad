// SPDX-License-Identifier: MIT
// Neighbour lists against brute force, on every instruction set and thread count, with and without ghosts.
#include "unit/check.h"

#include "base/hash.h"
#include "grid/near.h"

enum { MOST = 4000 };

typedef struct cloud {
    int      count;
    shoal_v4 place[MOST + 1];
} cloud;

static cloud cloud_random(int count, double size, uint64_t seed) {
    cloud c = {.count = count};
    for (int i = 0; i < count; i++)
        for (int k = 0; k < 3; k++)
            (&c.place[i].x)[k] = (float)(size * (shoal_random(seed, (uint64_t)k, (uint64_t)i) - 0.3));
    return c;
}

static void put_in_order(cloud* c, const int* order) {
    cloud from = *c;
    for (int k = 0; k < c->count; k++) c->place[k] = from.place[order[k]];
}

static void nobody_at(cloud* c) { c->place[c->count] = (shoal_v4){SHOAL_NOWHERE, SHOAL_NOWHERE, SHOAL_NOWHERE, 0.0f}; }

// The lists must name exactly the pairs nearer than h, each once, and be padded with nobody.
static void compare_with_brute_force(const cloud* c, int own, const shoal_near* near, float h) {
    for (int i = 0; i < own; i++) {
        int        want = 0, found = near->count[i];
        const int* list = near->index + (size_t)SHOAL_LANES * near->start[i];
        for (int j = 0; j < c->count; j++) {
            float dx = c->place[i].x - c->place[j].x, dy = c->place[i].y - c->place[j].y,
                  dz = c->place[i].z - c->place[j].z;
            if (j == i || !(dx * dx + dy * dy + dz * dz < h * h)) continue;
            want++;
            bool is_there = false;
            for (int k = 0; k < found; k++) is_there = is_there || list[k] == j;
            assert_true(is_there);
        }
        assert_int_equal(found, want);
        for (int k = found; k % SHOAL_LANES != 0; k++) assert_int_equal(list[k], c->count);
    }
}

static const shoal_isa_kind kinds[] = {SHOAL_ISA_PLAIN, SHOAL_ISA_GENERIC, SHOAL_ISA_SSE2, SHOAL_ISA_AVX2,
                                       SHOAL_ISA_AVX512};

static bool is_here(shoal_isa_kind kind) {
    shoal_isa_kind found;
    return shoal_isa_by_name(shoal_isa_name(kind), &found) == SHOAL_OK;
}

static void check_cloud(cloud c, float h) {
    shoal_exec        exec  = shoal_exec_make(1);
    shoal_cells       cells = {0};
    shoal_cells_frame frame;
    CHECK_OK(shoal_cells_frame_make(&exec, c.place, c.count, h, &frame));
    CHECK_OK(shoal_cells_sort(&cells, &exec, &frame, c.place, c.count));
    put_in_order(&c, cells.order);
    nobody_at(&c);
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        for (int threads = 1; threads <= 3 && is_here(kinds[k]); threads++) {
            shoal_near near = {0};
            exec            = shoal_exec_make(threads);
            CHECK_OK(shoal_near_build(&near, &exec, kinds[k], &cells, NULL, c.place, c.count, h));
            compare_with_brute_force(&c, c.count, &near, h);
            shoal_near_free(&near);
        }
    shoal_cells_free(&cells);
}

static void lists_find_the_same_pairs_as_brute_force(void** state) {
    (void)state;
    check_cloud(cloud_random(2000, 1.0, 7), 0.11f);
    check_cloud(cloud_random(500, 1e4, 8), 0.2f); // nearly everyone alone, far apart
    check_cloud(cloud_random(700, 0.1, 9), 0.2f); // all in each other's sight: lists of 699
    check_cloud(cloud_random(1, 1.0, 10), 0.2f);
    check_cloud(cloud_random(0, 1.0, 10), 0.2f);
}

static void particles_in_one_spot_see_each_other(void** state) {
    (void)state;
    cloud c = cloud_random(100, 0.3, 11);
    for (int i = 0; i < 50; i++) c.place[i] = c.place[60];
    check_cloud(c, 0.1f);
}

static void ghosts_are_found_too(void** state) {
    (void)state;
    float             h    = 0.1f;
    shoal_exec        exec = shoal_exec_make(2);
    cloud             own = cloud_random(900, 1.0, 12), ghosts = cloud_random(600, 1.0, 13);
    shoal_cells       own_cells = {0}, ghost_cells = {0};
    shoal_cells_frame frame;
    cloud             both = own;
    memcpy(both.place + own.count, ghosts.place, 600 * sizeof(shoal_v4));
    both.count = 1500;
    CHECK_OK(shoal_cells_frame_make(&exec, both.place, both.count, h, &frame));
    CHECK_OK(shoal_cells_sort(&own_cells, &exec, &frame, own.place, own.count));
    CHECK_OK(shoal_cells_sort(&ghost_cells, &exec, &frame, ghosts.place, ghosts.count));
    put_in_order(&own, own_cells.order);
    put_in_order(&ghosts, ghost_cells.order);
    memcpy(both.place, own.place, 900 * sizeof(shoal_v4));
    memcpy(both.place + 900, ghosts.place, 600 * sizeof(shoal_v4));
    nobody_at(&both);
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        if (!is_here(kinds[k])) continue;
        shoal_near near = {0};
        CHECK_OK(shoal_near_build(&near, &exec, kinds[k], &own_cells, &ghost_cells, both.place, both.count, h));
        compare_with_brute_force(&both, own.count, &near, h);
        shoal_near_free(&near);
    }
    shoal_cells_free(&own_cells);
    shoal_cells_free(&ghost_cells);
}

static void particles_too_far_apart_are_a_divergence(void** state) {
    (void)state;
    shoal_exec        exec = shoal_exec_make(1);
    cloud             c    = cloud_random(10, 1.0, 14);
    shoal_cells_frame frame;
    c.place[3].y = 1e20f;
    assert_int_equal(shoal_cells_frame_make(&exec, c.place, c.count, 0.1f, &frame), SHOAL_ERR_DIVERGE);
    c.place[3].y = INFINITY;
    assert_int_equal(shoal_cells_frame_make(&exec, c.place, c.count, 0.1f, &frame), SHOAL_ERR_DIVERGE);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lists_find_the_same_pairs_as_brute_force),
        cmocka_unit_test(particles_in_one_spot_see_each_other),
        cmocka_unit_test(ghosts_are_found_too),
        cmocka_unit_test(particles_too_far_apart_are_a_divergence),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
