// SPDX-License-Identifier: MIT
// Images across periodic walls, and in walls that reflect the liquid.
#include "fluid/halo.h"

#include "base/hash.h"
#include "unit/check.h"

typedef struct tank {
    shoal_world* world;
    shoal_solids solids;
    shoal_v4     place[32], speed[32];
    shoal_halo   halo;
    int          count;
} tank;

// A box of 10 x 10 x 10 m with walls as letters (s slip, f friction, t stick, p periodic, o open),
// one particle at (0.5, 1, 1.5) m that moves, seen within 4 m.
static tank seen_in(const char* walls) {
    tank              r    = {.count = 1};
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
    SHOAL_FILL_HALO(&r.halo, r.count, SHOAL_SHOW(r.place, PLACE), SHOAL_SHOW(r.speed, VECTOR));
    return r;
}

static void tank_free(tank* r) {
    shoal_halo_free(&r->halo);
    shoal_world_destroy(r->world);
}

// The image at that place, or -1.
static int image_at(const tank* r, float x, float y, float z) {
    for (int k = r->count; k < r->count + r->halo.count; k++)
        if (r->place[k].x == x && r->place[k].y == y && r->place[k].z == z) return k;
    return -1;
}

static void a_smooth_wall_shows_place_and_motion_as_a_mirror_does(void** state) {
    (void)state;
    tank r = seen_in("soooff");
    assert_int_equal(r.halo.count, 1);
    int k = image_at(&r, -0.5f, 1.0f, 1.5f);
    assert_int_equal(k, 1);
    assert_true(r.speed[k].x == -0.1f && r.speed[k].y == 0.2f && r.speed[k].z == 0.3f);
    assert_true(r.place[k].w == 7.0f && r.speed[k].w == 5.0f);
    tank_free(&r);
}

static void a_corner_of_mirrors_shows_seven_images(void** state) {
    (void)state;
    tank r = seen_in("sososo");
    assert_int_equal(r.halo.count, 7);
    for (int k = 1; k < 8; k++) {
        float x = k & 1 ? -1.0f : 1.0f, y = k & 2 ? -1.0f : 1.0f, z = k & 4 ? -1.0f : 1.0f;
        int   at = image_at(&r, x * 0.5f, y * 1.0f, z * 1.5f);
        assert_true(at > 0);
        assert_true(r.speed[at].x == x * 0.1f && r.speed[at].y == y * 0.2f && r.speed[at].z == z * 0.3f);
    }
    tank_free(&r);
}

static void a_mirror_is_seen_across_a_periodic_wall(void** state) {
    (void)state;
    tank r = seen_in("ppsooo");
    assert_int_equal(r.halo.count, 3);
    int k = image_at(&r, 10.5f, -1.0f, 1.5f);
    assert_true(k > 0 && image_at(&r, 10.5f, 1.0f, 1.5f) > 0 && image_at(&r, 0.5f, -1.0f, 1.5f) > 0);
    assert_true(r.speed[k].x == 0.1f && r.speed[k].y == -0.2f);
    tank_free(&r);
}

static void walls_that_rub_stick_or_are_open_show_nothing(void** state) {
    (void)state;
    tank r = seen_in("fotofo");
    assert_int_equal(r.halo.count, 0);
    assert_false(shoal_halo_is_needed(&r.solids));
    tank_free(&r);
}

static void a_tensor_turns_the_signs_of_its_mixed_parts(void** state) {
    (void)state;
    tank     r       = seen_in("soooso");
    shoal_v4 lean[8] = {{1.0f, 2.0f, 3.0f, 4.0f}};
    float    yz[8]   = {5.0f};
    SHOAL_FILL_HALO(&r.halo, r.count, SHOAL_SHOW(lean, LEAN), SHOAL_SHOW(yz, LEAN_YZ));
    int x = image_at(&r, -0.5f, 1.0f, 1.5f), both = image_at(&r, -0.5f, 1.0f, -1.5f);
    assert_true(x > 0 && both > 0);
    assert_true(lean[x].x == 1.0f && lean[x].y == 2.0f && lean[x].z == -3.0f && lean[x].w == -4.0f && yz[x] == 5.0f);
    assert_true(lean[both].z == -3.0f && lean[both].w == 4.0f && yz[both] == -5.0f);
    tank_free(&r);
}

