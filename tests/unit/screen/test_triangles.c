// SPDX-License-Identifier: MIT
// Triangles far larger than the picture are as deep as they are, up to their horizon, and cut at the eye.
#include "unit/check.h"

#include "screen/screen.h"

#include <math.h>
#include <stdlib.h>

enum { W = 320, H = 180 };

static shoal_v3 turned(shoal_v3 a, float angle) { // about z
    float c = cosf(angle), s = sinf(angle);
    return shoal_v3_make(c * a.x - s * a.y, s * a.x + c * a.y, a.z);
}

// A square of two triangles, a thousand metres wide, that begins behind the eye; level, and turned with the eye about
// its axis.
static void a_floor_is_where_it_is_up_to_its_horizon(void** state) {
    (void)state;
    const float angles[] = {0.0f, 0.37f, 2.1f};
    shoal_exec  exec     = shoal_exec_make(2);
    screen*     s;
    shoal_v3*   light = calloc(W * H, sizeof *light);
    CHECK_OK(screen_create(&exec, W, H, &s));
    for (int turn = 0; turn < 3; turn++) {
        const float     height = 0.25f, half = 500.0f;
        screen_triangle floor[2];
        shoal_v3 corner[4] = {{-half, 0.0f, -half}, {half, 0.0f, -half}, {half, 0.0f, half}, {-half, 0.0f, half}};
        for (int t = 0; t < 2; t++)
            for (int k = 0; k < 3; k++) {
                floor[t].corner[k] = turned(corner[k == 0 ? 0 : t + k], angles[turn]);
                floor[t].normal[k] = turned(shoal_v3_make(0.0f, 1.0f, 0.0f), angles[turn]);
            }
        for (int t = 0; t < 2; t++) floor[t].is_clear = 0, floor[t].color = shoal_v3_make(0.5f, 0.5f, 0.5f);
        screen_scene scene = {.camera         = {turned(shoal_v3_make(0.1f, height, 0.3f), angles[turn]),
                                                 turned(shoal_v3_make(-1.0f, 0.0f, 0.0f), angles[turn]),
                                                 turned(shoal_v3_make(0.0f, 1.0f, 0.0f), angles[turn]),
                                                 shoal_v3_make(0.0f, 0.0f, 1.0f), 0.8f, 0.8f * H / W},
                              .spacing        = 0.008f,
                              .triangle_count = 2,
                              .triangles      = floor};
        CHECK_OK(screen_draw(s, &scene, light));
        for (int y = 0; y < H; y++) {
            double down = -(double)screen_ray_y(&scene.camera, H, y), depth = (double)height / down;
            for (int x = 0; x < W; x++) {
                uint64_t key      = screen_seen(s).solid[y * W + x];
                bool     is_floor = down > 0.0 && depth < 490.0;
                if (down > 0.0 && depth > 490.0) continue; // about its far edge
                assert_true((key != SCREEN_NOBODY) == is_floor);
                if (is_floor) assert_true(fabs((double)screen_key_depth(key) - depth) < 1e-3 * depth);
            }
        }
    }
    screen_destroy(s);
    free(light);
}

static void triangles_hide_and_are_cut_at_the_eye(void** state) {
    (void)state;
    shoal_exec    exec = shoal_exec_make(2);
    screen_camera c    = {{0.0f, 1.0f, 0.0f}, {1.0f, 0.0f, 0.0f}, {0.0f, 1.0f, 0.0f}, {0.0f, 0.0f, 1.0f}, 0.6f,
                          0.6f * H / W};
    shoal_v3      up   = {0.0f, 1.0f, 0.0f};
    // a floor that begins behind the eye: below the horizon all of it, above it nothing
    screen_triangle all   = {{{-1000.0f, 0.0f, -10.0f}, {1000.0f, 0.0f, -10.0f}, {0.0f, 0.0f, 3000.0f}},
                             {up, up, up},
                             {1.0f, 1.0f, 1.0f},
                             0};
    shoal_v3*       light = calloc(W * H, sizeof *light);
    screen*         s;
    screen_scene    scene = {.camera = c, .spacing = 0.1f, .triangle_count = 1, .triangles = &all};
    CHECK_OK(screen_create(&exec, W, H, &s));
    CHECK_OK(screen_draw(s, &scene, light));
    for (int y = 0; y < H; y++) {
        uint64_t key = screen_seen(s).solid[y * W + W / 2];
        float    py  = screen_ray_y(&c, H, y);
        if (py > -1e-3f) {
            assert_true(key == SCREEN_NOBODY);
        } else if (py < -0.01f) {
            CHECK_NEAR((double)screen_key_depth(key), 1.0 / (double)-py, 1e-2 / (double)-py);
        }
    }
    screen_destroy(s);
    free(light);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_floor_is_where_it_is_up_to_its_horizon),
                                       cmocka_unit_test(triangles_hide_and_are_cut_at_the_eye)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
