// SPDX-License-Identifier: MIT
// Images across periodic walls, and in walls that reflect the liquid.
#include "fluid/halo.h"

#include "unit/check.h"

typedef struct room {
    shoal_world* world;
    shoal_solids solids;
    shoal_v4     place[32], speed[32];
    shoal_halo   halo;
    int          count;
} room;

// A box of 10 x 10 x 10 m with walls as letters (s slip, f friction, t stick, p periodic, o open),
// one particle at (0.5, 1, 1.5) m that moves, seen within 4 m.
static room seen_in(const char* walls) {
    room              r    = {.count = 1};
    shoal_description d    = {.spacing = 1.0, .domain = {.is_given = true, .max = {10.0, 10.0, 10.0}}};
    shoal_exec        exec = shoal_exec_make(1);
    for (int w = 0; w < SHOAL_WALL_COUNT; w++)
        d.domain.walls[w].kind = walls[w] == 's'   ? SHOAL_WALL_SLIP
                                 : walls[w] == 'f' ? SHOAL_WALL_FRICTION
                                 : walls[w] == 't' ? SHOAL_WALL_STICK
                                 : walls[w] == 'p' ? SHOAL_WALL_PERIODIC
                                                   : SHOAL_WALL_OPEN;
    CHECK_OK(shoal_world_create(&d, &r.world));
    r.solids = (shoal_solids){.world = r.world, .kind = SHOAL_LIQUID};
    shoal_solids_reflect(&r.solids, true);
    r.place[0] = (shoal_v4){0.5f, 1.0f, 1.5f, 7.0f};
    r.speed[0] = (shoal_v4){0.1f, 0.2f, 0.3f, 5.0f};
    r.place[1] = (shoal_v4){9.0f, 5.0f, 5.0f, 0.0f}; // widens the frame
    shoal_cells_frame frame;
    CHECK_OK(shoal_cells_frame_make(&exec, r.place, 2, 4.0f, &frame));
    CHECK_OK(shoal_halo_build(&r.halo, &exec, &r.solids, &frame, r.place, r.count, 4.0f));
    SHOAL_SHARE(&r.halo, r.count, SHOAL_SHOW(r.place, PLACE), SHOAL_SHOW(r.speed, VECTOR));
    return r;
}

static void room_free(room* r) {
    shoal_halo_free(&r->halo);
    shoal_world_destroy(r->world);
}

// The image at that place, or -1.
static int image_at(const room* r, float x, float y, float z) {
    for (int k = r->count; k < r->count + r->halo.count; k++)
        if (r->place[k].x == x && r->place[k].y == y && r->place[k].z == z) return k;
    return -1;
}

static void a_smooth_wall_shows_place_and_motion_as_a_mirror_does(void** state) {
    (void)state;
    room r = seen_in("soooff");
    assert_int_equal(r.halo.count, 1);
    int k = image_at(&r, -0.5f, 1.0f, 1.5f);
    assert_int_equal(k, 1);
    assert_true(r.speed[k].x == -0.1f && r.speed[k].y == 0.2f && r.speed[k].z == 0.3f);
    assert_true(r.place[k].w == 7.0f && r.speed[k].w == 5.0f);
    room_free(&r);
}

static void a_corner_of_mirrors_shows_seven_images(void** state) {
    (void)state;
    room r = seen_in("sososo");
    assert_int_equal(r.halo.count, 7);
    for (int k = 1; k < 8; k++) {
        float x = k & 1 ? -1.0f : 1.0f, y = k & 2 ? -1.0f : 1.0f, z = k & 4 ? -1.0f : 1.0f;
        int   at = image_at(&r, x * 0.5f, y * 1.0f, z * 1.5f);
        assert_true(at > 0);
        assert_true(r.speed[at].x == x * 0.1f && r.speed[at].y == y * 0.2f && r.speed[at].z == z * 0.3f);
    }
    room_free(&r);
}

static void a_mirror_is_seen_across_a_periodic_wall(void** state) {
    (void)state;
    room r = seen_in("ppsooo");
    assert_int_equal(r.halo.count, 3);
    int k = image_at(&r, 10.5f, -1.0f, 1.5f);
    assert_true(k > 0 && image_at(&r, 10.5f, 1.0f, 1.5f) > 0 && image_at(&r, 0.5f, -1.0f, 1.5f) > 0);
    assert_true(r.speed[k].x == 0.1f && r.speed[k].y == -0.2f);
    room_free(&r);
}

static void walls_that_rub_stick_or_are_open_show_nothing(void** state) {
    (void)state;
    room r = seen_in("fotofo");
    assert_int_equal(r.halo.count, 0);
    assert_false(shoal_halo_is_needed(&r.solids));
    room_free(&r);
}

static void a_tensor_turns_the_signs_of_its_mixed_parts(void** state) {
    (void)state;
    room     r       = seen_in("soooso");
    shoal_v4 lean[8] = {{1.0f, 2.0f, 3.0f, 4.0f}};
    float    yz[8]   = {5.0f};
    SHOAL_SHARE(&r.halo, r.count, SHOAL_SHOW(lean, LEAN), SHOAL_SHOW(yz, LEAN_YZ));
    int x = image_at(&r, -0.5f, 1.0f, 1.5f), both = image_at(&r, -0.5f, 1.0f, -1.5f);
    assert_true(x > 0 && both > 0);
    assert_true(lean[x].x == 1.0f && lean[x].y == 2.0f && lean[x].z == -3.0f && lean[x].w == -4.0f && yz[x] == 5.0f);
    assert_true(lean[both].z == -3.0f && lean[both].w == 4.0f && yz[both] == -5.0f);
    room_free(&r);
}

static void numbers_of_any_size_are_shown_as_they_are(void** state) {
    (void)state;
    room     r        = seen_in("soooso");
    uint8_t  small[8] = {200};
    int32_t  id[8]    = {-7};
    float    share[8] = {0.25f};
    shoal_v4 kick[8]  = {{1.0f, 2.0f, 3.0f, 4.0f}};
    SHOAL_SHARE(&r.halo, r.count, SHOAL_SHOW(small, SAME), SHOAL_SHOW(id, SAME), SHOAL_SHOW(share, SAME),
                SHOAL_SHOW(kick, SAME));
    assert_int_equal(r.halo.count, 3);
    for (int k = 1; k < 4; k++) {
        assert_true(small[k] == 200 && id[k] == -7 && share[k] == 0.25f);
        assert_true(kick[k].x == 1.0f && kick[k].y == 2.0f && kick[k].z == 3.0f && kick[k].w == 4.0f);
    }
    assert_true(small[4] == 0 && id[4] == 0 && share[4] == 0.0f && kick[4].x == 0.0f); // nobody's are the solver's
    room_free(&r);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_smooth_wall_shows_place_and_motion_as_a_mirror_does),
        cmocka_unit_test(a_corner_of_mirrors_shows_seven_images),
        cmocka_unit_test(a_mirror_is_seen_across_a_periodic_wall),
        cmocka_unit_test(walls_that_rub_stick_or_are_open_show_nothing),
        cmocka_unit_test(a_tensor_turns_the_signs_of_its_mixed_parts),
        cmocka_unit_test(numbers_of_any_size_are_shown_as_they_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