static void numbers_of_any_size_are_shown_as_they_are(void** state) {
    (void)state;
    tank     r           = seen_in("soooso");
    uint8_t  small[8]    = {200};
    int32_t  id[8]       = {-7};
    float    fraction[8] = {0.25f};
    shoal_v4 kick[8]     = {{1.0f, 2.0f, 3.0f, 4.0f}};
    SHOAL_FILL_HALO(&r.halo, r.count, SHOAL_SHOW(small, SAME), SHOAL_SHOW(id, SAME), SHOAL_SHOW(fraction, SAME),
                    SHOAL_SHOW(kick, SAME));
    assert_int_equal(r.halo.count, 3);
    for (int k = 1; k < 4; k++) {
        assert_true(small[k] == 200 && id[k] == -7 && fraction[k] == 0.25f);
        assert_true(kick[k].x == 1.0f && kick[k].y == 2.0f && kick[k].z == 3.0f && kick[k].w == 4.0f);
    }
    assert_true(small[4] == 0 && id[4] == 0 && fraction[4] == 0.0f && kick[4].x == 0.0f); // nobody is not among them
    tank_free(&r);
}

static void behind_the_images_is_nobody(void** state) {
    (void)state;
    tank       r        = seen_in("soooso");
    shoal_exec exec     = shoal_exec_make(1);
    uint8_t    kind[8]  = {2, 9, 9, 9, 9, 9};
    float      light[8] = {3.0f, 9.0f, 9.0f, 9.0f, 9.0f, 9.0f};
    shoal_v4   later[8] = {{1.0f, 2.0f, 3.0f, 4.0f}}, fine[8] = {{1e-9f, 0.0f, 0.0f, 6.0f}};
    for (int k = 1; k < 8; k++) later[k] = fine[k] = (shoal_v4){9.0f, 9.0f, 9.0f, 9.0f};
    SHOAL_LAY(&r.halo, &exec, r.count, SHOAL_SHOW_FINE(r.place, fine), SHOAL_SHOW(kind, SAME),
              SHOAL_SHOW_WITH(light, SAME, 1.0f), SHOAL_SHOW_LATER(later, VECTOR));
    assert_int_equal(r.halo.count, 3);
    for (int k = 1; k < 4; k++)
        assert_true(kind[k] == 2 && light[k] == 3.0f && later[k].x == 9.0f && fine[k].w == 6.0f);
    assert_true(kind[4] == 0 && light[4] == 1.0f && later[4].x == 0.0f && later[4].w == 0.0f && fine[4].x == 0.0f);
    assert_true(r.place[4].x == SHOAL_NOWHERE && r.place[4].y == SHOAL_NOWHERE && r.place[4].w == 0.0f);
    assert_true(kind[5] == 9 && light[5] == 9.0f && later[5].x == 9.0f);

    // also where there are no images
    shoal_halo none = {0};
    SHOAL_LAY(&none, &exec, 1, SHOAL_SHOW(r.place, PLACE), SHOAL_SHOW(kind, SAME));
    assert_true(kind[1] == 0 && r.place[1].x == SHOAL_NOWHERE && kind[2] == 2);
    tank_free(&r);
}

// Rounded to one float, a place far from the origin would lose what it had in its second.
static void a_place_in_two_floats_keeps_both_across_a_wall(void** state) {
    (void)state;
    tank     r       = seen_in("ppoooo");
    shoal_v4 fine[8] = {{3e-8f, 0.0f, 0.0f, 1.0f}};
    r.place[0]       = (shoal_v4){0.1f, 1.0f, 1.5f, 7.0f};
    SHOAL_FILL_HALO(&r.halo, r.count, SHOAL_SHOW_FINE(r.place, fine));
    assert_int_equal(r.halo.count, 1);
    double shown = (double)r.place[1].x + (double)fine[1].x, wanted = (double)0.1f + (double)3e-8f + 10.0;
    assert_true(fabs(shown - wanted) < 1e-13 && fabs(shown - (double)(float)wanted) > 1e-8 && r.place[1].w == 7.0f &&
                fine[1].w == 1.0f);
    assert_true(fine[1].x != fine[0].x); // the first float of 10.1 is off by more than that of 0.1
    tank_free(&r);
}

