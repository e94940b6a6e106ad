// SPDX-License-Identifier: MIT
// Shadows of the sun: where its light goes, of balls and of triangles, on the ground and on balls, at any scale and
// from any side, with the same bits for any number of threads.
#include "unit/check.h"

#include "screen/screen.h"

#include <stdlib.h>
#include <string.h>

enum { W = 161, H = 161 };

// From straight above, 4 m high over what is 2 m wide; x to the right, z downwards.
static screen_scene above(float scale) {
    return (screen_scene){
        .camera = {{0.0f, 4.0f * scale, 0.0f}, {1, 0, 0}, {0, 0, -1}, {0, -1, 0}, 0.5f, 0.5f},
        .lights = {{0.2f, 0.4f, 0.7f}, {0.7f, 0.9f, 1.1f}, {0.3f, 0.3f, 0.3f}, 1.0f, {0.6f, 0.8f, 0.0f}, {2, 2, 2}},
        .ground =
            {1, 0.0f, 100.0f * scale, {0.0f, 0.5f * scale, 0.0f}, 2.0f * scale, {0.3f, 0.3f, 0.3f}, {0.3f, 0.3f, 0.3f}},
        .spacing     = 0.02f * scale,
        .ior         = 1.333f,
        .has_shadows = 1};
}

// Of the pixel that sees the ground at a place.
static float seen_at(const shoal_v3* light, float scale, float x, float z) {
    int i = (int)floorf((x / (2.0f * scale) + 1.0f) * 0.5f * W),
        j = (int)floorf((z / (2.0f * scale) + 1.0f) * 0.5f * H);
    return light[j * W + i].y;
}

static void draw(const screen_scene* scene, int threads, shoal_v3* light) {
    shoal_exec exec = shoal_exec_make(threads);
    screen*    s;
    CHECK_OK(screen_create(&exec, W, H, &s));
    CHECK_OK(screen_draw(s, scene, light));
    screen_destroy(s);
}

// Halfway up to the eye a ball is seen over the ground at twice its way from the middle, so that the ground below it is
// seen, too: that is in the shadow, and what is beside it is not.
static void a_shadow_lies_straight_below(void** state) {
    (void)state;
    const float scales[] = {0.01f, 1.0f, 300.0f};
    shoal_v3 *  light = calloc(W * H, sizeof *light), *open = calloc(W * H, sizeof *open);
    for (int k = 0; k < 9; k++) {
        float scale = scales[k % 3], turn = 0.4f + 2.1f * (float)(k / 3), x = 0.4f * cosf(turn), z = 0.4f * sinf(turn);
        screen_scene scene = above(scale);
        screen_splat ball =
            screen_ball(shoal_v3_make(x * scale, 2.0f * scale, z * scale), 0.1f * scale, shoal_v3_make(1, 1, 1));
        scene.ball_count = 1;
        scene.balls      = &ball;
        draw(&scene, 2, light);
        scene.has_shadows = 0;
        draw(&scene, 2, open);
        assert_true(seen_at(light, scale, x * scale, z * scale) < 0.75f * seen_at(open, scale, x * scale, z * scale));
        for (int b = 0; b < 4; b++) {
            float bx = (x + (b < 2 ? 0.13f - 0.26f * (float)b : 0.0f)) * scale,
                  bz = (z + (b < 2 ? 0.0f : 0.13f - 0.26f * (float)(b - 2))) * scale;
            CHECK_NEAR((double)seen_at(light, scale, bx, bz), (double)seen_at(open, scale, bx, bz), 0.0);
        }
    }
    free(open);
    free(light);
}

static void triangles_cast_them_and_glass_does_not(void** state) {
    (void)state;
    shoal_v3 *      light = calloc(W * H, sizeof *light), *clear = calloc(W * H, sizeof *clear);
    screen_scene    scene = above(1.0f);
    screen_triangle pane  = {{{0.3f, 2.0f, -0.3f}, {0.3f, 2.0f, 0.3f}, {0.9f, 2.0f, 0.0f}},
                             {{0, 1, 0}, {0, 1, 0}, {0, 1, 0}},
                             {0.5f, 0.5f, 0.5f},
                             0};
    scene.triangle_count  = 1;
    scene.triangles       = &pane;
    draw(&scene, 1, light);
    pane.is_clear = 1;
    draw(&scene, 1, clear);
    // it is seen from 0.6 m on
    assert_true(seen_at(light, 1.0f, 0.5f, 0.0f) < 0.75f * seen_at(clear, 1.0f, 0.5f, 0.0f));
    CHECK_NEAR((double)seen_at(light, 1.0f, 0.5f, 0.28f), (double)seen_at(clear, 1.0f, 0.5f, 0.28f), 0.0);
    CHECK_NEAR((double)seen_at(light, 1.0f, 0.27f, 0.0f), (double)seen_at(clear, 1.0f, 0.27f, 0.0f), 0.0);
    free(clear);
    free(light);
}

static void a_shadow_falls_on_balls_and_not_on_who_casts_it(void** state) {
    (void)state;
    shoal_v3 *light = calloc(W * H, sizeof *light), *open = calloc(W * H, sizeof *open),
             *other       = calloc(W * H, sizeof *other);
    screen_scene scene    = above(1.0f);
    screen_splat balls[2] = {screen_ball(shoal_v3_make(0.5f, 2.0f, 0.0f), 0.15f, shoal_v3_make(1, 1, 1)),
                             screen_ball(shoal_v3_make(0.5f, 0.1f, 0.0f), 0.1f, shoal_v3_make(1, 1, 1))};
    scene.ball_count      = 2;
    scene.balls           = balls;
    draw(&scene, 1, light);
    scene.has_shadows = 0;
    draw(&scene, 1, open);
    scene.has_shadows = 1;
    float lower = 0.5f / 3.8f * 4.0f, upper = 0.5f / 1.85f * 4.0f; // their tops, as seen over the ground
    assert_true(seen_at(light, 1.0f, lower, 0.0f) < 0.75f * seen_at(open, 1.0f, lower, 0.0f));
    CHECK_NEAR((double)seen_at(light, 1.0f, upper, 0.0f), (double)seen_at(open, 1.0f, upper, 0.0f), 0.0);
    for (int threads = 2; threads <= 6; threads++) {
        draw(&scene, threads, other);
        assert_memory_equal(light, other, W * H * sizeof *light);
    }
    free(other);
    free(open);
    free(light);
}

// What has fallen far below the map is in nobody's shadow, its own neither.
static void what_is_below_the_map_is_lit(void** state) {
    (void)state;
    shoal_v3 *   light = calloc(W * H, sizeof *light), *open = calloc(W * H, sizeof *open);
    screen_scene scene    = above(1.0f);
    screen_splat ball     = screen_ball(shoal_v3_make(0.1f, -6.0f, 0.2f), 0.7f, shoal_v3_make(1, 1, 1));
    scene.ground.is_there = 0;
    scene.ball_count      = 1;
    scene.balls           = &ball;
    draw(&scene, 2, light);
    scene.has_shadows = 0;
    draw(&scene, 2, open);
    assert_memory_equal(light, open, W * H * sizeof *light);
    free(open);
    free(light);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_shadow_lies_straight_below),
        cmocka_unit_test(triangles_cast_them_and_glass_does_not),
        cmocka_unit_test(a_shadow_falls_on_balls_and_not_on_who_casts_it),
        cmocka_unit_test(what_is_below_the_map_is_lit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