enum { COUNT = 6000 };

// As it is defined, one after the other: along each axis, for the own and the images before, across the lower wall and
// the upper one, then in the lower mirror and the upper one. Gives the number of those that are in the frame.
static int found_by_hand(const shoal_solids* solids, const shoal_cells_frame* frame, const shoal_v4* place, float reach,
                         shoal_image* out) {
    int found = 0, left = 0;
    for (int axis = 0; axis < 3; axis++) {
        float low = shoal_v3_axis(solids->world->min, axis), high = shoal_v3_axis(solids->world->max, axis);
        int   before = found;
        for (int k = 0; k < COUNT + before; k++) {
            shoal_image own = {k, {1.0f, 1.0f, 1.0f}, {0.0f, 0.0f, 0.0f}};
            if (k >= COUNT) own = out[k - COUNT];
            shoal_v4 p          = shoal_image_shown(own, place);
            float    at         = (&p.x)[axis];
            bool     is_near[2] = {at<low + reach, at> high - reach};
            for (int how = 0; how < 4; how++) {
                bool is_mirror = how >= 2;
                if (!is_near[how % 2] ||
                    !(is_mirror ? solids->is_mirror[2 * axis + how % 2] : solids->world->is_periodic[axis]))
                    continue;
                shoal_image image = own;
                float *     sign = (&image.sign.x) + axis, *offset = (&image.offset.x) + axis;
                if (is_mirror) *sign = -*sign, *offset = -*offset;
                *offset += how == 0 ? high - low : how == 1 ? low - high : 2.0f * (how == 2 ? low : high);
                out[found++] = image;
            }
        }
    }
    for (int k = 0; k < found; k++)
        if (shoal_cells_frame_holds(frame, shoal_image_shown(out[k], place))) out[left++] = out[k];
    return left;
}

static void images_are_those_found_one_after_the_other_for_any_threads(void** state) {
    (void)state;
    tank         r      = seen_in("ppssso");
    shoal_v4*    place  = shoal_alloc(COUNT, sizeof *place);
    shoal_image* wanted = shoal_alloc(8 * COUNT, sizeof *wanted);
    for (int k = 0; k < COUNT; k++)
        place[k] =
            (shoal_v4){10.0f * (float)shoal_random(3, 0, (uint64_t)k), 10.0f * (float)shoal_random(3, 1, (uint64_t)k),
                       10.0f * (float)shoal_random(3, 2, (uint64_t)k), 0.0f};
    shoal_cells_frame frame;
    shoal_exec        one = shoal_exec_make(1);
    CHECK_OK(shoal_cells_frame_make(&one, place, COUNT, 2.0f, &frame));
    int count = found_by_hand(&r.solids, &frame, place, 2.0f, wanted);
    assert_true(count > COUNT / 2);
    for (int threads = 1; threads <= 5; threads += 2) {
        shoal_exec exec = shoal_exec_make(threads);
        shoal_halo halo = {0};
        for (int again = 0; again < 2; again++) {
            CHECK_OK(shoal_halo_build(&halo, &exec, &r.solids, &frame, place, COUNT, 2.0f));
            assert_int_equal(halo.count, count);
            for (int k = 0; k < count; k++)
                assert_memory_equal(&halo.images[k], &wanted[halo.cells.order[k]], sizeof *wanted);
        }
        shoal_halo_free(&halo);
    }
    shoal_free(wanted);
    shoal_free(place);
    tank_free(&r);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_smooth_wall_shows_place_and_motion_as_a_mirror_does),
        cmocka_unit_test(a_corner_of_mirrors_shows_seven_images),
        cmocka_unit_test(a_mirror_is_seen_across_a_periodic_wall),
        cmocka_unit_test(walls_that_rub_stick_or_are_open_show_nothing),
        cmocka_unit_test(a_tensor_turns_the_signs_of_its_mixed_parts),
        cmocka_unit_test(numbers_of_any_size_are_shown_as_they_are),
        cmocka_unit_test(behind_the_images_is_nobody),
        cmocka_unit_test(a_place_in_two_floats_keeps_both_across_a_wall),
        cmocka_unit_test(images_are_those_found_one_after_the_other_for_any_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
